package segment

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Constants of the search for changes of topic: TextTiling (Hearst 1997, "TextTiling: Segmenting Text into Multi-paragraph
// Subtopic Passages") over the content words of the talk, made incremental. Hearst compares the words on both sides of
// every gap and cuts where the similarity has a deep valley, deeper than the mean over the whole text by a share
// of the deviation. Here mean and deviation are those of the gaps so far, so that a cut never depends on what comes
// later, and a valley counts once the similarity behind it has risen again.
const (
	tileWords = 160  // content words compared on each side of a gap
	gapWords  = 8    // at least so many between two gaps
	warmGaps  = 12   // gaps before mean and deviation mean something
	valley    = 1.3  // deviations that a valley lies under the mean
	rise      = 1.75 // deviations of the rise on each side of it
	floorRise = 0.06 // and at least this cosine
	patience  = 2    // tiles after which a valley that was not confirmed is given up
)

// tiles is what the search for changes of topic keeps between messages.
type tiles struct {
	N      int64   `json:"n"`               // content words since the stretch began
	Kept   packed  `json:"kept,omitempty"`  // hashes of the newest of them
	Gaps   []gap   `json:"gaps,omitempty"`  // whose right side is not full yet
	Seen   float64 `json:"seen,omitempty"`  // scored gaps of the conversation
	Mean   float64 `json:"mean,omitempty"`  // of their similarities
	Spread float64 `json:"spread,omitzero"` // sum of squared differences from it (Welford)
	Peak   float64 `json:"peak,omitempty"`  // highest similarity before the valley
	Low    gap     `json:"low,omitzero"`    // the valley
	Bottom float64 `json:"bottom,omitempty"`
}

// gap is a place where a stretch may end, and how many content words lie before it.
type gap struct {
	Mark mark  `json:"mark"`
	Pos  int64 `json:"pos"`
}

// packed is a list of word hashes that is short in JSON.
type packed []uint32

// MarshalJSON writes the hashes as base64 of their bytes, little end first.
func (p packed) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 4*len(p))
	for _, h := range p {
		b = binary.LittleEndian.AppendUint32(b, h)
	}
	return base64Text(b), nil
}

// UnmarshalText reads what MarshalText wrote.
func (p *packed) UnmarshalText(t []byte) error {
	b, err := textBase64(t)
	if err != nil {
		return fmt.Errorf("read words: %w", err)
	}
	*p = make(packed, 0, len(b)/4)
	for ; len(b) >= 4; b = b[4:] {
		*p = append(*p, binary.LittleEndian.Uint32(b))
	}
	return nil
}

// gapAt notes that the stretch may end at a place.
func (t *tiles) gapAt(at mark) {
	if t.N == 0 {
		return
	}
	g := gap{Mark: at, Pos: t.N}
	if n := len(t.Gaps); n > 0 && t.N-t.Gaps[n-1].Pos < gapWords {
		return
	}
	t.Gaps = append(t.Gaps, g)
}

// add takes the words of a message.
func (t *tiles) add(words []uint32) {
	t.N += int64(len(words))
	t.Kept = append(t.Kept, words...)
}

// cut forgets what lies before a place that has become the start of a stretch.
func (t *tiles) cut(at mark) {
	from := t.N
	kept := t.Gaps[:0:0]
	for _, g := range slices.Concat([]gap{t.Low}, t.Gaps) {
		switch {
		case g.Mark.Count == at.Count && g.Pos > 0:
			from = g.Pos
		case g.Mark.Count > at.Count && g != t.Low:
			kept = append(kept, g)
		}
	}
	if len(kept) > 0 && from == t.N { // the place is no gap of ours: the words before the next one are lost to it
		from = kept[0].Pos
	}
	for i := range kept {
		kept[i].Pos -= from
	}
	kept = slices.DeleteFunc(kept, func(g gap) bool { return g.Pos <= 0 })
	keep := min(int(t.N-from), len(t.Kept))
	t.Kept = slices.Clone(t.Kept[len(t.Kept)-keep:])
	t.N -= from
	t.Gaps = kept
	t.Peak, t.Low, t.Bottom = 0, gap{}, 0
}

