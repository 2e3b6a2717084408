package notes

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

// Evernote's ENEX (https://evernote.com/blog/how-evernotes-xml-export-format-works, with the DTD at
// http://xml.evernote.com/pub/evernote-export3.dtd): XML with one <note> a note, whose <content> is a document of ENML
// (https://dev.evernote.com/doc/articles/enml.php). A note has no id in it: its title and the second in which it was made stand
// for one. The bytes of attachments are not held: they pass through a filter that leaves their MD5, by which ENML names them.

func evernoteFiles(s *exports.Source) []exports.File {
	files := s.Has(".enex")
	if len(files) == 0 && s.Single {
		files = s.Has(".xml", ".txt", "")
	}
	return slices.DeleteFunc(files, func(f exports.File) bool { return !strings.Contains(s.Head(f, 4<<10), "<en-export") })
}

func looksEvernote(s *exports.Source) bool { return len(evernoteFiles(s)) > 0 }

type enexNote struct {
	Title   string   `xml:"title"`
	Content string   `xml:"content"`
	Created string   `xml:"created"`
	Updated string   `xml:"updated"`
	Tags    []string `xml:"tag"`
	Attrs   struct {
		Author   string `xml:"author"`
		Source   string `xml:"source"`
		URL      string `xml:"source-url"`
		Lat      string `xml:"latitude"`
		Lon      string `xml:"longitude"`
		Place    string `xml:"place-name"`
		Reminder string `xml:"reminder-time"`
		Done     string `xml:"reminder-done-time"`
	} `xml:"note-attributes"`
	Tasks []struct {
		Title  string `xml:"title"`
		Status string `xml:"taskStatus"`
		Due    string `xml:"dueDate"`
	} `xml:"task"`
	Resources []struct {
		Data  string `xml:"data"`
		Mime  string `xml:"mime"`
		Attrs struct {
			Name string `xml:"file-name"`
			URL  string `xml:"source-url"`
		} `xml:"resource-attributes"`
	} `xml:"resource"`
}

func readEvernote(r *reading) {
	files := evernoteFiles(r.Source)
	for _, f := range files {
		if err := r.enex(f); err != nil {
			r.Fail(f.Name, err)
		}
	}
	r.LeaveN("files beside the notebooks", len(r.Source.Files)-len(files))
}

func (r *reading) enex(f exports.File) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	m := exports.NewMeter(&dataFilter{r: exports.UTF8Reader(in)}, r.Source.Limits.Item)
	d := xml.NewDecoder(m)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // decoded already
	count := 0
	for !r.Over() {
		m.Reset()
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("after note %d: %w", count, err)
		}
		start, ok := t.(xml.StartElement)
		if !ok || start.Name.Local != "note" {
			continue
		}
		count++
		var n enexNote
		m.Reset()
		if err := d.DecodeElement(&n, &start); err != nil {
			return fmt.Errorf("in note %d: %w", count, err)
		}
		r.enexNote(f.Name+" #"+strconv.Itoa(count), f.Stem(), &n)
	}
	return nil
}

func enexTime(s string) time.Time {
	return exports.ParseTime(s, time.UTC)
}

// enexLink is a link to another note, by an id that no export has; what it says is the title of that note, unless it was renamed.
var enexLink = regexp.MustCompile(`\[([^\[\]\n]{1,500})\]\(evernote:///view/`)

func (r *reading) enexNote(where, notebook string, e *enexNote) {
	title := exports.OneLine(e.Title)
	n := exports.Note{
		ID: r.ID(exports.Digest(title, strings.TrimSpace(e.Created))), Title: title, Made: enexTime(e.Created), Changed: enexTime(e.Updated),
		Tags: e.Tags, URL: strings.TrimSpace(e.Attrs.URL), Meta: exports.Meta{},
	}
	names := map[string]string{}
	var listed []string
	for _, x := range e.Resources {
		sum, size, _ := strings.Cut(strings.TrimSpace(x.Data), ":")
		name := exports.Either(strings.TrimSpace(x.Attrs.Name), exports.Either(strings.TrimSpace(x.Attrs.URL), strings.TrimSpace(x.Mime)))
		names[sum] = name
		listed = append(listed, fmt.Sprintf("%s (%s, %s bytes)", name, strings.TrimSpace(x.Mime), size))
	}
	n.Body = markdown(e.Content, func(attrs map[string]string) string {
		if name := names[attrs["hash"]]; name != "" {
			return "[attachment: " + exports.OneLine(name) + "]"
		}
		return "[attachment: " + exports.Either(attrs["type"], "unknown") + "]"
	})
	for _, t := range e.Tasks {
		box := "\n- [ ] "
		if strings.TrimSpace(t.Status) == "completed" {
			box = "\n- [x] "
		}
		n.Body += box + exports.OneLine(t.Title)
		if due := enexTime(t.Due); !due.IsZero() {
			n.Body += " (due " + due.Format(time.DateOnly) + ")"
		}
	}
	for _, m := range enexLink.FindAllStringSubmatch(n.Body, -1) {
		n.Links = append(n.Links, exports.OneLine(m[1]))
	}
	if n.Body = strings.TrimSpace(n.Body); n.Body == "" && len(listed) > 0 {
		n.Body = exports.Attached("", listed)
	}
	if n.Body == "" {
		n.Body = title
	}
	a := e.Attrs
	n.Meta.List("attachments", listed).Str("notebook", notebook).Str("author", a.Author).Str("source", a.Source).Str("place", a.Place)
	n.Meta.At("remind_at", enexTime(a.Reminder)).At("reminder_done_at", enexTime(a.Done))
	if a.Lat != "" && a.Lon != "" {
		n.Meta.Str("coordinates", strings.TrimSpace(a.Lat)+", "+strings.TrimSpace(a.Lon))
	}
	for range e.Resources {
		r.Leave("attachments of notes (their names are in the metadata)")
	}
	r.Note(where, n)
}

