-- A conversation may have a title, labels and facts, as a document may, beside the name that programs know it by.

ALTER TABLE conversations ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN tags TEXT;
ALTER TABLE conversations ADD COLUMN metadata TEXT;
