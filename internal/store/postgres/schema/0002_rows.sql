-- The rows of a store: what SQLite's migrations 0001 and 0002 reach, with the same names, columns and defaults. The program that
-- runs this file sets the search path to the schema of the store. owner_id leads every key. Times are microseconds since 1970 in
-- UTC; lists and objects are JSON, NULL when empty. Texts compare byte by byte (COLLATE "C"), whatever the database's locale.
--
-- Large tables are partitioned by owner, so that an owner's rows stand in one partition of each. known_at is when the store
-- learned of a row (NULL: at its created_at), changed_at when it last changed in a way that the log tells of (NULL: never).

CREATE TABLE owners (
  owner_id    TEXT COLLATE "C" PRIMARY KEY,
  wrapped_key BYTEA,
  created_at  BIGINT NOT NULL
);

CREATE TABLE users (
  owner_id    TEXT COLLATE "C" PRIMARY KEY REFERENCES owners (owner_id),
  name        TEXT COLLATE "C" NOT NULL,
  email       TEXT COLLATE "C" NOT NULL,
  external_id TEXT COLLATE "C" NOT NULL,
  role        TEXT COLLATE "C" NOT NULL,
  settings    TEXT COLLATE "C",
  created_at  BIGINT NOT NULL
);

CREATE TABLE api_keys (
  owner_id     TEXT COLLATE "C" NOT NULL REFERENCES users (owner_id),
  id           TEXT COLLATE "C" NOT NULL,
  name         TEXT COLLATE "C" NOT NULL,
  hint         TEXT COLLATE "C" NOT NULL,
  role         TEXT COLLATE "C" NOT NULL,
  root         TEXT COLLATE "C" NOT NULL,
  read_only    BIGINT NOT NULL,
  unlimited    BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT,
  last_used_at BIGINT,
  revoked_at   BIGINT,
  hash         BYTEA NOT NULL,
  PRIMARY KEY (owner_id, id)
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);

CREATE TABLE nodes (
  owner_id         TEXT COLLATE "C" NOT NULL,
  id               TEXT COLLATE "C" NOT NULL,
  parent_id        TEXT COLLATE "C",
  path             TEXT COLLATE "C" NOT NULL,
  name             TEXT COLLATE "C" NOT NULL,
  type             TEXT COLLATE "C" NOT NULL,
  depth            BIGINT NOT NULL CHECK (depth BETWEEN 0 AND 5),
  description      TEXT COLLATE "C" NOT NULL,
  version          BIGINT NOT NULL DEFAULT 0,
  created_at       BIGINT NOT NULL,
  updated_at       BIGINT NOT NULL,
  summary          TEXT COLLATE "C" NOT NULL DEFAULT '',
  kw_entities      TEXT COLLATE "C",
  kw_topics        TEXT COLLATE "C",
  kw_dates         TEXT COLLATE "C",
  kw_relationships TEXT COLLATE "C",
  known_at         BIGINT,
  changed_at       BIGINT,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, parent_id) REFERENCES nodes (owner_id, id),
  CHECK ((depth = 0) = (path = '')),
  CHECK ((depth = 0) = (parent_id IS NULL))
);
CREATE UNIQUE INDEX nodes_path ON nodes (owner_id, path);
CREATE INDEX nodes_parent ON nodes (owner_id, parent_id);

