package encoder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// tinyVocabulary has a few words and all letters, so that most texts can be cut.
func tinyVocabulary() string {
	pieces := []string{
		"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "mat", "un", "##able", "##ing", ".", ",", "'", "京",
		"tea", "automobile", "repair", "shop", "called", "about", "brakes",
	}
	for c := 'a'; c <= 'z'; c++ {
		pieces = append(pieces, string(c), "##"+string(c))
	}
	return strings.Join(pieces, "\n") + "\n"
}

// tinyFolder is a model of two layers with random weights, in the layout of sentence-transformers.
func tinyFolder(tb testing.TB, change map[string]string) fstest.MapFS {
	tb.Helper()
	const width, inner, layers, positions = 64, 96, 2, 40
	vocabulary := tinyVocabulary()
	r := rand.New(rand.NewPCG(1, 2))
	var f packer
	add := func(name string, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64() / 6)
			if strings.HasSuffix(name, "LayerNorm.weight") {
				x[i]++
			}
		}
		f.floats(name, x, shape...)
	}
	add("embeddings.word_embeddings.weight", strings.Count(vocabulary, "\n"), width)
	add("embeddings.position_embeddings.weight", positions, width)
	add("embeddings.token_type_embeddings.weight", 2, width)
	norm := func(name string) { add(name+".weight", width); add(name+".bias", width) }
	linear := func(name string, rows, cols int) { add(name+".weight", rows, cols); add(name+".bias", rows) }
	norm("embeddings.LayerNorm")
	for i := range layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		for _, part := range []string{"query", "key", "value"} {
			linear(at+"attention.self."+part, width, width)
		}
		linear(at+"attention.output.dense", width, width)
		norm(at + "attention.output.LayerNorm")
		linear(at+"intermediate.dense", inner, width)
		linear(at+"output.dense", width, inner)
		norm(at + "output.LayerNorm")
	}
	var weights bytes.Buffer
	if err := f.write(&weights, nil); err != nil {
		tb.Fatal(err)
	}
	files := map[string]string{
		"config.json": fmt.Sprintf(`{"model_type":"bert","hidden_act":"gelu","hidden_size":%d,"num_hidden_layers":%d,"num_attention_heads":2,
			"intermediate_size":%d,"max_position_embeddings":%d,"type_vocab_size":2,"layer_norm_eps":1e-12}`, width, layers, inner, positions),
		"vocab.txt":         vocabulary,
		"model.safetensors": weights.String(),
	}
	maps.Copy(files, change)
	out := fstest.MapFS{}
	for name, text := range files {
		if text != "" {
			out[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return out
}

var update = flag.Bool("update", false, "write testdata/tiny anew")

// The tiny model lies in testdata too, for the tests of other packages.
func TestTinyFolder(t *testing.T) {
	t.Parallel()
	for name, file := range tinyFolder(t, nil) {
		path := filepath.Join("testdata", "tiny", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, file.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, file.Data) {
			t.Errorf("%s differs (%v): run go test ./internal/encoder -run TinyFolder -update", path, err)
		}
	}
}

func openTiny(tb testing.TB, change map[string]string) *Model {
	tb.Helper()
	m, err := OpenFolder(tinyFolder(tb, change), Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func allKernels() []kernels {
	out := []kernels{{}}
	best := detectKernels()
	if best.simd {
		out = append(out, kernels{simd: true})
	}
	if best.wide {
		out = append(out, best)
	}
	return out
}

func encode(tb testing.TB, m *Model, texts ...string) [][]float32 {
	tb.Helper()
	out, err := m.Encode(context.Background(), texts)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func distance(a, b []float32) float64 {
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i])-float64(b[i])))
	}
	return worst
}

// All sets of inner loops give one answer, for every length of text.
func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	m := openTiny(t, nil)
	var texts []string
	for n := range 45 {
		texts = append(texts, strings.Repeat("a cat sat on ", n)[:n])
	}
	var want [][]float32
	for i, k := range allKernels() {
		m.body.kernels = k
		got := encode(t, m, texts...)
		if i == 0 {
			want = got
			continue
		}
		for n := range got {
			if d := distance(got[n], want[n]); d > 1e-4 {
				t.Errorf("%+v: text of %d letters differs by %g from plain Go", k, n, d)
			}
		}
	}
}

