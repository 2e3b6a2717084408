package graph_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/graph"
)

// town is a small store: two containers below one, documents, memories and who is named in them.
func town() graph.Records {
	return graph.Records{
		Nodes: []lukasa.Node{
			{ID: "node_a", Parent: "node_root", Path: "work", Name: "work", Type: lukasa.NodeProject},
			{ID: "node_b", Parent: "node_a", Path: "work.acme", Name: "acme", Type: lukasa.NodeTopic},
		},
		Documents: []lukasa.Document{
			{ID: "doc_1", Node: "node_b", Path: "work.acme", Title: "Kick-off", Keywords: lukasa.Keywords{Entities: []string{"Dave"}, Topics: []string{"budget"}}},
			{ID: "doc_2", Node: "node_b", Path: "work.acme", Title: "Review", Keywords: lukasa.Keywords{Entities: []string{"dave miller", "Ann"}, Topics: []string{"budget"}}, Previous: "doc_1"},
		},
		Memories: []lukasa.Memory{{ID: "mem_1", Node: "node_a", Path: "work", Content: "Dave pays.", Entities: []string{"Dave"}, Sources: []lukasa.Source{{Document: "doc_1"}}}},
		Entities: []lukasa.Entity{{ID: "ent_d", Kind: "person", Name: "Dave Miller", Aliases: []string{"Dave"}}},
		Edges:    []lukasa.Edge{{From: "doc_1", To: "ent_d", Type: lukasa.EdgeMentions, Weight: 3}, {From: "mem_1", To: "mem_gone", Type: lukasa.EdgeUpdates}},
	}
}

// H-20, T-4
func TestDraw(t *testing.T) {
	t.Parallel()
	g := graph.Draw(town())
	var vs, es []string
	for _, v := range g.Vertices {
		vs = append(vs, v.Type+" "+v.ID)
	}
	for _, e := range g.Edges {
		es = append(es, fmt.Sprintf("%s %s %s %.0f", e.From, e.Type, e.To, e.Weight))
	}
	want := []string{"container node_b", "container node_a", "document doc_1", "document doc_2", "entity ent_d", "memory mem_1", "topic topic:budget"}
	if diff := cmp.Diff(want, vs); diff != "" {
		t.Error("vertices:", diff)
	}
	want = []string{
		"doc_1 mentions ent_d 3", "doc_2 updates doc_1 1", "doc_2 mentions ent_d 1", "mem_1 derives doc_1 1", "mem_1 mentions ent_d 1",
		"node_a contains mem_1 1", "node_a contains node_b 1", "node_b contains doc_1 1", "node_b contains doc_2 1",
		"topic:budget discussed_in doc_1 1", "topic:budget discussed_in doc_2 1",
	}
	if diff := cmp.Diff(want, es); diff != "" {
		t.Error("edges:", diff)
	}
	solo := town()
	solo.Solo = true
	if g := graph.Draw(solo); !slices.ContainsFunc(g.Vertices, func(v graph.Vertex) bool { return v.ID == "entity:ann" }) {
		t.Error("solo leaves out what one document names")
	}
	solo.Limit = 6
	g = graph.Draw(solo)
	if len(g.Vertices) != 6 || !g.Truncated || slices.ContainsFunc(g.Vertices, func(v graph.Vertex) bool { return v.ID == "entity:ann" }) {
		t.Errorf("limit 6: %d vertices, truncated %v", len(g.Vertices), g.Truncated)
	}
}

// world makes records from a seed.
func world(t *rapid.T) graph.Records {
	var r graph.Records
	for i := range rapid.IntRange(1, 12).Draw(t, "nodes") {
		path := lukasa.Path(fmt.Sprintf("n%d", i))
		parent := lukasa.ID("node_root")
		if i > 0 && rapid.Bool().Draw(t, "below") {
			up := r.Nodes[rapid.IntRange(0, i-1).Draw(t, "parent")]
			if up.Path.Depth() < 4 {
				path, parent = up.Path+"."+path, up.ID
			}
		}
		r.Nodes = append(r.Nodes, lukasa.Node{ID: lukasa.ID(fmt.Sprintf("node_%d", i)), Parent: parent, Path: path, Name: path.Name()})
	}
	names := []string{"Ann", "Ben", "Cleo", "Dave", "Eve"}
	for i := range rapid.IntRange(0, 60).Draw(t, "docs") {
		n := r.Nodes[rapid.IntRange(0, len(r.Nodes)-1).Draw(t, "in")]
		r.Documents = append(r.Documents, lukasa.Document{
			ID: lukasa.ID(fmt.Sprintf("doc_%d", i)), Node: n.ID, Path: n.Path, Title: fmt.Sprint("document ", i),
			Keywords: lukasa.Keywords{Entities: []string{rapid.SampledFrom(names).Draw(t, "who")}},
		})
	}
	return r
}

