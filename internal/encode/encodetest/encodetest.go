// Package encodetest holds package encode to what encoding/json writes.
package encodetest

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/encode"
)

var encoders = map[bool]*encode.Encoder{false: encode.New(false), true: encode.New(true)} // by whether HTML is escaped

// Types has values of types, filled at random, written, and fails the test where that is not what encoding/json writes.
func Types(t testing.TB, types ...reflect.Type) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, of := range types {
		for range 400 {
			v := reflect.New(of)
			random(r, v.Elem(), 0)
			Same(t, v.Interface())
			Same(t, v.Elem().Interface()) // which cannot be pointed to
		}
	}
}

// want is what encoding/json writes.
func want(v any, html bool) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(html)
	err := enc.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// Same has a value written, and fails the test where that is not what encoding/json writes.
func Same(t testing.TB, v any) {
	t.Helper()
	for html, e := range encoders {
		want, err := want(v, html)
		got, fail := e.Append([]byte("before "), v)
		if (err == nil) != (fail == nil) {
			t.Fatalf("%#v: error %v, want %v", v, fail, err)
		}
		if err == nil && string(got) != "before "+string(want) {
			t.Fatalf("%#v is written as\n%s, want\n%s", v, got, want)
		}
	}
}

// random fills a value with what may be in one.
func random(r *rand.Rand, v reflect.Value, depth int) {
	few := func() int { return r.IntN(4) * r.IntN(2) }
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		zones := []*time.Location{time.UTC, time.FixedZone("", 3600*r.IntN(12)), time.FixedZone("odd", 61)}
		if r.IntN(4) > 0 {
			v.Set(reflect.ValueOf(time.Unix(r.Int64N(1<<33), r.Int64N(1e9)/int64(math.Pow10(r.IntN(10)))).In(zones[min(r.IntN(60), 59)/29])))
		}
		return
	case reflect.TypeFor[json.Number]():
		v.SetString("12.5")
		return
	case reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"a" : "<b>"}`))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64N(3) * (r.Int64N(200) - 100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64() >> r.IntN(64))
	case reflect.Float32, reflect.Float64:
		x := []float64{0, math.Copysign(0, -1), r.Float64(), r.NormFloat64() * math.Pow10(r.IntN(50)-25), math.MaxFloat32, 1e21, 1e20, 1e-6, 9.99e-7, float64(r.IntN(100))}
		v.SetFloat(x[r.IntN(len(x))])
	case reflect.String:
		v.SetString(Text(r))
	case reflect.Interface:
		if v.NumMethod() > 0 {
			return
		}
		some := []any{
			nil, Text(r), r.Float64(), true, int64(3),
			[]any{1.5, Text(r)},
			map[string]any{Text(r): Text(r), "b": nil},
			[]string{"x"},
			map[string]float64{"<": 1},
			struct{ Name string }{"n"},
			&struct{ Name string }{"n"}, json.RawMessage(`[1, "<"]`),
		}
		v.Set(reflect.ValueOf(&some[r.IntN(len(some))]).Elem())
	case reflect.Pointer:
		if depth < 4 && r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			random(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := few(); depth < 4 && r.IntN(3) > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			random(r, v.Index(i), depth+1)
		}
	case reflect.Map:
		if depth < 4 && r.IntN(3) > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range few() {
				k, x := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				random(r, k, depth+1)
				random(r, x, depth+1)
				v.SetMapIndex(k, x)
			}
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			if f.CanSet() {
				random(r, f, depth)
			}
		}
	}
}

// Text returns a text with what has to be escaped in it.
func Text(r *rand.Rand) string {
	parts := []string{"", "plain", `"`, `\`, "<a&b>", "\n\r\t\b\f\x00\x1f\x7f", "é漢字🎈", "\u2028\u2029", "\xff\xe2\x80", string(utf8.RuneError), "long enough to be more than eight bytes"}
	var out strings.Builder
	for range r.IntN(4) {
		out.WriteString(parts[r.IntN(len(parts))])
	}
	return out.String()
}
