// Command shards simulates what spreading users over the shards of a distributed PostgreSQL does to their load: users whose
// sizes follow Zipf's law are placed by a hash of their id, and the fullest shard is compared with the mean.
//
//	go run ./scripts/shards -users 10000
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
)

func main() {
	users := flag.Int("users", 10_000, "how many users there are")
	draws := flag.Int("draws", 200, "placements that are tried, with other ids each")
	top := flag.Int("isolate", 512, "the most users that are given a shard of their own")
	goal := flag.Float64("goal", 1.25, "the fullest shard may hold this many times the mean, in 95 of 100 placements")
	flag.Parse()
	if *users < 1 || *draws < 1 || *top < 0 || *goal <= 1 {
		fmt.Fprintln(os.Stderr, "users and draws must be 1 or more, isolate 0 or more, and goal over 1")
		os.Exit(2)
	}
	report(os.Stdout, *users, *draws, *top, *goal)
}

// report prints one line for each skew and number of shards.
func report(w io.Writer, users, draws, top int, goal float64) {
	fmt.Fprintf(w, "%d users, %d placements; fullest shard over mean: median and 95th percentile\n", users, draws)
	fmt.Fprintf(w, "%-6s %-7s %-15s %-8s %-8s %s\n", "skew", "shards", "biggest user", "median", "p95", fmt.Sprintf("users to isolate for p95 <= %.2f", goal))
	for _, s := range []float64{0, 0.5, 0.8, 1, 1.2} {
		sizes := zipf(users, s)
		for _, shards := range []int{8, 16, 32} {
			loads := place(sizes, shards, draws, 0)
			need := "none"
			switch n := isolate(sizes, shards, draws, top, goal); {
			case n < 0:
				need = fmt.Sprintf("more than %d", top)
			case n > 0:
				need = fmt.Sprint(n)
			}
			fmt.Fprintf(w, "%-6.1f %-7d %-15s %-8.2f %-8.2f %s\n", s, shards, fmt.Sprintf("%.2f %% of all", 100*sizes[0]), quantile(loads, .5), quantile(loads, .95), need)
		}
	}
}

// zipf returns the shares of n users, biggest first, in all 1: the k-th has 1/k^s of the first.
func zipf(n int, s float64) []float64 {
	out, sum := make([]float64, n), 0.0
	for k := range out {
		out[k] = math.Pow(float64(k+1), -s)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// place puts the users from the skip-th on into shards by a hash of their ids, several times with other ids, and returns for
// each placement how full the fullest shard is, in means.
func place(sizes []float64, shards, draws, skip int) []float64 {
	out := make([]float64, draws)
	rest := 0.0
	for _, s := range sizes[skip:] {
		rest += s
	}
	for d := range out {
		rng := rand.New(rand.NewPCG(uint64(d), 1))
		load := make([]float64, shards)
		for _, s := range sizes[skip:] {
			load[shardOf(rng.Uint64(), shards)] += s
		}
		out[d] = slices.Max(load) / (rest / float64(shards))
	}
	return out
}

// shardOf cuts the range of a 32-bit hash into even parts, as Citus does.
func shardOf(id uint64, shards int) int {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], id)
	sum := sha256.Sum256(raw[:])
	return int(uint64(binary.BigEndian.Uint32(sum[:])) * uint64(shards) >> 32)
}

// isolate returns the fewest of the biggest users that must get shards of their own so that the others are even enough, -1 if
// top of them are too few. More never makes it worse by much, so the number is found by halving.
func isolate(sizes []float64, shards, draws, top int, goal float64) int {
	top = min(top, len(sizes)-1)
	even := func(n int) bool { return quantile(place(sizes, shards, draws, n), .95) <= goal }
	if even(0) {
		return 0
	}
	if top < 1 || !even(top) {
		return -1
	}
	lo, hi := 0, top // not even at lo, even at hi
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; even(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// quantile returns the value that a share q of the values does not exceed.
func quantile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[min(len(s)-1, int(math.Ceil(q*float64(len(s))))-1)]
}
