package ingest

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Reword makes the vectors anew of those messages in a stretch of a conversation that were embedded by another text before [embed.EntryForm] was
// raised to 2: those that no name leads, and those that say nothing. It returns how many. Until then the old vectors stand.
func (p *Path) Reword(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (n int, err error) {
	var todo []lukasa.Entry
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		todo = nil
		speakers := map[lukasa.ID]string{}
		err := r.MessagesIn(id, 0, func(m lukasa.Message) bool {
			if embed.PlainSpeaker(m.Speaker) || text.Chatter(m.Content) {
				speakers[m.ID] = m.Speaker
			}
			return true
		})
		if err != nil || len(speakers) == 0 {
			return err
		}
		chunks, err := r.Chunks(id)
		for _, c := range chunks {
			if speaker, ok := speakers[c.Message]; ok && c.Message != "" {
				todo = append(todo, lukasa.Entry{ID: c.ID, Type: lukasa.EntryMessage, Speaker: speaker, Text: c.Content})
			}
		}
		return err
	})
	space := p.Embed.Space().ID
	for len(todo) > 0 && err == nil {
		some := todo[:min(len(todo), 64)]
		todo = todo[len(some):]
		var vs []store.Vector
		if vs, err = p.vectors(ctx, some); err == nil && len(vs) > 0 {
			n += len(vs)
			err = p.Store.Update(ctx, sc, func(tx store.Tx) error { return tx.PutVectors(space, vs) })
		}
	}
	return n, err
}
