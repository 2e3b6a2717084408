-- Rows of the fourth release: what it takes to see texts and entries as they were, and what was true.

-- When the evidence of a memory was written, where its metadata tells (said_at). A memory is true from its valid_from on, else from
-- then, else from when it was recorded, until just before its valid_to.
ALTER TABLE memories ADD COLUMN said_at INTEGER;
UPDATE memories SET said_at = unixepoch(metadata ->> '$.said_at') * 1000000 + CAST(CAST('0' || substr(metadata ->> '$.said_at', 20) AS REAL) * 1000000 + 0.001 AS INTEGER)
WHERE metadata ->> '$.said_at' GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*';
CREATE INDEX memories_true ON memories (owner_id, coalesce(valid_from, said_at, recorded_at), valid_to);

-- When the summary of a document became an entry (NULL: with the document), and when a chunk came (NULL: with its document or message).
ALTER TABLE documents ADD COLUMN summary_at INTEGER;
ALTER TABLE chunks ADD COLUMN known_at INTEGER;

-- Chunks that were there from known_at until gone_at, of texts that have been replaced since. They go for good with their document or
-- message.
CREATE TABLE old_chunks (
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
  place       TEXT NOT NULL,
  known_at    INTEGER,
  gone_at     INTEGER NOT NULL,
  PRIMARY KEY (owner_id, id, gone_at),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
);
CREATE INDEX old_chunks_document ON old_chunks (owner_id, document_id);
CREATE INDEX old_chunks_message ON old_chunks (owner_id, message_id) WHERE message_id <> '';
CREATE INDEX old_chunks_gone ON old_chunks (owner_id, gone_at);

CREATE INDEX documents_changed ON documents (owner_id, changed_at) WHERE changed_at IS NOT NULL;
CREATE INDEX messages_changed ON messages (owner_id, changed_at) WHERE changed_at IS NOT NULL;
