package text_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestSpelling(t *testing.T) {
	t.Parallel()
	term := func(w string) string {
		if list := text.Analyze(nil, w); len(list) == 1 {
			return list[0].Term
		}
		return w
	}
	for _, c := range []struct {
		asked, has string
		want       int // -1: not alike
	}{
		{"Melannie", "Melanie", 1},
		{"Melaine", "Melanie", 1},
		{"Malanie", "Melanie", 1},
		{"Meanie", "Melanie", 1},
		{"Melanie", "melanie's", -1},
		{"runnign", "running", 1},
		{"resturaunt", "restaurant", 2}, //nolint:misspell // on purpose
		{"Kubernets", "Kubernetes", -1},
		{"Kuberntse", "Kubernetes", 2}, //nolint:misspell // on purpose
		{"Shcmidt", "Schmidt", 1},
		{"hcat", "chat", 1},
		{"bike", "hike", -1},
		{"cat", "cut", -1},
		{"Anne", "Anna", 1},
		{"Smith", "Schmidt", -1},
		{"20913", "20931", 1},
		{"20931", "20931", -1},
		{"2021", "2022", -1},
		{"inv2093", "inv20931", 1},
		{"20931", "inv20931", 1},
		{"inv20", "inv20931", 1},
		{"inv20931", "20931", -1},
		{"covid1", "covid", -1},
		{"Müler", "Müller", 1},
		{"Иваноф", "Иванов", 1},
		{"東京都", "東京", -1},
		{"猫", "猫が", 0}, // a part of it
		{"猫", "子猫", 0},
		{"猫", "犬が", -1},
		{"猫", "猫", -1},
	} {
		var p text.Spelling
		got, ok := -1, false
		if p.Spell(term(c.asked), c.asked) {
			got, ok = p.Distance([]byte(term(c.has)), []byte(c.has))
		}
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("%q for %q: %d, want %d", c.has, c.asked, got, c.want)
		}
	}
}

func FuzzSpelling(f *testing.F) {
	f.Add("Melannie", "Melanie")
	f.Add("INV20931", "20931")
	f.Add("ünîcödé's", "é")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, x := range text.Analyze(nil, a) {
			for _, y := range text.Analyze(nil, b) {
				var p, q text.Spelling
				if !p.Spell(x.Term, a[x.Start:x.End]) {
					continue
				}
				d, ok := p.Distance([]byte(y.Term), []byte(b[y.Start:y.End]))
				if ok && (d < 0 || d > 2 || d == 0 && !text.Alone(x.Term)) {
					t.Fatalf("%q, %q: %d", x.Term, y.Term, d)
				}
				if q.Spell(x.Term, a[x.Start:x.End]); x.Term == y.Term {
					if _, ok := q.Distance([]byte(x.Term), nil); ok && a[x.Start:x.End] == b[y.Start:y.End] {
						t.Fatalf("%q stands in for itself", x.Term)
					}
				}
			}
		}
	})
}
