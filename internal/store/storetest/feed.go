package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

func (w *world) partition(node lukasa.ID) []lukasa.Entry {
	w.t.Helper()
	var list []lukasa.Entry
	w.ok(w.Partition(w.ctx(), space, w.owner, node, func(e lukasa.Entry) bool {
		list = append(list, e)
		return true
	}))
	return list
}

// changes reads the log from a position on.
func (w *world) changes(after int64) []lukasa.Change {
	w.t.Helper()
	list, err := w.Changes(w.ctx(), after, 1<<20)
	w.ok(err)
	return list
}

func sortEntries() gocmp.Option {
	return cmpopts.SortSlices(func(a, b lukasa.Entry) bool { return a.ID < b.ID })
}

// follower keeps a copy of the entries as an index does: by the log alone.
type follower struct {
	seq  int64
	have map[lukasa.ID]map[lukasa.ID]lukasa.Entry // by node
}

func (f *follower) follow(w *world, t interface{ Fatalf(string, ...any) }) {
	for {
		list, err := w.Changes(w.ctx(), f.seq, 7)
		w.ok(err)
		if len(list) == 0 {
			return
		}
		for _, c := range list {
			if c.Seq <= f.seq {
				t.Fatalf("change %d comes after %d", c.Seq, f.seq)
			}
			f.seq = c.Seq
			if f.have[c.Node] == nil {
				f.have[c.Node] = map[lukasa.ID]lukasa.Entry{}
			}
			delete(f.have[c.Node], c.Entry)
			if c.Removed {
				continue
			}
			es, err := w.Entries(w.ctx(), space, c.Owner, []lukasa.ID{c.Entry})
			w.ok(err)
			for _, e := range es {
				if e.Node == c.Node {
					if e.Type != c.Type {
						t.Fatalf("change says %s, entry %s", c.Type, e.Type)
					}
					f.have[c.Node][c.Entry] = e
				}
			}
		}
	}
}

