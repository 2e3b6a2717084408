#!/bin/sh
# Makes the files in this folder: with pandoc and LibreOffice, from the sources below. Where Word writes what these two do not
# (rendered page breaks), the XML of a file that they made is edited. Run it in an empty folder and copy what you want to renew.
set -eu
export SOURCE_DATE_EPOCH=1714550400 # 2024-05-01, for pandoc

# A report: headings, nested lists, a table, links, notes, comments and tracked changes, code, a picture with alt text.
cat > report.md <<'EOF'
---
title: Harbour report
author: Ana Lopes
date: 2024-05-01
lang: en
---

# Findings

The harbour of *Lisbon* handled **11,3 million** tonnes.[^1] See the [port authority](https://www.portodelisboa.example/en) for more.

1. Containers grew.
   - Mostly from Asia.
   - Some from Africa.
2. Bulk cargo fell.
3. [Cruise ships came back.]{.insertion author="Ben Oker" date="2024-05-02T10:00:00Z"}[Nobody came.]{.deletion author="Ben Oker" date="2024-05-02T10:00:00Z"}

[Is this figure final?]{.comment-start id="0" author="Carla Nunes" date="2024-05-03T09:00:00Z"}The figure for May is an estimate[]{.comment-end id="0"}.

[^1]: Counted by the port, *not* by customs.

## Numbers

| Month | Tonnes | Ships |
|-------|-------:|------:|
| April |    940 |    31 |
| May   |  1 020 |    35 |

> A quoted line.

    x = tonnes / ships

# Outlook

![A crane lifts a container](crane.png)

Snake_case and 3 < 4 & 5 > 2 stay as they are.
EOF
convert -size 24x24 xc:navy crane.png
pandoc report.md -o report.docx
pandoc report.md -o report.odt

# Three pages, with the places where Word saw them begin.
printf '# One\n\nThe first page.\n\n# Two\n\nThe second page.\n\nIt goes on here and on the third page.\n' > pages.md
pandoc pages.md -o pages.docx
mkdir p && (cd p && unzip -q ../pages.docx && python3 - <<'EOF'
f = "word/document.xml"
s = open(f, encoding="utf-8").read()
s = s.replace("<w:t xml:space=\"preserve\">Two</w:t>", "<w:br w:type=\"page\"/><w:lastRenderedPageBreak/><w:t xml:space=\"preserve\">Two</w:t>")
s = s.replace("It goes on here and on the third page.", "It goes on here and </w:t></w:r><w:r><w:lastRenderedPageBreak/><w:t xml:space=\"preserve\">on the third page.")
open(f, "w", encoding="utf-8").write(s)
EOF
rm ../pages.docx && zip -q -X -r ../pages.docx '[Content_Types].xml' _rels docProps word) && rm -r p

# What only LibreOffice makes: text boxes, headers, merged cells, page breaks, hidden text.
cat > letter.fodt <<'EOF'
<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:meta><dc:title>Ferry letter</dc:title><meta:initial-creator>Dora Park</meta:initial-creator>
<meta:creation-date>2023-02-03T04:05:06</meta:creation-date><meta:keyword>ferry</meta:keyword></office:meta>
<office:styles><style:style style:name="Heading_20_1" style:display-name="Heading 1" style:family="paragraph" style:default-outline-level="1"/>
<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format=""/></text:outline-style></office:styles>
<office:automatic-styles><style:style style:name="Break" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>
<style:style style:name="Hid" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:page-layout style:name="pl"><style:header-style/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="pl"><style:header><text:p>RUNNING HEAD</text:p></style:header></style:master-page></office:master-styles>
<office:body><office:text>
<text:h text:outline-level="1">The ferry</text:h>
<text:p>It leaves at nine.<text:note text:note-class="endnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>In winter at ten.</text:p></text:note-body></text:note>
 Tickets<text:s text:c="3"/>at the quay.<text:line-break/>Bring change.</text:p>
<text:p>Boxed:<draw:frame svg:width="4cm" svg:height="2cm" text:anchor-type="as-char"><draw:text-box><text:p>Words in a box.</text:p></draw:text-box></draw:frame></text:p>
<text:p>Seen<text:span text:style-name="Hid">NEVER SEEN</text:span> words<office:annotation><dc:creator>Eve Tan</dc:creator><dc:date>2023-03-01T00:00:00</dc:date><text:p>Check this.</text:p></office:annotation>.</text:p>
<table:table table:name="T"><table:table-column table:number-columns-repeated="3"/>
<table:table-row><table:table-cell><text:p>Route</text:p></table:table-cell><table:table-cell><text:p>Day</text:p></table:table-cell><table:table-cell><text:p>Price</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>North</text:p></table:table-cell><table:table-cell><text:p>Mon | Tue</text:p></table:table-cell><table:table-cell><text:p>4</text:p></table:table-cell></table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell><text:p>Sun</text:p></table:table-cell><table:table-cell><text:p>6</text:p><text:p>or 5</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>All year</text:p></table:table-cell><table:covered-table-cell/><table:table-cell><text:p>9</text:p></table:table-cell></table:table-row>
</table:table>
<text:h text:outline-level="1" text:style-name="Break">The island</text:h>
<text:p>Page two begins with the island.</text:p>
</office:text></office:body></office:document>
EOF
lo() { soffice --headless --norestore -env:UserInstallation=file://"$PWD"/profile --convert-to "$@" > /dev/null 2>&1; }
lo odt letter.fodt
lo docx letter.odt
lo doc letter.odt

# A workbook: names above rows, dates, currency, truth, errors, formulas, merged cells, a hidden sheet, a comment, a far cell.
cat > book.fods <<'EOF'
<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:meta><dc:title>Ship register</dc:title><meta:initial-creator>Finn Moe</meta:initial-creator><meta:creation-date>2022-07-08T09:10:11</meta:creation-date></office:meta>
<office:automatic-styles>
<number:date-style style:name="D"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>
<number:date-style style:name="DT"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/><number:text> </number:text><number:hours number:style="long"/><number:text>:</number:text><number:minutes number:style="long"/></number:date-style>
<number:boolean-style style:name="B"><number:boolean/></number:boolean-style>
<number:percentage-style style:name="P"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>
<number:currency-style style:name="C"><number:number number:decimal-places="2" number:min-integer-digits="1"/><number:text> </number:text><number:currency-symbol>€</number:currency-symbol></number:currency-style>
<number:time-style style:name="T" number:truncate-on-overflow="false"><number:hours number:style="long"/><number:text>:</number:text><number:minutes number:style="long"/><number:text>:</number:text><number:seconds number:style="long"/></number:time-style>
<style:style style:name="d" style:family="table-cell" style:data-style-name="D"/><style:style style:name="dt" style:family="table-cell" style:data-style-name="DT"/>
<style:style style:name="p" style:family="table-cell" style:data-style-name="P"/><style:style style:name="c" style:family="table-cell" style:data-style-name="C"/>
<style:style style:name="t" style:family="table-cell" style:data-style-name="T"/><style:style style:name="b" style:family="table-cell" style:data-style-name="B"/>
<style:style style:name="hid" style:family="table"><style:table-properties table:display="false"/></style:style>
</office:automatic-styles>
<office:body><office:spreadsheet>
<table:table table:name="Ships">
<table:table-row><table:table-cell office:value-type="string"><text:p>Register of ships</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Name</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Built</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Price</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Share</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Afloat</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Twice</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><office:annotation><dc:creator>Gil Roe</dc:creator><dc:date>2022-08-01T00:00:00</dc:date><text:p>Sold since.</text:p></office:annotation><text:p>Aurora</text:p></table:table-cell><table:table-cell table:style-name="d" office:value-type="date" office:date-value="1999-12-31"><text:p>1999-12-31</text:p></table:table-cell><table:table-cell table:style-name="c" office:value-type="currency" office:currency="EUR" office:value="1250000.5"><text:p>1250000.50 €</text:p></table:table-cell><table:table-cell table:style-name="p" office:value-type="percentage" office:value="0.125"><text:p>12.5%</text:p></table:table-cell><table:table-cell table:style-name="b" office:value-type="boolean" office:boolean-value="true"><text:p>TRUE</text:p></table:table-cell><table:table-cell table:formula="of:=[.C3]*2" office:value-type="float" office:value="2500001"><text:p>2500001</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Borealis</text:p></table:table-cell><table:table-cell table:style-name="dt" office:value-type="date" office:date-value="2004-02-29T18:30:00"><text:p>29.02.2004 18:30</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="0.1"><text:p>0.1</text:p></table:table-cell><table:table-cell/><table:table-cell table:style-name="b" office:value-type="boolean" office:boolean-value="false"><text:p>FALSE</text:p></table:table-cell><table:table-cell table:formula="of:=1/0" office:value-type="string" office:string-value="" ><text:p>#DIV/0!</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Crew</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Hours</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string" table:number-rows-spanned="2"><text:p>Deck; engine</text:p></table:table-cell><table:table-cell table:style-name="t" office:value-type="time" office:time-value="PT26H05M00S"><text:p>26:05:00</text:p></table:table-cell></table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell office:value-type="float" office:value="7"><text:p>7</text:p></table:table-cell></table:table-row>
</table:table>
<table:table table:name="Near &amp; far">
<table:table-row><table:table-cell office:value-type="string"><text:p>near</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
<table:table-row><table:table-cell table:number-columns-repeated="1023"/><table:table-cell office:value-type="string"><text:p>far</text:p></table:table-cell></table:table-row>
</table:table>
<table:table table:name="Secret" table:style-name="hid">
<table:table-row><table:table-cell office:value-type="string"><text:p>Key</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="42"><text:p>42</text:p></table:table-cell></table:table-row>
</table:table>
</office:spreadsheet></office:body></office:document>
EOF
lo ods book.fods
lo xlsx book.ods
lo xls book.ods

# Slides: a title, bullets of two levels, a table, notes, a hidden slide.
cat > talk.fodp <<'EOF'
<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.presentation">
<office:meta><dc:title>Tides</dc:title><meta:initial-creator>Hal Bo</meta:initial-creator><meta:creation-date>2021-01-02T03:04:05</meta:creation-date></office:meta>
<office:automatic-styles>
<style:style style:name="dp" style:family="drawing-page"/><style:style style:name="dh" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>
<style:page-layout style:name="PM"><style:page-layout-properties/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="M" style:page-layout-name="PM"/></office:master-styles>
<office:body><office:presentation>
<draw:page draw:name="p1" draw:style-name="dp" draw:master-page-name="M">
<draw:frame presentation:class="title" svg:x="1cm" svg:y="1cm" svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>The tides</text:p></draw:text-box></draw:frame>
<draw:frame presentation:class="outline" svg:x="1cm" svg:y="5cm" svg:width="20cm" svg:height="10cm"><draw:text-box><text:list><text:list-item><text:p>Moon</text:p><text:list><text:list-item><text:p>Spring tide</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>Sun</text:p></text:list-item></text:list></draw:text-box></draw:frame>
<presentation:notes><draw:frame presentation:class="notes" svg:x="1cm" svg:y="1cm" svg:width="10cm" svg:height="10cm"><draw:text-box><text:p>Say it slowly.</text:p><text:p>Show the film.</text:p></draw:text-box></draw:frame></presentation:notes>
</draw:page>
<draw:page draw:name="p2" draw:style-name="dp" draw:master-page-name="M">
<draw:frame presentation:class="title" svg:x="1cm" svg:y="1cm" svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>Heights</text:p></draw:text-box></draw:frame>
<draw:frame svg:x="1cm" svg:y="5cm" svg:width="20cm" svg:height="4cm"><table:table><table:table-column/><table:table-column/>
<table:table-row><table:table-cell><text:p>Place</text:p></table:table-cell><table:table-cell><text:p>Metres</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell><text:p>Fundy</text:p></table:table-cell><table:table-cell><text:p>16</text:p></table:table-cell></table:table-row></table:table></draw:frame>
</draw:page>
<draw:page draw:name="p3" draw:style-name="dh" draw:master-page-name="M">
<draw:frame svg:x="1cm" svg:y="5cm" svg:width="20cm" svg:height="4cm"><draw:text-box><text:p>Spare slide without a title.</text:p></draw:text-box></draw:frame>
</draw:page>
</office:presentation></office:body></office:document>
EOF
lo odp talk.fodp
lo pptx talk.odp
pandoc -o slides.pptx - <<'EOF'
---
title: Winds
author: Ida Quist
---

# Trade winds

- They blow to the west.
- Sailors *knew* them. See [chart](https://winds.example/chart).

::: notes
Mention Halley.
:::

# Numbers

| Wind  | Knots |
|-------|-------|
| Föhn  | 40    |
EOF

# Locked with the password "secret", which the command line of LibreOffice cannot do: the files of old and OpenDocument by
# its Python bridge (package python3-uno), the newer by officecrypto-tool of npm.
cat > lock.py <<'EOF'
import os, subprocess, time, uno
from com.sun.star.beans import PropertyValue
pipe = "lock%d" % os.getpid()
office = subprocess.Popen(["soffice", "--headless", "--norestore", "-env:UserInstallation=file://%s/profile" % os.getcwd(), "--accept=pipe,name=%s;urp;" % pipe])
resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
for _ in range(60):
    try:
        context = resolver.resolve("uno:pipe,name=%s;urp;StarOffice.ComponentContext" % pipe)
        break
    except Exception:
        time.sleep(1)
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
def prop(name, value):
    p = PropertyValue()
    p.Name, p.Value = name, value
    return p
for source, target, filter in [("letter.odt", "locked.odt", "writer8"), ("letter.odt", "locked.doc", "MS Word 97"), ("book.ods", "locked.xls", "MS Excel 97")]:
    doc = desktop.loadComponentFromURL("file://%s/%s" % (os.getcwd(), source), "_blank", 0, (prop("Hidden", True),))
    doc.storeToURL("file://%s/%s" % (os.getcwd(), target), (prop("FilterName", filter), prop("Password", "secret")))
    doc.close(True)
desktop.terminate()
office.wait()
EOF
/usr/bin/python3 lock.py
npm install --silent officecrypto-tool
node -e 'const t = require("officecrypto-tool"), fs = require("fs"); fs.writeFileSync("locked.docx", t.encrypt(fs.readFileSync("letter.docx"), {password: "secret"}))'
rm -rf profile node_modules
