// Package history reads and turns back what has changed: the deltas of a record, what differs between two moments, and earlier
// states made current again.
//
// Nothing is overwritten here either: to turn a change back is one more change, with its own delta.
package history

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Deps are what the path works with.
type Deps struct {
	Store  store.Store
	Mint   lukasa.Minter
	Notify func(lukasa.Event) // called after the commit; must not block
	// Text returns the cleaned text of a document.
	Text func(ctx context.Context, sc lukasa.Scope, d lukasa.Document) (string, error)
	// Remember saves text as a new version of a document.
	Remember func(ctx context.Context, sc lukasa.Scope, in lukasa.NewDocument) (lukasa.Receipt, error)
	// Rename writes what a conversation is called now, and was before, with what hangs on it.
	Rename func(tx store.Tx, sc lukasa.Scope, was, c lukasa.Conversation) error
}

// Path is safe for concurrent use.
type Path struct{ Deps }

// New makes the path.
func New(d Deps) *Path { return &Path{Deps: d} }

// Field is one field that differs. Before or After is nil where the field, or the record, was not there.
type Field struct {
	Name   string `json:"field"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// Diff says how a record differs between two moments.
type Diff struct {
	Record lukasa.ID `json:"record_id"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Fields []Field   `json:"fields"`
	Text   string    `json:"text,omitempty"` // unified, for the content of a document's versions
}

// Diff compares a memory, node, document or conversation at two moments; a zero time is now.
func (p *Path) Diff(ctx context.Context, sc lukasa.Scope, record lukasa.ID, from, to time.Time) (Diff, error) {
	d := Diff{Record: record, From: from, To: to, Fields: []Field{}}
	if to.IsZero() {
		d.To = p.Mint.Now().UTC()
	}
	if from.After(d.To) {
		return d, lukasa.Invalid("from", "lies after to")
	}
	a, errA := p.at(ctx, sc, record, from)
	b, errB := p.at(ctx, sc, record, to)
	for _, err := range []error{errA, errB} {
		if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return d, err
		}
	}
	if errA != nil && errB != nil {
		return d, errB
	}
	var err error
	d.Fields, err = compare(a, b)
	return d, err
}

// Versions compares the content of two documents, such as two versions of one.
func (p *Path) Versions(ctx context.Context, sc lukasa.Scope, from, to lukasa.ID) (Diff, error) {
	d := Diff{Record: to}
	a, ta, err := p.document(ctx, sc, from)
	if err != nil {
		return d, err
	}
	b, tb, err := p.document(ctx, sc, to)
	if err != nil {
		return d, err
	}
	d.From, d.To = a.CreatedAt, b.CreatedAt
	if d.Fields, err = compare(a, b); err != nil {
		return d, err
	}
	d.Text = unified(ta, tb)
	return d, nil
}

func (p *Path) document(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (d lukasa.Document, content string, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		d, err = r.Document(id)
		return err
	})
	if err != nil {
		return d, "", err
	}
	content, err = p.Text(ctx, sc, d)
	d.Content = ""
	return d, content, err
}

// at returns a record as it was; the zero time is now.
func (p *Path) at(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) (out any, err error) {
	read := func(r store.Reader) (err error) {
		switch id.Prefix() {
		case lukasa.PrefixMemory:
			var m lukasa.Memory
			if m, err = r.Memory(id); err == nil {
				err = store.Apart(r, sc, &m.RetiredBy)
			}
			out = m
		case lukasa.PrefixNode:
			out, err = r.Node(id)
		case lukasa.PrefixDocument:
			var d lukasa.Document
			d, err = r.Document(id)
			d.Content = ""
			out = d
		case lukasa.PrefixConversation:
			out, err = r.Conversation(id)
		default:
			err = lukasa.Invalid("id", "memories, documents, conversations and containers have a history, %s is none", id)
		}
		return err
	}
	if err := p.view(ctx, sc, at, read); err != nil {
		return nil, err
	}
	return out, nil
}

// compare lists the fields of the JSON forms that differ.
func compare(a, b any) ([]Field, error) {
	before, err := fields(a)
	if err != nil {
		return nil, err
	}
	after, err := fields(b)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for k := range before {
		names[k] = true
	}
	for k := range after {
		names[k] = true
	}
	out := []Field{}
	for k := range names {
		if k != "updated_at" && !reflect.DeepEqual(before[k], after[k]) {
			out = append(out, Field{Name: k, Before: before[k], After: after[k]})
		}
	}
	slices.SortFunc(out, func(x, y Field) int { return strings.Compare(x.Name, y.Name) })
	return out, nil
}

func fields(v any) (map[string]any, error) {
	m := map[string]any{}
	if v == nil {
		return m, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("compare records: %w", err)
	}
	return m, json.Unmarshal(b, &m)
}
