package lukasa_test

//go:generate go test -run ^TestLayout$ -update-rooms .

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The rules of the house. ARCHITECTURE.md draws the floors; this test reads that drawing and holds the sources to it. It
// parses the sources in the test process: the go command caches a test by the files that the process itself opens, so a
// test that asked `go list` in a subprocess would be answered from the cache, faults and all.
//
// Do not loosen a rule to make a build pass. Where the drawing is wrong, change the drawing, in a change of its own.

const (
	modulePath     = "github.com/lukasa-memory/lukasa"
	maxFile        = 800
	maxFunction    = 100
	maxMethods     = 12
	composition    = 3     // an interface that embeds so many composes roles
	ownRoom        = "own" // in a floor's "sees": the package one directory up
	floorWords     = "words"
	floorSuites    = "suites"
	floorDrivers   = "drivers"
	architectureMD = "ARCHITECTURE.md"
	dependenciesMD = "docs/dependencies.md"
)

var updateRooms = flag.Bool("update-rooms", false, "rewrite the room sentences of ARCHITECTURE.md from the package comments")

// sharedLibraries may be imported by several packages: they are the standard library by another name.
var sharedLibraries = map[string]string{
	"golang.org/x/sys":  "system calls, wanted by whoever touches files, memory or the processor",
	"golang.org/x/text": "Unicode tables, wanted by whoever touches text",
}

// testLibraries may be imported by any test, and by nothing else.
var testLibraries = map[string]bool{
	"github.com/google/go-cmp":        true,
	"github.com/rogpeppe/go-internal": true,
	"go.uber.org/goleak":              true,
	"pgregory.net/rapid":              true,
}

// emptyNames say nothing about what a package holds.
var emptyNames = map[string]bool{
	"base": true, "common": true, "core": true, "helper": true, "helpers": true, "misc": true, "model": true, "models": true,
	"shared": true, "util": true, "utils": true,
}

// rootBans are the parts of the standard library through which the words could touch the world.
var rootBans = map[string]bool{
	"context": true, "crypto/rand": true, "database/sql": true, "log": true, "log/slog": true, "math/rand": true, "math/rand/v2": true,
	"net": true, "net/http": true, "os": true, "os/exec": true, "os/signal": true, "runtime": true, "sync": true, "sync/atomic": true,
	"syscall": true, "unsafe": true,
}

func TestLayout(t *testing.T) {
	t.Parallel()
	tree := os.DirFS(".")
	if *updateRooms {
		rewriteRooms(t, tree)
		return
	}
	for _, finding := range inspectHouse(tree) {
		t.Error(finding)
	}
}

func TestDependenciesAreExplained(t *testing.T) {
	t.Parallel()
	for _, finding := range inspectDependencies(os.DirFS(".")) {
		t.Error(finding)
	}
}

// inspectHouse returns what is against the rules in the tree, one line each.
func inspectHouse(tree fs.FS) []string {
	var in inspection
	plan, err := readPlan(tree)
	if err != nil {
		return []string{err.Error()}
	}
	in.plan = plan
	in.src, err = readSources(tree)
	if err != nil {
		return []string{err.Error()}
	}
	in.checkRooms()
	for _, p := range in.src.packages {
		floor := plan.place(p)
		if floor == nil {
			in.report(p.dir, "stands in no room: give it a floor in %s", architectureMD)
			continue
		}
		for _, f := range p.files {
			in.checkImports(p, f, floor)
		}
		in.checkPackage(p)
		for _, f := range p.files {
			if !f.test {
				in.checkFile(f)
			}
		}
		in.checkInterfaces(p)
		in.checkState(p)
		if p.dir == "." {
			in.checkWords(p)
		}
	}
	in.checkLibraries()
	slices.Sort(in.findings)
	return slices.Compact(in.findings)
}

// inspection gathers findings.
type inspection struct {
	plan     *plan
	src      *sources
	findings []string
}

