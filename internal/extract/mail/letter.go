package mail

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// letter is a mail as it is read: pieces of its words in order, and what hangs on it.
type letter struct {
	limits   extract.Limits
	forward  bool // it passes another mail on, which stays
	pieces   []string
	formats  map[string]bool // "plain", "html"
	quoted   int             // lines of quotes that were cut
	signed   int             // lines of signatures that were cut
	parts    []extract.Part
	labels   []string // of the parts
	invites  map[string]bool
	metadata map[string]string
}

// readMail reads data as one mail.
func readMail(ctx context.Context, src *extract.Source, data []byte) (extract.Output, error) {
	root, cut, err := parse(ctx, data)
	if err != nil {
		return extract.Output{}, err
	}
	subject := root.words("subject")
	l := &letter{
		limits: src.Limits, forward: forwards(subject), formats: map[string]bool{}, invites: map[string]bool{}, metadata: map[string]string{},
	}
	if err := l.read(ctx, root); err != nil {
		return extract.Output{}, err
	}
	if cut {
		l.metadata["warning"] = "the mail has too many parts; what lies beyond was left out"
	}
	body := strings.TrimSpace(strings.Join(l.pieces, "\n\n"))
	out := extract.Output{Type: extract.TypeMarkdown, Title: subject, Published: root.sent(), Metadata: l.metadata, Parts: l.parts}
	from := root.people("from")
	if len(from) == 0 {
		from = root.people("sender")
	}
	out.Author = joinPeople(from)
	root.describe(out.Metadata)
	out.Metadata["quoted_lines"] = strconv.Itoa(l.quoted)
	out.Metadata["signature_lines"] = strconv.Itoa(l.signed)
	if len(l.labels) > 0 {
		out.Metadata["attachments"] = strconv.Itoa(len(l.labels))
	}
	switch {
	case l.formats["html"] && l.formats["plain"]:
		out.Metadata["body"] = "plain and html"
	case l.formats["html"]:
		out.Metadata["body"] = "html"
	case l.formats["plain"]:
		out.Metadata["body"] = "plain"
	}
	out.Text = l.write(root, from, subject, body)
	out.Language, _ = text.Language(body)
	if out.Title == "" {
		out.Title = fileTitle(src)
	}
	if out.Title == "" && len(from) > 0 {
		out.Title = "Mail of " + from[0].label()
	}
	for i := range out.Parts {
		out.Parts[i].Published = out.Published
		if id := out.Metadata["message_id"]; id != "" {
			out.Parts[i].Metadata["message_id"] = id
		}
	}
	return out, nil
}

// write joins the mail: subject, who and when, body, names of attachments.
func (l *letter) write(root *node, from []person, subject, body string) string {
	var b strings.Builder
	if subject != "" {
		b.WriteString("# " + subject + "\n\n")
	}
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	line("From", joinPeople(from))
	line("To", joinPeople(root.people("to")))
	line("Cc", joinPeople(root.people("cc")))
	if t := root.sent(); !t.IsZero() {
		line("Date", moment(t))
	}
	if len(l.labels) > 0 {
		line("Attachments", strings.Join(l.labels, ", "))
	}
	b.WriteString("\n" + body)
	return text.CleanAs(strings.TrimSpace(b.String()), text.Markdown)
}

// moment writes a time as it was where the mail was sent.
func moment(t time.Time) string {
	if _, offset := t.Zone(); offset == 0 {
		return t.Format("Mon, 2 Jan 2006 15:04 UTC")
	}
	return t.Format("Mon, 2 Jan 2006 15:04 -0700")
}

// describe writes what the header says into m.
func (h header) describe(m map[string]string) {
	set := func(key, value string) {
		if value != "" {
			m[key] = value
		}
	}
	for _, name := range []string{"from", "to", "cc", "bcc", "reply-to"} {
		set(strings.ReplaceAll(name, "-", "_"), joinPeople(h.people(name)))
	}
	set("subject", h.words("subject"))
	if t := h.sent(); !t.IsZero() {
		m["date"] = t.Format(time.RFC3339)
	}
	set("message_id", first(h.ids("message-id")))
	set("in_reply_to", first(h.ids("in-reply-to")))
	references := h.ids("references")
	set("references", strings.Join(references, " "))
	set("thread_id", h.thread())
	set("list", strings.Trim(h.words("list-id"), "<>"))
	set("labels", h.words("x-gmail-labels"))
	set("keywords", h.words("keywords"))
}

// thread is the id of the mail that began the thread, as far as this mail knows.
func (h header) thread() string {
	for _, name := range []string{"references", "in-reply-to", "message-id"} {
		if id := first(h.ids(name)); id != "" {
			return id
		}
	}
	return ""
}

// read takes what n holds into the letter.
func (l *letter) read(ctx context.Context, n *node) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case n.kind == "multipart/alternative":
		return l.alternative(ctx, n)
	case n.kind == "multipart/encrypted", strings.HasSuffix(n.kind, "/pkcs7-mime") && n.params["smime-type"] != "signed-data":
		l.metadata["encrypted"] = "true"
		l.pieces = append(l.pieces, "(The body of this mail is encrypted and was not read.)")
		return nil
	case strings.HasPrefix(n.kind, "multipart/"):
		if n.kind == "multipart/signed" {
			l.metadata["signed"] = "true"
		}
		for _, c := range n.children {
			if err := l.read(ctx, c); err != nil {
				return err
			}
		}
		return nil
	case n.kind == "application/pgp-signature", strings.HasSuffix(n.kind, "/pkcs7-signature"):
		l.metadata["signed"] = "true"
		return nil
	case n.kind == "text/calendar", n.kind == "application/ics":
		l.invite(ctx, n)
		return nil
	case n.attached():
		l.attach(n)
		return nil
	case n.kind == "text/html":
		md, err := l.html(ctx, n)
		if err != nil {
			return err
		}
		l.add(md, "html")
		return nil
	}
	l.add(n.plain(), "plain")
	return nil
}