var feedCases = []testCase{
	{"OneLineForEachEntry", func(t *testing.T, w *world) {
		node := w.node("work")
		same(t, 0, must[int64](t)(w.Head(w.ctx())))
		d, cs := w.saved(node, "text", 2) // chunks and vectors in one transaction
		list := w.changes(0)
		for i := range list {
			same(t, lukasa.Change{Seq: list[i].Seq, Owner: w.owner, Node: node, Entry: cs[i].ID, Type: lukasa.EntryChunk}, list[i])
		}
		same(t, 2, len(list))
		same(t, list[1].Seq, must[int64](t)(w.Head(w.ctx())))
		for _, step := range []struct {
			name string
			fn   func(store.Tx) error
			want int
		}{
			{"a change of what entries carry", func(tx store.Tx) error { d.Tags = []string{"x"}; return tx.PutDocument(d) }, 2},
			{"metadata", func(tx store.Tx) error { d.Metadata = map[string]any{"a": 1.0}; return tx.PutDocument(d) }, 2},
			{"the same again", func(tx store.Tx) error { return tx.PutDocument(d) }, 0},
			{"status", func(tx store.Tx) error { d.Status = lukasa.StatusFailed; return tx.PutDocument(d) }, 2},
			{"is_latest", func(tx store.Tx) error { d.IsLatest = false; return tx.PutDocument(d) }, 2},
			{"is_latest again", func(tx store.Tx) error { d.IsLatest = true; return tx.PutDocument(d) }, 2},
			{"what they do not carry", func(tx store.Tx) error { d.Language, d.Reason = "en", "why"; return tx.PutDocument(d) }, 0},
			{"a vector", func(tx store.Tx) error { return tx.PutVectors("other", vectors(lukasa.EntryChunk, cs[:1])) }, 1},
			{"another version", func(tx store.Tx) error {
				x := w.doc(node, "next")
				x.Previous = d.ID
				return tx.PutDocument(x)
			}, 2},
			{"deletion", func(tx store.Tx) error { _, _, err := tx.DeleteDocument(d.ID); return err }, 2},
		} {
			head := must[int64](t)(w.Head(w.ctx()))
			w.update(step.fn)
			if got := w.changes(head); len(got) != step.want {
				t.Fatalf("%s wrote %v, want %d lines", step.name, got, step.want)
			}
		}
		list = w.changes(0)
		same(t, [2]bool{true, true}, [2]bool{list[len(list)-1].Removed, list[len(list)-2].Removed})
	}},
	{"LimitsAreKept", func(t *testing.T, w *world) {
		w.saved(w.node("work"), "text", 10)
		list := must[[]lukasa.Change](t)(w.Changes(w.ctx(), 0, 4))
		same(t, 4, len(list))
		same(t, 6, len(w.changes(list[3].Seq)))
	}},
	{"PartitionStopsWhenTold", func(t *testing.T, w *world) {
		node := w.node("work")
		w.saved(node, "text", 5)
		n := 0
		w.ok(w.Partition(w.ctx(), space, w.owner, node, func(lukasa.Entry) bool { n++; return n < 3 }))
		same(t, 3, n)
	}},
	{"PartitionIsInOrder", func(t *testing.T, w *world) {
		node := w.node("work")
		for i := range 4 {
			w.saved(node, fmt.Sprint(i), 3)
		}
		w.dialogue(node, "talk", 12)
		got := w.partition(node)
		same(t, 24, len(got))
		seen := map[lukasa.ID]bool{}
		for i, e := range got {
			place := cmp.Or(e.Conversation, e.Document)
			if i > 0 && place == cmp.Or(got[i-1].Conversation, got[i-1].Document) {
				if e.Seq != got[i-1].Seq+1 {
					t.Fatalf("entry %d has seq %d after %d", i, e.Seq, got[i-1].Seq)
				}
			} else if seen[place] {
				t.Fatalf("%s is torn apart", place)
			}
			seen[place] = true
		}
		same(t, got, w.partition(node))
	}},
	{"TheLogIsComplete", func(t *testing.T, w *world) {
		rapid.Check(t, func(rt *rapid.T) {
			w.owner = w.user()
			f := &follower{have: map[lukasa.ID]map[lukasa.ID]lukasa.Entry{}, seq: must[int64](t)(w.Head(w.ctx()))}
			p := &player{world: w, nodes: []lukasa.ID{w.node("a"), w.node("b"), w.node("b.c")}}
			for range rapid.IntRange(1, 30).Draw(rt, "steps") {
				p.step(rt)
				if rapid.Bool().Draw(rt, "follow") {
					f.follow(w, rt)
				}
			}
			f.follow(w, rt)
			for _, node := range p.nodes {
				var have []lukasa.Entry
				for _, e := range f.have[node] {
					have = append(have, e)
				}
				if diff := gocmp.Diff(w.partition(node), have, cmpopts.EquateEmpty(), sortEntries()); diff != "" {
					rt.Fatalf("the log leads elsewhere (-rows +log)\n%s", diff)
				}
			}
		})
		w.healthy()
	}},
}

// player does random things to a store.
type player struct {
	*world
	nodes []lukasa.ID
	docs  []lukasa.Document
	mems  []lukasa.Memory
	convs []lukasa.Conversation
	msgs  []lukasa.Message
}

func (p *player) step(rt *rapid.T) {
	node := rapid.SampledFrom(p.nodes).Draw(rt, "node")
	pick := func(n int, name string) int { return rapid.IntRange(0, n-1).Draw(rt, name) }
	moves := []string{"add", "add", "memory", "talk"}
	if len(p.docs) > 0 {
		moves = append(moves, "edit", "move", "chunks", "vectors", "version", "summary", "delete", "nothing")
	}
	if len(p.mems) > 0 {
		moves = append(moves, "edit memory", "delete memory")
	}
	if len(p.convs) > 0 {
		moves = append(moves, "say", "say")
	}
	if len(p.msgs) > 0 {
		moves = append(moves, "correct", "unsay")
	}
	move := rapid.SampledFrom(moves).Draw(rt, "move")
	err := p.Update(p.ctx(), p.scope(), func(tx store.Tx) error { return p.play(tx, move, node, pick) })
	if move == "nothing" {
		if err == nil {
			rt.Fatalf("an error was lost")
		}
		return
	}
	if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound && lukasa.CodeOf(err) != lukasa.CodeConflict { // went with something else
		rt.Fatalf("%s: %v", move, err)
	}
}

