package brief

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/token"
)

// Defaults of [Options].
const (
	DefaultSure     = 0.9
	DefaultDefining = 5
	leastClip       = 48 // tokens; less room than that is not worth the beginning of a hit
	bytesPerToken   = 24 // a long content with more bytes for each free token is not even counted
)

// Options of [Pack].
type Options struct {
	MaxTokens int     // of the whole text, markers included; 0 means 8,000, negative: nothing fits
	Floor     float64 // hits of less relevance are left out
	Sure      float64 // relevance from which a hit's long content is given where it fits; 0 means .9, above 1: never
	MaxHits   int     // 0 means as many as fit
	Defining  int     // the most defining memories; 0 means 5, negative none
	Session   Session // what this session was given before
	Key       []byte  // signs the text; without one it carries no markers
	// Tokens counts. Whoever packs often passes one, since a new one has to load its vocabulary.
	Tokens *token.Counter
	// Long returns the long content of a hit: the transcript of a recall file, the text of a document; "" when there is none. Without it
	// that is the hit's ContentFull.
	Long func(h lukasa.Hit) string
}

// Brief is recalled text for a prompt.
type Brief struct {
	Text    string  `json:"text"`   // "" when nothing is relevant enough, new and small enough
	Tokens  int     `json:"tokens"` // of Text, exactly; never more than was allowed
	Items   []Item  `json:"hits"`   // in the order of Text
	Left    []Left  `json:"left_out,omitempty"`
	Session Session `json:"session"` // to be passed to the next call
}

// Item is a hit in a brief.
type Item struct {
	Mark      int              `json:"mark"`  // [1] in the text
	Index     int              `json:"index"` // in the hits that were given
	ID        lukasa.ID        `json:"id"`
	Type      lukasa.EntryType `json:"type"`
	Relevance float64          `json:"relevance"`
	Defining  bool             `json:"defining,omitempty"`
	Long      bool             `json:"long,omitempty"`    // with its long content
	Clipped   bool             `json:"clipped,omitempty"` // only its beginning
}

// Reason says why a hit is not in a brief.
type Reason string

// The reasons.
const (
	LeftFloor       Reason = "floor"       // not relevant enough
	LeftGiven       Reason = "given"       // this session has it already
	LeftDuplicate   Reason = "duplicate"   // another hit, or the source of a memory, says it
	LeftBudget      Reason = "budget"      // does not fit
	LeftLimit       Reason = "limit"       // more than were wanted
	LeftEmpty       Reason = "empty"       // has no text
	LeftQuarantined Reason = "quarantined" // gives orders and cannot be trusted
	LeftCandidate   Reason = "candidate"   // is not sure to be worth keeping
)

// Left is a hit that was left out.
type Left struct {
	ID     lukasa.ID `json:"id"`
	Reason Reason    `json:"reason"`
}

// Session is what somebody was given so far: a value for the caller to keep and pass again.
type Session struct {
	Given []Given `json:"given,omitempty"` // oldest first, 2,000 at most
}

// Given is a hit that was given, and a digest of what it said, so that it is given again when it says something else.
type Given struct {
	ID     lukasa.ID `json:"id"`
	Digest string    `json:"digest"`
}

const maxGiven = 2000

func (s Session) has(g Given) bool { return slices.Contains(s.Given, g) }

// candidate is a hit on its way into a brief.
type candidate struct {
	index    int
	hit      lukasa.Hit
	short    string // its summary or own text
	body     string // what is shown
	notes    string // what of it is no longer so, which is shown however little of the body is
	cost     int
	defining bool
	long     bool
	clipped  bool
}

// packer fills a budget.
type packer struct {
	o      Options
	out    Brief
	in     []*candidate // that have a place, in the order in which they took it
	spent  int          // estimate: the frame, and the lines of those
	sign   int          // tokens of the markers alone
	budget int
	hits   int
}

// Pack fills a token budget with hits, given best first. Defining memories come first and in a block of their own; each hit
// first shows its short form (a summary, a message, a stretch, a statement), then, while there is room, the surest
// show their long content instead. A hit that does not fit gives way to smaller ones behind it; the first of them is shown up to
// the end of a sentence. A memory whose source is shown, and what says the same twice, is left out. Marks [1], [2] … carry date, place
// and id. The text is counted as it stands, markers and all, and never has more than MaxTokens o200k tokens.
func Pack(hits []lukasa.Hit, o Options) Brief {
	p := packer{o: o, budget: o.MaxTokens, hits: o.MaxHits}
	p.out.Session = o.Session
	if p.budget == 0 {
		p.budget = MaxMemory
	}
	if p.o.Sure == 0 {
		p.o.Sure = DefaultSure
	}
	if p.o.Defining == 0 {
		p.o.Defining = DefaultDefining
	}
	if p.o.Tokens == nil {
		p.o.Tokens = &token.Counter{}
	}
	if p.o.Long == nil {
		p.o.Long = func(h lukasa.Hit) string { return h.ContentFull }
	}
	p.sign = p.o.Tokens.Count(Sign("x", p.o.Key))
	list := p.choose(hits)
	p.spent = p.frame(list)
	p.place(list)
	p.lengthen()
	p.finish()
	return p.out
}

