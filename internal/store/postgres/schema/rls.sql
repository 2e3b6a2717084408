-- Who sees what. It is run after the steps of the schema whenever it has changed, and may be run again. The program writes the names
-- in braces: {schema} holds the tables, {private} the key of the claims, {app} is the role that the program works as; and {inner}
-- and {outer}, what the signatures are checked with, in hex.
--
-- A transaction says on whose behalf it runs by the setting lukasa.claim, a text that the program has signed (internal/pg, Sign):
--
--   v1|owner|principal|root|grantee|flags|expiry|hmac
--
-- Flags: s the rows of all owners (the server's own work), w all of the owner's tree, o only what others have shared, r nothing is
-- written. Whoever gets to run statements as {app} without the key sees no row and writes none: no claim, one that is not signed, and
-- one that has run out are the same.
--
-- The functions of a claim stand in subqueries of the policies, (SELECT …), so that a statement checks the signature once for each
-- table that it names, and not for each row. What a subtree sees is asked of rows only where a claim is bound to one.

CREATE SCHEMA IF NOT EXISTS {private};
REVOKE ALL ON SCHEMA {private} FROM PUBLIC;
CREATE TABLE IF NOT EXISTS {private}.claim_key (
  one        BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
  inner_pad  BYTEA NOT NULL CHECK (length(inner_pad) = 64),
  outer_pad  BYTEA NOT NULL CHECK (length(outer_pad) = 64)
);
REVOKE ALL ON {private}.claim_key FROM PUBLIC;
INSERT INTO {private}.claim_key (inner_pad, outer_pad) VALUES ('\x{inner}', '\x{outer}')
ON CONFLICT (one) DO UPDATE SET inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad;

DO $do$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{app}') THEN
    CREATE ROLE {app} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role {app} is not there, and may not be made by this one' USING HINT = 'CREATE ROLE {app} NOLOGIN NOBYPASSRLS, as a superuser';
END $do$;

-- unescape reads a field of a claim.
CREATE OR REPLACE FUNCTION {private}.unescape(field text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  parts text[];
  bytes bytea;
BEGIN
  IF strpos(field, '%') = 0 THEN
    RETURN field;
  END IF;
  parts := string_to_array(field, '%');
  bytes := convert_to(parts[1], 'UTF8');
  FOR i IN 2..array_length(parts, 1) LOOP
    bytes := bytes || decode(left(parts[i], 2), 'hex') || convert_to(substr(parts[i], 3), 'UTF8');
  END LOOP;
  RETURN convert_from(bytes, 'UTF8');
END $fn$;

-- claim returns owner, principal, root, grantee and flags of the claim, NULL without a good one. HMAC-SHA256 is that of RFC 2104. The
-- sums are compared by their own sums, so that time tells nothing of them.
CREATE OR REPLACE FUNCTION {private}.claim() RETURNS text[] LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  signed text := current_setting('lukasa.claim', true);
  parts  text[];
  body   bytea;
  k      record;
BEGIN
  IF signed IS NULL OR signed = '' OR length(signed) > 8192 THEN
    RETURN NULL;
  END IF;
  parts := string_to_array(signed, '|');
  IF array_length(parts, 1) <> 8 OR parts[1] <> 'v1' OR parts[7] !~ '^[0-9]{1,15}$' THEN
    RETURN NULL;
  END IF;
  SELECT c.inner_pad, c.outer_pad INTO k FROM {private}.claim_key c;
  body := convert_to(left(signed, length(signed) - length(parts[8]) - 1), 'UTF8');
  IF sha256(convert_to(encode(sha256(k.outer_pad || sha256(k.inner_pad || body)), 'hex'), 'UTF8')) IS DISTINCT FROM sha256(convert_to(parts[8], 'UTF8')) THEN
    RETURN NULL;
  END IF;
  IF parts[7]::bigint <= extract(epoch FROM clock_timestamp()) * 1000 THEN
    RETURN NULL;
  END IF;
  RETURN ARRAY[{private}.unescape(parts[2]), {private}.unescape(parts[3]), {private}.unescape(parts[4]), {private}.unescape(parts[5]), parts[6]];
END $fn$;

-- What policies ask most often are functions that check the signature themselves, as claim() does, in few steps: they run once for each
-- table that a statement names, and were a third of all that the server did. What is signed is well-formed, so that fields are read once
-- the signature has been found good, and not before.
--
-- claim_owner is whose rows the claim is about; none where it is the server's own, or only about what others have shared.
-- claim_whole is the owner all of whose rows the claim sees.
-- claim_system tells whether the claim sees the rows of all owners.
-- claim_good tells whether there is a good claim at all, claim_writes whether it may write.
DO $do$
DECLARE
  flags constant text := 'split_part(signed, ''|'', 6)';
  own   constant text := format('strpos(%1$s, ''s'') = 0 AND strpos(%1$s, ''o'') = 0', flags);
  owner constant text := 'CASE WHEN strpos(split_part(signed, ''|'', 2), ''%'') = 0 THEN nullif(split_part(signed, ''|'', 2), '''') ELSE {private}.unescape(split_part(signed, ''|'', 2)) END';
  f     record;
BEGIN
  FOR f IN SELECT * FROM (VALUES
    ('claim_owner', 'text', own, owner, 'NULL'),
    ('claim_whole', 'text', own || format(' AND strpos(%s, ''w'') > 0', flags), owner, 'NULL'),
    ('claim_system', 'boolean', format('strpos(%s, ''s'') > 0', flags), 'TRUE', 'FALSE'),
    ('claim_good', 'boolean', 'TRUE', 'TRUE', 'FALSE'),
    ('claim_writes', 'boolean', format('strpos(%1$s, ''r'') = 0 AND strpos(%1$s, ''o'') = 0', flags), 'TRUE', 'FALSE')
  ) AS list (name, type, holds, good, bad) LOOP
    EXECUTE format($sql$CREATE OR REPLACE FUNCTION {schema}.%I() RETURNS %s LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  signed  text := current_setting('lukasa.claim', true);
  inside  bytea;
  outside bytea;
BEGIN
  SELECT k.inner_pad, k.outer_pad INTO inside, outside FROM {private}.claim_key k;
  IF length(signed) <= 8192 AND sha256(convert_to(encode(sha256(outside || sha256(inside || convert_to(left(signed, -65), 'UTF8'))), 'hex'), 'UTF8'))
    = sha256(convert_to(right(signed, 64), 'UTF8')) THEN
    RETURN CASE WHEN split_part(left(signed, -65), '|', 7)::bigint > extract(epoch FROM clock_timestamp()) * 1000 AND %s THEN %s ELSE %s END;
  END IF;
  RETURN %s;
END $fn$ $sql$, f.name, f.type, f.holds, f.good, f.bad, f.bad);
  END LOOP;
END $do$;

-- claim_root is the path of the subtree that the claim is bound to; none where it is bound to none.
CREATE OR REPLACE FUNCTION {schema}.claim_root() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  RETURN CASE WHEN c[5] !~ '[swo]' AND c[1] <> '' AND c[3] <> '' THEN c[3] END;
END $fn$;

-- claim_nodes are the nodes whose rows the claim sees, where it does not see all of its owner's. "/" follows ".".
-- To the subtree come the nodes that were granted to the claim's grantee, each alone.
CREATE OR REPLACE FUNCTION {schema}.claim_nodes() RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE ROWS 50 SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  IF c[5] ~ '[swo]' OR c[1] = '' OR c[3] = '' THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT n.id FROM {schema}.nodes n WHERE n.owner_id = c[1] AND (n.path = c[3] OR (n.path > c[3] || '.' AND n.path < c[3] || '/'))
  UNION SELECT g.node_id FROM {schema}.grants g WHERE c[4] <> '' AND g.owner_id = c[1] AND g.grantee_id = c[4] AND g.revoked_at IS NULL
   AND (g.expires_at IS NULL OR g.expires_at > extract(epoch FROM clock_timestamp()) * 1000000);
END $fn$;

-- claim_grantee is to whom grants are made out, where the claim is of a grantee.
CREATE OR REPLACE FUNCTION {schema}.claim_grantee() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  RETURN CASE WHEN c[5] !~ '[swo]' AND c[4] <> '' THEN c[4] END;
END $fn$;

-- claim_bound is what the claim is bound to, for the functions below: the root of its subtree, a bar, and its grantee.
CREATE OR REPLACE FUNCTION {schema}.claim_bound() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  RETURN CASE WHEN c[5] !~ '[swo]' AND c[1] <> '' AND c[3] <> '' THEN c[3] || '|' || c[4] END;
END $fn$;

-- path_in tells whether a path is in what a claim is bound to: its subtree, or what was granted to its grantee, each node alone.
CREATE OR REPLACE FUNCTION {private}.path_in(owner text, bound text, at text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  root text := split_part(bound, '|', 1);
  who  text := split_part(bound, '|', 2);
BEGIN
  IF at = root OR starts_with(at, root || '.') THEN
    RETURN true;
  END IF;
  RETURN who <> '' AND EXISTS (SELECT 1 FROM {schema}.nodes n JOIN {schema}.grants g ON g.owner_id = n.owner_id AND g.node_id = n.id
   WHERE n.owner_id = owner AND n.path = at AND g.grantee_id = who AND g.revoked_at IS NULL
   AND (g.expires_at IS NULL OR g.expires_at > extract(epoch FROM clock_timestamp()) * 1000000));
END $fn$;

-- path_of is where a record of an owner stands, none where there is no such record. record_in tells whether that is in what a claim is
-- bound to, record_left whether it has left it (its history is told where it is now), and entity_in the same of an entity: it has no node, and
-- stands where what mentions it does, or anywhere while nothing mentions it. Policies call them instead of asking the tables, whose own
-- policies would make the plan of a statement many times as large. What they call root is what claim_bound says. They tell of any owner, and so are where {app} cannot name them.
CREATE OR REPLACE FUNCTION {private}.path_of(owner text, kind text, record text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  node text;
BEGIN
  CASE kind
    WHEN 'doc' THEN SELECT x.node_id INTO node FROM {schema}.documents x WHERE x.owner_id = owner AND x.id = record;
    WHEN 'mem' THEN SELECT x.node_id INTO node FROM {schema}.memories x WHERE x.owner_id = owner AND x.id = record;
    WHEN 'msg' THEN SELECT x.node_id INTO node FROM {schema}.messages x WHERE x.owner_id = owner AND x.id = record;
    WHEN 'conv' THEN SELECT x.node_id INTO node FROM {schema}.conversations x WHERE x.owner_id = owner AND x.id = record;
    WHEN 'file' THEN SELECT x.node_id INTO node FROM {schema}.files f JOIN {schema}.documents x ON x.owner_id = f.owner_id AND x.id = f.document_id
      WHERE f.owner_id = owner AND f.id = record;
    WHEN 'node' THEN node := record;
    ELSE RETURN NULL;
  END CASE;
  RETURN (SELECT n.path FROM {schema}.nodes n WHERE n.owner_id = owner AND n.id = node);
END $fn$;

CREATE OR REPLACE FUNCTION {private}.record_in(owner text, root text, kind text, record text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  at text := {private}.path_of(owner, kind, record);
BEGIN
  RETURN coalesce({private}.path_in(owner, root, at), false);
END $fn$;

CREATE OR REPLACE FUNCTION {private}.record_left(owner text, root text, record text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  at text := {private}.path_of(owner, split_part(record, '_', 1), record);
BEGIN
  RETURN coalesce(NOT {private}.path_in(owner, root, at), false);
END $fn$;

CREATE OR REPLACE FUNCTION {private}.entity_in(owner text, root text, entity text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  mentioned boolean := false;
  w         record;
BEGIN
  FOR w IN SELECT e.source_kind, e.source_id FROM {schema}.edges e WHERE e.owner_id = owner AND e.target_id = entity AND e.type = 'mentions' AND e.gone_at IS NULL LOOP
    IF {private}.record_in(owner, root, w.source_kind, w.source_id) THEN
      RETURN true;
    END IF;
    mentioned := true;
  END LOOP;
  RETURN NOT mentioned;
END $fn$;

-- protect puts a table behind policies: rows says which rows a claim that is bound to a subtree sees, FALSE for none. Whoever sees all
-- of its owner, and the server itself, sees them anyhow. The role gets no TRUNCATE, REFERENCES or TRIGGER, and nothing on partitions,
-- where the policies of their table do not hold.
CREATE OR REPLACE FUNCTION {private}.protect(name text, rows text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  seen text := '(SELECT {schema}.claim_system())';
BEGIN
  IF EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = format('{schema}.%I', name)::regclass AND a.attname = 'owner_id' AND NOT a.attisdropped) THEN
    seen := 'owner_id = (SELECT {schema}.claim_whole()) OR ' || seen;
  END IF;
  IF rows <> 'FALSE' THEN
    seen := seen || ' OR (' || rows || ')';
  END IF;
  EXECUTE format('ALTER TABLE {schema}.%I ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('DROP POLICY IF EXISTS claim ON {schema}.%I', name);
  EXECUTE format('CREATE POLICY claim ON {schema}.%I USING (%s) WITH CHECK (%s)', name, seen, seen);
  EXECUTE format('DROP POLICY IF EXISTS claim_insert ON {schema}.%I', name);
  EXECUTE format('CREATE POLICY claim_insert ON {schema}.%I AS RESTRICTIVE FOR INSERT WITH CHECK ((SELECT {schema}.claim_writes()))', name);
  EXECUTE format('DROP POLICY IF EXISTS claim_update ON {schema}.%I', name);
  EXECUTE format('CREATE POLICY claim_update ON {schema}.%I AS RESTRICTIVE FOR UPDATE USING ((SELECT {schema}.claim_writes())) WITH CHECK ((SELECT {schema}.claim_writes()))', name);
  EXECUTE format('DROP POLICY IF EXISTS claim_delete ON {schema}.%I', name);
  EXECUTE format('CREATE POLICY claim_delete ON {schema}.%I AS RESTRICTIVE FOR DELETE USING ((SELECT {schema}.claim_writes()))', name);
  EXECUTE format('REVOKE ALL ON {schema}.%I FROM PUBLIC, {app}', name);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.%I TO {app}', name);
END $fn$;

REVOKE ALL ON SCHEMA {schema} FROM PUBLIC;
GRANT USAGE ON SCHEMA {schema} TO {app};

DO $do$
DECLARE
  mine   constant text := 'owner_id = (SELECT {schema}.claim_owner()) AND ';
  node   constant text := mine || 'node_id IN (SELECT {schema}.claim_nodes())';
  thing  constant text := mine || '{private}.record_in(owner_id, (SELECT {schema}.claim_bound()), ';
  entity constant text := mine || '{private}.entity_in(owner_id, (SELECT {schema}.claim_bound()), ';
  t      record;
BEGIN
  FOR t IN SELECT * FROM (VALUES
    -- Accounts: of a whole owner, never of a subtree. Credentials are looked up, and other users listed, by the server itself.
    ('owners', 'FALSE'), ('users', 'FALSE'), ('api_keys', 'FALSE'), ('members', 'FALSE'),
    -- The tree: the nodes of the subtree, told by their paths, as a new node is not among the nodes that there are.
    ('nodes', mine || '(path = (SELECT {schema}.claim_root()) OR (path > (SELECT {schema}.claim_root() || ''.'') AND path < (SELECT {schema}.claim_root() || ''/''))
  OR (SELECT {schema}.claim_grantee()) IS NOT NULL AND id IN (SELECT {schema}.claim_nodes()))'),
    -- What was granted: of a whole owner; a grantee reads what is its own, see below.
    ('grants', 'FALSE'),
    -- Records: where they stand.
    ('documents', node), ('memories', node), ('conversations', node), ('messages', node), ('chunks', node), ('old_chunks', node),
    -- What hangs on a record: where that is seen.
    ('contents', thing || '''doc'', document_id)'), ('segments', thing || '''doc'', document_id)'), ('files', thing || '''doc'', document_id)'),
    ('file_events', thing || '''file'', file_id)'), ('memory_sources', thing || '''mem'', memory_id)'),
    -- The graph: an edge is seen where the records at both ends are, and an entity where a mention is, or where nothing mentions it.
    ('edges', mine || '(source_kind = ''ent'' OR {private}.record_in(owner_id, (SELECT {schema}.claim_bound()), source_kind, source_id)) AND (target_kind = ''ent'' OR {private}.record_in(owner_id, (SELECT {schema}.claim_bound()), target_kind, target_id))'),
    ('entities', entity || 'id)'), ('entity_names', entity || 'entity_id)'),
    -- Logs: what was done in the nodes of the subtree, to records that have not left it.
    ('deltas', node || ' AND NOT {private}.record_left(owner_id, (SELECT {schema}.claim_bound()), record_id)'), ('changes', node),
    -- What was done to the security of things: of a whole owner.
    ('audit', 'FALSE'),
    -- Jobs name records and say nothing of them; who may write may ask for work.
    ('jobs', 'owner_id = (SELECT {schema}.claim_owner())'),
    -- The server's own.
    ('settings', 'FALSE'),
    -- Which spaces of vectors there are, and how long the log of changes is, is no secret among those who are let in.
    ('spaces', '(SELECT {schema}.claim_good())'), ('log', '(SELECT {schema}.claim_good())')
  ) AS list (name, rows) LOOP
    PERFORM {private}.protect(t.name, t.rows);
  END LOOP;
  DROP POLICY IF EXISTS claim_mine ON {schema}.grants;
  CREATE POLICY claim_mine ON {schema}.grants FOR SELECT USING (owner_id = (SELECT {schema}.claim_owner()) AND grantee_id = (SELECT {schema}.claim_grantee()));
  FOR t IN SELECT n FROM {schema}.spaces WHERE to_regclass(format('{schema}.%I', 'embeddings_' || n)) IS NOT NULL LOOP
    PERFORM {private}.protect('embeddings_' || t.n, node);
  END LOOP;
  FOR t IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = '{schema}'::regnamespace AND c.relispartition AND c.relkind = 'r' LOOP
    EXECUTE format('REVOKE ALL ON {schema}.%I FROM PUBLIC, {app}', t.relname);
  END LOOP;
