package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// What is derived can be made again from what it was derived from. Both verbs go through the documents and stretches of
// conversations of the containers a page at a time, so that a door can show how far it is and take up where it was cut off.

// Derive makes one record's derived parts again; the paths that made them first have it.
type Derive struct {
	Recover  func(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Recovery, error)
	Fill     func(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (vectors int, err error)
	Reword   func(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (vectors int, err error) // of what was embedded by another text before
	Learn    func(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (memories int, err error)
	Rederive func(ctx context.Context, sc lukasa.Scope, id lukasa.ID, apply, model bool) (Rederivation, error)
}

// Recovery says what of a record was made again from what it was derived from, and what could not be.
type Recovery struct {
	Document    lukasa.ID `json:"document_id"`
	From        string    `json:"from,omitempty"` // messages, transcript or text
	Regenerated []string  `json:"regenerated"`    // summary, keywords, transcript, embedding
	Missing     []string  `json:"missing,omitempty"`
	Detail      string    `json:"detail,omitempty"`
}

// Rederivation says what deriving a document again changes, or would change.
type Rederivation struct {
	Document lukasa.ID       `json:"document_id"`
	Add      []lukasa.Memory `json:"add"`    // what is found today and is not there
	Retire   []lukasa.Memory `json:"retire"` // what is no longer found
	Keep     int             `json:"keep"`
}

// What can be rebuilt.
const (
	RebuildSummaries  = "summaries"  // summaries, keywords, recall files, and the vectors of them
	RebuildEmbeddings = "embeddings" // vectors that are missing
	RebuildGraph      = "graph"      // entities, mentions and what takes the place of what
	RebuildIndex      = "index"      // the search index of the caller's records
)

// Work asks for a stretch of a rebuild or rederivation.
type Work struct {
	Containers []lukasa.Pattern
	Document   lukasa.ID // only this one
	Cursor     string
	Time       time.Duration // stop after about this long; 0 means 10 s
	Model      bool          // of a rederivation: by the configured model, instead of the rules
}

// Rebuilt says what a stretch of a rebuild did. Next is "" at the end.
type Rebuilt struct {
	What        string         `json:"what"`
	Records     int            `json:"records"`     // looked at
	Regenerated map[string]int `json:"regenerated"` // by kind
	Missing     []Recovery     `json:"missing"`     // what could not be made again, and why
	Next        string         `json:"next_cursor"`
	Total       int            `json:"total"`
}

const workTime = 10 * time.Second

// Rebuild makes what is derived again.
func (p *Path) Rebuild(ctx context.Context, sc lukasa.Scope, what string, w Work) (Rebuilt, error) {
	out := Rebuilt{What: what, Regenerated: map[string]int{}, Missing: []Recovery{}}
	if err := sc.CanWrite(); err != nil {
		return out, err
	}
	var one func(context.Context, lukasa.Document) error
	switch what {
	case RebuildIndex:
		p.Index.Rebuild(sc.Owner, "")
		out.Regenerated["index"] = 1
		p.Note(ctx, sc, "rebuild", what, nil)
		return out, nil
	case RebuildSummaries:
		one = func(ctx context.Context, d lukasa.Document) error {
			r, err := p.Derive.Recover(ctx, sc, d.ID)
			for _, k := range r.Regenerated {
				out.Regenerated[k]++
			}
			if len(r.Missing) > 0 {
				out.Missing = append(out.Missing, r)
			}
			return err
		}
	case RebuildEmbeddings:
		one = p.filling(sc, out.Regenerated)
	case RebuildGraph:
		one = func(ctx context.Context, d lukasa.Document) error { return p.regraph(ctx, sc, d.ID, out.Regenerated) }
	default:
		return out, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "what", Msg: fmt.Sprintf("%q cannot be rebuilt", what), Hint: "there are summaries, embeddings, graph and index"}
	}
	if w.Cursor == "" {
		p.Note(ctx, sc, "rebuild", what, map[string]any{"document": string(w.Document)})
	}
	var err error
	out.Records, out.Total, out.Next, err = p.each(ctx, sc, w, one)
	if err == nil && out.Next == "" && w.Document == "" {
		switch what {
		case RebuildGraph:
			err = p.relink(ctx, sc, w.Containers, out.Regenerated)
		case RebuildEmbeddings:
			err = p.fillMemories(ctx, sc, w.Containers, out.Regenerated)
		}
	}
	return out, err
}

// each calls fn for the documents and stretches of conversations of a page and those after it, until the time is up. The cursor that
// it returns begins behind the last whole page.
func (p *Path) each(ctx context.Context, sc lukasa.Scope, w Work, fn func(context.Context, lukasa.Document) error) (n, total int, next string, err error) {
	if w.Document != "" {
		var d lukasa.Document
		err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
			d, err = r.Document(w.Document)
			return err
		})
		if err != nil {
			return 0, 0, "", err
		}
		return 1, 1, "", fn(ctx, d)
	}
	if w.Time == 0 {
		w.Time = workTime
	}
	began := time.Now()
	page := lukasa.Page{Limit: 10, Cursor: w.Cursor}
	if w.Model {
		page.Limit = 1 // each may take long
	}
	f := lukasa.DocumentFilter{Containers: w.Containers, Conversation: true, OldestFirst: true}
	for {
		var l lukasa.Listing[lukasa.Document]
		err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
			l, err = r.Documents(f, page)
			return err
		})
		if err != nil {
			return n, l.Total, page.Cursor, err
		}
		for _, d := range l.Items {
			if err := fn(ctx, d); err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound { // it may be deleted meanwhile
				return n, l.Total, page.Cursor, fmt.Errorf("%s: %w", d.ID, err)
			}
			n++
		}
		if page.Cursor = l.Next; l.Next == "" || time.Since(began) > w.Time {
			return n, l.Total, l.Next, nil
		}
	}
}

