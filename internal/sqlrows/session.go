package sqlrows

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Session runs statements on a connection that have their first parameters in common.
type Session struct {
	C     Conn
	Run   context.Context   // what may interrupt a query; none of a caller's on a connection that writes
	Fixed []any             // the first parameters of all statements
	Ready func() error      // says why the session cannot be used, if so
	Fault func(error) error // turns errors into the caller's

	args []any // of the statement that is about to be bound

	late    []later // what waits to be written, and
	waiting int     // how many rows
	broken  error   // of what was put off

	counter *atomic.Int64 // of the caller's, who wants to know; see WithCount
	asked   bool          // counter is known
}

type countKey struct{}

// WithCount returns a context whose sessions count in n what they ask of the store: each statement, and each transaction that has one.
// A context that counts already is returned as it is, with its number.
func WithCount(ctx context.Context) (counted context.Context, n *atomic.Int64) {
	if n, ok := ctx.Value(countKey{}).(*atomic.Int64); ok {
		return ctx, n
	}
	n = new(atomic.Int64)
	return context.WithValue(ctx, countKey{}, n), n
}

// count notes a statement.
func (s *Session) count() {
	if !s.asked {
		s.asked = true
		if s.counter, _ = s.Run.Value(countKey{}).(*atomic.Int64); s.counter != nil {
			s.counter.Add(1) // the transaction
		}
	}
	if s.counter != nil {
		s.counter.Add(1)
	}
}

func (s *Session) bound(args []any) []any {
	if s.args == nil {
		s.args = slices.Clone(s.Fixed)
	}
	s.args = append(s.args[:len(s.Fixed)], args...)
	return s.args
}

// Each runs a query and hands each row to fn; the row is valid until fn returns.
func (s *Session) Each(fn func(Row) error, sql string, args ...any) error {
	if err := s.Ready(); err != nil {
		return s.Fault(err)
	}
	if s.broken != nil || s.tells(sql) {
		if err := s.Settle(); err != nil {
			return err
		}
	}
	s.count()
	return s.Fault(s.C.Each(s.Run, sql, s.bound(args), fn))
}

// errStop ends a query early.
var errStop = errors.New("stop")

// While runs a query until fn wants no more rows, and reports whether it still does.
func (s *Session) While(fn func(Row) bool, sql string, args ...any) (on bool, err error) {
	on = true
	err = s.Each(func(r Row) error {
		if on = fn(r); !on {
			return errStop
		}
		return nil
	}, sql, args...)
	if errors.Is(err, errStop) {
		err = nil
	}
	return on, err
}

// One runs a query for its first row, and reports whether there is one.
func (s *Session) One(fn func(Row), sql string, args ...any) (bool, error) {
	found := false
	err := s.Each(func(r Row) error {
		if !found {
			found = true
			fn(r)
		}
		return nil
	}, sql, args...)
	return found, err
}

// Has reports whether a query has a row.
func (s *Session) Has(sql string, args ...any) (bool, error) {
	return s.One(func(Row) {}, sql, args...)
}

// Exec runs a statement and returns how many rows it changed.
func (s *Session) Exec(sql string, args ...any) (changed int64, err error) {
	if err := s.Ready(); err != nil {
		return 0, s.Fault(err)
	}
	if err := s.Settle(); err != nil {
		return 0, err
	}
	s.count()
	changed, err = s.C.Exec(s.Run, sql, s.bound(args))
	return changed, s.Fault(err)
}

// Do runs a statement of which only the error matters.
func (s *Session) Do(sql string, args ...any) error {
	if q, ok := s.C.(Queuer); ok {
		if err := s.Ready(); err != nil {
			return s.Fault(err)
		}
		s.count()
		return s.Fault(q.Queue(s.Run, sql, s.bound(args)))
	}
	_, err := s.Exec(sql, args...)
	return err
}

// Into runs a query and appends what scan makes of each row.
func Into[T any](s *Session, list *[]T, scan func(Row) T, sql string, args ...any) error {
	return s.Each(func(r Row) error {
		*list = append(*list, scan(r))
		return nil
	}, sql, args...)
}

// Of returns what scan makes of each row of a query whose own first argument is a list of keys, as JSON. With none nothing is asked.
func Of[T any, K ~string](s *Session, keys []K, scan func(Row) T, sql func() string, args ...any) ([]T, error) {
	list := make([]T, 0, len(keys))
	if len(keys) == 0 {
		return list, nil
	}
	err := Into(s, &list, scan, sql(), append([]any{Set(keys)}, args...)...)
	return list, err
}

// Conditions gathers the parts of a WHERE clause with their arguments, whose numbers follow those of the fixed parameters.
type Conditions struct {
	Fixed int
	Args  []any
	sql   []string
	dear  bool // to find out which rows meet them takes so long that a list is gone through once, and counted on the way
}

