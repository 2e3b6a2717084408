package encoder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Pooling is how the states of a text's tokens become its vector.
type Pooling string

// The ways of pooling.
const (
	PoolMean  Pooling = "mean"  // the mean of all states
	PoolFirst Pooling = "first" // the state of the mark in front of the text ("cls")
)

// Config describes a model. It is the metadata of a packed file.
type Config struct {
	Name          string  `json:"name"`           // for people
	Width         int     `json:"width"`          // numbers of a state
	Layers        int     `json:"layers"`         //
	Heads         int     `json:"heads"`          // of attention
	Inner         int     `json:"inner"`          // width between the two linear maps of a layer
	Positions     int     `json:"positions"`      // rows of the table of positions
	FirstPosition int     `json:"first_position"` // row of the first token
	Segments      int     `json:"segments"`       // rows of the table of segments
	Epsilon       float32 `json:"epsilon"`        // of the normalisation
	MaxTokens     int     `json:"max_tokens"`     // of a text, the marks at both ends included; longer texts are cut
	Pooling       Pooling `json:"pooling"`        //
	Projection    int     `json:"projection"`     // numbers of a vector, fewer than Width; 0: no projection
	Lower         bool    `json:"lower"`          // the vocabulary has no capital letters
	QueryPrefix   string  `json:"query_prefix"`   // stands before a question
	TextPrefix    string  `json:"text_prefix"`    // stands before any other text
}

// check reports the first field that no model can have.
func (c *Config) check() error {
	for _, f := range []struct {
		name       string
		n, to      int
		multipleOf int
	}{
		{"width", c.Width, maxCols, 2 * block},
		{"layers", c.Layers, 48, 1},
		{"heads", c.Heads, c.Width, 1},
		{"inner", c.Inner, maxCols, 2 * block},
		{"positions", c.Positions, 1 << 14, 1},
		{"segments", c.Segments, 16, 1},
		{"max_tokens", c.MaxTokens, c.Positions - c.FirstPosition, 1},
	} {
		if f.n < 1 || f.n > f.to || f.n%f.multipleOf != 0 {
			return fmt.Errorf("%s is %d: want 1 to %d, a multiple of %d", f.name, f.n, f.to, f.multipleOf)
		}
	}
	switch {
	case c.MaxTokens < 3:
		return fmt.Errorf("max_tokens is %d: want 3 or more", c.MaxTokens)
	case c.FirstPosition < 0:
		return fmt.Errorf("first_position is %d", c.FirstPosition)
	case c.Width%c.Heads != 0 || c.Width/c.Heads%stripe != 0:
		return fmt.Errorf("%d heads of a width of %d: want heads of a multiple of %d", c.Heads, c.Width, stripe)
	case c.Pooling != PoolMean && c.Pooling != PoolFirst:
		return fmt.Errorf("pooling is %q: want %s or %s", c.Pooling, PoolMean, PoolFirst)
	case c.Projection < 0 || c.Projection > c.Width:
		return fmt.Errorf("projection is %d: want 0 to %d", c.Projection, c.Width)
	}
	return nil
}

// Model is a sentence encoder. It is safe for concurrent use.
type Model struct {
	config     Config
	tokens     tokenizer
	specials   specials
	words      *table
	body       body
	projection []float32 // a row of Width numbers for each number of a vector; nil: none
}

// Config returns what the model is.
func (m *Model) Config() Config { return m.config }

// Dim returns the length of the vectors.
func (m *Model) Dim() int {
	if m.config.Projection > 0 {
		return m.config.Projection
	}
	return m.config.Width
}

// finish checks the parts against each other and sets what is derived from them.
func (m *Model) finish() error {
	if m.tokens.size() > m.words.rows {
		return fmt.Errorf("%d vectors for a vocabulary of %d pieces: the files are of two models", m.words.rows, m.tokens.size())
	}
	m.body.finish(&m.config)
	return nil
}

// finish sets what is derived from the configuration.
func (b *body) finish(c *Config) {
	b.width, b.heads, b.inner, b.firstPosition = c.Width, c.Heads, c.Inner, c.FirstPosition
	b.kernels = detectKernels()
	b.spaces = &sync.Pool{New: func() any { return new(space) }}
}

// countPiece is how many bytes of a text are counted at a time, so that a long text takes no memory.
const countPiece = 4 << 10

// CountTokens returns the number of tokens of a text, the marks at both ends not counted. A word of more than 4 KB counts as several.
func (m *Model) CountTokens(text string) int {
	var tokens []Token
	count := 0
	for text != "" {
		end := len(text)
		if end > countPiece {
			if end = strings.LastIndexByte(text[:countPiece], ' '); end <= 0 {
				for end = countPiece; end > 0 && !utf8.RuneStart(text[end]); {
					end--
				}
			}
			end = max(end, 1)
		}
		tokens = m.specials.tokenize(m.tokens, tokens[:0], text[:end], math.MaxInt)
		count += len(tokens)
		text = text[end:]
	}
	return count
}

