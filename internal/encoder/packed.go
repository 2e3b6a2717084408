package encoder

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"unsafe"
)

// configKey is the entry of a packed file's metadata that holds its [Config].
const configKey = "lukasa.encoder"

// ParsePacked opens a file that [Model.Pack] wrote. The weights stay in file, which must not change.
func ParsePacked(file string) (*Model, error) {
	t, err := parseTensors(unsafe.Slice(unsafe.StringData(file), len(file)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	m := &Model{}
	if err := json.Unmarshal([]byte(t.metadata[configKey]), &m.config); err != nil {
		return nil, fmt.Errorf("%w: decode its metadata: %w", errModel, err)
	}
	if err := m.config.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	p := unpacker{t: t}
	m.load(&p)
	if p.err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, p.err)
	}
	vocabulary, err := t.get("vocabulary", -1)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	m.tokens, m.specials, err = parseVocabulary(unsafe.String(unsafe.SliceData(vocabulary.data), len(vocabulary.data)), m.config.Lower)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errModel, err)
	}
	return m, m.finish()
}

// load takes the weights from a packed file.
func (m *Model) load(p *unpacker) {
	c := &m.config
	words, err := p.t.get("words.codes", -1, c.Width)
	if err != nil {
		p.fail(err)
		return
	}
	rows := words.shape[0]
	m.words = &table{rows: rows, cols: c.Width, codes: p.codes("words.codes", rows, c.Width), scales: p.floats("words.scales", rows)}
	m.body.load(p, "", c)
	if c.Projection > 0 {
		m.projection = p.floats("projection", c.Projection, c.Width)
	}
}

// load takes the weights of a transformer whose names begin with prefix.
func (b *body) load(p *unpacker, prefix string, c *Config) {
	b.positions = p.floats(prefix+"positions", c.Positions, c.Width)
	b.segments = p.floats(prefix+"segments", c.Segments, c.Width)
	b.norm = p.norm(prefix+"norm", c)
	for i := range c.Layers {
		name := fmt.Sprintf("%slayers.%d.", prefix, i)
		b.layers = append(b.layers, layer{
			qkv: p.matrix(name+"qkv", 3*c.Width, c.Width), out: p.matrix(name+"out", c.Width, c.Width), outNorm: p.norm(name+"out_norm", c),
			up: p.matrix(name+"up", c.Inner, c.Width), down: p.matrix(name+"down", c.Width, c.Inner), downNorm: p.norm(name+"down_norm", c),
		})
	}
}

// unpacker takes parts from a file and keeps the first error.
type unpacker struct {
	t   *tensors
	err error
}

func (p *unpacker) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *unpacker) floats(name string, shape ...int) []float32 {
	x, err := p.t.floats(name, shape...)
	if err != nil {
		p.fail(err)
	}
	return x
}

func (p *unpacker) codes(name string, shape ...int) []int8 {
	x, err := p.t.codes(name, shape...)
	if err != nil {
		p.fail(err)
	}
	return x
}

func (p *unpacker) matrix(name string, rows, cols int) *matrix {
	return &matrix{
		rows: rows, cols: cols, codes: p.codes(name+".codes", rows, cols),
		scales: p.floats(name+".scales", rows), bias: p.floats(name+".bias", rows),
	}
}

func (p *unpacker) norm(name string, c *Config) layerNorm {
	return layerNorm{gain: p.floats(name+".gain", c.Width), bias: p.floats(name+".bias", c.Width), eps: c.Epsilon}
}

