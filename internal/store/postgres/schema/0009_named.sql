-- What is written must not take the longer the more there is: whatever stands under a caller's name for it, older versions and what
-- waits for its text too, is found by one range of an index.

DROP INDEX documents_custom;
CREATE INDEX documents_custom ON documents (owner_id, node_id, custom_id) WHERE custom_id <> '';
