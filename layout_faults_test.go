package lukasa_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// soundTree is a small tree without a fault. It has a package of each layer.
func soundTree() map[string]string {
	const at = modulePath
	return map[string]string{
		"go.mod": "module " + at + "\n\nrequire (\n\texample.org/lib/v2 v2.0.0\n\tpgregory.net/rapid v1.3.0\n\tgolang.org/x/sys v0.1.0 // indirect\n)\n",
		"ARCHITECTURE.md": strings.Join([]string{
			"# Architecture", "", "`make layout` runs `TestCut`; see `internal/text/text.go` and `internal/<name>/`.", "",
			"```layers",
			"transport  internal/api",
			"service    internal/engine",
			"           internal/ingest internal/recall",
			"adapter    internal/store internal/store/* internal/store/tables",
			"library    internal/text internal/rank",
			"domain     .",
			"```", "",
		}, "\n"),
		"Makefile":             "layout: ## Check the layout\n\tgo test .\n",
		"docs/dependencies.md": "| `example.org/lib/v2` | text |\n| `pgregory.net/rapid` | tests |\n| `golang.org/x/sys` | files |\n",
		"doc.go":               "// Package lukasa holds the types.\npackage lukasa\n",
		"types.go":             "package lukasa\n\nimport \"time\"\n\nvar known = map[string]bool{}\n\nfunc Known(s string, at time.Time) bool { return known[s] && !at.IsZero() }\n",
		"types_test.go":        "package lukasa_test\n\nimport (\n\t\"testing\"\n\t_ \"" + at + "\"\n)\n\nfunc TestTypes(t *testing.T) {}\n",
		"internal/text/text.go": "// Package text cuts text.\npackage text\n\nimport (\n\t\"sync\"\n\t_ \"example.org/lib/v2/sub\"\n\t_ \"golang.org/x/sys/unix\"\n)\n\n" +
			"var table = sync.OnceValue(func() []int { return nil })\n\nfunc Cut() { table := table(); table = nil; _ = table }\n",
		"internal/text/text_test.go":            "package text_test\n\nimport _ \"pgregory.net/rapid\"\n\nfunc TestCut() {}\n",
		"internal/rank/rank.go":                 "// Package rank ranks.\npackage rank\n\nimport (\n\t_ \"" + at + "\"\n\t_ \"" + at + "/internal/text\"\n)\n",
		"internal/store/store.go":               "// Package store keeps rows.\npackage store\n\nimport _ \"" + at + "\"\n",
		"internal/store/tables/tables.go":       "// Package tables holds statements.\npackage tables\n\nimport _ \"" + at + "/internal/store\"\n",
		"internal/store/sqlite/sqlite.go":       "// Package sqlite keeps rows in a file.\npackage sqlite\n\nimport _ \"" + at + "/internal/store/tables\"\n\nimport _ \"golang.org/x/sys/unix\"\n",
		"internal/store/sqlite/sqlite_test.go":  "package sqlite_test\n\nimport _ \"" + at + "/internal/store/sqlite\"\n\nimport _ \"" + at + "/internal/store/storetest\"\n",
		"internal/store/storetest/storetest.go": "// Package storetest tries a store.\npackage storetest\n\nimport (\n\t\"testing\"\n\t_ \"" + at + "/internal/store\"\n\t_ \"pgregory.net/rapid\"\n)\n\nfunc Run(t *testing.T) {}\n",
		"internal/recall/recall.go":             "// Package recall reads.\npackage recall\n\nimport (\n\t_ \"" + at + "/internal/rank\"\n\t_ \"" + at + "/internal/store\"\n)\n",
		"internal/recall/recall_test.go":        "package recall_test\n\nimport _ \"" + at + "/internal/engine/enginetest\"\n",
		"internal/ingest/ingest.go":             "// Package ingest writes.\npackage ingest\n",
		"internal/engine/engine.go":             "// Package engine builds.\npackage engine\n\nimport (\n\t_ \"" + at + "/internal/recall\"\n)\n",
		"internal/engine/open.go":               "package engine\n\nimport _ \"" + at + "/internal/store/sqlite\"\n",
		"internal/engine/enginetest/e.go":       "// Package enginetest makes an engine for tests.\npackage enginetest\n\nimport _ \"" + at + "/internal/engine\"\n",
		"internal/api/api.go":                   "// Package api speaks HTTP.\npackage api\n\nimport _ \"" + at + "/internal/engine\"\n",
		"internal/api/api_test.go":              "package api_test\n\nimport _ \"" + at + "/internal/store\"\n",
		"internal/api/testdata/bad.go":          "this is no Go",
		"models/other/go.mod":                   "module other\n",
		"models/other/main.go":                  "package main\n",
	}
}