// A pass is compared with the same arithmetic done in float64 on the weights as they are rounded.
func TestPassIsThatOfBERT(t *testing.T) {
	t.Parallel()
	m := openTiny(t, nil)
	const text = "the cat sat, un"
	got := encode(t, m, text)[0]
	if d := distance(got, plainPass(m, m.Tokens(text))); d > 2e-3 {
		t.Errorf("differs by %g from the plain computation", d)
	}
}

// plainPass is the transformer by its definition.
func plainPass(m *Model, tokens []Token) []float32 {
	width := m.config.Width
	weight := func(w *matrix, r, c int) float64 { return float64(w.codes[place(r, c, w.cols)]) * float64(w.scales[r]) }
	linear := func(w *matrix, x []float64) []float64 {
		y := make([]float64, w.rows)
		for r := range y {
			y[r] = float64(w.bias[r])
			for c := range w.cols {
				y[r] += weight(w, r, c) * x[c]
			}
		}
		return y
	}
	normalise := func(n *layerNorm, x, y []float64) []float64 {
		out, mean, square := make([]float64, len(x)), 0.0, 0.0
		for i := range x {
			out[i] = x[i] + y[i]
			mean += out[i] / float64(len(x))
		}
		for _, v := range out {
			square += (v - mean) * (v - mean) / float64(len(x))
		}
		for i := range out {
			out[i] = (out[i]-mean)/math.Sqrt(square+float64(n.eps))*float64(n.gain[i]) + float64(n.bias[i])
		}
		return out
	}
	var states [][]float64
	for i, token := range tokens {
		x, y := make([]float64, width), make([]float64, width)
		for j := range x {
			x[j] = float64(m.words.codes[int(token.ID)*width+j])*float64(m.words.scales[token.ID]) + float64(m.body.positions[i*width+j])
			y[j] = float64(m.body.segments[j])
		}
		states = append(states, normalise(&m.body.norm, x, y))
	}
	for l := range m.body.layers {
		layer := &m.body.layers[l]
		var qkv, mixed [][]float64
		for _, x := range states {
			qkv = append(qkv, linear(layer.qkv, x))
			mixed = append(mixed, make([]float64, width))
		}
		size := width / m.config.Heads
		for h := range m.config.Heads {
			for i := range states {
				shares, sum := make([]float64, len(states)), 0.0
				for j := range states {
					for d := range size {
						shares[j] += qkv[i][h*size+d] * qkv[j][width+h*size+d]
					}
					shares[j] = math.Exp(shares[j] / math.Sqrt(float64(size)))
					sum += shares[j]
				}
				for j := range states {
					for d := range size {
						mixed[i][h*size+d] += shares[j] / sum * qkv[j][2*width+h*size+d]
					}
				}
			}
		}
		for i := range states {
			states[i] = normalise(&layer.outNorm, states[i], linear(layer.out, mixed[i]))
			mid := linear(layer.up, states[i])
			for j, v := range mid {
				mid[j] = 0.5 * v * (1 + math.Erf(v/math.Sqrt2))
			}
			states[i] = normalise(&layer.downNorm, states[i], linear(layer.down, mid))
		}
	}
	out, length := make([]float64, width), 0.0
	for j := range out {
		for i := range states {
			out[j] += states[i][j]
		}
		length += out[j] * out[j]
	}
	unit := make([]float32, width)
	for j := range out {
		unit[j] = float32(out[j] / math.Sqrt(length))
	}
	return unit
}

// A text has the same vector alone and in any company.
func TestBatchIsSingle(t *testing.T) {
	t.Parallel()
	m := openTiny(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("a cat.sx 京é"))), 1, 30).Draw(t, "texts")
		batch, err := m.Encode(context.Background(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			single, err := m.Encode(context.Background(), []string{text})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(single[0], batch[i]); diff != "" {
				t.Fatalf("%q: %s", text, diff)
			}
		}
	})
}

func TestEncodeStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := openTiny(t, nil).Encode(ctx, []string{"", "a cat"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if len(out) != 2 || out[0] == nil || out[1] != nil {
		t.Errorf("vectors %v: want those that are done", out)
	}
}

// A packed model gives the vectors of its folder, but for positions and norms, which are kept in 16 bits.
func TestPackAndParse(t *testing.T) {
	t.Parallel()
	rows := [][]float32{make([]float32, 64), make([]float32, 64)}
	rows[0][3], rows[1][7] = 1, -1
	m, err := OpenFolder(tinyFolder(t, nil), Options{Name: "tiny", Projection: rows, MaxTokens: 20})
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := m.Pack(b, tinyVocabulary()); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two packed files of one model differ")
	}
	p, err := ParsePacked(first.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Config(), p.Config()); diff != "" {
		t.Error(diff)
	}
	long := strings.Repeat("the cat ", 30)
	if n := len(p.Tokens(long)); n != 20 {
		t.Errorf("%d tokens, want 20", n)
	}
	for i, v := range encode(t, p, "the cat", long) {
		if len(v) != 2 {
			t.Fatalf("vector of %d numbers", len(v))
		}
		if d := distance(v, encode(t, m, "the cat", long)[i]); d > 5e-3 {
			t.Errorf("text %d differs by %g", i, d)
		}
	}
}

// A transformer of an archive gives the states of the model that it was packed from, and its heads are linear maps.
func TestArchive(t *testing.T) {
	t.Parallel()
	m := openTiny(t, nil)
	source, err := parseTensors(tinyFolder(t, nil)["model.safetensors"].Data)
	if err != nil {
		t.Fatal(err)
	}
	var f packer
	for name := range source.byName {
		if !strings.Contains(name, "word_embeddings") {
			x, err := source.floats(name, source.byName[name].shape...)
			if err != nil {
				t.Fatal(err)
			}
			f.floats("one."+name, x, source.byName[name].shape...)
		}
	}
	f.floats("head.weight", []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	f.floats("head.bias", []float32{10, 20}, 2)
	f.floats("kinds", make([]float32, 2*64), 2, 64)
	var weights, packed bytes.Buffer
	if err := f.write(&weights, map[string]string{"labels": "a b"}); err != nil {
		t.Fatal(err)
	}
	if err := PackArchive(&packed, weights.Bytes(), m, []string{"one."}); err != nil {
		t.Fatal(err)
	}
	a, err := ParseArchive(packed.String())
	if err != nil {
		t.Fatal(err)
	}
	if a.Metadata("labels") != "a b" {
		t.Errorf("labels %q", a.Metadata("labels"))
	}
	tuned, err := a.Tuned("one.", "kinds", m)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []Input
	for _, text := range []string{"the cat sat", "on"} {
		tokens := m.AllTokens(text)
		inputs = append(inputs, Input{Tokens: tokens, Kinds: make([]uint8, len(tokens))})
	}
	states, err := tuned.States(inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"the cat sat", "on"} {
		v := make([]float32, 64)
		m.pool(v, states[i], make([]float32, 64))
		if d := distance(v, encode(t, m, text)[0]); d > 5e-3 {
			t.Errorf("%q differs by %g", text, d)
		}
	}
	inputs[0].Kinds = inputs[0].Kinds[1:]
	if _, err := tuned.States(inputs); err == nil {
		t.Error("a token without a kind is accepted")
	}
	if _, err := a.Tuned("two.", "kinds", m); err == nil {
		t.Error("a transformer that is not there")
	}
	d, err := a.Dense("head")
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{1*1 + 2*0 + 3*2 + 10, 4 + 12 + 20, 10, 20, 2 + 10, 5 + 20}
	for _, k := range allKernels() {
		d.kernels = k
		if diff := cmp.Diff(want, d.Apply([]float32{1, 0, 2, 0, 0, 0, 0, 1, 0})); diff != "" {
			t.Errorf("%+v: %s", k, diff)
		}
	}
}

func TestWordPiece(t *testing.T) {
	t.Parallel()
	m := openTiny(t, nil)
	names := strings.Split(tinyVocabulary(), "\n")
	for text, want := range map[string]string{
		"The CAT":                        "[CLS] the cat [SEP]",
		"unable to":                      "[CLS] un ##able t ##o [SEP]",
		"café, naïve":                    "[CLS] c ##a ##f ##e , n ##a ##i ##v ##e [SEP]",
		"7 cats":                         "[CLS] [UNK] cat ##s [SEP]",
		"東京":                             "[CLS] [UNK] 京 [SEP]",
		"a[MASK]b [mask]":                "[CLS] a [MASK] b [UNK] m ##a ##s ##k [UNK] [SEP]",
		strings.Repeat("a", 99):          "[CLS] a" + strings.Repeat(" ##a", 37) + " [SEP]",
		strings.Repeat("a", 101) + " on": "[CLS] [UNK] on [SEP]",
		"\x00on\u200b\xff":               "[CLS] on [SEP]",
		"":                               "[CLS] [SEP]",
	} {
		var got []string
		for _, token := range m.Tokens(text) {
			got = append(got, names[token.ID])
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%q: %s, want %s", text, joined, want)
		}
	}
}

// Tokens stand for stretches of the text that follow each other, at the bounds of characters.
func TestTokensStandForTheirText(t *testing.T) {
	t.Parallel()
	m := openTiny(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("aÉ京 .,[CLS]İ\u0301\u0000한")))).Draw(t, "text")
		before := int32(0)
		for _, token := range m.specials.tokenize(m.tokens, nil, text, math.MaxInt) {
			if token.Start < before || token.End < token.Start || int(token.End) > len(text) {
				t.Fatalf("%q: token %+v after %d", text, token, before)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[token.Start:token.End]) {
				t.Fatalf("%q: token %+v cuts a character", text, token)
			}
			before = token.Start
		}
	})
}

