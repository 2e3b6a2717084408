// Package cachetest is the conformance suite that every cache driver must pass.
//
// Only tests may import this package.
package cachetest

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/cache"
)

// Bench is one cache under test. It must have room for 4 MiB, so that an entry missing there is a
// fault and not an eviction.
type Bench struct {
	Cache cache.Cache

	// Advance lets time pass for the cache: it moves a clock of the test's, or
	// sleeps where the clock is a server's.
	Advance func(time.Duration)

	// TTL is the time to live that the suite uses: as short as the driver can
	// tell apart where Advance sleeps.
	TTL time.Duration
}

// Run checks that the caches open returns keep the contract of [cache.Cache]. Each
// call of open returns an empty cache of its own, which the suite closes.
func Run(t *testing.T, open func(t *testing.T) Bench) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, Bench)
	}{
		{"get after set", testGetAfterSet},
		{"time to live", testTTL},
		{"no time to live", testNoTTL},
		{"a copy is kept", testCopy},
		{"delete", testDelete},
		{"keys are not confused", testKeys},
		{"stats", testStats},
		{"at once", testConcurrent},
		{"like a map", testModel},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			c.test(t, b)
			if err := b.Cache.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

func want(t *testing.T, b Bench, key, value string) {
	t.Helper()
	if got, ok := b.Cache.Get(t.Context(), key); !ok || string(got) != value {
		t.Fatalf("Get(%q) = %.40q, %v, want %.40q", key, got, ok, value)
	}
}

func wantMiss(t *testing.T, b Bench, key string) {
	t.Helper()
	if got, ok := b.Cache.Get(t.Context(), key); ok || got != nil {
		t.Fatalf("Get(%q) = %.40q, %v, want a miss", key, got, ok)
	}
}

func testGetAfterSet(t *testing.T, b Bench) {
	wantMiss(t, b, "k")
	for _, value := range []string{"one", "", "\x00\xff binary", strings.Repeat("long", 250_000), "last"} {
		b.Cache.Set(t.Context(), "k", []byte(value), b.TTL)
		want(t, b, "k", value)
		want(t, b, "k", value)
	}
	b.Cache.Set(t.Context(), "nil", nil, b.TTL)
	want(t, b, "nil", "")
}

// H-19: within its time an answer is served, after it never.
func testTTL(t *testing.T, b Bench) {
	ctx := t.Context()
	b.Cache.Set(ctx, "short", []byte("s"), b.TTL)
	b.Cache.Set(ctx, "long", []byte("l"), 3*b.TTL)
	b.Advance(b.TTL - b.TTL/10)
	want(t, b, "short", "s") // a read does not make it live longer
	b.Advance(b.TTL / 10)
	wantMiss(t, b, "short")
	want(t, b, "long", "l")
	b.Cache.Set(ctx, "long", []byte("l2"), 3*b.TTL) // a write does
	b.Advance(2*b.TTL + b.TTL/2)
	want(t, b, "long", "l2")
	b.Cache.Set(ctx, "long", []byte("l3"), b.TTL/2) // or shorter
	b.Advance(b.TTL / 2)
	wantMiss(t, b, "long")
	b.Cache.Set(ctx, "short", []byte("again"), b.TTL)
	want(t, b, "short", "again")
}

func testNoTTL(t *testing.T, b Bench) {
	for _, ttl := range []time.Duration{0, -1, -time.Hour} {
		b.Cache.Set(t.Context(), "k", []byte("old"), b.TTL)
		b.Cache.Set(t.Context(), "k", []byte("new"), ttl)
		wantMiss(t, b, "k")
	}
	b.Cache.Set(t.Context(), "for ever", []byte("v"), time.Duration(1<<63-1))
	want(t, b, "for ever", "v")
}

func testCopy(t *testing.T, b Bench) {
	value := []byte("before")
	b.Cache.Set(t.Context(), "k", value, b.TTL)
	copy(value, "after!")
	want(t, b, "k", "before")
}

func testDelete(t *testing.T, b Bench) {
	for _, key := range []string{"a", "b", "c"} {
		b.Cache.Set(t.Context(), key, []byte(key), b.TTL)
	}
	if err := b.Cache.Delete(t.Context(), "a", "none", "b"); err != nil {
		t.Fatal(err)
	}
	wantMiss(t, b, "a")
	wantMiss(t, b, "b")
	want(t, b, "c", "c")
	if err := b.Cache.Delete(t.Context()); err != nil {
		t.Fatalf("Delete of nothing: %v", err)
	}
	b.Cache.Set(t.Context(), "a", []byte("again"), b.TTL)
	want(t, b, "a", "again")
}

func testKeys(t *testing.T, b Bench) {
	keys := []string{"", " ", "a", "A", "a ", "a\x00", "a\x00b", "ä", "a\u0308", "日本", "\xff", "a\nb", "a\r\nb", "*", "{a}", cache.Key("a"), strings.Repeat("k", 5000)}
	for i, key := range keys {
		b.Cache.Set(t.Context(), key, fmt.Append(nil, i), b.TTL)
	}
	for i, key := range keys {
		want(t, b, key, fmt.Sprint(i))
	}
}

func testStats(t *testing.T, b Bench) {
	before := b.Cache.Stats()
	b.Cache.Set(t.Context(), "k", []byte("v"), b.TTL)
	for range 3 {
		want(t, b, "k", "v")
	}
	for range 2 {
		wantMiss(t, b, "absent")
	}
	after := b.Cache.Stats()
	if hits, misses := after.Hits-before.Hits, after.Misses-before.Misses; hits != 3 || misses != 2 {
		t.Fatalf("%d hits and %d misses counted, want 3 and 2", hits, misses)
	}
}

func testConcurrent(t *testing.T, b Bench) {
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 300 {
				own := fmt.Sprintf("own %d", w)
				value := bytes.Repeat([]byte{byte(i)}, 100)
				b.Cache.Set(t.Context(), own, value, b.TTL)
				if got, ok := b.Cache.Get(t.Context(), own); ok && !bytes.Equal(got, value) {
					t.Errorf("%s: an old value after a new one", own)
				}
				b.Cache.Set(t.Context(), "shared", value, b.TTL)
				if got, ok := b.Cache.Get(t.Context(), "shared"); ok && (len(got) != 100 || got[0] != got[99]) {
					t.Errorf("a torn value: % x", got)
				}
				if err := b.Cache.Delete(t.Context(), own); err != nil {
					t.Errorf("Delete: %v", err)
				}
				if _, ok := b.Cache.Get(t.Context(), own); ok {
					t.Errorf("%s: found after Delete", own)
				}
			}
		})
	}
	wg.Wait()
}

