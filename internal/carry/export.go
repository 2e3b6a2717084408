// Package carry is the way in for what other tools exported: it opens a file, an archive or a folder, finds out what it is, and
// carries what is in it in batches to where it is kept.
package carry

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	_ "time/tzdata" // zones can be named on machines that have no table of them

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/exports"
)

// Own is the kind of what lukasa's own export wrote.
const Own = "lukasa"

// Set is the kinds of export that can be opened.
type Set exports.Set

// Kind describes a kind of export.
type Kind struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Accepts string `json:"accepts"` // which file, zip or folder
	How     string `json:"how"`     // how to get it
	Format  string `json:"format"`  // where its format is described
}

// Kinds lists what can be opened.
func (s Set) Kinds() []Kind {
	out := []Kind{{
		Name: Own, Title: "lukasa export", Accepts: "the file that export wrote", How: "`lukasa export FILE`, or GET /v1/export", Format: "docs/format/export.md",
	}}
	for _, k := range s {
		out = append(out, Kind{k.Name, k.Title, k.Accepts, k.How, k.Format})
	}
	return out
}

// Describe lists for people what can be opened, and how to get it.
func (s Set) Describe() string {
	var b strings.Builder
	for _, k := range s.Kinds() {
		fmt.Fprintf(&b, "%-16s %s\n%-16s takes: %s\n%-16s to get it: %s\n", k.Name, k.Title, "", k.Accepts, "", k.How)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Export is an export that is open to be imported.
type Export struct {
	Kind  string // "" when it looks like none that is known
	Title string // of the kind
	Name  string // of the file or folder
	Files int
	Size  int64 // bytes

	set  exports.Set
	src  *exports.Source
	file *os.File  // nil for a folder
	root *os.Root  // nil for a file
	own  io.Reader // of what export wrote
	read atomic.Int64
}

// Open opens a file or a folder and finds out what it is. kind "" leaves that to its looks; one that is not known is
// [lukasa.CodeInvalid]. The name "-" is what export wrote, as it comes from in.
func (s Set) Open(name, kind string, in io.Reader) (*Export, error) {
	if name == "-" {
		if kind != "" && kind != Own {
			return nil, lukasa.Invalid("import", "reads only what export wrote from standard input")
		}
		return &Export{Kind: Own, Title: "lukasa export", Name: "standard input", Files: 1, own: in}, nil
	}
	st, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		hint := ""
		if slices.ContainsFunc(s.Kinds(), func(k Kind) bool { return k.Name == name }) {
			hint = name + " is a kind of export; name the file or folder behind it: `lukasa import " + name + " FILE`"
		}
		return nil, &lukasa.Error{Code: lukasa.CodeNotFound, Msg: "there is no file or folder " + name, Hint: hint}
	}
	if err != nil {
		return nil, fmt.Errorf("open export: %w", err)
	}
	x := &Export{Name: filepath.Base(name), set: exports.Set(s)}
	switch {
	case st.IsDir():
		err = x.folder(name)
	case st.Mode().IsRegular():
		err = x.open(name, st.Size())
	default:
		err = lukasa.Invalid(name, "is no regular file and no folder")
	}
	if err == nil {
		err = x.recognise(kind)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Receive takes in an export that comes as a stream, into a file in dir that is gone when the export is closed. name is
// what it was called where it comes from; most is the limit of its size in bytes.
func (s Set) Receive(r io.Reader, dir, name, kind string, most int64) (*Export, error) {
	f, err := os.CreateTemp(dir, ".import-*")
	if err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeStorage, Msg: "cannot keep the export while it is read", Err: err}
	}
	_ = os.Remove(f.Name()) // where a file that is open cannot be removed, Close does
	n, err := io.Copy(f, io.LimitReader(r, most+1))
	x := &Export{Name: filepath.Base(filepath.Clean("/" + strings.ReplaceAll(name, `\`, "/"))), file: f, set: exports.Set(s)}
	switch {
	case err != nil:
	case n > most:
		err = &lukasa.Error{Code: lukasa.CodeTooLarge, Field: "file", Msg: fmt.Sprintf("is over %d MiB", most>>20), Hint: "use `lukasa import --server`, which reads it where it lies"}
	case n == 0:
		err = lukasa.Invalid("file", "is empty")
	default:
		x.Name = named(x.Name, f)
		if err = x.wrap(n); err == nil {
			err = x.recognise(kind)
		}
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Close closes the export.
func (x *Export) Close() error {
	var errs []error
	if x.src != nil {
		errs = append(errs, x.src.Close())
	}
	if x.file != nil {
		errs = append(errs, x.file.Close())
		if strings.HasPrefix(filepath.Base(x.file.Name()), ".import-") {
			_ = os.Remove(x.file.Name())
		}
	}
	if x.root != nil {
		errs = append(errs, x.root.Close())
	}
	return errors.Join(errs...)
}

func (x *Export) open(name string, size int64) (err error) {
	if x.file, err = os.Open(name); err != nil {
		return fmt.Errorf("open export: %w", err)
	}
	return x.wrap(size)
}

// wrap lists what is in the file.
func (x *Export) wrap(size int64) (err error) {
	x.Size = size
	if x.src, err = exports.FromFile(x.Name, countedFile{x.file, &x.read}, size, exports.Limits{}); err != nil {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: x.Name, Msg: "cannot be opened", Hint: "is it whole? Unpack it and import the folder", Err: err}
	}
	x.Files = x.src.Len()
	return nil
}

func (x *Export) folder(name string) (err error) {
	if x.root, err = os.OpenRoot(name); err != nil {
		return fmt.Errorf("open export: %w", err)
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	x.Name = filepath.Base(abs)
	if x.src, err = exports.FromFolder(x.Name, countedFS{x.root.FS(), &x.read}, exports.Limits{}); err != nil {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: x.Name, Msg: "cannot be read", Err: err}
	}
	x.Files = x.src.Len()
	for _, f := range x.src.Files {
		x.Size += f.Size
	}
	return nil
}

func (x *Export) recognise(kind string) error {
	switch {
	case kind == "" && x.isOwn():
		kind = Own
	case kind == "":
		kind = x.set.Detect(x.src)
	}
	if kind == Own && x.file == nil {
		return lukasa.Invalid(x.Name, "is a folder, and what export wrote is a file")
	}
	for _, k := range Set(x.set).Kinds() {
		if k.Name == kind {
			x.Kind, x.Title = k.Name, k.Title
			if kind == Own {
				x.own = io.NewSectionReader(x.file, 0, x.Size)
			}
			return nil
		}
	}
	if kind != "" {
		_, err := x.set.Kind(kind)
		return err
	}
	hint := "name its kind, as in `lukasa import chatgpt FILE` or ?kind=chatgpt; `lukasa import` lists them; other files and folders are for `lukasa add`"
	switch packed := x.src.Has(".zip", ".gz", ".tar", ".tgz", ".7z", ".rar"); {
	case x.src.Single && strings.TrimSpace(x.src.Head(x.src.Files[0], ownHead)) == "":
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: x.Name, Msg: "is empty", Hint: "export it again"}
	case x.Files == 0:
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: x.Name, Msg: "holds no file that can be read", Hint: "is it whole? Export it again", Err: x.src.Refused()}
	case len(packed) > 0 && !x.src.Single:
		hint = "it holds another archive, " + packed[0].Name + ": unpack that, and import what is in it; or " + hint
	}
	return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "kind", Msg: x.Name + " looks like no export that is known", Hint: hint}
}

// named gives a file that came without an extension the one of what it begins with, since kinds tell their files by it.
func named(name string, f *os.File) string {
	if filepath.Ext(name) != "" {
		return name
	}
	head, _ := io.ReadAll(exports.UTF8Reader(io.NewSectionReader(f, 0, ownHead)))
	switch s := strings.TrimSpace(string(head)); {
	case strings.HasPrefix(s, "{"), strings.HasPrefix(s, "["):
		return name + ".json"
	case strings.HasPrefix(s, "<") && strings.Contains(s, "en-export"):
		return name + ".enex"
	case strings.HasPrefix(s, "<"):
		return name + ".html"
	}
	return name
}

// ownHead is how much of a file says whether it is what Export writes, and ownMark what it says then.
const (
	ownHead = 256
	ownMark = `"format":"lukasa.export/`
)

// isOwn reports whether the file begins like what Export writes.
func (x *Export) isOwn() bool {
	return x.file != nil && len(x.src.Files) == 1 && strings.Contains(x.src.Head(x.src.Files[0], ownHead), ownMark)
}

// PeekOwn reports whether what comes begins like what Export writes, and returns all of it.
func (Set) PeekOwn(r io.Reader) (own bool, all io.Reader) {
	b := bufio.NewReader(r)
	head, _ := b.Peek(ownHead) // an error comes again when it is read
	return strings.Contains(string(head), ownMark), b
}

// countedFile counts what is read of a file.
type countedFile struct {
	*os.File
	n *atomic.Int64
}

func (c countedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.File.ReadAt(p, off)
	c.n.Add(int64(n))
	return n, err
}

func (c countedFile) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// countedFS counts what is read of the files of a folder.
type countedFS struct {
	fs.FS
	n *atomic.Int64
}

func (c countedFS) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if of, ok := f.(*os.File); ok && err == nil {
		return countedFile{of, c.n}, nil
	}
	return f, err
}

// Options say how an export is read. The zero value is useful. The tags are what the command line shows.
type Options struct {
	Container   string `short:"c" help:"Where to keep it: a dotted path like old.slack." placeholder:"PATH"`
	Zone        string `help:"Time zone of times that name none, like Europe/Berlin; otherwise UTC." placeholder:"NAME"`
	Me          string `help:"Your name in the export, where it does not say who you are." placeholder:"NAME"`
	Namespace   string `help:"Put this before every id, for a second source of the same kind." placeholder:"NAME"`
	Attachments bool   `help:"Files beside notes, too."`
	DryRun      bool   `help:"Read, count, and keep nothing."`
	MaxText     int    `kong:"-"` // characters of one text; 0 is the default
}

func (o Options) reading() (exports.Options, error) {
	zone, err := time.LoadLocation(o.Zone)
	if err != nil {
		return exports.Options{}, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "zone", Msg: fmt.Sprintf("%q is not a time zone", o.Zone), Hint: "name one like Europe/Berlin or UTC"}
	}
	if o.Container != "" {
		if _, err := lukasa.ParsePath(o.Container); err != nil {
			return exports.Options{}, err
		}
	}
	return exports.Options{Container: o.Container, Zone: zone, Namespace: o.Namespace, Self: o.Me, Attachments: o.Attachments, MaxText: o.MaxText}, nil
}

// Carry reads the export and carries what is in it to where it is kept, in batches. tick may be nil. What an item could not be
// read or kept for is in the report; an error means that the import ended before its end, and can be made again to go on.
func (x *Export) Carry(ctx context.Context, to Target, o Options, tick func(Progress)) (*Report, error) {
	switch {
	case x.Kind == Own:
		return nil, lukasa.Invalid("kind", "what export wrote is read by TakeOwn")
	case to == nil && !o.DryRun:
		return nil, lukasa.Invalid("target", "is missing")
	}
	opt, err := o.reading()
	if err != nil {
		return nil, err
	}
	c := newCarrier(x, to, o, tick)
	for it, err := range x.set.Read(ctx, x.Kind, x.src, opt) {
		if err == nil {
			err = c.take(ctx, it)
		} else {
			err = c.trouble(ctx, err)
		}
		if err != nil {
			return c.finish(), err
		}
	}
	err = c.end(ctx)
	r := c.finish()
	if all := r.Documents.All() + r.Messages.All() + r.Memories.All(); all == 0 && r.Unread > 0 && len(r.Problems) > 0 {
		if other := x.set.Detect(x.src); other != "" && other != x.Kind {
			r.Problems[len(r.Problems)-1].Reason += "; it looks like " + other
		}
	}
	return r, err
}

// TakeOwn hands what export wrote to the one who reads it.
func (x *Export) TakeOwn(ctx context.Context, read func(context.Context, io.Reader) (OwnReport, error), tick func(Progress)) (*Report, error) {
	c := newCarrier(x, nil, Options{}, tick)
	p, err := read(ctx, io.TeeReader(x.own, ticker(func(n int) { x.read.Add(int64(n)); c.tell(Reading, 0) })))
	r := c.finish()
	r.Own = &p
	return r, err
}

// ticker hears how much was written to it.
type ticker func(int)

func (t ticker) Write(p []byte) (int, error) {
	t(len(p))
	return len(p), nil
}
