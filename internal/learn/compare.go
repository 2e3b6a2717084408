package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/reader"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

const (
	// maxJudged is how many older memories a new one is compared with.
	maxJudged = 4
	// minNear is the cosine from which an older memory is near enough to be compared.
	minNear = 0.4
	// maxFound is how many memories of a container the index finds by meaning.
	maxFound = 16
	// byHandLevel is how sure the reader is, at least, that a memory which was given by hand is no longer so.
	byHandLevel = 0.9
	// maxCandidates is how many candidates of a container, the newest, are looked at.
	maxCandidates = 100
)

// JobCompare is the kind of job that compares a new memory with those that are near in meaning: see [Path.Compare].
const JobCompare lukasa.JobKind = "compare"

// enqueueComparisons queues a comparison for each of some new memories that may take the place of another. Documents with a form say
// themselves what they supersede.
func (p *Path) enqueueComparisons(tx store.Tx, owner lukasa.ID, created []lukasa.Memory) error {
	if p.Reader == nil {
		return nil
	}
	for _, m := range created {
		if !isOpen(m) || m.Extractor == recordsVersion {
			continue
		}
		if err := tx.Enqueue(p.job(owner, JobCompare, m.ID)); err != nil {
			return err
		}
	}
	return nil
}

// Compare compares a memory with those that are near in meaning, and retires those that the reader is sure are no longer so. A candidate that
// takes the place of a memory is worth keeping by that, and so is a memory that takes the place of a candidate. It is the work of
// [JobCompare], so that no write waits for it; doing it twice changes nothing.
func (p *Path) Compare(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error {
	var m lukasa.Memory
	err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		m, err = r.Memory(id)
		return err
	})
	if err != nil || p.Reader == nil || !isOpen(m) {
		return unlessNotFound(err)
	}
	return p.compare(ctx, sc, m)
}

// isOpen reports whether a memory is in force, or a candidate.
func isOpen(m lukasa.Memory) bool {
	return m.IsLatest && m.State == "" || m.State == lukasa.MemoryCandidate && m.RetiredBy == ""
}

// compare is [Path.Compare] for a memory that was loaded. A memory that was said before it may be over by it, and it may be over itself by a
// memory that was said later and is there already.
func (p *Path) compare(ctx context.Context, sc lukasa.Scope, m lukasa.Memory) error {
	near, err := p.nearest(ctx, sc, m)
	if err != nil {
		return err
	}
	var older []lukasa.Memory
	for _, o := range near {
		if merge.May(&o, &m) {
			older = append(older, o)
			continue
		}
		if done, err := p.retire(ctx, sc, []lukasa.Memory{m}, o); done || err != nil {
			return err
		}
	}
	_, err = p.retire(ctx, sc, older, m)
	return err
}

// retire retires those of some memories that the reader is sure are no longer so after a newer one, and reports whether there is one.
func (p *Path) retire(ctx context.Context, sc lukasa.Scope, list []lukasa.Memory, newer lukasa.Memory) (bool, error) {
	if len(list) == 0 {
		return false, nil
	}
	older := make([]reader.Statement, len(list))
	for i, o := range list {
		older[i] = statementOf(o)
	}
	relations, err := p.Reader.Relations(older, statementOf(newer))
	if err != nil {
		return false, err
	}
	levels, err := p.Reader.Levels()
	if err != nil {
		return false, err
	}
	var gone []lukasa.Memory
	for i, r := range relations {
		level := levels.Replace
		if givenByHand(list[i]) {
			level = max(level, byHandLevel)
		}
		if r.Gone() >= level {
			list[i].Reason = fmt.Sprintf("%s (%.2f)", merge.ReasonChanged, r.Gone())
			gone = append(gone, list[i])
		}
	}
	if len(gone) == 0 {
		return false, nil
	}
	var out Outcome
	err = p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		out, err = p.replace(tx, sc, newer.ID, gone)
		return err
	})
	if err == nil {
		p.Announce(sc, lukasa.Node{ID: newer.Node, Path: newer.Path}, out)
	}
	return true, err
}

// replace lets the memory id take the place of others, as far as all of them are as they were when they were compared.
func (p *Path) replace(tx store.Tx, sc lukasa.Scope, id lukasa.ID, gone []lukasa.Memory) (out Outcome, err error) {
	by, err := tx.Memory(id)
	w := &writer{tx: tx, node: lukasa.Node{ID: by.Node, Path: by.Path}, now: p.now(), space: p.Embed.Space().ID, out: &out}
	if err != nil || !isOpen(by) {
		return out, unlessNotFound(err)
	}
	var retired []lukasa.Memory
	for _, o := range gone {
		there, err := tx.Memory(o.ID)
		if err = unlessNotFound(err); err != nil {
			return out, err
		}
		if there.ID != "" && isOpen(there) && there.Content == o.Content {
			there.Reason, there.State = o.Reason, ""
			retired = append(retired, there)
		}
	}
	if len(retired) == 0 {
		return out, nil
	}
	if by.State == lukasa.MemoryCandidate {
		by.State, by.Reason, by.IsLatest, by.UpdatedAt = "", "", true, w.now
		tx.Because(Author, "it changes what was known")
		if err := tx.PutMemory(by); err != nil {
			return out, err
		}
		out.Merged = append(out.Merged, by.ID)
		if err := tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, by.ID)); err != nil {
			return out, err
		}
	}
	return out, w.retire(retired, by)
}

func unlessNotFound(err error) error {
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil
	}
	return err
}

