package binary

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mostResident is what an import may hold in memory: the process together with the programs that it runs.
const mostResident = 512 << 20

// measured is what a command did and what it cost.
type measured struct {
	out, err string
	code     int
	took     time.Duration
	resident int64 // bytes, at its peak
	withAll  int64 // with the programs that it ran
}

// measure runs the program on two processors and watches what it and the programs that it starts hold in memory.
func measure(t *testing.T, data string, args ...string) measured {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs linux: memory is read under /proc")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program(t), append(args, "--data", data)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done, peak := make(chan struct{}), make(chan [2]int64)
	go func() {
		var most [2]int64
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				peak <- most
				return
			case <-tick.C:
				own, all := resident(cmd.Process.Pid)
				most[0], most[1] = max(most[0], own), max(most[1], all)
			}
		}
	}()
	err := cmd.Wait()
	close(done)
	m := measured{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode(), took: time.Since(began)}
	p := <-peak
	m.resident, m.withAll = p[0], p[1]
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("%v: %v\n%s", args, err, m.err)
	}
	return m
}

// resident returns what a process holds, alone and with those below it.
func resident(pid int) (own, all int64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, 0
	}
	var size int64
	if _, err := fmt.Sscan(string(b), &size, &own); err != nil {
		return 0, 0
	}
	own *= int64(os.Getpagesize())
	all = own
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for c := range strings.FieldsSeq(string(children)) {
			if n, err := strconv.Atoi(c); err == nil {
				_, below := resident(n)
				all += below
			}
		}
	}
	return own, all
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// samples are the real files of the rooms that read them.
func samples(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir("../../internal/extract", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.ToSlash(path), "/testdata/") {
			return err
		}
		out[filepath.ToSlash(path[len("../../internal/extract/"):])], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(out) < 50 {
		t.Fatalf("%d samples, %v", len(out), err)
	}
	return out
}

// rewrite packs a ZIP archive again with other words in one of its members.
func rewrite(t *testing.T, data []byte, member string, change func([]byte) []byte) []byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	found := false
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == member {
			body, found = change(body), true
		}
		out, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: f.Method})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = out.Write(body)
	}
	if err := w.Close(); err != nil || !found {
		t.Fatalf("%s: found %v, %v", member, found, err)
	}
	return b.Bytes()
}

