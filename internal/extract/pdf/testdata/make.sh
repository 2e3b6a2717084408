#!/bin/sh
# Makes the PDFs of this folder. Needs groff, ghostscript (ps2pdf), LibreOffice (soffice), qpdf,
# ImageMagick (convert), python3. Fonts: DejaVu, Noto CJK.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# columns.pdf: 40 pages in two columns, with a running head, page numbers, hyphenated words, ligatures and numbered sections.
# The fact that a question asks for stands on page 7.
python3 - >columns.ms <<'PY'
import random
random.seed(7)
subjects = "The harbour office|A visiting surveyor|The tide gauge|Each lighthouse keeper|The dredging company|An earlier committee|The northern breakwater|The insurance register|A retired pilot|The fishing cooperative".split("|")
verbs = "recorded|questioned|confirmed|overestimated|summarised|reconsidered|published|withheld|contradicted|illustrated".split("|")
objects = "the official measurements|an inconvenient difference|several administrative recommendations|the sufficient afflux of water|a configuration of sandbanks|the efficient floodgates|unsatisfactory documentation|the representative observations|an uninterrupted correspondence|the infrastructure responsibilities".split("|")
tails = "before the equinoctial storms|despite considerable opposition|according to contemporaneous letters|without further justification|during the reconstruction|in the following administrative year|notwithstanding the circumstances|under exceptional meteorological conditions".split("|")
print(r""".nr PS 11
.nr VS 13
.nr HM 1.2i
.nr FM 1i
.ds LH The Harbour of Lindvik
.ds CH
.ds RH Annual Report
.ds LF
.ds CF \\n(PN
.ds RF
.TL
The Harbour of Lindvik: A Study of Forty Pages
.AU
Ingrid Solberg
.2C""")
FACT = "The bell of the Lindvik lighthouse was cast in Trondheim in 1874 by the founder Olsen Nauen and weighs 412 kilograms."
n = 0
for section in range(1, 81):
    print(".NH 1\n%s of Part %d" % (random.choice(["Findings", "Soundings", "Accounts", "Letters", "Officials", "Floods"]), section))
    for p in range(5):
        print(".LP")
        for s in range(5):
            print("%s %s %s %s." % (random.choice(subjects), random.choice(verbs), random.choice(objects), random.choice(tails)))
        if section == 11 and p == 2:
            print(FACT)
PY
groff -ms -Tps -dpaper=a4 -P-pa4 columns.ms 2>/dev/null >columns.ps
ps2pdf -dCompatibilityLevel=1.5 columns.ps columns0.pdf
qpdf --pages columns0.pdf 1-40 -- columns0.pdf columns1.pdf
qpdf --object-streams=generate --recompress-flate --compression-level=9 columns1.pdf "$here/columns.pdf"

# office.pdf: LibreOffice Writer, with a title, headings, a list, a table, metadata.
cat >office.html <<'HTML'
<html><head><title>Field Notes on Orchards</title><meta name="author" content="Mara Lindqvist"></head><body>
<h1>Field Notes on Orchards</h1>
<p>Apple trees on the southern slope flowered on 14 April, nine days earlier than in the year before. The office staff filed the first figures, and the difference is sufficient to matter.</p>
<h2>Harvest by variety</h2>
<table border="1" width="90%" cellpadding="14"><tr><th>Variety</th><th>Trees</th><th>Kilograms</th></tr><tr><td>Gravenstein</td><td>112</td><td>4,310</td></tr><tr><td>Boskoop</td><td>87</td><td>3,905</td></tr></table>
<h2>What to do next</h2>
<ul><li>Prune the old Boskoop rows in February.</li><li>Order forty young trees from the nursery in Ås.</li></ul>
<p>It’s “ready” — the naïve café owner paid 25 € for it.</p>
</body></html>
HTML
soffice --headless -env:UserInstallation=file://$work/lo --convert-to odt:writer8 --infilter="HTML (StarWriter)" office.html >/dev/null 2>&1
soffice --headless -env:UserInstallation=file://$work/lo --convert-to pdf office.odt >/dev/null 2>&1
cp office.pdf "$here/office.pdf"

