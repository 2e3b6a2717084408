package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type exportCmd struct {
	File      string   `arg:"" help:"File to write, or - for standard output."`
	Container []string `short:"c" sep:"none" help:"Only this container and what is below; may be repeated." placeholder:"PATH"`
	Force     bool     `help:"Write over a file that is there."`
}

// Run writes an export. A file appears whole or not at all.
func (c *exportCmd) Run(a *app) error {
	in, err := Patterns(c.Container)
	if err != nil {
		return err
	}
	return a.with(toRead, func(b backend) error {
		bar := a.progress()
		defer bar.Done()
		if c.File == "-" {
			gaps := &engine.ExportGaps{To: a.p.Out}
			return cmp.Or(b.Export(a.ctx, in, gaps), a.sayMissing(gaps))
		}
		var gaps *engine.ExportGaps
		n, err := writeWhole(c.File, c.Force, func(w io.Writer) error {
			gaps = &engine.ExportGaps{To: &meter{w: w, tick: func(n int64) { bar.Show("exported %s", bytesOf(n)) }}}
			return b.Export(a.ctx, in, gaps)
		})
		bar.Done()
		if err != nil {
			return err
		}
		if a.g.JSON {
			err = a.printJSON(map[string]any{"file": c.File, "bytes": n, "missing": len(gaps.Found)})
		} else {
			a.say("exported %s to %s", bytesOf(n), c.File)
		}
		return cmp.Or(err, a.sayMissing(gaps))
	})
}

// sayMissing names the documents whose content an export lacks; that there are any is the command's exit code.
func (a *app) sayMissing(gaps *engine.ExportGaps) error {
	for _, what := range gaps.Found {
		a.note("the export lacks the content of %s", what)
	}
	if len(gaps.Found) > 0 {
		return quiet(exitError)
	}
	return nil
}

// writeWhole writes a file for its owner alone: beside its place, synced, and put there when fn has succeeded.
func writeWhole(name string, over bool, fn func(io.Writer) error) (int64, error) {
	if _, err := os.Lstat(name); !over && err == nil {
		return 0, &lukasa.Error{Code: lukasa.CodeConflict, Msg: name + " is there already", Hint: "give --force to write over it"}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("look at %s: %w", name, err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".lukasa-*")
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", name, err)
	}
	err = fn(f)
	if err == nil {
		err = f.Sync()
	}
	n, _ := f.Seek(0, io.SeekCurrent)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return n, errors.Join(err, os.Remove(f.Name()))
	}
	return n, nil
}

// meter counts what goes through it.
type meter struct {
	w    io.Writer
	r    io.Reader
	n    int64
	tick func(int64)
}

func (m *meter) Write(b []byte) (int, error) {
	n, err := m.w.Write(b)
	m.n += int64(n)
	m.tick(m.n)
	return n, err
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.n += int64(n)
	m.tick(m.n)
	return n, err
}
