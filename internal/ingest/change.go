package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// AddMemory keeps one statement as it is given.
func (p *Path) AddMemory(ctx context.Context, sc lukasa.Scope, in lukasa.NewMemory) (lukasa.Memory, error) {
	if err := sc.CanWrite(); err != nil {
		return lukasa.Memory{}, err
	}
	path, err := target(sc, in.Container)
	if err != nil {
		return lukasa.Memory{}, err
	}
	return p.keepMemory(ctx, sc, p.Mint.ID(lukasa.PrefixMemory), lukasa.OriginUser, path, in)
}

// keepMemory keeps a statement under an id.
func (p *Path) keepMemory(ctx context.Context, sc lukasa.Scope, id lukasa.ID, origin lukasa.Origin, path lukasa.Path, in lukasa.NewMemory) (lukasa.Memory, error) {
	now := p.now()
	if in.Updates != "" {
		if _, err := lukasa.ParseID(lukasa.PrefixMemory, string(in.Updates)); err != nil {
			return lukasa.Memory{}, err
		}
	}
	m := lukasa.Memory{
		ID: id, Kind: in.Kind, Content: in.Content, Confidence: 1, Metadata: in.Metadata,
		Sources: []lukasa.Source{}, Origin: origin, IsLatest: true, OccurredAt: in.OccurredAt, RecordedAt: now, UpdatedAt: now,
		ForgetAfter: in.ForgetAfter,
	}
	err := p.checkMemory(&m, in, now)
	if err != nil {
		return m, err
	}
	var vectors []store.Vector
	if p.Embed.Space().Local {
		if v, err := p.Embed.Embed(ctx, []string{m.Content}); err == nil {
			vectors = []store.Vector{{Entry: m.ID, Type: lukasa.EntryMemory, Vector: v[0]}}
		}
	}
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		if in.Updates == "" || in.Container != "" {
			node, _, err := EnsureNode(tx, p.Mint, lukasa.NewNode{Path: path})
			if err != nil {
				return err
			}
			m.Node, m.Path = node.ID, node.Path
		}
		if err := p.putCorrection(tx, sc, &m, in); err != nil {
			return err
		}
		if len(vectors) == 0 {
			return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, m.ID))
		}
		return tx.PutVectors(p.Embed.Space().ID, vectors)
	})
	if err == nil {
		p.notify(sc, lukasa.EventMemoryCreated, m.Node, m.Path, m.ID, map[string]any{"kind": m.Kind})
	}
	return m, err
}

// putCorrection writes a memory, in the place of the one that it corrects if it names one: that one stays, no longer latest.
func (p *Path) putCorrection(tx store.Tx, sc lukasa.Scope, m *lukasa.Memory, in lukasa.NewMemory) error {
	tx.Because(string(sc.Principal), in.Reason)
	m.Key = store.MemoryKey(*m)
	if in.Updates == "" {
		return tx.PutMemory(*m)
	}
	old, err := tx.Memory(in.Updates)
	if err != nil {
		return err
	}
	if !old.IsLatest {
		return &lukasa.Error{
			Code: lukasa.CodeConflict, Field: "updates", Msg: fmt.Sprintf("%s is not the latest any more", old.ID),
			Hint: "correct " + string(old.RetiredBy) + ", which took its place",
		}
	}
	if in.Container != "" && old.Node != m.Node {
		return lukasa.Invalid("container", "a correction stays in the container of what it corrects")
	}
	m.Node, m.Path, m.Slot, m.Subject, m.Entities = old.Node, old.Path, old.Slot, old.Subject, old.Entities
	if in.Kind == "" {
		m.Kind = old.Kind
	}
	m.Key = store.MemoryKey(*m)
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
	m.Metadata = mergeMetadata(m.Metadata, nil)
	m.Tags, _ = mergeTags(nil, in.Tags)
	if in.Confidence != nil {
		m.Confidence = *in.Confidence
	}
	switch {
	case text.Blank(m.Content):
		return lukasa.Invalid("content", "is empty")
	case utf8.RuneCountInString(m.Content) > maxStatement:
		return &lukasa.Error{
			Code: lukasa.CodeTooLarge, Field: "content", Msg: "is over the limit of " + text.Thousands(maxStatement) + " characters",
			Hint: "a memory is one statement; save longer text as a document",
		}
	case !m.Kind.Valid():
		return lukasa.Invalid("kind", "is not one of fact, preference, episode, insight, task, decision, milestone, event, turning_point")
	case !(m.Confidence >= 0 && m.Confidence <= 1):
		return lukasa.Invalid("confidence", "is not between 0 and 1")
	case m.ForgetAfter != nil && !m.ForgetAfter.After(now):
		return lukasa.Invalid("forget_after", "lies in the past")
	}
	return checkTags(in.Tags)
}

