package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type backupCmd struct {
	To      string `arg:"" help:"Directory to make, or a file that ends in .db for the rows alone."`
	WithKey bool   `help:"Put the master key beside the data. Whoever has such a backup can read everything."`

	missing int // files that rows refer to and that were not there
}

// Help is the detail of the command's help.
func (backupCmd) Help() string {
	return `The copy is consistent, even while a server runs. To restore it, put the master key into it as master.key (or set LUKASA_MASTER_KEY) and use it as the data directory: lukasa doctor --data COPY, then lukasa serve --data COPY.`
}

// The names of what a data directory holds; the engine writes it.
const (
	rowsFile   = "lukasa.db"
	masterFile = "master.key"
	blobDir    = "blobs"
)

const restoreNote = `This is a backup of a lukasa data directory, made by "lukasa backup".

To restore it:

1. Copy this directory to where the data directory is to be.
2. %s
3. Run "lukasa doctor --data DIR", then "lukasa serve --data DIR".

The search index is not part of a backup: it is derived and builds itself.
`

// Run copies the data directory. It always opens that itself.
func (c *backupCmd) Run(a *app) error {
	if a.g.Server != "" {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Msg: "backup works on the data directory, not through a server", Hint: "run it where that is, with --data, or use `lukasa export`"}
	}
	log, err := a.logger()
	if err != nil {
		return err
	}
	e, err := a.openEngine(toRead, log)
	if err != nil {
		return err
	}
	sc, err := e.Local(a.ctx)
	if err == nil {
		err = c.copy(a, e, sc)
	}
	return errors.Join(err, e.Close())
}

func (c *backupCmd) copy(a *app, e *engine.Engine, sc lukasa.Scope) error {
	if strings.HasSuffix(c.To, ".db") {
		if _, err := os.Lstat(c.To); err == nil {
			return &lukasa.Error{Code: lukasa.CodeConflict, Msg: c.To + " is there already", Hint: "name another file"}
		}
		if err := e.Backup(a.ctx, sc, c.To); err != nil {
			return err
		}
		return c.tell(a, 0)
	}
	if entries, err := os.ReadDir(c.To); err == nil && len(entries) > 0 {
		return &lukasa.Error{Code: lukasa.CodeConflict, Msg: c.To + " is not empty", Hint: "name a new directory"}
	}
	if err := os.MkdirAll(c.To, 0o700); err != nil {
		return fmt.Errorf("make backup directory: %w", err)
	}
	n, err := c.fill(a, e, sc)
	if err != nil {
		return err
	}
	return c.tell(a, n)
}

// fill copies blobs, then the rows, then the blobs that were written meanwhile: whatever the rows speak of was there either
// before them or right after, as a blob is durable before its row.
func (c *backupCmd) fill(a *app, e *engine.Engine, sc lukasa.Scope) (n int, err error) {
	from := a.loaded.Config.Data
	bar := a.progress()
	defer bar.Done()
	count := func() { n++; bar.Show("copied %s", counted(n, "file")) }
	if err := copyTree(a, filepath.Join(from, blobDir), filepath.Join(c.To, blobDir), count); err != nil {
		return n, err
	}
	if err := e.Backup(a.ctx, sc, filepath.Join(c.To, rowsFile)); err != nil {
		return n, err
	}
	wanted := map[string]bool{} // what rows refer to before and after the last copy: the rest was deleted meanwhile
	if err := e.BlobKeys(a.ctx, func(key string) bool { wanted[key] = a.loaded.Config.BlobProvider == "disk"; return true }); err != nil {
		return n, err
	}
	if err := copyTree(a, filepath.Join(from, blobDir), filepath.Join(c.To, blobDir), count); err != nil {
		return n, err
	}
	if c.missing, err = missing(a.ctx, e, filepath.Join(c.To, blobDir), wanted); err != nil {
		return n, err
	}
	if err := copyIfThere(filepath.Join(from, config.FileName), filepath.Join(c.To, config.FileName)); err != nil {
		return n, err
	}
	step := "Put the master key that belongs to it here as " + masterFile + " with mode 0600, or set LUKASA_MASTER_KEY. It is not in the backup."
	if c.WithKey {
		step = "Nothing is missing: the master key is in " + masterFile + ". Keep this backup as you would keep that key."
		if err := copyIfThere(filepath.Join(from, masterFile), filepath.Join(c.To, masterFile)); err != nil {
			return n, err
		}
	}
	return n, os.WriteFile(filepath.Join(c.To, "RESTORE.txt"), fmt.Appendf(nil, restoreNote, step), 0o600)
}

func (c *backupCmd) tell(a *app, files int) error {
	if a.g.JSON {
		if err := a.printJSON(map[string]any{"to": c.To, "files": files, "missing": c.missing, "master_key": c.WithKey}); err != nil {
			return err
		}
		return c.incomplete()
	}
	a.say("backed up to %s (the rows and %s)", c.To, counted(files, "sealed file"))
	if !c.WithKey {
		a.note("the master key is not in it: without %s, or LUKASA_MASTER_KEY, sealed content cannot be read", filepath.Join(a.loaded.Config.Data, masterFile))
	}
	return c.incomplete()
}

// incomplete is the error of a backup that was made of a directory in which files were lost before.
func (c *backupCmd) incomplete() error {
	if c.missing == 0 {
		return nil
	}
	return &lukasa.Error{
		Code: lukasa.CodeConflict, Msg: counted(c.missing, "sealed file") + " that rows refer to could not be copied: not there",
		Hint: "the backup holds all else; `lukasa doctor` names what is lost",
	}
}

// missing counts the files that are wanted, by what rows still refer to, and are not in the copy.
func missing(ctx context.Context, e *engine.Engine, copied string, wanted map[string]bool) (n int, err error) {
	err = filepath.WalkDir(copied, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(copied, path)
			owner, _, _ := strings.Cut(filepath.ToSlash(rel), "/@") // the folder of a part is no part of the key
			delete(wanted, owner+"/"+d.Name())
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("look at the copy: %w", err)
	}
	return n, e.BlobKeys(ctx, func(key string) bool {
		if wanted[key] {
			n++
		}
		return true
	})
}

// copyTree copies the files below a directory that are not in the copy yet. What vanishes meanwhile was deleted, and what is
// being written (below @tmp) has no row yet.
func copyTree(a *app, from, to string, count func()) error {
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case a.ctx.Err() != nil:
			return a.ctx.Err()
		case e.IsDir() && e.Name() == "@tmp":
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		if _, err := os.Lstat(dst); err == nil {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(dst), 0o700); err != nil {
			return err
		}
		count()
		return copyIfThere(path, dst)
	})
	if err != nil {
		return fmt.Errorf("copy files: %w", err)
	}
	return nil
}

// copyIfThere copies a file durably; one that is not there is no error.
func copyIfThere(from, to string) error {
	src, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		err = dst.Sync()
	}
	return errors.Join(err, dst.Close())
}
