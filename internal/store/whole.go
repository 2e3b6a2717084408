package store

import "github.com/lukasa-memory/lukasa"

// Whole is a document with all that is made of it.
type Whole struct {
	lukasa.Document
	Chunks  []lukasa.Chunk
	Summary bool   // the document itself, by title and summary, is an entry of its own
	Space   string // of the vectors
	Vectors []Vector
}

// Embeddings returns the vectors by the ids of their entries, and how many of them are of chunks. One of something else is passed over.
func (w Whole) Embeddings() (of map[lukasa.ID][]float32, chunks int, err error) {
	kinds := make(map[lukasa.ID]lukasa.EntryType, len(w.Chunks)+1)
	for i := range w.Chunks {
		kinds[w.Chunks[i].ID] = lukasa.EntryChunk
	}
	if w.Summary {
		kinds[w.ID] = lukasa.EntryDocument
	}
	of = make(map[lukasa.ID][]float32, len(w.Vectors))
	for _, v := range w.Vectors {
		if err := v.Check(); err != nil {
			return nil, 0, err
		}
		if kinds[v.Entry] != v.Type {
			continue
		}
		if v.Type == lukasa.EntryChunk && of[v.Entry] == nil {
			chunks++
		}
		of[v.Entry] = v.Vector
	}
	return of, chunks, nil
}

// Check says what is wrong with a vector that is to be kept.
func (v Vector) Check() error {
	switch v.Type {
	case lukasa.EntryChunk, lukasa.EntryMessage, lukasa.EntryMemory, lukasa.EntryDocument:
	default:
		return lukasa.Invalid("type", "%q is no type of entry", v.Type)
	}
	if v.Vector == nil {
		return lukasa.Invalid("vector", "is missing")
	}
	return nil
}
