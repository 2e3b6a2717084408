package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/crypt"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// storePlace is where a store is, or is to be: a data directory, a file of rows, or a PostgreSQL database.
type storePlace struct {
	File string // of the rows
	Dir  string // the data directory that the file is in; "" for a file by itself and for a database
	URL  string // of the database
}

// parseStorePlace reads sqlite:DIR, sqlite:FILE.db and postgres:URL.
func parseStorePlace(field, s string) (p storePlace, err error) {
	bad := &lukasa.Error{Code: lukasa.CodeInvalid, Field: field, Msg: fmt.Sprintf("%q names no store", s), Hint: "write sqlite:DIR, sqlite:FILE.db or postgres://user:password@host:5432/database"}
	kind, rest, ok := strings.Cut(s, ":")
	switch {
	case !ok || rest == "":
		return p, bad
	case kind == "sqlite":
		if rest, err = filepath.Abs(rest); err != nil {
			return p, fmt.Errorf("%s: %w", field, err)
		}
		if strings.HasSuffix(rest, ".db") {
			p.File = rest
		} else {
			p.Dir, p.File = rest, filepath.Join(rest, rowsFile)
		}
		return p, nil
	case kind == "postgres" || kind == "postgresql":
		if strings.HasPrefix(rest, "//") {
			rest = "postgres:" + rest
		}
		u, err := url.Parse(rest)
		if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Host == "" && u.Query().Get("host") == "" {
			bad.Msg = "is not an address of a PostgreSQL database" // it may hold a password
			return p, bad
		}
		p.URL = rest
		return p, nil
	}
	return p, bad
}

// String names a place without its password.
func (p storePlace) String() string {
	if p.URL == "" {
		return "sqlite:" + cmp.Or(p.Dir, p.File)
	}
	if u, err := url.Parse(p.URL); err == nil {
		return u.Redacted()
	}
	return "postgres:"
}

// Migration says what is carried from where to where.
type Migration struct {
	From, To           string // see [parseStorePlace]
	FilesFrom, FilesTo string // disk:DIR, s3 (as it is configured) or none; "" follows the places
	DryRun             bool   // only count
	Restart            bool   // empty a target that an earlier call has begun to fill
	Clean              bool   // see [store.Copying]
}

// MigrationStep tells how far a migration is, and in the end what it was.
type MigrationStep struct {
	Event    string   `json:"event"`           // count, files, rows, compare, table, done
	Table    string   `json:"table,omitempty"` // of which the rows are
	Rows     int64    `json:"rows"`            // so far; of done: of all tables
	Total    int64    `json:"total"`
	Checked  int64    `json:"checked,omitempty"` // rows that have been compared
	Sum      string   `json:"sha256,omitempty"`  // of all rows of the table
	Cleaned  int64    `json:"cleaned,omitempty"` // texts that were changed, see [store.Copying]
	Where    []string `json:"where,omitempty"`   // the first of these
	Files    int      `json:"files"`             // that are there so far
	Bytes    int64    `json:"bytes"`
	Absent   int      `json:"missing_files,omitempty"` // that rows speak of and that are nowhere
	Missing  []string `json:"missing,omitempty"`       // the first of these
	From     string   `json:"from,omitempty"`
	To       string   `json:"to,omitempty"`
	FilesTo  string   `json:"files_to,omitempty"`       // where files were copied to; "" where they stayed
	Key      string   `json:"master_key,omitempty"`     // the file that the master key was put into
	Behind   bool     `json:"source_changed,omitempty"` // it was written to meanwhile: that is not in the copy
	Database bool     `json:"to_database,omitempty"`    // it went to PostgreSQL
	DryRun   bool     `json:"dry_run,omitempty"`
}

// migrating is a migration under way.
type migrating struct {
	c         config.Config
	o         openOptions
	m         Migration
	from, to  storePlace
	source    store.Store
	target    store.Store
	done      MigrationStep
	notice    func(MigrationStep)
	mu        sync.Mutex // of done, while files are copied
	masterKey crypt.Key
}

