package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unsafe"
)

// Archive is a packed file of transformers that were tuned for other tasks than vectors, and of their heads. They share the
// vocabulary of a [Model], which is not part of the file.
type Archive struct {
	t      *tensors
	config Config
}

// ParseArchive opens a file that [PackArchive] wrote. The weights stay in file, which must not change.
func ParseArchive(file string) (*Archive, error) {
	t, err := parseTensors(unsafe.Slice(unsafe.StringData(file), len(file)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	a := &Archive{t: t}
	if err := json.Unmarshal([]byte(t.metadata[configKey]), &a.config); err != nil {
		return nil, fmt.Errorf("%w: decode its metadata: %w", errModel, err)
	}
	if err := a.config.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	return a, nil
}

// Metadata returns an entry of the file's metadata, "" where there is none.
func (a *Archive) Metadata(key string) string { return a.t.metadata[key] }

// PackArchive rounds the transformers of a safetensors file to 8 bits and writes them with all other tensors of the file, which are
// kept in 16 bits. prefixes are in front of the published names of each transformer; base is the model whose shape they have.
func PackArchive(w io.Writer, file []byte, base *Model, prefixes []string) error {
	t, err := parseTensors(file)
	if err != nil {
		return fmt.Errorf("%w: %w", errModel, err)
	}
	config := base.config
	config.Projection = 0
	var f packer
	used := func(string) bool { return false }
	for _, prefix := range prefixes {
		var b body
		loader := floatLoader{t: t, prefix: prefix}
		b.loadFloats(&loader, &config)
		if loader.err != nil {
			return fmt.Errorf("%w: %w", errModel, loader.err)
		}
		f.body(prefix, &b, &config)
		before := used
		used = func(name string) bool {
			rest, ok := strings.CutPrefix(name, prefix)
			return before(name) || ok && (strings.HasPrefix(rest, "encoder.layer.") || strings.HasPrefix(rest, "embeddings."))
		}
	}
	var names []string
	for name := range t.byName {
		if !used(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		x, err := t.floats(name, t.byName[name].shape...)
		if err != nil {
			return fmt.Errorf("%w: %w", errModel, err)
		}
		f.halves(name, x, t.byName[name].shape...)
	}
	encoded, err := json.Marshal(config)
	if err != nil {
		return fmt.Errorf("encode configuration: %w", err)
	}
	metadata := map[string]string{}
	maps.Copy(metadata, t.metadata)
	metadata[configKey] = string(encoded)
	return f.write(w, metadata)
}

// Tuned is a transformer of an archive. It is safe for concurrent use.
type Tuned struct {
	base  *Model
	body  body
	extra []float32 // a row for each kind of token
	kinds int
}

// Tuned returns the transformer whose names begin with prefix. extra names a table with a row for each kind of token.
func (a *Archive) Tuned(prefix, extra string, base *Model) (*Tuned, error) {
	if base.config.Width != a.config.Width {
		return nil, fmt.Errorf("%w: its width is %d, that of the vocabulary is %d", errModel, a.config.Width, base.config.Width)
	}
	t := &Tuned{base: base}
	p := unpacker{t: a.t}
	t.body.load(&p, prefix, &a.config)
	if p.err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, p.err)
	}
	x, err := a.t.get(extra, -1, a.config.Width)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	t.kinds = x.shape[0]
	if t.extra, err = a.t.floats(extra, x.shape...); err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	t.body.finish(&a.config)
	return t, nil
}

// Input is one input of a tuned transformer.
type Input struct {
	Tokens   []Token // the marks at both ends included
	Segments []uint8 // of each token; nil: all are of the first
	Kinds    []uint8 // of each token: a row of the table of kinds
}

// States returns the states of the last layer, Config.Width numbers for each token of each input.
func (t *Tuned) States(inputs []Input) ([][]float32, error) {
	width, positions := t.body.width, len(t.body.positions)/t.body.width-t.body.firstPosition
	lengths := make([]int, len(inputs))
	total, longest := 0, 0
	for i, in := range inputs {
		if len(in.Kinds) != len(in.Tokens) || in.Segments != nil && len(in.Segments) != len(in.Tokens) {
			return nil, fmt.Errorf("%w: input %d has %d tokens, %d kinds and %d segments", errInput, i, len(in.Tokens), len(in.Kinds), len(in.Segments))
		}
		lengths[i] = len(in.Tokens)
		total, longest = total+len(in.Tokens), max(longest, len(in.Tokens))
	}
	if total == 0 || longest > positions {
		return nil, fmt.Errorf("%w: inputs of %d tokens, the longest of %d: want at most %d", errInput, total, longest, positions)
	}
	s := t.body.spaces.Get().(*space)
	defer t.body.spaces.Put(s)
	s.size(&t.body, total, longest)
	row := 0
	for _, in := range inputs {
		marks := make([]mark, len(in.Tokens))
		for i := range marks {
			if in.Segments != nil {
				marks[i].segment = int(in.Segments[i])
			}
			if kind := int(in.Kinds[i]); kind < t.kinds {
				marks[i].extra = t.extra[kind*width : (kind+1)*width]
			}
		}
		t.body.embed(s, row, t.base.words, in.Tokens, marks)
		row += len(in.Tokens)
	}
	t.body.run(s, lengths)
	out := make([][]float32, len(inputs))
	all := slices.Clone(s.states[:total*width])
	for i, n := range lengths {
		out[i], all = all[:n*width], all[n*width:]
	}
	return out, nil
}

var errInput = errors.New("cannot run the model")

// Dense is a linear map in float32: a head.
type Dense struct {
	in, out int
	columns int       // out, rounded up to a stripe
	weights []float32 // a row of columns numbers for each input
	bias    []float32
	kernels kernels
}

// Dense returns the linear map with the tensors name.weight and name.bias.
func (a *Archive) Dense(name string) (*Dense, error) {
	x, err := a.t.get(name+".weight", -1, -1)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	d := &Dense{out: x.shape[0], in: x.shape[1], columns: roundUp(x.shape[0], stripe), kernels: detectKernels()}
	weights, err := a.t.floats(name+".weight", d.out, d.in)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	if d.bias, err = a.t.floats(name+".bias", d.out); err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	d.weights = make([]float32, d.in*d.columns)
	for o := range d.out {
		for i := range d.in {
			d.weights[i*d.columns+o] = weights[o*d.in+i]
		}
	}
	return d, nil
}

// In and Out are the lengths of what goes in and of what comes out.
func (d *Dense) In() int { return d.in }

// Out is the length of a result.
func (d *Dense) Out() int { return d.out }

// Apply maps n rows, one after the other, and returns their results in the same way.
func (d *Dense) Apply(rows []float32) []float32 {
	n := len(rows) / d.in
	out := make([]float32, n*d.out)
	pair := make([]float32, 2*d.columns)
	for r := 0; r < n; r += 2 {
		stride := d.in
		if r+1 == n {
			stride = 0 // the last row stands for both
		}
		d.kernels.mulRows(pair, d.columns, rows[r*d.in:], stride, d.weights, d.columns, d.in, d.columns)
		for i := range min(2, n-r) {
			for o, bias := range d.bias {
				out[(r+i)*d.out+o] = pair[i*d.columns+o] + bias
			}
		}
	}
	return out
}

// PieceIsWord reports whether a token is a word of letters and digits or a part of one, and whether it is all digits.
func (m *Model) PieceIsWord(id uint32) (isWord, isNumber bool) {
	t, ok := m.tokens.(*wordPiece)
	if !ok || int(id) >= len(t.kinds) {
		return false, false
	}
	return t.kinds[id]&pieceWord != 0, t.kinds[id]&pieceNumber != 0
}
