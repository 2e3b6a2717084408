package engine_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// onStores runs a test with rows in SQLite and in PostgreSQL.
func onStores(t *testing.T, test func(t *testing.T, cfg config.Config)) {
	t.Parallel()
	for name, use := range map[string]func(testing.TB, *config.Config){"sqlite": nil, "postgres": enginetest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := enginetest.Config(t)
			if use != nil {
				use(t, &cfg)
			}
			test(t, cfg)
		})
	}
}

// N-14: a key that is bound to a container follows it when it moves, and ends with it: who makes the path again makes another place.
func TestKeyEndsWithItsContainer(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		e, _, sc := enginetest.Open(t, cfg, engine.Options{})
		ctx := t.Context()
		put := func(in, text string) lukasa.ID {
			t.Helper()
			return must[lukasa.Receipt](t)(e.Remember(ctx, sc, lukasa.NewDocument{Container: in, Content: text})).Document.ID
		}
		put("work.acme", "The quixotropic lantern stands in the attic.")
		var secrets []string
		for _, root := range []lukasa.Path{"work", "work.acme", "home"} {
			_, secret, err := e.CreateKey(ctx, sc, lukasa.Key{Name: string(root), Root: root})
			if err != nil {
				t.Fatal(err)
			}
			secrets = append(secrets, secret)
		}
		finds := func(secret, word string) int {
			t.Helper()
			as, err := e.Scope(ctx, secret)
			if lukasa.CodeOf(err) == lukasa.CodeUnauthenticated {
				return -1
			}
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, d := range must[lukasa.Listing[lukasa.Document]](t)(e.Documents(ctx, as, lukasa.DocumentFilter{}, lukasa.Page{})).Items {
				if strings.Contains(d.Title, word) {
					n++
				}
			}
			return n
		}
		must[lukasa.Node](t)(e.MoveNode(ctx, sc, "work", "closed.work"))
		put("work.acme", "A plumbeous kettle came later, to a place of the same name.")
		for i, want := range [][2]int{{1, 0}, {1, 0}, {0, 0}} {
			if got := [2]int{finds(secrets[i], "quixotropic lantern"), finds(secrets[i], "plumbeous kettle")}; got != want {
				t.Errorf("key %d after the move finds %v, want %v", i, got, want)
			}
		}
		moved := must[lukasa.Node](t)(e.Node(ctx, sc, "closed.work"))
		must[lukasa.Removal](t)(e.DeleteNode(ctx, sc, moved.ID))
		put("closed.work.acme", "A third thing, the vermilion spindle, is at the old path.")
		for i, want := range []int{-1, -1, 0} {
			if got := finds(secrets[i], "vermilion spindle"); got != want {
				t.Errorf("key %d after the deletion finds %d, want %d", i, got, want)
			}
		}
		var ended []string
		for _, a := range must[lukasa.Listing[engine.Act]](t)(e.AuditLog(ctx, sc, "", false, "key.revoke", lukasa.Page{})).Items {
			if a.Details["receipt_id"] != nil {
				ended = append(ended, a.Resource)
			}
		}
		var want []string
		for _, k := range must[[]lukasa.Key](t)(e.Keys(ctx, sc, false)) {
			if k.RevokedAt != nil {
				want = append(want, string(k.ID))
			}
		}
		slices.Sort(ended)
		slices.Sort(want)
		if len(want) != 2 || !slices.Equal(ended, want) {
			t.Errorf("the audit log says that %v ended, want %v", ended, want)
		}
	})
}

// H-24: nothing of a user stays who is deleted while writes of theirs are under way: they fail, and their files go.
func TestWritesOfADeletedUser(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		e, _, admin := enginetest.Open(t, cfg, engine.Options{})
		ctx := t.Context()
		for round := range 3 {
			u := must[lukasa.User](t)(e.CreateUser(ctx, admin, lukasa.User{Name: "Bob"}))
			sc := lukasa.Scope{Owner: u.ID, Principal: u.ID, Role: lukasa.RoleUser}
			long := strings.Repeat("The quixotropic lantern stands in the attic of the house by the sea. ", 1200)
			writes := []func(i int) error{
				func(i int) error {
					_, err := e.Remember(ctx, sc, lukasa.NewDocument{Container: "work", Content: fmt.Sprint(i, " ", long)})
					return err
				},
				func(i int) error {
					_, _, err := e.Append(ctx, sc, lukasa.Append{Container: "life", Conversation: "talk", Messages: []lukasa.NewMessage{{Role: "user", Content: fmt.Sprint("I live in house ", i)}}})
					return err
				},
				func(i int) error {
					_, err := e.AddMemory(ctx, sc, lukasa.NewMemory{Content: fmt.Sprint("Bob owns lantern ", i)})
					return err
				},
			}
			var all sync.WaitGroup
			var deleted atomic.Bool
			began := make(chan struct{}, len(writes))
			for _, write := range writes {
				all.Go(func() {
					for i, after := 0, 0; after < 2; i++ {
						if deleted.Load() {
							after++
						}
						err := write(i)
						if i == round {
							began <- struct{}{}
						}
						if err != nil && lukasa.CodeOf(err) != lukasa.CodeUnauthenticated && lukasa.CodeOf(err) != lukasa.CodeNotFound {
							t.Errorf("write %d: %v", i, err)
						}
					}
				})
			}
			for range writes {
				<-began
			}
			must[lukasa.Removal](t)(e.DeleteUser(ctx, admin, u.ID))
			deleted.Store(true)
			all.Wait()
			err := filepath.WalkDir(cfg.Data, func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && strings.Contains(path, string(u.ID)) && !strings.Contains(path, "index") {
					t.Errorf("round %d: %s is left", round, path)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if n := must[[]lukasa.Node](t)(e.Nodes(ctx, sc, nil)); len(n) > 0 {
				t.Errorf("round %d: %d containers are left", round, len(n))
			}
		}
		if err := e.Drain(ctx); err != nil {
			t.Errorf("jobs after the deletion: %v", err)
		}
	})
}

// T-14: the places of what was deleted by hand are kept for as long as the words stand there, and go with them.
func TestForgottenGoesWithItsSource(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		e, _, sc := enginetest.Open(t, cfg, engine.Options{})
		ctx := t.Context()
		c, said, err := e.Append(ctx, sc, lukasa.Append{Container: "life", Conversation: "talk", Messages: []lukasa.NewMessage{{Speaker: "Ana", Role: "user", Content: "I live in Paris."}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Drain(ctx); err != nil {
			t.Fatal(err)
		}
		for _, m := range must[lukasa.Listing[lukasa.Memory]](t)(e.Memories(ctx, sc, lukasa.MemoryFilter{}, lukasa.Page{})).Items {
			must[engine.DeletionReceipt](t)(e.Delete(ctx, sc, m.ID))
		}
		source := said[0].ID
		if f, err := e.Forgotten(ctx, source); err != nil || len(f) == 0 {
			t.Fatalf("nothing is kept of what was deleted by hand: %v, %v", f, err)
		}
		r := must[engine.DeletionReceipt](t)(e.Delete(ctx, sc, c.ID))
		if r, err = e.Scrubbed(ctx, sc, r.ID); err != nil || r.Scrub.State != "scrubbed" {
			t.Fatalf("%+v, %v", r.Scrub, err)
		}
		if f, err := e.Forgotten(ctx, source); err != nil || len(f) > 0 {
			t.Errorf("kept beside a receipt that says scrubbed: %v, %v", f, err)
		}
	})
}
