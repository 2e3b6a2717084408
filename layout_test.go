package lukasa_test

import (
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

// The layout rules. ARCHITECTURE.md lists the layers; this test reads that list and checks every Go file of the module. It parses
// the files in the test process: the go command caches a test by the files that the process itself opens, so a test that ran
// `go list` would be answered from the cache although a file changed.
//
// Do not loosen a rule to make a build pass. Where the list is wrong, change the list, in a change of its own.

const (
	modulePath     = "github.com/lukasa-memory/lukasa"
	maxFile        = 800
	maxFunction    = 100
	maxMethods     = 12
	composition    = 3                      // an interface that embeds this many combines roles
	opener         = "internal/engine/open" // the files that may import drivers begin with this
	architectureMD = "ARCHITECTURE.md"
	contributingMD = "CONTRIBUTING.md"
	dependenciesMD = "docs/dependencies.md"
)

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

// rootBans are the parts of the standard library that the root package may not import: they do I/O, read a clock or hold locks.
var rootBans = map[string]bool{
	"context": true, "crypto/rand": true, "database/sql": true, "log": true, "log/slog": true, "math/rand": true, "math/rand/v2": true,
	"net": true, "net/http": true, "os": true, "os/exec": true, "os/signal": true, "runtime": true, "sync": true, "sync/atomic": true,
	"syscall": true, "unsafe": true,
}

func TestLayout(t *testing.T) {
	t.Parallel()
	for _, finding := range checkLayout(os.DirFS(".")) {
		t.Error(finding)
	}
}

func TestDependenciesAreExplained(t *testing.T) {
	t.Parallel()
	for _, finding := range checkDependencies(os.DirFS(".")) {
		t.Error(finding)
	}
}

// checkLayout returns one line for each fault in the tree.
func checkLayout(tree fs.FS) []string {
	layers, err := readLayers(tree)
	if err != nil {
		return []string{err.Error()}
	}
	src, err := readSources(tree)
	if err != nil {
		return []string{err.Error()}
	}
	c := checker{layers: layers, src: src}
	c.checkLayers()
	for _, p := range src.packages {
		if _, ok := layers.find(p.dir); !ok {
			c.report(p.dir, "is in no layer: add it to the layers of %s", architectureMD)
			continue
		}
		c.checkPackage(p)
		c.checkInterfaces(p)
		c.checkState(p)
		for _, f := range p.files {
			c.checkImports(p, f)
			if f.test {
				continue
			}
			c.checkFile(f)
			if p.dir == "." {
				c.checkRoot(f)
			}
		}
	}
	c.checkLibraries()
	slices.Sort(c.findings)
	return slices.Compact(c.findings)
}

// checker collects findings.
type checker struct {
	layers   layers
	src      *sources
	findings []string
}

func (c *checker) report(where, format string, args ...any) {
	c.findings = append(c.findings, where+": "+fmt.Sprintf(format, args...))
}

// layers are the lines of the layers block, the highest first.
type layers []layer

// A layer is a set of packages: directories, or x/* for the drivers of x.
type layer struct {
	name string
	dirs []string
}

// A place is where a package is: its layer (0 is the highest), and whether it is a driver.
type place struct {
	layer  int
	driver bool
}

var layersBlock = regexp.MustCompile("(?s)\n```layers\n(.*?)\n```\n")

// readLayers reads the layers block of ARCHITECTURE.md. A line that begins with a space goes on with the layer above.
func readLayers(tree fs.FS) (layers, error) {
	text, err := fs.ReadFile(tree, architectureMD)
	if err != nil {
		return nil, err
	}
	block := layersBlock.FindSubmatch(text)
	if block == nil {
		return nil, fmt.Errorf("%s: has no layers block", architectureMD)
	}
	var ls layers
	for line := range strings.SplitSeq(string(block[1]), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			continue
		case line[0] != ' ':
			ls = append(ls, layer{name: words[0], dirs: words[1:]})
		case len(ls) == 0:
			return nil, fmt.Errorf("%s: the layers block begins with a space, not with the name of a layer", architectureMD)
		default:
			ls[len(ls)-1].dirs = append(ls[len(ls)-1].dirs, words...)
		}
	}
	return ls, nil
}

// find returns the place of a directory. A directory that is listed wins over a pattern. A suite is in the layer of its parent.
func (ls layers) find(dir string) (place, bool) {
	for i, l := range ls {
		if slices.Contains(l.dirs, dir) {
			return place{layer: i}, true
		}
	}
	parent := path.Dir(dir)
	if isSuite(dir) && parent != "." {
		return ls.find(parent)
	}
	for i, l := range ls {
		if slices.Contains(l.dirs, parent+"/*") {
			return place{layer: i, driver: slices.ContainsFunc(ls, func(l layer) bool { return slices.Contains(l.dirs, parent) })}, true
		}
	}
	return place{}, false
}

