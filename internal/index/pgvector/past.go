package pgvector

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// A search of an earlier moment looks at what has not changed since in the tables, and at what has, as it was, in memory: entries that
// are numbered from -1 down.

// stood is the condition for entries e that were there then; "" for a search of now.
func (s *search) stood(c *condition) string {
	th := s.req.Then
	if th == nil {
		return ""
	}
	at := th.At.Truncate(time.Microsecond)
	where := " AND (e.made_s, e.made_n) <= (" + c.arg(at.Unix()) + "::bigint, " + c.arg(at.Nanosecond()+999) + "::integer)"
	if len(th.Without) > 0 {
		where += " AND e.entry_id <> ALL(" + c.arg(texts(th.Without)) + "::text[])"
	}
	return where
}

// overlay makes items of what has changed since.
func (s *search) overlay() {
	nodes := make(map[lukasa.ID]int, len(s.parts))
	s.wordsThen = map[string]string{}
	for _, p := range s.parts {
		nodes[p.id] = p.n
	}
	query := direction(s.req.Vector, s.x.opt.Dim)
	for i := range s.req.Then.Entries {
		e := &s.req.Then.Entries[i]
		r := s.x.row(e)
		it := &item{
			n: -1 - int64(i), node: nodes[e.Node], length: r.Length, head: r.Head, latest: r.Latest, speaker: r.Speaker, role: r.Role,
			confidence: e.Confidence,
			Candidate:  lukasa.Candidate{Entry: e.ID, Type: e.Type, Node: e.Node, Document: e.Document, Seq: e.Seq, When: e.When(), CreatedAt: e.CreatedAt},
		}
		if r.Terms != "" {
			it.terms = strings.Split(r.Terms, " ")
		}
		for k, x := range direction(e.Vector, s.x.opt.Dim) {
			it.vector = append(it.vector, float32(x))
			if query != nil {
				it.sim, it.hasSim = it.sim+x*query[k], true
			}
		}
		s.then = append(s.then, it)
		maps.Copy(s.wordsThen, r.words)
		s.byEntry[it.n] = it
	}
}

// keeps reports whether what has changed since may be found.
func (s *search) keeps(it *item) bool {
	e := &s.req.Then.Entries[-1-it.n]
	return (e.Latest || asksLatest(s.req.Filter)) && (len(s.req.Types) == 0 || slices.Contains(s.req.Types, e.Type)) && s.req.Filter.Match(e)
}

// totals counts the latest entries of then, their terms, and the vectors.
func (s *search) totals(ctx context.Context) error {
	var c condition
	sql := "SELECT count(*) FILTER (WHERE e.latest), coalesce(sum(e.length) FILTER (WHERE e.latest), 0)::bigint, count(e.v) FROM " + s.x.made.entries +
		" e WHERE e.owner_id = " + c.arg(s.req.Owner) + " AND e.node = ANY(" + c.arg(s.nums) + "::integer[])" + s.stood(&c)
	err := s.c.Each(ctx, sql, c.args, func(r sqlrows.Row) error {
		s.n, s.total, s.vectors = r.Int64(0), r.Int64(1), r.Int64(2)
		return nil
	})
	for _, it := range s.then {
		if it.latest {
			s.n++
			s.total += int64(it.length)
		}
		s.vectors += int64(btoi(it.vector != nil))
	}
	return err
}

// frequenciesThen counts the latest entries of then that have each of some names.
func (s *search) frequenciesThen(ctx context.Context, names []string, known map[string]int) error {
	var c condition
	sql := "SELECT p.term, count(*) FROM " + s.x.made.postings + " p JOIN " + s.x.made.entries + " e ON e.n = p.entry WHERE p.node = ANY(" + c.arg(s.nums) + "::integer[]) AND p.term = ANY(" +
		c.arg(texts(names)) + "::text[]) AND p.latest" + s.stood(&c) + " GROUP BY p.term"
	err := s.c.Each(ctx, sql, c.args, func(r sqlrows.Row) error {
		known[r.Text(0)] = r.Int(1)
		return nil
	})
	asked := make(map[string]*item, len(names)) // with the last that has it
	for _, name := range names {
		asked[name] = nil
	}
	for _, it := range s.then {
		for _, t := range it.terms {
			if last, ok := asked[t]; ok && last != it {
				asked[t] = it
				known[t] += btoi(it.latest) // it is a term, whether or not a latest entry has it
			}
		}
	}
	return err
}

// join puts what has changed since beside what the tables have, and leaves the best K of each side.
func (s *search) join(items []*item) []*item {
	for _, it := range s.then {
		if it.text = s.score(it); !s.keeps(it) {
			continue
		}
		if s.req.K > 0 && it.text > 0 {
			s.fromText[it.n] = true
		}
		if s.req.K > 0 && it.hasSim {
			s.fromVector[it.n] = true
		}
		if s.fromText[it.n] || s.fromVector[it.n] {
			items = append(items, it)
		}
	}
	cut := func(side map[int64]bool, better func(a, b *item) int) {
		list := slices.DeleteFunc(slices.Clone(items), func(it *item) bool { return !side[it.n] })
		slices.SortFunc(list, func(a, b *item) int { return cmp.Or(better(a, b), cmp.Compare(a.Entry, b.Entry)) })
		for _, it := range list[min(len(list), max(s.req.K, 0)):] {
			delete(side, it.n)
		}
	}
	cut(s.fromText, func(a, b *item) int { return cmp.Compare(b.text, a.text) })
	cut(s.fromVector, func(a, b *item) int { return cmp.Compare(b.sim, a.sim) })
	return slices.DeleteFunc(items, func(it *item) bool { return !s.fromText[it.n] && !s.fromVector[it.n] })
}

// there leaves those of a list that were there then.
func (s *search) there(ctx context.Context, list []int64) (left []int64, err error) {
	if s.req.Then == nil || len(list) == 0 {
		return list, nil
	}
	var c condition
	sql := "SELECT e.n FROM " + s.x.made.entries + " e WHERE e.n = ANY(" + c.arg(numbers(list)) + "::bigint[])" + s.stood(&c)
	stood := map[int64]bool{}
	err = s.c.Each(ctx, sql, c.args, func(r sqlrows.Row) error { stood[r.Int64(0)] = true; return nil })
	return slices.DeleteFunc(list, func(n int64) bool { return !stood[n] }), err
}
