package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// copied is what one store hands over to another, in an order in which no row refers to a later one, with the expressions that rows
// are ordered by, which tell each row of a table from all others, and how many rows are read at once at most. The log of changes is
// left out: it is what an index follows, and begins anew.
var copied = [...]table{
	{"owners", "owner_id", 500},
	{"users", "owner_id", 500},
	{"members", "owner_id, user_id", 500},
	{"api_keys", "owner_id, id", 500},
	{"nodes", "owner_id, path", 500},
	{"grants", "owner_id, id", 500},
	{"documents", "owner_id, id", 100},
	{"contents", "owner_id, document_id", 50},
	{"chunks", "owner_id, id", 500},
	{"old_chunks", "owner_id, id, gone_at", 500},
	{"memories", "owner_id, id", 500},
	{"memory_sources", "owner_id, memory_id, n", 500},
	{"conversations", "owner_id, id", 500},
	{"messages", "owner_id, id", 100},
	{"segments", "owner_id, document_id", 500},
	{"files", "owner_id, id", 100},
	{"entities", "owner_id, id", 500},
	{"entity_names", "owner_id, folded, entity_id", 500},
	{"edges", "owner_id, source_id, target_id, type, known_at, coalesce(gone_at,0)", 500},
	{"deltas", "owner_id, seq", 50},
	{"file_events", "n", 500},
	{"audit", "n", 500},
	{"jobs", "id", 500},
	{"settings", "name", 500},
	{"spaces", "n", 500},
}

// table is a table that is copied.
type table struct {
	name, order string
	most        int
}

// cond leaves out what a copy notes for itself.
func (t table) cond() string {
	if t.name == "settings" {
		return "name NOT LIKE 'copy.%'"
	}
	return "TRUE"
}

// named says which row has these values of what the table is ordered by.
func (t table) named(key []any) string {
	var b strings.Builder
	for i, name := range strings.Split(t.order, ", ") {
		if i < len(key) {
			fmt.Fprintf(&b, ", %s %q", name, fmt.Sprint(key[i]))
		}
	}
	return t.name + " (" + strings.TrimPrefix(b.String(), ", ") + ")"
}

// Copied tells how far a copy of a table is.
type Copied struct {
	Table   string
	Rows    int64 // so far
	Total   int64
	Checked int64    // rows that have been compared
	Sum     string   // SHA-256 of all rows in order, once they have been compared
	Cleaned int64    // texts that were changed, as the other store cannot keep them
	Where   []string // the first of these
}

// Copying says how rows are copied.
type Copying struct {
	// Clean puts U+001A, which takes one byte as well, in the place of what a store cannot keep in a text; otherwise such a
	// text is an error.
	Clean  bool
	Step   int          // rows that are written in one transaction at most; 0 means 500
	Notice func(Copied) // nil: nobody asks
}

func (o Copying) notice(c Copied) {
	if o.Notice != nil {
		o.Notice(c)
	}
}

const (
	copyStep      = 500     // rows of a transaction,
	copyBytes     = 4 << 20 // and about how many bytes
	copyStatement = 50      // rows that one statement writes
	copyTries     = 5       // how often a step is tried while the new store is away
	copyWhere     = 20      // places that are named where texts were cleaned
)

// The settings of the new store while it is being filled: where the copy stands, and what the old one's state was then. Others
// that begin with copy. may be added; all go with the end of the copy.
const (
	copyPlace  = "copy.place"
	copySource = "copy.source"
)

// mark is where a copy stands: the table, and the last row's values of what it is ordered by.
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
	// Strict says that texts must be UTF-8 without U+0000.
	Strict bool
}

