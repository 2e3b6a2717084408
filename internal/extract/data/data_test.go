package data_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/data"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestOrdinaryTextIsNotClaimed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../mail/testdata/ordinary/*")
	if err != nil || len(files) < 15 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", filepath.Base(file)} {
			in := extract.Input{Data: content, Name: name}
			want, err := extract.Set{}.Extract(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, name, content); got.Type != want.Type || got.Text != want.Text {
				t.Errorf("%s named %q is claimed: %s %q", file, name, got.Type, got.Text)
			}
		}
	}
}

func TestSQLiteValues(t *testing.T) {
	t.Parallel()
	out := read(t, "boats.db", fixture(t, "boats.sqlite"))
	for _, want := range []string{
		"\n- id: 2; name: Zoë Müller; home port: Hamburg; photo: (4 bytes); height: 1.9\n",
		"\n- month: 5; boat: Albatros; price: 9223372036854775807\n- month: 5; boat: Möwe; price: 120\n- month: 6; boat: Albatros; price: -1",
		"\n- at: 2024-05-02; words: short; kind: note; mood: calm\n",
		"words: begin " + strings.Repeat("rope ", 2000) + "end; kind: long",
		"- id: 1; title: Knots; body: The bowline does not slip.",
	} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("no %q", want[:min(len(want), 80)])
		}
	}
	for _, never := range []string{"notes_data", "sqlite_", "day 150", "column 1"} {
		if strings.Contains(out.Text, never) {
			t.Errorf("%q is there", never)
		}
	}
	// Each place is of the row that begins there.
	for _, m := range out.Marks {
		if m.Place == "table journal, rows 30 to 57" && !strings.HasPrefix(out.Text[m.Offset:], "- at: 2024-06-29; words: day 28;") {
			t.Errorf("%s is at %q", m.Place, out.Text[m.Offset:m.Offset+40])
		}
	}
}

// damage are databases that want to keep a reader busy.
func damage(t testing.TB) map[string][]byte {
	good := fixture(t, "boats.sqlite")
	page := func(b []byte, n int) []byte { return b[(n-1)*1024 : n*1024] }
	edit := func(f func(b []byte)) []byte {
		b := bytes.Clone(good)
		f(b)
		return b
	}
	out := map[string][]byte{
		"only a header": good[:100], "half": good[:len(good)/2], "one page": good[:1024],
		"page size":  edit(func(b []byte) { b[16], b[17] = 0, 3 }),
		"no usable":  edit(func(b []byte) { b[20] = 255; b[16], b[17] = 2, 0 }),
		"all ones":   edit(func(b []byte) { copy(b[100:], bytes.Repeat([]byte{0xff}, len(b)-100)) }),
		"all zero":   edit(func(b []byte) { clear(b[100:]) }),
		"many cells": edit(func(b []byte) { binary.BigEndian.PutUint16(b[103:], 65535) }),
		"other version": edit(func(b []byte) {
			b[18], b[19] = 9, 9
		}),
	}
	for n := 2; n <= len(good)/1024; n++ {
		switch page(good, n)[0] {
		case 5, 2: // an interior page whose children are itself
			out[fmt.Sprintf("loop at page %d", n)] = edit(func(b []byte) {
				p := page(b, n)
				binary.BigEndian.PutUint32(p[8:], uint32(n))
				for i := range int(binary.BigEndian.Uint16(p[3:])) {
					binary.BigEndian.PutUint32(p[binary.BigEndian.Uint16(p[12+2*i:]):], uint32(n))
				}
			})
			out[fmt.Sprintf("same leaf twice at page %d", n)] = edit(func(b []byte) {
				p := page(b, n)
				copy(p[8:12], p[binary.BigEndian.Uint16(p[12:]):][:4])
			})
		case 0: // an overflow page that leads to itself
			out[fmt.Sprintf("overflow at page %d", n)] = edit(func(b []byte) { binary.BigEndian.PutUint32(page(b, n), uint32(n)) })
		}
	}
	return out
}

