-- What is written must not take the longer the more there is: the memories that a new one is weighed against are found by one
-- range of an index each, newest first.

DROP INDEX memories_slot;
CREATE INDEX memories_slot ON memories (owner_id, slot, node_id, subject, is_latest, recorded_at, id) WHERE slot <> '';
DROP INDEX memories_key;
CREATE INDEX memories_key ON memories (owner_id, key, node_id, is_latest, recorded_at, id) WHERE key <> '';
CREATE INDEX memories_subject ON memories (owner_id, subject, node_id, is_latest, recorded_at, id);
