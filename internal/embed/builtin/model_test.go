package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"strings"
	"testing"
)

func TestFileIsTheModelNamed(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte(file))
	if got := hex.EncodeToString(sum[:]); !strings.HasPrefix(got, fingerprint) {
		t.Errorf("the file's SHA-256 is %s: set fingerprint, or vectors of two models mix", got)
	}
	m, err := parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if m.dim != dim {
		t.Errorf("dimension %d, the constant says %d", m.dim, dim)
	}
}

// TestIndex finds every entry of the vocabulary, and nothing else.
func TestIndex(t *testing.T) {
	t.Parallel()
	m, err := parse(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range strings.Split(m.vocab, "\n") {
		if got := m.lookup([]byte(w), fnv(fnvOffset, []byte(w))); got != i {
			t.Fatalf("lookup %q = %d, want %d", w, got, i)
		}
		if a, _, ok := strings.Cut(w, " "); ok && !m.startsPhrase(fnv(fnvOffset, []byte(a))) {
			t.Fatalf("no phrase starts with %q", a)
		}
		miss := []byte(w + "\x01")
		if got := m.lookup(miss, fnv(fnvOffset, miss)); got != -1 {
			t.Fatalf("lookup %q = %d", miss, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"empty":         "",
		"magic":         strings.Replace(file, magic, "LUKAEMB9", 1),
		"version":       strings.Replace(file, `"version":2`, `"version":1`, 1),
		"dimension":     strings.Replace(file, `"dim":256`, `"dim":257`, 1),
		"words":         strings.Replace(file, `"words":36000`, `"words":36001`, 1),
		"buckets":       strings.Replace(file, `"buckets":16384`, `"buckets":16383`, 1),
		"no buckets":    strings.Replace(file, `"buckets":16384`, `"buckets":    0`, 1),
		"phrases":       strings.Replace(file, `"max_phrase_words":3`, `"max_phrase_words":4`, 1),
		"cut short":     file[:len(file)-1],
		"header length": magic + "\xff\xff\xff\xff{}",
		"header":        magic + "\x02\x00\x00\x00{]",
	} {
		if m, err := parse(data); err == nil || m != nil {
			t.Errorf("%s: parse = %v, %v", name, m != nil, err)
		}
	}
}

// TestPrivateMemory bounds what the index keeps on the heap of every process.
//
//nolint:paralleltest // measures the heap of the whole process.
func TestPrivateMemory(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := heap()
	e := New()
	if e.CountTokens("ready") != 1 {
		t.Fatal("not loaded")
	}
	kept := int64(heap()) - int64(before)
	runtime.KeepAlive(e)
	t.Logf("%d KB kept", kept/1024)
	if kept > 1<<20 {
		t.Errorf("the index keeps %d bytes, want at most 1 MB", kept)
	}
}

func FuzzParse(f *testing.F) {
	small := magic + "\x60\x00\x00\x00" + `{"version":2,"dim":32,"words":2,"buckets":1,"max_phrase_words":2,"vocab_bytes":5,"fold":{"é":"e"}}`
	for len(small) < 12+0x60 {
		small += " "
	}
	small = strings.Replace(small, "\x60\x00", string([]byte{byte(len(small) - 12), 0}), 1) + "a\na b"
	small += strings.Repeat("\x00", (16-len(small)%16)%16) + strings.Repeat("\x00\x3c", 3) + strings.Repeat("\x5a", 48)
	if _, err := parse(small); err != nil {
		f.Fatal(err)
	}
	f.Add(small, "a b é")
	f.Fuzz(func(t *testing.T, data, text string) {
		m, err := parse(data)
		if err != nil {
			return
		}
		v := make([]float32, m.dim)
		m.sum(v, text)
		normalise(v)
	})
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(file); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	e := New()
	v := make([]float32, dim)
	for name, text := range map[string]string{
		"short": "where does Anna live?", // 21 bytes, 4 tokens
		"turn":  "Anna: I moved to Lisbon last year, and my sister is coming to visit us in the spring with her golden retriever Biscuit.",
		"chunk": strings.Repeat("The release went out on Friday after the database outage was fixed by the team in Lisbon. ", 28),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_ = e.EncodeInto(v, text)
			}
		})
	}
}
