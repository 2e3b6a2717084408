package pdf

import (
	"bytes"
	"strings"

	xencoding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// font turns the strings that are shown into text with widths.
type font struct {
	composite bool
	enc       encoding
	toText    *cmap              // the ToUnicode map, nil if there is none
	codes     *cmap              // of a composite font: codes to numbers
	unicode   bool               // of a composite font: its codes are UTF-16
	charset   xencoding.Encoding // of a composite font: its codes are of an old character set
	widths    map[int]float64    // by code, or by number in a composite font, in em
	width     float64            // of what is not among them
	ascent    float64            // in em
	descent   float64            // in em, below zero
	scale     float64            // of a Type 3 font: what a unit of its width is in em; else 1
}

// unknown stands for a glyph of which nobody says what it means.
const unknown = "\ufffd"

// font returns the font that v describes, from the cache where v is a reference.
func (r *reader) font(v any) *font {
	at, isRef := v.(ref)
	if isRef {
		if f, ok := r.fonts[at]; ok {
			return f
		}
	}
	d, _ := r.resolve(v).(dict)
	f := r.readFont(d)
	if isRef {
		r.fonts[at] = f
	}
	return f
}

func (r *reader) readFont(d dict) *font {
	f := &font{widths: map[int]float64{}, width: 0.5, ascent: 0.75, descent: -0.25, scale: 1}
	if s, ok := r.resolve(d["ToUnicode"]).(*stream); ok {
		b, _ := r.decode(s)
		f.toText = readCMap(b, r.bud)
	}
	subtype, _ := r.resolve(d["Subtype"]).(name)
	if subtype == "Type0" {
		r.readComposite(f, d)
		return f
	}
	base, _ := r.resolve(d["BaseFont"]).(name)
	desc, _ := r.resolve(d["FontDescriptor"]).(dict)
	r.readHeights(f, desc)
	r.readEncoding(f, d, desc, string(base))
	if w, ok := r.resolve(desc["MissingWidth"]).(float64); ok {
		f.width = w / 1000
	}
	if subtype == "Type3" {
		if m := r.numbers(d["FontMatrix"]); len(m) == 6 && m[0] != 0 {
			f.scale = m[0] * 1000
		}
	}
	first, _ := integer(r.resolve(d["FirstChar"]))
	widths, _ := r.resolve(d["Widths"]).(array)
	for i, v := range widths[:min(len(widths), 256)] {
		if w, ok := r.resolve(v).(float64); ok {
			f.widths[first+i] = w / 1000
		}
	}
	if len(f.widths) == 0 {
		standardWidths(f, string(base))
	}
	return f
}

func (r *reader) readHeights(f *font, desc dict) {
	if a, ok := r.resolve(desc["Ascent"]).(float64); ok && a > 300 && a < 1500 {
		f.ascent = a / 1000
	}
	if d, ok := r.resolve(desc["Descent"]).(float64); ok && d < 0 && d > -800 {
		f.descent = d / 1000
	}
}

// readEncoding puts together what the codes of a simple font mean (9.6.6).
func (r *reader) readEncoding(f *font, d, desc dict, base string) {
	var differences array
	e := r.resolve(d["Encoding"])
	switch e := e.(type) {
	case name:
		f.enc = baseEncoding(e)
	case dict:
		b, _ := r.resolve(e["BaseEncoding"]).(name)
		if b == "" {
			f.enc = r.builtin(desc, base)
		} else {
			f.enc = baseEncoding(b)
		}
		differences, _ = r.resolve(e["Differences"]).(array)
	default:
		f.enc = r.builtin(desc, base)
	}
	at := 0
	for _, v := range differences {
		switch v := r.resolve(v).(type) {
		case float64:
			at, _ = integer(v)
		case name:
			if at >= 0 && at < 256 {
				if t := glyphText(string(v)); t != "" {
					f.enc[at] = t
				} else if v == ".notdef" {
					f.enc[at] = ""
				} else {
					f.enc[at] = unknown
				}
			}
			at++
		}
	}
}

// builtin is the encoding that a font has by itself.
func (r *reader) builtin(desc dict, base string) encoding {
	switch {
	case strings.HasSuffix(base, "Symbol"):
		return baseEncoding("Symbol")
	case strings.HasSuffix(base, "ZapfDingbats"):
		var e encoding
		for c := 0x21; c < 0x100; c++ {
			e[c] = "•"
		}
		e[0x20], e[0x33], e[0x34], e[0x35], e[0x36] = " ", "✓", "✔", "✕", "✖"
		return e
	}
	if s, ok := r.resolve(desc["FontFile"]).(*stream); ok { // a Type 1 font lists its codes in clear text
		e := baseEncoding("StandardEncoding")
		b, _ := r.decode(s)
		if i := bytes.Index(b, []byte("eexec")); i >= 0 {
			b = b[:i]
		}
		l := lexer{b: b, bud: r.bud}
		for v := l.object(0); v != eof; v = l.object(0) {
			if v != op("dup") {
				continue
			}
			c, ok1 := integer(l.object(0))
			n, ok2 := l.object(0).(name)
			if ok1 && ok2 && c >= 0 && c < 256 {
				if t := glyphText(string(n)); t != "" {
					e[c] = t
				}
			}
		}
		return e
	}
	return baseEncoding("")
}

// readComposite reads a Type 0 font (9.7).
func (r *reader) readComposite(f *font, d dict) {
	f.composite, f.width = true, 1
	kids := r.list(d["DescendantFonts"])
	var kid dict
	if len(kids) > 0 {
		kid, _ = r.resolve(kids[0]).(dict)
	}
	desc, _ := r.resolve(kid["FontDescriptor"]).(dict)
	r.readHeights(f, desc)
	if w, ok := r.resolve(kid["DW"]).(float64); ok {
		f.width = w / 1000
	}
	r.readNumberWidths(f, kid)
	switch e := r.resolve(d["Encoding"]).(type) {
	case *stream:
		b, _ := r.decode(e)
		f.codes = readCMap(b, r.bud)
	case name:
		n := string(e)
		switch {
		case strings.Contains(n, "UTF16"), strings.Contains(n, "UCS2"):
			f.unicode = true
		case strings.Contains(n, "RKSJ"):
			f.charset = japanese.ShiftJIS
		case strings.HasPrefix(n, "EUC-"):
			f.charset = japanese.EUCJP
		case strings.HasPrefix(n, "GB"):
			f.charset = simplifiedchinese.GB18030
		case strings.Contains(n, "B5"):
			f.charset = traditionalchinese.Big5
		case strings.HasPrefix(n, "KSC"):
			f.charset = korean.EUCKR
		}
	}
}

// readNumberWidths reads the W array: "c [w1 w2 …]" and "from to w".
func (r *reader) readNumberWidths(f *font, kid dict) {
	w, _ := r.resolve(kid["W"]).(array)
	for i := 0; i+1 < len(w); {
		r.bud.step()
		from, ok := integer(r.resolve(w[i]))
		if !ok {
			return
		}
		switch v := r.resolve(w[i+1]).(type) {
		case array:
			for k, e := range v {
				if x, ok := r.resolve(e).(float64); ok && len(f.widths) < maxCodes {
					f.widths[from+k] = x / 1000
				}
			}
			i += 2
		case float64:
			to, _ := integer(v)
			if i+2 >= len(w) {
				return
			}
			x, _ := r.resolve(w[i+2]).(float64)
			for c := from; c <= to && c-from < 1<<16 && len(f.widths) < maxCodes; c++ {
				r.bud.step()
				f.widths[c] = x / 1000
			}
			i += 3
		default:
			return
		}
	}
}

// shown is one glyph of a string.
type shown struct {
	text  string
	width float64 // in em
	space bool    // it is the single byte 32, which word spacing widens
}

// each hands on the glyphs of a string.
func (f *font) each(s str, yield func(shown)) {
	if !f.composite {
		for i := range len(s) {
			c := s[i]
			g := shown{text: f.enc[c], width: f.width, space: c == ' '}
			if w, ok := f.widths[int(c)]; ok {
				g.width = w
			}
			if f.toText != nil {
				if t, ok := f.toText.text(uint32(c)); ok {
					g.text = t
				}
			}
			g.width *= f.scale
			yield(g)
		}
		return
	}
	for len(s) > 0 {
		c, n := f.code(s)
		if n == 0 {
			return
		}
		g := shown{text: unknown, width: f.width, space: n == 1 && c == ' '}
		number := int(c)
		if f.codes != nil {
			number = f.codes.cid(c)
		}
		if w, ok := f.widths[number]; ok {
			g.width = w
		}
		if t, ok := f.text(c, s[:n]); ok {
			g.text = t
		}
		yield(g)
		s = s[n:]
	}
}

// code cuts the next code off a string of a composite font.
func (f *font) code(s str) (uint32, int) {
	switch {
	case f.charset != nil:
		if s[0] < 0x80 || f.charset == japanese.ShiftJIS && s[0] >= 0xa0 && s[0] < 0xe0 {
			return uint32(s[0]), 1
		}
		n := min(2, len(s))
		return code(s[:n]), n
	case f.unicode:
		if len(s) >= 4 && s[0] >= 0xd8 && s[0] < 0xdc {
			return code(s[:4]), 4
		}
		n := min(2, len(s))
		return code(s[:n]), n
	}
	return f.codes.next(s, 2)
}

func (f *font) text(c uint32, s str) (string, bool) {
	if f.toText != nil {
		if t, ok := f.toText.text(c); ok {
			return t, true
		}
	}
	switch {
	case f.unicode:
		return utf16String(string(s), true), true
	case f.charset != nil:
		t, err := f.charset.NewDecoder().String(string(s))
		return t, err == nil
	}
	return "", false
}

// The widths of printable ASCII in Helvetica and Times, which files of old use without saying them; in thousandths of an em.
const (
	helvetica = "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 " +
		"1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 " +
		"333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
	times = "250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 500 500 500 500 500 500 500 500 500 500 278 278 564 564 564 444 " +
		"921 722 667 667 722 611 556 722 722 333 389 722 611 889 722 722 556 722 667 556 611 722 722 944 722 722 611 333 278 333 469 500 " +
		"333 444 500 444 500 444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 278 500 500 722 500 500 444 480 200 480 541"
)

func standardWidths(f *font, base string) {
	table := ""
	switch {
	case strings.Contains(base, "Courier"):
		f.width = 0.6
	case strings.Contains(base, "Times"):
		table = times
	case strings.Contains(base, "Helvetica"), strings.Contains(base, "Arial"):
		table = helvetica
	}
	c := 0x20
	for w := range strings.FieldsSeq(table) {
		n, _, _ := number([]byte(w))
		f.widths[c] = n / 1000
		c++
	}
}
