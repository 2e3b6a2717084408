package exports_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

// texts is a kind that yields every file as a note.
func texts() exports.Set {
	return exports.Set{{
		Name: "texts", Looks: func(s *exports.Source) bool { return len(s.Files) > 0 },
		Read: func(r *exports.Reading) {
			for _, f := range r.Source.Files {
				s, err := r.Source.Text(f, 0)
				if err != nil {
					r.Fail(f.Name, err)
					continue
				}
				r.Note(f.Name, exports.Note{ID: r.ID(f.Name), Title: f.Stem(), Body: s})
			}
		},
	}}
}

// gather reads an export: the texts by place, and what was reported.
func gather(t *testing.T, src *exports.Source) (got map[string]string, problems string) {
	t.Helper()
	got = map[string]string{}
	for it, err := range texts().Read(t.Context(), "texts", src, exports.Options{}) {
		if err != nil {
			problems += err.Error() + "\n"
			continue
		}
		got[it.Where] = it.Document.Content
	}
	return got, problems
}

type entry struct {
	name, data string
	mode       fs.FileMode
	store      bool
}

func zipped(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.store {
			h.Method = zip.Store
		}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t *testing.T, data []byte, lim exports.Limits) *exports.Source {
	t.Helper()
	src, err := exports.FromFile("e.zip", bytes.NewReader(data), int64(len(data)), lim)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

func TestNamesThatLeadOut(t *testing.T) {
	t.Parallel()
	data := zipped(t,
		entry{name: "ok.txt", data: "fine"}, entry{name: "../evil.txt", data: "x"}, entry{name: "/abs.txt", data: "x"}, entry{name: `..\win.txt`, data: "x"},
		entry{name: `C:\win.txt`, data: "x"}, entry{name: "a/../../b.txt", data: "x"}, entry{name: "link", data: "/etc/passwd", mode: fs.ModeSymlink | 0o777},
		entry{name: "ok.txt", data: "twice"}, entry{name: "__MACOSX/._ok.txt", data: "x"}, entry{name: ".hidden/x.txt", data: "x"},
	)
	got, problems := gather(t, open(t, data, exports.Limits{}))
	if len(got) != 1 || got["ok.txt"] != "fine" {
		t.Errorf("read %v", got)
	}
	if n := strings.Count(problems, "leads out"); n != 5 || !strings.Contains(problems, "link or a device") || !strings.Contains(problems, "comes twice") {
		t.Errorf("%d names refused: %s", n, problems)
	}
}

func TestEncryptedEntry(t *testing.T) {
	t.Parallel()
	data := zipped(t, entry{name: "a.txt", data: "secret", store: true})
	for _, at := range []int{6, bytes.Index(data, []byte("PK\x01\x02")) + 8} { // the flags of both headers
		data[at] |= 1
	}
	got, problems := gather(t, open(t, data, exports.Limits{}))
	if len(got) != 0 || !strings.Contains(problems, "encrypted") {
		t.Errorf("read %v, %s", got, problems)
	}
}

func TestBombs(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 40<<20)
	t.Run("ratio", func(t *testing.T) {
		t.Parallel()
		data := zipped(t, entry{name: "a.txt", data: zeros}, entry{name: "b.txt", data: "fine"})
		got, problems := gather(t, open(t, data, exports.Limits{File: 1 << 30}))
		if got["b.txt"] != "fine" || !strings.Contains(problems, "bomb") {
			t.Errorf("read %d files, %s", len(got), problems)
		}
	})
	t.Run("one file", func(t *testing.T) {
		t.Parallel()
		_, problems := gather(t, open(t, zipped(t, entry{name: "a.txt", data: zeros}), exports.Limits{File: 1 << 20}))
		if !strings.Contains(problems, "over 1 MiB") {
			t.Error(problems)
		}
	})
	t.Run("together", func(t *testing.T) {
		t.Parallel()
		var entries []entry
		for i := range 8 {
			entries = append(entries, entry{name: fmt.Sprint(i, ".txt"), data: strings.Repeat("some text ", 20_000)})
		}
		got, problems := gather(t, open(t, zipped(t, entries...), exports.Limits{Total: 1 << 20}))
		if len(got) != 5 || strings.Count(problems, "unpacks to more than 1 MiB") != 3 {
			t.Errorf("read %d files, %s", len(got), problems)
		}
	})
	t.Run("lying size", func(t *testing.T) {
		t.Parallel()
		data := zipped(t, entry{name: "a.txt", data: strings.Repeat("x", 5000)})
		at := bytes.Index(data, []byte("PK\x01\x02"))
		binary.LittleEndian.PutUint32(data[at+24:], 3) // the size unpacked
		_, problems := gather(t, open(t, data, exports.Limits{}))
		if problems == "" {
			t.Error("no error")
		}
	})
}

