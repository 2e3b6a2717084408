package blobtest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/blob"
)

// Benchmark measures Put, of a size that is not announced, and Get of 1 KB, 1 MB and 64 MB. B/op is the memory that one call
// takes and gives back.
func Benchmark(b *testing.B, d blob.Driver) {
	b.Helper()
	for _, size := range []int{1 << 10, 1 << 20, 64 << 20} {
		data, last := Pattern(size, 1), ""
		b.Run(fmt.Sprintf("put/%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				last = "usr_1/" + strings.ToLower(rand.Text())
				if err := d.Put(b.Context(), last, bytes.NewReader(data), -1); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("get/%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				r, err := d.Get(b.Context(), last)
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.Copy(io.Discard, r)
				if err := errors.Join(err, r.Close()); err != nil || n != int64(size) {
					b.Fatal(n, err)
				}
			}
		})
	}
}
