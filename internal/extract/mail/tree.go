package mail

import (
	"bytes"
	"cmp"
	"context"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// Limits of a mail: what lies deeper or beyond is passed over, and the metadata says so.
const (
	mostDepth = 20   // multiparts in multiparts
	mostParts = 1000 // of one mail, all levels together
)

// node is a mail or a part of it.
type node struct {
	header
	kind        string // media type, lower case
	params      map[string]string
	disposition string
	file        string // name of the file, "" if it has none
	body        []byte // still encoded
	children    []*node
}

// parse reads the tree of a mail. cut says that it was too deep or too wide.
func parse(ctx context.Context, data []byte) (root *node, cut bool, err error) {
	left := mostParts
	root = newNode(data, "text/plain")
	err = root.grow(ctx, 0, &left, &cut)
	return root, cut, err
}

// newNode reads the header of a part; other is the kind of a part that names none.
func newNode(data []byte, other string) *node {
	n := &node{}
	n.header, n.body = readHeader(data)
	n.kind, n.params = parameters(n.raw("content-type"))
	if !strings.Contains(n.kind, "/") {
		n.kind = other
	}
	var params map[string]string
	n.disposition, params = parameters(n.raw("content-disposition"))
	n.file = fileName(cmp.Or(params["filename"], extended(n.raw("content-disposition")), n.params["name"], extended(n.raw("content-type"))))
	return n
}

var extendedName = regexp.MustCompile(`(?i)[;\s](?:file)?name\*(?:\d{1,2}\*?)?=\s*"?([^;"\s]{1,999})`)

// extended reads a file name in the form of RFC 2231 in character sets that package mime does not know:
// filename*=iso-8859-1'de'Men%FC.pdf, and the same in numbered pieces.
func extended(value string) string {
	var joined strings.Builder
	for _, m := range extendedName.FindAllStringSubmatch(value, 50) {
		joined.WriteString(m[1])
	}
	set, rest, found := strings.Cut(joined.String(), "'")
	_, name, ok := strings.Cut(rest, "'")
	if !found || !ok {
		return ""
	}
	raw, err := url.PathUnescape(name)
	if err != nil {
		return ""
	}
	return decodeCharset([]byte(raw), set)
}

// fileName tidies the name of an attachment: decoded, without folders, on one line.
func fileName(s string) string {
	s = path.Base(strings.ReplaceAll(decodeWords(s), `\`, "/"))
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == ':' || r == 0 {
			return '_'
		}
		return r
	}, s)
	if s == "." || s == ".." || s == "/" {
		return ""
	}
	if runes := []rune(s); len(runes) > 150 {
		s = string(runes[:100]) + "…" + string(runes[len(runes)-40:])
	}
	return s
}

// grow splits a multipart into its parts.
func (n *node) grow(ctx context.Context, depth int, left *int, cut *bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !strings.HasPrefix(n.kind, "multipart/") {
		return nil
	}
	boundary := n.params["boundary"]
	if boundary == "" || len(boundary) > 200 {
		n.kind = "text/plain"
		return nil
	}
	if depth >= mostDepth {
		*cut = true
		return nil
	}
	other := "text/plain"
	if n.kind == "multipart/digest" {
		other = "message/rfc822"
	}
	parts, more := splitParts(n.body, boundary, *left)
	*cut = *cut || more
	*left -= len(parts)
	for _, p := range parts {
		child := newNode(p, other)
		n.children = append(n.children, child)
		if err := child.grow(ctx, depth+1, left, cut); err != nil {
			return err
		}
	}
	n.body = nil
	return nil
}

// splitParts cuts a body at the lines "--boundary", most parts at most; a closing line that is missing is forgiven.
func splitParts(body []byte, boundary string, most int) (parts [][]byte, more bool) {
	mark := []byte("--" + boundary)
	start := -1
	for at := 0; at <= len(body); {
		i := bytes.Index(body[at:], mark)
		if i < 0 {
			break
		}
		i += at
		at = i + len(mark)
		line, _, _ := bytes.Cut(body[at:], []byte("\n"))
		rest := bytes.TrimSpace(line)
		last := bytes.Equal(rest, []byte("--"))
		if i > 0 && body[i-1] != '\n' || len(rest) > 0 && !last {
			continue
		}
		if start >= 0 {
			if len(parts) >= most {
				return parts, true
			}
			end := max(start, i-1)
			if end > start && body[end-1] == '\r' {
				end--
			}
			parts = append(parts, body[start:end])
		}
		start = min(len(body), at+len(line)+1)
		if last {
			return parts, false
		}
	}
	if start >= 0 && start < len(body) {
		if len(parts) >= most {
			return parts, true
		}
		parts = append(parts, body[start:])
	}
	return parts, false
}

// content returns the decoded bytes of a part.
func (n *node) content() []byte { return decodeTransfer(n.body, n.raw("content-transfer-encoding")) }

// text returns the decoded text of a part.
func (n *node) text() string {
	return strings.ReplaceAll(text.CleanAs(decodeCharset(n.content(), n.params["charset"]), text.Raw), "\r\n", "\n")
}

// attached reports a part that its mail calls an attachment, or that can be nothing else.
func (n *node) attached() bool {
	switch {
	case strings.HasPrefix(n.kind, "multipart/"):
		return false
	case n.disposition == "attachment":
		return true
	case n.kind == "text/plain", n.kind == "text/html", n.kind == "text/calendar", n.kind == "text/enriched":
		return n.file != ""
	case n.kind == "message/delivery-status", n.kind == "text/rfc822-headers", n.kind == "message/disposition-notification":
		return false
	}
	return true
}
