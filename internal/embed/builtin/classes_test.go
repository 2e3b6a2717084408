package builtin

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

var remake = flag.Bool("classes", false, "put the words into classes anew, for package sense")

const (
	embedderFile = "lukasa-embed-256-q4.bin"
	classFile    = "../../distil/sense/words.bin"
	classWords   = 11_000
)

// vocabulary reads the single words of the embedder's own vocabulary, most frequent first in what it was trained on.
func vocabulary(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(embedderFile)
	if err != nil {
		t.Fatal(err)
	}
	const magic = 8
	n := int(binary.LittleEndian.Uint32(data[magic:]))
	var header struct {
		Bytes int `json:"vocab_bytes"`
	}
	if err := json.Unmarshal(data[magic+4:magic+4+n], &header); err != nil {
		t.Fatal(err)
	}
	var out []string
	for w := range strings.SplitSeq(string(data[magic+4+n:magic+4+n+header.Bytes]), "\n") {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" && w != "" {
			out = append(out, w)
		}
	}
	return out
}

// TestClasses writes the classes of words that package sense knows when it is asked to, and otherwise sees that they are all there.
func TestClasses(t *testing.T) {
	t.Parallel()
	words := vocabulary(t)[:classWords]
	if !*remake {
		if data, err := os.ReadFile(classFile); err != nil || len(data) != classWords*(4+3*2) {
			t.Errorf("%d bytes for %d words: %v", len(data), classWords, err)
		}
		return
	}
	e := New()
	vectors := make([][]float32, len(words))
	for i, w := range words {
		vectors[i] = make([]float32, e.Space().Dim)
		if !e.WordVector(w, vectors[i]) {
			t.Fatalf("%q has no vector", w)
		}
		unit(vectors[i])
	}
	records := make([][]byte, len(words))
	for i, w := range words {
		h := uint32(2166136261)
		for j := range len(w) {
			h = (h ^ uint32(w[j])) * 16777619
		}
		records[i] = binary.LittleEndian.AppendUint32(nil, h)
	}
	for _, k := range []int{96, 384, 1200} {
		for i, class := range cluster(vectors, k) {
			records[i] = binary.LittleEndian.AppendUint16(records[i], uint16(class))
		}
	}
	slices.SortFunc(records, func(a, b []byte) int {
		return cmp.Compare(binary.LittleEndian.Uint32(a), binary.LittleEndian.Uint32(b))
	})
	if err := os.WriteFile(classFile, bytes.Join(records, nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

func unit(v []float32) {
	n := float32(0)
	for _, x := range v {
		n += x * x
	}
	n = float32(math.Sqrt(float64(n))) + 1e-9
	for i := range v {
		v[i] /= n
	}
}

// cluster is spherical k-means: 12 rounds from k of the most frequent words, a multiple of four.
func cluster(vectors [][]float32, k int) []int {
	start := rand.New(rand.NewPCG(7, 7)).Perm(min(len(vectors), 4*k))
	centres := make([][]float32, k)
	for i := range centres {
		centres[i] = slices.Clone(vectors[start[i]])
	}
	out := make([]int, len(vectors))
	for range 12 {
		for i, v := range vectors {
			best := float32(-2)
			for c := 0; c < k; c += 4 { // four sums at once, each in its own order
				c0, c1, c2, c3 := centres[c][:len(v)], centres[c+1][:len(v)], centres[c+2][:len(v)], centres[c+3][:len(v)]
				var s0, s1, s2, s3 float32
				for d, x := range v {
					s0 += float32(x * c0[d])
					s1 += float32(x * c1[d])
					s2 += float32(x * c2[d])
					s3 += float32(x * c3[d])
				}
				for j, sum := range [...]float32{s0, s1, s2, s3} {
					if sum > best {
						best, out[i] = sum, c+j
					}
				}
			}
		}
		for c := range centres {
			clear(centres[c])
		}
		for i, v := range vectors {
			for d, x := range v {
				centres[out[i]][d] += x
			}
		}
		for _, c := range centres {
			unit(c)
		}
	}
	return out
}
