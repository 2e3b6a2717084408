// Package program runs another program of this machine within limits: no shell, a time limit, a scratch folder of its own, and
// a bound on what it may print or write.
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
	MaxOutput int64             // bytes of standard output and collected files together; 0 means 64 MiB
}

// Result is what a program left.
type Result struct {
	Stdout []byte
	Stderr []byte            // its first 4 KiB
	Files  map[string][]byte // by the names that Command.Collect matched
}

// ExitError says that a program ended with a code other than 0.
type ExitError struct {
	Name   string
	Code   int
	Stderr string
}

func (e *ExitError) Error() string {
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
	dir, err := os.MkdirTemp("", "lukasa-")
	if err != nil {
		return Result{}, fmt.Errorf("make scratch folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what stays is in the system's own scratch space
	for name, data := range c.Files {
		if name != filepath.Base(name) {
			return Result{}, fmt.Errorf("file %q is not a plain name", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return Result{}, fmt.Errorf("write scratch file: %w", err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, path, c.Args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(c.Stdin)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LC_ALL=C.UTF-8"}
	cmd.WaitDelay = time.Second
	out := &capped{left: c.MaxOutput, stop: cancel}
	diag := &capped{left: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, diag
	isolate(cmd)
	err = cmd.Run()
	res := Result{Stdout: out.Bytes(), Stderr: diag.Bytes()}
	switch {
	case out.over:
		return res, fmt.Errorf("run %s: %w", c.Name, ErrTooLarge)
	case ctx.Err() != nil:
		return res, ctx.Err()
	case limited.Err() != nil:
		return res, fmt.Errorf("run %s: %w", c.Name, ErrTimeout)
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return res, &ExitError{Name: c.Name, Code: e.ExitCode(), Stderr: string(res.Stderr)}
	}
	if err != nil {
		return res, fmt.Errorf("run %s: %w", c.Name, err)
	}
	res.Files, err = collect(dir, c.Collect, c.MaxOutput-int64(len(res.Stdout)))
	return res, err
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

// capped keeps what is written to it, up to a bound; past it, it ends the program if it may.
type capped struct {
	bytes.Buffer
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
	c.Buffer.Write(p[:min(n, c.left)])
	c.left -= min(n, c.left)
	return len(p), nil
}
