package subject_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/subject"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// known are the people of the tests.
func known(low string) string {
	return map[string]string{"ana": "Ana", "clara": "Clara", "tom": "Tom Reed", "reed": "Tom Reed"}[low]
}

func say(t *subject.Trail, speaker, s string) {
	t.Next(speaker)
	t.Hear(&subject.Words{S: s, Toks: lexis.Lex(nil, s, 0, len(s)), Me: speaker, Verb: -1, Known: known})
}

func anyone(*subject.Entity) (fit, sure bool) { return true, true }

func names(t *subject.Trail, most int) []string {
	var out []string
	for _, c := range t.Choices(most, anyone) {
		out = append(out, c.Name)
	}
	return out
}

func TestTrailTakesUpWhomAndWhatIsSpokenOf(t *testing.T) { // D-5
	t.Parallel()
	for _, tt := range []struct {
		said string
		want []string // the newest first
	}{
		{"My sister Clara bought the old mill in May", []string{"old mill", "Clara", "Ana's sister", "Ana"}},
		{"my car needs a new clutch", []string{"new clutch", "Ana's car", "Ana"}},
		{"mum rang", []string{"Ana's mother", "Ana"}},
		{"Tom Reed is away until Friday", []string{"Tom Reed", "Ana"}},
		{"we ordered boxes from Hollow Leaf", []string{"Hollow Leaf", "boxes", "Ana"}},
		{"your dog ate my boots", []string{"Ana's boots", "Ana"}},
		{"", []string{"Ana"}},
	} {
		var trail subject.Trail
		say(&trail, "Ana", tt.said)
		if got := names(&trail, 9); strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%q: %q, want %q", tt.said, got, tt.want)
		}
	}
}

func TestTrailForgets(t *testing.T) {
	t.Parallel()
	var trail subject.Trail
	say(&trail, "Ana", "the boiler is broken")
	for range 12 {
		say(&trail, "Clara", "hm")
	}
	if got := names(&trail, 9); strings.Join(got, "|") != "Clara|boiler|Ana" {
		t.Errorf("after twelve messages: %q", got)
	}
	say(&trail, "Clara", "hm")
	if got := names(&trail, 9); strings.Join(got, "|") != "Clara" {
		t.Errorf("after thirteen: %q", got)
	}
}

func TestTrailKnowsRelativesByName(t *testing.T) {
	t.Parallel()
	var trail subject.Trail
	trail.Named("Ana", "sister", "Clara")
	say(&trail, "Ana", "my sister rang")
	if got := names(&trail, 9); got[0] != "Clara" {
		t.Errorf("%q", got)
	}
	trail.Named("Ana", "sister", "Rosa")
	if name := trail.Name("Ana", "sister"); name != "" {
		t.Errorf("of two sisters one is %q", name)
	}
	say(&trail, "Ana", "my sister rang")
	if got := names(&trail, 9); got[0] != "Ana's sister" {
		t.Errorf("%q", got)
	}
}

func TestCompany(t *testing.T) {
	t.Parallel()
	var c subject.Company
	c.Join("user", "Ana")
	if c.Partner("Ana") != "" || c.Addressee("Ana", "") != "" || c.Kind() != "people" {
		t.Errorf("one: %+v", c)
	}
	c.Join("user", "Ben")
	if c.Partner("Ana") != "Ben" || c.Addressee("Ben", "Ben") != "Ana" {
		t.Errorf("two: %+v", c)
	}
	c.Join("user", "Cleo")
	if c.Partner("Ana") != "" || c.Addressee("Ana", "Cleo") != "Cleo" || c.Addressee("Ana", "Ana") != "" || c.Kind() != "many" {
		t.Errorf("three: %+v", c)
	}
	if c.Join("assistant", "Assistant"); c.Addressee("Ana", "Cleo") != "" || c.Kind() != "machine" {
		t.Errorf("with a machine: %+v", c)
	}
}

func TestChoicesAreBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var trail subject.Trail
		for range rapid.IntRange(0, 30).Draw(t, "messages") {
			say(&trail, rapid.SampledFrom([]string{"Ana", "Clara", ""}).Draw(t, "who"), rapid.String().Draw(t, "text"))
		}
		most := rapid.IntRange(0, 20).Draw(t, "most")
		list := trail.Choices(most, anyone)
		if len(list) > most {
			t.Fatalf("%d of %d", len(list), most)
		}
		seen := map[string]bool{}
		for i := range list {
			if seen[list[i].Name] || list[i].Name == "" {
				t.Fatalf("%q twice, or nobody", list[i].Name)
			}
			seen[list[i].Name] = true
			trail.Features(&subject.Sought{Word: "it", Me: "Ana", Asked: "-"}, &list[i], len(list), func(...string) {})
		}
	})
}

func FuzzHear(f *testing.F) {
	f.Add("My sister Clara's dog, Dr. Reed & the \"old\" mill", "She lives there")
	f.Add("the the the my my", "'s 's £ 12")
	f.Fuzz(func(t *testing.T, a, b string) {
		var trail subject.Trail
		say(&trail, "Ana", text.ValidUTF8(a))
		say(&trail, "Ben", text.ValidUTF8(b))
		s := subject.Sought{Toks: lexis.Lex(nil, b, 0, len(b)), Class: strings.ToLower}
		for _, c := range trail.Choices(9, anyone) {
			trail.Features(&s, &c, 1, func(...string) {})
		}
	})
}
