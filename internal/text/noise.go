package text

import "bytes"

const (
	noiseBytes = 24 // a shorter run may be a name
	noiseShare = 6  // a switch to another kind of byte in so many: random letters have one at every second, camelCase at every eighth
)

// The kinds of bytes of which base64, hex and ids are made.
const (
	byteOther = iota
	byteSign
	byteDigit
	byteLower
	byteUpper
)

// BlankNoise returns s with what no person writes letter by letter blanked, byte for byte: base64, keys, hashes, ids. Such a run says nothing of what
// a text is about, and where it has a capital it looks like a name.
func BlankNoise(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		start, switches, was := i, 0, byteOther
		for ; i < len(s); i++ {
			is := kindOf(s[i])
			if is == byteOther {
				break
			}
			if is != was && is > byteSign && was > byteSign && !(was == byteUpper && is == byteLower) {
				switches++
			}
			was = is
		}
		if i-start < noiseBytes || switches*noiseShare < i-start {
			continue
		}
		if out == nil {
			out = []byte(s)
		}
		copy(out[start:i], bytes.Repeat([]byte{' '}, i-start))
	}
	if out == nil {
		return s
	}
	return string(out)
}

func kindOf(c byte) int {
	switch {
	case c-'a' < 26:
		return byteLower
	case c-'A' < 26:
		return byteUpper
	case c-'0' < 10:
		return byteDigit
	case c == '+', c == '/', c == '=', c == '_', c == '-':
		return byteSign
	}
	return byteOther
}
