package postings

import "encoding/binary"

// Recent numbers terms as its dictionary does, and faster those that it was asked for lately. It is for a writer who adds very many.
type Recent struct {
	dict *Dict
	met  [4096]recentTerm
}

// recentTerm is a term of up to 16 bytes: the first and the last eight of them, or what there is twice, and their number say all.
type recentTerm struct {
	first, last uint64
	size, n     uint32
}

// NewRecent returns one that was asked for nothing yet.
func NewRecent(d *Dict) *Recent { return &Recent{dict: d} }

// Add is [Dict.Add].
func (r *Recent) Add(term []byte, word string) uint32 {
	t := recentTerm{size: uint32(len(term))}
	switch n := len(term); {
	case n > 16 || n == 0:
		return r.dict.Add(term, word)
	case n >= 8:
		t.first, t.last = binary.LittleEndian.Uint64(term), binary.LittleEndian.Uint64(term[n-8:])
	case n >= 4:
		t.first, t.last = uint64(binary.LittleEndian.Uint32(term)), uint64(binary.LittleEndian.Uint32(term[n-4:]))
	default:
		t.first = uint64(term[0]) | uint64(term[n/2])<<8 | uint64(term[n-1])<<16
	}
	at := &r.met[((t.first^uint64(t.size)<<59)*0x9e3779b97f4a7c15^t.last*0xd6e8feb86659fd93)>>(64-12)]
	if at.first != t.first || at.last != t.last || at.size != t.size {
		t.n = r.dict.Add(term, word)
		*at = t
	}
	return at.n
}
