// Package lab measures and fits the ranker lukasa on data that are not part of the repository. It stands under testdata so
// that no build and no wildcard sees it:
//
//	LUKASA_EVAL_DATA=folder go test ./internal/rank/testdata/lab -run Eval -v
package lab

import (
	"context"
	"math"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/embed/builtin"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// Corpus is one conversation with everything that an index would know of it.
type Corpus struct {
	bench.Conversation
	model    *builtin.Embedder
	ids      map[string]uint32
	surface  []string // first surface form of each term
	df       []int
	words    [][]float32 // vector of each term, when asked for
	items    []rank.Item
	vectors  [][]float32
	speakers []string
	sessions int
	length   float64
	place    map[string]int
}

// Open analyses a conversation.
func Open(model *builtin.Embedder, c bench.Conversation) *Corpus {
	k := &Corpus{Conversation: c, model: model, ids: map[string]uint32{}, place: map[string]int{}}
	session, speaker, last := map[string]int32{}, map[string]int32{}, map[string]int{}
	chat := len(c.Speakers) == 2 && c.Speakers[0] == "user" && c.Speakers[1] == "assistant"
	texts := make([]string, len(c.Turns))
	for i := range c.Turns {
		t := &c.Turns[i]
		k.place[t.ID] = i
		it := rank.Item{Prev: -1, Next: -1, Speaker: -1, Vector: true}
		it.When = t.When()
		it.Entry = lukasa.ID(t.ID)
		switch {
		case chat && t.Speaker == "user":
			it.Voice = rank.User
		case chat:
			it.Voice = rank.Assistant
		case t.Speaker != "":
			it.Voice = rank.Person
			if _, ok := speaker[t.Speaker]; !ok {
				speaker[t.Speaker] = int32(len(speaker))
				k.speakers = append(k.speakers, t.Speaker)
			}
			it.Speaker = speaker[t.Speaker]
		}
		if _, ok := session[t.Session]; !ok {
			session[t.Session] = int32(len(session))
		}
		it.Session = session[t.Session]
		if p, ok := last[t.Session]; ok && p == i-1 {
			it.Prev = int32(p)
			k.items[p].Next = int32(i)
		}
		last[t.Session] = i
		it.Terms = k.analyse(nil, t.Speaker)
		it.Head = len(it.Terms)
		it.Terms = k.analyse(it.Terms, t.Content())
		k.length += float64(len(it.Terms) - it.Head)
		it.Flags = rank.FlagsOf(t.Content())
		for n, id := range it.Terms {
			if !slices.Contains(it.Terms[:n], id) {
				k.df[id]++
			}
		}
		k.items = append(k.items, it)
		texts[i] = t.Content()
		if t.Speaker != "" {
			texts[i] = t.Speaker + ": " + texts[i]
		}
	}
	k.sessions = len(session)
	k.length /= float64(max(1, len(c.Turns)))
	var err error
	if k.vectors, err = model.Embed(context.Background(), texts); err != nil {
		panic(err)
	}
	k.words = make([][]float32, len(k.surface))
	return k
}

func (k *Corpus) analyse(dst []uint32, s string) []uint32 {
	for _, t := range text.Analyze(nil, s) {
		id, ok := k.ids[t.Term]
		if !ok {
			id = uint32(len(k.ids))
			k.ids[t.Term] = id
			k.surface = append(k.surface, s[t.Start:t.End])
			k.df = append(k.df, 0)
		}
		dst = append(dst, id)
	}
	return dst
}

// word returns the vector of a word, of unit length.
func (k *Corpus) word(s string) []float32 {
	v := make([]float32, k.model.Space().Dim)
	if k.model.WordVector(s, v) {
		vector.Normalize(v)
	}
	return v
}

// Scene is the whole conversation as candidates of one question.
func (k *Corpus) Scene(question string) *rank.Scene {
	s := &rank.Scene{Query: rank.Analyze(question), Entries: len(k.items), Length: k.length, Items: k.items, Candidates: len(k.items), Sessions: k.sessions, Speakers: k.speakers}
	var words [][]float32
	seen := map[string]int{}
	for _, t := range text.Analyze(nil, question) {
		if i, ok := seen[t.Term]; ok {
			s.Terms[i].Count++
			continue
		}
		seen[t.Term] = len(s.Terms)
		term := rank.Term{ID: rank.NoTerm, Count: 1, Whole: text.IsWhole(question[t.Start:t.End])}
		if id, ok := k.ids[t.Term]; ok {
			term.ID, term.Frequency = id, k.df[id]
		}
		s.Terms = append(s.Terms, term)
		words = append(words, k.word(question[t.Start:t.End]))
	}
	q, err := k.model.Embed(context.Background(), []string{rank.Unnamed(question, k.speakers)})
	if err != nil {
		panic(err)
	}
	s.Frequency = func(terms []uint32, counts []int) {
		for i, id := range terms {
			counts[i] = k.df[id]
		}
	}
	s.Alike = func(terms []uint32, near []float32) {
		n := len(near) / len(terms)
		for t, id := range terms {
			if k.words[id] == nil {
				k.words[id] = k.word(k.surface[id])
			}
			for i, w := range words[:n] {
				near[t*n+i] = vector.Dot(w, k.words[id])
			}
		}
	}
	s.Dot = func(a, b int) float32 {
		if a < 0 {
			return vector.Dot(q[0], k.vectors[b])
		}
		return vector.Dot(k.vectors[a], k.vectors[b])
	}
	return s
}

// Question is one question with the features of its candidates.
type Question struct {
	Set, Conversation, Category, ID string
	Fold                            int
	Rows                            []rank.Row
	Evidence                        []int // rows
	Lost                            int   // evidence that is not among the rows
	IDs                             []string
	Evident                         []string
}

// score is the weighted sum of a row.
func score(r *rank.Row, w *rank.Linear) float64 {
	sum := 0.0
	for i, x := range r {
		sum += w[i] * float64(x)
	}
	return sum
}

// Metrics scores the order that the weights give.
func (q *Question) Metrics(w *rank.Linear) bench.Metrics { return bench.Score(q.Ranked(w), q.Evident) }

// Ranked ranks the rows by the weights.
func (q *Question) Ranked(w *rank.Linear) []string {
	scores := make([]float64, len(q.Rows))
	order := make([]int, len(q.Rows))
	for i := range q.Rows {
		scores[i] = score(&q.Rows[i], w)
		order[i] = i
		if math.IsNaN(scores[i]) {
			panic("NaN")
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	ranked := make([]string, len(order))
	for i, o := range order {
		ranked[i] = q.IDs[o]
	}
	return ranked
}
