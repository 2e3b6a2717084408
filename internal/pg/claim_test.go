package pg

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSign(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_795_000_000_123)
	for want, c := range map[string]Claim{
		"v1|usr_1|key_2|a.b||r|1795000000123|":       {Owner: "usr_1", Principal: "key_2", Root: "a.b", ReadOnly: true, Expires: at},
		"v1|||||s|1795000000123|":                    {System: true, Expires: at},
		"v1|o%7C|%25|%C3%A4'%5C|g|wo|1795000000123|": {Owner: "o|", Principal: "%", Root: "ä'\\", Grantee: "g", Whole: true, Outside: true, Expires: at},
		"v1|a%0A|||~ |swor|1795000000123|":           {Owner: "a\n", Grantee: "~ ", System: true, Whole: true, Outside: true, ReadOnly: true, Expires: at},
	} {
		want = strings.ReplaceAll(want, "'", "%27")
		got := Sign([]byte("key"), c)
		m := hmac.New(sha256.New, []byte("key"))
		m.Write([]byte(strings.TrimSuffix(want, "|")))
		if want += hex.EncodeToString(m.Sum(nil)); got != want {
			t.Errorf("%+v\nbecame    %s\nshould be %s", c, got, want)
		}
	}
}

// Whatever fields hold, a claim has eight, and is printable ASCII without quotes.
func TestSignHasEightFields(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		field := func(name string) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, name)) }
		c := Claim{Owner: field("owner"), Principal: field("principal"), Root: field("root"), Grantee: field("grantee"), Expires: time.UnixMilli(1)}
		s := Sign([]byte("k"), c)
		if strings.Count(s, "|") != 7 || strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' || c == '\'' || c == '\\' }) {
			t.Fatalf("%+v became %q", c, s)
		}
	})
}

// HMAC by the pads is HMAC by the key, for keys of any length.
func TestPads(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 32, 63, 64, 65, 200} {
		key := []byte(strings.Repeat("k", n))
		inner, outer := Pads(key)
		in := sha256.Sum256(append(inner[:], "text"...))
		got := sha256.Sum256(append(outer[:], in[:]...))
		m := hmac.New(sha256.New, key)
		m.Write([]byte("text"))
		if string(got[:]) != string(m.Sum(nil)) {
			t.Errorf("a key of %d bytes: another sum", n)
		}
	}
}
