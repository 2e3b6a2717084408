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

// TestBookmarksWithoutAddress: a bookmark that leads nowhere is kept where something is written about it, and counted otherwise.
func TestBookmarksWithoutAddress(t *testing.T) {
	t.Parallel()
	got, errs := documents(t, "bookmarks", map[string]string{"b.html": `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
<DT><A HREF="?abc123" ADD_DATE="1463262338" PRIVATE="1" TAGS="markdown,pier">On knots</A>
<DD>Standard:
* bowline
* hitch &amp; bend
<DT><A HREF="?def456" ADD_DATE="1463262339">Nothing said</A>
<DT><A HREF="place:type=6&sort=14" ADD_DATE="1460294956">Recent tags</A>
<DT><A HREF="https://pier.example/" ADD_DATE="1460294957" LAST_CHARSET="UTF-8">Pier</A>
<DD>
</DL><p>`}, exports.Options{}, exports.Limits{})
	note := got["bookmarks:?abc123"].Document
	if len(got) != 2 || note == nil || note.Content != "Standard:\n* bowline\n* hitch & bend" || note.Title != "On knots" || note.Metadata["address"] != "?abc123" ||
		len(note.Tags) != 2 || got["bookmarks:https://pier.example/"].Document.Content != "[Pier](https://pier.example/)" {
		t.Errorf("%v", got)
	}
	if len(errs) != 1 || !strings.Contains(errs[0], "(no address): 1") || !strings.Contains(errs[0], "(place): 1") {
		t.Errorf("%v", errs)
	}
}

// TestKindleShapes: the second line of an entry, as devices of many years write it in their languages.
func TestKindleShapes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, kind, page, location, at string }{
		{"- Highlight Loc. 1942-45  | Added on Wednesday, December 23, 2009, 09:37 PM", "highlight", "", "1942-1945", "2009-12-23 21:37"},
		{"- Highlight Loc. 998-1002 | Added on Friday, 6 July 12 07:37:42 GMT+01:00", "highlight", "", "998-1002", "2012-07-06 07:37"},
		{"- Note on Page 415 | Loc. 6353  | Added on Saturday, April 30, 2011, 08:37 AM", "note", "415", "6353", "2011-04-30 08:37"},
		{"- Your Highlight Location 449-449 | Added on Thursday, 25 April 13 23:45:11", "highlight", "", "449", "2013-04-25 23:45"},
		{"- Ihre Notiz Position 9 | Hinzugefügt am Donnerstag, 25. April 2013 um 23:40:04 Uhr", "note", "", "9", "2013-04-25 23:40"},
		{"- Mi nota en la página 222 | Posición 3394 | Añadido el lunes 17 de junio de 2013, 20:13:12", "note", "222", "3394", "2013-06-17 20:13"},
		{"- Le mie note a pagina 222 | Posizione 3395 | Aggiunto il lunedì 17 giugno 13, 20:23:44", "note", "222", "3395", "2013-06-17 20:23"},
		{"- Votre surlignement à lʼemplacement 20-26 | Ajouté le samedi 20 octobre 2018 à 12:55:45", "highlight", "", "20-26", "2018-10-20 12:55"},
		{"- Seu destaque ou posição 333-334 | Adicionado na data segunda-feira, 17 de junho de 2013, 20:39:30", "highlight", "", "333-334", "2013-06-17 20:39"},
		{"- メモ 位置No. 3 | 追加日： 2013年4月26日 (金曜日) 0:33:16", "note", "", "3", "2013-04-26 00:33"},
		{"- ハイライト ページ222 | 位置No. 3396-3396 | 追加日： 2013年6月17日 (月曜日) 20:31:09", "highlight", "222", "3396", "2013-06-17 20:31"},
		{"- 22ページ|位置No. 336のメモ |作成日: 2023年6月10日土曜日 9:18:40", "note", "22", "336", "2023-06-10 09:18"},
		{"- 我的笔记 第222页 | 位置3397 | 已添加至 2013年6月17日 星期一 22:27:51", "note", "222", "3397", "2013-06-17 22:27"},
		{"- 您在第 24 页（位置 #935-937）的标注 | 添加于 2019年4月6日星期六 下午6:34:26", "highlight", "24", "935-937", "2019-04-06 18:34"},
		{"- 您在第 126-126 页的标注 | 添加于 2019年4月6日星期六 上午12:34:26", "highlight", "126", "", "2019-04-06 00:34"},
	} {
		got, errs := documents(t, "kindle", map[string]string{"c.txt": "\ufeffBoats (Someone)\r\n" + tc.line + "\r\n\r\nA text with ========== in it\r\n==========\r\n"}, exports.Options{}, exports.Limits{})
		if len(got) != 1 || len(errs) > 0 {
			t.Errorf("%q: %d documents, %v", tc.line, len(got), errs)
		}
		for _, it := range got {
			d := it.Document
			text := func(key string) string { s, _ := d.Metadata[key].(string); return s }
			at := ""
			if d.OccurredAt != nil {
				at = d.OccurredAt.Format("2006-01-02 15:04")
			}
			if d.Tags[0] != tc.kind || text("page") != tc.page || text("location") != tc.location || at != tc.at || !strings.Contains(d.Content, "in it") {
				t.Errorf("%q: %v, page %q, location %q, at %s\n%s", tc.line, d.Tags, text("page"), text("location"), at, d.Content)
			}
		}
	}
}

// TestKindleLog: the file keeps what was marked or written before it was changed; the last form counts.
func TestKindleLog(t *testing.T) {
	t.Parallel()
	entry := func(line, text string) string {
		return "Boats (Someone)\n- " + line + " | Added on Friday, January 5, 2024 3:04:05 PM\n\n" + text + "\n==========\n"
	}
	got, errs := documents(t, "kindle", map[string]string{"c.txt": entry("Your Highlight on page 1 | Location 10-11", "The keel is") +
		entry("Your Note on page 1 | Location 12", "ask An") + entry("Your Highlight on page 1 | Location 10-12", "The keel is of lead.") + entry("Your Note on page 1 | Location 12", "ask Ann") +
		entry("Your Highlight on page 3 | Location 30-31", "The keel is") + entry("Your Highlight on page 4 | Location 40", "<You have reached the clipping limit for this item>")},
		exports.Options{}, exports.Limits{})
	if len(got) != 2 || len(errs) != 1 || !strings.Contains(errs[0], "earlier forms of the same highlight: 1") ||
		!strings.Contains(errs[0], "earlier forms of the same note: 1") || !strings.Contains(errs[0], "beyond what the publisher lets be copied: 1") {
		t.Fatalf("%d documents, %v", len(got), errs)
	}
	for _, it := range got {
		if page := it.Document.Metadata["page"]; page == "1" && it.Document.Content != "> The keel is of lead.\n\nask Ann\n\n— Boats, Someone" {
			t.Errorf("%q", it.Document.Content)
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
