package pgvector

import (
	"math"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// texts writes a list as PostgreSQL reads an array of texts.
func texts[T ~string](list []T) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, s := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for j := range len(s) {
			if c := s[j]; c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(s[j])
		}
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}

// numbers writes a list of whole numbers as an array.
func numbers[T int | int64 | int32](list []T) string {
	b := append(make([]byte, 0, 2+8*len(list)), '{')
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(append(b, '}'))
}

// flags writes a list of truth values as an array.
func flags(list []bool) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte("ft"[btoi(v)])
	}
	b.WriteByte('}')
	return b.String()
}

func btoi(v bool) int {
	if v {
		return 1
	}
	return 0
}

// floats writes a list of numbers as an array.
func floats(list []float64) string {
	b := []byte{'{'}
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return string(append(b, '}'))
}

// unit writes a vector with unit length, as pgvector reads it; "" for one that has another number of dimensions than dim, or no
// direction.
func unit(v []float32, dim int) string {
	u := direction(v, dim)
	if u == nil {
		return ""
	}
	b := append(make([]byte, 0, 2+12*dim), '[')
	for i, x := range u {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, x, 'g', 8, 32)
	}
	return string(append(b, ']'))
}

// direction is a vector with unit length; nil for one that has another number of dimensions than dim, or no direction.
func direction(v []float32, dim int) []float64 {
	if len(v) != dim || dim == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil
	}
	u := make([]float64, len(v))
	for i, x := range v {
		u[i] = float64(x) / length
	}
	return u
}

// plain leaves out of a text what PostgreSQL does not keep.
func plain[T ~string](s T) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(s), "\uFFFD"), "\x00", "")
}

// unique leaves out doubles.
func unique(list []lukasa.ID) []lukasa.ID {
	seen := make(map[lukasa.ID]bool, len(list))
	out := make([]lukasa.ID, 0, len(list))
	for _, id := range list {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