CREATE TABLE documents (
  owner_id         TEXT COLLATE "C" NOT NULL,
  id               TEXT COLLATE "C" NOT NULL,
  node_id          TEXT COLLATE "C" NOT NULL,
  title            TEXT COLLATE "C" NOT NULL,
  title_fold       TEXT COLLATE "C" NOT NULL,
  content_type     TEXT COLLATE "C" NOT NULL,
  language         TEXT COLLATE "C" NOT NULL,
  category         TEXT COLLATE "C" NOT NULL,
  summary          TEXT COLLATE "C" NOT NULL,
  kw_entities      TEXT COLLATE "C",
  kw_topics        TEXT COLLATE "C",
  kw_dates         TEXT COLLATE "C",
  kw_relationships TEXT COLLATE "C",
  tags             TEXT COLLATE "C",
  metadata         TEXT COLLATE "C",
  source_url       TEXT COLLATE "C" NOT NULL,
  custom_id        TEXT COLLATE "C" NOT NULL,
  origin           TEXT COLLATE "C" NOT NULL,
  content_hash     TEXT COLLATE "C" NOT NULL,
  size             BIGINT NOT NULL,
  status           TEXT COLLATE "C" NOT NULL,
  reason           TEXT COLLATE "C" NOT NULL,
  version          BIGINT NOT NULL,
  previous_id      TEXT COLLATE "C" NOT NULL,
  is_latest        BIGINT NOT NULL,
  segment_of       TEXT COLLATE "C" NOT NULL DEFAULT '',
  summary_entry    BIGINT NOT NULL DEFAULT 0,
  chunk_count      BIGINT NOT NULL DEFAULT 0,
  embedded_count   BIGINT NOT NULL DEFAULT 0,
  occurred_at      BIGINT,
  created_at       BIGINT NOT NULL,
  updated_at       BIGINT NOT NULL,
  forget_after     BIGINT,
  last_accessed_at BIGINT,
  access_count     BIGINT NOT NULL,
  known_at         BIGINT,
  changed_at       BIGINT,
  buried_at        BIGINT NOT NULL DEFAULT 0, -- when it was put into the trash, 0 for never
  buried_with      TEXT COLLATE "C" NOT NULL DEFAULT '', -- the record that took it along, '' for none
  buried_next      TEXT COLLATE "C" NOT NULL DEFAULT '', -- the version that followed it then
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, node_id) REFERENCES nodes (owner_id, id)
) PARTITION BY HASH (owner_id);
CREATE INDEX documents_node ON documents (owner_id, node_id, created_at, id);
CREATE INDEX documents_created ON documents (owner_id, created_at, id);
CREATE INDEX documents_hash ON documents (owner_id, node_id, content_hash) WHERE is_latest = 1;
CREATE INDEX documents_custom ON documents (owner_id, node_id, custom_id) WHERE is_latest = 1 AND custom_id <> '';
-- An address may be longer than a row of a B-tree.
CREATE INDEX documents_url ON documents USING hash (source_url) WHERE is_latest = 1 AND source_url <> '';
CREATE INDEX documents_title ON documents (owner_id, node_id, title) WHERE is_latest = 1 AND title <> '';
CREATE INDEX documents_segment ON documents (owner_id, segment_of) WHERE segment_of <> '';
CREATE INDEX documents_summary ON documents (owner_id, node_id) WHERE summary_entry = 1;
CREATE INDEX documents_forget ON documents (forget_after) WHERE forget_after IS NOT NULL;
CREATE INDEX documents_buried ON documents (owner_id, id) WHERE buried_at > 0;
CREATE INDEX documents_when ON documents (owner_id, coalesce(occurred_at, created_at), id) WHERE is_latest = 1 AND segment_of = '' AND buried_at = 0;
CREATE INDEX documents_trash ON documents (buried_at) WHERE buried_at > 0;
-- What lies in the trash keeps its place in the chain, but does not hold it against others.
CREATE UNIQUE INDEX documents_previous ON documents (owner_id, previous_id) WHERE previous_id <> '' AND buried_at = 0;
CREATE INDEX documents_previous_buried ON documents (owner_id, previous_id) WHERE previous_id <> '' AND buried_at > 0;

-- The text of a document stands apart, so that a change of status does not write it again.
CREATE TABLE contents (
  owner_id    TEXT COLLATE "C" NOT NULL,
  document_id TEXT COLLATE "C" NOT NULL,
  content     TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, document_id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
) PARTITION BY HASH (owner_id);

