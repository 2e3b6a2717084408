package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// sentences returns what our documentation and the talks of the rules' tests say, each sentence once.
func sentences(t *testing.T) (out []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, glob := range []string{"../../../docs/*.md", "../../../docs/*/*.md", "../../distil/rules/testdata/*.txt"} {
		names, err := filepath.Glob(glob)
		if err != nil || len(names) == 0 {
			t.Fatal(glob, names, err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(string(b), "\n") {
				for sp := range text.Sentences(line) {
					if s := strings.TrimSpace(line[sp.Start:sp.End]); len(strings.Fields(s)) >= 4 && !seen[s] {
						seen[s] = true
						out = append(out, s)
					}
				}
			}
		}
	}
	return out
}

// Vectors of real sentences lie in no clusters. Cells read much of them then, and lose as little: of the nearest that a scan brings, 99 of
// 100 at least.
func TestCellsOfText(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	const best = 200
	all := sentences(t)
	rot, err := vector.NewRotation(dim, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, k := New(), vector.Default()
	x, turned := make([]float32, dim), make([]float32, rot.Padded())
	var codes []*vector.Bits
	var bytes []*vector.Int8
	var queries []string
	n := 0
	for i, s := range all {
		if i%300 == 0 {
			queries = append(queries, s)
			continue
		}
		if err := e.EncodeInto(x, s); err != nil || vector.Dot(x, x) < .5 {
			continue
		}
		if n%vector.MaxSlots == 0 {
			codes, bytes = append(codes, vector.NewBits(rot.Padded(), vector.MaxSlots)), append(bytes, vector.NewInt8(rot.Padded(), vector.MaxSlots))
		}
		rot.Apply(turned, x)
		codes[n/vector.MaxSlots].Put(n%vector.MaxSlots, turned)
		bytes[n/vector.MaxSlots].Put(n%vector.MaxSlots, turned)
		n++
	}
	for i := range 60 { // some words that a sentence has, and questions
		words := strings.Fields(all[i*601%len(all)])
		q := strings.Join(words[len(words)/3:min(len(words), len(words)/3+4)], " ")
		if i%2 == 0 {
			q = "How does " + q + " work?"
		}
		queries = append(queries, q)
	}
	has := make([]uint64, len(codes)*vector.MaxSlots/64)
	for i := range n {
		has[i/64] |= 1 << (i % 64)
	}
	cells := vector.NewCells(k, codes, bytes, has, n, func() bool { return false })
	var q1 vector.Query
	var q8 vector.Int8Query
	var hits vector.Hits
	var reading vector.CellReading
	top, second := vector.NewTopK(best), vector.NewTopK(10)
	nearest := func(slot func(uint32) uint32) map[uint32]bool {
		second.Reset(10)
		for _, s := range top.Append(nil) {
			at := slot(s.Slot)
			second.Push(bytes[at/vector.MaxSlots].Score(k, int(at%vector.MaxSlots), &q8), at)
		}
		found := map[uint32]bool{}
		for _, s := range second.Append(nil) {
			found[s.Slot] = true
		}
		return found
	}
	found, want, read, of := 0, 0, 0, 0
	for _, q := range queries {
		if err := e.EncodeInto(x, q); err != nil || vector.Dot(x, x) < .5 {
			continue
		}
		rot.Apply(turned, x)
		q1.Set(turned)
		q8.Set(turned)
		top.Reset(best)
		for i, b := range codes {
			k.ScanTop(top, &hits, b, nil, &q1, has[i*vector.MaxSlots/64:(i+1)*vector.MaxSlots/64], 0, uint32(i*vector.MaxSlots))
		}
		plain := nearest(func(slot uint32) uint32 { return slot })
		top.Reset(best)
		some, all := cells.Scan(k, &reading, top, &hits, &q1, &q8, has, 0)
		read, of = read+some, of+all
		for slot := range nearest(cells.Slot) {
			if plain[slot] {
				found++
			}
		}
		want += len(plain)
	}
	t.Logf("%d sentences, %d queries: %d of %d, %.2f read", n, len(queries), found, want, float64(read)/float64(of))
	if found*100 < want*99 {
		t.Errorf("of %d that a scan finds, cells find %d", want, found)
	}
	if read*10 > of*9 {
		t.Errorf("%d of %d are read", read, of)
	}
}
