package notebook

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/mail"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

var (
	gitMail    = regexp.MustCompile(`^From [0-9a-f]{40,64} Mon Sep 17 00:00:00 2001\s*$`)
	gitCommit  = regexp.MustCompile(`^commit ([0-9a-f]{7,64})(?: \([^)]*\))?\s*$`)
	hunkHead   = regexp.MustCompile(`^@@@* (?:-(\d+)(?:,(\d+))? )+\+(\d+)(?:,(\d+))? @@@*(?: (.*))?`)
	firstLine  = regexp.MustCompile(`^(?:diff --(?:git|cc|combined) \S|diff (?:-\S+ )+\S+ \S|Index: \S|--- \S)`)
	unified    = regexp.MustCompile(`(?m)^--- [^\n]+\n\+\+\+ [^\n]+\n@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@`)
	diffLine   = regexp.MustCompile(`(?m)^diff --(?:git|cc|combined) \S`)
	authorLine = regexp.MustCompile(`(?m)^Author: `)
	patchTag   = regexp.MustCompile(`^(?:\s*\[[^\]]*\bPATCH\b[^\]]*\])+\s*`)
	statLine   = regexp.MustCompile(`^ \S.* \|\s+(?:\d+|Bin)\b|^ \d+ files? changed`)
)

// mostSubject bounds the first line of a commit.
const mostSubject = 2000

// looksPatch wants the first line to be one that only diffs have, and a change below it.
func looksPatch(src *extract.Source) extract.Look {
	s := strings.TrimLeft(strings.ReplaceAll(src.Text[:min(len(src.Text), 64<<10)], "\r\n", "\n"), "\n")
	line, rest, _ := strings.Cut(s, "\n")
	changes := strings.Contains(s, "\n@@ -") && unified.MatchString(s) || strings.Contains(s, "diff --") && diffLine.MatchString(s)
	switch {
	case gitMail.MatchString(line) && strings.HasPrefix(rest, "From: "), gitCommit.MatchString(line) && authorLine.MatchString(rest) && changes,
		firstLine.MatchString(line) && changes:
		return extract.Yes
	case changes:
		return extract.Maybe
	}
	return extract.No
}

// change is a commit: what was said about it, and the files it touches.
type change struct {
	hash, author, subject string
	at                    time.Time
	message               []string
	files                 []*file
}

// file is what a change does to one file.
type file struct {
	name, old      string
	kind           string // "added", "deleted", "renamed", "copied", or ""
	binary         bool
	hunks          []hunk
	added, removed int
}

type hunk struct {
	from, lines int // of the new file
	within      string
	body        []string
}

// extractPatch writes a section a commit and one a file, with the lines that each hunk is about as places.
func extractPatch(ctx context.Context, src *extract.Source) (extract.Output, error) {
	p := patchReader{}
	n := 0
	for line := range strings.Lines(text.CleanAs(src.Text, text.Raw)) {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return extract.Output{}, ctx.Err()
		}
		p.line(strings.TrimRight(line, "\r\n"))
	}
	if err := ctx.Err(); err != nil {
		return extract.Output{}, err
	}
	w := patchWriter{}
	files, added, removed := 0, 0, 0
	for _, c := range p.changes {
		w.change(c, len(p.changes) > 1)
		for _, f := range c.files {
			files++
			added += f.added
			removed += f.removed
		}
	}
	if files == 0 && len(p.changes) == 0 {
		return extract.Output{}, &extract.Error{Reason: "the patch holds no change", Hint: "write it again, for example by: git diff > FILE"}
	}
	first := p.changes[0]
	out := extract.Output{
		Text: strings.TrimSpace(w.b.String()), Type: extract.TypeMarkdown, Title: first.subject, Author: first.author, Published: first.at, Marks: w.marks,
		Metadata: map[string]string{"files": strconv.Itoa(files), "lines_added": strconv.Itoa(added), "lines_removed": strconv.Itoa(removed)},
	}
	if len(p.changes) > 1 {
		out.Metadata["commits"] = strconv.Itoa(len(p.changes))
	}
	if first.hash != "" {
		out.Metadata["commit"] = first.hash
	}
	if out.Title == "" {
		out.Title = fileTitle(src, "Changes in "+p.names())
	}
	out.Language, _ = text.Language(strings.Join(first.message, "\n"))
	return out, nil
}

// patchReader reads a patch line by line.
type patchReader struct {
	changes  []*change
	file     *file
	old, new int  // lines that the open hunk still has
	header   bool // inside the header of a mail or commit
	mail     bool
	last     string // field of the header that goes on
}

// current is the change that lines belong to.
func (p *patchReader) current() *change {
	if len(p.changes) == 0 {
		p.changes = append(p.changes, &change{})
	}
	return p.changes[len(p.changes)-1]
}