// Migrate copies a store with its files to another place, and compares them in the end. It can be called again after it was cut off.
// The index is left out: it is derived. No engine is open meanwhile.
func Migrate(ctx context.Context, c config.Config, m Migration, notice func(MigrationStep)) (MigrationStep, error) {
	o := openOptions{Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	g := &migrating{c: c, o: o, m: m, notice: notice}
	err := g.run(ctx)
	for _, s := range []store.Store{g.source, g.target} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return g.done, err
}

func (g *migrating) run(ctx context.Context) (err error) {
	if g.from, err = parseStorePlace("--from", g.m.From); err != nil {
		return err
	}
	if g.to, err = parseStorePlace("--to", g.m.To); err != nil {
		return err
	}
	g.done = MigrationStep{Event: "done", From: g.from.String(), To: g.to.String(), Database: g.to.URL != "", DryRun: g.m.DryRun}
	if g.from == g.to {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "--to", Msg: "is where the store is already"}
	}
	if g.from.File != "" {
		if _, err := os.Stat(g.from.File); err != nil {
			return &lukasa.Error{Code: lukasa.CodeNotFound, Field: "--from", Msg: "there is no store at " + g.from.File, Hint: "name a data directory, or a file that `lukasa backup` wrote"}
		}
	}
	if err := g.findKey(); err != nil {
		return err
	}
	if g.source, err = g.open(ctx, g.from); err != nil {
		return fmt.Errorf("open %s: %w", g.from, err)
	}
	rows := allRows(g.source)
	if g.m.DryRun {
		counts, err := rows.Count(ctx)
		if err != nil {
			return err
		}
		for _, c := range counts {
			g.done.Total += c.Total
			g.notice(MigrationStep{Event: "count", Table: c.Table, Total: c.Total})
		}
		return g.source.BlobKeys(ctx, func(string) bool { g.done.Files++; return true })
	}
	if err := g.putKey(); err != nil {
		return err
	}
	if g.target, err = g.open(ctx, g.to); err != nil {
		return fmt.Errorf("open %s: %w", g.to, err)
	}
	into := allRows(g.target)
	if g.m.Restart {
		if begun, err := into.Begun(ctx); err != nil || begun {
			if err = errors.Join(err, into.Empty(ctx)); err != nil {
				return err
			}
		}
	}
	before, err := rows.State(ctx)
	if err != nil {
		return err
	}
	if err := g.files(ctx); err != nil {
		return err
	}
	comparing := false
	list, err := store.Copy(ctx, rows, into, store.Copying{Clean: g.m.Clean, Notice: func(c store.Copied) {
		comparing = comparing || c.Rows == 0
		event := map[bool]string{true: "compare", false: "rows"}[comparing]
		if c.Sum != "" {
			event = "table"
		}
		g.notice(MigrationStep{Event: event, Table: c.Table, Rows: c.Rows, Total: c.Total, Checked: c.Checked, Sum: c.Sum, Cleaned: c.Cleaned, Where: c.Where})
	}})
	if err != nil {
		return err
	}
	for _, c := range list {
		g.done.Rows += c.Rows
		g.done.Total += c.Total
		g.done.Cleaned += c.Cleaned
	}
	after, err := rows.State(ctx)
	g.done.Behind = after != before
	return err
}

// open opens a place with what is configured beside it.
func (g *migrating) open(ctx context.Context, p storePlace) (store.Store, error) {
	c := g.c
	c.Role = "all"
	if p.URL != "" {
		c.StoreProvider, c.StoreURL, c.StoreReplica = "postgres", p.URL, ""
		return OpenStore(ctx, c, g.masterKey, g.o.Now)
	}
	if err := os.MkdirAll(filepath.Dir(p.File), 0o700); err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeStorage, Msg: "cannot make " + filepath.Dir(p.File), Err: err}
	}
	return openRows(ctx, p.File, g.o.Now)
}

// keyFile is where a place has its master key.
func (g *migrating) keyFile(p storePlace) string {
	return filepath.Join(cmp.Or(p.Dir, g.c.Data), masterFile)
}

// findKey reads the master key of the source. None is made: what is sealed there is sealed with the one that there is.
func (g *migrating) findKey() (err error) {
	path := g.keyFile(g.from)
	if g.from.File != "" && g.from.Dir == "" {
		if beside := filepath.Join(filepath.Dir(g.from.File), masterFile); there(beside) {
			path = beside
		}
	}
	if g.c.MasterKey == "" && !there(path) {
		return &lukasa.Error{
			Code: lukasa.CodeNotFound, Field: "master_key", Msg: "there is no master key at " + path,
			Hint: "set LUKASA_MASTER_KEY to that of the store, or name its data directory with --data",
		}
	}
	g.masterKey, _, err = crypt.LoadMaster(g.c.MasterKey, path, rand.Reader)
	return err
}

// putKey gives a new data directory the master key, without which it could not be read. One that has another is left alone.
func (g *migrating) putKey() error {
	if g.to.Dir == "" || g.c.MasterKey != "" {
		return nil
	}
	path := g.keyFile(g.to)
	if there(path) {
		other, _, err := crypt.LoadMaster("", path, rand.Reader)
		if err == nil && other.Hex() != g.masterKey.Hex() {
			err = &lukasa.Error{Code: lukasa.CodeConflict, Field: "--to", Msg: path + " is another key than the one of the source", Hint: "name a new directory"}
		}
		return err
	}
	if err := os.MkdirAll(g.to.Dir, 0o700); err != nil {
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "cannot make " + g.to.Dir, Err: err}
	}
	if err := os.WriteFile(path, []byte(g.masterKey.Hex()+"\n"), 0o600); err != nil {
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "cannot write the master key", Err: err}
	}
	g.done.Key = path
	return nil
}