func (in *inspection) report(where, format string, args ...any) {
	in.findings = append(in.findings, where+": "+fmt.Sprintf(format, args...))
}

// A plan is the drawing: the floors from the top down, and each room's sentence.
type plan struct {
	floors    []*floor
	sentences map[string]string // by directory
}

// A floor is a set of rooms and the floors below it that they may import.
type floor struct {
	name  string
	sees  []string
	rooms []room
}

// A room is a directory, or a pattern of directories in which * stands for one name. A planned room has a mark (?) and no
// package yet.
type room struct {
	dir     string
	planned bool
}

var (
	floorsBlock = regexp.MustCompile("(?s)\n```floors\n(.*?)\n```\n")
	roomRow     = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+) \\|$")
	spaces      = regexp.MustCompile(`\s{2,}`)
)

func readPlan(tree fs.FS) (*plan, error) {
	text, err := fs.ReadFile(tree, architectureMD)
	if err != nil {
		return nil, err
	}
	block := floorsBlock.FindSubmatch(text)
	if block == nil {
		return nil, fmt.Errorf("%s: has no floors block", architectureMD)
	}
	p := &plan{sentences: map[string]string{}}
	for line := range strings.SplitSeq(string(block[1]), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		cols := spaces.Split(line, -1)
		if len(cols) != 3 {
			return nil, fmt.Errorf("%s: floors line %q needs a name, what it sees (or -) and its rooms, two spaces apart", architectureMD, line)
		}
		f := &floor{name: cols[0], sees: strings.Fields(cols[1])}
		for r := range strings.FieldsSeq(cols[2]) {
			dir, planned := strings.CutSuffix(r, "?")
			f.rooms = append(f.rooms, room{dir: dir, planned: planned})
		}
		p.floors = append(p.floors, f)
	}
	for i, f := range p.floors {
		for _, s := range f.sees {
			if s == "-" || s == ownRoom || s == floorSuites && f.name == floorSuites {
				continue
			}
			if !slices.ContainsFunc(p.floors[i+1:], func(low *floor) bool { return low.name == s }) {
				return nil, fmt.Errorf("%s: floor %s sees %s, which is not a floor below it", architectureMD, f.name, s)
			}
		}
	}
	for _, m := range roomRow.FindAllStringSubmatch(string(text), -1) {
		p.sentences[m[1]] = m[2]
	}
	return p, nil
}

// place returns the floor on which a package stands, nil for none. A room that is named wins over a pattern.
func (p *plan) place(k *pkg) *floor { return p.placeDir(k.dir) }

func (p *plan) placeDir(dir string) *floor {
	if isSuite(dir) {
		return p.floor(floorSuites)
	}
	for _, exact := range []bool{true, false} {
		for _, f := range p.floors {
			for _, r := range f.rooms {
				if r.dir == dir && exact {
					return f
				}
				if ok, _ := path.Match(r.dir, dir); ok && !exact {
					return f
				}
			}
		}
	}
	return nil
}

