package pdf

import (
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// glyphNames are the names of characters in fonts that do not follow from a letter and its accent (see glyphText).
var glyphNames = map[string]rune{
	"space": ' ', "nbspace": ' ', "exclam": '!', "quotedbl": '"', "numbersign": '#', "dollar": '$', "percent": '%', "ampersand": '&',
	"quotesingle": '\'', "quoteright": '’', "quoteleft": '‘', "parenleft": '(', "parenright": ')', "asterisk": '*', "plus": '+', "comma": ',',
	"hyphen": '-', "minus": '−', "period": '.', "slash": '/', "zero": '0', "one": '1', "two": '2', "three": '3', "four": '4', "five": '5',
	"six": '6', "seven": '7', "eight": '8', "nine": '9', "colon": ':', "semicolon": ';', "less": '<', "equal": '=', "greater": '>',
	"question": '?', "at": '@', "bracketleft": '[', "backslash": '\\', "bracketright": ']', "asciicircum": '^', "underscore": '_', "grave": '`',
	"braceleft": '{', "bar": '|', "braceright": '}', "asciitilde": '~', "exclamdown": '¡', "cent": '¢', "sterling": '£', "fraction": '⁄',
	"yen": '¥', "florin": 'ƒ', "section": '§', "currency": '¤', "quotedblleft": '“', "quotedblright": '”', "guillemotleft": '«',
	"guillemotright": '»', "guilsinglleft": '‹', "guilsinglright": '›', "endash": '–', "emdash": '—', "dagger": '†', "daggerdbl": '‡',
	"periodcentered": '·', "middot": '·', "paragraph": '¶', "bullet": '•', "quotesinglbase": '‚', "quotedblbase": '„', "ellipsis": '…',
	"perthousand": '‰', "questiondown": '¿', "acute": '´', "circumflex": 'ˆ', "tilde": '˜', "macron": '¯', "breve": '˘', "dotaccent": '˙',
	"dieresis": '¨', "ring": '˚', "cedilla": '¸', "hungarumlaut": '˝', "ogonek": '˛', "caron": 'ˇ', "AE": 'Æ', "ae": 'æ', "OE": 'Œ', "oe": 'œ',
	"ordfeminine": 'ª', "ordmasculine": 'º', "Lslash": 'Ł', "lslash": 'ł', "Oslash": 'Ø', "oslash": 'ø', "germandbls": 'ß', "dotlessi": 'ı',
	"dotlessj": 'ȷ', "Eth": 'Ð', "eth": 'ð', "Thorn": 'Þ', "thorn": 'þ', "Dcroat": 'Đ', "dcroat": 'đ', "Hbar": 'Ħ', "hbar": 'ħ', "Tbar": 'Ŧ',
	"tbar": 'ŧ', "Eng": 'Ŋ', "eng": 'ŋ', "kgreenlandic": 'ĸ', "longs": 'ſ', "Germandbls": 'ẞ', "mu": 'µ', "brokenbar": '¦', "copyright": '©',
	"logicalnot": '¬', "registered": '®', "degree": '°', "plusminus": '±', "twosuperior": '²', "threesuperior": '³', "onesuperior": '¹',
	"onequarter": '¼', "onehalf": '½', "threequarters": '¾', "multiply": '×', "divide": '÷', "Euro": '€', "euro": '€', "trademark": '™',
	"ff": 'ﬀ', "fi": 'ﬁ', "fl": 'ﬂ', "ffi": 'ﬃ', "ffl": 'ﬄ', "ft": 'ﬅ', "st": 'ﬆ', "sfthyphen": '\u00ad', "softhyphen": '\u00ad',
	"Alpha": 'Α', "Beta": 'Β', "Gamma": 'Γ', "Delta": 'Δ', "Epsilon": 'Ε', "Zeta": 'Ζ', "Eta": 'Η', "Theta": 'Θ', "Iota": 'Ι', "Kappa": 'Κ',
	"Lambda": 'Λ', "Mu": 'Μ', "Nu": 'Ν', "Xi": 'Ξ', "Omicron": 'Ο', "Pi": 'Π', "Rho": 'Ρ', "Sigma": 'Σ', "Tau": 'Τ', "Upsilon": 'Υ',
	"Phi": 'Φ', "Chi": 'Χ', "Psi": 'Ψ', "Omega": 'Ω', "alpha": 'α', "beta": 'β', "gamma": 'γ', "delta": 'δ', "epsilon": 'ε', "zeta": 'ζ',
	"eta": 'η', "theta": 'θ', "iota": 'ι', "kappa": 'κ', "lambda": 'λ', "nu": 'ν', "xi": 'ξ', "omicron": 'ο', "pi": 'π', "rho": 'ρ',
	"sigma": 'σ', "sigma1": 'ς', "tau": 'τ', "upsilon": 'υ', "phi": 'φ', "phi1": 'ϕ', "chi": 'χ', "psi": 'ψ', "omega": 'ω', "theta1": 'ϑ',
	"omega1": 'ϖ', "universal": '∀', "existential": '∃', "suchthat": '∋', "asteriskmath": '∗', "congruent": '≅', "therefore": '∴',
	"perpendicular": '⊥', "similar": '∼', "lessequal": '≤', "greaterequal": '≥', "infinity": '∞', "club": '♣', "diamond": '♦', "heart": '♥',
	"spade": '♠', "arrowboth": '↔', "arrowleft": '←', "arrowup": '↑', "arrowright": '→', "arrowdown": '↓', "minute": '′', "second": '″',
	"proportional": '∝', "partialdiff": '∂', "notequal": '≠', "equivalence": '≡', "approxequal": '≈', "aleph": 'ℵ', "Ifraktur": 'ℑ',
	"Rfraktur": 'ℜ', "weierstrass": '℘', "circlemultiply": '⊗', "circleplus": '⊕', "emptyset": '∅', "intersection": '∩', "union": '∪',
	"propersuperset": '⊃', "reflexsuperset": '⊇', "notsubset": '⊄', "propersubset": '⊂', "reflexsubset": '⊆', "element": '∈',
	"notelement": '∉', "angle": '∠', "gradient": '∇', "product": '∏', "radical": '√', "dotmath": '⋅', "logicaland": '∧', "logicalor": '∨',
	"arrowdblboth": '⇔', "arrowdblleft": '⇐', "arrowdblup": '⇑', "arrowdblright": '⇒', "arrowdbldown": '⇓', "lozenge": '◊',
	"summation": '∑', "integral": '∫', "checkmark": '✓', "figuredash": '‒', "visiblespace": '␣', "increment": '∆', "estimated": '℮',
	"afii10023": 'Ё', "afii10071": 'ё', "afii61352": '№',
}

// accents are the endings of names such as "eacute", as combining marks.
var accents = map[string]rune{
	"grave": 0x300, "acute": 0x301, "circumflex": 0x302, "tilde": 0x303, "macron": 0x304, "breve": 0x306, "dotaccent": 0x307, "dot": 0x307,
	"dieresis": 0x308, "ring": 0x30a, "hungarumlaut": 0x30b, "caron": 0x30c, "cedilla": 0x327, "commaaccent": 0x327, "ogonek": 0x328,
	"horn": 0x31b, "dotbelow": 0x323, "tonos": 0x301,
}

// glyphText turns the name of a glyph into text, by the rules of the Adobe Glyph List: "eacute", "uni00E9", "u1F600", "f_i",
// "a.sc". It returns "" for a name that says nothing.
func glyphText(n string) string {
	if n == "" || n == ".notdef" || len(n) > 64 {
		return ""
	}
	if n, _, _ = strings.Cut(n, "."); n == "" {
		return ""
	}
	if parts := strings.Split(n, "_"); len(parts) > 1 {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(glyphText(p))
		}
		return b.String()
	}
	if r, ok := glyphNames[n]; ok {
		return string(r)
	}
	if len(n) == 1 {
		return n
	}
	if s := hexName(n); s != "" {
		return s
	}
	if d, ok := strings.CutPrefix(n, "afii100"); ok {
		if v, err := strconv.Atoi(d); err == nil {
			switch { // Cyrillic; the letter that falls out of order is in the table
			case v >= 17 && v <= 22:
				return string(rune(0x410 + v - 17))
			case v >= 24 && v <= 49:
				return string(rune(0x410 + v - 18))
			case v >= 65 && v <= 70:
				return string(rune(0x430 + v - 65))
			case v >= 72 && v <= 97:
				return string(rune(0x430 + v - 66))
			}
		}
	}
	for end, mark := range accents {
		if base, ok := strings.CutSuffix(n, end); ok && base != "" {
			if s := glyphText(base); len([]rune(s)) == 1 {
				return norm.NFC.String(s + string(mark))
			}
		}
	}
	return ""
}