// A thousand files of all kinds, the sources of the Go standard library among them, are added in one go within half a gigabyte
// on two processors; what could not be read is named with a reason. H-29, D-9
func TestThousandFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a thousand files")
	}
	dir, data := filepath.Join(t.TempDir(), "mixed"), t.TempDir()
	n := 0
	add := func(name string, b []byte) {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), b)
		n++
	}
	real := samples(t)
	for name, b := range real {
		if len(b) > 0 && !strings.HasPrefix(filepath.Base(name), ".") {
			add("samples/"+name, b)
		}
	}
	for i := range 90 {
		words := func(from, to string) func([]byte) []byte {
			return func(b []byte) []byte {
				return bytes.ReplaceAll(b, []byte(from), fmt.Appendf(nil, "%s number %d", to, i))
			}
		}
		add(fmt.Sprintf("office/report%02d.docx", i), rewrite(t, real["office/testdata/letter.docx"], "word/document.xml", words("the", "the")))
		add(fmt.Sprintf("office/ships%02d.xlsx", i), rewrite(t, real["office/testdata/book.xlsx"], "xl/sharedStrings.xml", words("Aurora", "Aurora")))
		add(fmt.Sprintf("office/talk%02d.odp", i), rewrite(t, real["office/testdata/talk.odp"], "content.xml", words("the", "the")))
		add(fmt.Sprintf("mail/m%02d.eml", i), fmt.Appendf(nil, "From: ann@pier.example\r\nTo: ben@pier.example\r\nSubject: Rope %d\r\nDate: Wed, 01 May 2024 09:%02d:00 +0000\r\n\r\nWe need %d metres of rope.\r\n", i, i%60, i))
		add(fmt.Sprintf("data/d%02d.json", i), fmt.Appendf(nil, `{"station":%d,"readings":[1.%d,2.5],"name":"tide gauge %d"}`, i, i, i))
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src")
	err = filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case n >= 1000:
			return fs.SkipAll
		case d.IsDir() || strings.HasPrefix(d.Name(), ".") || strings.Contains(path, "testdata"):
			return nil
		}
		b, err := os.ReadFile(path)
		if rel, rerr := filepath.Rel(source, path); err == nil && rerr == nil && len(b) > 0 {
			add("go/"+filepath.ToSlash(rel), b)
		}
		return err
	})
	if err != nil || n < 1000 {
		t.Fatalf("%d files, %v", n, err)
	}
	m := measure(t, data, "add", "--json", dir)
	var out struct {
		Items []struct {
			Source, Status, Error string
		}
		Skipped map[string]int
		Pages   int
		Minutes float64
	}
	lines := strings.Split(strings.TrimSpace(m.out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &out); err != nil {
		t.Fatalf("%v\n%s", err, m.err)
	}
	far := 0 // progress goes on, and tells of pages and sound
	for _, l := range lines[:len(lines)-1] {
		var p struct {
			Type                string
			Items, Total, Pages int
			Minutes, Rate       float64
			Read, Size          int64
		}
		if err := json.Unmarshal([]byte(l), &p); err != nil || p.Type != "progress" || p.Items < far || p.Items > p.Total || p.Read > p.Size {
			t.Errorf("%v: %s", err, l)
		}
		far = p.Items
	}
	if len(lines) < 2 && m.took > 3*time.Second || out.Pages < 180 || out.Minutes == 0 { // it is told of each second
		t.Errorf("%d lines of progress, %d pages, %v minutes", len(lines)-1, out.Pages, out.Minutes)
	}
	done, failed, skipped := 0, 0, 0
	for _, it := range out.Items {
		switch {
		case it.Error != "":
			failed++
			t.Logf("%s: %s", filepath.Base(it.Source), it.Error)
		case it.Status == "done":
			done++
		}
	}
	for _, k := range out.Skipped {
		skipped += k
	}
	t.Logf("%d files: %d done, %d failed, %v passed over, %d MiB resident, %d with the programs that it ran, %v", n, done, failed, out.Skipped, m.resident>>20, m.withAll>>20, m.took.Round(time.Second))
	if done+failed+skipped != n || failed == 0 || failed > 20 || m.code != 1 {
		t.Errorf("%d + %d + %d of %d files, exit code %d", done, failed, skipped, n, m.code)
	}
	if m.withAll > mostResident {
		t.Errorf("%d MiB resident, %d with the programs that it ran", m.resident>>20, m.withAll>>20)
	}
	if found, err := run(t, data, "search", "how much rope do we need"); err != nil || !strings.Contains(found, "metres of rope") {
		t.Errorf("%s, %v", found, err)
	}
}

