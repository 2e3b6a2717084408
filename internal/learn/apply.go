package learn

import (
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Author is who the log of changes names for what was learned by itself.
const Author = "pipeline"

// Outcome says what a transaction has learned, for the news that follows its commit.
type Outcome struct {
	Created []lukasa.Memory
	Merged  []lukasa.ID // memories that gained a source
	Retired []lukasa.ID // memories that another took the place of
	Pending []lukasa.ID // created without a vector
}

// Apply weighs drafts against what the node knows and writes what is new. A statement that is there already gains a source; a
// newer one of the same slot takes the older one's place, which stays with when and why; an older one is kept as history; what is
// less trusted never takes the place of what is more trusted. It may run again from the start: it does not change d.
//
// as maps the source that a text had when it was drafted to the one that it got; "" passes the text over.
func (p *Path) Apply(tx store.Tx, owner lukasa.ID, node lukasa.Node, d Drafts, as func(lukasa.ID) lukasa.ID) (Outcome, error) {
	var out Outcome
	if d = d.under(as); d.Empty() {
		return out, nil
	}
	tx.Because(Author, "")
	defer tx.Because("", "")
	w := &writer{tx: tx, node: node, now: p.now(), space: p.Embed.Space().ID, out: &out, again: d.again}
	for _, x := range d.memories {
		if err := w.put(x); err != nil {
			return out, err
		}
	}
	for _, id := range out.Pending {
		if err := tx.Enqueue(p.job(owner, lukasa.JobEmbed, id)); err != nil {
			return out, err
		}
	}
	if err := p.enqueueComparisons(tx, owner, out.Created); err != nil {
		return out, err
	}
	for _, id := range d.later {
		if err := tx.Enqueue(p.job(owner, JobLearn, id)); err != nil {
			return out, err
		}
	}
	return out, p.link(tx, owner, d, out)
}

// under returns the drafts with the sources that they got.
func (d Drafts) under(as func(lukasa.ID) lukasa.ID) Drafts {
	out := Drafts{again: d.again}
	for _, x := range d.memories {
		s := x.memory.Sources[0]
		if s.Message != "" {
			s.Message = as(s.Message)
		} else {
			s.Document = as(s.Document)
		}
		if s.Message != "" || s.Document != "" {
			x.memory.Sources = []lukasa.Source{s}
			out.memories = append(out.memories, x)
		}
	}
	for _, n := range d.named {
		if n.source = as(n.source); n.source != "" {
			out.named = append(out.named, n)
		}
	}
	for _, id := range d.later {
		if id = as(id); id != "" {
			out.later = append(out.later, id)
		}
	}
	return out
}

// Announce tells the news of what was learned, after its commit.
func (p *Path) Announce(sc lukasa.Scope, node lukasa.Node, out Outcome) {
	if p.Notify == nil {
		return
	}
	tell := func(t lukasa.EventType, record lukasa.ID, data map[string]any) {
		p.Notify(lukasa.Event{ID: p.Mint.ID(lukasa.PrefixEvent), Type: t, Owner: sc.Owner, Node: node.ID, Path: node.Path, Record: record, Data: data, At: p.now()})
	}
	for _, m := range out.Created {
		tell(lukasa.EventMemoryCreated, m.ID, map[string]any{"kind": m.Kind})
		if m.Kind.Defining() {
			tell(lukasa.EventDefining, m.ID, map[string]any{"kind": m.Kind})
		}
	}
	for _, id := range append(out.Merged, out.Retired...) {
		tell(lukasa.EventMemoryUpdated, id, nil)
	}
}

// writer puts the memories of one transaction.
type writer struct {
	tx    store.Tx
	node  lukasa.Node
	now   time.Time
	space string
	out   *Outcome
	again bool
	adds  []lukasa.Edge // which of those in force the memory that was weighed last extends, and which of them extend it
}

func (w *writer) put(x draft) error {
	m := x.memory
	m.Node, m.Path = w.node.ID, w.node.Path
	there, err := twinsOf(w.tx, w.node, m)
	if err != nil || w.again && there.told(m) {
		return err // nothing new was said
	}
	if m.State == lukasa.MemoryQuarantined {
		m.IsLatest = false
		return w.create(m, x.vector)
	}
	if len(there.inForce) > 0 {
		return w.merge(there.inForce[0], m)
	}
	if t := there.carried(m); t != nil {
		return w.merge(*t, m)
	}
	if m.State == lukasa.MemoryCandidate {
		if len(there.held) > 0 {
			return w.merge(there.held[0], m)
		}
		m.IsLatest = false
		return w.create(m, x.vector)
	}
	if m.Extractor == recordsVersion { // documents say themselves what they supersede
		return w.create(m, x.vector)
	}
	retired, err := w.weigh(&m)
	if err != nil {
		return err
	}
	if !m.IsLatest && len(there.retired) > 0 {
		return w.merge(there.retired[0], m)
	}
	if !m.IsLatest {
		return w.create(m, x.vector)
	}
	w.tx.Because(Author, adding(m.ID, w.adds))
	err = w.create(m, x.vector)
	w.tx.Because(Author, "")
	if err != nil {
		return err
	}
	if err := w.retire(retired, m); err != nil {
		return err
	}
	return w.tx.PutEdges(w.adds)
}

// adding is why a memory was made that extends others.
func adding(id lukasa.ID, edges []lukasa.Edge) string {
	var olds []string
	for _, e := range edges {
		if e.From == string(id) {
			olds = append(olds, e.To)
		}
	}
	if len(olds) == 0 {
		return ""
	}
	return "adds to " + strings.Join(olds, ", ")
}

// weigh finds the memories that m takes the place of, and those that it extends. Where one in force is newer, or more trusted, m is history itself.
func (w *writer) weigh(m *lukasa.Memory) ([]lukasa.Memory, error) {
	w.adds = nil
	rivals, err := w.rivals(m)
	if err != nil {
		return nil, err
	}
	w.adds = merge.Additions(m, rivals)
	var retired []lukasa.Memory
	for _, old := range rivals {
		yields, reason := merge.Supersedes(*m, old)
		trusted := *m
		trusted.Origin = old.Origin
		replaces, why := merge.Supersedes(old, trusted)
		if replaces && trust(m.Origin) > trust(old.Origin) {
			replaces, yields, reason = false, true, "less trusted than what it contradicts"
		}
		switch {
		case replaces:
			old.Reason = why
			if why == merge.ReasonCorrect { // it never was so
				old.ValidTo = since(old)
			}
			retired = append(retired, old)
		case yields:
			m.IsLatest, m.RetiredBy, m.Reason, m.RetiredAt = false, old.ID, reason, &w.now
			if m.ValidTo == nil {
				m.ValidTo = since(old)
			}
		}
	}
	return retired, nil
}

// rivals lists the memories in force that m may stand against: those of its slot, or all of its subject where it names what it puts right or ends; where
// it has no slot, those that say what it says to be over, the decisions that one may reverse, and habits beside what ends them.
func (w *writer) rivals(m *lukasa.Memory) ([]lukasa.Memory, error) {
	c := store.Claim{Node: w.node.ID, Slot: m.Slot, Subject: m.Subject}
	if shared, _ := m.Metadata[merge.KeyShared].(bool); shared {
		c.Subject = "" // another of those who speak together may have said it
	}
	var list []lukasa.Memory
	var err error
	predicate, _ := m.Metadata[merge.KeyPredicate].(string)
	ended, _ := m.Metadata[merge.KeyEnded].(bool)
	names := m.Metadata[merge.KeyCorrects] != nil || m.Metadata[merge.KeyAmends] != nil || m.Metadata[merge.KeyEnds] != nil
	if names {
		c.Slot = ""
	}
	switch {
	case merge.Ceases(m) != "":
		list, err = w.habits(m.Subject)
	case names || m.Slot != "":
		list, err = w.tx.Rivals(c)
	case ended && predicate != "":
		list, err = w.inForce(lukasa.MemoryFilter{Subject: c.Subject, Relations: []string{predicate}})
	}
	var more []lukasa.Memory
	switch {
	case err != nil:
	case m.Kind == lukasa.KindDecision:
		more, err = w.reversible(m)
	case merge.Habit(m): // it may be over by now, as far as is known
		more, err = w.inForce(lukasa.MemoryFilter{Subject: m.Subject, Relations: []string{"stopped", "gave_up", "plays"}})
	}
	list = united(list, more)
	if err != nil || c.Slot != "lives_in" {
		return list, err
	}
	c.Slot = "located_in" // a new home ends the old whereabouts
	more, err = w.tx.Rivals(c)
	return append(list, more...), err
}

// reversible lists the decisions of the place that another one may reverse, and what it gives up where that is said to be in use.
func (w *writer) reversible(m *lukasa.Memory) ([]lukasa.Memory, error) {
	list, err := w.inForce(lukasa.MemoryFilter{Kinds: []lukasa.MemoryKind{lukasa.KindDecision}})
	if err != nil || merge.GivesUp(m) == "" {
		return list, err
	}
	used, err := w.inForce(lukasa.MemoryFilter{Relations: []string{"uses"}})
	return append(list, used...), err
}

// habits lists what somebody does now and again.
func (w *writer) habits(subject string) ([]lukasa.Memory, error) {
	list, err := w.inForce(lukasa.MemoryFilter{Subject: subject, Tags: []string{"habit"}})
	if err != nil {
		return nil, err
	}
	more, err := w.inForce(lukasa.MemoryFilter{Subject: subject, Relations: []string{"habit", "plays"}})
	return united(list, more), err
}

// united are the memories of both lists, each once.
func united(list, more []lukasa.Memory) []lukasa.Memory {
	return append(list, slices.DeleteFunc(more, func(o lukasa.Memory) bool {
		return slices.ContainsFunc(list, func(x lukasa.Memory) bool { return x.ID == o.ID })
	})...)
}

// inForce lists the last memories of the place that a filter lets through and nothing has taken the place of.
func (w *writer) inForce(f lukasa.MemoryFilter) ([]lukasa.Memory, error) {
	f.Containers, f.Latest = []lukasa.Pattern{{Path: w.node.Path, Mode: '!'}}, new(true)
	l, err := w.tx.Memories(f, lukasa.Page{Limit: 100, Uncounted: true})
	return l.Items, err
}

func (w *writer) create(m lukasa.Memory, vector []float32) error {
	if err := w.tx.PutMemory(m); err != nil {
		return err
	}
	w.out.Created = append(w.out.Created, m)
	if vector == nil {
		w.out.Pending = append(w.out.Pending, m.ID)
		return nil
	}
	return w.tx.PutVectors(w.space, []store.Vector{{Entry: m.ID, Type: lukasa.EntryMemory, Vector: vector}})
}

// maxSources bounds the evidence that one memory lists.
const maxSources = 50

// merge adds the evidence of m to the memory that says the same. What was given by hand rests on no evidence, and so does not go with any.
func (w *writer) merge(into, m lukasa.Memory) error {
	if into.Extractor == "" && len(into.Sources) == 0 {
		return nil
	}
	joined := merge.Join(into, m)
	if len(joined.Sources) == len(into.Sources) || len(joined.Sources) > maxSources {
		return nil
	}
	joined.Confidence = 1 - (1-into.Confidence)*(1-m.Confidence/2) // told twice is surer, never sure
	if m.ValidFrom != nil && (into.ValidFrom == nil || m.ValidFrom.Before(*into.ValidFrom)) {
		joined.ValidFrom = m.ValidFrom
	}
	joined.UpdatedAt = w.now
	w.out.Merged = append(w.out.Merged, into.ID)
	w.tx.Because(Author, "said again")
	defer w.tx.Because(Author, "")
	return w.tx.PutMemory(joined)
}

// retire notes that by has taken the place of others.
func (w *writer) retire(others []lukasa.Memory, by lukasa.Memory) error {
	var edges []lukasa.Edge
	for _, old := range others {
		old.IsLatest, old.RetiredBy, old.RetiredAt, old.UpdatedAt = false, by.ID, &w.now, w.now
		if old.ValidTo == nil {
			old.ValidTo = since(by)
		}
		w.tx.Because(Author, old.Reason)
		if err := w.tx.PutMemory(old); err != nil {
			return err
		}
		w.out.Retired = append(w.out.Retired, old.ID)
		edges = append(edges, lukasa.Edge{From: string(by.ID), To: string(old.ID), Type: lukasa.EdgeUpdates, Weight: 1, Confidence: by.Confidence})
	}
	w.tx.Because(Author, "")
	if len(edges) == 0 {
		return nil
	}
	return w.tx.PutEdges(edges)
}

// trust ranks origins: the lower, the more trusted.
func trust(o lukasa.Origin) int {
	return slices.Index([]lukasa.Origin{lukasa.OriginUser, lukasa.OriginAgent, lukasa.OriginFile, lukasa.OriginImport, lukasa.OriginTool, lukasa.OriginWeb}, o)
}

// since is from when on a memory speaks: its own date, else when it was said.
func since(m lukasa.Memory) *time.Time {
	if m.ValidFrom != nil {
		return m.ValidFrom
	}
	t := merge.SaidAt(&m)
	return &t
}
