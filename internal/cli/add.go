package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/extract"
)

type addCmd struct {
	What        []string          `arg:"" optional:"" help:"Files, folders, web addresses, a text, or - for standard input."`
	Container   string            `short:"c" help:"Where to keep it: a dotted path like work.notes." placeholder:"PATH"`
	Title       string            `help:"Title of a single item; found in the content otherwise."`
	Tag         []string          `short:"t" sep:"none" help:"Label to find it by; may be repeated."`
	Meta        map[string]string `mapsep:"none" help:"Further fact about it; may be repeated." placeholder:"NAME=VALUE"`
	Type        string            `help:"Content type: text, markdown, html, code, json, csv or a media type."`
	OccurredAt  string            `help:"When it happened." placeholder:"TIME"`
	ForgetAfter string            `help:"When to forget it: a date, or a time from now like 30d." placeholder:"TIME"`
	Text        bool              `help:"Take the arguments as text, whatever they look like."`
	Memory      bool              `help:"Keep the text as one memory, as it is, and not as a document."`
	Kind        string            `help:"Kind of the memory: fact, preference, episode, insight, task, decision, milestone, event or turning_point."`
	Follow      bool              `help:"Follow symbolic links in folders."`
}

// Help is the detail of the command's help.
func (addCmd) Help() string {
	return `In folders, hidden files, binary files, links and what .gitignore names are passed over and counted. A file that is added again is a new version where it has changed, and nothing where it has not: what was cut off is made again to go on. With --json, a long run tells its progress once a second; see docs/import.md.`
}

const (
	batchItems = 32
	batchBytes = 4 << 20
	slowItem   = 8 // items that one counts as which takes long to read: no text
)

// item is one thing to add. A file is read when its turn comes.
type item struct {
	label  string
	path   string // of a file
	folder bool   // found in a folder: what cannot be read as text is passed over
	size   int64
	doc    lukasa.NewDocument
}

// outcome is what became of an item.
type outcome struct {
	Label        string      `json:"source"`
	ID           lukasa.ID   `json:"id,omitempty"`
	Title        string      `json:"title,omitempty"`
	Container    lukasa.Path `json:"container,omitempty"`
	Status       string      `json:"status,omitempty"`
	Version      int         `json:"version,omitempty"`
	Chunks       int         `json:"chunk_count"`
	Deduplicated bool        `json:"deduplicated"`
	Reason       string      `json:"reason,omitempty"` // why it is not done yet
	Error        string      `json:"error,omitempty"`

	err    error
	folder bool // it was found in a folder
}

// adding is one run of the command.
type adding struct {
	*app
	cmd     *addCmd
	b       backend
	base    lukasa.NewDocument // what the flags say of every item
	w       *Walker
	items   []item
	results []outcome
	meter   *engine.ImportMeter
	batch   []item
	weight  int // of the batch, in items
	size    int // of the batch, in bytes
	far     engine.ImportProgress
}

// Run adds what the arguments name.
func (c *addCmd) Run(a *app) error {
	if c.Memory {
		return c.memory(a)
	}
	if c.Kind != "" {
		return lukasa.Invalid("--kind", "is for memories: give --memory too")
	}
	r := &adding{app: a, cmd: c}
	r.w = NewWalker(a.loaded.Config.MaxFile)
	r.w.Follow, r.w.Mark = c.Follow, rowsFile
	r.w.Exclude, _ = filepath.Abs(a.loaded.Config.Data)
	var err error
	if r.base, err = c.describe(); err != nil {
		return err
	}
	if err := r.gather(); err != nil {
		return err
	}
	if c.Title != "" && len(r.items) > 1 {
		return lukasa.Invalid("--title", "is for a single item, and there are %d", len(r.items))
	}
	err = a.with(toWrite, func(b backend) error {
		r.b = b
		var read func() (int, time.Duration)
		if l, ok := b.(*local); ok {
			read = l.e.Read
		}
		bar := a.progress()
		r.meter = engine.NewImportMeter(a.follow(bar), read)
		err := r.run()
		r.far = r.meter.Stop()
		bar.Done()
		return err
	})
	if err != nil {
		return err
	}
	return r.tell()
}

// describe returns what the flags say of every item.
func (c *addCmd) describe() (lukasa.NewDocument, error) {
	d := lukasa.NewDocument{Container: c.Container, Title: c.Title, Tags: c.Tag, ContentType: c.Type}
	var err error
	if d.OccurredAt, err = When("--occurred-at", c.OccurredAt, time.Now()); err != nil {
		return d, err
	}
	if d.ForgetAfter, err = When("--forget-after", c.ForgetAfter, time.Now()); err != nil {
		return d, err
	}
	d.Metadata = Metadata(c.Meta)
	return d, nil
}

