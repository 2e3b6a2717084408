package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/lukasa-memory/lukasa/internal/blob"
)

// idHeader is the metadata of an object that says which Put wrote it.
const idHeader = "Lukasa-Put"

// Put implements [blob.Driver].
func (d *Driver) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	err := check(ctx, key)
	if err == nil {
		err = d.put(ctx, d.object(key), r, size)
	}
	if err != nil {
		return fmt.Errorf("put blob %s: %w", key, err)
	}
	return nil
}

func (d *Driver) put(ctx context.Context, object string, r io.Reader, size int64) error {
	rules, err := d.conditions(ctx)
	if err != nil {
		return d.translate(ctx, err)
	}
	src := newSource(ctx, r, size)
	first, err := src.part(nil, d.part)
	if err != nil {
		return err
	}
	w := write{Driver: d, object: object, id: rand.Text()}
	if !src.end {
		return w.parts(ctx, src, first, rules.complete)
	}
	if err := src.size(); err != nil {
		return err
	}
	return w.whole(ctx, first, rules.put)
}

// A write is one Put on its way to the server.
type write struct {
	*Driver
	object string
	id     string
	tries  int // of the request that makes the object visible
}

// whole puts what fits into one request.
func (w *write) whole(ctx context.Context, data []byte, conditional bool) error {
	sum := sha256.Sum256(data)
	return w.show(ctx, conditional, transferTime, func(ctx context.Context) error {
		opt := w.options(conditional)
		_, err := w.core.PutObject(ctx, w.bucket, w.object, bytes.NewReader(data), int64(len(data)), "", hex.EncodeToString(sum[:]), opt)
		return err
	})
}

func (w *write) options(conditional bool) minio.PutObjectOptions {
	opt := minio.PutObjectOptions{UserMetadata: map[string]string{idHeader: w.id}, ContentType: "application/octet-stream", DisableContentSha256: true}
	if conditional {
		opt.SetMatchETagExcept("*")
	}
	return opt
}

// parts puts what is longer than one part; first is the part that was read to find that out.
func (w *write) parts(ctx context.Context, src *source, first []byte, conditional bool) (err error) {
	switch there, _, err := w.whose(ctx); { // rather now than after gigabytes
	case err != nil:
		return w.translate(ctx, err)
	case there:
		return blob.ErrExists
	}
	var upload string
	err = w.do(ctx, w.timeout, func(ctx context.Context) (err error) {
		upload, err = w.core.NewMultipartUpload(ctx, w.bucket, w.object, w.options(false))
		return err
	})
	if err != nil {
		return w.translate(ctx, err)
	}
	defer func() {
		if err != nil {
			w.abort(ctx, upload)
		}
	}()
	var done []minio.CompletePart
	for data := first; len(data) > 0; {
		if len(done) == maxParts {
			return fmt.Errorf("more than %d parts of %d bytes: %w", maxParts, w.part, blob.ErrTooLarge)
		}
		part, err := w.send(ctx, upload, len(done)+1, data)
		if err != nil {
			return w.translate(ctx, err)
		}
		done = append(done, minio.CompletePart{PartNumber: part.PartNumber, ETag: part.ETag})
		if src.end {
			break
		}
		if data, err = src.part(data, w.part); err != nil {
			return err
		}
	}
	if err := src.size(); err != nil {
		return err
	}
	return w.show(ctx, conditional, transferTime, func(ctx context.Context) error {
		var opt minio.PutObjectOptions
		if conditional {
			opt.SetMatchETagExcept("*")
		}
		_, err := w.core.CompleteMultipartUpload(ctx, w.bucket, w.object, upload, done, opt)
		return err
	})
}

// send uploads one part.
func (w *write) send(ctx context.Context, upload string, n int, data []byte) (part minio.ObjectPart, err error) {
	sum := sha256.Sum256(data)
	err = w.do(ctx, transferTime, func(ctx context.Context) (err error) {
		part, err = w.core.PutObjectPart(ctx, w.bucket, w.object, upload, n, bytes.NewReader(data), int64(len(data)),
			minio.PutObjectPartOptions{Sha256Hex: hex.EncodeToString(sum[:]), DisableContentSha256: true})
		return err
	})
	return part, err
}

