package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// Paging are the flags of every list. It is exported because kong reads exported embedded structs only.
type Paging struct {
	Limit  int    `short:"n" default:"20" help:"Rows at most, up to 100."`
	Cursor string `help:"Go on where a page ended."`
}

func (p Paging) page() lukasa.Page { return lukasa.Page{Limit: p.Limit, Cursor: p.Cursor} }

// TrashCmd lists the trash or empties it.
type TrashCmd struct {
	IDs   []string `arg:"" optional:"" name:"id" help:"Records to remove for good."`
	Empty bool     `help:"Remove everything in the trash for good."`
	Yes   bool     `short:"y" help:"Do not ask."`
	Paging
}

// Run lists the trash, or removes for good what lies there.
func (c *TrashCmd) Run(a *app) error {
	if !c.Empty && len(c.IDs) == 0 {
		return a.api(toRead, func(cl *client.Client) error {
			l, err := cl.Trash(a.ctx, c.page())
			if err != nil {
				return err
			}
			return show(a, l, []string{"ID", "TYPE", "DELETED", "UNTIL", "LABEL"}, func(b client.Buried) []string {
				return []string{string(b.ID), b.Type, when(b.At), when(b.Until), oneLine(b.Label, 60)}
			})
		})
	}
	if err := a.confirm(c.Yes, "Remove this from the trash for good?"); err != nil {
		return err
	}
	return a.api(toChange, func(cl *client.Client) error {
		var gone []client.Deleted
		for _, id := range c.IDs {
			d, err := cl.PurgeTrash(a.ctx, lukasa.ID(id))
			if err != nil {
				return a.broken(gone, err)
			}
			gone = append(gone, d)
		}
		if c.Empty {
			rs, err := cl.EmptyTrash(a.ctx)
			if err != nil {
				return a.broken(gone, err)
			}
			for _, r := range rs {
				gone = append(gone, client.Deleted{Removal: r.Removed, ReceiptID: r.ID, Scrub: &r.Scrub})
			}
		}
		return a.TellDeleted(gone)
	})
}

// ReceiptsCmd shows receipts.
type ReceiptsCmd struct {
	ID     string `arg:"" optional:"" help:"One receipt, in full."`
	Verify bool   `help:"Wait until its deletion is scrubbed."`
	Paging
}

// Run shows what was removed for good.
func (c *ReceiptsCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		if c.ID == "" {
			l, err := cl.Receipts(a.ctx, c.page())
			if err != nil {
				return err
			}
			return show(a, l, []string{"RECEIPT", "REMOVED", "ACTION", "WHY", "STATE", "RECORD"}, func(r client.Receipt) []string {
				return []string{string(r.ID), when(r.At), r.Action, r.Why, r.Scrub.State, string(r.Resource)}
			})
		}
		r, err := cl.Receipt(a.ctx, lukasa.ID(c.ID), c.Verify)
		if err != nil || a.g.JSON {
			return firstError(err, func() error { return a.printJSON(r) })
		}
		a.say("%s", r.Action+" "+string(r.Resource))
		a.field("removed", when(r.At)+" by "+r.Why)
		return a.TellDeleted([]client.Deleted{{Removal: r.Removed, ReceiptID: r.ID, Scrub: &r.Scrub}})
	})
}

// AuditCmd shows the audit log.
type AuditCmd struct {
	Action string `help:"Only this act, like key.create or document.delete." placeholder:"ACT"`
	User   string `help:"Of this user; for admins." placeholder:"ID"`
	All    bool   `help:"Of everyone; for admins."`
	Paging
}

// Run lists security-relevant acts.
func (c *AuditCmd) Run(a *app) error {
	return a.api(toRead, func(cl *client.Client) error {
		l, err := cl.Audit(a.ctx, lukasa.ID(c.User), c.All, c.Action, c.page())
		if err != nil {
			return err
		}
		return show(a, l, []string{"TIME", "ACT", "RESOURCE", "ACTOR", "FROM"}, func(x client.Act) []string {
			return []string{when(x.At), x.Action, oneLine(x.Resource, 40), string(x.Actor), x.Address}
		})
	})
}

// FilesCmd shows sealed files.
type FilesCmd struct {
	ID        string `arg:"" optional:"" help:"Id of a document or of a file; all otherwise."`
	Container string `short:"c" help:"Only of this container." placeholder:"PATH"`
	Log       bool   `help:"The states that they went through, instead."`
	Wake      bool   `help:"Decompress the file." xor:"what"`
	Compress  bool   `help:"Compress the file hard, as happens by itself once it is idle." xor:"what"`
	Touch     bool   `help:"Note that the file was used, so that it is left as it is for longer." xor:"what"`
	Paging
}

