package engine_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// onServer makes a configuration keep rows in a schema of its own on the test's PostgreSQL.
func onServer(t *testing.T, c config.Config) config.Config {
	t.Helper()
	url := os.Getenv("LUKASA_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	c.StoreProvider, c.StoreURL, c.StoreSchema = "postgres", url, "t_"+strings.ToLower(rand.Text()[:12])
	return c
}

// found is what an engine finds, without what is measured.
func found(t *testing.T, e *engine.Engine, sc lukasa.Scope) (list []string) {
	t.Helper()
	for _, q := range []string{"where does Ada live", "engine number 7", "ships", "harbour"} {
		got, err := e.Search(t.Context(), sc, lukasa.Query{Text: q, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Hits) == 0 {
			t.Errorf("nothing is found for %q", q)
		}
		for _, h := range got.Hits {
			list = append(list, fmt.Sprintf("%s: %s %.6f %.60q", q, h.ID, h.Score, h.Content))
		}
	}
	return list
}

// A store goes to PostgreSQL and back, and what is found stays.
func TestMigrateThereAndBack(t *testing.T) {
	t.Parallel()
	home := enginetest.Config(t)
	large := strings.Repeat("The harbour of the town holds ships of many kinds, and each has a name. ", 3000)
	var id lukasa.ID
	open := func(c config.Config, fn func(e *engine.Engine, sc lukasa.Scope)) {
		t.Helper()
		e, err := engine.Open(context.Background(), c, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sc, err := e.Local(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		fn(e, sc)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	open(home, func(e *engine.Engine, sc lukasa.Scope) {
		for i := range 20 {
			if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: fmt.Sprintf("Ada lives in town %d. She builds engine number %d for ships.", i, i)}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: large, Title: "Harbour"})
		if err != nil {
			t.Fatal(err)
		}
		id = r.Document.ID
		if err := e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		want = found(t, e, sc)
	})
	cluster := onServer(t, home)
	cluster.Data = t.TempDir()
	back := enginetest.Config(t)
	key, err := os.ReadFile(filepath.Join(home.Data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cluster.Data, "master.key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	back.StoreSchema = cluster.StoreSchema
	back.Data = filepath.Join(back.Data, "new")
	tables := 0
	for _, x := range []struct {
		c        config.Config
		from, to string
	}{{cluster, "sqlite:" + home.Data, cluster.StoreURL}, {cluster, cluster.StoreURL, "sqlite:" + back.Data}} {
		out, err := engine.Migrate(t.Context(), x.c, engine.Migration{From: x.from, To: x.to}, func(s engine.MigrationStep) {
			if s.Event == "table" && s.Total > 0 {
				tables++
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if out.Rows < 60 || out.Files != 2 || out.Absent != 0 || out.Behind || tables < 10 {
			t.Errorf("%+v, %d tables", out, tables)
		}
		if _, err := engine.Migrate(t.Context(), x.c, engine.Migration{From: x.from, To: x.to, Restart: true}, func(engine.MigrationStep) {}); lukasa.CodeOf(err) != lukasa.CodeConflict {
			t.Errorf("a full store is filled again: %v", err)
		}
	}
	for _, c := range []config.Config{cluster, back} {
		open(c, func(e *engine.Engine, sc lukasa.Scope) {
			if diff := cmp.Diff(want, found(t, e, sc)); diff != "" {
				t.Errorf("%s finds something else (-want +got)\n%s", c.StoreProvider, diff)
			}
			r, _, err := e.Content(t.Context(), sc, id, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			if err != nil || strings.TrimSpace(string(b)) != strings.TrimSpace(large) {
				t.Errorf("%d bytes of the large document came back, %v", len(b), err)
			}
			_ = r.Close()
			if damage, err := e.Doctor(t.Context(), sc, false); err != nil || len(damage) > 0 {
				t.Errorf("damage %q, %v", damage, err)
			}
			// A backup of any store is a file of rows, and a way back.
			file := filepath.Join(t.TempDir(), "rows.db")
			if err := e.Backup(t.Context(), sc, file); err != nil {
				t.Fatal(err)
			}
			dry, err := engine.Migrate(t.Context(), c, engine.Migration{From: "sqlite:" + file, To: "sqlite:" + filepath.Join(t.TempDir(), "x"), DryRun: true}, func(engine.MigrationStep) {})
			if err != nil || dry.Total < 60 || dry.Files != 2 {
				t.Errorf("the backup: %+v, %v", dry, err)
			}
		})
	}
}

// A store that is half filled is not opened, and a lost file is told of.
func TestMigrateHalfWay(t *testing.T) {
	t.Parallel()
	home, next := enginetest.Config(t), enginetest.Config(t)
	next.Data = filepath.Join(next.Data, "new")
	e, _, sc := enginetest.Open(t, home, engine.Options{})
	for _, text := range []string{strings.Repeat("Many ships are in the harbour today. ", 9000), strings.Repeat("Few ships are in the harbour at night. ", 9000)} {
		if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	gone := ""
	_ = filepath.WalkDir(filepath.Join(home.Data, "blobs"), func(path string, d os.DirEntry, _ error) error {
		if d.Type().IsRegular() {
			gone = path
		}
		return nil
	})
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	m := engine.Migration{From: "sqlite:" + home.Data, To: "sqlite:" + next.Data}
	ctx, stop := context.WithCancel(t.Context())
	if _, err := engine.Migrate(ctx, home, m, func(s engine.MigrationStep) {
		if s.Table == "chunks" {
			stop()
		}
	}); err == nil {
		t.Fatal("it was not cut off")
	}
	if e, err := engine.Open(t.Context(), next, engine.Options{}); lukasa.CodeOf(err) != lukasa.CodeConflict || !strings.Contains(err.Error(), "half filled") {
		t.Errorf("a half filled store was opened: %v, %v", e, err)
	}
	out, err := engine.Migrate(t.Context(), home, m, func(engine.MigrationStep) {})
	if err != nil || out.Absent != 1 || len(out.Missing) != 1 || out.Files != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	other, _, sc2 := enginetest.Open(t, next, engine.Options{})
	list, err := other.Documents(t.Context(), sc2, lukasa.DocumentFilter{}, lukasa.Page{})
	if err != nil || list.Total != 2 {
		t.Errorf("%d documents, %v", list.Total, err)
	}
	// A key is not made for a store that has none.
	lost := home
	lost.Data = t.TempDir()
	rows := filepath.Join(t.TempDir(), "rows.db")
	if err := e.Backup(t.Context(), sc, rows); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Migrate(t.Context(), lost, engine.Migration{From: "sqlite:" + rows, To: "sqlite:" + lost.Data}, func(engine.MigrationStep) {}); lukasa.CodeOf(err) != lukasa.CodeNotFound || !strings.Contains(err.Error(), "master key") {
		t.Errorf("%v", err)
	}
}
