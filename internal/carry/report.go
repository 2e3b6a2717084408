package carry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/exports"
)

// Tally counts what became of records of one sort.
type Tally struct {
	New       int `json:"new"`
	Replaced  int `json:"replaced"`
	Unchanged int `json:"unchanged"`
	Deleted   int `json:"deleted,omitempty"` // memories that were deleted since they were imported, and stay so
	Failed    int `json:"failed"`
}

// All is how many there were.
func (t Tally) All() int { return t.New + t.Replaced + t.Unchanged + t.Deleted + t.Failed }

func addTo(t *Tally, r exports.Result, size int) {
	t.New, t.Replaced, t.Unchanged, t.Deleted = t.New+r.New, t.Replaced+r.Replaced, t.Unchanged+r.Unchanged, t.Deleted+r.Deleted
	if r.Failed != "" {
		t.Failed += size
	}
}

// Problem says what could not be read or kept, and where it stands in the export.
type Problem struct {
	Where  string    `json:"where"`
	Reason string    `json:"reason"`
	ID     lukasa.ID `json:"id,omitempty"` // of what is kept all the same, and can be tried again
}

// Report says what an import did. Of a dry run, what would have been kept counts as new.
type Report struct {
	Type          string         `json:"type"` // summary
	Kind          string         `json:"kind"`
	Title         string         `json:"title"`
	Name          string         `json:"name"`
	Files         int            `json:"files"`
	DryRun        bool           `json:"dry_run,omitempty"`
	Documents     Tally          `json:"documents"`
	Messages      Tally          `json:"messages"`
	Memories      Tally          `json:"memories"`
	Conversations int            `json:"conversations"`
	Links         int            `json:"links"`    // new ones
	Unread        int            `json:"unread"`   // places of the export that could not be read
	Pages         int            `json:"pages"`    // of documents, slides and sheets, that were read here
	Minutes       float64        `json:"minutes"`  // of sound, film and transcripts
	Waiting       int            `json:"waiting"`  // documents that are worked off in the background
	LeftOut       map[string]int `json:"left_out"` // on purpose, by reason
	Problems      []Problem      `json:"problems"` // the first thousand
	Seconds       float64        `json:"seconds"`
	Own           *OwnReport     `json:"-"` // of what export wrote: all there is to say
}

// Failed is how many items could not be read or kept.
func (r *Report) Failed() int {
	n := r.Unread + r.Documents.Failed + r.Messages.Failed + r.Memories.Failed
	if r.Own != nil {
		n += len(r.Own.NoContent)
	}
	return n
}

func numbered(n int, what string) string {
	switch stem, y := strings.CutSuffix(what, "y"); {
	case n == 1:
		return "1 " + what
	case y:
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Summary is the report in lines for people.
func (r *Report) Summary() string {
	if p := r.Own; p != nil {
		all := fmt.Sprintf("%s, %s, %s, %s", numbered(p.Nodes, "container"), numbered(p.Documents, "document"), numbered(p.Memories, "memory"),
			numbered(p.Messages, "message"))
		s := fmt.Sprintf("imported %s; passed over %d that were there or are past their time", all, p.Skipped)
		if p.DryRun {
			s = fmt.Sprintf("%s would be imported; %d are past their time", all, p.Skipped)
		}
		if p.Deleted > 0 {
			s += fmt.Sprintf(", and %s deleted before", numbered(p.Deleted, "memory"))
		}
		for _, what := range p.NoContent {
			s += "\ncame without content: " + what
		}
		return s
	}
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, p := range r.Problems {
		say("could not be read: %s: %s", shown(p.Where, 200), shown(p.Reason, 300))
	}
	for _, x := range []struct {
		what string
		n    Tally
	}{{"document", r.Documents}, {"message", r.Messages}, {"memory", r.Memories}} {
		s := numbered(x.n.All(), x.what)
		switch {
		case x.n.All() == 0:
			continue
		case r.DryRun:
			s += " would be imported"
		default:
			s += fmt.Sprintf(": %d new, %d unchanged", x.n.New, x.n.Unchanged)
		}
		if x.n.Replaced > 0 {
			s += fmt.Sprintf(", %d replaced", x.n.Replaced)
		}
		if x.n.Deleted > 0 {
			s += fmt.Sprintf(", %d deleted before", x.n.Deleted)
		}
		if x.n.Failed > 0 {
			s += fmt.Sprintf(", %d failed", x.n.Failed)
		}
		if x.what == "message" {
			s += ", in " + numbered(r.Conversations, "conversation")
		}
		say("%s", s)
	}
	if r.Links > 0 {
		say("%s", numbered(r.Links, "new link"))
	}
	if r.Unread > 0 {
		say("%s of the export could not be read", numbered(r.Unread, "place"))
	}
	if n := r.Failed() - len(r.Problems); n > 0 {
		say("%d more failed than are named", n)
	}
	if r.Waiting > 0 {
		say("%s left to the background; `lukasa list --status failed` shows what fails", numbered(r.Waiting, "document"))
	}
	for _, what := range slices.Sorted(maps.Keys(r.LeftOut)) {
		say("left out: %s: %d", what, r.LeftOut[what])
	}
	if read := Extent(r.Pages, r.Minutes); read != "" {
		say("read %s", read)
	}
	say("took %s", time.Duration(r.Seconds*float64(time.Second)).Round(time.Millisecond))
	return strings.Join(out, "\n")
}

// Print is the report as one line of JSON, or in lines for people.
func (r *Report) Print(asJSON bool) string {
	if !asJSON {
		return r.Summary()
	}
	if r.Own != nil {
		return line(r.Own)
	}
	return line(r)
}

func line(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // numbers and texts have a form
		return "{}"
	}
	return string(b)
}

// shown is a text without what would steer a terminal, on one line of n characters at most.
func shown(s string, n int) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, s)
	return exports.Clip(exports.OneLine(s), n)
}
