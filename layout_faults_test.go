package lukasa_test

import (
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// soundHouse is a small tree without a fault. It has a room on each kind of floor.
func soundHouse() map[string]string {
	const at = modulePath
	return map[string]string{
		"go.mod": "module " + at + "\n\nrequire (\n\texample.org/lib/v2 v2.0.0\n\tpgregory.net/rapid v1.3.0\n\tgolang.org/x/sys v0.1.0 // indirect\n)\n",
		"ARCHITECTURE.md": strings.Join([]string{
			"# House", "",
			"| `.` | holds the words |", "| `internal/text` | cuts text |", "| `internal/rank` | ranks |", "| `internal/store` | keeps rows |",
			"| `internal/recall` | reads |", "| `internal/ingest` | writes |", "| `internal/engine` | builds |", "| `internal/rest` | speaks HTTP |",
			"| `internal/later` | comes later |", "",
			"```floors",
			"# name   sees                              rooms",
			"suites   own words tools suites            internal/*/*test",
			"doors    own words tools engine            internal/rest internal/later?",
			"engine   words tools stages shelves drivers paths  internal/engine",
			"paths    words tools stages shelves        internal/ingest internal/recall",
			"drivers  own words tools                   internal/store/*",
			"stages   words tools                       internal/rank",
			"shelves  words tools                       internal/store",
			"tools    -                                 internal/text",
			"words    -                                 .",
			"```", "",
		}, "\n"),
		"docs/dependencies.md": "| `example.org/lib/v2` | text |\n| `pgregory.net/rapid` | tests |\n| `golang.org/x/sys` | files |\n",
		"doc.go":               "// Package lukasa holds the words.\npackage lukasa\n",
		"words.go":             "package lukasa\n\nimport \"time\"\n\nvar known = map[string]bool{}\n\nfunc Known(s string, at time.Time) bool { return known[s] && !at.IsZero() }\n",
		"words_test.go":        "package lukasa_test\n\nimport (\n\t\"testing\"\n\t_ \"" + at + "\"\n)\n\nfunc TestWords(t *testing.T) {}\n",
		"internal/text/text.go": "// Package text cuts text.\npackage text\n\nimport (\n\t\"sync\"\n\t_ \"example.org/lib/v2/sub\"\n\t_ \"golang.org/x/sys/unix\"\n)\n\n" +
			"var table = sync.OnceValue(func() []int { return nil })\n\nfunc Cut() { table := table(); table = nil; _ = table }\n",
		"internal/text/text_test.go":            "package text_test\n\nimport _ \"pgregory.net/rapid\"\n",
		"internal/rank/rank.go":                 "// Package rank ranks.\npackage rank\n\nimport (\n\t_ \"" + at + "\"\n\t_ \"" + at + "/internal/text\"\n)\n",
		"internal/store/store.go":               "// Package store keeps rows.\npackage store\n\nimport _ \"" + at + "\"\n",
		"internal/store/sqlite/sqlite.go":       "// Package sqlite keeps rows in a file.\npackage sqlite\n\nimport _ \"" + at + "/internal/store\"\n\nimport _ \"golang.org/x/sys/unix\"\n",
		"internal/store/sqlite/sqlite_test.go":  "package sqlite_test\n\nimport _ \"" + at + "/internal/store/sqlite\"\n\nimport _ \"" + at + "/internal/store/storetest\"\n",
		"internal/store/storetest/storetest.go": "// Package storetest tries a store.\npackage storetest\n\nimport (\n\t\"testing\"\n\t_ \"" + at + "/internal/store\"\n\t_ \"pgregory.net/rapid\"\n)\n\nfunc Run(t *testing.T) {}\n",
		"internal/recall/recall.go":             "// Package recall reads.\npackage recall\n\nimport (\n\t_ \"" + at + "/internal/rank\"\n\t_ \"" + at + "/internal/store\"\n)\n",
		"internal/recall/recall_test.go":        "package recall_test\n\nimport _ \"" + at + "/internal/engine/enginetest\"\n",
		"internal/ingest/ingest.go":             "// Package ingest writes.\npackage ingest\n",
		"internal/engine/engine.go":             "// Package engine builds.\npackage engine\n\nimport (\n\t_ \"" + at + "/internal/recall\"\n\t_ \"" + at + "/internal/store/sqlite\"\n)\n",
		"internal/engine/enginetest/e.go":       "// Package enginetest makes an engine for tests.\npackage enginetest\n\nimport _ \"" + at + "/internal/engine\"\n",
		"internal/rest/rest.go":                 "// Package rest speaks HTTP.\npackage rest\n\nimport _ \"" + at + "/internal/engine\"\n",
		"internal/rest/rest_test.go":            "package rest_test\n\nimport _ \"" + at + "/internal/store\"\n",
		"internal/rest/testdata/bad.go":         "this is no Go",
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

func TestLayoutFindsNothingInASoundHouse(t *testing.T) {
	t.Parallel()
	tree := treeOf(soundHouse())
	for _, f := range append(inspectHouse(tree), inspectDependencies(tree)...) {
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
		{"stage sees shelf", "internal/rank/rank.go", imports("internal/store"), "internal/rank/rank.go:4: imports internal/store: stages do not see shelves"},
		{"path sees path", "internal/ingest/ingest.go", imports("internal/recall"), "internal/ingest/ingest.go:4: imports internal/recall: paths never look sideways"},
		{"path sees driver", "internal/ingest/ingest.go", imports("internal/store/sqlite"), "only internal/engine names drivers"},
		{"path sees engine", "internal/ingest/ingest.go", imports("internal/engine"), "paths never look up, to engine"},
		{"door sees driver", "internal/rest/rest.go", imports("internal/store/sqlite"), "only internal/engine names drivers"},
		{"door sees path", "internal/rest/rest.go", imports("internal/recall"), "doors do not see paths"},
		{"driver sees driver", "internal/store/postgres/postgres.go", "// Package postgres keeps rows.\npackage postgres\n" + imports("internal/store/sqlite"), "only internal/engine names drivers"},
		{"port sees driver", "internal/store/store.go", imports("internal/store/sqlite"), "a port never sees its drivers"},
		{"tool sees words", "internal/text/text.go", "\nimport _ \"" + modulePath + "\"\n", "imports .: tools do not see words"},
		{"production sees suite", "internal/engine/engine.go", imports("internal/store/storetest"), "for tests only"},
		{"test names driver", "internal/recall/recall_test.go", imports("internal/store/sqlite"), "internal/recall/recall_test.go:3: imports internal/store/sqlite: only internal/engine names drivers"},
		{"test of a stage sees shelf", "internal/rank/rank_test.go", "package rank_test\n" + imports("internal/store"), "internal/rank/rank_test.go:3: imports internal/store: stages do not see shelves"},
		{"test of a path sees engine", "internal/recall/recall_test.go", imports("internal/engine"), "paths never look up, to engine"},
		{"testing in production", "internal/recall/recall.go", "\nimport \"testing\"\n", "internal/recall/recall.go:4: imports testing outside a test"},
		{"homeless package", "internal/attic/a.go", "// Package attic holds things.\npackage attic\n", "internal/attic: stands in no room"},
		{"import of a homeless package", "internal/rest/rest.go", imports("attic"), "imports attic: it stands in no room"},
		{"empty name", "internal/store/common/c.go", "// Package common holds things.\npackage common\n", "a package called common says nothing"},
		{"no comment", "internal/store/postgres/p.go", "package postgres\n", "internal/store/postgres: has no package comment"},
		{"two comments", "internal/rank/doc.go", "// Package rank ranks.\npackage rank\n", "internal/rank: has 2 package comments"},
		{"comment of another", "internal/store/postgres/p.go", "// This is postgres.\npackage postgres\n", `does not begin with "Package postgres "`},
		{"sentence differs", "ARCHITECTURE.md", "\n| `internal/rank` | does all sorts of things |\n", `its comment says "ranks"`},
		{"sentence without a room", "ARCHITECTURE.md", "\n| `internal/gone` | went |\n", "internal/gone: has a sentence in ARCHITECTURE.md and stands on no floor"},
		{"planned but built", "internal/later/l.go", "// Package later comes later.\npackage later\n", "internal/later: is built: take the ? off"},
		{"library in two rooms", "internal/rank/rank.go", "\nimport _ \"example.org/lib/v2\"\n", "example.org/lib/v2: lives in internal/rank and internal/text"},
		{"test library in production", "internal/rank/rank.go", "\nimport _ \"pgregory.net/rapid\"\n", "imports the test library pgregory.net/rapid outside a test"},
		{"words import a library", "words.go", "\nimport _ \"golang.org/x/sys/unix\"\n", "the words import golang.org/x/sys/unix"},
		{"words import os", "words.go", "\nimport \"os\"\n", "the words import os"},
		{"words read the clock", "words.go", "\nfunc now() time.Time { return time.Now() }\n", "the words read the clock"},
		{"words start a goroutine", "words.go", "\nfunc run(f func()) { go f() }\n", "the words start a goroutine"},
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
			files := soundHouse()
			files[c.file] = plant(files[c.file], c.text)
			if got := inspectHouse(treeOf(files)); len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("got %q\nwant one line with %q", got, c.want)
			}
		})
	}
}

