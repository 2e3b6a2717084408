// Package lukasa holds the words of the product: every noun, id, filter, error code and event, and the pure rules that bind
// them. It imports the standard library only and touches nothing of the world: no I/O, no clock, no goroutine.
//
// # Glossary
//
// One word for one thing; in brackets, the words that are avoided for it.
//
//   - node: a place in an owner's tree: the root (depth 0), then up to five levels (space, folder).
//   - path: a node's dotted address, work.acme.billing; the request field that carries one is container (tenant, tag).
//   - owner: who the rows belong to; its id leads every key (tenant).
//   - entity: someone or something named in content; not a place.
//   - document: one saved piece of source content, with versions.
//   - chunk: a searchable stretch of a document with its offsets (passage, vector record).
//   - memory: one distilled statement with a kind, confidence, validity and sources.
//   - edge: a typed link between two records (relationship).
//   - conversation, message: a dialogue and one turn of it.
//   - file: the bytes behind a document, sealed and compressed.
//   - change: one line of the log that the index follows.
//   - scope: who is asking, and what that one may see.
//   - hit, brief: one search result; hits packed into a token budget (context).
//   - distil: to turn chunks into memories, summary, keywords and entities.
package lukasa
