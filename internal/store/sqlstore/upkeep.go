package sqlstore

import (
	"context"
	_ "embed"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// DeleteUser implements [store.Upkeep]. Jobs of the owner go too.
func (b Base) DeleteUser(ctx context.Context, id lukasa.ID) (gone lukasa.Removal, blobs []string, err error) {
	if err := b.LeaveAll(ctx, id); err != nil { // which concerns other owners
		return gone, nil, err
	}
	err = b.write(ctx, lukasa.Scope{Owner: id}, func(t *Tx) error {
		gone, blobs = lukasa.Removal{}, nil
		there, err := t.Has("SELECT 1 FROM owners WHERE owner_id = ?1")
		if err != nil {
			return err
		}
		if !there || id == "" {
			return lukasa.NotFound("user", id)
		}
		t.silent = true
		tops, err := t.ids("SELECT id FROM nodes WHERE owner_id = ?1 AND parent_id IS NULL")
		if err != nil {
			return err
		}
		for _, node := range tops {
			if gone, blobs, err = t.DeleteNode(node); err != nil {
				return err
			}
		}
		for _, table := range []string{"edges", "entity_names", "entities", "jobs", "grants", "api_keys", "members", "users", "owners", "deltas", "file_events", "audit"} {
			n, err := t.Exec("DELETE FROM " + table + " WHERE owner_id = ?1")
			if err != nil {
				return err
			}
			switch table {
			case "entities":
				gone.Entities += int(n)
			case "jobs":
				gone.Jobs += int(n)
			}
		}
		return nil
	})
	if err == nil { // who was made a member meanwhile is none, and nobody can be made one of who is gone
		err = b.LeaveAll(context.WithoutCancel(ctx), id)
	}
	return gone, blobs, err
}

// BlobKeys implements [store.Upkeep].
func (b Base) BlobKeys(ctx context.Context, yield func(string) bool) error {
	return b.read(ctx, lukasa.Scope{}, func(s *Session) error {
		_, err := s.While(func(r sqlrows.Row) bool { return yield(r.Text(0)) }, "SELECT DISTINCT blob FROM files WHERE blob <> '' ORDER BY blob")
		return err
	})
}

// checks are questions whose rows are what is wrong.
//
//go:embed checks.sql
var checks string

// CheckRows looks for what is wrong in rows, after first has looked for what only the driver can see.
func (b Base) CheckRows(ctx context.Context, first func(*Session, *[]string) error) ([]string, error) {
	found := []string{}
	err := b.read(ctx, lukasa.Scope{}, func(s *Session) error {
		if err := first(s, &found); err != nil {
			return err
		}
		for q := range strings.SplitSeq(checks, ";\n") {
			if err := sqlrows.Into(&s.Session, &found, scanText, q); err != nil {
				return err
			}
		}
		spaces, err := s.allSpaces()
		if err != nil {
			return err
		}
		for _, n := range spaces {
			err := sqlrows.Into(&s.Session, &found, scanText, "SELECT 'vector of '||e.entry_id||' in space "+itoa(n)+` has no entry' FROM embeddings_`+itoa(n)+` e
WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.owner_id = e.owner_id AND c.id = e.entry_id AND c.node_id = e.node_id)
 AND NOT EXISTS (SELECT 1 FROM memories c WHERE c.owner_id = e.owner_id AND c.id = e.entry_id AND c.node_id = e.node_id)
 AND NOT EXISTS (SELECT 1 FROM documents c WHERE c.owner_id = e.owner_id AND c.id = e.entry_id AND c.node_id = e.node_id AND c.summary_entry = 1)`)
			if err != nil {
				return err
			}
		}
		return s.checkChains(&found)
	})
	return found, err
}