func TestDamagedSQLite(t *testing.T) {
	t.Parallel()
	read := 0
	for name, b := range damage(t) {
		out, err := extract.With(data.Kinds()...).Extract(t.Context(), extract.Input{Data: b})
		var reason *extract.Error
		switch {
		case err != nil && (!errors.As(err, &reason) || reason.Hint == ""):
			t.Errorf("%s: %v", name, err)
		case err == nil && out.Metadata["warning"] == "" && name != "overflow at page 2":
			if !strings.HasPrefix(name, "overflow") { // a free page is nobody's
				t.Errorf("%s: no warning", name)
			}
		}
		if err == nil {
			read++
		}
		if rows, _ := strconv.Atoi(out.Metadata["rows"]); rows > 310 { // as many as there are
			t.Errorf("%s: %d rows", name, rows)
		}
		if len(out.Text) > 20*len(b)+8192 {
			t.Errorf("%s: %d bytes", name, len(out.Text))
		}
	}
	if read < 3 {
		t.Errorf("only %d of the damaged files gave anything", read)
	}
}

func TestSQLiteWithAnyBytesChanged(t *testing.T) {
	t.Parallel()
	good := fixture(t, "boats.sqlite")
	rapid.Check(t, func(rt *rapid.T) {
		b := bytes.Clone(good)
		for _, at := range rapid.SliceOfN(rapid.IntRange(16, len(b)-1), 1, 40).Draw(rt, "at") {
			b[at] = rapid.Byte().Draw(rt, "byte")
		}
		b = b[:rapid.IntRange(512, len(b)).Draw(rt, "length")]
		out, err := extract.With(data.Kinds()...).Extract(context.Background(), extract.Input{Data: b}) //nolint:forbidigo // rapid has no context
		checkOutput(rt, out, err, len(b))
	})
}

// checkOutput holds for whatever was read.
func checkOutput(t interface {
	Helper()
	Fatalf(string, ...any)
}, out extract.Output, err error, size int,
) {
	t.Helper()
	if err != nil {
		return
	}
	if !utf8.ValidString(out.Text) || strings.IndexByte(out.Text, 0) >= 0 || len(out.Text) > 20*size+256<<10 {
		t.Fatalf("%d bytes from %d: %.200q", len(out.Text), size, out.Text)
	}
	last := -1
	for _, m := range out.Marks {
		if m.Offset <= last || m.Offset >= len(out.Text) || !utf8.RuneStart(out.Text[m.Offset]) || m.Place == "" || strings.Contains(m.Place, "\n") {
			t.Fatalf("mark %+v behind %d of %d", m, last, len(out.Text))
		}
		last = m.Offset
	}
}

func TestWhatIsNotAsItIsNamed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ file, in, kind, warning string }{
		"template":  {"chart.yaml", "{{ if .Values.web }}\nname: {{ .Values.name }}\n{{ end }}\n", extract.TypeCode, "not valid YAML"},
		"prose":     {"note.yml", "Just a sentence that somebody saved under that name.\n", extract.TypeText, ""},
		"toml":      {"a.toml", "name = = 1\n", extract.TypeCode, "not valid TOML"},
		"xml":       {"a.xml", "<<<", extract.TypeCode, "not well-formed"},
		"jsonl":     {"a.jsonl", `{"a": 1}`, extract.TypeJSON, ""},
		"plain log": {"build.log", "compiling\nlinking\ndone\n", extract.TypeText, ""},
	} {
		out := read(t, row.file, []byte(row.in))
		if out.Type != row.kind || !strings.HasPrefix(out.Metadata["warning"], row.warning) || row.warning == "" && out.Metadata["warning"] != "" {
			t.Errorf("%s: %s %v", name, out.Type, out.Metadata)
		}
	}
}

func TestPostsStayPosts(t *testing.T) {
	t.Parallel()
	in := `{"text":"Boats!","author":"Ana","created_at":"2024-05-01T10:00:00Z","likes":3}` + "\n" + `{"text":"Ropes!","author":"Ben","created_at":"2024-05-01T11:00:00Z","likes":1}` + "\n"
	want, err := extract.Set{}.Extract(t.Context(), extract.Input{Data: []byte(in)})
	if err != nil || want.Metadata["source_type"] != "social_post" {
		t.Fatal(want, err)
	}
	if out := read(t, "posts.jsonl", []byte(in)); out.Text != want.Text {
		t.Errorf("%q", out.Text)
	}
}