// regraph draws the entities and mentions of a document again, the memories that it has lost, and the edge from the stretch before
// it.
func (p *Path) regraph(ctx context.Context, sc lukasa.Scope, id lukasa.ID, count map[string]int) error {
	made, err := p.Derive.Learn(ctx, sc, id)
	if err != nil {
		return err
	}
	count["documents"]++
	count["memories"] += made
	return p.Store.Update(ctx, sc, func(tx store.Tx) error {
		s, err := tx.Segment(id)
		switch {
		case lukasa.CodeOf(err) == lukasa.CodeNotFound:
			return nil
		case err != nil || s.Previous == "":
			return err
		}
		before, err := tx.DocumentsByID([]lukasa.ID{s.Previous})
		if err != nil || len(before) == 0 { // it was deleted
			return err
		}
		count["precedes"]++
		return tx.PutEdges([]lukasa.Edge{{From: string(s.Previous), To: string(s.Document), Type: lukasa.EdgePrecedes, Weight: 1}})
	})
}

// relink draws the edges of memories again: whom they name, and which took the place of which.
func (p *Path) relink(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, count map[string]int) error {
	page := lukasa.Page{Limit: 100}
	for {
		var l lukasa.Listing[lukasa.Memory]
		var edges []lukasa.Edge
		err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
			if l, err = tx.Memories(lukasa.MemoryFilter{Containers: in}, page); err != nil {
				return err
			}
			if edges, err = edgesOf(tx, l.Items); err != nil {
				return err
			}
			return tx.PutEdges(edges)
		})
		if err != nil {
			return err
		}
		for _, x := range edges {
			count[string(x.Type)]++
		}
		if page.Cursor = l.Next; l.Next == "" {
			return nil
		}
	}
}

