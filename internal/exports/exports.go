// Package exports reads what other tools export: conversations, notes, bookmarks and memories, as one stream of items.
//
// An export is a file, a zip or a folder, wrapped as a [Source]. A [Set] of kinds says which kind it is of, and reads its items in
// a stable order. Ids come from the source's own ids, or else from a hash of what does not change between two exports, so that
// importing twice adds nothing. Large files are read as a stream: what is held at once is one conversation, note or batch of
// messages.
//
// Nothing is dropped silently. What an item has no field for is in its Metadata; what cannot be read is an error that names its
// place (a [PlaceError]), and reading goes on; what is left out on purpose is counted in one [LeftOutError] at the end.
//
// This package is the frame: the items, the export as a list of files within limits, and the [Reading] that the kinds work with.
// The kinds stand in the packages below, a file each, which says where its format is described. Values in the Metadata of messages
// are what JSON knows (strings, numbers, booleans, []any, map[string]any), so that they compare equal after they have been stored.
package exports

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Item is one thing out of an export: exactly one of Append, Document and Memory is set.
type Item struct {
	Key      string              // stable id of the item, the same in every export of the same source
	Append   *lukasa.Append      // messages of a conversation; a long conversation comes as several items
	Document *lukasa.NewDocument // a note, page, bookmark or highlight
	Memory   *lukasa.NewMemory
	Title    string   // of a conversation: lukasa.Append has no place for it
	Links    []string // what the item points to: custom ids where they are known, else titles
	Where    string   // file and place inside the export, for messages to people
}

// Options of reading; the zero value is useful.
type Options struct {
	Container   string         // where the items go; "" leaves the choice to the engine
	Zone        *time.Location // of times that name none; default UTC
	Namespace   string         // put before every id: two vaults in one container do not take each other for versions
	Self        string         // the speaker who is the owner of the export, for kinds that do not say; is given the speaker ""
	Attachments bool           // files beside notes are yielded as documents; otherwise they are counted as left out
	MaxText     int            // characters of a text; longer messages come in parts, longer documents as files; default 500,000
}

// Kind describes one kind of export. Looks reads beginnings of files only.
type Kind struct {
	Name    string // for the command line: chatgpt
	Title   string // for people: ChatGPT data export
	Accepts string // which file, zip or folder
	How     string // how to get the export
	Format  string // where the format is described
	Looks   func(*Source) bool
	Read    func(*Reading)
}

// Set is the kinds that are known, in the order in which Detect asks.
type Set []Kind

// Kind returns the kind of a name.
func (s Set) Kind(name string) (Kind, error) {
	names := make([]string, 0, len(s))
	for _, k := range s {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, &lukasa.Error{
		Code: lukasa.CodeInvalid, Field: "kind", Msg: fmt.Sprintf("%q is not a kind of export", name), Hint: "use one of " + strings.Join(names, ", "),
	}
}

// Detect says which kind the export looks like, "" if none.
func (s Set) Detect(src *Source) string {
	for _, k := range s {
		if k.Looks(src) {
			return k.Name
		}
	}
	return ""
}

// PlaceError says what could not be read, and where.
type PlaceError struct {
	Where string
	Err   error
}

func (e *PlaceError) Error() string { return e.Where + ": " + e.Err.Error() }

func (e *PlaceError) Unwrap() error { return e.Err }

// LeftOutError counts what was left out on purpose, by reason. It comes last.
type LeftOutError struct {
	Counts map[string]int
}

func (e *LeftOutError) Error() string {
	parts := make([]string, 0, len(e.Counts))
	for _, what := range slices.Sorted(maps.Keys(e.Counts)) {
		parts = append(parts, fmt.Sprintf("%s: %d", what, e.Counts[what]))
	}
	return "left out: " + strings.Join(parts, ", ")
}

// Errors of many kinds.
var (
	errNothing = errors.New("nothing in it could be read as an export of this kind")
	ErrNoDate  = errors.New("has a date that no calendar has; the item is kept without a time")
)

// Read yields the items of the export. An item that cannot be read yields an error and an empty item, and reading goes on; it
// ends early when ctx ends, with its error. An export without any item yields at least one error. kind "" means Detect.
func (s Set) Read(ctx context.Context, kind string, src *Source, o Options) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		if kind == "" {
			if kind = s.Detect(src); kind == "" {
				yield(Item{}, &lukasa.Error{
					Code: lukasa.CodeUnsupported, Field: "file", Msg: src.Name + " does not look like any export that is known",
					Hint: "name its kind, as in `lukasa import chatgpt FILE`",
				})
				return
			}
		}
		k, err := s.Kind(kind)
		if err != nil {
			yield(Item{}, err)
			return
		}
		if o.Zone == nil {
			o.Zone = time.UTC
		}
		if o.MaxText <= 0 {
			o.MaxText = 500_000
		}
		r := &Reading{Source: src, Options: o, ctx: ctx, kind: k.Name, yield: yield, left: map[string]int{}, seen: map[string]int{}}
		for _, e := range src.refused {
			r.Fail(e.Where, e.Err)
		}
		if !r.Over() {
			k.Read(r)
		}
		r.finish()
	}
}

// Reading is one call of Read: what a kind reads from, and what it gives its items to. It is for one goroutine.
type Reading struct {
	Source  *Source
	Options Options // filled in

	ctx     context.Context
	kind    string
	yield   func(Item, error) bool
	left    map[string]int // what was left out, by reason
	seen    map[string]int // keys of documents and memories given out
	items   int
	failed  bool
	stopped bool
}

// Over reports whether reading has to end: the caller has enough, or the context has ended.
func (r *Reading) Over() bool {
	if !r.stopped && r.ctx.Err() != nil {
		r.stopped = true
		r.yield(Item{}, r.ctx.Err())
	}
	return r.stopped
}

func (r *Reading) finish() {
	if r.Over() {
		return
	}
	if len(r.left) > 0 {
		r.stopped = !r.yield(Item{}, &LeftOutError{Counts: r.left})
	}
	if !r.stopped && r.items == 0 && !r.failed {
		r.Fail(r.Source.Name, errNothing)
	}
}

// Fail reports what could not be read.
func (r *Reading) Fail(where string, err error) {
	if r.Over() {
		return
	}
	r.failed = true
	r.stopped = !r.yield(Item{}, &PlaceError{Where: where, Err: plain(err)})
}

// Leave counts something left out on purpose.
func (r *Reading) Leave(what string) { r.left[what]++ }

func (r *Reading) give(it Item) {
	if r.Over() {
		return
	}
	r.items++
	r.stopped = !r.yield(it, nil)
}

// ID makes an id of this kind of export out of the source's own id. An id that is too long keeps its beginning and ends in
// its hash.
func (r *Reading) ID(parts ...string) string {
	s := r.kind + ":" + strings.Join(parts, "/")
	if r.Options.Namespace != "" {
		s = r.Options.Namespace + ":" + s
	}
	return short(s)
}

// LeaveN counts n things left out on purpose.
func (r *Reading) LeaveN(what string, n int) {
	if n > 0 {
		r.left[what] += n
	}
}

// maxID is the longest id that the engine takes, in bytes.
const maxID = 255

func short(s string) string {
	s = strings.ToValidUTF8(strings.Map(dropControls, s), "\ufffd")
	if len(s) <= maxID {
		return s
	}
	return strings.ToValidUTF8(s[:maxID-33], "") + "~" + Digest(s)
}

func dropControls(c rune) rune {
	if c < ' ' || c == 0x7f {
		return -1
	}
	return c
}
