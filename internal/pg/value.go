package pg

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// ErrText says that a text is one that PostgreSQL cannot keep: it holds U+0000, or is not UTF-8.
var ErrText = errors.New("a text cannot be kept: it holds U+0000, or is not UTF-8")

// The types of results that are not read as texts, by their numbers in PostgreSQL's catalogue.
const (
	oidBool    = 16
	oidBytea   = 17
	oidInt8    = 20
	oidInt2    = 21
	oidInt4    = 23
	oidOID     = 26
	oidXID     = 28
	oidFloat4  = 700
	oidFloat8  = 701
	oidNumeric = 1700
	oidXID8    = 5069
)

const (
	formatText   = 0
	formatBinary = 1
)

// encode writes an argument in the text format; the server knows its type from where it stands. Binary says that bytes may be
// sent as they are. Truth values are numbers, as in SQLite.
func encode(a any, binary bool) (b []byte, format int16, err error) {
	switch v := sqlrows.Value(a).(type) {
	case nil:
		return nil, formatText, nil
	case int64:
		return strconv.AppendInt(nil, v, 10), formatText, nil
	case float64:
		return appendFloat(v), formatText, nil
	case bool:
		if v {
			return []byte{'1'}, formatText, nil
		}
		return []byte{'0'}, formatText, nil
	case []byte:
		if v == nil {
			return nil, formatText, nil
		}
		if binary {
			return v, formatBinary, nil
		}
		b = make([]byte, 2+hex.EncodedLen(len(v)))
		copy(b, `\x`)
		hex.Encode(b[2:], v)
		return b, formatText, nil
	case string:
		if strings.IndexByte(v, 0) >= 0 || !utf8.ValidString(v) {
			return nil, 0, ErrText
		}
		return []byte(v), formatText, nil
	}
	return nil, 0, fmt.Errorf("a %T cannot be an argument of a statement", a)
}

func appendFloat(v float64) []byte {
	switch {
	case math.IsInf(v, 1):
		return []byte("Infinity")
	case math.IsInf(v, -1):
		return []byte("-Infinity")
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64)
}

// decode reads a value of a result: whole numbers and truth values as int64, other numbers as float64, bytes as []byte, and all
// else as a text. A sum of whole numbers is a numeric, and whole.
func decode(b []byte, oid uint32, format int16) (any, error) {
	if b == nil {
		return nil, nil
	}
	switch oid {
	case oidBool:
		if string(b) == "t" {
			return int64(1), nil
		}
		return int64(0), nil
	case oidBytea:
		if format == formatBinary {
			return append(make([]byte, 0, len(b)), b...), nil
		}
		digits, ok := strings.CutPrefix(string(b), `\x`)
		if !ok {
			return nil, errors.New("the server must send bytes as hex (bytea_output)")
		}
		return hex.DecodeString(digits)
	case oidInt2, oidInt4, oidInt8, oidOID, oidXID, oidXID8:
		return parsed(strconv.ParseInt(string(b), 10, 64))
	case oidNumeric:
		if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return n, nil
		}
		return parsed(strconv.ParseFloat(string(b), 64))
	case oidFloat4, oidFloat8:
		return parsed(strconv.ParseFloat(string(b), 64))
	}
	return string(b), nil
}

func parsed[T any](v T, err error) (any, error) {
	if err != nil {
		return nil, fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	return v, nil
}
