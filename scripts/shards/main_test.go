package main

import (
	"math"
	"slices"
	"testing"
)

func TestZipf(t *testing.T) {
	t.Parallel()
	v := zipf(1000, 1)
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	if math.Abs(sum-1) > 1e-9 || math.Abs(v[0]/v[9]-10) > 1e-9 {
		t.Errorf("sum %v, first over tenth %v", sum, v[0]/v[9])
	}
}

func TestPlacing(t *testing.T) {
	t.Parallel()
	counts := make([]int, 32)
	for id := range uint64(32_000) {
		counts[shardOf(id, 32)]++
	}
	if slices.Min(counts) < 850 || slices.Max(counts) > 1150 {
		t.Errorf("the hash is not even: %v", counts)
	}
	one := place([]float64{1, 0, 0}, 8, 3, 0)
	if !slices.Equal(one, []float64{8, 8, 8}) {
		t.Errorf("one user with everything: %v, want 8 times the mean", one)
	}
}

// TestTenThousandUsers holds what docs/deploying.md says of the table that this program prints.
func TestTenThousandUsers(t *testing.T) {
	t.Parallel()
	even, skewed := zipf(10_000, 0), zipf(10_000, 1)
	if p := quantile(place(even, 32, 50, 0), .95); p > 1.25 {
		t.Errorf("users of one size: %.2f", p)
	}
	before := quantile(place(skewed, 16, 50, 0), .95)
	n := isolate(skewed, 16, 50, 512, 1.25)
	if before < 2 || n < 1 {
		t.Fatalf("skewed: %.2f times the mean, %d to isolate", before, n)
	}
	if after := quantile(place(skewed, 16, 50, n), .95); after > 1.25 {
		t.Errorf("with %d isolated still %.2f", n, after)
	}
	if isolate(skewed, 32, 20, 1, 1.01) != -1 {
		t.Error("one user less cannot make 32 shards even to a hundredth")
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	v := []float64{4, 1, 3, 2}
	if quantile(v, .5) != 2 || quantile(v, .95) != 4 || quantile(v, 0.01) != 1 {
		t.Error(quantile(v, .5), quantile(v, .95), quantile(v, 0.01))
	}
}
