package postgres

import (
	_ "embed"
	"encoding/hex"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/pg"
)

var (
	//go:embed schema/rls.sql
	rlsSQL string
	//go:embed schema/past.sql
	pastSQL string
)

// parts are what a schema has beside its tables: the views of a moment, and the policies that tell who sees what. The key signs
// claims; the database gets what it needs to check them.
func parts(schema string, key []byte) []pg.Step {
	inner, outer := pg.Pads(key)
	names := strings.NewReplacer("{schema}", bare(schema), "{past}", bare(pastSchema(schema)), "{private}", bare(schema+"_private"), "{app}", bare(appRole(schema)),
		"{inner}", hex.EncodeToString(inner[:]), "{outer}", hex.EncodeToString(outer[:]))
	return []pg.Step{{Name: "rls.sql", SQL: names.Replace(rlsSQL)}, {Name: "past.sql", SQL: names.Replace(pastSQL)}}
}

// pastSchema is where the views of a moment stand.
func pastSchema(schema string) string { return schema + "_past" }

// bare is a name that needs no quotes, as it stands in literals, too: all but lower-case letters, digits and underscores is left out.
func bare(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') {
			return c
		}
		return -1
	}, name)
}
