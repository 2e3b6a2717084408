package exports

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// UTF8Reader turns a text into UTF-8: by its byte order mark, by the zeros of UTF-16 without one, and otherwise as Windows-1252
// (which holds latin1) when its beginning is not valid UTF-8.
func UTF8Reader(r io.Reader) io.Reader {
	const look = 64 << 10
	br := bufio.NewReaderSize(r, look)
	head, _ := br.Peek(look)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = br.Discard(3)
		return br
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(br)
	case len(head) >= 4 && head[1] == 0 && head[3] == 0 && head[0] != 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Reader(br)
	case len(head) >= 4 && head[0] == 0 && head[2] == 0 && head[1] != 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Reader(br)
	}
	if len(head) == look { // the last rune may be cut
		for n := 0; n < utf8.UTFMax && len(head) > 0; n++ {
			if r, size := utf8.DecodeLastRune(head); r != utf8.RuneError || size != 1 {
				break
			}
			head = head[:len(head)-1]
		}
	}
	if utf8.Valid(head) {
		return br
	}
	return charmap.Windows1252.NewDecoder().Reader(br)
}

// Head returns the beginning of a file as text, up to n bytes; "" when it cannot be read.
func (s *Source) Head(f File, n int64) string {
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	spent := *s.spent
	b, _ := io.ReadAll(io.LimitReader(UTF8Reader(r), n))
	*s.spent = spent // looking costs nothing
	return string(b)
}

// Bytes reads a whole file, which must be within the limit of one.
func (s *Source) Bytes(f File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, s.Limits.File+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > s.Limits.File {
		return nil, fmt.Errorf("is over %d MiB, which is too large for one note", s.Limits.File>>20)
	}
	return b, nil
}

// Text reads a whole file as clean UTF-8 with line feeds.
func (s *Source) Text(f File, style text.Style) (string, error) {
	b, err := s.Bytes(f)
	if err != nil {
		return "", err
	}
	if utf8.Valid(b) && !bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) && bytes.IndexByte(b, 0) < 0 {
		return text.CleanAs(string(b), style), nil
	}
	if b, err = io.ReadAll(UTF8Reader(bytes.NewReader(b))); err != nil {
		return "", err
	}
	return text.CleanAs(string(b), style), nil
}

// errLongLine ends the reading of a text whose lines are no lines.
var errLongLine = errors.New("has a line of over 1 MiB: this is not a text of this kind")

// lines reads a text line by line without its line ends; an error ends it.
type lines struct {
	r    *bufio.Reader
	N    int // the line read last, from 1
	done bool
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(UTF8Reader(r), 64<<10)} }

// next returns io.EOF after the last line.
func (l *lines) next() (string, error) {
	if l.done {
		return "", io.EOF
	}
	var long []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if long = append(long, part...); len(long) > 1<<20 {
				return "", errLongLine
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		l.done = err != nil
		if l.done && len(part) == 0 && len(long) == 0 {
			return "", io.EOF
		}
		l.N++
		s := string(part)
		if long != nil {
			s = string(append(long, part...))
		}
		s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
		return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", ""), nil
	}
}