func (p *packer) leave(h lukasa.Hit, why Reason) {
	p.out.Left = append(p.out.Left, Left{h.ID, why})
}

// choose drops what may not or need not be shown, and brings defining memories to the front.
func (p *packer) choose(hits []lukasa.Hit) []*candidate {
	var defining, rest []*candidate
	var told telling
	seen := map[lukasa.ID]bool{}
	list := make([]*candidate, len(hits))
	for i, h := range hits {
		list[i] = &candidate{index: i, hit: h, short: shortOf(h), notes: Notes(h)}
		list[i].defining = h.Memory != nil && h.Memory.Kind.Defining()
	}
	// a defining memory may quote a message: it is the message that says the same
	slices.SortStableFunc(list, func(a, b *candidate) int { return cmp.Compare(btoi(b.defining), btoi(a.defining)) })
	for _, c := range list {
		h := c.hit
		switch {
		case c.short == "":
			p.leave(h, LeftEmpty)
		case h.Memory != nil && h.Memory.State == lukasa.MemoryQuarantined:
			p.leave(h, LeftQuarantined)
		case h.Memory != nil && h.Memory.State == lukasa.MemoryCandidate:
			p.leave(h, LeftCandidate)
		case h.Relevance < p.o.Floor:
			p.leave(h, LeftFloor)
		case p.out.Session.has(c.given()):
			p.leave(h, LeftGiven)
		case seen[h.ID] || told.has(c.short):
			p.leave(h, LeftDuplicate)
		case c.defining && (p.o.Defining < 0 || len(defining) >= p.o.Defining):
			p.leave(h, LeftLimit)
		default:
			seen[h.ID] = true
			told.add(c.short)
			if c.defining {
				defining = append(defining, c)
			} else {
				rest = append(rest, c)
			}
		}
	}
	return append(defining, rest...)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// telling is what stands in a text so far.
type telling struct {
	texts map[string]bool
	gists []merge.Gist // of those that are not long
	asked string       // about last
	gist  merge.Gist   // of that
}

const long = 400 // bytes; of longer texts only equal ones are the same

func (t *telling) add(s string) {
	if t.texts == nil {
		t.texts = map[string]bool{}
	}
	t.texts[s] = true
	if len(s) < long {
		t.gists = append(t.gists, t.of(s))
	}
}

// has reports whether a text says the same as one of them in nearly the same words.
func (t *telling) has(s string) bool {
	if t.texts[s] || len(s) >= long || len(t.gists) == 0 {
		return t.texts[s]
	}
	return slices.ContainsFunc(t.gists, t.of(s).Like)
}

func (t *telling) of(s string) merge.Gist {
	if t.asked != s {
		t.asked, t.gist = s, merge.GistOf(s)
	}
	return t.gist
}

// place gives each candidate that fits its place. Memories whose source is another candidate wait to see whether that one fits.
func (p *packer) place(list []*candidate) {
	var waiting []*candidate
	for _, c := range list {
		if slices.ContainsFunc(list, func(s *candidate) bool { return s != c && s.backs(c) }) {
			waiting = append(waiting, c)
			continue
		}
		p.put(c)
	}
	for _, c := range waiting {
		if slices.ContainsFunc(p.in, func(s *candidate) bool { return s.backs(c) }) {
			p.leave(c.hit, LeftDuplicate)
			continue
		}
		p.put(c)
	}
}

// backs reports whether c shows what another, a memory, rests on.
func (c *candidate) backs(of *candidate) bool {
	m := of.hit.Memory
	if m == nil || of.defining || c.clipped {
		return false
	}
	h := c.hit
	return slices.ContainsFunc(m.Sources, func(src lukasa.Source) bool {
		switch {
		case h.Message != nil:
			return src.Message != "" && string(src.Message) == h.Message.ID || len(src.Quote) > 8 && strings.Contains(h.Content, src.Quote)
		case h.Document == nil || src.Document == "" || src.Document != h.Document.ID:
			return false
		case h.Chunk != nil:
			return src.Start < h.Chunk.End && h.Chunk.Start < src.End
		}
		return c.long
	})
}

// put places a candidate in its short form, or the beginning of it where nothing was clipped so far.
func (p *packer) put(c *candidate) {
	if p.hits > 0 && len(p.in) >= p.hits {
		p.leave(c.hit, LeftLimit)
		return
	}
	c.body = c.short
	c.cost = p.price(c)
	if free := p.budget - p.spent; c.cost > free {
		if free < leastClip || slices.ContainsFunc(p.in, func(x *candidate) bool { return x.clipped }) || !p.clip(c, free) {
			p.leave(c.hit, LeftBudget)
			return
		}
	}
	p.in = append(p.in, c)
	p.spent += c.cost
}

// price is about what a candidate's lines cost, never knowingly less.
func (p *packer) price(c *candidate) int {
	// Real marks have as many digits, the key does not change how long a number is.
	return p.o.Tokens.Count(Sign(c.render(100), p.o.Key)) - p.sign + 4
}

// clip shortens a candidate to the sentences that fit.
func (p *packer) clip(c *candidate, free int) bool {
	whole := c.short
	if len(whole) > free*bytesPerToken {
		whole = lexis.Clip(whole, free*bytesPerToken)
	}
	var ends []int
	for s := range text.Sentences(whole) {
		ends = append(ends, s.End)
	}
	if len(ends) > 0 && len(whole) == len(c.short) {
		ends = ends[:len(ends)-1] // the whole was too long
	}
	c.clipped = true
	fits := func(n int) bool {
		c.body = strings.TrimRight(whole[:ends[n-1]], " ") + " …"
		c.cost = p.price(c)
		return c.cost <= free
	}
	low, high := 0, len(ends) // low fits, or is nothing
	for low < high {
		if mid := (low + high + 1) / 2; fits(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	if low == 0 {
		c.clipped, c.body = false, c.short
		return false
	}
	return fits(low)
}

// lengthen gives the surest hits their long content, best first, and takes out what stands in it.
func (p *packer) lengthen() {
	for _, c := range slices.Clone(p.in) {
		if c.hit.Relevance < p.o.Sure || c.clipped || c.hit.Memory != nil || !slices.Contains(p.in, c) {
			continue
		}
		long := strings.TrimSpace(p.o.Long(c.hit))
		if len(long) <= len(c.short) || len(long) > (p.budget-p.spent+c.cost)*bytesPerToken*2 {
			continue
		}
		old := *c
		c.body, c.long = long, true
		inside := func(x *candidate) bool { return x != c && c.holds(x) }
		spent := p.spent - old.cost
		for _, x := range p.in {
			if inside(x) {
				spent -= x.cost
			}
		}
		if c.cost = p.price(c); spent+c.cost > p.budget {
			*c = old
			continue
		}
		for _, x := range p.in {
			if inside(x) {
				p.leave(x.hit, LeftDuplicate)
			}
		}
		p.in = slices.DeleteFunc(p.in, inside)
		p.spent = spent + c.cost
	}
}

// holds reports whether the long content of c shows x already.
func (c *candidate) holds(x *candidate) bool {
	if c.hit.Document == nil || x.long {
		return false
	}
	if x.hit.Memory != nil {
		return c.backs(x)
	}
	return x.hit.Document != nil && x.hit.Document.ID == c.hit.Document.ID && strings.Contains(c.body, strings.TrimSuffix(x.body, " …"))
}

// finish writes the text and counts it. Should the estimates have been too low, the last that came goes first.
func (p *packer) finish() {
	for len(p.in) > 0 {
		p.out.Text = Sign(strings.TrimSuffix(p.layout(), "\n"), p.o.Key)
		p.out.Tokens = p.o.Tokens.Count(p.out.Text)
		if p.out.Tokens <= p.budget {
			break
		}
		last := p.in[len(p.in)-1]
		if i := slices.IndexFunc(p.in, func(c *candidate) bool { return c.long }); i >= 0 {
			last = p.in[i]
			last.long, last.body = false, last.short
			continue
		}
		p.leave(last.hit, LeftBudget)
		p.in = p.in[:len(p.in)-1]
	}
	if len(p.in) == 0 {
		p.out.Text, p.out.Tokens, p.out.Items = "", 0, []Item{}
		return
	}
	fresh := make([]Given, 0, len(p.in))
	for _, c := range p.in {
		fresh = append(fresh, c.given())
	}
	all := slices.Concat(p.out.Session.Given, fresh)
	p.out.Session = Session{Given: all[max(0, len(all)-maxGiven):]}
}
