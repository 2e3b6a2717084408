package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/hear"
	"github.com/lukasa-memory/lukasa/internal/hear/heartest"
	"github.com/lukasa-memory/lukasa/internal/hear/openai"
	"github.com/lukasa-memory/lukasa/internal/wire"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

type object = map[string]any

// fields are those of the public reference's form.
var fields = []string{"model", "language", "prompt", "response_format", "temperature", "timestamp_granularities[]"}

// verbose is the reference's verbose transcription object.
func verbose(s hear.Speech) any {
	segments := []any{}
	for i, g := range s.Segments {
		segments = append(segments, object{
			"id": i, "seek": 0, "start": g.Start.Seconds(), "end": g.End.Seconds(), "text": g.Text, "tokens": []int{50364}, "temperature": 0.0,
			"avg_logprob": -0.28, "compression_ratio": 1.23, "no_speech_prob": 0.009,
		})
	}
	return object{"task": "transcribe", "language": "english", "duration": 8.4, "text": "…", "segments": segments}
}

func fast() wire.Policy {
	return wire.Policy{MinDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond}
}

func open(t *testing.T, o openai.Options) hear.Hearer {
	t.Helper()
	o.Policy = fast()
	h, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSuite: D-9, the endpoint of OpenAI, Groq and speaches.
func TestSuite(t *testing.T) {
	t.Parallel()
	heartest.Run(t, heartest.Wire{
		Open: func(t *testing.T, url string, timeout time.Duration) hear.Hearer {
			return open(t, openai.Options{URL: url + "/v1", Key: heartest.Secret, Model: "whisper-1", MaxBytes: heartest.MaxBytes, Timeout: timeout})
		},
		Read: func(t *testing.T, w http.ResponseWriter, r *http.Request) (hear.Sound, bool) {
			f, ok := heartest.ReadForm(t, w, r, "/v1/audio/transcriptions", heartest.Secret, fields...)
			if ok && (f.Fields["model"] != "whisper-1" || f.Fields["response_format"] != "verbose_json" || f.Fields["timestamp_granularities[]"] != "segment" || f.Fields["temperature"] != "0") {
				t.Errorf("fields %v", f.Fields)
			}
			if want := map[string]string{"sound.wav": "audio/wav", "sound.ogg": "audio/ogg"}[f.Name]; ok && f.Type != want {
				t.Errorf("%s is %s", f.Name, f.Type)
			}
			return hear.Sound{Data: f.Data, Name: f.Name, Language: f.Fields["language"], Prompt: f.Fields["prompt"]}, ok
		},
		Answer: verbose,
	})
}

// TestWhisperServer: the server of whisper.cpp, which has one model and another path.
func TestWhisperServer(t *testing.T) {
	t.Parallel()
	heartest.Run(t, heartest.Wire{
		Open: func(t *testing.T, url string, timeout time.Duration) hear.Hearer {
			return open(t, openai.Options{URL: url, Path: openai.WhisperPath, Key: heartest.Secret, MaxBytes: heartest.MaxBytes, Timeout: timeout, Model: "ggml-base"})
		},
		Read: func(t *testing.T, w http.ResponseWriter, r *http.Request) (hear.Sound, bool) {
			f, ok := heartest.ReadForm(t, w, r, "/inference", heartest.Secret, "language", "prompt", "response_format", "temperature")
			if ok && f.Fields["response_format"] != "verbose_json" {
				t.Errorf("fields %v", f.Fields)
			}
			return hear.Sound{Data: f.Data, Name: f.Name, Language: f.Fields["language"], Prompt: f.Fields["prompt"]}, ok
		},
		Answer: verbose,
	})
}

// TestDialects: what models answer that are not Whisper, and what Whisper hears in silence.
func TestDialects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model, format, body string
		want                hear.Speech
	}{
		"plain": {"gpt-4o-transcribe", "json", `{"text":"Good morning.","usage":{"type":"tokens"}}`, hear.Speech{Model: "gpt-4o-transcribe", Segments: []hear.Segment{{Text: "Good morning."}}}},
		"speakers": {
			"gpt-4o-transcribe-diarize", "diarized_json",
			`{"task":"transcribe","duration":4.2,"text":"A: Hi. B: Hello.","segments":[{"type":"transcript.text.segment","id":"seg_1","start":0.0,"end":1.5,"text":"Hi.","speaker":"A"},{"start":1.5,"end":4.2,"text":"Hello.","speaker":"B"}]}`,
			hear.Speech{Model: "gpt-4o-transcribe-diarize", Segments: []hear.Segment{
				{End: 1500 * time.Millisecond, Speaker: "A", Text: "Hi."}, {Start: 1500 * time.Millisecond, End: 4200 * time.Millisecond, Speaker: "B", Text: "Hello."},
			}},
		},
		"silence": {
			"whisper-1", "verbose_json",
			`{"language":"de","duration":3,"text":"Danke.","segments":[{"start":0,"end":3,"text":"Untertitel der Amara.org-Community","avg_logprob":-1.4,"no_speech_prob":0.92},{"start":3,"end":4,"text":"Danke.","avg_logprob":-0.4,"no_speech_prob":0.7}]}`,
			hear.Speech{Model: "whisper-1", Language: "de", Segments: []hear.Segment{{Start: 3 * time.Second, End: 4 * time.Second, Text: "Danke."}}},
		},
		"nobody spoke": {"whisper-1", "verbose_json", `{"language":"english","duration":3,"text":"","segments":[]}`, hear.Speech{Model: "whisper-1", Language: "en", Segments: []hear.Segment{}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				f, ok := heartest.ReadForm(t, w, r, "/audio/transcriptions", "", append([]string{"chunking_strategy"}, fields...)...)
				if !ok {
					return
				}
				if f.Fields["response_format"] != c.format || (f.Fields["chunking_strategy"] == "auto") != (c.format == "diarized_json") || (f.Fields["timestamp_granularities[]"] != "") != (c.format == "verbose_json") {
					t.Errorf("fields %v", f.Fields)
				}
				_, _ = io.WriteString(w, c.body)
			})
			got, err := open(t, openai.Options{URL: url, Model: c.model}).Hear(t.Context(), hear.Sound{Data: []byte("x"), Name: "a.wav"})
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for field, o := range map[string]openai.Options{
		"model": {}, "url": {Model: "m", URL: "localhost"}, "path": {Model: "m", Path: "inference"}, "format": {Model: "m", Format: "srt"}, "max_bytes": {Model: "m", MaxBytes: -1},
	} {
		h, err := openai.New(o)
		var e *lukasa.Error
		if !errors.As(err, &e) || e.Field != field || h != nil {
			t.Errorf("%s: %v, %v", field, h, err)
		}
	}
	h, err := openai.New(openai.Options{Model: "m"})
	if err != nil || h.Info() != (hear.Info{Provider: "openai", Model: "m", MaxBytes: hear.DefaultMaxBytes}) {
		t.Errorf("%+v, %v", h.Info(), err)
	}
}

// body is a server without a network that answers the same to everything.
type body []byte

func (b body) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(b))}, nil
}

func FuzzBody(f *testing.F) {
	whole, err := json.Marshal(verbose(hear.Speech{Segments: []hear.Segment{{End: time.Second, Text: "Hi."}}}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"text":"a","duration":1e300,"segments":[{"start":-1,"end":1e99,"text":"\u0000\n"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := openai.New(openai.Options{Model: "m", Client: &http.Client{Transport: body(b)}, Policy: wire.Policy{Attempts: 1}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := h.Hear(t.Context(), hear.Sound{Data: []byte("x"), Name: "a.wav"})
		for i, s := range out.Segments {
			if err != nil || s.Text == "" || s.End < s.Start || s.Start < 0 || i > 0 && s.Start < out.Segments[i-1].Start {
				t.Errorf("%+v, %v", s, err)
			}
		}
	})
}