CREATE TABLE chunks (
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
  place       TEXT COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
) PARTITION BY HASH (owner_id);
CREATE INDEX chunks_document ON chunks (owner_id, document_id, seq, id);
CREATE INDEX chunks_message ON chunks (owner_id, message_id) WHERE message_id <> '';

-- Each space has a table of its own, embeddings_N, made when its first vector comes.
CREATE TABLE spaces (
  n          BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  space      TEXT COLLATE "C" NOT NULL UNIQUE,
  created_at BIGINT NOT NULL
);

CREATE TABLE memories (
  owner_id     TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  node_id      TEXT COLLATE "C" NOT NULL,
  kind         TEXT COLLATE "C" NOT NULL,
  content      TEXT COLLATE "C" NOT NULL,
  slot         TEXT COLLATE "C" NOT NULL,
  value        TEXT COLLATE "C" NOT NULL,
  subject      TEXT COLLATE "C" NOT NULL,
  confidence   DOUBLE PRECISION NOT NULL,
  tags         TEXT COLLATE "C",
  metadata     TEXT COLLATE "C",
  entities     TEXT COLLATE "C",
  origin       TEXT COLLATE "C" NOT NULL,
  extractor    TEXT COLLATE "C" NOT NULL,
  is_latest    BIGINT NOT NULL,
  retired_by   TEXT COLLATE "C" NOT NULL,
  reason       TEXT COLLATE "C" NOT NULL,
  occurred_at  BIGINT,
  valid_from   BIGINT,
  valid_to     BIGINT,
  recorded_at  BIGINT NOT NULL,
  retired_at   BIGINT,
  updated_at   BIGINT NOT NULL,
  forget_after BIGINT,
  state        TEXT COLLATE "C" NOT NULL DEFAULT '',
  key          TEXT COLLATE "C" NOT NULL DEFAULT '',
  known_at     BIGINT,
  changed_at   BIGINT,
  buried_at    BIGINT NOT NULL DEFAULT 0,
  buried_with  TEXT COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, node_id) REFERENCES nodes (owner_id, id)
) PARTITION BY HASH (owner_id);
CREATE INDEX memories_node ON memories (owner_id, node_id, recorded_at, id);
CREATE INDEX memories_forget ON memories (forget_after) WHERE forget_after IS NOT NULL;
CREATE INDEX memories_slot ON memories (owner_id, slot, node_id) WHERE slot <> '';
CREATE INDEX memories_key ON memories (owner_id, key, node_id) WHERE key <> '';
CREATE INDEX memories_retired ON memories (owner_id, retired_by) WHERE retired_by <> '';
CREATE INDEX memories_recorded ON memories (owner_id, recorded_at, id, state, buried_at);
CREATE INDEX memories_when ON memories (owner_id, coalesce(occurred_at, recorded_at), id, state) WHERE is_latest = 1 AND buried_at = 0;
CREATE INDEX memories_trash ON memories (buried_at) WHERE buried_at > 0;
CREATE INDEX memories_changed ON memories (owner_id, changed_at) WHERE changed_at IS NOT NULL;

CREATE TABLE memory_sources (
  owner_id    TEXT COLLATE "C" NOT NULL,
  memory_id   TEXT COLLATE "C" NOT NULL,
  n           BIGINT NOT NULL,
  document_id TEXT COLLATE "C" NOT NULL,
  message_id  TEXT COLLATE "C" NOT NULL,
  start_at    BIGINT NOT NULL,
  end_at      BIGINT NOT NULL,
  quote       TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, memory_id, n),
  FOREIGN KEY (owner_id, memory_id) REFERENCES memories (owner_id, id)
) PARTITION BY HASH (owner_id);
CREATE INDEX memory_sources_document ON memory_sources (owner_id, document_id) WHERE document_id <> '';
CREATE INDEX memory_sources_message ON memory_sources (owner_id, message_id) WHERE message_id <> '';

