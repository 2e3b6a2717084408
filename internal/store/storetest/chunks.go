package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var chunkCases = []testCase{
	{"ReplaceKeepsWhatStays", func(t *testing.T, w *world) {
		d, cs := w.saved(w.node("work"), "text", 3)
		w.view(func(r store.Reader) {
			same(t, cs, must[[]lukasa.Chunk](t)(r.Chunks(d.ID)))
			same(t, []lukasa.Chunk{cs[2], cs[0]}, must[[]lukasa.Chunk](t)(r.ChunksByID([]lukasa.ID{cs[2].ID, "chk_none", cs[0].ID})))
			got := must[lukasa.Document](t)(r.Document(d.ID))
			same(t, [2]int{3, 3}, [2]int{got.Chunks, got.Embedded})
		})
		next := []lukasa.Chunk{cs[0], cs[1], w.chunks(d, 1)[0]}
		next[0].Page = 7             // stays, with its vector
		next[1].Content = "new text" // its vector no longer fits
		next[2].Seq = 2
		w.update(func(tx store.Tx) error { return tx.ReplaceChunks(d.ID, next) })
		w.view(func(r store.Reader) {
			same(t, next, must[[]lukasa.Chunk](t)(r.Chunks(d.ID)))
			got := must[lukasa.Document](t)(r.Document(d.ID))
			same(t, [2]int{3, 1}, [2]int{got.Chunks, got.Embedded})
			pending := must[[]lukasa.Entry](t)(r.Pending(d.ID, space, 10))
			same(t, []lukasa.ID{next[1].ID, next[2].ID}, idsOf(pending, entryID))
			same(t, 1, len(must[[]lukasa.Entry](t)(r.Pending(d.ID, space, 1))))
			same(t, 3, len(must[[]lukasa.Entry](t)(r.Pending(d.ID, "another", 10))))
		})
		vs := must[[][]float32](t)(w.Vectors(w.ctx(), space, w.owner, []lukasa.ID{cs[2].ID, cs[0].ID, cs[1].ID}))
		same(t, [][]float32{nil, vector(0), nil}, vs)
		w.update(func(tx store.Tx) error { return tx.ReplaceChunks(d.ID, nil) })
		w.view(func(r store.Reader) { same(t, 0, must[lukasa.Document](t)(r.Document(d.ID)).Chunks) })
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.ReplaceChunks("doc_none", nil) }))
		w.healthy()
	}},
	{"SpacesStandApart", func(t *testing.T, w *world) {
		d, cs := w.saved(w.node("work"), "text", 2)
		other := []float32{1, 2, 3}
		w.update(func(tx store.Tx) error {
			return tx.PutVectors("other-3", []store.Vector{{Entry: cs[1].ID, Type: lukasa.EntryChunk, Vector: other}, {Entry: "chk_gone", Type: lukasa.EntryChunk, Vector: other}})
		})
		ids := idsOf(cs, chunkID)
		same(t, [][]float32{vector(0), vector(1)}, must[[][]float32](t)(w.Vectors(w.ctx(), space, w.owner, ids)))
		same(t, [][]float32{nil, other}, must[[][]float32](t)(w.Vectors(w.ctx(), "other-3", w.owner, ids)))
		same(t, [][]float32{nil, nil}, must[[][]float32](t)(w.Vectors(w.ctx(), "none", w.owner, ids)))
		w.view(func(r store.Reader) { same(t, 2, must[lukasa.Document](t)(r.Document(d.ID)).Embedded) })
		w.healthy()
	}},
	{"NoVectorIsNeeded", func(t *testing.T, w *world) {
		d, cs := w.saved(w.node("work"), "text", 1)
		w.update(func(tx store.Tx) error {
			return tx.PutVectors(space, []store.Vector{{Entry: cs[0].ID, Type: lukasa.EntryChunk, Vector: []float32{}}})
		})
		same(t, [][]float32{nil}, must[[][]float32](t)(w.Vectors(w.ctx(), space, w.owner, idsOf(cs, chunkID))))
		w.view(func(r store.Reader) {
			same(t, 1, must[lukasa.Document](t)(r.Document(d.ID)).Embedded)
			same(t, 0, len(must[[]lukasa.Entry](t)(r.Pending(d.ID, space, 9))))
		})
		w.fails(lukasa.CodeInvalid, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
			return tx.PutVectors(space, []store.Vector{{Entry: cs[0].ID, Type: lukasa.EntryChunk}})
		}))
		w.healthy()
	}},
	{"VectorIsReplaced", func(t *testing.T, w *world) {
		_, cs := w.saved(w.node("work"), "text", 1)
		w.update(func(tx store.Tx) error {
			return tx.PutVectors(space, []store.Vector{{Entry: cs[0].ID, Type: lukasa.EntryChunk, Vector: vector(5)}})
		})
		same(t, [][]float32{vector(5)}, must[[][]float32](t)(w.Vectors(w.ctx(), space, w.owner, idsOf(cs, chunkID))))
		w.healthy()
	}},
	{"SummaryEntry", func(t *testing.T, w *world) {
		node := w.node("work")
		d := w.doc(node, "text")
		d.Summary = "In short."
		w.update(func(tx store.Tx) error {
			if err := tx.PutDocument(d); err != nil {
				return err
			}
			return tx.SummaryEntry(d.ID, true)
		})
		vec := func() {
			w.update(func(tx store.Tx) error {
				return tx.PutVectors(space, []store.Vector{{Entry: d.ID, Type: lukasa.EntryDocument, Vector: vector(3)}})
			})
		}
		vec()
		es := w.partition(node)
		same(t, []lukasa.ID{d.ID}, idsOf(es, entryID))
		same(t, [3]string{"document", "In short.", d.Title}, [3]string{string(es[0].Type), es[0].Text, es[0].Title})
		same(t, vector(3), es[0].Vector)
		d.Summary = "Otherwise."
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		w.view(func(r store.Reader) {
			same(t, []lukasa.ID{d.ID}, idsOf(must[[]lukasa.Entry](t)(r.Pending(d.ID, space, 9)), entryID)) // the old vector no longer fits
		})
		vec()
		w.update(func(tx store.Tx) error { return tx.SummaryEntry(d.ID, false) })
		same(t, 0, len(w.partition(node)))
		same(t, [][]float32{nil}, must[[][]float32](t)(w.Vectors(w.ctx(), space, w.owner, []lukasa.ID{d.ID})))
		vec() // no entry any more: passed over
		w.healthy()
	}},
	{"EntriesAreWhole", func(t *testing.T, w *world) {
		node := w.node("work")
		d := w.doc(node, "text")
		d.Tags, d.Metadata, d.OccurredAt, d.Origin, d.Status = []string{"t"}, map[string]any{"k": "v"}, new(start), lukasa.OriginWeb, lukasa.StatusEmbedding
		cs := w.chunks(d, 2)
		cs[1].Heading = []string{"Part", "Deep"}
		mem := w.memory(node, "a fact", lukasa.Source{Document: d.ID})
		mem.Tags, mem.Metadata, mem.OccurredAt, mem.Kind, mem.Confidence = []string{"m"}, map[string]any{"a": 1.0}, new(start.Add(time.Hour)), lukasa.KindDecision, 0.5
		w.update(func(tx store.Tx) error {
			if err := tx.PutMemory(mem); err != nil {
				return err
			}
			return put(tx, d, cs)
		})
		want := []lukasa.Entry{
			{
				ID: cs[1].ID, Type: lukasa.EntryChunk, Owner: w.owner, Node: node, Document: d.ID, Seq: 1, Text: cs[1].Content, Title: "Title of text > Part > Deep",
				ContentType: "text/plain", Status: lukasa.StatusEmbedding, Origin: lukasa.OriginWeb, Latest: true, Tags: d.Tags, Metadata: d.Metadata,
				OccurredAt: start, CreatedAt: d.CreatedAt, Vector: vector(1),
			},
			{
				ID: mem.ID, Type: lukasa.EntryMemory, Owner: w.owner, Node: node, Text: "a fact", Kind: lukasa.KindDecision, Status: lukasa.StatusDone,
				Origin: lukasa.OriginUser, Confidence: 0.5, Latest: true, Tags: mem.Tags, Metadata: mem.Metadata, OccurredAt: *mem.OccurredAt, CreatedAt: mem.RecordedAt,
			},
		}
		got := must[[]lukasa.Entry](t)(w.Entries(w.ctx(), space, w.owner, []lukasa.ID{cs[1].ID, "chk_none", mem.ID, d.ID}))
		same(t, want, got, sortEntries())

		c, ms, ccs := w.dialogue(node, "talk", 2)
		got = must[[]lukasa.Entry](t)(w.Entries(w.ctx(), space, w.owner, []lukasa.ID{ccs[1].ID}))
		same(t, []lukasa.Entry{{
			ID: ccs[1].ID, Type: lukasa.EntryMessage, Owner: w.owner, Node: node, Document: c.Document, Message: ms[1].ID, Conversation: c.ID,
			Seq: 1, Text: "turn 1", Title: "Title of ", Speaker: "Ada", Role: "user", Session: "s1", ContentType: "conversation", Status: lukasa.StatusDone,
			Origin: lukasa.OriginUser, Latest: true, Metadata: ms[1].Metadata, OccurredAt: *ms[1].Time, CreatedAt: ms[1].CreatedAt,
		}}, got)
	}},
	{"NewestFirst", func(t *testing.T, w *world) { // H-18
		node, other := w.node("work"), w.node("other")
		var docs []lukasa.Document
		for i := range 5 {
			d := w.doc(node, string(rune('a'+i)))
			if i == 0 {
				d.OccurredAt = new(start.Add(100 * time.Hour)) // newest by when it occurred
			}
			if i == 1 {
				d.ContentType = "application/pdf"
			}
			w.update(func(tx store.Tx) error { return put(tx, d, w.chunks(d, 2)) })
			docs = append(docs, d)
		}
		superseded, _ := w.saved(node, "old", 1)
		d := w.doc(other, "new")
		d.Previous, d.Version = superseded.ID, 2
		mem := w.memory(node, "a fact")
		w.update(func(tx store.Tx) error {
			if err := tx.PutMemory(mem); err != nil {
				return err
			}
			return put(tx, d, w.chunks(d, 1))
		})
		_, ms, _ := w.dialogue(node, "talk", 1) // said an hour before
		list := func(nodes []lukasa.ID, types []lukasa.EntryType, f *lukasa.Filter, limit int) (docsOf []lukasa.ID) {
			w.view(func(r store.Reader) {
				for _, e := range must[[]lukasa.Entry](t)(r.Newest(nodes, types, f, limit)) {
					switch {
					case e.Type == lukasa.EntryMemory:
						docsOf = append(docsOf, e.ID)
					case e.Message != "":
						docsOf = append(docsOf, e.Message)
					default:
						docsOf = append(docsOf, e.Document)
					}
				}
			})
			return docsOf
		}
		all := []lukasa.ID{docs[0].ID, docs[0].ID, mem.ID, d.ID, docs[4].ID, docs[4].ID, docs[3].ID, docs[3].ID, docs[2].ID, docs[2].ID, docs[1].ID, docs[1].ID, ms[0].ID}
		same(t, all, list(nil, nil, nil, 100))
		same(t, all[:3], list(nil, nil, nil, 3))
		same(t, []lukasa.ID{d.ID}, list([]lukasa.ID{other}, nil, nil, 100))
		same(t, []lukasa.ID{mem.ID}, list(nil, []lukasa.EntryType{lukasa.EntryMemory}, nil, 100))
		same(t, []lukasa.ID{ms[0].ID}, list(nil, []lukasa.EntryType{lukasa.EntryMessage}, nil, 100))
		same(t, []lukasa.ID{docs[1].ID, docs[1].ID}, list(nil, nil, &lukasa.Filter{Field: "content_type", Text: []string{"application/pdf"}}, 100))
		same(t, 0, len(list(nil, []lukasa.EntryType{lukasa.EntryDocument}, nil, 100)))
		w.update(func(tx store.Tx) error { return tx.SummaryEntry(docs[2].ID, true) })
		same(t, []lukasa.ID{docs[2].ID}, list(nil, []lukasa.EntryType{lukasa.EntryDocument}, nil, 100))
	}},
	{"NewestGoesOnAfterManyTies", func(t *testing.T, w *world) {
		node := w.node("work")
		w.update(func(tx store.Tx) error {
			for i := range 200 { // more than a driver reads at a time, all of one moment
				d := w.doc(node, "x")
				d.CreatedAt = start
				if i >= 150 {
					d.CreatedAt = start.Add(-time.Hour)
				}
				if err := put(tx, d, w.chunks(d, 1)); err != nil {
					return err
				}
			}
			return nil
		})
		w.view(func(r store.Reader) {
			es := must[[]lukasa.Entry](t)(r.Newest(nil, nil, nil, 1000))
			same(t, 200, len(es))
			seen := map[lukasa.ID]bool{}
			for i, e := range es {
				if seen[e.ID] || (i > 0 && e.When().After(es[i-1].When())) || (i > 0 && e.When().Equal(es[i-1].When()) && e.Document > es[i-1].Document) {
					t.Fatalf("entry %d comes twice or out of order", i)
				}
				seen[e.ID] = true
			}
			late := must[[]lukasa.Entry](t)(r.Newest(nil, nil, &lukasa.Filter{Field: "before", Time: start}, 10)) // far down
			same(t, idsOf(es[150:160], entryID), idsOf(late, entryID))
		})
	}},
	{"Stats", func(t *testing.T, w *world) { // D-12
		node := w.node("work")
		now := w.clock()
		d := w.doc(node, "recent")
		d.CreatedAt = now.Add(-time.Hour)
		w.update(func(tx store.Tx) error {
			if err := put(tx, d, w.chunks(d, 3)); err != nil {
				return err
			}
			if err := tx.PutFile(lukasa.File{ID: w.id(lukasa.PrefixFile), Document: d.ID, Role: "raw", SealedSize: 100}); err != nil {
				return err
			}
			return tx.PutMemory(w.memory(node, "fact"))
		})
		old := w.doc(node, "old!")
		old.CreatedAt, old.Status, old.ContentType = now.Add(-240*time.Hour), lukasa.StatusFailed, "text/html"
		w.update(func(tx store.Tx) error {
			if err := tx.PutDocument(old); err != nil {
				return err
			}
			return tx.ReplaceChunks(old.ID, w.chunks(old, 1))
		})
		w.dialogue(node, "talk", 2)
		w.view(func(r store.Reader) {
			same(t, lukasa.Stats{
				Documents: 2, ThisWeek: 1, Chunks: 6, Memories: 1, Messages: 2, Conversations: 1, Nodes: 1, Embedded: 3, Coverage: 0.5,
				Bytes: d.Size + old.Size + 100, ByStatus: map[string]int{"done": 1, "failed": 1}, ByType: map[string]int{"text/plain": 1, "text/html": 1},
			},
				must[lukasa.Stats](t)(r.Stats()))
		})
	}},
}
