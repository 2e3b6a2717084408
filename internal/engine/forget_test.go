package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// holds lists the files of a data directory in which a text stands, in any case of letters. It knows nothing of the program.
func holds(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(text))) {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Hard delete: the rows are gone when it answers, with a receipt that lists them; once it is scrubbed, no file of the data
// directory holds a word of the text, the index's included, and an independent search of the raw files says so. T-15, N-4
func TestScrubbedDeletionLeavesNothing(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	e, _, sc := enginetest.Open(t, cfg, engine.Options{})
	long := strings.Repeat("The quixotropic lantern of Zanzibarovia hums at midnight. ", 2500) // a sealed file
	cases := map[string]func() lukasa.ID{
		"document": func() lukasa.ID {
			r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "I live in Zanzibarovia with a quixotropic lantern.", Title: "On quixotropic things", Container: "a"})
			if err != nil {
				t.Fatal(err)
			}
			return r.Document.ID
		},
		"long document": func() lukasa.ID {
			r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: long, Container: "b"})
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			return r.Document.ID
		},
		"memory": func() lukasa.ID {
			m, err := e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: "Prefers quixotropic lanterns from Zanzibarovia to candles.", Container: "c"})
			if err != nil {
				t.Fatal(err)
			}
			return m.ID
		},
		"message": func() lukasa.ID {
			_, rs, err := e.Append(t.Context(), sc, lukasa.Append{Container: "d", Conversation: "talk", Messages: []lukasa.NewMessage{
				{Role: "user", Content: "Shall we meet on Tuesday?"}, {Role: "user", Content: "My quixotropic lantern came from Zanzibarovia."},
			}})
			if err != nil {
				t.Fatal(err)
			}
			return rs[1].ID
		},
		"finalized message": func() lukasa.ID {
			c, rs, err := e.Append(t.Context(), sc, lukasa.Append{Container: "f", Conversation: "over", Messages: []lukasa.NewMessage{
				{Role: "user", Content: "We decided to repair the garden fence in spring."},
				{Role: "user", Content: "The quixotropic lantern of Zanzibarovia:\n```go\nvar quixotropic = 1\nvar a = 2\nvar b = 3\nvar c = 4\nvar d = 5\nvar e = 6\n```"},
			}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.EndConversation(t.Context(), sc, c.ID); err != nil {
				t.Fatal(err)
			}
			return rs[1].ID
		},
		"conversation": func() lukasa.ID {
			c, _, err := e.Append(t.Context(), sc, lukasa.Append{Container: "e", Conversation: "other", Messages: []lukasa.NewMessage{{Role: "user", Content: "Zanzibarovia sells quixotropic lanterns."}}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.EndConversation(t.Context(), sc, c.ID); err != nil {
				t.Fatal(err)
			}
			return c.ID
		},
		"node": func() lukasa.ID {
			r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "Zanzibarovia exports quixotropic lanterns by the shipload.", Container: "g.h"})
			if err != nil {
				t.Fatal(err)
			}
			return r.Document.Node
		},
	}
	if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "The spare key hangs behind the pantry door.", Container: "keep"}); err != nil {
		t.Fatal(err)
	}
	for name, make := range cases {
		id := make()
		if r, err := e.Search(t.Context(), sc, lukasa.Query{Text: "quixotropic Zanzibarovia"}); err != nil || len(r.Hits) == 0 {
			t.Fatalf("%s: %d hits, %v", name, len(r.Hits), err)
		}
		receipt, err := e.Delete(t.Context(), sc, id)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if receipt.Segment != "" { // sealed files cannot be searched from outside
			if err := e.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			x, err := e.RecallFile(t.Context(), sc, receipt.Segment, "summary", "keywords", "transcript")
			if err != nil || !strings.Contains(x.Transcript, "garden fence") || strings.Contains(strings.ToLower(fmt.Sprint(x)), "quixotrop") || len(x.Files) != 3 {
				t.Errorf("%s: the recall file is %+v, %v", name, x, err)
			}
		}
		rm := receipt.Removed
		if receipt.Resource != id || receipt.Scrub.State != "pending" || rm.Documents+rm.Memories+rm.Messages+rm.Nodes == 0 || len(rm.IDs) == 0 || !strings.HasSuffix(receipt.Action, ".delete") {
			t.Errorf("%s: receipt %+v", name, receipt)
		}
		if r, err := e.Search(t.Context(), sc, lukasa.Query{Text: "quixotropic"}); err != nil || strings.Contains(fmt.Sprint(r.Hits), "quixo") {
			t.Errorf("%s: found right after its deletion: %v %v", name, r.Hits, err)
		}
		done, err := e.Scrubbed(t.Context(), sc, receipt.ID)
		if err != nil || done.Scrub.State != "scrubbed" || done.Scrub.At == nil || done.Scrub.Pieces == 0 || done.Scrub.Files == 0 {
			t.Errorf("%s: scrubbed %+v, %v", name, done.Scrub, err)
		}
		if err := e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"quixotrop", "zanzibarov"} {
			if names := holds(t, cfg.Data, word); len(names) > 0 {
				t.Errorf("%s: %q is still in %v", name, word, names)
			}
		}
		if again, err := e.DeletionReceipt(t.Context(), sc, receipt.ID); err != nil || again.Scrub.State != "scrubbed" || again.Removed.IDs == nil {
			t.Errorf("%s: read later: %+v, %v", name, again, err)
		}
	}
	if r, err := e.Search(t.Context(), sc, lukasa.Query{Text: "spare key pantry"}); err != nil || len(r.Hits) == 0 {
		t.Errorf("what stays is not found any more: %v %v", r.Hits, err)
	}
	l, err := e.DeletionReceipts(t.Context(), sc, lukasa.Page{Limit: 3})
	if err != nil || len(l.Items) != 3 || l.Total != len(cases) || l.Next == "" {
		t.Errorf("listed %d of %d, %v", len(l.Items), l.Total, err)
	}
	if b, err := json.Marshal(l); err != nil || bytes.Contains(bytes.ToLower(b), []byte("quixo")) {
		t.Errorf("a receipt holds what was deleted: %s %v", b, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"quixotrop", "zanzibarov"} {
		if names := holds(t, cfg.Data, word); len(names) > 0 {
			t.Errorf("after the end of the program %q is in %v", word, names)
		}
	}
}

