package carry

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/exports"
)

// What goes into one batch at most.
const (
	carryItems    = 50
	carryMessages = 500
	carryBytes    = 1 << 20 // of text; of files, the first that goes over it closes the batch
	carryLinks    = 500
)

// Target is where the items of an export are carried to. What is there as it is in the export is passed over.
type Target interface {
	ImportItems(ctx context.Context, items []exports.Item) ([]exports.Result, error)
	// ImportLinks makes edges of links, those of a record together, and returns how many are new.
	ImportLinks(ctx context.Context, container string, links []exports.Link) (int, error)
}

// Settler is a [Target] that works off what is left to the background before the import ends. It returns why some of the
// documents that waited could not be read; tick hears how many jobs are left.
type Settler interface {
	Settle(ctx context.Context, waiting []lukasa.ID, tick func(left int)) (failed map[lukasa.ID]string, err error)
}

// Extractor is a [Target] that reads the files of items in this process. Read says how many pages, slides and sheets it has read
// since it began, and how much sound and film.
type Extractor interface {
	Read() (pages int, sound time.Duration)
}

// carrier takes the items of one export to where they are kept.
type carrier struct {
	x        *Export
	to       Target
	o        Options
	meter    *Meter
	looked   int64 // bytes of a folder or archive that were read before its first item: to see what is there, and not to keep it
	read     bool  // all of it
	report   Report
	batch    []exports.Item
	messages int
	bytes    int
	talks    map[string]bool
	ids      map[string]lukasa.ID // of what links may point to, by its key in the export
	links    []link
	names    map[string]string // of targets, each once
	waiting  []waiting
}

// waiting is a document that is worked off in the background.
type waiting struct {
	id    lukasa.ID
	where string
	fresh bool
}

// link is what one record points to.
type link struct {
	from lukasa.ID
	to   []string
}

func newCarrier(x *Export, to Target, o Options, tick func(Progress)) *carrier {
	var read func() (int, time.Duration)
	if r, ok := to.(Extractor); ok {
		read = r.Read
	}
	x.read.Store(0)
	return &carrier{
		x: x, to: to, o: o, meter: NewMeter(tick, read), talks: map[string]bool{}, ids: map[string]lukasa.ID{}, names: map[string]string{},
		report: Report{Type: "summary", Kind: x.Kind, Title: x.Title, Name: x.Name, Files: x.Files, DryRun: o.DryRun, LeftOut: map[string]int{}, Problems: []Problem{}},
	}
}

