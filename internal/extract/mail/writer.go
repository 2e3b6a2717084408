package mail

import (
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// writer joins blocks of Markdown with the places that they can be cited by.
type writer struct {
	b     strings.Builder
	marks []extract.Mark
}

// block adds a block behind a blank line; a blank one is left out.
func (w *writer) block(s string) {
	if s = strings.TrimSpace(text.CleanAs(s, text.Markdown)); s == "" {
		return
	}
	if w.b.Len() > 0 {
		w.b.WriteString("\n\n")
	}
	w.b.WriteString(s)
}

// place says that the next block stands at a place.
func (w *writer) place(name string) {
	at := w.b.Len()
	if at > 0 {
		at += len("\n\n")
	}
	w.marks = append(w.marks, extract.Mark{Offset: at, Place: name})
}

// String returns what was written.
func (w *writer) String() string { return w.b.String() }

// lines joins "name: value" lines of what is not empty.
type lines struct{ b strings.Builder }

func (l *lines) add(name, value string) {
	if value = strings.TrimSpace(value); value == "" {
		return
	}
	if name != "" {
		l.b.WriteString(name + ": ")
	}
	l.b.WriteString(value + "\n")
}