func (c *addCmd) memory(a *app) error {
	text := strings.Join(c.What, " ")
	d, err := c.describe()
	if err != nil {
		return err
	}
	if c.Title != "" || c.Type != "" {
		return lukasa.Invalid("--memory", "has neither title nor type")
	}
	if text == "-" {
		b, err := io.ReadAll(io.LimitReader(a.p.In, a.loaded.Config.MaxFile))
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		text = strings.TrimSpace(string(b))
	}
	return a.with(toWrite, func(b backend) error {
		m, err := b.AddMemory(a.ctx, lukasa.NewMemory{
			Content: text, Kind: lukasa.MemoryKind(c.Kind), Container: c.Container, Tags: c.Tag,
			Metadata: d.Metadata, OccurredAt: d.OccurredAt, ForgetAfter: d.ForgetAfter,
		})
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(m)
		}
		if m.Deduplicated {
			a.say("known already: %s  %s in %s", m.ID, m.Kind, m.Path)
			return nil
		}
		a.say("added %s  %s in %s", m.ID, m.Kind, m.Path)
		return nil
	})
}

// gather works out what each argument is. Several that are neither file nor address are one text.
func (r *adding) gather() error {
	args := r.cmd.What
	if len(args) == 0 {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Msg: "nothing to add", Hint: "name files, folders or addresses, give a text, or - for standard input"}
	}
	texts := 0
	for _, arg := range args {
		is, err := r.take(arg)
		if err != nil {
			return err
		}
		if !is {
			texts++
		}
	}
	switch {
	case texts == 0:
		return nil
	case texts < len(args):
		return r.missing(args)
	}
	d := r.base
	d.Content = strings.Join(args, " ")
	r.items = append(r.items, item{label: "text", doc: d})
	return nil
}

// missing names the argument that is no file among those that are.
func (r *adding) missing(args []string) error {
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil && !isAddress(arg) && arg != "-" {
			return noFile(arg)
		}
	}
	return nil
}

func noFile(name string) error {
	return &lukasa.Error{Code: lukasa.CodeNotFound, Msg: "there is no file or folder " + name, Hint: "to save it as a text, give --text"}
}

func isAddress(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// take adds the items of an argument, and reports whether it is more than a text.
func (r *adding) take(arg string) (bool, error) {
	d := r.base
	switch {
	case r.cmd.Text:
		return false, nil
	case arg == "-":
		return true, r.standardInput()
	case isAddress(arg):
		d.URL = arg
		r.items = append(r.items, item{label: arg, doc: d})
		return true, nil
	}
	abs, err := filepath.Abs(arg)
	if err != nil {
		return false, err
	}
	st, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err != nil && strings.ContainsAny(arg, " \n"):
		if looksLikePath(arg) {
			return false, noFile(arg)
		}
		return false, nil
	case err != nil:
		return false, fmt.Errorf("open %s: %w", arg, err)
	case st.IsDir():
		return true, r.folder(abs)
	case !st.Mode().IsRegular():
		return false, lukasa.Invalid(arg, "is no regular file")
	case st.Size() == 0:
		return false, lukasa.Invalid(arg, "is empty")
	case st.Size() > r.loaded.Config.MaxFile:
		return false, &lukasa.Error{Code: lukasa.CodeTooLarge, Field: arg, Msg: "is over the limit of " + bytesOf(r.loaded.Config.MaxFile), Hint: "raise limit.file, or split it"}
	}
	r.items = append(r.items, item{label: arg, path: abs, size: st.Size(), doc: d})
	return true, nil
}

