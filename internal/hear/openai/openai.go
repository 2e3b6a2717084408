// Package openai hears through any server that speaks OpenAI's audio transcriptions: OpenAI itself, Groq, speaches (which was
// faster-whisper-server), LocalAI, vLLM, and the server of whisper.cpp. It is a driver of package hear.
//
// What OpenAI's public reference says, and this driver does: POST {base}/audio/transcriptions with a bearer key and a form of
// file, model, language (ISO 639-1), prompt, response_format, temperature and timestamp_granularities[] (segment; it needs verbose_json). The
// verbose answer is {"task","language","duration","text","segments":[{"id","start","end","text","avg_logprob","no_speech_prob",…}]}, in
// seconds; language is a name in English ("english") there and a code in others. Of OpenAI's models only whisper-1 answers verbosely:
// gpt-4o-transcribe and its like answer {"text"} alone, and gpt-4o-transcribe-diarize with response_format diarized_json (and
// chunking_strategy, which it requires) {"segments":[{"speaker","start","end","text"}]}.
//
// Groq takes the same at https://api.groq.com/openai/v1. The server of whisper.cpp takes the same fields, but for model and the
// granularities, at /inference, and answers the same; Path is for it. Not verified against running servers.
package openai

import (
	"context"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/hear"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// Addresses.
const (
	DefaultURL  = "https://api.openai.com/v1"
	DefaultPath = "/audio/transcriptions"
	WhisperPath = "/inference" // of whisper.cpp
)

// Formats of answers.
const (
	Verbose  = "verbose_json"  // segments with times
	Plain    = "json"          // text alone
	Diarized = "diarized_json" // segments with times and speakers
)

// Options configure the driver. Model is required but at [WhisperPath], where the server has but one.
type Options struct {
	URL      string // address up to and without Path; "": DefaultURL
	Path     string // "": DefaultPath
	Key      string // bearer key; "": none is sent
	Model    string
	Format   string // Verbose, Plain or Diarized; "": by the name of the model, Verbose if it says nothing
	MaxBytes int    // of one recording; 0: hear.DefaultMaxBytes

	Timeout time.Duration // of one answer; 0: hear.DefaultTimeout
	Policy  wire.Policy   // of retries
	Client  *http.Client  // for its transport; nil: one of our own
}

// Hearer is the driver. Make it with [New].
type Hearer struct {
	*hear.Remote
	server *wire.Endpoint
	o      Options
}

// New checks the options; the server is not asked.
func New(o Options) (*Hearer, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	if o.Path == "" {
		o.Path = DefaultPath
	}
	if o.Timeout <= 0 {
		o.Timeout = hear.DefaultTimeout
	}
	switch {
	case !strings.HasPrefix(o.Path, "/"):
		return nil, lukasa.Invalid("path", "%q does not begin with a slash", o.Path)
	case strings.TrimSpace(o.Model) == "" && o.Path != WhisperPath:
		return nil, lukasa.Invalid("model", "openai needs the name of a speech model")
	case o.Format == "" && strings.Contains(o.Model, "diarize"):
		o.Format = Diarized
	case o.Format == "" && strings.Contains(o.Model, "gpt-"):
		o.Format = Plain
	case o.Format == "":
		o.Format = Verbose
	case o.Format != Verbose && o.Format != Plain && o.Format != Diarized:
		return nil, lukasa.Invalid("format", "%q is not %s, %s or %s", o.Format, Verbose, Plain, Diarized)
	}
	server, err := wire.NewEndpoint(wire.Options{Server: "speech server", Base: o.URL, Key: o.Key, Timeout: o.Timeout, Client: o.Client})
	if err != nil {
		return nil, lukasa.Invalid("url", "%v", err)
	}
	h := &Hearer{server: server, o: o}
	h.Remote, err = hear.NewRemote(hear.RemoteOptions{
		Info: hear.Info{Provider: "openai", Model: o.Model, MaxBytes: o.MaxBytes}, Policy: o.Policy, Call: h.call,
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// response is an answer in any of the formats.
type response struct {
	Text     *string `json:"text"`
	Language string  `json:"language"`
	Duration float64 `json:"duration"`
	Segments []struct {
		Start    float64 `json:"start"`
		End      float64 `json:"end"`
		Text     string  `json:"text"`
		Speaker  string  `json:"speaker"`
		LogProb  float64 `json:"avg_logprob"`
		NoSpeech float64 `json:"no_speech_prob"`
	} `json:"segments"`
}

func (h *Hearer) call(ctx context.Context, s hear.Sound) (hear.Speech, error) {
	f := wire.Form{Field: "file", Name: fileName(s.Name), Data: s.Data}
	f.Type = mediaType(f.Name)
	add := func(name, value string) {
		if value != "" {
			f.Fields = append(f.Fields, [2]string{name, value})
		}
	}
	if h.o.Path != WhisperPath {
		add("model", h.o.Model)
	}
	add("language", s.Language)
	if h.o.Format != Diarized {
		add("prompt", s.Prompt)
		add("temperature", "0")
	}
	add("response_format", h.o.Format)
	switch {
	case h.o.Format == Diarized:
		add("chunking_strategy", "auto")
	case h.o.Format == Verbose && h.o.Path != WhisperPath:
		add("timestamp_granularities[]", "segment")
	}
	var in response
	if err := h.server.PostForm(ctx, h.o.Path, f, &in); err != nil {
		return hear.Speech{}, err
	}
	if in.Text == nil && in.Segments == nil {
		return hear.Speech{}, lukasa.Errorf(lukasa.CodeExternal, "server answered neither text nor segments")
	}
	return in.speech(), nil
}

// Whisper's own rule for a segment that is silence: it is likely none, and the words are unlikely.
const (
	silence  = 0.6
	unlikely = -1.0
)

func (r *response) speech() hear.Speech {
	out := hear.Speech{Language: languageCode(r.Language)}
	for _, s := range r.Segments {
		if s.NoSpeech > silence && s.LogProb < unlikely {
			continue
		}
		out.Segments = append(out.Segments, hear.Segment{Start: seconds(s.Start), End: seconds(s.End), Speaker: s.Speaker, Text: s.Text})
	}
	if len(r.Segments) == 0 && r.Text != nil {
		out.Segments = []hear.Segment{{End: seconds(r.Duration), Text: *r.Text}}
	}
	return out
}

func seconds(s float64) time.Duration {
	if !(s > 0) || s > 1e6 {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// fileName makes a name that tells the format and nothing else: what a file is called at home is nobody's business.
func fileName(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if len(ext) < 2 || len(ext) > 5 || strings.ContainsFunc(ext[1:], func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		ext = ".wav"
	}
	return "sound" + ext
}

func mediaType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".wav":
		return "audio/wav"
	case ".mp3", ".mpga", ".mpeg":
		return "audio/mpeg"
	case ".m4a", ".mp4":
		return "audio/mp4"
	case ".ogg", ".oga", ".opus":
		return "audio/ogg"
	case ".flac":
		return "audio/flac"
	case ".webm":
		return "audio/webm"
	default:
		return mime.TypeByExtension(ext)
	}
}
