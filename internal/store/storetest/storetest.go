// Package storetest holds the suite that every driver of the store must pass.
//
// Who may import this: tests of drivers.
package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Run plays the suite against stores that open makes, each new and empty, with the clock that it is given. Lives is how many of the long
// histories it plays, which ask a store everything again and again.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store, lives int) {
	t.Run("Ledger", func(t *testing.T) {
		t.Parallel()
		runLedger(t, open)
	})
	t.Run("Life", func(t *testing.T) {
		t.Parallel()
		runLife(t, open, lives)
	})
	for _, part := range []struct {
		name  string
		cases []testCase
	}{
		{"Nodes", nodeCases},
		{"Documents", documentCases},
		{"Versions", versionCases},
		{"Chunks", chunkCases},
		{"Memories", memoryCases},
		{"Messages", messageCases},
		{"Lists", listCases},
		{"Values", valueCases},
		{"Scope", scopeCases},
		{"Grants", grantCases},
		{"Transactions", transactionCases},
		{"Feed", feedCases},
		{"Upkeep", upkeepCases},
		{"Segments", segmentCases},
		{"Graph", graphCases},
		{"History", historyCases},
		{"Trash", trashCases},
		{"Files", fileCases},
		{"Audits", auditCases},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range part.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t, newWorld(t, open))
				})
			}
		})
	}
}

type testCase struct {
	name string
	run  func(*testing.T, *world)
}

// start is the moment at which the tests' clock stands; each record made moves it on by a second.
var start = time.Date(2026, 5, 1, 10, 0, 0, 123456000, time.UTC)

// space is the embedding space of most tests.
const space = "test-8"

// world is a store with one owner, and makes records.
type world struct {
	store.Store
	t     *testing.T
	owner lukasa.ID

	mu   sync.Mutex
	rand *rand.ChaCha8
	now  time.Time
}

func newWorld(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) *world {
	w := &world{t: t, rand: rand.NewChaCha8([32]byte{1}), now: start}
	w.Store = open(t, w.clock)
	w.owner = w.user()
	return w
}

// user makes a user with nothing of their own yet.
func (w *world) user() lukasa.ID {
	id := w.id(lukasa.PrefixUser)
	w.ok(w.PutUser(w.ctx(), lukasa.User{ID: id, Name: "Ada", Role: lukasa.RoleUser, CreatedAt: start}, []byte("wrapped")))
	return id
}

// Read fills b, for [lukasa.Minter].
func (w *world) id(p lukasa.Prefix) lukasa.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return lukasa.Minter{Now: func() time.Time { return w.now }, Rand: w.rand}.ID(p)
}

// clock is what the store takes for now.
func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// tick returns a new moment.
func (w *world) tick() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(time.Second)
	return w.now
}

func (w *world) ctx() context.Context { return w.t.Context() }

func (w *world) scope() lukasa.Scope {
	return lukasa.Scope{Owner: w.owner, Principal: w.owner, Role: lukasa.RoleUser}
}

// under is the scope bound to a subtree.
func (w *world) under(root lukasa.Path) lukasa.Scope {
	sc := w.scope()
	sc.Root = root
	return sc
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("unexpected error: %v", err)
	}
}

// fails checks an error's code.
func (w *world) fails(want lukasa.Code, err error) {
	w.t.Helper()
	if got := lukasa.CodeOf(err); got != want {
		w.t.Fatalf("error has code %q, want %q: %v", got, want, err)
	}
}

func (w *world) update(fn func(store.Tx) error) {
	w.t.Helper()
	w.ok(w.Update(w.ctx(), w.scope(), fn))
}

func (w *world) view(fn func(store.Reader)) {
	w.t.Helper()
	w.viewAs(w.scope(), fn)
}

func (w *world) viewAs(sc lukasa.Scope, fn func(store.Reader)) {
	w.t.Helper()
	w.ok(w.View(w.ctx(), sc, func(r store.Reader) error {
		fn(Lean(w.t, r))
		return nil
	}))
}

// node makes a node with its ancestors and returns its id.
func (w *world) node(p lukasa.Path) lukasa.ID {
	w.t.Helper()
	var id lukasa.ID
	w.update(func(tx store.Tx) (err error) {
		id, err = w.nodeIn(tx, p)
		return err
	})
	return id
}

func (w *world) nodeIn(tx store.Tx, p lukasa.Path) (lukasa.ID, error) {
	if n, err := tx.NodeAt(p); err == nil {
		return n.ID, nil
	}
	n := lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: p, Type: lukasa.NodeTopic, CreatedAt: w.tick()}
	n.UpdatedAt = n.CreatedAt
	if p == "" {
		n.Type = lukasa.NodeRoot
	} else if _, err := w.nodeIn(tx, p.Parent()); err != nil {
		return "", err
	}
	return n.ID, tx.PutNode(n)
}

// doc makes a document that is not yet stored.
func (w *world) doc(node lukasa.ID, text string) lukasa.Document {
	sum := sha256.Sum256([]byte(text))
	at := w.tick()
	return lukasa.Document{
		ID: w.id(lukasa.PrefixDocument), Node: node, Title: "Title of " + text, Content: text, ContentType: "text/plain",
		Tags: []string{}, Metadata: map[string]any{}, Origin: lukasa.OriginUser, ContentHash: hex.EncodeToString(sum[:]), Size: int64(len(text)),
		Status: lukasa.StatusDone, Version: 1, IsLatest: true, CreatedAt: at, UpdatedAt: at,
	}
}

