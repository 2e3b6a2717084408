package static_test

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/lukasa-memory/lukasa/internal/embed/static"
)

const dim = 24

// vocabulary has what the texts of the tests are made of: words, and the letters of words that it does not have.
func vocabulary() []string {
	out := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	out = append(out, strings.Fields(`the a she he we tea green automobile repair shop called about brakes morning drink ##s
		every drinks un ##believ ##ably ##able rain ##ed cafe 42 str ##asse naive ##ing release went out on friday what does`)...)
	for c := '!'; c <= '~'; c++ {
		if s := strings.ToLower(string(c)); s == string(c) && s != "a" {
			out = append(out, s)
		}
		if unicode.IsLower(c) || unicode.IsDigit(c) {
			out = append(out, "##"+string(c))
		}
	}
	for _, c := range "абвгдежзиклмнопрстуфхцчшщъыьэюя\u1112\u1161\u11ab日本語中文ßσç" {
		out = append(out, string(c), "##"+string(c))
	}
	return append(out, "“", "…", "é", "##é")
}

// numbers returns a row for a piece, which depends on nothing else, in steps that every kind of number can hold.
func numbers(piece string) []float64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, piece) // a hash never fails
	r := rand.New(rand.NewPCG(h.Sum64(), 7))
	out := make([]float64, dim)
	for i := range out {
		out[i] = float64(r.IntN(255) - 127)
	}
	return out
}

// files is a model on disk and what an independent encoder needs to know of it.
type files struct {
	tensors   []byte
	tokenizer map[string]any
	config    string

	vocab   []string
	rows    [][]float64
	mapping []int
	weights []float64
}

// variant says how a model is written.
type variant struct {
	kind    string // of the matrix
	name    string // of the tensor; "": embeddings
	mapped  string // kind of the mapping; "": none, a row for each piece
	weights string // kind of the weights; "": none
	cased   bool
}

func makeFiles(v variant) files {
	f := files{vocab: vocabulary(), config: `{"model_type":"model2vec","normalize":true,"hidden_dim":24}`}
	ids := map[string]int{}
	for i, piece := range f.vocab {
		ids[piece] = i
		row := numbers(piece)
		switch v.kind {
		case "F32":
			for k := range row {
				row[k] = float64(float32(row[k] / 10))
			}
		case "F16":
			for k := range row {
				row[k] = row[k] / 64 // 7 bits and a sign
			}
		}
		f.rows = append(f.rows, row)
	}
	var tensors []part
	if v.mapped != "" { // three rows in all
		f.rows = f.rows[10:13]
		for i := range f.vocab {
			f.mapping = append(f.mapping, i*i%3)
		}
		tensors = append(tensors, part{"mapping", v.mapped, []int{len(f.mapping)}, encode(v.mapped, floats(f.mapping))})
	}
	var all []float64
	for _, row := range f.rows {
		all = append(all, row...)
	}
	if v.name == "" {
		v.name = "embeddings"
	}
	tensors = append(tensors, part{v.name, v.kind, []int{len(f.rows), dim}, encode(v.kind, all)})
	if v.weights != "" {
		for i := range f.vocab {
			f.weights = append(f.weights, float64(1+i%8)/16)
		}
		tensors = append(tensors, part{"weights", v.weights, []int{len(f.weights)}, encode(v.weights, f.weights)})
	}
	f.tensors = write(tensors)
	f.tokenizer = map[string]any{
		"version": "1.0", "truncation": map[string]any{"max_length": 512}, "padding": nil,
		"added_tokens":   []any{map[string]any{"id": 0, "content": "[PAD]", "special": true}, map[string]any{"id": 1, "content": "[UNK]", "special": true}},
		"normalizer":     map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": !v.cased},
		"pre_tokenizer":  map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "TemplateProcessing"},
		"decoder":        map[string]any{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"model":          map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": ids},
	}
	return f
}

func (f files) model() map[string]any { return f.tokenizer["model"].(map[string]any) }

func (f files) tokenizerJSON() []byte {
	b, err := json.Marshal(f.tokenizer)
	if err != nil {
		panic(err) // a fault of the test
	}
	return b
}

// write puts the files into a new folder and returns it.
func (f files) write(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small-model")
	for name, b := range map[string][]byte{"model.safetensors": f.tensors, "tokenizer.json": f.tokenizerJSON(), "config.json": []byte(f.config)} {
		if b != nil && (name != "config.json" || f.config != "") {
			put(t, filepath.Join(dir, name), b)
		}
	}
	return dir
}