// Add appends a condition in which ?? stands for the argument, if there is one.
func (c *Conditions) Add(sql string, arg ...any) {
	c.Args = append(c.Args, arg...)
	c.sql = append(c.sql, strings.ReplaceAll(sql, "??", c.Last()))
}

// Between narrows a time to one from the first on, and before the second; nil does not narrow.
func (c *Conditions) Between(key string, from, until *time.Time) {
	if from != nil {
		c.Add(key+" >= ??", *from)
	}
	if until != nil {
		c.Add(key+" < ??", *until)
	}
}

// Among narrows a column to the values of a list; an empty one does not narrow.
func Among[T ~string](c *Conditions, column string, list []T) {
	if len(list) > 0 {
		c.Add(column+" IN (SELECT value FROM json_each(??))", Set(list))
	}
}

// In narrows a column to the values of a list, and to none where it is empty.
func In[T ~string](c *Conditions, column string, list []T) {
	if len(list) == 1 {
		c.Add(column+" = ??", list[0])
	} else {
		c.Add(column+" IN (SELECT value FROM json_each(??))", Set(list))
	}
}

// Tagged narrows to rows whose list of names, as JSON, has one of these; an empty list does not narrow. A row whose text does not have the one
// name is passed over before its list is read, which takes longer; a name that JSON may write in several ways is looked for in lists alone.
func Tagged(c *Conditions, column string, names []string) {
	if len(names) == 0 {
		return
	}
	if q, ok := alone(names); ok {
		c.Add("instr("+column+", ??) > 0", q)
	}
	c.Add("EXISTS (SELECT 1 FROM json_each("+column+") t JOIN json_each(??) w ON w.value = t.value)", Set(names))
}

// alone is the one name of a list as JSON writes it; ok is false where there are several, or where JSON may write it in several ways.
func alone(names []string) (q string, ok bool) {
	if len(names) != 1 {
		return "", false
	}
	q = `"` + names[0] + `"`
	return q, "["+q+"]" == Set(names)
}

// Wanted is a list of names that are looked for in columns, ignoring case, as the parameters that it is bound to.
type Wanted struct {
	set, text string
	odd       []string // letters that some databases take for one of the name's in upper case, and others do not
}

// Want binds a list of names.
func Want(c *Conditions, names []string) (w Wanted) {
	if q, ok := alone(names); ok && strings.IndexFunc(q, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		q = strings.ToLower(q)
		c.Args = append(c.Args, q)
		w.text = c.Last()
		for letter, odd := range map[string]string{"i": "\u0130", "k": "\u212a"} {
			if strings.Contains(q, letter) {
				w.odd = append(w.odd, odd)
			}
		}
		slices.Sort(w.odd)
	}
	c.Args, c.dear = append(c.Args, Set(names)), true
	w.set = c.Last()
	return w
}

// In is the condition that the list in a column has one of the names. Rows are passed over as by [Tagged], where the one name is of ASCII
// alone: JSON writes then what differs from it in case in that alone, whatever else a database takes for the same letter.
func (w Wanted) In(column string) string {
	sql := "EXISTS (SELECT 1 FROM json_each(" + column + ") t JOIN json_each(" + w.set + ") w ON w.value = t.value OR lower(w.value) = lower(t.value))"
	if w.text == "" {
		return sql
	}
	may := []string{"instr(lower(" + column + " COLLATE BINARY), " + w.text + ") > 0"}
	for _, odd := range w.odd {
		may = append(may, "instr("+column+", '"+odd+"') > 0")
	}
	return "((" + strings.Join(may, " OR ") + ") AND " + sql + ")"
}

// Last is the number of the last argument, as a parameter.
func (c *Conditions) Last() string { return "?" + strconv.Itoa(c.Fixed+len(c.Args)) }

// Where is all of them.
func (c *Conditions) Where() string { return strings.Join(c.sql, " AND ") }

// Stretch is a request for a part of a list that is ordered by a key (a number or a text) and then by id.
type Stretch struct {
	From, Key, ID string // the FROM clause and the columns of the order
	Counted       string // the FROM clause by which all are counted, where another one than From is faster
	Kind          byte   // tells cursors of different lists apart
	Descending    bool
	Cursor        string
	Limit, Offset int
	Uncounted     bool // how many rows there are in all need not be told: 0 is
}

// ErrCursor says that a cursor is not one that the list gave out.
var ErrCursor = errors.New("not a cursor of this list")

