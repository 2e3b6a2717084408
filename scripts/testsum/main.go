// Command testsum sums up a test run: it reads the output of `go test -json`, prints one line for each package and everything
// that a failed test wrote, and ends with a line that counts what passed, failed and was skipped.
//
// A test that lacks a server skips with the words "needs NAME: ...". The variable LUKASA_REQUIRE names, separated by commas,
// what must be there: a skip for the lack of it counts as a failure. Testsum exits with 1 if anything failed, or if no
// test ran at all.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	s := newSum(os.Stdout, os.Getenv("LUKASA_REQUIRE"))
	if err := s.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	if !s.finish() {
		os.Exit(1)
	}
}

// event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of a build
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// A test is known by its package and its name; the name is "" for the package itself.
type test struct{ pkg, name string }

type sum struct {
	out                     io.Writer
	pending                 map[test]*strings.Builder // what tests wrote that are not done yet
	passed, failed, skipped int
	skips                   map[string]int // skipped tests by reason
	required                []string
}

// newSum makes a sum that prints to out; require is a list of what must be there, separated by commas.
func newSum(out io.Writer, require string) *sum {
	s := &sum{out: out, pending: map[test]*strings.Builder{}, skips: map[string]int{}}
	for name := range strings.SplitSeq(require, ",") {
		if name = strings.TrimSpace(name); name != "" {
			s.required = append(s.required, name)
		}
	}
	return s
}

// read takes in events until the end of r. Lines that are no events are printed as they are.
func (s *sum) read(r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if line[0] == '{' && json.Unmarshal(line, &e) == nil && e.Action != "" {
				s.take(e)
			} else {
				fmt.Fprintf(s.out, "%s\n", strings.TrimRight(string(line), "\r\n"))
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
	}
}

func (s *sum) take(e event) {
	k := test{e.Package, e.Test}
	switch e.Action {
	case "output":
		if s.pending[k] == nil {
			s.pending[k] = &strings.Builder{}
		}
		s.pending[k].WriteString(e.Output)
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			s.packageDone(e)
		} else {
			s.testDone(e)
		}
	}
}

func (s *sum) testDone(e event) {
	k := test{e.Package, e.Test}
	text := ""
	if b := s.pending[k]; b != nil {
		text = b.String()
	}
	delete(s.pending, k)
	switch e.Action {
	case "pass":
		s.passed++
	case "skip":
		reason := skipReason(text)
		if s.mustRun(reason) {
			s.failed++
			fmt.Fprintf(s.out, "\n--- %s in %s was skipped, and LUKASA_REQUIRE says it must run: %s\n", e.Test, e.Package, reason)
			return
		}
		s.skipped++
		s.skips[reason]++
	case "fail":
		s.failed++
		fmt.Fprintf(s.out, "\n--- %s in %s\n%s", e.Test, e.Package, text)
	}
}

// packageDone prints the line of a package. A package that failed while a test was running (a panic, a time limit) or whose
// tests did not build has no event for that test: what is pending is printed, and the package counts as a failure.
func (s *sum) packageDone(e event) {
	own := s.pending[test{e.Package, ""}]
	delete(s.pending, test{e.Package, ""})
	if e.Action != "fail" {
		if e.Action == "pass" {
			fmt.Fprintf(s.out, "ok    %s %.1fs\n", e.Package, e.Elapsed)
		}
		s.drop(e.Package, false)
		return
	}
	fmt.Fprintf(s.out, "FAIL  %s %.1fs\n", e.Package, e.Elapsed)
	unfinished := s.drop(e.Package, true)
	if unfinished || e.FailedBuild != "" || own != nil && !strings.HasPrefix(own.String(), "FAIL") {
		s.failed++
		if own != nil {
			fmt.Fprint(s.out, own.String())
		}
	}
}

// drop forgets what is pending of a package, and prints it if it is wanted. It reports whether there was any.
func (s *sum) drop(pkg string, show bool) bool {
	var left []test
	for k := range s.pending {
		if k.pkg == pkg {
			left = append(left, k)
		}
	}
	slices.SortFunc(left, func(a, b test) int { return strings.Compare(a.name, b.name) })
	for _, k := range left {
		if show {
			fmt.Fprintf(s.out, "\n--- %s in %s did not end\n%s", k.name, k.pkg, s.pending[k].String())
		}
		delete(s.pending, k)
	}
	return len(left) > 0
}

// mustRun reports whether a test that was skipped for this reason was required to run.
func (s *sum) mustRun(reason string) bool {
	need, ok := strings.CutPrefix(reason, "needs ")
	if !ok {
		return false
	}
	name, _, _ := strings.Cut(need, ":")
	return slices.Contains(s.required, strings.TrimSpace(name))
}

// skipReason returns what a skipped test said: its last line that is not the test runner's own.
func skipReason(text string) string {
	reason := "no reason given"
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, after, ok := strings.Cut(line, ".go:"); ok { // file.go:12: reason
			_, said, ok := strings.Cut(after, ": ")
			if !ok {
				continue
			}
			line = said
		}
		reason = line
	}
	return reason
}

// finish prints the counts and reports whether the run is a good one.
func (s *sum) finish() bool {
	var rest []string
	for k := range s.pending {
		if !slices.Contains(rest, k.pkg) {
			rest = append(rest, k.pkg)
		}
	}
	slices.Sort(rest)
	for _, pkg := range rest { // the run was cut off
		fmt.Fprintf(s.out, "FAIL  %s did not end\n", pkg)
		s.drop(pkg, true)
		s.failed++
	}
	for _, reason := range slices.Sorted(maps.Keys(s.skips)) {
		fmt.Fprintf(s.out, "SKIPPED %d: %s\n", s.skips[reason], reason)
	}
	if s.passed+s.failed == 0 {
		fmt.Fprintln(s.out, "no test ran")
	}
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
	return s.failed == 0 && s.passed > 0
}