CREATE TABLE conversations (
  owner_id      TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  node_id       TEXT COLLATE "C" NOT NULL,
  external_id   TEXT COLLATE "C" NOT NULL,
  document_id   TEXT COLLATE "C" NOT NULL,
  message_count BIGINT NOT NULL DEFAULT 0,
  next_seq      BIGINT NOT NULL DEFAULT 0,
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL,
  tokens        BIGINT NOT NULL DEFAULT 0,
  closer        TEXT COLLATE "C" NOT NULL DEFAULT '',
  known_at      BIGINT,
  changed_at    BIGINT,
  buried_at     BIGINT NOT NULL DEFAULT 0,
  buried_with   TEXT COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, node_id) REFERENCES nodes (owner_id, id)
);
CREATE INDEX conversations_document ON conversations (owner_id, document_id) WHERE document_id <> '';
CREATE UNIQUE INDEX conversations_external ON conversations (owner_id, node_id, external_id) WHERE buried_at = 0;
CREATE INDEX conversations_created ON conversations (owner_id, created_at, id, buried_at);
CREATE INDEX conversations_trash ON conversations (buried_at) WHERE buried_at > 0;

CREATE TABLE messages (
  owner_id        TEXT COLLATE "C" NOT NULL,
  id              TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  document_id     TEXT COLLATE "C" NOT NULL,
  node_id         TEXT COLLATE "C" NOT NULL,
  external_id     TEXT COLLATE "C" NOT NULL,
  seq             BIGINT NOT NULL,
  role            TEXT COLLATE "C" NOT NULL,
  speaker         TEXT COLLATE "C" NOT NULL,
  session         TEXT COLLATE "C" NOT NULL,
  content         TEXT COLLATE "C" NOT NULL,
  metadata        TEXT COLLATE "C",
  time            BIGINT,
  created_at      BIGINT NOT NULL,
  tokens          BIGINT NOT NULL DEFAULT 0,
  known_at        BIGINT,
  changed_at      BIGINT,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, conversation_id) REFERENCES conversations (owner_id, id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
) PARTITION BY HASH (owner_id);
CREATE UNIQUE INDEX messages_seq ON messages (owner_id, conversation_id, seq);
CREATE UNIQUE INDEX messages_external ON messages (owner_id, conversation_id, external_id) WHERE external_id <> '';
CREATE INDEX messages_document ON messages (owner_id, document_id, seq);
CREATE INDEX messages_when ON messages (owner_id, coalesce(time, created_at), id);

CREATE TABLE files (
  owner_id    TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  document_id TEXT COLLATE "C" NOT NULL,
  role        TEXT COLLATE "C" NOT NULL,
  name        TEXT COLLATE "C" NOT NULL,
  type        TEXT COLLATE "C" NOT NULL,
  size        BIGINT NOT NULL,
  sealed_size BIGINT NOT NULL,
  blob        TEXT COLLATE "C" NOT NULL,
  sha256      TEXT COLLATE "C" NOT NULL,
  created_at  BIGINT NOT NULL,
  inline      BYTEA,
  state       TEXT COLLATE "C" NOT NULL DEFAULT 'active',
  used_at     BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
) PARTITION BY HASH (owner_id);
CREATE INDEX files_document ON files (owner_id, document_id, created_at, id);
CREATE INDEX files_blob ON files (blob) WHERE blob <> '';
CREATE INDEX files_idle ON files (state, used_at, id);

-- The log of changes, which an index follows.
CREATE TABLE changes (
  n        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seq      BIGINT, -- its place in the log; NULL until number_changes has seen it committed
  owner_id TEXT COLLATE "C" NOT NULL,
  node_id  TEXT COLLATE "C" NOT NULL,
  entry_id TEXT COLLATE "C" NOT NULL,
  type     TEXT COLLATE "C" NOT NULL,
  removed  BIGINT NOT NULL
);
CREATE UNIQUE INDEX changes_seq ON changes (seq) WHERE seq IS NOT NULL;
CREATE INDEX changes_new ON changes (n) WHERE seq IS NULL;
CREATE INDEX changes_owner ON changes (owner_id, seq);

