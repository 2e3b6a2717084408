package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Limits are what one user may have. 0 means no limit. Admins, and keys without limits, are not held to them.
type Limits struct {
	Files    int   `json:"files"`    // documents, in all versions, and stretches of conversations
	Storage  int64 `json:"storage"`  // bytes of texts and sealed files
	Sessions int   `json:"sessions"` // conversations with a message within the last hour
	Requests int   `json:"requests"` // a minute, over all keys
}

// UserUsage is what a user has, and may have.
type UserUsage struct {
	Files     int    `json:"files"`
	Storage   int64  `json:"storage"`
	Sessions  int    `json:"sessions"`
	Limits    Limits `json:"limits"`
	Retention int64  `json:"retention_days,omitempty"`
}

// usage is what is known of an owner's rows, counted from time to time and added to meanwhile.
type usage struct {
	files  int
	bytes  int64
	at     time.Time
	limits Limits
}

const (
	usageAge    = 30 * time.Second
	sessionTime = time.Hour // the time in which a conversation counts as being held
)

// limitsOf reads a user's own limits over those of all.
func limitsOf(settings map[string]any, all Limits) (Limits, error) {
	m, ok := settings[SettingLimits].(map[string]any)
	if settings[SettingLimits] != nil && !ok {
		return all, lukasa.Invalid("settings.limits", "is not an object")
	}
	for k, v := range m {
		n, ok := number(v)
		if !ok || n < 0 {
			return all, lukasa.Invalid("settings.limits."+k, "is not a whole number; 0 means no limit")
		}
		switch k {
		case "files":
			all.Files = int(n)
		case "storage":
			all.Storage = n
		case "sessions":
			all.Sessions = int(n)
		case "requests":
			all.Requests = int(n)
		default:
			return all, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "settings.limits." + k, Msg: "is no limit", Hint: "there are files, storage, sessions and requests"}
		}
	}
	return all, nil
}

// counted returns an owner's usage, counted anew where it is old, or near a limit.
func (p *Path) counted(ctx context.Context, owner lukasa.ID, files int, bytes int64) (usage, error) {
	p.mu.Lock()
	u, ok := p.usage[owner]
	p.mu.Unlock()
	near := u.limits.Files > 0 && u.files+files > u.limits.Files || u.limits.Storage > 0 && u.bytes+bytes > u.limits.Storage
	if ok && !near && p.now().Sub(u.at) < usageAge {
		return u, nil
	}
	who, err := p.Store.User(ctx, owner)
	if err != nil {
		return u, err
	}
	u = usage{at: p.now()}
	if u.limits, err = limitsOf(who.Settings, p.opt.Limits); err != nil {
		p.Log.WarnContext(ctx, "read limits", "user", owner, "err", err)
	}
	if u.files, u.bytes, err = p.Store.Usage(ctx, owner); err != nil {
		return u, err
	}
	p.mu.Lock()
	p.usage[owner] = u
	p.mu.Unlock()
	return u, nil
}

// spend adds to what is known of an owner's usage.
func (p *Path) spend(owner lukasa.ID, files int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u, ok := p.usage[owner]; ok {
		u.files, u.bytes = u.files+files, u.bytes+bytes
		p.usage[owner] = u
	}
}

func (p *Path) forgetUsage(owner lukasa.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.usage, owner)
}

// limited reports whether limits hold for a scope.
func limited(sc lukasa.Scope) bool {
	return !sc.Unlimited && sc.Role != lukasa.RoleAdmin && sc.Owner != ""
}

