// Package lifecycle is the path of time: what happens to records because a moment has come, and not because somebody asked.
//
// Files fall asleep and wake, what is due goes, the trash empties itself, and what was deleted for good leaves a receipt: first
// that its rows are gone, then that the store's own files hold nothing of it any more.
package lifecycle

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Deps are what the path works with.
type Deps struct {
	Store  store.Store
	Blobs  blob.Driver
	Vault  *blob.Vault
	Index  index.Index
	Mint   lukasa.Minter
	Notify func(lukasa.Event)            // called after the commit; must not block
	Evict  func(ctx context.Context) int // forgets cached answers and says how many; nil: there are none
	Derive Derive
	Log    *slog.Logger
}

// Options tune the path. Zero values are useful.
type Options struct {
	Dir     string        // the data directory, searched for what was deleted; "" searches nothing
	Keep    time.Duration // of the trash; 0 means 30 days
	Dormant time.Duration // without use, after which a file is compressed hard; 0 means 7 days
	Awake   time.Duration // how long a file that was woken stays so; 0 means 30 minutes
	Linger  time.Duration // how long a scrub waits for more to scrub; 0 means 2 s
	Limits  Limits        // of a user whose settings say nothing
}

// Path is safe for concurrent use.
type Path struct {
	Deps
	opt Options

	forgetting sync.Mutex // one notes at a time where deleted memories had come from

	mu      sync.Mutex
	flights map[lukasa.ID]*flight  // files that are being woken
	awake   map[lukasa.ID]awakened // files that were woken, until they sleep again
	known   bool                   // awake was read
	wakes   sync.WaitGroup
	used    map[lukasa.ID]map[lukasa.ID]time.Time // owner → files that were read, to be written
	pending map[lukasa.ID]*pending                // receipts whose scrub this process can check
	usage   map[lukasa.ID]usage
	next    time.Time // when the next scrub may begin
	beside  string    // the last notice of other processes' scrubs that was followed
	heard   bool      // beside was read
	scrub   sync.Mutex
	refused refusals
	passed  map[lukasa.ID]time.Time // owner → when the last pass began; under scrub
	running bool                    // there is a background that works off jobs

	respaced bool // see Respaced
}

// New makes the path.
func New(d Deps, o Options) *Path {
	if o.Keep == 0 {
		o.Keep = 30 * 24 * time.Hour
	}
	if o.Dormant == 0 {
		o.Dormant = 7 * 24 * time.Hour
	}
	if o.Awake == 0 {
		o.Awake = 30 * time.Minute
	}
	if o.Linger == 0 {
		o.Linger = 2 * time.Second
	}
	return &Path{
		Deps: d, opt: o, flights: map[lukasa.ID]*flight{}, awake: map[lukasa.ID]awakened{}, pending: map[lukasa.ID]*pending{},
		used: map[lukasa.ID]map[lukasa.ID]time.Time{}, passed: map[lukasa.ID]time.Time{},
		usage: map[lukasa.ID]usage{},
	}
}

// Start says that jobs are worked off in the background, so that a scrub may wait for others.
func (p *Path) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = true
}

// Close waits for files that are being woken.
func (p *Path) Close() { p.wakes.Wait() }

func (p *Path) now() time.Time { return p.Mint.Now().UTC() }

func (p *Path) notify(sc lukasa.Scope, t lukasa.EventType, node lukasa.ID, path lukasa.Path, record lukasa.ID) {
	if p.Notify != nil {
		p.Notify(lukasa.Event{ID: p.Mint.ID(lukasa.PrefixEvent), Type: t, Owner: sc.Owner, Node: node, Path: path, Record: record, At: p.now()})
	}
}

// scopeOf is the scope of an owner's background work.
func scopeOf(owner lukasa.ID) lukasa.Scope {
	return lukasa.Scope{Owner: owner, Principal: owner, Role: lukasa.RoleUser}
}

// Forget removes every record whose forget_after has come, and returns how many.
func (p *Path) Forget(ctx context.Context) (int, error) {
	return p.drain(ctx, ByForgetAfter, func(limit int) ([]store.Expired, error) { return p.Store.Expired(ctx, p.now(), limit) })
}

// drain removes what a list of due records names, until it names no more.
func (p *Path) drain(ctx context.Context, why string, list func(limit int) ([]store.Expired, error)) (int, error) {
	const batch = 100
	n := 0
	for {
		due, err := list(batch)
		if err != nil {
			return n, err
		}
		for _, x := range due {
			if _, err := p.remove(ctx, scopeOf(x.Owner), x.Record, "", why); err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
				return n, err
			}
			n++
		}
		if len(due) < batch {
			return n, nil
		}
	}
}

// dropBlobs deletes blobs that no row refers to any more. What cannot be deleted now is an orphan, swept later.
func (p *Path) dropBlobs(ctx context.Context, keys []string) {
	for _, k := range keys {
		owner, key, _ := strings.Cut(k, "/")
		if err := p.Vault.Delete(context.WithoutCancel(ctx), owner, key); err != nil {
			p.Log.WarnContext(ctx, "delete blob", "key", k, "err", err)
		}
	}
}

// sweepAge keeps the sweep away from blobs whose row is still being written.
const sweepAge = time.Hour

// Sweep deletes blobs that no row refers to and that are old enough not to be on their way in. Those of owners whom the store never had stay.
func (p *Path) Sweep(ctx context.Context) (n int, err error) {
	o, err := p.orphans(ctx, p.now().Add(-sweepAge))
	if fault := o.Fault(); fault != "" {
		p.Log.WarnContext(ctx, fault)
	}
	for _, k := range o.Keys {
		if err := p.Blobs.Delete(ctx, k); err != nil {
			return n, err
		}
		n++
	}
	return n, err
}

func (p *Path) orphans(ctx context.Context, before time.Time) (blob.Orphans, error) {
	return p.Vault.Orphans(ctx, before, p.Store.BlobKeys, func(ctx context.Context) (map[string]bool, error) {
		gone := map[string]bool{}
		for _, action := range []string{"user.delete", "organisation.delete"} {
			for page := (lukasa.Page{Limit: 100}); ; {
				l, err := p.Store.AuditLog(ctx, "", action, page)
				if err != nil {
					return nil, err
				}
				for _, a := range l.Items {
					gone[a.Resource] = true
				}
				if page.Cursor = l.Next; l.Next == "" {
					break
				}
			}
		}
		return gone, nil
	})
}
