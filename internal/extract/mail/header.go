package mail

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// Limits of a header: what lies beyond is passed over.
const (
	mostFields     = 1000
	mostFieldBytes = 64 << 10
	mostAddresses  = 200
)

// header holds the fields of a mail or of one of its parts, in order, still encoded.
type header struct{ fields []field }

type field struct{ name, value string } // name in lower case

// fieldName returns the lower-case name of the header field that line begins, or "".
func fieldName(line []byte) string {
	for i, c := range line {
		switch {
		case c == ':':
			return strings.ToLower(string(bytes.TrimRight(line[:i], " \t")))
		case (c == ' ' || c == '\t') && i > 0 && bytes.HasPrefix(bytes.TrimLeft(line[i:], " \t"), []byte(":")):
			continue
		case c <= ' ' || c >= 0x7f || i > 76:
			return ""
		}
	}
	return ""
}

// readHeader cuts data into its header and what follows the first blank line. Lines that are no fields are passed over.
func readHeader(data []byte) (header, []byte) {
	var h header
	var value []byte
	name := ""
	flush := func() {
		if name != "" && len(h.fields) < mostFields {
			h.fields = append(h.fields, field{name, string(value)})
		}
		name, value = "", value[:0]
	}
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			flush()
			return h, rest
		}
		data = rest
		if line[0] == ' ' || line[0] == '\t' {
			if name != "" && len(value)+len(line) < mostFieldBytes {
				value = append(append(value, ' '), bytes.TrimSpace(line)...)
			}
			continue
		}
		flush()
		if name = fieldName(line); name != "" {
			_, v, _ := bytes.Cut(line, []byte(":"))
			value = append(value, bytes.TrimSpace(v[:min(len(v), mostFieldBytes)])...)
		}
	}
	flush()
	return h, nil
}

// raw returns the first field of that name, still encoded.
func (h header) raw(name string) string {
	for _, f := range h.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// words returns the first field of that name, decoded, on one line.
func (h header) words(name string) string { return decodeWords(h.raw(name)) }

// decodeWords decodes the encoded words of a header value and tidies it. What cannot be decoded stays as it is.
func decodeWords(s string) string {
	if s == "" {
		return ""
	}
	d := mime.WordDecoder{CharsetReader: func(name string, r io.Reader) (io.Reader, error) {
		b, err := io.ReadAll(io.LimitReader(r, mostFieldBytes))
		return strings.NewReader(decodeCharset(b, name)), err
	}}
	if strings.Contains(s, "=?") {
		if out, err := d.DecodeHeader(s); err == nil {
			s = out
		}
	}
	if !utf8.ValidString(s) {
		s = decodeCharset([]byte(s), "")
	}
	return strings.Join(strings.Fields(text.Clean(s)), " ")
}

// decodeCharset turns b into UTF-8: as the named character set says, else as UTF-8 when it is, else as Windows-1252.
func decodeCharset(b []byte, name string) string {
	name = strings.ToLower(strings.Trim(name, ` "'`))
	if utf8.Valid(b) && (name == "" || name == "utf-8" || name == "utf8" || name == "us-ascii") {
		return string(b)
	}
	if e := charset(name); e != nil {
		if out, err := e.NewDecoder().Bytes(b); err == nil {
			return strings.ToValidUTF8(string(out), "\ufffd")
		}
	}
	if utf8.Valid(b) {
		return string(b)
	}
	out, err := charmap.Windows1252.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\ufffd")
	}
	return string(out)
}

// charset finds a character set by the names that mail uses; nil when nobody knows it.
func charset(name string) encoding.Encoding {
	switch name {
	case "", "utf-8", "utf8", "us-ascii", "unknown-8bit", "8bit", "binary":
		return nil
	}
	if e, err := htmlindex.Get(name); err == nil {
		return e
	}
	if e, err := ianaindex.MIME.Encoding(name); err == nil {
		return e // nil where the name is known and the set is not
	}
	if number, found := strings.CutPrefix(name, "cp"); found {
		if e, err := htmlindex.Get("windows-" + number); err == nil {
			return e
		}
	}
	return nil
}

// person is a name with an address; either may be empty.
type person struct{ name, address string }

func (p person) String() string {
	switch {
	case p.address == "" || p.name == p.address:
		return p.name
	case p.name == "":
		return p.address
	}
	return p.name + " <" + p.address + ">"
}

// label is the name, or else the address.
func (p person) label() string {
	if p.name != "" {
		return p.name
	}
	return p.address
}

// people reads the addresses of all fields of that name. A list that is malformed is one person with it as the name.
func (h header) people(name string) []person {
	var out []person
	parser := mail.AddressParser{WordDecoder: &mime.WordDecoder{CharsetReader: func(name string, r io.Reader) (io.Reader, error) {
		b, err := io.ReadAll(io.LimitReader(r, mostFieldBytes))
		return strings.NewReader(decodeCharset(b, name)), err
	}}}
	for _, f := range h.fields {
		if f.name != name || f.value == "" || len(out) >= mostAddresses {
			continue
		}
		value := f.value
		if !utf8.ValidString(value) {
			value = decodeCharset([]byte(value), "")
		}
		list, err := parser.ParseList(value)
		if err != nil {
			out = append(out, lenientPerson(value))
			continue
		}
		for _, a := range list[:min(len(list), mostAddresses)] {
			out = append(out, person{decodeWords(a.Name), decodeWords(a.Address)})
		}
	}
	return out
}

