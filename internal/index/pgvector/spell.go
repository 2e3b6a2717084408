package pgvector

import (
	"context"

	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// spell lets terms that are spelt almost alike stand in for words that no entry of the named nodes has, where these may be misspelt. The terms
// of these nodes are looked through once.
func (s *search) spell(ctx context.Context) error {
	spelling := index.NewSpelling(&s.req, s.terms, s.names)
	if spelling == nil {
		return nil
	}
	compare := func(term, word string) {
		if word == term {
			word = ""
		}
		spelling.Compare(0, []byte(term), []byte(word))
	}
	err := s.c.Each(ctx, "SELECT term, word FROM "+s.x.made.terms+" WHERE node = ANY(?1::integer[])", []any{s.nums}, func(r sqlrows.Row) error {
		compare(r.Text(0), r.Text(1))
		return nil
	})
	if err != nil {
		return err
	}
	for term, word := range s.wordsThen {
		compare(term, word)
	}
	var names []string
	for _, c := range spelling.Alike() {
		names = append(names, c.Term)
	}
	if len(names) == 0 {
		return nil
	}
	known, err := s.frequencies(ctx, names)
	if err != nil {
		return err
	}
	for _, c := range spelling.Choose(s.terms, func(c *index.StandIn) int64 { return int64(known[c.Term]) },
		func(c *index.StandIn) bool { _, is := s.at[c.Term]; return is }) {
		s.addForm(c.Term, form{c.For, s.terms[c.For].Share})
		s.met(len(s.names)-1, known[c.Term])
	}
	return nil
}