// bomb is a document of Word that unpacks to size bytes.
func bomb(t *testing.T, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestSpeed) })
	for _, f := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
	} {
		e, err := w.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(e, f[1])
	}
	e, err := w.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(e, `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>`)
	page := bytes.Repeat([]byte("a bomb "), 1<<17)
	for n := int64(0); n < size; n += int64(len(page)) {
		_, _ = e.Write(page)
	}
	_, _ = io.WriteString(e, `</w:t></w:r></w:p></w:body></w:document>`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// paper is a PDF of the given objects, numbered from 1; the first is its catalog.
func paper(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func deflated(t *testing.T, size int, unit string) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	chunk := []byte(strings.Repeat(unit, 1<<20/len(unit)))
	for n := 0; n < size; n += len(chunk) {
		_, _ = w.Write(chunk)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// picture is a PNG that says how large it is.
func picture(width, height uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	part := func(kind string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		body := append([]byte(kind), data...)
		b = binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	part("IHDR", append(head, 8, 2, 0, 0, 0))
	part("IDAT", []byte("\x78\x9c\x63\x00\x00\x00\x01\x00\x01"))
	part("IEND", nil)
	return b
}

// hostile writes a folder of files that mean harm.
func hostile(t *testing.T, dir string) {
	t.Helper()
	add := func(name string, data []byte) { put(t, filepath.Join(dir, filepath.FromSlash(name)), data) }
	text := func(name string, parts ...string) { add(name, []byte(strings.Join(parts, ""))) }

	add("bomb/word.docx", bomb(t, 2<<30))
	text("bomb/laughs.xml", `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">`, func() string {
		var b strings.Builder
		for i := range 12 {
			fmt.Fprintf(&b, `<!ENTITY %c "%s">`, 'b'+i, strings.Repeat(fmt.Sprintf("&%c;", 'a'+i), 10))
		}
		return b.String()
	}(), `]><l>&m;</l>`)
	text("bomb/outside.xml", `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><l>&x;</l>`)
	text("bomb/anchors.yaml", "a: &a [x,x,x,x,x,x,x,x,x]\n", func() string {
		var b strings.Builder
		for c := 'b'; c <= 'k'; c++ {
			fmt.Fprintf(&b, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
		}
		return b.String()
	}())
	flood := deflated(t, 1<<30, "BT /F1 12 Tf (a bomb) Tj ET ")
	add("bomb/stream.pdf", paper("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/Contents 4 0 R/MediaBox[0 0 600 800]>>",
		fmt.Sprintf("<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", len(flood), flood)))
	add("bomb/huge.png", picture(65000, 65000))

	add("loop/pages.pdf", paper("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 3 0 R 2 0 R]/Count 3>>", "<</Type/Pages/Kids[2 0 R]/Parent 3 0 R/Count 1>>"))
	add("loop/self.pdf", paper("<</Type/Catalog/Pages 2 0 R>>", "2 0 R"))
	text("loop/nested.eml", func() string {
		var b strings.Builder
		b.WriteString("From: a@pier.example\nSubject: nested\nMIME-Version: 1.0\n")
		for i := range 2000 {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
		}
		b.WriteString("Content-Type: text/plain\n\nthe heart of it\n")
		return b.String()
	}())
	for name, target := range map[string]string{"loop/again": ".", "loop/up": "../..", "loop/self": "self", "loop/secret.txt": "../../secret.txt", "loop/a": "b", "loop/b": "a"} {
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "loop", "pipe.txt"), 0o644); err != nil {
		t.Fatal(err)
	}

	for name, data := range samples(t) {
		if strings.HasSuffix(name, ".golden") || strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".py") || len(data) < 200 {
			continue
		}
		add("truncated/"+strings.ReplaceAll(name, "/", "-"), data[:len(data)*2/3])
		noise := slices.Clone(data)
		for i := 64; i < len(noise); i += 97 {
			noise[i] ^= byte(i)
		}
		add("noise/"+strings.ReplaceAll(name, "/", "-"), noise)
	}

	elf := append([]byte("\x7fELF\x02\x01\x01\x00"), make([]byte, 4096)...)
	for _, name := range []string{"program.pdf", "program.docx", "program.png", "program.mp3", "program.eml", "program.go", "program.sqlite", "program.epub", "program.ics"} {
		add("lying/"+name, elf)
	}
	text("lying/page.pdf", "<html><body><h1>No PDF</h1><p>It is a page.</p></body></html>")
	add("lying/picture.txt", picture(2, 2))
	text("lying/text.png", "it is only a text, whatever it is called")
	text("lying/list.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:1\nfile:///etc/passwd\n")
	text("lying/list.mp3", "ffconcat version 1.0\nfile '/etc/passwd'\n")

	text("deep/brackets.json", strings.Repeat("[", 1<<20))
	text("deep/objects.json", strings.Repeat(`{"a":`, 200_000), "1", strings.Repeat("}", 200_000))
	text("deep/divs.html", "<!doctype html><html><body>", strings.Repeat("<div><b>", 200_000), "deep")
	text("deep/braces.rtf", `{\rtf1 `, strings.Repeat("{", 1<<20))
	text("deep/quotes.md", strings.Repeat("> ", 1<<19), "deep")
	text("deep/stars.md", strings.Repeat("*a_ ", 1<<19))
	text("deep/links.md", strings.Repeat("[", 1<<20))
	text("deep/ticks.md", strings.Repeat("`", 1<<20))
	text("deep/elements.xml", strings.Repeat("<a>", 500_000))
	text("deep/table.csv", strings.Repeat("x,", 1<<20), "\n1\n")
	text("deep/lines.txt", strings.Repeat("\n", 4<<20), "end")
	text("deep/one-line.txt", strings.Repeat("never ", 1<<20))
	text("deep/rule.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20240101T000000Z\nRRULE:FREQ=SECONDLY;UNTIL=99991231T235959Z\nSUMMARY:always\nEND:VEVENT\nEND:VCALENDAR\n")
	text("deep/mails.mbox", strings.Repeat("From a@pier.example Wed May  1 09:00:00 2024\nFrom: a@pier.example\nSubject: x\n\nsmall\n\n", 20_000))
	text("deep/cells.ipynb", `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[`, strings.TrimSuffix(strings.Repeat(`{"cell_type":"code","source":["x"],"outputs":[],"metadata":{},"execution_count":1},`, 50_000), ","), "]}")
	text("deep/.gitignore", strings.Repeat("*", 200), "a\n", strings.Repeat("[", 1000), "\n", strings.Repeat("**/", 200), "b\n\\\n!\n")
	at := "deep/folders"
	for range 120 {
		at += "/d"
	}
	text(at+"/end.txt", "the end of a long way")
	text("names/"+strings.Repeat("n", 251)+".txt", "a long name")
	text("names/line\nfeed\x1b[31m.txt", "a name with a line feed")
	text("names/bad\xff\xfe.txt", "a name that is no UTF-8")
	text("names/-rf.txt", "a name like a flag")
	text("names/$(touch gone).pdf", "a name like a command")

	for _, name := range []string{"sparse.log", "sparse.mp4", "sparse.pdf"} {
		add("large/"+name, []byte("%PDF-1.7\n"))
		if err := os.Truncate(filepath.Join(dir, "large", name), 2<<30); err != nil {
			t.Fatal(err)
		}
	}
	sound := append([]byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\xbb\x00\x00\x00\x77\x01\x00\x02\x00\x10\x00data\xff\xff\xff\xff"), make([]byte, 8<<20)...)
	add("large/forever.wav", sound)
}

// A folder of bombs, loops, files cut short, names that lie and a sparse file of 2 GB does no harm: it ends, within half a
// gigabyte, and what is not to be read is not read. D-9
func TestHostileFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	top := t.TempDir()
	dir, data := filepath.Join(top, "hostile"), t.TempDir()
	put(t, filepath.Join(top, "secret.txt"), []byte("the word is xylophone"))
	hostile(t, dir)
	before := listing(t, top)
	m := measure(t, data, "add", dir)
	t.Logf("exit code %d, %d MiB resident, %d with the programs that it ran, %v\n%s", m.code, m.resident>>20, m.withAll>>20, m.took.Round(time.Second), m.out)
	for line := range strings.Lines(m.err) {
		t.Log(strings.TrimSuffix(strings.ReplaceAll(line, dir, ""), "\n"))
	}
	if m.code != 0 && m.code != 1 {
		t.Errorf("exit code %d", m.code)
	}
	if m.withAll > mostResident {
		t.Errorf("%d MiB resident, %d with the programs that it ran", m.resident>>20, m.withAll>>20)
	}
	if strings.Contains(m.err, "panic") || strings.Contains(m.err, "\x1b[31m") {
		t.Errorf("it says:\n%s", m.err)
	}
	if !slices.Equal(before, listing(t, top)) {
		t.Errorf("the folder has changed")
	}
	for _, word := range []string{"xylophone", "nologin"} {
		if out, err := run(t, data, "export", "-"); err != nil || strings.Contains(out, word) {
			t.Errorf("%q was read: %v", word, err)
		}
	}
	if out, _ := run(t, data, "doctor"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "dead letters") { // the files that failed
		t.Errorf("doctor: %s", out)
	}
	if out, err := run(t, data, "search", "the end of a long way"); err != nil || !strings.Contains(out, "end.txt") {
		t.Errorf("%s, %v", out, err)
	}
}

// listing names what lies in a folder, with sizes and times.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out = append(out, fmt.Sprintf("%s %v %d %v", path, info.Mode(), info.Size(), info.ModTime()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// killed runs a command and kills it at random moments, later each round. Rounds that end before anything is kept do not count, and
// give the next ones more time: a machine may have other work to do.
func killed(t *testing.T, data string, rounds int, args ...string) {
	t.Helper()
	slow := time.Duration(1)
	for round := 0; round < rounds; {
		cmd := exec.Command(program(t), append(args, "--data", data)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(slow * time.Duration(50+rand.N(200)+100*round) * time.Millisecond) //nolint:forbidigo // a random moment is the point
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if slow < 64 && documents(t, data) == 0 {
			slow *= 2
			continue
		}
		round++
	}
}

// documents counts what is kept.
func documents(t *testing.T, data string) int {
	t.Helper()
	var s struct {
		Stats struct{ Documents int }
	}
	if out, err := run(t, data, "status", "--json"); err == nil {
		_ = json.Unmarshal([]byte(out), &s) // warnings beside it: none are kept yet
	}
	return s.Stats.Documents
}

// An import that is killed again and again, and made again, ends like one that was not: nothing is there twice, and what was
// kept is passed over.
func TestImportKill(t *testing.T) {
	t.Parallel()
	notes, rounds := 3000, 12
	if testing.Short() {
		notes, rounds = 600, 4
	}
	vault, data := filepath.Join(t.TempDir(), "vault"), t.TempDir()
	put(t, filepath.Join(vault, ".obsidian", "app.json"), []byte("{}"))
	for i := range notes {
		put(t, filepath.Join(vault, fmt.Sprintf("n%04d.md", i)), fmt.Appendf(nil, "Entry %d of the logbook: the wind came from the west. See [[n%04d]].", i, (i*7+1)%notes))
	}
	killed(t, data, rounds, "import", vault)
	out, err := run(t, data, "import", "--json", vault)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var last struct {
		Documents struct{ New, Replaced, Unchanged, Failed int }
		Links     int
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	kept := last.Documents.Unchanged
	t.Logf("%d rounds: %d of %d notes were there at the last one", rounds, kept, notes)
	if last.Documents.New+kept != notes || last.Documents.Replaced+last.Documents.Failed > 0 || kept == 0 {
		t.Errorf("the last round: %+v", last)
	}
	again, err := run(t, data, "import", vault)
	if err != nil || !strings.Contains(again, fmt.Sprintf("%d documents: 0 new, %d unchanged", notes, notes)) || strings.Contains(again, "link") {
		t.Errorf("%s, %v", again, err)
	}
	var stats struct {
		Stats struct{ Documents, Chunks int }
	}
	out, err = run(t, data, "status", "--json")
	if err != nil || json.Unmarshal([]byte(out), &stats) != nil || stats.Stats.Documents != notes || stats.Stats.Chunks != notes {
		t.Errorf("%d documents with %d chunks, %v", stats.Stats.Documents, stats.Stats.Chunks, err)
	}
}

// A folder that is added and killed again and again ends like one that was not: every file is there once, with its text, and
// the last run reads anew only what it has not seen. H-29
func TestFolderKill(t *testing.T) {
	t.Parallel()
	files, rounds := 1500, 10
	if testing.Short() {
		files, rounds = 300, 4
	}
	dir, data := filepath.Join(t.TempDir(), "papers"), t.TempDir()
	real := samples(t)
	for i := range files {
		if i%50 == 0 { // with pages: its text is not its bytes
			words := fmt.Appendf(nil, "{\\rtf1\\ansi Page one of paper %d.\\page And page two. %s}", i, strings.Repeat("It says the same again. ", 4000))
			put(t, filepath.Join(dir, fmt.Sprintf("p%04d.rtf", i)), words)
			continue
		}
		put(t, filepath.Join(dir, fmt.Sprintf("n%04d.md", i)), fmt.Appendf(nil, "Sheet %d of the logbook: the wind came from the west, %d knots.", i, i*7))
	}
	put(t, filepath.Join(dir, "locked.docx"), real["office/testdata/locked.docx"])
	killed(t, data, rounds, "add", dir)
	type summary struct {
		Added, Updated, Unchanged, Failed, Pages int
	}
	add := func() (last summary) {
		out, _ := run(t, data, "add", "--json", dir) // one file cannot be read: the exit code is 1
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, `{"type":"summary"`) {
				if err := json.Unmarshal([]byte(line), &last); err != nil {
					t.Fatalf("%v\n%s", err, line)
				}
			}
		}
		return last
	}
	last := add()
	t.Logf("%d rounds: %+v", rounds, last)
	if last.Added+last.Unchanged != files || last.Unchanged == 0 || last.Updated > 0 || last.Failed != 1 {
		t.Errorf("the last round: %+v", last)
	}
	again := add()
	for until := time.Now().Add(2 * time.Minute); again.Pages > 0 && time.Now().Before(until); again = add() {
		time.Sleep(time.Second) //nolint:forbidigo // what a killed process was at is its own until its lease runs out, and is read then
	}
	if again.Unchanged != files || again.Added+again.Updated > 0 || again.Failed != 1 || again.Pages != 0 {
		t.Errorf("again: %+v", again)
	}
	if n := documents(t, data); n != files+1 {
		t.Errorf("%d documents of %d files", n, files+1)
	}
	if found, err := run(t, data, "list", "--status", "failed"); err != nil || strings.Count(found, "locked.docx") != 1 {
		t.Errorf("%s, %v", found, err)
	}
}
