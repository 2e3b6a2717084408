package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

// MigrateCmd carries a store to another place.
type MigrateCmd struct {
	From      string `required:"" help:"Where the store is: sqlite:DIR, sqlite:FILE.db or postgres://…" placeholder:"PLACE"`
	To        string `required:"" help:"Where it is to be: an empty place of the same forms." placeholder:"PLACE"`
	FilesFrom string `help:"Where sealed files are, if not where the settings say: disk:DIR, s3 or none." placeholder:"MEDIUM"`
	FilesTo   string `help:"Where they are to be." placeholder:"MEDIUM"`
	DryRun    bool   `help:"Only count. The new place is not touched."`
	Restart   bool   `help:"Empty what an earlier migration has begun to fill, and begin anew."`
	Clean     bool   `help:"Put U+001A in the place of characters that the new place cannot keep (U+0000, bytes that are no text), and list where."`
	Force     bool   `help:"Even while a server runs on the source. What it writes meanwhile is not in the copy."`
}

// Help is the detail of the command's help.
func (MigrateCmd) Help() string {
	return `All rows are copied with their ids and times, then sealed files, and both are compared. Where it was cut off it goes on when the same command is given again. The source is only read. See docs/migrate.md.`
}

// Run copies, and says what to do next.
func (c *MigrateCmd) Run(a *app) error {
	show, end := a.bar()
	defer end()
	seen := &pace{show: show}
	var tables [][]string
	running, _ := strings.CutPrefix(c.From, "sqlite:")
	if c.Force || c.DryRun {
		running = ""
	}
	out, err := a.migrate(running, engine.Migration{From: c.From, To: c.To, FilesFrom: c.FilesFrom, FilesTo: c.FilesTo, DryRun: c.DryRun, Restart: c.Restart, Clean: c.Clean}, func(s engine.MigrationStep) {
		if a.g.JSON {
			a.line(s)
		}
		switch s.Event {
		case "table":
			tables = append(tables, []string{s.Table, fmt.Sprint(s.Rows), s.Sum[:16]})
			for _, w := range s.Where {
				a.note("cleaned %s", plain(w))
			}
		case "count":
			tables = append(tables, []string{s.Table, fmt.Sprint(s.Total)})
		}
		seen.step(s)
	})
	end()
	if err != nil {
		return err
	}
	if a.g.JSON {
		a.line(out)
		return nil
	}
	header := []string{"TABLE", "ROWS", "SHA-256"}
	if c.DryRun {
		header = header[:2]
	}
	if err := a.table(header, tables); err != nil {
		return err
	}
	c.tell(a, out)
	return nil
}

// line prints a value as one line of JSON.
func (a *app) line(v any) {
	if b, err := json.Marshal(v); err == nil {
		a.say("%s", b)
	}
}

// tell says what it came to.
func (c *MigrateCmd) tell(a *app, out engine.MigrationStep) {
	if c.DryRun {
		a.say("%d rows and %s would go from %s to %s", out.Total, counted(out.Files, "sealed file"), out.From, out.To)
		return
	}
	a.say("%d rows went from %s to %s; all were compared and are the same", out.Rows, out.From, out.To)
	if out.FilesTo != "" {
		a.say("%s (%s) went to %s", counted(out.Files, "sealed file"), bytesOf(out.Bytes), out.FilesTo)
	}
	if out.Cleaned > 0 {
		a.note("warning: %d texts were cleaned", out.Cleaned)
	}
	if out.Absent > 0 {
		a.note("warning: %s that rows speak of are nowhere:", counted(out.Absent, "file"))
		for _, m := range out.Missing {
			a.note("  %s", m)
		}
	}
	if out.Behind {
		a.note("warning: the source was written to meanwhile; what came after the copy was begun is not in it")
	}
	a.say("next:")
	if out.Database {
		a.say("  set store.provider = postgres and store.url = %s (LUKASA_STORE_PROVIDER, LUKASA_STORE_URL) on every node", out.To)
		a.say("  give every node the same master key: LUKASA_MASTER_KEY, or master.key in its data directory")
	} else {
		a.say("  use it with store.provider = sqlite and --data DIR")
	}
	if out.Key != "" {
		a.say("  the master key was put into %s: keep it as safe as the one of the source", out.Key)
	}
	a.say("  remove the folder index of a data directory that is used again with another store: it is derived and builds itself")
	a.say("  run lukasa doctor, then start the server; keep the source until you are sure")
}

// pace shows how fast a table is copied, and how long the rest takes.
type pace struct {
	show  func(format string, args ...any)
	table string
	begun time.Time
	first int64
}

func (p *pace) step(s engine.MigrationStep) {
	at, verb := s.Rows, "copying"
	switch s.Event {
	case "files":
		p.show("copying files: %d, %s", s.Files, bytesOf(s.Bytes))
		return
	case "compare":
		at, verb = s.Checked, "comparing"
	case "rows":
	default:
		return
	}
	if p.table != s.Event+s.Table {
		p.table, p.begun, p.first = s.Event+s.Table, time.Now(), at
	}
	rest := ""
	if spent := time.Since(p.begun).Seconds(); spent > 0 && at > p.first {
		rate := float64(at-p.first) / spent
		rest = fmt.Sprintf(", %.0f/s, %s left", rate, time.Duration(float64(s.Total-at)/rate*float64(time.Second)).Round(time.Second))
	}
	p.show("%s %s %s %d of %d%s", verb, s.Table, Bar(at, s.Total), at, s.Total, rest)
}

// Bar draws a share of one.
func Bar(done, all int64) string {
	const n = 20
	full := 0
	if all > 0 {
		full = int(min(n, done*n/all))
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", n-full) + "]"
}
