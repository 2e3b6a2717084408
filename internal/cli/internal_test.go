package cli

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
)

//go:generate go test -run ^TestDocs$ -update .

var update = flag.Bool("update", false, "write the documents again")

// manual is docs/cli.md, made from the same declarations as the help.
func manual(t *testing.T) string {
	t.Helper()
	k, err := newParser(&grammar{}, newSettingFlags())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# The command line\n\n<!-- Written by make generate from the declarations in internal/cli; do not edit. -->\n\n" + about + "\n\n")
	b.WriteString("Results go to standard output; progress, warnings and errors go to standard error. An error is one line `lukasa: cause` and, where there is one, a line `hint: what to do`.\n\n")
	b.WriteString("## Exit codes\n\n| code | meaning |\n|---|---|\n")
	for _, m := range exitMeanings() {
		fmt.Fprintf(&b, "| %s | %s |\n", m[0], m[1])
	}
	b.WriteString("\n## Flags of every command\n\n")
	flagTable(&b, k.Model.Flags)
	b.WriteString("\nEvery setting that is no secret is a flag too, like `--listen` or `--embed-provider`; [config.md](config.md) lists them.\n")
	commands(&b, k.Model.Node, "lukasa")
	return b.String()
}

func commands(b *strings.Builder, n *kong.Node, path string) {
	for _, c := range n.Children {
		at := path + " " + c.Name
		fmt.Fprintf(b, "\n## %s\n\n%s\n", at, c.Help)
		if c.Detail != "" {
			fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(c.Detail))
		}
		if len(c.Children) > 0 {
			commands(b, c, at)
			continue
		}
		usage := at
		for _, p := range c.Positional {
			usage += " " + p.Summary()
		}
		fmt.Fprintf(b, "\n    %s\n", strings.TrimSpace(usage+" [flags]"))
		if len(c.Positional) > 0 {
			b.WriteString("\n| argument | what it is |\n|---|---|\n")
			for _, p := range c.Positional {
				fmt.Fprintf(b, "| `%s` | %s |\n", p.Name, p.Help)
			}
		}
		if len(c.Flags) > 0 {
			b.WriteString("\n")
			flagTable(b, c.Flags)
		}
	}
}

func flagTable(b *strings.Builder, flags []*kong.Flag) {
	b.WriteString("| flag | what it does |\n|---|---|\n")
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		name := "`--" + f.Name
		if !f.IsBool() {
			name += " " + f.FormatPlaceHolder()
		}
		name += "`"
		if f.Short != 0 {
			name = fmt.Sprintf("`-%c`, %s", f.Short, name)
		}
		fmt.Fprintf(b, "| %s | %s |\n", name, strings.ReplaceAll(f.Help, "|", `\|`))
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	const name = "../../docs/cli.md"
	want := manual(t)
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("run make generate:\n%s", diff)
	}
}

// H-29: every command of the promise is there.
func TestCommandsAreWhole(t *testing.T) {
	t.Parallel()
	k, err := newParser(&grammar{}, newSettingFlags())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range k.Model.Children {
		names = append(names, c.Name)
		if c.Help == "" {
			t.Errorf("%s has no help", c.Name)
		}
	}
	for want := range strings.FieldsSeq("serve add search list show edit forget key user status doctor mcp export import backup config completion version") {
		if !slices.Contains(names, want) {
			t.Errorf("no command %s", want)
		}
	}
}

// A flag of a command that is called as a setting is would set that too.
func TestFlagsAreNoSettings(t *testing.T) {
	t.Parallel()
	k, err := newParser(&grammar{}, newSettingFlags())
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for _, f := range k.Model.Flags {
		taken[f.Name] = true
	}
	var look func(n *kong.Node)
	look = func(n *kong.Node) {
		for _, c := range n.Children {
			for _, f := range c.Flags {
				if taken[f.Name] {
					t.Errorf("--%s of %s is a flag of every command", f.Name, c.Path())
				}
			}
			look(c)
		}
	}
	look(k.Model.Node)
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, m := range exitMeanings() {
		known[m[0]] = true
	}
	for code, want := range map[lukasa.Code]int{
		lukasa.CodeInvalid: exitUsage, lukasa.CodeUnknownField: exitUsage, lukasa.CodeNotFound: exitNotFound, lukasa.CodeUnauthenticated: exitAuth,
		lukasa.CodeForbidden: exitAuth, lukasa.CodeUnavailable: exitUnavailable, lukasa.CodeTimeout: exitUnavailable, lukasa.CodeStorage: exitStorage,
		lukasa.CodeConflict: exitError, lukasa.CodeInternal: exitError, lukasa.CodeLimited: exitError,
	} {
		var b strings.Builder
		got := report(&b, fmt.Errorf("act: %w", &lukasa.Error{Code: code, Field: "f", Msg: "m", Hint: "h", Err: os.ErrClosed}))
		if got != want || !known[fmt.Sprint(got)] {
			t.Errorf("%s exits with %d, want %d", code, got, want)
		}
		if b.String() != "lukasa: act: f: m: file already closed\nhint: h\n" {
			t.Errorf("said %q", b.String())
		}
	}
}

