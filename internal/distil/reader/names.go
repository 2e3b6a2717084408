package reader

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// findNames joins the tags of tokens to names. The first token of a word decides for the whole word; a word whose tag says that it goes
// on joins the name before it, and so does each word behind an initial. models/reader/README.md has the rules.
func (r *model) findNames(w window, states []float32, text string) []Name {
	words := wordsOf(w, text)
	if len(words) == 0 {
		return nil
	}
	var rows []float32
	for _, x := range words {
		rows = append(rows, states[x.token*width:(x.token+1)*width]...)
	}
	logits := apply(r.name, rows)
	labels := len(r.about.Name.Labels)
	var out []Name
	open, count := false, 0 // whether the last name may go on, and its words
	for i, x := range words {
		p := softmax(logits[i*labels:(i+1)*labels], 1)
		kind, figure, all := r.likeliestKind(p)
		if p[0] >= all || figure < p[0] {
			open = false
			continue
		}
		goesOn := p[2+2*kind] > p[1+2*kind]
		if open {
			last := &out[len(out)-1]
			near := !strings.Contains(text[last.End:x.start], "\n")
			if last.Kind == r.kinds[kind] && near && (goesOn || isInitial(text[last.Start:last.End])) {
				last.End = x.end
				last.Confidence = (last.Confidence*float64(count) + figure) / float64(count+1)
				count++
				continue
			}
		}
		open, count = true, 1
		out = append(out, Name{Start: x.start, End: x.end, Kind: r.kinds[kind], Confidence: figure})
	}
	for i := range out {
		r.tidy(&out[i], text)
	}
	return slices.DeleteFunc(out, func(n Name) bool {
		signs := 0
		for _, c := range text[n.Start:n.End] {
			if isWordRune(c) {
				signs++
			}
		}
		return signs < 2 || n.Confidence < r.about.Name.Level
	})
}

// likeliestKind returns the likeliest kind of name, its probability and that of all kinds together.
func (r *model) likeliestKind(p []float64) (kind int, figure, all float64) {
	for k := range r.kinds {
		q := p[1+2*k] + p[2+2*k]
		if all += q; q > figure {
			kind, figure = k, q
		}
	}
	return kind, figure, all
}

// taggedWord is a word of a window with its first token, which carries its tag.
type taggedWord struct{ start, end, token int }

func wordsOf(w window, text string) []taggedWord {
	var words []taggedWord
	for i, s := range w.spans {
		if s.start < 0 || s.end <= s.start {
			continue
		}
		if n := len(words); n > 0 && s.start == words[n-1].end && joins(text, s.start) {
			words[n-1].end = s.end
			continue
		}
		words = append(words, taggedWord{s.start, s.end, i})
	}
	return words
}

// tidy drops signs at both ends of a name and titles in front of a person. A full stop stays behind a letter that stands alone.
func (r *model) tidy(n *Name, text string) {
	n.Start = n.End - len(strings.TrimLeftFunc(text[n.Start:n.End], isSign))
	for n.Start < n.End {
		c, size := utf8.DecodeLastRuneInString(text[n.Start:n.End])
		if isWordRune(c) || c == '.' && endsWithInitial(text[n.Start:n.End-size]) {
			break
		}
		n.End -= size
	}
	for n.Kind == "person" {
		rest := text[n.Start:n.End]
		end := strings.IndexFunc(rest, func(c rune) bool { return !isWordRune(c) && c != '_' })
		if end <= 0 || !slices.Contains(r.about.Name.Titles, strings.ToLower(rest[:end])) {
			break
		}
		behind := strings.TrimPrefix(rest[end:], ".")
		name := strings.TrimLeftFunc(behind, unicode.IsSpace)
		if name == behind {
			break
		}
		n.Start = n.End - len(name)
	}
}

func isSign(c rune) bool { return !isWordRune(c) }

// isInitial reports whether a name is one letter, with or without a full stop.
func isInitial(s string) bool {
	c, n := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(c) && (s[n:] == "" || s[n:] == ".")
}

// endsWithInitial reports whether the last word of s is one letter.
func endsWithInitial(s string) bool {
	c, n := utf8.DecodeLastRuneInString(s)
	before, size := utf8.DecodeLastRuneInString(s[:len(s)-n])
	return unicode.IsLetter(c) && (size == 0 || !isWordRune(before))
}

// joins reports whether the characters on both sides of a place belong to one word.
func joins(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return isWordRune(before) && isWordRune(after)
}

func isWordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }
