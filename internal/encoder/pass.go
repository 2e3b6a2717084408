package encoder

import "sync"

// layer is one block of the transformer: attention, then two linear maps with GELU between them.
type layer struct {
	qkv      *matrix // query, key and value of all heads, one below the other
	out      *matrix
	outNorm  layerNorm
	up, down *matrix
	downNorm layerNorm
}

// body is a transformer without its vocabulary: what turns the vectors of tokens into states.
type body struct {
	width, heads, inner int
	positions           []float32 // a row for each position
	firstPosition       int       // the row of the first token: 0, and 2 in models of the RoBERTa family
	segments            []float32 // a row for each segment
	norm                layerNorm
	layers              []layer
	kernels             kernels
	spaces              *sync.Pool // of *space
}

// maxBatchTokens is how many tokens of several texts go through the layers together. More make no difference in speed.
const maxBatchTokens = 128

// space is the working memory of one pass.
type space struct {
	states, mixed, update []float32 // tokens times width
	qkv, mid              []float32 // tokens times 3·width, tokens times inner
	codes                 []int16   // of the input of a matrix
	scales                []float32 // of the tokens
	keys                  []float32 // the transposed keys of a head
	scores                []float32 // two rows of attention
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// size makes room for so many tokens, of which the longest text has so many.
func (s *space) size(b *body, tokens, longest int) {
	tokens = roundUp(tokens+1, tile) // attention may compute one row too many
	s.states = grow(s.states, tokens*b.width)
	s.mixed = grow(s.mixed, tokens*b.width)
	s.update = grow(s.update, tokens*b.width)
	s.qkv = grow(s.qkv, tokens*3*b.width)
	s.mid = grow(s.mid, tokens*b.inner)
	s.codes = grow(s.codes, tokens*max(b.width, b.inner))
	s.scales = grow(s.scales, tokens)
	s.keys = grow(s.keys, b.width/b.heads*roundUp(longest, stripe))
	s.scores = grow(s.scores, 2*roundUp(longest, stripe))
}

// mark is what a token is beside its piece of the vocabulary.
type mark struct {
	segment int
	extra   []float32 // is added to the vector of the token; nil: nothing
}

// embed sets the rows of s.states from a row on to the vectors of tokens: word, position, segment and what its mark adds,
// normalised. Without marks all tokens are of the first segment.
func (b *body) embed(s *space, row int, words *table, tokens []Token, marks []mark) {
	for i, t := range tokens {
		x := s.states[(row+i)*b.width : (row+i+1)*b.width]
		words.setRow(x, int(t.ID))
		at := (b.firstPosition + i) * b.width
		for j, p := range b.positions[at : at+b.width] {
			x[j] += p
		}
		segment := 0
		if marks != nil {
			segment = marks[i].segment
			for j, e := range marks[i].extra {
				x[j] += e
			}
		}
		b.kernels.addNorm(x, b.segments[segment*b.width:(segment+1)*b.width], &b.norm)
	}
}

// run turns the vectors of the tokens of several texts, which stand in s.states one text after the other, into their states.
func (b *body) run(s *space, lengths []int) {
	tokens := 0
	for _, n := range lengths {
		tokens += n
	}
	for i := range b.layers {
		l := &b.layers[i]
		b.mul(s, s.qkv, s.states, tokens, l.qkv)
		first := 0
		for _, n := range lengths {
			b.attend(s, first, n)
			first += n
		}
		b.mul(s, s.update, s.mixed, tokens, l.out)
		b.addNorm(s, tokens, &l.outNorm)
		b.mul(s, s.mid, s.states, tokens, l.up)
		b.kernels.gelu(s.mid[:tokens*b.inner])
		b.mul(s, s.update, s.mid, tokens, l.down)
		b.addNorm(s, tokens, &l.downNorm)
	}
}

// mul sets dst to the product of src, a row for each token, and a matrix.
func (b *body) mul(s *space, dst, src []float32, tokens int, m *matrix) {
	for t := range tokens {
		s.scales[t] = b.kernels.quantize(s.codes[t*m.cols:(t+1)*m.cols], src[t*m.cols:(t+1)*m.cols])
	}
	full := roundUp(tokens, tile)
	clear(s.scales[tokens:full])
	clear(s.codes[tokens*m.cols : full*m.cols])
	b.kernels.mul(dst, s.codes[:full*m.cols], s.scales[:full], m)
}

func (b *body) addNorm(s *space, tokens int, n *layerNorm) {
	for t := range tokens {
		b.kernels.addNorm(s.states[t*b.width:(t+1)*b.width], s.update[t*b.width:(t+1)*b.width], n)
	}
}

// hidden is the score of a column that no token has: its share becomes 0.
const hidden = -1e30

// attend sets the rows of one text in s.mixed to the values of its tokens, mixed by how well the query of one fits the key of
// another. Rows are computed in pairs; where the text has an odd number, the row behind it is computed too and is not used:
// it belongs to the next text, which comes later, or to the padding.
func (b *body) attend(s *space, first, n int) {
	size := b.width / b.heads
	stride := 3 * b.width
	cols := roundUp(n, stripe)
	scale := invSqrt(size)
	keys := s.keys[:size*cols]
	for h := range b.heads {
		query := s.qkv[first*stride+h*size:]
		key := s.qkv[first*stride+b.width+h*size:]
		value := s.qkv[first*stride+2*b.width+h*size:]
		for i := range n {
			for d, x := range key[i*stride : i*stride+size] {
				keys[d*cols+i] = x
			}
		}
		for i := 0; i < n; i += 2 {
			b.kernels.mulRows(s.scores, cols, query[i*stride:], stride, keys, cols, size, cols)
			for r := range 2 {
				row := s.scores[r*cols : (r+1)*cols]
				for c := n; c < cols; c++ {
					row[c] = hidden
				}
				b.kernels.softmax(row, scale)
			}
			b.kernels.mulRows(s.mixed[(first+i)*b.width+h*size:], b.width, s.scores, cols, value, stride, n, size)
		}
	}
}
