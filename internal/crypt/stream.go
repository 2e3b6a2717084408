package crypt

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A sealed stream is a salt of 16 bytes and then frames. Each frame but the last
// seals exactly FrameSize bytes; the last seals 0 to FrameSize bytes, and 0 only
// when the whole stream is empty. The key of a stream is derived from the data
// key, the salt and the context, so that the nonce need not be random: eleven
// bytes of frame number, big endian, and one byte that is 1 in the last frame and
// 0 before it. A missing, doubled, moved or altered frame therefore
// does not open.
const (
	// FrameSize is how many bytes of plaintext a full frame holds.
	FrameSize = 64 << 10

	// StreamOverhead is the length of what a stream adds once: its salt.
	// Every frame adds 16 bytes more.
	StreamOverhead = saltSize

	saltSize    = 16
	sealedFrame = FrameSize + tagSize
	labelStream = "lukasa stream v1"
)

var errClosed = errors.New("sealed stream is closed")

// SealWriter encrypts what is written to it. It is not safe for concurrent use.
type SealWriter struct {
	w     io.Writer
	aead  cipher.AEAD
	nonce streamNonce
	buf   []byte // plaintext not yet sealed, at most FrameSize
	out   []byte // scratch for one sealed frame
	err   error
}

// NewSealWriter writes a random salt to w and returns a writer that seals a stream
// under key. context names what the stream is (owner, place, header) and is
// authenticated, not stored: [NewOpenReader] needs the same strings. The stream is
// complete only after Close; w is not closed.
func NewSealWriter(w io.Writer, key []byte, rand io.Reader, context ...string) (*SealWriter, error) {
	var salt [saltSize]byte
	if _, err := io.ReadFull(rand, salt[:]); err != nil {
		return nil, fmt.Errorf("seal stream: read random bytes: %w", err)
	}
	aead, err := streamCipher(key, salt[:], context)
	if err != nil {
		return nil, fmt.Errorf("seal stream: %w", err)
	}
	if _, err := w.Write(salt[:]); err != nil {
		return nil, fmt.Errorf("seal stream: write salt: %w", err)
	}
	return &SealWriter{w: w, aead: aead, buf: make([]byte, 0, FrameSize), out: make([]byte, 0, sealedFrame)}, nil
}

// Write seals p in frames. After an error every further call returns it.
func (s *SealWriter) Write(p []byte) (int, error) {
	done := 0
	for s.err == nil && done < len(p) {
		if len(s.buf) == FrameSize { // more follows, so this is not the last
			s.flush(false)
			continue
		}
		n := min(FrameSize-len(s.buf), len(p)-done)
		s.buf = append(s.buf, p[done:done+n]...)
		done += n
	}
	return done, s.err
}

// Close seals the last frame. It must be called once, after the last Write;
// a stream that was not closed does not open as a whole.
func (s *SealWriter) Close() error {
	if s.err == nil {
		s.flush(true)
	}
	if s.err != nil {
		return s.err
	}
	s.err = errClosed
	return nil
}

func (s *SealWriter) flush(last bool) {
	s.out = s.aead.Seal(s.out[:0], s.nonce.next(last), s.buf, nil)
	s.buf = s.buf[:0]
	if _, err := s.w.Write(s.out); err != nil {
		s.err = fmt.Errorf("seal stream: %w", err)
	}
}

// OpenReader decrypts a sealed stream. It is not safe for concurrent use.
type OpenReader struct {
	r     io.Reader
	aead  cipher.AEAD
	nonce streamNonce
	in    []byte // one sealed frame and one byte more, to see whether it is the last
	held  int    // bytes of in already read
	plain []byte // what is open and not yet handed out
	out   []byte // the buffer behind plain
	err   error
}

// NewOpenReader reads the salt from r and returns a reader of the plaintext. A
// frame is authenticated before any byte of it is returned, but the end only when
// it has been reached: what was read is the whole stream only once Read has
// returned io.EOF. Until then an error may follow: [ErrTruncated] when whole frames
// are missing at the end, [ErrCorrupt] when a frame was altered, cut, moved or
// belongs to another key or context. Errors of r are passed on, wrapped.
func NewOpenReader(r io.Reader, key []byte, context ...string) (*OpenReader, error) {
	var salt [saltSize]byte
	if _, err := io.ReadFull(r, salt[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = ErrTruncated
		}
		return nil, fmt.Errorf("open stream: read salt: %w", err)
	}
	aead, err := streamCipher(key, salt[:], context)
	if err != nil {
		return nil, fmt.Errorf("open stream: %w", err)
	}
	return &OpenReader{r: r, aead: aead, in: make([]byte, sealedFrame+1), out: make([]byte, 0, FrameSize)}, nil
}

// Read implements io.Reader. After an error every further call returns it.
func (o *OpenReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(o.plain) == 0 {
		if o.err != nil {
			return 0, o.err
		}
		o.fill()
	}
	n := copy(p, o.plain)
	o.plain = o.plain[n:]
	return n, nil
}

// fill opens the next frame into plain and sets err once it was the last one or
// cannot be opened.
func (o *OpenReader) fill() {
	n, err := io.ReadFull(o.r, o.in[o.held:])
	n += o.held
	last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case err != nil && !last:
		o.err = fmt.Errorf("open stream: %w", err)
		return
	case last && n < tagSize:
		o.err = fmt.Errorf("open stream: frame %d: %w", o.nonce.n, ErrTruncated)
		return
	}
	frame := o.in[:min(n, sealedFrame)]
	at := o.nonce
	plain, err := o.aead.Open(o.out[:0], o.nonce.next(last), frame, nil)
	switch {
	case err != nil:
		o.err = fmt.Errorf("open stream: frame %d: %w", at.n, o.blame(at, frame, last))
		return
	case len(plain) == 0 && at.n > 0:
		o.err = fmt.Errorf("open stream: empty last frame: %w", ErrCorrupt)
		return
	}
	o.plain = plain
	if last {
		o.err = io.EOF
		return
	}
	o.in[0], o.held = o.in[sealedFrame], 1
}

// blame tells why a frame did not open. A frame at the end that opens as
// one from the middle means that frames are missing behind it.
func (o *OpenReader) blame(at streamNonce, frame []byte, last bool) error {
	if !last {
		return ErrCorrupt
	}
	if _, err := o.aead.Open(nil, at.next(false), frame, nil); err == nil {
		return ErrTruncated
	}
	return ErrCorrupt
}

// streamNonce counts frames.
type streamNonce struct {
	n uint64
	b [nonceSize]byte
}

// next returns the nonce of the current frame and moves on to the following one.
func (s *streamNonce) next(last bool) []byte {
	binary.BigEndian.PutUint64(s.b[3:11], s.n)
	s.b[11] = 0
	if last {
		s.b[11] = 1
	}
	s.n++
	return s.b[:]
}

func streamCipher(key, salt []byte, context []string) (cipher.AEAD, error) {
	sub, err := Derive(key, salt, labelStream, context...)
	if err != nil {
		return nil, err
	}
	return newGCM(sub)
}
