package openai

import (
	"encoding/json"
	"testing"
)

// FuzzVector: any bytes are refused or give a whole number of values, and an array and its base64 form mean the same.
func FuzzVector(f *testing.F) {
	for _, s := range []string{`[1,2.5,-3e-2]`, `"AACAPwAAAEA="`, `null`, `[]`, `""`, `"AAA"`, `[1e99]`, `{"a":1}`, `[[1]]`, `"\u0041AAA"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v vector
		if err := json.Unmarshal(b, &v); err != nil || v == nil {
			return
		}
		again, err := json.Marshal([]float32(v))
		if err != nil {
			return // not a number or infinite: refused by the caller
		}
		var w vector
		if err := json.Unmarshal(again, &w); err != nil || len(w) != len(v) {
			t.Fatalf("%q gives %d values, and then %d, %v", b, len(v), len(w), err)
		}
		for i := range v {
			if v[i] != w[i] {
				t.Fatalf("%q: value %d is %v, then %v", b, i, v[i], w[i])
			}
		}
	})
}
