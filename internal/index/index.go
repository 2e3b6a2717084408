// Package index finds candidates by vector and by text. What it holds is derived: it can be deleted while the program is
// off and is rebuilt from the rows.
//
// It declares the port; the drivers local and pgvector stand in folders of their own and run the suite of indextest. The
// partition is the node: entries of nodes that a request does not name are never scored, and statistics that touch a
// score (idf, average length) are taken over the named nodes only.
//
// Who may import this: recall, lifecycle and the engine. Drivers are named by the engine alone.
package index

import (
	"context"

	"github.com/lukasa-memory/lukasa"
)

// Feed is what an index follows; a store has it.
type Feed interface {
	Head(ctx context.Context) (int64, error)
	Changes(ctx context.Context, after int64, limit int) ([]lukasa.Change, error)
	Entries(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([]lukasa.Entry, error)
	Partition(ctx context.Context, space string, owner, node lukasa.ID, yield func(lukasa.Entry) bool) error
	Vectors(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([][]float32, error)
}

// Request asks for candidates. Text and Vector may each be empty. Only entries that Filter keeps and whose type is among
// Types (none: all) count towards K. Entries that are not the latest are left out as if they were not there, unless Filter has a
// condition on "latest" anywhere; then Filter alone decides.
type Request struct {
	Owner  lukasa.ID
	Nodes  []lukasa.ID // the partitions that may be read
	Text   string
	Vector []float32
	Types  []lukasa.EntryType
	Filter *lukasa.Filter
	K      int // candidates on each side
	// Both asks for both scores of every candidate of either side: the cosine of a text candidate and the BM25 score of a
	// vector candidate are then computed too.
	Both bool
}

// Answer holds the union of both sides, each entry once, ordered by entry id. Exactly min(K, n) entries of each side are
// in it, where n counts those that the filter keeps and, on the text side, that share a term with the query.
type Answer struct {
	Candidates []lukasa.Candidate
	Terms      []string // what the analyser made of the text
	Partitions int
	Matched    int // entries that the filter keeps, over all named nodes
}

// Index is a driver. All methods are safe for concurrent use; a search never waits for a write.
type Index interface {
	// Sync brings the index up to the feed's head: what was committed before the call is found after it. It returns the
	// head.
	Sync(ctx context.Context) (int64, error)
	// Search answers from the state of the last Sync or later.
	Search(ctx context.Context, r Request) (Answer, error)
	// Version returns a number for each node that changes whenever an entry of that node does.
	Version(owner, node lukasa.ID) int64
	Stats() Stats
	// Rebuild drops one partition, or all for "", and reads it again from the feed when it is next needed.
	Rebuild(owner, node lukasa.ID)
	// Close saves what makes the next start quicker.
	Close() error
}

// Stats describes an index for /metrics and doctor.
type Stats struct {
	Partitions int
	Entries    int
	Vectors    int
	Terms      int
	Bytes      int64
	Seq        int64
}
