package lukasa_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
)

// aPath draws a valid path of few distinct segments, so that two of them are often related.
var aPath = rapid.Custom(func(t *rapid.T) lukasa.Path {
	segs := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "ab", "b", "A", "x@y:z+1-%2E_"}), 1, lukasa.MaxDepth).Draw(t, "segments")
	return lukasa.Path(strings.Join(segs, "."))
})

func TestParsePath(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 64)
	for _, s := range []string{"a", "work.acme.billing", "a.b.c.d.e", "user@example:1", "0", "%2E", "a%2Eb", "-", "__", long, long + "." + long} {
		if p, err := lukasa.ParsePath(s); err != nil || string(p) != s {
			t.Errorf("%q: got %q, %v", s, p, err)
		}
	}
	for _, s := range []string{
		"", ".", "a.", ".a", "a..b", "a.b.c.d.e.f", long + "x", "a b", "a/b", "a\x00", "naïve", "a\n", "work!", "work.*", "*", "\xff", strings.Repeat(".", 9999),
	} {
		p, err := lukasa.ParsePath(s)
		var e *lukasa.Error
		if p != "" || !errors.As(err, &e) || e.Code != lukasa.CodeInvalid || e.Field != "container" {
			t.Errorf("%q: got %q, %v", s, p, err)
		} else if len(err.Error()) > 200 {
			t.Errorf("%.20q…: the message has %d bytes", s, len(err.Error()))
		}
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, s := range []string{"work", "work!", "work.*", "*", "a.b.c.d.e!", "!", ".*", "a.*!", "%2E", ""} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, s string, inherit bool) {
		p, err := lukasa.ParsePattern(s, inherit)
		if err != nil {
			if lukasa.CodeOf(err) != lukasa.CodeInvalid {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		back := string(p.Path)
		switch {
		case p.Mode == '!':
			back += "!"
		case p.Mode == '*' && back == "":
			back = "*"
		case p.Mode == '*':
			back += ".*"
		}
		if back != s {
			t.Fatalf("%q became %+v", s, p)
		}
		if p.Path == "" {
			return
		}
		if q, err := lukasa.ParsePath(string(p.Path)); err != nil || q != p.Path {
			t.Fatalf("%q has the path %q: %v", s, p.Path, err)
		}
		if d := p.Path.Depth(); d < 1 || d > lukasa.MaxDepth {
			t.Fatalf("%q has depth %d", s, d)
		}
		if got := p.Match(p.Path); got != (p.Mode != '*' || p.Inherit) {
			t.Fatalf("%q matches its own path: %v", s, got)
		}
	})
}

func TestPathFamily(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, q := aPath.Draw(t, "p"), aPath.Draw(t, "q")
		segs := strings.Split(string(p), ".")
		if p.Depth() != len(segs) || p.Name() != segs[len(segs)-1] || string(p.Parent()) != strings.Join(segs[:len(segs)-1], ".") {
			t.Fatalf("%s: depth %d, name %s, parent %s", p, p.Depth(), p.Name(), p.Parent())
		}
		other := strings.Split(string(q), ".")
		want := len(segs) <= len(other) && slices.Equal(segs, other[:len(segs)])
		if p.Covers(q) != want {
			t.Fatalf("%s covers %s: %v", p, q, !want)
		}
		if !lukasa.Path("").Covers(q) || q.Covers("") {
			t.Fatalf("the root covers %s: %v, and the other way round: %v", q, lukasa.Path("").Covers(q), q.Covers(""))
		}
	})
	root := lukasa.Path("")
	if root.Depth() != 0 || root.Parent() != "" || root.Name() != "" || !root.Covers("") {
		t.Error("the root is not its own parent at depth 0")
	}
}

// TestPatternMatch compares the three patterns, with and without ancestors, with sets worked out from segments.
func TestPatternMatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, q := aPath.Draw(t, "p"), aPath.Draw(t, "q")
		mode := rapid.SampledFrom([]string{"", "!", ".*"}).Draw(t, "mode")
		inherit := rapid.Bool().Draw(t, "inherit")
		pat, err := lukasa.ParsePattern(string(p)+mode, inherit)
		if err != nil {
			t.Fatal(err)
		}
		ps, qs := strings.Split(string(p), "."), strings.Split(string(q), ".")
		below := len(qs) >= len(ps) && slices.Equal(ps, qs[:len(ps)])
		above := len(qs) <= len(ps) && slices.Equal(qs, ps[:len(qs)])
		want := inherit && above
		switch mode {
		case "":
			want = want || below
		case "!":
			want = want || p == q
		case ".*":
			want = want || below && len(qs) == len(ps)+1
		}
		if pat.Match("") {
			t.Fatalf("%+v matches the root, which holds nothing", pat)
		}
		if got := pat.Match(q); got != want {
			t.Fatalf("%+v matches %s: %v", pat, q, got)
		}
	})
	top, err := lukasa.ParsePattern("*", false)
	if err != nil || !top.Match("a") || top.Match("a.b") || top.Match("") {
		t.Errorf("* is not the root's children: %+v, %v", top, err)
	}
}

func FuzzEscapeSegment(f *testing.F) {
	for _, s := range []string{"a", "user.name@example.com", "naïve", "%", "a b/c", "\x00\xff", "100%2E"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		seg := lukasa.EscapeSegment(s)
		if len(seg) > 0 && len(seg) <= 64 {
			p, err := lukasa.ParsePath(seg)
			if err != nil || p.Depth() != 1 {
				t.Fatalf("%q became %q: %v", s, seg, err)
			}
		}
		if back, err := url.PathUnescape(seg); err != nil || back != s {
			t.Fatalf("%q became %q, which is %q again: %v", s, seg, back, err)
		}
	})
}
