package s3

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/lukasa-memory/lukasa/internal/blob"
)

// pageKeys is how many names one answer holds; servers give no more.
const pageKeys = 1000

// Delete implements [blob.Driver].
func (d *Driver) Delete(ctx context.Context, key string) error {
	err := check(ctx, key)
	if err == nil {
		err = d.translate(ctx, d.remove(ctx, d.object(key)))
	}
	if err != nil {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

func (d *Driver) remove(ctx context.Context, object string) error {
	err := d.do(ctx, d.timeout, func(ctx context.Context) error {
		return d.core.RemoveObject(ctx, d.bucket, object, minio.RemoveObjectOptions{})
	})
	if err != nil && faultOf(err) == absent {
		return nil
	}
	return err
}

// List implements [blob.Driver].
func (d *Driver) List(ctx context.Context, prefix string, yield func(blob.Info) bool) error {
	err := blob.ValidatePrefix(prefix)
	if err == nil {
		err = d.list(ctx, d.prefix+prefix, func(o minio.ObjectInfo) bool {
			key, ours := d.key(o.Key)
			return !ours || yield(blob.Info{Key: key, Size: o.Size, ModTime: moment(o.LastModified)})
		})
	}
	if err != nil {
		return fmt.Errorf("list blobs: %w", d.translate(ctx, err))
	}
	return nil
}

// list goes through the objects whose names start with prefix, page by page: each begins behind the last name of the one
// before, so that one that fails is asked for again without losing or repeating a name.
func (d *Driver) list(ctx context.Context, prefix string, yield func(minio.ObjectInfo) bool) error {
	after := ""
	for {
		page, err := d.page(ctx, prefix, after)
		if err != nil {
			return err
		}
		for _, o := range page {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !yield(o) {
				return nil
			}
		}
		if len(page) < pageKeys {
			return ctx.Err()
		}
		after = page[len(page)-1].Key
	}
}

func (d *Driver) page(ctx context.Context, prefix, after string) (page []minio.ObjectInfo, err error) {
	owner := false
	opt := minio.ListObjectsOptions{Prefix: prefix, Recursive: true, StartAfter: after, MaxKeys: pageKeys, FetchOwner: &owner}
	err = d.do(ctx, d.timeout, func(ctx context.Context) error {
		page = page[:0]
		last := after
		for o := range d.core.ListObjectsIter(ctx, d.bucket, opt) {
			switch {
			case o.Err != nil:
				return o.Err
			case o.Key <= last:
				return fmt.Errorf("%w: %q behind %q", errOrder, o.Key, last)
			}
			last = o.Key
			if page = append(page, o); len(page) == pageKeys {
				break
			}
		}
		return ctx.Err()
	})
	return page, err
}

// errOrder says that a server does not list in the order of names, or ignores where a list is to begin.
var errOrder = errors.New("the server lists names out of order")

// Sweep aborts uploads that were begun a day or longer before now and never finished, as a process leaves them that is killed,
// and returns how many. Blobs are not touched, nor is what is outside the prefix.
func (d *Driver) Sweep(ctx context.Context, now time.Time) (int, error) {
	swept, key, id := 0, "", ""
	for {
		var page minio.ListMultipartUploadsResult
		err := d.do(ctx, d.timeout, func(ctx context.Context) (err error) {
			page, err = d.core.ListMultipartUploads(ctx, d.bucket, d.prefix, key, id, "", pageKeys)
			return err
		})
		if err != nil {
			return swept, fmt.Errorf("sweep uploads: %w", d.translate(ctx, err))
		}
		for _, u := range page.Uploads {
			if !d.swept(u.Key) || now.Sub(u.Initiated) < orphanAge {
				continue
			}
			err := d.do(ctx, d.timeout, func(ctx context.Context) error {
				return d.core.AbortMultipartUpload(ctx, d.bucket, u.Key, u.UploadID)
			})
			switch {
			case err == nil:
				swept++
			case faultOf(err) != stale: // else another process sweeps too
				return swept, fmt.Errorf("sweep uploads: %w", d.translate(ctx, err))
			}
		}
		if !page.IsTruncated || page.NextKeyMarker == key && page.NextUploadIDMarker == id {
			return swept, d.sweepProbes(ctx, now)
		}
		key, id = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

// swept tells whether an unfinished upload of this name is ours.
func (d *Driver) swept(object string) bool {
	_, ours := d.key(object)
	return ours || strings.HasPrefix(object, d.prefix+probing)
}

// sweepProbes removes the objects that were to try out the server and outlived that.
func (d *Driver) sweepProbes(ctx context.Context, now time.Time) error {
	var old []string
	err := d.list(ctx, d.prefix+probing, func(o minio.ObjectInfo) bool {
		if now.Sub(o.LastModified) >= orphanAge {
			old = append(old, o.Key)
		}
		return true
	})
	for _, name := range old {
		if err == nil {
			err = d.remove(ctx, name)
		}
	}
	if err != nil {
		return fmt.Errorf("sweep probes: %w", d.translate(ctx, err))
	}
	return nil
}
