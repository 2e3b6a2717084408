package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// modelServer answers chat completions with what answer returns for the prompt; a status other than 200 is sent as it is.
func modelServer(t *testing.T, answer func(prompt string) (status int, content string)) (string, *atomic.Int64) {
	t.Helper()
	var calls atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/chat/completions" || r.Header.Get("Authorization") != "Bearer k" {
			http.Error(w, "unexpected request", http.StatusBadRequest)
			return
		}
		status, content := answer(string(body))
		w.Header().Set("Content-Type", "application/json")
		if status != http.StatusOK {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":{"message":"no"}}`)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{ // the client has gone if this fails
			"id": "c1", "object": "chat.completion", "created": 1, "model": "tester-1",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content}}},
			"usage":   map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
		})
	}))
	t.Cleanup(srv.Close)
	return srv.URL, &calls
}

func withModel(t *testing.T, url string) *house {
	t.Helper()
	cfg := enginetest.Config(t)
	cfg.Distil, cfg.LLMProvider, cfg.LLMURL, cfg.LLMKey, cfg.LLMModel, cfg.LLMTimeout = "model", "openai", url, "k", "tester", 2*time.Second
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	return &house{t, e, clock, sc}
}

func proposal(text int, content, quote string, more string) string {
	return fmt.Sprintf(`{"text":%d,"kind":"insight","content":%q,"quote":%q,"subject":"Ana","slot":"","value":"","confidence":0.9,"occurred_at":"","valid_from":"","valid_to":""%s}`, text, content, quote, more)
}

// D-5: a model adds what rules do not see; a statement without its own words in the text is none.
func TestModelDistils(t *testing.T) {
	t.Parallel()
	url, _ := modelServer(t, func(string) (int, string) {
		return http.StatusOK, `{"memories":[` + strings.Join([]string{
			proposal(1, "Ana works best before noon.", "my head is  clearest in the mornings", ""),
			proposal(1, "Ana owns a yacht.", "I own a yacht", ""),
			proposal(9, "Ana is elsewhere.", "mornings", ""),
			strings.Replace(proposal(1, "Ana is odd.", "mornings", ""), `"insight"`, `"fact"`, 1),
		}, ",") + `]}`
	})
	h := withModel(t, url)
	c := h.say("a", march, "Ana: I live in Lyon, and my head is clearest in the mornings.")
	if _, err := h.e.EndConversation(t.Context(), h.sc, c.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range h.memories(lukasa.MemoryFilter{}) {
		got = append(got, m.Content)
		if m.Extractor == "model:tester-1" && (len(m.Sources) != 1 || m.Sources[0].Message == "" || !strings.Contains(m.Sources[0].Quote, "mornings")) {
			t.Errorf("%+v", m)
		}
	}
	all := strings.Join(got, "\n")
	if !strings.Contains(all, "Lyon") || !strings.Contains(all, "best before noon") || strings.Contains(all, "yacht") || strings.Contains(all, "elsewhere") {
		t.Errorf("memories:\n%s", all)
	}
	if health := h.e.Health(t.Context()); health.Status != "ok" || health.Checks["model"].Status != "ok" || health.Checks["jobs"].Status != "ok" {
		t.Errorf("health: %+v", health)
	}
}

// What programs say is never learned from, however their role is spelt: neither by the rules nor by a model that proposes it.
func TestNothingFromPrograms(t *testing.T) {
	t.Parallel()
	roles := []string{"system", "System", "developer", "tool", "TOOL", "function", "tool_result", "ipython", "assistant", "Assistant", "model", "ai", "bot", "agent"}
	url, _ := modelServer(t, func(string) (int, string) {
		var all []string
		for i := range roles {
			all = append(all, proposal(i+1, "Ana keeps a yacht.", "I live in Lyon and keep a yacht", ""))
		}
		return http.StatusOK, `{"memories":[` + strings.Join(all, ",") + `]}`
	})
	for _, role := range roles {
		h := withModel(t, url)
		c, _, err := h.e.Append(t.Context(), h.sc, lukasa.Append{Container: "life", Conversation: "c", Messages: []lukasa.NewMessage{{Role: role, Speaker: "Ana", Content: "I live in Lyon and keep a yacht."}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.e.EndConversation(t.Context(), h.sc, c.ID); err != nil {
			t.Fatal(err)
		}
		if err := h.e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, m := range h.memories(lukasa.MemoryFilter{}) {
			talks := strings.Contains("assistant model ai bot agent", strings.ToLower(role)) // a model may read what an assistant says
			if !talks || strings.HasPrefix(m.Extractor, "rules-") || m.Origin != lukasa.OriginAgent {
				t.Errorf("role %s: %q by %s, origin %s", role, m.Content, m.Extractor, m.Origin)
			}
		}
	}
}

// T-18: a model that fails in any way loses nothing: the words are kept and found, and the rules' memories are there.
func TestModelFailures(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(string) (int, string){
		"rubbish":   func(string) (int, string) { return http.StatusOK, "I am sorry, Dave." },
		"half JSON": func(string) (int, string) { return http.StatusOK, `{"memories":[{"text":1,"kind":"fa` },
		"500":       func(string) (int, string) { return http.StatusInternalServerError, "" },
		"401":       func(string) (int, string) { return http.StatusUnauthorized, "" },
		"never": func(string) (int, string) {
			<-time.After(3 * time.Second) // longer than the model is given
			return http.StatusOK, `{"memories":[]}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, calls := modelServer(t, answer)
			h := withModel(t, url)
			c := h.say("a", march, "Ana: I live in Lyon.", "Bot: Nice.")
			if _, err := h.e.EndConversation(t.Context(), h.sc, c.ID); err != nil {
				t.Fatal(err)
			}
			h.drain()
			if calls.Load() == 0 {
				t.Error("the model was never asked")
			}
			if m := h.slot("lives_in"); m.Value != "Lyon" || !strings.HasPrefix(m.Extractor, "rules-") {
				t.Errorf("%+v", m)
			}
			if r, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "Lyon"}); err != nil || len(r.Hits) == 0 {
				t.Errorf("%+v, %v", r, err)
			}
			health := h.e.Health(t.Context())
			model, why := health.Checks["model"], map[string]string{
				"rubbish": "unusable answers since ", "half JSON": "unusable answers since ", "500": "unavailable since ", "401": "refused (check key", "never": "timeout since ",
			}[name]
			if health.Status != "degraded" || model.Status != "degraded" || !strings.HasPrefix(model.Detail, why) {
				t.Errorf("health: %+v", health)
			}
			l, err := h.e.Tasks(t.Context(), h.sc, "", lukasa.Page{})
			if err != nil || len(l.Items) != 1 || l.Total != 1 || l.Items[0].Kind != lukasa.JobDistil || l.Items[0].Reason == "" || l.Items[0].State != "waiting" {
				t.Errorf("%+v, %v", l, err)
			}
			h.clock.Advance(11 * time.Minute)
			if jobs := h.e.Health(t.Context()).Checks["jobs"]; jobs.Status != "degraded" || !strings.Contains(jobs.Detail, "1 waiting, 0 running, 0 dead; the oldest for 11m") {
				t.Errorf("jobs: %+v", jobs)
			}
		})
	}
}
