// Package reader tells what a person's text states that is worth keeping, which names it holds, and whether a newer statement takes
// the place of an older one. It runs two small transformers that were tuned for this on examples written for this project;
// models/reader has the data, the training and the measurements.
//
// One pass over a text gives its sentences and names ([Reader.Read]), one pass over two statements gives their relation
// ([Reader.Relations]). Both are pure: values in, values out.
package reader

import (
	_ "embed" // the model file
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/lukasa-memory/lukasa/internal/encoder"
	"github.com/lukasa-memory/lukasa/internal/lru"
)

// Kind is a kind of statement.
type Kind string

// The kinds, in the order of the model's labels.
const (
	None       Kind = "none"
	Fact       Kind = "fact"
	Preference Kind = "preference"
	Task       Kind = "task"
	Episode    Kind = "episode"
	Decision   Kind = "decision"
)

// Sentence is a sentence of a text, with how surely it states something that is worth keeping.
type Sentence struct {
	Start, End int     // bytes of the text
	Kind       Kind    // the likeliest kind but None
	Confidence float64 // the calibrated probability that it is worth keeping
}

// Name is a name in a text.
type Name struct {
	Start, End int     // bytes of the text
	Kind       string  // person, place, organisation, product, work or event
	Confidence float64 // the mean over its words
}

// Relation says how a newer statement stands to an older one.
type Relation struct {
	Replaces, Ends, Same, Adds, Independent, Contradicts float64 // probabilities
}

// Gone is the probability that the older statement is no longer in force.
func (r Relation) Gone() float64 { return r.Replaces + r.Ends }

// about is the metadata of the file.
type about struct {
	Keep struct {
		Labels      []Kind  `json:"labels"`
		Temperature float64 `json:"temperature"`
		Level       float64 `json:"level"`
		Candidate   float64 `json:"candidate"`
	} `json:"keep"`
	Name struct {
		Labels []string `json:"labels"`
		Level  float64  `json:"level"`  // names with a lower figure are none
		Titles []string `json:"titles"` // words in front of a person that are no part of the name
	} `json:"name"`
	Pair struct {
		Labels      []string `json:"labels"`
		Temperature float64  `json:"temperature"`
		Level       float64  `json:"level"`
	} `json:"pair"`
	Longest     int `json:"longest"`
	LongestPair int `json:"longest_pair"`
}

// Levels are the probabilities from which the reader is trusted. They were chosen on texts that it was not trained on.
type Levels struct {
	Keep      float64 // a sentence is a memory
	Candidate float64 // a sentence may be one
	Replace   float64 // an older statement is no longer in force
}

// Reader is safe for concurrent use. Make it with [New]. It keeps what it made of the last texts and pairs, so that the same ones cost nothing.
type Reader struct {
	load func() (*model, error)

	mu        sync.Mutex
	texts     *lru.Cache[Statement, found]
	relations *lru.Cache[[2]Statement, Relation]
}

// The number of texts and pairs that are kept, and how long a text is at most, in bytes.
const (
	keptTexts     = 1024
	keptRelations = 4096
	maxKeptText   = 1 << 10
)

// found is what a text holds.
type found struct {
	sentences []Sentence
	names     []Name
}

//go:embed reader-int8.safetensors
var file string

// New returns the reader that is in the binary. words returns the encoder whose vocabulary it shares. The file is opened at the first
// call that needs it, in a few milliseconds.
func New(words func() (*encoder.Model, error)) *Reader { return open(file, words) }

func open(file string, words func() (*encoder.Model, error)) *Reader {
	return &Reader{
		load: sync.OnceValues(func() (*model, error) {
			m, err := words()
			if err != nil {
				return nil, err
			}
			return parse(file, m)
		}),
		texts: lru.New[Statement, found](keptTexts), relations: lru.New[[2]Statement, Relation](keptRelations),
	}
}

// Levels returns the levels of the file, and an error where the file cannot be used.
func (r *Reader) Levels() (Levels, error) {
	m, err := r.load()
	if err != nil {
		return Levels{}, err
	}
	return Levels{Keep: m.about.Keep.Level, Candidate: m.about.Keep.Candidate, Replace: m.about.Pair.Level}, nil
}

