package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// guarded is a database of its own with the rows of two owners, and a role that may log in and do what the program's role may.
type guarded struct {
	admin, app *pg.Pool
	key        []byte
}

const guardSchema = "guard"

func guard(t testing.TB) *guarded {
	t.Helper()
	address := os.Getenv("LUKASA_TEST_POSTGRES")
	if address == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	ctx := t.Context()
	name := "guard_" + strings.ToLower(rand.Text()[:12])
	server := pool(t, pg.Options{URL: address, MaxConns: 1})
	outside(t, server, "CREATE DATABASE "+name)
	login := name + "_login"
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	g := &guarded{key: []byte(rand.Text())}
	t.Cleanup(func() {
		for _, p := range []*pg.Pool{g.admin, g.app} {
			if p != nil {
				p.Close()
			}
		}
		outside(t, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
		outside(t, server, "DROP ROLE IF EXISTS "+login)
	})
	g.admin = pool(t, pg.Options{URL: u.String(), MaxConns: 2})
	steps, err := pg.Steps(schemaFiles, "schema/0*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := pg.Migrate(ctx, g.admin, pg.Schema{Name: guardSchema, Steps: steps, Always: parts(guardSchema, g.key)}); err != nil {
		t.Fatal(err)
	}
	g.must(t, "CREATE ROLE "+login+" LOGIN IN ROLE "+appRole(guardSchema))
	u.User = url.User(login)
	g.app = pool(t, pg.Options{URL: u.String(), MaxConns: 2})
	g.must(t, "SELECT set_config('lukasa.claim', "+pg.Text(g.sign(pg.Claim{System: true}))+", true); SET LOCAL search_path = "+guardSchema+"; SELECT make_space(1); "+guardRows)
	return g
}

func pool(t testing.TB, o pg.Options) *pg.Pool {
	t.Helper()
	p, err := pg.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// outside runs a statement that cannot be part of a transaction.
func outside(t testing.TB, p *pg.Pool, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	if err := p.Write(ctx, "", func(c *pg.Conn) error {
		return errors.Join(c.Script(ctx, "COMMIT"), c.Script(ctx, sql), c.Script(ctx, "BEGIN"))
	}); err != nil {
		t.Errorf("%s: %v", sql, err)
	}
}

// must runs statements as the owner of the schema.
func (g *guarded) must(t testing.TB, sql string) {
	t.Helper()
	if err := g.admin.Write(t.Context(), "", func(c *pg.Conn) error { return c.Script(t.Context(), sql) }); err != nil {
		t.Fatal(err)
	}
}

func (g *guarded) sign(c pg.Claim) string {
	if c.Expires.IsZero() {
		c.Expires = time.Now().Add(time.Minute)
	}
	return pg.Sign(g.key, c)
}

// as runs fn as the program's role with a claim.
func (g *guarded) as(t testing.TB, claim string, fn func(c *pg.Conn) error) error {
	t.Helper()
	prelude := "SET LOCAL search_path = " + guardSchema + "; SET LOCAL lukasa.moment = '9000000000000000'"
	if claim != "" {
		prelude += "; SET LOCAL lukasa.claim = " + pg.Text(claim)
	}
	return g.app.Write(t.Context(), prelude, fn)
}

// guardRows are one row of each table for each of: owner A in node a.b, A in node c, and B. Their ids end in 1, 2 and 3.
const guardRows = `
CREATE TEMP TABLE who (k text, o text, node text, path text, parent text, depth int);
INSERT INTO who VALUES ('1', 'A', 'node_ab', 'a.b', 'node_a', 2), ('2', 'A', 'node_c', 'c', 'node_rA', 1), ('3', 'B', 'node_rB', '', NULL, 0);
INSERT INTO owners SELECT o, NULL, 1 FROM (VALUES ('A'), ('B')) v (o);
INSERT INTO users SELECT owner_id, '', '', '', '', NULL, 1 FROM owners;
INSERT INTO api_keys SELECT owner_id, 'key', '', '', '', '', 0, 0, 1, NULL, NULL, NULL, owner_id::bytea FROM owners;
INSERT INTO members SELECT owner_id, 'usr_1', 'owner', '', 1, 1 FROM owners;
INSERT INTO nodes (owner_id, id, parent_id, path, name, type, depth, description, created_at, updated_at) VALUES
 ('A', 'node_rA', NULL, '', '', '', 0, '', 1, 1), ('A', 'node_a', 'node_rA', 'a', '', '', 1, '', 1, 1);
INSERT INTO nodes (owner_id, id, parent_id, path, name, type, depth, description, created_at, updated_at) SELECT o, node, parent, path, '', '', depth, '', 1, 1 FROM who;
INSERT INTO documents (owner_id, id, node_id, title, title_fold, content_type, language, category, summary, source_url, custom_id, origin, content_hash, size, status, reason,
 version, previous_id, is_latest, created_at, updated_at, access_count) SELECT o, 'doc_' || k, node, '', '', '', '', '', '', '', '', '', '', 0, '', '', 1, '', 1, 1, 1, 0 FROM who;
INSERT INTO contents SELECT o, 'doc_' || k, 'secret of ' || k FROM who;
INSERT INTO conversations (owner_id, id, node_id, external_id, document_id, created_at, updated_at) SELECT o, 'conv_' || k, node, '', '', 1, 1 FROM who;
INSERT INTO messages (owner_id, id, conversation_id, document_id, node_id, external_id, seq, role, speaker, session, content, created_at)
 SELECT o, 'msg_' || k, 'conv_' || k, 'doc_' || k, node, '', 1, '', '', '', '', 1 FROM who;
INSERT INTO chunks (owner_id, id, document_id, message_id, node_id, seq, start_at, end_at, line_from, line_to, page, kind, symbol, content)
 SELECT o, 'chk_' || k, 'doc_' || k, '', node, 0, 0, 0, 0, 0, 0, '', '', '' FROM who;
INSERT INTO old_chunks (owner_id, id, document_id, message_id, node_id, seq, start_at, end_at, line_from, line_to, page, kind, symbol, content, place, gone_at)
 SELECT o, 'chk_0' || k, 'doc_' || k, '', node, 0, 0, 0, 0, 0, 0, '', '', '', '', 9100000000000000 FROM who;
INSERT INTO embeddings_1 SELECT o, 'chk_' || k, node, '\x00' FROM who;
INSERT INTO spaces (n, space, created_at) VALUES (1, 'space', 1);
INSERT INTO memories (owner_id, id, node_id, kind, content, slot, value, subject, confidence, origin, extractor, is_latest, retired_by, reason, recorded_at, updated_at)
 SELECT o, 'mem_' || k, node, '', '', '', '', '', 1, '', '', 1, '', '', 1, 1 FROM who;
INSERT INTO memory_sources SELECT o, 'mem_' || k, 1, '', '', 0, 0, '' FROM who;
INSERT INTO segments SELECT o, 'doc_' || k, 'conv_' || k, '', '', '', '', '', '', '', '', 0, 0, 0, 0, NULL, NULL, 1, 1, 1, NULL FROM who;
INSERT INTO files (owner_id, id, document_id, role, name, type, size, sealed_size, blob, sha256, created_at) SELECT o, 'file_' || k, 'doc_' || k, '', '', '', 0, 0, '', '', 1 FROM who;
INSERT INTO file_events (owner_id, file_id, from_state, to_state, cause, size_before, size_after, error, at) SELECT o, 'file_' || k, '', '', '', 0, 0, '', 1 FROM who;
INSERT INTO entities (owner_id, id, kind, name, name_fold, created_at, updated_at, known_at) SELECT o, 'ent_' || k, '', '', k, 1, 1, 1 FROM who;
INSERT INTO entity_names SELECT o, k, 'ent_' || k FROM who;
INSERT INTO edges (owner_id, source_id, target_id, type, source_kind, target_kind, weight, confidence, created_at, known_at)
 SELECT o, 'doc_' || k, 'ent_' || k, 'mentions', 'doc', 'ent', 1, 1, 1, 1 FROM who;
INSERT INTO edges (owner_id, source_id, target_id, type, source_kind, target_kind, weight, confidence, created_at, known_at)
 VALUES ('A', 'mem_1', 'doc_2', 'across', 'mem', 'doc', 1, 1, 1, 1);
INSERT INTO deltas SELECT o, row_number() OVER (), 'dlt_' || k, 'doc_' || k, node, 'update', '{}', '{}', '', '', 1, '\x', '\x' FROM who;
INSERT INTO changes (owner_id, node_id, entry_id, type, removed) SELECT o, node, 'chk_' || k, '', 0 FROM who;
INSERT INTO audit (owner_id, actor_id, action, resource, address, at) SELECT o, '', '', '', '', 1 FROM who;
INSERT INTO jobs SELECT 'job_' || k, o, '', 'doc_' || k, 0, 0, 0, 0, 0, '', 0, 1 FROM who;
INSERT INTO grants SELECT o, 'grant_' || k, node, 'node_ab', '', 'read', 1, NULL, NULL FROM who;
INSERT INTO settings VALUES ('name', 'value');
DROP TABLE who;
`

// tables lists the tables of the schema and the views of a moment.
func (g *guarded) tables(t *testing.T) (list []string) {
	t.Helper()
	err := g.admin.Read(t.Context(), "", func(c *pg.Conn) error {
		return c.Each(t.Context(), `SELECT table_schema || '.' || table_name FROM information_schema.tables JOIN pg_class k ON k.oid = (table_schema || '.' || table_name)::regclass
WHERE table_schema IN ('guard', 'guard_past') AND NOT k.relispartition ORDER BY 1`, nil, func(r sqlrows.Row) error {
			list = append(list, r.Text(0))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 40 {
		t.Fatalf("there are %d tables and views only: %v", len(list), list)
	}
	return list
}

// sees counts the rows of each table that a claim sees, -1 where it may not even ask.
func (g *guarded) sees(t *testing.T, claim string) map[string]int {
	t.Helper()
	found := make(map[string]int)
	for _, table := range g.tables(t) {
		n := -1
		err := g.as(t, claim, func(c *pg.Conn) error {
			return c.Each(t.Context(), "SELECT count(*) FROM "+table, nil, func(r sqlrows.Row) error { n = r.Int(0); return nil })
		})
		if err != nil && !pg.IsDenied(err) {
			t.Errorf("%s: %v", table, err)
		}
		if name, ok := strings.CutPrefix(table, "guard."); ok || n != 0 {
			found[name] = n
		}
	}
	return found
}

// kept are tables that the program's role has no business with.
var kept = map[string]int{"schema_migrations": -1, "schema_parts": -1}

// Without a good claim there are no rows, in no table and in no view.
func TestNoClaimNoRows(t *testing.T) { // N-15
	t.Parallel()
	g := guard(t)
	good := g.sign(pg.Claim{Owner: "A", Whole: true})
	subtree := g.sign(pg.Claim{Owner: "A", Root: "a"})
	at := fmt.Sprint(time.Now().Add(time.Hour).UnixMilli())
	for name, claim := range map[string]string{
		"unset": "", "no claim": "owner=A", "forged": pg.Sign([]byte("another key"), pg.Claim{Owner: "A", Whole: true, System: true, Expires: time.Now().Add(time.Hour)}),
		"with the key of nothing": pg.Sign(nil, pg.Claim{System: true, Expires: time.Now().Add(time.Hour)}),
		"expired":                 g.sign(pg.Claim{Owner: "A", Whole: true, System: true, Expires: time.Now().Add(-time.Second)}),
		"another owner":           strings.Replace(good, "|A|", "|B|", 1), "more flags": strings.Replace(good, "|w|", "|sw|", 1), "the whole tree": strings.Replace(subtree, "||", "|w|", 1),
		"another root": strings.Replace(subtree, "|a|", "|c|", 1), "without a signature": good[:strings.LastIndex(good, "|")+1], "with half a signature": good[:len(good)-1],
		"without a bar": good[:strings.LastIndex(good, "|")], "another version": strings.Replace(good, "v1", "v2", 1), "in capitals": strings.ToUpper(good),
		"one field more": good + "|x", "expiry moved": strings.Replace(good, strings.Split(good, "|")[6], at, 1), "long": strings.Repeat("|", 100_000),
		"outside": g.sign(pg.Claim{Owner: "A", Grantee: "B", Outside: true}), "no owner": g.sign(pg.Claim{Whole: true}), "neither whole nor root": g.sign(pg.Claim{Owner: "A"}),
	} {
		for table, n := range g.sees(t, claim) {
			_, closed := kept[table]
			good := name == "outside" || name == "no owner" || name == "neither whole nor root" // signed, and about nothing
			if n > 0 && good && (table == "spaces" || table == "log" || (table == "jobs" && name == "neither whole nor root")) {
				continue
			}
			if closed != (n < 0) || n > 0 {
				t.Errorf("%s: %s shows %d rows", name, table, n)
			}
		}
		err := g.as(t, claim, func(c *pg.Conn) error {
			_, err := c.Exec(t.Context(), "INSERT INTO owners (owner_id, created_at) VALUES (?1, 1)", []any{"X" + rand.Text()})
			return err
		})
		if !pg.IsDenied(err) {
			t.Errorf("%s: it may write: %v", name, err)
		}
	}
}

func TestClaimsSee(t *testing.T) { // N-15
	t.Parallel()
	g := guard(t)
	of := func(n int, more map[string]int) map[string]int {
		m := maps.Clone(kept)
		for _, table := range g.tables(t) {
			if name, ok := strings.CutPrefix(table, "guard."); ok && m[name] == 0 {
				m[name] = n
			}
		}
		maps.Copy(m, more)
		return m
	}
	common := map[string]int{"spaces": 1, "log": 1, "settings": 0}
	with := func(more map[string]int) map[string]int {
		m := maps.Clone(common)
		maps.Copy(m, more)
		return m
	}
	for name, c := range map[string]struct {
		claim pg.Claim
		want  map[string]int
	}{
		"A":           {pg.Claim{Owner: "A", Whole: true}, of(2, with(map[string]int{"owners": 1, "users": 1, "api_keys": 1, "members": 1, "nodes": 4, "edges": 3}))},
		"A, reading":  {pg.Claim{Owner: "A", Whole: true, ReadOnly: true}, of(2, with(map[string]int{"owners": 1, "users": 1, "api_keys": 1, "members": 1, "nodes": 4, "edges": 3}))},
		"B":           {pg.Claim{Owner: "B", Whole: true}, of(1, common)},
		"a of A":      {pg.Claim{Owner: "A", Root: "a"}, of(1, with(map[string]int{"owners": 0, "users": 0, "api_keys": 0, "members": 0, "audit": 0, "grants": 0, "nodes": 2, "jobs": 2}))},
		"c of A":      {pg.Claim{Owner: "A", Root: "c"}, of(1, with(map[string]int{"owners": 0, "users": 0, "api_keys": 0, "members": 0, "audit": 0, "grants": 0, "jobs": 2}))},
		"none of A":   {pg.Claim{Owner: "A", Root: "a.bb"}, of(0, with(map[string]int{"jobs": 2}))},
		"persona":     {pg.Claim{Owner: "A", Root: "a", Grantee: "node_ab"}, of(2, with(map[string]int{"owners": 0, "users": 0, "api_keys": 0, "members": 0, "audit": 0, "nodes": 3, "edges": 3}))},
		"third party": {pg.Claim{Owner: "A", Root: "!", Grantee: "node_ab", ReadOnly: true}, of(2, with(map[string]int{"owners": 0, "users": 0, "api_keys": 0, "members": 0, "audit": 0, "edges": 3}))},
		"a of B":      {pg.Claim{Owner: "B", Root: "a"}, of(0, with(map[string]int{"jobs": 1}))},
		"the server":  {pg.Claim{System: true}, of(3, map[string]int{"owners": 2, "users": 2, "api_keys": 2, "members": 2, "nodes": 5, "edges": 4, "spaces": 1, "log": 1, "settings": 1})},
		"odd, of A|%": {pg.Claim{Owner: "A|%", Whole: true}, of(0, common)},
	} {
		t.Run(name, func(t *testing.T) {
			got := g.sees(t, g.sign(c.claim))
			for _, table := range slices.Sorted(maps.Keys(got)) {
				want, ok := c.want[table]
				if view, past := strings.CutPrefix(table, "guard_past."); past {
					view = strings.TrimSuffix(strings.TrimSuffix(view, "_then"), "_cut")
					want, ok = c.want[view], true
				}
				if !ok || got[table] != want {
					t.Errorf("%s shows %d rows, want %d", table, got[table], want)
				}
			}
		})
	}
}

// errTry takes back what was tried.
var errTry = errors.New("only a try")

// What a claim does not see it cannot write, move or take away, and one that reads writes nothing.
func TestClaimsWrite(t *testing.T) {
	t.Parallel()
	g := guard(t)
	a := g.sign(pg.Claim{Owner: "A", Whole: true})
	tree := g.sign(pg.Claim{Owner: "A", Root: "a"})
	reads := g.sign(pg.Claim{Owner: "A", Whole: true, ReadOnly: true})
	for _, c := range []struct {
		claim, sql string
		want       int64 // rows changed, -1 for refused
	}{
		{a, "UPDATE documents SET title = 'x'", 2},
		{a, "UPDATE documents SET owner_id = 'B', node_id = 'node_rB' WHERE id = 'doc_1'", -1},
		{a, "DELETE FROM chunks", 2},
		{a, "DELETE FROM chunks WHERE owner_id = 'B'", 0},
		{tree, "DELETE FROM old_chunks", 1},
		{a, "INSERT INTO contents VALUES ('B', 'doc_9', '')", -1},
		{a, "INSERT INTO memory_sources VALUES ('A', 'mem_1', 2, '', '', 0, 0, '')", 1},
		{a, "INSERT INTO settings VALUES ('a', 'b')", -1},
		{a, "INSERT INTO jobs VALUES ('job_9', 'B', 'k', 'doc_3', 0, 0, 0, 0, 0, '', 0, 1)", -1},
		{a, "INSERT INTO jobs VALUES ('job_9', 'A', '', 'doc_1', 0, 0, 0, 0, 0, '', 0, 1) ON CONFLICT (owner_id, kind, record_id) WHERE dead = 0 AND running = 0 DO NOTHING", 0},
		{a, "UPDATE changes SET seq = 1", -1},
		{a, "UPDATE log SET last = 9", -1},
		{a, "DELETE FROM deltas", -1}, // its owner is there
		{a, "UPDATE deltas SET before = NULL, after = NULL, reason = ''", 2},
		{a, "UPDATE audit SET action = 'x'", -1},
		{a, "SELECT make_space(2)", 1},
		{a, "SELECT make_space(1)", 1},
		{tree, "UPDATE documents SET title = 'x'", 1},
		{tree, "UPDATE documents SET node_id = 'node_c'", -1},
		{tree, "UPDATE documents SET node_id = 'node_a'", 1},
		{tree, "DELETE FROM embeddings_1", 1},
		{tree, "INSERT INTO embeddings_1 VALUES ('A', 'chk_9', 'node_c', '')", -1},
		{tree, "INSERT INTO embeddings_1 VALUES ('A', 'chk_9', 'node_a', '')", 1},
		{tree, "INSERT INTO contents VALUES ('A', 'doc_2', '') ON CONFLICT (owner_id, document_id) DO UPDATE SET content = ''", -1},
		{tree, "INSERT INTO contents VALUES ('A', 'doc_1', '') ON CONFLICT (owner_id, document_id) DO UPDATE SET content = ''", 1},
		{tree, "INSERT INTO nodes (owner_id, id, parent_id, path, name, type, depth, description, created_at, updated_at) VALUES ('A', 'node_n', 'node_rA', 'aa', '', '', 1, '', 1, 1)", -1},
		{tree, "INSERT INTO nodes (owner_id, id, parent_id, path, name, type, depth, description, created_at, updated_at) VALUES ('A', 'node_n', 'node_a', 'a.n', '', '', 2, '', 1, 1)", 1},
		{tree, "UPDATE nodes SET path = 'd' WHERE id = 'node_ab'", -1},
		{tree, "INSERT INTO entities (owner_id, id, kind, name, name_fold, created_at, updated_at, known_at) VALUES ('A', 'ent_9', '', '', '9', 1, 1, 1) ON CONFLICT (owner_id, id) DO UPDATE SET name = ''", 1},
		{tree, "UPDATE entities SET name = 'x'", 1},
		{tree, "UPDATE edges SET gone_at = 5", 1},
		{tree, "INSERT INTO edges (owner_id, source_id, target_id, type, source_kind, target_kind, weight, confidence, created_at, known_at) VALUES ('A', 'mem_1', 'mem_2', 't', 'mem', 'mem', 1, 1, 1, 1)", -1},
		{tree, "DELETE FROM users", 0},
		{reads, "UPDATE documents SET title = 'x'", 0},
		{reads, "DELETE FROM documents", 0},
		{reads, "INSERT INTO jobs VALUES ('job_9', 'A', 'k', 'doc_1', 0, 0, 0, 0, 0, '', 0, 1)", -1},
		{reads, "SELECT make_space(3)", -1},
	} {
		var n int64
		err := g.as(t, c.claim, func(conn *pg.Conn) (err error) {
			if n, err = conn.Exec(t.Context(), c.sql, nil); err == nil {
				err = errTry
			}
			return err
		})
		refused := !errors.Is(err, errTry)
		if refused && c.want >= 0 {
			t.Errorf("%s: %v", c.sql, err)
		} else if !refused && n != c.want {
			t.Errorf("%s changed %d rows, want %d", c.sql, n, c.want)
		}
		if refused && !pg.IsDenied(err) && pg.Code(err) != pg.CodeRaised {
			t.Errorf("%s: %v", c.sql, err)
		}
	}
}

// Who runs statements as the program's role cannot get around the policies, nor at the key.
func TestRoleIsShutIn(t *testing.T) {
	t.Parallel()
	g := guard(t)
	claim := g.sign(pg.Claim{Owner: "A", Whole: true})
	for _, sql := range []string{
		"SELECT * FROM guard_private.claim_key", "SELECT guard_private.claim()", "UPDATE guard_private.claim_key SET inner_pad = outer_pad",
		"CREATE OR REPLACE FUNCTION guard.claim_owner() RETURNS text LANGUAGE sql AS $$ SELECT 'B' $$", "CREATE FUNCTION guard.f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$",
		"ALTER FUNCTION guard.claim_owner() VOLATILE", "DROP FUNCTION guard.claim_owner()", "CREATE TABLE guard.t (n int)", "CREATE TABLE guard_past.t (n int)", "CREATE TABLE guard_private.t (n int)",
		"CREATE SCHEMA other", "DROP POLICY claim ON guard.documents", "CREATE POLICY all_of_it ON guard.documents USING (true)", "ALTER TABLE guard.documents DISABLE ROW LEVEL SECURITY",
		"ALTER TABLE guard.documents NO FORCE ROW LEVEL SECURITY", "TRUNCATE guard.documents CASCADE", "SELECT * FROM guard.documents_p0", "SELECT * FROM guard.contents_p3", "SELECT * FROM guard.embeddings_1_p1",
		"SET ROLE lukasa", "SET SESSION AUTHORIZATION lukasa", "ALTER ROLE guard_app BYPASSRLS", "SET session_replication_role = 'replica'", "ALTER TABLE guard.deltas DISABLE TRIGGER ALL",
		"CREATE TRIGGER t BEFORE INSERT ON guard.documents FOR EACH ROW EXECUTE FUNCTION guard.log_stays('x')", "COPY guard.documents TO PROGRAM 'cat'", "COPY guard_private.claim_key TO STDOUT",
		"SELECT guard_private.protect('documents', 'TRUE')", "ALTER VIEW guard_past.documents SET (security_invoker = false)", "COMMENT ON TABLE guard.documents IS 'x'",
		"SELECT pg_read_file('/etc/passwd')", "INSERT INTO guard.schema_migrations VALUES (9, '', '', 0)",
	} {
		err := g.as(t, claim, func(c *pg.Conn) error { return c.Script(t.Context(), sql) })
		if !pg.IsDenied(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	// These do not fail, and do not help.
	for _, before := range []string{
		"SET LOCAL row_security = on", "RESET ROLE", "SET ROLE guard_app", "SET LOCAL search_path = pg_temp, guard; CREATE TEMP TABLE claim_key (one bool, inner_pad bytea, outer_pad bytea)",
		`SET LOCAL search_path = pg_temp, guard; CREATE TEMP TABLE nodes (owner_id text, id text, path text); INSERT INTO nodes VALUES ('A', 'node_rB', 'a')`,
		"CREATE FUNCTION pg_temp.claim_owner() RETURNS text LANGUAGE sql AS $$ SELECT 'B' $$; SET LOCAL search_path = pg_temp, guard",
		"CREATE FUNCTION pg_temp.tell(o text, t text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN IF o = 'B' THEN RAISE EXCEPTION 'seen %', t USING ERRCODE = '22000'; END IF; RETURN true; END $$",
	} {
		for _, claim := range []string{claim, g.sign(pg.Claim{Owner: "A", Root: "a"})} {
			others := -1
			cond := ""
			if strings.Contains(before, "tell") {
				cond = " AND pg_temp.tell(owner_id, content)" // a function that is asked first would see rows before the policy
			}
			err := g.as(t, claim, func(c *pg.Conn) error {
				if err := c.Script(t.Context(), before); err != nil {
					return err
				}
				if err := c.Each(t.Context(), "SELECT count(*) FILTER (WHERE owner_id <> 'A' OR document_id = 'doc_3') FROM guard.contents WHERE TRUE"+cond, nil, func(r sqlrows.Row) error { others = r.Int(0); return nil }); err != nil {
					return err
				}
				return errTry
			})
			if !errors.Is(err, errTry) || others != 0 {
				t.Errorf("%s: shows %d rows of others, %v", before, others, err)
			}
		}
	}
	// Without policies the row_security setting would be an error, not a way.
	if err := g.as(t, claim, func(c *pg.Conn) error {
		return c.Script(t.Context(), "SET LOCAL row_security = off; SELECT * FROM guard.documents")
	}); !pg.IsDenied(err) {
		t.Errorf("row_security = off: %v", err)
	}
}

// Every table is behind policies, the role has no more rights than it needs, and definer functions have a fixed search path.
func TestNothingIsLeftOpen(t *testing.T) {
	t.Parallel()
	g := guard(t)
	for what, sql := range map[string]string{
		"a table without policies": `SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'guard'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
 AND c.relname NOT IN ('schema_migrations', 'schema_parts') AND (NOT c.relrowsecurity OR (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid) <> CASE c.relname WHEN 'grants' THEN 5 ELSE 4 END)`,
		"a right too many": `SELECT c.relname || ' ' || a.privilege_type FROM pg_class c, aclexplode(c.relacl) a WHERE c.relnamespace IN ('guard'::regnamespace, 'guard_private'::regnamespace, 'guard_past'::regnamespace)
 AND a.grantee <> c.relowner AND NOT (a.grantee = 'guard_app'::regrole AND (a.privilege_type = 'SELECT' AND NOT c.relispartition AND c.relnamespace <> 'guard_private'::regnamespace
 OR a.privilege_type IN ('INSERT', 'UPDATE', 'DELETE') AND NOT c.relispartition AND c.relnamespace = 'guard'::regnamespace))`,
		"a definer's function without a search path": `SELECT p.proname::text FROM pg_proc p WHERE p.pronamespace IN ('guard'::regnamespace, 'guard_private'::regnamespace, 'guard_past'::regnamespace)
 AND p.prosecdef AND NOT EXISTS (SELECT 1 FROM unnest(p.proconfig) s WHERE s LIKE 'search_path=%pg_temp')`,
		"a function for everyone": `SELECT p.proname::text FROM pg_proc p WHERE p.pronamespace IN ('guard'::regnamespace, 'guard_private'::regnamespace)
 AND (p.proacl IS NULL OR EXISTS (SELECT 1 FROM aclexplode(p.proacl) a WHERE a.grantee = 0))`,
		"a view that is not the asker's": `SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'guard_past'::regnamespace AND c.relkind = 'v' AND NOT 'security_invoker=true' = ANY (c.reloptions)`,
		"a role with powers":             `SELECT rolname::text FROM pg_roles WHERE rolname LIKE 'guard%' AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication)`,
	} {
		err := g.admin.Read(t.Context(), "", func(c *pg.Conn) error {
			return c.Each(t.Context(), sql, nil, func(r sqlrows.Row) error { t.Errorf("%s: %s", what, r.Text(0)); return nil })
		})
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
