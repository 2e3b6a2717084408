package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The bounds of what superseded memories hand on.
const (
	handOnCandidates = 20 // a side
	handOnMost       = 3  // superseded memories
)

// handOn has what is in force answer the questions that it answered before in other words. "I moved to Vienna" took the place of "I live in
// Berlin" and says nothing of living: where the superseded memory answers the question, the memory that took its place gets its score
// and its relevance. That one becomes a hit itself, unless another hit shows it, or the query excludes it.
func (p *Path) handOn(ctx context.Context, s *search) error {
	if s.valid() || s.q.Ranker == rank.Text || names(s.q.Filter, "latest") {
		return nil
	}
	at := p.Now()
	defer func() { s.lap("superseded", at, p.Now) }()
	only := lukasa.Filter{Field: "latest", Text: []string{"false"}}
	ans, err := p.Index.Search(ctx, index.Request{
		Owner: s.sc.Owner, Nodes: s.nodes, Text: s.q.Text, Vector: s.vector, Types: []lukasa.EntryType{lukasa.EntryMemory}, Filter: &only,
		K: handOnCandidates, Both: true, Scene: true, Then: s.then, Seen: s.seen,
	})
	if err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	if len(ans.Candidates) == 0 {
		return nil
	}
	old, err := p.rank(s, ans, handOnCandidates)
	if err != nil {
		return err
	}
	old = slices.DeleteFunc(old, func(c rank.Scored) bool { return c.Relevance < c.Level })
	slices.SortStableFunc(old, func(a, b rank.Scored) int { return cmp.Compare(b.Relevance, a.Relevance) })
	return p.view(ctx, s, func(r store.Reader) error {
		for _, c := range old[:min(len(old), handOnMost)] {
			list, err := r.MemoriesByID([]lukasa.ID{c.Entry})
			if err != nil {
				return err
			}
			if len(list) == 0 || list[0].State != "" || list[0].IsLatest {
				continue
			}
			by, err := successor(r, &list[0])
			if err != nil {
				return err
			}
			if by != nil {
				s.result.Hits = s.inherit(s.result.Hits, by, c.Score, c.Relevance, true)
			}
		}
		s.result.Hits = s.result.Hits[:min(len(s.result.Hits), s.q.Limit)]
		return nil
	})
}

// inherit gives the hit that shows a memory in force the relevance of what it took the place of, and its score, where both are probabilities.
// The memory becomes a hit itself where no other shows it, unless the query excludes it.
func (s *search) inherit(hits []lukasa.Hit, by *lukasa.Memory, score, relevance float64, relevant bool) []lukasa.Hit {
	i := indexShowing(hits, by)
	if i < 0 {
		path, there := s.paths[by.Node]
		wanted := len(s.q.Types) == 0 || slices.Contains(s.q.Types, lukasa.EntryMemory)
		h := lukasa.Hit{
			ID: by.ID, Type: lukasa.EntryMemory, Content: by.Content, Path: path, Memory: by, Tags: by.Tags, Metadata: by.Metadata, Parts: map[string]float64{},
			OccurredAt: by.OccurredAt, CreatedAt: by.RecordedAt,
		}
		if e := entryOf(h, rows{}); !there || !wanted || !s.probable() || !s.q.Filter.Match(&e) {
			return hits
		}
		i, hits = len(hits), append(hits, h)
	}
	h := &hits[i]
	if s.probable() {
		h.Score = max(h.Score, score)
	}
	if relevance > h.Relevance {
		h.Relevance, h.Relevant = relevance, relevant
	}
	if s.probable() {
		sortByScore(hits)
	}
	return hits
}

// probable reports whether scores are probabilities: they are those of the ranker lukasa, and no reranker has judged.
func (s *search) probable() bool { return s.q.Ranker == rank.Lukasa && !s.judged }

// sortByScore puts hits in order of their scores; equal ones stay as they are.
func sortByScore(hits []lukasa.Hit) {
	slices.SortStableFunc(hits, func(a, b lukasa.Hit) int { return cmp.Compare(b.Score, a.Score) })
}
