package learn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// AddMemory keeps one statement as it is given. Where one in force of the same container says it already, in the same words but for case, spaces and the
// full stop, of the same kind and with the same date, that one is answered as deduplicated, with the tags and metadata of both. It takes the place of what
// it contradicts in its container, where the rules read all of it as one value of one slot.
func (p *Path) AddMemory(ctx context.Context, sc lukasa.Scope, in lukasa.NewMemory) (lukasa.Memory, error) {
	if err := sc.CanWrite(); err != nil {
		return lukasa.Memory{}, err
	}
	path, err := store.Target(sc, in.Container)
	if err != nil {
		return lukasa.Memory{}, err
	}
	return p.keepMemory(ctx, sc, p.Mint.ID(lukasa.PrefixMemory), lukasa.OriginUser, path, in, in.Updates == "")
}

// KeepMemory keeps a statement in a container, under an id, whatever is there.
func (p *Path) KeepMemory(ctx context.Context, sc lukasa.Scope, id lukasa.ID, origin lukasa.Origin, path lukasa.Path, in lukasa.NewMemory) (lukasa.Memory, error) {
	return p.keepMemory(ctx, sc, id, origin, path, in, false)
}

func (p *Path) keepMemory(ctx context.Context, sc lukasa.Scope, id lukasa.ID, origin lukasa.Origin, path lukasa.Path, in lukasa.NewMemory, once bool) (m lukasa.Memory, err error) {
	now := p.now()
	if in.Updates != "" {
		if _, err := lukasa.ParseID(lukasa.PrefixMemory, string(in.Updates)); err != nil {
			return m, err
		}
	}
	fresh := lukasa.Memory{
		ID: id, Kind: in.Kind, Content: in.Content, Confidence: 1, Metadata: in.Metadata,
		Sources: []lukasa.Source{}, Origin: origin, IsLatest: true, OccurredAt: in.OccurredAt, RecordedAt: now, UpdatedAt: now,
		ForgetAfter: in.ForgetAfter,
	}
	if err := p.checkMemory(&fresh, in, now); err != nil {
		return fresh, err
	}
	var vectors []store.Vector
	if p.Embed.Space().Local {
		if v, err := p.Embed.Embed(ctx, []string{fresh.Content}); err == nil {
			vectors = []store.Vector{{Entry: id, Type: lukasa.EntryMemory, Vector: v[0]}}
		}
	}
	who := lexis.Entities(fresh.Content)
	for _, e := range who {
		fresh.Entities = append(fresh.Entities, e.Name)
	}
	read := fresh
	if once {
		read = p.understand(ctx, sc, fresh)
	}
	changed := false
	var out Outcome
	err = p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		m, out = fresh, Outcome{}
		if in.Updates == "" || in.Container != "" {
			node, _, err := store.EnsureNode(tx, p.Mint, lukasa.NewNode{Path: path})
			if err != nil {
				return err
			}
			m.Node, m.Path = node.ID, node.Path
		}
		as := []lukasa.Memory{m, read} // it may be there from before it was read
		for i := range as {
			if as[i].Node, as[i].Path = m.Node, m.Path; !once {
				continue
			}
			there, changes, err := p.sayAgain(tx, as[i], in)
			if changed = changes; err != nil || there.ID != "" {
				m = there
				return err
			}
		}
		put := func() error { return p.putCorrection(tx, sc, &m, in) }
		if err := p.contradict(tx, &m, as[1], &out, put); err != nil {
			return err
		}
		if err := p.mention(tx, sc.Owner, m, who); err != nil {
			return err
		}
		if once {
			if err := p.enqueueComparisons(tx, sc.Owner, []lukasa.Memory{m}); err != nil {
				return err
			}
		}
		if len(vectors) == 0 {
			return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, m.ID))
		}
		return tx.PutVectors(p.Embed.Space().ID, vectors)
	})
	switch {
	case err != nil:
	case !m.Deduplicated:
		p.tell(sc, lukasa.EventMemoryCreated, m, map[string]any{"kind": m.Kind})
		for _, old := range out.Retired {
			p.tell(sc, lukasa.EventMemoryUpdated, lukasa.Memory{ID: old, Node: m.Node, Path: m.Path}, nil)
		}
	case changed:
		p.tell(sc, lukasa.EventMemoryUpdated, m, nil)
	}
	return m, err
}

