package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The settings of a user that this room reads, and writes where a user is in the trash.
const (
	SettingDeleted   = "deleted_at" // RFC 3339; who has it is refused
	SettingDeletedBy = "deleted_by"
	SettingPurge     = "purge_at"
	SettingLimits    = "limits"         // {"files", "storage", "sessions", "requests"}
	SettingRetention = "retention_days" // records older than this many days are deleted
)

// BuryUser refuses a user's keys and hides everything of theirs, until Unbury or for as long as the trash is kept.
func (p *Path) BuryUser(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.User, error) {
	now, there := p.now(), false
	u, err := p.Store.ChangeUser(ctx, id, func(u *lukasa.User) error {
		if there = u.Settings[SettingDeleted] != nil; !there {
			u.Settings = with(u.Settings, map[string]any{
				SettingDeleted: now.Format(time.RFC3339), SettingDeletedBy: string(sc.Principal), SettingPurge: now.Add(p.opt.Keep).Format(time.RFC3339),
			})
		}
		return nil
	})
	if err != nil || there {
		return u, err
	}
	p.Note(ctx, sc, "user.bury", string(id), map[string]any{SettingPurge: u.Settings[SettingPurge]})
	return u, nil
}

// UnburyUser takes a user out of the trash.
func (p *Path) UnburyUser(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.User, error) {
	u, err := p.Store.ChangeUser(ctx, id, func(u *lukasa.User) error {
		if u.Settings[SettingDeleted] == nil {
			return lukasa.NotFound("user in the trash", id)
		}
		u.Settings = with(u.Settings, map[string]any{SettingDeleted: nil, SettingDeletedBy: nil, SettingPurge: nil})
		return nil
	})
	if err != nil {
		return u, err
	}
	p.Note(ctx, sc, "user.restore", string(id), nil)
	return u, nil
}

// BuriedUser says where a user in the trash is.
func BuriedUser(u lukasa.User) Buried {
	b := Buried{ID: u.ID, Type: "user", Label: u.Name}
	b.At, _ = timeOf(u.Settings[SettingDeleted])
	b.Until, _ = timeOf(u.Settings[SettingPurge])
	return b
}

// with merges settings; nil takes one away.
func with(settings, more map[string]any) map[string]any {
	out := maps.Clone(settings)
	if out == nil {
		out = map[string]any{}
	}
	for k, v := range more {
		if v == nil {
			delete(out, k)
			continue
		}
		out[k] = v
	}
	return out
}

// ChangeUser merges settings into a user's.
func (p *Path) ChangeUser(ctx context.Context, sc lukasa.Scope, id lukasa.ID, settings map[string]any) (lukasa.User, error) {
	for _, k := range []string{SettingDeleted, SettingDeletedBy, SettingPurge} {
		if _, ok := settings[k]; ok {
			return lukasa.User{}, lukasa.Invalid("settings."+k, "is not set by hand: delete or restore the user")
		}
	}
	if err := checkSettings(settings); err != nil {
		return lukasa.User{}, err
	}
	u, err := p.Store.ChangeUser(ctx, id, func(u *lukasa.User) error {
		u.Settings = with(u.Settings, settings)
		return nil
	})
	if err != nil {
		return u, err
	}
	p.forgetUsage(id)
	p.Note(ctx, sc, "user.update", string(id), map[string]any{"settings": settings})
	return u, nil
}