// Read returns the sentences of a text in their order, with how surely each is worth keeping, and the names that it holds. speaker is
// who says it, "" for the user. The caller must not change what it returns.
func (r *Reader) Read(speaker, text string) ([]Sentence, []Name, error) {
	m, err := r.load()
	if err != nil {
		return nil, nil, err
	}
	key := Statement{Speaker: speaker, Text: text}
	if x, ok := kept(r, r.texts, key); ok {
		return x.sentences, x.names, nil
	}
	var x found
	if x.sentences, x.names, err = m.read(speaker, text); err == nil && len(text) <= maxKeptText {
		keep(r, r.texts, key, x)
	}
	return x.sentences, x.names, err
}

// Relations returns how a newer statement stands to each of several older ones.
func (r *Reader) Relations(older []Statement, newer Statement) ([]Relation, error) {
	m, err := r.load()
	if err != nil {
		return nil, err
	}
	out := make([]Relation, len(older))
	for i, old := range older {
		key := [2]Statement{old, newer}
		x, ok := kept(r, r.relations, key)
		if !ok {
			if x, err = m.relation(old, newer); err != nil {
				return nil, err
			}
			keep(r, r.relations, key, x)
		}
		out[i] = x
	}
	return out, nil
}

func kept[K comparable, V any](r *Reader, c *lru.Cache[K, V], key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.Get(key)
}

func keep[K comparable, V any](r *Reader, c *lru.Cache[K, V], key K, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.Put(key, value)
}

// model is the opened file.
type model struct {
	words        *encoder.Model
	about        about
	texts, pairs *encoder.Tuned
	keep, name   [2]*encoder.Dense
	pair         [2]*encoder.Dense
	kinds        []string // of names, in the order of the labels
}

// parse opens the packed file of the reader.
func parse(file string, words *encoder.Model) (*model, error) {
	a, err := encoder.ParseArchive(file)
	if err != nil {
		return nil, err
	}
	r := &model{words: words}
	if err := json.Unmarshal([]byte(a.Metadata("reader")), &r.about); err != nil {
		return nil, fmt.Errorf("read the reader's labels: %w", err)
	}
	if r.texts, err = a.Tuned("", "head.case.weight", words); err != nil {
		return nil, err
	}
	if r.pairs, err = a.Tuned("pair.", "head.mark.weight", words); err != nil {
		return nil, err
	}
	for _, head := range []struct {
		name string
		at   *[2]*encoder.Dense
		in   int
		out  int
	}{
		{"keep", &r.keep, 2 * width, len(r.about.Keep.Labels)},
		{"name", &r.name, width, len(r.about.Name.Labels)},
		{"pair", &r.pair, 5 * width, len(r.about.Pair.Labels)},
	} {
		for i := range head.at {
			if head.at[i], err = a.Dense(fmt.Sprintf("head.%s.%d", head.name, i)); err != nil {
				return nil, err
			}
		}
		if head.at[0].In() != head.in || head.at[1].In() != head.at[0].Out() || head.at[1].Out() != head.out {
			return nil, fmt.Errorf("head %s of the reader has %d inputs and %d labels", head.name, head.at[0].In(), head.at[1].Out())
		}
	}
	return r, r.check()
}

// width is the length of a state.
const width = 384

// check holds the labels to what this package knows.
func (r *model) check() error {
	if words := r.words.Config().Width; words != width {
		return fmt.Errorf("the reader's vocabulary has a width of %d, want %d", words, width)
	}
	if !slices.Equal(r.about.Keep.Labels, []Kind{None, Fact, Preference, Task, Episode, Decision}) {
		return fmt.Errorf("the reader has other kinds of statements: %v", r.about.Keep.Labels)
	}
	if !slices.Equal(r.about.Pair.Labels, []string{"replaces", "ends", "same", "adds", "independent", "contradicts"}) {
		return fmt.Errorf("the reader has other relations: %v", r.about.Pair.Labels)
	}
	for i := 1; i+1 < len(r.about.Name.Labels); i += 2 {
		kind, ok := strings.CutSuffix(r.about.Name.Labels[i], " first")
		if next, isNext := strings.CutSuffix(r.about.Name.Labels[i+1], " next"); !ok || !isNext || next != kind {
			return fmt.Errorf("the reader has other names: %v", r.about.Name.Labels)
		}
		r.kinds = append(r.kinds, kind)
	}
	if len(r.kinds) == 0 || r.about.Longest < 16 || r.about.LongestPair < 8 || r.about.Keep.Temperature <= 0 || r.about.Pair.Temperature <= 0 {
		return errors.New("the reader's labels are incomplete")
	}
	return nil
}