// Copy writes all rows of a store to another one, which must be empty, or hold what an earlier call left undone: it goes on from
// there. In the end both are read once more and compared. Ids, times and the chain of deltas stay as they are.
func Copy(ctx context.Context, source, to Rows, o Copying) ([]Copied, error) {
	var done []Copied
	err := source.Read(ctx, "", func(s Statements) error {
		done = nil
		from := reading{Statements: s, of: source, strict: to.Strict, clean: o.Clean}
		f := filling{ctx: ctx, to: to, from: from, o: o}
		at, err := f.begin()
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
			if err := f.fill(t, at.After); err != nil {
				return fmt.Errorf("copy %s: %w", t.name, err)
			}
			at = mark{}
		}
		done, err = f.compare(list)
		return err
	})
	if err != nil {
		return done, err
	}
	return done, to.settle(ctx)
}

// settle ends a copy. A store that is away is tried again: whether that was kept is seen from what a copy notes.
func (r Rows) settle(ctx context.Context) error {
	for try := 1; ; try++ {
		err := r.Write(ctx, "", func(s Statements) error {
			if r.Settle != nil {
				if err := r.Settle(s); err != nil {
					return err
				}
			}
			_, err := s.Run("DELETE FROM settings WHERE name LIKE 'copy.%'")
			return err
		})
		if lukasa.CodeOf(err) != lukasa.CodeUnavailable || try == copyTries || ctx.Err() != nil {
			return err
		}
		if begun, e := r.Begun(ctx); e == nil && !begun {
			return nil
		}
	}
}

// State says in a few numbers what a store holds. Two that differ mean that something was written in between.
func (r Rows) State(ctx context.Context) (state string, err error) {
	err = r.Read(ctx, "", func(s Statements) error {
		state, err = reading{Statements: s, of: r}.state()
		return err
	})
	return state, err
}

// Count returns how many rows each table has that a copy takes.
func (r Rows) Count(ctx context.Context) (counts []Copied, err error) {
	err = r.Read(ctx, "", func(s Statements) error {
		from := reading{Statements: s, of: r}
		list, err := from.tables()
		counts = nil
		for _, t := range list {
			if err != nil {
				break
			}
			c := Copied{Table: t.name}
			c.Total, err = from.count(t)
			counts = append(counts, c)
		}
		return err
	})
	return counts, err
}

// Begun reports whether a store is one that a copy has begun to fill, and not ended.
func (r Rows) Begun(ctx context.Context) (begun bool, err error) {
	err = r.Read(ctx, "", func(s Statements) error {
		begun = false
		return s.Query(func(Row) { begun = true }, "SELECT 1 FROM settings WHERE name LIKE 'copy.%' LIMIT 1")
	})
	return begun, err
}

// Empty takes all rows out of a store that a copy has begun to fill, and not ended. Any other one is [lukasa.CodeConflict].
func (r Rows) Empty(ctx context.Context) error {
	begun, err := r.Begun(ctx)
	if err != nil {
		return err
	}
	if !begun {
		return &lukasa.Error{Code: lukasa.CodeConflict, Msg: "the new store is not one that was begun by a migration", Hint: "give one that nothing has been written to"}
	}
	b := NewLedger(r.Read, r.Write)
	// Nothing goes on from here but emptying it.
	if err := b.SetSetting(ctx, copySource, "emptied"); err != nil {
		return err
	}
	var list []table
	if err := r.Read(ctx, "", func(s Statements) (err error) {
		list, err = reading{Statements: s, of: r}.tables()
		return err
	}); err != nil {
		return err
	}
	slices.Reverse(list)
	logs := []string{"deltas", "file_events", "audit"} // they stay while their owner is there
	last := func(t table) bool { return slices.Contains(logs, t.name) }
	for _, t := range slices.Concat(slices.DeleteFunc(slices.Clone(list), last), slices.DeleteFunc(slices.Clone(list), func(t table) bool { return !last(t) })) {
		if err := r.Write(ctx, "", func(s Statements) error {
			_, err := s.Run("DELETE FROM " + t.name + " WHERE " + t.cond())
			return err
		}); err != nil {
			return fmt.Errorf("empty %s: %w", t.name, err)
		}
	}
	return r.Write(ctx, "", func(s Statements) error {
		_, err := s.Run("DELETE FROM settings WHERE name LIKE 'copy.%'")
		return err
	})
}

