// Package merge judges two memories: whether they say the same, which of them a newer one takes the place of, and which names mean the same person.
//
// Everything is a pure function of its arguments: no store, no clock. [Same] finds near-duplicates, whose sources are put together.
// [Supersedes] says when a newer memory retires an older one, and why; [Settle] plays this through for many. A memory's evidence is as old as
// [SaidAt] tells: old letters that are imported today retire nothing that was said since. A [Statement] is what an extractor draws
// from a text; it becomes a memory whose metadata this package reads, or a [Triple] of two entities.
package merge
