package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/llmtest"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

func asJSON(q string) llm.Request {
	req := llmtest.Ask(q)
	req.Schema = []byte(llmtest.Schema)
	return req
}

const (
	good = `{"name":"Ada","age":36,"kind":"person"}`
	bad  = `{"name":"Ada","age":36,"kind":"robot"}`
)

// TestFences: JSON is taken out of the fence that models like to put around it, and out of nothing else.
func TestFences(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		good: true, " \n" + good + "\n": true, "```json\n" + good + "\n```": true, "```\n" + good + "```\n": true,
		"Here you are: " + good: false, "```json\n" + good: false, good + good: false, "``````": false, "```": false, "": false,
	} {
		out, err := llmtest.Script(llmtest.Step{Text: text}, llmtest.Step{Text: text}).Complete(t.Context(), asJSON("Who?"))
		if (err == nil) != ok || ok && string(out.JSON) != good {
			t.Errorf("%q: %s, %v", text, out.JSON, err)
		}
	}
}

// TestRepair: T-18, one repair, with the answer and what is wrong with it, bounded; nothing is added to the caller's request.
func TestRepair(t *testing.T) {
	t.Parallel()
	long := `{"name":"` + strings.Repeat("é", 20_000) + `"}`
	for name, c := range map[string]struct {
		first string
		turns int
		shown int // bytes of the answer shown
	}{
		"wrong": {bad, 3, len(bad)}, "empty": {" ", 1, 0}, "long": {long, 3, 16<<10 + len("…")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(llmtest.Step{Text: c.first, Usage: llm.Usage{Input: 5, Output: 5}}, llmtest.Step{Text: good, Usage: llm.Usage{Input: 7, Output: 3}})
			req := asJSON("Who?")
			req.Messages = append(make([]llm.Message, 0, 9), req.Messages...)
			out, err := m.Complete(t.Context(), req)
			if err != nil || string(out.JSON) != good || out.Usage != (llm.Usage{Input: 12, Output: 8, Total: 20, Requests: 2}) {
				t.Errorf("%s, %+v, %v", out.JSON, out.Usage, err)
			}
			turns := m.Asked()[1].Messages
			if len(turns) != c.turns || c.turns == 3 && abs(len(turns[1].Content)-c.shown) > 1 {
				t.Errorf("%d turns", len(turns))
			}
			if len(req.Messages) != 1 || req.Messages[:2][1].Content != "" {
				t.Error("the caller's messages were changed")
			}
		})
	}
}

func abs(n int) int { return max(n, -n) }

// TestRepairFails: what the repair meets is what the caller gets, and both exchanges are paid.
func TestRepairFails(t *testing.T) {
	t.Parallel()
	spent := llm.Usage{Input: 5, Output: 5}
	for name, c := range map[string]struct {
		second llmtest.Step
		is     error
		code   lukasa.Code
		total  int
	}{
		"again":    {llmtest.Step{Text: bad, Usage: spent}, llm.ErrMismatch, lukasa.CodeExternal, 20},
		"cut":      {llmtest.Step{Text: bad, Usage: spent, Finish: llm.Cut}, llm.ErrCut, lukasa.CodeExternal, 20},
		"declined": {llmtest.Step{Text: "No.", Usage: spent, Finish: llm.Declined}, llm.ErrDeclined, lukasa.CodeExternal, 20},
		"down":     {llmtest.Step{Err: &wire.Error{Kind: wire.Unavailable, Msg: "down"}}, nil, lukasa.CodeUnavailable, 10},
	} {
		out, err := llmtest.Script(llmtest.Step{Text: "half", Usage: spent}, c.second).Complete(t.Context(), asJSON("Who?"))
		if lukasa.CodeOf(err) != c.code || c.is != nil && (!errors.Is(err, c.is) || llm.Retryable(err)) {
			t.Errorf("%s: %v", name, err)
		}
		want := llm.Reply{Usage: llm.Usage{Input: c.total / 2, Output: c.total / 2, Total: c.total, Requests: 2}}
		if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFromWire(t *testing.T) {
	t.Parallel()
	for kind, want := range map[wire.Kind]struct {
		code  lukasa.Code
		again bool
	}{
		wire.Invalid: {lukasa.CodeInvalid, false}, wire.Refused: {lukasa.CodeExternal, false}, wire.Limited: {lukasa.CodeLimited, true},
		wire.Timeout: {lukasa.CodeTimeout, true}, wire.Unavailable: {lukasa.CodeUnavailable, true}, wire.Broken: {lukasa.CodeExternal, true},
	} {
		err := llm.FromWire(&wire.Error{Kind: kind, Msg: "m", Hint: "h", RetryAfter: 7})
		var e *lukasa.Error
		if !errors.As(err, &e) || e.Code != want.code || e.Msg != "m" || e.Hint != "h" || e.RetryAfter != 7 || llm.Retryable(err) != want.again {
			t.Errorf("%d: %+v", kind, err)
		}
	}
	if err := errors.New("bug"); llm.FromWire(err) != err { //nolint:errorlint // it must be the same
		t.Error("an error of ours was changed")
	}
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("bug"), false},
		{context.Canceled, false},
		{&lukasa.Error{Code: lukasa.CodeUnavailable}, true},
		{&lukasa.Error{Code: lukasa.CodeLimited, Err: llm.ErrBudget}, true},
		{&lukasa.Error{Code: lukasa.CodeInvalid}, false},
		{&lukasa.Error{Code: lukasa.CodeTooLarge, Err: llm.ErrBudget}, false},
		{&lukasa.Error{Code: lukasa.CodeExternal, Err: llm.ErrMismatch}, false},
		{&lukasa.Error{Code: lukasa.CodeUnavailable, Err: context.Canceled}, false},
	} {
		if got := llm.Retryable(c.err); got != c.want {
			t.Errorf("Retryable(%v) = %v", c.err, got)
		}
	}
}

func TestAs(t *testing.T) {
	t.Parallel()
	inner := llmtest.Script()
	m := llm.Retry(llm.Budget(inner, llm.Limits{}, nil), llm.RetryPolicy{})
	if got, ok := llm.As[*llmtest.Scripted](m); !ok || got != inner {
		t.Error("the decorated model is not found")
	}
	if b, ok := llm.As[*llm.Budgeted](m); !ok || b.Info() != inner.Info() {
		t.Error("the budget is not found")
	}
	if _, ok := llm.As[interface{ Nobody() }](m); ok {
		t.Error("a role that nobody has")
	}
}

func TestNewRemoteRefuses(t *testing.T) {
	t.Parallel()
	call := func(context.Context, llm.Request, *llm.Schema) (llm.Reply, error) { return llm.Reply{}, nil }
	stream := func(context.Context, llm.Request, *llm.Schema, func(string) error) (llm.Reply, error) {
		return llm.Reply{}, nil
	}
	health := func(context.Context) error { return nil }
	info := llm.Info{Provider: "p", Model: "m"}
	for name, o := range map[string]llm.RemoteOptions{
		"provider": {Info: llm.Info{Model: "m"}, Call: call, Stream: stream, Health: health},
		"model":    {Info: llm.Info{Provider: "p"}, Call: call, Stream: stream, Health: health},
		"size":     {Info: llm.Info{Provider: "p", Model: "m", MaxOutput: -1}, Call: call, Stream: stream, Health: health},
		"call":     {Info: info, Stream: stream, Health: health},
		"stream":   {Info: info, Call: call, Health: health},
		"health":   {Info: info, Call: call, Stream: stream},
	} {
		if r, err := llm.NewRemote(o); err == nil || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}
