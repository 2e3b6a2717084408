// Package lifetest plays random histories on a store, and holds its views of moments against what was seen at those moments. It
// is a part of the suite of storetest.
package lifetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Run plays so many histories against a store that open makes, new and empty, with the clock that it is given.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store, lives int) { // N-10
	t.Run("Valid", func(t *testing.T) { testValid(t, open) })
	t.Run("ValidHistories", func(t *testing.T) { testValidHistories(t, open) })
	t.Run("Whole", func(t *testing.T) { testWhole(t, open) })
	t.Run("Foresee", func(t *testing.T) { testForesee(t, open) })
	t.Run("Clear", func(t *testing.T) { testClear(t, open) })
	t.Run("Files", func(t *testing.T) { testFiles(t, open) })
	t.Run("Marks", func(t *testing.T) { testMarks(t, open) })
	t.Run("Written", func(t *testing.T) { testWritten(t, open) })
	t.Run("Superseded", func(t *testing.T) { testSuperseded(t, open) })
	t.Run("Marked", func(t *testing.T) { testMarked(t, open) })
	t.Run("Topics", func(t *testing.T) { testTopics(t, open) })
	t.Run("Versions", func(t *testing.T) { testVersions(t, open) })
	w := &world{t: t, rand: rand.NewChaCha8([32]byte{1}), now: start}
	w.Store = open(t, func() time.Time { return w.now })
	for seed := range uint64(lives) {
		l := &life{
			w: w, t: t, rng: rand.New(rand.NewPCG(seed, 1)), sc: lukasa.Scope{Owner: w.id(lukasa.PrefixUser)},
			purged: map[lukasa.ID]bool{}, scarred: map[lukasa.ID]bool{}, talkOf: map[lukasa.ID]lukasa.ID{},
		}
		l.sc.Principal = l.sc.Owner
		w.ok(w.PutUser(w.ctx(), lukasa.User{ID: l.sc.Owner, Name: "Ada", CreatedAt: start}, nil))
		stands := w.standing(l.sc)
		for range 120 {
			w.ok(w.Update(w.ctx(), l.sc, l.live))
			stands = w.risen(l.sc, stands)
			if l.rng.IntN(10) == 0 {
				l.watch(w.tick())
			}
		}
		for _, s := range l.seen {
			l.compare(s)
		}
		found, err := w.Check(w.ctx())
		w.ok(err)
		if len(found) > 0 {
			t.Fatalf("check found damage: %q", found)
		}
	}
}

// start is the moment at which the clock stands at first; each record made moves it on by a second.
var start = time.Date(2026, 5, 1, 10, 0, 0, 123456000, time.UTC)

// world is a store, and makes records. It is used by one goroutine.
type world struct {
	store.Store
	t    *testing.T
	rand *rand.ChaCha8
	now  time.Time
}

func (w *world) id(p lukasa.Prefix) lukasa.ID {
	return lukasa.Minter{Now: func() time.Time { return w.now }, Rand: w.rand}.ID(p)
}

// tick returns a new moment.
func (w *world) tick() time.Time {
	w.now = w.now.Add(time.Second)
	return w.now
}

func (w *world) ctx() context.Context { return w.t.Context() }

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("unexpected error: %v", err)
	}
}

func (w *world) doc(node lukasa.ID, text string) lukasa.Document {
	at := w.tick()
	return lukasa.Document{
		ID: w.id(lukasa.PrefixDocument), Node: node, Title: "Title of " + text, Content: text, ContentType: "text/plain", ContentHash: "hash of " + text,
		Size: int64(len(text)), Status: lukasa.StatusDone, Version: 1, IsLatest: true, CreatedAt: at, UpdatedAt: at,
	}
}

func (w *world) chunks(d lukasa.Document, n int) []lukasa.Chunk {
	list := make([]lukasa.Chunk, n)
	for i := range list {
		list[i] = lukasa.Chunk{ID: w.id(lukasa.PrefixChunk), Seq: i, Content: fmt.Sprintf("%s: %d", d.Content, i)}
	}
	return list
}

func (w *world) memory(node lukasa.ID, text string) lukasa.Memory {
	at := w.tick()
	return lukasa.Memory{ID: w.id(lukasa.PrefixMemory), Node: node, Kind: lukasa.KindFact, Content: text, Confidence: 0.75, IsLatest: true, RecordedAt: at, UpdatedAt: at}
}

func (w *world) turns(c lukasa.Conversation, n int) (ms []lukasa.Message, cs []lukasa.Chunk) {
	for i := range n {
		m := lukasa.Message{
			ID: w.id(lukasa.PrefixMessage), Conversation: c.ID, Document: c.Document, Node: c.Node, Seq: -1, Role: "user", Speaker: "Ada",
			Content: fmt.Sprintf("turn %d", i), Metadata: map[string]any{"i": float64(i)}, Time: new(w.now.Add(-time.Hour)), CreatedAt: w.tick(),
		}
		ms = append(ms, m)
		cs = append(cs, lukasa.Chunk{ID: w.id(lukasa.PrefixChunk), Message: m.ID, End: len(m.Content), Content: m.Content})
	}
	return ms, cs
}

// same compares two values; nil and empty lists are the same.
func same[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
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
func memID(m lukasa.Memory) lukasa.ID        { return m.ID }
func msgID(m lukasa.Message) lukasa.ID       { return m.ID }
func chunkID(c lukasa.Chunk) lukasa.ID       { return c.ID }
func convID(c lukasa.Conversation) lukasa.ID { return c.ID }
