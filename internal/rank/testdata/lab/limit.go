package lab

import (
	"cmp"
	"math"
	"slices"

	"github.com/lukasa-memory/lukasa/internal/rank"
)

// Limit says how many candidates an index would hand over.
type Limit struct {
	Text, Vector int // best by text of the entry alone, and by vector
	Best, Reach  int // of the best so many by both, neighbours as far as that become candidates too
}

// Choose makes the scene of an index that hands over so many candidates of s.
func (l Limit) Choose(s *rank.Scene, k *Corpus) *rank.Scene {
	n := len(s.Items)
	weight := map[uint32]float64{}
	for _, t := range s.Terms {
		if t.ID != rank.NoTerm {
			df := float64(t.Frequency)
			weight[t.ID] = math.Log(1+(float64(n)-df+.5)/(df+.5)) * float64(t.Count)
		}
	}
	bm := make([]float64, n)
	dot := make([]float64, n)
	total := 0
	for i := range s.Items {
		total += len(s.Items[i].Terms)
	}
	for i := range s.Items {
		tf := map[uint32]float64{}
		for _, id := range s.Items[i].Terms {
			if weight[id] > 0 {
				tf[id]++
			}
		}
		for id, x := range tf {
			bm[i] += weight[id] * x * 2.2 / (x + 1.2*(.25+.75*float64(len(s.Items[i].Terms))*float64(n)/float64(total)))
		}
		dot[i] = float64(s.Dot(-1, i))
	}
	byText, byVector := order(bm), order(dot)
	in := map[int]bool{}
	for _, i := range byText[:min(l.Text, n)] {
		if bm[i] > 0 {
			in[i] = true
		}
	}
	for _, i := range byVector[:min(l.Vector, n)] {
		in[i] = true
	}
	// the best by both: text over its best plus .4 of the cosine over its best
	both := make([]float64, n)
	for i := range both {
		if in[i] {
			both[i] = bm[i]/max(1e-9, bm[byText[0]]) + .4*dot[i]/max(1e-9, dot[byVector[0]])
		}
	}
	for _, i := range order(both)[:min(l.Best, len(in))] {
		for step := range 2 {
			at := int32(i)
			for range l.Reach {
				if step == 0 {
					at = s.Items[at].Prev
				} else {
					at = s.Items[at].Next
				}
				if at < 0 {
					break
				}
				in[int(at)] = true
			}
		}
	}
	out := *s
	out.Items = nil
	place := map[int]int32{}
	add := func(i int) {
		if _, ok := place[i]; !ok {
			place[i] = int32(len(out.Items))
			out.Items = append(out.Items, s.Items[i])
		}
	}
	for i := range s.Items {
		if in[i] {
			add(i)
		}
	}
	out.Candidates = len(out.Items)
	from := make([]int, 0, n)
	for i := range out.Candidates {
		from = append(from, k.place[string(out.Items[i].Entry)])
	}
	for _, i := range from {
		for at, step := s.Items[i].Prev, 0; at >= 0 && step < 2; at, step = s.Items[at].Prev, step+1 {
			add(int(at))
		}
		for at, step := s.Items[i].Next, 0; at >= 0 && step < 2; at, step = s.Items[at].Next, step+1 {
			add(int(at))
		}
	}
	sessions := map[int32]int32{}
	where := make([]int, len(out.Items))
	for i := range out.Items {
		it := &out.Items[i]
		where[i] = k.place[string(it.Entry)]
		it.Prev, it.Next = move(place, it.Prev), move(place, it.Next)
		if _, ok := sessions[it.Session]; !ok {
			sessions[it.Session] = int32(len(sessions))
		}
		it.Session = sessions[it.Session]
	}
	out.Dot = func(a, b int) float32 {
		if a < 0 {
			return s.Dot(-1, where[b])
		}
		return s.Dot(where[a], where[b])
	}
	return &out
}

func move(place map[int]int32, i int32) int32 {
	if to, ok := place[int(i)]; ok && i >= 0 {
		return to
	}
	return -1
}

func order(score []float64) []int {
	o := make([]int, len(score))
	for i := range o {
		o[i] = i
	}
	slices.SortStableFunc(o, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return o
}