func arranged(r graph.Records) graph.Picture {
	g := graph.Draw(r)
	graph.Arrange(&g)
	return g
}

// H-20: the same records look the same, and one more document moves the others little.
func TestArrange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := world(t)
		g := arranged(r)
		if diff := cmp.Diff(g, arranged(r)); diff != "" {
			t.Fatal("the same records are arranged otherwise:", diff)
		}
		for _, v := range g.Vertices {
			if math.IsNaN(v.X) || math.IsNaN(v.Y) || math.Hypot(v.X, v.Y) > 2000 {
				t.Fatalf("%s stands at %v, %v", v.ID, v.X, v.Y)
			}
		}
		n := r.Nodes[len(r.Nodes)-1]
		r.Documents = append(r.Documents, lukasa.Document{ID: "doc_new", Node: n.ID, Path: n.Path, Title: "new", Keywords: lukasa.Keywords{Entities: []string{"Ann"}}})
		at := map[string]graph.Vertex{}
		for _, v := range g.Vertices {
			at[v.ID] = v
		}
		sum, count := 0.0, 0
		for _, v := range arranged(r).Vertices {
			if old, ok := at[v.ID]; ok && v.Type != "entity" { // who is named stands in the middle of all that name him
				d := math.Hypot(v.X-old.X, v.Y-old.Y)
				if d > 120 { // twice the leash
					t.Fatalf("%s moved by %.0f", v.ID, d)
				}
				sum, count = sum+d, count+1
			}
		}
		if count > 10 && sum/float64(count) > 10 {
			t.Fatalf("%d vertices moved by %.1f on average", count, sum/float64(count))
		}
	})
}

// Vertices do not stand on each other where there is room.
func TestArrangeMakesRoom(t *testing.T) {
	t.Parallel()
	r := graph.Records{Nodes: []lukasa.Node{{ID: "node_a", Path: "a", Name: "a"}}}
	for i := range 20 {
		r.Documents = append(r.Documents, lukasa.Document{ID: lukasa.ID(fmt.Sprintf("doc_%d", i)), Node: "node_a", Path: "a", Title: fmt.Sprint(i)})
	}
	g := arranged(r)
	for i, v := range g.Vertices {
		for _, w := range g.Vertices[:i] {
			if d := math.Hypot(v.X-w.X, v.Y-w.Y); d < 8 {
				t.Errorf("%s and %s are %.1f apart", v.ID, w.ID, d)
			}
		}
	}
}

// T-4, N-3: slips of the pen find a name.
func TestLikeness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string
		alike bool
	}{
		{"Dave", "dave", true},
		{"Dav", "Dave", true},
		{"Daev", "Dave", true},
		{"Dave", "Dave Miller", true},
		{"miler", "Dave Miller", true},
		{"Jorgen", "Jörgen", true},
		{"Katherine", "Catherine", true},
		{"ACME Corp", "Acme Corporation", true},
		{"Dave", "Eve", false},
		{"Ann", "Bob", false},
		{"Al", "Di", false},
		{"Berlin", "Lisbon", false},
		{"Paris", "", false},
	} {
		l := graph.Likeness(c.a, c.b)
		if (l >= graph.Alike) != c.alike {
			t.Errorf("%q and %q are %.2f alike", c.a, c.b, l)
		}
		if m := graph.Likeness(c.b, c.a); m != l {
			t.Errorf("%q and %q: %.3f one way, %.3f the other", c.a, c.b, l, m)
		}
	}
	if graph.Likeness("Dave", "Dave") != 1 || graph.Likeness("Daev", "Dave") >= 1 {
		t.Error("only the same is 1")
	}
	if s := graph.Spellings("daev"); !slices.Contains(s, "dave") || slices.Contains(s, "daev") || len(s) > 300 {
		t.Errorf("%d spellings of daev", len(s))
	}
}

