package vector_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

const benchRows = 100_000

func perVector(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/vector")
}

func forKernels(b *testing.B, f func(b *testing.B, k vector.Kernels)) {
	for _, k := range kernels {
		b.Run(k.Name(), func(b *testing.B) {
			b.ReportAllocs()
			f(b, k)
		})
	}
}

// BenchmarkExact is the scan of 100,000 float32 vectors of 256 dimensions.
func BenchmarkExact(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	rows, query, dst := make([]float32, benchRows*256), gauss(r, 256), make([]float32, benchRows)
	for i := range rows {
		rows[i] = float32(r.Uint32()) / (1 << 31)
	}
	forKernels(b, func(b *testing.B, k vector.Kernels) {
		for b.Loop() {
			k.DotRows(dst, rows, query)
		}
		perVector(b, benchRows)
	})
}

// BenchmarkInt8 is the same of 8-bit codes.
func BenchmarkInt8(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	blocks := make([]*vector.Int8, benchRows/vector.MaxSlots)
	for i := range blocks {
		blocks[i] = vector.NewInt8(256, vector.MaxSlots)
		for j := range blocks[i].Codes {
			blocks[i].Codes[j] = int8(r.Uint32())
		}
	}
	var q vector.Int8Query
	q.Set(gauss(r, 256))
	top := vector.NewTopK(24)
	forKernels(b, func(b *testing.B, k vector.Kernels) {
		for b.Loop() {
			top.Reset(24)
			for i, block := range blocks {
				for slot := range vector.MaxSlots {
					top.Push(block.Score(k, slot, &q), uint32(i*vector.MaxSlots+slot))
				}
			}
		}
		perVector(b, len(blocks)*vector.MaxSlots)
	})
}

func benchPartition(b *testing.B, n, dim int) (*partition, [][]float32) {
	c := newCloud(dim, 50, .8, 77)
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = c.draw()
	}
	queries := make([][]float32, 64)
	for i := range queries {
		queries[i] = c.lookalike(vectors[i*37%n])
	}
	rot := rotation(b, dim, 1)
	return newPartition(vector.Default(), vectors, rot.Padded(), rot.Apply), queries
}

// BenchmarkSearch is a whole search of the given stages over the given number of vectors: the 1-bit scan with the
// rotation of the query and the choice of the best 200, and the same followed by the two finer stages. Vectors are
// drawn once, so choose a row with -bench to save time.
func BenchmarkSearch(b *testing.B) {
	for _, size := range []struct{ n, dim int }{{1_000, 256}, {10_000, 256}, {benchRows, 256}, {20_000, 384}} {
		b.Run(strconv.Itoa(size.n)+"x"+strconv.Itoa(size.dim), func(b *testing.B) {
			p, queries := benchPartition(b, size.n, size.dim)
			b.Run("scan", func(b *testing.B) {
				forKernels(b, func(b *testing.B, k vector.Kernels) {
					p.kernels = k
					for i := 0; b.Loop(); i++ {
						p.scan(queries[i%len(queries)], 200)
					}
					perVector(b, size.n)
				})
			})
			b.Run("three", func(b *testing.B) {
				forKernels(b, func(b *testing.B, k vector.Kernels) {
					p.kernels = k
					var dst []vector.Scored
					for i := 0; b.Loop(); i++ {
						dst = p.search(dst[:0], queries[i%len(queries)], 200, 24, 10)
					}
					perVector(b, size.n)
				})
			})
		})
	}
}

// BenchmarkBlock is the bare 1-bit scan of one block of each size, nothing reported.
func BenchmarkBlock(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var q vector.Query
	q.Set(gauss(r, 256))
	var h vector.Hits
	for _, slots := range []int{16, 64, 256, 1024} {
		block, live := randomBits(r, 256, slots), make([]uint64, vector.LiveLen(slots))
		for i := range live {
			live[i] = 1<<min(slots, 64) - 1
		}
		b.Run(strconv.Itoa(slots), func(b *testing.B) {
			forKernels(b, func(b *testing.B, k vector.Kernels) {
				for b.Loop() {
					k.Scan(&h, block, &q, live, 0, 1e9)
				}
				perVector(b, slots)
			})
		})
	}
}

func BenchmarkPrepare(b *testing.B) {
	for _, dim := range []int{256, 384} {
		b.Run(strconv.Itoa(dim), func(b *testing.B) {
			v := gauss(rand.New(rand.NewPCG(1, 1)), dim)
			rot := rotation(b, dim, 1)
			turned := rotate(rot, v)
			for _, k := range kernels {
				rot := rot.With(k)
				b.Run("rotate/"+k.Name(), func(b *testing.B) {
					for b.Loop() {
						rot.Apply(turned, v)
					}
				})
			}
			block, codes := vector.NewBits(dim, 16), vector.NewInt8(dim, 16)
			var q vector.Query
			var fine vector.Int8Query
			for name, f := range map[string]func(){
				"bits":  func() { block.Put(3, turned) },
				"int8":  func() { codes.Put(3, turned) },
				"query": func() { q.Set(turned) },
				"fine":  func() { fine.Set(turned) },
			} {
				b.Run(name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
				})
			}
		})
	}
}
