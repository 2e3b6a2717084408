package indextest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

// talk returns turns of several conversations, written as they come in, and documents beside them.
func talk(r *rand.Rand, n int) []lukasa.Entry {
	var out []lukasa.Entry
	next := map[lukasa.ID]int64{}
	for i := range n {
		e := entry(i, NodeID(1), "", nil)
		for range 3 + r.IntN(15) {
			e.Text += vocabulary[r.IntN(1+r.IntN(len(vocabulary)))] + fmt.Sprintf(" w%ds ", r.IntN(1+r.IntN(500)))
		}
		e.Vector = axis(r.IntN(8)*8, r.Float32())
		if i%4 == 0 { // a chunk
			e.Document, e.Seq, e.Node = mint(lukasa.PrefixDocument, i/60), int64(i), NodeID(2+i/60%3)
			e.Title = "Notes of the day"
			out = append(out, e)
			continue
		}
		e.Type, e.Conversation = lukasa.EntryMessage, mint(lukasa.PrefixConversation, r.IntN(4))
		e.Seq = next[e.Conversation]
		next[e.Conversation]++
		e.Session = fmt.Sprint("s", e.Seq/25)
		e.Speaker = []string{"Ann", "Bob", "", "user"}[r.IntN(4)]
		e.Role = []string{"", "user", "assistant"}[r.IntN(3)]
		e.Node = NodeID(len(e.Conversation) % 2)
		if r.IntN(3) == 0 { // a long turn is cut in two
			e.Seq = max(0, e.Seq-1)
		}
		if r.IntN(12) == 0 {
			e.Tags = []string{"hidden"}
		}
		e.Latest = r.IntN(25) > 0
		out = append(out, e)
	}
	return out
}

// H-11, H-17: what stands beside what is found comes with it, with its words, its vector and its place, and nothing of nodes that
// are not named. It is the same after entries got their vectors later, were written again, or went away.
func testScene(t *testing.T, open Open) {
	r := rand.New(rand.NewPCG(3, 9))
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	all := talk(r, 1500)
	ask := func() {
		t.Helper()
		for _, nodes := range [][]lukasa.ID{{NodeID(0), NodeID(1)}, {NodeID(0), NodeID(1), NodeID(2), NodeID(3), NodeID(4)}, {NodeID(3)}, nil} {
			for k, flt := range []*lukasa.Filter{
				nil, {Not: &lukasa.Filter{Field: "tags", Text: []string{"hidden"}}}, {Field: "latest", Text: []string{"false", "true"}}, {Field: "speaker", Text: []string{"Ann"}},
			} {
				q := all[r.IntN(len(all))]
				req := index.Request{Owner: owner, Nodes: nodes, Text: q.Text + " zzyzx garden", Vector: q.Vector, K: []int{100, 30, 5, 20}[k], Filter: flt, Scene: true}
				if k == 3 {
					req.Types = []lukasa.EntryType{lukasa.EntryMessage}
				}
				if a := find(t, x, f, req); a.Scene == nil {
					t.Skip("this driver makes no scenes")
				}
			}
		}
	}
	for i := range all {
		e := all[i]
		e.Vector = nil
		f.Put(e)
		if i%500 == 0 {
			ask()
		}
	}
	ask()
	for _, i := range r.Perm(len(all)) {
		f.Put(all[i])
		if i%700 == 0 {
			ask()
		}
	}
	for range 200 {
		f.Remove(all[r.IntN(len(all))].ID)
	}
	ask()
}

// A scene is the same after a restart.
func testSceneRestart(t *testing.T, open Open) {
	r := rand.New(rand.NewPCG(5, 5))
	f, dir := NewMemFeed(), t.TempDir()
	all := talk(r, 700)
	f.Put(all...)
	x := open(t, f, dir)
	var reqs []index.Request
	for i := range 6 {
		reqs = append(reqs, index.Request{
			Owner: owner, Nodes: []lukasa.ID{NodeID(0), NodeID(1), NodeID(2 + i%3)}, Text: all[i*50].Text, Vector: all[i*70].Vector, K: 20, Scene: true,
		})
	}
	look := func() (out []any) {
		for _, req := range reqs {
			a := find(t, x, f, req)
			if a.Scene == nil {
				t.Skip("this driver makes no scenes")
			}
			s := *a.Scene
			s.Dot = nil
			out = append(out, s)
		}
		return out
	}
	look()
	for i := range 40 {
		f.Put(all[i*17])
	}
	want := look()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open(t, f, dir)
	if d := cmp.Diff(want, look()); d != "" {
		t.Errorf("after a restart:\n%s", d)
	}
	for i := range all {
		f.Put(all[i])
	}
	look()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}
