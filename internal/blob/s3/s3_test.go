package s3_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
	"github.com/lukasa-memory/lukasa/internal/blob/s3"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// options returns the address of the test server, with a prefix of its own for each call.
func options(t testing.TB) s3.Options {
	t.Helper()
	address := os.Getenv("LUKASA_TEST_S3")
	if address == "" {
		t.Skip("needs s3: set LUKASA_TEST_S3 or run make servers")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := u.User.Password()
	return s3.Options{
		URL: u.Scheme + "://" + u.Host, Bucket: strings.Trim(u.Path, "/"), AccessKey: u.User.Username(), SecretKey: secret,
		Prefix: "test/" + strings.ToLower(rand.Text()), PartSize: s3.MinPart,
		Retry: wire.Policy{MinDelay: 10 * time.Millisecond, MaxDelay: 100 * time.Millisecond},
	}
}

func open(t testing.TB, o s3.Options) *s3.Driver {
	t.Helper()
	d, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
		defer cancel()
		_ = d.List(ctx, "", func(i blob.Info) bool { return d.Delete(ctx, i.Key) == nil })
		_ = d.Close()
	})
	return d
}

// raw speaks to the server without the driver.
func raw(t testing.TB, o s3.Options) minio.Core {
	t.Helper()
	u, _ := url.Parse(o.URL)
	c, err := minio.NewCore(u.Host, &minio.Options{Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	return *c
}

// uploads returns how many unfinished uploads are below the prefix.
func uploads(t testing.TB, o s3.Options) int {
	t.Helper()
	res, err := raw(t, o).ListMultipartUploads(context.WithoutCancel(t.Context()), o.Bucket, o.Prefix, "", "", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	return len(res.Uploads)
}

func keys(t testing.TB, d *s3.Driver, prefix string) []string {
	t.Helper()
	var out []string
	if err := d.List(t.Context(), prefix, func(i blob.Info) bool { out = append(out, i.Key); return true }); err != nil {
		t.Fatal(err)
	}
	return out
}

func get(t testing.TB, d *s3.Driver, key string) ([]byte, error) {
	t.Helper()
	r, err := d.Get(t.Context(), key)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

func TestConformance(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Driver {
		o := options(t)
		t.Cleanup(func() {
			if n := uploads(t, o); n != 0 {
				t.Errorf("%d unfinished uploads are left", n)
			}
		})
		return open(t, o)
	})
}

// Two drivers on one prefix, as two processes have them, race with uploads in parts: one wins each key.
func TestLargeBlobsHaveOneWinner(t *testing.T) {
	t.Parallel()
	o := options(t)
	drivers := []*s3.Driver{open(t, o), open(t, o)}
	const size = s3.MinPart + 1
	for round := range 3 {
		key := fmt.Sprintf("usr_1/large_%d", round)
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() {
				errs[i] = drivers[i%2].Put(t.Context(), key, bytes.NewReader(blobtest.Pattern(size, byte(i))), -1)
			})
		}
		wg.Wait()
		winner := -1
		for i, err := range errs {
			switch {
			case err == nil && winner < 0:
				winner = i
			case !errors.Is(err, blob.ErrExists):
				t.Fatalf("writer %d: %v, want ErrExists", i, err)
			}
		}
		if winner < 0 {
			t.Fatal("nobody won")
		}
		if got, err := get(t, drivers[1], key); err != nil || !bytes.Equal(got, blobtest.Pattern(size, byte(winner))) {
			t.Fatalf("%d bytes, %v: not what the winner put", len(got), err)
		}
	}
	if n := uploads(t, o); n != 0 {
		t.Fatalf("%d unfinished uploads are left", n)
	}
}

func TestSizesAroundParts(t *testing.T) {
	t.Parallel()
	o := options(t)
	d := open(t, o)
	for _, n := range []int{s3.MinPart - 1, s3.MinPart, s3.MinPart + 1, 2 * s3.MinPart, 2*s3.MinPart + 7} {
		for _, size := range []int64{-1, int64(n)} {
			key, data := fmt.Sprintf("usr_1/%d_%d", n, size+1), blobtest.Pattern(n, 1)
			if err := d.Put(t.Context(), key, bytes.NewReader(data), size); err != nil {
				t.Fatalf("%s: %v", key, err)
			}
			if got, err := get(t, d, key); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%s: %d bytes, %v", key, len(got), err)
			}
			if info, err := d.Stat(t.Context(), key); err != nil || info.Size != int64(n) {
				t.Fatalf("%s: Stat = %+v, %v", key, info, err)
			}
		}
	}
	for _, size := range []int64{1, 2*s3.MinPart - 1, 2*s3.MinPart + 1, 1 << 40} {
		err := d.Put(t.Context(), "usr_1/wrong", bytes.NewReader(blobtest.Pattern(2*s3.MinPart, 1)), size)
		if !errors.Is(err, blob.ErrSize) {
			t.Fatalf("%d bytes announced as %d: %v, want ErrSize", 2*s3.MinPart, size, err)
		}
	}
	if got := keys(t, d, "usr_1/wrong"); len(got) != 0 || uploads(t, o) != 0 {
		t.Fatalf("left %q and %d uploads", got, uploads(t, o))
	}
}

