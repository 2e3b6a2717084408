package sense

import (
	_ "embed" // the classes of words
	"encoding/binary"
	"strconv"
)

// wordFile puts the 11,000 most frequent words of a vocabulary into classes of words that are used alike: k-means over static word vectors, with 96,
// 384 and 1,200 classes. A record is the word's hash (FNV-1a, 32 bits) and its three classes (16
// bits each), little endian, ascending by hash.
//
// The file is data and is not generated: commit afaf75f removed the word vectors that it was made from. The commit before that one makes it again. The
// trained models of package rules rest on these classes.
//
//go:embed words.bin
var wordFile string

const wordRecord = 10

// classesOf returns the classes of a word in small letters, coarse to fine; false when it has none.
func classesOf(low string) ([3]uint16, bool) {
	h := uint32(2166136261)
	for i := range len(low) {
		h = (h ^ uint32(low[i])) * 16777619
	}
	from, to := int(wordsFrom[h>>(32-wordBits)]), int(wordsFrom[h>>(32-wordBits)+1])
	for from < to {
		mid := (from + to) / 2
		r := []byte(wordFile[mid*wordRecord : (mid+1)*wordRecord])
		switch got := binary.LittleEndian.Uint32(r); {
		case got == h:
			return [3]uint16{binary.LittleEndian.Uint16(r[4:]), binary.LittleEndian.Uint16(r[6:]), binary.LittleEndian.Uint16(r[8:])}, true
		case got < h:
			from = mid + 1
		default:
			to = mid
		}
	}
	return [3]uint16{}, false
}

// wordsFrom is where the words begin whose hashes have these top bits: a handful each.
var wordsFrom = func() (at [1<<wordBits + 1]uint16) {
	n := 0
	for top := range at {
		for n < len(wordFile)/wordRecord && binary.LittleEndian.Uint32([]byte(wordFile[n*wordRecord:n*wordRecord+4]))>>(32-wordBits) < uint32(top) {
			n++
		}
		at[top] = uint16(n)
	}
	return at
}()

const wordBits = 12

// digits names classes without making strings anew.
var digits = func() (out [1200]string) {
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}()

// Coarse names the class of words that are used as a word in small letters is, "" when it has none.
func Coarse(low string) string {
	if class, ok := classesOf(low); ok {
		return digits[class[0]]
	}
	return ""
}
