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
