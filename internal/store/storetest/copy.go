package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Whole is a store with what a copy of it is made from, and into.
type Whole struct {
	store.Store
	All store.Rows
}

// Opener makes a store, new and empty, with the clock that it is given.
type Opener func(t *testing.T, now func() time.Time) Whole

// Copy holds copies of all rows from a store of one kind to one of another, and back, to what is said of [store.Copy].
func Copy(t *testing.T, from, to Opener) {
	t.Run("ThereAndBack", func(t *testing.T) {
		t.Parallel()
		thereAndBack(t, from, to)
	})
	CopySome(t, from, to)
}

// CopySome is Copy without the long history of records.
func CopySome(t *testing.T, from, to Opener) {
	for name, run := range map[string]func(*testing.T, Whole, Whole){
		"CutOff": cutOff, "BrokenWrites": brokenWrites, "Changed": changed, "Damaged": damaged, "Vacant": vacant, "Two": two, "NoText": noText, "Lost": lost,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newCopyWorld(t, from)
			fillSome(w)
			run(t, w.whole(), to(t, w.clock))
		})
	}
}

// fillSome writes rows of each table.
func fillSome(w *copyWorld) {
	node := w.node("work.plans")
	w.ok(w.PutKey(w.ctx(), lukasa.Key{ID: w.id(lukasa.PrefixKey), User: w.owner, Name: "k", Role: lukasa.RoleUser, CreatedAt: w.tick()}, []byte("hash")))
	org := w.id(store.PrefixOrganisation)
	w.ok(w.PutUser(w.ctx(), lukasa.User{ID: org, Name: "Acme", Role: lukasa.RoleUser, CreatedAt: w.tick()}, []byte("wrapped")))
	w.ok(w.PutMember(w.ctx(), store.Member{Org: org, User: w.owner, Role: store.MemberOwner, AddedBy: w.owner, AddedAt: w.tick()}))
	w.ok(w.PutKey(w.ctx(), lukasa.Key{ID: w.id(lukasa.PrefixKey), User: w.owner, Org: org, Name: "k", Role: lukasa.RoleUser, CreatedAt: w.tick()}, []byte("another hash")))
	var file lukasa.ID
	for i := range 12 {
		file = w.id(lukasa.PrefixFile)
		d := w.doc(node, fmt.Sprintf("text %d: Grüße, 日本", i))
		d.Metadata = map[string]any{"n": float64(i), "f": 0.1}
		chunks := []lukasa.Chunk{{ID: w.id(lukasa.PrefixChunk), Content: d.Content}, {ID: w.id(lukasa.PrefixChunk), Seq: 1, Content: "more"}}
		m := w.memory(node, fmt.Sprintf("memory %d", i))
		m.Confidence = 1.0 / 3
		m.Sources = []lukasa.Source{{Document: d.ID, Quote: "text"}}
		w.update(func(tx store.Tx) error {
			return errors.Join(tx.PutDocument(d), tx.ReplaceChunks(d.ID, chunks), tx.PutMemory(m), tx.PutVectors(copySpace, []store.Vector{
				{Entry: chunks[0].ID, Type: lukasa.EntryChunk, Vector: []float32{1, 0.5, float32(i)}},
			}), tx.PutVectors("other", []store.Vector{{Entry: chunks[0].ID, Type: lukasa.EntryChunk, Vector: []float32{2}}}),
				tx.PutFile(lukasa.File{ID: file, Document: d.ID, Role: "original", Name: "a.txt", Type: "text/plain", Size: 3, SHA256: "sum", Inline: []byte{0, 1, 0xff}, CreatedAt: w.tick()}),
				tx.Enqueue(lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobKind("embed"), Record: d.ID, MaxTries: 3, RunAt: w.tick(), Created: w.tick()}),
				tx.PutEdges([]lukasa.Edge{{From: string(d.ID), To: string(m.ID), Type: "derived_from", Weight: 0.3, Confidence: 0.7, CreatedAt: w.tick()}}))
		})
		if i == 3 { // what comes later is a little newer
			m.Content += ", and more"
			w.tick()
			w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
		}
	}
	f := lukasa.File{ID: file, SHA256: "sum", SealedSize: 2, Inline: []byte{1}, UsedAt: w.tick()}
	moved, err := w.MoveFile(w.ctx(), w.owner, f, store.FileEvent{File: file, From: store.FileActive, To: store.FileDormant, Trigger: "manual", Before: 3, After: 2, At: w.tick()})
	if w.ok(err); !moved {
		w.t.Fatal("the file did not move")
	}
	w.ok(w.Audit(w.ctx(), store.Audit{Owner: w.owner, Actor: w.owner, Action: "test", Details: map[string]any{"a": 1.5}, At: w.tick()}))
	w.ok(w.SetSetting(w.ctx(), "a setting", "value"))
}

