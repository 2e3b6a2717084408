package lifecycle

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// JobRespace makes the vectors of an owner that the embedding space in force lacks; its record is the owner.
const JobRespace lukasa.JobKind = "respace"

// JobReword makes those vectors of an owner anew that were made of another text than today's; its record is the owner.
const JobReword lukasa.JobKind = "reword"

const (
	settingSpace = "embeddings.space" // the space that vectors are made in, or have been asked for
	settingForm  = "embeddings.form:" // and the space: the form of the texts that its vectors are made of
	respaceTries = 20
)

// Respace sees to it that what is kept has vectors in a space. Where another was in force before, since the embedder was changed or the
// program brought a newer one, each owner gets a job: until that is done, what has no vector yet is found by its words.
//
// Where the program that wrote to the space before made other texts of what it embedded (form), each owner gets a job too: until that is done,
// the vectors that there are stand.
func (p *Path) Respace(ctx context.Context, space, form string) error {
	was, err := p.Store.Setting(ctx, settingSpace)
	if err != nil {
		return err
	}
	formed, err := p.Store.Setting(ctx, settingForm+space)
	if err == nil && formed != form {
		if was == space {
			_, err = p.forAll(ctx, JobReword)
		}
		if err == nil {
			err = p.Store.SetSetting(ctx, settingForm+space, form)
		}
	}
	if err != nil || was == space {
		return err
	}
	if p.respaced, err = p.forAll(ctx, JobRespace); err != nil {
		return err
	}
	return p.Store.SetSetting(ctx, settingSpace, space)
}

// forAll gives each owner a job whose record is the owner, and reports whether there is any.
func (p *Path) forAll(ctx context.Context, kind lukasa.JobKind) (bool, error) {
	users, err := p.Store.Users(ctx)
	if err != nil {
		return false, err
	}
	for _, u := range users {
		j := lukasa.Job{ID: p.Mint.ID(lukasa.PrefixJob), Owner: u.ID, Kind: kind, Record: u.ID, MaxTries: respaceTries, RunAt: p.now(), Created: p.now()}
		if err := p.Store.Update(ctx, lukasa.Scope{Owner: u.ID, Principal: u.ID, Role: lukasa.RoleUser}, func(tx store.Tx) error { return tx.Enqueue(j) }); err != nil {
			return false, err
		}
	}
	return len(users) > 0, nil
}

// reword makes the vectors anew that were made of another text. Cut off, it begins again.
func (p *Path) reword(ctx context.Context, sc lukasa.Scope) error {
	vectors := 0
	for cursor := ""; ; {
		_, _, next, err := p.each(ctx, sc, Work{Cursor: cursor}, func(ctx context.Context, d lukasa.Document) error {
			if d.ContentType != "conversation" {
				return nil
			}
			n, err := p.Derive.Reword(ctx, sc, d.ID)
			vectors += n
			return err
		})
		if err != nil {
			return err
		}
		if cursor = next; next == "" {
			break
		}
	}
	if vectors > 0 {
		p.Log.InfoContext(ctx, "made vectors anew of messages", "owner", sc.Owner, "vectors", vectors)
	}
	return nil
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
