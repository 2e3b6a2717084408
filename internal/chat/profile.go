package chat

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/brief"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The memories that a profile is made of.
const (
	profileFacts  = 2000
	profileRecent = 500
	profileWithin = 30 * 24 * time.Hour
)

// ProfileRequest asks what is known.
type ProfileRequest struct {
	Container string // none: everything
	Query     string
	AsOf      *time.Time
	ValidAt   *time.Time // made of what was true then
	MaxTokens int
}

// Profile says what is known about whom or what a container is about: facts that hold, what happened lately, and what is
// relevant to the query.
func (p *Path) Profile(ctx context.Context, sc lukasa.Scope, r ProfileRequest) (brief.Profile, error) {
	o := brief.ProfileOptions{Now: p.Now(), Within: profileWithin, MaxTokens: r.MaxTokens, Tokens: &p.tokens}
	if r.AsOf != nil {
		o.Now = *r.AsOf
	}
	if r.ValidAt != nil {
		o.Now, o.Replaced = *r.ValidAt, true
	}
	q := lukasa.Query{Text: r.Query, AsOf: r.AsOf, ValidAt: r.ValidAt, Limit: 10, Types: []lukasa.EntryType{lukasa.EntryMemory}}
	if r.MaxTokens < 0 || r.MaxTokens > MaxTokens {
		return brief.Profile{}, lukasa.Invalid("max_tokens", "is not between 1 and %d", MaxTokens)
	}
	if r.Container != "" {
		pat, err := lukasa.ParsePattern(r.Container, false)
		if err != nil {
			return brief.Profile{}, err
		}
		o.Container, q.Containers = pat.Path, []lukasa.Pattern{pat}
	}
	var memories []lukasa.Memory
	err := p.view(ctx, sc, q, func(rd store.Reader) error {
		memories = nil
		yes, since := true, o.Now.Add(-profileWithin)
		for _, part := range []struct {
			f    lukasa.MemoryFilter
			most int
		}{
			{lukasa.MemoryFilter{Kinds: []lukasa.MemoryKind{lukasa.KindFact, lukasa.KindPreference}}, profileFacts},
			{lukasa.MemoryFilter{Kinds: append(Defining(), lukasa.KindEpisode, lukasa.KindInsight, lukasa.KindTask), After: &since}, profileRecent},
		} {
			if part.f.Containers, part.f.ValidAt = q.Containers, r.ValidAt; r.ValidAt == nil {
				part.f.Latest = &yes
			}
			list, err := newestMemories(rd, part.f, part.most)
			if err != nil {
				return err
			}
			memories = append(memories, list...)
		}
		return nil
	})
	if err != nil || r.Query == "" {
		return brief.MakeProfile(memories, nil, o), err
	}
	found, err := p.Search(ctx, sc, q)
	if err == nil && len(found.Hits) == 0 && r.ValidAt == nil { // nothing was distilled about it: what was said has to do
		q.Types = nil
		found, err = p.Search(ctx, sc, q)
	}
	return brief.MakeProfile(memories, found.Hits, o), err
}

// newestMemories follows a listing up to a number of memories.
func newestMemories(r store.Reader, f lukasa.MemoryFilter, most int) ([]lukasa.Memory, error) {
	var out []lukasa.Memory
	for p := (lukasa.Page{Limit: 100, Uncounted: true}); ; {
		l, err := r.Memories(f, p)
		if err != nil {
			return nil, err
		}
		out = append(out, l.Items...)
		if l.Next == "" || len(out) >= most {
			return out, nil
		}
		p.Cursor = l.Next
	}
}
