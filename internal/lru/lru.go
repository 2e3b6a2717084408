// Package lru has a map of bounded size that forgets what was used longest ago.
package lru

// Cache is a map of bounded size that forgets what was used longest ago. It is not safe for concurrent use.
type Cache[K comparable, V any] struct {
	size  int
	at    map[K]int32
	nodes []entry[K, V] // grows to size; node 0 is the ring's head: next is the newest, prev the oldest
}

type entry[K comparable, V any] struct {
	key        K
	value      V
	prev, next int32
}

// New makes a cache of size entries.
func New[K comparable, V any](size int) *Cache[K, V] {
	return &Cache[K, V]{size: size, at: make(map[K]int32), nodes: make([]entry[K, V], 1)}
}

// Get returns the value of k and makes it the newest.
func (l *Cache[K, V]) Get(k K) (V, bool) {
	i, ok := l.at[k]
	if !ok {
		var zero V
		return zero, false
	}
	l.unlink(i)
	l.link(i)
	return l.nodes[i].value, true
}

// Put sets the value of k, makes it the newest and forgets the oldest where there is no room.
func (l *Cache[K, V]) Put(k K, v V) {
	i, ok := l.at[k]
	switch {
	case ok:
		l.unlink(i)
	case len(l.at) < l.size:
		i = int32(len(l.nodes))
		l.nodes = append(l.nodes, entry[K, V]{})
	default:
		i = l.nodes[0].prev
		l.unlink(i)
		delete(l.at, l.nodes[i].key)
	}
	l.nodes[i].key, l.nodes[i].value = k, v
	l.at[k] = i
	l.link(i)
}

// Len returns how many entries there are.
func (l *Cache[K, V]) Len() int { return len(l.at) }

func (l *Cache[K, V]) unlink(i int32) {
	n := &l.nodes[i]
	l.nodes[n.prev].next, l.nodes[n.next].prev = n.next, n.prev
}

func (l *Cache[K, V]) link(i int32) {
	newest := l.nodes[0].next
	l.nodes[i].prev, l.nodes[i].next = 0, newest
	l.nodes[newest].prev, l.nodes[0].next = i, i
}