func TestDialogues(t *testing.T) {
	t.Parallel()
	in := `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Which rope?"}]},{"role":"assistant","content":"Red."}]}` + "\n" +
		`{"messages":[{"role":"user","content":"And the boat?"},{"role":"assistant","content":"Blue."}]}` + "\n"
	out := read(t, "", []byte(in))
	if out.Type != "transcript" || out.Text != "system: Be brief.\n\nuser: Which rope?\n\nassistant: Red.\n\nuser: And the boat?\n\nassistant: Blue." {
		t.Errorf("%s %q", out.Type, out.Text)
	}
}

func TestLogsAreRecognised(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"python":  "2024-05-01 10:00:%02d,123 INFO pier: opens %d",
		"access":  `10.0.0.7 - ana [01/May/2024:10:00:%02d +0200] "GET /boats/%d HTTP/1.1" 200 512`,
		"syslog":  "May  1 10:00:%02d pier kernel: gate %d opens",
		"klog":    "I0501 10:00:%02d.123456       1 pier.go:%d] opens",
		"logfmt":  `time="2024-05-01T10:00:%02dZ" level=info msg="gate %d"`,
		"dmesg":   "[   %02d.123456] gate %d opens",
		"logcat":  "05-01 10:00:%02d.123  1234  1240 I Pier: gate %d opens",
		"bracket": "[2024-05-01T10:00:%02dZ] [error] gate %d",
	} {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b, line+"\n", i, i)
		}
		out := read(t, "", []byte(b.String()))
		if out.Metadata["lines"] != "20" || out.Metadata["lines_collapsed"] != "19" || !strings.Contains(out.Text, "… (repeated 19 times until ") {
			t.Errorf("%s: %v\n%s", name, out.Metadata, out.Text)
		}
	}
}

func TestLogKeepsWhatDiffers(t *testing.T) {
	t.Parallel()
	in := "2024-05-01 10:00:00 INFO a 1\n2024-05-01 10:00:01 INFO a 2\n2024-05-01 10:00:02 ERROR b\n  at x\n  at y\n2024-05-01 10:00:03 ERROR b\n  at x\n2024-05-01 10:00:04 INFO c\n"
	out := read(t, "x.log", []byte(in))
	if !strings.Contains(out.Text, "```log\n"+in+"```") {
		t.Errorf("%s", out.Text)
	}
	if out.Metadata["errors"] != "2" || out.Metadata["info"] != "3" || !out.Published.Equal(time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("%v %v", out.Metadata, out.Published)
	}
}

// hostile are texts of about size bytes, by file name.
func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1) }
	laughs := &strings.Builder{}
	laughs.WriteString("a: &a [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n")
	entities := &strings.Builder{}
	entities.WriteString("<?xml version=\"1.0\"?><!DOCTYPE z [<!ENTITY l0 \"lol\">")
	for i := range 25 {
		fmt.Fprintf(laughs, "%c: &%c [%s]\n", 'b'+i, 'b'+i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", 'a'+i), 9), ","))
		fmt.Fprintf(entities, "<!ENTITY l%d \"%s\">", i+1, strings.Repeat(fmt.Sprintf("&l%d;", i), 10))
	}
	entities.WriteString("]><z>kept &l25;</z>")
	return map[string]string{
		"laughs.yaml": laughs.String(), "flow.yaml": "a: " + fill("["), "deep.yaml": strings.Repeat("a:\n ", 1), "list.yaml": fill("- "),
		"maps.yaml": fill("? "), "anchors.yaml": fill("- &a x\n"), "merge.yaml": "a: &a {b: 1}\nc:\n" + fill("  <<: *a\n"), "comments.yaml": "a: 1\n" + fill("# c\n"),
		"keys.yaml": fill("a: 1\n"), "documents.yaml": fill("--- a\n"), "indent.yaml": indented(size), "flat.yaml": fill("- a\n"),
		"nested.toml": "a = " + fill("["), "dotted.toml": fill("a.") + "a = 1", "tables.toml": fill("[[a]]\n"), "header.toml": "[" + fill("a.") + "a]", "inline.toml": "a = " + fill("{a="),
		"laughs.xml": entities.String(), "deep.xml": "<?xml version=\"1.0\"?>" + fill("<a>"), "flat.xml": "<a>" + fill("<b/>"), "attributes.xml": "<a " + fill("b='c' ") + "/>",
		"text.xml": "<a>" + fill("x<b>"), "comment.xml": "<a>x</a>" + fill("<!--x-->"), "doctype.xml": "<?xml version='1.0'?><!DOCTYPE a [" + fill("<!ENTITY a '&a;'>") + "]><a>kept</a>",
		"plist.xml": "<plist>" + fill("<dict><key>a</key>"), "closing.xml": "<a>x" + fill("</a>"),
		"same.log": fill("2024-05-01 10:00:00 INFO a\n"), "stack.log": "2024-05-01 10:00:00 INFO a\n" + fill("2024-05-01 10:00:00 INFO b\n x\n"), "ticks.log": fill("2024-05-01 10:00:00 INFO ````\n"),
		"tail.log": "2024-05-01 10:00:00 INFO a\n" + fill("x\n"), "line.log": "2024-05-01 10:00:00 INFO " + fill("a"), "quotes.log": fill("2024-05-01 10:00:00 INFO \"'\"'\n"),
		"deep.jsonl": "{\"a\":" + fill("["), "arrays.jsonl": fill(`{"a":[[1],[2],[[3]]]}`+"\n") + "{}", "roles.jsonl": fill(`{"role":"a","content":"b"}` + "\n"),
		"nested.jsonl": fill("{\"a\":" + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}\n"),
		"speakers.jsonl": func() string {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				fmt.Fprintf(&b, "{\"role\":\"a%d\",\"content\":\"b\"}\n", i)
			}
			return b.String()
		}(),
	}
}

