package sqlite

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// handle is SQLite itself: its functions for C with the memory that they are handed. The driver for database/sql that stands above them
// takes a lock for each of their calls, starts a goroutine for each statement that may be interrupted, asks for the names of all columns
// each time that a statement runs, and allocates memory for each text that is bound.
type handle struct {
	tls  *libc.TLS
	db   uintptr
	lost bool // what it has is in no order: nothing is asked of it any more, nor given back

	mu sync.Mutex // held by who interrupts, and by who is no longer to be interrupted
}

// sqliteError is what SQLite says is wrong.
type sqliteError struct {
	code int // the extended result code
	text string
}

func (f *sqliteError) Error() string { return f.text }

// patch mends what is wrong with the translation of SQLite on some platforms.
var patch = sync.OnceFunc(sqlite3.PatchIssue199)

// openHandle opens a file. What is opened is used by one goroutine at a time, so that SQLite needs no locks of its own for it.
func openHandle(name string) (*handle, error) {
	patch()
	h := &handle{tls: libc.NewTLS()}
	text, err := libc.CString(name)
	if err != nil {
		h.tls.Close()
		return nil, err
	}
	defer libc.Xfree(h.tls, text)
	err = h.out(func(p uintptr) int32 {
		const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE | sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_URI
		rc := sqlite3.Xsqlite3_open_v2(h.tls, text, p, flags, 0)
		h.db = *at[uintptr](p) // there is one mostly, also where it failed
		return rc
	})
	if err != nil {
		_ = h.close() // it was never used
		return nil, err
	}
	sqlite3.Xsqlite3_extended_result_codes(h.tls, h.db, 1)
	return h, nil
}

// close closes the file. No statement is left.
func (h *handle) close() error {
	if h.lost {
		return nil
	}
	if h.db != 0 {
		if rc := sqlite3.Xsqlite3_close_v2(h.tls, h.db); rc != sqlite3.SQLITE_OK {
			return h.fault(rc)
		}
	}
	if h.tls != nil {
		h.tls.Close()
	}
	h.db, h.tls = 0, nil
	return nil
}

// at is what lies at an address in memory that is not Go's.
func at[T any](p uintptr) *T { return (*T)(*(*unsafe.Pointer)(unsafe.Pointer(&p))) }

// out calls a function that writes a pointer to an address.
func (h *handle) out(call func(p uintptr) int32) error {
	p := libc.Xmalloc(h.tls, types.Size_t(2*unsafe.Sizeof(uintptr(0))))
	if p == 0 {
		return &sqliteError{code: CodeNoMem, text: "out of memory"}
	}
	defer libc.Xfree(h.tls, p)
	if rc := call(p); rc != sqlite3.SQLITE_OK {
		return h.fault(rc)
	}
	return nil
}

// fault says in words what a result code says, with what the connection knows about it.
func (h *handle) fault(rc int32) error {
	text := libc.GoString(sqlite3.Xsqlite3_errstr(h.tls, rc))
	if h.db != 0 && !h.lost {
		if more := libc.GoString(sqlite3.Xsqlite3_errmsg(h.tls, h.db)); more != text {
			text += ": " + more
		}
	}
	return &sqliteError{code: int(rc), text: fmt.Sprintf("%s (%d)", text, rc)}
}

// each prepares the statements of a text one after another, and hands them on.
func (h *handle) each(sql string, fn func(*query) error) error {
	text, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(h.tls, text)
	for next := text; *at[byte](next) != 0; {
		var q *query
		err := h.out(func(p uintptr) (rc int32) {
			if h.lost {
				return CodeInPage
			}
			defer h.caught(debug.SetPanicOnFault(true), &rc) // the schema may have to be read
			tail := p + unsafe.Sizeof(p)
			rc = sqlite3.Xsqlite3_prepare_v2(h.tls, h.db, next, -1, p, tail)
			if rc == sqlite3.SQLITE_OK {
				q, next = &query{handle: h, stmt: *at[uintptr](p)}, *at[uintptr](tail)
			}
			return rc
		})
		if err != nil {
			return err
		}
		if q.stmt == 0 {
			continue // blanks or a remark
		}
		if err := fn(q); err != nil {
			return err
		}
	}
	return nil
}

// prepare prepares the one statement of a text.
func (h *handle) prepare(sql string) (q *query, err error) {
	err = h.each(sql, func(found *query) error {
		if q != nil {
			found.free()
			return fmt.Errorf("more than one statement: %s", sql)
		}
		q = found
		return nil
	})
	if err == nil && q == nil {
		err = fmt.Errorf("no statement: %s", sql)
	}
	if err != nil {
		q.free()
		return nil, err
	}
	return q, nil
}

// watch interrupts what runs when ctx ends, until leave is called. Once leave has returned it does not: the next statement may be somebody else's.
func (h *handle) watch(ctx context.Context) (leave func()) {
	left := false
	stop := context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !left {
			tls := libc.NewTLS() // the connection's own is in use
			defer tls.Close()
			sqlite3.Xsqlite3_interrupt(tls, h.db)
		}
	})
	return func() {
		if !stop() {
			h.mu.Lock()
			defer h.mu.Unlock()
			left = true
		}
	}
}

// query is a prepared statement.
type query struct {
	*handle
	stmt uintptr
	room uintptr // what texts and bytes are copied to, for SQLite to read them there while the statement runs
	size int     // of room
}

