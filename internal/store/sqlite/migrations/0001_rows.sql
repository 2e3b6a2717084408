-- Rows of the first release. owner_id leads every key. Times are microseconds since 1970 in UTC; lists and objects are
-- JSON, NULL when empty. Tables whose rows may be large or that have several indexes keep their rowid: a row is appended and
-- not moved, and the planner weighs their indexes alike.

CREATE TABLE owners (
  owner_id    TEXT PRIMARY KEY,
  wrapped_key BLOB,
  created_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE users (
  owner_id    TEXT PRIMARY KEY REFERENCES owners (owner_id),
  name        TEXT NOT NULL,
  email       TEXT NOT NULL,
  external_id TEXT NOT NULL,
  role        TEXT NOT NULL,
  settings    TEXT,
  created_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE api_keys (
  owner_id     TEXT NOT NULL REFERENCES users (owner_id),
  id           TEXT NOT NULL,
  name         TEXT NOT NULL,
  hint         TEXT NOT NULL,
  role         TEXT NOT NULL,
  root         TEXT NOT NULL,
  read_only    INTEGER NOT NULL,
  unlimited    INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER,
  last_used_at INTEGER,
  revoked_at   INTEGER,
  hash         BLOB NOT NULL,
  PRIMARY KEY (owner_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);

CREATE TABLE nodes (
  owner_id    TEXT NOT NULL,
  id          TEXT NOT NULL,
  parent_id   TEXT,
  path        TEXT NOT NULL,
  name        TEXT NOT NULL,
  type        TEXT NOT NULL,
  depth       INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 5),
  description TEXT NOT NULL,
  version     INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, parent_id) REFERENCES nodes (owner_id, id),
  CHECK ((depth = 0) = (path = '')),
  CHECK ((depth = 0) = (parent_id IS NULL))
);
CREATE UNIQUE INDEX nodes_path ON nodes (owner_id, path);
CREATE INDEX nodes_parent ON nodes (owner_id, parent_id);

CREATE TABLE documents (
  owner_id         TEXT NOT NULL,
  id               TEXT NOT NULL,
  node_id          TEXT NOT NULL,
  title            TEXT NOT NULL,
  title_fold       TEXT NOT NULL,
  content_type     TEXT NOT NULL,
  language         TEXT NOT NULL,
  category         TEXT NOT NULL,
  summary          TEXT NOT NULL,
  kw_entities      TEXT,
  kw_topics        TEXT,
  kw_dates         TEXT,
  kw_relationships TEXT,
  tags             TEXT,
  metadata         TEXT,
  source_url       TEXT NOT NULL,
  custom_id        TEXT NOT NULL,
  origin           TEXT NOT NULL,
  content_hash     TEXT NOT NULL,
  size             INTEGER NOT NULL,
  status           TEXT NOT NULL,
  reason           TEXT NOT NULL,
  version          INTEGER NOT NULL,
  previous_id      TEXT NOT NULL,
  is_latest        INTEGER NOT NULL,
  segment_of       TEXT NOT NULL DEFAULT '',
  summary_entry    INTEGER NOT NULL DEFAULT 0,
  chunk_count      INTEGER NOT NULL DEFAULT 0,
  embedded_count   INTEGER NOT NULL DEFAULT 0,
  occurred_at      INTEGER,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL,
  forget_after     INTEGER,
  last_accessed_at INTEGER,
  access_count     INTEGER NOT NULL,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, node_id) REFERENCES nodes (owner_id, id)
);
CREATE INDEX documents_node ON documents (owner_id, node_id, created_at, id);
CREATE INDEX documents_created ON documents (owner_id, created_at, id);
CREATE INDEX documents_when ON documents (owner_id, coalesce(occurred_at, created_at), id) WHERE is_latest = 1 AND segment_of = '';
CREATE INDEX documents_hash ON documents (owner_id, node_id, content_hash) WHERE is_latest = 1;
CREATE INDEX documents_custom ON documents (owner_id, node_id, custom_id) WHERE is_latest = 1 AND custom_id <> '';
CREATE INDEX documents_url ON documents (owner_id, node_id, source_url) WHERE is_latest = 1 AND source_url <> '';
CREATE INDEX documents_title ON documents (owner_id, node_id, title) WHERE is_latest = 1 AND title <> '';
CREATE UNIQUE INDEX documents_previous ON documents (owner_id, previous_id) WHERE previous_id <> '';
CREATE INDEX documents_segment ON documents (owner_id, segment_of) WHERE segment_of <> '';
CREATE INDEX documents_summary ON documents (owner_id, node_id) WHERE summary_entry = 1;
CREATE INDEX documents_forget ON documents (forget_after) WHERE forget_after IS NOT NULL;

