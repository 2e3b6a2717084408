package sqlite

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// encodeList returns a list as JSON, nil when it is empty.
func encodeList(l []string) (any, error) {
	if len(l) == 0 {
		return nil, nil
	}
	return encodeJSON(l)
}

// encodeObject returns an object as JSON, nil when it is empty.
func encodeObject(m map[string]any) (any, error) {
	if len(m) == 0 {
		return nil, nil
	}
	return encodeJSON(m)
}

func encodeJSON(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "metadata", Msg: "cannot be written as JSON", Err: err}
	}
	return string(b), nil
}

// list reads a list; nil when it is empty.
func (r row) list(i int) (l []string) {
	if s := r.text(i); s != "" && json.Unmarshal([]byte(s), &l) != nil {
		return nil
	}
	return l
}

// object reads an object; never nil.
func (r row) object(i int) map[string]any {
	m := map[string]any{}
	if s := r.text(i); s != "" {
		_ = json.Unmarshal([]byte(s), &m) // written by encodeObject; Check looks for what is not
	}
	return m
}

// full returns l, or an empty list for nil: fields that are always shown are shown as [].
func full(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// encodeVector writes little-endian 32-bit floats.
func encodeVector(v []float32) []byte {
	b := make([]byte, 4*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(x))
	}
	return b
}

func decodeVector(b []byte) []float32 {
	if len(b) == 0 {
		return nil
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// idList writes ids as a JSON list, for json_each.
func idList[T ~string](ids []T) string {
	var b strings.Builder
	b.Grow(34 * len(ids))
	b.WriteByte('[')
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		q, _ := json.Marshal(string(id)) // a text always can be
		b.Write(q)
	}
	b.WriteByte(']')
	return b.String()
}

// position is where a listing goes on: after the row with this key and id.
type position struct {
	key int64
	id  string
}

// cursor hides a position. The letter tells listings apart, so that the cursor of one is not taken for another's.
func (p position) cursor(kind byte) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%c%d.%s", kind, p.key, p.id))
}

func parseCursor(kind byte, s string) (position, error) {
	bad := lukasa.Invalid("cursor", "is not one that this list gave out")
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) == 0 || b[0] != kind {
		return position{}, bad
	}
	key, id, ok := strings.Cut(string(b[1:]), ".")
	n, err := strconv.ParseInt(key, 10, 64)
	if !ok || err != nil {
		return position{}, bad
	}
	return position{n, id}, nil
}

// checkPage fills in the default limit and refuses what is out of bounds.
func checkPage(p lukasa.Page) (lukasa.Page, error) {
	if p.Limit == 0 {
		p.Limit = 20
	}
	if p.Limit < 0 || p.Limit > 100 {
		return p, lukasa.Invalid("limit", "is %d, must be 1 to 100", p.Limit)
	}
	if p.Offset < 0 {
		return p, lukasa.Invalid("offset", "is %d, must not be negative", p.Offset)
	}
	return p, nil
}

// orNow returns t, or now where the caller left it zero.
func (s *session) orNow(t time.Time) time.Time {
	if t.IsZero() {
		return s.now()
	}
	return t
}

func itoa(n int) string { return strconv.Itoa(n) }