// alternative takes the plain form of the same words, or else the HTML form, and all that is no form of them.
func (l *letter) alternative(ctx context.Context, n *node) error {
	var plain, page *node
	var others []*node
	for _, c := range n.children {
		switch {
		case c.kind == "text/plain" && !c.attached():
			plain = c
		case c.kind == "text/html" && !c.attached():
			page = c
		case c.kind == "multipart/related" && len(c.children) > 0 && c.children[0].kind == "text/html":
			page = c.children[0]
			others = append(others, c.children[1:]...)
		case c.kind == "text/x-amp-html", c.kind == "text/enriched", c.kind == "text/watch-html":
		default:
			others = append(others, c)
		}
	}
	words := ""
	if plain != nil {
		words = plain.plain()
	}
	if page == nil || len(words) > 200 && !strings.HasPrefix(strings.TrimSpace(words), "<") {
		l.add(words, "plain")
	} else {
		md, err := l.html(ctx, page)
		if err != nil {
			return err
		}
		// A plain form that says that there is none, or is HTML itself, is worth less than the page.
		if blank := strings.TrimSpace(words) == ""; blank || strings.HasPrefix(strings.TrimSpace(words), "<") || len(md) > 5*len(words) {
			l.add(md, "html")
		} else {
			l.add(words, "plain")
		}
	}
	for _, c := range others {
		if err := l.read(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// plain is the text of a part with its flowed lines joined.
func (n *node) plain() string {
	s := n.text()
	if strings.EqualFold(n.params["format"], "flowed") {
		s = unflow(s, strings.EqualFold(n.params["delsp"], "yes"))
	}
	return s
}

// html turns a page into Markdown, by the kind that reads pages. A page without words is "".
func (l *letter) html(ctx context.Context, n *node) (string, error) {
	page := "<html><body>" + n.text() + "</body></html>"
	limits := l.limits
	limits.MaxBytes = 2*len(page) + 1<<10
	out, err := extract.Set{}.Extract(ctx, extract.Input{Data: []byte(page), DeclaredType: "text/html; charset=utf-8", Limits: limits})
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", nil //nolint:nilerr // a page that holds nothing: the mail has its header and its parts
	}
	if out.Metadata["truncated"] != "" {
		l.metadata["truncated"] = "true"
	}
	return pictures.ReplaceAllString(out.Text, "$1"), nil
}

// pictures of a mail are parts of it, or only count who reads it: what is left of them is their description.
var pictures = regexp.MustCompile(`!\[([^\]\n]{0,500})\]\([^)\s]*\)`)

// add takes words, without their quotes and signature.
func (l *letter) add(words, format string) {
	b := trim(words, l.forward)
	l.quoted += b.quoted
	l.signed += b.signature
	if b.text != "" {
		l.pieces = append(l.pieces, b.text)
		l.formats[format] = true
	}
}

// invite writes a calendar in words; the same one twice counts once.
func (l *letter) invite(ctx context.Context, n *node) {
	s := n.text()
	if l.invites[s] {
		return
	}
	l.invites[s] = true
	cal, err := readCalendar(ctx, s)
	if err != nil || len(cal.items) == 0 {
		l.attach(n)
		return
	}
	var w writer
	cal.write(&w, "Invitation: ")
	l.pieces = append(l.pieces, w.String())
	l.metadata["invitation"] = "true"
	if m := strings.ToLower(cal.method); m != "" {
		l.metadata["invitation"] = m
	}
}

// attach hands a part on as a document of its own.
func (l *letter) attach(n *node) {
	name, data, kind := n.file, n.content(), n.kind
	meta := map[string]string{}
	title := name
	switch {
	case kind == "message/rfc822" || kind == "message/global":
		inner, _ := readHeader(data)
		if title = inner.words("subject"); name == "" {
			name = fileName(title)
			if name == "" {
				name = "mail"
			}
			name += ".eml"
		}
	case strings.HasPrefix(kind, "text/") && n.params["charset"] != "":
		kind += "; charset=" + n.params["charset"]
	case name == "":
		if ext := extension(kind); ext != "" {
			name = "attachment-" + strconv.Itoa(len(l.parts)+1) + ext
		}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	if id := strings.Trim(n.words("content-id"), "<>"); id != "" && n.disposition != "attachment" {
		meta["inline"] = "true"
		meta["content_id"] = id
	}
	if d := n.words("content-description"); d != "" {
		meta["description"] = d
	}
	p := extract.Part{Name: name, Data: data, Type: kind, Title: title, Metadata: meta}
	label := name
	if label == "" {
		label = n.kind
	}
	l.parts = append(l.parts, p)
	l.labels = append(l.labels, fmt.Sprintf("%s (%s)", label, size(len(data))))
}

// extension is the extension of a media type that mails carry without a file name, with dot, or "".
func extension(kind string) string {
	known := map[string]string{
		"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp", "application/pdf": ".pdf", "text/html": ".html",
		"text/plain": ".txt", "text/csv": ".csv", "text/vcard": ".vcf", "application/zip": ".zip", "application/json": ".json",
	}
	return known[kind]
}

// size writes a number of bytes for people.
func size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
