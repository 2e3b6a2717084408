package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/lukasa-memory/lukasa"
)

// terminal is what is known of the streams.
type terminal struct {
	in, err  bool // are terminals
	width    int  // columns of standard output
	errWidth int  // of standard error
	color    bool
}

func newTerminal(p Process, color string, env map[string]string) terminal {
	t := terminal{in: isTerminal(p.In), err: isTerminal(p.Err), width: 100, errWidth: 80}
	out := isTerminal(p.Out)
	if f, ok := p.Out.(*os.File); ok && out {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w >= 40 {
			t.width = min(w, 140)
		}
	}
	if f, ok := p.Err.(*os.File); ok && t.err {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w >= 20 {
			t.errWidth = min(w, 160)
		}
	}
	_, refused := env["NO_COLOR"]
	t.color = color == "always" || color == "auto" && out && !(refused && env["NO_COLOR"] != "") && env["TERM"] != "dumb"
	return t
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// paint wraps s in an ANSI style where colours are wanted.
func (t terminal) paint(style, s string) string {
	if !t.color || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

const (
	bold   = "1"
	dim    = "2"
	marked = "1;33"
)

func (a *app) say(format string, args ...any) { fmt.Fprintf(a.p.Out, format+"\n", args...) }

// note goes to standard error, so that it does not mix with results.
func (a *app) note(format string, args ...any) { fmt.Fprintf(a.p.Err, format+"\n", args...) }

// field prints a name and a value, unless that is empty.
func (a *app) field(name, value string) {
	if value != "" {
		a.say("%s %s", a.tty.paint(dim, fmt.Sprintf("%-10s", name)), plain(value))
	}
}

// printJSON prints v on its own lines.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.p.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printLine prints v on one line.
func (a *app) printLine(v any) error {
	enc := json.NewEncoder(a.p.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// table prints rows under a header.
func (a *app) table(header []string, rows [][]string) error {
	w := tabwriter.NewWriter(a.p.Out, 0, 0, 2, ' ', 0)
	for _, r := range append([][]string{header}, rows...) {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(r, "\t"), "\t"))
	}
	return w.Flush()
}

// oneLine makes a text fit into one line of n characters. Control characters go, so that a text cannot steer the terminal.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(plain(s)), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// plain drops control characters other than line feeds and tabs.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return -1
		}
		return r
	}, s)
}

func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func bytesOf(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if s, ok := strings.CutSuffix(what, "y"); ok {
		return fmt.Sprintf("%d %sies", n, s)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// confirm asks before something that cannot be undone.
func (a *app) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if !a.tty.in {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Msg: "this cannot be undone, and there is nobody to ask", Hint: "give --yes if it is meant"}
	}
	fmt.Fprint(a.p.Err, question+" This cannot be undone. [y/N] ")
	answer, err := bufio.NewReader(a.p.In).ReadString('\n')
	if err != nil && err != io.EOF {
		return fmt.Errorf("read answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	a.note("nothing was changed")
	return quiet(exitError)
}

// progress shows how far something is, on standard error.
func (a *app) progress() *Line {
	return &Line{Out: a.p.Err, On: a.tty.err || a.g.Progress, Lines: !a.tty.err, Width: a.tty.errWidth - 1, Clip: oneLine}
}