func treeOf(files map[string]string) fs.FS {
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

func TestLayoutAcceptsASoundTree(t *testing.T) {
	t.Parallel()
	tree := treeOf(soundTree())
	for _, f := range slices.Concat(checkLayout(tree), checkDependencies(tree), checkDocs(tree, "ARCHITECTURE.md")) {
		t.Error(f)
	}
}

// imports is a Go line that imports a package of this module.
func imports(dir string) string { return fmt.Sprintf("\nimport _ %q\n", modulePath+"/"+dir) }

// plant adds text to a Go file (or any other): an import goes below the package clause, what follows it to the end.
func plant(to, text string) string {
	clause := strings.Index("\n"+to, "\npackage ")
	if clause < 0 || !strings.HasPrefix(text, "\nimport ") {
		return to + text
	}
	line, rest, _ := strings.Cut(text[1:], "\n\n")
	clause += strings.Index(to[clause:], "\n") + 1
	return to[:clause] + "\n" + line + "\n" + to[clause:] + "\n" + rest
}

// TestLayoutNamesEachFault plants one fault at a time and wants it named in exactly one line.
func TestLayoutNamesEachFault(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\n", maxFunction)
	for _, c := range []struct {
		name string
		file string // gets text appended (imports: put first), or is made
		text string
		want string
	}{
		{"library imports adapter", "internal/rank/rank.go", imports("internal/store"), "internal/rank/rank.go:4: imports internal/store: library never imports adapter"},
		{"adapter imports service", "internal/store/store.go", imports("internal/ingest"), "adapter never imports service"},
		{"service imports transport", "internal/engine/engine.go", imports("internal/api"), "service never imports transport"},
		{"service imports driver", "internal/ingest/ingest.go", imports("internal/store/sqlite"), "only internal/engine/open*.go import drivers"},
		{"engine imports driver outside open*.go", "internal/engine/engine.go", imports("internal/store/sqlite"), "only internal/engine/open*.go import drivers"},
		{"transport imports driver", "internal/api/api.go", imports("internal/store/sqlite"), "only internal/engine/open*.go import drivers"},
		{"driver imports driver", "internal/store/postgres/postgres.go", "// Package postgres keeps rows.\npackage postgres\n" + imports("internal/store/sqlite"), "a driver never imports a driver"},
		{"port imports its driver", "internal/store/store.go", imports("internal/store/sqlite"), "a package never imports its own drivers"},
		{"domain imports library", "types.go", imports("internal/text"), "domain never imports library"},
		{"production imports suite", "internal/engine/engine.go", imports("internal/store/storetest"), "for tests only"},
		{"test imports driver", "internal/recall/recall_test.go", imports("internal/store/sqlite"), "internal/recall/recall_test.go:3: imports internal/store/sqlite: only internal/engine/open*.go import drivers"},
		{"test of a library imports adapter", "internal/rank/rank_test.go", "package rank_test\n" + imports("internal/store"), "internal/rank/rank_test.go:3: imports internal/store: library never imports adapter"},
		{"test of a service imports transport", "internal/recall/recall_test.go", imports("internal/api"), "service never imports transport"},
		{"testing in production", "internal/recall/recall.go", "\nimport \"testing\"\n", "internal/recall/recall.go:4: imports testing outside a test"},
		{"package without a layer", "internal/attic/a.go", "// Package attic holds things.\npackage attic\n", "internal/attic: is in no layer"},
		{"import of a package without a layer", "internal/api/api.go", imports("attic"), "imports attic: it is in no layer"},
		{"empty name", "internal/store/common/c.go", "// Package common holds things.\npackage common\n", "a package called common says nothing"},
		{"no comment", "internal/store/postgres/p.go", "package postgres\n", "internal/store/postgres: has no package comment"},
		{"two comments", "internal/rank/doc.go", "// Package rank ranks.\npackage rank\n", "internal/rank: has 2 package comments"},
		{"comment of another", "internal/store/postgres/p.go", "// This is postgres.\npackage postgres\n", `does not begin with "Package postgres "`},
		{"library in two packages", "internal/rank/rank.go", "\nimport _ \"example.org/lib/v2\"\n", "example.org/lib/v2: is imported by internal/rank and internal/text"},
		{"test library in production", "internal/rank/rank.go", "\nimport _ \"pgregory.net/rapid\"\n", "imports the test library pgregory.net/rapid outside a test"},
		{"words import a library", "types.go", "\nimport _ \"golang.org/x/sys/unix\"\n", "the root package imports golang.org/x/sys/unix"},
		{"words import os", "types.go", "\nimport \"os\"\n", "the root package imports os"},
		{"words read the clock", "types.go", "\nfunc now() time.Time { return time.Now() }\n", "the root package reads the clock"},
		{"words start a goroutine", "types.go", "\nfunc run(f func()) { go f() }\n", "the root package starts a goroutine"},
		{"init", "internal/rank/rank.go", "\nfunc init() {}\n", "has an init function"},
		{"long file", "internal/rank/long.go", "package rank\n" + strings.Repeat("\n", maxFile), "internal/rank/long.go: has 801 lines"},
		{"long function", "internal/rank/rank.go", "\nfunc f() {" + long + "}\n", "f has 101 lines"},
		{"wide interface", "internal/rank/rank.go", "\ntype W interface{ A(); B(); C(); D(); E(); F(); G(); H(); I(); J(); K(); L(); M() }\n", "interface W has 13 methods"},
		{"wide with what it embeds", "internal/rank/rank.go", "\ntype V interface{ A(); B(); C(); D(); E(); F() }\n\ntype W interface{ V; G(); H(); I(); J(); K(); L(); M() }\n", "interface W has 13 methods"},
		{"variable is assigned", "internal/rank/rank.go", "\nvar n int\n\nfunc f() { n = 1 }\n", "internal/rank/rank.go:11: changes the package variable n"},
		{"variable is counted up from another file", "internal/rank/other.go", "package rank\n\nfunc f() { n++ }\n\nvar n int\n", "other.go:3: changes the package variable n"},
		{"map is written", "internal/rank/rank.go", "\nvar m = map[string]int{}\n\nfunc f() { m[\"a\"] = 1 }\n", "changes the package variable m"},
		{"map is deleted from", "internal/rank/rank.go", "\nvar m = map[string]int{}\n\nfunc f() { delete(m, \"a\") }\n", "changes the package variable m"},
		{"field is written through a pointer", "internal/rank/rank.go", "\nvar p = &struct{ x []int }{}\n\nfunc f() { (*p).x[0] = 1 }\n", "changes the package variable p"},
		{"address is given away", "internal/rank/rank.go", "\nvar n int\n\nfunc f(g func(*int)) { g(&n) }\n", "changes the package variable n"},
		{"another package's variable", "internal/rank/rank.go", "\nimport \"io\"\n\nfunc f() { io.EOF = nil }\n", "changes the package variable io.EOF"},
		{"lock at package level", "internal/rank/rank.go", "\nimport \"sync\"\n\nvar mu sync.Mutex\n", "mu is state that outlives a call"},
		{"channel at package level", "internal/rank/rank.go", "\nvar c = make(chan int)\n", "c is state that outlives a call"},
		{"atomic at package level", "internal/rank/rank.go", "\nimport \"sync/atomic\"\n\nvar a atomic.Pointer[int]\n", "a is state that outlives a call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := soundTree()
			files[c.file] = plant(files[c.file], c.text)
			if got := checkLayout(treeOf(files)); len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("got %q\nwant one line with %q", got, c.want)
			}
		})
	}
}