-- The number of the last change in the log.
CREATE TABLE log (
  one  BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
  last BIGINT NOT NULL
);
INSERT INTO log (last) VALUES (0);

-- number_changes gives the changes that have been committed without a place their places, and returns the last of the log. One call
-- works at a time, and looks at what is committed once it may: so a change with a lower number is never committed later.
CREATE FUNCTION number_changes() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  base bigint;
  k    bigint;
BEGIN
  SELECT last INTO base FROM log FOR UPDATE;
  WITH new AS (SELECT c.n, row_number() OVER (ORDER BY c.n) AS place FROM changes c WHERE c.seq IS NULL)
  UPDATE changes c SET seq = base + new.place FROM new WHERE c.n = new.n;
  GET DIAGNOSTICS k = ROW_COUNT;
  IF k > 0 THEN
    UPDATE log SET last = base + k;
  END IF;
  RETURN base + k;
END $$;

CREATE TABLE jobs (
  id         TEXT COLLATE "C" PRIMARY KEY,
  owner_id   TEXT COLLATE "C" NOT NULL,
  kind       TEXT COLLATE "C" NOT NULL,
  record_id  TEXT COLLATE "C" NOT NULL,
  attempt    BIGINT NOT NULL,
  max_tries  BIGINT NOT NULL,
  run_at     BIGINT NOT NULL,
  due_at     BIGINT NOT NULL, -- run_at, or the end of the lease
  running    BIGINT NOT NULL,
  reason     TEXT COLLATE "C" NOT NULL,
  dead       BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX jobs_due ON jobs (due_at, id) WHERE dead = 0;
CREATE UNIQUE INDEX jobs_waiting ON jobs (owner_id, kind, record_id) WHERE dead = 0 AND running = 0;
CREATE INDEX jobs_record ON jobs (record_id);

CREATE TABLE settings (
  name  TEXT COLLATE "C" PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);

CREATE TABLE segments (
  owner_id        TEXT COLLATE "C" NOT NULL,
  document_id     TEXT COLLATE "C" NOT NULL,
  conversation_id TEXT COLLATE "C" NOT NULL,
  previous_id     TEXT COLLATE "C" NOT NULL,
  state           TEXT COLLATE "C" NOT NULL,
  reason          TEXT COLLATE "C" NOT NULL, -- why it was closed
  detail          TEXT COLLATE "C" NOT NULL,
  topic           TEXT COLLATE "C" NOT NULL,
  topic_fold      TEXT COLLATE "C" NOT NULL,
  folder          TEXT COLLATE "C" NOT NULL,
  folder_fold     TEXT COLLATE "C" NOT NULL,
  tokens          BIGINT NOT NULL,
  message_count   BIGINT NOT NULL,
  first_seq       BIGINT NOT NULL,
  last_seq        BIGINT NOT NULL,
  started_at      BIGINT,
  finalized_at    BIGINT,
  begun_at        BIGINT NOT NULL, -- started_at, else when it was made
  updated_at      BIGINT NOT NULL,
  known_at        BIGINT,
  changed_at      BIGINT,
  PRIMARY KEY (owner_id, document_id),
  FOREIGN KEY (owner_id, document_id) REFERENCES documents (owner_id, id)
) PARTITION BY HASH (owner_id);
CREATE INDEX segments_begun ON segments (owner_id, begun_at, document_id);
CREATE INDEX segments_conversation ON segments (owner_id, conversation_id, begun_at, document_id);
CREATE UNIQUE INDEX segments_folder ON segments (owner_id, folder) WHERE folder <> '';

CREATE TABLE entities (
  owner_id   TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  kind       TEXT COLLATE "C" NOT NULL,
  name       TEXT COLLATE "C" NOT NULL,
  name_fold  TEXT COLLATE "C" NOT NULL,
  aliases    TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  known_at   BIGINT NOT NULL,
  gone_at    BIGINT, -- when its last mention went; the row stays while a view of a moment may need it
  PRIMARY KEY (owner_id, id)
);
CREATE UNIQUE INDEX entities_name ON entities (owner_id, kind, name_fold) WHERE gone_at IS NULL;

-- Names and aliases in lower case.
CREATE TABLE entity_names (
  owner_id  TEXT COLLATE "C" NOT NULL,
  folded    TEXT COLLATE "C" NOT NULL,
  entity_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, folded, entity_id),
  FOREIGN KEY (owner_id, entity_id) REFERENCES entities (owner_id, id)
);
CREATE INDEX entity_names_entity ON entity_names (owner_id, entity_id);