var angled = regexp.MustCompile(`^(.*?)<([^<>\s]{1,254})>\s*$`)

// lenientPerson reads `Anna, the boss <anna@x>` and what else parsers refuse.
func lenientPerson(s string) person {
	if m := angled.FindStringSubmatch(s); m != nil && !strings.Contains(m[1], "@") {
		return person{strings.Trim(decodeWords(m[1]), `"' `), decodeWords(m[2])}
	}
	return person{name: decodeWords(s)}
}

// joinPeople writes people with commas.
func joinPeople(list []person) string {
	var b strings.Builder
	for i, p := range list {
		if i == 50 {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

var messageIDs = regexp.MustCompile(`<([^<>\s]{1,998})>`)

// ids returns the message ids of a field, in order, without angle brackets.
func (h header) ids(name string) []string {
	value := h.raw(name)
	var out []string
	for _, m := range messageIDs.FindAllStringSubmatch(value, 1000) {
		out = append(out, strings.ToValidUTF8(m[1], ""))
	}
	if len(out) == 0 && name == "message-id" && value != "" && !strings.ContainsAny(value, " \t") {
		out = append(out, strings.Trim(strings.ToValidUTF8(value, ""), "<>"))
	}
	return out
}

// first returns the first of list, or "".
func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

var zoneNames = regexp.MustCompile(`\s*\([^()]*\)\s*$`)

// date reads a date as mails write it; the zero time when it is none.
func date(s string) time.Time {
	s = zoneNames.ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	if s == "" || len(s) > 100 {
		return time.Time{}
	}
	if t, err := mail.ParseDate(s); err == nil && sane(t) {
		return t
	}
	for _, layout := range []string{
		time.RFC3339, "Mon, 2 Jan 2006 15:04:05", "2 Jan 2006 15:04:05", "Mon, 2 Jan 2006 15:04", time.ANSIC, "Mon Jan 2 15:04:05 -0700 2006",
		"Mon Jan 2 15:04:05 2006 -0700", "Mon Jan 2 15:04:05 MST 2006", "Monday, January 2, 2006 3:04 PM", "2006-01-02 15:04:05", time.RFC850,
	} {
		if t, err := time.Parse(layout, s); err == nil && sane(t) {
			return t
		}
	}
	return time.Time{}
}

// sane reports a year in which there can be a mail, or an event, that somebody keeps.
func sane(t time.Time) bool { return t.Year() > 1900 && t.Year() < 2200 }

// sent is when the mail was sent by its own word, or else when it was first received.
func (h header) sent() time.Time {
	if t := date(h.raw("date")); !t.IsZero() {
		return t
	}
	for _, f := range slices.Backward(h.fields) {
		if f.name == "received" {
			if semicolon := strings.LastIndexByte(f.value, ';'); semicolon >= 0 {
				if t := date(f.value[semicolon+1:]); !t.IsZero() {
					return t
				}
			}
		}
	}
	return time.Time{}
}

var looseParameter = regexp.MustCompile(`(?i)(boundary|charset|filename|name|format|delsp|method|protocol)\s*=\s*(?:"([^"]*)"|([^\s;"]+))`)

// parameters reads a Content-Type or Content-Disposition with its parameters, leniently.
func parameters(value string) (string, map[string]string) {
	kind, params, err := mime.ParseMediaType(value)
	if err != nil || params == nil {
		head, rest, _ := strings.Cut(value, ";")
		if kind == "" {
			kind = strings.ToLower(strings.TrimSpace(head))
		}
		params = map[string]string{}
		for _, m := range looseParameter.FindAllStringSubmatch(rest, 20) {
			if key := strings.ToLower(m[1]); params[key] == "" {
				params[key] = m[2] + m[3]
			}
		}
	}
	return kind, params
}

// decodeTransfer undoes a content transfer encoding, leniently. The result is never longer than b.
func decodeTransfer(b []byte, encoding string) []byte {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return decodeBase64(b)
	case "quoted-printable":
		return decodeQuoted(b)
	}
	return b
}

// decodeBase64 decodes what is of the alphabet and passes over the rest; it ends at the padding.
func decodeBase64(b []byte) []byte {
	clean := make([]byte, 0, len(b))
	for _, c := range b {
		if c == '=' {
			break
		}
		if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' {
			clean = append(clean, c)
		}
	}
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	out, err := base64.RawStdEncoding.AppendDecode(nil, clean)
	if err != nil { // not possible: only the alphabet is left
		return nil
	}
	return out
}

// decodeQuoted decodes quoted-printable; what is malformed stays as it is.
func decodeQuoted(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for line := range bytes.Lines(b) {
		end := ""
		if bytes.HasSuffix(line, []byte("\n")) {
			end = "\n"
		}
		line = bytes.TrimRight(line, " \t\r\n")
		if soft := bytes.HasSuffix(line, []byte("=")); soft {
			line, end = line[:len(line)-1], ""
		}
		for i := 0; i < len(line); i++ {
			if line[i] == '=' && i+2 < len(line) && unhex(line[i+1]) >= 0 && unhex(line[i+2]) >= 0 {
				out = append(out, byte(unhex(line[i+1])<<4|unhex(line[i+2])))
				i += 2
				continue
			}
			out = append(out, line[i])
		}
		out = append(out, end...)
	}
	return out
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}
