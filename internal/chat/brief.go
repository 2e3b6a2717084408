package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/brief"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The bounds of a brief.
const (
	MaxTokens  = 100_000 // of a brief
	maxSession = 512     // bytes of a session's name
	leastHits  = 20      // looked for, whatever the budget
	hitTokens  = 60      // about what a hit costs
	maxLong    = 400_000 // bytes of a transcript or document that are given as a whole
)

// Defining are the kinds of memories that shape what comes after them.
func Defining() []lukasa.MemoryKind {
	return []lukasa.MemoryKind{lukasa.KindDecision, lukasa.KindMilestone, lukasa.KindEvent, lukasa.KindTurningPoint}
}

// BriefRequest asks for recalled text.
type BriefRequest struct {
	Query      lukasa.Query // its text, and where and when to look; Limit is chosen here
	MaxTokens  int          // of the text, markers included; 0 means 8,000
	MaxHits    int          // 0 means as many as fit
	Floor      float64      // hits of less relevance are left out; 0 means the level of each kind, negative none
	NoDefining bool
	Session    string // what it was given it is not given again
	Fresh      bool   // forget what the session was given
	// Skip passes over hits that the prompt holds already.
	Skip func(lukasa.Hit) bool
}

// Briefing is a brief with the hits that its items name by index.
type Briefing struct {
	brief.Brief
	Hits     []lukasa.Hit
	Message  string // why there is no text
	Degraded string
	Meant    []lukasa.Meant // whom the query names by a role
}

// Brief packs what is relevant to a query into a budget of tokens.
func (p *Path) Brief(ctx context.Context, sc lukasa.Scope, r BriefRequest) (Briefing, error) {
	var out Briefing
	if err := r.check(); err != nil {
		return out, err
	}
	hits, message, err := p.gather(ctx, sc, &r, &out)
	if err != nil {
		return out, err
	}
	o := brief.Options{
		MaxTokens: r.MaxTokens, Floor: max(r.Floor, 0), MaxHits: r.MaxHits, Key: p.Mark(sc.Owner), Tokens: &p.tokens,
		Long: func(h lukasa.Hit) string { return p.long(ctx, sc, r.Query, h) },
	}
	if r.NoDefining {
		o.Defining = -1
	}
	key := sessionKey(sc, r.Session)
	var known session
	if !r.Fresh {
		known = p.session(ctx, key)
	}
	hits, left := p.sift(sc.Owner, hits, r, known)
	out.Hits, out.Brief = hits, brief.Pack(hits, o)
	out.Left = append(out.Left, left...)
	out.Message = emptiness(out.Brief, message)
	if ctx.Err() != nil { // nobody will see it: it has not been given
		return out, context.Cause(ctx)
	}
	p.keepSession(ctx, key, known.with(out))
	return out, nil
}

// sift drops hits that are not worth their tokens before they are packed, and what was a brief before from those that stay.
func (p *Path) sift(owner lukasa.ID, all []lukasa.Hit, r BriefRequest, known session) (hits []lukasa.Hit, left []brief.Left) {
	for _, h := range all {
		own := p.Plain(owner, h.Content)
		reason := brief.Reason("")
		switch {
		case r.Skip != nil && r.Skip(h):
			continue
		case strings.TrimSpace(own) == "" && own != h.Content: // somebody pasted it
			reason = brief.LeftDuplicate
		case known.has(h):
			reason = brief.LeftGiven
		case strings.HasSuffix(strings.TrimSpace(own), "?") && merge.Similar(own, r.Query.Text): // asked before is not answered
			reason = brief.LeftDuplicate
		case r.Floor == 0 && !h.Relevant:
			reason = brief.LeftFloor
		}
		if reason != "" {
			left = append(left, brief.Left{ID: h.ID, Reason: reason})
			continue
		}
		h.Content = own
		hits = append(hits, h)
	}
	return hits, left
}

func (r *BriefRequest) check() error {
	switch {
	case strings.TrimSpace(r.Query.Text) == "":
		return lukasa.Invalid("query", "is empty")
	case r.MaxTokens < 0 || r.MaxTokens > MaxTokens:
		return lukasa.Invalid("max_tokens", "is not between 1 and %d", MaxTokens)
	case r.Floor > 1:
		return lukasa.Invalid("floor", "is not between 0 and 1")
	case len(r.Session) > maxSession:
		return lukasa.Invalid("session", "is over %d bytes", maxSession)
	}
	if r.MaxTokens == 0 {
		r.MaxTokens = brief.MaxMemory
	}
	return nil
}