// A list goes over more than one page, names each blob once and nothing that is not a blob.
func TestListPages(t *testing.T) {
	t.Parallel()
	o := options(t)
	d := open(t, o)
	const n = 2345
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := w; i < n; i += 16 {
				if err := d.Put(t.Context(), fmt.Sprintf("usr_%d/file-%d", i%3, i), strings.NewReader("x"), 1); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, foreign := range []string{"/usr_1/foreign", "/usr_1/UPPER~", "/@probe-x", "elsewhere~"} {
		if _, err := raw(t, o).PutObject(t.Context(), o.Bucket, o.Prefix+foreign, strings.NewReader("?"), 1, "", "", minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	got := keys(t, d, "")
	slices.Sort(got)
	if distinct := len(slices.Compact(slices.Clone(got))); len(got) != n || distinct != n {
		t.Fatalf("%d blobs listed, %d of them distinct, want %d", len(got), distinct, n)
	}
	if got := keys(t, d, "usr_1/"); len(got) != (n+1)/3 {
		t.Fatalf("%d of usr_1, want %d", len(got), (n+1)/3)
	}
	seen := 0 // deleting while listing loses no page
	err := d.List(t.Context(), "", func(i blob.Info) bool { seen++; return d.Delete(t.Context(), i.Key) == nil })
	if err != nil || seen != n || len(keys(t, d, "")) != 0 {
		t.Fatalf("%d of %d while deleting, %v", seen, n, err)
	}
}

// What cannot be right is told at once, by the setting's name.
func TestOpenErrors(t *testing.T) {
	t.Parallel()
	good := s3.Options{URL: "http://127.0.0.1:1", Bucket: "lukasa"}
	for name, c := range map[string]struct {
		change func(*s3.Options)
		field  string
	}{
		"no address": {func(o *s3.Options) { o.URL = "" }, "blob.url"},
		"no scheme":  {func(o *s3.Options) { o.URL = "s3.example.com" }, "blob.url"},
		"password":   {func(o *s3.Options) { o.URL = "https://a:hunter2@s3.example.com" }, "blob.url"},
		"path":       {func(o *s3.Options) { o.URL = "https://s3.example.com/bucket" }, "blob.url"},
		"no bucket":  {func(o *s3.Options) { o.Bucket = "" }, "blob.bucket"},
		"half a key": {func(o *s3.Options) { o.AccessKey = "x" }, "blob.access_key"},
		"prefix":     {func(o *s3.Options) { o.Prefix = "../x" }, "blob.prefix"},
	} {
		o := good
		c.change(&o)
		_, err := s3.Open(t.Context(), o)
		e, ok := errors.AsType[*lukasa.Error](err)
		if !ok || e.Code != lukasa.CodeInvalid || e.Field != c.field || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	good.PartSize = 1
	if _, err := s3.Open(t.Context(), good); err == nil {
		t.Error("parts of one byte were accepted")
	}
}

// Refusals of the real server end the start, each with what to do about it.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change     func(*s3.Options)
		says, hint string
	}{
		"secret":    {func(o *s3.Options) { o.SecretKey += "x" }, "refuses our keys", "blob.secret_key"},
		"key":       {func(o *s3.Options) { o.AccessKey += "x" }, "refuses our keys", "blob.access_key"},
		"no keys":   {func(o *s3.Options) { o.AccessKey, o.SecretKey = "", "" }, "refuses our keys", "blob.access_key"},
		"bucket":    {func(o *s3.Options) { o.Bucket = "nobody-made-this" }, `no bucket "nobody-made-this"`, "blob.bucket"},
		"region":    {func(o *s3.Options) { o.Region = "eu-west-9" }, "another region", "blob.region"},
		"transport": {func(o *s3.Options) { o.URL = strings.Replace(o.URL, "http:", "https:", 1) }, "no secure connection", "https://"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			c.change(&o)
			_, err := s3.Open(t.Context(), o)
			e, ok := errors.AsType[*lukasa.Error](err)
			if !ok || e.Code != lukasa.CodeStorage || !strings.Contains(e.Msg, c.says) || !strings.Contains(e.Hint, c.hint) {
				t.Fatalf("%+v: %v", e, err)
			}
		})
	}
}

// While the bucket is gone nothing is "not found": the engine would believe that a file is lost.
func TestBucketGone(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Bucket = "gone-" + strings.ToLower(rand.Text())
	core := raw(t, o)
	if err := core.MakeBucket(t.Context(), o.Bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	d, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := core.RemoveBucket(t.Context(), o.Bucket); err != nil {
		t.Fatal(err)
	}
	_, getErr := d.Get(t.Context(), "a/b")
	_, statErr := d.Stat(t.Context(), "a/b")
	for name, err := range map[string]error{
		"Get": getErr, "Stat": statErr, "Put": d.Put(t.Context(), "a/b", strings.NewReader("x"), 1),
		"List": d.List(t.Context(), "", func(blob.Info) bool { return true }), "Check": d.Check(t.Context()),
	} {
		if e, ok := errors.AsType[*lukasa.Error](err); !ok || e.Code != lukasa.CodeStorage || !strings.Contains(e.Msg, "no bucket") || errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A server that is away does not keep the program from starting; calls fail soon, and say when to try again.
func TestAway(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	d, err := s3.Open(t.Context(), s3.Options{
		URL: "http://127.0.0.1:1", Bucket: "lukasa", AccessKey: "k", SecretKey: "s", Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil || !strings.Contains(log.String(), "does not answer") {
		t.Fatalf("%v, log %q", err, log.String())
	}
	from := time.Now()
	for range 3 {
		_, getErr := d.Get(t.Context(), "a/b")
		_, statErr := d.Stat(t.Context(), "a/b")
		for name, err := range map[string]error{
			"Get": getErr, "Stat": statErr, "Put": d.Put(t.Context(), "a/b", strings.NewReader("x"), 1), "Delete": d.Delete(t.Context(), "a/b"),
			"List": d.List(t.Context(), "", func(blob.Info) bool { return true }), "Check": d.Check(t.Context()),
		} {
			e, ok := errors.AsType[*lukasa.Error](err)
			if !ok || e.Code != lukasa.CodeUnavailable || e.RetryAfter <= 0 || !errors.Is(err, blob.ErrAway) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if took := time.Since(from); took > 10*time.Second {
		t.Fatalf("18 calls took %v: the breaker did not open", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s3.Open(ctx, s3.Options{URL: "http://127.0.0.1:1", Bucket: "lukasa"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("Open of a cancelled context: %v", err)
	}
}

// A large Put holds a part in memory, not the blob.
func TestPutMemory(t *testing.T) {
	o := options(t)
	d := open(t, o)
	const size = 64 << 20
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most uint64
	left := int64(size)
	r := reader(func(p []byte) (int, error) {
		if left == 0 {
			return 0, io.EOF
		}
		if left%(8<<20) == 0 {
			runtime.ReadMemStats(&during)
			most = max(most, during.HeapAlloc-min(before.HeapAlloc, during.HeapAlloc))
		}
		n := min(int64(len(p)), left, 64<<10)
		left -= n
		return int(n), nil
	})
	if err := d.Put(t.Context(), "usr_1/large", r, -1); err != nil {
		t.Fatal(err)
	}
	if most > 4*s3.MinPart {
		t.Fatalf("a Put of 64 MiB in parts of 5 MiB took %d MiB", most>>20)
	}
}

type reader func([]byte) (int, error)

func (f reader) Read(p []byte) (int, error) { return f(p) }

func BenchmarkPutGet(b *testing.B) {
	o := options(b)
	o.PartSize = s3.DefaultPart
	blobtest.Benchmark(b, open(b, o))
}
