package rules_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
)

// The files testdata/profile*.tsv hold short sentences that people say to an assistant of themselves, of those close to them and of their work, each by
// itself: what lasts ("keep", with its kind), and what looks like it and is gone tomorrow ("drop"). The judge learns from profile.tsv, which is by five
// writers; profile-blind.tsv and profile-last.tsv are by two more, and measured by.

// remark is a line of such a file.
type remark struct {
	kind lukasa.MemoryKind // "" for what is not worth keeping
	in   rules.Input
}

func readRemarks(t *testing.T, file string) []remark {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []remark
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 3 || f[0] != "keep" && f[0] != "drop" || f[0] == "keep" && !lukasa.MemoryKind(f[1]).Valid() {
			t.Fatalf("%s, line %d: %q", file, i+1, line)
		}
		r := remark{in: rules.Input{Text: f[2], Speaker: "Rae", Role: "user", At: time.Date(2026, 3, 4, 18, 30, 0, 0, time.UTC)}}
		if f[0] == "keep" {
			r.kind = lukasa.MemoryKind(f[1])
		}
		out = append(out, r)
	}
	return out
}

// profileExamples are what is drawn from a file of remarks, each by itself; every other one is made to an assistant that has spoken before.
func profileExamples(t *testing.T, file string, weight float32, finder *sense.Model) []sense.Example {
	var out []sense.Example
	for i, r := range readRemarks(t, file) {
		var d rules.Dialogue
		d.SetFinder(finder)
		if i%2 == 1 {
			d.Candidates(rules.Input{Text: "Done.", Speaker: "Assistant", Role: "assistant", At: r.in.At.Add(-time.Minute)})
		}
		for _, c := range d.Candidates(r.in) {
			one := sense.Example{Bag: c.Bag, Weight: weight}
			class := sense.Nothing
			if r.kind != "" {
				class = sense.Class(r.kind)
			}
			one.Target[class] = 1
			out = append(out, one)
		}
	}
	return out
}

// TestProfile counts the remarks of which something is remembered, of those that nothing was learned from.
func TestProfile(t *testing.T) { // D-3
	t.Parallel()
	for _, file := range []string{"profile-blind.tsv", "profile-last.tsv"} {
		testProfile(t, file)
	}
}

func testProfile(t *testing.T, file string) {
	t.Helper()
	kept, keep, idle := 0, 0, 0
	list := readRemarks(t, file)
	for _, r := range list {
		var d rules.Dialogue
		got := d.Read(r.in)
		if r.kind != "" {
			keep++
		}
		switch {
		case r.kind != "" && len(got) > 0:
			kept++
		case r.kind != "":
			t.Logf("missed: %s", r.in.Text)
		case len(got) > 0:
			idle++
			t.Logf("idle: %s: %q", r.in.Text, got[0].Content)
		}
	}
	p, rec := float64(kept)/float64(kept+idle), float64(kept)/float64(keep)
	t.Logf("%d remarks, %d worth keeping: precision %.3f, recall %.3f", len(list), keep, p, rec)
	if p < 0.9 || rec < 0.6 {
		t.Errorf("%s: precision %.3f, recall %.3f", file, p, rec)
	}
}

// TestToldOfOthers: what people say of themselves is told as of somebody else, of the right thing and day.
func TestToldOfOthers(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"I no longer play chess.":                          "Rae no longer plays chess.",
		"I never drink coffee.":                            "Rae never drinks coffee.",
		"I never eat before noon.":                         "Rae never eats before noon.",
		"My dentist appointment was moved to Friday.":      "Rae's dentist appointment was moved to Friday (2026-03-06).",
		"My appointment was moved from Tuesday to Friday.": "Rae's appointment was moved from Tuesday to Friday (2026-03-10, 2026-03-13).",
		"The party was moved from the 25th to the 2nd.":    "Rae says: The party was moved from the 25th to the 2nd (2026-03-25, 2026-04-02).",
		"I'm away from the 25th to the 2nd.":               "Rae is away from the 25th to the 2nd (2026-03-25, 2026-04-02).",
	} {
		var d rules.Dialogue
		list := d.Candidates(rules.Input{Text: said, Speaker: "Rae", Role: "user", At: time.Date(2026, 3, 4, 18, 30, 0, 0, time.UTC)})
		if len(list) == 0 || list[0].Content != want {
			t.Errorf("%q: %+v, want %q", said, list, want)
		}
		for _, c := range list {
			if c.Predicate == "avoids" && c.Value == "before noon" {
				t.Errorf("%q: %+v", said, c)
			}
		}
	}
}