func put(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (f files) open(t testing.TB) *static.Embedder {
	t.Helper()
	e, err := static.New(static.Options{Dir: f.write(t)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// part is a tensor to be written.
type part struct {
	name, kind string
	shape      []int
	data       []byte
}

// write lays tensors out as the safetensors format has it, with a header padded by spaces as its own library does.
func write(parts []part) []byte {
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	for _, p := range parts {
		header[p.name] = map[string]any{"dtype": p.kind, "shape": p.shape, "data_offsets": []int{len(data), len(data) + len(p.data)}}
		data = append(data, p.data...)
	}
	b, err := json.Marshal(header)
	if err != nil {
		panic(err) // a fault of the test
	}
	for len(b)%8 != 0 {
		b = append(b, ' ')
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(b)))
	return append(append(out, b...), data...)
}

func floats(in []int) []float64 {
	out := make([]float64, len(in))
	for i, x := range in {
		out[i] = float64(x)
	}
	return out
}

// encode writes numbers of a kind, little-endian.
func encode(kind string, in []float64) []byte {
	var out []byte
	for _, x := range in {
		switch kind {
		case "F64":
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		case "F32":
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
		case "F16":
			out = binary.LittleEndian.AppendUint16(out, toHalf(x))
		case "I64":
			out = binary.LittleEndian.AppendUint64(out, uint64(int64(x)))
		case "I32":
			out = binary.LittleEndian.AppendUint32(out, uint32(int32(x)))
		case "I8":
			out = append(out, byte(int8(x)))
		}
	}
	return out
}

// toHalf writes a number that float16 holds exactly, by the definition: sign, exponent, ten bits.
func toHalf(x float64) uint16 {
	var sign uint16
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	if x == 0 {
		return sign
	}
	m, exp := math.Frexp(x) // m of 0.5..1
	if exp < -13 {
		return sign | uint16(x*(1<<24))
	}
	return sign | uint16(exp+14)<<10 | (uint16(m*2048) - 1024)
}

// pieces cuts the words of text; an unknown one has none.
func (f files) pieces(text string) [][]string {
	var out [][]string
	for _, word := range f.words(text) {
		out = append(out, f.wordPieces(word))
	}
	return out
}

func isWordy(word string) bool {
	return strings.ContainsFunc(word, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) })
}

// words cuts text as Hugging Face's library does, step by step over the whole text: the slow way, to check the fast one.
func (f files) words(text string) []string {
	norms := f.tokenizer["normalizer"].(map[string]any)
	lower := norms["lowercase"].(bool)
	strip := lower
	if s, ok := norms["strip_accents"].(bool); ok {
		strip = s
	}
	text = string([]rune(text)) // what is not UTF-8 is U+FFFD
	if norms["clean_text"].(bool) {
		text = strings.Map(func(c rune) rune {
			switch {
			case c == '\t' || c == '\n' || c == '\r':
				return ' '
			case c == 0xFFFD || unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Cn):
				return -1
			case unicode.IsSpace(c):
				return ' '
			}
			return c
		}, text)
	}
	if norms["handle_chinese_chars"].(bool) {
		var b strings.Builder
		for _, c := range text {
			if unicode.Is(chinese, c) {
				b.WriteString(" " + string(c) + " ")
			} else {
				b.WriteRune(c)
			}
		}
		text = b.String()
	}
	if strip {
		text = strings.Map(func(c rune) rune {
			if unicode.Is(unicode.Mn, c) {
				return -1
			}
			return c
		}, norm.NFD.String(text))
	}
	if lower {
		text = strings.ToLower(strings.ReplaceAll(text, "İ", "i\u0307"))
	}
	var out []string
	for field := range strings.FieldsSeq(text) {
		word := ""
		for _, c := range field {
			if !strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) && !unicode.IsPunct(c) {
				word += string(c)
				continue
			}
			if word != "" {
				out = append(out, word)
			}
			out, word = append(out, string(c)), ""
		}
		if word != "" {
			out = append(out, word)
		}
	}
	return out
}

// chinese is the list of BERT's own tokenizer.
var chinese = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4DBF, 1}, {0x4E00, 0x9FFF, 1}, {0xF900, 0xFAFF, 1}},
	R32: []unicode.Range32{{0x20000, 0x2A6DF, 1}, {0x2A700, 0x2B73F, 1}, {0x2B740, 0x2B81F, 1}, {0x2B920, 0x2CEAF, 1}, {0x2F800, 0x2FA1F, 1}},
}

func (f files) wordPieces(word string) []string {
	vocab := f.model()["vocab"].(map[string]int)
	runes := []rune(word)
	if len(runes) > f.model()["max_input_chars_per_word"].(int) {
		return nil
	}
	var out []string
	for from := 0; from < len(runes); {
		to := len(runes)
		for ; to > from; to-- {
			piece := string(runes[from:to])
			if from > 0 {
				piece = "##" + piece
			}
			if _, ok := vocab[piece]; ok {
				out = append(out, piece)
				break
			}
		}
		if to == from {
			return nil
		}
		from = to
	}
	return out
}

// vector is the mean of the pieces' rows, with length 1, in float64.
func (f files) vector(text string) []float64 {
	vocab := f.model()["vocab"].(map[string]int)
	out := make([]float64, dim)
	n := 0.0
	for _, word := range f.pieces(text) {
		for _, piece := range word {
			row, w := vocab[piece], 1.0
			if f.weights != nil {
				w = f.weights[row]
			}
			if f.mapping != nil {
				row = f.mapping[row]
			}
			for i, x := range f.rows[row] {
				out[i] += x * w
			}
			n++
		}
	}
	length := 0.0
	for i := range out {
		out[i] /= max(n, 1)
		length += out[i] * out[i]
	}
	for i := range out {
		out[i] /= max(math.Sqrt(length), 1e-32)
	}
	return out
}
