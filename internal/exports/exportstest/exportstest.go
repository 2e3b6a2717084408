// Package exportstest holds the kinds of exports to their promises: hand-made exports with what is expected of them, and the rules
// that every reader keeps.
package exportstest

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

var update = flag.Bool("update-exports", false, "rewrite what is expected of the exports in testdata")

// want is the file of an archive that holds what is expected.
const want = "WANT"

// modified is when the files of every test export were changed last.
func modified() time.Time { return time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC) }

// Run checks every kind of the set with the exports in dir, which are txtar archives named KIND.txtar or KIND-something.txtar: the
// files of the export, and in WANT the items that they hold. A kind without any is a failure.
func Run(t *testing.T, set exports.Set, dir string) {
	t.Helper()
	for _, k := range set {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			all, err := filepath.Glob(filepath.Join(dir, k.Name+"*.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			paths := slices.DeleteFunc(all, func(p string) bool { return kindOf(set, p) != k.Name })
			if len(paths) == 0 {
				t.Fatalf("no export of this kind in %s", dir)
			}
			for _, p := range paths {
				t.Run(filepath.Base(p), func(t *testing.T) { check(t, set, k, p) })
			}
		})
	}
}

// kindOf is the longest name of a kind that the name of a file begins with.
func kindOf(set exports.Set, p string) string {
	best := ""
	for _, k := range set {
		base := strings.TrimSuffix(filepath.Base(p), ".txtar")
		if (base == k.Name || strings.HasPrefix(base, k.Name+"-")) && len(k.Name) > len(best) {
			best = k.Name
		}
	}
	return best
}

func check(t *testing.T, set exports.Set, k exports.Kind, p string) {
	arc, err := txtar.ParseFile(p)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	expected := ""
	for _, f := range arc.Files {
		if f.Name == want {
			expected = string(f.Data)
		} else {
			files[f.Name] = f.Data
		}
	}
	var o exports.Options
	if zone, ok := strings.CutPrefix(strings.TrimSpace(string(arc.Comment)), "zone "); ok {
		if o.Zone, err = time.LoadLocation(zone); err != nil {
			t.Fatal(err)
		}
	}
	src := folder(t, files)
	if got := set.Detect(src); got != k.Name {
		t.Errorf("Detect = %q, want %q", got, k.Name)
	}
	got := read(t, set, k.Name, src, o)
	if *update {
		rewrite(t, p, arc, got)
	} else if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	t.Run("again", func(t *testing.T) { same(t, got, read(t, set, k.Name, folder(t, files), o)) })
	t.Run("zip", func(t *testing.T) { same(t, placeless(got), placeless(read(t, set, k.Name, archive(t, files, ""), o))) })
	t.Run("zip of a folder", func(t *testing.T) { same(t, got, read(t, set, k.Name, archive(t, files, "The export/"), o)) })
	t.Run("rules", func(t *testing.T) { rules(t, set, k.Name, folder(t, files), o) })
	t.Run("namespace", func(t *testing.T) { namespace(t, set, k.Name, files, o) })
	t.Run("damage", func(t *testing.T) { damage(t, set, k.Name, files, o) })
	t.Run("ends", func(t *testing.T) { ends(t, set, k.Name, files, o) })
	if len(files) == 1 {
		t.Run("alone", func(t *testing.T) {
			for name, data := range files {
				if !strings.Contains(name, "/") {
					alone, err := exports.FromFile(name, bytes.NewReader(data), int64(len(data)), exports.Limits{})
					if err != nil {
						t.Fatal(err)
					}
					if got := set.Detect(alone); got != k.Name {
						t.Errorf("Detect = %q, want %q", got, k.Name)
					}
					same(t, undated(got), undated(read(t, set, k.Name, alone, o)))
				}
			}
		})
	}
}

