package rows

import "testing"

func FuzzCursor(f *testing.F) {
	for _, p := range []Position{{int64(0), ""}, {int64(-1), "doc_1"}, {int64(1 << 62), "a.b\x00"}} {
		f.Add(p.Cursor('d'), p.Key.(int64), p.ID)
	}
	f.Add("nonsense", int64(1), "x")
	f.Add(Position{"a \"topic\".\xff", "doc_1"}.Cursor('d'), int64(1), "é.\x00\xfe")
	f.Add("", int64(1), "x")
	f.Fuzz(func(t *testing.T, s string, key int64, id string) {
		if p, ok := ParseCursor('d', s); ok {
			if again, ok := ParseCursor('d', p.Cursor('d')); !ok || again != p {
				t.Fatalf("%+v came back as %+v, %v", p, again, ok)
			}
		}
		for _, p := range []Position{{key, id}, {id, s}} {
			if got, ok := ParseCursor('d', p.Cursor('d')); !ok || got != p {
				t.Fatalf("%+v came back as %+v, %v", p, got, ok)
			}
			if _, ok := ParseCursor('m', p.Cursor('d')); ok {
				t.Fatal("another list took the cursor")
			}
		}
	})
}
