package pgvector

import (
	"context"
	"slices"
	"sync"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// vocabulary numbers the terms of a scene: those of the query first.
type vocabulary struct {
	byTerm map[string]uint32
	terms  []string
	words  []string
	df     []int
}

func (s *search) vocabulary() *vocabulary {
	v := &vocabulary{byTerm: map[string]uint32{}}
	for _, t := range s.names {
		v.number(t)
	}
	return v
}

func (v *vocabulary) number(term string) uint32 {
	n, ok := v.byTerm[term]
	if !ok {
		n = uint32(len(v.terms))
		v.byTerm[term] = n
		v.terms = append(v.terms, term)
	}
	return n
}

func (v *vocabulary) frequency(terms []uint32, counts []int) {
	for i, t := range terms {
		counts[i] = 0
		if int(t) < len(v.df) {
			counts[i] = v.df[t]
		}
	}
}

func (v *vocabulary) word(term uint32) string {
	if int(term) < len(v.words) {
		return v.words[term]
	}
	return ""
}

func (v *vocabulary) add(n uint32, k termKnown) {
	if k.word == "" {
		return
	}
	v.df[n] += k.df
	v.words[n] = k.word
}

const (
	// keptFrom is from how many entries of a node on the frequencies of its terms are kept in the process, and keptTerms of how many
	// terms in all. They are read again after as many changes as make a fiftieth of the entries.
	keptFrom  = 256
	keptTerms = 1_000_000
	keptShare = 50
)

// termKnown is what the tables say of a term in a node; without a word it is not there.
type termKnown struct {
	df   int
	word string
}

// lexicon keeps what scenes have asked about terms: asking again for the thousands of a scene is most of what it costs.
type lexicon struct {
	mu    sync.Mutex
	nodes map[int]*nodeTerms
	size  int
}

type nodeTerms struct {
	changes int64 // of the node, when it was begun
	terms   map[string]termKnown
}

// known takes what is kept of a node's terms, and returns those that are not.
func (l *lexicon) known(node int, changes, entries int64, v *vocabulary) (ask []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.nodes[node]
	if k == nil || (changes-k.changes)*keptShare > entries {
		return v.terms
	}
	for n, t := range v.terms {
		if is, ok := k.terms[t]; ok {
			v.add(uint32(n), is)
		} else {
			ask = append(ask, t)
		}
	}
	return ask
}

// keep keeps what was read.
func (l *lexicon) keep(node int, changes, entries int64, ask []string, found map[string]termKnown) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size+len(ask) > keptTerms || l.nodes == nil {
		l.nodes, l.size = make(map[int]*nodeTerms), 0
	}
	k := l.nodes[node]
	if k == nil || (changes-k.changes)*keptShare > entries {
		if k != nil {
			l.size -= len(k.terms)
		}
		k = &nodeTerms{changes: changes, terms: make(map[string]termKnown, len(ask))}
		l.nodes[node] = k
	}
	for _, t := range ask {
		if _, ok := k.terms[t]; !ok {
			l.size++
		}
		k.terms[t] = found[t]
	}
}

// frequencies reads how many entries have the terms of a scene, and what words they come from: of small nodes as it is now, of others as it
// was a few changes ago at most. Terms of the query have exactly what they are scored with.
func (s *search) frequencies(ctx context.Context, v *vocabulary) error {
	v.words, v.df = slices.Clone(v.terms), make([]int, len(v.terms))
	if len(v.terms) == 0 || len(s.parts) == 0 {
		return nil
	}
	var small []int
	for _, p := range s.parts {
		if p.entries <= keptFrom {
			small = append(small, p.n)
			continue
		}
		changes := s.x.changes(place{s.req.Owner, p.id})
		ask := s.x.lexicon.known(p.n, changes, p.entries, v)
		if len(ask) == 0 {
			continue
		}
		found, err := s.known(ctx, []int{p.n}, ask)
		if err != nil {
			return err
		}
		s.x.lexicon.keep(p.n, changes, p.entries, ask, found)
		for t, k := range found {
			v.add(v.byTerm[t], k)
		}
	}
	if len(small) > 0 {
		found, err := s.known(ctx, small, v.terms)
		if err != nil {
			return err
		}
		for t, k := range found {
			v.add(v.byTerm[t], k)
		}
	}
	for i, t := range s.terms {
		v.df[i] = t.Frequency
	}
	return nil
}

// known reads what the tables say of terms in some nodes.
func (s *search) known(ctx context.Context, nodes []int, terms []string) (map[string]termKnown, error) {
	out := make(map[string]termKnown, len(terms))
	err := s.c.Each(ctx, "SELECT q.term, t.df, t.word FROM unnest(?2::text[]) AS q(term) CROSS JOIN LATERAL (SELECT sum(t.df)::bigint AS df, min(t.word) AS word FROM "+s.x.made.terms+
		" t WHERE t.node = ANY(?1::integer[]) AND t.term = q.term) t WHERE t.df IS NOT NULL",
		[]any{numbers(nodes), texts(terms)}, func(r sqlrows.Row) error {
			out[r.Text(0)] = termKnown{r.Int(1), r.Text(2)}
			return nil
		})
	return out, err
}
