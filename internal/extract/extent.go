package extract

import (
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Extent counts pages, slides and sheets, and sound and film. Its methods may be called from several goroutines.
type Extent struct{ pages, sound atomic.Int64 }

// Add has the shape of [Help.Read].
func (e *Extent) Add(pages int, sound time.Duration) {
	e.pages.Add(int64(pages))
	e.sound.Add(int64(sound))
}

// Read returns what was added so far.
func (e *Extent) Read() (pages int, sound time.Duration) {
	return int(e.pages.Load()), time.Duration(e.sound.Load())
}

// Told notes that pages or sound were read, for who watches. An extractor that reads for minutes calls it as it goes; what it
// does not tell is told when it is done.
func (h Help) Told(pages int, sound time.Duration) {
	if h.Read != nil {
		h.Read(pages, sound)
	}
}

// watched returns the help with what is told added up, and a function that tells the rest of what out says it was. A Help that
// nobody watches is returned as it is.
func (h Help) watched() (Help, func(Kind, Output)) {
	outer := h.Read
	if outer == nil {
		return h, func(Kind, Output) {}
	}
	var told Extent
	h.Read = func(pages int, sound time.Duration) {
		told.Add(pages, sound)
		outer(pages, sound)
	}
	return h, func(k Kind, out Output) {
		pages, sound := extentOf(k, out)
		p, s := told.Read()
		if pages, sound = max(0, pages-p), max(0, sound-s); pages > 0 || sound > 0 {
			outer(pages, sound)
		}
	}
}

// extentOf says how many pages, slides or sheets were read, and how much sound or film. What a text says of itself, in its front
// matter, counts for nothing: only the places of an extractor do, and what one says of a binary file.
func extentOf(k Kind, out Output) (pages int, sound time.Duration) {
	said := func(name string) int {
		n, _ := strconv.Atoi(out.Metadata[name])
		return n
	}
	sheets, last := 0, ""
	for _, m := range out.Marks {
		pages = max(pages, m.Page)
		if at := strings.LastIndexByte(m.Place, '!'); at > 0 && m.Place[:at] != last {
			sheets, last = sheets+1, m.Place[:at]
		}
	}
	if k.Binary {
		pages = max(pages, said("pages"), said("slides"))
		if out.Metadata["sheets"] != "" {
			pages = max(pages, sheets)
		}
	}
	if k.Binary || out.Type == TypeTranscript {
		sound = span(out.Metadata["duration"])
	}
	return pages, sound
}

// span reads 01:02:03, as the extractors of sound, film and transcripts write it; 0 for anything else.
func span(clock string) time.Duration {
	parts := strings.Split(clock, ":")
	if len(parts) != 3 {
		return 0
	}
	var d time.Duration
	for _, p := range parts {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return 0
		}
		d = d*60 + time.Duration(n)*time.Second
	}
	return d
}