// DeleteUser removes a user, everything of theirs and the key that seals their files, for good. The receipt belongs to who asked:
// the user's own audit log goes too. Who holds much goes in parts, as a container does.
func (p *Path) DeleteUser(ctx context.Context, sc lukasa.Scope, id lukasa.ID, why string) (Deletion, error) {
	r := Deletion{
		ID: p.Mint.ID(PrefixReceipt), Owner: sc.Owner, Action: "user.delete", Resource: id, Actor: sc.Principal, Why: why, At: p.now(),
		Scrub: Scrub{State: ScrubPending},
	}
	if id.Prefix() == store.PrefixOrganisation {
		r.Action = "organisation.delete"
	}
	if _, err := p.Store.User(ctx, id); err != nil {
		return r, err
	}
	before, parts, err := p.clearUser(ctx, id, r)
	if r.Parts = parts; err != nil {
		return r, err
	}
	texts, err := p.textsOf(ctx, id)
	if err != nil {
		return r, err
	}
	p.pend(r, texts, nil)
	p.going(r.ID, true)
	undo := func(err error) (Deletion, error) {
		p.mu.Lock()
		delete(p.pending, r.ID)
		p.mu.Unlock()
		return r, err
	}
	if err := p.Store.Update(ctx, scopeOf(sc.Owner), func(tx store.Tx) error { return p.leave(tx, sc.Owner, r) }); err != nil {
		return undo(err)
	}
	if err := p.dropReceipts(ctx, id); err != nil {
		return undo(err)
	}
	gone, blobs, err := p.Store.DeleteUser(ctx, id)
	if err != nil {
		return undo(err)
	}
	r.Removed = gone
	r.Removed.Count(before)
	p.mu.Lock()
	p.pending[r.ID].receipt, p.pending[r.ID].blobs, p.pending[r.ID].going = r, blobs, false
	p.mu.Unlock()
	p.dropBlobs(ctx, blobs)
	p.Index.Rebuild(id, "")
	p.forgetUsage(id)
	return r, p.keep(context.WithoutCancel(ctx), r)
}

// clearUser is clear for all that a user holds. The parts of a deletion that ended before they were told are told now, while the user's queue is there.
func (p *Path) clearUser(ctx context.Context, id lukasa.ID, whole Deletion) (gone lukasa.Removal, parts []lukasa.ID, err error) {
	var root lukasa.Node
	err = p.Store.View(ctx, scopeOf(id), func(r store.Reader) (err error) {
		root, err = r.NodeAt("")
		return err
	})
	if lukasa.CodeOf(err) == lukasa.CodeNotFound { // nothing was ever kept
		return gone, nil, nil
	}
	if err == nil {
		gone, parts, err = p.clear(ctx, scopeOf(id), root.ID, whole)
	}
	if err != nil {
		return gone, parts, err
	}
	jobs, err := p.Store.Queue(ctx, id, math.MaxInt32)
	for _, j := range jobs {
		if err != nil || j.Kind != JobScrub {
			continue
		}
		if r, e := deletionOf(j); e == nil && r.Owner != id {
			err = p.tell(ctx, id, r)
		}
	}
	return gone, parts, err
}

func (p *Path) going(id lukasa.ID, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending[id].going = on
}

