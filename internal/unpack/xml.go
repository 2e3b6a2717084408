package unpack

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Bounds of XML.
const (
	MostDepth = 256
	MostToken = 8 << 20 // bytes of one tag or stretch of text
)

// Event is what a walk through XML comes upon.
type Event uint8

// Events.
const (
	Opens Event = iota // an element
	Closes
	Words // text
)

// XML is a walk through XML, element by element. Elements go by their local names: the formats of documents never use one name
// of two vocabularies for different things in one place, and dialects of one format differ in nothing but namespaces. No
// entity is expanded but those that XML itself and, in loose reading, HTML know.
type XML struct {
	Name  string // of the element that opened or closed
	Space string // its prefix
	Text  []byte // valid until the next event

	attrs []xml.Attr
	dec   *xml.Decoder
	limit *tokenLimit
	loose bool
	stack []string
	until string // a loose reader still closes elements up to this one
}

// voids are the elements of HTML that hold nothing and need no end.
var voids = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true, "link": true, "meta": true,
	"param": true, "source": true, "track": true, "wbr": true,
}

// NewXML walks through strict XML.
func NewXML(r io.Reader) *XML {
	limit := &tokenLimit{r: r, buf: make([]byte, 0, 16<<10)}
	x := &XML{dec: xml.NewDecoder(limit), limit: limit}
	x.dec.CharsetReader = charsetReader
	return x
}

// NewLoose walks through XHTML as it is found: names are in lower case, what is not closed is closed, and ends without a
// beginning are passed over. Elements such as br open and never close.
func NewLoose(r io.Reader) *XML {
	x := NewXML(r)
	x.loose = true
	x.dec.Strict, x.dec.Entity = false, xml.HTMLEntity
	return x
}

func charsetReader(charset string, r io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(charset), "utf-16") {
		return r, nil // UTF8 has seen to it
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		return nil, fmt.Errorf("character set %q: %w", charset, err)
	}
	return e.NewDecoder().Reader(r), nil
}

func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// UTF8 turns UTF-16 with a byte order mark into UTF-8, takes the mark off UTF-8, and leaves all else to the declaration of the
// XML.
func UTF8(data []byte) []byte {
	if !isUTF16(data) {
		return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	}
	out, _, err := transform.Bytes(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder(), data)
	if err != nil {
		return data
	}
	return out
}