// UTF16 checks that an export whose texts are in UTF-16 reads like the same in UTF-8.
func UTF16(t *testing.T, set exports.Set, dir string, kinds ...string) {
	t.Helper()
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			arc, err := txtar.ParseFile(filepath.Join(dir, kind+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			plain, wide := map[string][]byte{}, map[string][]byte{}
			for _, f := range arc.Files {
				if f.Name == want {
					continue
				}
				plain[f.Name] = f.Data
				b := []byte{0xff, 0xfe}
				for _, u := range utf16.Encode([]rune(string(f.Data))) {
					b = append(b, byte(u), byte(u>>8))
				}
				wide[f.Name] = b
			}
			wideSrc := folder(t, wide)
			if got := set.Detect(wideSrc); got != kind {
				t.Errorf("Detect = %q, want %q", got, kind)
			}
			same(t, read(t, set, kind, folder(t, plain), exports.Options{}), read(t, set, kind, wideSrc, exports.Options{}))
		})
	}
}

// same compares two readings.
func same(t *testing.T, a, b string) {
	t.Helper()
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("differs (-first +second):\n%s", diff)
	}
}

// placeless takes the places away: an archive in which everything lies in one folder reads as if it were that folder.
func placeless(s string) string {
	out := make([]string, 0, strings.Count(s, "\n"))
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "= ") && !strings.HasPrefix(line, "! ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// undated takes the times of files away, which a file alone does not have.
func undated(s string) string {
	stamp := modified().Format(time.RFC3339)
	out := make([]string, 0, strings.Count(s, "\n"))
	for line := range strings.Lines(s) {
		if !strings.Contains(line, stamp) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

func folder(t *testing.T, files map[string][]byte) *exports.Source {
	t.Helper()
	dir := fstest.MapFS{}
	for name, data := range files {
		dir[name] = &fstest.MapFile{Data: data, Mode: 0o644, ModTime: modified()}
	}
	src, err := exports.FromFolder("export", dir, exports.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

func archive(t *testing.T, files map[string][]byte, prefix string) *exports.Source {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	names := slices.Sorted(maps.Keys(files))
	slices.Reverse(names) // the order in the archive must not matter
	for _, name := range names {
		e, err := w.CreateHeader(&zip.FileHeader{Name: prefix + name, Method: zip.Deflate, Modified: modified()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := exports.FromFile("export.zip", bytes.NewReader(b.Bytes()), int64(b.Len()), exports.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	src.Name = "export"
	return src
}

// read writes the items of an export as people can check them.
func read(t *testing.T, set exports.Set, kind string, src *exports.Source, o exports.Options) string {
	t.Helper()
	var b strings.Builder
	for it, err := range set.Read(t.Context(), kind, src, o) {
		if err != nil {
			fmt.Fprintf(&b, "! %v\n\n", err)
			continue
		}
		b.WriteString(Render(it))
	}
	return b.String()
}

// Render writes an item as people can check it.
func Render(it exports.Item) string {
	var b strings.Builder
	field := func(indent, name string, v any) {
		if s := fmt.Sprint(v); v != nil && s != "" && s != "[]" && s != "map[]" {
			fmt.Fprintf(&b, "%s%s: %s\n", indent, name, strings.ReplaceAll(s, "\n", "\n"+indent+"  | "))
		}
	}
	at := func(t *time.Time) any {
		if t == nil {
			return ""
		}
		return t.Format(time.RFC3339Nano)
	}
	meta := func(indent string, m map[string]any) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			v, err := json.Marshal(m[k])
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(&b, "%s.%s = %s\n", indent, k, v)
		}
	}
	fmt.Fprintf(&b, "= %s\n", it.Where)
	switch {
	case it.Append != nil:
		field("", "conversation", it.Append.Conversation)
		field("", "title", it.Title)
		for _, m := range it.Append.Messages {
			fmt.Fprintf(&b, "- [%s] %s <%s> %v\n", m.ExternalID, m.Role, m.Speaker, at(m.Time))
			field("  ", "session", m.Session)
			field("  ", "says", m.Content)
			meta("  ", m.Metadata)
		}
	case it.Document != nil:
		d := it.Document
		field("", "document", d.CustomID)
		field("", "title", d.Title)
		field("", "type", d.ContentType)
		field("", "tags", strings.Join(d.Tags, ", "))
		field("", "happened", at(d.OccurredAt))
		field("", "made", at(d.CreatedAt))
		field("", "links", strings.Join(it.Links, ", "))
		meta("", d.Metadata)
		field("", "text", d.Content)
		if d.Data != nil {
			field("", "file", fmt.Sprintf("%s, %d bytes", d.Name, len(d.Data)))
		}
	case it.Memory != nil:
		field("", "memory", it.Key)
		field("", "tags", strings.Join(it.Memory.Tags, ", "))
		field("", "happened", at(it.Memory.OccurredAt))
		meta("", it.Memory.Metadata)
		field("", "text", it.Memory.Content)
	}
	b.WriteString("\n")
	return b.String()
}

// rules checks what holds for the items of every kind.
func rules(t *testing.T, set exports.Set, kind string, src *exports.Source, o exports.Options) {
	o.Container = "work.imports"
	keys, messages := map[string]bool{}, map[string]bool{}
	items := 0
	for it, err := range set.Read(t.Context(), kind, src, o) {
		if err != nil {
			continue
		}
		items++
		count := 0
		for _, has := range []bool{it.Append != nil, it.Document != nil, it.Memory != nil} {
			if has {
				count++
			}
		}
		if count != 1 || it.Key == "" || it.Where == "" || keys[it.Key] {
			t.Errorf("item %q at %q: %d things in it, key seen before: %v", it.Key, it.Where, count, keys[it.Key])
		}
		keys[it.Key] = true
		switch {
		case it.Append != nil:
			checkAppend(t, it, messages)
		case it.Document != nil:
			d := it.Document
			if len(d.CustomID) > 255 || d.CustomID == "" || d.Container != o.Container || d.Origin != "import" || len(d.Tags) > 100 ||
				len([]rune(d.Title)) > 500 {
				t.Errorf("document %+v", d)
			}
			if (d.Content == "") == (len(d.Data) == 0) {
				t.Errorf("document %s has content %q and %d bytes of data", d.CustomID, d.Content, len(d.Data))
			}
			native(t, d.CustomID, d.Metadata)
		default:
			native(t, it.Key, it.Memory.Metadata)
		}
	}
	if items == 0 {
		t.Error("no items")
	}
}

func checkAppend(t *testing.T, it exports.Item, seen map[string]bool) {
	a := it.Append
	if len(a.Conversation) > 255 || a.Container != "work.imports" || len(a.Messages) == 0 || len(a.Messages) > 1000 {
		t.Errorf("append of %d messages to %q in %q", len(a.Messages), a.Conversation, a.Container)
	}
	for _, m := range a.Messages {
		key := a.Conversation + "\x00" + m.ExternalID
		if m.ExternalID == "" || seen[key] || len(m.ExternalID) > 255 || len(m.Session) > 255 || len(m.Speaker) > 255 || m.Role == "" {
			t.Errorf("message %q of %q: role %q, seen before: %v", m.ExternalID, a.Conversation, m.Role, seen[key])
		}
		seen[key] = true
		native(t, key, m.Metadata)
	}
}

// native checks that metadata is the same after it was stored as JSON.
func native(t *testing.T, where string, m map[string]any) {
	t.Helper()
	if len(m) == 0 {
		return
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	var back map[string]any
	if err := json.Unmarshal(b, &back); err != nil {
		t.Errorf("%s: %v", where, err)
	}
	if !reflect.DeepEqual(m, back) {
		t.Errorf("%s: metadata %#v is %#v after JSON", where, m, back)
	}
}

// namespace checks that a namespace is in front of every id that leaves the export, links included.
func namespace(t *testing.T, set exports.Set, kind string, files map[string][]byte, o exports.Options) {
	ids := func(o exports.Options) (out []string) {
		for it, err := range set.Read(t.Context(), kind, folder(t, files), o) {
			if err == nil && it.Document != nil {
				out = append(out, it.Document.CustomID)
			} else if err == nil && it.Append != nil {
				out = append(out, it.Append.Conversation)
			}
		}
		return out
	}
	plain := ids(o)
	o.Namespace = "second"
	for i, id := range ids(o) {
		if i >= len(plain) || id != "second:"+plain[i] {
			t.Errorf("id %d is %q in a namespace", i, id)
		}
	}
}

// damage cuts and scrambles the files of an export: reading must end, with items or errors, and never both in silence.
func damage(t *testing.T, set exports.Set, kind string, files map[string][]byte, o exports.Options) {
	for name, data := range files {
		for _, part := range []int{0, 1, len(data) / 4, len(data) / 2, len(data) * 9 / 10, len(data) - 2} {
			if part < 0 || part > len(data) {
				continue
			}
			broken := maps.Clone(files)
			broken[name] = data[:part]
			drain(t, set, kind, folder(t, broken), o, fmt.Sprintf("%s cut at %d", name, part))
		}
		noise := bytes.Clone(data)
		for i := range noise {
			if i%7 == 3 {
				noise[i] ^= byte(i)
			}
		}
		broken := maps.Clone(files)
		broken[name] = noise
		drain(t, set, kind, folder(t, broken), o, name+" scrambled")
	}
}

func drain(t *testing.T, set exports.Set, kind string, src *exports.Source, o exports.Options, what string) {
	t.Helper()
	items, errs := 0, 0
	for _, err := range set.Read(t.Context(), kind, src, o) {
		if err != nil {
			errs++
		} else {
			items++
		}
		if items+errs > 100_000 {
			t.Fatalf("%s: does not end", what)
		}
	}
	if items == 0 && errs == 0 {
		t.Errorf("%s: neither items nor errors", what)
	}
}

// ends checks that reading stops when the caller has enough and when the context ends.
func ends(t *testing.T, set exports.Set, kind string, files map[string][]byte, o exports.Options) {
	for n := range 4 {
		seen := 0
		for it, err := range set.Read(t.Context(), kind, folder(t, files), o) {
			if (err == nil) != (it.Key != "") {
				t.Errorf("item %+v with error %v", it, err)
			}
			if seen++; seen > n {
				break
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	n := 0
	for _, err := range set.Read(ctx, kind, folder(t, files), o) {
		last = err
		n++
	}
	if n != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("after the context has ended: %d yields, the last one %v", n, last)
	}
}

func rewrite(t *testing.T, p string, arc *txtar.Archive, got string) {
	t.Helper()
	arc.Files = slices.DeleteFunc(arc.Files, func(f txtar.File) bool { return f.Name == want })
	arc.Files = append(arc.Files, txtar.File{Name: want, Data: []byte(got)})
	if err := os.WriteFile(p, txtar.Format(arc), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Seeds returns the files of the exports in dir that a reader of kind is tested with, for a fuzz target.
func Seeds(tb testing.TB, dir, kind string) map[string][]byte {
	tb.Helper()
	out := map[string][]byte{}
	paths, err := filepath.Glob(filepath.Join(dir, kind+"*.txtar"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, p := range paths {
		arc, err := txtar.ParseFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range arc.Files {
			if f.Name != want {
				out[f.Name] = f.Data
			}
		}
	}
	if len(out) == 0 {
		tb.Fatalf("no export of kind %s in %s", kind, dir)
	}
	return out
}

// Fuzz feeds a reader with changed files of its test exports: it must not panic, must end, and must keep the rules of ids.
func Fuzz(f *testing.F, set exports.Set, dir, kind string) {
	for name, data := range Seeds(f, dir, kind) {
		f.Add(name, data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if !fs.ValidPath(name) || name == "." || len(data) > 1<<20 {
			t.Skip()
		}
		src, err := exports.FromFolder("export", fstest.MapFS{name: {Data: data, Mode: 0o644}}, exports.Limits{File: 1 << 20, Item: 1 << 20})
		if err != nil {
			t.Skip()
		}
		set.Detect(src)
		for it, err := range set.Read(t.Context(), kind, src, exports.Options{Container: "work.imports"}) {
			if err != nil {
				continue
			}
			switch {
			case it.Append != nil:
				for _, m := range it.Append.Messages {
					if m.ExternalID == "" || len(m.ExternalID) > 255 || len(m.Speaker) > 255 || len(m.Session) > 255 {
						t.Fatalf("message %+v", m)
					}
					native(t, m.ExternalID, m.Metadata)
				}
			case it.Document != nil:
				if it.Document.CustomID == "" || len(it.Document.CustomID) > 255 || len([]rune(it.Document.Title)) > 500 {
					t.Fatalf("document %+v", it.Document)
				}
				native(t, it.Document.CustomID, it.Document.Metadata)
			default:
				native(t, it.Key, it.Memory.Metadata)
			}
		}
	})
}
