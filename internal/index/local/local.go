// Package local keeps the index in the process: partitions of vectors, postings and attributes that follow the store's
// change log.
//
// The partition is the node. It is read from the feed when it is first searched and from then on follows the changes, so
// that several processes on one store see each other's writes at their next Sync. Searches read immutable views and never
// wait for a writer.
//
// What an entry is found by: the terms (internal/text) of its title, its speaker and its text, in that order. BM25 has
// k1 = 1.2 and b = 0.75; idf = ln(1 + (N - df + 0.5) / (df + 0.5)), where N, df and the average length count the latest
// entries of the named nodes, whatever the filter and the types.
//
// Entries that are not the latest are kept, but are found only by a request whose filter has a condition on "latest".
//
// Who may import this: the engine alone.
package local
