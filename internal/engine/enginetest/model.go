package enginetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/config"
)

// Asked is a question to a [Model].
type Asked struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	MaxTokens int  `json:"max_tokens"`
	Stream    bool `json:"stream"`
}

// Last is the question itself.
func (a Asked) Last() string {
	if len(a.Messages) == 0 {
		return ""
	}
	return a.Messages[len(a.Messages)-1].Content
}

// Said is an answer of a [Model]. The zero Said is an empty one.
type Said struct {
	Text   string
	Status int           // instead of 200
	Raw    string        // the body, instead of what an answer looks like
	After  time.Duration // it takes this long
	Hangs  bool          // nothing comes until the other side goes away
	Breaks bool          // in a stream: the connection breaks after Text
}

// Model is a stand-in for the server of a language model, which speaks OpenAI's chat completions.
type Model struct {
	URL string

	mu     sync.Mutex
	asked  []Asked
	answer func(n int, a Asked) Said
}

// NewModel starts a model for the time of a test; n counts questions from 0.
func NewModel(tb testing.TB, answer func(n int, a Asked) Said) *Model {
	tb.Helper()
	m := &Model{answer: answer}
	gone := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.serve(w, r, gone) }))
	tb.Cleanup(srv.Close)
	tb.Cleanup(func() { close(gone) })
	m.URL = srv.URL
	return m
}

// Use makes a configuration ask the model.
func (m *Model) Use(c *config.Config) {
	c.LLMProvider, c.LLMURL, c.LLMModel = "openai", m.URL, "stand-in"
}

// Asked returns the questions so far.
func (m *Model) Asked() []Asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

func (m *Model) serve(w http.ResponseWriter, r *http.Request, gone <-chan struct{}) {
	var a Asked
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	n := len(m.asked)
	m.asked = append(m.asked, a)
	m.mu.Unlock()
	said := m.answer(n, a)
	if said.After > 0 {
		select {
		case <-r.Context().Done():
		case <-time.After(said.After):
		}
	}
	switch {
	case said.Hangs:
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	case said.Status != 0 || said.Raw != "":
		if said.Status != 0 {
			w.WriteHeader(said.Status)
		}
		fmt.Fprint(w, said.Raw)
	case a.Stream:
		stream(w, a, said)
	default:
		write(w, map[string]any{
			"model": a.Model, "usage": usage(said),
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": said.Text}, "finish_reason": "stop"}},
		})
	}
}

func usage(s Said) map[string]int {
	n := len(strings.Fields(s.Text))
	return map[string]int{"prompt_tokens": 100, "completion_tokens": n, "total_tokens": 100 + n}
}

func write(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(data)
}

func stream(w http.ResponseWriter, a Asked, s Said) {
	piece := func(v map[string]any) {
		v["model"] = a.Model
		fmt.Fprint(w, "data: ")
		write(w, v)
		fmt.Fprint(w, "\n\n")
		_ = http.NewResponseController(w).Flush()
	}
	for _, word := range strings.SplitAfter(s.Text, " ") {
		piece(map[string]any{"choices": []any{map[string]any{"delta": map[string]any{"content": word}}}})
	}
	if s.Breaks {
		panic(http.ErrAbortHandler)
	}
	piece(map[string]any{"choices": []any{map[string]any{"delta": map[string]any{}, "finish_reason": "stop"}}})
	piece(map[string]any{"choices": []any{}, "usage": usage(s)})
	fmt.Fprint(w, "data: [DONE]\n\n")
}