// gather searches twice: for what is relevant, and for the defining memories among it, which a longer list would bury.
func (p *Path) gather(ctx context.Context, sc lukasa.Scope, r *BriefRequest, out *Briefing) ([]lukasa.Hit, string, error) {
	q := r.Query
	q.Limit = min(200, max(leastHits, r.MaxTokens/hitTokens))
	found, err := p.Search(ctx, sc, q)
	if err != nil {
		return nil, "", err
	}
	out.Degraded, out.Meant = found.Stats.Degraded, found.Meant
	hits := found.Hits
	if !r.NoDefining && (len(q.Types) == 0 || slices.Contains(q.Types, lukasa.EntryMemory)) {
		q.Limit, q.Types = brief.DefaultDefining, []lukasa.EntryType{lukasa.EntryMemory}
		kinds := lukasa.Filter{Field: "kind"}
		for _, k := range Defining() {
			kinds.Text = append(kinds.Text, string(k))
		}
		if q.Filter != nil {
			kinds = lukasa.Filter{And: []lukasa.Filter{*q.Filter, kinds}}
		}
		q.Filter = &kinds
		more, err := p.Search(ctx, sc, q)
		if err != nil {
			return nil, "", err
		}
		there := map[lukasa.ID]bool{}
		for _, h := range hits {
			there[h.ID] = true
		}
		for _, h := range more.Hits {
			if !there[h.ID] {
				hits = append(hits, h)
			}
		}
	}
	return hits, found.Message, nil
}

// emptiness says why a brief has no text.
func emptiness(b brief.Brief, none string) string {
	if b.Text != "" {
		return ""
	}
	why := map[brief.Reason]int{}
	for _, l := range b.Left {
		why[l.Reason]++
	}
	switch {
	case why[brief.LeftBudget] > 0:
		return fmt.Sprintf("nothing fits into the budget: %d hits are larger; raise max_tokens", why[brief.LeftBudget])
	case why[brief.LeftGiven] > 0:
		return "nothing new: this session has been given all that is relevant"
	case none == "":
		return "nothing relevant found"
	}
	return none
}

// long is the whole text of what a hit stands in: the turns of a recall file, the text of a document; "" where it is too long.
func (p *Path) long(ctx context.Context, sc lukasa.Scope, q lukasa.Query, h lukasa.Hit) string {
	if h.Document == nil || h.Message != nil {
		return ""
	}
	var doc lukasa.Document
	var talk strings.Builder
	fn := func(r store.Reader) (err error) {
		if doc, err = r.Document(h.Document.ID); err != nil || doc.ContentType != "conversation" {
			return err
		}
		return r.MessagesIn(doc.ID, 0, func(m lukasa.Message) bool {
			fmt.Fprintf(&talk, "%s: %s\n", speakerOf(m), p.Plain(sc.Owner, m.Content))
			return talk.Len() <= maxLong
		})
	}
	err := p.view(ctx, sc, q, fn)
	if err != nil || talk.Len() > maxLong || doc.Size > maxLong {
		return ""
	}
	if doc.ContentType == "conversation" {
		return talk.String()
	}
	if doc.Content == "" {
		if doc.Content, err = p.Text(ctx, sc, doc); err != nil {
			p.Log.WarnContext(ctx, "read a document for a brief", "document", doc.ID, "err", err)
			return ""
		}
	}
	return p.Plain(sc.Owner, doc.Content)
}

// view runs fn over the rows of the moment that a query asks for.
func (p *Path) view(ctx context.Context, sc lukasa.Scope, q lukasa.Query, fn func(store.Reader) error) error {
	if q.AsOf != nil {
		return p.Store.ViewAt(ctx, sc, *q.AsOf, fn)
	}
	return p.Store.View(ctx, sc, fn)
}

func speakerOf(m lukasa.Message) string {
	switch {
	case m.Speaker != "":
		return m.Speaker
	case m.Role != "":
		return m.Role
	}
	return "user"
}
