package sqlite

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// TestANameIsFoundByItsIndex looks up what stands under a caller's name, as each write under one does: however many documents the node
// holds, no others are read.
func TestANameIsFoundByItsIndex(t *testing.T) {
	t.Parallel()
	db, sc, _ := pastStore(t, 10)
	at := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	err := db.Update(t.Context(), sc, func(tx store.Tx) error {
		for _, d := range []lukasa.Document{{ID: "doc_old", IsLatest: true}, {ID: "doc_new", Previous: "doc_old", IsLatest: true}, {ID: "doc_waits", Status: lukasa.StatusFailed}} {
			d.Node, d.CustomID, d.CreatedAt, d.UpdatedAt = "node_many", "note", at, at
			if err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []byte{'!', 0} {
		err = db.View(t.Context(), sc, func(r store.Reader) error {
			l, err := r.Documents(lukasa.DocumentFilter{Containers: []lukasa.Pattern{{Path: "many", Mode: mode}}, CustomID: "note", AllVersions: true}, lukasa.Page{Limit: 2})
			if err == nil && (l.Total != 3 || len(l.Items) != 2) {
				t.Errorf("found %d, %d of them listed; want 3 and 2", l.Total, len(l.Items))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	err = db.readers.With(t.Context(), func(c *Conn) error {
		for _, sql := range c.Statements() {
			if !strings.Contains(sql, "d.custom_id =") && !strings.Contains(sql, "FROM nodes n WHERE n.path =") {
				continue
			}
			asked++
			if err := c.Each(t.Context(), "EXPLAIN QUERY PLAN "+sql, make([]any, 20), func(r sqlrows.Row) error {
				step := r.Text(3)
				if strings.HasPrefix(step, "SCAN ") && !strings.Contains(step, "VIRTUAL") ||
					strings.HasPrefix(step, "SEARCH d ") && !strings.Contains(step, "documents_custom (owner_id=? AND node_id=? AND custom_id=?)") {
					t.Errorf("%s\n  in %s", step, sql)
				}
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || asked < 3 {
		t.Fatalf("looked at %d statements: %v", asked, err)
	}
}

// Whatever a tag is made of, a list is narrowed to it, today and of a moment, and to nothing that only looks like it.
func TestTagsAreFoundAsTheyAre(t *testing.T) {
	t.Parallel()
	db, sc, _ := pastStore(t, 10)
	tags := []string{"plain", "pla", "R&D", "a<b", `say "hi"`, `back\slash`, "été", "list]", "[", "two words", "PLAIN", "\u2028", "%", "_"}
	at := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	write := func(version string) {
		err := db.Update(t.Context(), sc, func(tx store.Tx) error {
			for i, tag := range tags {
				d := lukasa.Document{ID: lukasa.ID("doc_tag" + string(rune('a'+i))), Node: "node_many", IsLatest: true, Title: version, Tags: []string{"first" + version, tag}, CreatedAt: at, UpdatedAt: at}
				if err := tx.PutDocument(d); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	write("1")
	then := time.Now()
	write("2")
	look := func(r store.Reader) error {
		for i, tag := range tags {
			for _, list := range [][]string{{tag}, {tag, "none"}} {
				l, err := r.Documents(lukasa.DocumentFilter{Tags: list}, lukasa.Page{})
				if err != nil {
					return err
				}
				if want := lukasa.ID("doc_tag" + string(rune('a'+i))); l.Total != 1 || l.Items[0].ID != want {
					t.Errorf("%q: found %d, want %s alone", list, l.Total, want)
				}
			}
		}
		return nil
	}
	if err := errors.Join(db.View(t.Context(), sc, look), db.ViewAt(t.Context(), sc, then, look)); err != nil {
		t.Fatal(err)
	}
}
