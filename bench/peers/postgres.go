package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgres is pgvector with HNSW, ef_search 100, and a tsvector with GIN and ts_rank (which knows no rare words), in the server that
// LUKASA_TEST_POSTGRES names. Its English configuration leaves out stop words and stems.
// Plans are made for each call, so that the planner sees which owner is asked for. They have no parallel workers: these are processes of
// their own, whose time would be missing in that of the connection.
type postgres struct {
	url  string
	conn *pgx.Conn
	pid  uint32
	size int64

	words string // the configuration of its text search
}

func (p *postgres) name() string { return "pgvector + tsvector" }

func (p *postgres) build(c *corpus, _ string) (err error) {
	ctx := context.Background()
	if p.conn, err = pgx.Connect(ctx, p.url); err != nil {
		return err
	}
	p.pid, p.words = p.conn.PgConn().PID(), "simple"
	if c.english {
		p.words = "english"
	}
	for _, stmt := range []string{
		`create extension if not exists vector`,
		`drop schema if exists lukasa_peers cascade`,
		`create schema lukasa_peers`,
		`set search_path = lukasa_peers, public`,
		`set maintenance_work_mem = '512MB'`,
		`set plan_cache_mode = force_custom_plan`,
		`set hnsw.ef_search = 100`,
		`set hnsw.iterative_scan = relaxed_order`,
		`set jit = off`,
		`set max_parallel_workers_per_gather = 0`,
		fmt.Sprintf(`create table items (id int primary key, owner int not null, words tsvector not null, embedding vector(%d) not null)`, c.dim),
		`create temp table raw (id int, owner int, body text, embedding text)`,
	} {
		if _, err := p.conn.Exec(ctx, stmt); err != nil {
			return fmt.Errorf("%s: %w", stmt, err)
		}
	}
	_, err = p.conn.CopyFrom(ctx, pgx.Identifier{"raw"}, []string{"id", "owner", "body", "embedding"}, pgx.CopyFromSlice(len(c.items), func(i int) ([]any, error) {
		return []any{i, c.items[i].owner, c.items[i].text, literal(c.items[i].vector)}, nil
	}))
	if err != nil {
		return err
	}
	for _, stmt := range []string{
		`insert into items select id, owner, to_tsvector('` + p.words + `', body), embedding::vector from raw`,
		`drop table raw`,
		`create index on items (owner)`,
		`create index on items using gin (words)`,
		`create index on items using hnsw (embedding vector_cosine_ops)`,
		`vacuum analyze items`,
	} {
		if _, err := p.conn.Exec(ctx, stmt); err != nil {
			return fmt.Errorf("%s: %w", stmt, err)
		}
	}
	return p.conn.QueryRow(ctx, `select pg_total_relation_size('items')`).Scan(&p.size)
}

func literal(v []float32) string {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return string(append(b, ']'))
}

func (p *postgres) vector(q *query, all bool, k int) ([]int, error) {
	if all {
		return p.ids(`select id from items order by embedding <=> $1::vector limit $2`, literal(q.vector), k)
	}
	return p.ids(`select id from items where owner = $3 order by embedding <=> $1::vector limit $2`, literal(q.vector), k, q.owner)
}

func (p *postgres) text(q *query, all bool, k int) ([]int, error) {
	words := strings.Join(q.words, " | ")
	asked := `to_tsquery('` + p.words + `', $1)`
	order := ` order by ts_rank(words, ` + asked + `) desc limit $2`
	if all {
		return p.ids(`select id from items where words @@ `+asked+order, words, k)
	}
	return p.ids(`select id from items where owner = $3 and words @@ `+asked+order, words, k, q.owner)
}

func (p *postgres) ids(stmt string, args ...any) ([]int, error) {
	rows, err := p.conn.Query(context.Background(), stmt, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int])
}

// cpu is the time of the server's process for this connection, without the client's; false where the server is on another machine. What a
// process has used is known when it sleeps.
func (p *postgres) cpu() (time.Duration, bool) {
	for range 200 {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid)); err != nil || bytes.Contains(b, []byte(") S ")) {
			break
		}
		time.Sleep(50 * time.Microsecond)
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", p.pid))
	if err != nil {
		return 0, false
	}
	ns, _, _ := strings.Cut(string(b), " ")
	n, err := strconv.ParseInt(ns, 10, 64)
	return time.Duration(n), err == nil
}

func (p *postgres) bytes() int64 { return p.size }

func (p *postgres) close() error {
	_, err := p.conn.Exec(context.Background(), `drop schema if exists lukasa_peers cascade`)
	return errors.Join(err, p.conn.Close(context.Background()))
}