func (p *plan) floor(name string) *floor {
	i := slices.IndexFunc(p.floors, func(f *floor) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return p.floors[i]
}

// reaches reports whether a floor sees another one, itself or through those that it sees. Tests may: they build what their
// room is handed.
func (p *plan) reaches(from, to *floor) bool {
	for _, name := range from.sees {
		low := p.floor(name)
		if low != nil && low != from && (low == to || p.reaches(low, to)) {
			return true
		}
	}
	return false
}

// isSuite reports whether a directory holds a suite of tests that other packages run: its name is a word and "test".
func isSuite(dir string) bool {
	name := path.Base(dir)
	return len(name) > len("test") && strings.HasSuffix(name, "test")
}

// checkRooms compares the drawing with what stands.
func (in *inspection) checkRooms() {
	built := map[string]bool{}
	for _, p := range in.src.packages {
		built[p.dir] = true
	}
	drawn := map[string]bool{}
	for _, f := range in.plan.floors {
		for _, r := range f.rooms {
			if strings.Contains(r.dir, "*") {
				continue
			}
			drawn[r.dir] = true
			switch {
			case r.planned && built[r.dir]:
				in.report(r.dir, "is built: take the ? off it in %s", architectureMD)
			case !r.planned && !built[r.dir]:
				in.report(r.dir, "is drawn in %s and not built: build it or mark it with a ?", architectureMD)
			}
			if in.plan.sentences[r.dir] == "" {
				in.report(r.dir, "has no sentence in the rooms of %s", architectureMD)
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(in.plan.sentences)) {
		if !drawn[dir] {
			in.report(dir, "has a sentence in %s and stands on no floor", architectureMD)
		}
	}
}

// checkImports holds one file's imports to the floors.
func (in *inspection) checkImports(p *pkg, f *file, own *floor) {
	for _, im := range f.imports {
		where := fmt.Sprintf("%s:%d", f.name, im.line)
		if im.path == "testing" || strings.HasPrefix(im.path, "testing/") {
			if !f.test && own.name != floorSuites && im.path != "testing/fstest" {
				in.report(where, "imports %s outside a test", im.path)
			}
			continue
		}
		if dir, ok := internalDir(im.path); ok && !(f.test && dir == p.dir) {
			if why := in.forbidden(p, f, own, dir); why != "" {
				in.report(where, "imports %s: %s", dir, why)
			}
		}
	}
}

// forbidden says why a file of p may not import the package in dir, or "" if it may.
func (in *inspection) forbidden(p *pkg, f *file, own *floor, dir string) string {
	target := in.plan.placeDir(dir)
	switch {
	case target == nil:
		return "it stands in no room"
	case slices.Contains(own.sees, ownRoom) && dir == path.Dir(p.dir):
		return ""
	case target.name == floorSuites && (f.test || own.name == floorSuites):
		return ""
	case target.name == floorSuites:
		return "a package whose name ends in test is for tests only"
	case slices.Contains(own.sees, target.name):
		return ""
	case f.test && target.name != floorDrivers && in.plan.reaches(own, target):
		return ""
	case target.name == floorDrivers && path.Dir(dir) == p.dir:
		return "a port never sees its drivers"
	case target.name == floorDrivers:
		return "only internal/engine names drivers"
	case target == own:
		return fmt.Sprintf("%s never look sideways", own.name)
	case slices.Index(in.plan.floors, target) < slices.Index(in.plan.floors, own):
		return fmt.Sprintf("%s never look up, to %s", own.name, target.name)
	}
	return fmt.Sprintf("%s do not see %s", own.name, target.name)
}

// internalDir turns an import path of this module into a directory.
func internalDir(importPath string) (string, bool) {
	if importPath == modulePath {
		return ".", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// checkPackage looks at a package as a whole: its name and its comment.
func (in *inspection) checkPackage(p *pkg) {
	if p.name == "" { // tests only
		return
	}
	if emptyNames[p.name] || emptyNames[path.Base(p.dir)] {
		in.report(p.dir, "a package called %s says nothing about what it holds", p.name)
	}
	lead := "Package " + p.name + " "
	if p.name == "main" {
		lead = "Command " + path.Base(p.dir) + " "
	}
	sentence, isLed := strings.CutPrefix(p.synopsis(), lead)
	switch {
	case len(p.comments) == 0:
		in.report(p.dir, "has no package comment")
	case len(p.comments) > 1:
		in.report(p.dir, "has %d package comments", len(p.comments))
	case !isLed:
		in.report(p.dir, "its comment does not begin with %q", lead)
	case in.plan.sentences[p.dir] != "" && in.plan.sentences[p.dir] != sentence:
		in.report(p.dir, "its comment says %q, its room in %s %q (make generate copies the former)",
			sentence, architectureMD, in.plan.sentences[p.dir])
	}
}

// checkWords holds the root package to nouns and pure rules.
func (in *inspection) checkWords(p *pkg) {
	for _, f := range p.files {
		if f.test {
			continue
		}
		for _, im := range f.imports {
			if rootBans[im.path] || strings.Contains(strings.Split(im.path, "/")[0], ".") {
				in.report(fmt.Sprintf("%s:%d", f.name, im.line), "the words import %s: they touch nothing of the world", im.path)
			}
		}
		in.checkPure(f)
	}
}

// checkLibraries sees to it that each outside library lives in one package, so that replacing one is a one-room job.
func (in *inspection) checkLibraries() {
	homes := map[string][]string{}
	for _, p := range in.src.packages {
		for _, f := range p.files {
			for _, im := range f.imports {
				lib := in.src.library(im.path)
				if lib == "" || sharedLibraries[lib] != "" || f.test {
					continue
				}
				if testLibraries[lib] {
					if !isSuite(p.dir) {
						in.report(fmt.Sprintf("%s:%d", f.name, im.line), "imports the test library %s outside a test", lib)
					}
					continue
				}
				if !slices.Contains(homes[lib], p.dir) {
					homes[lib] = append(homes[lib], p.dir)
				}
			}
		}
	}
	for lib, dirs := range homes {
		if len(dirs) > 1 {
			in.report(lib, "lives in %s: one outside library, one package", strings.Join(dirs, " and "))
		}
	}
}

// rewriteRooms copies the first sentence of each package's comment into its row of ARCHITECTURE.md.
func rewriteRooms(t *testing.T, tree fs.FS) {
	t.Helper()
	src, err := readSources(tree)
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(tree, architectureMD)
	if err != nil {
		t.Fatal(err)
	}
	out := roomRow.ReplaceAllStringFunc(string(text), func(row string) string {
		dir := roomRow.FindStringSubmatch(row)[1]
		for _, p := range src.packages {
			if _, sentence, ok := cutWords(p.synopsis(), 2); ok && p.dir == dir {
				return fmt.Sprintf("| `%s` | %s |", dir, sentence)
			}
		}
		return row
	})
	if out != string(text) {
		if err := os.WriteFile(architectureMD, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// cutWords cuts s after its first n words.
func cutWords(s string, n int) (before, after string, ok bool) {
	parts := strings.SplitN(s, " ", n+1)
	if len(parts) != n+1 {
		return s, "", false
	}
	return strings.Join(parts[:n], " "), parts[n], true
}

var (
	requireLine = regexp.MustCompile(`(?m)^(?:require )?\t?([a-z0-9.]+\.[a-z]+/\S+) (v\S+)( // indirect)?$`)
	dependRow   = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+) \\|$")
)

// inspectDependencies compares docs/dependencies.md with what the sources import and with what go.mod calls direct.
func inspectDependencies(tree fs.FS) []string {
	src, err := readSources(tree)
	if err != nil {
		return []string{err.Error()}
	}
	doc, err := fs.ReadFile(tree, dependenciesMD)
	if err != nil {
		return []string{err.Error()}
	}
	explained := map[string]bool{}
	for _, m := range dependRow.FindAllStringSubmatch(string(doc), -1) {
		explained[m[1]] = true
	}
	needed := maps.Clone(src.direct)
	for _, p := range src.packages {
		for _, f := range p.files {
			for _, im := range f.imports {
				if lib := src.library(im.path); lib != "" {
					needed[lib] = true
				}
			}
		}
	}
	var findings []string
	for lib := range needed {
		if !explained[lib] {
			findings = append(findings, fmt.Sprintf("%s: has no line that says why %s is needed", dependenciesMD, lib))
		}
	}
	for lib := range explained {
		if !needed[lib] {
			findings = append(findings, fmt.Sprintf("%s: explains %s, which nothing imports", dependenciesMD, lib))
		}
	}
	slices.Sort(findings)
	return findings
}
