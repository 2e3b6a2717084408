package bench_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestScore(t *testing.T) {
	t.Parallel()
	ideal2 := 1 + 1/math.Log2(3)
	for _, c := range []struct {
		name             string
		ranked, evidence []string
		recall1, recall5 float64
		recall10, hit5   float64
		mrr, ndcg        float64
	}{
		{"first", []string{"a", "b"}, []string{"a"}, 1, 1, 1, 1, 1, 1},
		{"second", []string{"b", "a"}, []string{"a"}, 0, 1, 1, 1, .5, 1 / math.Log2(3)},
		{"none", []string{"b"}, []string{"a"}, 0, 0, 0, 0, 0, 0},
		{"nothing ranked", nil, []string{"a"}, 0, 0, 0, 0, 0, 0},
		{"half of two", []string{"a", "c"}, []string{"a", "b"}, .5, .5, .5, 1, 1, 1 / ideal2},
		{"twice in the list counts once", []string{"b", "b", "b", "b", "b", "a"}, []string{"a"}, 0, 1, 1, 1, .5, 1 / math.Log2(3)},
		{"twice in the evidence counts once", []string{"a"}, []string{"a", "a"}, 1, 1, 1, 1, 1, 1},
		{"seventh", strings.Split("1 2 3 4 5 6 a", " "), []string{"a"}, 0, 0, 1, 0, 1. / 7, 1 / math.Log2(8)},
		{"eleventh", strings.Split("1 2 3 4 5 6 7 8 9 10 a", " "), []string{"a"}, 0, 0, 0, 0, 1. / 11, 0},
	} {
		m := bench.Score(c.ranked, c.evidence)
		if !near(m.Recall[0], c.recall1) || !near(m.Recall[1], c.recall5) || !near(m.Recall[2], c.recall10) || !near(m.Hit[1], c.hit5) || !near(m.MRR, c.mrr) || !near(m.NDCG, c.ndcg) {
			t.Errorf("%s: %+v, want %+v", c.name, m, c)
		}
	}
}

// TestScoreBounds: every metric lies in 0..1, recall grows with k, and the ideal order has all of them at their best.
func TestScoreBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"})
		ranked := rapid.SliceOfN(id, 0, 20).Draw(t, "ranked")
		evidence := rapid.SliceOfN(id, 1, 5).Draw(t, "evidence")
		m := bench.Score(ranked, evidence)
		for i := range bench.Cuts {
			if m.Recall[i] < 0 || m.Recall[i] > 1+1e-9 || i > 0 && m.Recall[i] < m.Recall[i-1] || (m.Hit[i] > 0) != (m.Recall[i] > 0) {
				t.Fatalf("recall %v, hit %v", m.Recall, m.Hit)
			}
		}
		if m.NDCG < 0 || m.NDCG > 1+1e-9 || m.MRR < 0 || m.MRR > 1 {
			t.Fatalf("%+v", m)
		}
		best := bench.Score(append(append([]string(nil), evidence...), ranked...), evidence)
		if !near(best.NDCG, 1) || best.MRR != 1 || !near(best.Recall[2], 1) {
			t.Fatalf("the evidence in front scores %+v", best)
		}
	})
}

const two = `{"conversation":"c1","speakers":["Ann","Ben"],"turns":[{"id":"1","session":"s1","time":"2024-01-02T03:04:05Z","speaker":"Ann","text":"Look!","caption":"a red bicycle"},{"id":"2","session":"s2","speaker":"Ben","text":"Nice."},{"id":"3","session":"s2","text":""}],"questions":[{"id":"q1","text":"What colour?","category":"single","evidence":["1"],"evidence_sessions":["s1"]},{"id":"q2","text":"?","category":"single","evidence":[]},{"id":"q3","text":"Who?","category":"adversarial","evidence":["2","3"],"evidence_sessions":["s2"]}]}

{"conversation":"c2","turns":[{"id":"1","session":"s","text":"x"}],"questions":[{"id":"q1","text":"x?","category":"multi","evidence":["1"]}]}
`

