package bench

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Cuts are the k of recall@k and hit@k.
var Cuts = [5]int{1, 5, 10, 25, 50}

const at10 = 2 // place of 10 in Cuts

// Unit says what counts as one result.
type Unit string

// The units: turn ids, or the sessions that the turns stand in.
const (
	Turns    Unit = "turn"
	Sessions Unit = "session"
)

// Metrics of one question, or means over some, all 0..1.
type Metrics struct {
	Recall [5]float64 // at Cuts
	Hit    [5]float64
	MRR    float64
	NDCG   float64 // at 10
}

func (m *Metrics) add(o Metrics, by float64) {
	for i := range Cuts {
		m.Recall[i] += o.Recall[i] * by
		m.Hit[i] += o.Hit[i] * by
	}
	m.MRR += o.MRR * by
	m.NDCG += o.NDCG * by
}

// Mean returns the mean of each metric, zero for none.
func Mean(ms []Metrics) (mean Metrics) {
	for _, m := range ms {
		mean.add(m, 1/float64(len(ms)))
	}
	return mean
}

// Score scores one ranked list, best first, against the evidence, which must not be empty. Of ids that come twice, in either,
// the first counts.
func Score(ranked, evidence []string) Metrics {
	want := make(map[string]bool, len(evidence))
	for _, e := range evidence {
		want[e] = true
	}
	var m Metrics
	n := len(want)
	place, ideal := 0, 0.0
	for i := range min(10, n) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	seen := make(map[string]bool, len(ranked))
	for _, id := range ranked {
		if seen[id] {
			continue
		}
		seen[id] = true
		if want[id] {
			m.found(place, n)
		}
		place++
	}
	m.NDCG /= ideal
	return m
}

func (m *Metrics) found(place, n int) {
	for i, k := range Cuts {
		if place < k {
			m.Recall[i] += 1 / float64(n)
			m.Hit[i] = 1
		}
	}
	if m.MRR == 0 {
		m.MRR = 1 / float64(place+1)
	}
	if place < 10 {
		m.NDCG += 1 / math.Log2(float64(place+2))
	}
}

// Answer is how one question went.
type Answer struct {
	Conversation string
	Question     string
	Category     string
	Metrics      Metrics
}

// apart are the categories that are reported beside the answerable questions, not among them.
func apart(category string) bool { return category == "adversarial" || category == "abstention" }

// Report sums up the answers.
type Report struct {
	Answerable Metrics // all but adversarial and abstention
	All        Metrics
	Macro      Metrics // mean of the categories' means
	Categories []Category
	Answers    []Answer
	Interval   [2]float64 // of the answerable recall@10: 95 %, by bootstrap over questions
}

// Category is the mean over the questions of one category.
type Category struct {
	Name string
	N    int
	Mean Metrics
}

// Category returns the means of a category, zero where there is none of that name.
func (r *Report) Category(name string) Category {
	for _, c := range r.Categories {
		if c.Name == name {
			return c
		}
	}
	return Category{Name: name}
}

// Sum makes the report.
func Sum(answers []Answer) Report {
	r := Report{Answers: answers}
	byName := map[string][]Metrics{}
	var main, all []Metrics
	for _, a := range answers {
		byName[a.Category] = append(byName[a.Category], a.Metrics)
		all = append(all, a.Metrics)
		if !apart(a.Category) {
			main = append(main, a.Metrics)
		}
	}
	for name, ms := range byName {
		r.Categories = append(r.Categories, Category{name, len(ms), Mean(ms)})
	}
	slices.SortFunc(r.Categories, func(a, b Category) int { return cmp.Compare(a.Name, b.Name) })
	for _, c := range r.Categories {
		r.Macro.add(c.Mean, 1/float64(len(r.Categories)))
	}
	r.Answerable, r.All = Mean(main), Mean(all)
	values := make([]float64, len(main))
	for i, m := range main {
		values[i] = m.Recall[at10]
	}
	r.Interval = Bootstrap(values, 1)
	return r
}

const draws = 1000

// Bootstrap returns the 95 % interval of the mean of values, from 1,000 resamplings drawn by seed. It is zero for no values.
func Bootstrap(values []float64, seed uint64) (interval [2]float64) {
	if len(values) == 0 {
		return interval
	}
	rnd := rand.New(rand.NewPCG(seed, seed))
	means := make([]float64, draws)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[rnd.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	return [2]float64{means[draws/40], means[draws-1-draws/40]}
}

// Paired compares two runs over the same questions: the mean of b − a in one metric and its 95 % interval. Questions that
// only one of them answered, and those that are reported apart, do not count.
func Paired(a, b Report, metric func(Metrics) float64, seed uint64) (mean float64, interval [2]float64) {
	type key struct{ conversation, question string }
	before := make(map[key]float64, len(a.Answers))
	for _, x := range a.Answers {
		before[key{x.Conversation, x.Question}] = metric(x.Metrics)
	}
	var diff []float64
	for _, x := range b.Answers {
		if was, ok := before[key{x.Conversation, x.Question}]; ok && !apart(x.Category) {
			diff = append(diff, metric(x.Metrics)-was)
			mean += metric(x.Metrics) - was
		}
	}
	if len(diff) == 0 {
		return 0, interval
	}
	return mean / float64(len(diff)), Bootstrap(diff, seed)
}
