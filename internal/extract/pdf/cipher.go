package pdf

import (
	"bytes"
	"crypto/aes"
	gocipher "crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// cipher undoes the standard security handler (ISO 32000-1, 7.6; ISO 32000-2, 7.6.4 for revision 6) for the empty password,
// which is what readers use without asking anybody.
type cipher struct {
	key      []byte
	streams  method
	strings  method
	metadata bool // the metadata stream is encrypted too
}

// method is a way to encrypt.
type method uint8

const (
	identity method = iota
	rc4Each         // RC4, or AES below, with a key of its own for each object
	aesEach
	aesWhole // AES-256 with one key for all
)

var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// unlock makes the cipher of an encrypted file. It returns ErrLocked when the empty password does not open it.
func (r *reader) unlock() error {
	if r.trailer["Encrypt"] == nil || r.cipher != nil {
		return nil
	}
	e, ok := r.resolve(r.trailer["Encrypt"]).(dict)
	if !ok {
		return ErrCipher
	}
	if f, _ := r.resolve(e["Filter"]).(name); f != "Standard" {
		return ErrCipher
	}
	version, _ := integer(r.resolve(e["V"]))
	revision, _ := integer(r.resolve(e["R"]))
	length := 5
	if n, ok := integer(r.resolve(e["Length"])); ok && n >= 40 && n <= 256 && n%8 == 0 {
		length = n / 8
	}
	c := &cipher{streams: rc4Each, strings: rc4Each, metadata: true}
	if b, ok := r.resolve(e["EncryptMetadata"]).(bool); ok {
		c.metadata = b
	}
	switch version {
	case 1:
		length = 5
	case 2, 3:
		length = min(length, 16)
	case 4, 5:
		length = 16
		var ok1, ok2 bool
		c.streams, ok1 = r.method(e, "StmF")
		c.strings, ok2 = r.method(e, "StrF")
		if !ok1 || !ok2 {
			return ErrCipher
		}
	default:
		return ErrCipher
	}
	owner, _ := r.resolve(e["O"]).(str)
	user, _ := r.resolve(e["U"]).(str)
	if version == 5 {
		wrapped, _ := r.resolve(e["UE"]).(str)
		c.key = key256([]byte(user), []byte(wrapped), revision)
	} else {
		perms, _ := r.resolve(e["P"]).(float64)
		id, _ := r.resolve(r.trailer["ID"]).(array)
		var first str
		if len(id) > 0 {
			first, _ = r.resolve(id[0]).(str)
		}
		c.key = key128([]byte(owner), []byte(user), []byte(first), int64(perms), length, revision, c.metadata)
	}
	if c.key == nil {
		return ErrLocked
	}
	r.cipher = c
	r.objects = map[int]any{} // strings that were read before were not decrypted
	r.packs = map[int]*pack{}
	if at, ok := r.trailer["Encrypt"].(ref); ok {
		r.objects[at.num] = e
	}
	return nil
}

func (r *reader) method(e dict, k name) (method, bool) {
	n, _ := r.resolve(e[k]).(name)
	if n == "" || n == "Identity" {
		return identity, true
	}
	filters, _ := r.resolve(e["CF"]).(dict)
	f, _ := r.resolve(filters[n]).(dict)
	switch m, _ := r.resolve(f["CFM"]).(name); m {
	case "V2":
		return rc4Each, true
	case "AESV2":
		return aesEach, true
	case "AESV3":
		return aesWhole, true
	case "None":
		return identity, true
	}
	return identity, false
}

// key128 derives the key of revisions 2 to 4 (algorithms 2, 4 and 5), nil when the empty password is not the right one.
func key128(owner, user, id []byte, perms int64, length, revision int, metadata bool) []byte {
	if len(owner) < 32 || len(user) < 32 {
		return nil
	}
	h := md5.New()
	h.Write(padding)
	h.Write(owner[:32])
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(perms)))
	h.Write(id)
	if revision >= 4 && !metadata {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := h.Sum(nil)
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:length])
			key = sum[:]
		}
	}
	key = key[:length]
	if revision == 2 {
		if !bytes.Equal(xorRC4(key, padding), user[:32]) {
			return nil
		}
		return key
	}
	sum := md5.Sum(append(bytes.Clone(padding), id...))
	check := xorRC4(key, sum[:])
	for i := byte(1); i <= 19; i++ {
		k := bytes.Clone(key)
		for j := range k {
			k[j] ^= i
		}
		check = xorRC4(k, check)
	}
	if !bytes.Equal(check, user[:16]) {
		return nil
	}
	return key
}

func xorRC4(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return data
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// key256 derives the key of revisions 5 and 6 (algorithm 2.A), nil when the empty password is not the right one.
func key256(user, wrapped []byte, revision int) []byte {
	if len(user) < 48 || len(wrapped) < 32 {
		return nil
	}
	hash := func(salt []byte) []byte {
		if revision >= 6 {
			return hash6(salt)
		}
		sum := sha256.Sum256(salt)
		return sum[:]
	}
	if !bytes.Equal(hash(user[32:40]), user[:32]) {
		return nil
	}
	b, err := aes.NewCipher(hash(user[40:48]))
	if err != nil {
		return nil
	}
	key := make([]byte, 32)
	gocipher.NewCBCDecrypter(b, make([]byte, 16)).CryptBlocks(key, wrapped[:32])
	return key
}

// hash6 is algorithm 2.B of ISO 32000-2 for the empty password.
func hash6(salt []byte) []byte {
	sum := sha256.Sum256(salt)
	k := sum[:]
	for round := 0; ; round++ {
		k1 := bytes.Repeat(k, 64)
		b, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		e := make([]byte, len(k1))
		gocipher.NewCBCEncrypter(b, k[16:32]).CryptBlocks(e, k1)
		n := 0
		for _, c := range e[:16] {
			n += int(c)
		}
		switch n % 3 {
		case 0:
			s := sha256.Sum256(e)
			k = s[:]
		case 1:
			s := sha512.Sum384(e)
			k = s[:]
		default:
			s := sha512.Sum512(e)
			k = s[:]
		}
		if round >= 63 && int(e[len(e)-1]) <= round-31 {
			return k[:32]
		}
	}
}

// stream decrypts the bytes of a stream.
func (c *cipher) stream(s *stream, b []byte) []byte {
	if s.dict["Type"] == name("XRef") || s.dict["Type"] == name("Metadata") && !c.metadata {
		return b
	}
	return c.undo(c.streams, b, s.key)
}

func (c *cipher) text(s str, at ref) str { return str(c.undo(c.strings, []byte(s), at)) }

func (c *cipher) undo(m method, b []byte, at ref) []byte {
	key := c.key
	switch m {
	case identity:
		return b
	case rc4Each, aesEach:
		h := md5.New()
		h.Write(c.key)
		h.Write([]byte{byte(at.num), byte(at.num >> 8), byte(at.num >> 16), byte(at.gen), byte(at.gen >> 8)})
		if m == aesEach {
			h.Write([]byte("sAlT"))
		}
		key = h.Sum(nil)[:min(len(c.key)+5, 16)]
		if m == rc4Each {
			return xorRC4(key, b)
		}
	}
	block, err := aes.NewCipher(key)
	if err != nil || len(b) < 32 {
		return nil
	}
	n := len(b) / 16 * 16
	out := make([]byte, n-16)
	gocipher.NewCBCDecrypter(block, b[:16]).CryptBlocks(out, b[16:n])
	if pad := int(out[len(out)-1]); pad >= 1 && pad <= 16 {
		out = out[:len(out)-pad]
	}
	return out
}
