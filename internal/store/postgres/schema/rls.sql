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
  CREATE ROLE {app} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
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

-- claim_owner is whose rows the claim is about; none where it is the server's own, or only about what others have shared.
CREATE OR REPLACE FUNCTION {schema}.claim_owner() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  RETURN CASE WHEN c[5] !~ '[so]' AND c[1] <> '' THEN c[1] END;
END $fn$;

-- claim_whole is the owner all of whose rows the claim sees.
CREATE OR REPLACE FUNCTION {schema}.claim_whole() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  RETURN CASE WHEN c[5] ~ 'w' AND c[5] !~ '[so]' AND c[1] <> '' THEN c[1] END;
END $fn$;

-- claim_system tells whether the claim sees the rows of all owners.
CREATE OR REPLACE FUNCTION {schema}.claim_system() RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  RETURN coalesce(c[5] ~ 's', false);
END $fn$;

-- claim_good tells whether there is a good claim at all, claim_writes whether it may write.
CREATE OR REPLACE FUNCTION {schema}.claim_good() RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  RETURN {private}.claim() IS NOT NULL;
END $fn$;

CREATE OR REPLACE FUNCTION {schema}.claim_writes() RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  RETURN coalesce(c[5] !~ '[ro]', false);
END $fn$;

-- claim_root is the path of the subtree that the claim is bound to; none where it is bound to none.
CREATE OR REPLACE FUNCTION {schema}.claim_root() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  RETURN CASE WHEN c[5] !~ '[swo]' AND c[1] <> '' AND c[3] <> '' THEN c[3] END;
END $fn$;

-- claim_nodes are the nodes whose rows the claim sees, where it does not see all of its owner's. "/" follows ".".
--
-- What others have shared with the claim's grantee (flag o, or beside its own) is to be added here, as a UNION of the nodes that a
-- table of grants names, and with it the owners of these in the policies.
CREATE OR REPLACE FUNCTION {schema}.claim_nodes() RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE ROWS 50 SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  IF c[5] ~ '[swo]' OR c[1] = '' OR c[3] = '' THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT n.id FROM {schema}.nodes n WHERE n.owner_id = c[1] AND (n.path = c[3] OR (n.path > c[3] || '.' AND n.path < c[3] || '/'));
END $fn$;

-- claim_unmentioned tells whether nothing mentions an entity of the claim's owner: it belongs to no node yet, or no longer.
CREATE OR REPLACE FUNCTION {schema}.claim_unmentioned(entity text) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  c text[] := {private}.claim();
BEGIN
  RETURN c[5] !~ '[so]' AND NOT EXISTS (SELECT 1 FROM {schema}.edges w WHERE w.owner_id = c[1] AND w.target_id = entity AND w.type = 'mentions' AND w.gone_at IS NULL);
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
  mine constant text := 'owner_id = (SELECT {schema}.claim_owner()) AND ';
  node constant text := mine || 'node_id IN (SELECT {schema}.claim_nodes())';
  t    record;
BEGIN
  FOR t IN SELECT * FROM (VALUES
    -- Accounts: of a whole owner, never of a subtree. Credentials are looked up, and other users listed, by the server itself.
    ('owners', 'FALSE'), ('users', 'FALSE'), ('api_keys', 'FALSE'),
    -- The tree: the nodes of the subtree, told by their paths, as a new node is not among the nodes that there are.
    ('nodes', mine || '(path = (SELECT {schema}.claim_root()) OR (path > (SELECT {schema}.claim_root() || ''.'') AND path < (SELECT {schema}.claim_root() || ''/'')))'),
    -- Records: where they stand.
    ('documents', node), ('memories', node), ('conversations', node), ('messages', node), ('chunks', node),
    -- What hangs on a record: where that is seen.
    ('contents', mine || 'EXISTS (SELECT 1 FROM {schema}.documents x WHERE x.owner_id = contents.owner_id AND x.id = contents.document_id)'),
    ('segments', mine || 'EXISTS (SELECT 1 FROM {schema}.documents x WHERE x.owner_id = segments.owner_id AND x.id = segments.document_id)'),
    ('files', mine || 'EXISTS (SELECT 1 FROM {schema}.documents x WHERE x.owner_id = files.owner_id AND x.id = files.document_id)'),
    ('file_events', mine || 'EXISTS (SELECT 1 FROM {schema}.files x WHERE x.owner_id = file_events.owner_id AND x.id = file_events.file_id)'),
    ('memory_sources', mine || 'EXISTS (SELECT 1 FROM {schema}.memories x WHERE x.owner_id = memory_sources.owner_id AND x.id = memory_sources.memory_id)'),
    -- The graph: an edge is seen where the records at both ends are; an entity has no node, and is seen where a mention is, or where
    -- nothing mentions it.
    ('edges', mine || (SELECT string_agg(format('CASE %1$s_kind WHEN ''doc'' THEN EXISTS (SELECT 1 FROM {schema}.documents x WHERE x.owner_id = edges.owner_id AND x.id = %1$s_id)
  WHEN ''mem'' THEN EXISTS (SELECT 1 FROM {schema}.memories x WHERE x.owner_id = edges.owner_id AND x.id = %1$s_id)
  WHEN ''msg'' THEN EXISTS (SELECT 1 FROM {schema}.messages x WHERE x.owner_id = edges.owner_id AND x.id = %1$s_id)
  WHEN ''conv'' THEN EXISTS (SELECT 1 FROM {schema}.conversations x WHERE x.owner_id = edges.owner_id AND x.id = %1$s_id)
  WHEN ''node'' THEN EXISTS (SELECT 1 FROM {schema}.nodes x WHERE x.owner_id = edges.owner_id AND x.id = %1$s_id)
  ELSE %1$s_kind = ''ent'' END', side), ' AND ') FROM unnest(ARRAY['source', 'target']) side)),
    ('entities', mine || '(EXISTS (SELECT 1 FROM {schema}.edges x WHERE x.owner_id = entities.owner_id AND x.target_id = entities.id AND x.type = ''mentions'' AND x.gone_at IS NULL)
  OR {schema}.claim_unmentioned(id))'),
    ('entity_names', mine || 'EXISTS (SELECT 1 FROM {schema}.entities x WHERE x.owner_id = entity_names.owner_id AND x.id = entity_names.entity_id)'),
    -- Logs: what was done in the nodes of the subtree.
    ('deltas', node), ('changes', node),
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
  FOR t IN SELECT n FROM {schema}.spaces WHERE to_regclass(format('{schema}.%I', 'embeddings_' || n)) IS NOT NULL LOOP
    PERFORM {private}.protect('embeddings_' || t.n, node);
  END LOOP;
  FOR t IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = '{schema}'::regnamespace AND c.relispartition AND c.relkind = 'r' LOOP
    EXECUTE format('REVOKE ALL ON {schema}.%I FROM PUBLIC, {app}', t.relname);
  END LOOP;
END $do$;

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
  FOR f IN SELECT p.oid::regprocedure AS signature, p.pronamespace = '{private}'::regnamespace AS private
  FROM pg_proc p WHERE p.pronamespace IN ('{private}'::regnamespace, '{schema}'::regnamespace) AND p.prokind = 'f' LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC, {app}', f.signature);
    IF NOT f.private THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO {app}', f.signature);
    END IF;
  END LOOP;
END $do$;
