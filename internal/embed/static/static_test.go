package static_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
	"github.com/lukasa-memory/lukasa/internal/embed/static"
)

func variants() map[string]variant {
	return map[string]variant{
		"float32":               {kind: "F32"},
		"float16":               {kind: "F16"},
		"int8":                  {kind: "I8"},
		"sentence-transformers": {kind: "F32", name: "embedding.weight"},
		"weights":               {kind: "F16", weights: "F64"},
		"mapping":               {kind: "F32", mapped: "I64", weights: "F32"},
		"small mapping":         {kind: "I8", mapped: "I32", weights: "F16"},
		"cased":                 {kind: "F32", cased: true},
	}
}

func texts() []string {
	return []string{
		"",
		" \t\n\u2003\u200b",
		"tea",
		"She drinks green tea every morning.",
		"The automobile repair shop called about the brakes.",
		"unbelievably unbelievable rained raining",
		"Café naïve Straße ÉÀ e\u0301 İstanbul ΣΑΣ ç ﬁ",
		"日本語のテキスト 中文text",
		"한국어 한",
		"emoji 😀 face — “quoted” … ≠ ≮",
		"a\u00a0b a\u3000b a\u200bb a\u0085b a\u2028b a\x0bb a\x7fb a\x00b a\ufffdb",
		"bro\xffken \xc3( utf-8",
		"[UNK] [PAD] [CLS] ##s",
		"snake_case a+b=c path/to/file.rs 12,345.67$",
		strings.Repeat("x", 100) + " " + strings.Repeat("y", 101),
		"ἀρχή Ḱ ǻ q̇ ༀ ཱི 豈 𠮷",
	}
}

func worst(a []float32, b []float64) float64 {
	out := math.Abs(float64(len(a) - len(b)))
	for i := range min(len(a), len(b)) {
		out = max(out, math.Abs(float64(a[i])-b[i]))
	}
	return out
}

// TestGolden holds the encoder to a slow one that is written after Model2Vec's and the tokenizer's source.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, v := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := makeFiles(v)
			e := f.open(t)
			vectors, err := e.Embed(t.Context(), texts())
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts() {
				if d := worst(vectors[i], f.vector(text)); d > 1e-5 {
					t.Errorf("%q: off by %.2g", text, d)
				}
				tokens := 0
				for _, word := range f.pieces(text) {
					tokens += max(len(word), 1)
				}
				if got := e.CountTokens(text); got != tokens {
					t.Errorf("CountTokens(%q) = %d, want %d of %q", text, got, tokens, f.pieces(text))
				}
			}
		})
	}
}

// TestByHand is small enough to be checked without a program.
func TestByHand(t *testing.T) {
	t.Parallel()
	f := makeFiles(variant{kind: "F32"})
	f.model()["vocab"] = map[string]int{"[PAD]": 0, "[UNK]": 1, "tea": 2, "##s": 3, ".": 4}
	rows := []float64{9, 9, 9, 9, 1, 2, 3, 0, -1, 2}
	f.tensors = write([]part{{"embeddings", "F32", []int{5, 2}, encode("F32", rows)}})
	e := f.open(t)
	for text, want := range map[string][]float64{
		"tea":           {1 / math.Sqrt(5), 2 / math.Sqrt(5)},
		"Teas":          {4 / math.Sqrt(20), 2 / math.Sqrt(20)},
		"teas.":         {3 / 5.0, 4 / 5.0},
		"coffee":        {0, 0},
		"coffee, teas.": {3 / 5.0, 4 / 5.0},
		"[UNK] [PAD]":   {0, 0},
		"steas":         {0, 0},
	} {
		v, err := embed.EmbedQuery(t.Context(), e, text)
		if err != nil || worst(v, want) > 1e-6 {
			t.Errorf("%q: %v, want %v, %v", text, v, want, err)
		}
	}
}

// TestSuite runs against a model that has a piece for every letter, and takes words of any length.
func TestSuite(t *testing.T) {
	t.Parallel()
	for name, v := range variants() {
		if v.mapped != "" || v.cased {
			continue // three rows do not tell many texts apart, and a text in capitals has no piece
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := makeFiles(v)
			f.model()["max_input_chars_per_word"] = 1 << 18
			e := f.open(t)
			embedtest.Run(t, func(*testing.T) embed.Embedder { return e })
		})
	}
}

