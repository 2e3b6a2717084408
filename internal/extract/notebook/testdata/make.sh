#!/bin/sh
# Makes patches with git and diff, in a repository of its own with fixed names and times. The notebooks are written in the forms of
# nbformat 4 and 3 by Python's json, as Jupyter writes them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export GIT_AUTHOR_NAME="Zoë Müller" GIT_AUTHOR_EMAIL=zoe@pier.example GIT_COMMITTER_NAME=Ana GIT_COMMITTER_EMAIL=ana@pier.example
export GIT_AUTHOR_DATE="2024-05-01T10:00:00+02:00" GIT_COMMITTER_DATE="2024-05-01T10:00:00+02:00" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
git init -q -b main .
{
	printf 'package boat\n\n// Float says whether it floats.\nfunc Float(rope string) bool {\n\treturn rope == "blue"\n}\n'
	i=0
	while [ $i -lt 30 ]; do
		printf '\n// Line %d.\n' $i
		i=$((i + 1))
	done
	printf '\nfunc Last() {}\n'
} > boat.go
printf 'old\n' > old.txt
printf 'same\ntext\nhere\n' > move.txt
printf '\000\001\002' > picture.bin
git add . && git commit -q -m "Begin"
sed -i 's/blue/red/; s/func Last() {}/func Last() { panic(1) }/' boat.go
git rm -q old.txt
git mv move.txt "moved Größe.txt"
printf '\000\001\003' > picture.bin
printf '# New\n\n--- not a header\n+++ nor this\n' > new.md
git add . && git commit -q -m "Let the red rope float, and not the blue one, because the blue one sinks in salt water" -m "The harbour office measured it.
From now on we buy red ones.

Refs: #7"
printf '# New\n\nmore\n' > new.md
git add . && git commit -q -m "Say more"
git format-patch -q -o out HEAD~2
cp out/0001-*.patch "$here/git.patch"
git format-patch -q --stdout HEAD~2 > "$here/series.patch"
git log -p -1 HEAD~1 > "$here/log.diff"
git diff HEAD~2 HEAD > "$here/git.diff"
printf 'one\ntwo\nthree\n' > a.txt
printf 'one\n2\nthree\n' > b.txt
touch -d 2024-05-01T00:00:00Z a.txt b.txt
TZ=UTC diff -u a.txt b.txt > "$here/plain.diff" || true

python3 - "$here" <<'PY'
import json, sys
here = sys.argv[1]
def md(*lines): return {"cell_type": "markdown", "metadata": {}, "source": [l + "\n" for l in lines[:-1]] + [lines[-1]]}
def code(source, *outputs): return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": list(outputs), "source": source.splitlines(True)}
nb = {"cells": [
    md("# Which rope floats?", "", "We measure *ropes*.", "![a rope](attachment:rope.png)"),
    code("import ropes\nropes.table()", {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/html": ["<table></table>"], "text/plain": ["  colour floats\n", "0 red    yes\n", "1 blue   no"]}}),
    code("print('```')\nfor i in range(500): print('line', i)", {"output_type": "stream", "name": "stdout", "text": ["line %d\n" % i for i in range(500)]}),
    code("plot()", {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo=", "text/plain": ["<Figure size 640x480 with 1 Axes>"]}}),
    code("1/0", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["\u001b[0;31mZeroDivisionError\u001b[0m"]}),
    md("## Result", "", "The red one."),
    {"cell_type": "raw", "metadata": {}, "source": "raw words"},
    code("%%bash\nls"),
], "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}, "authors": [{"name": "Ana Lima"}]}, "nbformat": 4, "nbformat_minor": 5}
json.dump(nb, open(here + "/ropes.ipynb", "w"), indent=1, ensure_ascii=False)
old = {"metadata": {"name": "old"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": [
    {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["An old notebook"]},
    {"cell_type": "code", "language": "python", "input": ["print 1"], "outputs": [{"output_type": "stream", "stream": "stdout", "text": ["1\n"]}]},
]}]}
json.dump(old, open(here + "/old.ipynb", "w"), indent=1)
PY
