package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// readJSON reads a body. What is no text would be kept as something else than was sent, and of a key that comes twice a part would be lost.
func readJSON(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errors.New("is not UTF-8")
	}
	err := json.Unmarshal(data, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fmt.Errorf("%s does not take the %s", wrong.Field, wrong.Value)
	}
	if _, first := v.(*any); first && err == nil { // huma reads it a second time into what it is for
		err = text.GivenTwice(data)
	}
	return err
}

// moment is a time in a request: an ISO 8601 date or time, with the offset that it was given with.
type moment struct {
	time.Time
	wrong error // why the text that was given is no time
}

// UnmarshalJSON reads an ISO 8601 date or time. "" means absent. What a text has wrong is kept for [moment.Resolve], which knows where
// in the request it stands.
func (m *moment) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if s == "" {
		return nil
	}
	t, err := lukasa.ParseTime(s)
	if local, bad := time.Parse(time.RFC3339Nano, s); err == nil && bad == nil {
		t = local
	}
	m.Time, m.wrong = t, err
	return nil
}

// bad reports whether a text that is no time was given.
func (m *moment) bad() bool { return m != nil && m.wrong != nil }

// Resolve names the field of a text that is no time. huma calls it for each moment of a body.
func (m *moment) Resolve(_ huma.Context, at *huma.PathBuffer) []error {
	if m.wrong == nil {
		return nil
	}
	wrong, _ := errors.AsType[*lukasa.Error](m.wrong)
	return []error{&huma.ErrorDetail{Location: at.String(), Message: wrong.Msg}}
}

// Schema describes the field.
func (moment) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "ISO 8601 date or time", Examples: []any{"2026-05-01T10:00:00Z"}}
}

func (m *moment) ptr() *time.Time {
	if m == nil || m.IsZero() {
		return nil
	}
	return new(m.UTC())
}

// clock is the time on the clock of who wrote it, by which "tomorrow" is read.
func (m *moment) clock() *time.Time {
	if m == nil || m.IsZero() {
		return nil
	}
	return &m.Time
}

// texts is one text or a list of them.
type texts []string

// UnmarshalJSON reads "a" as ["a"].
func (t *texts) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = texts{one}
		return nil
	}
	var many []string
	err := json.Unmarshal(b, &many)
	*t = many
	return err
}

// Schema describes the field.
func (texts) Schema(huma.Registry) *huma.Schema {
	str := &huma.Schema{Type: huma.TypeString}
	return &huma.Schema{OneOf: []*huma.Schema{str, {Type: huma.TypeArray, Items: str}}}
}

// answer is a handler's output with a status that depends on what happened.
type answer[T any] struct {
	Status int
	Body   T
}

func ok[T any](v T) *answer[T] { return &answer[T]{Status: http.StatusOK, Body: v} }

// reply turns an engine's result into huma's.
func reply[T any](ctx context.Context, d *door, v T, err error) (*answer[T], error) {
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	return ok(v), nil
}

// Paging are the query parameters of every list. It is exported because huma reads exported embedded structs only.
type Paging struct {
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
	Limit  int    `query:"limit" doc:"1-100, default 20"`
	Offset int    `query:"offset" doc:"instead of cursor: how many to pass over"`
}

func (p Paging) page() lukasa.Page {
	return lukasa.Page{Cursor: p.Cursor, Limit: p.Limit, Offset: p.Offset}
}

// ByID is the id in a path.
type ByID struct {
	ID string `path:"id"`
}

// add registers an operation.
func add[I, O any](d *door, method, path, id, summary, tag string, fn func(context.Context, *I) (*O, error)) {
	huma.Register(d.api, huma.Operation{
		OperationID: id, Method: method, Path: path, Summary: summary, Tags: []string{tag},
		MaxBodyBytes: d.opt.MaxBody, BodyReadTimeout: d.opt.Timeout,
		RejectUnknownQueryParameters: strings.HasPrefix(path, "/v"), // a probe of /health may say what it likes
	}, fn)
}
