package builtin_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/builtin"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	embedtest.Run(t, func(*testing.T) embed.Embedder { return e })
}

// golden is one line of testdata/golden.jsonl: what the training code's own encoder answers.
type golden struct {
	Text   string
	Tokens []string
	Vec    []float64
}

func readGolden(tb testing.TB) []golden {
	tb.Helper()
	b, err := os.ReadFile("testdata/golden.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	var out []golden
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var g golden
		if err := json.Unmarshal(sc.Bytes(), &g); err != nil {
			tb.Fatal(err)
		}
		out = append(out, g)
	}
	if len(out) != 56 {
		tb.Fatalf("%d golden texts", len(out))
	}
	return out
}

// TestGolden holds the encoder to the vectors of the training code: 1e-5 a component, every token equal.
func TestGolden(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	worst := 0.0
	for _, g := range readGolden(t) {
		if diff := cmp.Diff(g.Tokens, append([]string{}, e.Tokens(g.Text)...)); diff != "" {
			t.Errorf("tokens of %q (-want +got):\n%s", g.Text, diff)
		}
		if got := e.CountTokens(g.Text); got != len(g.Tokens) {
			t.Errorf("CountTokens(%q) = %d, want %d", g.Text, got, len(g.Tokens))
		}
		v, err := embed.EmbedQuery(t.Context(), e, g.Text)
		if err != nil {
			t.Fatal(err)
		}
		if len(v) != len(g.Vec) {
			t.Fatalf("vector of %d values, want %d", len(v), len(g.Vec))
		}
		for i, x := range v {
			worst = max(worst, math.Abs(float64(x)-g.Vec[i]))
		}
	}
	t.Logf("worst component error %.2g", worst)
	if worst > 1e-5 {
		t.Errorf("worst component error %.2g, want at most 1e-5", worst)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	long := strings.Repeat("x", 39)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"dog's's rock 'n' roll o''clock", []string{"dogs", "rock", "n", "roll", "o", "clock"}},
		{"'s s' it's' x's", []string{"s", "s", "it", "x"}},
		{long + "y's", []string{long + "y"}},
		{long + "'s", []string{long}},
		{long + "yz's", []string{long + "y"}},
		{strings.Repeat("1", 50), []string{strings.Repeat("1", 40)}},
		{"abc123def x²", []string{"abc", "123", "def", "x²"}},
		{"caf\xff\xfee \x00 ok", []string{"caf", "e", "ok"}},
		{"Ǣthere ŒUVRE", []string{"æthere", "oeuvre"}},
		{"it’s Ο ΛΌΓΟΣ’", []string{"it", "ο", "λόγοσ"}},
	} {
		if diff := cmp.Diff(c.want, e.Tokens(c.text)); diff != "" {
			t.Errorf("Tokens(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func norm(v []float32) float64 {
	var n float64
	for _, x := range v {
		n += float64(x) * float64(x)
	}
	return math.Sqrt(n)
}

func cosine(a, b []float32) float64 {
	var n float64
	for i, x := range a {
		n += float64(x) * float64(b[i])
	}
	return n
}

func TestOddTexts(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	for name, c := range map[string]struct {
		text string
		want float64
	}{
		"empty":         {"", 0},
		"marks":         {"...!? \u2003 \u200b", 0},
		"broken utf-8":  {"\xff\xfe\xc3(", 0},
		"one megabyte":  {strings.Repeat("the golden retriever barks at 42 strangers. ", 1<<20/44), 1},
		"one long word": {strings.Repeat("ab", 1<<19), 1},
		"han":           {"日本語のテキスト", 1},
		"one letter":    {"q", 1},
		"nul":           {"a\x00b", 1},
	} {
		v := make([]float32, 256)
		if err := e.EncodeInto(v, c.text); err != nil {
			t.Fatal(err)
		}
		if n := norm(v); math.Abs(n-c.want) > 1e-5 {
			t.Errorf("%s: norm %v, want %v", name, n, c.want)
		}
	}
}

// TestMeaning is the reason for the model: no shared word, and still the right answer first.
func TestMeaning(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	texts := []string{"the automobile repair shop called", "she takes the subway downtown every weekday", "I lie awake most of the night", "the PostgreSQL server crashed again", "he bought a Nikon lens"}
	vs, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for want, q := range []string{"fixing my car", "transportation to the office", "sleep problems", "database outage", "photography equipment"} {
		v, err := embed.EmbedQuery(t.Context(), e, q)
		if err != nil {
			t.Fatal(err)
		}
		best := 0
		for i := range vs {
			if cosine(v, vs[i]) > cosine(v, vs[best]) {
				best = i
			}
		}
		if best != want {
			t.Errorf("%q finds %q, want %q", q, texts[best], texts[want])
		}
		if c := cosine(v, vs[want]); c < float64(e.Space().Profile.Related)-0.05 {
			t.Errorf("%q and %q: cosine %.2f is below the profile's threshold", q, texts[want], c)
		}
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	for text, want := range map[string]float64{
		"":                                0,
		"...":                             0,
		"the golden retriever":            1,
		"qzxwvkj the":                     0.5,
		"Привет как дела":                 0,
		"a cat, qzxwvkj zzzkqj and a dog": 5.0 / 7,
	} {
		if got := e.Known(text); math.Abs(got-want) > 1e-9 {
			t.Errorf("Known(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestWordVector(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	car, auto, tea := make([]float32, 256), make([]float32, 256), make([]float32, 256)
	for w, v := range map[string][]float32{"car": car, "automobile": auto, "tea": tea} {
		if !e.WordVector(w, v) {
			t.Fatalf("no vector for %q", w)
		}
	}
	near, far := cosine(car, auto)/norm(car)/norm(auto), cosine(car, tea)/norm(car)/norm(tea)
	if near < 0.4 || far > near/2 {
		t.Errorf("car: %.2f to automobile, %.2f to tea", near, far)
	}
	the := make([]float32, 256)
	e.WordVector("the", the)
	if norm(the) > norm(car)/2 {
		t.Errorf("length of the %.2f, of car %.2f: importance is lost", norm(the), norm(car))
	}
	if !e.WordVector("qzxwvkj", tea) || norm(tea) == 0 {
		t.Error("no guess for an unknown word")
	}
	if e.WordVector("!", tea) || norm(tea) != 0 {
		t.Error("a vector for a mark")
	}
	if e.WordVector("car", make([]float32, 255)) {
		t.Error("a vector in too little room")
	}
}

func TestEncodeIntoShort(t *testing.T) {
	t.Parallel()
	if err := builtin.New().EncodeInto(make([]float32, 255), "car"); !errors.Is(err, embed.ErrDimension) {
		t.Errorf("err = %v, want ErrDimension", err)
	}
}

func TestCancelledKeepsWhatIsDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	vs, err := builtin.New().Embed(ctx, []string{"a", "b"})
	if !errors.Is(err, context.Canceled) || len(vs) != 2 || vs[0] != nil {
		t.Errorf("Embed = %v, %v", vs, err)
	}
}

//nolint:paralleltest // AllocsPerRun forbids parallel tests.
func TestAllocations(t *testing.T) {
	e := builtin.New()
	v := make([]float32, 256)
	for _, text := range []string{"automobile repair", "I've got a qzxwvkjesque café in São Paulo"} {
		if n := testing.AllocsPerRun(100, func() { _ = e.EncodeInto(v, text) }); n != 0 {
			t.Errorf("EncodeInto(%q): %v allocations", text, n)
		}
		if n := testing.AllocsPerRun(100, func() { e.CountTokens(text); e.Known(text); e.WordVector(text, v) }); n != 0 {
			t.Errorf("counting in %q: %v allocations", text, n)
		}
	}
}

// TestOrderDoesNotMatter: a bag of words, apart from phrases.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	words := []string{"car", "tea", "qzxwvkj", "lisbon", "violin", "42"}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(t, "a")
		b := rapid.Permutation(a).Draw(t, "b")
		va, vb := make([]float32, 256), make([]float32, 256)
		_ = e.EncodeInto(va, strings.Join(a, ", "))
		_ = e.EncodeInto(vb, strings.Join(b, " . "))
		if c := cosine(va, vb); math.Abs(c-1) > 1e-4 {
			t.Fatalf("%v and %v: cosine %v", a, b, c)
		}
	})
}

func FuzzEncode(f *testing.F) {
	for _, g := range readGolden(f) {
		f.Add(g.Text)
	}
	f.Add("a''s 's'\xffs' ½Ⅷ²" + strings.Repeat("é", 60) + "'s")
	e := builtin.New()
	f.Fuzz(func(t *testing.T, text string) {
		a, b := make([]float32, 256), make([]float32, 256)
		if err := e.EncodeInto(a, text); err != nil {
			t.Fatal(err)
		}
		if err := e.EncodeInto(b, text); err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(a, b) {
			t.Error("two encodings differ")
		}
		tokens := e.Tokens(text)
		if n := norm(a); math.Abs(n-1) > 1e-5 && (n != 0 || len(tokens) > 0) {
			t.Errorf("norm %v of %d tokens", n, len(tokens))
		}
		if got := e.CountTokens(text); got != len(tokens) {
			t.Errorf("CountTokens %d, %d tokens", got, len(tokens))
		}
		for _, w := range tokens {
			if w == "" || len([]rune(w)) > 40 || strings.ContainsAny(w, " '\n") {
				t.Errorf("token %q", w)
			}
		}
		if k := e.Known(text); k < 0 || k > 1 {
			t.Errorf("Known %v", k)
		}
	})
}
