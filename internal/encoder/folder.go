package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// The files of a folder in the layout of sentence-transformers, and the most bytes of each.
const (
	weightsFile    = "model.safetensors"
	tokenizerFile  = "tokenizer.json"
	vocabularyFile = "vocab.txt"
	configFile     = "config.json"
	limitsFile     = "sentence_bert_config.json"
	poolingFile    = "1_Pooling/config.json"
	promptsFile    = "config_sentence_transformers.json"
	casingFile     = "tokenizer_config.json"

	maxWeightBytes = 4 << 30
	maxTextBytes   = 64 << 20
)

// Options change what a folder says of a model.
type Options struct {
	Name        string      // for people; "": the name that config.json has
	MaxTokens   int         // 0: what the folder says
	Pooling     Pooling     // "": what the folder says, and the mean where it says nothing
	QueryPrefix *string     // nil: what the folder says
	TextPrefix  *string     // nil: what the folder says
	Projection  [][]float32 // rows of a map from states to vectors; nil: none
}

// OpenFolder reads a model of the BERT family: config.json, model.safetensors (F32, F16 or BF16), tokenizer.json or vocab.txt, and
// where they are there, 1_Pooling/config.json, sentence_bert_config.json and config_sentence_transformers.json. The weights are
// rounded to 8 bits as they are read. Errors name the file.
func OpenFolder(dir fs.FS, o Options) (*Model, error) {
	m := &Model{}
	if err := m.readConfig(dir, o); err != nil {
		return nil, err
	}
	if err := m.readTokenizer(dir); err != nil {
		return nil, err
	}
	file, err := readLimited(dir, weightsFile, maxWeightBytes)
	if err != nil {
		return nil, err
	}
	t, err := parseTensors(file)
	if err != nil {
		return nil, badFile(weightsFile, err)
	}
	w := floatLoader{t: t}
	m.loadFloats(&w)
	if w.err != nil {
		return nil, badFile(weightsFile, w.err)
	}
	for _, row := range o.Projection {
		if len(row) != m.config.Width {
			return nil, fmt.Errorf("%w: a row of the projection has %d numbers, want %d", errModel, len(row), m.config.Width)
		}
		m.projection = append(m.projection, row...)
	}
	m.config.Projection = len(o.Projection)
	return m, m.finish()
}

func badFile(name string, err error) error { return fmt.Errorf("%w: %s: %w", errModel, name, err) }

// readLimited reads a whole file of at most limit bytes.
func readLimited(dir fs.FS, name string, limit int64) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, badFile(name, err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, badFile(name, err)
	}
	if int64(len(data)) > limit {
		return nil, badFile(name, fmt.Errorf("more than %d bytes", limit))
	}
	return data, nil
}

// readJSON decodes a file into v. A file that is not there is no error where it may be absent.
func readJSON(dir fs.FS, name string, v any, mayBeAbsent bool) error {
	data, err := readLimited(dir, name, maxTextBytes)
	if mayBeAbsent && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return badFile(name, err)
	}
	return nil
}

func (m *Model) readConfig(dir fs.FS, o Options) error {
	var c struct {
		Name      string  `json:"_name_or_path"`
		Type      string  `json:"model_type"`
		Act       string  `json:"hidden_act"`
		Width     int     `json:"hidden_size"`
		Layers    int     `json:"num_hidden_layers"`
		Heads     int     `json:"num_attention_heads"`
		Inner     int     `json:"intermediate_size"`
		Positions int     `json:"max_position_embeddings"`
		Segments  int     `json:"type_vocab_size"`
		Epsilon   float32 `json:"layer_norm_eps"`
		Padding   int     `json:"pad_token_id"`
		Kind      string  `json:"position_embedding_type"`
	}
	if err := readJSON(dir, configFile, &c, false); err != nil {
		return err
	}
	if !slices.Contains([]string{"bert", "roberta", "xlm-roberta"}, c.Type) {
		return badFile(configFile, fmt.Errorf("model_type is %q: want bert, roberta or xlm-roberta", c.Type))
	}
	if c.Act != "gelu" || c.Kind != "" && c.Kind != "absolute" {
		return badFile(configFile, fmt.Errorf("hidden_act %q with positions %q: want gelu and absolute", c.Act, c.Kind))
	}
	m.config = Config{
		Name: c.Name, Width: c.Width, Layers: c.Layers, Heads: c.Heads, Inner: c.Inner, Positions: c.Positions, Segments: c.Segments,
		Epsilon: c.Epsilon, Pooling: PoolMean,
	}
	if c.Type != "bert" {
		m.config.FirstPosition = c.Padding + 1
	}
	if o.Name != "" {
		m.config.Name = o.Name
	}
	if err := m.readSentenceConfig(dir, o); err != nil {
		return err
	}
	if err := m.config.check(); err != nil {
		return badFile(configFile, err)
	}
	return nil
}

