package deploy

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

// unled are the keys that are not led by owner_id, each with what a database that spreads rows by owner needs for it. Whoever
// adds one says so here and in docs/deploying.md.
var unled = map[string]string{
	"api_keys_hash":       "a credential is looked up before its owner is known: a table from hash to owner that is copied to all machines",
	"spaces primary":      "one row for each embedding model: copied to all machines",
	"spaces unique":       "the same",
	"settings primary":    "one row for each setting of the whole store: copied to all machines",
	"jobs primary":        "ids are random and unique by themselves: (owner_id, id)",
	"changes primary":     "one order over all owners is what followers read: (owner_id, seq), and one log for each shard",
	"file_events primary": "a number that only orders: (owner_id, n)",
	"audit primary":       "a number that only orders: (owner_id, n)",
	"changes_seq":         "PostgreSQL: the order over all owners, as above",
	"log primary":         "PostgreSQL: one row, the last number of that order",
	"claim_key primary":   "PostgreSQL: one row, the key of the claims: copied to all machines",
}

// A key is what must be unique, or what orders a table: a primary key or a unique index.
type key struct {
	name    string // of the index, or "table primary", "table unique"
	columns []string
}

// A schema is the tables that a driver's steps reach, with their keys and columns.
type schema map[string]*table

type table struct {
	columns []string
	keys    map[string]key
}