// Lines fit, and nothing of the text is lost.
func TestWrap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, width := rapid.String().Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "width")
		lines := wrap(s, width)
		for _, l := range lines {
			if n := utf8.RuneCountInString(l); n == 0 || n > width {
				t.Fatalf("a line of %d in %d: %q", n, width, l)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), "") }
		if got := squeeze(strings.Join(lines, " ")); got != squeeze(s) {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	words := terms("how do I back up my automobile?")
	if diff := cmp.Diff([]string{"back", "automobile"}, words); diff != "" {
		t.Error(diff)
	}
	long := strings.Repeat("nothing of note stands here. ", 40) + "Then the automobiles came back." + strings.Repeat(" and so on it goes.", 40)
	got := snippet(long, words, 100)
	if !strings.Contains(got, "automobiles came back") || !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") || utf8.RuneCountInString(got) > 104 {
		t.Errorf("got %q", got)
	}
	a := &app{tty: terminal{color: true}}
	if got := a.mark("Automobiles come back, backwards", words); got != "\x1b[1;33mAutomobiles\x1b[0m come \x1b[1;33mback\x1b[0m, \x1b[1;33mbackwards\x1b[0m" {
		t.Errorf("marked %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		s, q := rapid.String().Draw(t, "text"), terms(rapid.String().Draw(t, "query"))
		if got := snippet(s, q, 50); utf8.RuneCountInString(got) > 54 || strings.ContainsAny(got, "\x1b\n\r") {
			t.Fatalf("got %q", got)
		}
		if got := strings.NewReplacer("\x1b[1;33m", "", "\x1b[0m", "").Replace(a.mark(plain(s), q)); got != plain(s) {
			t.Fatalf("marking changed %q to %q", s, got)
		}
	})
}

// Texts cannot steer the terminal.
// A result says of when it is: the day it speaks of, else that on which it was said or kept.
func TestHitsSayTheirDay(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)
	for _, h := range []lukasa.Hit{
		{Path: "life", CreatedAt: day},
		{Path: "life", CreatedAt: day.AddDate(1, 0, 0), Message: &lukasa.HitMessage{Conversation: "c", Time: &day}},
		{Path: "life", CreatedAt: day.AddDate(1, 0, 0), OccurredAt: &day},
	} {
		var out strings.Builder
		a := &app{p: Process{Out: &out}, tty: terminal{width: 80}}
		a.hit(1, h, nil)
		if !strings.Contains(out.String(), "   2026-03-02 · life") {
			t.Error(out.String())
		}
	}
}

// A conversation that is called something is shown so, and not by the name that programs have for it.
func TestHitsSayWhatAConversationIsCalled(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]lukasa.HitMessage{
		"1. Ana in Trip to Porto · ": {Conversation: "chatgpt:c3", Title: "Trip to Porto", Speaker: "Ana"},
		"1. Trip to Porto · ":        {Conversation: "chatgpt:c3", Title: "Trip to Porto"},
		"1. Ana in calls · ":         {Conversation: "calls", Speaker: "Ana"},
	} {
		var out strings.Builder
		a := &app{p: Process{Out: &out}, tty: terminal{width: 80}}
		a.hit(1, lukasa.Hit{Path: "life", Message: &m}, nil)
		if !strings.HasPrefix(strings.ReplaceAll(out.String(), "  ·", " ·"), want) {
			t.Errorf("want %q, got\n%s", want, out.String())
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	if got := plain("a\x1b[31mb\x07\u009bc\td\n\x7f"); got != "a[31mbc\td\n" {
		t.Errorf("got %q", got)
	}
	if got := oneLine("a\n\n  b\tc", 4); got != "a b…" {
		t.Errorf("got %q", got)
	}
}
