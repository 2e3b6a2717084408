package ingest

import (
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

const (
	maxTitle    = 500
	maxTag      = 100
	maxTags     = 100
	maxCustomID = 255
	maxURL      = 4096
)

// target reads the container of a write: none means the default node, or the root of a credential that is bound to one.
func target(sc lukasa.Scope, container string) (lukasa.Path, error) {
	if container == "" {
		if sc.Root != "" {
			return sc.Root, nil
		}
		return lukasa.DefaultPath, nil
	}
	p, err := lukasa.ParsePath(container)
	if err != nil {
		return "", err
	}
	return p, store.MayWrite(sc, p)
}

func (p *Path) validate(in *lukasa.NewDocument, now time.Time) error {
	given := 0
	for _, is := range []bool{in.Content != "", in.URL != "", len(in.Data) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return lukasa.Invalid("content", "give one of content, url and file, not several")
	case given == 0, in.Content != "" && blank(in.Content):
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "content", Msg: "is empty", Hint: "send the text to remember, a url or a file"}
	case utf8.RuneCountInString(in.Content) > p.opt.Limits.Characters:
		return &lukasa.Error{
			Code: lukasa.CodeTooLarge, Field: "content", Msg: "is over the limit of " + commas(p.opt.Limits.Characters) + " characters",
			Hint: "upload it as a file, or split it",
		}
	case int64(len(in.Data)) > p.opt.Limits.Bytes:
		return &lukasa.Error{Code: lukasa.CodeTooLarge, Field: "file", Msg: "is over the limit of " + commas(int(p.opt.Limits.Bytes)) + " bytes"}
	case in.ForgetAfter != nil && !in.ForgetAfter.After(now):
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "forget_after", Msg: "lies in the past", Hint: "give a time to come, like 2030-01-01T00:00:00Z"}
	case utf8.RuneCountInString(in.Title) > maxTitle:
		return lukasa.Invalid("title", "is over %d characters", maxTitle)
	case len(in.CustomID) > maxCustomID:
		return lukasa.Invalid("custom_id", "is over %d bytes", maxCustomID)
	}
	if err := checkURL("url", in.URL); err != nil {
		return err
	}
	if err := checkURL("source_url", in.SourceURL); err != nil {
		return err
	}
	return checkTags(in.Tags)
}

func checkURL(field, s string) error {
	if s == "" {
		return nil
	}
	if len(s) > maxURL {
		return lukasa.Invalid(field, "is over %d bytes", maxURL)
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return lukasa.Invalid(field, "is not an http or https address")
	}
	return nil
}

func checkTags(tags []string) error {
	if len(tags) > maxTags {
		return lukasa.Invalid("tags", "has %d entries, at most %d are allowed", len(tags), maxTags)
	}
	for _, t := range tags {
		if blank(t) || utf8.RuneCountInString(t) > maxTag {
			return lukasa.Invalid("tags", "holds a blank tag or one over %d characters", maxTag)
		}
	}
	return nil
}

// blank reports whether s shows nothing: only spaces, control and format characters.
func blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) && r != utf8.RuneError
	}) < 0
}

func commas(n int) string {
	s := ""
	for n >= 1000 {
		s = "," + string([]byte{byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)}) + s
		n /= 1000
	}
	digits := ""
	for ok := true; ok; ok = n > 0 {
		digits = string(rune('0'+n%10)) + digits
		n /= 10
	}
	return digits + s
}

// mergeTags returns the union in the order of first sight.
func mergeTags(a, b []string) ([]string, bool) {
	seen := make(map[string]bool, len(a)+len(b))
	out := make([]string, 0, len(a)+len(b))
	for _, list := range [][]string{a, b} {
		for _, t := range list {
			if !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
		}
	}
	return out, len(out) > len(a)
}
