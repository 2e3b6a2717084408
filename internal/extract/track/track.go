// Package track reads what was said over time: subtitles and captions as SubRip, WebVTT, SubViewer, SubStation Alpha and
// song texts.
//
// Cues are as short as a screen is wide; they are joined into paragraphs, one a speaker's turn or a pause apart, and each
// stretch keeps the time at which it begins as the place to cite.
package track

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// typeTranscript is the type of the output: package chunk cuts it between turns.
const typeTranscript = "transcript"

// Kinds lists what is read here.
func Kinds() []extract.Kind {
	return []extract.Kind{
		{
			Name: "webvtt", Types: []string{"vtt", "text/vtt"}, Extensions: []string{".vtt"},
			Looks: looksVTT, Extract: extractWith(readVTT),
		},
		{
			Name: "subrip", Types: []string{"srt", "application/x-subrip", "text/srt"}, Extensions: []string{".srt"},
			Looks: looks(srtOpening), Extract: extractWith(readSRT),
		},
		{
			Name: "subviewer", Types: []string{"sbv"}, Extensions: []string{".sbv", ".sub"},
			Looks: looks(sbvOpening), Extract: extractWith(readSBV),
		},
		{
			Name: "substation", Types: []string{"ass", "ssa", "text/x-ssa"}, Extensions: []string{".ass", ".ssa"},
			Looks: looks(assOpening), Extract: extractWith(readASS),
		},
		{
			Name: "lyrics", Types: []string{"lrc"}, Extensions: []string{".lrc"},
			Looks: looks(lrcOpening), Extract: extractWith(readLRC),
		},
	}
}

const stampForm = `(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}`

var (
	vttOpening = regexp.MustCompile(`^\x{feff}?WEBVTT(?:[ \t][^\n]*)?\r?\n(?:[^\n]*\S[^\n]*\n)*\s*(?:\r?\n|$)`)
	srtOpening = regexp.MustCompile(`^\x{feff}?\s*\d+\s*\r?\n\s*\d{1,3}:\d{2}:\d{2}[.,]\d{1,3}\s*-->\s*\d{1,3}:\d{2}:\d{2}[.,]\d{1,3}`)
	sbvOpening = regexp.MustCompile(`^\x{feff}?\s*(?:(?:\[[A-Z ]{1,20}\][^\n]*\n\s*){1,20})?\d{1,3}:\d{2}:\d{2}\.\d{2,3},\d{1,3}:\d{2}:\d{2}\.\d{2,3}\r?\n`)
	assOpening = regexp.MustCompile(`^\x{feff}?\s*\[Script Info\][^\n]*\n`)
	lrcOpening = regexp.MustCompile(`^\x{feff}?(?:\s*\[[a-z#]{1,10}:[^\]\n]*\]\s*\n)*\s*\[\d{1,3}:\d{2}(?:[.:]\d{1,3})?\][^\n]*\n\s*\[\d{1,3}:\d{2}(?:[.:]\d{1,3})?\]`)
	anyCue     = regexp.MustCompile(`(?m)^` + stampForm + `[ \t]+-->[ \t]+` + stampForm)
	arrow      = regexp.MustCompile(`^\s*(` + stampForm + `)\s*-->\s*(` + stampForm + `)`)
	comma      = regexp.MustCompile(`^\s*(` + stampForm + `),(` + stampForm + `)\s*$`)
	lyric      = regexp.MustCompile(`^\s*\[(\d{1,3}):(\d{2})(?:[.:](\d{1,3}))?\]`)
	lyricTag   = regexp.MustCompile(`^\s*\[(ti|ar|al|by|au|length|offset|re|ve):([^\]]{0,300})\]\s*$`)
)

// looks recognises a file by how it begins.
func looks(opening *regexp.Regexp) func(*extract.Source) extract.Look {
	return func(src *extract.Source) extract.Look {
		if opening.MatchString(src.Text[:min(len(src.Text), 8<<10)]) {
			return extract.Yes
		}
		return extract.No
	}
}

// looksVTT wants a cue below the header: a text about WebVTT begins with the word too.
func looksVTT(src *extract.Source) extract.Look {
	head := src.Text[:min(len(src.Text), 64<<10)]
	if looks(vttOpening)(src) == extract.Yes && anyCue.MatchString(head) {
		return extract.Yes
	}
	return extract.No
}

