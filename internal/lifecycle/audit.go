package lifecycle

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Act is a line of the audit log.
type Act = store.Audit

type addressKey struct{}

// WithAddress notes where a request came from, for the audit log.
func WithAddress(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// Address returns what [WithAddress] noted: "" for the work of this process itself.
func Address(ctx context.Context) string {
	s, _ := ctx.Value(addressKey{}).(string)
	return s
}

// Note writes a security-relevant act of the scope's principal. An act is done when it is noted: a log that cannot be written
// is said in the other log, and does not undo it.
func (p *Path) Note(ctx context.Context, sc lukasa.Scope, action, resource string, details map[string]any) {
	if sc.Key != "" {
		details = with(details, map[string]any{"key": string(sc.Key)})
	}
	err := p.Store.Audit(context.WithoutCancel(ctx), Act{
		Owner: sc.Owner, Actor: sc.Principal, Action: action, Resource: resource, Details: details, Address: Address(ctx), At: p.now(),
	})
	if err != nil && !errors.Is(err, store.ErrGone) { // whose log went with them
		p.Log.ErrorContext(ctx, "write audit log", "action", action, "resource", resource, "err", err)
	}
}

// Acts lists what was done: an owner's own, or for an admin those of anyone ("" for all). Of what users did to records of their own
// an admin sees the act and never the content: the log holds none.
func (p *Path) Acts(ctx context.Context, sc lukasa.Scope, owner lukasa.ID, all bool, action string, page lukasa.Page) (lukasa.Listing[Act], error) {
	none := lukasa.Listing[Act]{Items: []Act{}}
	if sc.Owner == "" {
		return none, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	if sc.Root != "" {
		return none, lukasa.Errorf(lukasa.CodeForbidden, "a key that is bound to a container cannot read the audit log")
	}
	switch {
	case all, owner != "" && owner != sc.Owner:
		if err := sc.CanAdmin(); err != nil {
			return none, err
		}
	case owner == "":
		owner = sc.Owner
	}
	return p.Store.AuditLog(ctx, owner, action, page)
}

// refusals keeps a flood of wrong keys from filling the audit log: one line a minute and address, with a count.
type refusals struct {
	mu   sync.Mutex
	last map[string]*refusal
}

type refusal struct {
	at    time.Time
	count int
}

const (
	refusalEvery = time.Minute
	maxRefusals  = 10_000 // addresses that are kept apart
)

// due counts a refusal, and returns how many there were since the last line if another one is due.
func (r *refusals) due(address string, now time.Time) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || len(r.last) > maxRefusals {
		r.last = map[string]*refusal{}
	}
	x := r.last[address]
	if x == nil {
		x = &refusal{}
		r.last[address] = x
	}
	x.count++
	if now.Sub(x.at) < refusalEvery {
		return 0, false
	}
	n := x.count
	x.at, x.count = now, 0
	return n, true
}

// NoteRefusal writes that a credential was refused. Whose it was meant to be is not known.
func (p *Path) NoteRefusal(ctx context.Context, err error) {
	if lukasa.CodeOf(err) != lukasa.CodeUnauthenticated {
		return
	}
	if n, due := p.refused.due(Address(ctx), p.now()); due {
		p.Note(ctx, lukasa.Scope{}, "auth.failed", "", map[string]any{"reason": err.Error(), "attempts": n})
	}
}
