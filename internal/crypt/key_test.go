package crypt_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// counter is a random source that gives 0, 1, 2, … 255, 0, …
type counter struct{ next byte }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.next
		c.next++
	}
	return len(p), nil
}

func mustKey(t testing.TB) crypt.Key {
	t.Helper()
	k, err := crypt.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestParseKeyForms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "raw")
		raw[0] |= 1 // not all zero
		want := hex.EncodeToString(raw)
		for _, text := range []string{
			want, strings.ToUpper(want), " \t" + want + "\r\n",
			base64.StdEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw),
			base64.URLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
		} {
			k, err := crypt.ParseKey(text)
			if err != nil {
				t.Fatalf("ParseKey(%q): %v", text, err)
			}
			if k.Hex() != want {
				t.Fatalf("ParseKey(%q) = %s, want %s", text, k.Hex(), want)
			}
		}
	})
}

func TestParseKeyRefuses(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("a1", 32)
	for name, text := range map[string]string{
		"empty": "", "blank": " \n", "short hex": good[:62], "long hex": good + "a1",
		"not hex": strings.Repeat("zz", 32), "zeros": strings.Repeat("0", 64),
		"zeros in base64":     strings.Repeat("A", 43),
		"line feed inside":    base64.StdEncoding.EncodeToString(make([]byte, 32))[:20] + "\n" + strings.Repeat("A", 23),
		"loose trailing bits": strings.Repeat("A", 42) + "B",
		"two paddings":        strings.Repeat("B", 42) + "==",
		"a pass phrase":       "correct horse battery staple",
	} {
		_, err := crypt.ParseKey(text)
		if !errors.Is(err, crypt.ErrKey) {
			t.Errorf("%s: error %v, want ErrKey", name, err)
		}
		if body := strings.TrimSpace(text); len(body) > 8 && strings.Contains(err.Error(), body) {
			t.Errorf("%s: the error repeats the text: %v", name, err)
		}
	}
}

func TestKeyNeverPrints(t *testing.T) {
	t.Parallel()
	k := mustKey(t)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "key", k, "pointer", &k)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "key", k, "in", struct{ K crypt.Key }{k})
	js, err := json.Marshal(map[string]any{"key": k})
	if err != nil {
		t.Fatal(err)
	}
	all := log.String() + string(js)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%X", "%d", "%q"} {
		all += fmt.Sprintf(verb, k) + fmt.Sprintf(verb, &k) + fmt.Sprintf(verb, struct{ K crypt.Key }{k}) + fmt.Sprintf(verb, []crypt.Key{k})
	}
	raw, err := hex.DecodeString(k.Hex())
	if err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{k.Hex(), strings.ToUpper(k.Hex()), string(raw), base64.StdEncoding.EncodeToString(raw), fmt.Sprintf("%d", raw)[1:40]} {
		if strings.Contains(all, leak) {
			t.Fatalf("the key leaks as %q", leak)
		}
	}
	if !strings.Contains(all, "[redacted]") {
		t.Fatal("nothing was printed at all")
	}
}

func TestNewKeyErrors(t *testing.T) {
	t.Parallel()
	if _, err := crypt.NewKey(bytes.NewReader(make([]byte, 31))); err == nil {
		t.Error("a short random source gave a key")
	}
	if _, err := crypt.NewKey(bytes.NewReader(make([]byte, 32))); !errors.Is(err, crypt.ErrKey) {
		t.Errorf("a source of zeros: %v, want ErrKey", err)
	}
	a, b := mustKey(t), mustKey(t)
	if a.Equal(b) || !a.Equal(a) {
		t.Error("Equal is wrong")
	}
}

// Two different contexts never give one info string, hence never one key.
func TestJoinIsInjective(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[ab\x00]{0,3}`), 1, 4)
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		same := strings.Join(a, "\x01") == strings.Join(b, "\x01") && len(a) == len(b)
		if got := bytes.Equal(crypt.Join(a[0], a[1:]...), crypt.Join(b[0], b[1:]...)); got != same {
			t.Fatalf("Join(%q) and Join(%q): equal %v, want %v", a, b, got, same)
		}
	})
}

func FuzzParseKey(f *testing.F) {
	f.Add(strings.Repeat("0f", 32))
	f.Add(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)))
	f.Add(" AAAA\n")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := crypt.ParseKey(text)
		if err != nil {
			if !errors.Is(err, crypt.ErrKey) {
				t.Fatalf("error %v is not ErrKey", err)
			}
			return
		}
		again, err := crypt.ParseKey(k.Hex())
		if err != nil || !again.Equal(k) {
			t.Fatalf("%q does not survive its own text: %v", text, err)
		}
	})
}
