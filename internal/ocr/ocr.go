// Package ocr reads what is written on a picture by the program tesseract: it chooses languages and orientation, drops what the
// program is not sure of, and puts lines together to paragraphs.
package ocr

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Run runs tesseract with arguments and a picture on its standard input, and returns what it prints.
type Run func(ctx context.Context, args []string, picture []byte) ([]byte, error)

// Options say how to read. The zero value is good for clean scans.
type Options struct {
	Languages []string // as tesseract calls them, from [Languages]; none: its default
	Least     float64  // confidence from 0 to 100 below which a word is dropped; 0: 30
	Dots      int      // to the inch, if the picture does not say; 0: the program guesses
}

// Text is what was read.
type Text struct {
	Text       string  // paragraphs apart by an empty line; "" if nothing was sure enough
	Confidence float64 // mean over the letters kept, 0 to 100
	Words      int
	Dropped    int // words that were not sure enough
	Languages  string
}

// maxLanguages bounds how many languages are tried at once: each costs its own time.
const maxLanguages = 4

// Languages asks the program which languages it knows: English first, at most four, without its tables for scripts and
// orientation.
func Languages(ctx context.Context, run Run) ([]string, error) {
	out, err := run(ctx, []string{"--list-langs"}, nil)
	if err != nil {
		return nil, fmt.Errorf("list languages of tesseract: %w", err)
	}
	return parseLanguages(string(out)), nil
}

func parseLanguages(s string) []string {
	var langs []string
	for l := range strings.Lines(s) {
		l = strings.TrimSpace(l)
		if l == "" || l == "osd" || l == "equ" || l == "snum" || strings.ContainsAny(l, " :/\"") || strings.HasSuffix(l, "_old") {
			continue
		}
		langs = append(langs, l)
	}
	slices.SortStableFunc(langs, func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == "eng":
			return -1
		case b == "eng":
			return 1
		}
		return strings.Compare(a, b)
	})
	return langs[:min(len(langs), maxLanguages)]
}

// Read reads a picture: PNG, JPEG, TIFF, BMP, GIF or WebP, whatever the program was built with. It turns pages that stand on
// their side or head.
func Read(ctx context.Context, run Run, picture []byte, o Options) (Text, error) {
	args := []string{"stdin", "stdout"}
	if len(o.Languages) > 0 {
		args = append(args, "-l", strings.Join(o.Languages, "+"))
	}
	if o.Dots > 0 {
		args = append(args, "--dpi", strconv.Itoa(o.Dots))
	}
	read := func(mode string, least float64) (Text, error) {
		out, err := run(ctx, append(slices.Clone(args), "--psm", mode, "tsv"), picture)
		if err != nil {
			return Text{}, fmt.Errorf("read picture by tesseract: %w", err)
		}
		t := parse(string(out), least)
		t.Languages = strings.Join(o.Languages, "+")
		return t, nil
	}
	best, err := read(pageMode, o.Least)
	if err != nil && ctx.Err() == nil { // without its table for orientation the program refuses the first way
		best, err = read(plainMode, o.Least)
	}
	if err != nil {
		return Text{}, err
	}
	if best.Words < few {
		if t, err := read(columnMode, o.Least); err == nil && t.weight() > 1.03*best.weight() {
			best = t
		}
	}
	if best.Words == 0 {
		if t, err := read(sparseMode, max(o.Least, 60)); err == nil {
			best = t
		}
	}
	return best, ctx.Err()
}

// Ways in which the program looks for text (--psm).
const (
	pageMode   = "1"  // a page, whose orientation and columns are found first
	plainMode  = "3"  // the same, standing upright
	columnMode = "4"  // one column of lines of all sizes: a receipt, whose prices the first way takes for dirt
	sparseMode = "11" // words anywhere, as on the photograph of a street
)

// few is how many words are so few that another way is tried.
const few = 150

// weight is how much was read, and how surely.
func (t Text) weight() float64 { return t.Confidence * float64(utf8.RuneCountInString(t.Text)) }

// word is one row of the program's table that holds text.
type word struct {
	block, par, line int
	left, right      int
	confidence       float64
	text             string
}