// line takes the next line.
func (p *patchReader) line(s string) {
	if p.old > 0 || p.new > 0 {
		if p.hunkLine(s) {
			return
		}
		p.old, p.new = 0, 0
	}
	switch {
	case gitMail.MatchString(s):
		p.changes = append(p.changes, &change{hash: strings.Fields(s)[1]})
		p.file, p.header, p.mail = nil, true, true
	case gitCommit.MatchString(s) && (p.file != nil || len(p.changes) == 0 || !p.mail):
		p.changes = append(p.changes, &change{hash: gitCommit.FindStringSubmatch(s)[1]})
		p.file, p.header, p.mail = nil, true, false
	case strings.HasPrefix(s, "diff --git "), strings.HasPrefix(s, "diff --cc "), strings.HasPrefix(s, "diff --combined "), strings.HasPrefix(s, "Index: "):
		p.header = false
		p.open(gitName(s))
	case p.header:
		p.headerLine(s)
	case p.file == nil && !strings.HasPrefix(s, "--- "):
		p.current().message = append(p.current().message, strings.TrimPrefix(s, "    "))
	default:
		p.fileLine(s)
	}
}

// open begins a file.
func (p *patchReader) open(name string) {
	p.file = &file{name: name}
	c := p.current()
	c.files = append(c.files, p.file)
}

// gitName is the new name in "diff --git a/x b/x", or in "Index: x".
func gitName(s string) string {
	if name, found := strings.CutPrefix(s, "Index: "); found {
		return unquoteName(name)
	}
	for _, head := range []string{"diff --cc ", "diff --combined "} {
		if name, found := strings.CutPrefix(s, head); found {
			return unquoteName(name)
		}
	}
	if i := strings.LastIndex(s, " b/"); i >= 0 {
		return s[i+3:]
	}
	if i := strings.LastIndex(s, ` "b/`); i >= 0 {
		return strings.TrimPrefix(unquoteName(s[i+1:]), "b/")
	}
	return s[strings.LastIndexByte(s, ' ')+1:]
}

// unquoteName reads a name in quotes with octal escapes, as git writes names that are not plain.
func unquoteName(s string) string {
	if strings.HasPrefix(s, `"`) {
		if name, err := strconv.Unquote(s); err == nil {
			return strings.ToValidUTF8(name, "\ufffd")
		}
	}
	return s
}

// headerLine reads the header of a mail or of git log.
func (p *patchReader) headerLine(s string) {
	c := p.current()
	if strings.TrimSpace(s) == "" {
		p.header = false
		return
	}
	if p.mail && (s[0] == ' ' || s[0] == '\t') {
		if p.last == "subject" && len(c.subject) < mostSubject {
			c.subject += " " + strings.TrimSpace(s)
		}
		return
	}
	key, value, _ := strings.Cut(s, ":")
	value = strings.TrimSpace(value)
	switch p.last = strings.ToLower(key); p.last {
	case "from", "author":
		c.author = value
	case "subject":
		c.subject = value
	case "date", "authordate":
		if t, err := mail.ParseDate(value); err == nil {
			c.at = t
		} else if t, err := time.Parse("Mon Jan 2 15:04:05 2006 -0700", value); err == nil {
			c.at = t
		}
	}
}

// fileLine reads a line between hunks.
func (p *patchReader) fileLine(s string) {
	switch {
	case strings.HasPrefix(s, "--- "):
		if name := sideName(s); p.file == nil || len(p.file.hunks) > 0 {
			p.open(name)
		} else if p.file.old = name; p.file.name == "" {
			p.file.name = name
		}
	case strings.HasPrefix(s, "+++ ") && p.file != nil:
		switch name := sideName(s); {
		case name == "/dev/null":
			p.file.kind = "deleted"
		case strings.HasSuffix(p.file.old, "/dev/null"):
			p.file.kind = "added"
			p.file.name = name
		default:
			p.file.name = name
		}
	case p.file == nil:
	case strings.HasPrefix(s, "new file mode"):
		p.file.kind = "added"
	case strings.HasPrefix(s, "deleted file mode"):
		p.file.kind = "deleted"
	case strings.HasPrefix(s, "rename from "):
		p.file.kind, p.file.old = "renamed", unquoteName(s[len("rename from "):])
	case strings.HasPrefix(s, "rename to "):
		p.file.name = unquoteName(s[len("rename to "):])
	case strings.HasPrefix(s, "copy from "):
		p.file.kind, p.file.old = "copied", unquoteName(s[len("copy from "):])
	case strings.HasPrefix(s, "Binary files "), strings.HasPrefix(s, "GIT binary patch"):
		p.file.binary = true
	case strings.HasPrefix(s, "@@"):
		p.hunk(s)
	}
}

// sideName is the name behind --- or +++, without the side and the time that diff puts behind a tab.
func sideName(s string) string {
	name, _, _ := strings.Cut(s[4:], "\t")
	name = unquoteName(strings.TrimSpace(name))
	for _, side := range []string{"a/", "b/"} {
		name = strings.TrimPrefix(name, side)
	}
	return name
}

// hunk begins a hunk.
func (p *patchReader) hunk(s string) {
	m := hunkHead.FindStringSubmatch(s)
	if m == nil {
		return
	}
	number := func(s string, other int) int {
		if n, err := strconv.Atoi(s); err == nil && n >= 0 && n < 1<<30 {
			return n
		}
		return other
	}
	h := hunk{from: number(m[3], 0), lines: number(m[4], 1), within: strings.TrimSpace(m[5]), body: []string{s}}
	p.old, p.new = number(m[2], 1), h.lines
	if strings.HasPrefix(s, "@@@") { // of a merge: two columns of signs, which are not counted
		p.old, p.new = 0, h.lines
	}
	p.file.hunks = append(p.file.hunks, h)
}

