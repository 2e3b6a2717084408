package config_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/config"
)

// What is shown of an address never holds its name and password.
func TestRowsAreShownWithoutPassword(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"postgres://me:secret@db.example:5432/notes?sslmode=require&password=secret": "PostgreSQL at db.example:5432/notes, schema lukasa",
		"host=db.example password=secret dbname=notes":                               "PostgreSQL, schema lukasa",
		"postgres://me:secret@%zz":                                                   "PostgreSQL, schema lukasa",
	} {
		c := config.Default()
		if got := c.Rows(); got != "" {
			t.Errorf("a file: %q", got)
		}
		c.StoreProvider, c.StoreURL = "postgres", url
		if got := c.Rows(); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}
