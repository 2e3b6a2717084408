package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/reader"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

const (
	// maxJudged is how many older memories a new one is compared with.
	maxJudged = 4
	// minNear is the cosine from which an older memory is near enough to be compared.
	minNear = 0.4
	// maxCandidates is how many candidates of a container, the newest, are looked at.
	maxCandidates = 100
)

// Settle compares new memories with those that are near in meaning, and retires the older ones that the reader is sure are no longer so.
// A candidate that takes the place of a memory is worth keeping by that, and so is a memory that takes the place of a candidate. It runs
// after the commit, so that no transaction waits for the reader. A failure is logged and leaves all as it is.
func (p *Path) Settle(ctx context.Context, sc lukasa.Scope, node lukasa.Node, created []lukasa.Memory) {
	if p.Judge == nil {
		return
	}
	for _, m := range created {
		if !isOpen(m) {
			continue
		}
		if err := p.settle(ctx, sc, node, m); err != nil {
			p.Log.WarnContext(ctx, "judge a memory", "memory", m.ID, "err", err)
		}
	}
}

// isOpen reports whether a memory is in force, or a candidate.
func isOpen(m lukasa.Memory) bool {
	return m.IsLatest && m.State == "" || m.State == lukasa.MemoryCandidate && m.RetiredBy == ""
}

// settle is [Path.Settle] for one memory.
func (p *Path) settle(ctx context.Context, sc lukasa.Scope, node lukasa.Node, m lukasa.Memory) error {
	near, err := p.nearest(ctx, sc, node, m)
	if err != nil || len(near) == 0 {
		return err
	}
	older := make([]reader.Statement, len(near))
	for i, o := range near {
		older[i] = statementOf(o)
	}
	relations, err := p.Judge.Relations(older, statementOf(m))
	if err != nil {
		return err
	}
	levels, err := p.Judge.Levels()
	if err != nil {
		return err
	}
	var gone []lukasa.Memory
	for i, r := range relations {
		if r.Gone() >= levels.Replace {
			near[i].Reason = fmt.Sprintf("%s (%.2f)", merge.ReasonChanged, r.Gone())
			gone = append(gone, near[i])
		}
	}
	if len(gone) == 0 {
		return nil
	}
	var out Outcome
	err = p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		out, err = p.replace(tx, sc, node, m.ID, gone)
		return err
	})
	if err == nil {
		p.Announce(sc, node, out)
	}
	return err
}

// replace lets the memory id take the place of others, as far as all of them are as they were when they were compared.
func (p *Path) replace(tx store.Tx, sc lukasa.Scope, node lukasa.Node, id lukasa.ID, gone []lukasa.Memory) (out Outcome, err error) {
	w := &writer{tx: tx, node: node, now: p.now(), space: p.Embed.Space().ID, out: &out}
	by, err := tx.Memory(id)
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

// nearest returns the memories in force that m may take the place of: said before it, not less trusted, of the same slot or near in
// meaning, the nearest first.
func (p *Path) nearest(ctx context.Context, sc lukasa.Scope, node lukasa.Node, m lukasa.Memory) ([]lukasa.Memory, error) {
	var list []lukasa.Memory
	err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		if list, err = r.Rivals(store.Claim{Node: node.ID}); err != nil {
			return err
		}
		candidates, err := r.Memories(lukasa.MemoryFilter{
			Containers: []lukasa.Pattern{{Path: node.Path, Mode: '!'}}, State: new(lukasa.MemoryCandidate),
		}, lukasa.Page{Limit: maxCandidates, Uncounted: true})
		list = append(list, candidates.Items...)
		return err
	})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(o lukasa.Memory) bool {
		return o.ID == m.ID || !isOpen(o) || o.Kind == lukasa.KindEpisode && m.Kind == lukasa.KindEpisode || !merge.May(&o, &m) || sameSource(o, m)
	})
	if len(list) == 0 {
		return nil, nil
	}
	texts := []string{statementOf(m).Text}
	for _, o := range list {
		texts = append(texts, statementOf(o).Text)
	}
	vectors, err := p.Embed.Embed(ctx, texts[:1])
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

// sameSource reports whether two memories rest on the same text: what is said in one breath is no correction of itself.
func sameSource(a, b lukasa.Memory) bool {
	return len(a.Sources) > 0 && len(b.Sources) > 0 && a.Sources[0].Message == b.Sources[0].Message && a.Sources[0].Document == b.Sources[0].Document
}
