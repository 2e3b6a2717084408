#!/bin/sh
# Makes the mails and mailboxes here, with the programs that people use for it: mutt and Python's own mail packages.
# The calendar and the cards are the examples of RFC 5545, 5546, 2426 and 6350, rewritten with other names.
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A mail as mutt sends it: flowed text, a quote with an answer, a signature, an attachment with a name in UTF-8.
printf '#!/bin/sh\ncat > %s/sent.eml\n' "$scratch" > "$scratch/sendmail"
chmod +x "$scratch/sendmail"
printf 'date,boat,price\n2024-05-02,Möwe,120\n' > "$scratch/Preise für Mai.csv"
cat > "$scratch/body" <<'BODY'
Hello Ben,

> Can we have the boat on Thursday?
Yes, the Möwe is free from ten o'clock. I have written down what 
the boats cost in May; the list is attached.

-- 
Ana Lima
Harbour office
BODY
cat > "$scratch/muttrc" <<RC
set sendmail="$scratch/sendmail"
set use_envelope_from=no
set realname="Ana Lima"
set from="ana@harbour.example"
set hostname="harbour.example"
set copy=no
set charset=utf-8
set send_charset="us-ascii:iso-8859-1:utf-8"
set text_flowed=yes
set rfc2047_parameters=no
RC
mutt -n -F "$scratch/muttrc" -s 'Re: Bootsverleih für Donnerstag' -c 'Carla <carla@pier.example>' \
	-a "$scratch/Preise für Mai.csv" -- ben@pier.example < "$scratch/body"
cp "$scratch/sent.eml" mutt.eml

python3 make.py

# khal.ics and khal-days.ics by khal, khard.vcf by khard: the programs name files by chance.
pim=$(mktemp -d)
mkdir "$pim/cal" "$pim/cards"
cat > "$pim/khal.conf" <<EOT
[calendars]
[[harbour]]
path = $pim/cal
[locale]
local_timezone = Europe/Lisbon
default_timezone = Europe/Lisbon
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
[default]
default_calendar = harbour
[sqlite]
path = $pim/khal.db
EOT
khal -c "$pim/khal.conf" new -a harbour 2024-05-03 09:30 10:15 'Rope inspection :: Bring the red one; it floats, mostly' -l 'Pier 4, Lisbon' -r weekly -u 2024-06-28 -g safety,ropes -m 15m
mv "$pim"/cal/*.ics khal.ics
khal -c "$pim/khal.conf" new -a harbour 2024-05-10 2024-05-12 'Regatta' -l 'Cascais'
mv "$pim"/cal/*.ics khal-days.ics
printf '[addressbooks]\n[[people]]\npath = %s/cards\n[general]\ndefault_action = list\n[contact table]\n[vcard]\npreferred_version = 3.0\n' "$pim" > "$pim/khard.conf"
cat > "$pim/ana.yaml" <<'EOT'
First name : Ana
Last name  : Lopes
Nickname   : Nita
Organisation : Port of Lisbon
Title : Rope keeper
Birthday : 1980-03-14
Phone :
    cell : "+351 900 000 001"
    work : "+351 210 000 002"
Email :
    work : ana@pier.example
Address :
    work :
        Street : Cais 4
        Code : 1200-450
        City : Lisboa
        Country : Portugal
Categories : [harbour, ropes]
Note : |
    Knows which rope floats.
    Ask her before noon.
Webpage : https://pier.example/ana
EOT
khard -c "$pim/khard.conf" new -a people -i "$pim/ana.yaml" --vcard-version 3.0
mv "$pim"/cards/*.vcf khard.vcf
rm -r "$pim"
