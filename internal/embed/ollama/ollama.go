// Package ollama embeds through an Ollama server. It is a driver of package embed.
//
// What the public API reference says, and this driver does: POST /api/embed takes model, input (an array of texts),
// truncate (cut texts to the context length instead of failing), dimensions and keep_alive; the answer is
// {"model":…,"embeddings":[[…]],"total_duration":…,"load_duration":…,"prompt_eval_count":…} with one vector per text. Errors
// are {"error":…}; a model that is not there is a 404. GET /api/version tells that the server is up.
package ollama

import (
	"context"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa/internal/embed"
)

// The defaults of [Options].
const (
	DefaultURL   = "http://localhost:11434"
	DefaultModel = "nomic-embed-text"
)

const (
	batchTexts = 64
	textTokens = 32_768 // the server cuts to the model's context; this only spares it the bulk
)

// Options configure the driver. The zero value is DefaultModel on the same machine.
type Options struct {
	URL        string // "": DefaultURL
	Key        string // bearer key, for a server behind a proxy; "": none is sent
	Model      string // "": DefaultModel
	Revision   string // part of the space's id
	Dimensions int    // asked of the server and enforced; 0: not sent
	Dim        int    // expected, enforced, not sent; 0: learned from the first answer. Dimensions comes first
	BatchTexts int    // texts in a request; 0: 64
	KeepAlive  string // how long the server keeps the model loaded, such as "10m"; "": its own default

	QueryPrefix string // put before queries: "search_query: " for nomic-embed-text
	TextPrefix  string // put before other texts: "search_document: " for nomic-embed-text

	Profile embed.Profile // the zero value: embed.ProfileOf(Model)
	Timeout time.Duration // of one request, loading the model included; 0: 30 s
	Client  *http.Client  // for its transport; nil: one of our own
}

// Embedder is the driver. Make it with [New].
type Embedder struct {
	*embed.Remote
	server    *embed.Endpoint
	model     string
	dims      int
	keepAlive string
}

var _ embed.HealthChecker = (*Embedder)(nil)

// New checks the options; it does not call the server.
func New(o Options) (*Embedder, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	if o.Model == "" {
		o.Model = DefaultModel
	}
	if o.Dimensions > 0 {
		o.Dim = o.Dimensions
	}
	if o.BatchTexts <= 0 {
		o.BatchTexts = batchTexts
	}
	if o.Profile == (embed.Profile{}) {
		o.Profile = embed.ProfileOf(o.Model)
	}
	server, err := embed.NewEndpoint(embed.EndpointOptions{Base: o.URL, Key: o.Key, Timeout: o.Timeout, Client: o.Client})
	if err != nil {
		return nil, err
	}
	e := &Embedder{server: server, model: o.Model, dims: o.Dimensions, keepAlive: o.KeepAlive}
	e.Remote, err = embed.NewRemote(embed.RemoteOptions{
		Kind: "ollama", Model: o.Model, Revision: o.Revision, Dim: o.Dim, Profile: o.Profile,
		Limits:      embed.Limits{Texts: o.BatchTexts, TextTokens: textTokens},
		QueryPrefix: o.QueryPrefix, TextPrefix: o.TextPrefix, Call: e.call,
	})
	return e, err
}

// Health implements [embed.HealthChecker] with GET /api/version.
func (e *Embedder) Health(ctx context.Context) error { return e.server.Get(ctx, "/api/version", nil) }

type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Truncate   bool     `json:"truncate"`
	Dimensions int      `json:"dimensions,omitempty"`
	KeepAlive  string   `json:"keep_alive,omitempty"`
}

func (e *Embedder) call(ctx context.Context, _ embed.Role, texts []string) ([][]float32, error) {
	var out struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	in := request{Model: e.model, Input: texts, Truncate: true, Dimensions: e.dims, KeepAlive: e.keepAlive}
	if err := e.server.Post(ctx, "/api/embed", in, &out); err != nil {
		return nil, err
	}
	return out.Embeddings, nil
}