// roomKept is up to how many bytes of room a statement keeps for its next run.
const roomKept = 1 << 14

// free frees a statement. What SQLite returns here is the error of the statement's last run once more: whoever ran it has it.
func (q *query) free() {
	if q == nil || q.lost {
		return
	}
	sqlite3.Xsqlite3_finalize(q.tls, q.stmt)
	libc.Xfree(q.tls, q.room)
	q.stmt, q.room, q.size = 0, 0, 0
}

// end makes a statement ready for its next run. What SQLite returns here is the error of the last run once more.
func (q *query) end() {
	if q.lost {
		return
	}
	sqlite3.Xsqlite3_reset(q.tls, q.stmt)
	sqlite3.Xsqlite3_clear_bindings(q.tls, q.stmt)
	if q.size > roomKept {
		libc.Xfree(q.tls, q.room)
		q.room, q.size = 0, 0
	}
}

// reserve makes room for n bytes.
func (q *query) reserve(n int) error {
	if n <= q.size {
		return nil
	}
	libc.Xfree(q.tls, q.room)
	q.room, q.size = libc.Xmalloc(q.tls, types.Size_t(n)), n
	if q.room == 0 {
		q.size = 0
		return &sqliteError{code: CodeNoMem, text: "out of memory"}
	}
	return nil
}

// step goes on to the next row, and reports whether there is one.
func (q *query) step() (bool, error) {
	switch rc := q.advance(); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, q.fault(rc)
	}
}

func (q *query) advance() (rc int32) {
	if q.lost {
		return CodeInPage
	}
	defer q.caught(debug.SetPanicOnFault(true), &rc)
	return sqlite3.Xsqlite3_step(q.tls, q.stmt)
}

// caught makes a result code of the fault that it is when the disk does not give what is at a mapped place of the file, which would end the
// program otherwise. SQLite has put nothing in order then: the connection is lost.
func (h *handle) caught(before bool, rc *int32) {
	debug.SetPanicOnFault(before)
	if p := recover(); p != nil {
		if _, ok := p.(interface{ Addr() uintptr }); !ok {
			panic(p)
		}
		h.lost, *rc = true, CodeInPage
	}
}

// columns is how many columns a row has.
func (q *query) columns() int { return int(sqlite3.Xsqlite3_column_count(q.tls, q.stmt)) }

// value reads a column of the row: int64, float64, string, []byte or nil.
func (q *query) value(i int) any {
	col := int32(i)
	switch sqlite3.Xsqlite3_column_type(q.tls, q.stmt, col) {
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_column_int64(q.tls, q.stmt, col)
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(q.tls, q.stmt, col)
	case sqlite3.SQLITE_TEXT:
		p := sqlite3.Xsqlite3_column_text(q.tls, q.stmt, col)
		return string(q.bytes(p, col))
	case sqlite3.SQLITE_BLOB:
		p := sqlite3.Xsqlite3_column_blob(q.tls, q.stmt, col)
		return append([]byte(nil), q.bytes(p, col)...)
	}
	return nil
}

// bytes is what a column has at an address: it is to be copied before anything else is asked of the statement.
func (q *query) bytes(p uintptr, col int32) []byte {
	n := int(sqlite3.Xsqlite3_column_bytes(q.tls, q.stmt, col))
	if p == 0 || n == 0 {
		return nil
	}
	return unsafe.Slice(at[byte](p), n)
}

// bind gives the parameters their values: args[places[i]] is that of parameter i, from 0 on, and a place below 0 stands for none.
func (q *query) bind(args []any, places []int) error {
	size := 1 // an empty text needs an address, too
	for _, k := range places {
		if k < 0 {
			continue
		}
		if v, ok := args[k].([]byte); ok {
			size += len(v)
		} else if v, ok := sqlrows.Text(args[k]); ok {
			size += len(v)
		}
	}
	if err := q.reserve(size); err != nil {
		return err
	}
	used := 0
	for i, k := range places {
		if k < 0 {
			continue // it is none already
		}
		var rc int32
		place, p := int32(i+1), q.room+uintptr(used)
		if v, ok := sqlrows.Text(args[k]); ok {
			used += copy(unsafe.Slice(at[byte](p), len(v)), v)
			if rc = sqlite3.Xsqlite3_bind_text(q.tls, q.stmt, place, p, int32(len(v)), 0); rc != sqlite3.SQLITE_OK {
				return q.fault(rc)
			}
			continue
		}
		switch v := sqlrows.Value(args[k]).(type) {
		case nil:
		case int64:
			rc = sqlite3.Xsqlite3_bind_int64(q.tls, q.stmt, place, v)
		case float64:
			rc = sqlite3.Xsqlite3_bind_double(q.tls, q.stmt, place, v)
		case bool:
			n := int64(0)
			if v {
				n = 1
			}
			rc = sqlite3.Xsqlite3_bind_int64(q.tls, q.stmt, place, n)
		case []byte:
			if v == nil {
				break
			}
			used += copy(unsafe.Slice(at[byte](p), len(v)), v)
			rc = sqlite3.Xsqlite3_bind_blob(q.tls, q.stmt, place, p, int32(len(v)), 0)
		default:
			return fmt.Errorf("a %T is no value for a statement", v)
		}
		if rc != sqlite3.SQLITE_OK {
			return q.fault(rc)
		}
	}
	return nil
}
