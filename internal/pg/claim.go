package pg

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Claim says on whose behalf a transaction runs. The database believes one that is signed with the key that it keeps, and shows the
// rows that the claim may see; without one it shows none.
type Claim struct {
	Owner     string // whose rows
	Principal string // who asks
	Root      string // the path of the subtree; see Whole
	Grantee   string // who asks for what others have shared, where that is not the principal
	Expires   time.Time

	Whole    bool // the claim is not bound to a subtree
	System   bool // the rows of all owners: the server's own work
	Outside  bool // only what others have shared
	ReadOnly bool // nothing may be written
}

func (c Claim) flags() string {
	var b []byte
	for _, f := range []struct {
		on   bool
		flag byte
	}{{c.System, 's'}, {c.Whole, 'w'}, {c.Outside, 'o'}, {c.ReadOnly, 'r'}} {
		if f.on {
			b = append(b, f.flag)
		}
	}
	return string(b)
}

// Sign writes a claim as a text that nobody without the key can make:
//
//	v1|owner|principal|root|grantee|flags|expiry|hmac
//
// The fields are percent-escaped; flags are letters of s (system), w (whole), o (outside) and r (read-only); the expiry is in
// milliseconds since 1970; hmac is the HMAC-SHA256 (RFC 2104) of all before the last bar, in hex.
func Sign(key []byte, c Claim) string {
	var b strings.Builder
	b.WriteString("v1")
	for _, f := range []string{c.Owner, c.Principal, c.Root, c.Grantee, c.flags(), strconv.FormatInt(c.Expires.UnixMilli(), 10)} {
		b.WriteByte('|')
		b.WriteString(escape(f))
	}
	m := hmac.New(sha256.New, key)
	m.Write([]byte(b.String()))
	return b.String() + "|" + hex.EncodeToString(m.Sum(nil))
}

// escape writes a field without bars, percent signs, quotes, backslashes, controls and non-ASCII bytes.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '|' || c == '%' || c == '\'' || c == '\\' || c < ' ' || c > '~':
			b.WriteByte('%')
			b.WriteString(strings.ToUpper(hex.EncodeToString([]byte{c})))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Pads are what the database needs to check signatures, and keeps in the place of the key: the key of HMAC-SHA256 xor its inner and
// outer pad (RFC 2104, section 2). Whoever has them can sign.
func Pads(key []byte) (inner, outer [64]byte) {
	if len(key) > len(inner) {
		sum := sha256.Sum256(key)
		key = sum[:]
	}
	copy(inner[:], key)
	outer = inner
	for i := range inner {
		inner[i] ^= 0x36
		outer[i] ^= 0x5c
	}
	return inner, outer
}
