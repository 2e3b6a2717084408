package s3

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/minio/minio-go/v7"
)

// conditions are the writes for which the server knows "If-None-Match: *".
type conditions struct {
	put      bool // of one request
	complete bool // of a multipart upload, when it is completed
}

// conditions returns what the server knows, and tries it out when that is not known yet.
func (d *Driver) conditions(ctx context.Context) (conditions, error) {
	select {
	case <-d.probe:
	case <-ctx.Done():
		return conditions{}, ctx.Err()
	}
	defer func() { d.probe <- struct{}{} }()
	if d.known {
		return d.rules, nil
	}
	rules, err := d.tryOut(ctx)
	if err != nil {
		return rules, err
	}
	if !rules.put || !rules.complete {
		d.log.WarnContext(ctx, "the file store cannot refuse a name that is taken; two processes that write the same file at the same instant could overwrite each other",
			"server", d.host, "simple", rules.put, "multipart", rules.complete)
	}
	d.known, d.rules = true, rules
	return rules, nil
}

// tryOut writes a byte and then tries to write it again, in both ways.
func (d *Driver) tryOut(ctx context.Context) (rules conditions, err error) {
	name := d.prefix + probing + strings.ToLower(rand.Text())
	w := write{Driver: d, object: name, id: "probe"}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
		defer cancel()
		_ = d.remove(ctx, name) // else a sweep will
	}()
	if rules.put, err = refuses(w.one(ctx, false), w.one(ctx, true)); err != nil || !rules.put {
		return rules, err
	}
	var upload string
	err = d.do(ctx, d.timeout, func(ctx context.Context) (err error) {
		upload, err = d.core.NewMultipartUpload(ctx, d.bucket, name, w.options(false))
		return err
	})
	if err != nil {
		return rules, err
	}
	defer w.abort(ctx, upload)
	part, err := w.send(ctx, upload, 1, []byte("?"))
	if err != nil {
		return rules, err
	}
	rules.complete, err = refuses(nil, d.do(ctx, d.timeout, func(ctx context.Context) error {
		var opt minio.PutObjectOptions
		opt.SetMatchETagExcept("*")
		_, err := d.core.CompleteMultipartUpload(ctx, d.bucket, name, upload, []minio.CompletePart{{PartNumber: 1, ETag: part.ETag}}, opt)
		return err
	}))
	return rules, err
}

// one puts a single byte.
func (w *write) one(ctx context.Context, conditional bool) error {
	sum := sha256.Sum256([]byte("?"))
	return w.do(ctx, w.timeout, func(ctx context.Context) error {
		_, err := w.core.PutObject(ctx, w.bucket, w.object, strings.NewReader("?"), 1, "", hex.EncodeToString(sum[:]), w.options(conditional))
		return err
	})
}

// refuses reads the answers to a write and to its repetition under the condition.
func refuses(first, second error) (bool, error) {
	switch {
	case first != nil:
		return false, first
	case second == nil:
		return false, nil // the condition was ignored
	}
	switch faultOf(second) {
	case taken:
		return true, nil
	case unknown, odd: // 501, or 400 about the header
		return false, nil
	}
	return false, second
}