func there(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// medium names where files are: disk:DIR, s3:…, or "" for nowhere.
func (g *migrating) medium(field, asked string, p storePlace, source bool) (string, error) {
	kind, dir, _ := strings.Cut(asked, ":")
	s3 := "s3:" + g.c.BlobURL + "/" + g.c.BlobBucket + "/" + g.c.BlobPrefix
	own := filepath.Join(cmp.Or(p.Dir, g.c.Data), blobDir)
	switch {
	case asked == "none":
		return "", nil
	case kind == "disk" && dir != "":
		dir, err := filepath.Abs(dir)
		return "disk:" + dir, err
	case asked == "s3" && g.c.BlobProvider == "s3":
		return s3, nil
	case asked == "s3":
		return "", &lukasa.Error{Code: lukasa.CodeInvalid, Field: field, Msg: "no bucket is configured", Hint: "set blob.provider to s3, with blob.bucket and its key"}
	case asked != "":
		return "", lukasa.Invalid(field, "is %q, must be disk:DIR, s3 or none", asked)
	case source && p.Dir != "" && there(own): // a bucket that is configured by now is where they go
		return "disk:" + own, nil
	case g.c.BlobProvider == "s3":
		return s3, nil
	}
	own, err := filepath.Abs(own)
	return "disk:" + own, err
}

// filesAtOnce is how many files are copied beside each other.
const filesAtOnce = 4

// errWait ends a listing of keys.
var errWait = errors.New("a file could not be copied")

// files copies what rows speak of and the target's medium does not have. A file is durable before the row that names it comes.
func (g *migrating) files(ctx context.Context) error {
	from, err := g.medium("--files-from", g.m.FilesFrom, g.from, true)
	if err != nil {
		return err
	}
	to, err := g.medium("--files-to", g.m.FilesTo, g.to, false)
	if err != nil || from == "" || to == "" || from == to {
		return err
	}
	g.done.FilesTo = to
	source, err := g.openMedium(ctx, from)
	if err != nil {
		return err
	}
	target, err := g.openMedium(ctx, to)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var work sync.WaitGroup
	keys := make(chan string)
	for range filesAtOnce {
		work.Go(func() {
			for key := range keys {
				n, err := copyFile(ctx, source, target, key)
				if err != nil && !errors.Is(err, blob.ErrNotFound) {
					stop(fmt.Errorf("%w: %w", errWait, err))
					continue
				}
				g.count(key, n, err == nil)
			}
		})
	}
	err = g.source.BlobKeys(ctx, func(key string) bool {
		select {
		case keys <- key:
			return true
		case <-ctx.Done():
			return false
		}
	})
	close(keys)
	work.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// missingShown is how many missing files are named.
const missingShown = 20

func (g *migrating) count(key string, n int64, found bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !found {
		if g.done.Absent++; len(g.done.Missing) < missingShown {
			g.done.Missing = append(g.done.Missing, key)
		}
		return
	}
	g.done.Files++
	g.done.Bytes += n
	g.notice(MigrationStep{Event: "files", Files: g.done.Files, Bytes: g.done.Bytes})
}

// copyFile copies one file as it is, sealed, reads the copy again and compares the sums. One that is there with its size is left: a key
// names one content for ever, and a driver shows a file whole or not at all.
func copyFile(ctx context.Context, from, to blob.Driver, key string) (size int64, err error) {
	was, missing := from.Stat(ctx, key)
	is, err := to.Stat(ctx, key)
	switch {
	case err == nil && (missing != nil || is.Size == was.Size):
		return is.Size, nil
	case err == nil:
		return 0, &lukasa.Error{Code: lukasa.CodeConflict, Msg: fmt.Sprintf("the file %s is there with %d bytes, not %d", key, is.Size, was.Size), Hint: "remove the wrong one of the two"}
	case !errors.Is(err, blob.ErrNotFound):
		return 0, err
	case missing != nil:
		return 0, missing
	}
	r, err := from.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Close() }() // what was read is compared
	h := sha256.New()
	if err := to.Put(ctx, key, io.TeeReader(r, h), was.Size); err != nil && !errors.Is(err, blob.ErrExists) {
		return 0, err
	}
	back, err := to.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	defer func() { _ = back.Close() }() // likewise
	got := sha256.New()
	if _, err := io.Copy(got, back); err != nil {
		return 0, err
	}
	if [sha256.Size]byte(got.Sum(nil)) != [sha256.Size]byte(h.Sum(nil)) {
		return 0, errors.Join(&lukasa.Error{Code: lukasa.CodeStorage, Msg: "the copy of the file " + key + " reads differently than what was written"}, to.Delete(ctx, key))
	}
	return was.Size, nil
}

// errHalf says that a store is a copy that was not ended.
var errHalf = &lukasa.Error{
	Code: lukasa.CodeConflict, Msg: "the store is half filled: a migration into it was not ended",
	Hint: "give the same `lukasa migrate` again, which goes on where it was, or empty it with --restart",
}

// ended refuses a store that a migration has begun to fill and not ended.
func ended(ctx context.Context, s store.Store) error {
	begun, err := allRows(s).Begun(ctx)
	if err == nil && begun {
		err = errHalf
	}
	return err
}