// abort drops an upload and its parts. What cannot be dropped now goes with a sweep.
func (w *write) abort(ctx context.Context, upload string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	err := w.do(ctx, settleTime, func(ctx context.Context) error {
		return w.core.AbortMultipartUpload(ctx, w.bucket, w.object, upload)
	})
	if err != nil && faultOf(err) != stale {
		w.log.WarnContext(ctx, "cannot abort an upload; a sweep will", "server", w.host, "err", err)
	}
}

// show makes the request that makes the object visible, and finds out what became of it.
func (w *write) show(ctx context.Context, conditional bool, limit time.Duration, call func(context.Context) error) error {
	if err := ctx.Err(); err != nil { // the last moment at which Put can be called off
		return err
	}
	if !conditional {
		return w.careful(ctx, limit, call)
	}
	err := w.do(ctx, limit, func(ctx context.Context) error { w.tries++; return call(ctx) })
	return w.settle(ctx, err)
}

// careful is show for servers that know no condition: a look before and one behind.
func (w *write) careful(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	sum := sha256.Sum256([]byte(w.object))
	lock := &w.stripes[int(sum[0])%len(w.stripes)]
	lock.Lock()
	defer lock.Unlock()
	switch there, _, err := w.whose(ctx); {
	case err != nil:
		return w.translate(ctx, err)
	case there:
		return blob.ErrExists
	}
	err := w.do(ctx, limit, func(ctx context.Context) error { w.tries++; return call(ctx) })
	if err != nil {
		return w.settle(ctx, err)
	}
	if there, ours, err := w.whose(ctx); err == nil && there && !ours {
		return blob.ErrExists // somebody was faster, or slower
	}
	return nil
}

// settle finds out whether a write that failed, as it seems, is there nevertheless: its answer may have been lost.
func (w *write) settle(ctx context.Context, err error) error {
	if err == nil || w.tries == 0 {
		return w.translate(ctx, err)
	}
	why := faultOf(err)
	switch why {
	case taken:
		if w.tries == 1 {
			return fmt.Errorf("%w: %w", blob.ErrExists, err)
		}
	case away, slow, conflict, stale, gaveUp:
	default:
		return w.translate(ctx, err)
	}
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	there, ours, lost := w.whose(look)
	switch {
	case lost != nil && why == taken:
		return w.translate(ctx, lost) // it may be ours
	case lost == nil && ours:
		return nil
	case lost == nil && there:
		return fmt.Errorf("%w: %w", blob.ErrExists, err)
	}
	return w.translate(ctx, err)
}

// whose reports whether the object is there, and whether this write made it.
func (w *write) whose(ctx context.Context) (there, ours bool, err error) {
	err = w.do(ctx, w.timeout, func(ctx context.Context) error {
		info, err := w.core.StatObject(ctx, w.bucket, w.object, minio.StatObjectOptions{})
		there, ours = err == nil, err == nil && info.UserMetadata[idHeader] == w.id
		return err
	})
	if err != nil && faultOf(err) == absent {
		return false, false, nil
	}
	return there, ours, err
}

// A source hands out a reader in parts, and stops when ctx is done or one byte behind the announced size.
type source struct {
	ctx   context.Context
	r     io.Reader
	want  int64 // -1: unknown
	total int64
	end   bool
}

func newSource(ctx context.Context, r io.Reader, size int64) *source {
	if size >= 0 && size < math.MaxInt64 {
		r = io.LimitReader(r, size+1)
	}
	return &source{ctx: ctx, r: r, want: size}
}

// part reads up to limit bytes into buf, which it overwrites and grows as needed.
func (s *source) part(buf []byte, limit int) ([]byte, error) {
	buf = buf[:0]
	for idle := 0; len(buf) < limit; {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, min(max(64<<10, cap(buf)), limit-len(buf)))
		}
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		n, err := s.r.Read(buf[len(buf):min(cap(buf), limit)])
		buf = buf[:len(buf)+n]
		s.total += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			s.end = true
			return buf, s.ctx.Err()
		case err != nil:
			return nil, err
		case n > 0:
			idle = 0
		default:
			if idle++; idle == 100 {
				return nil, io.ErrNoProgress
			}
		}
	}
	return buf, nil
}

// size compares what came with what was announced.
func (s *source) size() error {
	if s.want >= 0 && s.total != s.want {
		return fmt.Errorf("got %d bytes or more, %d announced: %w", s.total, s.want, blob.ErrSize)
	}
	return nil
}
