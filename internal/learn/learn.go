// Package learn turns what was kept into what is known: memories with their sources, which of them take the place of which,
// and the entities and edges between them.
//
// It works in two steps, so that the slow one stands outside the transaction: Draft reads texts by the rules and embeds what
// they say; Apply, inside the transaction that keeps the texts, weighs the drafts against what is known already. A fault in the
// first step costs the memories of one text and never the text.
package learn

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/reader"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Deps are what the path works with.
type Deps struct {
	Store         store.Store
	Embed         embed.Embedder
	Mint          lukasa.Minter
	Notify        func(lukasa.Event) // called after the commit; must not block
	Log           *slog.Logger
	Model         llm.Model // nil: rules alone
	RederiveModel llm.Model // asked by Rederive alone; nil: rules alone
	Index         index.Index
	Reader        *reader.Reader // nil: rules alone
	// Content returns the cleaned text of a document.
	Content func(ctx context.Context, sc lukasa.Scope, d lukasa.Document) (string, error)
	// Plain returns a text without the briefs of ours that were pasted into it. Nil: it is all its own.
	Plain func(owner lukasa.ID, s string) string
	// Marked finds the spans of a text that a brief of ours was pasted into: they are not learned again. Nil means none.
	Marked func(owner lukasa.ID, s string) []text.Span
}

// Path is safe for concurrent use.
type Path struct{ Deps }

// New makes the path.
func New(d Deps) *Path { return &Path{Deps: d} }

func (p *Path) now() time.Time { return p.Mint.Now().UTC() }

// Text is one text to learn from, with who said it and when.
type Text struct {
	Body     string
	Base     int       // where Body begins in its document or message
	Document lukasa.ID // the source: a document, or
	Message  lukasa.ID // a message
	Speaker  string
	Role     string
	At       time.Time // when it was said or written, in the speaker's zone
	Origin   lukasa.Origin
	Before   bool   // said before: it is read for what it tells of the texts behind it, and nothing is learned from it
	Type     string // of a document
	Later    bool   // a job reads it
	Title    string // of a document
	Name     string // of a document: its file name, custom id or address
}

// said reports whether a text states something about its owner: a person's message, or a note that was handed over as text. Files,
// pages, imported documents, the output of tools and the words of an assistant were only read.
func (t Text) said() bool {
	if t.Message != "" {
		return !mechanical(t.Role) && (t.Origin == "" || t.Origin == lukasa.OriginUser)
	}
	return t.Origin.Said()
}

// Drafts are what texts say, before it is known where they stand.
type Drafts struct {
	memories []draft
	named    []named
	later    []lukasa.ID // documents that a job reads
	again    bool        // the texts were there before: nobody says now what they say
}

// Empty reports whether there is nothing to apply.
func (d Drafts) Empty() bool { return len(d.memories) == 0 && len(d.named) == 0 && len(d.later) == 0 }

type draft struct {
	memory lukasa.Memory
	triple *rules.Triple
	vector []float32
}

// named is an entity that a source names.
type named struct {
	source lukasa.ID
	lexis.Entity
}

// maxText is the longest message that is read.
const maxText = 256 << 10

// Talk is what was heard of a conversation: who is meant by "she", who works where, what was asked last. The zero Talk has heard nothing. It
// is used by one goroutine at a time.
type Talk struct{ rules.Dialogue }

// Draft reads texts by the rules, long documents part by part, and embeds what they say. It never fails: what cannot be read says
// nothing.
func (p *Path) Draft(ctx context.Context, sc lukasa.Scope, texts []Text) Drafts {
	list := parts(texts)
	return p.draftOn(ctx, sc, &Talk{}, list, len(list) > len(texts))
}

// DraftOn is Draft for texts that go on with a conversation. Long documents are left to a job.
func (p *Path) DraftOn(ctx context.Context, sc lukasa.Scope, talk *Talk, texts []Text) Drafts {
	return p.draftOn(ctx, sc, talk, texts, false)
}

// draftOn is DraftOn; long says that the texts are parts of a long document, of which only what is firm is drawn.
func (p *Path) draftOn(ctx context.Context, sc lukasa.Scope, talk *Talk, texts []Text, long bool) Drafts {
	out := p.drafts(ctx, sc, talk, texts, long)
	p.embed(ctx, out.memories)
	return out
}

