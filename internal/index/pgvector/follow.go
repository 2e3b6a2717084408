package pgvector

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

const (
	changesAtOnce = 1000
	entriesAtOnce = 256
)

// lock waits for a lock that lasts as long as the transaction.
func (x *Index) lock(ctx context.Context, c *pg.Conn, function string, names ...string) error {
	_, err := c.Exec(ctx, "SELECT "+function+"(?1)", []any{x.opt.lockOf(names...)})
	return err
}

// The locks, in the order in which they are taken: whoever loads a node shares that of all, which Rebuild of all takes alone; then that of
// the node; then that of who moves the position.
const (
	allLock  = "all"
	nodeLock = "node"
	syncLock = "sync"

	exclusive = "pg_advisory_xact_lock"
	shared    = "pg_advisory_xact_lock_shared"
)

// Sync implements [index.Index].
func (x *Index) Sync(ctx context.Context) (int64, error) {
	head, err := x.feed.Head(ctx)
	if err != nil {
		return 0, fmt.Errorf("read feed head: %w", err)
	}
	if x.seen.Load() >= head && !x.owing() {
		return head, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.settle(ctx); err != nil {
		return 0, fmt.Errorf("drop partitions: %w", fault(err))
	}
	if x.seen.Load() >= head {
		return head, nil
	}
	if err := x.advance(ctx, head); err != nil {
		return 0, fmt.Errorf("follow changes: %w", fault(err))
	}
	if x.seen.Load() < 0 {
		x.born.Store(head)
	} else if err := x.note(ctx, head); err != nil {
		return 0, err
	}
	x.seen.Store(head)
	return head, nil
}

// note keeps which nodes have changed, up to a change.
func (x *Index) note(ctx context.Context, head int64) error {
	for after := x.seen.Load(); after < head; {
		changes, err := x.feed.Changes(ctx, after, changesAtOnce)
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		for _, c := range changes {
			x.versions.Store(place{c.Owner, c.Node}, c.Seq)
			after = c.Seq
		}
		if len(changes) == 0 {
			break
		}
	}
	return nil
}

// advance applies changes until the position is at head at least, or finds that others have.
func (x *Index) advance(ctx context.Context, head int64) error {
	for {
		at, err := int64(0), error(nil)
		if err = x.pool.Read(ctx, x.prelude(""), func(c *pg.Conn) error { at, err = x.position(ctx, c); return err }); err != nil {
			return err
		}
		if at > head {
			if head, err = x.feed.Head(ctx); err != nil {
				return err
			}
			if at > head { // the log is another one, which has come from a backup
				return x.forget(ctx, place{}, head)
			}
		}
		if at == head {
			return nil
		}
		err = x.pool.Write(ctx, x.prelude("", writing), func(c *pg.Conn) error { return x.stretch(ctx, c, head) })
		if err != nil {
			return err
		}
	}
}

// position reads how far the tables are.
func (x *Index) position(ctx context.Context, c *pg.Conn) (at int64, err error) {
	found := false
	err = c.Each(ctx, "SELECT position FROM generations WHERE n = ?1", []any{x.made.n}, func(r sqlrows.Row) error { at, found = r.Int64(0), true; return nil })
	if err == nil && !found {
		err = &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "the tables of the index are gone", Hint: "restart this process: it makes them again"}
	}
	return at, err
}

// stretch applies the next changes, in the transaction that moves the position.
func (x *Index) stretch(ctx context.Context, c *pg.Conn, head int64) error {
	if err := x.lock(ctx, c, exclusive, syncLock); err != nil {
		return err
	}
	at, err := x.position(ctx, c)
	if err != nil || at >= head {
		return err
	}
	to := head
	loaded, err := has(ctx, c, "SELECT 1 FROM "+x.made.nodes+" WHERE loaded LIMIT 1")
	if err != nil {
		return err
	}
	if loaded {
		changes, err := x.feed.Changes(ctx, at, changesAtOnce)
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		if len(changes) > 0 {
			to = changes[len(changes)-1].Seq
		}
		if err := x.apply(ctx, c, changes); err != nil {
			return err
		}
	}
	_, err = c.Exec(ctx, "UPDATE generations SET position = ?2, used_at = now() WHERE n = ?1", []any{x.made.n, to})
	return err
}

