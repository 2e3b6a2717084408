// Package blobtest is the conformance suite that every blob driver must pass, and a
// driver in memory for tests of other rooms.
//
// A driver's test is one line: blobtest.Run(t, open), where open returns an empty
// driver of its own for each call. Only tests may import this package.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/blob"
)

// Run checks that the drivers open returns keep the contract of [blob.Driver].
func Run(t *testing.T, open func(t *testing.T) blob.Driver) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, blob.Driver)
	}{
		{"read after put", testReadAfterPut},
		{"sizes announced", testSizes},
		{"put of a taken key", testTaken},
		{"delete", testDelete},
		{"absent", testAbsent},
		{"invalid keys", testInvalidKeys},
		{"neighbouring keys", testNeighbours},
		{"list", testList},
		{"list stops", testListStops},
		{"failing reader", testFailingReader},
		{"cancelled", testCancelled},
		{"cancelled in the middle", testCancelledMidway},
		{"one key, many writers", testOneWinner},
		{"many keys at once", testManyKeys},
		{"deletes beside puts", testDeletesBesidePuts},
		{"like a map", testModel},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open(t))
		})
	}
}

// Pattern returns n bytes that depend on seed.
func Pattern(n int, seed byte) []byte {
	out := make([]byte, n)
	x := uint32(seed)*2654435761 + 1
	for i := range out {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		out[i] = byte(x)
	}
	return out
}

func put(t *testing.T, d blob.Driver, key string, data []byte) {
	t.Helper()
	if err := d.Put(t.Context(), key, bytes.NewReader(data), int64(len(data))); err != nil {
		t.Fatalf("Put(%q): %v", key, err)
	}
}

func get(ctx context.Context, d blob.Driver, key string) ([]byte, error) {
	r, err := d.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

func wantData(t *testing.T, d blob.Driver, key string, want []byte) {
	t.Helper()
	got, err := get(t.Context(), d, key)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("Get(%q) = %d bytes, %v, want %d bytes", key, len(got), err, len(want))
	}
}

func wantAbsent(t *testing.T, d blob.Driver, key string) {
	t.Helper()
	if _, err := d.Get(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Fatalf("Get(%q): %v, want ErrNotFound", key, err)
	}
	if _, err := d.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Fatalf("Stat(%q): %v, want ErrNotFound", key, err)
	}
	if keys := list(t, d, ""); slices.Contains(keys, key) {
		t.Fatalf("List shows %q", key)
	}
}

// list returns the keys below prefix, sorted, and fails on one listed twice.
func list(t *testing.T, d blob.Driver, prefix string) []string {
	t.Helper()
	var keys []string
	err := d.List(t.Context(), prefix, func(i blob.Info) bool {
		keys = append(keys, i.Key)
		return true
	})
	if err != nil {
		t.Fatalf("List(%q): %v", prefix, err)
	}
	slices.Sort(keys)
	if n := len(keys); len(slices.Compact(slices.Clone(keys))) != n {
		t.Fatalf("List(%q) names a key twice: %q", prefix, keys)
	}
	return keys
}

