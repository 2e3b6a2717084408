PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE ships (name TEXT NOT NULL, port TEXT, tonnes REAL, built INTEGER, note TEXT);
INSERT INTO ships VALUES('Aurora','Lisbon',940.49999999999999997,1987,'red hull, "the old lady"');
INSERT INTO ships VALUES('Brisa','Porto',1020.0,2003,NULL);
INSERT INTO ships VALUES('Cegonha','Faro',88.249999999999999998,1931,replace('two masts; sails\nare new','\n',char(10)));
CREATE INDEX by_port ON ships (port);
COMMIT;