-- An edge that changes or goes leaves a row with its end, until one of the records at its ends is purged. The kinds are the
-- prefixes of the ids.
CREATE TABLE edges (
  owner_id    TEXT COLLATE "C" NOT NULL,
  source_id   TEXT COLLATE "C" NOT NULL,
  target_id   TEXT COLLATE "C" NOT NULL,
  type        TEXT COLLATE "C" NOT NULL,
  source_kind TEXT COLLATE "C" NOT NULL,
  target_kind TEXT COLLATE "C" NOT NULL,
  weight      DOUBLE PRECISION NOT NULL,
  confidence  DOUBLE PRECISION NOT NULL,
  metadata    TEXT COLLATE "C",
  created_at  BIGINT NOT NULL,
  known_at    BIGINT NOT NULL,
  gone_at     BIGINT
) PARTITION BY HASH (owner_id);
CREATE UNIQUE INDEX edges_live ON edges (owner_id, source_id, target_id, type) WHERE gone_at IS NULL;
CREATE INDEX edges_source ON edges (owner_id, source_id);
CREATE INDEX edges_target ON edges (owner_id, target_id);

-- The log of changes of records, chained: hash covers the line and the hash before it, and the content by its digests, so
-- that a purge can take the content away and the chain still holds.
CREATE TABLE deltas (
  owner_id  TEXT COLLATE "C" NOT NULL,
  seq       BIGINT NOT NULL,
  id        TEXT COLLATE "C" NOT NULL,
  record_id TEXT COLLATE "C" NOT NULL,
  node_id   TEXT COLLATE "C" NOT NULL,
  op        TEXT COLLATE "C" NOT NULL,
  before    TEXT COLLATE "C",
  after     TEXT COLLATE "C",
  author    TEXT COLLATE "C" NOT NULL,
  reason    TEXT COLLATE "C" NOT NULL,
  at        BIGINT NOT NULL,
  digests   BYTEA NOT NULL,
  hash      BYTEA NOT NULL,
  PRIMARY KEY (owner_id, seq)
) PARTITION BY HASH (owner_id);
CREATE INDEX deltas_record ON deltas (owner_id, record_id, seq);
CREATE UNIQUE INDEX deltas_id ON deltas (owner_id, id);

CREATE TABLE file_events (
  n           BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  owner_id    TEXT COLLATE "C" NOT NULL,
  file_id     TEXT COLLATE "C" NOT NULL,
  from_state  TEXT COLLATE "C" NOT NULL,
  to_state    TEXT COLLATE "C" NOT NULL,
  cause       TEXT COLLATE "C" NOT NULL,
  size_before BIGINT NOT NULL,
  size_after  BIGINT NOT NULL,
  error       TEXT COLLATE "C" NOT NULL,
  at          BIGINT NOT NULL
);
CREATE INDEX file_events_file ON file_events (owner_id, file_id, n);
CREATE INDEX file_events_owner ON file_events (owner_id, n);

CREATE TABLE audit (
  n        BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  owner_id TEXT COLLATE "C" NOT NULL,
  actor_id TEXT COLLATE "C" NOT NULL,
  action   TEXT COLLATE "C" NOT NULL,
  resource TEXT COLLATE "C" NOT NULL,
  details  TEXT COLLATE "C",
  address  TEXT COLLATE "C" NOT NULL,
  at       BIGINT NOT NULL
);
CREATE INDEX audit_owner ON audit (owner_id, n);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['documents', 'contents', 'chunks', 'memories', 'memory_sources', 'messages', 'deltas', 'edges', 'segments', 'files'] LOOP
    FOR i IN 0..7 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 8, REMAINDER %s)', name || '_p' || i, name, i);
    END LOOP;
  END LOOP;
