package api_test

import (
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

// A chat without a configured model is refused with the setting to set. Nobody is told to send it again, and the message is kept.
func TestChatWithoutModelIsNotRetryable(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for _, stream := range []bool{false, true} {
		status, out := s.do("POST", "/v1/chat", obj{"message": "My cello is made of spruce.", "stream": stream})
		e := out["error"].(obj)
		if status != 400 || e["retryable"] != false || text(e, "details", "field") != "llm.provider" || text(e, "details", "message_id") == "" || !strings.Contains(text(e, "hint"), "LUKASA_LLM_PROVIDER") {
			t.Errorf("stream %v: %d %v", stream, status, out)
		}
	}
}
