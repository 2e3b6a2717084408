package cli

import (
	"errors"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Narrow are the flags that narrow a list of memories and a search alike.
type Narrow struct {
	Entity      []string `sep:"none" help:"Only what mentions this person, organisation, place or product, or is linked with it: a name, an alias or an id; may be repeated." placeholder:"NAME"`
	Relation    []string `help:"Only what stands at this kind of link (to the --entity, if there is one), like updates, or says this of its subject, like works_at." placeholder:"NAME"`
	Topic       []string `sep:"none" help:"Only what is about this, by its tags or those of its document; may be repeated." placeholder:"WORD"`
	Kind        []string `help:"Only memories of this kind; defining and regular stand for several." placeholder:"KIND"`
	Subject     string   `help:"Only memories about this subject, as they name it." placeholder:"NAME"`
	Slot        string   `help:"Only memories that tell this of their subject, like lives_in." placeholder:"NAME"`
	From        string   `help:"Only what happened, was said or is dated at or after this time; documents too." placeholder:"TIME"`
	To          string   `help:"Only what happened before this time; documents too." placeholder:"TIME"`
	CreatedFrom string   `help:"Only what was saved at or after this time." placeholder:"TIME"`
	CreatedTo   string   `help:"Only what was saved before this time." placeholder:"TIME"`
	ValidAt     string   `help:"Only memories that were true then." placeholder:"TIME"`
	ValidFrom   string   `help:"Only memories that were true then or later." placeholder:"TIME"`
	ValidTo     string   `help:"Only memories that were true before then; with --valid-from, at some time between them." placeholder:"TIME"`
}

// times are the moments among them.
type times struct{ from, to, createdFrom, createdTo, validAt, validFrom, validTo *time.Time }

func (n *Narrow) times() (t times, err error) {
	for _, x := range []struct {
		flag, value string
		to          **time.Time
	}{
		{"--from", n.From, &t.from},
		{"--to", n.To, &t.to},
		{"--created-from", n.CreatedFrom, &t.createdFrom},
		{"--created-to", n.CreatedTo, &t.createdTo},
		{"--valid-at", n.ValidAt, &t.validAt},
		{"--valid-from", n.ValidFrom, &t.validFrom},
		{"--valid-to", n.ValidTo, &t.validTo},
	} {
		at, bad := Perhaps(Moment(x.flag, x.value))
		*x.to, err = at, errors.Join(err, bad)
	}
	return t, err
}

// Only refuses the flags where another list than memories is asked for.
func (n *Narrow) Only(list string) error {
	var err error
	for _, x := range []struct {
		flag  string
		given bool
	}{
		{"--entity", len(n.Entity) > 0},
		{"--relation", len(n.Relation) > 0},
		{"--topic", len(n.Topic) > 0},
		{"--kind", len(n.Kind) > 0},
		{"--subject", n.Subject != ""},
		{"--slot", n.Slot != ""},
		{"--created-from", n.CreatedFrom != ""},
		{"--created-to", n.CreatedTo != ""},
		{"--valid-at", n.ValidAt != ""},
		{"--valid-from", n.ValidFrom != ""},
		{"--valid-to", n.ValidTo != ""},
	} {
		err = errors.Join(err, Only(x.flag, x.given, list, "memories"))
	}
	return errors.Join(err, Only("--from", n.From != "", list, "memories", "documents"), Only("--to", n.To != "", list, "memories", "documents"))
}

// Memories adds them to the filter of a list.
func (n *Narrow) Memories(f lukasa.MemoryFilter) (lukasa.MemoryFilter, error) {
	t, err := n.times()
	f.Entities, f.Relations, f.Topics, f.Subject, f.Slot = n.Entity, n.Relation, n.Topic, n.Subject, n.Slot
	f.After, f.Before, f.CreatedFrom, f.CreatedUntil = t.from, t.to, t.createdFrom, t.createdTo
	f.ValidAt, f.ValidFrom, f.ValidTo = t.validAt, t.validFrom, t.validTo
	for _, k := range n.Kind {
		f.Kinds = append(f.Kinds, lukasa.MemoryKind(k))
	}
	return f, err
}

// Search adds them to a query.
func (n *Narrow) Search(q lukasa.Query) (lukasa.Query, error) {
	t, err := n.times()
	q.ValidAt, q.ValidFrom, q.ValidTo = t.validAt, t.validFrom, t.validTo
	var and []lukasa.Filter
	if q.Filter != nil {
		and = append(and, *q.Filter)
	}
	one := func(s string) []string {
		if s == "" {
			return nil
		}
		return []string{s}
	}
	for _, x := range []lukasa.Filter{
		{Field: "entity", Text: n.Entity},
		{Field: "relation", Text: n.Relation},
		{Field: "topic", Text: n.Topic},
		{Field: "kind", Text: n.Kind},
		{Field: "subject", Text: one(n.Subject)},
		{Field: "slot", Text: one(n.Slot)},
	} {
		if len(x.Text) > 0 {
			and = append(and, x)
		}
	}
	for _, x := range []struct {
		field string
		at    *time.Time
	}{{"after", t.from}, {"before", t.to}, {"created_from", t.createdFrom}, {"created_to", t.createdTo}} {
		if x.at != nil {
			and = append(and, lukasa.Filter{Field: x.field, Time: *x.at})
		}
	}
	if len(and) > 0 {
		q.Filter = &lukasa.Filter{And: and}
	}
	return q, err
}
