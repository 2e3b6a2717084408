package text_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestGivenTwice(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, `"k%d":%d,`, i, i)
	}
	for in, want := range map[string]string{
		`{}`: "", `[]`: "", `7`: "", `"a"`: "", ` {"a" : [ 1 , {"a":{"a":null}} ] , "b":"a" } `: "",
		`{"a":1,"a":2}`:                             "a",
		`{"a":1,"b":{"c":[],"d":true,"c":"x"}}`:     "b.c",
		`{"m":[{"r":1},{"r":1,"t":2,"r":1}]}`:       "m[1].r",
		`[[1,2],[{"x":{"y":1,"y":1}}]]`:             "[1][0].x.y",
		`{"a":1,"\u0061":2}`:                        "a",
		`{"a\"":1,"a\\":2,"a":3}`:                   "",
		`{"a":"{\"a\":1,\"a\":2}"}`:                 "",
		`{"a":1,"A":2}`:                             "",
		`[{"a":1},{"a":1}]`:                         "",
		`{` + many.String() + `"z":1}`:              "",
		`{` + many.String() + `"k7":1}`:             "k7",
		`{` + many.String() + `"k199":1}`:           "k199",
		strings.Repeat(`{"a":`, 500) + `1`:          "", // not well formed: no answer, but an end
		`{"a":"`:                                    "",
		`{"":1,"":2}`:                               `""`,
		`{"":1,"b":2}`:                              "",
		`[` + strings.Repeat(`{"a":1},`, 50) + `1]`: "",
	} {
		got := ""
		if err := text.GivenTwice([]byte(in)); err != nil {
			got = strings.TrimSuffix(err.Error(), text.Twice)
		}
		if got != want {
			t.Errorf("%.60s: %q, want %q", in, got, want)
		}
	}
}

// It says of what encoding/json reads what a slow reader with a map for each object says.
func FuzzGivenTwice(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\"","b":-1e9}],"a":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := text.GivenTwice(b)
		if utf8.Valid(b) && json.Valid(b) && (got != nil) != slowly(json.NewDecoder(bytes.NewReader(b))) {
			t.Errorf("%s: %v", b, got)
		}
	})
}

func slowly(dec *json.Decoder) (twice bool) {
	t, _ := dec.Token()
	seen := map[any]bool{}
	for (t == json.Delim('{') || t == json.Delim('[')) && dec.More() {
		if t == json.Delim('{') {
			key, _ := dec.Token()
			twice = twice || seen[key]
			seen[key] = true
		}
		twice = slowly(dec) || twice
	}
	if t == json.Delim('{') || t == json.Delim('[') {
		_, _ = dec.Token()
	}
	return twice
}

func BenchmarkGivenTwice(b *testing.B) {
	body := []byte(`{"messages":[` + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"`+strings.Repeat("words and words ", 20)+`","metadata":{"a":1,"b":[1,2,3]}},`, 100), ",") + `]}`)
	b.SetBytes(int64(len(body)))
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			_ = text.GivenTwice(body)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var v any
			_ = json.Unmarshal(body, &v)
		}
	})
}
