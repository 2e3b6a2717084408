package track

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// blocks calls visit for each run of lines between blank lines, until ctx ends. strict: lines of white space are not blank.
func blocks(ctx context.Context, s string, strict bool, visit func(lines []string)) error {
	var lines []string
	n := 0
	for line := range strings.Lines(s) {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if line = strings.TrimRight(line, "\r\n"); line != "" && (strict || strings.TrimSpace(line) != "") {
			lines = append(lines, line)
			continue
		}
		if len(lines) > 0 {
			visit(lines)
		}
		lines = lines[:0]
	}
	if len(lines) > 0 {
		visit(lines)
	}
	return ctx.Err()
}

// roller takes out what captions that roll repeat: each cue shows the last line of the one before again.
type roller struct {
	f    *film
	last string
}

// add adds a cue without the lines that the cue before showed last.
func (r *roller) add(start, end time.Duration, lines []string) {
	var fresh []string
	for _, l := range lines {
		said := plain(l)
		if said == "" || said == r.last {
			continue
		}
		fresh, r.last = append(fresh, l), said
	}
	if turns := turnsOf(fresh); len(turns) > 0 {
		r.f.cues = append(r.f.cues, cue{start, end, turns})
	}
}

// readSRT reads SubRip: number, times, lines. A cue whose number is missing is read all the same.
func readSRT(ctx context.Context, s string) (film, error) {
	f := film{meta: map[string]string{"format": "srt"}}
	r := roller{f: &f}
	err := blocks(ctx, s, false, func(lines []string) { r.timed(lines) })
	return f, err
}

// timed reads the cues of a block: lines below a line with an arrow. Cues without a blank line between them are told by
// their arrows.
func (r *roller) timed(lines []string) {
	from := -1
	var start, end time.Duration
	for i, line := range lines {
		m := arrow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if from >= 0 {
			last := i
			if _, err := strconv.Atoi(strings.TrimSpace(lines[i-1])); err == nil && i-1 >= from {
				last = i - 1 // the number of the next cue
			}
			r.add(start, end, lines[from:last])
		}
		start, end, from = stamp(m[1]), stamp(m[2]), i+1
	}
	if from >= 0 {
		r.add(start, end, lines[from:])
	}
}

// readVTT reads WebVTT: a header, notes, styles, regions and cues.
func readVTT(ctx context.Context, s string) (film, error) {
	f := film{meta: map[string]string{"format": "vtt"}}
	r := roller{f: &f}
	first := true
	err := blocks(ctx, s, true, func(lines []string) {
		head := first
		first = false
		word, _, _ := strings.Cut(lines[0], " ")
		switch {
		case head:
			for _, l := range lines[1:] {
				if k, v, found := strings.Cut(l, ":"); found && strings.EqualFold(strings.TrimSpace(k), "title") {
					f.title = plain(v)
				}
			}
		case word == "NOTE", word == "STYLE", word == "REGION":
			return
		}
		r.timed(lines)
	})
	return f, err
}

// readSBV reads SubViewer: as YouTube writes it, times with a comma and then lines, and version 2, which has a head and "[br]" between lines.
func readSBV(ctx context.Context, s string) (film, error) {
	f := film{meta: map[string]string{"format": "sbv"}}
	r := roller{f: &f}
	err := blocks(ctx, s, false, func(lines []string) {
		for _, l := range lines {
			if title, found := strings.CutPrefix(strings.TrimSpace(l), "[TITLE]"); found {
				f.title = plain(title)
			}
		}
		if m := comma.FindStringSubmatch(lines[0]); m != nil {
			r.add(stamp(m[1]), stamp(m[2]), strings.Split(strings.ReplaceAll(strings.Join(lines[1:], "\n"), "[br]", "\n"), "\n"))
		}
	})
	return f, err
}

// readASS reads SubStation Alpha: comma-separated Dialogue lines in the order that Format names.
func readASS(ctx context.Context, s string) (film, error) {
	f := film{meta: map[string]string{"format": "ass"}}
	columns := map[string]int{"start": 1, "end": 2, "name": 4, "text": 9}
	width, events := 10, false
	err := blocks(ctx, s, false, func(lines []string) {
		for _, line := range lines {
			key, rest, _ := strings.Cut(line, ":")
			switch strings.ToLower(strings.TrimSpace(key)) {
			case "[events]":
				events = true
			case "title":
				f.title = plain(rest)
			case "format":
				if !events {
					continue
				}
				names := strings.Split(rest, ",")
				if width = len(names); width > 50 {
					width = 50
				}
				for i, n := range names[:width] {
					columns[strings.ToLower(strings.TrimSpace(n))] = i
				}
			case "dialogue":
				parts := strings.SplitN(rest, ",", width)
				part := func(name string) string {
					if i, ok := columns[name]; ok && i < len(parts) {
						return strings.TrimSpace(parts[i])
					}
					return ""
				}
				turns := turnsOf(strings.Split(part("text"), `\N`))
				if name := plain(part("name")); name != "" {
					for i := range turns {
						turns[i].speaker = name
					}
				}
				if len(turns) > 0 {
					f.cues = append(f.cues, cue{lenientStamp(part("start")), lenientStamp(part("end")), turns})
				}
			}
		}
	})
	return f, err
}

// lenientStamp reads h:mm:ss.cc; what is none is 0.
func lenientStamp(s string) time.Duration {
	if len(s) > 20 || strings.Trim(s, "0123456789:.") != "" || s == "" {
		return 0
	}
	return stamp(s)
}

// readLRC reads song texts: [mm:ss.cc] before each line, one or several.
func readLRC(ctx context.Context, s string) (film, error) {
	f := film{meta: map[string]string{"format": "lrc"}}
	err := blocks(ctx, s, false, func(lines []string) {
		for _, line := range lines {
			if m := lyricTag.FindStringSubmatch(line); m != nil {
				switch value := plain(m[2]); m[1] {
				case "ti":
					f.title = value
				case "ar":
					f.author = value
				case "al":
					f.meta["album"] = value
				}
				continue
			}
			var at []time.Duration
			for len(at) < 100 {
				m := lyric.FindStringSubmatch(line)
				if m == nil {
					break
				}
				at = append(at, stamp(m[1]+":"+m[2]+"."+m[3]))
				line = line[len(m[0]):]
			}
			if len(line) > 500 { // nobody sings a page again and again
				at = at[:min(len(at), 1)]
			}
			for _, t := range at {
				if turns := turnsOf([]string{line}); len(turns) > 0 {
					f.cues = append(f.cues, cue{t, t, turns})
				}
			}
		}
	})
	return f, err
}