// parse reads the table (level, page, block, paragraph, line, word, left, top, width, height, confidence, text; apart by
// tabs). Level 5 rows are words. A line whose words are unsure on average goes as a whole: it is texture, not text.
func parse(tsv string, least float64) Text {
	if least == 0 {
		least = 30
	}
	var lines [][]word
	for l := range strings.Lines(tsv) {
		w, ok := readWord(strings.TrimRight(l, "\r\n"))
		if !ok {
			continue
		}
		if n := len(lines); n > 0 && sameLine(lines[n-1][0], w) {
			lines[n-1] = append(lines[n-1], w)
		} else {
			lines = append(lines, []word{w})
		}
	}
	var t Text
	var kept [][]word
	sum, letters := 0.0, 0
	for _, l := range lines {
		lineSum, lineLetters := 0.0, 0
		var sure []word
		for _, w := range l {
			n := utf8.RuneCountInString(w.text)
			lineSum, lineLetters = lineSum+w.confidence*float64(n), lineLetters+n
			if w.confidence >= least {
				sure = append(sure, w)
			}
		}
		mean := lineSum / float64(max(lineLetters, 1))
		if mean < least+10 || !hasLetter(sure) {
			t.Dropped += len(l)
			continue
		}
		t.Dropped += len(l) - len(sure)
		t.Words += len(sure)
		for _, w := range sure {
			n := utf8.RuneCountInString(w.text)
			sum, letters = sum+w.confidence*float64(n), letters+n
		}
		kept = append(kept, sure)
	}
	if letters > 0 {
		t.Confidence = sum / float64(letters)
	}
	t.Text = paragraphs(kept)
	return t
}

func sameLine(a, b word) bool { return a.block == b.block && a.par == b.par && a.line == b.line }

func hasLetter(words []word) bool {
	for _, w := range words {
		if strings.IndexFunc(w.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
			return true
		}
	}
	return false
}

func readWord(l string) (word, bool) {
	f := strings.SplitN(l, "\t", 12)
	if len(f) < 12 || f[0] != "5" {
		return word{}, false
	}
	var n [4]int
	for i, at := range []int{2, 3, 4, 6} {
		v, err := strconv.Atoi(f[at])
		if err != nil {
			return word{}, false
		}
		n[i] = v
	}
	width, err1 := strconv.Atoi(f[8])
	conf, err2 := strconv.ParseFloat(f[10], 64)
	text := strings.TrimSpace(strings.ToValidUTF8(f[11], ""))
	if err1 != nil || err2 != nil || !(conf >= 0 && conf <= 100) || text == "" {
		return word{}, false
	}
	return word{block: n[0], par: n[1], line: n[2], left: n[3], right: n[3] + width, confidence: conf, text: text}, true
}

// paragraphs joins lines. A long line that reaches the right edge of its paragraph runs on into the next one; a shorter one,
// as on a receipt, stands by itself.
func paragraphs(lines [][]word) string {
	var b strings.Builder
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && lines[end][0].block == lines[i][0].block && lines[end][0].par == lines[i][0].par {
			end++
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(paragraph(lines[i:end]))
		i = end
	}
	return b.String()
}

func paragraph(lines [][]word) string {
	left, right := lines[0][0].left, 0
	for _, l := range lines {
		left, right = min(left, l[0].left), max(right, l[len(l)-1].right)
	}
	var b strings.Builder
	for i, l := range lines {
		text := lineText(l)
		if i == len(lines)-1 {
			b.WriteString(text)
			break
		}
		next := lines[i+1][0].text
		r, _ := utf8.DecodeRuneInString(next)
		full := float64(right-l[len(l)-1].right) < 0.15*float64(right-left) && utf8.RuneCountInString(text) >= 36
		stem, cut := strings.CutSuffix(text, "-")
		last, _ := utf8.DecodeLastRuneInString(stem)
		switch {
		case cut && full && unicode.IsLetter(last) && unicode.IsLower(r):
			b.WriteString(stem)
		case full:
			b.WriteString(text + " ")
		default:
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// lineText joins the words of a line: with spaces, but between characters of scripts that have none.
func lineText(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			last, _ := utf8.DecodeLastRuneInString(words[i-1].text)
			first, _ := utf8.DecodeRuneInString(w.text)
			if !unicode.In(last, unicode.Han, unicode.Hiragana, unicode.Katakana) || !unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w.text)
	}
	return b.String()
}
