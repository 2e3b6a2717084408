package builtin_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/builtin"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	embedtest.Run(t, func(*testing.T) embed.Embedder { return e })
}

// golden is one line of testdata/golden.jsonl: the tokens of a text, and the vector that PyTorch computes from the float16 weights.
type golden struct {
	Text   string
	IDs    []uint32
	Vector []float64
}

func readGolden(tb testing.TB) []golden {
	tb.Helper()
	f, err := os.Open("testdata/golden.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []golden
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			tb.Fatal(err)
		}
		out = append(out, g)
	}
	if len(out) < 30 {
		tb.Fatalf("%d golden texts", len(out))
	}
	return out
}

// The rounded model is held to the published one: equal tokens, and a cosine of .998 at least.
func TestGolden(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	m, err := e.Model()
	if err != nil {
		t.Fatal(err)
	}
	worst := 1.0
	for _, g := range readGolden(t) {
		var ids []uint32
		for _, token := range m.Tokens(g.Text) {
			ids = append(ids, token.ID)
		}
		if diff := cmp.Diff(g.IDs, ids); diff != "" {
			t.Errorf("tokens of %.80q (-want +got):\n%s", g.Text, diff)
		}
		v, err := embed.EmbedQuery(t.Context(), e, g.Text)
		if err != nil {
			t.Fatal(err)
		}
		if len(ids) == 2 { // nothing to embed
			if cosine(v, v) != 0 {
				t.Errorf("a vector for %q", g.Text)
			}
			continue
		}
		var want []float32
		for _, x := range g.Vector {
			want = append(want, float32(x))
		}
		c := cosine(v, want) / math.Sqrt(cosine(want, want))
		worst = min(worst, c)
		if c < 0.998 {
			t.Errorf("%.80q: cosine %.4f to the published model", g.Text, c)
		}
	}
	t.Logf("worst cosine %.5f", worst)
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("all-MiniLM-L6-v2-256-int8.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	want := "builtin:all-MiniLM-L6-v2-256-int8:" + hex.EncodeToString(sum[:4])
	if got := builtin.New().Space().ID; got != want {
		t.Errorf("space %s, want %s", got, want)
	}
	m, err := builtin.New().Model()
	if err != nil {
		t.Fatal(err)
	}
	if s := builtin.New().Space(); s.Dim != m.Dim() || s.Profile.MaxTokens != m.Config().MaxTokens-2 {
		t.Errorf("space %+v of the model %+v", s, m.Config())
	}
}

func cosine(a, b []float32) float64 {
	var n float64
	for i, x := range a {
		n += float64(x) * float64(b[i])
	}
	return n
}

// This is the reason for the model: no shared word, and still the right answer first.
func TestMeaning(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	texts := []string{
		"the automobile repair shop called", "she takes the subway downtown every weekday", "I lie awake most of the night",
		"the PostgreSQL server crashed again", "he bought a Nikon lens", "Lena carries an EpiPen because of peanuts.",
	}
	vs, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for want, q := range []string{
		"fixing my car", "transportation to the office", "sleep problems", "database outage", "photography equipment", "can I serve satay to Lena?",
	} {
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
	}
}

func BenchmarkEmbed(b *testing.B) {
	e := builtin.New()
	for name, text := range map[string]string{
		"question": "until when is the car insured?",
		"note": "Boiler service is due every September. The firm is Hausner, 0441 553210, and they want the last report, which is in " +
			"the blue folder on the shelf in the hall next to the meter. Ask for the same technician as last year, he knows about " +
			"the valve that sticks.",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(float64(e.CountTokens(text)), "tokens")
			for b.Loop() {
				if _, err := e.Embed(b.Context(), []string{text}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("batch of 64", func(b *testing.B) {
		texts := strings.Split(strings.Repeat("Nadia moved to Porto on the third of May.|", 63)+"The key is under the pot.", "|")
		for b.Loop() {
			if _, err := e.Embed(b.Context(), texts); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestKnowsWord(t *testing.T) {
	t.Parallel()
	e := builtin.New()
	for word, want := range map[string]bool{
		"money": true, "Money": true, "allergy": true, "renewing": true, "bread": true, "medecine": false, "Okaforr": false,
		"kuberntes": false, "E-4410": false, "": false,
	} {
		if got := e.KnowsWord(word); got != want {
			t.Errorf("%q is known: %v", word, got)
		}
	}
}