// TestOwnersLeadEveryKey holds each driver's schema to what lets it spread over machines by owner.
func TestOwnersLeadEveryKey(t *testing.T) {
	t.Parallel()
	const root = "../../internal/store"
	drivers := map[string]schema{}
	used := map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(p) != ".sql" {
			return err
		}
		data, err := os.ReadFile(root + "/" + p)
		if err != nil {
			return err
		}
		driver, _, _ := strings.Cut(p, "/")
		if drivers[driver] == nil {
			drivers[driver] = schema{}
		}
		drivers[driver].run(string(data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(drivers["sqlite"]) < 20 {
		t.Fatalf("%d tables of sqlite only", len(drivers["sqlite"]))
	}
	for driver, s := range drivers {
		for _, name := range slices.Sorted(maps.Keys(s)) {
			tab := s[name]
			if len(tab.keys) == 0 {
				t.Errorf("%s: %s has no key", driver, name)
			}
			for _, k := range tab.keys {
				if k.columns[0] == "owner_id" {
					continue
				}
				if unled[k.name] == "" {
					t.Errorf("%s: %s of %s is led by %s: let owner_id lead it, or say in this test what a spread database needs", driver, k.name, name, k.columns[0])
				}
				used[k.name] = true
			}
			if !slices.Contains(tab.columns, "owner_id") && unled[name+" primary"] == "" {
				t.Errorf("%s: %s has no owner", driver, name)
			}
		}
	}
	if drivers["postgres"] != nil {
		for name := range unled {
			if !used[name] {
				t.Errorf("%s is excused and not there", name)
			}
		}
	}
}

func TestSchemasAreRead(t *testing.T) {
	t.Parallel()
	s := schema{}
	s.run(`
-- CREATE TABLE commented (id TEXT PRIMARY KEY);
CREATE TABLE a (
  owner_id TEXT NOT NULL, -- whose; it is a comma, too
  n        INTEGER NOT NULL CHECK (n BETWEEN 0 AND 5),
  PRIMARY KEY (owner_id, n),
  FOREIGN KEY (owner_id, n) REFERENCES b (owner_id, n)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS b (id TEXT COLLATE "C" PRIMARY KEY, name TEXT UNIQUE, UNIQUE (name, id)) PARTITION BY HASH (id);
CREATE UNIQUE INDEX a_n ON a (n, owner_id) WHERE n > 0;
CREATE INDEX a_plain ON a (n);
CREATE UNIQUE INDEX gone ON a (n);
DROP INDEX gone;
ALTER TABLE a ADD COLUMN extra TEXT NOT NULL DEFAULT '';`)
	got := fmt.Sprint(len(s), s["a"].columns, s["a"].keys, s["b"].columns, s["b"].keys)
	want := "2 [owner_id n extra] map[a primary:{a primary [owner_id n]} a_n:{a_n [n owner_id]}] " +
		"[id name] map[b primary:{b primary [id]} b unique:{b unique [name]} b unique 2:{b unique 2 [name id]}]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

var (
	comment   = regexp.MustCompile(`(?m)--.*$`)
	makeTable = regexp.MustCompile(`(?is)^CREATE TABLE (?:IF NOT EXISTS )?(?:\{\w+\}\.)?(\w+) \((.*)\)[^)]*$`)
	makeIndex = regexp.MustCompile(`(?is)^CREATE UNIQUE INDEX (?:IF NOT EXISTS )?(\w+) ON (\w+) \(([^)]*)\)`)
	dropIndex = regexp.MustCompile(`(?i)^DROP INDEX (?:IF EXISTS )?(\w+)`)
	addColumn = regexp.MustCompile(`(?i)^ALTER TABLE (\w+) ADD COLUMN (\w+)`)
	tableKey  = regexp.MustCompile(`(?is)^(?:CONSTRAINT \w+ )?(PRIMARY KEY|UNIQUE)\s*\(([^)]*)\)`)
	tableRule = regexp.MustCompile(`(?i)^(FOREIGN KEY|CHECK|CONSTRAINT|EXCLUDE)\b`)
	columnKey = regexp.MustCompile(`(?i)\b(PRIMARY KEY|UNIQUE)\b`)
	hash      = regexp.MustCompile(`(?i)\)\s*PARTITION BY HASH \(\w+\)\s*$`)
)

// run takes the statements of a file that make or unmake tables and keys.
func (s schema) run(sql string) {
	for stmt := range strings.SplitSeq(comment.ReplaceAllString(sql, ""), ";") {
		stmt = hash.ReplaceAllString(strings.TrimSpace(stmt), ")")
		if m := makeTable.FindStringSubmatch(stmt); m != nil {
			s[m[1]] = readTable(m[1], m[2])
		}
		if m := makeIndex.FindStringSubmatch(stmt); m != nil && s[m[2]] != nil {
			s[m[2]].keys[m[1]] = key{m[1], columnsOf(m[3])}
		}
		if m := dropIndex.FindStringSubmatch(stmt); m != nil {
			for _, tab := range s {
				delete(tab.keys, m[1])
			}
		}
		if m := addColumn.FindStringSubmatch(stmt); m != nil && s[m[1]] != nil {
			s[m[1]].columns = append(s[m[1]].columns, m[2])
		}
	}
}

func readTable(name, body string) *table {
	tab := &table{keys: map[string]key{}}
	put := func(kind string, columns []string) {
		n := name + " unique"
		if strings.EqualFold(kind, "PRIMARY KEY") {
			n = name + " primary"
		}
		for i := 2; tab.keys[n].name != ""; i++ {
			n = fmt.Sprintf("%s unique %d", name, i)
		}
		tab.keys[n] = key{n, columns}
	}
	for _, part := range parts(body) {
		column, rest, _ := strings.Cut(part, " ")
		switch m := tableKey.FindStringSubmatch(part); {
		case m != nil:
			put(m[1], columnsOf(m[2]))
		case tableRule.MatchString(part):
		default:
			tab.columns = append(tab.columns, column)
			if m := columnKey.FindStringSubmatch(rest); m != nil {
				put(m[1], []string{column})
			}
		}
	}
	return tab
}

// parts cuts the body of a table at the commas that stand in no brackets.
func parts(body string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range body + "," {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			if p := strings.TrimSpace(body[from:i]); p != "" {
				out = append(out, p)
			}
			from = i + 1
		}
	}
	return out
}

func columnsOf(list string) []string {
	var out []string
	for c := range strings.SplitSeq(list, ",") {
		c, _, _ = strings.Cut(strings.TrimSpace(c), " ")
		out = append(out, c)
	}
	return out
}