// List returns the rows of a stretch, the cursor of the next one, and how many rows there are in all.
func (s *Session) List(q Stretch, c Conditions) (rows []Position, next string, total int, err error) {
	where, args := c.Where(), slices.Clone(c.Args)
	dir, behind := "", ">"
	if q.Descending {
		dir, behind = " DESC", "<"
	}
	if q.Cursor != "" {
		pos, ok := ParseCursor(q.Kind, q.Cursor)
		if !ok {
			return nil, "", 0, s.Fault(ErrCursor)
		}
		total = pos.Total
		args = append(args, pos.Key, pos.ID)
		where += " AND " + After(q.Key, q.ID, behind, c.Fixed+len(args)-1)
	}
	args = append(args, q.Limit+1, q.Offset)
	n, all := c.Fixed+len(args), ""
	if c.dear && q.Cursor == "" && !q.Uncounted {
		all = ", count(*) OVER ()"
	}
	err = Into(s, &rows, func(r Row) Position {
		if all != "" {
			total = r.Int(2)
		}
		return Position{Key: r[0], ID: r.Text(1)}
	}, "SELECT "+q.Key+", "+q.ID+all+" FROM "+q.From+" WHERE "+where+
		" ORDER BY "+q.Key+dir+", "+q.ID+dir+" LIMIT ?"+strconv.Itoa(n-1)+" OFFSET ?"+strconv.Itoa(n), args...)
	switch {
	case err != nil || total > 0 || q.Uncounted:
	case q.Cursor == "" && len(rows) <= q.Limit && (len(rows) > 0 || q.Offset == 0): // these are the last ones
		total = q.Offset + len(rows)
	default:
		_, err = s.One(func(r Row) { total = r.Int(0) }, "SELECT count(*) FROM "+cmp.Or(q.Counted, q.From)+" WHERE "+c.Where(), c.Args...)
	}
	if err != nil {
		return nil, "", 0, err
	}
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		last := rows[q.Limit-1]
		last.Total = total
		next = last.Cursor(q.Kind)
	}
	return rows, next, total, nil
}

// beyond is how many rows more than asked for Down reads, to see where those of one key end. Mostly they do there, and need not be asked for.
const beyond = 16

// Down returns the next rows of a stretch below a position, and whether there may be more. It does not end among rows with the
// same key, and so may return more than the limit.
func (s *Session) Down(q Stretch, c Conditions, start Position) (rows []Position, more bool, err error) {
	args := append(slices.Clone(c.Args), start.Key, start.ID)
	n := c.Fixed + len(args)
	base := "SELECT " + q.Key + ", " + q.ID + " FROM " + q.From + " WHERE " + c.Where() + " AND "
	order := " ORDER BY " + q.Key + " DESC, " + q.ID + " DESC"
	scan := func(r Row) Position { return Position{Key: r[0], ID: r.Text(1)} }
	err = Into(s, &rows, scan, base+After(q.Key, q.ID, "<", n-1)+order+" LIMIT ?"+strconv.Itoa(n+1), append(args, q.Limit+beyond)...)
	if err != nil || len(rows) < q.Limit {
		return rows, false, err
	}
	end := q.Limit
	for end < len(rows) && rows[end].Key == rows[end-1].Key {
		end++
	}
	if end < len(rows) || end < q.Limit+beyond {
		return rows[:end], true, nil
	}
	args[len(args)-2], args[len(args)-1] = rows[len(rows)-1].Key, rows[len(rows)-1].ID
	return rows, true, Into(s, &rows, scan, base+q.Key+" = ?"+strconv.Itoa(n-1)+" AND "+q.ID+" < ?"+strconv.Itoa(n)+order, args...)
}

// After is the condition for rows that come after a position, whose key and id are parameters n and n+1. The part on the key
// alone says nothing new; it is what lets an index on an expression start there.
func After(key, id, cmp string, n int) string {
	k, i := strconv.Itoa(n), strconv.Itoa(n+1)
	return key + " " + cmp + "= ?" + k + " AND (" + key + ", " + id + ") " + cmp + " (?" + k + ", ?" + i + ")"
}

// Upsert returns a statement that inserts a row, or updates the one that has its owner_id and id. Those are parameters ?1 and
// ?first; the other columns follow from there. Those in once are not updated.
func Upsert(table string, first int, columns, once string) string {
	var values, sets strings.Builder
	names := append(strings.Fields(columns), strings.Fields(once)...)
	for i, name := range names {
		values.WriteString(", ?" + strconv.Itoa(first+1+i))
		if i < len(strings.Fields(columns)) {
			sets.WriteString(", " + name + " = excluded." + name)
		}
	}
	return "INSERT INTO " + table + " (owner_id, id, " + strings.Join(names, ", ") + ") VALUES (?1, ?" + strconv.Itoa(first) + values.String() +
		") ON CONFLICT (owner_id, id) DO UPDATE SET " + sets.String()[2:]
}

// All runs steps up to the first that fails.
func All(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
