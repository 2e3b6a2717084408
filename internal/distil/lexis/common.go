package lexis

import (
	_ "embed" // the words
	"slices"
	"strings"
	"sync"
)

// commonFile lists words that are hardly ever names, one a line: those that running English writes small. Lines with "#" say where from.
//
//go:embed common.txt
var commonFile string

var commonHashes = sync.OnceValue(func() []uint32 {
	var out []uint32
	for w := range strings.Lines(commonFile) {
		if w[0] != '#' {
			out = append(out, hash(strings.TrimSpace(w)))
		}
	}
	slices.Sort(out)
	return out
})

// Common reports whether a word in small letters is one that running English writes small, so that a capital makes no name of it.
func Common(low string) bool {
	_, ok := slices.BinarySearch(commonHashes(), hash(low))
	return ok
}

// hash is FNV-1a.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// The longer lists of words stand in files of their own.

//go:embed names.txt
var givenNamesFile string

//go:embed jobs.txt
var jobsFile string

//go:embed males.txt
var malesFile string

//go:embed females.txt
var femalesFile string

//go:embed shouts.txt
var commonShoutsFile string

//go:embed nations.txt
var nationalitiesFile string

//go:embed capitals.txt
var capitalisedFile string

//go:embed companies.txt
var companiesFile string

//go:embed products.txt
var productsFile string