func edgesOf(tx store.Tx, list []lukasa.Memory) ([]lukasa.Edge, error) {
	var edges []lukasa.Edge
	for _, m := range list {
		if len(m.Entities) > 0 {
			named, err := tx.EntitiesNamed(m.Entities)
			if err != nil {
				return nil, err
			}
			for _, x := range named {
				edges = append(edges, lukasa.Edge{From: string(m.ID), To: string(x.ID), Type: lukasa.EdgeMentions, Weight: 1})
			}
		}
		if m.IsLatest && m.Slot != "" && m.Subject != "" {
			rivals, err := tx.Rivals(store.Claim{Node: m.Node, Slot: m.Slot, Subject: m.Subject})
			if err != nil {
				return nil, err
			}
			edges = append(edges, merge.Additions(&m, rivals)...)
		}
		if m.RetiredBy == "" {
			continue
		}
		if by, err := tx.Memory(m.RetiredBy); err == nil {
			edges = append(edges, lukasa.Edge{From: string(by.ID), To: string(m.ID), Type: lukasa.EdgeUpdates, Weight: 1, Confidence: by.Confidence})
		} else if lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return nil, err
		}
	}
	return edges, nil
}

// Rederived says what a stretch of a rederivation changed, or would change. Changes lists the first hundred documents where
// something does; the counts are of all. Unread lists those that the model gave no answer to that can be used: they are as they were.
type Rederived struct {
	Applied   bool           `json:"applied"`
	Documents int            `json:"documents"`
	Changed   int            `json:"changed"`
	Add       int            `json:"add"`
	Retire    int            `json:"retire"`
	Keep      int            `json:"keep"`
	Changes   []Rederivation `json:"changes"`
	Unread    []Unread       `json:"unread"`
	Next      string         `json:"next_cursor"`
	Total     int            `json:"total"`
}

// Unread is a document that a model did not read, and why.
type Unread struct {
	Document lukasa.ID `json:"document_id"`
	Detail   string    `json:"detail"`
}

// How many changes are listed, and how many documents in a row a model may give a bad answer to: one that does so always is of no use.
const (
	maxChanges = 100
	badInRow   = 3
)

// Rederive reads documents and conversations again by today's rules or model, and says what that changes in the memories that earlier
// ones drew from them; with apply it changes them. A document that a model gives a bad answer to is as it was, and those after it are
// read; where the model is away, or its answers stay bad, it ends, and those before are done. Every change has its delta, and can be
// undone by it.
func (p *Path) Rederive(ctx context.Context, sc lukasa.Scope, apply bool, w Work) (Rederived, error) {
	out := Rederived{Applied: apply, Changes: []Rederivation{}, Unread: []Unread{}}
	if sc.Owner == "" {
		return out, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	if apply {
		if err := sc.CanWrite(); err != nil {
			return out, err
		}
		if w.Cursor == "" {
			p.Note(ctx, sc, "rederive", string(w.Document), nil)
		}
	}
	var err, bad error
	inRow := 0
	out.Documents, out.Total, out.Next, err = p.each(ctx, sc, w, func(ctx context.Context, d lukasa.Document) error {
		r, err := p.Derive.Rederive(ctx, sc, d.ID, apply, w.Model)
		if w.Model && lukasa.CodeOf(err) == lukasa.CodeExternal {
			if inRow++; inRow == badInRow {
				return err
			}
			bad, out.Unread = err, append(out.Unread, Unread{Document: d.ID, Detail: err.Error()})
			return nil
		}
		if err != nil {
			return err
		}
		inRow = 0
		out.Add, out.Retire, out.Keep = out.Add+len(r.Add), out.Retire+len(r.Retire), out.Keep+r.Keep
		if len(r.Add)+len(r.Retire) == 0 {
			return nil
		}
		if out.Changed++; len(out.Changes) < maxChanges {
			out.Changes = append(out.Changes, r)
		}
		return nil
	})
	if err == nil && w.Cursor == "" && out.Next == "" && len(out.Unread) == out.Documents {
		err = bad // of nil if there are none
	}
	return out, err
}
