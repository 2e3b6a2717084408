/* The inner loops of train.py: cc -O3 -march=native -fopenmp -shared -fPIC -o kernels.so kernels.c -lm */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* out[b] = the sum over the members j of bag b of value[j] * source[index[j]], rows of d floats; value may be NULL (1). */
void bag_fwd(int64_t bags, const int64_t *start, const int32_t *index, const float *value, const float *source, int d, float *out) {
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t b = 0; b < bags; b++) {
    float *o = out + b * d;
    memset(o, 0, d * 4);
    for (int64_t j = start[b]; j < start[b + 1]; j++) {
      const float *s = source + (int64_t)index[j] * d;
      float v = value ? value[j] : 1.f;
      for (int k = 0; k < d; k++) o[k] += v * s[k];
    }
  }
}

/* One element-wise Adagrad step on the given rows of theta. */
void adagrad(int64_t n, const int64_t *rows, float *theta, float *sum, const float *gradient, int d, float rate) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; i++) {
    float *t = theta + rows[i] * d, *a = sum + rows[i] * d;
    const float *g = gradient + i * d;
    for (int k = 0; k < d; k++) {
      float x = g[k];
      a[k] += x * x;
      t[k] -= rate * x / (sqrtf(a[k]) + 1e-9f);
    }
  }
}

/* Transposes bags into one list per source row, so that the backward pass is a gather too and has no races. */
void transpose(int64_t bags, const int64_t *start, const int32_t *index, const float *value, int64_t sources, int64_t *out_start, int32_t *out_index, float *out_value) {
  memset(out_start, 0, (sources + 1) * 8);
  int64_t n = start[bags];
  for (int64_t j = 0; j < n; j++) out_start[index[j] + 1]++;
  for (int64_t i = 0; i < sources; i++) out_start[i + 1] += out_start[i];
  for (int64_t b = 0; b < bags; b++) {
    for (int64_t j = start[b]; j < start[b + 1]; j++) {
      int64_t at = out_start[index[j]]++;
      out_index[at] = (int32_t)b;
      if (value) out_value[at] = value[j];
    }
  }
  for (int64_t i = sources; i > 0; i--) out_start[i] = out_start[i - 1];
  out_start[0] = 0;
}