// chunks makes n chunks for a document.
func (w *world) chunks(d lukasa.Document, n int) []lukasa.Chunk {
	list := make([]lukasa.Chunk, n)
	for i := range list {
		list[i] = lukasa.Chunk{
			ID: w.id(lukasa.PrefixChunk), Document: d.ID, Node: d.Node, Seq: i, Start: 10 * i, End: 10*i + 9,
			Lines: [2]int{i + 1, i + 2}, Page: 1, Kind: "section", Symbol: "f", Heading: []string{"Part", fmt.Sprint(i)}, Content: fmt.Sprintf("%s: %d", d.Content, i),
		}
	}
	return list
}

// saved stores a document with n chunks and a vector for each.
func (w *world) saved(node lukasa.ID, text string, n int) (lukasa.Document, []lukasa.Chunk) {
	w.t.Helper()
	d := w.doc(node, text)
	cs := w.chunks(d, n)
	w.update(func(tx store.Tx) error { return put(tx, d, cs) })
	return d, cs
}

func put(tx store.Tx, d lukasa.Document, cs []lukasa.Chunk) error {
	if err := tx.PutDocument(d); err != nil {
		return err
	}
	if err := tx.ReplaceChunks(d.ID, cs); err != nil {
		return err
	}
	return tx.PutVectors(space, vectors(lukasa.EntryChunk, cs))
}

func vectors(kind lukasa.EntryType, cs []lukasa.Chunk) []store.Vector {
	vs := make([]store.Vector, len(cs))
	for i, c := range cs {
		vs[i] = store.Vector{Entry: c.ID, Type: kind, Vector: vector(i)}
	}
	return vs
}

func vector(i int) []float32 {
	v := make([]float32, 8)
	v[i%8] = 1
	return v
}

func (w *world) memory(node lukasa.ID, text string, sources ...lukasa.Source) lukasa.Memory {
	at := w.tick()
	return lukasa.Memory{
		ID: w.id(lukasa.PrefixMemory), Node: node, Kind: lukasa.KindFact, Content: text, Confidence: 0.75, Tags: []string{},
		Metadata: map[string]any{}, Sources: sources, Origin: lukasa.OriginUser, IsLatest: true, RecordedAt: at, UpdatedAt: at,
	}
}

// dialogue stores a conversation with one segment and n messages of one chunk each.
func (w *world) dialogue(node lukasa.ID, name string, n int) (lukasa.Conversation, []lukasa.Message, []lukasa.Chunk) {
	w.t.Helper()
	d := w.doc(node, "")
	d.ContentType = "conversation"
	c := lukasa.Conversation{ID: w.id(lukasa.PrefixConversation), Node: node, ExternalID: name, Document: d.ID, CreatedAt: d.CreatedAt, UpdatedAt: d.CreatedAt}
	ms, cs := w.turns(c, n)
	w.update(func(tx store.Tx) error {
		if err := tx.PutDocument(d); err != nil {
			return err
		}
		if err := tx.PutConversation(c); err != nil {
			return err
		}
		return tx.PutMessages(ms, cs)
	})
	return c, ms, cs
}

func (w *world) turns(c lukasa.Conversation, n int) (ms []lukasa.Message, cs []lukasa.Chunk) {
	for i := range n {
		at := w.tick()
		m := lukasa.Message{
			ID: w.id(lukasa.PrefixMessage), Conversation: c.ID, Document: c.Document, Node: c.Node, ExternalID: fmt.Sprintf("%s-%d-%d", c.ID, i, at.UnixNano()),
			Seq: -1, Role: "user", Speaker: "Ada", Session: "s1", Content: fmt.Sprintf("turn %d", i), Metadata: map[string]any{"i": float64(i)}, Time: new(at.Add(-time.Hour)), CreatedAt: at,
		}
		ms = append(ms, m)
		cs = append(cs, lukasa.Chunk{ID: w.id(lukasa.PrefixChunk), Document: c.Document, Message: m.ID, Node: c.Node, Seq: 0, End: len(m.Content), Content: m.Content})
	}
	return ms, cs
}

// same compares what was stored with what is read; nil and empty lists are the same.
func same[T any](t *testing.T, want, got T, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, append(opts, cmpopts.EquateEmpty())...); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
}

// must is for calls whose error the test has no interest in.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		return v
	}
}

func idsOf[T any](list []T, id func(T) lukasa.ID) []lukasa.ID {
	out := make([]lukasa.ID, len(list))
	for i, x := range list {
		out[i] = id(x)
	}
	return out
}

func docID(d lukasa.Document) lukasa.ID      { return d.ID }
func chunkID(c lukasa.Chunk) lukasa.ID       { return c.ID }
func memID(m lukasa.Memory) lukasa.ID        { return m.ID }
func msgID(m lukasa.Message) lukasa.ID       { return m.ID }
func entryID(e lukasa.Entry) lukasa.ID       { return e.ID }
func nodePath(n lukasa.Node) lukasa.ID       { return lukasa.ID(n.Path) }
func convID(c lukasa.Conversation) lukasa.ID { return c.ID }

// healthy checks that the store finds nothing wrong with itself.
func (w *world) healthy() {
	w.t.Helper()
	found, err := w.Check(w.ctx())
	w.ok(err)
	if len(found) > 0 {
		w.t.Fatalf("check found damage: %q", found)
	}
}
