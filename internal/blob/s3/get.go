package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/lukasa-memory/lukasa/internal/blob"
)

// maxResumes is how often a body that breaks off is asked for again without a byte of progress.
const maxResumes = 3

// Get implements [blob.Driver]. A body that breaks off is asked for again from where it did.
func (d *Driver) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	err := check(ctx, key)
	if err == nil {
		b := &body{d: d, ctx: ctx, object: d.object(key)}
		if err = d.translate(ctx, b.open()); err == nil {
			return b, nil
		}
	}
	return nil, fmt.Errorf("get blob %s: %w", key, err)
}

// A body is an object that is being read.
type body struct {
	d      *Driver
	ctx    context.Context
	object string

	src     io.ReadCloser
	cancel  context.CancelFunc
	watch   *time.Timer // cancels a connection on which nothing comes
	etag    string
	size    int64 // -1: not said
	at      int64
	resumes int
	err     error // what Read returns from now on
}

// open asks for what is left of the object.
func (b *body) open() error {
	var opt minio.GetObjectOptions
	if b.at > 0 {
		if err := errors.Join(opt.SetRange(b.at, 0), opt.SetMatchETag(b.etag)); err != nil {
			return err
		}
	}
	return b.d.retry.Do(b.ctx, func() error {
		ctx, cancel := context.WithCancel(b.ctx)
		watch := time.AfterFunc(b.d.timeout, cancel)
		src, info, head, err := b.d.core.GetObject(ctx, b.d.bucket, b.object, opt)
		watch.Stop()
		if err != nil {
			cancel()
			return gave(b.ctx, err)
		}
		if b.at > 0 && head.Get("Content-Range") == "" { // a server that sends all of it again
			watch.Reset(b.d.timeout)
			_, err = io.CopyN(io.Discard, src, b.at)
			watch.Stop()
			if err != nil {
				_ = src.Close()
				cancel()
				return gave(b.ctx, err)
			}
		} else if b.at == 0 {
			b.etag, b.size = info.ETag, info.Size
		}
		b.src, b.cancel, b.watch = src, cancel, watch
		return nil
	})
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	for {
		var n int
		var err error
		if b.src == nil {
			if err = b.open(); err != nil {
				return 0, b.fail(b.d.translate(b.ctx, err))
			}
		}
		b.watch.Reset(b.d.timeout)
		n, err = b.src.Read(p)
		b.watch.Stop()
		b.at += int64(n)
		if n > 0 {
			b.resumes = 0
		}
		switch {
		case err == nil && n > 0:
			return n, nil
		case err == nil:
			continue
		case errors.Is(err, io.EOF) && (b.size < 0 || b.at == b.size):
			return n, b.fail(io.EOF)
		case b.ctx.Err() != nil:
			return n, b.fail(fmt.Errorf("get blob: %w", b.ctx.Err()))
		case b.resumes == maxResumes || b.etag == "" && b.at > 0:
			return n, b.fail(b.d.translate(b.ctx, fmt.Errorf("body broke off after %d of %d bytes: %w", b.at, b.size, err)))
		}
		b.resumes++
		b.drop()
		if n > 0 {
			return n, nil
		}
	}
}

func (b *body) fail(err error) error {
	b.err = err
	return err
}

// drop gives up the connection.
func (b *body) drop() {
	if b.src != nil {
		b.watch.Stop()
		b.cancel()
		_ = b.src.Close() // nothing is lost with it
		b.src = nil
	}
}

// Close implements [io.Closer].
func (b *body) Close() error {
	b.drop()
	if b.err == nil {
		b.err = http.ErrBodyReadAfterClose
	}
	return nil
}

// Stat implements [blob.Driver].
func (d *Driver) Stat(ctx context.Context, key string) (blob.Info, error) {
	err := check(ctx, key)
	if err != nil {
		return blob.Info{}, fmt.Errorf("stat blob: %w", err)
	}
	var info minio.ObjectInfo
	err = d.do(ctx, d.timeout, func(ctx context.Context) (err error) {
		info, err = d.core.StatObject(ctx, d.bucket, d.object(key), minio.StatObjectOptions{})
		if err == nil || faultOf(err) != absent {
			return err
		}
		// The answer has no text, so it could also be the bucket that is not there.
		src, info2, _, err := d.core.GetObject(ctx, d.bucket, d.object(key), minio.GetObjectOptions{})
		if err == nil {
			info = info2
			_ = src.Close() // only its head was wanted
		}
		return err
	})
	if err != nil {
		return blob.Info{}, fmt.Errorf("stat blob %s: %w", key, d.translate(ctx, err))
	}
	return blob.Info{Key: key, Size: info.Size, ModTime: moment(info.LastModified)}, nil
}

// moment rounds a time to what all answers of a server have in common: seconds.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
