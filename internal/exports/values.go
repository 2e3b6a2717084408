package exports

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Digest is a hash of parts, 32 hex digits; no two lists of parts run together.
func Digest(parts ...string) string {
	s := sum(parts...)
	return hex.EncodeToString(s[:])
}

func sum(parts ...string) [16]byte {
	var b []byte
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(b, ':')
		b = append(b, p...)
	}
	s := sha256.Sum256(b)
	return [16]byte(s[:16])
}

// Meta gathers metadata out of values that JSON knows. Empty values are left out.
type Meta map[string]any

// Str sets a text.
func (m Meta) Str(key, v string) Meta {
	if v = strings.TrimSpace(v); v != "" {
		m[key] = v
	}
	return m
}

// List sets a list of texts.
func (m Meta) List(key string, v []string) Meta {
	out := make([]any, 0, len(v))
	for _, s := range v {
		if s != "" {
			out = append(out, s)
		}
	}
	if len(out) > 0 {
		m[key] = out
	}
	return m
}

// Yes sets a mark that is true.
func (m Meta) Yes(key string, v bool) Meta {
	if v {
		m[key] = true
	}
	return m
}

// Num sets a number.
func (m Meta) Num(key string, v float64) Meta {
	if v != 0 {
		m[key] = v
	}
	return m
}

// At sets a time.
func (m Meta) At(key string, t time.Time) Meta {
	if !t.IsZero() {
		m[key] = t.Format(time.RFC3339Nano)
	}
	return m
}

// Any takes a decoded JSON value as it is.
func (m Meta) Any(key string, v any) Meta {
	switch v := v.(type) {
	case nil:
	case string:
		m.Str(key, v)
	case []any:
		if len(v) > 0 {
			m[key] = v
		}
	case map[string]any:
		if len(v) > 0 {
			m[key] = v
		}
	default:
		m[key] = v
	}
	return m
}

// Clip cuts s to n characters and marks the cut.
func Clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	i := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i] + "…"
}

// OneLine joins the words of s with single spaces.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// when returns a pointer to the time, nil for the zero time.
func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// WebAddress reports whether s is an address that a browser opens.
func WebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && len(s) <= 4096
}

// Note is a document on its way out.
type Note struct {
	ID, Title, Body string
	Kind            string // content type; "" is Markdown
	URL             string
	Tags, Links     []string
	Made, Changed   time.Time
	Happened        time.Time // when what it tells of happened; the time it was made, if zero
	Meta            Meta
	Data            []byte // instead of body
	Name            string // file name of data
}

const (
	maxTitle = 500
	maxTags  = 100
	maxTag   = 100
)

// Note gives out a document. An empty one is counted as left out; one without a title takes the first line of its text.
//
// The address goes to the metadata and not to the source URL, on purpose: a document with the source URL of another one becomes
// its next version, and a bookmark must not take the place of the page that it points to.
func (r *Reading) Note(where string, n Note) {
	if r.Over() {
		return
	}
	n.Body = text.CleanAs(n.Body, text.Markdown)
	if len(n.Data) == 0 && text.Blank(n.Body) {
		r.Leave("empty notes")
		return
	}
	if n.Meta == nil {
		n.Meta = Meta{}
	}
	n.Made, n.Changed, n.Happened = r.local(n.Made), r.local(n.Changed), r.local(n.Happened)
	n.Meta.Str("export", r.kind).Str("url", n.URL).At("modified_at", n.Changed)
	d := &lukasa.NewDocument{
		Content: n.Body, Container: r.Options.Container, Title: n.Title, ContentType: n.Kind, CustomID: r.unique(n.ID), Origin: lukasa.OriginImport,
		Metadata: n.Meta, OccurredAt: when(n.Happened), CreatedAt: when(n.Made),
	}
	if n.Happened.IsZero() {
		d.OccurredAt = when(n.Made)
	}
	d.Tags = n.Meta.tags(n.Tags)
	if d.Title = strings.ToValidUTF8(OneLine(d.Title), "\ufffd"); d.Title == "" && n.Body != "" {
		line, _, _ := strings.Cut(strings.TrimSpace(n.Body), "\n")
		d.Title = Clip(OneLine(text.PlainMarkdown(listMark.ReplaceAllString(line, ""))), 100)
	}
	if utf8.RuneCountInString(d.Title) > maxTitle {
		n.Meta.Str("full_title", d.Title)
		d.Title = Clip(d.Title, maxTitle)
	}
	if d.ContentType == "" && len(n.Data) == 0 {
		d.ContentType = "markdown"
	}
	if len(n.Data) > 0 {
		d.Content, d.Data, d.Name = "", n.Data, n.Name
	} else if utf8.RuneCountInString(d.Content) > r.Options.MaxText {
		d.Data, d.Name, d.Content = []byte(d.Content), "note.md", ""
	}
	r.give(Item{Key: d.CustomID, Document: d, Links: Dedupe(n.Links), Where: where})
}

