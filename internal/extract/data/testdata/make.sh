#!/bin/sh
# Makes the databases, property lists, logs and settings here, with sqlite3, Python and Hugo (go install github.com/gohugoio/hugo@v0.152.2).
# The other YAML and TOML files, compose, deploy and project, are written by hand.
set -eu
cd "$(dirname "$0")"
rm -f ./*.sqlite ./*.sqlite-wal ./*.sqlite-shm

# All kinds of value, tables with and without row ids, long values in overflow pages, many rows over several pages,
# full-text search, a generated and an added column, deleted rows.
sqlite3 boats.sqlite <<'SQL'
PRAGMA page_size = 1024;
PRAGMA secure_delete = ON;
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born DATE, "home port" VARCHAR(40) DEFAULT 'Lisbon', photo BLOB, height REAL CHECK (height > 0));
INSERT INTO people VALUES (1, 'Ana Lima', '1980-03-14', 'Lisbon', NULL, 1.75), (2, 'Zoë Müller', NULL, 'Hamburg', x'89504e47', 1.9), (12, 'Ben', '1999-12-31', NULL, NULL, -0.0 + 2);
CREATE TABLE prices (boat TEXT, month INTEGER, price INTEGER, PRIMARY KEY (month, boat)) WITHOUT ROWID;
INSERT INTO prices VALUES ('Möwe', 5, 120), ('Möwe', 4, 90), ('Albatros', 5, 9223372036854775807), ('Albatros', 6, -1);
CREATE TABLE journal (at TEXT, words TEXT, length INTEGER GENERATED ALWAYS AS (length(words)) VIRTUAL, kind TEXT);
INSERT INTO journal SELECT '2024-05-01', 'begin ' || replace(hex(zeroblob(2000)), '00', 'rope ') || 'end', 'long';
ALTER TABLE journal ADD COLUMN mood TEXT;
INSERT INTO journal (at, words, kind, mood) VALUES ('2024-05-02', 'short', 'note', 'calm');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO journal (at, words, kind) SELECT date('2024-06-01', '+' || i || ' days'), 'day ' || i, 'log' FROM n;
DELETE FROM journal WHERE words LIKE 'day 1__';
CREATE VIRTUAL TABLE notes USING fts5(title, body);
INSERT INTO notes VALUES ('Knots', 'The bowline does not slip.');
CREATE TABLE empty (a, b);
CREATE VIEW adults AS SELECT * FROM people;
CREATE INDEX by_name ON people (name);
SQL
for order in le be; do
	sqlite3 "utf16$order.sqlite" "PRAGMA encoding = 'UTF-16$order'; PRAGMA page_size = 512; CREATE TABLE t (k TEXT, v INTEGER); INSERT INTO t VALUES ('Größe 港 🎉', 7);"
done
# Write-ahead mode, checkpointed.
sqlite3 wal.sqlite "PRAGMA journal_mode = WAL; CREATE TABLE t (k); INSERT INTO t VALUES ('kept');" > /dev/null
sqlite3 wal.sqlite "PRAGMA wal_checkpoint(TRUNCATE);" > /dev/null
rm -f ./*.sqlite-wal ./*.sqlite-shm

python3 - <<'PY'
import datetime, json, logging, plistlib

plistlib.dump({"Name": "Möwe", "Seats": 12, "Built": datetime.datetime(1999, 5, 1), "Parts": ["mast", "keel"],
               "Owner": {"Name": "Ana", "Mail": "ana@pier.example"}}, open("boat.plist", "wb"))

log = logging.getLogger("pier")
log.setLevel(logging.DEBUG)
out = logging.FileHandler("pier.log", mode="w")
out.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
log.addHandler(out)
moment = 1714557600.0
old = logging.Formatter.converter


class Clock(logging.Filter):
    def filter(self, record):
        global moment
        moment += 1.25
        record.created, record.msecs = moment, (moment % 1) * 1000
        return True


import time
logging.Formatter.converter = time.gmtime
log.addFilter(Clock())
log.info("harbour opens")
for i in range(604):
    log.debug("gate %d is polled, answer in %d ms", i % 7, i)
try:
    {}["mast"]
except KeyError:
    log.exception("boat 7 has no mast")
log.warning("tide is high")
log.warning("tide is higher")
log.info("harbour closes")

with open("chat.jsonl", "w") as f:
    for i, (who, words) in enumerate((("user", "Which rope floats?"), ("assistant", "The red one.\n\nIt is made of polypropylene."), ("user", "Thanks!"))):
        f.write(json.dumps({"role": who, "content": words, "timestamp": 1714557600 + 60 * i}) + "\n")
with open("events.jsonl", "w") as f:
    for i in range(3):
        f.write(json.dumps({"id": i, "boat": {"name": "Möwe", "crew": ["Ana", "Ben"]}, "open": i == 1, "none": None}) + "\n")
with open("service.ndjson", "w") as f:
    for i in range(5):
        f.write(json.dumps({"ts": 1714557600.5 + i, "level": "info" if i else "error", "msg": f"request {i} done", "ms": i}) + "\n")
PY

# The settings of Hugo, with all defaults; the two that name folders of this machine are taken out.
site=$(mktemp -d)
printf 'baseURL = "https://pier.example/"\ntitle = "Pier notes"\ntimeout = "45s"\n' > "$site/hugo.toml"
hugo config -s "$site" | grep -v '^workingdir\|^cachedir' > settings.toml
hugo config -s "$site" --format yaml | grep -v '^workingdir\|^cachedir' > settings.yaml
rm -r "$site"
