// Package cli is the command line, one file per command.
//
// A command talks to the server that runs on the data directory, or to the one that --server names; where there is none it
// opens the data directory itself. Results go to Out; progress, warnings and errors go to Err.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/config"
)

// Process is what a command sees of the process that it runs in.
type Process struct {
	Args    []string // without the name of the program
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	Env     []string // NAME=value
	Version string
}

// The exit codes. They are part of the interface.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitAuth        = 4
	exitUnavailable = 5
	exitStorage     = 6
	exitInterrupted = 130
)

// exitMeanings explains the codes, for help and docs.
func exitMeanings() [][2]string {
	return [][2]string{
		{"0", "all went well"},
		{"1", "an error; also: a port that is taken, damage that doctor found, some of several files that could not be added"},
		{"2", "wrong usage: arguments, values or settings"},
		{"3", "what was asked for is not there"},
		{"4", "no key, a wrong one, or one that may not do this"},
		{"5", "the server does not answer"},
		{"6", "the storage refuses: the disk is full, read-only or cannot be opened"},
		{"130", "interrupted"},
	}
}

type globals struct {
	Config   string `help:"Settings file; otherwise lukasa.conf in the data directory." placeholder:"FILE"`
	Server   string `help:"Talk to this server, not to the one of the data directory (also: LUKASA_SERVER)." placeholder:"URL"`
	JSON     bool   `name:"json" help:"Print JSON."`
	Progress bool   `help:"Show progress even if standard error is no terminal."`
	Color    string `help:"Colours: auto, always or never; NO_COLOR is respected." enum:"auto,always,never" default:"auto" placeholder:"WHEN"`
}