const tinyUnigram = `{"added_tokens":[{"id":0,"content":"<s>","special":true},{"id":1,"content":"</s>","special":true},{"id":2,"content":"<unk>","special":true}],
	"model":{"type":"Unigram","unk_id":2,"vocab":[["<s>",0],["</s>",0],["<unk>",0],["\u2581",-3],["\u2581hello",-5],["\u2581hell",-6],["o",-4],["h",-7],["e",-7],["l",-7],["w",-7],["\u2581w",-6],["or",-5],["ld",-5]]}}`

func TestUnigram(t *testing.T) {
	t.Parallel()
	tok, added, err := parseTokenizer([]byte(tinyUnigram))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"<s>", "</s>", "<unk>", "_", "_hello", "_hell", "o", "h", "e", "l", "w", "_w", "or", "ld"}
	for text, want := range map[string]string{
		"hello world":        "_hello _w or ld",
		"  hello\u00a0hello": "_hello _hello",
		"ｈｅｌｌｏ":              "_hello", // NFKC
		"hello zq world":     "_hello _ <unk> _w or ld",
		"</s>hell":           "</s> _hell",
		"":                   "",
	} {
		var got []string
		for _, token := range added.tokenize(tok, nil, text, math.MaxInt) {
			got = append(got, names[token.ID])
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%q: %s, want %s", text, joined, want)
		}
	}
}

func TestFolderSays(t *testing.T) {
	t.Parallel()
	m := openTiny(t, map[string]string{
		"1_Pooling/config.json":             `{"pooling_mode_cls_token": true}`,
		"sentence_bert_config.json":         `{"max_seq_length": 12}`,
		"config_sentence_transformers.json": `{"prompts": {"query": "query: ", "passage": "passage: "}}`,
	})
	c := m.Config()
	if c.Pooling != PoolFirst || c.MaxTokens != 12 || c.QueryPrefix != "query: " || c.TextPrefix != "passage: " {
		t.Errorf("%+v", c)
	}
	if d := distance(encode(t, m, "the cat")[0], encode(t, openTiny(t, nil), "the cat")[0]); d < 1e-3 {
		t.Error("the pooling makes no difference")
	}
}

