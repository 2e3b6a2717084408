package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// When reads an ISO 8601 date or time, or a time from now on, like 90m, 12h or 30d.
func When(field, s string, now time.Time) (*time.Time, error) {
	if s == "" {
		return nil, nil
	}
	t, err := lukasa.ParseTime(s)
	if err == nil {
		return &t, nil
	}
	if ahead, ok := parseSpan(s); ok {
		t = now.Add(ahead).UTC()
		return &t, nil
	}
	return nil, &lukasa.Error{
		Code: lukasa.CodeInvalid, Field: field, Msg: fmt.Sprintf("%q is not a time", s),
		Hint: "give a date like 2030-01-31, a time like 2030-01-31T10:00:00Z, or how long from now: 90m, 12h, 30d",
	}
}

// Moment reads an ISO 8601 date or time, or how long ago that was, like 90m, 12h or 30d. "" is the zero time.
func Moment(field, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := lukasa.ParseTime(s); err == nil {
		return t, nil
	}
	if ago, ok := parseSpan(s); ok {
		return time.Now().Add(-ago).UTC(), nil
	}
	return time.Time{}, &lukasa.Error{
		Code: lukasa.CodeInvalid, Field: field, Msg: fmt.Sprintf("%q is not a moment", s),
		Hint: "give a date like 2026-01-31, a time like 2026-01-31T10:00:00Z, or how long ago: 90m, 12h, 30d",
	}
}

// Perhaps makes nil of a moment that is not there.
func Perhaps(t time.Time, err error) (*time.Time, error) {
	if t.IsZero() {
		return nil, err
	}
	return &t, err
}

// maxSpan is the longest span.
const maxSpan = 100 * 366 * 24 * time.Hour

// parseSpan reads a span of time, in days too.
func parseSpan(s string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(days + "h")
		if err != nil || strings.ContainsAny(days, "hmsuµn") || d <= 0 || d > maxSpan/24 {
			return 0, false
		}
		return 24 * d, true
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d > 0 && d <= maxSpan
}
