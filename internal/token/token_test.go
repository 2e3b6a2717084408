package token_test

import (
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/token"
)

func TestCountMatchesPublishedVectors(t *testing.T) {
	t.Parallel()
	var c token.Counter
	for s, want := range map[string]int{
		"": 0, "hello world": 2, "antidisestablishmentarianism": 6, "2 + 2 = 4": 7, "お誕生日おめでとう": 8,
	} { // from the tokenizer cookbook's comparison of encodings
		if got := c.Count(s); got != want {
			t.Errorf("Count(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestCounterIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var c token.Counter
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if n := c.Count("one two three four"); n != 4 {
					t.Errorf("Count = %d, want 4", n)
				}
			}
		})
	}
	wg.Wait()
}

func TestCountOfLongText(t *testing.T) {
	t.Parallel()
	var c token.Counter
	unit := "the quick brown fox jumps over the lazy dog "
	n := 1 << 20 / len(unit)
	if got, want := c.Count(strings.Repeat(unit, n)), 9*n; got < want || got > want+8 {
		t.Errorf("Count = %d, want %d and at most 8 more", got, want)
	}
	for _, unit := range []string{"a", "是", " ", "\n", "A", "é", "1", "."} { // runs without a word bound end, too
		if c.Count(strings.Repeat(unit, 300<<10/len(unit))) == 0 {
			t.Errorf("no token in a run of %q", unit)
		}
	}
}

// TestEstimateError holds the errors that Estimate's comment states.
func TestEstimateError(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("token.go")
	if err != nil {
		t.Fatal(err)
	}
	prose := strings.Repeat("Anna moved to Lisbon in March 2024 because the company she works for opened an office there. "+
		"She likes the river, the light and the small restaurants; she does not like the hills. Remember to call her on the "+
		"14th about the contract (number 20418) and to ask whether the flat in Berlin has been sold. ", 4)
	german := "Ich wohne seit drei Jahren in Berlin und arbeite als Ingenieurin bei einer kleinen Firma, die Fahrräder herstellt. " +
		"Am Wochenende fahre ich gern mit meiner Schwester an den See."
	russian := "Меня зовут Анна, я живу в Москве и работаю в больнице, у меня есть собака и большая библиотека."
	var c token.Counter
	for name, row := range map[string]struct {
		text   string
		lo, hi float64
	}{
		"go source": {string(source), -0.05, 0.17}, "prose": {prose, -0.05, 0.11}, "German": {german, -0.3, 0.1},
		"Russian": {russian, -0.3, 0.2}, "Chinese": {"我住在北京，喜欢喝茶，也喜欢在公园里散步。", -0.3, 0.4},
	} {
		want, got := c.Count(row.text), token.Estimate(row.text)
		if off := float64(got-want) / float64(want); off < row.lo || off > row.hi || math.IsNaN(off) {
			t.Errorf("%s: estimated %d of %d tokens: %+.0f %%", name, got, want, 100*off)
		}
	}
}

func FuzzEstimate(f *testing.F) {
	for _, s := range []string{"", " ", "a", "camelCaseWord", "12345", "é", "是的。", "\xff", "!?…", "\n\n", "3\xb0r" + strings.Repeat("\f", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := token.Estimate(s)
		if (n == 0) != (s == "") {
			t.Fatalf("Estimate(%q) = %d", s, n)
		}
		if n > 1+2*len(s) || utf8.RuneCountInString(s) > 40*n {
			t.Fatalf("Estimate(%q) = %d is beyond all bounds", s, n)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	s := strings.Repeat("Anna moved to Lisbon in March 2024 because of work. ", 2000)
	var c token.Counter
	c.Count("warm")
	b.Run("o200k", func(b *testing.B) {
		b.SetBytes(int64(len(s)))
		for b.Loop() {
			c.Count(s)
		}
	})
	b.Run("estimate", func(b *testing.B) {
		b.SetBytes(int64(len(s)))
		b.ReportAllocs()
		for b.Loop() {
			token.Estimate(s)
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			var c token.Counter
			c.Count("x")
		}
	})
}