// hexName reads "uni20AC20AC" and "u20AC".
func hexName(n string) string {
	if h, ok := strings.CutPrefix(n, "uni"); ok && len(h) >= 4 && len(h)%4 == 0 {
		var b strings.Builder
		for ; h != ""; h = h[4:] {
			v, err := strconv.ParseUint(h[:4], 16, 16)
			if err != nil {
				return ""
			}
			b.WriteRune(rune(v))
		}
		return b.String()
	}
	if h, ok := strings.CutPrefix(n, "u"); ok && len(h) >= 4 && len(h) <= 6 {
		if v, err := strconv.ParseUint(h, 16, 21); err == nil && v <= 0x10ffff {
			return string(rune(v))
		}
	}
	return ""
}

// standardUpper is the upper half of Adobe's standard encoding, from 0xa1 on; a blank is a code without a character.
const standardUpper = "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß"

// symbolUpper and symbolLower are the encoding of the Symbol font, from 0x21 and from 0xa1 on.
const (
	symbolLower = "!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
	symbolUpper = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
)

// encoding is the text of each code of a simple font.
type encoding [256]string

// baseEncoding returns one of the named encodings: Windows' by default, as it is the superset that files use when they say
// nothing.
func baseEncoding(n name) (e encoding) {
	switch n {
	case "MacRomanEncoding", "MacExpertEncoding":
		return fromCharmap(charmap.Macintosh)
	case "StandardEncoding":
		for c := 0x20; c < 0x7f; c++ {
			e[c] = string(rune(c))
		}
		e['\''], e['`'] = "’", "‘"
		fill(&e, 0xa1, standardUpper)
		return e
	case "Symbol":
		fill(&e, 0x21, symbolLower)
		fill(&e, 0xa1, symbolUpper)
		e[0x20], e[0xa0] = " ", "€"
		return e
	}
	return fromCharmap(charmap.Windows1252)
}

func fill(e *encoding, at int, text string) {
	for _, r := range text {
		if at > 0xff {
			return
		}
		if r != ' ' {
			e[at] = string(r)
		}
		at++
	}
}

func fromCharmap(m *charmap.Charmap) (e encoding) {
	for c := 0x20; c < 0x100; c++ {
		if r := m.DecodeByte(byte(c)); r != 0xfffd && (r < 0x7f || r > 0x9f) {
			e[c] = string(r)
		}
	}
	e[0xad] = "-" // hyphen, which these fonts draw there
	if m == charmap.Macintosh {
		e[0xad] = "≠"
	}
	return e
}