// readSentenceConfig reads what sentence-transformers adds to a model.
func (m *Model) readSentenceConfig(dir fs.FS, o Options) error {
	var limits struct {
		MaxTokens int `json:"max_seq_length"`
	}
	var pooling struct {
		First bool `json:"pooling_mode_cls_token"`
		Mean  bool `json:"pooling_mode_mean_tokens"`
	}
	var prompts struct {
		Prompts map[string]string `json:"prompts"`
	}
	for _, f := range []struct {
		name string
		v    any
	}{{limitsFile, &limits}, {poolingFile, &pooling}, {promptsFile, &prompts}} {
		if err := readJSON(dir, f.name, f.v, true); err != nil {
			return err
		}
	}
	if pooling.First && !pooling.Mean {
		m.config.Pooling = PoolFirst
	}
	if o.Pooling != "" {
		m.config.Pooling = o.Pooling
	}
	most := m.config.Positions - m.config.FirstPosition
	m.config.MaxTokens = most
	if limits.MaxTokens > 0 {
		m.config.MaxTokens = min(most, limits.MaxTokens)
	}
	if o.MaxTokens > 0 {
		m.config.MaxTokens = min(most, o.MaxTokens)
	}
	m.config.QueryPrefix = prompts.Prompts["query"]
	for _, name := range []string{"passage", "document"} {
		if p := prompts.Prompts[name]; p != "" {
			m.config.TextPrefix = p
		}
	}
	m.config.QueryPrefix = or(o.QueryPrefix, m.config.QueryPrefix)
	m.config.TextPrefix = or(o.TextPrefix, m.config.TextPrefix)
	return nil
}

func (m *Model) readTokenizer(dir fs.FS) error {
	data, err := readLimited(dir, tokenizerFile, maxTextBytes)
	if err == nil {
		m.tokens, m.specials, err = parseTokenizer(data)
		if err != nil {
			return badFile(tokenizerFile, err)
		}
		if t, ok := m.tokens.(*wordPiece); ok {
			m.config.Lower = t.lower
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	casing := struct {
		Lower *bool `json:"do_lower_case"`
	}{}
	if err := readJSON(dir, casingFile, &casing, true); err != nil {
		return err
	}
	data, err = readLimited(dir, vocabularyFile, maxTextBytes)
	if err != nil {
		return err
	}
	m.config.Lower = or(casing.Lower, true)
	m.tokens, m.specials, err = parseVocabulary(string(data), m.config.Lower)
	if err != nil {
		return badFile(vocabularyFile, err)
	}
	return nil
}

// floatLoader reads floating-point weights by the names that published models have, and keeps the first error.
type floatLoader struct {
	t      *tensors
	prefix string // of all names
	err    error
}

// name returns the name of a tensor in this file: some models put their family in front of it.
func (w *floatLoader) name(name string) string {
	for _, family := range []string{"", "bert.", "roberta.", "model."} {
		if _, ok := w.t.byName[w.prefix+family+name]; ok {
			return w.prefix + family + name
		}
	}
	return w.prefix + name
}

func (w *floatLoader) floats(name string, shape ...int) []float32 {
	x, err := w.t.floats(w.name(name), shape...)
	if err != nil && w.err == nil {
		w.err = err
	}
	if err != nil {
		n := 1
		for _, d := range shape {
			n *= max(d, 1)
		}
		return make([]float32, n)
	}
	return x
}

func (w *floatLoader) matrix(rows, cols int, names ...string) *matrix {
	var weights, bias []float32
	for _, name := range names {
		weights = append(weights, w.floats(name+".weight", rows/len(names), cols)...)
		bias = append(bias, w.floats(name+".bias", rows/len(names))...)
	}
	m, err := quantize(weights, bias, rows, cols)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("tensor %s: %w", strings.Join(names, ", "), err)
	}
	return m
}

func (w *floatLoader) norm(name string, c *Config) layerNorm {
	return layerNorm{gain: w.floats(name+".weight", c.Width), bias: w.floats(name+".bias", c.Width), eps: c.Epsilon}
}

// loadFloats takes the weights of the layers and of the vocabulary.
func (m *Model) loadFloats(w *floatLoader) {
	c := &m.config
	const words = "embeddings.word_embeddings.weight"
	x, err := w.t.get(w.name(words), -1, c.Width)
	if err != nil {
		w.err = err
		return
	}
	rows := x.shape[0]
	if m.words, err = quantizeTable(w.floats(words, rows, c.Width), rows, c.Width); err != nil {
		w.err = err
		return
	}
	m.body.loadFloats(w, c)
}

// loadFloats takes the weights of the layers.
func (b *body) loadFloats(w *floatLoader, c *Config) {
	b.positions = w.floats("embeddings.position_embeddings.weight", c.Positions, c.Width)
	b.segments = w.floats("embeddings.token_type_embeddings.weight", c.Segments, c.Width)
	b.norm = w.norm("embeddings.LayerNorm", c)
	for i := range c.Layers {
		name := fmt.Sprintf("encoder.layer.%d.", i)
		self := name + "attention.self."
		b.layers = append(b.layers, layer{
			qkv:      w.matrix(3*c.Width, c.Width, self+"query", self+"key", self+"value"),
			out:      w.matrix(c.Width, c.Width, name+"attention.output.dense"),
			outNorm:  w.norm(name+"attention.output.LayerNorm", c),
			up:       w.matrix(c.Inner, c.Width, name+"intermediate.dense"),
			down:     w.matrix(c.Width, c.Inner, name+"output.dense"),
			downNorm: w.norm(name+"output.LayerNorm", c),
		})
	}
}

// ReadProjection reads the tensor "weight" of a safetensors file as rows.
func ReadProjection(file string) ([][]float32, error) {
	data, err := readLimited(os.DirFS(path.Dir(file)), path.Base(file), maxTextBytes)
	if err != nil {
		return nil, err
	}
	t, err := parseTensors(data)
	if err != nil {
		return nil, badFile(file, err)
	}
	x, err := t.get("weight", -1, -1)
	if err != nil {
		return nil, badFile(file, err)
	}
	numbers, err := t.floats("weight", x.shape...)
	if err != nil {
		return nil, badFile(file, err)
	}
	var rows [][]float32
	for row := range slices.Chunk(numbers, max(1, x.shape[1])) {
		rows = append(rows, row)
	}
	return rows, nil
}