// tablesOf reads all rows of all tables, as texts.
func tablesOf(t *testing.T, s Whole) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	counts := must[[]store.Copied](t)(s.All.Count(t.Context()))
	for _, c := range counts {
		var list []string
		err := s.All.Read(t.Context(), "", func(st store.Statements) error {
			columns, err := s.All.Columns(st, c.Table)
			if err != nil {
				return err
			}
			list = nil
			return st.Query(func(r store.Row) {
				list = append(list, fmt.Sprintf("%q", r))
			}, "SELECT "+strings.Join(columns, ", ")+" FROM "+c.Table)
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(list)
		out[c.Table] = list
	}
	return out
}

// equal compares all rows of two stores.
func equal(t *testing.T, a, b Whole) {
	t.Helper()
	want, got := tablesOf(t, a), tablesOf(t, b)
	same(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	for name, list := range want {
		if diff := cmp.Diff(list, got[name], cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s (-want +got)\n%s", name, diff)
		}
	}
	for _, s := range []Whole{a, b} {
		if found := must[[]string](t)(s.Check(t.Context())); len(found) > 0 {
			t.Fatalf("check found damage: %q", found)
		}
	}
}

func thereAndBack(t *testing.T, from, to Opener) {
	var a Whole
	var clock func() time.Time
	runLife(t, func(t *testing.T, now func() time.Time) store.Store {
		a, clock = from(t, now), now
		return a
	}, 1)
	w := newCopyWorld(t, func(*testing.T, func() time.Time) Whole { return a })
	fillSome(w)
	b, back := to(t, clock), from(t, clock)
	for _, step := range [][2]Whole{{a, b}, {b, back}} {
		notices := 0
		list, err := store.Copy(t.Context(), step[0].All, step[1].All, store.Copying{Notice: func(store.Copied) { notices++ }})
		if err != nil {
			t.Fatal(err)
		}
		if notices < 2*len(list) {
			t.Errorf("%d notices for %d tables", notices, len(list))
		}
		total := map[string]int64{}
		for _, c := range list {
			if total[c.Table] = c.Rows; c.Rows != c.Total || c.Checked != c.Total || len(c.Sum) != 64 {
				t.Errorf("%+v", c)
			}
		}
		for _, name := range []string{"owners", "documents", "memories", "deltas", "edges", "entities", "segments", "messages", "embeddings_1", "embeddings_2", "files", "file_events", "audit", "jobs", "settings", "spaces", "api_keys", "members"} {
			if total[name] == 0 {
				t.Errorf("no rows of %s were copied: the test shows nothing of them", name)
			}
		}
		equal(t, step[0], step[1])
	}
	sights(t, a, b)
	sights(t, a, back)
	// What was copied goes on living: numbers that the database gives out do not meet those that came.
	w.use(b)
	fillSomeMore(w)
	if found := must[[]string](t)(b.Check(t.Context())); len(found) > 0 {
		t.Fatalf("check found damage: %q", found)
	}
}

// fillSomeMore writes where numbers are given out.
func fillSomeMore(w *copyWorld) {
	node := w.node("new")
	d := w.doc(node, "new text")
	c := lukasa.Chunk{ID: w.id(lukasa.PrefixChunk), Content: d.Content}
	w.update(func(tx store.Tx) error {
		return errors.Join(tx.PutDocument(d), tx.ReplaceChunks(d.ID, []lukasa.Chunk{c}),
			tx.PutVectors("third", []store.Vector{{Entry: c.ID, Type: lukasa.EntryChunk, Vector: []float32{1}}}))
	})
	w.ok(w.Audit(w.ctx(), store.Audit{Owner: w.owner, Actor: w.owner, Action: "test", At: w.tick()}))
}

// sights holds what readers of two stores see at several moments against each other.
func sights(t *testing.T, a, b Whole) {
	t.Helper()
	users := must[[]lukasa.User](t)(a.Users(t.Context()))
	ids := func(table, owner string) (list []lukasa.ID) {
		err := a.All.Read(t.Context(), lukasa.ID(owner), func(s store.Statements) error {
			list = nil
			return s.Query(func(r store.Row) { list = append(list, lukasa.ID(r.Text(0))) }, "SELECT id FROM "+table+" WHERE owner_id = ?1 ORDER BY id")
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	var first, last time.Time
	err := a.All.Read(t.Context(), "", func(s store.Statements) error {
		return s.Query(func(r store.Row) { first, last = r.Time(0), r.Time(1) }, "SELECT min(at), max(at) FROM deltas")
	})
	if err != nil {
		t.Fatal(err)
	}
	rich := 0
	for _, u := range users {
		nodes, entities := ids("nodes", string(u.ID)), ids("entities", string(u.ID))
		sc := lukasa.Scope{Owner: u.ID, Principal: u.ID}
		for i := range 6 {
			at := first.Add(last.Sub(first) * time.Duration(i+1) / 6)
			var seen [2]Sight
			for k, s := range []Whole{a, b} {
				if err := s.ViewAt(t.Context(), sc, at, func(r store.Reader) error {
					seen[k] = Look(t, r, nodes, entities, at)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			if len(seen[0].Documents) > 0 {
				rich++
			}
			same(t, seen[0], seen[1])
		}
	}
	if rich == 0 {
		t.Error("no moment shows a document")
	}
}

// cutOff ends a copy at each of its steps, and goes on.
func cutOff(t *testing.T, a, b Whole) { // migrate: resumable
	calls := 0
	tables := map[string]int{}
	for {
		if calls++; calls > 500 {
			t.Fatal("it never ends")
		}
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		_, err := store.Copy(ctx, a.All, b.All, store.Copying{Step: 5, Notice: func(c store.Copied) {
			if n++; n == 2 && c.Sum == "" {
				tables[c.Table]++
				stop()
			}
		}})
		stop()
		if err == nil {
			break
		}
		if calls < 100 && ctx.Err() == nil {
			t.Fatal(err)
		}
		if begun := must[bool](t)(b.All.Begun(t.Context())); !begun {
			t.Fatal("a store that is half full does not say so")
		}
		if tables["spaces"] > 0 || calls >= 30 { // what is left is read and compared
			if _, err := store.Copy(t.Context(), a.All, b.All, store.Copying{Step: 5}); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if len(tables) < 8 {
		t.Errorf("it was cut off in %v only", tables)
	}
	equal(t, a, b)
	if begun := must[bool](t)(b.All.Begun(t.Context())); begun {
		t.Error("a store that is full says that it is being filled")
	}
}

// brokenWrites makes writes fail before, within and right after their transactions.
func brokenWrites(t *testing.T, a, b Whole) {
	away := &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "away"}
	flaky, n := b.All, 0
	flaky.Write = func(ctx context.Context, owner lukasa.ID, fn func(store.Statements) error) error {
		switch n++; n % 5 {
		case 1:
			return away
		case 2:
			return errors.Join(b.All.Write(ctx, owner, func(s store.Statements) error { return errors.Join(fn(s), away) }))
		case 4: // it was kept, and nobody said so
			if err := b.All.Write(ctx, owner, fn); err != nil {
				return err
			}
			return away
		}
		return b.All.Write(ctx, owner, fn)
	}
	var err error
	for range 20 {
		if _, err = store.Copy(t.Context(), a.All, flaky, store.Copying{Step: 5}); err == nil {
			break
		}
		if lukasa.CodeOf(err) != lukasa.CodeUnavailable {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	equal(t, a, b)
}

// cut begins a copy, and ends it in a table.
func cut(t *testing.T, a, b Whole, table string, when func(store.Copied) bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	_, err := store.Copy(ctx, a.All, b.All, store.Copying{Step: 5, Notice: func(c store.Copied) {
		if c.Table == table && when(c) {
			stop()
		}
	}})
	if err == nil {
		t.Fatal("it was not cut off")
	}
}

func run(t *testing.T, s Whole, sql string, args ...any) int64 {
	t.Helper()
	var n int64
	if err := s.All.Write(t.Context(), "", func(st store.Statements) (err error) {
		n, err = st.Run(sql, args...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func refused(t *testing.T, err error, code lukasa.Code, words ...string) {
	t.Helper()
	if lukasa.CodeOf(err) != code {
		t.Fatalf("error %v of code %q, want %q", err, lukasa.CodeOf(err), code)
	}
	e, _ := errors.AsType[*lukasa.Error](err)
	for _, w := range words {
		if !strings.Contains(err.Error()+" "+e.Hint, w) {
			t.Errorf("%q, hint %q: nothing of %q", err, e.Hint, w)
		}
	}
}

// changed writes to the source while a copy of it is half done.
func changed(t *testing.T, a, b Whole) {
	cut(t, a, b, "documents", func(store.Copied) bool { return true })
	users := must[[]lukasa.User](t)(a.Users(t.Context()))
	was := must[string](t)(a.All.State(t.Context()))
	if err := a.Update(t.Context(), lukasa.Scope{Owner: users[0].ID, Principal: users[0].ID}, func(tx store.Tx) error {
		nodes, err := tx.Nodes(nil, true)
		if err != nil {
			return err
		}
		return tx.PutMemory(lukasa.Memory{ID: "mem_new", Node: nodes[0].ID, Kind: lukasa.KindFact, Content: "new", IsLatest: true, RecordedAt: start, UpdatedAt: start})
	}); err != nil {
		t.Fatal(err)
	}
	if is := must[string](t)(a.All.State(t.Context())); is == was {
		t.Error("a write does not change the state of a store")
	}
	_, err := store.Copy(t.Context(), a.All, b.All, store.Copying{})
	refused(t, err, lukasa.CodeConflict, "changed since the copy was begun", "--restart")
	if err := b.All.Empty(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, list := range tablesOf(t, b) {
		if len(list) > 0 {
			t.Errorf("%s still has %d rows", name, len(list))
		}
	}
	if _, err := store.Copy(t.Context(), a.All, b.All, store.Copying{}); err != nil {
		t.Fatal(err)
	}
	equal(t, a, b)
	refused(t, b.All.Empty(t.Context()), lukasa.CodeConflict, "not one that was begun")
}

// damaged changes rows of the copy before they are compared.
func damaged(t *testing.T, a, b Whole) {
	compared := func(c store.Copied) bool { return c.Sum != "" }
	cut(t, a, b, "owners", compared)
	var id, content string
	if err := a.All.Read(t.Context(), "", func(s store.Statements) error {
		return s.Query(func(r store.Row) { id, content = r.Text(0), r.Text(1) }, "SELECT id, content FROM memories ORDER BY owner_id, id LIMIT 1 OFFSET 7")
	}); err != nil {
		t.Fatal(err)
	}
	run(t, b, "UPDATE memories SET content = 'x' WHERE id = ?5", id)
	_, err := store.Copy(t.Context(), a.All, b.All, store.Copying{})
	refused(t, err, lukasa.CodeConflict, "memories has 12 rows", id, "differs", "--restart")

	run(t, b, "UPDATE memories SET content = ?6 WHERE id = ?5", id, content)
	run(t, b, "DELETE FROM memory_sources WHERE memory_id = ?5", id)
	_, err = store.Copy(t.Context(), a.All, b.All, store.Copying{})
	refused(t, err, lukasa.CodeConflict, "memory_sources", id, "is missing")

	cp := "INSERT INTO memory_sources (owner_id, memory_id, n, document_id, message_id, start_at, end_at, quote) SELECT owner_id, ?5, ?6, document_id, '', 0, 0, quote FROM memory_sources WHERE n = 0"
	run(t, b, cp+" LIMIT 1", id, 44)
	_, err = store.Copy(t.Context(), a.All, b.All, store.Copying{})
	refused(t, err, lukasa.CodeConflict, "memory_sources", id)
}

// vacant refuses a store in which there is anything.
func vacant(t *testing.T, a, b Whole) {
	if err := b.SetSetting(t.Context(), "x", "y"); err != nil {
		t.Fatal(err)
	}
	_, err := store.Copy(t.Context(), a.All, b.All, store.Copying{})
	refused(t, err, lukasa.CodeConflict, "not empty", "settings", "nothing has been written")
	refused(t, b.All.Empty(t.Context()), lukasa.CodeConflict, "not one that was begun")
	if err := b.SetSetting(t.Context(), "x", ""); err != nil {
		t.Fatal(err)
	}
	cut(t, a, b, "documents", func(store.Copied) bool { return true })
	_, err = store.Copy(t.Context(), b.All, a.All, store.Copying{})
	refused(t, err, lukasa.CodeConflict, "itself a copy that was not ended")
}

// two has a second copy write to the same store.
func two(t *testing.T, a, b Whole) {
	once := false
	_, err := store.Copy(t.Context(), a.All, b.All, store.Copying{Step: 5, Notice: func(c store.Copied) {
		if c.Table == "documents" && !once {
			once = true
			if _, err := store.Copy(t.Context(), a.All, b.All, store.Copying{}); err != nil {
				t.Error(err)
			}
		}
	}})
	refused(t, err, lukasa.CodeConflict, "another process")
	equal(t, a, b)
}

// noText has a text that not every store can keep.
func noText(t *testing.T, a, b Whole) {
	if a.All.Strict || !b.All.Strict {
		t.Skip("only from a store that keeps everything to one that does not")
	}
	var id string
	if err := a.All.Read(t.Context(), "", func(s store.Statements) error {
		return s.Query(func(r store.Row) { id = r.Text(0) }, "SELECT id FROM documents ORDER BY id LIMIT 1")
	}); err != nil {
		t.Fatal(err)
	}
	run(t, a, "UPDATE documents SET title = ?6 WHERE id = ?5", id, "a\x00b\xffé")
	_, err := store.Copy(t.Context(), a.All, b.All, store.Copying{})
	refused(t, err, lukasa.CodeInvalid, id, "U+0000", "--clean")
	if e, _ := errors.AsType[*lukasa.Error](err); e.Field != "title" {
		t.Errorf("field %q", e.Field)
	}
	list, err := store.Copy(t.Context(), a.All, b.All, store.Copying{Clean: true})
	if err != nil {
		t.Fatal(err)
	}
	var title string
	if err := b.All.Read(t.Context(), "", func(s store.Statements) error {
		return s.Query(func(r store.Row) { title = r.Text(0) }, "SELECT title FROM documents WHERE id = ?5", id)
	}); err != nil {
		t.Fatal(err)
	}
	same(t, "a\x1ab\x1aé", title)
	for _, c := range list {
		if c.Table == "documents" && (c.Cleaned != 1 || len(c.Where) != 1 || !strings.Contains(c.Where[0], id) || !strings.HasSuffix(c.Where[0], "title")) || c.Table != "documents" && c.Cleaned != 0 {
			t.Errorf("%s: %d, %q", c.Table, c.Cleaned, c.Where)
		}
	}
}

// lost has a source that shows fewer rows than it counts, as where rights run out in a long transaction.
func lost(t *testing.T, a, b Whole) {
	short := a.All
	short.Read = func(ctx context.Context, owner lukasa.ID, fn func(store.Statements) error) error {
		return a.All.Read(ctx, owner, func(s store.Statements) error { return fn(forgetful{s}) })
	}
	_, err := store.Copy(t.Context(), short, b.All, store.Copying{})
	refused(t, err, lukasa.CodeConflict, "copy memories", "0 rows came of 12")
}

// forgetful statements find no memories.
type forgetful struct{ store.Statements }

func (f forgetful) Query(fn func(store.Row), sql string, args ...any) error {
	if strings.Contains(sql, " FROM memories ") && !strings.Contains(sql, "count(*)") {
		return nil
	}
	return f.Statements.Query(fn, sql, args...)
}