# cjk.pdf: Japanese and Chinese. rtl.pdf: Arabic and Hebrew.
cat >cjk.html <<'HTML'
<html><body style="font-family:'Noto Serif CJK JP'"><h1>港の灯台</h1>
<p lang="ja">灯台の鐘は一八七四年に鋳造され、重さは四百十二キログラムである。漁師たちは毎朝その音を聞いて海に出る。霧の深い日には鐘が三度鳴らされる。</p>
<p lang="zh">灯塔的钟铸造于一八七四年，重四百一十二公斤。渔民每天早晨听到钟声后出海。</p></body></html>
HTML
cat >rtl.html <<'HTML'
<html><body style="font-family:'DejaVu Sans'">
<p dir="rtl" lang="he">הפעמון של המגדלור נוצק בשנת 1874 ומשקלו 412 קילוגרם.</p>
<p dir="rtl" lang="ar">صب جرس المنارة في عام 1874 ويبلغ وزنه 412 كيلوغراما.</p>
<p>And a line in English.</p></body></html>
HTML
for f in cjk rtl; do
	soffice --headless -env:UserInstallation=file://$work/lo --convert-to odt:writer8 --infilter="HTML (StarWriter)" $f.html >/dev/null 2>&1
	soffice --headless -env:UserInstallation=file://$work/lo --convert-to pdf $f.odt >/dev/null 2>&1
	cp $f.pdf "$here/$f.pdf"
done

# scan.pdf: two pages that are pictures only, as a scanner makes them.
for n in 1 2; do
	case $n in
	1) text='DELIVERY NOTE 20417\n\nTo: Café Nordlys, Harbour Road 12\n\n24 jars of heather honey\n6 wheels of goat cheese\n\nReceived on 3 March 2025 by Tora Berg' ;;
	2) text='CONDITIONS\n\nComplaints are accepted within fourteen days.\nThe crates remain the property of the dairy.' ;;
	esac
	convert -size 1240x1754 xc:white -font DejaVu-Serif -pointsize 36 -fill '#222' -annotate +120+200 "$text" -rotate 0.4 -extent 1240x1754 -colorspace Gray -quality 25 scan$n.jpg
done
gs -q -dNOSAFER -sDEVICE=pdfwrite -dPDFSETTINGS=/prepress -dAutoFilterGrayImages=false -dPassThroughJPEGImages=true -g5950x8420 -r720 -o "$here/scan.pdf" viewjpeg.ps \
	-c "<< /PageSize [595 842] >> setpagedevice (scan1.jpg) viewJPEG showpage (scan2.jpg) viewJPEG showpage"

# locked.pdf needs the password "lindvik"; owner.pdf opens with the empty one; three ciphers of the empty password.
qpdf --encrypt lindvik owner 256 -- office.pdf "$here/locked.pdf"
qpdf --encrypt '' owner 256 -- office.pdf "$here/owner256.pdf"
qpdf --allow-weak-crypto --encrypt '' owner 128 --use-aes=y -- office.pdf "$here/owner128.pdf"
qpdf --allow-weak-crypto --encrypt '' owner 128 --use-aes=n -- office.pdf "$here/ownerrc4.pdf"

# truncated.pdf: the first two thirds of a file of three pages, whose table of objects is lost. plain.pdf: that file whole, of
# version 1.3 with a classic table. half.pdf is too short to hold a page.
qpdf --pages columns0.pdf 1-3 -- columns0.pdf three0.pdf
qpdf --object-streams=disable three0.pdf plain.pdf
head -c $(($(stat -c %s plain.pdf) * 2 / 3)) plain.pdf >"$here/truncated.pdf"
head -c 300 plain.pdf >"$here/half.pdf"
cp plain.pdf "$here/plain.pdf"
ls -l "$here"

# What pdftotext prints of office.pdf, as a seed.
pdftotext -bbox-layout "$here/office.pdf" "$here/office.bbox"
