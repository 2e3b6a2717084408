package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
	"github.com/lukasa-memory/lukasa/internal/blob/s3"
)

const large = s3.MinPart + 100_000

// Whatever happens to single requests, every call does its work in the end, and exactly once.
func TestFaultsPass(t *testing.T) {
	t.Parallel()
	for _, what := range []fate{slowDown, broken, cut, lost, half, nothing} {
		for _, of := range []string{"put", "get", "head", "delete", "list", "initiate", "part", "complete"} {
			if bodiless := []string{"put", "head", "delete", "part"}; (what == half || what == nothing) && slices.Contains(bodiless, of) {
				continue // their answers have no body that could break off
			}
			t.Run(fmt.Sprintf("%s/%d", of, what), func(t *testing.T) {
				t.Parallel()
				o, p := between(t, passes)
				d := open(t, o)
				if err := d.Put(t.Context(), "usr_1/before", strings.NewReader("before"), 6); err != nil {
					t.Fatal(err)
				}
				p.decide(first(2, of, what))
				small, big := blobtest.Pattern(1000, 1), blobtest.Pattern(large, 2)
				if err := d.Put(t.Context(), "usr_1/small", bytes.NewReader(small), -1); err != nil {
					t.Fatal(err)
				}
				if err := d.Put(t.Context(), "usr_1/large", bytes.NewReader(big), -1); err != nil {
					t.Fatal(err)
				}
				for key, want := range map[string][]byte{"usr_1/small": small, "usr_1/large": big} {
					if got, err := get(t, d, key); err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%s: %d bytes, %v", key, len(got), err)
					}
					if info, err := d.Stat(t.Context(), key); err != nil || info.Size != int64(len(want)) {
						t.Fatalf("%s: %+v, %v", key, info, err)
					}
					if err := d.Put(t.Context(), key, strings.NewReader("again"), -1); !errors.Is(err, blob.ErrExists) {
						t.Fatalf("second Put of %s: %v, want ErrExists", key, err)
					}
				}
				if err := d.Delete(t.Context(), "usr_1/before"); err != nil {
					t.Fatal(err)
				}
				if got := keys(t, d, ""); !slices.Equal(got, []string{"usr_1/large", "usr_1/small"}) {
					t.Fatalf("List = %q", got)
				}
				if p.count(of) < 3 {
					t.Fatalf("%d requests of kind %s: the fault was not met", p.count(of), of)
				}
			})
		}
	}
}

// A server that goes on asking to slow down is an error that says when to try again, after a few tries, and nothing is left.
func TestFaultsStay(t *testing.T) {
	t.Parallel()
	for _, what := range []fate{slowDown, broken, cut} {
		for _, of := range []string{"put", "initiate", "part", "complete"} {
			t.Run(fmt.Sprintf("%s/%d", of, what), func(t *testing.T) {
				t.Parallel()
				o, p := between(t, passes)
				o.Retry.BreakerFailures = 100 // so that what is left behind can be looked at
				d := open(t, o)
				if err := d.Put(t.Context(), "usr_1/before", strings.NewReader("before"), 6); err != nil {
					t.Fatal(err)
				}
				p.decide(first(1000, of, what))
				size := large
				if of == "put" {
					size = 1000
				}
				err := d.Put(t.Context(), "usr_1/new", bytes.NewReader(blobtest.Pattern(size, 1)), -1)
				e, ok := errors.AsType[*lukasa.Error](err)
				if !ok || e.Code != lukasa.CodeUnavailable || e.RetryAfter <= 0 || !errors.Is(err, blob.ErrAway) {
					t.Fatalf("%v", err)
				}
				if n := p.count(of); n != 4 {
					t.Errorf("%d tries, want 4", n)
				}
				if got := keys(t, d, ""); len(got) != 1 || uploads(t, o) != 0 {
					t.Errorf("left %q and %d uploads", got, uploads(t, o))
				}
				if got, err := get(t, d, "usr_1/before"); err != nil || string(got) != "before" {
					t.Errorf("reads do not go on: %q, %v", got, err)
				}
				p.decide(passes)
				if err := d.Put(t.Context(), "usr_1/new", strings.NewReader("x"), 1); err != nil {
					t.Errorf("the key is burnt: %v", err)
				}
			})
		}
	}
}