// Room returns an error where a user has no room for more documents or bytes, and else counts them as taken.
func (p *Path) Room(ctx context.Context, sc lukasa.Scope, files int, bytes int64) error {
	if !limited(sc) {
		return nil
	}
	u, err := p.counted(ctx, sc.Owner, files, bytes)
	if err != nil {
		return err
	}
	switch l := u.limits; {
	case l.Files > 0 && files > 0 && u.files+files > l.Files:
		return &lukasa.Error{
			Code: lukasa.CodeTooLarge, Field: "files", Msg: fmt.Sprintf("this user has %d of %d files", u.files, l.Files),
			Hint: "delete some, or let an admin raise the limit (settings.limits.files)",
		}
	case l.Storage > 0 && bytes > 0 && u.bytes+bytes > l.Storage:
		return &lukasa.Error{
			Code: lukasa.CodeTooLarge, Field: "storage", Msg: fmt.Sprintf("this user has %d of %d bytes, and this takes %d", u.bytes, l.Storage, bytes),
			Hint: "delete some, or let an admin raise the limit (settings.limits.storage)",
		}
	}
	p.spend(sc.Owner, files, bytes)
	return nil
}

// Session returns an error where a user holds as many conversations as may be held at a time, and this is another one.
func (p *Path) Session(ctx context.Context, sc lukasa.Scope, path lukasa.Path, conversation string) error {
	if !limited(sc) {
		return nil
	}
	u, err := p.counted(ctx, sc.Owner, 0, 0)
	if err != nil || u.limits.Sessions == 0 {
		return err
	}
	held, oldest, err := p.sessions(ctx, sc.Owner, u.limits.Sessions, func(c lukasa.Conversation) bool { return c.Path == path && c.ExternalID == conversation })
	if err != nil || held < u.limits.Sessions {
		return err
	}
	return &lukasa.Error{
		Code: lukasa.CodeLimited, Field: "conversation", Msg: fmt.Sprintf("this user holds %d conversations at once, as many as allowed", held),
		RetryAfter: max(time.Second, oldest.Add(sessionTime).Sub(p.now())),
		Hint:       "end one, or let an admin raise the limit (settings.limits.sessions)",
	}
}

// sessions counts the conversations that are being held, up to most, and returns when the one that has been silent longest
// was last heard. 0 where one of them is the one that is meant.
func (p *Path) sessions(ctx context.Context, owner lukasa.ID, most int, meant func(lukasa.Conversation) bool) (n int, oldest time.Time, err error) {
	err = p.Store.View(ctx, scopeOf(owner), func(r store.Reader) error {
		n = 0
		page := lukasa.Page{Limit: min(100, most+1)}
		for {
			l, err := r.Conversations(nil, page)
			if err != nil {
				return err
			}
			for _, c := range l.Items {
				if p.now().Sub(c.UpdatedAt) > sessionTime {
					return nil
				}
				if meant != nil && meant(c) {
					n = 0
					return nil
				}
				if c.Document != "" {
					n, oldest = n+1, c.UpdatedAt
				}
			}
			if page.Cursor = l.Next; l.Next == "" || n >= 10*most+100 {
				return nil
			}
		}
	})
	return n, oldest, err
}

// UsageOf returns what a user has, and may have.
func (p *Path) UsageOf(ctx context.Context, owner lukasa.ID) (UserUsage, error) {
	p.forgetUsage(owner)
	u, err := p.counted(ctx, owner, 0, 0)
	if err != nil {
		return UserUsage{}, err
	}
	out := UserUsage{Files: u.files, Storage: u.bytes, Limits: u.limits}
	who, err := p.Store.User(ctx, owner)
	if err != nil {
		return out, err
	}
	out.Retention, _ = number(who.Settings[SettingRetention])
	out.Sessions, _, err = p.sessions(ctx, owner, max(100, u.limits.Sessions), nil)
	return out, err
}

// Spare gives back what [Path.Room] counted as taken and was not.
func (p *Path) Spare(sc lukasa.Scope, files int, bytes int64) {
	if limited(sc) {
		p.spend(sc.Owner, -files, -bytes)
	}
}

// RequestsOf returns how many requests a minute a user with these settings may make.
func RequestsOf(settings map[string]any, all Limits) int {
	l, err := limitsOf(settings, all)
	if err != nil {
		return all.Requests
	}
	return l.Requests
}
