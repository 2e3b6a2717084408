package sqlrows

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"testing"
)

func FuzzCursor(f *testing.F) {
	for _, p := range []Position{{int64(0), "", 0}, {int64(-1), "doc_1", 7}, {int64(1 << 62), "a.b\x00", 1 << 40}} {
		f.Add(p.Cursor('d'), p.Key.(int64), p.ID)
	}
	f.Add("nonsense", int64(1), "x")
	f.Add(Position{"a, \"topic\".\xff", "doc_1", 1}.Cursor('d'), int64(1), "é.\x00\xfe")
	f.Add("", int64(1), "x")
	f.Add(base64.RawURLEncoding.EncodeToString([]byte("d12.doc_1,x")), int64(1), "x") // from a version before there was a total
	f.Fuzz(func(t *testing.T, s string, key int64, id string) {
		if p, ok := ParseCursor('d', s); ok {
			if again, ok := ParseCursor('d', p.Cursor('d')); !ok || again != p {
				t.Fatalf("%+v came back as %+v, %v", p, again, ok)
			}
		}
		for _, p := range []Position{{key, id, 0}, {id, s, len(s)}} {
			if got, ok := ParseCursor('d', p.Cursor('d')); !ok || got != p {
				t.Fatalf("%+v came back as %+v, %v", p, got, ok)
			}
			if _, ok := ParseCursor('m', p.Cursor('d')); ok {
				t.Fatal("another list took the cursor")
			}
		}
	})
}

// What a list reads is what JSON says, and what a set writes is what JSON writes, however it is read and written.
func FuzzLists(f *testing.F) {
	for _, s := range []string{``, `[]`, `["a"]`, `["a","b c","é\u0001"]`, `["a\\n"]`, `["a", "b"]`, `["a",]`, `["a""b"]`, `[null]`, `null`, `["a","b"`, `[1]`, "[\"\xff\"]", "[\"\n\"]", `["<&>"]`, `[",", "]"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want []string
		if s != "" && json.Unmarshal([]byte(s), &want) != nil {
			want = nil
		}
		if got := (Row{s}).List(0); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Fatalf("%q reads as %q, want %q", s, got, want)
		}
		set, err := json.Marshal([]string{s, "doc_1", ""})
		if got := Set([]string{s, "doc_1", ""}); err != nil || got != string(set) {
			t.Fatalf("%q is written as %s, want %s, %v", s, got, set, err)
		}
	})
}
