// Package pgvector keeps the index in PostgreSQL, with pgvector, so that several nodes share one and none has to hold it in memory.
//
// What it holds is derived from the store: entries with their vectors, postings, and statistics, in a schema of its own beside that of
// the rows. A node (a place in an owner's tree) is read from the feed when it is first searched, by whichever process needs it, and from
// then on follows the changes: at Sync one process applies a stretch of them under an advisory lock, in the transaction that also moves
// the position in the log, and the others find it done.
//
// What an entry is found by, and how it is scored, is what package local does: the terms (internal/text) of title, speaker and text; BM25
// with k1 = 1.2 and b = 0.75, with N, df and the average length of the latest entries of the named nodes; scores are whole multiples
// of 2^-30; of equal entries the lower id comes first.
//
// Vectors are kept with unit length. Where the entries that may be found are few, all are compared; else an HNSW index (made when it is
// first worth it) is walked until enough entries of the named nodes have been met (pgvector's iterative scan), and where that ends
// before there are K, all are compared after all.
//
// Generations: tables are made for a space, a dimension and a way of reading texts (Options). Processes that differ in one of these
// have tables of their own, so that they can run beside one another while a new release is rolled out; those that nobody has used for a
// day are dropped when the next process starts.
//
// Who may import this: the engine alone.
package pgvector

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Options say where an index is kept and what it holds.
type Options struct {
	URL    string // of the role that the program works as
	Admin  string // of the role that owns the schema; "" means URL, which then owns it
	Schema string // of the store; "" means lukasa. The index stands in the schema of that name with _index behind it.
	Pooled bool   // URL leads to a pool that hands out a connection for each transaction, like PgBouncer
	Conns  int    // connections at most; 0 means 8
	// Key signs the claims that the store's policies go by, and is the store's. Without one there are no policies, and the role that
	// logs in works with its own rights.
	Key      []byte
	Patience time.Duration // how long a call waits for a server that is away; 0 means 5 s

	Space string // the embedding space that vectors are read from
	Dim   int    // length of a vector; 0: there are none
	// Exact is the number of entries up to which all are compared; 0 means 5,000, less than 0 none: the index of vectors is made at once.
	Exact int
	// Effort is how many entries the walk through the index of vectors keeps in view (hnsw.ef_search); 0 means 200. A request for more
	// than half as many candidates gets twice what it asks for, up to 1,000.
	Effort int
	// Scan is how many entries such a walk may look at before all are compared instead; 0 means 20,000.
	Scan int
	// Cost is how many entries can be compared in the time in which a walk meets one; 0 means 20.
	Cost int
}

// Index is the driver. See [index.Index] for the contracts of its methods.
type Index struct {
	feed index.Feed
	opt  Options
	made generation
	pool *pg.Pool
	path string // search path

	mu       sync.Mutex // held by whoever syncs
	seen     atomic.Int64
	born     atomic.Int64
	versions sync.Map // place -> the last change, an int64
	speakers sync.Map // place -> speakersAt
	near     atomic.Bool

	dropMu sync.Mutex
	drops  []place // partitions that are to be read again
	closed atomic.Bool
	life   context.Context // ends with Close
	end    context.CancelFunc
	analyz sync.Pool // *text.Analyzer
}

var _ index.Index = (*Index)(nil)

// place is one partition.
type place struct{ owner, node lukasa.ID }

// Open connects and makes the tables if they are not there. A server without pgvector 0.8 is [lukasa.CodeInvalid].
func Open(ctx context.Context, feed index.Feed, o Options) (*Index, error) {
	if o.Schema == "" {
		o.Schema = "lukasa"
	}
	if o.Exact == 0 {
		o.Exact = 5000
	}
	if o.Effort <= 0 {
		o.Effort = 200
	}
	if o.Scan <= 0 {
		o.Scan = 20_000
	}
	if o.Cost <= 0 {
		o.Cost = 20
	}
	if o.Conns <= 0 {
		o.Conns = 8
	}
	if o.Dim < 0 || o.Dim > maxDim {
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "embed.dim", Msg: fmt.Sprintf("is %d; pgvector keeps vectors of up to %d dimensions", o.Dim, maxDim), Hint: "set index.provider to local"}
	}
	x := &Index{feed: feed, opt: o}
	x.life, x.end = context.WithCancel(context.WithoutCancel(ctx))
	x.analyz.New = func() any { return new(text.Analyzer) }
	x.seen.Store(-1)
	var err error
	if x.made, err = prepare(ctx, o); err != nil {
		return nil, fmt.Errorf("open index: %w", fault(err))
	}
	x.near.Store(x.made.near)
	x.path = "SET LOCAL search_path = " + pg.Name(o.Schema+"_index") + ", " + pg.Name(x.made.extension)
	p := pg.Options{URL: o.URL, MaxConns: o.Conns, Patience: o.Patience, Application: "lukasa index", Mode: pg.Direct}
	if o.Pooled {
		p.Mode = pg.Pooled
	}
	if o.Admin == "" && len(o.Key) > 0 {
		p.Role = o.Schema + "_app"
	}
	if x.pool, err = pg.Open(ctx, p); err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	if o.Exact < 0 {
		if err := x.makeNear(ctx); err != nil {
			x.pool.Close()
			return nil, fmt.Errorf("open index: %w", fault(err))
		}
	}
	return x, nil
}

