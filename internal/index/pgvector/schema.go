package pgvector

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

var (
	//go:embed schema.sql
	schemaSQL string
	//go:embed policies.sql
	policiesSQL string
)

// layout is raised when the tables, or what stands in them for the same entry, come to be another.
const layout = 6

// What pgvector keeps, and what it makes an index of.
const (
	maxDim     = 16_000
	maxVector  = 2000 // dimensions of 4 bytes in an index
	maxHalfvec = 4000 // of 2 bytes
)

// prepareLock is the key of the advisory lock under which tables are made.
const prepareLock = 0x6c756b697864

// idleGeneration is after how long tables that nobody has used are dropped.
const idleGeneration = "1 day"

// generation is a set of tables.
type generation struct {
	n         int
	extension string // the schema that pgvector is in
	kind      string // vector or halfvec; "" without vectors
	near      bool   // the index of vectors is there

	nodes, entries, postings, terms string
}

// mark is what tables are made for.
func (o Options) mark() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%d\x00%v", layout, o.Space, o.Dim, len(o.Key) > 0))
	return hex.EncodeToString(sum[:16])
}

// kindOf is the type that vectors of a length are kept as.
func kindOf(dim int) string {
	switch {
	case dim == 0:
		return ""
	case dim > maxVector && dim <= maxHalfvec:
		return "halfvec"
	}
	return "vector"
}

// lockOf is the number of one of the index's locks.
func (o Options) lockOf(names ...string) int64 {
	h := fnv.New64a()
	h.Write([]byte(o.Schema + "_index\x00" + o.mark()))
	for _, s := range names {
		h.Write([]byte("\x00" + s))
	}
	return int64(h.Sum64())
}

// prepare finds the tables, or makes them, as the role that owns the schema.
func prepare(ctx context.Context, o Options) (g generation, err error) {
	address := o.Admin
	if address == "" {
		address = o.URL
	}
	admin, err := pg.Open(ctx, pg.Options{URL: address, MaxConns: 1, Mode: pg.Pooled, Patience: o.Patience})
	if err != nil {
		return g, err
	}
	defer admin.Close()
	prelude := fmt.Sprintf("SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(%d)", prepareLock)
	err = admin.Write(ctx, prelude, func(c *pg.Conn) error {
		g = generation{kind: kindOf(o.Dim)}
		return g.open(ctx, c, o)
	})
	return g, err
}

func (g *generation) open(ctx context.Context, c *pg.Conn, o Options) error {
	if err := g.findExtension(ctx, c); err != nil {
		return err
	}
	schema := pg.Name(o.Schema + "_index")
	there, err := has(ctx, c, "SELECT 1 FROM pg_namespace WHERE nspname = ?1", o.Schema+"_index")
	if err != nil {
		return err
	}
	sql := "SET LOCAL search_path = " + schema + ", " + pg.Name(g.extension) + ";\n"
	if !there {
		sql = "CREATE SCHEMA " + schema + ";\n" + sql + `CREATE TABLE generations (
  n INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, mark TEXT NOT NULL UNIQUE, position BIGINT NOT NULL DEFAULT 0, used_at TIMESTAMPTZ NOT NULL DEFAULT now());` + makeNearSQL(schema, g.extension)
	}
	if err := c.Script(ctx, sql); err != nil {
		return err
	}
	if err := g.dropIdle(ctx, c, o); err != nil {
		return err
	}
	find := func() error {
		return c.Each(ctx, "UPDATE generations SET used_at = now() WHERE mark = ?1 RETURNING n", []any{o.mark()}, func(r sqlrows.Row) error { g.n = r.Int(0); return nil })
	}
	if err := find(); err != nil {
		return err
	}
	if g.n == 0 {
		if _, err := c.Exec(ctx, "INSERT INTO generations (mark) VALUES (?1)", []any{o.mark()}); err != nil {
			return err
		}
		if err := find(); err != nil {
			return err
		}
		if err := c.Script(ctx, g.tables(o)); err != nil {
			return err
		}
	}
	n := itoa(g.n)
	g.nodes, g.entries, g.postings, g.terms = "nodes_"+n, "entries_"+n, "postings_"+n, "terms_"+n
	g.near, err = has(ctx, c, "SELECT 1 WHERE to_regclass(?1) IS NOT NULL", g.entries+"_near")
	return err
}

