// Package tend is the part of the command line that tends what is kept: what changes, what changed and how to turn it back, links, names
// and places, forgetting and the trash, receipts, sealed files, the audit log, grants, organisations and keys, and making again what is
// derived.
package tend

import (
	"context"
	"io"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// Desk is what a command works with.
type Desk struct {
	Ctx      context.Context
	JSON     bool
	API      func(change bool, fn func(*client.Client) error) error // a server, or the data directory as one
	Then     func(asOf string, fn func(client.Verbs) error) error   // reads what is there, or what was there at a moment
	Running  func(fn func(*client.Client) error) error              // a server alone
	Drawn    func(kind lukasa.Prefix, name, asOf string) error      // shows a container or an entity
	In       io.Reader
	Most     int64                            // bytes of a text that In may have
	Out      io.Writer                        // takes bytes as they are
	Say      func(format string, args ...any) // a line of the result
	Note     func(format string, args ...any) // a line beside it
	Print    func(v any) error                // as JSON
	Table    func(header []string, rows [][]string) error
	Field    func(name, value string)
	Confirm  func(yes bool, question string) error
	Progress func() (show func(format string, args ...any), done func())
	// Migrate carries a store to another place. Running is a data directory on which no server may run, "" for none.
	Migrate func(running string, m Migration, notice func(MigrationStep)) (MigrationStep, error)
	Values
}

// Values says how values are shown.
type Values struct {
	OneLine func(s string, n int) string
	When    func(time.Time) string
	Bytes   func(int64) string
	Counted func(n int, what string) string
	Plain   func(s string) string        // without what could steer a terminal
	Paint   func(style, s string) string // in a style, where colours are wanted
	Near    func(path string) string     // as seen from the working directory
	Width   int                          // columns of a line
}

// Commands are the commands of this room, as the grammar embeds them.
type Commands struct {
	Forget   ForgetCmd   `cmd:"" help:"Remove documents, memories, messages, conversations or whole containers, for good."`
	Trash    TrashCmd    `cmd:"" help:"List the trash, or empty it."`
	Restore  RestoreCmd  `cmd:"" help:"Take records out of the trash, or back to how they were."`
	History  HistoryCmd  `cmd:"" help:"Show what has changed of a memory, document or container, by whom and why."`
	Diff     DiffCmd     `cmd:"" help:"Show how a record differs between two moments, or a document from another."`
	Undo     UndoCmd     `cmd:"" help:"Turn one change back."`
	Correct  CorrectCmd  `cmd:"" help:"Put a right statement in the place of a wrong memory, which stays on record."`
	Receipts ReceiptsCmd `cmd:"" help:"Show what was removed for good, and whether the store's files are clean of it."`
	Files    FilesCmd    `cmd:"" help:"Show sealed files and their states."`
	Link     LinkCmd     `cmd:"" help:"Link two records."`
	Unlink   UnlinkCmd   `cmd:"" help:"Remove a link between two records."`
	Jobs     JobsCmd     `cmd:"" help:"List what is not done: what waits, is worked on, or has failed."`
	Usage    UsageCmd    `cmd:"" help:"Show what you have, and may have."`
	Events   EventsCmd   `cmd:"" help:"Follow what changes, as it happens."`
	Audit    AuditCmd    `cmd:"" help:"Show security-relevant acts."`
	Metrics  MetricsCmd  `cmd:"" help:"Show the counters and timings of a server, as Prometheus reads them."`
	Rebuild  RebuildCmd  `cmd:"" help:"Make again what is derived: summaries, embeddings, graph or index."`
	Grant    GrantCmd    `cmd:"" help:"Let a persona or a third party see one container."`
	Grants   GrantsCmd   `cmd:"" help:"List what was granted."`
	Revoke   RevokeCmd   `cmd:"" help:"End a grant at once."`
	Org      OrgCmd      `cmd:"" help:"Share records among several users: organisations, their members and roles."`
	Whoami   WhoamiCmd   `cmd:"" help:"Show whom the key speaks for: user, organisation and role."`
	Migrate  MigrateCmd  `cmd:"" help:"Carry everything to another store: from SQLite to PostgreSQL, or back."`
	Release  ReleaseCmd  `cmd:"" help:"Let memories out of quarantine, after you have looked at them."`
	Rederive RederiveCmd `cmd:"" help:"Show or apply what today's rules, or a model, change in memories."`
}

// Show prints a listing as JSON or as a table.
func Show[T any](desk *Desk, l lukasa.Listing[T], header []string, row func(T) []string) error {
	if desk.JSON {
		return desk.Print(l)
	}
	if len(l.Items) == 0 {
		desk.Note("there are none")
		return nil
	}
	rows := make([][]string, len(l.Items))
	for i, x := range l.Items {
		rows[i] = row(x)
	}
	if err := desk.Table(header, rows); err != nil {
		return err
	}
	if l.Next != "" {
		desk.Note("%d of %d; more with --cursor %s", len(l.Items), l.Total, l.Next)
	}
	return nil
}

// firstError returns err, or what then returns.
func firstError(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}
