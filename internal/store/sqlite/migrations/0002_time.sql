-- Rows of the second release: what stands beside documents and memories (segments, entities, edges), and time: a log of the
-- changes of records, the trash, the states of files, and what was done to the security of things.
--
-- known_at is when the store learned of a row (NULL: at its created_at), changed_at when it last changed in a way that the
-- log tells of (NULL: never). A view of a moment reads today's row where it has not changed since, else the log.

ALTER TABLE nodes ADD COLUMN summary TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN kw_entities TEXT;
ALTER TABLE nodes ADD COLUMN kw_topics TEXT;
ALTER TABLE nodes ADD COLUMN kw_dates TEXT;
ALTER TABLE nodes ADD COLUMN kw_relationships TEXT;
ALTER TABLE nodes ADD COLUMN known_at INTEGER;
ALTER TABLE nodes ADD COLUMN changed_at INTEGER;

ALTER TABLE documents ADD COLUMN known_at INTEGER;
ALTER TABLE documents ADD COLUMN changed_at INTEGER;
ALTER TABLE documents ADD COLUMN buried_at INTEGER NOT NULL DEFAULT 0; -- when it was put into the trash, 0 for never
ALTER TABLE documents ADD COLUMN buried_with TEXT NOT NULL DEFAULT ''; -- the record that took it along, '' for none
ALTER TABLE documents ADD COLUMN buried_next TEXT NOT NULL DEFAULT ''; -- the version that followed it then
CREATE INDEX documents_buried ON documents (owner_id, id) WHERE buried_at > 0;
-- Counts are made from indexes alone.
DROP INDEX documents_when;
CREATE INDEX documents_when ON documents (owner_id, coalesce(occurred_at, created_at), id) WHERE is_latest = 1 AND segment_of = '' AND buried_at = 0;
CREATE INDEX documents_trash ON documents (buried_at) WHERE buried_at > 0;
-- What lies in the trash keeps its place in the chain, but does not hold it against others.
DROP INDEX documents_previous;
CREATE UNIQUE INDEX documents_previous ON documents (owner_id, previous_id) WHERE previous_id <> '' AND buried_at = 0;
CREATE INDEX documents_previous_buried ON documents (owner_id, previous_id) WHERE previous_id <> '' AND buried_at > 0;

ALTER TABLE chunks ADD COLUMN place TEXT NOT NULL DEFAULT '';

ALTER TABLE memories ADD COLUMN state TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN key TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN known_at INTEGER;
ALTER TABLE memories ADD COLUMN changed_at INTEGER;
ALTER TABLE memories ADD COLUMN buried_at INTEGER NOT NULL DEFAULT 0; -- when it was put into the trash, 0 for never
ALTER TABLE memories ADD COLUMN buried_with TEXT NOT NULL DEFAULT '';
CREATE INDEX memories_slot ON memories (owner_id, slot, node_id) WHERE slot <> '';
CREATE INDEX memories_key ON memories (owner_id, key, node_id) WHERE key <> '';
CREATE INDEX memories_retired ON memories (owner_id, retired_by) WHERE retired_by <> '';
DROP INDEX memories_recorded;
CREATE INDEX memories_recorded ON memories (owner_id, recorded_at, id, state, buried_at);
DROP INDEX memories_when;
CREATE INDEX memories_when ON memories (owner_id, coalesce(occurred_at, recorded_at), id, state) WHERE is_latest = 1 AND buried_at = 0;
CREATE INDEX memories_trash ON memories (buried_at) WHERE buried_at > 0;
CREATE INDEX memories_changed ON memories (owner_id, changed_at) WHERE changed_at IS NOT NULL;

