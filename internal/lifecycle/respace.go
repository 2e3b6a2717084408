package lifecycle

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// JobRespace makes the vectors of an owner that the embedding space in force lacks; its record is the owner.
const JobRespace lukasa.JobKind = "respace"

const (
	settingSpace = "embeddings.space" // the space that vectors are made in, or have been asked for
	respaceTries = 20
)

// Respace sees to it that what is kept has vectors in a space. Where another was in force before, since the embedder was changed or the
// program brought a newer one, each owner gets a job: until that is done, what has no vector yet is found by its words.
func (p *Path) Respace(ctx context.Context, space string) error {
	if was, err := p.Store.Setting(ctx, settingSpace); err != nil || was == space {
		return err
	}
	users, err := p.Store.Users(ctx)
	if err != nil {
		return err
	}
	for _, u := range users {
		j := lukasa.Job{ID: p.Mint.ID(lukasa.PrefixJob), Owner: u.ID, Kind: JobRespace, Record: u.ID, MaxTries: respaceTries, RunAt: p.now(), Created: p.now()}
		if err := p.Store.Update(ctx, lukasa.Scope{Owner: u.ID, Principal: u.ID, Role: lukasa.RoleUser}, func(tx store.Tx) error { return tx.Enqueue(j) }); err != nil {
			return err
		}
	}
	p.respaced = len(users) > 0
	return p.Store.SetSetting(ctx, settingSpace, space)
}

// Respaced says whether this process found the vectors of another embedder when it started.
func (p *Path) Respaced() bool { return p.respaced }

// follow makes all vectors that an owner lacks. What is done stays done when it is cut off.
func (p *Path) follow(ctx context.Context, sc lukasa.Scope) error {
	out := Rebuilt{Regenerated: map[string]int{}}
	for {
		_, _, next, err := p.each(ctx, sc, Work{Cursor: out.Next}, p.filling(sc, out.Regenerated))
		if err != nil {
			return err
		}
		if out.Next = next; next == "" {
			break
		}
	}
	err := p.fillMemories(ctx, sc, nil, out.Regenerated)
	if n := out.Regenerated["embedding"]; err == nil && n > 0 {
		p.Log.InfoContext(ctx, "made vectors for another embedder", "owner", sc.Owner, "vectors", n)
	}
	return err
}

// filling returns what makes the vectors of a document that are missing, and counts them.
func (p *Path) filling(sc lukasa.Scope, count map[string]int) func(context.Context, lukasa.Document) error {
	return func(ctx context.Context, d lukasa.Document) error {
		n, err := p.Derive.Fill(ctx, sc, d.ID)
		count["embedding"] += n
		return err
	}
}

// fillMemories makes the vectors of memories that are missing, whichever state they are in.
func (p *Path) fillMemories(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, count map[string]int) error {
	page := lukasa.Page{Limit: 100, Uncounted: true}
	for {
		var l lukasa.Listing[lukasa.Memory]
		err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
			l, err = r.Memories(lukasa.MemoryFilter{Containers: in}, page)
			return err
		})
		if err != nil {
			return err
		}
		for _, m := range l.Items {
			n, err := p.Derive.Fill(ctx, sc, m.ID)
			if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound { // it may be deleted meanwhile
				return err
			}
			count["embedding"] += n
		}
		if page.Cursor = l.Next; l.Next == "" {
			return nil
		}
	}
}
