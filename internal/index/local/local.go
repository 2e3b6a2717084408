// Package local keeps the index in the process: partitions of vectors, postings and attributes that follow the store's
// change log.
//
// The partition is the node. It is read from the feed when it is first searched and from then on follows the changes, so
// that several processes on one store see each other's writes at their next Sync. Searches read immutable views and
// wait for a writer only where it is just making a view of a change that they have to know of (late.go); a search of a node that is
// not loaded yet waits for that.
//
// What an entry is found by: the terms (internal/text) of its title, its speaker and its text, in that order. BM25 has
// k1 = 1.2 and b = 0.75; idf = ln(1 + (N - df + 0.5) / (df + 0.5)), where N, df and the average length count the latest
// entries of the named nodes, whatever the filter and the types; a term that the query has twice counts twice. Scores are
// whole multiples of 2^-30, so that equal entries tie; of equal entries the lower id comes first.
//
// Entries that are not the latest are kept, but are found only by a request whose filter has a condition on "latest".
//
// # Layout
//
// An owner has a dictionary of terms and shards. A shard is one large node, or the pool of all nodes of up to Options.Tiny
// entries: what a request does not name is masked out before anything is scored, and its statistics are counted over the
// named nodes only. What a shard is made of is in core.go: a row of slots in blocks of up to 1,024 (codes, ids, numbers
// of classes and labels). An entry that is written again gets a new slot; three bitmaps say which slots hold a latest entry,
// one that is not, and a vector. A shard with more than 30 % dead slots is copied without them.
//
// Filters: type, speaker, session and the like are a class, which many entries share; tags and metadata are labels, of which an
// entry has a set. Both are numbers of texts in a dictionary of the owner. A filter is asked once a class and once a set.
//
// Sessions: the slots of one conversation's session, or of one document, are chained both ways in the order in which
// they were written, so that what stands beside an entry is found without a table of all. The chain is followed up to 128
// entries each way where it is not in order; when a shard is copied or loaded, it is put in order.
//
// Text: every slot keeps its terms in order; looking through these serves small sets and the second score
// of a candidate. The newest slots are in a tail that readers and the writer share, older ones in segments of postings
// (internal/postings), each more than twice as large as all behind it, that are walked with MaxScore and block maxima: the best
// k are exact.
//
// Vectors (internal/vector): all named slots that the filter keeps are estimated from 1-bit codes, the best 200 (or four times K, if
// that is more) compared by 8-bit codes, and the best 24 with the vectors that the feed gives. Where little is to be
// compared, the first stage is left out. A partition of more than 250,000 vectors gets cells (cells.go), so that of vectors in clusters few
// are looked at.
//
// Concurrency: Index.mu orders those who apply changes, owner.mu those who write to an owner's shards (the order of locking is
// node.load, Index.mu, owner.mu). A writer fills slots that no view shows and then publishes a new view. Large merges
// and compactions run beside on a view, and what was written meanwhile is done again before their result is published.
//
// Derived files (slots/file.go): one for each owner, written when the index is closed and from time to time, mapped when the owner
// is next searched. A file is believed only if its checksums, the analyser, the space and the dimension are right and its seq is not ahead of
// the feed; the changes since are replayed. What is damaged is read from the feed again, also where that turns out while it is
// searched (mend.go). Several processes may write: the last one wins, and each file is whole.
//
// An owner that nobody searches is put away (evict.go): its file and the numbers of the last changes of its nodes stay.
//
// Who may import this: the engine alone.
package local
