package sqlrows

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrJSON says that a value cannot be written as JSON.
var ErrJSON = errors.New("cannot be written as JSON")

// List returns a list as JSON, nil when it is empty.
func List(l []string) (any, error) {
	if len(l) == 0 {
		return nil, nil
	}
	return JSON(l)
}

// Object returns an object as JSON, nil when it is empty.
func Object(m map[string]any) (any, error) {
	if len(m) == 0 {
		return nil, nil
	}
	return JSON(m)
}

// Raw returns what is JSON already, nil when there is none.
func Raw(b json.RawMessage) any {
	if b == nil {
		return nil
	}
	return string(b)
}

// JSON returns a value as JSON.
func JSON(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJSON, err)
	}
	return string(b), nil
}

// List reads a list; nil when it is empty.
func (r Row) List(i int) (l []string) {
	s := r.Text(i)
	if s == "" {
		return nil
	}
	if l, ok := plainList(s); ok {
		return l
	}
	if json.Unmarshal([]byte(s), &l) != nil {
		return nil
	}
	return l
}

// plainList reads a JSON list of texts in which nothing is escaped; ok is false for any other.
func plainList(s string) (l []string, ok bool) {
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' || strings.IndexByte(s, '\\') >= 0 || !utf8.ValidString(s) {
		return nil, false
	}
	s = s[1 : len(s)-1]
	if s == "" {
		return []string{}, true
	}
	l = make([]string, 0, 1+strings.Count(s, `","`))
	for {
		if s == "" || s[0] != '"' {
			return nil, false
		}
		end := 1
		for end < len(s) && s[end] != '"' && s[end] >= ' ' {
			end++
		}
		if end == len(s) || s[end] != '"' {
			return nil, false
		}
		l, s = append(l, s[1:end]), s[end+1:]
		if s == "" {
			return l, true
		}
		if s[0] != ',' {
			return nil, false
		}
		s = s[1:]
	}
}

// Object reads an object; never nil.
func (r Row) Object(i int) map[string]any {
	m := map[string]any{}
	if s := r.Text(i); s != "" {
		_ = json.Unmarshal([]byte(s), &m) // written by Object
	}
	return m
}

// halves is the first byte of a vector of 16-bit floats. Such a one has an odd number of bytes, one of 32-bit floats has not.
const halves = 'h'

// Vector writes little-endian floats: of 16 bits where these say all that there is, which takes half the room (see embed.Halved), and of 32
// bits otherwise.
func Vector(v []float32) []byte {
	if len(v) == 0 {
		return nil
	}
	b := make([]byte, 1+2*len(v))
	b[0] = halves
	for i, x := range v {
		h := half(x)
		if whole(h) != x {
			return Wide(v)
		}
		binary.LittleEndian.PutUint16(b[1+2*i:], h)
	}
	return b
}

// Wide writes little-endian floats of 32 bits.
func Wide(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Vector reads what [Vector] or [Wide] wrote; nil for none.
func (r Row) Vector(i int) []float32 {
	b := r.Bytes(i)
	if len(b) == 0 {
		return nil
	}
	if len(b)%2 == 1 {
		v := make([]float32, len(b)/2)
		for i := range v {
			v[i] = whole(binary.LittleEndian.Uint16(b[1+2*i:]))
		}
		return v
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// Set writes texts as a JSON list, for json_each.
func Set[T ~string](ids []T) string {
	var b strings.Builder
	b.Grow(34 * len(ids))
	b.WriteByte('[')
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		if plain(string(id)) {
			b.WriteByte('"')
			b.WriteString(string(id))
			b.WriteByte('"')
			continue
		}
		q, _ := json.Marshal(string(id)) // a text always can be
		b.Write(q)
	}
	b.WriteByte(']')
	return b.String()
}

// plain reports whether a text is letters, digits and what else ids are made of, so that it stands in JSON as it is.
func plain(s string) bool {
	for _, c := range []byte(s) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if c < '-' || c > '9' && c != '_' {
				return false
			}
		}
	}
	return true
}

// Position is where a list goes on: after the row with this key, an int64 or a string, and id.
type Position struct {
	Key   any
	ID    string
	Total int // rows of the list, as they were counted for its first stretch; 0: nobody has
}

// Cursor hides a position. The letter tells lists apart, so that the cursor of one is not taken for another's.
func (p Position) Cursor(kind byte) string {
	key := fmt.Sprint(p.Key)
	if s, ok := p.Key.(string); ok {
		key = strconv.Quote(s)
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%c%d,%s.%s", kind, p.Total, key, p.ID))
}

// ParseCursor reads what Cursor wrote.
func ParseCursor(kind byte, s string) (p Position, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) == 0 || b[0] != kind {
		return p, false
	}
	text := string(b[1:])
	if n, rest, ok := strings.Cut(text, ","); ok {
		if p.Total, err = strconv.Atoi(n); err == nil && p.Total >= 0 {
			text = rest
		} else { // from a version before there was a total
			p.Total = 0
		}
	}
	if quoted, err := strconv.QuotedPrefix(text); err == nil {
		if p.Key, err = strconv.Unquote(quoted); err != nil {
			return p, false
		}
		p.ID, ok = strings.CutPrefix(text[len(quoted):], ".")
		return p, ok
	}
	key, id, ok := strings.Cut(text, ".")
	n, err := strconv.ParseInt(key, 10, 64)
	return Position{n, id, p.Total}, ok && err == nil
}