// indented nests as deep as size allows.
func indented(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for name, in := range hostile(1 << 20) {
		start := time.Now()
		out, err := extract.With(data.Kinds()...).Extract(t.Context(), extract.Input{Data: []byte(in), Name: name})
		var reason *extract.Error
		if err != nil && !errors.As(err, &reason) && !errors.Is(err, extract.ErrEmpty) {
			t.Errorf("%s: %v", name, err)
		}
		checkOutput(t, out, err, len(in))
		took := time.Since(start)
		if t.Logf("%-16s %8d bytes out, %v %s", name, len(out.Text), took.Round(time.Millisecond), out.Metadata["warning"]); took > 40*time.Second {
			t.Errorf("%s takes %v", name, took)
		}
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"boats.sqlite", "compose.yaml", "catalogue.xml", "pier.log", "events.jsonl"} {
		content := fixture(t, name)
		src := &extract.Source{Input: extract.Input{Data: content, Name: name}, Text: string(content), Media: "application/vnd.sqlite3", Extension: filepath.Ext(name)}
		for _, k := range data.Kinds() {
			if strings.Contains(strings.Join(k.Extensions, " "), src.Extension) {
				if _, err := k.Extract(ctx, src); !errors.Is(err, context.Canceled) {
					t.Errorf("%s goes on: %v", name, err)
				}
			}
		}
	}
}

func FuzzData(f *testing.F) {
	for i, k := range data.Kinds() {
		for _, name := range []string{"boats.sqlite", "utf16le.sqlite", "compose.yaml", "project.toml", "catalogue.xml", "boat.plist", "chat.jsonl", "events.jsonl", "service.ndjson"} {
			if strings.Contains(strings.Join(k.Extensions, " "), filepath.Ext(name)) {
				f.Add(fixture(f, name), i)
			}
		}
		for name, s := range hostile(300) {
			if strings.Contains(strings.Join(k.Extensions, " "), filepath.Ext(name)) {
				f.Add([]byte(s), i)
			}
		}
	}
	for _, b := range damage(f) {
		f.Add(b, 0)
	}
	f.Fuzz(func(t *testing.T, content []byte, kind int) {
		k := data.Kinds()[uint(kind)%uint(len(data.Kinds()))]
		src := &extract.Source{Input: extract.Input{Data: content}, Text: strings.ToValidUTF8(string(content), "\ufffd"), Charset: "utf-8"}
		k.Looks(src)
		out, err := k.Extract(t.Context(), src)
		checkOutput(t, out, err, len(content))
	})
}