-- The text of a document stands apart, so that a change of status does not write it again.
CREATE TABLE contents (
  owner_id    TEXT NOT NULL,
  document_id TEXT NOT NULL,
  content     TEXT NOT NULL,
  PRIMARY KEY (owner_id, document_id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
);

CREATE TABLE chunks (
  owner_id    TEXT NOT NULL,
  id          TEXT NOT NULL,
  document_id TEXT NOT NULL,
  message_id  TEXT NOT NULL,
  node_id     TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  start_at    INTEGER NOT NULL,
  end_at      INTEGER NOT NULL,
  line_from   INTEGER NOT NULL,
  line_to     INTEGER NOT NULL,
  page        INTEGER NOT NULL,
  kind        TEXT NOT NULL,
  symbol      TEXT NOT NULL,
  heading     TEXT,
  content     TEXT NOT NULL,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
);
CREATE INDEX chunks_document ON chunks (owner_id, document_id, seq, id);
CREATE INDEX chunks_message ON chunks (owner_id, message_id) WHERE message_id <> '';

-- Each space has a table of its own, embeddings_N, made when its first vector comes.
CREATE TABLE spaces (
  n          INTEGER PRIMARY KEY,
  space      TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
);

CREATE TABLE memories (
  owner_id     TEXT NOT NULL,
  id           TEXT NOT NULL,
  node_id      TEXT NOT NULL,
  kind         TEXT NOT NULL,
  content      TEXT NOT NULL,
  slot         TEXT NOT NULL,
  value        TEXT NOT NULL,
  subject      TEXT NOT NULL,
  confidence   REAL NOT NULL,
  tags         TEXT,
  metadata     TEXT,
  entities     TEXT,
  origin       TEXT NOT NULL,
  extractor    TEXT NOT NULL,
  is_latest    INTEGER NOT NULL,
  retired_by   TEXT NOT NULL,
  reason       TEXT NOT NULL,
  occurred_at  INTEGER,
  valid_from   INTEGER,
  valid_to     INTEGER,
  recorded_at  INTEGER NOT NULL,
  retired_at   INTEGER,
  updated_at   INTEGER NOT NULL,
  forget_after INTEGER,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, node_id) REFERENCES nodes (owner_id, id)
);
CREATE INDEX memories_node ON memories (owner_id, node_id, recorded_at, id);
CREATE INDEX memories_recorded ON memories (owner_id, recorded_at, id);
CREATE INDEX memories_when ON memories (owner_id, coalesce(occurred_at, recorded_at), id) WHERE is_latest = 1;
CREATE INDEX memories_forget ON memories (forget_after) WHERE forget_after IS NOT NULL;

CREATE TABLE memory_sources (
  owner_id    TEXT NOT NULL,
  memory_id   TEXT NOT NULL,
  n           INTEGER NOT NULL,
  document_id TEXT NOT NULL,
  message_id  TEXT NOT NULL,
  start_at    INTEGER NOT NULL,
  end_at      INTEGER NOT NULL,
  quote       TEXT NOT NULL,
  PRIMARY KEY (owner_id, memory_id, n),
  FOREIGN KEY (owner_id, memory_id) REFERENCES memories (owner_id, id)
);
CREATE INDEX memory_sources_document ON memory_sources (owner_id, document_id) WHERE document_id <> '';
CREATE INDEX memory_sources_message ON memory_sources (owner_id, message_id) WHERE message_id <> '';

CREATE TABLE conversations (
  owner_id      TEXT NOT NULL,
  id            TEXT NOT NULL,
  node_id       TEXT NOT NULL,
  external_id   TEXT NOT NULL,
  document_id   TEXT NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  next_seq      INTEGER NOT NULL DEFAULT 0,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, node_id) REFERENCES nodes (owner_id, id)
);
CREATE UNIQUE INDEX conversations_external ON conversations (owner_id, node_id, external_id);
CREATE INDEX conversations_created ON conversations (owner_id, created_at, id);
CREATE INDEX conversations_document ON conversations (owner_id, document_id) WHERE document_id <> '';

CREATE TABLE messages (
  owner_id        TEXT NOT NULL,
  id              TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  document_id     TEXT NOT NULL,
  node_id         TEXT NOT NULL,
  external_id     TEXT NOT NULL,
  seq             INTEGER NOT NULL,
  role            TEXT NOT NULL,
  speaker         TEXT NOT NULL,
  session         TEXT NOT NULL,
  content         TEXT NOT NULL,
  metadata        TEXT,
  time            INTEGER,
  created_at      INTEGER NOT NULL,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, conversation_id) REFERENCES conversations (owner_id, id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
);
CREATE UNIQUE INDEX messages_seq ON messages (owner_id, conversation_id, seq);
CREATE UNIQUE INDEX messages_external ON messages (owner_id, conversation_id, external_id) WHERE external_id <> '';
CREATE INDEX messages_document ON messages (owner_id, document_id, seq);
CREATE INDEX messages_when ON messages (owner_id, coalesce(time, created_at), id);

CREATE TABLE files (
  owner_id    TEXT NOT NULL,
  id          TEXT NOT NULL,
  document_id TEXT NOT NULL,
  role        TEXT NOT NULL,
  name        TEXT NOT NULL,
  type        TEXT NOT NULL,
  size        INTEGER NOT NULL,
  sealed_size INTEGER NOT NULL,
  blob        TEXT NOT NULL,
  sha256      TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  inline      BLOB,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
);
CREATE INDEX files_document ON files (owner_id, document_id, created_at, id);
CREATE INDEX files_blob ON files (blob) WHERE blob <> '';

CREATE TABLE changes (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id TEXT NOT NULL,
  node_id  TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  type     TEXT NOT NULL,
  removed  INTEGER NOT NULL
);

CREATE TABLE jobs (
  id         TEXT PRIMARY KEY,
  owner_id   TEXT NOT NULL,
  kind       TEXT NOT NULL,
  record_id  TEXT NOT NULL,
  attempt    INTEGER NOT NULL,
  max_tries  INTEGER NOT NULL,
  run_at     INTEGER NOT NULL,
  due_at     INTEGER NOT NULL, -- run_at, or the end of the lease
  running    INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  dead       INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX jobs_due ON jobs (due_at, id) WHERE dead = 0;
CREATE UNIQUE INDEX jobs_waiting ON jobs (owner_id, kind, record_id) WHERE dead = 0 AND running = 0;
CREATE INDEX jobs_record ON jobs (record_id);

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