// sayAgain finds the memory in force that says the same as one that is to be added, and adds to it what is new about it: its time of forgetting stays. The
// zero memory means that there is none.
func (p *Path) sayAgain(tx store.Tx, m lukasa.Memory, in lukasa.NewMemory) (there lukasa.Memory, changed bool, err error) {
	twins, err := tx.Rivals(store.Claim{Node: m.Node, Key: merge.KeyOf(m)})
	i := slices.IndexFunc(twins, func(o lukasa.Memory) bool {
		return o.State == "" && o.Subject == m.Subject && o.Kind == m.Kind && plainly(o.Content) == plainly(m.Content) && sameTime(o.OccurredAt, m.OccurredAt)
	})
	if err != nil || i < 0 {
		return there, false, err
	}
	there = twins[i]
	was := there
	there.Tags, _ = store.MergeTags(there.Tags, m.Tags)
	there.Metadata = store.MergeMetadata(maps.Clone(there.Metadata), in.Metadata)
	there.Confidence = max(there.Confidence, m.Confidence)
	if changed = len(there.Tags) > len(was.Tags) || there.Confidence > was.Confidence || !reflect.DeepEqual(there.Metadata, was.Metadata); changed {
		there.UpdatedAt = m.UpdatedAt
		tx.Because("", "said again")
		err = tx.PutMemory(there)
	}
	there.Deduplicated = true
	return there, changed, err
}

// plainly is a statement without case, double spaces and what ends a sentence.
func plainly(s string) string {
	return strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(s)), " "), ".!")
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// mention links a memory with those that it names: those that were found in it, and those of the memory that it corrects.
func (p *Path) mention(tx store.Tx, owner lukasa.ID, m lukasa.Memory, found []lexis.Entity) error {
	var d Drafts
	for _, e := range found {
		d.named = append(d.named, named{m.ID, e})
	}
	m.Entities = m.Entities[len(found):]
	return p.link(tx, owner, d, Outcome{Created: []lukasa.Memory{m}})
}

// job is one that is due at once.
func (p *Path) job(owner lukasa.ID, kind lukasa.JobKind, record lukasa.ID) lukasa.Job {
	now := p.now()
	return lukasa.Job{ID: p.Mint.ID(lukasa.PrefixJob), Owner: owner, Kind: kind, Record: record, MaxTries: 8, RunAt: now, Created: now}
}

// tell is the news of a memory.
func (p *Path) tell(sc lukasa.Scope, t lukasa.EventType, m lukasa.Memory, data map[string]any) {
	if p.Notify != nil {
		p.Notify(lukasa.Event{ID: p.Mint.ID(lukasa.PrefixEvent), Type: t, Owner: sc.Owner, Node: m.Node, Path: m.Path, Record: m.ID, Data: data, At: p.now()})
	}
}

// putCorrection writes a memory, in the place of the one that it corrects if it names one: that one stays, no longer latest.
func (p *Path) putCorrection(tx store.Tx, sc lukasa.Scope, m *lukasa.Memory, in lukasa.NewMemory) error {
	tx.Because(string(sc.Principal), in.Reason)
	m.Key = merge.KeyOf(*m)
	if in.Updates == "" {
		return tx.PutMemory(*m)
	}
	old, err := tx.Memory(in.Updates)
	if err != nil {
		return err
	}
	if !old.IsLatest {
		gone := &lukasa.Error{Code: lukasa.CodeConflict, Field: "updates", Msg: fmt.Sprintf("%s is not the latest any more", old.ID)}
		if by, err := tx.Memory(old.RetiredBy); err == nil { // or it is not for the caller to know
			gone.Hint = "correct " + string(by.ID) + ", which took its place"
		}
		return gone
	}
	if in.Container != "" && old.Node != m.Node {
		return lukasa.Invalid("container", "a correction stays in the container of what it corrects")
	}
	m.Node, m.Path, m.Slot, m.Subject = old.Node, old.Path, old.Slot, old.Subject
	for _, name := range old.Entities {
		if strings.Contains(strings.ToLower(m.Content), strings.ToLower(name)) && !slices.Contains(m.Entities, name) {
			m.Entities = append(m.Entities, name)
		}
	}
	if said, ok := old.Metadata[merge.KeyPredicate]; ok && m.Metadata[merge.KeyPredicate] == nil {
		m.Metadata = store.MergeMetadata(maps.Clone(m.Metadata), map[string]any{merge.KeyPredicate: said})
	}
	if in.Kind == "" {
		m.Kind = old.Kind
	}
	m.Key = merge.KeyOf(*m)
	if err := tx.PutMemory(*m); err != nil {
		return err
	}
	old.IsLatest, old.RetiredBy, old.RetiredAt, old.UpdatedAt = false, m.ID, &m.RecordedAt, m.RecordedAt
	if old.Reason = in.Reason; old.Reason == "" {
		old.Reason = "corrected"
	}
	if old.ValidTo == nil {
		old.ValidTo = &m.RecordedAt
	}
	if err := tx.PutMemory(old); err != nil {
		return err
	}
	return tx.PutEdges([]lukasa.Edge{{From: string(m.ID), To: string(old.ID), Type: lukasa.EdgeUpdates, Weight: 1, Confidence: 1}})
}