// statementOf is what the reader compares of a memory: the words of its evidence, or its content where it was given by hand.
func statementOf(m lukasa.Memory) reader.Statement {
	s := reader.Statement{Text: m.Content}
	if len(m.Sources) > 0 && m.Sources[0].Quote != "" {
		s.Text = m.Sources[0].Quote
	}
	if m.Subject != "user" && !strings.Contains(m.Subject, "'s ") {
		s.Speaker = m.Subject
	}
	return s
}

// nearest returns the memories of the same place that m may take the place of, or that may take its place: of the same slot or near in
// meaning, the nearest first.
func (p *Path) nearest(ctx context.Context, sc lukasa.Scope, m lukasa.Memory) ([]lukasa.Memory, error) {
	vectors, err := p.Embed.Embed(ctx, []string{m.Content})
	if err != nil {
		return nil, fmt.Errorf("embed a memory: %w", err)
	}
	list, err := p.standing(ctx, sc, m, vectors[0])
	if err != nil {
		return nil, err
	}
	ids := make([]lukasa.ID, len(list))
	for i, o := range list {
		ids[i] = o.ID
	}
	kept, err := p.Store.Vectors(ctx, p.Embed.Space().ID, sc.Owner, ids)
	if err != nil {
		return nil, err
	}
	type scored struct {
		memory lukasa.Memory
		near   float32
	}
	var all []scored
	k := vector.Default()
	for i, o := range list {
		x := scored{memory: o}
		if i < len(kept) && len(kept[i]) == len(vectors[0]) {
			x.near = k.Dot(vectors[0], kept[i])
		}
		if o.Slot != "" && o.Slot == m.Slot && o.Subject == m.Subject {
			x.near = max(x.near, 1)
		}
		if x.near >= minNear {
			all = append(all, x)
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.near, a.near) })
	var out []lukasa.Memory
	for _, x := range all[:min(len(all), maxJudged)] {
		out = append(out, x.memory)
	}
	return out, nil
}

// standing lists the memories and candidates that m could take the place of, or that could take its place, by who said them and when: the
// newest of the place, and those that the index finds near a vector.
func (p *Path) standing(ctx context.Context, sc lukasa.Scope, m lukasa.Memory, near []float32) ([]lukasa.Memory, error) {
	found, err := p.Index.Search(ctx, index.Request{
		Owner: sc.Owner, Nodes: []lukasa.ID{m.Node}, Vector: near, Types: []lukasa.EntryType{lukasa.EntryMemory}, K: maxFound,
	})
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	var ids []lukasa.ID
	for _, c := range found.Candidates {
		ids = append(ids, c.Entry)
	}
	var list []lukasa.Memory
	err = p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		if list, err = r.Rivals(store.Claim{Node: m.Node}); err != nil {
			return err
		}
		candidates, err := r.Memories(lukasa.MemoryFilter{
			Containers: []lukasa.Pattern{{Path: m.Path, Mode: '!'}}, State: new(lukasa.MemoryCandidate),
		}, lukasa.Page{Limit: maxCandidates, Uncounted: true})
		if err != nil {
			return err
		}
		far, err := r.MemoriesByID(ids)
		list = united(append(list, candidates.Items...), far)
		return err
	})
	return slices.DeleteFunc(list, func(o lukasa.Memory) bool {
		mayYield := merge.May(&o, &m) && !happened(o, m) || merge.May(&m, &o) && !happened(m, o)
		return o.ID == m.ID || o.Node != m.Node || !isOpen(o) || sameSource(o, m) || !mayYield || ofOneSeries(o, m)
	}), err
}

// happened reports whether a memory is of an event that lies before a later one was said. Such an event does not end.
func happened(m, later lukasa.Memory) bool {
	return m.Kind == lukasa.KindEpisode && (m.OccurredAt == nil || !m.OccurredAt.After(merge.SaidAt(&later)))
}

// ofOneSeries reports whether two memories differ in the numbers or codes of their subjects alone, like "Pump M/12 was greased." and "Pump M/13
// was greased.": they are about two things. A number behind the verb, as in "The rent is 640.", is a value, which may change.
func ofOneSeries(a, b lukasa.Memory) bool {
	one, other := strings.Fields(statementOf(a).Text), strings.Fields(statementOf(b).Text)
	hasDigit := func(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) }
	first := slices.IndexFunc(one, hasDigit)
	without := func(words []string) []string { return slices.DeleteFunc(slices.Clone(words), hasDigit) }
	if first < 0 || !slices.Equal(without(one), without(other)) {
		return false
	}
	return !slices.ContainsFunc(one[:first], isVerb)
}

// isVerb reports whether a word is a finite verb, or "I" or "we", behind which there is one.
func isVerb(word string) bool {
	w := strings.ToLower(word)
	switch w {
	case "i", "we", "is", "are", "has", "have":
		return true
	}
	return lexis.Verbs[w].Form&(lexis.Third|lexis.Past) != 0
}

// givenByHand reports whether a caller stated a memory, so that it was drawn from no text.
func givenByHand(m lukasa.Memory) bool { return m.Extractor == "" && len(m.Sources) == 0 }

// sameSource reports whether two memories rest on the same text: what is said in one breath is no correction of itself.
func sameSource(a, b lukasa.Memory) bool {
	return len(a.Sources) > 0 && len(b.Sources) > 0 && a.Sources[0].Message == b.Sources[0].Message && a.Sources[0].Document == b.Sources[0].Document
}
