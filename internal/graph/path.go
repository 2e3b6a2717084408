package graph

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Options tune the path. Zero values are useful.
type Options struct {
	Dormant   time.Duration // a node that nobody has touched for this long is dormant; 0 means 7 days
	Warm      time.Duration // how long what was worked out ahead is kept; 0 means 10 minutes
	Threshold float64       // how sure a suggestion must be to be followed; 0 means .7
}

// Deps are what the path works with.
type Deps struct {
	Store  store.Store
	Cache  cache.Cache
	Mint   lukasa.Minter
	Notify func(lukasa.Event) // called after the commit; must not block
	Log    *slog.Logger
}

// Path is safe for concurrent use.
type Path struct {
	Deps
	opt Options
}

// New makes the path.
func New(d Deps, o Options) *Path {
	if o.Dormant == 0 {
		o.Dormant = 7 * 24 * time.Hour
	}
	if o.Warm == 0 {
		o.Warm = 10 * time.Minute
	}
	if o.Threshold == 0 {
		o.Threshold = 0.7
	}
	return &Path{Deps: d, opt: o}
}

func (p *Path) now() time.Time { return p.Mint.Now().UTC() }

// view runs fn over the rows of a moment; the zero time is now.
func (p *Path) view(ctx context.Context, sc lukasa.Scope, at time.Time, fn func(store.Reader) error) error {
	if sc.Owner == "" {
		return lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	meet := func(r store.Reader) error { return fn(&acquaintance{r, make(map[lukasa.ID]knownAs)}) }
	if at.IsZero() {
		return p.Store.View(ctx, sc, meet)
	}
	return p.Store.ViewAt(ctx, sc, at, meet)
}

// change runs fn in a transaction of a scope that may write.
func (p *Path) change(ctx context.Context, sc lukasa.Scope, fn func(store.Tx) error) error {
	if err := sc.CanWrite(); err != nil {
		return err
	}
	return p.Store.Update(ctx, sc, fn)
}

func (p *Path) tell(sc lukasa.Scope, t lukasa.EventType, n lukasa.Node, record lukasa.ID, data map[string]any) {
	if p.Notify != nil {
		p.Notify(lukasa.Event{ID: p.Mint.ID(lukasa.PrefixEvent), Type: t, Owner: sc.Owner, Node: n.ID, Path: n.Path, Record: record, Data: data, At: p.now()})
	}
}

// find returns the node with an id or at a path.
func find(r store.NodeReader, idOrPath string) (lukasa.Node, error) {
	if id, err := lukasa.ParseID(lukasa.PrefixNode, idOrPath); err == nil {
		return r.Node(id)
	}
	path, err := lukasa.ParsePath(idOrPath)
	if err != nil {
		return lukasa.Node{}, err
	}
	return r.NodeAt(path)
}

// only names one node alone.
func only(n lukasa.Node) []lukasa.Pattern { return []lukasa.Pattern{{Path: n.Path, Mode: '!'}} }

// dormant reports whether nobody has touched a node for long. A node's UpdatedAt is the last time that it was written to or
// recalled from, to within an hour.
func (p *Path) dormant(n lukasa.Node) bool {
	return n.Depth > 0 && p.now().Sub(n.UpdatedAt) > p.opt.Dormant
}

// touchAfter is how old a node's last touch must be to be noted again: what is touched often is not written often.
const touchAfter = time.Hour

// Touch notes that nodes were written to or recalled from. It writes no delta, and passes over those that are gone.
func Touch(tx store.Tx, nodes []lukasa.ID, at time.Time) error {
	for _, id := range nodes {
		n, err := tx.Node(id)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound || err == nil && (n.Depth == 0 || at.Sub(n.UpdatedAt) < touchAfter) {
			continue
		}
		if err != nil {
			return err
		}
		n.UpdatedAt = at
		if err := tx.PutNode(n); err != nil {
			return err
		}
	}
	return nil
}

// cached returns what make works out, from the cache where the key is known. The parts of the key must tell everything that the
// answer depends on.
func cached[T any](ctx context.Context, p *Path, parts []string, make func() (T, error)) (T, error) {
	if p.Cache == nil {
		return make()
	}
	key := "places:" + cache.Key(parts...)
	var out T
	if data, ok := p.Cache.Get(ctx, key); ok && json.Unmarshal(data, &out) == nil {
		return out, nil
	}
	out, err := make()
	if err != nil {
		return out, err
	}
	if data, err := json.Marshal(out); err == nil {
		p.Cache.Set(ctx, key, data, p.opt.Warm)
	}
	return out, nil
}

// stamp is the state of a node: it changes with every write into it, and with every poke.
func stamp(n lukasa.Node) string {
	return string(n.ID) + "@" + strconv.FormatInt(n.Version, 36) + "@" + strconv.FormatInt(n.UpdatedAt.UnixMicro(), 36) + "@" + string(n.Path)
}

// poke notes that something about nodes has changed that is no entry of theirs, like an edge or a name.
func poke(tx store.Tx, nodes []lukasa.ID, at time.Time) error {
	slices.Sort(nodes)
	for _, id := range slices.Compact(nodes) {
		n, err := tx.Node(id)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			continue
		}
		if err != nil {
			return err
		}
		n.UpdatedAt = at
		if err := tx.PutNode(n); err != nil {
			return err
		}
	}
	return nil
}

// who tells the scopes that see different things apart.
func who(sc lukasa.Scope) string { return string(sc.Owner) + "/" + string(sc.Root) + "/" + sc.Granted }

// gather follows a listing's pages up to limit items (0: all) and says how many there are in all.
func gather[T any](limit int, list func(lukasa.Page) (lukasa.Listing[T], error)) ([]T, int, error) {
	var out []T
	page := lukasa.Page{}
	for {
		page.Limit = 100
		if limit > 0 {
			page.Limit = min(100, limit-len(out))
		}
		l, err := list(page)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, l.Items...)
		if l.Next == "" || limit > 0 && len(out) >= limit {
			return out, l.Total, nil
		}
		page.Cursor = l.Next
	}
}