// take adds an item to the batch.
func (c *carrier) take(ctx context.Context, it exports.Item) error {
	if len(c.batch) == 0 && c.report.Documents.All()+c.report.Messages.All()+c.report.Memories.All() == 0 && c.x.Files > 1 {
		c.looked = c.x.read.Load()
	}
	messages, bytes := weight(it)
	if len(c.batch) > 0 && (len(c.batch) >= carryItems || c.messages+messages > carryMessages || c.bytes+bytes > carryBytes) {
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	c.batch, c.messages, c.bytes = append(c.batch, it), c.messages+messages, c.bytes+bytes
	return nil
}

func weight(it exports.Item) (messages, bytes int) {
	switch {
	case it.Append != nil:
		for _, m := range it.Append.Messages {
			bytes += len(m.Content)
		}
		return len(it.Append.Messages), bytes
	case it.Document != nil:
		return 0, len(it.Document.Content) + len(it.Document.Data)
	}
	return 0, len(it.Memory.Content)
}

// trouble notes an error of the reader; one that ends the import is returned.
func (c *carrier) trouble(ctx context.Context, err error) error {
	if left, ok := errors.AsType[*exports.LeftOutError](err); ok {
		for what, n := range left.Counts {
			c.report.LeftOut[what] += n
		}
		return nil
	}
	if p, ok := errors.AsType[*exports.PlaceError](err); ok && ctx.Err() == nil {
		c.report.Unread++
		c.problem(p.Where, p.Err.Error(), "")
		return nil
	}
	return err
}

// flush carries the batch.
func (c *carrier) flush(ctx context.Context) error {
	if len(c.batch) == 0 {
		return nil
	}
	results := make([]exports.Result, len(c.batch))
	if !c.o.DryRun {
		var err error
		if results, err = c.send(ctx, c.batch); err != nil {
			return fmt.Errorf("import %s: %w", c.batch[0].Where, err)
		}
	}
	for i, it := range c.batch {
		c.count(it, results[i])
	}
	c.batch, c.messages, c.bytes = c.batch[:0], 0, 0
	c.tell(Reading, 0)
	return nil
}

// send carries items. What is refused as a whole is sent one by one, so that one item that is at fault does not end the import.
func (c *carrier) send(ctx context.Context, items []exports.Item) ([]exports.Result, error) {
	results, err := c.to.ImportItems(ctx, items)
	switch code := lukasa.CodeOf(err); {
	case err == nil && len(results) == len(items):
		return results, nil
	case err == nil:
		return nil, lukasa.Errorf(lukasa.CodeExternal, "the server answered %d of %d items", len(results), len(items))
	case code != lukasa.CodeInvalid && code != lukasa.CodeTooLarge && code != lukasa.CodeUnknownField:
		return nil, err
	case len(items) == 1:
		return []exports.Result{{Failed: err.Error()}}, nil
	}
	results = nil
	for i := range items {
		one, err := c.send(ctx, items[i:i+1])
		if err != nil {
			return nil, err
		}
		results = append(results, one...)
	}
	return results, nil
}

// count notes what became of an item, and what it points to.
func (c *carrier) count(it exports.Item, r exports.Result) {
	tally, size, key := &c.report.Documents, 1, it.Key
	switch {
	case it.Append != nil:
		tally, size, key = &c.report.Messages, len(it.Append.Messages), it.Append.Conversation
		if !c.talks[key] {
			c.talks[key] = true
			c.report.Conversations++
		}
	case it.Memory != nil:
		tally = &c.report.Memories
	}
	if c.o.DryRun {
		r = exports.Result{New: size}
	}
	addTo(tally, r, size)
	if r.Failed != "" {
		c.problem(it.Where, r.Failed, r.ID)
	}
	if r.ID == "" {
		return
	}
	c.ids[key] = r.ID
	if r.Waiting {
		c.waiting = append(c.waiting, waiting{r.ID, it.Where, r.New > 0})
	}
	if len(it.Links) == 0 {
		return
	}
	to := make([]string, len(it.Links))
	for i, name := range it.Links {
		if _, ok := c.names[name]; !ok {
			c.names[name] = name
		}
		to[i] = c.names[name]
	}
	c.links = append(c.links, link{r.ID, to})
}

// end carries what is left, then the links, then waits for the background.
func (c *carrier) end(ctx context.Context) error {
	c.read = true
	if err := c.flush(ctx); err != nil {
		return err
	}
	var list []exports.Link
	for i, l := range c.links {
		for _, to := range l.to {
			if id, ok := c.ids[to]; ok {
				to = string(id)
			}
			if utf8.ValidString(to) {
				list = append(list, exports.Link{From: l.from, To: to})
			}
		}
		if len(list) < carryLinks && i < len(c.links)-1 || len(list) == 0 {
			continue
		}
		n, err := c.to.ImportLinks(ctx, c.o.Container, list)
		if err != nil {
			return fmt.Errorf("import links: %w", err)
		}
		c.report.Links += n
		list = list[:0]
		c.tell(Linking, 0)
	}
	if c.o.DryRun || len(c.waiting) == 0 {
		return nil
	}
	c.report.Waiting = len(c.waiting)
	ids := make([]lukasa.ID, len(c.waiting))
	for i, w := range c.waiting {
		ids[i] = w.id
	}
	s, ok := c.to.(Settler)
	if !ok {
		return nil
	}
	failed, err := s.Settle(ctx, ids, func(left int) { c.tell(WorkingOff, left) })
	if err != nil {
		return err
	}
	c.report.Waiting = 0
	docs := &c.report.Documents
	for _, w := range c.waiting {
		why, ok := failed[w.id]
		switch {
		case !ok:
			continue
		case w.fresh:
			docs.New--
		default:
			docs.Unchanged--
		}
		docs.Failed++
		c.problem(w.where, why, w.id)
	}
	return nil
}

func (c *carrier) tell(stage string, left int) {
	r := &c.report
	read := c.x.Size
	if stage == Reading && !c.read {
		read = max(0, min(c.x.read.Load()-c.looked, c.x.Size))
	}
	c.meter.Step(func(p *Progress) {
		p.Stage, p.Items, p.Failed, p.Left = stage, r.Documents.All()+r.Messages.All()+r.Memories.All(), r.Failed(), left
		p.Read, p.Size = read, c.x.Size
	})
}

// maxProblems is how many problems a report names.
const maxProblems = 1000

func (c *carrier) problem(where, why string, id lukasa.ID) {
	if len(c.report.Problems) < maxProblems {
		c.report.Problems = append(c.report.Problems, Problem{Where: where, Reason: why, ID: id})
	}
}

func (c *carrier) finish() *Report {
	p := c.meter.Stop()
	c.report.Pages, c.report.Minutes, c.report.Seconds = p.Pages, p.Minutes, p.Elapsed
	return &c.report
}
