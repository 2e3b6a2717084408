package lifecycle

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A piece that stands in a file is found wherever it stands, also across the stretches in which a file is read; one that does not is
// not.
func TestFinderFindsEveryPiece(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zA-Z0-9äöü]{8,32}`).Draw(t, "piece")
		other := rapid.StringMatching(`[a-z]{8,32}`).Draw(t, "other") + "\x01"
		at := rapid.OneOf(rapid.IntRange(0, 2000), rapid.IntRange(1<<20-100, 1<<20+300), rapid.IntRange(2<<20, 2<<20+600)).Draw(t, "at")
		data := bytes.Repeat([]byte{'.'}, at)
		data = append(append(data, text...), bytes.Repeat([]byte{'-'}, rapid.IntRange(0, 300).Draw(t, "behind"))...)
		if err := os.WriteFile(filepath.Join(dir, "file"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		f := newFinder([]piece{{text: []byte(text)}, {text: []byte(other)}, {text: []byte(text), word: true}})
		if err := f.tree(context.Background(), dir, func(string) (io.ReaderAt, error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
		if len(f.hits[0]) != 1 || f.hits[0][0] != "file" || len(f.hits[1]) != 0 {
			t.Fatalf("at %d: %v", at, f.hits)
		}
		if len(f.hits[2]) != 0 {
			t.Fatal("a word is looked for outside of the index")
		}
		if f.bytes != int64(len(data)) || f.files != 1 {
			t.Fatalf("%d bytes of %d, %d files", f.bytes, len(data), f.files)
		}
	})
}

// Pieces are stretches of the text as every format writes it, and the beginnings of its long words.
func TestPieces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"I live in Zanzibarovia.", "Bob's note.", "He said \"the quixotropic lantern\" <b>hums</b> & sings\nat midnight, every night of the year.",
		strings.Repeat("Größenwahnsinnige Überlegungen über Öltanker ", 200),
	} {
		list := pieces("rcpt_x", []string{text})
		phrases, words := 0, 0
		for _, p := range list {
			switch {
			case len(p.text) < windowSize || !utf8.Valid(p.text):
				t.Errorf("%q is no piece", p.text)
			case p.word:
				words++
				if !strings.Contains(strings.ToLower(text), string(p.text)) {
					t.Errorf("%q is not in %q", p.text, text)
				}
			default:
				phrases++
				if !strings.Contains(text, string(p.text)) || bytes.ContainsAny(p.text, "\"\\<>&\n") {
					t.Errorf("%q is not in %q as it is", p.text, text)
				}
			}
		}
		if phrases == 0 || phrases > maxPhrases || words > maxWords {
			t.Errorf("%d phrases and %d words of %q", phrases, words, text)
		}
	}
	if list := pieces("rcpt_x", []string{"ok", "", "a b c"}); len(list) != 0 {
		t.Errorf("too short, and yet there are %d", len(list))
	}
	if list := pieces("rcpt_x", make([]string, 1000)); len(list) != 0 {
		t.Errorf("of nothing there are %d", len(list))
	}
}

// Whatever a text is, choosing pieces of it ends, and each is in it.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{"", "plain words that are long enough", "\xff\xfe broken \x80 bytes", "ﷺﷺﷺﷺﷺ", "İİİİİİİİİİİİ", strings.Repeat("x", 5000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range pieces("rcpt_x", []string{s}) {
			if len(p.text) < windowSize || !p.word && !strings.Contains(s, string(p.text)) {
				t.Errorf("%q of %q", p.text, s)
			}
		}
	})
}

// T-3
func TestTier(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		0: Hot, time.Hour: Hot, time.Hour + time.Second: Warm, 7 * 24 * time.Hour: Warm, 7*24*time.Hour + time.Second: Cold, -time.Hour: Hot, 9999 * time.Hour: Cold,
	} {
		if got := Tier(now.Add(-ago), now); got != want {
			t.Errorf("%s ago: %s, want %s", ago, got, want)
		}
	}
}

// Limits of a user's settings are read with their names, and nonsense is refused by name.
func TestLimitsOf(t *testing.T) {
	t.Parallel()
	all := Limits{Files: 1, Storage: 2, Sessions: 3, Requests: 4}
	got, err := limitsOf(map[string]any{"limits": map[string]any{"files": 10.0, "requests": 0}}, all)
	if err != nil || got != (Limits{Files: 10, Storage: 2, Sessions: 3, Requests: 0}) {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []any{"x", []any{}, map[string]any{"files": "x"}, map[string]any{"files": 1.5}, map[string]any{"other": 1}} {
		if _, err := limitsOf(map[string]any{"limits": bad}, all); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

// The time of a receipt stands in its id.
func TestMadeAt(t *testing.T) {
	t.Parallel()
	if at, ok := madeAt("rcpt_01m7y0hrghf278p2nyn0qwvhfz"); !ok || at.UTC().Format("2006-01-02 15:04") != "2026-11-21 02:56" {
		t.Errorf("%v %v", at, ok)
	}
	if _, ok := madeAt("doc_01m7y0hrghf278p2nyn0qwvhfz"); ok {
		t.Error("a document is a receipt")
	}
}

// How fast files are searched for the pieces of many deletions at once.
func BenchmarkFinder(b *testing.B) {
	var list []piece
	for i := range 200 {
		list = append(list, piece{text: []byte("some distinctive piece number " + string(rune('a'+i%26)) + string(rune('a'+i/26)))})
	}
	f := newFinder(list)
	data := bytes.Repeat([]byte("Ordinary text of a row, with numbers like 4711 and names like Ottilie. "), 1<<20/72)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		f.look(data, "file", false)
	}
}
