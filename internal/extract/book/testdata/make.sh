#!/bin/sh
# Makes the files in this folder, with pandoc. Run it in an empty folder and copy what you want to renew.
set -eu
export SOURCE_DATE_EPOCH=1714550400 # 2024-05-01

# A book of two chapters with parts, a note, a table and a link between chapters.
pandoc -o sea.epub --epub-chapter-level=1 --toc-depth=2 - <<'EOF'
---
title: The Sea and the Shore
author: Jo Marsh
lang: en-GB
date: 2019-03-04
rights: none
---

# The Sea {#sea}

Water, water every where.[^n] Read [the next chapter](#shore) or [the poem](https://poems.example/mariner).

[^n]: Nor any drop to drink.

## Depths

- Shelf
    1. upper
    2. lower
- Trench

# The Shore {#shore}

| Kind | Grain |
|------|-------|
| Sand | 1 mm  |

> Quoted by the shore.

``` python
def f(x):
    return x
```
EOF


# The same kind of book in the older version 2, whose contents stand in a file of their own (NCX), made to look like books as
# they are found: chapters without headings, two of them in one part, numbers of printed pages, and HTML that is no XML.
pandoc -t epub2 -o plain.epub --epub-chapter-level=1 - <<'EOF'
---
title: Plain Tales
author: [Kay Ruud, Lee Sand]
lang: en
---

# Part One {#p1}

# The Fog {#fog}

It was foggy.

## The Lamp {#lamp}

It was lit.

# Rain {#rain}

It rained.
EOF
mkdir p && cd p && unzip -q ../plain.epub && python3 - <<'EOF'
import glob, re
for f in glob.glob("**/ch00*.xhtml", recursive=True):
    s = open(f, encoding="utf-8").read()
    s = re.sub(r"<h1[^>]*>The Fog</h1>", "", s)
    s = re.sub(r"<h1[^>]*>Rain</h1>", "<p class=\"chapter\">RAIN</p>", s)
    s = s.replace("It was foggy.", "It was foggy. <span epub:type=\"pagebreak\" id=\"p7\" title=\"7\"/>On page seven it was still.")
    s = s.replace("It rained.", "It rained <3 & more.<br>Nobody came.")
    open(f, "w", encoding="utf-8").write(s)
EOF
rm ../plain.epub && zip -q -X0 ../plain.epub mimetype && zip -q -X -r ../plain.epub META-INF EPUB 2> /dev/null || zip -q -X -r ../plain.epub META-INF OEBPS
cd .. && rm -r p