const maxStatement = 10_000

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
		m.Metadata = mergeMetadata(m.Metadata, in.Metadata)
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
		p.notify(sc, lukasa.EventMemoryUpdated, m.Node, m.Path, m.ID, nil)
	}
	return m, err
}

// PatchDocument changes what is not content.
func (p *Path) PatchDocument(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in lukasa.DocumentPatch) (lukasa.Document, error) {
	var d lukasa.Document
	if err := sc.CanWrite(); err != nil {
		return d, err
	}
	now := p.now()
	switch {
	case in.Title != nil && (text.Blank(*in.Title) || utf8.RuneCountInString(*in.Title) > maxTitle):
		return d, lukasa.Invalid("title", "is empty or over %d characters", maxTitle)
	case in.ForgetAfter != nil && !in.ForgetAfter.After(now):
		return d, lukasa.Invalid("forget_after", "lies in the past")
	case in.Tags != nil:
		if err := checkTags(*in.Tags); err != nil {
			return d, err
		}
	}
	err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		if d, err = tx.Document(id); err != nil {
			return err
		}
		if in.Title != nil {
			d.Title = *in.Title
		}
		if in.Tags != nil {
			d.Tags, _ = mergeTags(nil, *in.Tags)
		}
		if in.ForgetAfter != nil || in.ClearForget {
			d.ForgetAfter = in.ForgetAfter
		}
		d.Metadata = mergeMetadata(d.Metadata, in.Metadata)
		d.UpdatedAt = now
		if err := tx.PutDocument(d); err != nil || in.Title == nil || d.Status != lukasa.StatusDone {
			return err
		}
		return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, id)) // title and summary have one vector
	})
	if err == nil {
		p.notify(sc, lukasa.EventDocumentUpdated, d.Node, d.Path, id, nil)
	}
	return d, err
}

// DropBlobs deletes blobs that no row refers to any more. What cannot be deleted now is an orphan, swept later.
func (p *Path) DropBlobs(ctx context.Context, keys []string) {
	for _, k := range keys {
		owner, key, _ := strings.Cut(k, "/")
		if err := p.Vault.Delete(context.WithoutCancel(ctx), owner, key); err != nil {
			p.Log.WarnContext(ctx, "delete blob", "key", k, "err", err)
		}
	}
}

func mergeMetadata(into, from map[string]any) map[string]any {
	if into == nil {
		into = map[string]any{}
	}
	for k, v := range from {
		if v == nil {
			delete(into, k)
		} else {
			into[k] = v
		}
	}
	return into
}

// RestoreMemory puts back a memory that an export carried, under its own id, and says whether it was new here.
func (p *Path) RestoreMemory(ctx context.Context, sc lukasa.Scope, m lukasa.Memory) (bool, error) {
	path, err := target(sc, string(m.Path))
	if err != nil {
		return false, err
	}
	if _, err := lukasa.ParseID(lukasa.PrefixMemory, string(m.ID)); err != nil {
		return false, err
	}
	if !m.Kind.Valid() || text.Blank(m.Content) {
		return false, lukasa.Invalid("memory", "has no content or an unknown kind")
	}
	fresh := false
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		fresh = false
		if _, err := tx.Memory(m.ID); err == nil || lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return err
		}
		node, _, err := EnsureNode(tx, p.Mint, lukasa.NewNode{Path: path})
		if err != nil {
			return err
		}
		m.Node, m.Path, fresh, m.Key = node.ID, node.Path, true, store.MemoryKey(m)
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