// textsOf takes a sample of what a user's records say.
func (p *Path) textsOf(ctx context.Context, owner lukasa.ID) ([]string, error) {
	const most = 60
	nodes, err := p.nodes(ctx, owner)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, n := range spread(nodes, most) {
		k := 0
		err := p.Store.Partition(ctx, "", owner, n, func(e lukasa.Entry) bool {
			texts = append(texts, e.Text)
			k++
			return k < most/min(most, len(nodes))
		})
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// dropReceipts forgets the finished receipts of an owner, whose audit log goes with the owner.
func (p *Path) dropReceipts(ctx context.Context, owner lukasa.ID) error {
	for _, kind := range kindsOfReceipts() {
		page := lukasa.Page{Limit: 100, Uncounted: true}
		for {
			l, err := p.Store.AuditLog(ctx, owner, kind+".delete", page)
			if err != nil {
				return err
			}
			for _, a := range l.Items {
				if r, ok := receiptOf(a); ok {
					if err := p.Store.SetSetting(ctx, settingOf(r.ID), ""); err != nil {
						return err
					}
				}
			}
			if page.Cursor = l.Next; l.Next == "" {
				break
			}
		}
	}
	return nil
}

// ageUsers removes users for good whose time in the trash is over.
func (p *Path) ageUsers(ctx context.Context) (int, error) {
	users, err := p.Store.Users(ctx)
	n := 0
	for _, u := range users {
		at, ok := timeOf(u.Settings[SettingPurge])
		if err != nil || !ok || p.now().Before(at) {
			continue
		}
		by, _ := u.Settings[SettingDeletedBy].(string)
		sc := lukasa.Scope{Owner: lukasa.ID(by), Principal: lukasa.ID(by), Role: lukasa.RoleAdmin}
		if _, gone := p.Store.User(ctx, sc.Owner); gone != nil { // who asked is gone too: any admin keeps the receipt
			for _, other := range users {
				if other.Role == lukasa.RoleAdmin && other.ID != u.ID {
					sc.Owner, sc.Principal = other.ID, other.ID
					break
				}
			}
		}
		if _, err = p.DeleteUser(ctx, sc, u.ID, ByTrash); err == nil {
			n++
		}
	}
	return n, err
}

func timeOf(v any) (time.Time, bool) {
	s, ok := v.(string)
	if !ok {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, s)
	return t, err == nil
}

// checkSettings holds the settings that mean something to their shapes.
func checkSettings(settings map[string]any) error {
	if v, ok := settings[SettingLimits]; ok && v != nil {
		if _, err := limitsOf(map[string]any{SettingLimits: v}, Limits{}); err != nil {
			return err
		}
	}
	if v, ok := settings[SettingRetention]; ok && v != nil {
		if n, ok := number(v); !ok || n < 1 || n > 36500 {
			return lukasa.Invalid("settings."+SettingRetention, "is not a number of days between 1 and 36500")
		}
	}
	return nil
}

// number reads a whole number as JSON, or a program, gives it.
func number(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case float64:
		return int64(n), n == float64(int64(n))
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	}
	return 0, false
}

// Retain deletes what is older than its owner's limit of days, and returns how many records went.
func (p *Path) Retain(ctx context.Context) (int, error) {
	users, err := p.Store.Users(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, u := range users {
		days, ok := number(u.Settings[SettingRetention])
		if !ok || days < 1 {
			continue
		}
		k, err := p.retain(ctx, scopeOf(u.ID), p.now().AddDate(0, 0, -int(days)))
		n += k
		if err != nil {
			return n, fmt.Errorf("keep to the limit of days of %s: %w", u.ID, err)
		}
	}
	return n, nil
}

// retain deletes what was kept before the time: documents with all versions, stretches of conversations that are over, memories.
func (p *Path) retain(ctx context.Context, sc lukasa.Scope, before time.Time) (int, error) {
	due, err := p.overdue(ctx, sc, before)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, id := range due {
		_, err := p.remove(ctx, sc, id, "", ByRetention)
		switch lukasa.CodeOf(err) {
		case "":
			n++
		case lukasa.CodeNotFound: // it went along with another
		default:
			return n, err
		}
	}
	return n, nil
}

func (p *Path) overdue(ctx context.Context, sc lukasa.Scope, before time.Time) (due []lukasa.ID, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		due = nil
		page := lukasa.Page{Limit: 100, Uncounted: true}
		f := lukasa.DocumentFilter{CreatedUntil: &before, AllVersions: true, Conversation: true, OldestFirst: true}
		for {
			l, err := r.Documents(f, page)
			if err != nil {
				return err
			}
			for _, d := range l.Items {
				if g, err := r.Segment(d.ID); err == nil && (g.State == lukasa.SegmentOpen || g.FinalizedAt == nil || !g.FinalizedAt.Before(before)) {
					continue // it goes on, or has just ended
				} else if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
					return err
				}
				due = append(due, d.ID)
			}
			if page.Cursor = l.Next; l.Next == "" {
				break
			}
		}
		page = lukasa.Page{Limit: 100, Uncounted: true}
		for {
			l, err := r.Memories(lukasa.MemoryFilter{}, page)
			if err != nil {
				return err
			}
			for _, m := range l.Items {
				if m.RecordedAt.Before(before) {
					due = append(due, m.ID)
				}
			}
			if page.Cursor = l.Next; l.Next == "" {
				return nil
			}
		}
	})
	return due, err
}
