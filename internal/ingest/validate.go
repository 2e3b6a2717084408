package ingest

import (
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
)

const (
	maxTitle    = 500
	maxCustomID = 255
	maxURL      = 4096
)

func (p *Path) validate(in *lukasa.NewDocument, now time.Time, kept bool) error {
	given := 0
	for _, is := range []bool{in.Content != "", in.URL != "", len(in.Data) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return lukasa.Invalid("content", "give one of content, url and file, not several")
	case given == 0, in.Content != "" && text.Blank(in.Content):
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "content", Msg: "is empty", Hint: "send the text to remember, a url or a file"}
	case !kept && utf8.RuneCountInString(in.Content) > p.opt.Limits.Characters:
		return &lukasa.Error{
			Code: lukasa.CodeTooLarge, Field: "content", Msg: "is over the limit of " + text.Thousands(p.opt.Limits.Characters) + " characters",
			Hint: "upload it as a file, or split it",
		}
	case int64(len(in.Data)) > p.opt.Limits.Bytes:
		return &lukasa.Error{Code: lukasa.CodeTooLarge, Field: "file", Msg: "is over the limit of " + text.Thousands(int(p.opt.Limits.Bytes)) + " bytes"}
	case in.ForgetAfter != nil && !in.ForgetAfter.After(now):
		return pastTime("forget_after")
	case utf8.RuneCountInString(in.Title) > maxTitle:
		return lukasa.Invalid("title", "is over %d characters", maxTitle)
	case len(in.CustomID) > maxCustomID:
		return lukasa.Invalid("custom_id", "is over %d bytes", maxCustomID)
	}
	for field, s := range map[string]string{"title": in.Title, "custom_id": in.CustomID} {
		if err := store.CheckText(field, s); err != nil {
			return err
		}
	}
	if err := checkURL("url", in.URL); err != nil {
		return err
	}
	if err := checkURL("source_url", in.SourceURL); err != nil {
		return err
	}
	return store.CheckTags(in.Tags)
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

// over reports whether a moment has come.
func (p *Path) over(at *time.Time) bool { return at != nil && !at.After(p.now()) }

// pastTime is the error of a time to forget something that has come already.
func pastTime(field string) error {
	return &lukasa.Error{Code: lukasa.CodeInvalid, Field: field, Msg: "lies in the past", Hint: "give a time to come, like 2030-01-01T00:00:00Z"}
}