// manyEntries is an archive of n empty files whose end record says that it holds count, and that their list has size bytes; 0 is
// the truth.
func manyEntries(n, count, size int) []byte {
	var b bytes.Buffer
	local := make([]byte, 30+1)
	copy(local, "PK\x03\x04\x14\x00")
	local[26], local[30] = 1, 'a'
	b.Write(local)
	start := b.Len()
	for i := range n {
		h := make([]byte, 46+7)
		copy(h, "PK\x01\x02\x14\x00\x14\x00")
		h[28] = 7
		copy(h[46:], fmt.Sprintf("%07d", i))
		b.Write(h)
	}
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	binary.LittleEndian.PutUint16(end[8:], uint16(count))
	binary.LittleEndian.PutUint16(end[10:], uint16(count))
	if size == 0 {
		size = b.Len() - start
	}
	binary.LittleEndian.PutUint32(end[12:], uint32(size))
	binary.LittleEndian.PutUint32(end[16:], uint32(start))
	b.Write(end)
	return b.Bytes()
}

func TestMillionEntries(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		n, count int
		size     int
		lim      exports.Limits
		want     string
	}{
		{"a million", 1_000_000, 1_000_000 & 0xffff, 0, exports.Limits{}, "list of files is over 32 MiB"},
		{"said to be few", 1_000_000, 3, 0, exports.Limits{}, "list of files is over 32 MiB"},
		{"said to be small", 1_000_000, 1_000_000 & 0xffff, 46, exports.Limits{}, "list of files is over 32 MiB"},
		{"more than allowed", 3000, 3000, 0, exports.Limits{Files: 2000}, "at most 2000"},
		{"more than allowed, said to be few", 70_000, 70_000 & 0xffff, 0, exports.Limits{Files: 5000}, "more than 5000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			data := manyEntries(tc.n, tc.count, tc.size)
			start := time.Now()
			_, err := exports.FromFile("e.zip", bytes.NewReader(data), int64(len(data)), tc.lim)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestTruncatedArchive(t *testing.T) {
	t.Parallel()
	data := zipped(t, entry{name: "a.txt", data: strings.Repeat("some text ", 1000)})
	for n := 4; n < len(data); n += 7 {
		src, err := exports.FromFile("e.zip", bytes.NewReader(data[:n]), int64(n), exports.Limits{})
		if err == nil {
			t.Errorf("cut at %d: opened with %d files", n, len(src.Files))
		}
	}
}

func TestArchivesInside(t *testing.T) {
	t.Parallel()
	part1 := string(zipped(t, entry{name: "a.txt", data: "one"}))
	part2 := string(zipped(t, entry{name: "a.txt", data: "two"}, entry{name: "deep.zip", data: part1}))
	for _, store := range []bool{true, false} {
		got, problems := gather(t, open(t, zipped(t, entry{name: "Part-1.zip", data: part1, store: store}, entry{name: "Part-2.zip", data: part2, store: store}), exports.Limits{}))
		if got["Part-1/a.txt"] != "one" || got["Part-2/a.txt"] != "two" {
			t.Errorf("stored %v: read %v, %s", store, got, problems)
		}
		if len(got) != 3 { // the archive two levels down is a file like any other
			t.Errorf("stored %v: %d files", store, len(got))
		}
	}
	// One that is all there is stands for the export, as does the folder that it holds.
	got, problems := gather(t, open(t, zipped(t, entry{name: "export.zip", data: string(zipped(t, entry{name: "top/a.txt", data: "one"}))}), exports.Limits{}))
	if got["a.txt"] != "one" || len(got) != 1 {
		t.Errorf("read %v, %s", got, problems)
	}
	// A compressed part over the limit is refused, one that is stored is not: it needs no memory.
	big := string(zipped(t, entry{name: "a.txt", data: "one"}, entry{name: "noise.bin", data: strings.Repeat("n", 100), store: true}))
	for _, store := range []bool{true, false} {
		src := open(t, zipped(t, entry{name: "Part-1.zip", data: big, store: store}), exports.Limits{Nested: 100})
		_, problems := gather(t, src)
		if refused := strings.Contains(problems, "unpack it"); refused == store {
			t.Errorf("stored %v: %s", store, problems)
		}
	}
	// Beside other files an archive is an attachment.
	got, _ = gather(t, open(t, zipped(t, entry{name: "Part-1.zip", data: part1}, entry{name: "b.txt", data: "b"}), exports.Limits{}))
	if _, there := got["Part-1/a.txt"]; there {
		t.Error("an archive beside other files was opened")
	}
	// A folder of parts reads like an archive of them.
	src, err := exports.FromFolder("parts", fstest.MapFS{"Part-1.zip": {Data: []byte(part1)}, "Part-2.zip": {Data: []byte(part2)}}, exports.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = src.Close() }()
	if got, problems := gather(t, src); got["Part-2/a.txt"] != "two" {
		t.Errorf("read %v, %s", got, problems)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{
		"b.txt": {Data: []byte("b")}, "sub/a.txt": {Data: []byte("a")}, ".git/config": {Data: []byte("x")}, "link": {Data: []byte("b.txt"), Mode: fs.ModeSymlink},
	}
	src, err := exports.FromFolder("/home/x/vault", dir, exports.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got, problems := gather(t, src)
	if src.Name != "vault" || len(got) != 2 || !strings.Contains(problems, "link") || len(src.Hidden) != 1 {
		t.Errorf("%q: read %v, hidden %v, %s", src.Name, got, src.Hidden, problems)
	}
	if _, err := exports.FromFolder("x", dir, exports.Limits{Files: 1}); err == nil || !strings.Contains(err.Error(), "more than 1") {
		t.Errorf("error %v", err)
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	wide := func(order binary.AppendByteOrder, s string, bom bool) string {
		var b []byte
		if bom {
			b = order.AppendUint16(b, 0xfeff)
		}
		for _, r := range s {
			b = order.AppendUint16(b, uint16(r))
		}
		return string(b)
	}
	const s = "Grüße, 5 €"
	for name, data := range map[string]string{
		"utf8": s, "utf8 with a mark": "\ufeff" + s, "utf16le": wide(binary.LittleEndian, s, true), "utf16be": wide(binary.BigEndian, s, true),
		"utf16le without a mark": wide(binary.LittleEndian, s, false), "utf16be without a mark": wide(binary.BigEndian, s, false), "windows-1252": "Gr\xfc\xdfe, 5 \x80",
	} {
		src, err := exports.FromFile("a.txt", strings.NewReader(data), int64(len(data)), exports.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, problems := gather(t, src)
		if got["a.txt"] != s {
			t.Errorf("%s: %q, %s", name, got["a.txt"], problems)
		}
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	none := exports.Set{{Name: "never", Looks: func(*exports.Source) bool { return false }, Read: func(*exports.Reading) {}}}
	src, err := exports.FromFile("a.bin", strings.NewReader("x"), 1, exports.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"", "other", "never"} {
		var all []error
		for _, err := range none.Read(t.Context(), kind, src, exports.Options{}) {
			all = append(all, err)
		}
		if len(all) != 1 || all[0] == nil {
			t.Errorf("kind %q: %v", kind, all)
		}
		if place, ok := errors.AsType[*exports.PlaceError](all[0]); kind == "never" && (!ok || place.Where != "a.bin") {
			t.Errorf("an export without items: %v", all[0])
		}
	}
}

func FuzzArchive(f *testing.F) {
	f.Add(zipped(f, entry{name: "a.txt", data: "one"}, entry{name: "b/c.txt", data: "two", store: true}))
	f.Add(zipped(f, entry{name: "Part-1.zip", data: string(zipped(f, entry{name: "a.txt", data: "one"})), store: true}))
	f.Add(manyEntries(5, 5, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		src, err := exports.FromFile("e.zip", bytes.NewReader(data), int64(len(data)), exports.Limits{Files: 100, File: 1 << 20, Total: 1 << 22})
		if err != nil {
			t.Skip()
		}
		defer func() { _ = src.Close() }()
		for _, file := range src.Files {
			if !fs.ValidPath(file.Name) {
				t.Fatalf("name %q", file.Name)
			}
		}
		gather(t, src)
	})
}