// A write whose every answer is lost has succeeded, if it has: its id says so.
func TestEveryAnswerIsLost(t *testing.T) {
	t.Parallel()
	for of, size := range map[string]int{"put": 1000, "complete": large} {
		o, p := between(t, passes)
		o.Retry.BreakerFailures = 100
		d := open(t, o)
		if err := d.Put(t.Context(), "usr_1/taken", strings.NewReader("other"), 5); err != nil {
			t.Fatal(err)
		}
		p.decide(first(1000, of, lost))
		data := blobtest.Pattern(size, 1)
		if err := d.Put(t.Context(), "usr_1/new", bytes.NewReader(data), -1); err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		if got, err := get(t, d, "usr_1/new"); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%s: %d bytes, %v", of, len(got), err)
		}
		if err := d.Put(t.Context(), "usr_1/taken", bytes.NewReader(data), -1); !errors.Is(err, blob.ErrExists) {
			t.Fatalf("%s over another's: %v, want ErrExists", of, err)
		}
		if got, err := get(t, d, "usr_1/taken"); err != nil || string(got) != "other" {
			t.Fatalf("another's was overwritten: %d bytes, %v", len(got), err)
		}
	}
}

// A body that breaks off is read on from where it did.
func TestResume(t *testing.T) {
	t.Parallel()
	o, p := between(t, passes)
	o.Timeout = soon
	d := open(t, o)
	data := blobtest.Pattern(1<<20, 1)
	if err := d.Put(t.Context(), "usr_1/x", bytes.NewReader(data), -1); err != nil {
		t.Fatal(err)
	}
	for name, fates := range map[string][]fate{
		"twice": {half, half}, "seven times": slices.Repeat([]fate{half}, 7), "no byte": {nothing, nothing}, "stalls": {stalls},
		"stalls and breaks": {half, stalls}, "no ranges": {half, whole},
	} {
		n := 0
		p.decide(func(r *http.Request) fate {
			if kind(r) == "get" && n < len(fates) {
				n++
				return fates[n-1]
			}
			return pass
		})
		if got, err := get(t, d, "usr_1/x"); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if want := len(fates); n != want {
			t.Errorf("%s: %d faults met, want %d", name, n, want)
		}
	}
	p.decide(func(r *http.Request) fate {
		if kind(r) == "get" {
			return nothing
		}
		return pass
	})
	if got, err := get(t, d, "usr_1/x"); !errors.Is(err, blob.ErrAway) || len(got) != 0 {
		t.Errorf("no byte ever: %d bytes, %v, want ErrAway", len(got), err)
	}
	if n := p.count("get"); n != 4 {
		t.Errorf("%d tries without a byte, want 4", n)
	}
}

// A blob that was replaced meanwhile is not pieced together from two.
func TestResumeOfAnother(t *testing.T) {
	t.Parallel()
	o, p := between(t, passes)
	d := open(t, o)
	if err := d.Put(t.Context(), "usr_1/x", bytes.NewReader(blobtest.Pattern(1<<20, 1)), -1); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"other": func() error {
			return errors.Join(d.Delete(t.Context(), "usr_1/x"), d.Put(t.Context(), "usr_1/x", bytes.NewReader(blobtest.Pattern(1<<20, 2)), -1))
		},
		"gone": func() error { return d.Delete(t.Context(), "usr_1/x") },
	} {
		p.decide(first(1, "get", half))
		r, err := d.Get(t.Context(), "usr_1/x")
		if err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(r); err == nil || len(data) > 1<<19 {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := r.Read(make([]byte, 1)); err == nil {
			t.Error("read after close")
		}
		p.decide(passes)
		_ = d.Delete(t.Context(), "usr_1/x")
		if err := d.Put(t.Context(), "usr_1/x", bytes.NewReader(blobtest.Pattern(1<<20, 1)), -1); err != nil {
			t.Fatal(err)
		}
	}
}

