package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Line shows how far something is: one line that is written over on a terminal, a line now and then elsewhere. Its methods may be
// called from several goroutines.
type Line struct {
	Out   io.Writer
	On    bool
	Lines bool // no terminal
	Width int  // columns that it may take
	Clip  func(s string, n int) string

	mu    sync.Mutex
	last  time.Time
	drawn int // columns that are taken
}

const (
	redraw     = 100 * time.Millisecond
	redrawLine = 2 * time.Second
)

// Show draws a line, unless it has just done so.
func (l *Line) Show(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := redraw
	if l.Lines {
		wait = redrawLine
	}
	if now := time.Now(); l.On && now.Sub(l.last) >= wait {
		l.last = now
		l.draw(l.Clip(fmt.Sprintf(format, args...), l.Width))
	}
}

func (l *Line) draw(s string) {
	if l.Lines {
		fmt.Fprintln(l.Out, s)
		return
	}
	n := utf8.RuneCountInString(s)
	fmt.Fprint(l.Out, "\r"+s+strings.Repeat(" ", max(0, l.drawn-n)))
	l.drawn = n
}

// Done takes the line away.
func (l *Line) Done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.On && !l.Lines && l.drawn > 0 {
		fmt.Fprint(l.Out, "\r"+strings.Repeat(" ", l.drawn)+"\r")
		l.drawn = 0
	}
}