// tables is the script that makes a generation.
func (g *generation) tables(o Options) string {
	kind := "TEXT"
	if g.kind != "" {
		kind = fmt.Sprintf("%s(%d)", g.kind, o.Dim)
	}
	sql := schemaSQL
	if len(o.Key) > 0 {
		sql += policiesSQL
	}
	return strings.NewReplacer("{n}", itoa(g.n), "{vector}", kind, "{schema}", pg.Name(o.Schema), "{index}", pg.Name(o.Schema+"_index"), "{app}", pg.Name(o.Schema+"_app")).Replace(sql)
}

// makeNearSQL is the function that makes the index of vectors, which the role of the program may not do itself.
func makeNearSQL(schema, extension string) string {
	return `CREATE FUNCTION make_near(g INTEGER) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = ` + schema + `, ` + pg.Name(extension) + `, pg_temp AS $fn$
DECLARE
  kind TEXT := (SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = to_regclass('entries_' || g) AND attname = 'v');
  dim  INTEGER := (SELECT atttypmod FROM pg_attribute WHERE attrelid = to_regclass('entries_' || g) AND attname = 'v');
BEGIN
  kind := regexp_replace(kind, '^.*\.', '');
  IF NOT coalesce((kind = 'vector' AND dim <= ` + itoa(maxVector) + `) OR (kind = 'halfvec' AND dim <= ` + itoa(maxHalfvec) + `), FALSE) THEN
    RETURN FALSE;
  END IF;
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw (v %s_ip_ops)', 'entries_' || g || '_near', 'entries_' || g, kind);
  RETURN TRUE;
END $fn$;
REVOKE ALL ON FUNCTION make_near(INTEGER) FROM PUBLIC;`
}

// findExtension makes sure that pgvector is there, and new enough.
func (g *generation) findExtension(ctx context.Context, c *pg.Conn) error {
	version := ""
	find := func() error {
		return c.Each(ctx, "SELECT x.extversion, n.nspname FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'vector'", nil, func(r sqlrows.Row) error {
			version, g.extension = r.Text(0), r.Text(1)
			return nil
		})
	}
	if err := find(); err != nil {
		return err
	}
	if version == "" {
		if err := c.Script(ctx, "CREATE EXTENSION vector"); err != nil {
			return &lukasa.Error{
				Code: lukasa.CodeInvalid, Field: "index.provider", Msg: "is pgvector, which this PostgreSQL server does not have, or may not be added by this role",
				Hint: "install pgvector 0.8 or later and run CREATE EXTENSION vector as a superuser, or set index.provider to local", Err: err,
			}
		}
		if err := find(); err != nil {
			return err
		}
	}
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil || major == 0 && minor < 8 {
		return &lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "index.provider", Msg: "is pgvector, of which this PostgreSQL database has version " + version,
			Hint: "install pgvector 0.8 or later and run ALTER EXTENSION vector UPDATE, or set index.provider to local",
		}
	}
	return nil
}

// dropIdle drops the tables of generations that nobody uses.
func (g *generation) dropIdle(ctx context.Context, c *pg.Conn, o Options) error {
	var sql strings.Builder
	err := c.Each(ctx, "DELETE FROM generations WHERE mark <> ?1 AND used_at < now() - interval '"+idleGeneration+"' RETURNING n", []any{o.mark()}, func(r sqlrows.Row) error {
		n := itoa(r.Int(0))
		sql.WriteString("DROP TABLE IF EXISTS nodes_" + n + ", entries_" + n + ", postings_" + n + ", terms_" + n + " CASCADE;")
		return nil
	})
	if err != nil || sql.Len() == 0 {
		return err
	}
	return c.Script(ctx, sql.String())
}

// makeNear makes the index of vectors.
func (x *Index) makeNear(ctx context.Context) error {
	if x.made.kind == "" {
		return nil
	}
	return x.pool.Write(ctx, x.prelude(""), func(c *pg.Conn) error {
		return c.Each(ctx, "SELECT make_near(?1)", []any{x.made.n}, func(r sqlrows.Row) error { x.near.Store(r.Bool(0)); return nil })
	})
}

func has(ctx context.Context, c *pg.Conn, sql string, args ...any) (bool, error) {
	found := false
	err := c.Each(ctx, sql, args, func(sqlrows.Row) error { found = true; return nil })
	return found, err
}