// looksLikePath tells a mistyped path from a text.
func looksLikePath(s string) bool {
	return !strings.ContainsAny(s, " \t\n") && (strings.ContainsAny(s, `/\`) || strings.HasPrefix(s, ".") || filepath.Ext(s) != "")
}

func (r *adding) folder(dir string) error {
	before := len(r.w.Found)
	if err := r.w.Folder(dir); err != nil {
		return err
	}
	for _, path := range r.w.Found[before:] {
		it := item{label: r.near(path), path: path, folder: true, doc: r.base}
		if st, err := os.Stat(path); err == nil {
			it.size = st.Size()
		}
		r.items = append(r.items, it)
	}
	return nil
}

// near shortens a path that lies below the working directory.
func (a *app) near(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

func (r *adding) standardInput() error {
	limit := r.loaded.Config.MaxFile
	b, err := io.ReadAll(io.LimitReader(r.p.In, limit+1))
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	if int64(len(b)) > limit {
		return &lukasa.Error{Code: lukasa.CodeTooLarge, Field: "standard input", Msg: "is over the limit of " + bytesOf(limit)}
	}
	d := r.base
	if utf8.Valid(b) && utf8.RuneCount(b) <= r.loaded.Config.MaxCharacters {
		d.Content = string(b)
	} else {
		d.Data = b
	}
	if len(b) == 0 {
		return lukasa.Invalid("standard input", "is empty")
	}
	r.items = append(r.items, item{label: "standard input", doc: d})
	return nil
}

// run saves the items in batches.
func (r *adding) run() error {
	size := int64(0)
	for _, it := range r.items {
		size += it.size
	}
	r.meter.Step(func(p *engine.ImportProgress) { p.Total, p.Size = len(r.items), size })
	for _, it := range r.items {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if it.path != "" && !r.read(&it) {
			r.past(it)
			continue
		}
		n, weight := len(it.doc.Content)+len(it.doc.Data), 1
		if !utf8.Valid(it.doc.Data) {
			weight = slowItem
		}
		if len(r.batch) > 0 && (r.weight+weight > batchItems || r.size+n > batchBytes) {
			r.flush()
		}
		r.batch, r.weight, r.size = append(r.batch, it), r.weight+weight, r.size+n
		r.meter.Step(func(p *engine.ImportProgress) { p.Current = it.label })
	}
	r.flush()
	err := r.b.settle(r.ctx, func(left int) {
		if left > 0 {
			r.meter.Step(func(p *engine.ImportProgress) { p.Stage, p.Left, p.Current = engine.WorkingOff, left, "" })
		}
	})
	if err != nil {
		return err
	}
	if err := r.refresh(); err != nil {
		return err
	}
	r.passPictures()
	return nil
}

// past notes that nothing more is to be done for an item here.
func (r *adding) past(it item) {
	r.meter.Step(func(p *engine.ImportProgress) {
		p.Items++
		p.Read += it.size
		if n := len(r.results); n > 0 && r.results[n-1].err != nil && r.results[n-1].Label == it.label {
			p.Failed++
		}
	})
}

// read reads a file into its item. What cannot be read, or is binary, is passed over in a folder and else an error.
func (r *adding) read(it *item) bool {
	b, err := os.ReadFile(it.path)
	switch {
	case err != nil && it.folder:
		r.w.Skip(ReasonUnreadable)
		return false
	case err != nil:
		r.results = append(r.results, outcome{Label: it.label, Error: err.Error(), err: err})
		return false
	case it.folder && Binary(it.path, b):
		r.w.Skip(ReasonBinary)
		return false
	}
	it.doc.Data, it.doc.Name = b, filepath.Base(it.path)
	it.doc.CustomID = fileID(it.path)
	m := map[string]any{"path": it.path}
	maps.Copy(m, it.doc.Metadata)
	it.doc.Metadata = m
	return true
}

// fileID names a file by its place, so that adding it again makes a version and no second document.
func fileID(path string) string {
	id := "file://" + filepath.ToSlash(path)
	if len(id) <= 255 && utf8.ValidString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(path))
	return "file:sha256:" + hex.EncodeToString(sum[:])
}

func (r *adding) flush() {
	if len(r.batch) == 0 {
		return
	}
	docs := make([]lukasa.NewDocument, len(r.batch))
	for i, it := range r.batch {
		docs[i] = it.doc
	}
	receipts, errs := r.b.RememberAll(r.ctx, docs)
	for i, it := range r.batch {
		o := outcome{Label: it.label, folder: it.folder}
		if err := errs[i]; err != nil {
			if it.folder && lukasa.CodeOf(err) == lukasa.CodeUnsupported {
				r.w.Skip(ReasonBinary)
				r.past(it)
				continue
			}
			o.Error, o.err = wording(err), err
		} else {
			o.fill(receipts[i].Document)
			o.Deduplicated = receipts[i].Deduplicated
		}
		if o.Status == string(lukasa.StatusFailed) {
			o.Error, o.err = o.Reason, lukasa.Errorf(lukasa.CodeExternal, "%s", o.Reason)
		}
		r.results = append(r.results, o)
		r.past(it)
	}
	clear(r.batch)
	r.batch, r.weight, r.size = r.batch[:0], 0, 0
}

func (o *outcome) fill(d lukasa.Document) {
	o.ID, o.Title, o.Container, o.Version, o.Chunks = d.ID, d.Title, d.Path, d.Version, d.Chunks
	o.Status, o.Reason = string(d.Status), d.Reason
}

// refresh reads again what this process has worked off meanwhile.
func (r *adding) refresh() error {
	if r.b.server() != "" {
		return nil
	}
	for i, o := range r.results {
		if o.err != nil || o.Status == string(lukasa.StatusDone) {
			continue
		}
		d, err := r.b.Document(r.ctx, o.ID)
		if err != nil {
			return err
		}
		r.results[i].fill(d)
		if d.Status == lukasa.StatusFailed {
			r.results[i].Error = d.Reason
			r.results[i].err = lukasa.Errorf(lukasa.CodeExternal, "%s", d.Reason)
		}
	}
	return nil
}

// passPictures passes over the pictures of folders, such as icons, that are whole and yield no text, and does not keep them: they would only
// fail again. A picture that is named by itself stays, to be tried again.
func (r *adding) passPictures() {
	r.results = slices.DeleteFunc(r.results, func(o outcome) bool {
		why := ""
		switch {
		case !o.folder || o.Status != string(lukasa.StatusFailed):
		case strings.HasPrefix(o.Reason, extract.NoPictureText):
			why = ReasonPicture
		case strings.HasPrefix(o.Reason, extract.NoReader):
			why = ReasonNoReader
		}
		if why == "" {
			return false
		}
		if _, err := r.b.DeleteDocument(r.ctx, o.ID); err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return false
		}
		r.w.Skip(why)
		return true
	})
}

// tell says what happened. One item that failed is the command's error; of several, each is named.
func (r *adding) tell() error {
	if len(r.items) == 1 && len(r.results) == 1 && r.results[0].err != nil {
		return r.results[0].err
	}
	if r.w.Skipped[ReasonNoReader] > 0 {
		r.note("pictures are read by tesseract (tesseract-ocr) or a vision model; with one of them, add the folder again")
	}
	TooLarge(r.note, r.w.Large, oneLine, bytesOf(r.w.Max), r.near)
	failed := 0
	for _, o := range r.results {
		if o.err != nil {
			failed++
			r.note("lukasa: %s: %s", o.Label, o.Error)
		}
	}
	n := map[string]int{}
	for _, o := range r.results {
		if o.err == nil {
			n[o.verb()]++
		}
	}
	if r.g.JSON {
		if err := r.printLine(added{
			"summary", append([]outcome{}, r.results...), r.w.Skipped, n["added"], n["updated"], n["unchanged"], failed, r.far.Pages, r.far.Minutes, r.far.Elapsed,
		}); err != nil {
			return err
		}
	} else {
		r.summary(n, failed)
	}
	if failed > 0 {
		r.note("%s", "`lukasa list --status failed` lists what is kept and could not be read; `lukasa retry --all` tries it again")
		return quiet(exitError)
	}
	return nil
}

// added says as JSON what the command did.
type added struct {
	Type      string         `json:"type"` // summary
	Items     []outcome      `json:"items"`
	Skipped   map[string]int `json:"skipped"` // what was passed over in folders, by reason
	Added     int            `json:"added"`
	Updated   int            `json:"updated"`
	Unchanged int            `json:"unchanged"`
	Failed    int            `json:"failed"`
	Pages     int            `json:"pages"`
	Minutes   float64        `json:"minutes"`
	Seconds   float64        `json:"seconds"`
}

func (r *adding) summary(n map[string]int, failed int) {
	if len(r.items) == 1 && len(r.results) == 1 {
		o := r.results[0]
		r.say("%s %s  %s (%s, %s)", o.verb(), o.ID, oneLine(o.Title, 60), o.Container, counted(o.Chunks, "chunk"))
		if o.Status != string(lukasa.StatusDone) {
			r.say("it is %s: %s", o.Status, o.waiting(r.b.server() != ""))
		}
		return
	}
	n["failed"] = failed
	parts := []string{"added " + counted(n["added"], "document")}
	for _, verb := range []string{"updated", "unchanged", "failed"} {
		if n[verb] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[verb], verb))
		}
	}
	r.say("%s", strings.Join(parts, ", "))
	if read := engine.ImportExtent(r.far.Pages, r.far.Minutes); read != "" {
		r.say("read %s in %s", read, time.Duration(r.far.Elapsed*1e9).Round(time.Second/10))
	}
	var why []string
	for k, n := range r.w.Skipped {
		why = append(why, fmt.Sprintf("%d %s", n, k))
	}
	if len(why) > 0 {
		sort.Strings(why)
		r.say("passed over: %s", strings.Join(why, ", "))
	}
}

// waiting says what a document that is not done waits for.
func (o outcome) waiting(server bool) string {
	switch {
	case server:
		return "the server works on it"
	case o.Reason != "":
		return o.Reason + "; it is tried again by `lukasa serve`, or by a later command that changes something"
	}
	return "`lukasa serve`, or a later command that changes something, goes on with it"
}

func (o outcome) verb() string {
	switch {
	case o.Deduplicated:
		return "unchanged"
	case o.Version > 1:
		return "updated"
	}
	return "added"
}
