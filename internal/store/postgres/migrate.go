package postgres

import (
	"context"
	"embed"
	"encoding/hex"
	"fmt"
	"net/url"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// appRole is the role without rights of its own as which the program works in a schema. The policies hold for it.
func appRole(schema string) string { return schema + "_app" }

// migrate brings the schema up to date, as the role that owns it, and lets the role that logs in take on that of the program.
func migrate(ctx context.Context, o Options) error {
	address := o.Admin
	if address == "" {
		address = o.URL
	}
	steps, err := pg.Steps(schemaFiles, "schema/0*.sql")
	if err != nil {
		return err
	}
	admin, err := pg.Open(ctx, pg.Options{URL: address, MaxConns: 1, Mode: pg.Pooled, Patience: o.Patience})
	if err != nil {
		return invalid("store.url", err)
	}
	defer admin.Close()
	if guest, err := isGuest(ctx, admin, o); err != nil || guest {
		return err
	}
	if err := sameKey(ctx, admin, o); err != nil {
		return err
	}
	if err := pg.Migrate(ctx, admin, pg.Schema{Name: o.Schema, Steps: steps, Always: parts(o.Schema, o.Key)}); err != nil {
		return err
	}
	if u, err := url.Parse(o.URL); o.Admin != "" && err == nil && u.User.Username() != "" {
		return admit(ctx, admin, u.User.Username(), appRole(o.Schema))
	}
	return nil
}

// isGuest reports whether the role that logs in does not own the schema, which is there: then another node, or a step before the
// start, has brought it up to date, and all that can be done is to see that it fits.
func isGuest(ctx context.Context, p *pg.Pool, o Options) (guest bool, err error) {
	has := 0
	err = p.Read(ctx, "", func(c *pg.Conn) error {
		err := c.Each(ctx, "SELECT NOT pg_has_role(current_user, nspowner, 'MEMBER') FROM pg_namespace WHERE nspname = ?1", []any{o.Schema}, func(r sqlrows.Row) error {
			guest = r.Bool(0)
			return nil
		})
		if err != nil || !guest {
			return err
		}
		return c.Each(ctx, "SELECT "+pg.Name(o.Schema)+".schema_version()", nil, func(r sqlrows.Row) error {
			has = r.Int(0)
			return nil
		})
	})
	if err != nil || !guest {
		return guest, err
	}
	steps, err := pg.Steps(schemaFiles, "schema/0*.sql")
	if err != nil {
		return true, err
	}
	knows := steps[len(steps)-1].Version
	switch {
	case has < knows:
		return true, &lukasa.Error{
			Code: lukasa.CodeConflict, Field: "store.url", Msg: fmt.Sprintf("the database has schema version %d, this program needs %d, and the role that it logs in as may not change it", has, knows),
			Hint: "start one node with store.admin_url first, the address of the role that owns the schema",
		}
	case has > knows+1:
		return true, &pg.SchemaError{Has: has, Knows: knows}
	}
	return true, nil
}

// sameKey returns an error where the schema was made with another key: the other nodes could work no more.
func sameKey(ctx context.Context, admin *pg.Pool, o Options) error {
	inner, _ := pg.Pads(o.Key)
	other := false
	err := admin.Read(ctx, "", func(c *pg.Conn) error {
		there := false
		if err := c.Each(ctx, "SELECT 1 WHERE to_regclass(?1) IS NOT NULL", []any{o.Schema + "_private.claim_key"}, func(sqlrows.Row) error { there = true; return nil }); err != nil || !there {
			return err
		}
		return c.Each(ctx, "SELECT encode(inner_pad, 'hex') FROM "+pg.Name(o.Schema+"_private")+".claim_key", nil, func(r sqlrows.Row) error {
			other = r.Text(0) != hex.EncodeToString(inner[:])
			return nil
		})
	})
	if err == nil && other {
		err = &lukasa.Error{
			Code: lukasa.CodeConflict, Field: "master_key", Msg: "is not the one that this database was made with",
			Hint: "give all nodes the same LUKASA_MASTER_KEY: that of the first one stands in master.key in its data directory",
		}
	}
	return err
}

// admit makes a role that logs in a member of the program's role.
func admit(ctx context.Context, admin *pg.Pool, login, role string) error {
	return admin.Write(ctx, "", func(c *pg.Conn) error {
		member := false
		err := c.Each(ctx, "SELECT pg_has_role(?1, ?2, 'MEMBER')", []any{login, role}, func(r sqlrows.Row) error { member = r.Bool(0); return nil })
		if err != nil || member {
			return err
		}
		return c.Script(ctx, "GRANT "+pg.Name(role)+" TO "+pg.Name(login))
	})
}