// apply brings the nodes that are loaded up to date with changes.
func (x *Index) apply(ctx context.Context, c *pg.Conn, changes []lukasa.Change) error {
	touched := map[lukasa.ID]map[lukasa.ID][]lukasa.ID{}
	for _, ch := range changes {
		if touched[ch.Owner] == nil {
			touched[ch.Owner] = map[lukasa.ID][]lukasa.ID{}
		}
		touched[ch.Owner][ch.Node] = append(touched[ch.Owner][ch.Node], ch.Entry)
	}
	for owner, nodes := range touched {
		list := make([]lukasa.ID, 0, len(nodes))
		for id := range nodes {
			list = append(list, id)
		}
		parts, err := x.parts(ctx, c, owner, list)
		if err != nil {
			return err
		}
		if err := x.refresh(ctx, c, owner, parts, nodes); err != nil {
			return err
		}
	}
	return nil
}

// refresh reads entries again and puts them into the nodes that they were said to have changed in, or takes them out of those.
func (x *Index) refresh(ctx context.Context, c *pg.Conn, owner lukasa.ID, parts []part, changed map[lukasa.ID][]lukasa.ID) error {
	var all []lukasa.ID
	for _, p := range parts {
		all = append(all, changed[p.id]...)
	}
	if len(all) == 0 {
		return nil
	}
	entries, err := x.feed.Entries(ctx, x.opt.Space, owner, unique(all))
	if err != nil {
		return fmt.Errorf("read changed entries: %w", err)
	}
	byID := make(map[lukasa.ID]*lukasa.Entry, len(entries))
	for i := range entries {
		byID[entries[i].ID] = &entries[i]
	}
	for _, p := range parts {
		for ids := range slices.Chunk(unique(changed[p.id]), entriesAtOnce) {
			var puts []lukasa.Entry
			var gone []lukasa.ID
			for _, id := range ids {
				if e := byID[id]; e != nil && e.Node == p.id {
					puts = append(puts, *e)
				} else {
					gone = append(gone, id)
				}
			}
			if err := x.write(ctx, c, owner, p.n, puts, gone); err != nil {
				return err
			}
		}
	}
	return nil
}

// load reads a node from the feed, unless another process has done it meanwhile.
func (x *Index) load(ctx context.Context, p place) error {
	vectors := int64(0)
	err := x.pool.Write(ctx, x.prelude("", writing), func(c *pg.Conn) error {
		if err := x.lock(ctx, c, shared, allLock); err != nil {
			return err
		}
		if err := x.lock(ctx, c, exclusive, nodeLock, string(p.owner), string(p.node)); err != nil {
			return err
		}
		node, loaded := 0, false
		if _, err := c.Exec(ctx, "INSERT INTO "+x.made.nodes+" (owner_id, node_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING", []any{p.owner, p.node}); err != nil {
			return err
		}
		err := c.Each(ctx, "SELECT n, loaded FROM "+x.made.nodes+" WHERE owner_id = ?1 AND node_id = ?2", []any{p.owner, p.node}, func(r sqlrows.Row) error {
			node, loaded = r.Int(0), r.Bool(1)
			return nil
		})
		if err != nil || loaded {
			return err
		}
		at, err := x.position(ctx, c)
		if err != nil {
			return err
		}
		if err := x.read(ctx, c, p, node); err != nil {
			return err
		}
		if err := x.lock(ctx, c, exclusive, syncLock); err != nil {
			return err
		}
		if err := x.catchUp(ctx, c, p, node, at); err != nil {
			return err
		}
		return c.Each(ctx, "UPDATE "+x.made.nodes+" SET loaded = TRUE WHERE n = ?1 RETURNING vectors", []any{node}, func(r sqlrows.Row) error { vectors = r.Int64(0); return nil })
	})
	if err == nil && vectors > int64(x.opt.Exact) && !x.near.Load() {
		err = x.makeNear(ctx)
	}
	if err != nil {
		return fmt.Errorf("load partition: %w", fault(err))
	}
	return nil
}