END $do$;

-- log_head is how long the log of changes is, which anybody may know who may run it.
CREATE OR REPLACE FUNCTION {schema}.log_head() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = {schema}, pg_temp AS 'SELECT last FROM log';

-- schema_version tells a program that may not change the schema whether it fits.
CREATE OR REPLACE FUNCTION {schema}.schema_version() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = {schema}, pg_temp AS 'SELECT max(version) FROM schema_migrations';

-- The log of changes gets its numbers by number_changes alone.
REVOKE UPDATE, DELETE ON {schema}.changes FROM {app};
REVOKE INSERT, UPDATE, DELETE ON {schema}.log FROM {app};

-- make_space makes the table of the space with a number, if it is not there. It is what the role of the program cannot do itself.
CREATE OR REPLACE FUNCTION {schema}.make_space(n bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $fn$
BEGIN
  IF NOT {schema}.claim_writes() OR n NOT BETWEEN 1 AND 9999 THEN
    RAISE EXCEPTION 'this claim can make no space' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF to_regclass('{schema}.embeddings_' || n) IS NULL THEN
    PERFORM {schema}.embeddings(n);
    PERFORM {private}.protect('embeddings_' || n, 'owner_id = (SELECT {schema}.claim_owner()) AND node_id IN (SELECT {schema}.claim_nodes())');
  END IF;
END $fn$;

-- Functions are for {app} alone, and those that make things for nobody but their owner.
DO $do$
DECLARE
  f record;
BEGIN
  FOR f IN SELECT p.oid::regprocedure AS signature, p.proname AS name, p.pronamespace = '{private}'::regnamespace AS private
  FROM pg_proc p WHERE p.pronamespace IN ('{private}'::regnamespace, '{schema}'::regnamespace) AND p.prokind = 'f' LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC, {app}', f.signature);
    IF NOT f.private OR f.name IN ('record_in', 'record_left', 'entity_in') THEN -- {app} has no way to name these, and policies call them for it
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO {app}', f.signature);
    END IF;
  END LOOP;
END $do$;
