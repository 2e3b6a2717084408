// Package s3 keeps blobs as objects in a bucket of any server that speaks the S3 protocol.
//
// # Names
//
// The blob "usr_1/doc_7/v1" is the object PREFIX + "usr_1/doc_7/v1~". No key of the port contains "~", so no object's name is
// the folder of another's ("a~" beside "a/b~"), which servers that keep objects as files cannot hold; and an object without
// it is not ours: it is neither listed nor touched. All blobs of an owner share a beginning.
//
// # Writing
//
// What fits into one part (8 MiB, unless [Options.PartSize] says otherwise) is one request; the server shows it whole or not at
// all. Anything longer is a multipart upload, one part after another through one buffer, so a Put takes at most a part's memory
// (and half as much again while the buffer grows); it becomes visible when it is completed. After an error the upload is
// aborted; what a killed process leaves is invisible and goes with the next [Driver.Sweep] that finds it a day old.
//
// Both ways end in a request with "If-None-Match: *", so the server itself refuses a name that is taken. Each Put carries an id
// of its own in the object's metadata: where an answer was lost and the next try is told that the name is taken, or no try is
// answered at all, the id says whether it was we who took it. Only when the server can not even be asked that does a Put return
// an error for content that may be there nevertheless, as an orphan.
//
// Whether a server knows that condition, for simple and for multipart writes, is tried out before the first Put of a
// process. On one that does not, a look stands before the write and another behind it: within one process exactly one Put of
// a key still succeeds, but of two processes that put one key at the same instant both may be told so; one content stays,
// whole. The log warns about it.
package s3

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

const (
	// DefaultPart is the size of a part, and the memory that a large Put takes.
	DefaultPart = 8 << 20

	// MinPart is the smallest part that S3 accepts, but for the last.
	MinPart = 5 << 20

	// maxParts is how many parts S3 allows; with 8 MiB each that is 78 GiB.
	maxParts = 10_000

	// orphanAge is how old an unfinished upload must be before a sweep takes it: a Put may be filling it.
	orphanAge = 24 * time.Hour

	checkTime    = 5 * time.Second // for the look at the server while the house is built
	settleTime   = 5 * time.Second // for finding out what became of a write, and for tidying up after it
	dialTime     = 2 * time.Second
	transferTime = 5 * time.Minute // for one try of one part
	breakerDelay = 10 * time.Second
	minRetry     = time.Second // the least that Retry-After says

	suffix  = "~"       // ends the name of every blob
	probing = "@probe-" // begins the names of objects that try out what the server knows
)

// Options say where the bucket is. URL and Bucket are required.
type Options struct {
	URL       string // the server: "https://s3.eu-central-1.amazonaws.com", "http://127.0.0.1:9000"
	Bucket    string // it must be there
	Region    string // "": us-east-1, which servers other than Amazon's take too
	AccessKey string // both keys empty: requests are not signed
	SecretKey string
	Prefix    string // begins the name of every object, a key of the port; a slash is added: "lukasa", "prod/files"

	// HostStyle puts the bucket's name before the host's instead of into the path; Amazon's hosts are addressed so anyway.
	HostStyle bool

	PartSize int64         // bytes, at least [MinPart]; 0: [DefaultPart]
	Timeout  time.Duration // how long the server may say nothing; 0: 30 s
	Retry    wire.Policy   // zero: 4 tries, 0.2 s doubling to 5 s with a third of jitter, a breaker of 5 failures and 10 s

	Now func() time.Time // nil: time.Now
	Log *slog.Logger     // nil: nothing is logged
}

// Driver is a [blob.Driver] on a bucket. Any number of Drivers in any number of processes may share one prefix.
type Driver struct {
	core    *minio.Core
	http    *http.Transport
	retry   *wire.Retrier
	log     *slog.Logger
	host    string
	bucket  string
	prefix  string // "" or with a slash at its end
	part    int
	timeout time.Duration

	probe   chan struct{} // holds one token; whoever has it may read and write known and rules
	known   bool
	rules   conditions
	stripes [64]sync.Mutex // of keys, for servers without conditions
}

var (
	_ blob.Driver  = (*Driver)(nil)
	_ blob.Checker = (*Driver)(nil)
)

// Open returns a driver, looks once whether the server answers, and sweeps (see [Driver.Sweep]). A server that is away is a
// warning in the log, and each call then fails with an error that wraps [blob.ErrAway] until it is back; settings that cannot
// be right, keys that are refused, a bucket that is not there and a clock that is wrong are errors.
func Open(ctx context.Context, o Options) (*Driver, error) {
	d, err := newDriver(o)
	if err != nil {
		return nil, err
	}
	err = d.Check(ctx)
	switch {
	case err == nil:
	case ctx.Err() == nil && errors.Is(err, blob.ErrAway):
		d.log.WarnContext(ctx, "the file store does not answer; large files can be neither written nor read until it does", "server", d.host, "err", err)
		return d, nil
	default:
		_ = d.Close()
		return nil, err
	}
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	look, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if _, err := d.Sweep(look, now()); err != nil {
		d.log.WarnContext(ctx, "cannot remove unfinished uploads from the bucket", "server", d.host, "err", err)
	}
	if v, err := d.core.GetBucketVersioning(look, d.bucket); err == nil && v.Enabled() {
		d.log.WarnContext(ctx, "the bucket keeps old versions, so deleted files stay in it until a rule of the bucket removes them", "bucket", d.bucket)
	}
	return d, nil
}