// TestLayoutRefusesABrokenPlan wants a plan that cannot be read to be an error that says why, not a house without rules.
func TestLayoutRefusesABrokenPlan(t *testing.T) {
	t.Parallel()
	sound := soundHouse()
	plan := sound["ARCHITECTURE.md"]
	for name, c := range map[string]struct{ from, to, want string }{
		"no block":            {"```floors", "```", "has no floors block"},
		"a column is missing": {"tools    -       ", "tools ", "two spaces apart"},
		"sees the floor above": {
			"stages   words tools                       ", "stages   words paths                       ",
			"floor stages sees paths, which is not a floor below it",
		},
		"sees itself": {"tools    - ", "tools    tools ", "floor tools sees tools"},
		"not built":   {"internal/later?", "internal/later", "internal/later: is drawn in ARCHITECTURE.md and not built"},
		"no sentence": {"| `internal/rank` | ranks |", "", "internal/rank: has no sentence"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(sound)
			files["ARCHITECTURE.md"] = strings.Replace(plan, c.from, c.to, 1)
			if got := inspectHouse(treeOf(files)); len(got) != 1 || !strings.Contains(got[0], c.want) {
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
			files := soundHouse()
			files[c.file] += c.text
			if got := inspectDependencies(treeOf(files)); len(got) != 1 || !strings.Contains(got[0], c.want) {
				t.Errorf("got %q\nwant one line with %q", got, c.want)
			}
		})
	}
}
