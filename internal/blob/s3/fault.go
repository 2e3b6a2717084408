package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// A fault is what a failure means, whatever words a server has for it.
type fault int

const (
	odd      fault = iota // an answer that fits nowhere
	gaveUp                // the caller's context ended
	away                  // no answer, half an answer, or one that says that the server is ill
	slow                  // too many requests
	conflict              // another request on this name is under way
	absent                // no object of this name
	stale                 // no upload of this id
	taken                 // the condition "no such object yet" does not hold
	full                  // quota or medium
	denied                // keys or rights
	clock                 // our time and the server's differ too much
	region                // the bucket is elsewhere
	bucket                // there is no such bucket
	insecure              // TLS: a certificate that is not trusted, or no TLS at all
	unknown               // the server does not know what was asked of it
)

// faults are the codes of S3 and of servers that speak like it.
func faults(code string) (fault, bool) {
	switch code {
	case "NoSuchKey":
		return absent, true
	case "NoSuchUpload":
		return stale, true
	case "NoSuchBucket", "InvalidBucketName":
		return bucket, true
	case "PreconditionFailed":
		return taken, true
	case "ConditionalRequestConflict", "OperationAborted",
		"ExistingObjectIsDirectory", "ObjectParentIsFile": // of servers that keep files, while another request removes the folder
		return conflict, true
	case "SlowDown", "SlowDownRead", "SlowDownWrite", "Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled", "TooManyRequests":
		return slow, true
	case "InternalError", "ServiceUnavailable", "RequestTimeout", "BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch":
		return away, true // the last three: what we sent was damaged or cut off on its way
	case "RequestTimeTooSkewed":
		return clock, true
	case "AuthorizationHeaderMalformed", "InvalidRegion", "PermanentRedirect", "IllegalLocationConstraintException":
		return region, true
	case "InvalidAccessKeyId", "InvalidAccessKeyID", "XAdminUserNotFound", "SignatureDoesNotMatch", "AccessDenied", "AllAccessDisabled", "AccountProblem", "InvalidSecurity", "ExpiredToken", "InvalidToken":
		return denied, true
	case "QuotaExceeded", "QuotaExceededException", "InsufficientStorage", "StorageFull", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded",
		"NoSpaceLeftOnDevice", "DiskFull", "EntityTooLarge":
		return full, true
	case "NotImplemented":
		return unknown, true
	}
	return odd, false
}

// ended marks the end of the caller's context, which says nothing about the server.
type ended struct{ error }

func (e ended) Unwrap() error { return e.error }

// gave tells a failure because the caller's context ended from one because a try took too long.
func gave(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if _, ok := errors.AsType[minio.ErrorResponse](err); ok {
		return err // the server said something first
	}
	return ended{ctx.Err()}
}

func faultOf(err error) fault {
	if _, ok := errors.AsType[ended](err); ok {
		return gaveUp
	}
	res, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok {
		return transportFault(err)
	}
	if f, ok := faults(res.Code); ok {
		return f
	}
	switch s := res.StatusCode; {
	case s == http.StatusTooManyRequests:
		return slow
	case s == http.StatusPreconditionFailed:
		return taken
	case s == http.StatusInsufficientStorage:
		return full
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		return denied
	case s == http.StatusMovedPermanently || s == http.StatusTemporaryRedirect || s == http.StatusPermanentRedirect:
		return region
	case s == http.StatusNotImplemented:
		return unknown
	case s >= 500 || s == http.StatusRequestTimeout || s == http.StatusOK: // an error that comes with 200 was found too late
		return away
	}
	return odd
}

// transportFault judges a failure without a complete answer.
func transportFault(err error) fault {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return insecure
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return insecure
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return insecure
	}
	return away
}

// judge says what a failure means for further tries and for the breaker.
func judge(err error) wire.Verdict {
	switch faultOf(err) {
	case gaveUp:
		return wire.Verdict{GaveUp: true}
	case away:
		return wire.Verdict{Again: true, Fault: true}
	case slow, conflict:
		return wire.Verdict{Again: true}
	}
	return wire.Verdict{}
}

// open is the error of a call that the breaker does not let through.
func open(after time.Duration) error {
	return &lukasa.Error{
		Code: lukasa.CodeUnavailable, Msg: "the file store failed too often and is left alone for a while", Hint: awayHint,
		RetryAfter: max(after, minRetry), Err: fmt.Errorf("%w: %w", blob.ErrAway, wire.ErrOpen),
	}
}

const awayHint = "search and everything that needs no file goes on meanwhile; try again later"

// translate turns a failure into the words of the port and of the product.
func (d *Driver) translate(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*lukasa.Error](err); ok {
		return err
	}
	err = gave(ctx, err)
	fail := func(msg, hint string) error {
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: msg, Hint: hint, Err: err}
	}
	switch faultOf(err) {
	case absent:
		return fmt.Errorf("%w: %w", blob.ErrNotFound, err)
	case taken:
		return fmt.Errorf("%w: %w", blob.ErrExists, err)
	case full:
		return fmt.Errorf("%w: %w", blob.ErrFull, err)
	case away, conflict, stale:
		return &lukasa.Error{
			Code: lukasa.CodeUnavailable, Msg: "the file store does not answer", Hint: awayHint,
			RetryAfter: breakerDelay, Err: fmt.Errorf("%w: %w", blob.ErrAway, err),
		}
	case slow:
		return &lukasa.Error{
			Code: lukasa.CodeUnavailable, Msg: "the file store has too much to do", Hint: awayHint,
			RetryAfter: breakerDelay, Err: fmt.Errorf("%w: %w", blob.ErrAway, err),
		}
	case denied:
		return fail("the file store refuses our keys", "check blob.access_key and blob.secret_key, and that they may list, read, write and delete in bucket "+d.bucket)
	case clock:
		return fail("the file store says that our clock is wrong", "set this machine's clock, for example by NTP; a quarter of an hour is the most that S3 accepts")
	case region:
		hint := "set blob.region to the bucket's"
		if res, ok := errors.AsType[minio.ErrorResponse](err); ok && res.Region != "" {
			hint = fmt.Sprintf("set blob.region to %q", res.Region)
		}
		return fail("the bucket is in another region", hint)
	case bucket:
		return fail(fmt.Sprintf("there is no bucket %q at %s", d.bucket, d.host), "make it, or correct blob.bucket and blob.url")
	case insecure:
		return fail("no secure connection to the file store", "check that blob.url begins with https:// only if the server speaks it, and that its certificate is one that this machine trusts")
	case odd, unknown:
		return &lukasa.Error{Code: lukasa.CodeExternal, Msg: "the file store answered what we do not understand", Hint: "its answer is in the log", Err: err}
	case gaveUp:
	}
	return err
}