// hunkLine takes a line of the open hunk; false when it is none.
func (p *patchReader) hunkLine(s string) bool {
	h := &p.file.hunks[len(p.file.hunks)-1]
	sign := byte(' ')
	if s != "" {
		sign = s[0]
	}
	switch sign {
	case '+':
		p.new--
		p.file.added++
	case '-':
		p.old--
		p.file.removed++
	case ' ', '\t':
		p.old, p.new = max(0, p.old-1), p.new-1
	case '\\':
	default:
		return false
	}
	h.body = append(h.body, s)
	return p.old >= 0 && p.new >= 0
}

// names lists the first files.
func (p *patchReader) names() string {
	var out []string
	for _, c := range p.changes {
		for _, f := range c.files {
			if len(out) == 3 {
				return strings.Join(out, ", ") + ", …"
			}
			out = append(out, path.Base(f.name))
		}
	}
	return strings.Join(out, ", ")
}

// patchWriter writes changes.
type patchWriter struct {
	b     strings.Builder
	marks []extract.Mark
}

// block adds a block of Markdown, and what of it can be cited.
func (w *patchWriter) block(s, place string) {
	if s = strings.TrimSpace(text.CleanAs(s, text.Markdown)); s == "" {
		return
	}
	if w.b.Len() > 0 {
		w.b.WriteString("\n\n")
	}
	if place != "" {
		w.marks = append(w.marks, extract.Mark{Offset: w.b.Len(), Place: strings.Join(strings.Fields(place), " ")})
	}
	w.b.WriteString(s)
}

// change writes a commit.
func (w *patchWriter) change(c *change, several bool) {
	d := mime.WordDecoder{}
	for _, s := range []*string{&c.subject, &c.author} {
		if decoded, err := d.DecodeHeader(*s); err == nil {
			*s = decoded
		}
		*s = strings.Join(strings.Fields(text.Clean(*s)), " ")
	}
	c.subject = patchTag.ReplaceAllString(c.subject, "")
	c.tidy()
	level := "##"
	place := ""
	if several && c.hash != "" {
		level, place = "###", "commit "+c.hash[:min(len(c.hash), 12)]
	}
	if c.subject != "" {
		w.block(strings.TrimSuffix(level, "#")+" "+c.subject, place)
	}
	var about []string
	if c.author != "" {
		about = append(about, "Author: "+c.author)
	}
	if !c.at.IsZero() {
		about = append(about, "Date: "+c.at.Format("Mon, 2 Jan 2006 15:04 -0700"))
	}
	if c.hash != "" {
		about = append(about, "Commit: "+c.hash)
	}
	w.block(strings.Join(about, "\n"), "")
	w.block(strings.Join(c.message, "\n"), "")
	for _, f := range c.files {
		w.file(f, level)
	}
}

// tidy takes the subject of git log from the message, and drops the table of files that format-patch adds.
func (c *change) tidy() {
	var kept []string
	for i, line := range c.message {
		if line == "---" && i+1 < len(c.message) { // what follows is for the reader of the mail: notes, then the table
			for _, note := range c.message[i+1:] {
				if !statLine.MatchString(note) && !strings.HasPrefix(note, " create mode ") && !strings.HasPrefix(note, " delete mode ") && !strings.HasPrefix(note, " rename ") {
					kept = append(kept, note)
				}
			}
			break
		}
		kept = append(kept, line)
	}
	for len(kept) > 0 && strings.TrimSpace(kept[0]) == "" {
		kept = kept[1:]
	}
	if c.subject == "" && c.hash != "" && len(kept) > 0 {
		c.subject = strings.Join(strings.Fields(text.Clean(kept[0])), " ")
		kept = kept[1:]
	}
	c.message = kept
}

// file writes what happens to a file.
func (w *patchWriter) file(f *file, level string) {
	name := cmp.Or(strings.Join(strings.Fields(text.Clean(f.name)), " "), "file without a name")
	kind := f.kind
	switch kind {
	case "renamed", "copied":
		kind += " from " + strings.Join(strings.Fields(text.Clean(f.old)), " ")
	case "":
		kind = "changed"
	}
	if f.binary {
		kind += ", binary"
	}
	w.block(fmt.Sprintf("%s %s (%s, +%d −%d)", level, name, kind, f.added, f.removed), name)
	for i, h := range f.hunks {
		place := name + ", line " + strconv.Itoa(h.from)
		switch {
		case h.lines == 0:
			place = name
		case h.lines > 1:
			place = fmt.Sprintf("%s, lines %d to %d", name, h.from, h.from+h.lines-1)
		}
		if i == 0 { // the heading is of the same place: it goes with its first hunk
			w.marks[len(w.marks)-1].Place = place
			place = ""
		}
		w.block(fenced("diff", strings.Join(h.body, "\n")), place)
	}
}
