package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// fail words an engine error for huma; see [door.problem].
func (d *door) fail(ctx context.Context, err error) error { return d.problem(ctx, err) }

// problem words an engine error, logs what is our fault, and counts it.
func (d *door) problem(ctx context.Context, err error) *Fault {
	p := NewFault(telemetry.Request(ctx), err)
	if p.GetStatus() >= 500 {
		d.opt.Log.ErrorContext(ctx, "request failed", "err", err)
	}
	d.e.Metrics().Error(p.Body.Category, p.Body.Code)
	return p
}

// shape tells of a place in a request, as an operation describes it, what is taken there: the names of its parameters, or of the fields
// of its body, or of an object in that; and whether the very place takes a time.
func shape(op *huma.Operation, shapes huma.Registry, location string) (names []string, isTime bool) {
	at, inBody := strings.CutPrefix(location, "body.")
	for _, p := range op.Parameters {
		if p.In == "query" && !inBody {
			names = append(names, p.Name)
		}
	}
	if !inBody || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return names, false
	}
	s, steps := op.RequestBody.Content["application/json"].Schema, strings.Split(at, ".")
	for n := 0; s != nil; {
		switch {
		case s.Ref != "":
			s = shapes.SchemaFromRef(s.Ref)
		case s.Items != nil:
			s = s.Items
		case n == len(steps)-1: // the unknown one
			field := s.Properties[steps[n]]
			return slices.Sorted(maps.Keys(s.Properties)), field != nil && slices.Equal(field.Examples, moment{}.Schema(nil).Examples)
		default:
			name, _, _ := strings.Cut(steps[n], "[")
			s, n = s.Properties[name], n+1
		}
	}
	return nil, false
}

// ownErrors gives huma's own errors our shape and status.
func ownErrors(ctx huma.Context, shapes huma.Registry, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p := fromHuma(telemetry.Request(ctx.Context()), m, func(location string) ([]string, bool) { return shape(ctx.Operation(), shapes, location) })
	for name := range p.GetHeaders() {
		ctx.SetHeader(name, p.GetHeaders().Get(name))
	}
	ctx.SetHeader("Content-Type", "application/json")
	if _, w := humago.Unwrap(ctx); w != nil {
		if rec, ok := w.(*Recorder); ok {
			rec.Instead = p.GetStatus()
		}
	}
	return p, nil
}

// fromHuma words what huma itself found wrong with a request. An unknown field is 422, anything else about the body 400.
func fromHuma(requestID string, m *huma.ErrorModel, shape func(location string) (takes []string, isTime bool)) *Fault {
	e := &lukasa.Error{Code: lukasa.CodeInvalid, Msg: m.Detail}
	switch m.Status {
	case http.StatusRequestEntityTooLarge:
		e.Code, e.Field = lukasa.CodeTooLarge, "body"
	case http.StatusUnsupportedMediaType:
		e.Code, e.Field, e.Hint = lukasa.CodeUnsupported, "Content-Type", "send application/json"
	case http.StatusRequestTimeout:
		e.Code = lukasa.CodeTimeout
	case http.StatusInternalServerError:
		e.Code = lukasa.CodeInternal
	}
	// huma goes through the fields in no order, and the same mistake is to be answered alike
	slices.SortStableFunc(m.Errors, func(a, b *huma.ErrorDetail) int { return strings.Compare(a.Location, b.Location) })
	for _, x := range m.Errors {
		if strings.Contains(x.Message, "http: request body too large") {
			e.Code, e.Field, e.Msg = lukasa.CodeTooLarge, "body", "is over the size limit"
			break
		}
		e.Field, e.Msg = strings.TrimPrefix(strings.TrimPrefix(x.Location, "body."), "query."), x.Message
		takes, isTime := shape(x.Location)
		if e.Hint = ""; isTime {
			e.Hint = lukasa.TimeForms
		}
		switch x.Message {
		case "unexpected property":
			e.Code, e.Msg = lukasa.CodeUnknownField, "is not a field of this request"
		case validation.MsgExpectedMatchExactlyOneSchema: // of [texts], the only one of several shapes
			e.Msg = "takes a text or a list of texts"
		case validation.MsgExpectedMatchAtLeastOneSchema: // of a message's [content]
			e.Msg = `takes a text or a list of parts like {"type":"text","text":"…"}`
		case "unknown query parameter":
			e.Code, e.Msg = lukasa.CodeUnknownField, "is not a parameter of this request"
		}
		if name, ok := strings.CutSuffix(x.Message, text.Twice); ok {
			e.Field, e.Msg, e.Hint = name, strings.TrimSpace(text.Twice), "leave one of the two out"
		}
		if e.Code == lukasa.CodeUnknownField {
			e.Hint = Meant(e.Field[strings.LastIndexByte(e.Field, '.')+1:], takes)
			break
		}
	}
	p := NewFault(requestID, e)
	if len(m.Errors) > 1 {
		p.Body.Details["errors"] = m.Errors
	}
	return p
}
