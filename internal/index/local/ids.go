package local

import (
	"cmp"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// Packed is an id in 17 bytes: the 128 bits of its UUID and a code for its prefix.
type Packed struct {
	hi, lo uint64
	Code   uint8
}

// Odd is the code of an id of another form, whose number in a table of texts is lo. Code 0 is the empty id.
const Odd = 255

// prefixes are the prefixes with a code, which is their place plus one. They are in order, so that packed ids compare as
// the ids do.
var prefixes = [...]lukasa.Prefix{
	lukasa.PrefixChunk, lukasa.PrefixConversation, lukasa.PrefixDocument, lukasa.PrefixEdge, lukasa.PrefixEntity, lukasa.PrefixEvent,
	lukasa.PrefixFile, lukasa.PrefixJob, lukasa.PrefixKey, lukasa.PrefixMemory, lukasa.PrefixMessage, lukasa.PrefixNode, lukasa.PrefixUser,
}

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// crockfordOf has for each byte its place in crockford plus one, or 0.
var crockfordOf = func() (t [256]uint8) {
	for i, c := range []byte(crockford) {
		t[c] = uint8(i + 1)
	}
	return t
}()

// Pack packs an id; ok is false for one that does not come back the same.
func Pack(id lukasa.ID) (p Packed, ok bool) {
	if id == "" {
		return Packed{}, true
	}
	i := strings.LastIndexByte(string(id), '_')
	if i < 0 || len(id)-i != 27 || id[i+1] > '7' {
		return Packed{}, false
	}
	for n, x := range prefixes {
		if string(x) == string(id[:i]) {
			p.Code = uint8(n + 1)
		}
	}
	if p.Code == 0 {
		return Packed{}, false
	}
	for _, c := range []byte(id[i+1:]) {
		v := uint64(crockfordOf[c])
		if v == 0 {
			return Packed{}, false
		}
		p.hi = p.hi<<5 | p.lo>>59
		p.lo = p.lo<<5 | (v - 1)
	}
	return p, true
}

// appendID appends the text of a packed id that is not odd.
func appendID(dst []byte, p Packed) []byte {
	if p.Code == 0 {
		return dst
	}
	dst = append(dst, prefixes[p.Code-1]...)
	dst = append(dst, '_')
	var text [26]byte
	v := p.lo
	for i := 25; i >= 14; i-- {
		text[i], v = crockford[v&31], v>>5
	}
	v = p.lo>>60 | p.hi<<4
	for i := 13; i >= 2; i-- {
		text[i], v = crockford[v&31], v>>5
	}
	text[1], text[0] = crockford[p.hi>>56&31], crockford[p.hi>>61]
	return append(dst, text[:]...)
}

// Compare orders ids that are not odd as their texts.
func (p Packed) Compare(o Packed) int {
	switch {
	case p.Code != o.Code:
		return cmp.Compare(p.Code, o.Code)
	case p.hi != o.hi:
		return cmp.Compare(p.hi, o.hi)
	}
	return cmp.Compare(p.lo, o.lo)
}

func (p Packed) hash() uint32 {
	h := (p.hi ^ p.lo<<17 ^ p.lo>>13 ^ uint64(p.Code)) * 0x9e3779b97f4a7c15
	return uint32((h ^ p.lo*0xbf58476d1ce4e5b9) >> 32)
}

// IDOf returns the text of an id.
func (v *View) IDOf(p Packed) lukasa.ID {
	if p.Code == Odd {
		return lukasa.ID(v.odds[p.lo])
	}
	return lukasa.ID(appendID(nil, p))
}

// AppendID appends the text of an id.
func (v *View) AppendID(dst []byte, p Packed) []byte {
	if p.Code == Odd {
		return append(dst, v.odds[p.lo]...)
	}
	return appendID(dst, p)
}

// TextLen returns the length of the text of an id.
func (v *View) TextLen(p Packed) int {
	switch p.Code {
	case Odd:
		return len(v.odds[p.lo])
	case 0:
		return 0
	}
	return len(prefixes[p.Code-1]) + 27
}
