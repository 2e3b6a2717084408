package sqlite_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// raw reads the bytes of all files of a store.
func raw(t *testing.T, path string) []byte {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

func TestScrubLeavesNothingOfWhatWasPurged(t *testing.T) { // T-15
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, sqlite.Options{})
	p := newPlot(t, db, "usr_1")
	const word = "Zugspitzenbahnhofsvorsteher"
	update := func(fn func(store.Tx) error) {
		t.Helper()
		if err := db.Update(t.Context(), p.sc, fn); err != nil {
			t.Fatal(err)
		}
	}
	for n := range int64(200) { // pages fill up and split around it
		update(func(tx store.Tx) error { return p.note(tx, n+1) })
		if n%20 != 0 {
			continue
		}
		said := fmt.Sprintf("%s number %d said so", word, n)
		doc, mem, conv, talk := lukasa.ID(fmt.Sprintf("doc_s%d", n)), lukasa.ID(fmt.Sprintf("mem_s%d", n)), lukasa.ID(fmt.Sprintf("conv_s%d", n)), lukasa.ID(fmt.Sprintf("doc_t%d", n))
		update(func(tx store.Tx) error {
			d := lukasa.Document{ID: doc, Node: p.node, Title: said, Content: said, ContentHash: said, Summary: said, Tags: []string{said}, SourceURL: said, CustomID: said, IsLatest: true}
			if err := tx.PutDocument(d); err != nil {
				return err
			}
			if err := tx.ReplaceChunks(doc, []lukasa.Chunk{{ID: "chk_" + doc, Content: said}}); err != nil {
				return err
			}
			m := lukasa.Memory{ID: mem, Node: p.node, Content: said, Slot: said, Key: said, IsLatest: true, Sources: []lukasa.Source{{Document: doc, Quote: said}}}
			if err := tx.PutMemory(m); err != nil {
				return err
			}
			for _, id := range []lukasa.ID{talk} {
				if err := tx.PutDocument(lukasa.Document{ID: id, Node: p.node, ContentType: "conversation", IsLatest: true}); err != nil {
					return err
				}
			}
			if err := tx.PutConversation(lukasa.Conversation{ID: conv, Node: p.node, ExternalID: said, Document: talk}); err != nil {
				return err
			}
			if err := tx.PutSegment(lukasa.Segment{Document: talk, Conversation: conv, Topic: said, Folder: said}); err != nil {
				return err
			}
			msg := lukasa.Message{ID: "msg_" + conv, Conversation: conv, Seq: -1, Content: said, Speaker: said}
			if err := tx.PutMessages([]lukasa.Message{msg}, []lukasa.Chunk{{ID: "chk_" + conv, Message: msg.ID, Content: said}}); err != nil {
				return err
			}
			if err := tx.PutEntity(lukasa.Entity{ID: lukasa.ID(fmt.Sprintf("ent_s%d", n)), Kind: "person", Name: said, Aliases: []string{"the " + said}}); err != nil {
				return err
			}
			return tx.PutEdges([]lukasa.Edge{{From: string(doc), To: fmt.Sprintf("ent_s%d", n), Type: lukasa.EdgeMentions, Metadata: map[string]any{"quote": said}}})
		})
		update(func(tx store.Tx) error { // deltas with it, and edges that have ended
			tx.Because("pipeline", "because "+said)
			d, err := tx.Document(doc)
			if err != nil {
				return err
			}
			d.Title, d.Content, d.ContentHash = "now "+said, "instead "+said, "x"
			if err := tx.PutDocument(d); err != nil {
				return err
			}
			m, err := tx.Memory(mem)
			if err != nil {
				return err
			}
			m.Content = "now " + said
			if err := tx.PutMemory(m); err != nil {
				return err
			}
			if err := tx.PutMessages([]lukasa.Message{{ID: "msg_" + conv, Conversation: conv, Seq: 0, Content: "now " + said}}, nil); err != nil {
				return err
			}
			return tx.PutEdges([]lukasa.Edge{{From: string(doc), To: fmt.Sprintf("ent_s%d", n), Type: lukasa.EdgeMentions, Weight: 2}})
		})
	}
	if !bytes.Contains(raw(t, path), []byte(word)) {
		t.Fatal("the test looks for the wrong word")
	}
	for n := int64(0); n < 200; n += 20 {
		update(func(tx store.Tx) error {
			for _, id := range []lukasa.ID{lukasa.ID(fmt.Sprintf("doc_s%d", n)), lukasa.ID(fmt.Sprintf("conv_s%d", n))} {
				if n%40 == 0 {
					if err := tx.Bury(id); err != nil {
						return err
					}
				}
				if _, _, err := tx.Purge(id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := db.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b := raw(t, path); bytes.Contains(bytes.ToLower(b), bytes.ToLower([]byte(word))) {
		i := bytes.Index(bytes.ToLower(b), bytes.ToLower([]byte(word)))
		t.Errorf("the files still have %q", b[max(0, i-60):min(len(b), i+60)])
	}
	sound(t, db)
	if n := documents(t, db, "usr_1"); n != 200 {
		t.Errorf("%d notes are left, want 200", n)
	}
}

func TestScrubWaitsForReaders(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, sqlite.Options{BusyTimeout: 20 * time.Millisecond})
	p := newPlot(t, db, "usr_1")
	err := db.View(t.Context(), p.sc, func(r store.Reader) error {
		if _, err := r.Stats(); err != nil { // the snapshot is taken here
			return err
		}
		if err := p.Update(t.Context(), p.sc, func(tx store.Tx) error { return p.note(tx, 1) }); err != nil {
			return err
		}
		if err := db.Scrub(t.Context()); lukasa.CodeOf(err) != lukasa.CodeUnavailable {
			t.Errorf("with a reader in the way: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path + "-wal"); err != nil || st.Size() != 0 {
		t.Errorf("the log has %v bytes, %v", st.Size(), err)
	}
}

func TestLogsAreOnlyAddedTo(t *testing.T) { // N-9, N-10
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, sqlite.Options{})
	p := newPlot(t, db, "usr_1")
	if err := db.PutUser(t.Context(), lukasa.User{ID: "usr_1", Name: "Ada"}, nil); err != nil {
		t.Fatal(err)
	}
	err := p.Update(t.Context(), p.sc, func(tx store.Tx) error {
		if err := tx.PutMemory(lukasa.Memory{ID: "mem_1", Node: p.node, Content: "fact"}); err != nil {
			return err
		}
		if err := p.note(tx, 1); err != nil {
			return err
		}
		return tx.PutFile(lukasa.File{ID: "file_1", Document: "doc_00000000000000000000000001"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.MoveFile(t.Context(), "usr_1", lukasa.File{ID: "file_1"}, store.FileEvent{From: "active", To: "dormant"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Audit(t.Context(), store.Audit{Owner: "usr_1", Action: "x"}); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"UPDATE deltas SET author = 'x'", "UPDATE deltas SET before = '{}'", "UPDATE deltas SET at = 1, before = NULL, after = NULL, reason = ''", "DELETE FROM deltas",
		"UPDATE file_events SET error = ''", "DELETE FROM file_events", "UPDATE audit SET action = 'y'", "DELETE FROM audit",
	} {
		if err := sqlite.Script(path, sql); err == nil {
			t.Errorf("%q went through", sql)
		}
	}
	if err := sqlite.Script(path, "UPDATE deltas SET before = NULL, after = NULL, reason = ''"); err != nil {
		t.Errorf("a purge cannot empty them: %v", err)
	}
	sound(t, db)
}

func TestScrubAfterPagesHaveSplit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, sqlite.Options{})
	p := newPlot(t, db, "usr_1")
	rng := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string { return fmt.Sprintf("<unique%dword>", n) }
	id := func(kind string, n int) lukasa.ID { return lukasa.ID(fmt.Sprintf("%s_%d", kind, n)) }
	gone := make(map[int]bool)
	for n := range 400 {
		err := db.Update(t.Context(), p.sc, func(tx store.Tx) error {
			text := strings.Repeat(word(n)+" ", 1+rng.IntN(20)*rng.IntN(60))
			d := lukasa.Document{ID: id("doc", n), Node: p.node, Title: word(n), Content: text, ContentHash: word(n), Metadata: map[string]any{"k": word(n)}, IsLatest: true}
			if err := tx.PutDocument(d); err != nil {
				return err
			}
			var chunks []lukasa.Chunk
			for i := range rng.IntN(4) {
				chunks = append(chunks, lukasa.Chunk{ID: id("chk", 10*n+i), Content: text})
			}
			if err := tx.ReplaceChunks(d.ID, chunks); err != nil {
				return err
			}
			if err := tx.PutMemory(lukasa.Memory{ID: id("mem", n), Node: p.node, Content: text, IsLatest: true, Sources: []lukasa.Source{{Document: d.ID, Quote: text}}}); err != nil {
				return err
			}
			k := rng.IntN(n + 1)
			if gone[k] {
				return nil
			}
			if d, err := tx.Document(id("doc", k)); rng.IntN(2) == 0 && err == nil {
				d.Tags, d.Summary = []string{word(k)}, strings.Repeat(word(k), rng.IntN(300))
				return tx.PutDocument(d)
			}
			gone[k] = true
			_, _, err := tx.DeleteDocument(id("doc", k))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := raw(t, path)
	for n := range gone {
		if bytes.Contains(all, []byte(word(n))) {
			t.Errorf("the words of %d, which is gone, are in the files", n)
		}
	}
	if len(gone) < 50 || len(gone) > 350 {
		t.Errorf("%d are gone: the test does not test much", len(gone))
	}
	sound(t, db)
}
