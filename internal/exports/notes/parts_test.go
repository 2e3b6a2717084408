package notes_test

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/exports/notes"
)

// documents reads an export of files, by custom id, with what was reported.
func documents(t *testing.T, kind string, files map[string]string, o exports.Options, lim exports.Limits) (out map[string]exports.Item, errs []string) {
	t.Helper()
	dir := fstest.MapFS{}
	for name, s := range files {
		dir[name] = &fstest.MapFile{Data: []byte(s), Mode: 0o644}
	}
	src, err := exports.FromFolder("export", dir, lim)
	if err != nil {
		t.Fatal(err)
	}
	out = map[string]exports.Item{}
	for it, err := range exports.Set(notes.Kinds()).Read(t.Context(), kind, src, o) {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			out[it.Key] = it
		}
	}
	return out, errs
}

func TestFrontMatter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ front, key, want string }{
		{"a: plain # comment", "a", "plain"},
		{"a: \"quoted: \\\"x\\\" # no comment\"", "a", `quoted: "x" # no comment`},
		{"a: 'it''s'", "a", "it's"},
		{"a: [x, \"y, z\", 'w']", "a", "[x y, z w]"},
		{"a: [x,\n  y]\nb: 1", "a", "[x y]"},
		{"a:\n- x\n- 'y'\nb: 1", "a", "[x y]"},
		{"a:\n  - x # c\n\n  - y", "a", "[x y]"},
		{"a: |\n  one\n  two\nb: 1", "a", "one\ntwo"},
		{"a: >-\n  one\n  two", "a", "one two"},
		{"a: one\n  two", "a", "one two"},
		{"a:\n  b: 1\n  c: 2", "a", "b: 1\n  c: 2"},
		{"a: {b: 1}", "a", "{b: 1}"},
		{"a: https://example.org/x:y", "a", "https://example.org/x:y"},
		{"\"my key\": v", "my key", "v"},
		{"A B: v", "a b", "v"},
		{"a: null\nb: x", "b", "x"},
		{"a: 2024-01-05", "a", "2024-01-05"},
		{"a: true", "a", "true"},
		{"- x\na: y", "a", "y"},
	} {
		got, errs := documents(t, "obsidian", map[string]string{"n.md": "---\n" + tc.front + "\n---\nbody\n"}, exports.Options{}, exports.Limits{})
		if v := fmt.Sprint(got["obsidian:n"].Document.Metadata[tc.key]); v != tc.want || len(errs) > 0 {
			t.Errorf("%q: %q, want %q; %v", tc.front, v, tc.want, errs)
		}
	}
}

// TestEvernoteAttachments: the bytes of an attachment are hashed as they pass, however they are broken into lines and reads.
func TestEvernoteAttachments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 100_000).Draw(rt, "data")
		enc := base64.StdEncoding.EncodeToString(data)
		wrap := rapid.IntRange(1, 80).Draw(rt, "wrap")
		var lines strings.Builder
		for len(enc) > wrap {
			lines.WriteString(enc[:wrap] + "\n")
			enc = enc[wrap:]
		}
		lines.WriteString(enc)
		sum := md5.Sum(data)
		pad := strings.Repeat("x", rapid.IntRange(0, 70_000).Draw(rt, "pad"))
		enex := `<en-export><note><title>t</title><content><![CDATA[<en-note>` + pad + ` <en-media type="a/b" hash="` + hex.EncodeToString(sum[:]) + `"/></en-note>]]></content>` +
			`<created>20240105T101112Z</created><resource><data encoding="base64">` + lines.String() + `</data><mime>a/b</mime><resource-attributes><file-name>it.bin</file-name></resource-attributes></resource></note></en-export>`
		got, errs := documents(t, "evernote", map[string]string{"n.enex": enex}, exports.Options{}, exports.Limits{})
		if len(got) != 1 || len(errs) != 1 { // the attachment is counted
			rt.Fatalf("%d notes, %v", len(got), errs)
		}
		for _, it := range got {
			if !strings.HasSuffix(it.Document.Content, "[attachment: it.bin]") || fmt.Sprint(it.Document.Metadata["attachments"]) != fmt.Sprintf("[it.bin (a/b, %d bytes)]", len(data)) {
				rt.Fatalf("%v %v", it.Document.Content[max(0, len(it.Document.Content)-100):], it.Document.Metadata)
			}
		}
	})
}

// TestEvernoteLargeAttachment: an attachment over every limit of memory is hashed all the same.
func TestEvernoteLargeAttachment(t *testing.T) {
	t.Parallel()
	enex := `<en-export><note><title>t</title><content><![CDATA[<en-note>x</en-note>]]></content><resource><data encoding="base64">` +
		strings.Repeat("QUJD\n", 2<<20) + `</data><mime>a/b</mime></resource></note></en-export>`
	got, _ := documents(t, "evernote", map[string]string{"n.enex": enex}, exports.Options{}, exports.Limits{Item: 1 << 20})
	if len(got) != 1 {
		t.Errorf("%d notes", len(got))
	}
}