func newDriver(o Options) (*Driver, error) {
	u, err := address(o.URL)
	if err != nil {
		return nil, err
	}
	prefix := strings.Trim(o.Prefix, "/")
	switch {
	case o.Bucket == "":
		return nil, lukasa.Invalid("blob.bucket", "is empty")
	case (o.AccessKey == "") != (o.SecretKey == ""):
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "blob.access_key", Msg: "one of blob.access_key and blob.secret_key is missing", Hint: "give both, or neither"}
	case prefix != "" && blob.ValidateKey(prefix) != nil:
		return nil, lukasa.Invalid("blob.prefix", "%v", blob.ValidateKey(prefix))
	case o.PartSize != 0 && (o.PartSize < MinPart || o.PartSize > 1<<30):
		return nil, fmt.Errorf("open bucket: parts of %d bytes: S3 takes no fewer than %d, and we hold one in memory", o.PartSize, MinPart)
	}
	if prefix != "" {
		prefix += "/"
	}
	d := &Driver{
		log: o.Log, host: u.Host, bucket: o.Bucket, prefix: prefix, part: int(o.PartSize), timeout: o.Timeout,
		probe: make(chan struct{}, 1), http: transport(),
	}
	d.probe <- struct{}{}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if d.part == 0 {
		d.part = DefaultPart
	}
	if d.timeout <= 0 {
		d.timeout = 30 * time.Second
	}
	d.http.ResponseHeaderTimeout = d.timeout
	d.retry = wire.NewRetrier(policy(o.Retry), wire.Rules{Judge: judge, Open: open})
	style, region := minio.BucketLookupAuto, o.Region
	if o.HostStyle {
		style = minio.BucketLookupDNS
	}
	if region == "" {
		region = "us-east-1"
	}
	d.core, err = minio.NewCore(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), Secure: u.Scheme == "https",
		Transport: d.http, Region: region, BucketLookup: style, MaxRetries: 1, // the retrier tries again, not the library
	})
	if err != nil {
		return nil, lukasa.Invalid("blob.url", "%v", err)
	}
	return d, nil
}

// address reads the server's URL. Its error quotes no password.
func address(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "blob.url", Msg: "is not an http or https address", Hint: "like https://s3.eu-central-1.amazonaws.com"}
	case u.User != nil:
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "blob.url", Msg: "has a password in it", Hint: "use blob.access_key and blob.secret_key"}
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "blob.url", Msg: "has more in it than a host", Hint: "the bucket is blob.bucket, and a folder in it is blob.prefix"}
	}
	return u, nil
}

func policy(p wire.Policy) wire.Policy {
	if p.Attempts == 0 {
		p.Attempts = 4
	}
	if p.MinDelay == 0 {
		p.MinDelay = 200 * time.Millisecond
	}
	if p.Jitter == 0 {
		p.Jitter = 1.0 / 3
	}
	if p.BreakerDelay == 0 {
		p.BreakerDelay = breakerDelay
	}
	return p
}

func transport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialTime, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 2 * dialTime,
		IdleConnTimeout:     time.Minute,
		MaxIdleConnsPerHost: 32,
		DisableCompression:  true, // bytes come as they were put
		ForceAttemptHTTP2:   true,
	}
}

// Close gives up connections that are idle. The driver may be used on.
func (d *Driver) Close() error {
	d.http.CloseIdleConnections()
	return nil
}

// Check implements [blob.Checker]: one request, no second try, 5 s at most.
func (d *Driver) Check(ctx context.Context) error {
	look, cancel := context.WithTimeout(ctx, min(checkTime, d.timeout))
	defer cancel()
	var err error
	none := true
	for o := range d.core.ListObjectsIter(look, d.bucket, minio.ListObjectsOptions{Prefix: d.prefix, Recursive: true, MaxKeys: 1}) {
		none, err = false, o.Err
		break
	}
	if none {
		err = look.Err()
	}
	if err != nil {
		return fmt.Errorf("check bucket %s: %w", d.bucket, d.translate(ctx, err))
	}
	return nil
}

func (d *Driver) object(key string) string { return d.prefix + key + suffix }

// key is the opposite of object; it reports false for an object that is none of ours.
func (d *Driver) key(object string) (string, bool) {
	name, ours := strings.CutPrefix(object, d.prefix)
	name, blobs := strings.CutSuffix(name, suffix)
	return name, ours && blobs && blob.ValidateKey(name) == nil
}

func check(ctx context.Context, key string) error {
	if err := blob.ValidateKey(key); err != nil {
		return err
	}
	return ctx.Err()
}

// do makes the tries of one call; each may take limit.
func (d *Driver) do(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	return d.retry.Do(ctx, func() error {
		try, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return gave(ctx, call(try))
	})
}
