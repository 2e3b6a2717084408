package tend

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Migration says what is carried from where to where, as the engine takes it.
type Migration struct {
	From, To           string
	FilesFrom, FilesTo string
	DryRun             bool
	Restart            bool
	Clean              bool
}

// MigrationStep tells how far a migration is, as the engine does.
type MigrationStep struct {
	Event    string   `json:"event"`
	Table    string   `json:"table,omitempty"`
	Rows     int64    `json:"rows"`
	Total    int64    `json:"total"`
	Checked  int64    `json:"checked,omitempty"`
	Sum      string   `json:"sha256,omitempty"`
	Cleaned  int64    `json:"cleaned,omitempty"`
	Where    []string `json:"where,omitempty"`
	Files    int      `json:"files"`
	Bytes    int64    `json:"bytes"`
	Absent   int      `json:"missing_files,omitempty"`
	Missing  []string `json:"missing,omitempty"`
	From     string   `json:"from,omitempty"`
	To       string   `json:"to,omitempty"`
	FilesTo  string   `json:"files_to,omitempty"`
	Key      string   `json:"master_key,omitempty"`
	Behind   bool     `json:"source_changed,omitempty"`
	Database bool     `json:"to_database,omitempty"`
	DryRun   bool     `json:"dry_run,omitempty"`
}

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
func (c *MigrateCmd) Run(desk *Desk) error {
	show, end := desk.Progress()
	defer end()
	seen := &pace{show: show}
	var tables [][]string
	running, _ := strings.CutPrefix(c.From, "sqlite:")
	if c.Force || c.DryRun {
		running = ""
	}
	out, err := desk.Migrate(running, Migration{From: c.From, To: c.To, FilesFrom: c.FilesFrom, FilesTo: c.FilesTo, DryRun: c.DryRun, Restart: c.Restart, Clean: c.Clean}, func(s MigrationStep) {
		if desk.JSON {
			desk.line(s)
		}
		switch s.Event {
		case "table":
			tables = append(tables, []string{s.Table, fmt.Sprint(s.Rows), s.Sum[:16]})
			for _, w := range s.Where {
				desk.Note("cleaned %s", desk.Plain(w))
			}
		case "count":
			tables = append(tables, []string{s.Table, fmt.Sprint(s.Total)})
		}
		seen.step(desk, s)
	})
	end()
	if err != nil {
		return err
	}
	if desk.JSON {
		desk.line(out)
		return nil
	}
	header := []string{"TABLE", "ROWS", "SHA-256"}
	if c.DryRun {
		header = header[:2]
	}
	if err := desk.Table(header, tables); err != nil {
		return err
	}
	c.tell(desk, out)
	return nil
}

// line prints a value as one line of JSON.
func (desk *Desk) line(v any) {
	if b, err := json.Marshal(v); err == nil {
		desk.Say("%s", b)
	}
}

// tell says what it came to.
func (c *MigrateCmd) tell(desk *Desk, out MigrationStep) {
	if c.DryRun {
		desk.Say("%d rows and %s would go from %s to %s", out.Total, desk.Counted(out.Files, "sealed file"), out.From, out.To)
		return
	}
	desk.Say("%d rows went from %s to %s; all were compared and are the same", out.Rows, out.From, out.To)
	if out.FilesTo != "" {
		desk.Say("%s (%s) went to %s", desk.Counted(out.Files, "sealed file"), desk.Bytes(out.Bytes), out.FilesTo)
	}
	if out.Cleaned > 0 {
		desk.Note("warning: %d texts were cleaned", out.Cleaned)
	}
	if out.Absent > 0 {
		desk.Note("warning: %s that rows speak of are nowhere:", desk.Counted(out.Absent, "file"))
		for _, m := range out.Missing {
			desk.Note("  %s", m)
		}
	}
	if out.Behind {
		desk.Note("warning: the source was written to meanwhile; what came after the copy was begun is not in it")
	}
	desk.Say("next:")
	if out.Database {
		desk.Say("  set store.provider = postgres and store.url = %s (LUKASA_STORE_PROVIDER, LUKASA_STORE_URL) on every node", out.To)
		desk.Say("  give every node the same master key: LUKASA_MASTER_KEY, or master.key in its data directory")
	} else {
		desk.Say("  use it with store.provider = sqlite and --data DIR")
	}
	if out.Key != "" {
		desk.Say("  the master key was put into %s: keep it as safe as the one of the source", out.Key)
	}
	desk.Say("  remove the folder index of a data directory that is used again with another store: it is derived and builds itself")
	desk.Say("  run lukasa doctor, then start the server; keep the source until you are sure")
}

// pace shows how fast a table is copied, and how long the rest takes.
type pace struct {
	show  func(format string, args ...any)
	table string
	begun time.Time
	first int64
}

func (p *pace) step(desk *Desk, s MigrationStep) {
	at, verb := s.Rows, "copying"
	switch s.Event {
	case "files":
		p.show("copying files: %d, %s", s.Files, desk.Bytes(s.Bytes))
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