type grammar struct {
	globals

	Serve      serveCmd      `cmd:"" help:"Serve REST and MCP over HTTP."`
	Open       openCmd       `cmd:"" help:"Open the dashboard of the running server in a browser, signed in."`
	Add        addCmd        `cmd:"" help:"Remember texts, files, folders and web pages."`
	Search     searchCmd     `cmd:"" help:"Find what is relevant, by meaning and by words."`
	Brief      briefCmd      `cmd:"" help:"Print what is relevant to a question as text that fits into a prompt."`
	Profile    profileCmd    `cmd:"" help:"Show what is known: facts that hold, and what happened lately."`
	Chat       chatCmd       `cmd:"" help:"Talk to the configured model with what is remembered; the exchange is kept."`
	List       listCmd       `cmd:"" help:"List documents, memories, conversations, recall files or containers, newest first."`
	Show       ShowCmd       `cmd:"" help:"Show a document, memory, message, conversation, recall file, entity or container."`
	Edit       editCmd       `cmd:"" help:"Change title, tags, metadata or the time of forgetting."`
	Node       nodeCmd       `cmd:"" help:"Look at containers; make, move and archive them."`
	Entity     entityCmd     `cmd:"" help:"Tell everything about a person, organisation, place or product; list, rename and merge them."`
	Graph      graphCmd      `cmd:"" help:"Show what hangs on what."`
	Key        keyCmd        `cmd:"" help:"Manage API keys."`
	User       userCmd       `cmd:"" help:"Manage users."`
	Status     statusCmd     `cmd:"" help:"Show what there is and how it is."`
	Ready      readyCmd      `cmd:"" help:"Say whether a server takes requests; it needs no key."`
	Doctor     doctorCmd     `cmd:"" help:"Look for damage; repair what is derived."`
	MCP        mcpCmd        `cmd:"" name:"mcp" help:"Serve the Model Context Protocol over standard input and output."`
	Export     exportCmd     `cmd:"" help:"Write everything as JSON lines."`
	Import     importCmd     `cmd:"" help:"Read what export wrote, or the exports of other tools."`
	Retry      RetryCmd      `cmd:"" help:"Try again what could not be read."`
	Backup     backupCmd     `cmd:"" help:"Copy the data directory as it is at this moment."`
	Bench      benchCmd      `cmd:"" help:"Measure recall and speed on this machine."`
	Settings   configCmd     `cmd:"" name:"config" help:"Show the settings in force, and where each comes from."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Version    versionCmd    `cmd:"" help:"Print the version."`

	talkCommands
	tendCommands
}

// app is what a command works with.
type app struct {
	ctx    context.Context
	p      Process
	g      *globals
	loaded config.Loaded
	tty    terminal
	kong   *kong.Kong
}

// quiet ends the process with a code after everything has been said.
type quiet int

func (q quiet) Error() string { return fmt.Sprintf("exit code %d", int(q)) }

// exited carries the exit of kong's help out of its parser.
type exited int

// Main runs one command and returns the exit code of the process. It returns once ctx ends.
func Main(ctx context.Context, p Process) (code int) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(exited)
			if !ok {
				panic(r)
			}
			code = int(e)
		}
	}()
	err := run(ctx, p)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(p.Err, "lukasa: interrupted")
		return exitInterrupted
	}
	return report(p.Err, err)
}

func run(ctx context.Context, p Process) error {
	out, args := p.Out, p.Args
	if len(args) == 0 { // the help, as an error
		out, args = p.Err, []string{"--help"}
	} else if args[0] == "help" { // "lukasa help search"
		args = append(args[1:len(args):len(args)], "--help")
	}
	var g grammar
	flags := newSettingFlags()
	k, err := newParser(&g, flags, kong.Writers(out, p.Err), kong.Exit(func(code int) {
		if len(p.Args) == 0 {
			code = exitUsage
		}
		panic(exited(code))
	}))
	if err != nil {
		return err
	}
	kctx, err := k.Parse(args)
	if err != nil {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Msg: err.Error(), Hint: usageHint(err)}
	}
	a := &app{ctx: ctx, p: p, g: &g.globals, kong: k}
	env := environment(p.Env)
	if a.g.Server == "" {
		a.g.Server = env["LUKASA_SERVER"]
	}
	a.tty = newTerminal(p, a.g.Color, env)
	given := flags.given()
	if strings.HasPrefix(kctx.Command(), "bench recall") { // where --data may name the data that are measured
		if st, err := os.Stat(given["data"]); err == nil && st.Mode().IsRegular() {
			g.Bench.Recall.Files = append(g.Bench.Recall.Files, given["data"])
			delete(given, "data")
		}
	}
	if kctx.Command() != "version" && !strings.HasPrefix(kctx.Command(), "completion") {
		a.loaded, err = config.Load(config.Input{File: a.g.Config, Env: p.Env, Flags: given})
		if err != nil {
			return err
		}
	}
	return kctx.Run(a)
}

func usageHint(err error) string {
	var pe *kong.ParseError
	if errors.As(err, &pe) && pe.Context != nil {
		if n := pe.Context.Selected(); n != nil {
			return "see `lukasa " + strings.TrimSpace(strings.SplitN(n.Path(), "<", 2)[0]) + " --help`"
		}
	}
	return "see `lukasa --help`"
}

func environment(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, kv := range env {
		name, v, _ := strings.Cut(kv, "=")
		m[name] = v
	}
	return m
}

const about = `The memory that AI agents keep: what came in stays verbatim, and the right few lines come back.

A command talks to the server that runs on the data directory, or to the one that --server names; where there is none it opens the data directory itself.`

func newParser(g *grammar, flags *settingFlags, o ...kong.Option) (*kong.Kong, error) {
	o = append(o, kong.Name("lukasa"), kong.Description(about), kong.Help(help), kong.Embed(flags.target.Interface()),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 110}),
		kong.ExplicitGroups([]kong.Group{{Key: "settings", Title: "Settings (see docs/config.md):"}}))
	return kong.New(g, o...)
}

// help shows the settings as flags only where they are what it is about, and the exit codes at the top.
func help(o kong.HelpOptions, ctx *kong.Context) error {
	n := ctx.Selected()
	if n != nil && (n.Name == "serve" || n.Name == "config") {
		for _, f := range ctx.Model.Flags {
			if f.Group != nil && f.Group.Key == "settings" {
				f.Hidden = false
			}
		}
	}
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
		return err
	}
	if n == nil {
		fmt.Fprintln(ctx.Stdout, "\nExit codes:")
		for _, m := range exitMeanings() {
			fmt.Fprintf(ctx.Stdout, "  %-3s  %s\n", m[0], m[1])
		}
	}
	return nil
}

// settingFlags are the flags that come from the table of settings. They are hidden but for --data.
type settingFlags struct {
	target reflect.Value // pointer to a struct with one pointer a setting
	keys   []string      // of its fields
}

func newSettingFlags() *settingFlags {
	f := &settingFlags{}
	var fields []reflect.StructField
	for _, s := range config.Settings() {
		if s.Flag() == "" {
			continue
		}
		tag := fmt.Sprintf(`name:%q help:%q placeholder:%q`, s.Flag(), strings.ToUpper(s.Doc[:1])+s.Doc[1:]+".", placeholder(s))
		if s.Key != "data" {
			tag += ` hidden:"" group:"settings"`
		}
		typ := reflect.TypeFor[*string]()
		if s.Switch {
			typ = reflect.TypeFor[*bool]()
			tag += ` negatable:""`
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("S%d", len(fields)), Type: typ, Tag: reflect.StructTag(tag)})
		f.keys = append(f.keys, s.Key)
	}
	f.target = reflect.New(reflect.StructOf(fields))
	return f
}

func placeholder(s config.Setting) string {
	switch d := s.Default(); {
	case s.Key == "data":
		return "DIR"
	case d != "":
		return d
	}
	return "VALUE"
}

// given returns the settings that stand on the command line.
func (f *settingFlags) given() map[string]string {
	m := map[string]string{}
	for i, key := range f.keys {
		switch v := f.target.Elem().Field(i).Interface().(type) {
		case *string:
			if v != nil {
				m[key] = *v
			}
		case *bool:
			if v != nil {
				m[key] = fmt.Sprint(*v)
			}
		}
	}
	return m
}

// report says what went wrong and what to do about it, and returns the exit code.
func report(w io.Writer, err error) int {
	var q quiet
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &q):
		return int(q)
	}
	fmt.Fprintln(w, "lukasa: "+wording(err))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintln(w, "hint: "+hint)
	}
	return exitCode(err)
}

// wording is what went wrong in one line. The cause of an error is shown: who calls a command is who would read its log.
// That of a server is not here.
func wording(err error) string {
	var e *lukasa.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	prefix := strings.TrimSuffix(err.Error(), e.Error())
	if prefix == err.Error() {
		prefix = ""
	}
	msg := e.Msg
	if e.Field != "" {
		msg = e.Field + ": " + msg
	}
	if e.Err != nil && client.RequestID(err) == "" {
		msg += ": " + e.Err.Error()
	}
	return prefix + msg
}

func hintOf(err error) string {
	var e *lukasa.Error
	if !errors.As(err, &e) {
		return ""
	}
	if id := client.RequestID(err); id != "" && e.Code == lukasa.CodeInternal {
		return "the server's log has the details under request " + id
	}
	if strings.Contains(e.Hint, "`Authorization") { // who calls a command sends no headers
		return "set LUKASA_API_KEY to a valid key, or name the data directory of the server with --data"
	}
	return e.Hint
}

func exitCode(err error) int {
	switch lukasa.CodeOf(err) {
	case lukasa.CodeInvalid, lukasa.CodeUnknownField:
		return exitUsage
	case lukasa.CodeNotFound:
		return exitNotFound
	case lukasa.CodeUnauthenticated, lukasa.CodeForbidden:
		return exitAuth
	case lukasa.CodeUnavailable, lukasa.CodeTimeout:
		return exitUnavailable
	case lukasa.CodeStorage:
		return exitStorage
	}
	return exitError
}