// read puts what the feed has of a node into the tables.
func (x *Index) read(ctx context.Context, c *pg.Conn, p place, node int) error {
	var list []lukasa.Entry
	var failed error
	err := x.feed.Partition(ctx, x.opt.Space, p.owner, p.node, func(e lukasa.Entry) bool {
		if list = append(list, e); len(list) >= entriesAtOnce {
			failed = x.write(ctx, c, p.owner, node, list, nil)
			list = list[:0]
		}
		return failed == nil
	})
	if failed == nil && err == nil && len(list) > 0 {
		failed = x.write(ctx, c, p.owner, node, list, nil)
	}
	if failed == nil {
		failed = err
	}
	return failed
}

// catchUp applies what has changed in a node since a position up to that of the others.
func (x *Index) catchUp(ctx context.Context, c *pg.Conn, p place, node int, from int64) error {
	to, err := x.position(ctx, c)
	if err != nil {
		return err
	}
	for from < to {
		changes, err := x.feed.Changes(ctx, from, changesAtOnce)
		if err != nil || len(changes) == 0 {
			return err
		}
		var ids []lukasa.ID
		for _, ch := range changes {
			if ch.Owner == p.owner && ch.Node == p.node {
				ids = append(ids, ch.Entry)
			}
		}
		if err := x.refresh(ctx, c, p.owner, []part{{id: p.node, n: node}}, map[lukasa.ID][]lukasa.ID{p.node: ids}); err != nil {
			return err
		}
		from = changes[len(changes)-1].Seq
	}
	return nil
}

// rebuildTime is how long Rebuild waits for the server before it leaves the work to the next Sync.
const rebuildTime = 30 * time.Second

// Rebuild implements [index.Index]. Where the server does not answer, the next Sync or Search does it before anything else.
func (x *Index) Rebuild(owner, node lukasa.ID) {
	x.dropMu.Lock()
	x.drops = append(x.drops, place{owner, node})
	x.dropMu.Unlock()
	ctx, cancel := context.WithTimeout(x.life, rebuildTime)
	defer cancel()
	_ = x.settle(ctx) // else it is tried again
}

// owing reports whether there are partitions to be dropped.
func (x *Index) owing() bool {
	x.dropMu.Lock()
	defer x.dropMu.Unlock()
	return len(x.drops) > 0
}

// settle drops what is to be read again.
func (x *Index) settle(ctx context.Context) error {
	x.dropMu.Lock()
	defer x.dropMu.Unlock()
	for len(x.drops) > 0 {
		if err := x.forget(ctx, x.drops[0], -1); err != nil {
			return err
		}
		x.drops = x.drops[1:]
	}
	return nil
}

// forget drops a partition, those of an owner, or all, and sets the position if it is not negative.
func (x *Index) forget(ctx context.Context, p place, position int64) error {
	return x.pool.Write(ctx, x.prelude("", writing), func(c *pg.Conn) error {
		whole := []string{allLock}
		kind := exclusive
		if p.owner != "" && p.node != "" {
			kind = shared
		}
		if err := x.lock(ctx, c, kind, whole...); err != nil {
			return err
		}
		if kind == shared {
			if err := x.lock(ctx, c, exclusive, nodeLock, string(p.owner), string(p.node)); err != nil {
				return err
			}
		}
		if err := x.lock(ctx, c, exclusive, syncLock); err != nil {
			return err
		}
		var list []int
		err := c.Each(ctx, "DELETE FROM "+x.made.nodes+" WHERE (?1 = '' OR owner_id = ?1) AND (?2 = '' OR node_id = ?2) RETURNING n", []any{p.owner, p.node}, func(r sqlrows.Row) error {
			list = append(list, r.Int(0))
			return nil
		})
		if err != nil {
			return err
		}
		for _, table := range []string{x.made.entries, x.made.postings, x.made.terms} {
			if len(list) == 0 {
				break
			}
			if _, err := c.Exec(ctx, "DELETE FROM "+table+" WHERE node = ANY(?1::integer[])", []any{numbers(list)}); err != nil {
				return err
			}
		}
		if position >= 0 {
			_, err = c.Exec(ctx, "UPDATE generations SET position = ?2 WHERE n = ?1", []any{x.made.n, position})
		}
		return err
	})
}