// Tokens returns the tokens that stand for a text, the marks at both ends included, at most Config.MaxTokens.
func (m *Model) Tokens(text string) []Token {
	first, last, _ := m.tokens.marks()
	most := m.config.MaxTokens - 1
	tokens := m.specials.tokenize(m.tokens, []Token{{ID: first}}, text, most)
	if len(tokens) > most {
		tokens = tokens[:most]
	}
	return append(tokens, Token{ID: last, Start: int32(len(text)), End: int32(len(text))})
}

// AllTokens returns the tokens that stand for a text, the marks at both ends included, however many there are.
func (m *Model) AllTokens(text string) []Token {
	first, last, _ := m.tokens.marks()
	tokens := m.specials.tokenize(m.tokens, []Token{{ID: first}}, text, math.MaxInt)
	return append(tokens, Token{ID: last, Start: int32(len(text)), End: int32(len(text))})
}

// Encode returns a vector of length 1 for each text. A text without a token has the vector 0. Texts of like length go through the
// layers together. When ctx ends, the vectors that are done are returned with its error, the others are nil.
func (m *Model) Encode(ctx context.Context, texts []string) ([][]float32, error) {
	type input struct {
		at     int
		tokens []Token
	}
	inputs := make([]input, 0, len(texts))
	out := make([][]float32, len(texts))
	all := make([]float32, m.Dim()*len(texts))
	for i, text := range texts {
		tokens := m.Tokens(text)
		if len(tokens) == 2 {
			out[i] = all[i*m.Dim() : (i+1)*m.Dim() : (i+1)*m.Dim()]
			continue
		}
		inputs = append(inputs, input{at: i, tokens: tokens})
	}
	sort.SliceStable(inputs, func(a, b int) bool { return len(inputs[a].tokens) < len(inputs[b].tokens) })
	s := m.body.spaces.Get().(*space)
	defer m.body.spaces.Put(s)
	for first := 0; first < len(inputs); {
		if err := ctx.Err(); err != nil {
			return out, fmt.Errorf("encode texts: %w", err)
		}
		var lengths []int
		total, next := 0, first
		for next < len(inputs) && (next == first || total+len(inputs[next].tokens) <= maxBatchTokens) {
			lengths = append(lengths, len(inputs[next].tokens))
			total += len(inputs[next].tokens)
			next++
		}
		s.size(&m.body, total, len(inputs[next-1].tokens))
		at := 0
		for _, in := range inputs[first:next] {
			m.body.embed(s, at, m.words, in.tokens, nil)
			at += len(in.tokens)
		}
		m.body.run(s, lengths)
		at = 0
		for _, in := range inputs[first:next] {
			v := all[in.at*m.Dim() : (in.at+1)*m.Dim() : (in.at+1)*m.Dim()]
			m.pool(v, s.states[at*m.config.Width:(at+len(in.tokens))*m.config.Width], s.update)
			out[in.at] = v
			at += len(in.tokens)
		}
		first = next
	}
	return out, nil
}

// pool sets v to the vector of a text with these states. It uses the first numbers of scratch.
func (m *Model) pool(v, states, scratch []float32) {
	width := m.config.Width
	mean := scratch[:width]
	copy(mean, states)
	if m.config.Pooling == PoolMean {
		for row := width; row < len(states); row += width {
			for i, x := range states[row : row+width] {
				mean[i] += x
			}
		}
	}
	if m.projection == nil {
		copy(v, mean)
	} else {
		for i := range v {
			v[i] = dot(m.projection[i*width:(i+1)*width], mean)
		}
	}
	length := math.Sqrt(float64(dot(v, v)))
	if length == 0 {
		return
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
}

// dot is the product of two rows, summed in four parts.
func dot(a, b []float32) float32 {
	var s [4]float32
	b = b[:len(a)]
	for i := 0; i+4 <= len(a); i += 4 {
		s[0] += a[i] * b[i]
		s[1] += a[i+1] * b[i+1]
		s[2] += a[i+2] * b[i+2]
		s[3] += a[i+3] * b[i+3]
	}
	for i := len(a) &^ 3; i < len(a); i++ {
		s[0] += a[i] * b[i]
	}
	return s[0] + s[1] + s[2] + s[3]
}

func invSqrt(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }

// errModel is wrapped by every error about the files of a model.
var errModel = errors.New("cannot use the model")
