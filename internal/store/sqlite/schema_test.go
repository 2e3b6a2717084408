package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

func TestOtherSchemasAreRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := OpenConn(URI(path), "busy_timeout=1000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := c.Script("INSERT INTO schema_migrations VALUES (9999, 'x', 'y', 0)"); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, Options{})
	var e *lukasa.Error
	if !errors.As(err, &e) || e.Code != lukasa.CodeConflict || e.Hint == "" {
		t.Fatalf("a newer store gave %v, want a conflict with a hint", err)
	}
	if err := c.Script("DELETE FROM schema_migrations WHERE version = 9999; UPDATE schema_migrations SET checksum = 'other'"); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(t.Context(), path, Options{}); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Fatalf("another first step gave %v, want a conflict", err)
	}
}

func TestEmbeddedStepsAreNumbered(t *testing.T) {
	t.Parallel()
	steps := Steps(migrationFiles, "migrations/*.sql")
	if len(steps) == 0 {
		t.Fatal("no steps")
	}
	for i, m := range steps {
		if m.Version != i+1 || m.SQL == "" || m.Name[:5] != fmt.Sprintf("%04d_", i+1) {
			t.Errorf("step %d is %d, %s", i+1, m.Version, m.Name)
		}
	}
}

// TestTheFirstReleaseIsMigrated opens a store of the first schema, with rows that the second looks at in a new way.
func TestTheFirstReleaseIsMigrated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	c, err := OpenConn(URI(path), "journal_mode=WAL")
	if err != nil {
		t.Fatal(err)
	}
	steps := Steps(migrationFiles, "migrations/*.sql")
	if err := Migrate(t.Context(), c, path, steps[:1]); err != nil {
		t.Fatal(err)
	}
	err = c.Script(`
INSERT INTO nodes VALUES ('usr_1', 'node_r', NULL, '', '', 'root', 0, '', 0, 1000000, 1000000), ('usr_1', 'node_1', 'node_r', 'work', 'work', 'topic', 1, 'about work', 0, 1000000, 1000000);
INSERT INTO documents (owner_id, id, node_id, title, title_fold, content_type, language, category, summary, source_url, custom_id, origin, content_hash, size, status, reason,
 version, previous_id, is_latest, segment_of, created_at, updated_at, access_count)
VALUES ('usr_1', 'doc_1', 'node_1', 'Note', 'note', '', '', '', '', '', '', '', 'h', 4, 'done', '', 1, '', 0, '', 2000000, 2000000, 0),
 ('usr_1', 'doc_2', 'node_1', 'Note', 'note', '', '', '', '', '', '', '', 'i', 4, 'done', '', 2, 'doc_1', 1, '', 3000000, 3000000, 0),
 ('usr_1', 'doc_3', 'node_1', 'Talk', 'talk', 'conversation', '', '', '', '', '', '', '', 0, 'done', '', 1, '', 1, 'conv_1', 4000000, 4000000, 0);
INSERT INTO contents VALUES ('usr_1', 'doc_2', 'text');
INSERT INTO files VALUES ('usr_1', 'file_1', 'doc_2', 'raw', 'a', 't', 1, 1, 'b', '00', 3000000, NULL);
INSERT INTO memories (owner_id, id, node_id, kind, content, slot, value, subject, confidence, origin, extractor, is_latest, retired_by, reason, recorded_at, updated_at)
VALUES ('usr_1', 'mem_1', 'node_1', 'fact', 'old fact', '', '', '', 1, '', '', 1, '', '', 3000000, 3000000);
INSERT INTO memories (owner_id, id, node_id, kind, content, slot, value, subject, confidence, metadata, origin, extractor, is_latest, retired_by, reason, recorded_at, updated_at)
VALUES ('usr_1', 'mem_2', 'node_1', 'fact', 'said', '', '', '', 1, '{"said_at":"1970-01-01T01:00:02.123456+01:00"}', '', '', 1, '', '', 3000000, 3000000),
 ('usr_1', 'mem_3', 'node_1', 'fact', 'said some day', '', '', '', 1, '{"said_at":"some day"}', '', '', 1, '', '', 3000000, 3000000);
INSERT INTO conversations VALUES ('usr_1', 'conv_1', 'node_1', 'talk', 'doc_3', 1, 1, 4000000, 4000000);
INSERT INTO messages VALUES ('usr_1', 'msg_1', 'conv_1', 'doc_3', 'node_1', '', 0, 'user', 'Ada', '', 'hello', NULL, 3500000, 4000000);
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	now := time.UnixMicro(9_000_000)
	db, err := Open(t.Context(), path, Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := os.Stat(path + ".bak-1"); err != nil {
		t.Errorf("no backup: %v", err)
	}
	sc := lukasa.Scope{Owner: "usr_1"}
	look := func(r store.Reader) error {
		d, err := r.Document("doc_2")
		if err != nil || d.Content != "text" || d.Previous != "doc_1" {
			t.Errorf("document: %+v, %v", d, err)
		}
		if chain, err := r.Versions("doc_1"); err != nil || len(chain) != 2 {
			t.Errorf("versions: %v, %v", chain, err)
		}
		if m, err := r.Memory("mem_1"); err != nil || m.Content != "old fact" {
			t.Errorf("memory: %+v, %v", m, err)
		}
		if g, err := r.Segment("doc_3"); err != nil || g.State != lukasa.SegmentOpen || g.Messages != 1 || g.Topic != "Talk" || !g.StartedAt.Equal(time.UnixMicro(3_500_000)) {
			t.Errorf("segment: %+v, %v", g, err)
		}
		if l, err := r.Messages("conv_1", lukasa.Page{}); err != nil || l.Total != 1 {
			t.Errorf("messages: %v, %v", l, err)
		}
		files, err := r.Files("doc_2", "")
		if err != nil || len(files) != 1 || files[0].State != "active" || !files[0].UsedAt.Equal(time.UnixMicro(3_000_000)) {
			t.Errorf("files: %+v, %v", files, err)
		}
		return nil
	}
	if err := db.View(t.Context(), sc, look); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int64]int{2_123_455: 0, 2_123_456: 1, 2_999_999: 1, 3_000_000: 3} {
		if err := db.View(t.Context(), sc, func(r store.Reader) error {
			l, err := r.Memories(lukasa.MemoryFilter{ValidAt: new(time.UnixMicro(at))}, lukasa.Page{})
			if err != nil || l.Total != want {
				t.Errorf("%d were true at %d, want %d (%v)", l.Total, at, want, err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	err = db.Update(t.Context(), sc, func(tx store.Tx) error {
		m, err := tx.Memory("mem_1")
		if err != nil {
			return err
		}
		m.Content = "new fact"
		if err := tx.PutMemory(m); err != nil {
			return err
		}
		return tx.Bury("doc_2")
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.ViewAt(t.Context(), sc, time.UnixMicro(5_000_000), look); err != nil {
		t.Fatal(err)
	}
	err = db.ViewAt(t.Context(), sc, time.UnixMicro(2_500_000), func(r store.Reader) error {
		if _, err := r.Document("doc_1"); err != nil {
			t.Error(err)
		}
		for _, err := range []error{second(r.Document("doc_2")), second(r.Memory("mem_1")), second(r.Conversation("conv_1"))} {
			if lukasa.CodeOf(err) != lukasa.CodeNotFound {
				t.Errorf("before its time: %v", err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := db.Check(t.Context()); err != nil || len(found) > 0 {
		t.Fatalf("check found %q, %v", found, err)
	}
	if err := db.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".bak-1"); !os.IsNotExist(err) {
		t.Errorf("the copy has what was deleted since: %v", err)
	}
}

// second is the error of a call.
func second[T any](_ T, err error) error { return err }