ALTER TABLE conversations ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN closer TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN known_at INTEGER;
ALTER TABLE conversations ADD COLUMN changed_at INTEGER;
ALTER TABLE conversations ADD COLUMN buried_at INTEGER NOT NULL DEFAULT 0; -- when it was put into the trash, 0 for never
ALTER TABLE conversations ADD COLUMN buried_with TEXT NOT NULL DEFAULT '';
DROP INDEX conversations_external;
CREATE UNIQUE INDEX conversations_external ON conversations (owner_id, node_id, external_id) WHERE buried_at = 0;
DROP INDEX conversations_created;
CREATE INDEX conversations_created ON conversations (owner_id, created_at, id, buried_at);
CREATE INDEX conversations_trash ON conversations (buried_at) WHERE buried_at > 0;

ALTER TABLE messages ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN known_at INTEGER;
ALTER TABLE messages ADD COLUMN changed_at INTEGER;

ALTER TABLE files ADD COLUMN state TEXT NOT NULL DEFAULT 'active';
ALTER TABLE files ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
UPDATE files SET used_at = created_at;
CREATE INDEX files_idle ON files (state, used_at, id);

CREATE TABLE segments (
  owner_id        TEXT NOT NULL,
  document_id     TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  previous_id     TEXT NOT NULL,
  state           TEXT NOT NULL,
  reason          TEXT NOT NULL, -- why it was closed
  detail          TEXT NOT NULL,
  topic           TEXT NOT NULL,
  topic_fold      TEXT NOT NULL,
  folder          TEXT NOT NULL,
  folder_fold     TEXT NOT NULL,
  tokens          INTEGER NOT NULL,
  message_count   INTEGER NOT NULL,
  first_seq       INTEGER NOT NULL,
  last_seq        INTEGER NOT NULL,
  started_at      INTEGER,
  finalized_at    INTEGER,
  begun_at        INTEGER NOT NULL, -- started_at, else when it was made
  updated_at      INTEGER NOT NULL,
  known_at        INTEGER,
  changed_at      INTEGER,
  PRIMARY KEY (owner_id, document_id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
);
CREATE INDEX segments_begun ON segments (owner_id, begun_at, document_id);
CREATE INDEX segments_conversation ON segments (owner_id, conversation_id, begun_at, document_id);
CREATE UNIQUE INDEX segments_folder ON segments (owner_id, folder) WHERE folder <> '';
INSERT INTO segments
SELECT d.owner_id, d.id, d.segment_of, '', CASE v.document_id WHEN d.id THEN 'active' ELSE 'finalized' END, '', '', d.title, d.title_fold, '', '', 0,
 count(m.id), coalesce(min(m.seq), 0), coalesce(max(m.seq), 0), min(coalesce(m.time, m.created_at)), NULL,
 coalesce(min(coalesce(m.time, m.created_at)), d.created_at), d.updated_at, d.created_at, NULL
FROM documents d JOIN conversations v ON v.owner_id = d.owner_id AND v.id = d.segment_of
LEFT JOIN messages m ON m.owner_id = d.owner_id AND m.document_id = d.id GROUP BY d.owner_id, d.id;

CREATE TABLE entities (
  owner_id   TEXT NOT NULL,
  id         TEXT NOT NULL,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  name_fold  TEXT NOT NULL,
  aliases    TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  known_at   INTEGER NOT NULL,
  gone_at    INTEGER, -- when its last mention went; the row stays while a view of a moment may need it
  PRIMARY KEY (owner_id, id)
);
CREATE UNIQUE INDEX entities_name ON entities (owner_id, kind, name_fold) WHERE gone_at IS NULL;

-- Names and aliases in lower case.
CREATE TABLE entity_names (
  owner_id  TEXT NOT NULL,
  folded    TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  PRIMARY KEY (owner_id, folded, entity_id),
  FOREIGN KEY (owner_id, entity_id) REFERENCES entities (owner_id, id)
) WITHOUT ROWID;
CREATE INDEX entity_names_entity ON entity_names (owner_id, entity_id);

-- An edge that changes or goes leaves a row with its end, until one of the records at its ends is purged. The kinds are the
-- prefixes of the ids.
CREATE TABLE edges (
  owner_id    TEXT NOT NULL,
  source_id   TEXT NOT NULL,
  target_id   TEXT NOT NULL,
  type        TEXT NOT NULL,
  source_kind TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  weight      REAL NOT NULL,
  confidence  REAL NOT NULL,
  metadata    TEXT,
  created_at  INTEGER NOT NULL,
  known_at    INTEGER NOT NULL,
  gone_at     INTEGER
);
CREATE UNIQUE INDEX edges_live ON edges (owner_id, source_id, target_id, type) WHERE gone_at IS NULL;
CREATE INDEX edges_source ON edges (owner_id, source_id);
CREATE INDEX edges_target ON edges (owner_id, target_id);

-- The log of changes of records, chained: hash covers the line and the hash before it, and the content by its digests, so
-- that a purge can take the content away and the chain still holds.
CREATE TABLE deltas (
  owner_id  TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  id        TEXT NOT NULL,
  record_id TEXT NOT NULL,
  node_id   TEXT NOT NULL,
  op        TEXT NOT NULL,
  before    TEXT,
  after     TEXT,
  author    TEXT NOT NULL,
  reason    TEXT NOT NULL,
  at        INTEGER NOT NULL,
  digests   BLOB NOT NULL,
  hash      BLOB NOT NULL,
  PRIMARY KEY (owner_id, seq)
);
CREATE INDEX deltas_record ON deltas (owner_id, record_id, seq);
CREATE UNIQUE INDEX deltas_id ON deltas (owner_id, id);
CREATE TRIGGER deltas_stay BEFORE UPDATE ON deltas WHEN NEW.before IS NOT NULL OR NEW.after IS NOT NULL OR NEW.reason <> ''
  OR (NEW.owner_id, NEW.seq, NEW.id, NEW.record_id, NEW.node_id, NEW.op, NEW.author, NEW.at, NEW.digests, NEW.hash)
  IS NOT (OLD.owner_id, OLD.seq, OLD.id, OLD.record_id, OLD.node_id, OLD.op, OLD.author, OLD.at, OLD.digests, OLD.hash)
BEGIN SELECT RAISE(ABORT, 'deltas are only ever added to'); END;
CREATE TRIGGER deltas_last BEFORE DELETE ON deltas WHEN EXISTS (SELECT 1 FROM owners WHERE owner_id = OLD.owner_id)
BEGIN SELECT RAISE(ABORT, 'deltas are only ever added to'); END;

CREATE TABLE file_events (
  n           INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id    TEXT NOT NULL,
  file_id     TEXT NOT NULL,
  from_state  TEXT NOT NULL,
  to_state    TEXT NOT NULL,
  cause       TEXT NOT NULL,
  size_before INTEGER NOT NULL,
  size_after  INTEGER NOT NULL,
  error       TEXT NOT NULL,
  at          INTEGER NOT NULL
);
CREATE INDEX file_events_file ON file_events (owner_id, file_id, n);
CREATE INDEX file_events_owner ON file_events (owner_id, n);
CREATE TRIGGER file_events_stay BEFORE UPDATE ON file_events BEGIN SELECT RAISE(ABORT, 'file events are only ever added to'); END;
CREATE TRIGGER file_events_last BEFORE DELETE ON file_events WHEN EXISTS (SELECT 1 FROM owners WHERE owner_id = OLD.owner_id)
BEGIN SELECT RAISE(ABORT, 'file events are only ever added to'); END;

CREATE TABLE audit (
  n        INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  action   TEXT NOT NULL,
  resource TEXT NOT NULL,
  details  TEXT,
  address  TEXT NOT NULL,
  at       INTEGER NOT NULL
);
CREATE INDEX audit_owner ON audit (owner_id, n);
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END;
CREATE TRIGGER audit_lasts BEFORE DELETE ON audit WHEN EXISTS (SELECT 1 FROM owners WHERE owner_id = OLD.owner_id)
BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END;