// The search of the raw files does find what is there: text that another record says too is told apart from text that is held by
// nothing that may hold it.
func TestScrubTellsWhatIsHeld(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	const said = "The harbour master keeps his logbook in a biscuit tin."
	var ids []lukasa.ID
	for _, c := range []string{"one", "two"} {
		r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: said, Container: c})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.Document.ID)
	}
	receipt, err := e.Delete(t.Context(), sc, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	done, err := e.Scrubbed(t.Context(), sc, receipt.ID)
	if err != nil || done.Scrub.State != "scrubbed" || done.Scrub.Shared == 0 {
		t.Errorf("of what another says too: %+v %v", done.Scrub, err)
	}
	// Now a copy that nobody knows of.
	if err := os.WriteFile(filepath.Join(cfg.Data, "stray.txt"), []byte("x "+said+" y"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Backup(t.Context(), sc, filepath.Join(t.TempDir(), "copy.db")); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Second)
	if receipt, err = e.Delete(t.Context(), sc, ids[1]); err != nil {
		t.Fatal(err)
	}
	done, err = e.Scrubbed(t.Context(), sc, receipt.ID)
	if err != nil || done.Scrub.State != "held" || len(done.Scrub.Held) != 1 || done.Scrub.Held[0] != "stray.txt" {
		t.Errorf("with a stray copy: %+v %v", done.Scrub, err)
	}
	if len(done.Scrub.Backups) != 1 || !strings.HasSuffix(done.Scrub.Backups[0].Path, "copy.db") {
		t.Errorf("the older backup is not named: %+v", done.Scrub.Backups)
	}
	if err := os.Remove(filepath.Join(cfg.Data, "stray.txt")); err != nil {
		t.Fatal(err)
	}
	if done, err = e.Scrubbed(t.Context(), sc, receipt.ID); err != nil || done.Scrub.State != "scrubbed" || done.Scrub.Tries < 2 {
		t.Errorf("once it is gone: %+v %v", done.Scrub, err)
	}
}

// H-24: what is due goes by itself, and leaves a receipt that says why.
func TestForgetLeavesReceipt(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	soon := clock.Now().Add(time.Hour)
	r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "The visitor's badge is number 4711.", ForgetAfter: &soon})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(2 * time.Hour)
	if err := e.Forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Document(t.Context(), sc, r.Document.ID); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("still there: %v", err)
	}
	l, err := e.DeletionReceipts(t.Context(), sc, lukasa.Page{})
	if err != nil || len(l.Items) != 1 || l.Items[0].Why != "forget_after" || l.Items[0].Resource != r.Document.ID || l.Items[0].Actor != "" {
		t.Errorf("receipts %+v, %v", l.Items, err)
	}
}

