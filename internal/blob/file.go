package blob

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// A sealed file is a header of six bytes, in the open but authenticated by
// the key of the stream, and a sealed stream (see package crypt).
const (
	fileMagic   = "LKSF"
	fileVersion = 1
	headerSize  = len(fileMagic) + 2
	labelFile   = "lukasa sealed file"

	// stepSize is how much plaintext is read at a time.
	stepSize = 64 << 10
)

func header(c codec) [headerSize]byte {
	var h [headerSize]byte
	copy(h[:], fileMagic)
	h[headerSize-2], h[headerSize-1] = fileVersion, byte(c)
	return h
}

func parseHeader(h [headerSize]byte) (codec, error) {
	c := codec(h[headerSize-1])
	switch {
	case string(h[:len(fileMagic)]) != fileMagic:
		return 0, fmt.Errorf("not a sealed file: %w", crypt.ErrFormat)
	case h[headerSize-2] != fileVersion:
		return 0, fmt.Errorf("sealed file of version %d, this program reads version %d: %w", h[headerSize-2], fileVersion, crypt.ErrFormat)
	case c != stored && c != compressed:
		return 0, fmt.Errorf("sealed file with codec %d: %w", c, crypt.ErrFormat)
	}
	return c, nil
}

// streamContext is what the key of a file's stream is derived from beside the data key
// and the salt.
func streamContext(h [headerSize]byte, owner, key string) []string {
	return []string{labelFile, string(h[:]), owner, key}
}

// sealer turns plaintext into the bytes of a sealed file as they are read: it
// pulls a step from the source, pushes it through hash, zstd and seal into out,
// and serves out. No goroutine, and memory that does not grow with the file.
type sealer struct {
	vault      *Vault
	src        io.Reader
	data       []byte // data key
	owner, key string
	dense      bool

	hash hash.Hash
	size int64
	sent int64
	out  bytes.Buffer
	step []byte
	pack io.WriteCloser // nil when stored, and before the first step
	seal *crypt.SealWriter
	err  error // io.EOF once all is sealed
}

func newSealer(v *Vault, src io.Reader, data []byte, owner, key string, dense bool) *sealer {
	return &sealer{vault: v, src: src, data: data, owner: owner, key: key, dense: dense, hash: sha256.New()}
}

func (s *sealer) Read(p []byte) (int, error) {
	for s.out.Len() == 0 && s.err == nil {
		s.err = s.advance()
	}
	if s.out.Len() > 0 && (s.err == nil || errors.Is(s.err, io.EOF)) {
		n, err := s.out.Read(p)
		s.sent += int64(n)
		return n, err
	}
	return 0, s.err
}

// advance seals one step more; io.EOF means that it was the last.
func (s *sealer) advance() error {
	if s.step == nil {
		s.step = make([]byte, stepSize)
	}
	n, end := fill(s.src, s.step)
	if end != nil && !errors.Is(end, io.EOF) {
		return end
	}
	if s.size += int64(n); s.size > s.vault.opt.MaxSize {
		return fmt.Errorf("more than %d bytes: %w", s.vault.opt.MaxSize, ErrTooLarge)
	}
	if s.seal == nil {
		if err := s.begin(s.step[:n]); err != nil {
			return err
		}
	}
	s.hash.Write(s.step[:n])
	if err := s.push(s.step[:n]); err != nil {
		return err
	}
	if end == nil {
		return nil
	}
	if s.pack != nil {
		pack := s.pack
		s.pack = nil
		if err := pack.Close(); err != nil {
			return fmt.Errorf("pack: %w", err)
		}
	}
	if err := s.seal.Close(); err != nil {
		return err
	}
	return io.EOF
}

// begin chooses the codec by the first step and writes the header.
func (s *sealer) begin(sample []byte) error {
	c := s.vault.pack.choose(sample)
	h := header(c)
	s.out.Write(h[:])
	seal, err := crypt.NewSealWriter(&s.out, s.data, s.vault.opt.Rand, streamContext(h, s.owner, s.key)...)
	if err != nil {
		return err
	}
	s.seal = seal
	if c == compressed {
		s.pack, err = s.vault.pack.writer(seal, s.dense)
	}
	return err
}

func (s *sealer) push(b []byte) error {
	var w io.Writer = s.seal
	if s.pack != nil {
		w = s.pack
	}
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	return nil
}

