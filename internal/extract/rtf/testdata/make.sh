#!/bin/sh
# Makes the files in this folder: with LibreOffice and pandoc, from letter.odt and report.md, which the script of internal/extract/office
# makes. Run it in a folder that holds these and copy what you want to renew.
set -eu
pandoc report.md -s -o report.rtf
lo() { soffice --headless --norestore -env:UserInstallation=file://"$PWD"/profile --convert-to "$@" > /dev/null 2>&1; }
lo rtf letter.odt

# Code pages: Cyrillic, Greek, Japanese, and a sign beyond the first plane.
printf '<html><body><h1>Код</h1><p>Привет, Ελλάδα, 日本語, café, 𝄞.</p><ul><li>один</li><li>два</li></ul></body></html>' > codes.html
lo odt:writer8 --infilter='HTML (StarWriter)' codes.html
lo rtf codes.odt
rm -rf profile