func (p *player) play(tx store.Tx, move string, node lukasa.ID, pick func(int, string) int) error {
	switch move {
	case "memory":
		m := p.memory(node, "m")
		if len(p.docs) > 0 && pick(2, "sourced") == 1 {
			m.Sources = []lukasa.Source{{Document: p.docs[pick(len(p.docs), "source")].ID}}
		}
		p.mems = append(p.mems, m)
		return tx.PutMemory(m)
	case "edit memory":
		m := &p.mems[pick(len(p.mems), "memory")]
		m.Node, m.Content, m.Tags = node, m.Content+"x", []string{"e"}
		return tx.PutMemory(*m)
	case "delete memory":
		return tx.DeleteMemory(p.mems[pick(len(p.mems), "memory")].ID)
	case "talk":
		d := p.doc(node, "")
		c := lukasa.Conversation{ID: p.id(lukasa.PrefixConversation), Node: node, ExternalID: string(d.ID), Document: d.ID, CreatedAt: d.CreatedAt, UpdatedAt: d.CreatedAt}
		p.docs, p.convs = append(p.docs, d), append(p.convs, c)
		if err := tx.PutDocument(d); err != nil {
			return err
		}
		return tx.PutConversation(c)
	case "say":
		c := p.convs[pick(len(p.convs), "conversation")]
		ms, cs := p.turns(c, 1+pick(3, "turns"))
		p.msgs = append(p.msgs, ms...)
		if err := tx.PutMessages(ms, cs); err != nil {
			return err
		}
		return tx.PutVectors(space, vectors(lukasa.EntryMessage, cs[:1]))
	case "correct":
		m := &p.msgs[pick(len(p.msgs), "message")]
		m.Speaker, m.Seq = m.Speaker+"x", -1
		var cs []lukasa.Chunk
		for i := range pick(3, "chunks") {
			cs = append(cs, lukasa.Chunk{ID: p.id(lukasa.PrefixChunk), Message: m.ID, Seq: i, Content: "corrected"})
		}
		return tx.PutMessages([]lukasa.Message{*m}, cs)
	case "unsay":
		return tx.DeleteMessage(p.msgs[pick(len(p.msgs), "message")].ID)
	case "add":
		d := p.doc(node, "text")
		p.docs = append(p.docs, d)
		return put(tx, d, p.chunks(d, pick(4, "chunks")))
	}
	return p.playDocument(tx, move, node, pick)
}

func (p *player) playDocument(tx store.Tx, move string, node lukasa.ID, pick func(int, string) int) error {
	d, err := tx.Document(p.docs[pick(len(p.docs), "document")].ID)
	if err != nil {
		return err
	}
	switch move {
	case "edit":
		switch pick(6, "field") {
		case 0:
			d.Title += "x"
		case 1:
			d.Tags = append(d.Tags, "x")
		case 2:
			d.Metadata = map[string]any{"n": float64(len(d.Title))}
		case 3:
			d.OccurredAt = new(p.tick())
		case 4:
			d.Summary += "x"
		case 5:
			d.Status = lukasa.StatusFailed
		}
		return tx.PutDocument(d)
	case "move":
		d.Node = node
		return tx.PutDocument(d)
	case "chunks":
		old, err := tx.Chunks(d.ID)
		if err != nil {
			return err
		}
		old = slices.DeleteFunc(old, func(c lukasa.Chunk) bool { return c.Message != "" })
		next := append(old[:pick(len(old)+1, "kept")], p.chunks(d, pick(3, "new"))...)
		for i := range next {
			next[i].Seq = i
		}
		return tx.ReplaceChunks(d.ID, next)
	case "vectors":
		es, err := tx.Pending(d.ID, space, 2)
		if err != nil {
			return err
		}
		var vs []store.Vector
		for _, e := range es {
			vs = append(vs, store.Vector{Entry: e.ID, Type: e.Type, Vector: vector(int(e.Seq))})
		}
		return tx.PutVectors(space, vs)
	case "version":
		x := p.doc(d.Node, "next")
		x.Previous = d.ID
		p.docs = append(p.docs, x)
		return put(tx, x, p.chunks(x, 1))
	case "summary":
		return tx.SummaryEntry(d.ID, pick(2, "on") == 1)
	case "delete":
		_, _, err := tx.DeleteDocument(d.ID)
		return err
	case "nothing":
		d.Title = "never"
		if err := tx.PutDocument(d); err != nil {
			return err
		}
		return errOops
	}
	panic("no such move: " + move)
}