// dataFilter lets XML through, and instead of the base64 in each <data> element the MD5 and the size of what it holds.
type dataFilter struct {
	r    io.Reader
	in   []byte // read and not yet looked at
	out  []byte // to be given out
	sum  *dataSum
	done error
}

// dataSum hashes base64 as it passes.
type dataSum struct {
	hash io.Writer
	sum  func() string
	rest []byte // of a group of four
	size int64
}

func (d *dataFilter) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.done != nil && len(d.in) == 0 {
			return 0, d.done
		}
		d.fill()
		d.step()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

func (d *dataFilter) fill() {
	if d.done != nil {
		return
	}
	buf := make([]byte, 32<<10)
	n, err := d.r.Read(buf)
	d.in = append(d.in, buf[:n]...)
	d.done = err
}

// step moves what can be decided from in to out. As long as more may come, what could be the beginning of a mark stays.
func (d *dataFilter) step() {
	const open, end = "<data", "</data"
	s := string(d.in)
	if d.sum == nil {
		i := strings.Index(s, open)
		gt := -1
		if i >= 0 {
			gt = strings.IndexByte(s[i:], '>')
		}
		switch {
		case i >= 0 && gt >= 0 && (s[i+len(open)] == ' ' || s[i+len(open)] == '>') && s[i+gt-1] != '/':
			d.out = append(d.out, s[:i+gt+1]...)
			d.in = d.in[i+gt+1:]
			d.sum = newDataSum()
		case i >= 0 && gt >= 0:
			d.out = append(d.out, s[:i+gt+1]...)
			d.in = d.in[i+gt+1:]
		default:
			d.pass(i, len(open))
		}
		return
	}
	if i := strings.Index(s, end); i >= 0 {
		d.sum.add(d.in[:i])
		d.out = append(d.out, d.sum.text()...)
		d.in = d.in[i:]
		d.sum = nil
		return
	}
	keep := min(len(d.in), len(end)-1)
	if d.done != nil {
		keep = 0
	}
	d.sum.add(d.in[:len(d.in)-keep])
	d.in = slices.Clone(d.in[len(d.in)-keep:])
	if d.done != nil {
		d.sum = nil
	}
}

// pass gives out what stands before a mark at i, or before what may become one.
func (d *dataFilter) pass(i, mark int) {
	n := len(d.in) - min(len(d.in), mark)
	if i >= 0 {
		n = i
	}
	if d.done != nil || i >= 0 && len(d.in)-i > 1<<10 { // no tag is that long
		n = len(d.in)
	}
	d.out = append(d.out, d.in[:n]...)
	d.in = d.in[n:]
}

func newDataSum() *dataSum {
	h := md5.New()
	return &dataSum{hash: h, sum: func() string { return hex.EncodeToString(h.Sum(nil)) }}
}

func (s *dataSum) add(b []byte) {
	for _, c := range b {
		if c > ' ' && c != '=' {
			s.rest = append(s.rest, c)
		}
	}
	s.decode(len(s.rest) / 4 * 4)
}

func (s *dataSum) decode(n int) {
	out := make([]byte, base64.RawStdEncoding.DecodedLen(n))
	k, err := base64.RawStdEncoding.Decode(out, s.rest[:n])
	if err == nil {
		_, _ = s.hash.Write(out[:k])
		s.size += int64(k)
	}
	s.rest = append(s.rest[:0], s.rest[n:]...)
}

func (s *dataSum) text() string {
	s.decode(len(s.rest))
	return s.sum() + ":" + strconv.FormatInt(s.size, 10)
}