// isSuite reports whether a directory holds tests that other packages run: its name is a word and "test".
func isSuite(dir string) bool {
	name := path.Base(dir)
	return len(name) > len("test") && strings.HasSuffix(name, "test")
}

// checkLayers reports listed directories that hold no package.
func (c *checker) checkLayers() {
	for _, l := range c.layers {
		for _, dir := range l.dirs {
			if !strings.HasSuffix(dir, "/*") && !slices.ContainsFunc(c.src.packages, func(p *pkg) bool { return p.dir == dir }) {
				c.report(dir, "is in the layers of %s and holds no package", architectureMD)
			}
		}
	}
}

// checkImports checks the imports of one file against the layers.
func (c *checker) checkImports(p *pkg, f *file) {
	for _, im := range f.imports {
		where := fmt.Sprintf("%s:%d", f.name, im.line)
		if im.path == "testing" || strings.HasPrefix(im.path, "testing/") {
			if !f.test && !isSuite(p.dir) && im.path != "testing/fstest" {
				c.report(where, "imports %s outside a test", im.path)
			}
			continue
		}
		if dir, ok := internalDir(im.path); ok && dir != p.dir {
			if why := c.forbidden(p, f, dir); why != "" {
				c.report(where, "imports %s: %s", dir, why)
			}
		}
	}
}

// forbidden says why a file of p may not import the package in dir, or "" if it may.
func (c *checker) forbidden(p *pkg, f *file, dir string) string {
	own, _ := c.layers.find(p.dir)
	target, ok := c.layers.find(dir)
	switch {
	case !ok:
		return "it is in no layer"
	case isSuite(dir):
		if f.test || isSuite(p.dir) {
			return ""
		}
		return "a package whose name ends in test is for tests only"
	case target.driver && isSuite(p.dir) && path.Dir(p.dir) == dir: // the suite of a driver
		return ""
	case target.driver && path.Dir(dir) == p.dir:
		return "a package never imports its own drivers"
	case target.driver && own.driver:
		return "a driver never imports a driver"
	case target.driver && !strings.HasPrefix(f.name, opener):
		return "only " + opener + "*.go import drivers"
	case target.layer < own.layer:
		return fmt.Sprintf("%s never imports %s", c.layers[own.layer].name, c.layers[target.layer].name)
	}
	return ""
}

// internalDir turns an import path of this module into a directory.
func internalDir(importPath string) (string, bool) {
	if importPath == modulePath {
		return ".", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// checkPackage looks at a package as a whole: its name and its comment.
func (c *checker) checkPackage(p *pkg) {
	if p.name == "" { // tests only
		return
	}
	if emptyNames[p.name] || emptyNames[path.Base(p.dir)] {
		c.report(p.dir, "a package called %s says nothing about what it holds", p.name)
	}
	lead := "Package " + p.name + " "
	if p.name == "main" {
		lead = "Command " + path.Base(p.dir) + " "
	}
	switch {
	case len(p.comments) == 0:
		c.report(p.dir, "has no package comment")
	case len(p.comments) > 1:
		c.report(p.dir, "has %d package comments", len(p.comments))
	case !strings.HasPrefix(p.comments[0], lead):
		c.report(p.dir, "its comment does not begin with %q", lead)
	}
}

// checkRoot checks the imports of a file of the root package, and that it reads no clock and starts no goroutine.
func (c *checker) checkRoot(f *file) {
	for _, im := range f.imports {
		if rootBans[im.path] || c.src.library(im.path) != "" {
			c.report(fmt.Sprintf("%s:%d", f.name, im.line), "the root package imports %s", im.path)
		}
	}
	c.checkPure(f)
}

// checkLibraries checks that one package imports an outside library, so that replacing the library changes one package.
func (c *checker) checkLibraries() {
	homes := map[string][]string{}
	for _, p := range c.src.packages {
		for _, f := range p.files {
			for _, im := range f.imports {
				lib := c.src.library(im.path)
				if lib == "" || sharedLibraries[lib] != "" || f.test {
					continue
				}
				if testLibraries[lib] {
					if !isSuite(p.dir) {
						c.report(fmt.Sprintf("%s:%d", f.name, im.line), "imports the test library %s outside a test", lib)
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
			c.report(lib, "is imported by %s: one library, one package", strings.Join(dirs, " and "))
		}
	}
}

var (
	requireLine = regexp.MustCompile(`(?m)^(?:require )?\t?([a-z0-9.]+\.[a-z]+/\S+) (v\S+)( // indirect)?$`)
	dependRow   = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+) \\|$")
)

// checkDependencies compares docs/dependencies.md with what the sources import and with what go.mod calls direct.
func checkDependencies(tree fs.FS) []string {
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
