package cli

import (
	"errors"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type importCmd struct {
	What []string `arg:"" optional:"" help:"[KIND] FILE|FOLDER. The kind is found out where it is not named; nothing lists the kinds. - is standard input, for what export wrote."`
	engine.ImportOptions
}

// Run imports a file or a folder. It can be made again after it was cut off: what is there already is passed over.
func (c *importCmd) Run(a *app) error {
	args := append([]string{"", ""}, c.What...)
	kind, file := args[len(args)-2], args[len(args)-1]
	switch {
	case file == "" && a.g.JSON:
		return a.printJSON(whole(engine.Exports().Kinds()))
	case file == "":
		a.say("%s", engine.Exports().Describe())
		return nil
	case len(c.What) > 2:
		return lukasa.Invalid("import", "takes a kind and one file or folder")
	}
	x, err := engine.Exports().Open(file, kind, a.p.In)
	if err != nil {
		if e, ok := errors.AsType[*lukasa.Error](err); ok && e.Field == "kind" {
			a.note("%s", engine.Exports().Describe())
		}
		return err
	}
	defer func() { _ = x.Close() }()
	a.note("%s: %s, %s", x.Name, x.Title, counted(x.Files, "file"))
	if c.DryRun {
		return c.take(a, x, nil)
	}
	return a.with(toWrite, func(b backend) error { return c.take(a, x, b) })
}

// take reads the export. What failed is the command's exit code.
func (c *importCmd) take(a *app, x *engine.Export, b backend) error {
	bar := a.progress()
	r, err := engine.TakeExport(a.ctx, x, b, c.ImportOptions, a.follow(bar))
	if bar.Done(); err != nil {
		return err
	}
	a.say("%s", r.Print(a.g.JSON))
	if r.Failed() > 0 {
		return quiet(exitError)
	}
	return nil
}

// follow shows how far an import is: on a line, and as JSON once a second. What is over in a moment is not shown on a terminal.
func (a *app) follow(bar *Line) func(engine.ImportProgress) {
	return func(p engine.ImportProgress) {
		if a.g.Progress || p.Elapsed > 0.3 {
			bar.Show("%s", p)
		}
		if a.g.JSON && p.Second {
			a.say("%s", p.JSON())
		}
	}
}
