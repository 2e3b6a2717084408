// Package slots holds the entries of a shard: columns and rows in blocks, vectors as codes, postings, classes and labels, and the
// chains of sessions.
//
// A [Core] is the writer's side, a [View] a state of it that readers use without waiting. A slot is written once, before a view
// shows it; three bitmaps say which slots hold a latest entry, one that is not, and a vector. An entry that is written again gets
// a new slot, and a core with many dead slots is copied without them.
//
// A core can be written to a file and mapped back ([Core.Freeze], [Core.Revive]). What is mapped is shared by all processes that
// do, for as long as nothing writes to it: arrays that grow are copied first, blocks when a slot is added to them.
//
// Who may import this: the index driver local.
package slots