// Pack writes the model as one file in the safetensors format, for [ParsePacked]. vocabulary is the model's vocab.txt; only
// models with such a vocabulary can be packed.
//
// The codes of a matrix stand in the order of [place]; all floating-point numbers are F16 but for the scales, which are F32.
func (m *Model) Pack(w io.Writer, vocabulary string) error {
	config, err := json.Marshal(m.config)
	if err != nil {
		return fmt.Errorf("encode configuration: %w", err)
	}
	var f packer
	f.codes("words.codes", m.words.codes, m.words.rows, m.words.cols)
	f.floats("words.scales", m.words.scales, m.words.rows)
	f.body("", &m.body, &m.config)
	if m.projection != nil {
		f.halves("projection", m.projection, m.config.Projection, m.config.Width)
	}
	f.add("vocabulary", kindU8, []byte(vocabulary), len(vocabulary))
	return f.write(w, map[string]string{configKey: string(config)})
}

// packer gathers the tensors of a file.
type packer struct {
	headers map[string]header
	data    []byte
}

func (f *packer) add(name, kind string, data []byte, shape ...int) {
	if f.headers == nil {
		f.headers = map[string]header{}
	}
	h := header{Kind: kind, Offsets: []int64{int64(len(f.data)), int64(len(f.data) + len(data))}}
	for _, n := range shape {
		h.Shape = append(h.Shape, int64(n))
	}
	f.headers[name] = h
	f.data = append(f.data, data...)
}

func (f *packer) codes(name string, codes []int8, shape ...int) {
	f.add(name, kindI8, unsafe.Slice((*byte)(unsafe.Pointer(&codes[0])), len(codes)), shape...)
}

func (f *packer) floats(name string, x []float32, shape ...int) {
	data := make([]byte, 0, 4*len(x))
	for _, v := range x {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	f.add(name, kindF32, data, shape...)
}

func (f *packer) halves(name string, x []float32, shape ...int) {
	data := make([]byte, 0, 2*len(x))
	for _, v := range x {
		data = binary.LittleEndian.AppendUint16(data, toHalf(v))
	}
	f.add(name, kindF16, data, shape...)
}

func (f *packer) body(prefix string, b *body, c *Config) {
	f.halves(prefix+"positions", b.positions, c.Positions, c.Width)
	f.halves(prefix+"segments", b.segments, c.Segments, c.Width)
	f.norm(prefix+"norm", &b.norm)
	for i := range b.layers {
		l := &b.layers[i]
		name := fmt.Sprintf("%slayers.%d.", prefix, i)
		f.matrix(name+"qkv", l.qkv)
		f.matrix(name+"out", l.out)
		f.norm(name+"out_norm", &l.outNorm)
		f.matrix(name+"up", l.up)
		f.matrix(name+"down", l.down)
		f.norm(name+"down_norm", &l.downNorm)
	}
}

func (f *packer) matrix(name string, m *matrix) {
	f.codes(name+".codes", m.codes, m.rows, m.cols)
	f.floats(name+".scales", m.scales, m.rows)
	f.floats(name+".bias", m.bias, m.rows)
}

func (f *packer) norm(name string, n *layerNorm) {
	f.halves(name+".gain", n.gain, len(n.gain))
	f.halves(name+".bias", n.bias, len(n.bias))
}

func (f *packer) write(w io.Writer, metadata map[string]string) error {
	entries := map[string]any{"__metadata__": metadata}
	for name, h := range f.headers {
		entries[name] = h
	}
	head, err := json.Marshal(entries) // in the order of names: the same model gives the same file
	if err != nil {
		return fmt.Errorf("encode header: %w", err)
	}
	for len(head)%8 != 0 {
		head = append(head, ' ')
	}
	for _, part := range [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head, f.data} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("write model: %w", err)
		}
	}
	return nil
}

// toHalf rounds to the nearest float16, ties to even. Numbers beyond its range become its largest.
func toHalf(x float32) uint16 {
	sign := uint16(math.Float32bits(x) >> 16 & 0x8000)
	x = float32(math.Abs(float64(x)))
	if x >= 65504 {
		return sign | 0x7bff
	}
	if x < 0x1p-14 {
		return sign | uint16(math.RoundToEven(float64(x)*0x1p24))
	}
	bits := math.Float32bits(x)
	bits += 0x0fff + bits>>13&1
	return sign | uint16((bits-(112<<23))>>13)
}
