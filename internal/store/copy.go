package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rows"
)

// copied is what one store hands over to another, in an order in which no row refers to a later one, with the columns that rows
// are ordered by. The log of changes is left out: it is what an index follows, and begins anew.
var copied = [...]struct{ name, order string }{
	{"owners", "owner_id"}, {"users", "owner_id"}, {"api_keys", "owner_id, id"}, {"nodes", "owner_id, path"}, {"documents", "owner_id, id"},
	{"contents", "owner_id, document_id"}, {"chunks", "owner_id, id"}, {"memories", "owner_id, id"}, {"memory_sources", "owner_id, memory_id, n"},
	{"conversations", "owner_id, id"}, {"messages", "owner_id, id"}, {"segments", "owner_id, document_id"}, {"files", "owner_id, id"},
	{"entities", "owner_id, id"}, {"entity_names", "owner_id, folded, entity_id"}, {"edges", "owner_id, source_id, target_id, type, known_at"},
	{"deltas", "owner_id, seq"}, {"file_events", "n"}, {"audit", "n"}, {"jobs", "id"}, {"settings", "name"}, {"spaces", "n"},
}

// Copied tells how far a copy of a table is.
type Copied struct {
	Table string
	Rows  int64 // so far
	Total int64
	Sum   string // SHA-256 of all rows in order, once they have been compared
}

// copyStep is how many rows are written in one transaction.
const copyStep = 500

// The settings of the new store while it is being filled: where the copy stands, and what the old one's state was then.
const (
	copyPlace  = "copy.place"
	copySource = "copy.source"
)

// mark is where a copy stands: the table, and the last row's values of the columns that it is ordered by.
type mark struct {
	Table string
	After []any
}

// Rows is a store in which all rows can be read and written as they are.
type Rows struct {
	Read, Write Transaction
	// Columns returns the names of a table's columns that all dialects have, in order.
	Columns func(s Statements, table string) ([]string, error)
	// MakeSpace makes the table of the embedding space with the number, if it is not there.
	MakeSpace func(s Statements, n int) error
	// Settle runs once all rows have come from another store; nil: nothing is to be done.
	Settle func(s Statements) error
}

// Copy writes all rows of a store to another one, which must be empty, or hold what an earlier call left undone: it goes on from
// there. In the end both are read once more and compared. Ids, times and the chain of deltas stay as they are.
func Copy(ctx context.Context, source, to Rows, notice func(Copied)) ([]Copied, error) {
	var done []Copied
	err := source.Read(ctx, "", func(s Statements) error {
		from := reading{s, source}
		at, err := to.begin(ctx, from)
		if err != nil {
			return err
		}
		list, err := from.tables()
		if err != nil {
			return err
		}
		for _, t := range list {
			if at.Table != "" && at.Table != t.name {
				continue // filled before
			}
			if err := to.fill(ctx, from, t, at.After, notice); err != nil {
				return fmt.Errorf("copy %s: %w", t.name, err)
			}
			at = mark{}
		}
		done, err = to.compare(ctx, from, list, notice)
		return err
	})
	if err != nil {
		return done, err
	}
	return done, to.Write(ctx, "", func(s Statements) error {
		if to.Settle != nil {
			if err := to.Settle(s); err != nil {
				return err
			}
		}
		_, err := s.Run("DELETE FROM settings WHERE name IN (?5, ?6)", copyPlace, copySource)
		return err
	})
}

// reading is a store that is being read.
type reading struct {
	Statements
	of Rows
}

func (r reading) one(fn func(rows.Row), sql string, args ...any) error {
	return r.Query(func(row Row) { fn(row.(rows.Row)) }, sql, args...)
}

// begin looks whether the store is empty or half filled from the same state, and returns where to go on.
func (to Rows) begin(ctx context.Context, from reading) (at mark, err error) {
	b := NewLedger(to.Read, to.Write)
	state, err := from.state()
	if err != nil {
		return at, err
	}
	source, err := b.Setting(ctx, copySource)
	if err != nil {
		return at, err
	}
	if source != "" && source != state {
		return at, &lukasa.Error{Code: lukasa.CodeConflict, Msg: "what is being copied has changed since the copy was begun", Hint: "empty the new store and begin again, with no server running on the old one"}
	}
	if source == "" {
		users, err := b.Users(ctx)
		if err != nil {
			return at, err
		}
		if len(users) > 0 {
			return at, &lukasa.Error{Code: lukasa.CodeConflict, Msg: "the new store is not empty", Hint: "give one that nothing has been written to"}
		}
		return at, b.SetSetting(ctx, copySource, state)
	}
	text, err := b.Setting(ctx, copyPlace)
	if err != nil || text == "" {
		return at, err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&at); err != nil {
		return at, fmt.Errorf("read where the copy stands: %w", err)
	}
	for i, v := range at.After {
		if n, ok := v.(json.Number); ok {
			if at.After[i], err = n.Int64(); err != nil {
				return at, fmt.Errorf("read where the copy stands: %w", err)
			}
		}
	}
	return at, nil
}