// testModel runs random calls against the cache and a map. A cache may forget, but
// with room for all it should not, and it must never invent.
func testModel(t *testing.T, b Bench) {
	type entry struct {
		value string
		until time.Duration
	}
	model, now := map[string]entry{}, time.Duration(0)
	rapid.Check(t, func(rt *rapid.T) {
		keys := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		rt.Repeat(map[string]func(*rapid.T){
			"set": func(rt *rapid.T) {
				key, value := keys.Draw(rt, "key"), rapid.StringN(0, 20, 40).Draw(rt, "value")
				ttl := time.Duration(rapid.IntRange(1, 4).Draw(rt, "ttl")) * b.TTL
				b.Cache.Set(t.Context(), key, []byte(value), ttl)
				model[key] = entry{value, now + ttl}
			},
			"delete": func(rt *rapid.T) {
				key := keys.Draw(rt, "key")
				if err := b.Cache.Delete(t.Context(), key); err != nil {
					rt.Fatal(err)
				}
				delete(model, key)
			},
			"advance": func(*rapid.T) {
				b.Advance(b.TTL)
				now += b.TTL
				maps.DeleteFunc(model, func(_ string, e entry) bool { return e.until <= now })
			},
			"": func(rt *rapid.T) {
				for _, key := range []string{"a", "b", "c", "d"} {
					e, there := model[key]
					if got, ok := b.Cache.Get(t.Context(), key); ok != there || string(got) != e.value {
						rt.Fatalf("Get(%q) = %q, %v, want %q, %v", key, got, ok, e.value, there)
					}
				}
			},
		})
	})
}
