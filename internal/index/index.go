// Package index finds candidates by vector and by text. What it holds is derived: it can be deleted while the program is
// off and is rebuilt from the rows.
//
// It declares the port; the drivers local and pgvector stand in folders of their own and run the suite of indextest. The
// partition is the node: entries of nodes that a request does not name are never scored, and statistics that touch a
// score (idf, average length) are taken over the named nodes only.
//
// Who may import this: recall, lifecycle, learn and the engine. Drivers are named by the engine alone.
package index

import (
	"context"
	"time"

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
	K      int // candidates on each side; 0, with nothing to look for, no filter and no scene: the nodes are only loaded, and Answer.Matched may be late
	// Both asks for both scores of every candidate of either side: the cosine of a text candidate and the BM25 score of a
	// vector candidate are then computed too.
	Both bool
	// Scene asks for all that a ranker may want to look at: what the candidates say, and what stands beside them. Entries up
	// to two away in the same session from the best 40 of both sides (BM25 over its best + 0.4 × cosine over its best) become
	// candidates too, if the filter keeps them. A driver without the means leaves Answer.Scene nil.
	Scene bool
	// Seen is the last change that the answer has to know of; 0: all that the last Sync before the call met. A search need not wait for
	// what came behind it.
	Seen int64
	// Misspelt tells of a word of Text that it may not be spelt right. Where no entry of the named nodes has such a word, those that are
	// spelt almost alike (text.Spelling) stand in for it, with less weight: at most three for a word, for at most three words.
	// Nil: no word is.
	Misspelt func(word string) bool
	// Then asks about an earlier moment; nil: about now.
	Then *Then
}

// Then is what it takes to answer as if the index held what there was at an earlier moment: scores and counts are those of then. An
// entry of a scene may have fewer neighbours than it had.
type Then struct {
	At      time.Time      // entries that were created later were not there yet
	Without []lukasa.ID    // entries that have changed since, or were not there yet
	Entries []lukasa.Entry // those that have changed or gone since, as they were, with their vectors. They stand in named nodes
}

// Scene is what stands around the candidates of an answer. Numbers of terms and speakers mean something within
// the scene alone. It may be used for as long as it is held.
type Scene struct {
	Terms   []Term  // the query's, each once, in the order in which the query has them
	Entries int     // latest entries of the named nodes
	Length  float64 // their mean number of terms
	// Items are the candidates, in the order of Answer.Candidates, then neighbours: the two entries before and the two behind
	// each candidate in the same session (of a message: conversation and session; of a chunk: the document), whether or not
	// they match. They lie in named nodes; the filter need not keep them.
	Items    []Item
	Speakers []string // names, by Item.Speaker

	Dot func(a, b int) float32 // cosine of two items; a = -1 stands for the query. Nil: there are no vectors. May read what is mapped: see mapped.Catch
}

// Term is a term of the query.
type Term struct {
	ID        uint32 // NoTerm where no entry has it
	Word      string // as the query has it
	Count     int    // how often the query has it
	Frequency int    // latest entries of the named nodes that have it
	// Instead are the terms that stand in for a word that no entry has; the number is then that of all of them, and Share what they count, of 1.
	Instead []string
	Share   float64 // 0 stands for 1
}

// NoTerm is the number of a term that no entry has.
const NoTerm = ^uint32(0)

// Item is an entry of a scene.
type Item struct {
	Candidate  lukasa.Candidate
	Terms      []uint32 // in order: those of title and speaker first
	Head       int      // how many are of title and speaker
	Prev, Next int32    // items right before and behind it in its session; -1: none, or not known
	Speaker    int32    // -1: nobody
	Role       string
	Confidence float64
}

// Answer holds the union of both sides, each entry once, ordered by entry id. Exactly min(K, n) entries of each side are
// in it, where n counts those that the filter keeps and, on the text side, that share a term with the query.
type Answer struct {
	Candidates []lukasa.Candidate
	Terms      []string            // what the analyser made of the text
	Scene      *Scene              // if it was asked for
	Instead    map[string][]string // the terms that stood in for words of the text; see [Request.Misspelt]
	Partitions int
	Matched    int // entries that the filter keeps, over all named nodes
}

// Index is a driver. All methods are safe for concurrent use; a search waits for no write, but for what it
// has to know of to be read.
type Index interface {
	// Sync brings the index up to the feed's head: what was committed before the call is found after it. It returns the
	// head.
	Sync(ctx context.Context) (int64, error)
	// Search answers from the state of Request.Seen or later.
	Search(ctx context.Context, r Request) (Answer, error)
	// Version returns a number for each node that changes whenever an entry of that node does.
	Version(owner, node lukasa.ID) int64
	// Speakers returns who speaks in the named nodes, or nothing where that is nobody or a crowd. seen is as in [Request].
	Speakers(ctx context.Context, owner lukasa.ID, nodes []lukasa.ID, seen int64) ([]string, error)
	Stats() Stats
	// Rebuild drops one partition, or all for "", and reads it again from the feed when it is next needed.
	Rebuild(owner, node lukasa.ID)
	// Close saves what makes the next start quicker.
	Close() error
}

// Checker is an index that keeps files. Check looks at all that they hold and says what is damaged, one line each.
type Checker interface {
	Check(ctx context.Context) ([]string, error)
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