// Next moves to the next event; io.EOF at the end, when every element was closed. All other errors are faults, or that of a
// context.
func (x *XML) Next() (Event, error) {
	for {
		if x.until != "" {
			x.pop()
			if x.Name == x.until {
				x.until = ""
			}
			return Closes, nil
		}
		x.limit.left = MostToken
		tok, err := x.dec.RawToken()
		switch {
		case err == io.EOF: //nolint:errorlint // RawToken returns it bare
			return x.end()
		case err != nil:
			return 0, x.fault(err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if len(x.stack) >= MostDepth {
				return 0, Bomb(ErrDepth)
			}
			x.Name, x.Space, x.attrs = t.Name.Local, t.Name.Space, t.Attr
			if x.loose {
				if x.Name = strings.ToLower(x.Name); voids[x.Name] {
					return Opens, nil
				}
			}
			x.stack = append(x.stack, x.Name)
			return Opens, nil
		case xml.EndElement:
			if x.close(t.Name.Local) {
				return Closes, nil
			} else if !x.loose {
				return 0, Damaged(fmt.Errorf("the XML closes %s, which is not open", t.Name.Local))
			}
		case xml.CharData:
			x.Text = t
			return Words, nil
		case xml.Directive:
			if bytes.Contains(t, []byte("<!ENTITY")) && !x.loose {
				return 0, Bomb(ErrEntity)
			}
		}
	}
}

// fault says what an error of the decoder means. A syntax error may hide that of the reader below.
func (x *XML) fault(err error) error {
	switch {
	case x.limit.left < 0, errors.Is(err, ErrToken):
		return Bomb(ErrToken)
	case x.limit.err != nil && !errors.Is(x.limit.err, io.EOF):
		return x.limit.err
	}
	return Damaged(err)
}

// close takes an element off the stack and reports whether one was; x.Name is what was closed.
func (x *XML) close(name string) bool {
	if x.loose {
		name = strings.ToLower(name)
	}
	last := len(x.stack) - 1
	if last >= 0 && x.stack[last] == name {
		x.pop()
		return true
	}
	if !x.loose || !slices.Contains(x.stack, name) {
		return false
	}
	x.until = name
	x.pop()
	return true
}

func (x *XML) pop() {
	x.Name, x.stack = x.stack[len(x.stack)-1], x.stack[:len(x.stack)-1]
}

// end is what happens at the end of the data.
func (x *XML) end() (Event, error) {
	if len(x.stack) == 0 {
		return 0, io.EOF
	}
	if !x.loose {
		return 0, Damaged(fmt.Errorf("the XML ends inside %s: %w", x.stack[len(x.stack)-1], io.ErrUnexpectedEOF))
	}
	x.pop()
	return Closes, nil
}

// IsEnd reports the end of XML, as Next tells it.
func IsEnd(err error) bool { return err == io.EOF } //nolint:errorlint // Next returns it bare

// Depth is how many elements are open.
func (x *XML) Depth() int { return len(x.stack) }

// Offset is how many bytes were read.
func (x *XML) Offset() int { return int(x.dec.InputOffset()) }

// Attr returns an attribute of the element that opened, "" when it has none.
func (x *XML) Attr(local string) string {
	for i := range x.attrs {
		if x.attrs[i].Name.Local == local {
			return x.attrs[i].Value
		}
	}
	return ""
}

// AttrIn is Attr for a name that several vocabularies use: prefix and local name.
func (x *XML) AttrIn(prefix, local string) string {
	for i := range x.attrs {
		if x.attrs[i].Name.Local == local && x.attrs[i].Name.Space == prefix {
			return x.attrs[i].Value
		}
	}
	return ""
}

// Parent is the name of the n-th element around the one that opened or closed, or around words, counted from 1.
func (x *XML) Parent(n int, e Event) string {
	i := len(x.stack) - n
	if e == Opens {
		i--
	}
	if i < 0 {
		return ""
	}
	return x.stack[i]
}

// Inside reports whether an element of that name is open.
func (x *XML) Inside(name string) bool { return slices.Contains(x.stack, name) }

// Skip moves behind the end of the element that opened.
func (x *XML) Skip() error {
	depth := len(x.stack)
	if x.loose && voids[x.Name] {
		return nil
	}
	for len(x.stack) >= depth {
		if _, err := x.Next(); err != nil {
			return err
		}
	}
	return nil
}

// Content returns the words inside the element that opened, and moves behind its end.
func (x *XML) Content() (string, error) {
	var b strings.Builder
	depth := len(x.stack)
	if x.loose && voids[x.Name] {
		return "", nil
	}
	for len(x.stack) >= depth {
		e, err := x.Next()
		if err != nil {
			return "", err
		}
		if e == Words {
			b.Write(x.Text)
		}
	}
	return strings.TrimSpace(b.String()), nil
}

// Each calls f for every element that opens, up to the end, until f returns an error. f may move on within the element.
func (x *XML) Each(f func(name string) error) error {
	for {
		e, err := x.Next()
		if IsEnd(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if e == Opens {
			if err := f(x.Name); err != nil {
				return err
			}
		}
	}
}

// tokenLimit bounds how much is read for one token. It is an io.ByteReader, so that the decoder puts no buffer before it.
type tokenLimit struct {
	r    io.Reader
	buf  []byte
	at   int
	left int
	err  error
}

func (l *tokenLimit) ReadByte() (byte, error) {
	if l.left--; l.left < 0 {
		return 0, ErrToken
	}
	for l.at >= len(l.buf) {
		if l.err != nil {
			return 0, l.err
		}
		n, err := l.r.Read(l.buf[:cap(l.buf)])
		l.buf, l.at, l.err = l.buf[:n], 0, err
	}
	l.at++
	return l.buf[l.at-1], nil
}

func (l *tokenLimit) Read(p []byte) (int, error) {
	for i := range p {
		c, err := l.ReadByte()
		if err != nil {
			return i, err
		}
		p[i] = c
	}
	return len(p), nil
}