// listMark is what begins an item of a list, a quote or a heading.
var listMark = regexp.MustCompile(`^[\s>]*(?:[-*+] |\d+\. )?(?:\[[ xX]\] )?`)

// tags returns the tags that the engine takes, and keeps the others.
func (m Meta) tags(tags []string) []string {
	clean := make([]string, 0, len(tags))
	for _, t := range tags {
		if t = OneLine(strings.TrimPrefix(strings.TrimSpace(t), "#")); !text.Blank(t) {
			clean = append(clean, t)
		}
	}
	var out, more []string
	for _, t := range Dedupe(clean) {
		if utf8.RuneCountInString(t) > maxTag || len(out) == maxTags {
			more = append(more, t)
		} else {
			out = append(out, t)
		}
	}
	m.List("more_tags", more)
	return out
}

// unique makes a key that was given out before different from it, by its number.
func (r *Reading) unique(key string) string {
	n := r.seen[key]
	r.seen[key]++
	if n == 0 {
		return key
	}
	return short(key + "#" + strconv.Itoa(n+1))
}

// Memory gives out a memory.
func (r *Reading) Memory(where, id, content string, tags []string, at time.Time, m Meta) {
	content = text.Clean(content)
	if text.Blank(content) {
		r.Leave("empty memories")
		return
	}
	if m == nil {
		m = Meta{}
	}
	key := r.unique(id)
	m.Str("export", r.kind).Str("export_id", key)
	r.give(Item{Key: key, Where: where, Memory: &lukasa.NewMemory{
		Content: content, Container: r.Options.Container, Tags: m.tags(tags), Metadata: m, OccurredAt: when(r.local(at)),
	}})
}

// Attachment gives out a file that lies beside notes, or counts it.
func (r *Reading) Attachment(f File, id string) {
	if !r.Options.Attachments {
		what := strings.TrimPrefix(f.Ext(), ".")
		if what == "" {
			what = "other"
		}
		r.Leave(what + " files (attachments are off)")
		return
	}
	data, err := r.Source.Bytes(f)
	if err != nil {
		r.Fail(f.Name, err)
		return
	}
	if len(data) == 0 {
		r.Leave("empty files")
		return
	}
	base := f.Name[strings.LastIndexByte(f.Name, '/')+1:]
	r.Note(f.Name, Note{ID: id, Title: base, Data: data, Name: base, Changed: f.Mod, Meta: Meta{}.Str("path", f.Name)})
}

// Dedupe keeps the first of each, in order.
func Dedupe(list []string) []string {
	seen := make(map[string]bool, len(list))
	var out []string
	for _, s := range list {
		if s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// Strings returns a list that was set before.
func (m Meta) Strings(key string) []string {
	list, _ := m[key].([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// FirstOf returns the first scalar that is not blank.
func FirstOf(list ...Scalar) string {
	for _, s := range list {
		if v := strings.TrimSpace(string(s)); v != "" {
			return v
		}
	}
	return ""
}

// Either returns a, or b where a is empty.
func Either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Collapse makes runs of line ends one.
func Collapse(s string) string {
	for strings.Contains(s, "\n\n") {
		s = strings.ReplaceAll(s, "\n\n", "\n")
	}
	return s
}

// SortedKeys returns the keys of a map in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