// Run lists sealed files and their states, or changes that of one.
func (c *FilesCmd) Run(a *app) error {
	id := lukasa.ID(c.ID)
	one := id.Prefix() == lukasa.PrefixFile
	if (c.Wake || c.Compress || c.Touch) && !one {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "id", Msg: "--wake, --compress and --touch are for one file (file_…)", Hint: "`lukasa files` lists them"}
	}
	return a.api(toChange, func(cl *client.Client) error {
		for verb, do := range map[*bool]func() (string, error){
			&c.Wake:     func() (string, error) { return cl.Wake(a.ctx, id) },
			&c.Compress: func() (string, error) { return cl.Compress(a.ctx, id) },
			&c.Touch:    func() (string, error) { return cl.Touch(a.ctx, id) },
		} {
			if !*verb {
				continue
			}
			if _, err := do(); err != nil {
				return err
			}
		}
		switch {
		case c.Log:
			l, err := cl.FileLog(a.ctx, id, c.page())
			if err != nil {
				return err
			}
			return show(a, l, []string{"TIME", "FILE", "FROM", "TO", "BY", "BEFORE", "AFTER", "ERROR"}, func(e client.FileEvent) []string {
				return []string{when(e.At), string(e.File), e.From, e.To, e.Trigger, bytesOf(e.Before), bytesOf(e.After), e.Error}
			})
		case one:
			f, err := cl.File(a.ctx, id)
			return firstError(err, func() error { return a.showFiles(lukasa.Listing[client.File]{Items: []client.File{f}, Total: 1}) })
		}
		in, err := placesOf(c.Container)
		if err != nil {
			return err
		}
		l, err := cl.Files(a.ctx, id, in, c.page())
		return firstError(err, func() error { return a.showFiles(l) })
	})
}

func placesOf(container string) ([]lukasa.Pattern, error) {
	if container == "" {
		return nil, nil
	}
	p, err := lukasa.ParsePattern(container, false)
	return []lukasa.Pattern{p}, err
}

func (a *app) showFiles(l lukasa.Listing[client.File]) error {
	return show(a, l, []string{"FILE", "ROLE", "STATE", "TIER", "USED", "SIZE", "TAKES", "RATIO", "NAME"}, func(f client.File) []string {
		return []string{string(f.ID), f.Role, f.State, f.Tier, when(f.UsedAt), bytesOf(f.Size), bytesOf(f.SealedSize), fmt.Sprintf("%.1f:1", f.Ratio), oneLine(f.Name, 40)}
	})
}

// RebuildCmd makes again what is derived.
type RebuildCmd struct {
	What      string `arg:"" enum:"summaries,embeddings,graph,index" help:"summaries, embeddings, graph or index."`
	Container string `short:"c" help:"Only in this container." placeholder:"PATH"`
	Document  string `help:"Only of this document." placeholder:"ID"`
}

// Run makes again what is derived.
func (c *RebuildCmd) Run(a *app) error {
	in, err := placesOf(c.Container)
	if err != nil {
		return err
	}
	return a.api(toChange, func(cl *client.Client) error {
		bar, done := a.bar()
		defer done()
		out, err := cl.Rebuild(a.ctx, c.What, in, lukasa.ID(c.Document), func(r client.Rebuilt) { bar("%d of %d", r.Records, r.Total) })
		if err != nil || a.g.JSON {
			return firstError(err, func() error { return a.printJSON(out) })
		}
		a.say("looked at %s", counted(out.Records, "record"))
		for _, k := range slices.Sorted(maps.Keys(out.Regenerated)) {
			a.field(k, fmt.Sprint(out.Regenerated[k]))
		}
		for _, m := range out.Missing {
			a.say("%s lacks %s: %s", m.Document, strings.Join(m.Missing, ", "), m.Detail)
		}
		return nil
	})
}

// RederiveCmd applies today's rules, or today's model.
type RederiveCmd struct {
	Container string `short:"c" help:"Only in this container." placeholder:"PATH"`
	Document  string `help:"Only this document." placeholder:"ID"`
	Apply     bool   `help:"Change the memories; otherwise it is only said what would change."`
	DryRun    bool   `help:"Only say what would change, which is the default."`
	Model     bool   `help:"Read by the configured model, and compare with what models drew."`
}

// Run shows or applies what today's rules change.
func (c *RederiveCmd) Run(a *app) error {
	in, err := placesOf(c.Container)
	switch {
	case err != nil:
		return err
	case c.Apply && c.DryRun:
		return lukasa.Invalid("--apply", "and --dry-run exclude each other")
	}
	return a.api(toChange, func(cl *client.Client) error {
		bar, done := a.bar()
		defer done()
		out, err := cl.Rederive(a.ctx, c.Apply, c.Model, in, lukasa.ID(c.Document), func(r client.Rederived) { bar("%d of %d", r.Documents, r.Total) })
		if err != nil || a.g.JSON {
			return firstError(err, func() error { return a.printJSON(out) })
		}
		for _, x := range out.Changes {
			a.say("%s", string(x.Document))
			for _, m := range x.Add {
				a.say("  + %s", oneLine(m.Content, 110))
			}
			for _, m := range x.Retire {
				a.say("  - %s", oneLine(m.Content, 110))
			}
		}
		for _, x := range out.Unread {
			a.say("%s was not read: %s", string(x.Document), x.Detail)
		}
		would := map[bool]string{true: "", false: "would be "}[c.Apply]
		a.say("of %s: %d %sadded, %d %sretired, %d stay", counted(out.Documents, "document"), out.Add, would, out.Retire, would, out.Keep)
		return nil
	})
}
