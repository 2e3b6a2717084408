-- Rows of the fourth release: what it takes to see texts and entries as they were, and what was true.

-- When the evidence of a memory was written, where its metadata tells (said_at). A memory is true from its valid_from on, else from
-- then, else from when it was recorded, until just before its valid_to.
ALTER TABLE memories ADD COLUMN said_at BIGINT;
CREATE FUNCTION said_at(metadata text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  said text;
BEGIN
  said := metadata::json ->> 'said_at';
  IF said !~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$' THEN
    RETURN NULL;
  END IF;
  RETURN floor(extract(epoch FROM said::timestamptz) * 1000000)::bigint;
EXCEPTION WHEN OTHERS THEN -- a day that is none, or what is no JSON
  RETURN NULL;
END $$;
UPDATE memories SET said_at = said_at(metadata) WHERE strpos(metadata, '"said_at"') > 0;
DROP FUNCTION said_at(text);
CREATE INDEX memories_true ON memories (owner_id, coalesce(valid_from, said_at, recorded_at), valid_to);

-- When the summary of a document became an entry (NULL: with the document), and when a chunk came (NULL: with its document or message).
ALTER TABLE documents ADD COLUMN summary_at BIGINT;
ALTER TABLE chunks ADD COLUMN known_at BIGINT;

-- Chunks that were there from known_at until gone_at, of texts that have been replaced since. They go for good with their document or
-- message.
CREATE TABLE old_chunks (
  owner_id    TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  document_id TEXT COLLATE "C" NOT NULL,
  message_id  TEXT COLLATE "C" NOT NULL,
  node_id     TEXT COLLATE "C" NOT NULL,
  seq         BIGINT NOT NULL,
  start_at    BIGINT NOT NULL,
  end_at      BIGINT NOT NULL,
  line_from   BIGINT NOT NULL,
  line_to     BIGINT NOT NULL,
  page        BIGINT NOT NULL,
  kind        TEXT COLLATE "C" NOT NULL,
  symbol      TEXT COLLATE "C" NOT NULL,
  heading     TEXT COLLATE "C",
  content     TEXT COLLATE "C" NOT NULL,
  place       TEXT COLLATE "C" NOT NULL,
  known_at    BIGINT,
  gone_at     BIGINT NOT NULL,
  PRIMARY KEY (owner_id, id, gone_at),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
);
CREATE INDEX old_chunks_document ON old_chunks (owner_id, document_id);
CREATE INDEX old_chunks_message ON old_chunks (owner_id, message_id) WHERE message_id <> '';
CREATE INDEX old_chunks_gone ON old_chunks (owner_id, gone_at);

CREATE INDEX documents_changed ON documents (owner_id, changed_at) WHERE changed_at IS NOT NULL;
CREATE INDEX messages_changed ON messages (owner_id, changed_at) WHERE changed_at IS NOT NULL;
