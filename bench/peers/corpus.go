package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// corpus is made from a seed. Texts come from a source; vectors of unit length lie around 200 centres, each with 32 directions of its own;
// owners have shares of 1/rank, and prefer 40 of the centres.
type corpus struct {
	*source
	dim     int
	owners  int
	items   []item
	byOwner [][]int
	queries []query
}

type item struct {
	owner  int
	text   string
	vector []float32
}

// query is made from an item: three to eight of its words, and a vector beside its own.
type query struct {
	owner  int
	words  []string
	vector []float32
	exact  [2][]int // the ten nearest items: of the owner, of all
}

// madeUp makes items of 20 to 50 words with Zipf frequencies. The 100 most common ones play the part of stop words.
func madeUp(r *rand.Rand) *source {
	z := rand.NewZipf(r, 1.07, 8, 60000)
	common := map[string]bool{}
	for n := range 100 {
		common[word(n)] = true
	}
	return &source{
		kind: "20 to 50 made-up words",
		next: func() string {
			var b strings.Builder
			for i := range 20 + r.IntN(31) {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(word(int(z.Uint64())))
			}
			return b.String()
		},
		stop: func(w string) bool { return common[w] },
	}
}

func word(n int) string {
	const letters = "bcdfghjklmnpqrstvwxz"
	var b strings.Builder
	for n++; n > 0; n /= 100 {
		b.WriteByte(letters[n%20])
		b.WriteByte("aeiou"[n/20%5])
	}
	return b.String() + "k"
}

// cloud is a centre with directions in which vectors spread.
type cloud struct {
	centre []float64
	axes   [][]float64
}

func newCloud(r *rand.Rand, dim int) cloud {
	gauss := func() []float64 {
		v := make([]float64, dim)
		for i := range v {
			v[i] = r.NormFloat64() / math.Sqrt(float64(dim))
		}
		return v
	}
	c := cloud{centre: gauss()}
	for range 32 {
		c.axes = append(c.axes, gauss())
	}
	return c
}

func (c cloud) draw(r *rand.Rand) []float32 {
	v := slices.Clone(c.centre)
	for i, a := range c.axes {
		w := r.NormFloat64() / math.Sqrt(float64(i+1)) * .6
		for d := range v {
			v[d] += w * a[d]
		}
	}
	out := make([]float32, len(v))
	for d := range v {
		out[d] = float32(v[d] + r.NormFloat64()*.2/math.Sqrt(float64(len(v))))
	}
	return unit(out)
}

func unit(v []float32) []float32 {
	n := float32(1 / math.Sqrt(float64(dot(v, v))))
	for i := range v {
		v[i] *= n
	}
	return v
}

func dot(a, b []float32) float32 {
	var s, t, u, w float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s += a[i] * b[i]
		t += a[i+1] * b[i+1]
		u += a[i+2] * b[i+2]
		w += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s += a[i] * b[i]
	}
	return s + t + u + w
}

// newCorpus makes n items. prose says whether their texts are running English, or made up.
func newCorpus(n, dim, owners, queries int, prose bool, seed uint64) (*corpus, error) {
	r := rand.New(rand.NewPCG(seed, 2))
	from := madeUp(r)
	if prose {
		var err error
		if from, err = newProse(n, rand.New(rand.NewPCG(seed, 3))); err != nil {
			return nil, err
		}
	}
	clouds := make([]cloud, min(200, max(1, n/100)))
	for i := range clouds {
		clouds[i] = newCloud(r, dim)
	}
	shares, sum := make([]float64, owners), 0.0
	for i := range shares {
		sum += 1 / float64(i+1)
		shares[i] = sum
	}
	c := &corpus{source: from, dim: dim, owners: owners, byOwner: make([][]int, owners)}
	of := make([]int, n)
	for i := range n {
		owner, _ := slices.BinarySearch(shares, r.Float64()*sum)
		body := from.next()
		of[i] = (owner*7 + r.IntN(40)) % len(clouds)
		c.items = append(c.items, item{owner, body, clouds[of[i]].draw(r)})
		c.byOwner[owner] = append(c.byOwner[owner], i)
	}
	for len(c.queries) < queries {
		i := r.IntN(n)
		words := slices.Compact(slices.Sorted(slices.Values(from.content(c.items[i].text))))
		if len(words) < 3 {
			continue
		}
		r.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
		v, other := make([]float32, dim), clouds[of[i]].draw(r)
		for d := range v {
			v[d] = .6*c.items[i].vector[d] + .4*other[d]
		}
		c.queries = append(c.queries, query{owner: c.items[i].owner, words: words[:min(len(words), 3+r.IntN(6))], vector: unit(v)})
	}
	for i := range c.queries {
		q := &c.queries[i]
		q.exact[0] = c.nearest(q.vector, c.byOwner[q.owner], 10)
		q.exact[1] = c.nearest(q.vector, nil, 10)
	}
	return c, nil
}

// nearest compares with every item, or with those of a list.
func (c *corpus) nearest(v []float32, among []int, k int) []int {
	type near struct {
		item int
		dot  float32
	}
	var best []near
	look := func(i int) {
		d := dot(v, c.items[i].vector)
		if len(best) == k && d <= best[k-1].dot {
			return
		}
		at, _ := slices.BinarySearchFunc(best, d, func(n near, d float32) int {
			if n.dot > d {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, near{i, d})
		best = best[:min(k, len(best))]
	}
	if among == nil {
		for i := range c.items {
			look(i)
		}
	}
	for _, i := range among {
		look(i)
	}
	out := make([]int, len(best))
	for i, n := range best {
		out[i] = n.item
	}
	return out
}
