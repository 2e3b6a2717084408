package media

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// spoken is a stretch of speech, by the clock of the whole recording.
type spoken struct {
	start, end time.Duration
	speaker    string
	text       string
}

// When a paragraph of a transcript ends.
const (
	window  = 40 * time.Second // after that, at the end of a sentence
	longest = 90 * time.Second // in any case
	pause   = 3 * time.Second  // without a word, if there was a sentence or two before it
	enough  = 120              // bytes of these
)

// transcript writes speech as paragraphs: one for each turn of a speaker, or for about forty seconds. Each begins with its
// time, "[00:03:12] Anna: …", which is its mark as well.
func transcript(all []spoken) (string, []extract.Mark) {
	var b strings.Builder
	var marks []extract.Mark
	for i := 0; i < len(all); {
		end := i + 1
		words := len(all[i].text)
		for end < len(all) && !parts(all, i, end, words) {
			words += 1 + len(all[end].text)
			end++
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		at := clock(all[i].start)
		marks = append(marks, extract.Mark{Offset: b.Len(), Place: at})
		b.WriteString("[" + at + "] ")
		if s := all[i].speaker; s != "" {
			b.WriteString(s + ": ")
		}
		for k, s := range all[i:end] {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(s.text)
		}
		i = end
	}
	return b.String(), marks
}

// parts reports whether a paragraph that began with stretch i ends before stretch k.
func parts(all []spoken, i, k, words int) bool {
	before := all[k-1]
	switch {
	case all[k].speaker != all[i].speaker, all[k].end-all[i].start > longest:
		return true
	case all[k].start-before.end > pause && words >= enough:
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(before.text)
	return all[k].end-all[i].start > window && strings.ContainsRune(".!?…。！？", last)
}

// clock writes a time as 00:03:12.
func clock(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// line makes text fit to stand in a transcript.
func line(s string) string {
	return strings.Join(strings.Fields(text.Clean(s)), " ")
}

// parseSRT reads what ffmpeg writes: blocks of a number, "00:01:02,500 --> 00:01:04,000" and lines with a few tags. A cue that
// repeats the one before it, as subtitles that roll do, is dropped.
func parseSRT(s string) []spoken {
	var out []spoken
	var current *spoken
	flush := func() {
		if current == nil {
			return
		}
		if current.text = line(untagged(current.text)); current.text != "" && (len(out) == 0 || out[len(out)-1].text != current.text) {
			out = append(out, *current)
		}
		current = nil
	}
	for l := range strings.Lines(strings.ToValidUTF8(s, "")) {
		l = strings.TrimSpace(l)
		if from, to, ok := strings.Cut(l, " --> "); ok {
			start, ok1 := srtTime(from)
			end, ok2 := srtTime(to)
			if ok1 && ok2 {
				flush()
				current = &spoken{start: start, end: max(start, end)}
				continue
			}
		}
		switch {
		case l == "":
			flush()
		case current != nil && len(current.text) < 4000:
			current.text += " " + l
		}
	}
	flush()
	return out
}

// srtTime reads 01:02:03,456.
func srtTime(s string) (time.Duration, bool) {
	head, fraction, _ := strings.Cut(strings.Replace(strings.TrimSpace(s), ",", ".", 1), ".")
	parts := strings.Split(head, ":")
	if len(parts) != 3 {
		return 0, false
	}
	var d time.Duration
	for _, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || n > 999 {
			return 0, false
		}
		d = d*60 + time.Duration(n)*time.Second
	}
	if n, err := strconv.Atoi((fraction + "000")[:3]); err == nil && n >= 0 {
		d += time.Duration(n) * time.Millisecond
	}
	return d, true
}

// untagged drops <i>…</i> and {\an8}.
func untagged(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "<{")
		if i < 0 {
			break
		}
		closing := map[byte]string{'<': ">", '{': "}"}[s[i]]
		end := strings.Index(s[i:], closing)
		if end < 0 || s[i] == '{' && !strings.HasPrefix(s[i:], `{\`) {
			b.WriteString(s[:i+1])
			s = s[i+1:]
			continue
		}
		b.WriteString(s[:i])
		s = s[i+end+1:]
	}
	return b.String() + s
}