END $$;

-- Logs are only ever added to. They go with their owner, and a purge may take away what deltas hold. The functions run as the
-- owner of the schema, so that a policy that hides an owner does not make it look as if it had gone.
CREATE FUNCTION log_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% are only ever added to', TG_ARGV[0];
END $$;

CREATE FUNCTION log_lasts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM owners o WHERE o.owner_id = OLD.owner_id) THEN
    RAISE EXCEPTION '% are only ever added to', TG_ARGV[0];
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER deltas_stay BEFORE UPDATE ON deltas FOR EACH ROW WHEN (NEW.before IS NOT NULL OR NEW.after IS NOT NULL OR NEW.reason <> ''
  OR (NEW.owner_id, NEW.seq, NEW.id, NEW.record_id, NEW.node_id, NEW.op, NEW.author, NEW.at, NEW.digests, NEW.hash)
  IS DISTINCT FROM (OLD.owner_id, OLD.seq, OLD.id, OLD.record_id, OLD.node_id, OLD.op, OLD.author, OLD.at, OLD.digests, OLD.hash))
  EXECUTE FUNCTION log_stays('deltas');
CREATE TRIGGER deltas_last BEFORE DELETE ON deltas FOR EACH ROW EXECUTE FUNCTION log_lasts('deltas');
CREATE TRIGGER file_events_stay BEFORE UPDATE ON file_events FOR EACH ROW EXECUTE FUNCTION log_stays('file events');
CREATE TRIGGER file_events_last BEFORE DELETE ON file_events FOR EACH ROW EXECUTE FUNCTION log_lasts('file events');
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION log_stays('lines of the audit log');
CREATE TRIGGER audit_lasts BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION log_lasts('lines of the audit log');

DO $$
BEGIN -- a definer's function must not take names from its caller's search path
  EXECUTE format('ALTER FUNCTION log_lasts() SET search_path = %I, pg_temp', current_schema());
END $$;

-- What SQLite's statements call, and PostgreSQL has under another name.
CREATE FUNCTION instr(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN strpos($1, $2)::bigint;

CREATE FUNCTION json_valid(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  PERFORM $1::json;
  RETURN true;
EXCEPTION WHEN invalid_text_representation THEN
  RETURN false;
END $$;

-- embeddings makes the table of a space, with the number of its row in spaces.
CREATE FUNCTION embeddings(n bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text := 'embeddings_' || n;
BEGIN
  EXECUTE format('CREATE TABLE %I (owner_id TEXT COLLATE "C" NOT NULL, entry_id TEXT COLLATE "C" NOT NULL, node_id TEXT COLLATE "C" NOT NULL,
    vector BYTEA NOT NULL, PRIMARY KEY (owner_id, entry_id)) PARTITION BY HASH (owner_id)', name);
  EXECUTE format('ALTER TABLE %I ALTER COLUMN vector SET STORAGE EXTERNAL', name); -- floats do not compress
  FOR i IN 0..7 LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 8, REMAINDER %s)', name || '_p' || i, name, i);
  END LOOP;
END $$;

-- make_space makes the table of a space, if it is not there.
CREATE FUNCTION make_space(n bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF to_regclass('embeddings_' || n) IS NULL THEN
    PERFORM embeddings(n);
  END IF;
END $$;

-- settle_numbers lets the numbers that are given out go on behind those that are there.
CREATE FUNCTION settle_numbers() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT setval(pg_get_serial_sequence('file_events', 'n'), coalesce((SELECT max(n) FROM file_events), 0) + 1, false);
  SELECT setval(pg_get_serial_sequence('audit', 'n'), coalesce((SELECT max(n) FROM audit), 0) + 1, false);
$$;