func FuzzLikeness(f *testing.F) {
	f.Add("Dave", "Daev")
	f.Add("", "\xff")
	f.Add("Zoë de la Cruz", "zoe")
	f.Fuzz(func(t *testing.T, a, b string) {
		l := graph.Likeness(a, b)
		if !(l >= 0 && l <= 1) {
			t.Errorf("likeness of %q and %q is %v", a, b, l)
		}
		graph.Says(a, b)
		if len(graph.Spellings(a)) > 1000 || len(graph.Pieces(a)) > 3 {
			t.Error("too many variants")
		}
	})
}

// N-3: a reader who sees a part of the texts learns no name from the others.
func TestUnder(t *testing.T) {
	t.Parallel()
	e := lukasa.Entity{ID: "ent_1", Name: "Dave Miller", Aliases: []string{"Dave", "The Hammer"}}
	got, ok := graph.Under(e, []string{"I met Dave at the fair.", "the hammering went on"})
	if !ok || got.Name != "Dave" || got.Aliases != nil {
		t.Errorf("known as %q, %v", got.Name, got.Aliases)
	}
	if got, ok = graph.Under(e, []string{"dave miller, the hammer"}); !ok || got.Name != "Dave Miller" || !slices.Equal(got.Aliases, []string{"Dave", "The Hammer"}) {
		t.Errorf("known as %q, %v", got.Name, got.Aliases)
	}
	if _, ok = graph.Under(e, []string{"Davey", "he came"}); ok {
		t.Error("known where nothing names him")
	}
	if !graph.Says("我见了李雷。", "李雷") || graph.Says("Anna", "Ann") {
		t.Error("words of their own")
	}
}

// T-4: a walk reaches what is at most so many edges away, by the shortest way.
func TestWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 15).Draw(t, "n")
		var edges []lukasa.Edge
		id := func(i int) string { return fmt.Sprintf("mem_%d", i) }
		for range rapid.IntRange(0, 30).Draw(t, "edges") {
			edges = append(edges, lukasa.Edge{From: id(rapid.IntRange(0, n-1).Draw(t, "a")), To: id(rapid.IntRange(0, n-1).Draw(t, "b")), Type: lukasa.EdgeRelatesTo})
		}
		depth := rapid.IntRange(0, 5).Draw(t, "depth")
		got, err := graph.Walk([]lukasa.ID{"mem_0"}, depth, 1000, func(of []lukasa.ID) ([]lukasa.Edge, bool, error) {
			var out []lukasa.Edge
			for _, e := range edges {
				if slices.Contains(of, lukasa.ID(e.From)) || slices.Contains(of, lukasa.ID(e.To)) {
					out = append(out, e)
				}
			}
			return out, false, nil
		})
		if err != nil || got.Truncated {
			t.Fatal(err, got.Truncated)
		}
		want := map[lukasa.ID]int{"mem_0": 0} // by relaxation
		for range n {
			for _, e := range edges {
				for _, x := range [][2]string{{e.From, e.To}, {e.To, e.From}} {
					if d, ok := want[lukasa.ID(x[0])]; ok {
						if old, ok := want[lukasa.ID(x[1])]; !ok || d+1 < old {
							want[lukasa.ID(x[1])] = d + 1
						}
					}
				}
			}
		}
		for k, d := range want {
			if d > depth {
				delete(want, k)
			}
		}
		if diff := cmp.Diff(want, got.Distance); diff != "" {
			t.Fatal(diff)
		}
		if n > 2 {
			small, err := graph.Walk([]lukasa.ID{"mem_0"}, 5, 2, func([]lukasa.ID) ([]lukasa.Edge, bool, error) { return edges, false, nil })
			if err != nil || len(small.Order) > 2 {
				t.Fatal("over the limit", err)
			}
		}
	})
}