func TestEntityExpansion(t *testing.T) {
	t.Parallel()
	enex := `<?xml version="1.0"?><!DOCTYPE en-export [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><en-export><note><title>&b;</title><content>x</content></note></en-export>`
	got, _ := documents(t, "evernote", map[string]string{"n.enex": enex}, exports.Options{}, exports.Limits{})
	for _, it := range got {
		if strings.Contains(it.Document.Title, "aaaa") {
			t.Errorf("expanded: %q", it.Document.Title)
		}
	}
}

func TestAttachmentsOfAVault(t *testing.T) {
	t.Parallel()
	files := map[string]string{"n.md": "see ![[p.pdf]]", "files/p.pdf": "%PDF-", "files/big.bin": strings.Repeat("x", 2000), "files/none.bin": ""}
	got, errs := documents(t, "obsidian", files, exports.Options{Attachments: true}, exports.Limits{File: 1000})
	d := got["obsidian:file/files/p.pdf"].Document
	if len(got) != 2 || d == nil || string(d.Data) != "%PDF-" || d.Name != "p.pdf" || d.Title != "p.pdf" {
		t.Errorf("%v", got)
	}
	if len(errs) != 2 || !strings.HasPrefix(errs[0], "files/big.bin") || !strings.Contains(errs[1], "empty files: 1") {
		t.Errorf("errors %v", errs)
	}
	got, errs = documents(t, "obsidian", files, exports.Options{}, exports.Limits{})
	if len(got) != 1 || len(errs) != 1 || !strings.Contains(errs[0], "pdf files (attachments are off): 1") || !strings.Contains(errs[0], "bin files (attachments are off): 2") {
		t.Errorf("without attachments: %d items, %v", len(got), errs)
	}
}

// TestSecondExport: what was there before has the same ids when the export is made again with more in it.
func TestSecondExport(t *testing.T) {
	t.Parallel()
	clip := func(n int) string {
		return fmt.Sprintf("Book %d (Author)\n- Your Highlight on page %d | Location %d-%d | Added on Friday, January 5, 2024 3:04:05 PM\n\nText %d\n==========\n", n%3, n, n*10, n*10+1, n)
	}
	var old, again strings.Builder
	for i := range 9 {
		old.WriteString(clip(i))
		again.WriteString(clip(i))
		if i%4 == 0 {
			again.WriteString(clip(100 + i))
		}
	}
	a, _ := documents(t, "kindle", map[string]string{"My Clippings.txt": old.String()}, exports.Options{}, exports.Limits{})
	b, _ := documents(t, "kindle", map[string]string{"My Clippings.txt": again.String()}, exports.Options{}, exports.Limits{})
	if len(a) != 9 || len(b) != 12 {
		t.Fatalf("%d and %d", len(a), len(b))
	}
	for key := range a {
		if _, there := b[key]; !there {
			t.Errorf("%s is gone", key)
		}
	}
}

func TestKindleDates(t *testing.T) {
	t.Parallel()
	const want = "2024-01-05 15:04"
	for _, added := range []string{
		"Added on Friday, January 5, 2024 3:04:05 PM", "Added on Friday, 5 January 2024 15:04:05", "Added on Friday, January 05, 2024, 03:04 PM",
		"Hinzugefügt am Freitag, 5. Januar 2024 15:04:05", "Hinzugefügt am Freitag, 5. Januar 2024 um 15:04:05", "Ajouté le vendredi 5 janvier 2024 15:04:05",
		"Añadido el viernes, 5 de enero de 2024 15:04:05", "Aggiunto in data venerdì 5 gennaio 2024 15:04:05", "Adicionado: sexta-feira, 5 de janeiro de 2024 15:04:05",
		"Toegevoegd op vrijdag 5 januari 2024 15:04:05", "Добавлено: пятница, 5 января 2024 г. в 15:04:05", "添加于 2024年1月5日星期五 下午3:04:05", "追加日 2024年1月5日金曜日 15:04:05",
	} {
		got, errs := documents(t, "kindle", map[string]string{"c.txt": "Book\n- Your Highlight | " + added + "\n\nText\n==========\n"}, exports.Options{}, exports.Limits{})
		if len(got) != 1 || len(errs) > 0 {
			t.Errorf("%q: %v", added, errs)
		}
		for _, it := range got {
			if at := it.Document.OccurredAt; at == nil || at.Format("2006-01-02 15:04") != want {
				t.Errorf("%q: %v", added, at)
			}
		}
	}
}

// TestMarkup: input without end, or with nothing but beginnings, takes linear time.
func TestMarkup(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for _, piece := range []string{"<", "<a", "<a ", "<a href=\"", "<!--", "<![CDATA[", "<div>", "</div>", "<ul><li>", "<table><tr><td>", "&amp;", "<A HREF=\"x\">", "<blockquote>", "<pre>", "<DL><p>"} {
		body := bytes.Repeat([]byte(piece), 100_000)
		documents(t, "evernote", map[string]string{"n.enex": "<en-export><note><title>t</title><content><![CDATA[" + strings.ReplaceAll(string(body), "]]>", "") + "]]></content></note></en-export>"}, exports.Options{}, exports.Limits{})
		documents(t, "bookmarks", map[string]string{"b.html": "<!DOCTYPE NETSCAPE-Bookmark-file-1>" + string(body)}, exports.Options{}, exports.Limits{})
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("took %v", d)
	}
}
