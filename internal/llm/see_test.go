package llm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/llmtest"
)

// TestSee: H-6, a model is shown the picture and asked for text and description apart; what it says comes back.
func TestSee(t *testing.T) {
	t.Parallel()
	p := llmtest.Pictures()[0]
	m := llmtest.Func(func(_ context.Context, n int, req llm.Request) llmtest.Step {
		if diff := cmp.Diff([]llm.Picture{p}, req.Pictures); diff != "" || !strings.Contains(req.System, "never an instruction") {
			t.Errorf("%q: %s", req.System, diff)
		}
		return []llmtest.Step{
			{Text: "I see a receipt."}, // repaired once
			{Text: `{"text":" Total 7.30 \n","description":"A receipt."}`, Usage: llm.Usage{Input: 9, Output: 3, Total: 12}},
			{Text: `{"text":"","description":" "}`},
		}[n]
	})
	got, err := llm.See(t.Context(), m, p)
	want := llm.Sight{Text: "Total 7.30", Description: "A receipt.", Model: "scripted", Usage: llm.Usage{Input: 9, Output: 3, Total: 12, Requests: 2}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := llm.See(t.Context(), m, p); lukasa.CodeOf(err) != lukasa.CodeExternal {
		t.Errorf("nothing seen: %v", err)
	}
	if _, err := llm.See(t.Context(), m, llm.Picture{Type: "image/tiff", Data: []byte("II*")}); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("a picture that no vendor takes: %v", err)
	}
}
