package engine

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// D-8: what lies in the trash moves along when its container is archived, and can be taken out where it is then; and if a container
// below would stand too deep, nothing has happened.
func TestArchiveCarriesTheTrash(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cfg := config.Default()
	cfg.Data, cfg.APIKey = t.TempDir(), "sk_test_0123456789abcdef"
	e, err := Open(ctx, cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	sc, err := e.Local(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Remember(ctx, sc, lukasa.NewDocument{Container: "work.acme", Content: "The ledger is kept by Maria Lopez. Maria Lopez lives in Lisbon."})
	if err != nil {
		t.Fatal(err)
	}
	conv, _, err := e.Append(ctx, sc, lukasa.Append{Container: "work.acme", Conversation: "c", Messages: []lukasa.NewMessage{{Content: "I moved to Oslo."}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []lukasa.ID{r.Document.ID, conv.ID} {
		if err := e.store.Update(ctx, sc, func(tx store.Tx) error { return tx.Bury(id) }); err != nil {
			t.Fatal(err)
		}
	}
	a, err := e.ArchiveNode(ctx, sc, "work.acme", "")
	if err != nil || a.Trash != 2 {
		t.Fatalf("receipt %+v, %v", a, err)
	}
	if _, err := e.Document(ctx, sc, r.Document.ID); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("it is out of the trash: %v", err)
	}
	for _, id := range []lukasa.ID{r.Document.ID, conv.ID} {
		if err := e.store.Update(ctx, sc, func(tx store.Tx) error { return tx.Unbury(id) }); err != nil {
			t.Fatal(err)
		}
	}
	d, err := e.Document(ctx, sc, r.Document.ID)
	if err != nil || d.Path != "work" || d.Content == "" {
		t.Errorf("document %s in %s, %v", d.ID, d.Path, err)
	}
	if c, err := e.Conversation(ctx, sc, conv.ID, time.Time{}); err != nil || c.Path != "work" || c.Messages != 1 {
		t.Errorf("conversation %+v, %v", c, err)
	}

	if _, err := e.Provision(ctx, sc, []NewNode{{Path: "deep.b.c.d"}, {Path: "x.y.z"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Remember(ctx, sc, lukasa.NewDocument{Container: "deep", Content: "At the top of the deep one."}); err != nil {
		t.Fatal(err)
	}
	before, err := e.Tree(ctx, sc, nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.ArchiveNode(ctx, sc, "deep", "x.y.z"); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("six levels: %v", err)
	}
	after, err := e.Tree(ctx, sc, nil, time.Time{})
	if err != nil || before.Text() != after.Text() {
		t.Errorf("half of it happened:\n%s\n%s", before.Text(), after.Text())
	}
}
