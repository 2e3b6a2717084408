package static

import (
	"encoding/binary"
	"math"
	"testing"
)

const smallTokenizer = `{"added_tokens":[{"id":0,"content":"[UNK]"}],
"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
"pre_tokenizer":{"type":"BertPreTokenizer"},
"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"[UNK]":0,"tea":1,"##s":2}}}`

func smallTensors(header string, data ...byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...)
}

// FuzzTensors: a file is refused, or gives vectors of finite numbers.
func FuzzTensors(f *testing.F) {
	f.Add(smallTensors(`{"embeddings":{"dtype":"I8","shape":[3,2],"data_offsets":[0,6]}}`, 1, 2, 3, 4, 5, 6))
	f.Add(smallTensors(`{"embedding.weight":{"dtype":"F16","shape":[3,1],"data_offsets":[0,6]},"__metadata__":{"format":"pt"}}`, 0, 0x3c, 1, 0, 0xff, 0xfb))
	f.Add(smallTensors(`{"embeddings":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},"mapping":{"dtype":"I32","shape":[3],"data_offsets":[4,16]},`+
		`"weights":{"dtype":"F16","shape":[3],"data_offsets":[16,22]}}`, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 56, 0, 52))
	f.Fuzz(func(t *testing.T, file []byte) {
		tok, err := parseTokenizer([]byte(smallTokenizer))
		if err != nil {
			t.Fatal(err)
		}
		m := model{tokenizer: tok}
		if m.load(file) != nil {
			return
		}
		v := make([]float32, m.rows.dim)
		if n := m.sum(v, "Teas, tea and teas"); n != 5 {
			t.Errorf("%d pieces", n)
		}
		normalise(v)
		for _, x := range v {
			if !(math.Abs(float64(x)) <= 1.0001) {
				t.Fatalf("vector %v", v)
			}
		}
	})
}

// FuzzTokenizer: a file is refused, or cuts any text into pieces of its vocabulary.
func FuzzTokenizer(f *testing.F) {
	f.Add([]byte(smallTokenizer), "Teas, тea 日本 한 é\xff")
	f.Add([]byte(`{"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","continuing_subword_prefix":"","vocab":{"a":7,"ab":3}}}`), "abaab")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		tok, err := parseTokenizer(file)
		if err != nil {
			return
		}
		r := tok.read(text)
		for word := r.next(nil); len(word) > 0; word = r.next(word[:0]) {
			ids := r.pieces(nil, word)
			for _, id := range ids {
				if int(id) >= tok.ids {
					t.Fatalf("id %d of %d", id, tok.ids)
				}
			}
			if len(ids) > len(word) || r.runes <= tok.wordRunes && tok.has(word) && len(ids) != 1 {
				t.Fatalf("word %q has pieces %v", word, ids)
			}
		}
	})
}

func TestHalf(t *testing.T) {
	t.Parallel()
	for h := range uint32(1 << 16) {
		if h&0x7c00 == 0x7c00 {
			continue // infinities and NaN are refused before
		}
		exp, frac := int(h>>10&31), float64(h&1023)/1024
		want := math.Ldexp(1+frac, exp-15)
		if exp == 0 {
			want = math.Ldexp(frac, -14)
		}
		if h&0x8000 != 0 {
			want = -want
		}
		if got := float64(half(uint16(h))); got != want {
			t.Fatalf("half(%#x) = %v, want %v", h, got, want)
		}
	}
}