// A process that ends right after a deletion leaves a job, and the next one writes the receipt and cleans up.
func TestScrubOfAnotherProcess(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	clock := &enginetest.Clock{}
	e, err := engine.Open(t.Context(), cfg, engine.Options{Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	sc, err := e.Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "The quixotropic lantern stands in the attic."})
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := e.Delete(t.Context(), sc, r.Document.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil { // its job is not done
		t.Fatal(err)
	}
	next, _, sc := enginetest.Open(t, cfg, engine.Options{Now: clock.Now})
	if err := next.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := next.DeletionReceipt(t.Context(), sc, receipt.ID); err != nil || got.Scrub.State != "pending" {
		t.Errorf("taken over at once: %+v %v", got.Scrub, err)
	}
	clock.Advance(2 * time.Minute)
	if err := next.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := next.DeletionReceipt(t.Context(), sc, receipt.ID)
	if err != nil || got.Scrub.State != "unsearched" || got.Scrub.At == nil {
		t.Errorf("not taken over: %+v %v", got.Scrub, err)
	}
	if names := holds(t, cfg.Data, "quixotrop"); len(names) > 0 {
		t.Errorf("it is still in %v", names)
	}
}

// The trash: what is put there is gone for every reader, can be taken out whole, and goes for good after its time.
func TestTrash(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	d, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "My sister's name is Ottilie. The boat is moored at pier nine."})
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: "Takes the boat out on Sundays."})
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "boat", Messages: []lukasa.NewMessage{{Content: "The boat needs new paint."}}})
	if err != nil {
		t.Fatal(err)
	}
	search := func() int {
		t.Helper()
		r, err := e.Search(t.Context(), sc, lukasa.Query{Text: "boat"})
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Hits)
	}
	before := search()
	for _, id := range []lukasa.ID{d.Document.ID, m.ID, c.ID} {
		b, err := e.Bury(t.Context(), sc, id)
		if err != nil || b.Until.Sub(b.At) != 30*24*time.Hour {
			t.Fatalf("bury %s: %+v %v", id, b, err)
		}
	}
	if n := search(); n != 0 {
		t.Errorf("%d hits of what is in the trash", n)
	}
	if _, err := e.Document(t.Context(), sc, d.Document.ID); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("read from the trash: %v", err)
	}
	if _, err := e.Bury(t.Context(), sc, d.Document.Node); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("a node went into the trash: %v", err)
	}
	l, err := e.Trash(t.Context(), sc, lukasa.Page{})
	if err != nil || len(l.Items) != 3 || l.Items[0].Type != "conversation" || l.Items[0].Label != "boat" {
		t.Errorf("trash %+v %v", l, err)
	}
	for _, b := range l.Items {
		if err := e.Unbury(t.Context(), sc, b.ID); err != nil {
			t.Errorf("unbury %s: %v", b.ID, err)
		}
	}
	if n := search(); n != before {
		t.Errorf("%d hits after it was taken out, %d before", n, before)
	}
	if err := e.Unbury(t.Context(), sc, m.ID); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("taken out twice: %v", err)
	}
	for _, id := range []lukasa.ID{d.Document.ID, m.ID, c.ID} {
		if _, err := e.Bury(t.Context(), sc, id); err != nil {
			t.Fatal(err)
		}
	}
	if rs, err := e.EmptyTrash(t.Context(), sc, m.ID); err != nil || len(rs) != 1 || rs[0].Why != "trash" || rs[0].Removed.Memories != 1 {
		t.Errorf("purged %+v %v", rs, err)
	}
	if _, err := e.EmptyTrash(t.Context(), sc, m.ID); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("purged twice: %v", err)
	}
	clock.Advance(29 * 24 * time.Hour)
	if err := e.Tend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l, err := e.Trash(t.Context(), sc, lukasa.Page{}); err != nil || len(l.Items) != 2 {
		t.Errorf("after 29 days %+v %v", l, err)
	}
	clock.Advance(25 * time.Hour)
	if err := e.Tend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l, err := e.Trash(t.Context(), sc, lukasa.Page{}); err != nil || len(l.Items) != 0 {
		t.Errorf("after 30 days %+v %v", l, err)
	}
	if l, err := e.DeletionReceipts(t.Context(), sc, lukasa.Page{}); err != nil || len(l.Items) != 3 {
		t.Errorf("receipts %+v %v", l.Items, err)
	}
	if found, err := e.Doctor(t.Context(), sc, false); err != nil || len(found) > 0 {
		t.Errorf("doctor: %v %v", found, err)
	}
}

