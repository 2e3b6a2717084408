package brief

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/token"
)

// Profile is what is known about somebody or something, in the documented shape.
type Profile struct {
	Container lukasa.Path  `json:"container"`
	Static    []string     `json:"static_facts"`
	Recent    []string     `json:"recent_context"`
	Relevant  []lukasa.Hit `json:"relevant_memories"`
	Sources   []lukasa.ID  `json:"sources"` // the memories behind Static, then those behind Recent
}

// ProfileOptions shape a [Profile]. The zero value is useful, but for Now.
type ProfileOptions struct {
	Container lukasa.Path
	Now       time.Time
	Replaced  bool          // the memories were true at Now, by a rule of the caller's: they may have been replaced since
	Static    int           // the most facts; 0 means 20
	Recent    int           // the most lines of recent context; 0 means 10
	Relevant  int           // the most hits; 0 means 5
	Within    time.Duration // how far back recent goes; 0 means 30 days
	Least     float64       // confidence; 0 means .5
	MaxTokens int           // of all lines together; 0 means no bound. Facts come first, then recent context, then hits.
	Tokens    *token.Counter
}

func (o ProfileOptions) filled() ProfileOptions {
	o.Static = cmp.Or(max(o.Static, 0), 20)
	o.Recent = cmp.Or(max(o.Recent, 0), 10)
	o.Relevant = cmp.Or(max(o.Relevant, 0), 5)
	o.Within = cmp.Or(max(o.Within, 0), 30*24*time.Hour)
	o.Least = cmp.Or(o.Least, 0.5)
	if o.Tokens == nil && o.MaxTokens > 0 {
		o.Tokens = &token.Counter{}
	}
	return o
}

// MakeProfile sorts memories into static facts (facts and preferences that hold now, one for each slot of a subject, those with a
// slot first, then the surer and better backed ones) and recent context (what happened, was decided, planned or learned
// lately, newest first). relevant are hits for a query, best first; those that stand above already are left out. What is not the
// latest word, has ended, is forgotten or quarantined is no part of a profile.
func MakeProfile(memories []lukasa.Memory, relevant []lukasa.Hit, o ProfileOptions) Profile {
	o = o.filled()
	p := Profile{Container: o.Container, Static: []string{}, Recent: []string{}, Relevant: []lukasa.Hit{}, Sources: []lukasa.ID{}}
	var facts, news []*lukasa.Memory
	for i := range memories {
		m := &memories[i]
		switch {
		case !holds(m, o):
		case m.Kind == lukasa.KindFact || m.Kind == lukasa.KindPreference:
			facts = append(facts, m)
		default:
			if at := momentOf(m); !at.Before(o.Now.Add(-o.Within)) {
				news = append(news, m)
			}
		}
	}
	slices.SortStableFunc(facts, func(a, b *lukasa.Memory) int {
		return cmp.Or(cmp.Compare(slotted(b), slotted(a)), cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(len(b.Sources), len(a.Sources)),
			momentOf(b).Compare(momentOf(a)), cmp.Compare(a.ID, b.ID))
	})
	slices.SortStableFunc(news, func(a, b *lukasa.Memory) int {
		return cmp.Or(momentOf(b).Compare(momentOf(a)), cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.ID, b.ID))
	})
	left := o.MaxTokens
	fits := func(s string) bool {
		if o.MaxTokens <= 0 {
			return true
		}
		n := o.Tokens.Count("- " + s + "\n")
		if n > left {
			return false
		}
		left -= n
		return true
	}
	shown := map[lukasa.ID]bool{}
	take := func(list []*lukasa.Memory, most int) []string {
		out := []string{}
		var told telling
		for _, m := range list {
			if len(out) == most {
				break
			}
			s := lexis.OneLine(m.Content)
			if s == "" || told.has(s) || !fits(s) {
				continue
			}
			told.add(s)
			shown[m.ID] = true
			out = append(out, s)
			p.Sources = append(p.Sources, m.ID)
		}
		return out
	}
	p.Static = take(newest(facts), o.Static)
	p.Recent = take(news, o.Recent)
	for _, h := range relevant {
		if s := lexis.OneLine(h.Content); len(p.Relevant) < o.Relevant && !shown[h.ID] && (h.Memory == nil || holds(h.Memory, o)) && fits(s) {
			shown[h.ID] = true
			p.Relevant = append(p.Relevant, h)
		}
	}
	return p
}

// newest brings the newest memory of each slot before the others of it, and leaves the order else as it is.
func newest(list []*lukasa.Memory) []*lukasa.Memory {
	best := map[[2]string]int{}
	for i, m := range list {
		key := [2]string{strings.ToLower(m.Subject), m.Slot}
		if j, ok := best[key]; m.Slot != "" && (!ok || momentOf(m).After(momentOf(list[j]))) {
			best[key] = i
		}
	}
	var out []*lukasa.Memory
	for i, m := range list {
		if j, ok := best[[2]string{strings.ToLower(m.Subject), m.Slot}]; !ok || i == j {
			out = append(out, m)
		}
	}
	return out
}

// holds reports whether a memory belongs into a profile made now.
func holds(m *lukasa.Memory, o ProfileOptions) bool {
	return (m.IsLatest || o.Replaced) && m.State == "" && m.Confidence >= o.Least &&
		(m.ValidTo == nil || m.ValidTo.After(o.Now)) && (m.ForgetAfter == nil || m.ForgetAfter.After(o.Now)) &&
		(m.ValidFrom == nil || !m.ValidFrom.After(o.Now) || m.Kind != lukasa.KindFact)
}

func slotted(m *lukasa.Memory) int { return min(1, len(m.Slot)) }

// momentOf is when something happened, else when it was noted.
func momentOf(m *lukasa.Memory) time.Time {
	if m.OccurredAt != nil {
		return *m.OccurredAt
	}
	return m.RecordedAt
}

// Markdown writes a profile for a prompt; "" when nothing is known.
func (p Profile) Markdown() string {
	var b strings.Builder
	list := func(heading string, lines []string) {
		if len(lines) == 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("### " + heading + "\n\n")
		for _, l := range lines {
			b.WriteString("- " + l + "\n")
		}
	}
	list("What is known", p.Static)
	list("Recently", p.Recent)
	var hits []string
	for _, h := range p.Relevant {
		hits = append(hits, lexis.OneLine(h.Content))
	}
	list("About this", hits)
	return b.String()
}
