package local

import (
	"cmp"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// packed is an id in 17 bytes: the 128 bits of its UUID and a code for its prefix.
type packed struct {
	hi, lo uint64
	code   uint8
}

// Code 0 is the empty id; code odd is an id of another form, whose number in a table of texts is lo.
const odd = 255

// prefixes are the prefixes with a code, which is their place plus one. They are in order, so that packed ids compare as
// the ids do.
var prefixes = [...]lukasa.Prefix{
	lukasa.PrefixChunk, lukasa.PrefixConversation, lukasa.PrefixDocument, lukasa.PrefixEdge, lukasa.PrefixEntity, lukasa.PrefixEvent,
	lukasa.PrefixFile, lukasa.PrefixJob, lukasa.PrefixKey, lukasa.PrefixMemory, lukasa.PrefixMessage, lukasa.PrefixNode, lukasa.PrefixUser,
}

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// pack packs an id; ok is false for one that does not come back the same.
func pack(id lukasa.ID) (p packed, ok bool) {
	if id == "" {
		return packed{}, true
	}
	i := strings.LastIndexByte(string(id), '_')
	if i < 0 || len(id)-i != 27 || id[i+1] > '7' {
		return packed{}, false
	}
	for n, x := range prefixes {
		if string(x) == string(id[:i]) {
			p.code = uint8(n + 1)
		}
	}
	if p.code == 0 {
		return packed{}, false
	}
	for _, c := range []byte(id[i+1:]) {
		v := strings.IndexByte(crockford, c)
		if v < 0 {
			return packed{}, false
		}
		p.hi = p.hi<<5 | p.lo>>59
		p.lo = p.lo<<5 | uint64(v)
	}
	return p, true
}

// appendID appends the text of a packed id that is not odd.
func appendID(dst []byte, p packed) []byte {
	if p.code == 0 {
		return dst
	}
	dst = append(dst, prefixes[p.code-1]...)
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

// compare orders ids that are not odd as their texts.
func (p packed) compare(o packed) int {
	return cmp.Or(cmp.Compare(p.code, o.code), cmp.Compare(p.hi, o.hi), cmp.Compare(p.lo, o.lo))
}

func (p packed) hash() uint32 {
	h := (p.hi ^ p.lo<<17 ^ p.lo>>13 ^ uint64(p.code)) * 0x9e3779b97f4a7c15
	return uint32((h ^ p.lo*0xbf58476d1ce4e5b9) >> 32)
}