// Work that found a document in the trash is taken up again when it comes back.
func TestTrashAndJobs(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	text := []byte(strings.Repeat("The tide comes in and goes out again. ", 3000))
	r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Data: text, Name: "tide.txt"})
	if err != nil || r.Document.Status != lukasa.StatusQueued {
		t.Fatal(r.Document.Status, err)
	}
	c, _, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{{Content: "We decided to paint the boat green."}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []lukasa.ID{r.Document.ID, c.ID} {
		if _, err := e.Bury(t.Context(), sc, id); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, err := e.Doctor(t.Context(), sc, false); err != nil || len(found) > 0 {
		t.Errorf("doctor: %v %v", found, err)
	}
	for _, id := range []lukasa.ID{r.Document.ID, c.ID} {
		if err := e.Unbury(t.Context(), sc, id); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d, err := e.Document(t.Context(), sc, r.Document.ID); err != nil || d.Status != lukasa.StatusDone || d.Embedded == 0 {
		t.Errorf("%s, %d of %d embedded, %v", d.Status, d.Embedded, d.Chunks, err)
	}
}

// T-15: a user in the trash is refused and unreachable, can be brought back by an admin for 30 days, and then goes for good.
func TestUserInTheTrash(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	e, clock, admin := enginetest.Open(t, cfg, engine.Options{})
	u, err := e.CreateUser(t.Context(), admin, lukasa.User{Name: "Bob", Settings: map[string]any{"colour": "green"}})
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := e.CreateKey(t.Context(), admin, lukasa.Key{User: u.ID, Name: "bob's"})
	if err != nil {
		t.Fatal(err)
	}
	bob, err := e.Scope(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Remember(t.Context(), bob, lukasa.NewDocument{Content: "Bob hides a quixotropic lantern."}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.BuryUser(t.Context(), bob, admin.Principal); lukasa.CodeOf(err) != lukasa.CodeForbidden {
		t.Errorf("a user deletes an admin: %v", err)
	}
	if _, err := e.BuryUser(t.Context(), admin, u.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Scope(t.Context(), secret); lukasa.CodeOf(err) != lukasa.CodeUnauthenticated {
		t.Errorf("the key of a deleted user: %v", err)
	}
	back, err := e.UnburyUser(t.Context(), admin, u.ID)
	if err != nil || back.Settings["colour"] != "green" || len(back.Settings) != 1 {
		t.Errorf("brought back %+v %v", back, err)
	}
	if bob, err = e.Scope(t.Context(), secret); err != nil {
		t.Errorf("after it was brought back: %v", err)
	}
	if r, err := e.Search(t.Context(), bob, lukasa.Query{Text: "lantern"}); err != nil || len(r.Hits) != 1 {
		t.Errorf("%d hits after it was brought back, %v", len(r.Hits), err)
	}
	if _, err := e.BuryUser(t.Context(), admin, u.ID); err != nil {
		t.Fatal(err)
	}
	clock.Advance(31 * 24 * time.Hour)
	if err := e.Tend(t.Context()); err != nil {
		t.Fatal(err)
	}
	users, err := e.Users(t.Context(), admin)
	if err != nil || len(users) != 1 {
		t.Errorf("users %+v %v", users, err)
	}
	l, err := e.DeletionReceipts(t.Context(), admin, lukasa.Page{})
	if err != nil || len(l.Items) != 1 || l.Items[0].Action != "user.delete" || l.Items[0].Resource != u.ID || l.Items[0].Removed.Documents != 1 {
		t.Fatalf("receipts %+v %v", l.Items, err)
	}
	done, err := e.Scrubbed(t.Context(), admin, l.Items[0].ID)
	if err != nil || done.Scrub.State != "scrubbed" {
		t.Errorf("scrubbed %+v %v", done.Scrub, err)
	}
	if names := holds(t, cfg.Data, "quixotrop"); len(names) > 0 {
		t.Errorf("still in %v", names)
	}
}

// T-3, N-9: a file falls asleep when nobody has used it, wakes for who reads it, and sleeps again soon after; its log says why, and
// its bytes are the same throughout.
func TestFileStates(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	body := talk(t)
	r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: body})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := e.FileInfos(t.Context(), sc, r.Document.ID, nil, lukasa.Page{})
	if err != nil || len(files.Items) == 0 {
		t.Fatalf("files %+v %v", files, err)
	}
	id := files.Items[0].ID
	state := func(want, tier string) engine.FileInfo {
		t.Helper()
		f, err := e.File(t.Context(), sc, id)
		if err != nil || f.State != want || f.Tier != tier {
			t.Fatalf("state %q, tier %q, %v; want %s, %s", f.State, f.Tier, err, want, tier)
		}
		return f
	}
	before := state("active", "hot")
	clock.Advance(2 * time.Hour)
	state("active", "warm")
	clock.Advance(8 * 24 * time.Hour)
	if err := e.Tend(t.Context()); err != nil {
		t.Fatal(err)
	}
	asleep := state("dormant", "cold")
	if asleep.SealedSize >= before.SealedSize || asleep.Size != before.Size {
		t.Errorf("asleep it takes %d bytes, awake %d", asleep.SealedSize, before.SealedSize)
	}
	t.Logf("%d bytes of talk: %d active (%.2f:1), %d dormant (%.2f:1)", before.Size, before.SealedSize, before.Ratio, asleep.SealedSize, asleep.Ratio)
	if asleep.Ratio < 3 {
		t.Errorf("ratio %.2f", asleep.Ratio)
	}
	if found, err := e.Search(t.Context(), sc, lukasa.Query{Text: "what was decided"}); err != nil || len(found.Hits) == 0 {
		t.Errorf("a sleeping document is not found: %v", err)
	}
	state("dormant", "cold") // search never waits for files
	read := func() {
		t.Helper()
		if d, err := e.Document(t.Context(), sc, r.Document.ID); err != nil || d.Content != body {
			t.Fatalf("%d of %d bytes, %v", len(d.Content), len(body), err)
		}
	}
	read()
	woken := state("active", "hot")
	if woken.SealedSize != before.SealedSize {
		t.Errorf("woken it takes %d bytes, before it slept %d", woken.SealedSize, before.SealedSize)
	}
	clock.Advance(20 * time.Minute)
	read() // its time begins again
	clock.Advance(20 * time.Minute)
	if err := e.Tend(t.Context()); err != nil {
		t.Fatal(err)
	}
	state("active", "hot")
	clock.Advance(31 * time.Minute)
	if err := e.Tend(t.Context()); err != nil {
		t.Fatal(err)
	}
	state("dormant", "hot")
	if f, err := e.WakeFile(t.Context(), sc, id, false); err != nil || f.State != "active" {
		t.Errorf("woken by hand: %+v %v", f, err)
	}
	if f, err := e.SleepFile(t.Context(), sc, id); err != nil || f.State != "dormant" {
		t.Errorf("put to sleep by hand: %+v %v", f, err)
	}
	rc, _, err := e.OpenFile(t.Context(), sc, id)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(rc)
	if err := rc.Close(); err != nil {
		t.Error(err)
	}
	if err != nil || string(data) != body {
		t.Errorf("%d of %d bytes, %v", len(data), len(body), err)
	}
	log, err := e.FileLog(t.Context(), sc, id, lukasa.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ev := range log.Items {
		got = append([]string{ev.From + ">" + ev.To + " " + ev.Trigger}, got...)
		if ev.Before == 0 || ev.After == 0 || ev.Error != "" {
			t.Errorf("event %+v", ev)
		}
	}
	want := []string{
		"active>dormant scheduler", "dormant>rehydrating retrieval", "rehydrating>active retrieval", "active>dormant ttl_expiry",
		"dormant>rehydrating manual", "rehydrating>active manual", "active>dormant manual", "dormant>rehydrating retrieval", "rehydrating>active retrieval",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("log:\n%s", strings.Join(got, "\n"))
	}
	if n, err := countBlobs(e); err != nil || n != 1 {
		t.Errorf("%d sealed files are left, %v", n, err)
	}
	if found, err := e.Doctor(t.Context(), sc, false); err != nil || len(found) > 0 {
		t.Errorf("doctor: %v %v", found, err)
	}
}

// talk is a day of people's talk: the dialogues that the rules are tested with, written by hand.
func talk(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, name := range []string{"dialogue.txt", "dialogue-second.txt"} {
		data, err := os.ReadFile("../distil/rules/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	return strings.TrimSpace(b.String())
}

// countBlobs counts the sealed files of the data directory.
func countBlobs(e *engine.Engine) (n int, err error) {
	err = filepath.WalkDir(filepath.Join(e.Config().Data, "blobs"), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(path, "file_") {
			n++
		}
		return err
	})
	return n, err
}

// A message that goes out of the middle of a conversation leaves the stretches in their order, each following the one before it.
func TestDeletedMessageKeepsTheChain(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	var id, conversation lukasa.ID
	for i := range 3 {
		c, rs, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{
			{Content: fmt.Sprintf("We decided on plan number %d today.", i)}, {Content: fmt.Sprintf("The quixotropic lantern has number %d.", i)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.EndConversation(t.Context(), sc, c.ID); err != nil {
			t.Fatal(err)
		}
		if conversation = c.ID; i == 1 {
			id = rs[1].ID
		}
	}
	chain := func() (list []lukasa.Segment) {
		t.Helper()
		l, err := e.RecallFiles(t.Context(), sc, engine.SegmentFilter{Conversation: conversation, Oldest: true}, lukasa.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range l.Items {
			list = append(list, x.Segment)
		}
		return list
	}
	before := chain()
	r, err := e.Delete(t.Context(), sc, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := chain()
	if len(before) != 3 || len(after) != 3 || after[1].Document != r.Segment || after[1].Previous != before[0].Document || after[2].Previous != r.Segment || before[2].Previous == "" {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	if after[1].State != lukasa.SegmentFinalized || after[1].Messages != 1 || after[1].Trigger != before[1].Trigger {
		t.Errorf("the new stretch is %+v", after[1])
	}
	if found, err := e.Doctor(t.Context(), sc, false); err != nil || len(found) > 0 {
		t.Errorf("doctor: %v %v", found, err)
	}
}