func testReadAfterPut(t *testing.T, d blob.Driver) {
	for _, n := range []int{0, 1, 4095, 4096, 64 << 10, 5 << 20} {
		key, data := fmt.Sprintf("usr_1/file_%d", n), Pattern(n, 1)
		put(t, d, key, data)
		wantData(t, d, key, data)
		info, err := d.Stat(t.Context(), key)
		if err != nil || info.Key != key || info.Size != int64(n) || info.ModTime.IsZero() {
			t.Fatalf("Stat(%q) = %+v, %v", key, info, err)
		}
	}
	// Two readers of one blob do not disturb each other.
	a, err := d.Get(t.Context(), "usr_1/file_4096")
	if err != nil {
		t.Fatal(err)
	}
	wantData(t, d, "usr_1/file_4096", Pattern(4096, 1))
	if got, err := io.ReadAll(a); err != nil || !bytes.Equal(got, Pattern(4096, 1)) {
		t.Fatalf("the first reader got %d bytes, %v", len(got), err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

func testSizes(t *testing.T, d blob.Driver) {
	data := Pattern(1000, 1)
	if err := d.Put(t.Context(), "unknown", bytes.NewReader(data), -1); err != nil {
		t.Fatalf("Put of unknown size: %v", err)
	}
	wantData(t, d, "unknown", data)
	for _, size := range []int64{0, 1, 999, 1001, 1 << 40} {
		if err := d.Put(t.Context(), "wrong", bytes.NewReader(data), size); !errors.Is(err, blob.ErrSize) {
			t.Fatalf("1000 bytes announced as %d: %v, want ErrSize", size, err)
		}
		wantAbsent(t, d, "wrong")
	}
}

func testTaken(t *testing.T, d blob.Driver) {
	first := Pattern(100, 1)
	put(t, d, "a/b", first)
	for _, again := range [][]byte{Pattern(100, 2), first, nil} {
		err := d.Put(t.Context(), "a/b", bytes.NewReader(again), int64(len(again)))
		if !errors.Is(err, blob.ErrExists) {
			t.Fatalf("second Put: %v, want ErrExists", err)
		}
		wantData(t, d, "a/b", first)
	}
	put(t, d, "empty", nil)
	if err := d.Put(t.Context(), "empty", strings.NewReader("x"), 1); !errors.Is(err, blob.ErrExists) {
		t.Fatalf("Put over an empty blob: %v, want ErrExists", err)
	}
}

func testDelete(t *testing.T, d blob.Driver) {
	put(t, d, "a/b", Pattern(10, 1))
	put(t, d, "a/c", Pattern(10, 2))
	for range 2 { // the second time it is not there
		if err := d.Delete(t.Context(), "a/b"); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		wantAbsent(t, d, "a/b")
	}
	wantData(t, d, "a/c", Pattern(10, 2))
	put(t, d, "a/b", Pattern(20, 3))
	wantData(t, d, "a/b", Pattern(20, 3))
}

func testAbsent(t *testing.T, d blob.Driver) {
	wantAbsent(t, d, "nothing")
	put(t, d, "a/b/c", nil)
	for _, key := range []string{"a", "a/b", "a/b/c/d", "b"} {
		wantAbsent(t, d, key)
		if err := d.Delete(t.Context(), key); err != nil {
			t.Fatalf("Delete(%q): %v", key, err)
		}
	}
	wantData(t, d, "a/b/c", nil)
}

// InvalidKeys are keys that every driver must refuse.
func InvalidKeys() []string {
	return []string{
		"", "/", "a/", "/a", "a//b", ".", "..", "../a", "a/..", "a/../b", "a/./b", ".hidden", "a/.tmp", "a.", "a./b",
		"A", "aB", "a b", "a\\b", "a\x00b", "a\nb", "é", "日本", "a/ü", "a\u202eb", "a:b", "a*", "a?", "~", "@3f/a", "a@b", "a+b", "a%2fb",
		"\xff", strings.Repeat("a", blob.MaxSegment+1), strings.Repeat("a/", blob.MaxSegments) + "a",
		strings.Repeat(strings.Repeat("a", 120)+"/", 4) + strings.Repeat("a", 120),
	}
}

func testInvalidKeys(t *testing.T, d blob.Driver) {
	for _, key := range InvalidKeys() {
		if err := d.Put(t.Context(), key, strings.NewReader("x"), 1); !errors.Is(err, blob.ErrKey) {
			t.Errorf("Put(%q): %v, want ErrKey", key, err)
		}
		if _, err := d.Get(t.Context(), key); !errors.Is(err, blob.ErrKey) {
			t.Errorf("Get(%q): %v, want ErrKey", key, err)
		}
		if _, err := d.Stat(t.Context(), key); !errors.Is(err, blob.ErrKey) {
			t.Errorf("Stat(%q): %v, want ErrKey", key, err)
		}
		if err := d.Delete(t.Context(), key); !errors.Is(err, blob.ErrKey) {
			t.Errorf("Delete(%q): %v, want ErrKey", key, err)
		}
	}
	for _, prefix := range []string{"/", "../", "..", "A", "ü", "a//", "a\x00", "."} {
		err := d.List(t.Context(), prefix, func(blob.Info) bool { return true })
		if !errors.Is(err, blob.ErrKey) {
			t.Errorf("List(%q): %v, want ErrKey", prefix, err)
		}
	}
	if keys := list(t, d, ""); len(keys) != 0 {
		t.Errorf("refused keys left %q", keys)
	}
}

// testNeighbours puts keys that a careless mapping to files would confuse.
func testNeighbours(t *testing.T, d blob.Driver) {
	keys := []string{
		"a", "a/a", "a/a/a", "a.a", "a-a", "a_a", "ab", "a/b", "a/b.c", "a/b/c", "tmp", "tmp/put-1", "3f", "3f/a", "a/3f/a", "0", "-", "_",
		strings.Repeat("a", blob.MaxSegment), strings.Repeat("a/", blob.MaxSegments-1) + "a",
		strings.Repeat(strings.Repeat("k", 127)+"/", 3) + strings.Repeat("k", 128),
	}
	for i, key := range keys {
		put(t, d, key, Pattern(50+i, byte(i)))
	}
	for i, key := range keys {
		wantData(t, d, key, Pattern(50+i, byte(i)))
	}
	for i, key := range keys {
		if err := d.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		wantAbsent(t, d, key)
		for j, other := range keys[i+1:] {
			wantData(t, d, other, Pattern(50+i+1+j, byte(i+1+j)))
		}
	}
}

func testList(t *testing.T, d blob.Driver) {
	keys := []string{"usr_1/a", "usr_1/b/c", "usr_1/b/d", "usr_10/a", "usr_2/a", "usr", "v.1/x"}
	for i, key := range keys {
		put(t, d, key, Pattern(i, 1))
	}
	slices.Sort(keys)
	for _, prefix := range []string{"", "u", "usr", "usr_1", "usr_1/", "usr_1/b", "usr_1/b/", "usr_1/b/c", "usr_1/b/c/", "v.", "v.1/x", "x", "usr_3/", "usr_1/a/"} {
		var want []string
		for _, key := range keys {
			if strings.HasPrefix(key, prefix) {
				want = append(want, key)
			}
		}
		if diff := cmp.Diff(want, list(t, d, prefix)); diff != "" {
			t.Errorf("List(%q) (-want +got):\n%s", prefix, diff)
		}
	}
	err := d.List(t.Context(), "", func(i blob.Info) bool {
		stat, err := d.Stat(t.Context(), i.Key) // a call from yield must not hang
		if err != nil || !stat.ModTime.Equal(i.ModTime) || stat.Size != i.Size {
			t.Errorf("listed %+v, Stat = %+v, %v", i, stat, err)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
}

func testListStops(t *testing.T, d blob.Driver) {
	for i := range 20 {
		put(t, d, fmt.Sprintf("usr_%d/file_%d", i%3, i), nil)
	}
	seen := 0
	err := d.List(t.Context(), "", func(blob.Info) bool { seen++; return seen < 5 })
	if err != nil || seen != 5 {
		t.Fatalf("List went on to %d after a stop at 5, %v", seen, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = d.List(ctx, "", func(blob.Info) bool { cancel(); return true })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("List of a cancelled context: %v, want context.Canceled", err)
	}
	seen = 0
	err = d.List(t.Context(), "", func(i blob.Info) bool {
		seen++
		return d.Delete(t.Context(), i.Key) == nil
	})
	if err != nil || seen != 20 || len(list(t, d, "")) != 0 {
		t.Fatalf("List while deleting: %d of 20, %v", seen, err)
	}
}

// errBroken is what a broken reader gives.
var errBroken = errors.New("the source broke")

// brokenReader gives n bytes and then its error.
type brokenReader struct {
	n    int
	err  error
	then func() // called before the first byte beyond half
}

func (b *brokenReader) Read(p []byte) (int, error) {
	if b.n == 0 {
		if b.then != nil {
			b.then()
			b.then = nil
		}
		return 0, b.err
	}
	n := min(b.n, len(p))
	b.n -= n
	return n, nil
}

// A source that breaks leaves nothing visible, wherever it breaks.
func testFailingReader(t *testing.T, d blob.Driver) {
	for _, n := range []int{0, 1, 100_000, 3 << 20} {
		for _, size := range []int64{-1, int64(n), int64(n) + 1} {
			for _, broken := range []error{errBroken, io.ErrUnexpectedEOF} {
				err := d.Put(t.Context(), "a/b", &brokenReader{n: n, err: broken}, size)
				if !errors.Is(err, broken) {
					t.Fatalf("source broken after %d bytes: %v, want its error", n, err)
				}
				wantAbsent(t, d, "a/b")
			}
		}
	}
	put(t, d, "a/b", Pattern(9, 9)) // the key is not burnt
	wantData(t, d, "a/b", Pattern(9, 9))
}

func testCancelled(t *testing.T, d blob.Driver) {
	put(t, d, "there", Pattern(9, 9))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, getErr := d.Get(ctx, "there")
	_, statErr := d.Stat(ctx, "there")
	for name, err := range map[string]error{
		"Put":    d.Put(ctx, "new", strings.NewReader("x"), 1),
		"Get":    getErr,
		"Stat":   statErr,
		"Delete": d.Delete(ctx, "there"),
		"List":   d.List(ctx, "", func(blob.Info) bool { return true }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
	}
	wantAbsent(t, d, "new")
	wantData(t, d, "there", Pattern(9, 9))
}

func testCancelledMidway(t *testing.T, d blob.Driver) {
	for _, end := range []error{nil, io.EOF} { // more to come, or just then the end
		ctx, cancel := context.WithCancel(t.Context())
		err := d.Put(ctx, "a/b", &brokenReader{n: 200_000, err: end, then: cancel}, -1)
		cancel()
		if end == nil || err != nil { // at the very end it may still succeed
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("Put: %v, want context.Canceled", err)
			}
			wantAbsent(t, d, "a/b")
		}
	}
}

func testOneWinner(t *testing.T, d blob.Driver) {
	const writers = 16
	for round := range 10 {
		key := fmt.Sprintf("usr_1/round_%d", round)
		var (
			wg    sync.WaitGroup
			start = make(chan struct{})
			errs  [writers]error
		)
		for i := range writers {
			wg.Go(func() {
				<-start
				errs[i] = d.Put(t.Context(), key, bytes.NewReader(Pattern(70_000, byte(i))), 70_000)
			})
		}
		close(start)
		wg.Wait()
		winner := -1
		for i, err := range errs {
			switch {
			case err == nil && winner >= 0:
				t.Fatalf("writers %d and %d both won", winner, i)
			case err == nil:
				winner = i
			case !errors.Is(err, blob.ErrExists):
				t.Fatalf("writer %d: %v, want ErrExists", i, err)
			}
		}
		if winner < 0 {
			t.Fatal("nobody won")
		}
		wantData(t, d, key, Pattern(70_000, byte(winner)))
	}
}

func testManyKeys(t *testing.T, d blob.Driver) {
	const workers, each = 8, 12
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				key, data := fmt.Sprintf("usr_%d/file_%d_%d", i%2, w, i), Pattern(1000*i, byte(w))
				if err := d.Put(t.Context(), key, bytes.NewReader(data), -1); err != nil {
					t.Errorf("Put(%q): %v", key, err)
					return
				}
				if got, err := get(t.Context(), d, key); err != nil || !bytes.Equal(got, data) {
					t.Errorf("Get(%q) right after its Put: %d bytes, %v", key, len(got), err)
				}
			}
		})
	}
	wg.Wait()
	if got := len(list(t, d, "")); got != workers*each {
		t.Fatalf("%d blobs listed, want %d", got, workers*each)
	}
}

// testDeletesBesidePuts writes and removes lone blobs of the same owners at once:
// a driver that tidies up empty places must not take them from under a Put.
func testDeletesBesidePuts(t *testing.T, d blob.Driver) {
	var (
		wg   sync.WaitGroup
		done atomic.Int64
	)
	for w := range 6 {
		wg.Go(func() {
			for i := range 40 {
				key := fmt.Sprintf("usr_%d/deep/%d", i%2, w)
				if err := d.Put(t.Context(), key, strings.NewReader("x"), 1); err != nil {
					t.Errorf("Put(%q): %v", key, err)
					return
				}
				if got, err := get(t.Context(), d, key); err != nil || string(got) != "x" {
					t.Errorf("Get(%q): %q, %v", key, got, err)
				}
				if err := d.Delete(t.Context(), key); err != nil {
					t.Errorf("Delete(%q): %v", key, err)
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	if keys := list(t, d, ""); done.Load() != 240 || len(keys) != 0 {
		t.Fatalf("%d of 240 rounds, left %q", done.Load(), keys)
	}
}

// testModel runs random calls against the driver and a map.
func testModel(t *testing.T, d blob.Driver) {
	model := map[string][]byte{}
	rapid.Check(t, func(rt *rapid.T) {
		keys := rapid.StringMatching(`[ab](/[ab]){0,2}`)
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				key, data := keys.Draw(rt, "key"), rapid.SliceOf(rapid.Byte()).Draw(rt, "data")
				_, taken := model[key]
				err := d.Put(t.Context(), key, bytes.NewReader(data), int64(len(data)))
				if taken != errors.Is(err, blob.ErrExists) || !taken && err != nil {
					rt.Fatalf("Put(%q): %v, taken %v", key, err, taken)
				}
				if !taken {
					model[key] = data
				}
			},
			"delete": func(rt *rapid.T) {
				key := keys.Draw(rt, "key")
				if err := d.Delete(t.Context(), key); err != nil {
					rt.Fatalf("Delete(%q): %v", key, err)
				}
				delete(model, key)
			},
			"get": func(rt *rapid.T) {
				key := keys.Draw(rt, "key")
				want, ok := model[key]
				got, err := get(t.Context(), d, key)
				if ok != (err == nil) || !ok && !errors.Is(err, blob.ErrNotFound) || !bytes.Equal(got, want) {
					rt.Fatalf("Get(%q) = %x, %v, want %x, %v", key, got, err, want, ok)
				}
			},
			"": func(rt *rapid.T) {
				want := slices.Sorted(maps.Keys(model))
				if got := list(t, d, ""); !slices.Equal(got, want) {
					rt.Fatalf("List = %q, want %q", got, want)
				}
			},
		})
	})
}