// drafts is draftOn without vectors.
func (p *Path) drafts(ctx context.Context, sc lukasa.Scope, talk *Talk, texts []Text, long bool) Drafts {
	var out Drafts
	for _, t := range texts {
		if t.Body == "" || t.Message != "" && len(t.Body) > maxText || ctx.Err() != nil {
			continue
		}
		if t.Document != "" && !ruled(t) {
			continue
		}
		if t.Document != "" && (t.Later || len(t.Body) > partBytes) {
			out.later = append(out.later, t.Document)
			continue
		}
		if t.Document != "" {
			*talk = Talk{} // a document is no part of what was said before
		}
		statements, entities := p.read(ctx, sc, &talk.Dialogue, t)
		if t.Before {
			continue
		}
		if !t.said() {
			statements = nil
			if t.Document != "" && !long {
				statements = statementsOf(t)
			}
			entities = typedByList(entities)
		} else if text.Foreign(t.Body) || !mostlyLatin(t.Body) { // the reader knows English only
			statements, entities = nil, typedByList(entities)
		} else if r := p.readSaid(ctx, sc, t, long); r != nil {
			statements, entities = r.statementsIn(t, statements), r.entitiesIn(t, entities)
		}
		for _, s := range statements {
			if d := p.draft(t, s); !long || firm(d.memory) {
				out.memories = append(out.memories, d)
			}
		}
		source := t.Message
		if source == "" {
			source = t.Document
		}
		for _, e := range entities {
			if e.Type == lexis.EntityOther {
				e.Type = "" // it is linked with who is called so, and makes nobody
			}
			out.named = append(out.named, named{source, e})
		}
	}
	return out
}

// read applies the rules to one text. A fault of theirs is logged and costs what this text says, nothing else.
func (p *Path) read(ctx context.Context, sc lukasa.Scope, talk *rules.Dialogue, t Text) (list []rules.Statement, named []lexis.Entity) {
	defer func() {
		if r := recover(); r != nil {
			p.Log.ErrorContext(ctx, "rules failed on a text", "document", t.Document, "message", t.Message, "err", fmt.Sprint(r))
			list, named, *talk = nil, nil, rules.Dialogue{}
		}
	}()
	in := rules.Input{Text: t.Body, Base: t.Base, Speaker: t.Speaker, Role: t.Role, At: t.At, Origin: t.Origin}
	if p.Marked != nil {
		in.Marked = func(s string) []text.Span { return p.Marked(sc.Owner, s) }
	}
	list = talk.Read(in)
	if !mechanical(t.Role) {
		if p.Plain != nil {
			in.Text = p.Plain(sc.Owner, in.Text) // a brief that was pasted into it names nobody anew
		}
		in.Text = text.BlankNoise(in.Text)
		named = talk.Entities(in)
	}
	return list, named
}

func (p *Path) draft(t Text, s rules.Statement) draft {
	m := s.Memory(t.At)
	m.ID, m.Origin, m.RecordedAt, m.UpdatedAt = p.Mint.ID(lukasa.PrefixMemory), t.Origin, p.now(), p.now()
	m.Sources = []lukasa.Source{{Document: t.Document, Message: t.Message, Start: s.Start, End: s.End, Quote: quote(t, s.Start, s.End)}}
	if t.Message != "" {
		m.Sources[0].Document = ""
	}
	if m.Tags == nil {
		m.Tags = []string{}
	}
	switch m.State {
	case lukasa.MemoryQuarantined:
		m.Reason = "the text that it comes from also tries to give orders"
	case lukasa.MemoryCandidate:
		m.Reason = fmt.Sprintf("it may not be worth keeping (%.2f)", m.Confidence)
	}
	m.Key = merge.KeyOf(m)
	d := draft{memory: m}
	if tr, ok := s.Triple(); ok {
		d.triple = &tr
	}
	return d
}

// embed fills in vectors as far as the allowance of a request goes; for the others a job is queued.
func (p *Path) embed(ctx context.Context, list []draft) {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = d.memory.Content
	}
	vectors, err := embed.NewAllowance(p.Embed).Embed(ctx, texts)
	if err != nil {
		p.Log.WarnContext(ctx, "embed memories inline", "err", err)
	}
	for i, v := range vectors {
		list[i].vector = v
	}
}

// quote is the evidence in the text's own words, clipped; the span says where the rest is.
func quote(t Text, start, end int) string {
	start, end = start-t.Base, end-t.Base
	if start < 0 || end > len(t.Body) || start >= end {
		return ""
	}
	return lexis.Clip(t.Body[start:end], 500)
}