// A server that says nothing is given up after a while, and at once when the caller goes.
func TestSilence(t *testing.T) {
	t.Parallel()
	o, p := between(t, passes)
	o.Timeout = soon
	o.Retry.Attempts = 2
	o.Retry.BreakerFailures = 100
	d := open(t, o)
	if err := d.Put(t.Context(), "usr_1/x", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	p.decide(func(*http.Request) fate { return silent })
	from := time.Now()
	_, getErr := d.Get(t.Context(), "usr_1/x")
	_, statErr := d.Stat(t.Context(), "usr_1/x")
	for name, err := range map[string]error{
		"Get": getErr, "Stat": statErr, "Delete": d.Delete(t.Context(), "usr_1/x"), "Put": d.Put(t.Context(), "usr_1/y", strings.NewReader("x"), 1),
		"List": d.List(t.Context(), "", func(blob.Info) bool { return true }), "Check": d.Check(t.Context()),
	} {
		if !errors.Is(err, blob.ErrAway) || lukasa.CodeOf(err) != lukasa.CodeUnavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	if took := time.Since(from); took > 20*soon {
		t.Errorf("took %v", took)
	}
	ctx, cancel := context.WithTimeout(t.Context(), soon/8)
	defer cancel()
	if _, err := d.Get(ctx, "usr_1/x"); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, blob.ErrAway) {
		t.Errorf("Get of one who has no time: %v", err)
	}
	p.decide(passes)
}

// Lists of several pages survive faults between them.
func TestListPagesThroughFaults(t *testing.T) {
	t.Parallel()
	o, p := between(t, passes)
	o.Retry.BreakerFailures = 100
	d := open(t, o)
	core := raw(t, p.o)
	const n = 1100
	for i := range n {
		if _, err := core.PutObject(t.Context(), o.Bucket, fmt.Sprintf("%s/usr_1/%04d~", o.Prefix, i), strings.NewReader("x"), 1, "", "", minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	fates, at := []fate{half, slowDown, pass, broken, half, cut}, 0
	p.decide(func(r *http.Request) fate {
		if kind(r) == "list" && at < len(fates) {
			at++
			return fates[at-1]
		}
		return pass
	})
	got := keys(t, d, "usr_1/")
	if len(got) != n || !slices.IsSorted(got) || len(slices.Compact(got)) != n || at != len(fates) {
		t.Fatalf("%d names, %d faults met", len(got), at)
	}
}

// A clock that is wrong is told as what it is.
func TestClockSkew(t *testing.T) {
	t.Parallel()
	o, _ := between(t, func(*http.Request) fate { return skewed })
	_, err := s3.Open(t.Context(), o)
	e, ok := errors.AsType[*lukasa.Error](err)
	if !ok || e.Code != lukasa.CodeStorage || !strings.Contains(e.Msg, "clock") || !strings.Contains(e.Hint, "NTP") {
		t.Fatalf("%v", err)
	}
}

// On a server that does not know conditions the suite passes too, within one process, and the log warns.
func TestServersWithoutConditions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put, complete fate
		says          string
	}{
		"ignores all": {ignored, ignored, "simple=false multipart=false"}, "refuses all": {refused, refused, "simple=false"},
		"ignores multipart": {pass, ignored, "simple=true multipart=false"}, "refuses multipart": {pass, refused, "simple=true multipart=false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			driver := func(t *testing.T) blob.Driver {
				o, _ := between(t, func(r *http.Request) fate {
					switch {
					case r.Header.Get("If-None-Match") == "":
						return pass
					case kind(r) == "complete":
						return c.complete
					}
					return c.put
				})
				var log bytes.Buffer
				o.Log = slog.New(slog.NewTextHandler(&log, nil))
				d := open(t, o)
				data := blobtest.Pattern(large, 1)
				for _, want := range []error{nil, blob.ErrExists} {
					if err := d.Put(t.Context(), "usr_1/large", bytes.NewReader(data), -1); !errors.Is(err, want) {
						t.Fatalf("%v, want %v", err, want)
					}
				}
				if err := d.Delete(t.Context(), "usr_1/large"); err != nil || strings.Count(log.String(), c.says) != 1 {
					t.Fatalf("%v, log %q", err, log.String())
				}
				return d
			}
			if c.put == ignored { // the slowest, as it needs most looks
				blobtest.Run(t, driver)
			} else {
				driver(t)
			}
		})
	}
}

// Towards a server that knows conditions, every request that makes a blob visible carries one.
func TestConditionsAreSent(t *testing.T) {
	t.Parallel()
	sent := map[string]int{}
	o, p := between(t, passes)
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	d := open(t, o)
	p.decide(func(r *http.Request) fate {
		if !strings.Contains(r.URL.Path, "@probe") {
			sent[kind(r)+r.Header.Get("If-None-Match")]++
		}
		return pass
	})
	for key, size := range map[string]int{"usr_1/small": 10, "usr_1/large": large} {
		if err := d.Put(t.Context(), key, bytes.NewReader(blobtest.Pattern(size, 1)), -1); err != nil {
			t.Fatal(err)
		}
	}
	p.decide(passes)
	if sent["put*"] != 1 || sent["complete*"] != 1 || sent["put"] != 0 || sent["complete"] != 0 || log.Len() != 0 {
		t.Fatalf("sent %v, log %q", sent, log.String())
	}
}
