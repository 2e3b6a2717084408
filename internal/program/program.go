// Package program runs another program of this machine within limits: no shell, a time limit, a scratch folder of its own, and
// a bound on what it may print or write.
//
// On Linux it also has no network, where the kernel lets an ordinary process make a namespace, and bounds on memory, processor
// time and the size of files. What it starts ends with it, on any Unix. These are fences against accidents and files made to
// hurt; they are no prison: a program can read what the user of this process can read.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Sentinel errors; test with errors.Is.
var (
	ErrMissing  = errors.New("program not installed")
	ErrTimeout  = errors.New("program ran out of time")
	ErrTooLarge = errors.New("program printed too much")
)

// Command is one run of a program. It works in a scratch folder of its own, which holds Files when it starts; arguments name
// them relative to it.
type Command struct {
	Name      string // looked up on the PATH
	Args      []string
	Stdin     []byte
	Files     map[string][]byte // plain file names
	Collect   []string          // patterns (path.Match) of files that are handed back when it has ended
	Timeout   time.Duration     // 0 means 30 s
	Memory    int64             // bytes of address space, where that can be bounded; 0 means 4 GiB
	Resident  int64             // bytes of memory that it is expected to hold, for a [Runner]; 0 means 48 MiB
	MaxOutput int64             // bytes of standard output and collected files together; 0 means 64 MiB
}

// Result is what a program left.
type Result struct {
	Stdout []byte
	Stderr []byte            // its first 4 KiB
	Files  map[string][]byte // by the names that Command.Collect matched

	Offline bool // it ran without a network
}

// ExitError says that a program ended with a code other than 0, or by a signal.
type ExitError struct {
	Name   string
	Code   int    // -1 where a signal ended it
	Signal string // in words: "segmentation fault"
	Stderr string
}

func (e *ExitError) Error() string {
	if e.Signal != "" {
		return fmt.Sprintf("%s was ended by a signal (%s): %s", e.Name, e.Signal, strings.TrimSpace(e.Stderr))
	}
	return fmt.Sprintf("%s ended with code %d: %s", e.Name, e.Code, strings.TrimSpace(e.Stderr))
}

// Has reports whether a program is installed.
func Has(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// Run runs a program to its end.
func Run(ctx context.Context, c Command) (Result, error) {
	path, err := exec.LookPath(c.Name)
	if err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.Name, ErrMissing)
	}
	if c.Timeout == 0 {
		c.Timeout = 30 * time.Second
	}
	if c.MaxOutput == 0 {
		c.MaxOutput = 64 << 20
	}
	if c.Memory == 0 {
		c.Memory = 4 << 30
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	dir, err := os.MkdirTemp("", "lukasa-")
	if err != nil {
		return Result{}, fmt.Errorf("make scratch folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what stays is in the system's own scratch space
	for name, data := range c.Files {
		if name != filepath.Base(name) || name == "." || name == ".." || name == string(filepath.Separator) {
			return Result{}, fmt.Errorf("file %q is not a plain name", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return Result{}, fmt.Errorf("write scratch file: %w", err)
		}
	}
	res, err := c.run(ctx, path, dir)
	if err != nil {
		return res, err
	}
	res.Files, err = collect(dir, c.Collect, c.MaxOutput-int64(len(res.Stdout)))
	return res, err
}

// limits are what a program may use.
type limits struct {
	memory, file uint64 // bytes
	seconds      uint64 // of one processor
}

// run starts the program, without a network if that can be, and waits for it.
func (c Command) run(ctx context.Context, path, dir string) (Result, error) {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	defer pin()()
	out := &capped{left: c.MaxOutput, stop: cancel}
	diag := &capped{left: 4 << 10}
	start := func(offline bool) (*exec.Cmd, error) {
		cmd := exec.CommandContext(limited, path, c.Args...)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(c.Stdin)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LC_ALL=C.UTF-8"}
		cmd.WaitDelay = time.Second
		cmd.Stdout, cmd.Stderr = out, diag
		isolate(cmd, offline)
		return cmd, cmd.Start()
	}
	offline := canOffline
	cmd, err := start(offline)
	if err != nil && offline && limited.Err() == nil { // the kernel does not allow it
		offline = false
		cmd, err = start(false)
	}
	if err == nil {
		restrain(cmd, limits{
			memory: uint64(c.Memory), file: uint64(c.MaxOutput) + maxScratch, seconds: uint64(c.Timeout/time.Second) + 5,
		})
		err = await(cmd)
	}
	res := Result{Stdout: out.kept.Bytes(), Stderr: diag.kept.Bytes(), Offline: offline}
	switch {
	case out.over:
		return res, fmt.Errorf("run %s: %w", c.Name, ErrTooLarge)
	case ctx.Err() != nil:
		return res, ctx.Err()
	case limited.Err() != nil:
		return res, fmt.Errorf("run %s: %w", c.Name, ErrTimeout)
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return res, &ExitError{Name: c.Name, Code: e.ExitCode(), Signal: signalOf(e), Stderr: string(res.Stderr)}
	}
	if err != nil {
		return res, fmt.Errorf("run %s: %w", c.Name, err)
	}
	return res, nil
}

// maxScratch is what a file in the scratch folder may be larger than what is handed back.
const maxScratch = 1 << 30

// signalOf says which signal ended a program, "" for none.
func signalOf(e *exec.ExitError) string {
	if e.ExitCode() >= 0 {
		return ""
	}
	return strings.TrimPrefix(e.String(), "signal: ")
}

// collect reads the files of dir that match one of the patterns.
func collect(dir string, patterns []string, left int64) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, p := range patterns {
		names, err := filepath.Glob(filepath.Join(dir, filepath.Base(p)))
		if err != nil {
			return nil, fmt.Errorf("collect %q: %w", p, err)
		}
		for _, name := range names {
			st, err := os.Lstat(name)
			if err != nil || !st.Mode().IsRegular() {
				continue
			}
			if left -= st.Size(); left < 0 {
				return nil, fmt.Errorf("collect %q: %w", p, ErrTooLarge)
			}
			if files[filepath.Base(name)], err = os.ReadFile(name); err != nil {
				return nil, fmt.Errorf("collect %q: %w", p, err)
			}
		}
	}
	return files, nil
}

// capped keeps what is written to it, up to a bound; past it, it ends the program if it may. It is no bytes.Buffer, whose
// ReadFrom would take all there is.
type capped struct {
	kept bytes.Buffer
	left int64
	over bool
	stop func()
}

func (c *capped) Write(p []byte) (int, error) {
	n := int64(len(p))
	if n > c.left {
		c.over = true
		if c.stop != nil {
			c.stop()
		}
	}
	c.kept.Write(p[:min(n, c.left)])
	c.left -= min(n, c.left)
	return len(p), nil
}