// TestLayoutRefusesBrokenLayers checks that a list that cannot be read is an error, not a tree without rules.
func TestLayoutRefusesBrokenLayers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, to, want string }{
		"no block":        {"```layers", "```", "has no layers block"},
		"no name":         {"transport ", "          ", "begins with a space"},
		"no such package": {"internal/rank", "internal/rank internal/gone", "internal/gone: is in the layers of ARCHITECTURE.md and holds no package"},
		"not listed":      {" internal/rank", "", "internal/rank: is in no layer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := soundTree()
			files["ARCHITECTURE.md"] = strings.Replace(files["ARCHITECTURE.md"], c.from, c.to, 1)
			if got := checkLayout(treeOf(files)); len(got) == 0 || !strings.Contains(got[0], c.want) {
				t.Errorf("got %q\nwant a line with %q", got, c.want)
			}
		})
	}
}

func TestLayoutDocsNamesEachFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a file that is gone":   {"See `internal/text/gone.go`.", "names internal/text/gone.go, which does not exist"},
		"a folder that is gone": {"See `internal/gone`.", "names internal/gone, which does not exist"},
		"a file of the root":    {"See `gone.go`.", "names gone.go, which does not exist"},
		"a target":              {"Run `make gone`.", "names make gone, which the Makefile lacks"},
		"a target in a block":   {"```\nmake gone   # does it\n```", "names make gone, which the Makefile lacks"},
		"a test":                {"`TestGone` fails then.", "names TestGone, which no test file declares"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := soundTree()
			files["ARCHITECTURE.md"] += "\n" + c.text + "\n"
			if got := checkDocs(treeOf(files), "ARCHITECTURE.md"); len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("got %q\nwant one line with %q", got, c.want)
			}
		})
	}
}

func TestDependenciesAreCheckedBothWays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, want string }{
		"imported and not explained": {
			"internal/rank/more.go", "package rank\n\nimport _ \"example.com/new/lib\"\n",
			"has no line that says why example.com/new/lib is needed",
		},
		"direct and not explained": {"go.mod", "\nrequire example.net/direct v1.0.0\n", "has no line that says why example.net/direct is needed"},
		"explained and not imported": {
			"docs/dependencies.md", "| `example.net/old` | was useful |\n",
			"explains example.net/old, which nothing imports",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := soundTree()
			files[c.file] += c.text
			if got := checkDependencies(treeOf(files)); len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("got %q\nwant one line with %q", got, c.want)
			}
		})
	}
}
