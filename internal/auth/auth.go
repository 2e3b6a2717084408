// Package auth turns a credential into a scope, keeps users, organisations and keys, and holds the request limits of each key.
//
// The scope comes from the credential alone. A key is kept only as a SHA-256 hash: keys are 256 random bits, so there is
// nothing that a slow hash would protect.
package auth

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/crypt"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Options tune the room.
type Options struct {
	PerMinute int // requests a minute and key; 0 or less lifts the limit
	Burst     int // 0 means 10
	// PerUser is how many requests a minute a user may make over all keys; nil, or 0 from it, lifts the limit. Admins are not held
	// to it.
	PerUser func(settings map[string]any) int
}

// Deps are what the room works with.
type Deps struct {
	Accounts store.Accounts
	Members  store.Members
	Grants   store.Grants // nil where no key stands for a persona or a third party
	Tree     interface {  // where personas stand and what is granted; nil as Grants
		View(ctx context.Context, sc lukasa.Scope, fn func(store.Reader) error) error
	}
	// Place makes a container that a key is to be bound to; one that is there already is no error.
	Place  func(ctx context.Context, sc lukasa.Scope, p lukasa.Path) error
	Master crypt.Key // wraps the data keys of new owners
	Mint   lukasa.Minter
	Rand   io.Reader
	Limits cache.Limiter // buckets that several processes share; nil: each counts by itself
}

// Auth is safe for concurrent use.
type Auth struct {
	Deps
	opt    Options
	mu     sync.Mutex
	limits map[lukasa.ID]*rate.Limiter
	used   map[lukasa.ID]time.Time // when last_used_at was last written
	users  map[lukasa.ID]*rate.Limiter

	listeners sync.WaitGroup
	watching  map[*watched]struct{}
	idle      chan struct{} // closed when watching becomes empty
	checked   time.Time     // when it was last known which of them still open something
}

// New makes the room.
func New(d Deps, o Options) *Auth {
	if o.Burst == 0 {
		o.Burst = 10
	}
	return &Auth{Deps: d, opt: o, limits: map[lukasa.ID]*rate.Limiter{}, used: map[lukasa.ID]time.Time{}, users: map[lukasa.ID]*rate.Limiter{}, watching: map[*watched]struct{}{}}
}

// errUnknownKey is the one answer to a key that is not known, revoked or expired.
func errUnknownKey(why string) error {
	return &lukasa.Error{Code: lukasa.CodeUnauthenticated, Msg: why, Hint: "send a valid key as `Authorization: Bearer sk_…`"}
}

// Scope looks a secret up. It asks the store each time, so that a revocation takes effect in the next call.
func (a *Auth) Scope(ctx context.Context, secret string) (lukasa.Scope, error) {
	if secret == "" {
		return lukasa.Scope{}, errUnknownKey("no key was sent")
	}
	hash := crypt.HashAPIKey(secret)
	k, u, err := a.Accounts.KeyByHash(ctx, hash[:])
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return lukasa.Scope{}, errUnknownKey("this key is not known")
	}
	if err != nil {
		return lukasa.Scope{}, err
	}
	now := a.Mint.Now()
	switch {
	case k.RevokedAt != nil:
		return lukasa.Scope{}, errUnknownKey("this key has been revoked")
	case k.ExpiresAt != nil && !k.ExpiresAt.After(now):
		return lukasa.Scope{}, errUnknownKey("this key has expired")
	case Deleted(u):
		return lukasa.Scope{}, errUnknownKey("the user of this key has been deleted")
	}
	sc := scopeOf(k)
	if k.Org != "" {
		m, err := a.Members.Member(ctx, k.Org, k.User)
		switch {
		case lukasa.CodeOf(err) == lukasa.CodeNotFound:
			return lukasa.Scope{}, errUnknownKey("the user of this key is no member of the organisation any more")
		case err != nil:
			return lukasa.Scope{}, err
		case m.Gone:
			return lukasa.Scope{}, errUnknownKey("the organisation of this key has been deleted")
		}
		sc.ReadOnly = sc.ReadOnly || m.Role == store.MemberViewer
	}
	a.measure(u)
	a.noteUse(ctx, k, now)
	return a.stand(ctx, sc, k)
}

// Deleted reports whether a user lies in the trash.
func Deleted(u lukasa.User) bool { return u.Settings["deleted_at"] != nil }

// measure keeps the bucket of a user at what the user's settings say.
func (a *Auth) measure(u lukasa.User) {
	if a.opt.PerUser == nil {
		return
	}
	n := a.opt.PerUser(u.Settings)
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.users[u.ID]
	switch limit := rate.Limit(float64(n) / 60); {
	case n <= 0 || u.Role == lukasa.RoleAdmin:
		delete(a.users, u.ID)
	case l == nil:
		a.users[u.ID] = rate.NewLimiter(limit, n)
	case l.Limit() != limit:
		l.SetLimitAt(a.Mint.Now(), limit)
		l.SetBurstAt(a.Mint.Now(), n)
	}
}

// scopeOf is the scope of a key. One to an organisation's records is its member's, and never an admin's of the server.
func scopeOf(k lukasa.Key) lukasa.Scope {
	sc := lukasa.Scope{Owner: k.User, Principal: k.User, Key: k.ID, Role: k.Role, Root: k.Root, ReadOnly: k.ReadOnly, Unlimited: k.Unlimited}
	if k.Org != "" {
		sc.Owner, sc.Role = k.Org, lukasa.RoleUser
	}
	return sc
}

