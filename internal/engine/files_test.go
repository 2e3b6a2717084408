package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/crypt"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// sleeper saves a text that lies in a file and returns the file.
func sleeper(t *testing.T, e *engine.Engine, sc lukasa.Scope, text string) (lukasa.ID, lukasa.ID) {
	t.Helper()
	r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: text})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	l, err := e.FileInfos(t.Context(), sc, r.Document.ID, nil, lukasa.Page{})
	if err != nil || len(l.Items) == 0 {
		t.Fatalf("%v %v", l, err)
	}
	return r.Document.ID, l.Items[0].ID
}

// N-9: a move that fails leaves the file as it was, and a line with the reason.
func TestFileMoveThatFails(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	_, id := sleeper(t, e, sc, strings.TrimSpace(strings.Repeat("The tide comes in and goes out again. ", 4000)))
	var path string
	err := filepath.WalkDir(filepath.Join(e.Config().Data, "blobs"), func(p string, d os.DirEntry, err error) error {
		if err == nil && strings.Contains(p, string(id)) && d.Type().IsRegular() {
			path = p
		}
		return err
	})
	if err != nil || path == "" {
		t.Fatal(path, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := append([]byte{}, whole...)
	broken[len(broken)/2] ^= 1
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := e.SleepFile(t.Context(), sc, id); err == nil || f.State != "active" {
		t.Errorf("a broken file was put to sleep: %+v %v", f, err)
	}
	log, err := e.FileLog(t.Context(), sc, id, lukasa.Page{})
	if err != nil || len(log.Items) != 1 || log.Items[0].Error == "" || log.Items[0].From != "active" || log.Items[0].To != "active" {
		t.Errorf("log %+v %v", log.Items, err)
	}
	clock.Advance(8 * 24 * time.Hour)
	if err := e.Tend(t.Context()); err != nil { // it does not hold up the clock
		t.Error(err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	clock.Advance(2 * time.Hour)
	if err := e.Tend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f, err := e.File(t.Context(), sc, id); err != nil || f.State != "dormant" {
		t.Errorf("once it is whole again: %+v %v", f, err)
	}
	if n, err := countBlobs(e); err != nil || n != 1 {
		t.Errorf("%d sealed files are left, %v", n, err)
	}
}

// N-9: a waking that a process left half done does not hold up readers for long, and is undone; meanwhile its bytes are whole.
func TestWakeThatWasLeft(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	text := strings.TrimSpace(strings.Repeat("The tide comes in and goes out again. ", 4000))
	doc, id := sleeper(t, e, sc, text)
	asleep, err := e.SleepFile(t.Context(), sc, id)
	if err != nil {
		t.Fatal(err)
	}
	db, err := engine.OpenStore(t.Context(), e.Config(), crypt.Key{}, time.Now) // another process
	if err != nil {
		t.Fatal(err)
	}
	leave := func() {
		t.Helper()
		moved, err := db.MoveFile(t.Context(), sc.Owner, asleep.File, store.FileEvent{File: id, From: "dormant", To: "rehydrating", Trigger: "retrieval", At: clock.Now()})
		if err != nil || !moved {
			t.Fatal(moved, err)
		}
	}
	leave()
	if found, err := e.Search(t.Context(), sc, lukasa.Query{Text: "tide"}); err != nil || len(found.Hits) == 0 {
		t.Errorf("search waits for files: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := e.WakeFile(short, sc, id, true); err == nil {
		t.Error("a file that another process is waking was not waited for")
	}
	clock.Advance(time.Minute)
	if d, err := e.Document(t.Context(), sc, doc); err != nil || d.Content != text {
		t.Errorf("%d of %d bytes, %v", len(d.Content), len(text), err)
	}
	if asleep, err = e.SleepFile(t.Context(), sc, id); err != nil {
		t.Fatal(err)
	}
	leave()
	clock.Advance(time.Minute)
	if err := e.Tend(t.Context()); err != nil { // the clock finds it too
		t.Fatal(err)
	}
	if f, err := e.File(t.Context(), sc, id); err != nil || f.State != "dormant" {
		t.Errorf("after the clock came by: %+v %v", f, err)
	}
	log, err := e.FileLog(t.Context(), sc, id, lukasa.Page{})
	if err != nil || log.Items[0].Error == "" || log.Items[0].Trigger != "scheduler" {
		t.Errorf("log %+v %v", log.Items[0], err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// T-3: the files of a recall file sleep and wake by themselves, one by one.
func TestRecallFileSleeps(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	c, _, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "talk", Messages: []lukasa.NewMessage{
		{Role: "user", Speaker: "Ann", Content: "We decided to move the fair to October because the hall is booked."},
		{Role: "assistant", Content: "Understood. " + strings.Repeat("The hall is free again from the first of October on. ", 40)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.EndConversation(t.Context(), sc, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	before, err := e.RecallFile(t.Context(), sc, s.Document, "summary", "keywords", "transcript")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock.Advance(8 * 24 * time.Hour)
	if err := e.Tend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, err := e.Search(t.Context(), sc, lukasa.Query{Text: "the fair in October"}); err != nil || len(found.Hits) == 0 {
		t.Errorf("not found while it sleeps: %v", err)
	}
	after, err := e.RecallFile(t.Context(), sc, s.Document, "transcript")
	if err != nil || after.Transcript != before.Transcript {
		t.Errorf("transcript %q %v", after.Transcript, err)
	}
	l, err := e.FileInfos(t.Context(), sc, s.Document, nil, lukasa.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range l.Items {
		want := map[bool]string{true: "active", false: "dormant"}[f.Role == ingest.RoleTranscript]
		if f.State != want {
			t.Errorf("%s is %s, want %s", f.Role, f.State, want)
		}
	}
}

// T-19: a recall file whose summary and keywords are lost gets them back from its messages, and one whose messages are lost from its
// transcript; where both are, the answer says so.
func TestRecover(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	c, rs, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "talk", Messages: []lukasa.NewMessage{
		{Role: "user", Speaker: "Ann", Content: "We decided to move the fair to October because the hall is booked."}, {Role: "assistant", Content: "I have noted it."},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.EndConversation(t.Context(), sc, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	before, err := e.RecallFile(t.Context(), sc, s.Document, "summary", "keywords", "transcript")
	if err != nil {
		t.Fatal(err)
	}
	db, err := engine.OpenStore(t.Context(), e.Config(), crypt.Key{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	damage := func(fn func(tx store.Tx) error) {
		t.Helper()
		if err := db.Update(t.Context(), sc, fn); err != nil {
			t.Fatal(err)
		}
	}
	rebuild := func() engine.Rebuilt {
		t.Helper()
		out, err := e.Rebuild(t.Context(), sc, engine.RebuildSummaries, engine.Work{Document: s.Document})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	same := func(roles ...string) {
		t.Helper()
		now, err := e.RecallFile(t.Context(), sc, s.Document, roles...)
		if err != nil || now.Text != before.Text || now.Summary != before.Summary || now.Keywords != before.Keywords || now.Transcript != before.Transcript || now.Folder != before.Folder {
			t.Errorf("recovered %+v\nbefore %+v\n%v", now, before, err)
		}
		if len(now.Files) != len(before.Files) {
			t.Errorf("%d files, before %d", len(now.Files), len(before.Files))
		}
	}
	damage(func(tx store.Tx) error {
		d, err := tx.Document(s.Document)
		if err != nil {
			return err
		}
		d.Summary, d.Keywords = "", lukasa.Keywords{}
		return tx.PutDocument(d)
	})
	if out := rebuild(); out.Regenerated["summary"] != 1 || out.Regenerated["keywords"] != 1 || out.Regenerated["transcript"] != 1 || out.Regenerated["embedding"] != 1 || len(out.Missing) != 0 {
		t.Errorf("rebuilt %+v", out)
	}
	same("summary", "keywords", "transcript")

	for _, r := range rs { // the rows of the messages are lost
		damage(func(tx store.Tx) error { return tx.DeleteMessage(r.ID) })
	}
	out := rebuild()
	if out.Regenerated["summary"] != 1 || out.Regenerated["transcript"] != 0 || len(out.Missing) != 1 || out.Missing[0].From != "transcript" || out.Missing[0].Missing[0] != "messages" {
		t.Errorf("from the transcript: %+v", out)
	}
	if now, err := e.RecallFile(t.Context(), sc, s.Document, "summary", "transcript"); err != nil || now.Text != before.Text || now.Summary != before.Summary || now.Transcript != before.Transcript {
		t.Errorf("from the transcript: %+v %v", now, err)
	}
	damage(func(tx store.Tx) error {
		files, err := tx.Files(s.Document, ingest.RoleTranscript)
		if err != nil {
			return err
		}
		files[0].Inline = []byte("nonsense that nobody sealed")
		return tx.PutFile(files[0])
	})
	out = rebuild()
	if len(out.Regenerated) != 0 || len(out.Missing) != 1 || strings.Join(out.Missing[0].Missing, " ") != "messages transcript" || out.Missing[0].Detail == "" {
		t.Errorf("with nothing left: %+v", out)
	}
}

// T-19: the graph is drawn again from messages and memories.
func TestRebuildGraph(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "Maria Lindqvist works at Northwind. Maria Lindqvist moved to Lisbon in March 2024."}); err != nil {
		t.Fatal(err)
	}
	db, err := engine.OpenStore(t.Context(), e.Config(), crypt.Key{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	edges := func() (list []lukasa.Edge) {
		t.Helper()
		err := db.View(t.Context(), sc, func(r store.Reader) error {
			named, err := r.Entities(nil, "", "", lukasa.Page{Limit: 100})
			if err != nil {
				return err
			}
			var ids []lukasa.ID
			for _, x := range named.Items {
				ids = append(ids, x.ID)
			}
			list, err = r.Edges(ids, nil, 1000)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := edges()
	if len(before) == 0 {
		t.Fatal("there is no graph")
	}
	err = db.Update(t.Context(), sc, func(tx store.Tx) error {
		for _, x := range before {
			if err := tx.DeleteEdges(lukasa.ID(x.From)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(edges()); n != 0 {
		t.Fatalf("%d edges are left", n)
	}
	if _, err := e.Rebuild(t.Context(), sc, engine.RebuildGraph, engine.Work{}); err != nil {
		t.Fatal(err)
	}
	if after := edges(); len(after) != len(before) {
		t.Errorf("%d edges, before %d", len(after), len(before))
	}
}

// The doctor reads the files of the index: one that is damaged is told of, and a repair leaves none.
func TestDoctorReadsIndexFiles(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	e, _, sc := enginetest.Open(t, cfg, engine.Options{})
	if err := os.MkdirAll(filepath.Join(cfg.Data, "index"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Data, "index", "usr_x.idx"), []byte("what a failing disk left"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, repair := range []bool{false, true} {
		found, err := e.Doctor(t.Context(), sc, repair)
		if err != nil || len(found) != 1 || !strings.Contains(found[0], "1 files cannot be read") {
			t.Errorf("%q, %v", found, err)
		}
	}
	if found, err := e.Doctor(t.Context(), sc, false); err != nil || len(found) != 0 {
		t.Errorf("after the repair: %q, %v", found, err)
	}
}

// The doctor reads each file to its end: one that was cut, overwritten or taken away is named, and what is wrong with it.
func TestDoctorReadsFiles(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	e, _, sc := enginetest.Open(t, cfg, engine.Options{})
	for _, word := range []string{"heron ", "otter ", "marten "} {
		if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: word + strings.Repeat(word+"and reeds. ", 8000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, err := e.Doctor(t.Context(), sc, false); err != nil || len(found) != 0 {
		t.Fatalf("before: %q, %v", found, err)
	}
	files, err := filepath.Glob(filepath.Join(cfg.Data, "blobs", "*", "*", "file_*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%q, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := errors.Join(os.WriteFile(files[0], b, 0o600), os.Truncate(files[1], 100), os.Remove(files[2])); err != nil {
		t.Fatal(err)
	}
	found, err := e.Doctor(t.Context(), sc, false)
	if err != nil || len(found) != 3 {
		t.Errorf("%q, %v", found, err)
	}
	for i, how := range []string{"damaged", "damaged", "missing"} {
		if name := filepath.Base(files[i]) + " is " + how; !strings.Contains(strings.Join(found, "\n"), name) {
			t.Errorf("nothing says that %s: %q", name, found)
		}
	}
}

// The sweep takes the files of owners that the store has or had, where no row refers to them, and leaves those of owners it never had: their rows may be
// lost, or another store may keep its files in the same place. The doctor tells of them.
func TestSweepLeavesFilesOfStrangers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cfg, other := enginetest.Config(t), enginetest.Config(t)
	e, _, sc := enginetest.Open(t, cfg, engine.Options{})
	strange, _, stranger := enginetest.Open(t, other, engine.Options{})
	u, err := e.CreateUser(ctx, sc, lukasa.User{Name: "Bob"})
	if err != nil {
		t.Fatal(err)
	}
	bob := lukasa.Scope{Owner: u.ID, Principal: u.ID, Role: lukasa.RoleUser}
	for _, x := range []struct {
		e  *engine.Engine
		sc lukasa.Scope
	}{{e, sc}, {e, bob}, {strange, stranger}} {
		if _, err := x.e.Remember(ctx, x.sc, lukasa.NewDocument{Content: strings.Repeat("herons and reeds. ", 8000)}); err != nil {
			t.Fatal(err)
		}
		if err := x.e.Drain(ctx); err != nil {
			t.Fatal(err)
		}
	}
	list := func(data string, owner lukasa.ID) []string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(data, "blobs", string(owner), "*", "file_*"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	// put copies a file, as one that was written long ago.
	put := func(from, to string) {
		t.Helper()
		b, err := os.ReadFile(from)
		old := time.Now().Add(-2 * time.Hour)
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, b, 0o600), os.Chtimes(to, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	mine, bobs, strangers := list(cfg.Data, sc.Owner), list(cfg.Data, u.ID), list(other.Data, stranger.Owner)
	if len(mine) == 0 || len(bobs) == 0 || len(strangers) == 0 {
		t.Fatalf("files: %q, %q, %q", mine, bobs, strangers)
	}
	gone, err := e.Remember(ctx, sc, lukasa.NewDocument{Content: strings.Repeat("otters and reeds. ", 8000)})
	if err = errors.Join(err, e.Drain(ctx)); err != nil {
		t.Fatal(err)
	}
	all := list(cfg.Data, sc.Owner)
	unused := all[slices.IndexFunc(all, func(f string) bool { return !slices.Contains(mine, f) })]
	for file, id := range map[string]lukasa.ID{bobs[0]: u.ID, unused: gone.Document.ID} {
		spare := filepath.Join(t.TempDir(), "spare")
		put(file, spare)
		if _, err := e.Delete(ctx, sc, id); err != nil {
			t.Fatal(err)
		}
		put(spare, file)
	}
	lost := filepath.Join(cfg.Data, strings.TrimPrefix(strangers[0], other.Data))
	put(strangers[0], lost)

	if n, err := e.SweepFiles(ctx); n != 2 || err != nil {
		t.Errorf("swept %d files, %v, want 2", n, err)
	}
	for file, want := range map[string]bool{mine[0]: true, unused: false, bobs[0]: false, lost: true} {
		if _, err := os.Stat(file); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %t", file, err, want)
		}
	}
	found, err := e.Doctor(ctx, sc, false)
	if err != nil || len(found) != 1 || !strings.Contains(found[0], "1 files belong to owners who are not known here (1, one is "+string(stranger.Owner)+")") {
		t.Errorf("the doctor says %q, %v", found, err)
	}
}
