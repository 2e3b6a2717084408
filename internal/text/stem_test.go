package text

import (
	"strings"
	"testing"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stemWords is built from roots and suffixes so that each rule meets words that it fits and words that it must leave.
func stemWords() []string {
	//nolint:misspell // roots are not words
	roots := strings.Fields(`rel relat condit ration val hes digit conform radic different vil analog vietnam predic oper feud decis hope
		call form sens sensit triplic format electr hop good reviv allow infer air gyro adjust def irrit replac depend adopt commun activ
		ang effect bowdler prob rat ceas control roll happ sk cr d fl agre plaster bled mot siz fil fall hiss tann fizz fail conflat
		troubl generat gener arsen tool y yell by boy sayin play enjoy be see free tr hurr us gas kiw ow box mix tow`)
	suffixes := strings.Fields(`s es ed ing ly ingly edly eed eedly ies ied sses us ss y al ic ize izer ization ation ational ator
		alism aliti ality iviti ivity iveness fulness ousness ousli ously fulli fully lessli lessly biliti bility bli bly able ably ably
		ible ance ence ancy ency ant ent ment ement ism ate iti ity ous ive ion tion sion tional icate ative alize ical icity ful ness e l ll
		er ers ogist ology logi logy ings`)
	out := []string{"", "a", "sky", "skies", "dying", "innings", "proceeding", "news", "yyy", "early", "only", "yes"}
	for _, r := range roots {
		out = append(out, r)
		for _, s := range suffixes {
			out = append(out, r+s, r+s+"s", r+"e"+s)
		}
	}
	return out
}

// snowball stems an English word with the stemmer that the snowball project has generated.
func snowball(w string) string {
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return env.Current()
}

func TestStemEnglishLikeSnowball(t *testing.T) {
	t.Parallel()
	words := stemWords()
	bad := 0
	for _, w := range words {
		want := snowball(w)
		if got := string(stemEnglish([]byte(w))); got != want {
			if bad++; bad < 20 {
				t.Errorf("stem of %q = %q, want %q", w, got, want)
			}
		}
	}
	t.Logf("%d words, %d differ", len(words), bad)
}

func FuzzStemEnglish(f *testing.F) {
	for _, w := range []string{"generously", "skis", "yoyo", "aeiou", "ies", "eed", "communities"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, w string) {
		b := fold(nil, w)
		for _, c := range b {
			if c-'a' >= 26 {
				return
			}
		}
		want := snowball(string(b))
		if got := string(stemEnglish(b)); got != want {
			t.Fatalf("stem of %q = %q, want %q", w, got, want)
		}
	})
}