// claimFor is how long a transaction may take.
const claimFor = 6 * time.Hour

// prelude is what a transaction begins with. Without an owner it is the server's own.
func (x *Index) prelude(owner lukasa.ID, more ...string) string {
	list := []string{x.path}
	if len(x.opt.Key) > 0 {
		claim := pg.Claim{Owner: string(owner), Principal: "index", System: owner == "", Whole: true, Expires: time.Now().Add(claimFor)}
		list = append(list, "SET LOCAL lukasa.claim = "+pg.Text(pg.Sign(x.opt.Key, claim)))
	}
	return strings.Join(append(list, more...), "; ")
}

// writing is what a transaction that writes sets: what it asks for it looks up by keys, also where the planner knows nothing of the tables yet.
const writing = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off"

// Version implements [index.Index]. For a node without changes since the first Sync it is the head of that time.
func (x *Index) Version(owner, node lukasa.ID) int64 {
	seq := x.born.Load()
	if v, ok := x.versions.Load(place{owner, node}); ok {
		seq = max(seq, v.(int64))
	}
	return seq
}

// statsTime is how long Stats waits for the server.
const statsTime = 2 * time.Second

// Stats implements [index.Index]. What it tells is that of all processes. Of a server that does not answer it tells the position alone.
func (x *Index) Stats() index.Stats {
	s := index.Stats{Seq: max(0, x.seen.Load())}
	ctx, cancel := context.WithTimeout(x.life, statsTime)
	defer cancel()
	_ = x.pool.Read(ctx, x.prelude(""), func(c *pg.Conn) error { // all that fails leaves numbers out
		err := c.Each(ctx, "SELECT count(*), coalesce(sum(entries), 0)::bigint, coalesce(sum(vectors), 0)::bigint FROM "+x.made.nodes+" WHERE loaded", nil, func(r sqlrows.Row) error {
			s.Partitions, s.Entries, s.Vectors = r.Int(0), r.Int(1), r.Int(2)
			return nil
		})
		if err != nil {
			return err
		}
		return c.Each(ctx, "SELECT greatest(reltuples, 0)::bigint, pg_total_relation_size(?1::regclass) + pg_total_relation_size(?2::regclass) + pg_total_relation_size(oid) FROM pg_class WHERE oid = ?3::regclass",
			[]any{x.made.entries, x.made.postings, x.made.terms}, func(r sqlrows.Row) error {
				s.Terms, s.Bytes = r.Int(0), r.Int64(1)
				return nil
			})
	})
	return s
}

// Close implements [index.Index].
func (x *Index) Close() error {
	if !x.closed.Swap(true) {
		x.end()
		x.pool.Close()
	}
	return nil
}

// fault turns errors of PostgreSQL into the product's; others are returned as they are.
func fault(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*lukasa.Error](err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &lukasa.Error{Err: err}
	switch {
	case pg.IsAway(err), errors.Is(err, pg.ErrUnknown):
		e.Code, e.Msg, e.RetryAfter = lukasa.CodeUnavailable, "the database of the index cannot be reached", 2*time.Second
		e.Hint = "try again; if it stays so, look at the database"
	case pg.IsFull(err):
		e.Code, e.Msg, e.Hint = lukasa.CodeStorage, "the disk of the index's database is full", "free some space"
	case pg.IsReadOnly(err):
		e.Code, e.Msg, e.RetryAfter = lukasa.CodeUnavailable, "the database of the index takes no writes now", 2*time.Second
		e.Hint = "store.url must lead to the primary"
	case pg.Code(err) == pg.CodeCanceled:
		e.Code, e.Msg = lukasa.CodeTimeout, "the request's time is up"
	case pg.Code(err) != "":
		e.Code, e.Msg = lukasa.CodeInternal, "the index could not do it"
	default:
		return err
	}
	return e
}

func itoa[T int | int64](n T) string { return strconv.FormatInt(int64(n), 10) }
