package data

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

// extractTOML writes the tables of a file in their order.
func extractTOML(ctx context.Context, src *extract.Source) (extract.Output, error) {
	if len(src.Text) > mostParsed || nestedDeeper(src.Text, mostNestedDepth) || longKeys(src.Text) {
		return asText(ctx, src, "code", "the TOML is too large or too deep to be read as such; it is kept as text")
	}
	var values map[string]any
	meta, err := toml.Decode(src.Text, &values)
	if err != nil {
		return asText(ctx, src, "code", "not valid TOML: "+inline(err.Error(), 200))
	}
	t := tomlTree{rank: map[string]int{}}
	for i, key := range meta.Keys() {
		for n := range key { // tables that are only named as part of a longer name too
			path := strings.Join(key[:n+1], "\x00")
			if _, seen := t.rank[path]; !seen {
				t.rank[path] = i
			}
		}
	}
	root := &branch{}
	t.fill(root, values, "", 0)
	if len(root.children) == 0 {
		return asText(ctx, src, "code", "")
	}
	return writeTree(ctx, src, fileName(src, "TOML"), []*branch{root})
}

// longKeys reports dotted keys of hundreds of parts, which would nest as deep.
func longKeys(s string) bool {
	for line := range strings.Lines(s) {
		if key, _, _ := strings.Cut(line, "="); strings.Count(key, ".") > mostNestedDepth {
			return true
		}
	}
	return false
}

// tomlTree orders the members of tables as the file has them.
type tomlTree struct{ rank map[string]int }

func (t tomlTree) fill(b *branch, v any, path string, depth int) {
	if depth > 2*mostNestedDepth {
		b.value = "…"
		return
	}
	switch v := v.(type) {
	case map[string]any:
		at := func(k string) string { return strings.TrimPrefix(path+"\x00"+k, "\x00") }
		keys := slices.SortedFunc(maps.Keys(v), func(x, y string) int {
			return cmp.Or(cmp.Compare(t.rank[at(x)], t.rank[at(y)]), strings.Compare(x, y))
		})
		for _, k := range keys {
			c := &branch{key: k}
			t.fill(c, v[k], at(k), depth+1)
			b.add(c)
		}
	case []map[string]any:
		for i, e := range v {
			c := &branch{key: "[" + strconv.Itoa(i) + "]"}
			t.fill(c, e, path, depth+1)
			b.add(c)
		}
	case []any:
		for i, e := range v {
			c := &branch{key: "[" + strconv.Itoa(i) + "]"}
			t.fill(c, e, path, depth+1)
			b.add(c)
		}
	case time.Time:
		b.value = tomlTime(v)
	default:
		b.value = fmt.Sprint(v)
	}
}

// tomlTime writes a date or time as the file has it.
func tomlTime(t time.Time) string {
	switch t.Location().String() {
	case "datetime-local":
		return t.Format("2006-01-02T15:04:05.999999999")
	case "date-local":
		return t.Format(time.DateOnly)
	case "time-local":
		return t.Format("15:04:05.999999999")
	}
	return t.Format(time.RFC3339Nano)
}