// step scores the gaps whose right side is full and returns a valley that was confirmed.
func (t *tiles) step() (gap, bool) {
	var found gap
	ok := false
	for len(t.Gaps) > 0 && !ok && t.N-t.Gaps[0].Pos >= tileWords {
		g := t.Gaps[0]
		t.Gaps = t.Gaps[1:]
		if at := len(t.Kept) - int(t.N-g.Pos); at >= tileWords {
			found, ok = t.score(g, likeness(t.Kept[at-tileWords:at], t.Kept[at:at+tileWords]))
		}
	}
	need := int64(tileWords)
	if len(t.Gaps) > 0 {
		need += t.N - t.Gaps[0].Pos
	}
	if t.Low.Pos > 0 { // a cut there keeps the words behind it
		need = max(need, t.N-t.Low.Pos)
	}
	if extra := len(t.Kept) - int(need); extra > 0 {
		t.Kept = append(t.Kept[:0], t.Kept[extra:]...) // the state handed out is a copy
	}
	return found, ok
}

// score follows the similarity from gap to gap.
func (t *tiles) score(g gap, like float64) (gap, bool) {
	dev := 0.0
	if t.Seen >= 2 {
		dev = math.Sqrt(t.Spread / (t.Seen - 1))
	}
	deep := max(rise*dev, floorRise)
	switch {
	case like >= t.Peak:
		if t.Low.Pos == 0 || like-t.Bottom < deep { // no valley on the way up to here
			t.Peak, t.Low, t.Bottom = like, gap{}, 0
		}
	case t.Low.Pos == 0 || like < t.Bottom:
		t.Low, t.Bottom = g, like
	}
	low, bottom, peak := t.Low, t.Bottom, t.Peak
	warm, mean := t.Seen >= warmGaps, t.Mean
	t.Seen++
	d := like - t.Mean
	t.Mean += d / t.Seen
	t.Spread += d * (like - t.Mean)
	if low.Pos == 0 || g.Pos == low.Pos {
		return gap{}, false
	}
	risen := like - bottom
	if risen < deep {
		if g.Pos-low.Pos > patience*tileWords {
			t.Low, t.Bottom, t.Peak = gap{}, 0, like
		}
		return gap{}, false
	}
	t.Low, t.Bottom, t.Peak = gap{}, 0, like
	if warm && peak-bottom >= deep && bottom <= mean-valley*dev {
		t.Low = low // for cut
		return low, true
	}
	return gap{}, false
}

// likeness is the cosine between the counts of the words of two tiles.
func likeness(a, b []uint32) float64 {
	counts := make(map[uint32][2]float64, len(a)+len(b))
	for _, w := range a {
		c := counts[w]
		c[0]++
		counts[w] = c
	}
	for _, w := range b {
		c := counts[w]
		c[1]++
		counts[w] = c
	}
	var ab, aa, bb float64
	for _, c := range counts {
		ab += c[0] * c[1]
		aa += c[0] * c[0]
		bb += c[1] * c[1]
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// topicGap offers the place before m to the search for changes of topic.
func (c *Closer) topicGap(m lukasa.Message) {
	if c.lim.Topic >= 0 && c.free(m) && !(c.st.Asked && roleOf(m) == roleNone) {
		c.st.Topics.gapAt(c.here(m.Seq))
	}
}

// topic closes where the talk turned to something else, a little before m.
func (c *Closer) topic(lukasa.Message) (Boundary, bool) {
	if c.lim.Topic < 0 {
		return Boundary{}, false
	}
	g, ok := c.st.Topics.step()
	if !ok {
		return Boundary{}, false
	}
	if int(g.Mark.Total-c.st.Start.Total) < c.lim.Topic || g.Mark.Count <= c.st.Start.Count {
		c.st.Topics.Low = gap{}
		return Boundary{}, false
	}
	return c.close(g.Mark, EventBoundary, "the topic changed"), true
}

// words reads the content words of messages. It keeps buffers.
type words struct {
	an  *text.Analyzer
	buf []uint32
}

// of returns the hashes of a message's content words, none for what no person or assistant said and for code. They are
// good until the next call.
func (w *words) of(m lukasa.Message, r role) []uint32 {
	w.buf = w.buf[:0]
	if r == roleSystem || r == roleTool {
		return nil
	}
	if w.an == nil {
		w.an = new(text.Analyzer)
	}
	for part := range prose(m.Content) {
		w.an.Each(part, func(term []byte, _, start, end int) {
			if len(term) < 3 || text.IsCode(part[start:end]) || end-start < 40 && lexis.Plain[strings.ToLower(part[start:end])] {
				return
			}
			h := fnv.New32a()
			h.Write(term)
			w.buf = append(w.buf, h.Sum32())
		})
	}
	return w.buf
}

func hash32(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}