func read(t *testing.T) []bench.Conversation {
	t.Helper()
	data, err := bench.Read(strings.NewReader(two))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRead(t *testing.T) {
	t.Parallel()
	data := read(t)
	if len(data) != 2 || len(data[0].Turns) != 3 || len(data[0].Questions) != 3 {
		t.Fatalf("%d conversations: %+v", len(data), data)
	}
	first := &data[0].Turns[0]
	if got, want := first.Content(), "Look! [image: a red bicycle]"; got != want {
		t.Errorf("content %q, want %q", got, want)
	}
	if got := first.When().Format("2006-01-02 15:04:05"); got != "2024-01-02 03:04:05" {
		t.Errorf("time %s", got)
	}
	if !data[0].Turns[1].When().IsZero() {
		t.Error("a turn without a time has one")
	}
	if got, want := (&bench.Turn{Caption: "x"}).Content(), "[image: x]"; got != want {
		t.Errorf("content %q, want %q", got, want)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"no JSON":         "hello",
		"no name":         `{"turns":[]}`,
		"a turn twice":    `{"conversation":"c","turns":[{"id":"1"},{"id":"1"}]}`,
		"a turn unnamed":  `{"conversation":"c","turns":[{"id":""}]}`,
		"question no id":  `{"conversation":"c","questions":[{"text":"?"}]}`,
		"in a later line": `{"conversation":"c"}` + "\n{",
	} {
		if _, err := bench.Read(strings.NewReader(s)); !errors.Is(err, bench.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// inOrder answers every question with the turns as they stand.
func inOrder(_ context.Context, c *bench.Conversation) (bench.Searcher, error) {
	var ids []string
	for _, t := range c.Turns {
		ids = append(ids, t.ID)
	}
	return bench.SearcherFunc(func(context.Context, bench.Question) ([]string, error) { return append([]string(nil), ids...), nil }), nil
}

func TestRun(t *testing.T) {
	t.Parallel()
	r, err := bench.Run(t.Context(), read(t), bench.Turns, inOrder)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Answers) != 3 {
		t.Fatalf("%d answers, want 3: what has no evidence is not asked", len(r.Answers))
	}
	if r.Answerable.Recall[0] != 1 || r.Answerable.MRR != 1 {
		t.Errorf("answerable %+v: the adversarial question is to stay out", r.Answerable)
	}
	adversarial := r.Category("adversarial")
	if adversarial.N != 1 || adversarial.Mean.Recall[0] != 0 || adversarial.Mean.MRR != .5 {
		t.Errorf("adversarial %+v", adversarial)
	}
	if want := (1 + 1 + .5) / 3; !near(r.All.MRR, want) || !near(r.Macro.MRR, want) {
		t.Errorf("all %v, macro %v, want %v", r.All.MRR, r.Macro.MRR, want)
	}
	if r.Interval != [2]float64{1, 1} {
		t.Errorf("interval %v", r.Interval)
	}
	sessions, err := bench.Run(t.Context(), read(t), bench.Sessions, inOrder)
	if err != nil {
		t.Fatal(err)
	}
	if len(sessions.Answers) != 2 {
		t.Fatalf("%d answers by session, want 2", len(sessions.Answers))
	}
	if m := sessions.Answers[1].Metrics; m.MRR != .5 || m.Recall[1] != 1 {
		t.Errorf("by session: %+v", m)
	}
}

func TestRunStops(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if _, err := bench.Run(t.Context(), read(t), bench.Turns, func(context.Context, *bench.Conversation) (bench.Searcher, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("open: %v", err)
	}
	failing := func(context.Context, *bench.Conversation) (bench.Searcher, error) {
		return bench.SearcherFunc(func(context.Context, bench.Question) ([]string, error) { return nil, broken }), nil
	}
	if _, err := bench.Run(t.Context(), read(t), bench.Turns, failing); !errors.Is(err, broken) {
		t.Errorf("search: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bench.Run(ctx, read(t), bench.Turns, inOrder); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPaired(t *testing.T) {
	t.Parallel()
	answer := func(q string, mrr float64, category string) bench.Answer {
		return bench.Answer{Conversation: "c", Question: q, Category: category, Metrics: bench.Metrics{MRR: mrr}}
	}
	a := bench.Sum([]bench.Answer{answer("1", .5, "x"), answer("2", .2, "x"), answer("3", 0, "adversarial"), answer("4", 1, "x")})
	b := bench.Sum([]bench.Answer{answer("1", .6, "x"), answer("2", .5, "x"), answer("3", 1, "adversarial"), answer("5", 1, "x")})
	mrr := func(m bench.Metrics) float64 { return m.MRR }
	mean, in := bench.Paired(a, b, mrr, 1)
	if !near(mean, .2) || in[0] < .1-1e-9 || in[1] > .3+1e-9 || in[0] > in[1] {
		t.Errorf("mean %v in %v, want .2 within .1 and .3", mean, in)
	}
	if mean, in := bench.Paired(a, bench.Report{}, mrr, 1); mean != 0 || in != [2]float64{} {
		t.Errorf("nothing in common: %v %v", mean, in)
	}
}

func TestBootstrap(t *testing.T) {
	t.Parallel()
	values := make([]float64, 400)
	for i := range values {
		values[i] = float64(i % 2)
	}
	// The standard error of the mean of 400 coin tosses is .025.
	in := bench.Bootstrap(values, 7)
	if math.Abs(in[0]-.451) > .015 || math.Abs(in[1]-.549) > .015 {
		t.Errorf("interval %v, want about .451 to .549", in)
	}
	if again := bench.Bootstrap(values, 7); again != in {
		t.Errorf("the same seed gives %v and %v", in, again)
	}
	if got := bench.Bootstrap(nil, 1); got != [2]float64{} {
		t.Errorf("no values: %v", got)
	}
}

func TestWriteTo(t *testing.T) {
	t.Parallel()
	r, err := bench.Run(t.Context(), read(t), bench.Turns, inOrder)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	n, err := r.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes of %d, %v", n, b.Len(), err)
	}
	var names []string
	for line := range strings.Lines(b.String()) {
		names = append(names, strings.Fields(line)[0])
	}
	if diff := cmp.Diff([]string{"n", "answerable", "all", "macro", "adversarial", "multi", "single", "answerable"}, names); diff != "" {
		t.Errorf("rows (-want +got):\n%s\n%s", diff, b.String())
	}
	if !strings.Contains(b.String(), "100.00") {
		t.Errorf("no percentages:\n%s", b.String())
	}
}

func FuzzRead(f *testing.F) {
	f.Add(two)
	f.Add("")
	f.Add("{}")
	f.Add(`{"conversation":"c","turns":[{"id":"1","time":"x"}],"questions":[{"id":"q","evidence":["1","1","zz"]}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		data, err := bench.Read(strings.NewReader(s))
		if err != nil {
			if !errors.Is(err, bench.ErrFormat) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		r, err := bench.Run(t.Context(), data, bench.Turns, inOrder)
		if err != nil {
			t.Fatal(err)
		}
		if m := r.All; math.IsNaN(m.NDCG) || m.Recall[4] > 1+1e-9 {
			t.Fatalf("%+v", m)
		}
	})
}

func TestGates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, source, name, want string }{
		{"x.jsonl", "locomo10", "conv-26", "LoCoMo"},
		{"x.jsonl", "realtalk", "realtalk-01", "REALTALK"},
		{"x.jsonl", "beam", "beam-100K-1", "BEAM-100K"},
		{"x.jsonl", "beam", "beam-1M-1", ""}, // whose gates nobody has set
		{"data/Cranfield.dev.jsonl", "", "one", "Cranfield"},
		{"beam100k.dev.jsonl", "", "one", "BEAM-100K"},
		{"notes.jsonl", "own", "notes", ""},
	} {
		if got := bench.SetOf(c.file, []bench.Conversation{{Source: c.source, Name: c.name}}); got != c.want {
			t.Errorf("%s, %s, %s: %q, want %q", c.file, c.source, c.name, got, c.want)
		}
	}
	r := bench.Sum([]bench.Answer{
		{Question: "1", Category: "multi-hop", Metrics: bench.Metrics{Recall: [5]float64{0, 0, .6, 1, 1}, MRR: .69, NDCG: .73}},
		{Question: "2", Category: "single-hop", Metrics: bench.Metrics{Recall: [5]float64{0, 0, 1, 1, 1}, MRR: .69, NDCG: .73}},
	})
	want := []bench.Gate{
		{Name: "answerable recall@10", Must: 83.5, Goal: 86, Stretch: 88, Reached: 80, Mark: bench.Below},
		{Name: "answerable nDCG@10", Must: 70, Goal: 73, Stretch: 75, Reached: 73, Mark: bench.Goal},
		{Name: "answerable MRR", Must: 69, Goal: 72, Stretch: 75, Reached: 69, Mark: bench.Must},
		{Name: "multi-hop recall@10", Must: 53, Goal: 60, Stretch: 64, Reached: 60, Mark: bench.Goal},
	}
	if d := cmp.Diff(want, bench.Gates("LoCoMo", bench.Turns, &r), cmpopts.EquateApprox(0, 1e-9)); d != "" {
		t.Errorf("gates (-want +got):\n%s", d)
	}
	if got := bench.Gates("LoCoMo", bench.Sessions, &r); got != nil {
		t.Errorf("gates of sessions: %v", got)
	}
	if got := bench.Gates("", bench.Turns, &r); got != nil {
		t.Errorf("gates of a set that is not known: %v", got)
	}
}