// abandon gives the compressor back when the driver stopped before the end.
func (s *sealer) abandon() {
	if s.pack != nil {
		_ = s.pack.Close() // what it still writes goes nowhere
		s.pack = nil
	}
}

func (s *sealer) sealed() Sealed {
	return Sealed{Size: s.size, SealedSize: s.sent, SHA256: [sha256.Size]byte(s.hash.Sum(nil))}
}

// fill reads until buf is full or r ends or fails. Unlike io.ReadFull it tells the
// end of the source (io.EOF) from a source that was cut (io.ErrUnexpectedEOF): a
// half upload must not become a whole file.
func fill(r io.Reader, buf []byte) (int, error) {
	n := 0
	for idle := 0; n < len(buf); {
		m, err := r.Read(buf[n:])
		n += m
		if err != nil {
			return n, err
		}
		if idle++; m > 0 {
			idle = 0
		}
		if idle == 100 {
			return n, io.ErrNoProgress
		}
	}
	return n, nil
}

// file is an open sealed file.
type file struct {
	buf   *bufio.Reader // above unpack; small, so that large reads pass it by
	vault *Vault
	src   io.Closer
	open  *firstError
	dec   *zstd.Decoder // nil when stored
	left  int64         // bytes that may still come out, less one is too many
	err   error
}

func openFile(v *Vault, src io.ReadCloser, data []byte, owner, key string) (*file, error) {
	var h [headerSize]byte
	if _, err := io.ReadFull(src, h[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = crypt.ErrTruncated
		}
		return nil, fmt.Errorf("read header: %w", err)
	}
	c, err := parseHeader(h)
	if err != nil {
		return nil, err
	}
	open, err := crypt.NewOpenReader(src, data, streamContext(h, owner, key)...)
	if err != nil {
		return nil, err
	}
	f := &file{vault: v, src: src, open: &firstError{r: open}, left: v.opt.MaxSize}
	if c == compressed {
		if f.dec, err = v.pack.reader(f.open); err != nil {
			return nil, err
		}
	}
	f.buf = bufio.NewReader(readerFunc(f.unpack))
	// The first bytes now, so that a file that cannot be opened is known before
	// any of it is promised to somebody.
	if _, err := f.buf.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		f.release()
		return nil, err
	}
	return f, nil
}

func (f *file) Read(p []byte) (int, error) { return f.buf.Read(p) }

// unpack is the reader under the buffer. Its errors stick.
func (f *file) unpack(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	var n int
	if f.dec == nil {
		n, f.err = f.open.Read(p)
	} else {
		n, f.err = f.dec.Read(p)
		f.err = f.explain(f.err)
	}
	if f.left -= int64(n); f.left < 0 {
		f.err = fmt.Errorf("more than %d bytes: %w", f.vault.opt.MaxSize, ErrTooLarge)
		return 0, f.err
	}
	return n, f.err
}

// explain says what an error of the decompressor means: the seal below knows
// better what is wrong with the bytes, and has the last word about the end.
func (f *file) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case f.open.err != nil:
		return f.open.err
	case !errors.Is(err, io.EOF):
		return unpackError(err)
	}
	var one [1]byte
	switch n, err := f.open.Read(one[:]); {
	case n > 0:
		return fmt.Errorf("bytes after the packed content: %w", crypt.ErrCorrupt)
	case err == nil:
		return io.ErrNoProgress
	default:
		return err
	}
}

// Close gives back what the file holds. Reading after Close is an error.
func (f *file) Close() error {
	if f.src == nil {
		return nil
	}
	f.release()
	err := f.src.Close()
	f.src = nil
	if err != nil {
		return fmt.Errorf("close file: %w", err)
	}
	return nil
}

func (f *file) release() {
	if f.dec != nil {
		f.vault.pack.release(f.dec)
		f.dec = nil
	}
	f.err = errClosed
	f.buf.Reset(readerFunc(f.unpack)) // forget what is buffered
}

var errClosed = errors.New("file is closed")

// firstError remembers the first error but io.EOF that its reader gave.
type firstError struct {
	r   io.Reader
	err error
}

func (e *firstError) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil && e.err == nil && !errors.Is(err, io.EOF) {
		e.err = err
	}
	return n, err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
