package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// pastStore is a store with n documents and memories of two nodes, each changed once at the end. Every tenth memory is superseded.
func pastStore(t testing.TB, n int) (db *DB, sc lukasa.Scope, then time.Time) {
	t.Helper()
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), Options{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	sc = lukasa.Scope{Owner: "usr_1", Principal: "usr_1"}
	if err := db.PutUser(t.Context(), lukasa.User{ID: sc.Owner, Name: "Ada"}, nil); err != nil {
		t.Fatal(err)
	}
	update := func(fn func(store.Tx) error) {
		t.Helper()
		if err := db.Update(t.Context(), sc, fn); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx store.Tx) error {
		for _, p := range []lukasa.Path{"", "few", "many"} {
			if err := tx.PutNode(lukasa.Node{ID: lukasa.ID("node_" + p), Path: p}); err != nil {
				return err
			}
		}
		return nil
	})
	put := func(tx store.Tx, i int, title string) error {
		node := lukasa.ID("node_many")
		if i%1000 == 0 {
			node = "node_few"
		}
		if err := tx.PutDocument(lukasa.Document{ID: lukasa.ID(fmt.Sprintf("doc_%d", i)), Node: node, Title: title, Content: "text", ContentHash: "x", IsLatest: true, CreatedAt: at, UpdatedAt: at}); err != nil {
			return err
		}
		m := lukasa.Memory{ID: lukasa.ID(fmt.Sprintf("mem_%d", i)), Node: node, Content: title, IsLatest: true, RecordedAt: at.Add(time.Duration(i) * time.Microsecond)}
		m.Sources = []lukasa.Source{{Message: lukasa.ID(fmt.Sprintf("msg_%d", i)), End: 9}}
		if i%10 == 0 {
			m.IsLatest, m.RetiredBy = false, "mem_1"
		}
		return tx.PutMemory(m)
	}
	all := func(title string) {
		for i := 0; i < n; i += 1000 {
			update(func(tx store.Tx) error {
				for k := range min(1000, n-i) {
					if err := put(tx, i+k, title); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	all("before")
	at = at.Add(time.Hour)
	then, at = at, at.Add(time.Hour)
	all("after")
	return db, sc, then
}

// pastReads are the reads that are common.
var pastReads = map[string]func(store.Reader) error{
	"Document":      func(r store.Reader) error { _, err := r.Document("doc_7"); return err },
	"DocumentsByID": func(r store.Reader) error { _, err := r.DocumentsByID([]lukasa.ID{"doc_1", "doc_2"}); return err },
	"MemoriesByID":  func(r store.Reader) error { _, err := r.MemoriesByID([]lukasa.ID{"mem_1", "mem_2"}); return err },
	"Memories of a node": func(r store.Reader) error {
		_, err := r.Memories(lukasa.MemoryFilter{Containers: []lukasa.Pattern{{Path: "few"}}, Latest: new(true)}, lukasa.Page{})
		return err
	},
	"Documents of a node": func(r store.Reader) error {
		_, err := r.Documents(lukasa.DocumentFilter{Containers: []lukasa.Pattern{{Path: "few"}}}, lukasa.Page{})
		return err
	},
	"MessagesByID": func(r store.Reader) error { _, err := r.MessagesByID([]lukasa.ID{"msg_1"}); return err },
	"MessagesIn": func(r store.Reader) error {
		return r.MessagesIn("doc_7", 0, func(lukasa.Message) bool { return true })
	},
	"ChunksByID": func(r store.Reader) error { _, err := r.ChunksByID([]lukasa.ID{"chk_1"}); return err },
	"Chunks":     func(r store.Reader) error { _, err := r.Chunks("doc_7"); return err },
	"Segment":    func(r store.Reader) error { _, err := r.Segment("doc_7"); return absent(err) },
	"Node":       func(r store.Reader) error { _, err := r.Node("node_few"); return err },
	"NodeAt":     func(r store.Reader) error { _, err := r.NodeAt("few"); return err },
	"Edges":      func(r store.Reader) error { _, err := r.Edges([]lukasa.ID{"doc_7"}, nil, 10); return err },
	"History":    func(r store.Reader) error { _, err := r.History("doc_7", lukasa.Page{}); return err },
	"Since": func(r store.Reader) error {
		n := 0
		return r.Since([]lukasa.ID{"node_few"}, "", func(lukasa.ID, *lukasa.Entry) bool { n++; return n < 1000 })
	},
	"True": func(r store.Reader) error {
		_, err := r.Memories(lukasa.MemoryFilter{ValidAt: new(time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC))}, lukasa.Page{})
		return err
	},
	"Superseded": func(r store.Reader) error {
		_, err := r.Superseded([]lukasa.Source{{Message: "msg_0", End: 9}, {Document: "doc_7", End: 9}})
		return err
	},
	"Conversation":  func(r store.Reader) error { _, err := r.Conversation("conv_1"); return absent(err) },
	"EntitiesNamed": func(r store.Reader) error { _, err := r.EntitiesNamed([]string{"Dave"}); return err },
}

func absent(err error) error {
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil
	}
	return err
}

func TestPastReadsUseIndexes(t *testing.T) {
	t.Parallel()
	db, sc, then := pastStore(t, 10)
	for _, scope := range []lukasa.Scope{sc, {Owner: sc.Owner, Root: "few"}} {
		for name, read := range pastReads {
			if err := db.ViewAt(t.Context(), scope, then, func(r store.Reader) error { return absent(read(r)) }); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	err := db.past.With(t.Context(), func(c *Conn) error {
		for _, sql := range c.Statements() {
			if !strings.HasPrefix(sql, "SELECT") && !strings.HasPrefix(sql, "WITH") || strings.Contains(sql, "FROM nodes n WHERE") || strings.Contains(sql, "FROM spaces") {
				continue // few nodes
			}
			err := c.Each(t.Context(), "EXPLAIN QUERY PLAN "+sql, make([]any, 20), func(r sqlrows.Row) error {
				step := r.Text(3)
				if strings.Contains(step, "AUTOMATIC") || strings.Contains(step, "MATERIALIZE") ||
					strings.HasPrefix(step, "SEARCH h ") && strings.HasSuffix(step, "(owner_id=?)") || (strings.HasPrefix(step, "SCAN ") &&
					!strings.Contains(step, "VIRTUAL") && !strings.Contains(step, "moment") && !strings.Contains(step, "CONSTANT") && !strings.HasPrefix(step, "SCAN (") && step != "SCAN chain") { // what a statement itself has found
					t.Errorf("%s\n  in %s", step, sql)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkPast measures reads of a moment over 100,000 documents and memories that have all changed since.
func BenchmarkPast(b *testing.B) {
	db, sc, then := pastStore(b, 100_000)
	for _, name := range []string{"Document", "DocumentsByID", "MemoriesByID", "Memories of a node", "Documents of a node", "Since", "True", "Superseded"} {
		b.Run(strings.ReplaceAll(name, " ", ""), func(b *testing.B) {
			for b.Loop() {
				if err := db.ViewAt(b.Context(), sc, then, func(r store.Reader) error { return pastReads[name](r) }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
