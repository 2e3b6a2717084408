package blob

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// codec says how plaintext was packed before it was sealed; its value is a byte of
// the format.
type codec byte

const (
	stored     codec = 0 // as it is
	compressed codec = 1 // one zstd frame, window at most 8 MiB
)

const (
	// window is the back-reference distance when compressing: 1 MiB keeps an
	// encoder near 3 MiB of memory. maxWindow is what a reader must accept.
	window    = 1 << 20
	maxWindow = 8 << 20

	// minPack is the size under which compressing is not tried: the frame
	// costs more than it saves.
	minPack = 64
)

// packer holds the zstd machines, which are expensive to make and free to reuse.
type packer struct {
	enc    *zstd.Encoder // for whole payloads, by EncodeAll
	dec    *zstd.Decoder // for whole payloads, by DecodeAll
	encs   sync.Pool     // *zstd.Encoder for streams
	dense  sync.Pool     // *zstd.Encoder that tries its best, for what is kept long and read seldom
	decs   sync.Pool     // *zstd.Decoder for streams
	inline int           // limit of unpackAll
}

func newPacker(inline int) (*packer, error) {
	workers := min(runtime.GOMAXPROCS(0), 4)
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(workers), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("make encoder: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(workers), zstd.WithDecoderMaxMemory(uint64(inline)), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("make decoder: %w", err)
	}
	return &packer{enc: enc, dec: dec, inline: inline}, nil
}

// packAll compresses a whole payload, or hands it back when that does not make it
// smaller.
func (p *packer) packAll(payload []byte, dense bool) ([]byte, codec, error) {
	if len(payload) < minPack {
		return payload, stored, nil
	}
	enc := p.enc
	if dense {
		var err error
		if enc, err = p.best(); err != nil {
			return nil, stored, err
		}
		defer p.dense.Put(enc)
	}
	out := enc.EncodeAll(payload, make([]byte, 0, len(payload)))
	if len(out) >= len(payload) {
		return payload, stored, nil
	}
	return out, compressed, nil
}

// best returns an encoder of the highest level, with the largest window that a reader accepts.
func (p *packer) best() (*zstd.Encoder, error) {
	if enc, ok := p.dense.Get().(*zstd.Encoder); ok {
		return enc, nil
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("make encoder: %w", err)
	}
	return enc, nil
}

func (p *packer) unpackAll(packed []byte, c codec) ([]byte, error) {
	switch {
	case c == stored && len(packed) > p.inline:
		return nil, fmt.Errorf("unpack %d bytes: %w", len(packed), ErrTooLarge)
	case c == stored:
		return packed, nil
	}
	out, err := p.dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, unpackError(err)
	}
	return out, nil
}

// choose decides by the first bytes of a file whether it is worth compressing:
// pictures, archives and other noise are stored as they are.
func (p *packer) choose(sample []byte) codec {
	if len(sample) < minPack {
		return stored
	}
	out := p.enc.EncodeAll(sample, make([]byte, 0, len(sample)+256))
	if len(out) > len(sample)-len(sample)/16 {
		return stored
	}
	return compressed
}

// writer returns a compressor in front of w. Its Close ends the frame and puts the
// compressor back; it must be called at most once.
func (p *packer) writer(w io.Writer, dense bool) (io.WriteCloser, error) {
	if dense {
		enc, err := p.best()
		if err != nil {
			return nil, err
		}
		enc.Reset(w)
		return &pooledWriter{Encoder: enc, pool: &p.dense}, nil
	}
	enc, ok := p.encs.Get().(*zstd.Encoder)
	if ok {
		enc.Reset(w)
		return &pooledWriter{Encoder: enc, pool: &p.encs}, nil
	}
	enc, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("make encoder: %w", err)
	}
	return &pooledWriter{Encoder: enc, pool: &p.encs}, nil
}

type pooledWriter struct {
	*zstd.Encoder
	pool *sync.Pool
}

func (w *pooledWriter) Close() error {
	err := w.Encoder.Close()
	w.Encoder.Reset(nil)
	w.pool.Put(w.Encoder)
	w.Encoder = nil
	return err
}

// reader returns a decompressor behind r; the caller gives it back by release.
func (p *packer) reader(r io.Reader) (*zstd.Decoder, error) {
	dec, ok := p.decs.Get().(*zstd.Decoder)
	if !ok {
		var err error
		dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("make decoder: %w", err)
		}
	}
	if err := dec.Reset(r); err != nil {
		return nil, fmt.Errorf("reset decoder: %w", err)
	}
	return dec, nil
}

func (p *packer) release(dec *zstd.Decoder) {
	if err := dec.Reset(nil); err == nil {
		p.decs.Put(dec)
	}
}

// unpackError names what zstd found wrong with bytes that were sealed intact.
func unpackError(err error) error {
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return fmt.Errorf("unpack: %w: %w", ErrTooLarge, err)
	}
	return fmt.Errorf("unpack: %w", err)
}