func (r *model) read(speaker, text string) ([]Sentence, []Name, error) {
	var sentences []Sentence
	var names []Name
	for _, w := range r.windows(speaker, text) {
		states, err := r.texts.States([]encoder.Input{w.input})
		if err != nil {
			return nil, nil, err
		}
		sentences = append(sentences, r.weigh(w, states[0])...)
		names = append(names, r.findNames(w, states[0], text)...)
	}
	return sentences, names, nil
}

// weigh reads the sentences of a window.
func (r *model) weigh(w window, states []float32) []Sentence {
	var out []Sentence
	var pooled []float32
	for _, s := range w.sentences {
		tokens := w.inside(s)
		if len(tokens) < 2 {
			continue
		}
		mean, most := make([]float32, width), slices.Repeat([]float32{float32(math.Inf(-1))}, width)
		for _, t := range tokens {
			for i, x := range states[t*width : (t+1)*width] {
				mean[i] += x / float32(len(tokens))
				most[i] = max(most[i], x)
			}
		}
		pooled = append(append(pooled, mean...), most...)
		out = append(out, Sentence{Start: s.start, End: s.end})
	}
	logits := apply(r.keep, pooled)
	for i := range out {
		p := softmax(logits[i*len(r.about.Keep.Labels):(i+1)*len(r.about.Keep.Labels)], r.about.Keep.Temperature)
		best := 1
		for k := range p[1:] {
			if p[k+1] > p[best] {
				best = k + 1
			}
		}
		out[i].Kind, out[i].Confidence = r.about.Keep.Labels[best], 1-p[0]
	}
	return out
}

func (r *model) relation(older, newer Statement) (Relation, error) {
	in, sides := r.pairInput(older, newer)
	states, err := r.pairs.States([]encoder.Input{in})
	if err != nil {
		return Relation{}, err
	}
	p := softmax(apply(r.pair, r.pool(states[0], sides)), r.about.Pair.Temperature)
	return Relation{Replaces: p[0], Ends: p[1], Same: p[2], Adds: p[3], Independent: p[4], Contradicts: p[5]}, nil
}

// pool makes the input of the head for pairs: the first state, the means of both sides, how they differ and their product.
func (r *model) pool(states []float32, sides []uint8) []float32 {
	var means [2][]float32
	for side := range means {
		means[side] = make([]float32, width)
		n := 0
		for i, s := range sides {
			if int(s) == side {
				n++
				for j, x := range states[i*width : (i+1)*width] {
					means[side][j] += x
				}
			}
		}
		for j := range means[side] {
			means[side][j] /= float32(max(n, 1))
		}
	}
	out := slices.Concat(states[:width], means[0], means[1])
	for j, a := range means[0] {
		out = append(out, max(a-means[1][j], means[1][j]-a))
	}
	for j, a := range means[0] {
		out = append(out, a*means[1][j])
	}
	return out
}

// apply runs a head of two linear maps with a rectifier between them.
func apply(head [2]*encoder.Dense, rows []float32) []float32 {
	if len(rows) == 0 {
		return nil
	}
	mid := head[0].Apply(rows)
	for i, x := range mid {
		mid[i] = max(x, 0)
	}
	return head[1].Apply(mid)
}

// softmax turns logits into probabilities.
func softmax(logits []float32, temperature float64) []float64 {
	out := make([]float64, len(logits))
	most := float64(slices.Max(logits))
	sum := 0.0
	for i, x := range logits {
		out[i] = math.Exp((float64(x) - most) / temperature)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}