func TestSpace(t *testing.T) {
	t.Parallel()
	f := makeFiles(variant{kind: "F32"})
	one := f.open(t)
	s := one.Space()
	if s.Model != "small-model" || s.Dim != dim || !s.Local || !strings.HasPrefix(s.ID, "static:") || len(s.ID) != len("static:")+16 {
		t.Errorf("space %+v", s)
	}
	if two := f.open(t).Space(); two != s {
		t.Errorf("the same files in another folder: %+v", two)
	}
	f.config = "" // not needed, and no part of the space
	p := embed.Profile{Related: 0.1, Near: 0.2, VectorWeight: 0.3}
	named, err := static.New(static.Options{Dir: f.write(t), Model: "potion", Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	if got := named.Space(); got.ID != s.ID || got.Model != "potion" || got.Profile != p {
		t.Errorf("space %+v", got)
	}
	ids := map[string]bool{s.ID: true}
	for _, v := range []variant{{kind: "F16"}, {kind: "F32", weights: "F32"}, {kind: "F32", cased: true}} {
		ids[makeFiles(v).open(t).Space().ID] = true
	}
	if len(ids) != 4 {
		t.Errorf("four models, %d spaces", len(ids))
	}
}

func TestNested(t *testing.T) {
	t.Parallel()
	f := makeFiles(variant{kind: "F32", name: "embedding.weight"})
	dir := t.TempDir()
	put(t, filepath.Join(dir, "config_sentence_transformers.json"), []byte("{}"))
	put(t, filepath.Join(dir, "0_StaticEmbedding", "model.safetensors"), f.tensors)
	put(t, filepath.Join(dir, "0_StaticEmbedding", "tokenizer.json"), f.tokenizerJSON())
	e, err := static.New(static.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Space(); got.ID != f.open(t).Space().ID || got.Model != filepath.Base(dir) {
		t.Errorf("space %+v", got)
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	f := makeFiles(variant{kind: "F32", weights: "F32"})
	e := f.open(t)
	for text, want := range map[string]float64{
		"":                            0,
		"...!?":                       0,
		"green tea":                   1,
		"Green TEA, café...":          1,
		"green zebra":                 0.5,
		"😀 tea":                       1, // a symbol is no word
		"unbelievably green 日本 ☕tea!": 3.0 / 5,
	} {
		if got := e.Known(text); math.Abs(got-want) > 1e-9 {
			t.Errorf("Known(%q) = %v, want %v", text, got, want)
		}
	}
	if diff := cmp.Diff([]string{"she", "drinks", "cafe", "o", "clock", "日", "本", "42"}, e.Tokens("She drinks: café... o'clock 日本 42!")); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	v := make([]float32, dim)
	for word, pieces := range map[string][]string{"tea": {"tea"}, "Unbelievably": {"un", "##believ", "##ably"}} {
		want := make([]float64, dim)
		for _, p := range pieces {
			id := f.model()["vocab"].(map[string]int)[p]
			for i, x := range f.rows[id] {
				want[i] += x * f.weights[id]
			}
		}
		if !e.WordVector(word, v) || worst(v, want) > 1e-4 {
			t.Errorf("WordVector(%q) = %v, want %v", word, v, want)
		}
	}
	if e.WordVector("žfт¥", v) || e.WordVector("", v) || e.WordVector("tea", v[:dim-1]) {
		t.Error("a vector for an unknown word, for nothing, or in too little room")
	}
}

func TestCancelledKeepsWhatIsDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	vs, err := makeFiles(variant{kind: "F32"}).open(t).Embed(ctx, []string{"a", "b"})
	if !errors.Is(err, context.Canceled) || len(vs) != 2 || vs[0] != nil {
		t.Errorf("Embed = %v, %v", vs, err)
	}
}

// TestEveryCharacter compares with the slow way on each character of Unicode, between two letters.
func TestEveryCharacter(t *testing.T) {
	t.Parallel()
	f := makeFiles(variant{kind: "F32"})
	f.model()["vocab"] = map[string]int{"[UNK]": 0, "a": 1}
	for name, norms := range map[string]map[string]any{
		"uncased": {"clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"accents": {"clean_text": true, "handle_chinese_chars": false, "strip_accents": false, "lowercase": true},
		"raw":     {"clean_text": false, "handle_chinese_chars": true, "strip_accents": true, "lowercase": false},
	} {
		norms["type"] = "BertNormalizer"
		f.tokenizer["normalizer"] = norms
		e := f.open(t)
		bad := 0
		for c := rune(0); c <= 0xE01FF && bad < 10; c++ {
			switch c {
			case 0xD800:
				c = 0xE000 // past the surrogates
			case 0xFFFD:
				continue // stands for what is no character
			case 0x33480:
				c = 0xE0000 // past a long stretch of nothing
			}
			text := "a" + string(c) + "A"
			var words []string
			for _, w := range f.words(text) {
				if isWordy(w) {
					words = append(words, w)
				}
			}
			if got := e.Tokens(text); !slices.Equal(words, got) {
				bad++
				t.Errorf("%s: %U in the middle: %q, want %q", name, c, got, words)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	rows := func(kind string, shape []int, b []byte) []byte { return write([]part{{"embeddings", kind, shape, b}}) }
	n := len(vocabulary())
	with := func(p part) func(*files) {
		return func(f *files) {
			f.tensors = write([]part{{"embeddings", "I8", []int{n, 1}, make([]byte, n)}, p})
		}
	}
	tensors := func(b []byte) func(*files) { return func(f *files) { f.tensors = b } }
	norms := func(key string, v any) func(*files) {
		return func(f *files) { f.tokenizer[key] = v }
	}
	model := func(key string, v any) func(*files) { return func(f *files) { f.model()[key] = v } }
	for name, c := range map[string]struct {
		edit func(*files)
		says string
	}{
		"bert":              {func(f *files) { f.config = `{"model_type":"bert"}` }, `config.json: a model of type "bert"`},
		"config":            {func(f *files) { f.config = "{" }, "config.json: decode settings"},
		"unigram":           {norms("model", map[string]any{"type": "Unigram", "vocab": []any{[]any{"a", -1.5}}}), `model is "Unigram": only WordPiece`},
		"normaliser":        {norms("normalizer", map[string]any{"type": "Sequence"}), `normalizer is "Sequence"`},
		"no normaliser":     {norms("normalizer", nil), `normalizer is ""`},
		"pre-tokeniser":     {norms("pre_tokenizer", map[string]any{"type": "Metaspace"}), `pre-tokenizer is "Metaspace"`},
		"no vocabulary":     {model("vocab", map[string]int{}), "it is empty"},
		"null vocabulary":   {model("vocab", nil), "it is empty"},
		"list":              {model("vocab", []string{"a"}), "decode vocabulary"},
		"negative id":       {model("vocab", map[string]int{"a": -1}), "id -1"},
		"huge id":           {model("vocab", map[string]int{"a": 1 << 40}), "id 1099511627776"},
		"empty piece":       {model("vocab", map[string]int{"": 1}), "a piece of 0 bytes"},
		"long piece":        {model("vocab", map[string]int{strings.Repeat("x", 513): 1}), "a piece of 513 bytes"},
		"no words":          {model("max_input_chars_per_word", 0), "words of 0 characters"},
		"more pieces":       {model("vocab", map[string]int{"a": n}), "the files are of two models"},
		"added piece":       {norms("added_tokens", []any{map[string]any{"id": n + 1}}), "the files are of two models"},
		"empty file":        {tensors([]byte{}), "shorter than its header"},
		"header length":     {tensors([]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}")), "does not fit"},
		"long header":       {tensors(append([]byte{1, 0, 16, 0, 0, 0, 0, 0}, make([]byte, 1<<20+1)...)), "does not fit"},
		"header":            {tensors([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{]")), "decode header"},
		"entry":             {tensors([]byte("\x10\x00\x00\x00\x00\x00\x00\x00{\"embeddings\":1}")), "decode header"},
		"no tensor":         {tensors(write([]part{{"0", "F32", []int{1, 1}, make([]byte, 4)}})), "no tensor embeddings"},
		"kind":              {tensors(rows("BF16", []int{n, 1}, make([]byte, 2*n))), `kind "BF16"`},
		"whole numbers":     {tensors(rows("I32", []int{n, 1}, make([]byte, 4*n))), "kind I32"},
		"one dimension":     {tensors(rows("F32", []int{n}, make([]byte, 4*n))), "shape"},
		"three dimensions":  {tensors(rows("F32", []int{n, 1, 1}, make([]byte, 4*n))), "shape"},
		"no columns":        {tensors(rows("F32", []int{n, 0}, nil)), "shape"},
		"too many columns":  {tensors(rows("I8", []int{1, 8193}, make([]byte, 8193))), "shape"},
		"too many rows":     {tensors(rows("I8", []int{1<<22 + 1, 1}, make([]byte, 16))), "shape"},
		"cut short":         {tensors(rows("F32", []int{n, 2}, make([]byte, 8*n))[:8*n]), "does not fit"},
		"another size":      {tensors(rows("F32", []int{n, 2}, make([]byte, 4*n))), "does not fit"},
		"nan":               {tensors(rows("F32", []int{1, 1}, []byte{0, 0, 0xc0, 0x7f})), "number 0"},
		"large":             {tensors(rows("F32", []int{1, 2}, encode("F32", []float64{0, -2e6}))), "number 1"},
		"half infinite":     {tensors(rows("F16", []int{1, 2}, []byte{0, 0, 0, 0xfc})), "number 1"},
		"weights too few":   {with(part{"weights", "F32", []int{n - 1}, make([]byte, 4*n-4)}), "weights: shape"},
		"weights of what":   {with(part{"weights", "I32", []int{n}, make([]byte, 4*n)}), "want floating point"},
		"weights nan":       {with(part{"weights", "F16", []int{n}, append(make([]byte, 2*n-2), 0, 0x7e)}), "is not a number"},
		"weights table":     {with(part{"weights", "F32", []int{n, 1}, make([]byte, 4*n)}), "weights: shape"},
		"mapping beyond":    {with(part{"mapping", "I32", []int{n}, append(make([]byte, 4*n-4), byte(n), byte(n>>8), 0, 0)}), "beyond"},
		"mapping negative":  {with(part{"mapping", "I64", []int{n}, append(make([]byte, 8*n-8), 255, 255, 255, 255, 255, 255, 255, 255)}), "is -1"},
		"mapping of floats": {with(part{"mapping", "F32", []int{n}, make([]byte, 4*n)}), "want integers"},
		"mapping too short": {with(part{"mapping", "I32", []int{n - 1}, make([]byte, 4*n-4)}), "the files are of two models"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := makeFiles(variant{kind: "F32"})
			c.edit(&f)
			e, err := static.New(static.Options{Dir: f.write(t)})
			if e != nil || lukasa.CodeOf(err) != lukasa.CodeInvalid || !strings.Contains(err.Error(), c.says) {
				t.Errorf("err = %v, want one that says %q", err, c.says)
			}
		})
	}
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "nothing"), t.TempDir()} {
		if e, err := static.New(static.Options{Dir: dir}); e != nil || lukasa.CodeOf(err) != lukasa.CodeInvalid {
			t.Errorf("%q: %v", dir, err)
		}
	}
}

//nolint:paralleltest // AllocsPerRun forbids parallel tests.
func TestAllocations(t *testing.T) {
	e := makeFiles(variant{kind: "F16", weights: "F32"}).open(t)
	v := make([]float32, dim)
	text := "She drinks unbelievably green tea, café 한국어 日本."
	if n := testing.AllocsPerRun(100, func() { e.CountTokens(text); e.Known(text); e.WordVector(text, v) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzEmbed(f *testing.F) {
	for _, s := range texts() {
		f.Add(s)
	}
	m := makeFiles(variant{kind: "F16", weights: "F32"})
	e := m.open(f)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := embed.EmbedQuery(t.Context(), e, text)
		if err != nil {
			t.Fatal(err)
		}
		if d := worst(v, m.vector(text)); d > 1e-4 {
			t.Errorf("off by %.2g", d)
		}
		if k := e.Known(text); k < 0 || k > 1 {
			t.Errorf("Known %v", k)
		}
	})
}

// large writes a model of the size of a published one: 30,000 pieces of 256 dimensions.
func large(b *testing.B, kind string) string {
	b.Helper()
	const rows, cols = 30_000, 256
	f := makeFiles(variant{kind: kind})
	ids := f.model()["vocab"].(map[string]int)
	for len(ids) < rows {
		ids["word"+strconv.Itoa(len(ids))] = len(ids)
	}
	f.tensors = write([]part{{"embeddings", kind, []int{rows, cols}, encode(kind, slices.Repeat([]float64{0.5, -0.25, 0, 1}, rows*cols/4))}})
	return f.write(b)
}

func BenchmarkOpen(b *testing.B) {
	dir := large(b, "F16")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := static.New(static.Options{Dir: dir}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	const text = "The automobile repair shop called about the brakes every morning." // 11 pieces
	for _, kind := range []string{"F32", "F16", "I8"} {
		b.Run(kind, func(b *testing.B) {
			e, err := static.New(static.Options{Dir: large(b, kind)})
			if err != nil {
				b.Fatal(err)
			}
			v := make([]float32, e.Space().Dim)
			b.ReportAllocs()
			for b.Loop() {
				e.WordVector(text, v)
			}
		})
	}
}