// reading is a store that is being read.
type reading struct {
	Statements
	of            Rows
	strict, clean bool // what texts have to be like elsewhere
}

func (s reading) one(fn func(sqlrows.Row), sql string, args ...any) error {
	return s.Query(func(row Row) { fn(row.(sqlrows.Row)) }, sql, args...)
}

// state counts what writes leave behind.
func (s reading) state() (string, error) {
	var sum strings.Builder
	for _, sql := range []string{
		"SELECT count(*), max(seq) FROM changes", "SELECT count(*), max(seq) FROM deltas", "SELECT count(*), max(n) FROM audit", "SELECT count(*), max(n) FROM file_events",
		"SELECT count(*), max(created_at) FROM users", "SELECT count(*), max(last_used_at) FROM api_keys", "SELECT count(*), max(due_at) FROM jobs",
		"SELECT count(*), max(changed_at) FROM members",
	} {
		if err := s.one(func(r sqlrows.Row) { fmt.Fprintf(&sum, "%d %d ", r.Int64(0), r.Int64(1)) }, sql); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(sum.String()), nil
}

// tables lists what is copied, with the tables of embeddings.
func (s reading) tables() ([]table, error) {
	list := slices.Clone(copied[:])
	err := s.one(func(r sqlrows.Row) { list = append(list, table{"embeddings_" + r.Text(0), "owner_id, entry_id", 500}) }, "SELECT CAST(n AS TEXT) FROM spaces ORDER BY n")
	return list, err
}

func (s reading) count(t table) (n int64, err error) {
	err = s.one(func(r sqlrows.Row) { n = r.Int64(0) }, "SELECT count(*) FROM "+t.name+" WHERE "+t.cond())
	return n, err
}

// walk hands the rows of a table to fn in order, from behind a row on, each with its values of what the table is ordered by. They are
// read some at a time: fewer where they are large.
func (s reading) walk(t table, columns []string, after []any, fn func(row, key []any) error) error {
	limit := min(t.most, 64)
	for {
		where, args := t.cond(), []any{limit}
		if len(after) > 0 {
			marks := make([]string, len(after))
			for i, v := range after {
				args = append(args, v)
				marks[i] = "?" + strconv.Itoa(6+i)
			}
			where += " AND (" + t.order + ") > (" + strings.Join(marks, ", ") + ")"
		}
		n, size := 0, 0
		var failed error
		err := s.one(func(r sqlrows.Row) {
			n++
			if failed != nil {
				return
			}
			row := make([]any, len(r))
			for i, v := range r {
				if b, ok := v.([]byte); ok {
					v = append(make([]byte, 0, len(b)), b...) // valid until this returns; none is not NULL
				}
				row[i] = v
			}
			after = row[len(columns):]
			size += sizeOf(row)
			failed = fn(row[:len(columns):len(columns)], after)
		}, "SELECT "+strings.Join(columns, ", ")+", "+t.order+" FROM "+t.name+" WHERE "+where+" ORDER BY "+t.order+" LIMIT ?5", args...)
		if err = cmp.Or(failed, err); err != nil || n < limit {
			return err
		}
		limit = max(1, min(t.most, limit*4, limit*copyBytes/max(1, size)))
	}
}

func sizeOf(row []any) (n int) {
	for _, v := range row {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n + 8*len(row)
}

// kept makes a row one that the other store can keep. It returns which columns were changed, by name.
func (s reading) kept(t table, columns []string, row, key []any) (cleaned []string, err error) {
	if !s.strict {
		return nil, nil
	}
	for i, v := range row {
		text, ok := v.(string)
		if !ok || strings.IndexByte(text, 0) < 0 && utf8.ValidString(text) {
			continue
		}
		if !s.clean {
			return nil, &lukasa.Error{
				Code: lukasa.CodeInvalid, Field: columns[i], Msg: t.named(key) + " holds U+0000 or bytes that are no text, which the new store cannot keep",
				Hint: "change that record, or give --clean: each such byte becomes U+001A, and all places are listed",
			}
		}
		row[i] = cleanText(text)
		cleaned = append(cleaned, columns[i])
	}
	return cleaned, nil
}

// cleanText puts U+001A (SUBSTITUTE) in the place of U+0000 and of each byte that is not UTF-8. The length stays, so that places
// in the text stay true.
func cleanText(s string) string {
	b := []byte(s)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			b[i] = 0x1a
		}
		i += n
	}
	return string(b)
}

