//go:build hnswlib

// Package hnswlib calls the C++ library of that name, which stands as a header in the system (Debian: libhnswlib-dev).
package hnswlib

// #cgo CXXFLAGS: -std=c++17 -O3 -march=native
// #include <stdlib.h>
// void *hnsw_new(int dim, size_t most, size_t m, size_t ef_build);
// void hnsw_add(void *h, const float *v, size_t label);
// void hnsw_ef(void *h, size_t ef);
// int hnsw_search(void *h, const float *v, int k, size_t *out);
// void hnsw_free(void *h);
import "C"

import "unsafe"

// Index is a graph of unit vectors under inner product.
type Index struct{ h unsafe.Pointer }

// New makes an index for at most n vectors.
func New(dim, n, m, efBuild int) *Index {
	return &Index{C.hnsw_new(C.int(dim), C.size_t(n), C.size_t(m), C.size_t(efBuild))}
}

// Add puts a vector in.
func (x *Index) Add(v []float32, label int) {
	C.hnsw_add(x.h, (*C.float)(unsafe.Pointer(&v[0])), C.size_t(label))
}

// Width sets how many candidates a search keeps.
func (x *Index) Width(ef int) { C.hnsw_ef(x.h, C.size_t(ef)) }

// Search returns the labels of the k nearest, nearest first.
func (x *Index) Search(v []float32, k int) []int {
	out := make([]C.size_t, k)
	n := int(C.hnsw_search(x.h, (*C.float)(unsafe.Pointer(&v[0])), C.int(k), &out[0]))
	labels := make([]int, n)
	for i := range labels {
		labels[i] = int(out[i])
	}
	return labels
}

// Close frees the graph.
func (x *Index) Close() { C.hnsw_free(x.h) }
