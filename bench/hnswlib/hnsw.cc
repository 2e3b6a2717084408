//go:build hnswlib

#include <hnswlib/hnswlib.h>

namespace {
struct graph {
  hnswlib::InnerProductSpace space;
  hnswlib::HierarchicalNSW<float> index;
  graph(int dim, size_t most, size_t m, size_t ef_build) : space(dim), index(&space, most, m, ef_build) {}
};
}  // namespace

extern "C" {
void *hnsw_new(int dim, size_t most, size_t m, size_t ef_build) { return new graph(dim, most, m, ef_build); }
void hnsw_add(void *h, const float *v, size_t label) { static_cast<graph *>(h)->index.addPoint(v, label); }
void hnsw_ef(void *h, size_t ef) { static_cast<graph *>(h)->index.setEf(ef); }
int hnsw_search(void *h, const float *v, int k, size_t *out) {
  auto found = static_cast<graph *>(h)->index.searchKnn(v, k);
  int n = static_cast<int>(found.size());
  for (int i = n - 1; i >= 0; i--, found.pop()) out[i] = found.top().second;
  return n;
}
void hnsw_free(void *h) { delete static_cast<graph *>(h); }
}