// state says in a few numbers what a store holds.
func (s reading) state() (string, error) {
	var sum strings.Builder
	for _, sql := range []string{"SELECT count(*), max(seq) FROM changes", "SELECT count(*), max(seq) FROM deltas", "SELECT count(*), max(n) FROM audit"} {
		if err := s.one(func(r rows.Row) { fmt.Fprintf(&sum, "%d %d ", r.Int64(0), r.Int64(1)) }, sql); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(sum.String()), nil
}

type table struct{ name, order string }

// tables lists what is copied, with the tables of embeddings.
func (s reading) tables() ([]table, error) {
	var list []table
	for _, t := range copied {
		list = append(list, table(t))
	}
	err := s.one(func(r rows.Row) { list = append(list, table{"embeddings_" + r.Text(0), "owner_id, entry_id"}) }, "SELECT CAST(n AS TEXT) FROM spaces ORDER BY n")
	return list, err
}

// walk hands the rows of a table to fn in order, from behind a row on. A table that holds the place of the copy leaves that out.
func (s reading) walk(t table, columns []string, after []any, fn func(rows.Row) error) error {
	order := strings.Split(t.order, ", ")
	cond := "TRUE"
	if t.name == "settings" {
		cond = "name NOT LIKE 'copy.%'"
	}
	for {
		where, args := cond, []any{copyStep}
		if len(after) > 0 {
			marks := make([]string, len(after))
			for i, v := range after {
				args = append(args, v)
				marks[i] = "?" + strconv.Itoa(6+i)
			}
			where += " AND (" + t.order + ") > (" + strings.Join(marks, ", ") + ")"
		}
		n := 0
		var last []any
		var failed error
		err := s.one(func(r rows.Row) {
			n++
			last = last[:0]
			for i := range order {
				last = append(last, r[len(columns)+i])
			}
			if failed == nil {
				failed = fn(r[:len(columns)])
			}
		}, "SELECT "+strings.Join(columns, ", ")+", "+t.order+" FROM "+t.name+" WHERE "+where+" ORDER BY "+t.order+" LIMIT ?5", args...)
		if err = cmp.Or(err, failed); err != nil || n < copyStep {
			return err
		}
		after = append([]any(nil), last...)
	}
}

// fill copies the rest of a table, a transaction with each step, which also says how far it came.
func (to Rows) fill(ctx context.Context, from reading, t table, after []any, notice func(Copied)) error {
	columns, err := from.of.Columns(from, t.name)
	if err != nil {
		return err
	}
	is := Copied{Table: t.name}
	if err := from.one(func(r rows.Row) { is.Total = r.Int64(0) }, "SELECT count(*) FROM "+t.name); err != nil {
		return err
	}
	order := strings.Split(t.order, ", ")
	at := make([]int, len(order))
	for i, name := range order {
		for k, c := range columns {
			if c == name {
				at[i] = k
			}
		}
	}
	var step [][]any
	put := func() error {
		if len(step) == 0 {
			return nil
		}
		err := to.Write(ctx, "", func(s Statements) error { return take(s, t, columns, step, at) })
		is.Rows += int64(len(step))
		step = step[:0]
		notice(is)
		return err
	}
	if len(after) > 0 { // an earlier call came this far
		if err := to.Read(ctx, "", func(s Statements) error {
			return s.Query(func(r Row) { is.Rows = r.Int64(0) }, "SELECT count(*) FROM "+t.name)
		}); err != nil {
			return err
		}
	} else if number, ok := strings.CutPrefix(t.name, "embeddings_"); ok {
		n, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		if err := to.Write(ctx, "", func(s Statements) error { return to.MakeSpace(s, n) }); err != nil {
			return err
		}
	}
	if err := from.walk(t, columns, after, func(r rows.Row) error {
		row := make([]any, len(r))
		for i, v := range r {
			row[i] = v
		}
		step = append(step, row)
		if len(step) == copyStep {
			return put()
		}
		return nil
	}); err != nil {
		return err
	}
	return put()
}

// take writes rows as they are, and notes the last.
func take(s Statements, of table, columns []string, list [][]any, order []int) error {
	marks := make([]string, len(columns))
	for i := range columns {
		marks[i] = "?" + strconv.Itoa(5+i)
	}
	sql := "INSERT INTO " + of.name + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
	for _, row := range list {
		if _, err := s.Run(sql, row...); err != nil {
			return err
		}
	}
	at := mark{Table: of.name}
	for _, i := range order {
		at.After = append(at.After, list[len(list)-1][i])
	}
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	_, err = s.Run("INSERT INTO settings (name, value) VALUES (?5, ?6) ON CONFLICT (name) DO UPDATE SET value = excluded.value", copyPlace, string(text))
	return err
}

// compare reads every table of both stores again.
func (to Rows) compare(ctx context.Context, from reading, list []table, notice func(Copied)) ([]Copied, error) {
	var done []Copied
	err := to.Read(ctx, "", func(s Statements) error {
		copy := reading{s, to}
		for _, t := range list {
			columns, err := from.of.Columns(from, t.name)
			if err != nil {
				return err
			}
			was, sum, err := from.sum(t, columns)
			if err != nil {
				return err
			}
			is, got, err := copy.sum(t, columns)
			if err != nil {
				return err
			}
			if was != is || sum != got {
				return lukasa.Errorf(lukasa.CodeConflict, "%s has %d rows with the sum %.12s, its copy %d with %.12s", t.name, was, sum, is, got)
			}
			done = append(done, Copied{Table: t.name, Rows: is, Total: was, Sum: sum})
			notice(done[len(done)-1])
		}
		return nil
	})
	return done, err
}

// sum counts the rows of a table and hashes them in order.
func (s reading) sum(t table, columns []string) (n int64, sum string, err error) {
	h := sha256.New()
	err = s.walk(t, columns, nil, func(r rows.Row) error {
		n++
		for _, v := range r {
			hashValue(h, v)
		}
		return nil
	})
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// hashValue adds a value with its kind and length.
func hashValue(h hash.Hash, v any) {
	var b []byte
	kind := byte('0')
	switch v := v.(type) {
	case int64:
		kind, b = 'i', binary.BigEndian.AppendUint64(nil, uint64(v))
	case float64:
		kind, b = 'f', binary.BigEndian.AppendUint64(nil, math.Float64bits(v))
	case string:
		kind, b = 't', []byte(v)
	case []byte:
		kind, b = 'b', v
	}
	h.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(b))))
	h.Write(b)
}
