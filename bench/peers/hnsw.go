//go:build hnswlib

package main

import (
	"time"

	"github.com/lukasa-memory/lukasa/bench/hnswlib"
)

// hnsw is hnswlib: one graph of all items, and one of each owner, which is how it filters quickest. M 16, 100 candidates in building, width in
// searching.
type hnsw struct {
	all *hnswlib.Index
	by  []*hnswlib.Index
	n   []int

	width int
	took  time.Duration
}

func newHNSW(width int) rival { return &hnsw{width: width} }

func (h *hnsw) name() string { return "hnswlib" }

func (h *hnsw) build(c *corpus, _ string) error {
	h.all = hnswlib.New(c.dim, len(c.items), 16, 100)
	for _, items := range c.byOwner {
		h.by = append(h.by, hnswlib.New(c.dim, max(1, len(items)), 16, 100))
		h.n = append(h.n, len(items))
	}
	before := processTime()
	for i, it := range c.items {
		h.all.Add(it.vector, i)
	}
	h.took = processTime() - before
	for i, it := range c.items {
		h.by[it.owner].Add(it.vector, i)
	}
	for _, x := range h.by {
		x.Width(h.width)
	}
	h.all.Width(h.width)
	return nil
}

func (h *hnsw) vector(q *query, all bool, k int) ([]int, error) {
	if all {
		return h.all.Search(q.vector, k), nil
	}
	return h.by[q.owner].Search(q.vector, min(k, h.n[q.owner])), nil
}

func (h *hnsw) cpu() (time.Duration, bool) { return processTime(), true }
func (h *hnsw) bytes() int64               { return 0 }
func (h *hnsw) graph()                     {}

// built is the CPU time that the graph of all items took.
func (h *hnsw) built() time.Duration { return h.took }

func (h *hnsw) close() error {
	for _, x := range h.by {
		x.Close()
	}
	h.all.Close()
	return nil
}