// filling is a store that is being filled.
type filling struct {
	ctx   context.Context
	to    Rows
	from  reading
	o     Copying
	place string // where the copy stands, as it is noted
}

// begin looks whether the store is empty or half filled from the same state, and returns where to go on.
func (f *filling) begin() (at mark, err error) {
	b := NewLedger(f.to.Read, f.to.Write)
	begun := false
	if err := f.from.one(func(sqlrows.Row) { begun = true }, "SELECT 1 FROM settings WHERE name LIKE 'copy.%'"); err != nil {
		return at, err
	}
	if begun {
		return at, &lukasa.Error{Code: lukasa.CodeConflict, Msg: "what is to be copied is itself a copy that was not ended", Hint: "end that one first"}
	}
	state, err := f.from.state()
	if err != nil {
		return at, err
	}
	source, err := b.Setting(f.ctx, copySource)
	if err != nil {
		return at, err
	}
	if source != "" && source != state {
		return at, &lukasa.Error{
			Code: lukasa.CodeConflict, Msg: "what is being copied has changed since the copy was begun",
			Hint: "stop what writes to it, and begin again: `lukasa migrate --restart` empties the half-filled store first",
		}
	}
	if source == "" {
		if err := f.vacant(); err != nil {
			return at, err
		}
		return at, b.SetSetting(f.ctx, copySource, state)
	}
	if f.place, err = b.Setting(f.ctx, copyPlace); err != nil || f.place == "" {
		return at, err
	}
	d := json.NewDecoder(strings.NewReader(f.place))
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

// vacant says what is in a store that ought to be empty.
func (f *filling) vacant() error {
	return f.to.Read(f.ctx, "", func(s Statements) error {
		to := reading{Statements: s, of: f.to}
		list, err := to.tables()
		for _, t := range list {
			there := false
			if err == nil {
				err = to.one(func(sqlrows.Row) { there = true }, "SELECT 1 FROM "+t.name+" WHERE "+t.cond()+" LIMIT 1")
			}
			if err == nil && there {
				err = &lukasa.Error{Code: lukasa.CodeConflict, Msg: "the new store is not empty: there are " + t.name, Hint: "give one that nothing has been written to"}
			}
		}
		return err
	})
}

// fill copies the rest of a table, a transaction with each step, which also says how far it came.
func (f *filling) fill(t table, after []any) error {
	columns, err := f.from.of.Columns(f.from, t.name)
	if err != nil {
		return err
	}
	is := Copied{Table: t.name}
	if is.Total, err = f.from.count(t); err != nil {
		return err
	}
	if len(after) > 0 { // an earlier call came this far
		if err := f.to.Read(f.ctx, "", func(s Statements) error {
			is.Rows, err = reading{Statements: s, of: f.to}.count(t)
			return err
		}); err != nil {
			return err
		}
	} else if number, ok := strings.CutPrefix(t.name, "embeddings_"); ok {
		n, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		if err := f.to.Write(f.ctx, "", func(s Statements) error { return f.to.MakeSpace(s, n) }); err != nil {
			return err
		}
	}
	var list, keys [][]any
	size := 0
	put := func() error {
		if len(list) == 0 {
			return nil
		}
		if err := f.put(t, columns, list, keys); err != nil {
			return err
		}
		is.Rows += int64(len(list))
		list, keys, size = list[:0], keys[:0], 0
		f.o.notice(is)
		return f.ctx.Err()
	}
	if err := f.from.walk(t, columns, after, func(row, key []any) error {
		if _, err := f.from.kept(t, columns, row, key); err != nil {
			return err
		}
		list, keys, size = append(list, row), append(keys, key), size+sizeOf(row)
		if len(list) == cmp.Or(f.o.Step, copyStep) || size >= copyBytes {
			return put()
		}
		return nil
	}); err != nil {
		return err
	}
	if err := put(); err != nil {
		return err
	}
	if is.Rows != is.Total {
		return lukasa.Errorf(lukasa.CodeConflict, "%d rows came of %d: the database has let go of them meanwhile", is.Rows, is.Total)
	}
	return nil
}

// put writes rows and how far the copy is. A store that is away is tried again: whether the step was kept is seen from the place. When
// rows cannot be kept, they are written one by one, so that the error can say which one it is.
func (f *filling) put(t table, columns []string, list, keys [][]any) error {
	text, err := json.Marshal(mark{Table: t.name, After: keys[len(keys)-1]})
	if err != nil {
		return err
	}
	next := string(text)
	for try := 1; ; try++ {
		err = f.to.Write(f.ctx, "", func(s Statements) error { return f.take(s, t, columns, list, next) })
		if lukasa.CodeOf(err) != lukasa.CodeUnavailable || try == copyTries || f.ctx.Err() != nil {
			break
		}
		if now, e := NewLedger(f.to.Read, f.to.Write).Setting(f.ctx, copyPlace); e == nil && now == next {
			err = nil
			break
		}
	}
	if err == nil {
		f.place = next
		return nil
	}
	switch code := lukasa.CodeOf(err); {
	case errors.Is(err, errAnother), code != lukasa.CodeInvalid && code != lukasa.CodeConflict && code != lukasa.CodeTooLarge || f.ctx.Err() != nil:
		return err
	case len(list) == 1:
		return fmt.Errorf("%s: %w", t.named(keys[0]), err)
	}
	for i := range list {
		if err := f.put(t, columns, list[i:i+1], keys[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

var errEnough = errors.New("enough rows have been read")

// errAnother says that a copy finds the place of another one.
var errAnother = &lukasa.Error{Code: lukasa.CodeConflict, Msg: "another process is filling the same store", Hint: "let one of them end"}

// take writes rows as they are, and notes the last.
func (f *filling) take(s Statements, t table, columns []string, list [][]any, next string) error {
	place := ""
	if err := s.Query(func(r Row) { place = r.Text(0) }, "SELECT value FROM settings WHERE name = ?5", copyPlace); err != nil {
		return err
	}
	if place != f.place {
		return errAnother
	}
	for some := range slices.Chunk(list, copyStatement) {
		if len(some) < copyStatement {
			for _, row := range some {
				if _, err := s.Run(insertion(t, columns, 1), row...); err != nil {
					return err
				}
			}
			break
		}
		if _, err := s.Run(insertion(t, columns, len(some)), slices.Concat(some...)...); err != nil {
			return err
		}
	}
	_, err := s.Run("INSERT INTO settings (name, value) VALUES (?5, ?6) ON CONFLICT (name) DO UPDATE SET value = excluded.value", copyPlace, next)
	return err
}

// insertion is a statement that writes n rows.
func insertion(t table, columns []string, n int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + t.name + " (" + strings.Join(columns, ", ") + ") VALUES ")
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		for k := range columns {
			b.WriteString(map[bool]string{true: "(?", false: ", ?"}[k == 0])
			b.WriteString(strconv.Itoa(5 + i*len(columns) + k))
		}
		b.WriteString(")")
	}
	return b.String()
}

// compare reads every table of both stores again.
func (f *filling) compare(list []table) ([]Copied, error) {
	var done []Copied
	err := f.to.Read(f.ctx, "", func(s Statements) error {
		done = nil
		to := reading{Statements: s, of: f.to}
		for _, t := range list {
			columns, err := f.from.of.Columns(f.from, t.name)
			if err != nil {
				return err
			}
			c := Copied{Table: t.name}
			if c.Total, err = f.from.count(t); err != nil {
				return err
			}
			f.o.notice(c)
			was, err := f.from.sum(t, columns, &c, nil)
			if err != nil {
				return err
			}
			is, err := to.sum(t, columns, &c, func() error {
				f.o.notice(c)
				return f.ctx.Err()
			})
			if err != nil {
				return err
			}
			if was.rows != c.Total || was.rows != is.rows || was.sum() != is.sum() {
				return f.differ(to, t, columns, was, is)
			}
			c.Rows, c.Checked, c.Sum = is.rows, is.rows, is.sum()
			done = append(done, c)
			f.o.notice(c)
		}
		return nil
	})
	return done, err
}

// sums are a hash of all rows of a table so far, after every so many of them, so that a difference can be found again.
type sums struct {
	rows   int64
	hash   hash.Hash
	blocks []block
}

type block struct {
	sum  [sha256.Size]byte
	last []any // the values of the last row of what the table is ordered by
}

func (s sums) sum() string { return hex.EncodeToString(s.hash.Sum(nil)) }

// sum counts the rows of a table and hashes them in order. Tick runs after every block of them; nil: nobody waits.
func (s reading) sum(t table, columns []string, c *Copied, tick func() error) (sums, error) {
	all := sums{hash: sha256.New()}
	err := s.walk(t, columns, nil, func(row, key []any) error {
		cleaned, err := s.kept(t, columns, row, key)
		if err != nil {
			return err
		}
		for _, column := range cleaned {
			if c.Cleaned++; len(c.Where) < copyWhere {
				c.Where = append(c.Where, t.named(key)+": "+column)
			}
		}
		for _, v := range row {
			hashValue(all.hash, v)
		}
		if all.rows++; all.rows%copyStep == 0 {
			all.blocks = append(all.blocks, block{[sha256.Size]byte(all.hash.Sum(nil)), slices.Clone(key)})
			if tick != nil {
				c.Checked = all.rows
				return tick()
			}
		}
		return nil
	})
	return all, err
}

// differ says which is the first row that differs.
func (f *filling) differ(to reading, t table, columns []string, was, is sums) error {
	n := 0
	for n < len(was.blocks) && n < len(is.blocks) && was.blocks[n].sum == is.blocks[n].sum {
		n++
	}
	var after []any
	if n > 0 {
		after = was.blocks[n-1].last
	}
	type line struct{ key, sum string }
	some := func(s reading) (list []line, err error) {
		err = s.walk(t, columns, after, func(row, key []any) error {
			if _, err := s.kept(t, columns, row, key); err != nil {
				return err
			}
			h := sha256.New()
			for _, v := range row {
				hashValue(h, v)
			}
			if list = append(list, line{t.named(key), string(h.Sum(nil))}); len(list) > copyStep {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			err = nil
		}
		return list, err
	}
	a, err := some(f.from)
	if err != nil {
		return err
	}
	b, err := some(to)
	if err != nil {
		return err
	}
	first := "a row that cannot be found again"
	for i := range max(len(a), len(b)) {
		switch {
		case i < len(a) && i < len(b) && a[i] == b[i]:
			continue
		case i < len(a) && i < len(b) && a[i].key == b[i].key:
			first = a[i].key + " differs"
		case i < len(a) && !slices.ContainsFunc(b, func(l line) bool { return l.key == a[i].key }):
			first = a[i].key + " is missing"
		default:
			first = b[i].key + " is too many"
		}
		break
	}
	return &lukasa.Error{
		Code: lukasa.CodeConflict, Msg: fmt.Sprintf("%s has %d rows with the sum %.12s, its copy %d with %.12s: %s", t.name, was.rows, was.sum(), is.rows, is.sum(), first),
		Hint: "something has written to one of the two; begin again with --restart",
	}
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
