package lukasa

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
)

// ID is a TypeID: a type prefix, an underscore and a UUIDv7 in 26 characters of lower-case Crockford base 32
// (https://github.com/jetify-com/typeid). A wrong kind of id is therefore an error with a name.
type ID string

// Prefix is the first part of an [ID] and says what the id names.
type Prefix string

// The prefixes in use. They are part of the wire format and only ever added to.
const (
	PrefixUser         Prefix = "usr"
	PrefixKey          Prefix = "key"
	PrefixNode         Prefix = "node"
	PrefixDocument     Prefix = "doc"
	PrefixChunk        Prefix = "chk"
	PrefixMemory       Prefix = "mem"
	PrefixMessage      Prefix = "msg"
	PrefixConversation Prefix = "conv"
	PrefixEntity       Prefix = "ent"
	PrefixFile         Prefix = "file"
	PrefixJob          Prefix = "job"
	PrefixEvent        Prefix = "evt"
	PrefixEdge         Prefix = "edge"
	PrefixGrant        Prefix = "grant"
)

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// Prefix returns the part of the id before its last underscore, or "" if there is none.
func (id ID) Prefix() Prefix {
	i := strings.LastIndexByte(string(id), '_')
	if i < 0 {
		return ""
	}
	return Prefix(id[:i])
}

// MakeID builds an id from a time and ten bytes of entropy. Ids of later milliseconds sort after earlier ones.
func MakeID(p Prefix, at time.Time, entropy [10]byte) ID {
	var u [16]byte
	binary.BigEndian.PutUint64(u[:8], uint64(at.UnixMilli())<<16)
	copy(u[6:], entropy[:])
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	out := make([]byte, 0, len(p)+27)
	out = append(out, p...)
	out = append(out, '_')
	hi, lo := binary.BigEndian.Uint64(u[:8]), binary.BigEndian.Uint64(u[8:])
	for i := 25; i >= 0; i-- { // 26 digits of 5 bits, the first one holds 3
		shift := uint(i) * 5
		var v uint64
		switch {
		case shift >= 64:
			v = hi >> (shift - 64)
		case shift+5 > 64:
			v = lo>>shift | hi<<(64-shift)
		default:
			v = lo >> shift
		}
		out = append(out, crockford[v&31])
	}
	return ID(out)
}

// ParseID checks that s is a well-formed id of the wanted kind. A wrong prefix, or a bare UUID, is [CodeInvalid] and the
// message says what was expected; whether such a record exists is not known here.
func ParseID(want Prefix, s string) (ID, error) {
	id := ID(s)
	if got := id.Prefix(); got != want {
		msg := fmt.Sprintf("expected an id that starts with %q", string(want)+"_")
		if got != "" {
			msg += fmt.Sprintf(", got one that starts with %q", string(got)+"_")
		}
		return "", &Error{Code: CodeInvalid, Field: "id", Msg: msg}
	}
	suffix := s[len(want)+1:]
	if len(suffix) != 26 || suffix[0] > '7' || strings.Trim(suffix, crockford) != "" {
		return "", &Error{Code: CodeInvalid, Field: "id", Msg: fmt.Sprintf("%q is not a well-formed %s id", s, want)}
	}
	return id, nil
}

// Minter makes ids from a clock and a source of randomness that it is given. It is safe for concurrent use when both are.
type Minter struct {
	Now  func() time.Time
	Rand io.Reader
}

// ID returns a fresh id. It panics if the source of randomness fails, as nothing sensible can go on then.
func (m Minter) ID(p Prefix) ID {
	var e [10]byte
	if _, err := io.ReadFull(m.Rand, e[:]); err != nil {
		panic("read randomness: " + err.Error())
	}
	return MakeID(p, m.Now(), e)
}
