#!/bin/sh
# Makes the files in this folder: tables and SQL by sqlite3, documents by pandoc. Run it in an empty
# folder and copy what you want to renew.
set -eu
sqlite3 ships.db <<'EOT'
CREATE TABLE ships (name TEXT NOT NULL, port TEXT, tonnes REAL, built INTEGER, note TEXT);
INSERT INTO ships VALUES ('Aurora', 'Lisbon', 940.5, 1987, 'red hull, "the old lady"'), ('Brisa', 'Porto', 1020, 2003, NULL),
  ('Cegonha', 'Faro', 88.25, 1931, 'two masts; sails' || char(10) || 'are new');
CREATE INDEX by_port ON ships (port);
EOT
sqlite3 -header -csv ships.db 'SELECT * FROM ships' > ships.csv
sqlite3 -header -tabs ships.db 'SELECT name, port, tonnes FROM ships' > ships.tsv
sqlite3 -json ships.db 'SELECT * FROM ships' > ships.json
sqlite3 ships.db .dump > ships.sql
cat > ropes.rst <<'EOT'
Which rope floats?
==================

:author: Ana Lopes
:date: 2024-05-01

Ropes are made of *many* fibres, see `the tables <https://pier.example/tables>`_.

Fibres
------

============= =======
Fibre         Density
============= =======
Polypropylene 0.91
Polyamide     1.14
============= =======

.. code:: go

   func floats(density float64) bool { return density < 1.025 }

Outlook
-------

Throw it in and look.
EOT
pandoc -s -f rst -t gfm ropes.rst -o ropes.md
pandoc -f rst -t plain ropes.rst -o ropes.txt
