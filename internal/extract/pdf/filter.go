package pdf

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"io"
)

// decode returns the bytes of a stream, through its filters (ISO 32000-1, 7.4). What a damaged stream gave before it broke is
// kept. rest names the first filter that is of pictures and was not undone, "" when there is none.
func (r *reader) decode(s *stream) (out []byte, rest name) {
	out = s.raw
	if !s.open && r.cipher != nil {
		out = r.cipher.stream(s, out)
	}
	filters := r.list(s.dict["Filter"])
	params := r.list(s.dict["DecodeParms"])
	if len(filters) > 16 {
		return nil, ""
	}
	for i, f := range filters {
		var p dict
		if i < len(params) {
			p, _ = r.resolve(params[i]).(dict)
		}
		n, _ := r.resolve(f).(name)
		switch n {
		case "FlateDecode", "Fl":
			out = r.predict(r.inflate(out), p)
		case "LZWDecode", "LZW":
			early := 1
			if v, ok := integer(r.resolve(p["EarlyChange"])); ok {
				early = v
			}
			out = r.predict(r.unlzw(out, early), p)
		case "ASCIIHexDecode", "AHx":
			l := lexer{b: out, bud: r.bud}
			out = []byte(l.hex())
			r.bud.take(len(out))
		case "ASCII85Decode", "A85":
			out = r.ascii85(out)
		case "RunLengthDecode", "RL":
			out = r.runLength(out)
		case "Crypt":
		default:
			return out, n
		}
	}
	return out, ""
}

// list returns v as an array: of one element if it is none.
func (r *reader) list(v any) array {
	switch v := r.resolve(v).(type) {
	case nil:
		return nil
	case array:
		return v
	default:
		return array{v}
	}
}

// inflate undoes zlib's compression, and bare deflate where the header is missing.
func (r *reader) inflate(in []byte) []byte {
	for len(in) > 0 && isSpace(in[0]) && in[0] != 0 {
		in = in[1:]
	}
	var src io.Reader
	z, err := zlib.NewReader(bytes.NewReader(in))
	if err == nil {
		src = z
	} else {
		src = flate.NewReader(bytes.NewReader(in[min(len(in), 2):]))
	}
	var out []byte
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		r.bud.take(n)
		out = append(out, buf[:n]...)
		if len(out) > maxStream {
			panic(stop{ErrBudget})
		}
		if err != nil {
			return out
		}
	}
}

// unlzw undoes LZW as PDF and TIFF have it: codes of 9 to 12 bits, the first bit first; early is 1 where codes grow one early.
func (r *reader) unlzw(in []byte, early int) []byte {
	type entry struct {
		prev int
		last byte
		size int
	}
	const clearCode, endCode = 256, 257
	table := make([]entry, 258, 4096)
	for i := range 256 {
		table[i] = entry{-1, byte(i), 1}
	}
	var out []byte
	bits, acc, width, prev := 0, 0, 9, -1
	for _, c := range in {
		acc, bits = acc<<8|int(c), bits+8
		for bits >= width {
			code := acc >> (bits - width) & (1<<width - 1)
			bits -= width
			acc &= 1<<bits - 1
			switch {
			case code == endCode:
				return out
			case code == clearCode:
				table, width, prev = table[:258], 9, -1
				continue
			case code > len(table) || code == len(table) && prev < 0 || code >= 256 && code < 258:
				return out
			}
			start := len(out)
			src := code
			if code == len(table) {
				src = prev
			}
			n := table[src].size
			r.bud.take(n)
			out = append(out, make([]byte, n)...)
			for e, i := src, start+n-1; e >= 0 && i >= start; e, i = table[e].prev, i-1 {
				out[i] = table[e].last
			}
			first := out[start]
			if code == len(table) {
				out = append(out, first)
			}
			if prev >= 0 && len(table) < 4096 {
				table = append(table, entry{prev, first, table[prev].size + 1})
			}
			prev = code
			for width < 12 && len(table)+early >= 1<<width {
				width++
			}
		}
	}
	return out
}

func (r *reader) ascii85(in []byte) []byte {
	var out []byte
	var group [5]uint32
	n := 0
	flush := func() {
		if n < 2 && n != 0 {
			n = 0
			return
		}
		for i := n; i < 5; i++ {
			group[i] = 84
		}
		var v uint32
		for _, g := range group {
			v = v*85 + g
		}
		b := [4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
		out = append(out, b[:max(n-1, 0)]...)
		n = 0
	}
	for _, c := range in {
		switch {
		case c == '~':
			flush()
			r.bud.take(len(out))
			return out
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
		case c >= '!' && c <= 'u':
			group[n] = uint32(c - '!')
			if n++; n == 5 {
				flush()
			}
		}
	}
	flush()
	r.bud.take(len(out))
	return out
}

func (r *reader) runLength(in []byte) []byte {
	var out []byte
	for i := 0; i < len(in); {
		n := int(in[i])
		i++
		switch {
		case n == 128:
			return out
		case n < 128:
			end := min(i+n+1, len(in))
			r.bud.take(end - i)
			out = append(out, in[i:end]...)
			i = end
		case i < len(in):
			r.bud.take(257 - n)
			out = append(out, bytes.Repeat(in[i:i+1], 257-n)...)
			i++
		}
	}
	return out
}

// predict undoes the differences between neighbours that were taken before compression.
func (r *reader) predict(in []byte, p dict) []byte {
	get := func(k name, or int) int {
		if v, ok := integer(r.resolve(p[k])); ok {
			return v
		}
		return or
	}
	predictor, colors, bits, columns := get("Predictor", 1), get("Colors", 1), get("BitsPerComponent", 8), get("Columns", 1)
	if predictor < 2 || colors < 1 || colors > 64 || bits < 1 || bits > 32 || columns < 1 || columns > 1<<24 {
		return in
	}
	width := (colors*bits*columns + 7) / 8
	if width > 1<<20 {
		return in
	}
	step := max((colors*bits+7)/8, 1)
	if predictor == 2 {
		if bits == 8 {
			for row := 0; row+width <= len(in); row += width {
				for i := row + step; i < row+width; i++ {
					in[i] += in[i-step]
				}
			}
		}
		return in
	}
	out := make([]byte, 0, len(in))
	above := make([]byte, width)
	for len(in) > 1 {
		kind := in[0]
		row := make([]byte, width)
		n := copy(row, in[1:])
		in = in[1+n:]
		for i := range row {
			var left, up, corner byte
			if up = above[i]; i >= step {
				left, corner = row[i-step], above[i-step]
			}
			switch kind {
			case 1:
				row[i] += left
			case 2:
				row[i] += up
			case 3:
				row[i] += byte((int(left) + int(up)) / 2)
			case 4:
				row[i] += paeth(left, up, corner)
			}
		}
		out = append(out, row...)
		above = row
		r.bud.step()
	}
	return out
}

// paeth is PNG's predictor of that name.
func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