// cue is what is shown at once.
type cue struct {
	start, end time.Duration
	turns      []turn
}

// turn is what one speaker says of it; a new one is nameless where only a dash says so.
type turn struct {
	speaker string
	fresh   bool // another speaker begins
	words   []string
}

// film is what a file holds.
type film struct {
	cues   []cue
	title  string
	author string
	meta   map[string]string
}

// extractWith joins the cues that read finds.
func extractWith(read func(context.Context, string) (film, error)) func(context.Context, *extract.Source) (extract.Output, error) {
	return func(ctx context.Context, src *extract.Source) (extract.Output, error) {
		f, err := read(ctx, strings.TrimPrefix(src.Text, "\ufeff"))
		if err != nil {
			return extract.Output{}, err
		}
		if len(f.cues) == 0 {
			return extract.Output{}, &extract.Error{Reason: "the subtitles hold no cue with words", Hint: "export them again, with their text"}
		}
		slices.SortStableFunc(f.cues, func(a, b cue) int { return cmp.Compare(a.start, b.start) })
		out := f.join()
		out.Title = cmp.Or(f.title, fileTitle(src), "Subtitles")
		out.Language = cmp.Or(nameLanguage(src), out.Language)
		return out, ctx.Err()
	}
}

// fileTitle is the name of the file without extension and language.
func fileTitle(src *extract.Source) string {
	name := path.Base(strings.ReplaceAll(src.Name, `\`, "/"))
	if src.Name == "" || name == "." || name == "/" {
		return ""
	}
	name = strings.TrimSuffix(name, path.Ext(name))
	if nameLanguage(src) != "" {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

var languageEnding = regexp.MustCompile(`(?i)\.([a-z]{2})(?:[-_][a-z0-9]{2,4})?\.[a-z]{3}$`)

// nameLanguage is the language that a name like film.de.srt gives.
func nameLanguage(src *extract.Source) string {
	if m := languageEnding.FindStringSubmatch(src.Name); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// When a paragraph ends, and when a new stretch begins.
const (
	pause       = 4 * time.Second
	longest     = 600 // bytes of a paragraph, at the end of a sentence
	hardLongest = 1200
	leastPlace  = 30 * time.Second
	placeBytes  = 500
)

// join makes paragraphs of cues.
func (f *film) join() extract.Output {
	out := extract.Output{Type: typeTranscript, Author: f.author, Metadata: map[string]string{"cues": strconv.Itoa(len(f.cues))}}
	maps.Copy(out.Metadata, f.meta)
	p := paragraphs{}
	for _, c := range f.cues {
		for _, t := range c.turns {
			p.add(c, t)
		}
	}
	p.flush()
	out.Text, out.Marks = p.b.String(), p.marks
	if len(p.speakers) > 0 {
		out.Metadata["speakers"] = strings.Join(p.speakers, ", ")
	}
	out.Metadata["duration"] = clock(p.end)
	out.Language, _ = text.Language(out.Text)
	return out
}

// paragraphs gathers turns.
type paragraphs struct {
	b        strings.Builder
	marks    []extract.Mark
	speakers []string
	speaker  string // of the last paragraph
	current  strings.Builder
	start    time.Duration // of the current paragraph
	end      time.Duration // of the last cue
	placed   time.Duration // where the last stretch began
}

// add takes a turn.
func (p *paragraphs) add(c cue, t turn) {
	words := p.current.String()
	again := t.speaker == "" || t.speaker == p.speaker
	switch {
	case words == "":
	case t.fresh || !again, c.start-p.end > pause, len(words) > hardLongest, len(words) > longest && ends(words):
		p.flush()
	}
	if p.current.Len() == 0 {
		p.start = c.start
		if t.speaker != "" {
			p.current.WriteString(t.speaker + ": ")
		}
		if t.fresh || !again {
			p.speaker = t.speaker
		}
		if t.speaker != "" && !slices.Contains(p.speakers, t.speaker) && len(p.speakers) < 50 {
			p.speakers = append(p.speakers, t.speaker)
		}
	} else {
		p.current.WriteByte(' ')
	}
	p.current.WriteString(strings.Join(t.words, " "))
	p.end = max(p.end, c.end)
}

// ends reports the end of a sentence.
func ends(s string) bool {
	return strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "…") || strings.HasSuffix(s, "。")
}

// flush writes the current paragraph.
func (p *paragraphs) flush() {
	words := strings.TrimSpace(p.current.String())
	p.current.Reset()
	if words == "" {
		return
	}
	at := p.b.Len()
	if at > 0 {
		p.b.WriteString("\n\n")
		at = p.b.Len()
	}
	if n := len(p.marks); n == 0 || p.start-p.placed >= leastPlace || at-p.marks[n-1].Offset >= placeBytes {
		p.marks = append(p.marks, extract.Mark{Offset: at, Place: clock(p.start)})
		p.placed = p.start
	}
	p.b.WriteString(words)
}

// clock writes a time as 00:03:12.
func clock(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// stamp reads 1:02:03.456, 02:03,456.
func stamp(s string) time.Duration {
	head, fraction, _ := strings.Cut(strings.Replace(s, ",", ".", 1), ".")
	var d time.Duration
	for part := range strings.SplitSeq(head, ":") {
		n, _ := strconv.Atoi(part) // digits only, as the form wants
		d = d*60 + time.Duration(n)*time.Second
	}
	n, _ := strconv.Atoi((fraction + "000")[:3])
	return d + time.Duration(n)*time.Millisecond
}

var (
	voice    = regexp.MustCompile(`<v(?:\.[^\s>]{1,60})?\s+([^>]{1,100})>`)
	nameHead = regexp.MustCompile(`^([\p{Lu}][\p{Lu}\p{M}\d .'’-]{1,40}):\s+(\S.*)$`)
)

// turnsOf reads the lines of a cue. Speakers are told by <v Name>, by NAME: in capitals, by a dash or by >>.
func turnsOf(lines []string) []turn {
	var out []turn
	for _, line := range lines {
		for {
			at := voice.FindStringSubmatchIndex(line)
			if at == nil {
				break
			}
			if before := plain(line[:at[0]]); before != "" {
				out = appendTurn(out, turn{words: []string{before}})
			}
			rest := line[at[1]:]
			next := voice.FindStringIndex(rest)
			said := rest
			if next != nil {
				said = rest[:next[0]]
			}
			out = appendTurn(out, turn{speaker: plain(line[at[2]:at[3]]), words: []string{plain(said)}})
			if line = ""; next != nil {
				line = rest[next[0]:]
			}
		}
		said := plain(line)
		if said == "" {
			continue
		}
		t := turn{}
		for _, mark := range []string{">>", "- ", "– ", "-", "–"} {
			rest, found := strings.CutPrefix(said, mark)
			if found && rest != "" && (strings.HasSuffix(mark, " ") || mark == ">>" || len(lines) > 1 && rest[0] != '-') {
				said, t.fresh = strings.TrimSpace(strings.TrimLeft(rest, "> ")), true
				break
			}
		}
		if m := nameHead.FindStringSubmatch(said); m != nil {
			t.speaker, said = m[1], m[2]
		}
		t.words = []string{said}
		out = appendTurn(out, t)
	}
	return out
}

// appendTurn adds what is said on to the turn before, unless somebody else begins.
func appendTurn(out []turn, t turn) []turn {
	if t.words[0] == "" {
		return out
	}
	if n := len(out); n > 0 && !t.fresh && (t.speaker == "" || t.speaker == out[n-1].speaker) {
		out[n-1].words = append(out[n-1].words, t.words...)
		return out
	}
	return append(out, t)
}

// plain drops the markup of a line: <i>, <00:01.000>, {\an8}.
func plain(s string) string {
	if strings.ContainsAny(s, "<{") {
		s = withoutTags(s)
	}
	return strings.Join(strings.Fields(text.Clean(html.UnescapeString(s))), " ")
}

// mostTag bounds a tag; a sign that is closed later than that is only a sign.
const mostTag = 300

func withoutTags(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		if c == '<' || c == '{' {
			end := strings.IndexAny(s[i+1:min(len(s), i+mostTag)], "<>{}")
			if end > 0 && s[i+1+end] == closing[c] && tagStart(s[i+1]) {
				i += end + 2
				continue
			}
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

var closing = map[byte]byte{'<': '>', '{': '}'}

// tagStart reports what a tag begins with: a letter, the digit of a time, a slash or backslash.
func tagStart(c byte) bool {
	return c == '/' || c == '\\' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