func (p *Path) checkMemory(m *lukasa.Memory, in lukasa.NewMemory, now time.Time) error {
	if m.Kind == "" {
		m.Kind = lukasa.KindFact
	}
	m.Metadata = store.MergeMetadata(m.Metadata, nil)
	m.Tags, _ = store.MergeTags(nil, in.Tags)
	if in.Confidence != nil {
		m.Confidence = *in.Confidence
	}
	switch {
	case text.Blank(m.Content):
		return lukasa.Invalid("content", "is empty")
	case utf8.RuneCountInString(m.Content) > store.MaxStatement:
		return &lukasa.Error{
			Code: lukasa.CodeTooLarge, Field: "content", Msg: "is over the limit of " + text.Thousands(store.MaxStatement) + " characters",
			Hint: "a memory is one statement; save longer text as a document",
		}
	case !m.Kind.Valid():
		return lukasa.Invalid("kind", "is not one of fact, preference, episode, insight, task, decision, milestone, event, turning_point")
	case !(m.Confidence >= 0 && m.Confidence <= 1):
		return lukasa.Invalid("confidence", "is not between 0 and 1")
	case m.ForgetAfter != nil && !m.ForgetAfter.After(now):
		return lukasa.Invalid("forget_after", "lies in the past")
	}
	return cmp.Or(store.CheckText("content", m.Content), store.CheckTags(in.Tags))
}

// PatchMemory changes a memory's descriptors.
func (p *Path) PatchMemory(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in lukasa.MemoryPatch) (lukasa.Memory, error) {
	var m lukasa.Memory
	if err := sc.CanWrite(); err != nil {
		return m, err
	}
	now := p.now()
	err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		if m, err = tx.Memory(id); err != nil {
			return err
		}
		if in.Kind != nil {
			m.Kind = *in.Kind
		}
		if in.Confidence != nil {
			m.Confidence = *in.Confidence
		}
		if in.Tags != nil {
			m.Tags = *in.Tags
		}
		if in.ForgetAfter != nil || in.ClearForget {
			m.ForgetAfter = in.ForgetAfter
		}
		if in.State != nil {
			if err := putAway(&m, *in.State); err != nil {
				return err
			}
		}
		m.Metadata = store.MergeMetadata(m.Metadata, in.Metadata)
		m.UpdatedAt = now
		nm := lukasa.NewMemory{Tags: m.Tags, Confidence: in.Confidence}
		keep := m.ForgetAfter
		if in.ForgetAfter == nil {
			m.ForgetAfter = nil // an old time that has passed is not this request's fault
		}
		if err := p.checkMemory(&m, nm, now); err != nil {
			return err
		}
		m.ForgetAfter = keep
		return tx.PutMemory(m)
	})
	if err == nil {
		p.tell(sc, lukasa.EventMemoryUpdated, m, nil)
	}
	return m, err
}

// putAway archives a memory, or takes it out again.
func putAway(m *lukasa.Memory, state string) error {
	switch {
	case state != lukasa.MemoryArchived && state != "active":
		return lukasa.Invalid("state", "%q is not one of active, archived", state)
	case m.Held():
		return &lukasa.Error{Code: lukasa.CodeConflict, Field: "state", Msg: "waits for a review: it is " + m.State, Hint: "release it first: POST /v1/memories/{id}/release, or lukasa release"}
	case state == "active":
		m.State = ""
	default:
		m.State = state
	}
	return nil
}

// RestoreMemory puts back a memory that an export carried, under its own id, and says whether it was new here. One that was deleted here by hand
// is [exports.ErrDeleted].
func (p *Path) RestoreMemory(ctx context.Context, sc lukasa.Scope, m lukasa.Memory) (bool, error) {
	path, err := store.Target(sc, string(m.Path))
	if err != nil {
		return false, err
	}
	if _, err := lukasa.ParseID(lukasa.PrefixMemory, string(m.ID)); err != nil {
		return false, err
	}
	if !m.Kind.Valid() || text.Blank(m.Content) {
		return false, lukasa.Invalid("memory", "has no content or an unknown kind")
	}
	gone, err := store.ForgottenOf(ctx, p.Store, store.OfMemory(sc.Owner, m.ID).Document)
	if err != nil {
		return false, err
	}
	fresh := false
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		fresh = false
		if _, err := tx.Memory(m.ID); err == nil || lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return err
		}
		if len(gone) > 0 {
			return exports.ErrDeleted
		}
		node, _, err := store.EnsureNode(tx, p.Mint, lukasa.NewNode{Path: path})
		if err != nil {
			return err
		}
		m.Node, m.Path, fresh, m.Key = node.ID, node.Path, true, merge.KeyOf(m)
		m.Sources = slices.DeleteFunc(m.Sources, func(s lukasa.Source) bool {
			if s.Message != "" {
				there, err := tx.MessagesByID([]lukasa.ID{s.Message})
				return err != nil || len(there) == 0
			}
			_, err := tx.Document(s.Document)
			return s.Document != "" && err != nil
		})
		if err := tx.PutMemory(m); err != nil {
			return err
		}
		return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, m.ID))
	})
	return fresh, err
}
