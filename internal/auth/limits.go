package auth

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/cache"
)

// Allow takes one request from the user's bucket and one from the key's, or none from either. If one is empty, the error says when
// to come back. Buckets that nodes share are asked where there are any; while their server is away each node counts by itself.
func (a *Auth) Allow(sc lukasa.Scope) error {
	if sc.Unlimited || sc.Key == "" {
		return nil
	}
	a.mu.Lock()
	user, key := a.users[sc.Principal], a.limits[sc.Key]
	if key == nil && a.opt.PerMinute > 0 {
		key = rate.NewLimiter(rate.Limit(float64(a.opt.PerMinute)/60), a.opt.Burst)
		a.limits[sc.Key] = key
	}
	var perUser int
	if user != nil {
		perUser = user.Burst() // measure keeps it at a minute's requests
	}
	a.mu.Unlock()
	if err, known := a.allowShared(sc, perUser); known {
		return err
	}
	now := a.Mint.Now()
	taken, wait := take(user, now)
	if wait > 0 {
		return tooMany(true, wait)
	}
	if _, wait := take(key, now); wait > 0 {
		if taken != nil {
			taken.CancelAt(now)
		}
		return tooMany(false, wait)
	}
	return nil
}

// allowShared asks the buckets that nodes share. known is false where there are none, or where they do not answer: the driver
// finds that out quickly, and bounds the call by itself.
func (a *Auth) allowShared(sc lukasa.Scope, perUser int) (err error, known bool) { //nolint:staticcheck,revive // err is the answer, known says that there is one
	if a.Limits == nil {
		return nil, false
	}
	var buckets []cache.Bucket
	if perUser > 0 {
		buckets = append(buckets, cache.Bucket{Key: "user:" + string(sc.Principal), PerMinute: perUser, Burst: perUser})
	}
	if a.opt.PerMinute > 0 {
		buckets = append(buckets, cache.Bucket{Key: "key:" + string(sc.Key), PerMinute: a.opt.PerMinute, Burst: max(1, a.opt.Burst)})
	}
	empty, wait, failed := a.Limits.Take(context.Background(), buckets...) //nolint:forbidigo // the driver bounds the call by itself
	switch {
	case failed != nil:
		return nil, false //nolint:nilerr // it is no answer: this node counts by itself
	case empty < 0:
		return nil, true
	}
	return tooMany(perUser > 0 && empty == 0, wait), true
}

func tooMany(ofUser bool, wait time.Duration) error {
	if ofUser {
		return &lukasa.Error{
			Code: lukasa.CodeLimited, Msg: "too many requests of this user", RetryAfter: wait,
			Hint: "wait as Retry-After says, or let an admin raise the limit (settings.limits.requests)",
		}
	}
	return &lukasa.Error{
		Code: lukasa.CodeLimited, Msg: "too many requests with this key", RetryAfter: wait,
		Hint: "wait as Retry-After says, or lift the limit with LUKASA_RATE_LIMIT",
	}
}

// take takes one from a bucket and returns what gives it back, or how long until there is one. No bucket is never empty.
func take(l *rate.Limiter, now time.Time) (*rate.Reservation, time.Duration) {
	if l == nil {
		return nil, 0
	}
	r := l.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return r, wait
}
