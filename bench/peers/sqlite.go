package main

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	vec "github.com/asg017/sqlite-vec-go-bindings/cgo"
	_ "github.com/mattn/go-sqlite3" // the driver
)

// sqlite is FTS5 and sqlite-vec in one file, both compiled from C. FTS5 ranks by BM25, stems English with its porter tokenizer, keeps stop
// words, and keeps the owner as a token, which is the quickest way to filter it; sqlite-vec has the owner as the key of its partitions, and a second table without them for searches over all.
type sqlite struct {
	db            *sql.DB
	file          string
	near, nearAll *sql.Stmt
	match         *sql.Stmt
}

func (s *sqlite) name() string { return "FTS5 + sqlite-vec" }

func (s *sqlite) build(c *corpus, dir string) (err error) {
	vec.Auto()
	s.file = filepath.Join(dir, "peer.db")
	if s.db, err = sql.Open("sqlite3", s.file+"?_journal_mode=WAL&_synchronous=NORMAL&_cache_size=-262144"); err != nil {
		return err
	}
	s.db.SetMaxOpenConns(1)
	options := ""
	if c.english {
		options = `, tokenize='porter unicode61'`
	}
	for _, stmt := range []string{
		`create virtual table texts using fts5(owner, body, detail=column` + options + `)`,
		fmt.Sprintf(`create virtual table vectors using vec0(owner integer partition key, embedding float[%d] distance_metric=cosine)`, c.dim),
		fmt.Sprintf(`create virtual table vectors_all using vec0(embedding float[%d] distance_metric=cosine)`, c.dim),
	} {
		if _, err := s.db.Exec(stmt); err != nil {
			return err
		}
	}
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	for i, it := range c.items {
		v := floats(it.vector)
		if _, err := tx.Exec(`insert into texts(rowid, owner, body) values (?, ?, ?)`, i+1, fmt.Sprintf("o%d", it.owner), it.text); err != nil {
			return err
		}
		if _, err := tx.Exec(`insert into vectors(rowid, owner, embedding) values (?, ?, ?)`, i+1, it.owner, v); err != nil {
			return err
		}
		if _, err := tx.Exec(`insert into vectors_all(rowid, embedding) values (?, ?)`, i+1, v); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if _, err := s.db.Exec(`insert into texts(texts) values ('optimize')`); err != nil {
		return err
	}
	if s.match, err = s.db.Prepare(`select rowid from texts where texts match ? order by rank limit ?`); err != nil {
		return err
	}
	if s.near, err = s.db.Prepare(`select rowid from vectors where embedding match ? and k = ? and owner = ? order by distance`); err != nil {
		return err
	}
	s.nearAll, err = s.db.Prepare(`select rowid from vectors_all where embedding match ? and k = ? order by distance`)
	return err
}

func floats(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func (s *sqlite) vector(q *query, all bool, k int) ([]int, error) {
	if all {
		return rowids(s.nearAll.Query(floats(q.vector), k))
	}
	return rowids(s.near.Query(floats(q.vector), k, q.owner))
}

func (s *sqlite) text(q *query, all bool, k int) ([]int, error) {
	m := "body:(" + strings.Join(q.words, " OR ") + ")"
	if !all {
		m = fmt.Sprintf("owner:o%d AND %s", q.owner, m)
	}
	return rowids(s.match.Query(m, k))
}

func rowids(rows *sql.Rows, err error) ([]int, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	var out []int
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id-1)
	}
	return out, rows.Err()
}

func (s *sqlite) cpu() (time.Duration, bool) { return processTime(), true }

func (s *sqlite) bytes() int64 {
	var n int64
	for _, suffix := range []string{"", "-wal"} {
		if i, err := os.Stat(s.file + suffix); err == nil {
			n += i.Size()
		}
	}
	return n
}

func (s *sqlite) close() error { return s.db.Close() }