func TestBadFolders(t *testing.T) {
	t.Parallel()
	config := string(tinyFolder(t, nil)["config.json"].Data)
	for name, c := range map[string]struct {
		change map[string]string
		want   string
	}{
		"no weights":       {map[string]string{"model.safetensors": ""}, "model.safetensors"},
		"no vocabulary":    {map[string]string{"vocab.txt": ""}, "vocab.txt"},
		"other family":     {map[string]string{"config.json": strings.Replace(config, `"bert"`, `"t5"`, 1)}, `model_type is "t5"`},
		"other activation": {map[string]string{"config.json": strings.Replace(config, `"gelu"`, `"silu"`, 1)}, "hidden_act"},
		"other width":      {map[string]string{"config.json": strings.Replace(config, `:64`, `:128`, 1)}, "word_embeddings"},
		"odd heads":        {map[string]string{"config.json": strings.Replace(config, `heads":2`, `heads":3`, 1)}, "heads"},
		"more layers":      {map[string]string{"config.json": strings.Replace(config, `layers":2`, `layers":3`, 1)}, "encoder.layer.2"},
		"large vocabulary": {map[string]string{"vocab.txt": tinyVocabulary() + "more\n"}, "two models"},
		"broken tokenizer": {map[string]string{"tokenizer.json": `{"model":{"type":"BPE"}}`}, "BPE"},
		"broken weights":   {map[string]string{"model.safetensors": "\xff\xff\xff\xff\xff\xff\xff\xff"}, "header"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := OpenFolder(tinyFolder(t, c.change), Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, errModel) && !strings.Contains(err.Error(), "two models") {
				t.Errorf("err = %v, want one that names %q", err, c.want)
			}
		})
	}
}

func TestHalves(t *testing.T) {
	t.Parallel()
	for h := range 0x7c00 {
		for _, sign := range []uint16{0, 0x8000} {
			if got := toHalf(half(uint16(h) | sign)); got != uint16(h)|sign {
				t.Fatalf("%#x becomes %#x", uint16(h)|sign, got)
			}
		}
	}
	if toHalf(1e9) != 0x7bff || toHalf(1+0x1p-12) != 0x3c00 {
		t.Error("rounding")
	}
}

func TestQuantizeKeepsZeroRows(t *testing.T) {
	t.Parallel()
	for _, k := range allKernels() {
		x, q := make([]float32, 64), make([]int16, 64)
		q[5] = 9
		if scale := k.quantize(q, x); scale != 0 || q[5] != 0 {
			t.Errorf("%+v: scale %v, code %d", k, scale, q[5])
		}
		x[1], x[2] = -2, 1
		if scale := k.quantize(q, x); math.Abs(float64(q[1])*float64(scale)+2) > 1e-6 || q[1] != -maxActivation {
			t.Errorf("%+v: scale %v, code %d", k, scale, q[1])
		}
	}
}

func FuzzParseTokenizer(f *testing.F) {
	f.Add([]byte(tinyUnigram), "hello")
	f.Add([]byte(`{"normalizer":{"type":"BertNormalizer"},"model":{"type":"WordPiece","vocab":{"[CLS]":0,"[SEP]":1,"[UNK]":2,"a":3,"##b":4}}}`), "ab é")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		tok, added, err := parseTokenizer(file)
		if err != nil {
			return
		}
		for _, token := range added.tokenize(tok, nil, text, math.MaxInt) {
			if int(token.End) > len(text) || token.Start > token.End {
				t.Fatalf("token %+v of a text of %d bytes", token, len(text))
			}
		}
	})
}

func FuzzParsePacked(f *testing.F) {
	m, err := OpenFolder(tinyFolder(f, nil), Options{})
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Pack(&b, tinyVocabulary()); err != nil {
		f.Fatal(err)
	}
	n := int(b.Bytes()[0]) | int(b.Bytes()[1])<<8
	f.Add(b.Bytes()[:8+n], 0)
	f.Fuzz(func(t *testing.T, head []byte, _ int) {
		file := append(slices.Clip(head), b.Bytes()[min(8+n, b.Len()):]...)
		m, err := ParsePacked(string(file))
		if err != nil {
			return
		}
		if _, err := m.Encode(t.Context(), []string{"the cat"}); err != nil {
			t.Fatal(err)
		}
	})
}

// A folder of a published model, where LUKASA_TEST_MODEL names one, opens and tells near from far.
func TestPublishedFolder(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("LUKASA_TEST_MODEL")
	if dir == "" {
		t.Skip("needs model: set LUKASA_TEST_MODEL to the folder of a sentence encoder")
	}
	m, err := OpenFolder(os.DirFS(dir), Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := encode(t, m, "How do I reset my password?", "Where can I change the password?", "The cat sleeps on the mat.")
	if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near < far+0.1 {
		t.Errorf("near %.2f, far %.2f", near, far)
	}
	if _, err := json.Marshal(m.Config()); err != nil {
		t.Fatal(err)
	}
}
