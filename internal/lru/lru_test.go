package lru

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLRU compares with a list kept in order of use.
func TestLRU(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 6).Draw(t, "size")
		l := New[int, int](size)
		var order []int // oldest first
		values := map[int]int{}
		use := func(k int) {
			order = append(slices.DeleteFunc(order, func(o int) bool { return o == k }), k)
		}
		for step := range rapid.IntRange(0, 60).Draw(t, "steps") {
			k := rapid.IntRange(0, 9).Draw(t, "key")
			if rapid.Bool().Draw(t, "put") {
				l.Put(k, step)
				values[k] = step
				use(k)
				if len(order) > size {
					delete(values, order[0])
					order = order[1:]
				}
			} else {
				got, ok := l.Get(k)
				want, has := values[k]
				if ok != has || got != want {
					t.Fatalf("get %d = %d, %v, want %d, %v", k, got, ok, want, has)
				}
				if ok {
					use(k)
				}
			}
			if l.Len() != len(values) {
				t.Fatalf("%d entries, want %d", l.Len(), len(values))
			}
		}
	})
}