// noteUse writes last_used_at at most once a minute and key.
func (a *Auth) noteUse(ctx context.Context, k lukasa.Key, now time.Time) {
	a.mu.Lock()
	due := now.Sub(a.used[k.ID]) >= time.Minute
	if due {
		a.used[k.ID] = now
	}
	a.mu.Unlock()
	if !due || k.LastUsedAt != nil && now.Sub(*k.LastUsedAt) < time.Minute {
		return
	}
	_ = a.Accounts.UseKey(ctx, k, now) // a full disk must not keep anybody from reading
}

// Local is the scope of the local process, which may open the data directory and so needs no key.
func (a *Auth) Local(ctx context.Context) (lukasa.Scope, error) {
	users, err := a.Accounts.Users(ctx)
	if err != nil {
		return lukasa.Scope{}, err
	}
	for _, u := range users {
		if u.Role == lukasa.RoleAdmin && !Deleted(u) {
			return lukasa.Scope{Owner: u.ID, Principal: u.ID, Role: lukasa.RoleAdmin, Unlimited: true}, nil
		}
	}
	return lukasa.Scope{}, lukasa.Errorf(lukasa.CodeNotFound, "there is no admin yet")
}

// Bootstrap makes the first user and its key on an empty store and returns the key's secret, "" if there was a user
// already. A preset secret is used as it is, and added to the first admin if it is not known yet.
func (a *Auth) Bootstrap(ctx context.Context, preset string) (string, error) {
	sc, err := a.Local(ctx)
	switch {
	case err == nil && preset == "":
		return "", nil
	case err == nil:
		if _, err := a.Scope(ctx, preset); lukasa.CodeOf(err) != lukasa.CodeUnauthenticated {
			return "", err
		}
	case lukasa.CodeOf(err) == lukasa.CodeNotFound:
		u, err := a.CreateUser(ctx, lukasa.User{Name: "admin", Role: lukasa.RoleAdmin})
		if err != nil {
			return "", err
		}
		sc = lukasa.Scope{Owner: u.ID, Principal: u.ID, Role: lukasa.RoleAdmin}
	default:
		return "", err
	}
	_, secret, err := a.makeKey(ctx, lukasa.Key{User: sc.Owner, Name: "local admin", Role: lukasa.RoleAdmin, Unlimited: true}, preset)
	return secret, err
}

// CreateUser makes a user with an owner's data key of its own.
func (a *Auth) CreateUser(ctx context.Context, u lukasa.User) (lukasa.User, error) {
	if u.Name == "" {
		return u, lukasa.Invalid("name", "is empty")
	}
	switch u.Role {
	case "":
		u.Role = lukasa.RoleUser
	case lukasa.RoleAdmin, lukasa.RoleUser:
	default:
		return u, lukasa.Invalid("role", "is not admin or user")
	}
	u.ID = a.Mint.ID(lukasa.PrefixUser)
	return a.admit(ctx, u)
}

// admit gives a user or an organisation a row, and a data key of its own.
func (a *Auth) admit(ctx context.Context, u lukasa.User) (lukasa.User, error) {
	u.CreatedAt = a.Mint.Now().UTC()
	data, err := crypt.NewDataKey(a.Rand)
	if err != nil {
		return u, err
	}
	wrapped, err := crypt.Wrap(a.Master, string(u.ID), data, a.Rand)
	if err != nil {
		return u, err
	}
	return u, a.Accounts.PutUser(ctx, u, wrapped)
}

// nowhere is the root of a scope that has no subtree of its own: no path stands below it.
const nowhere lukasa.Path = "!"

// stand gives the scope of a persona's or a third party's key what they may see now. It asks the store each time, as for the key.
func (a *Auth) stand(ctx context.Context, sc lukasa.Scope, k lukasa.Key) (lukasa.Scope, error) {
	switch {
	case k.ThirdParty:
		sc.Grantee, sc.ReadOnly, sc.Role, sc.Unlimited = k.ID, true, lukasa.RoleUser, false
	case k.Persona != "":
		sc.Grantee, sc.Role = k.Persona, lukasa.RoleUser
	default:
		return sc, nil
	}
	return a.Refresh(ctx, sc)
}

// Refresh returns a scope with what its grantee may see now; one that is nobody's grantee stays as it is.
func (a *Auth) Refresh(ctx context.Context, sc lukasa.Scope) (lukasa.Scope, error) {
	if sc.Grantee == "" {
		return sc, nil
	}
	st, err := a.Grants.Standing(ctx, sc.Owner, sc.Grantee, a.Mint.Now())
	if err != nil {
		return lukasa.Scope{}, err
	}
	sc.Root, sc.Granted = st.Root, st.Granted
	if sc.Root == "" {
		sc.Root = nowhere
	}
	return sc, nil
}

// DataKey unwraps an owner's data key; it is the keyring of the file layer.
func (a *Auth) DataKey(ctx context.Context, owner string) ([]byte, error) {
	wrapped, err := a.Accounts.OwnerKey(ctx, lukasa.ID(owner))
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil, fmt.Errorf("%w: %w", blob.ErrKeyDestroyed, err)
	}
	if err != nil {
		return nil, err
	}
	return crypt.Unwrap(a.Master, owner, wrapped)
}
