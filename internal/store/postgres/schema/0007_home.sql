-- A conversation that was begun without naming a container may be given one later, and is still found by its name where it was begun.

ALTER TABLE conversations ADD COLUMN home_id TEXT COLLATE "C" NOT NULL DEFAULT ''; -- the node in which it was begun, '' where that was named
CREATE INDEX conversations_home ON conversations (owner_id, home_id, external_id) WHERE home_id <> '' AND buried_at = 0;
