// Package tei embeds through Hugging Face's Text Embeddings Inference server (M-2). It is a driver of package embed.
//
// What the server's public OpenAPI document says, and this driver does: POST /embed takes {"inputs":[…],"normalize":true,
// "truncate":true} and, for models with prompts, "prompt_name"; the answer is an array of arrays of numbers in the order of
// inputs. GET /info names the model (model_id, model_sha) and the limits (max_input_length, max_batch_tokens,
// max_client_batch_size). GET /health answers 200, or 503. Errors are {"error":…,"error_type":…} with status 413 (batch too
// large), 422 (tokenizer), 424 (inference failed) or 429 (overloaded).
package tei

import (
	"context"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
)

// DefaultURL is the address of a server on the same machine.
const DefaultURL = "http://localhost:8080"

const (
	batchTokens = 16_384 // M-2: 16,384 tokens a batch
	batchTexts  = 32     // the server's own default for max_client_batch_size
)

// Options configure the driver. The zero value is a server on the same machine.
type Options struct {
	URL         string // "": DefaultURL
	Key         string // bearer key; "": none is sent
	Model       string // model_id that the server must serve; "": whatever it serves, and the address names the space
	Revision    string // part of the space's id
	Dim         int    // expected dimension; 0: learned from the first answer
	QueryPrompt string // prompt_name sent with queries; "": none
	TextPrompt  string // prompt_name sent with other texts; "": none

	Profile embed.Profile // the zero value: embed.ProfileOf(Model)
	Timeout time.Duration // of one request; 0: 30 s
	Client  *http.Client  // for its transport; nil: one of our own
}

// Embedder is the driver. Make it with [New].
type Embedder struct {
	*embed.Remote
	server  *embed.Endpoint
	model   string
	prompts [2]string // by role
}

var _ embed.HealthChecker = (*Embedder)(nil)

// New checks the options; the server is asked for its limits at the first call.
func New(o Options) (*Embedder, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	server, err := embed.NewEndpoint(embed.EndpointOptions{Base: o.URL, Key: o.Key, Timeout: o.Timeout, Client: o.Client})
	if err != nil {
		return nil, err
	}
	if o.Profile == (embed.Profile{}) {
		o.Profile = embed.ProfileOf(o.Model)
	}
	e := &Embedder{server: server, model: o.Model}
	e.prompts[embed.Document], e.prompts[embed.Query] = o.TextPrompt, o.QueryPrompt
	name := o.Model
	if name == "" {
		name = o.URL
	}
	e.Remote, err = embed.NewRemote(embed.RemoteOptions{
		Kind: "tei", Model: name, Revision: o.Revision + "/" + o.TextPrompt + "/" + o.QueryPrompt, Dim: o.Dim,
		Profile: o.Profile, Prepare: e.prepare, Call: e.call,
	})
	return e, err
}

// Health implements [embed.HealthChecker] with GET /health.
func (e *Embedder) Health(ctx context.Context) error { return e.server.Get(ctx, "/health", nil) }

// Info is what the server says about itself. Fields that are not needed here are left out.
type Info struct {
	ModelID            string `json:"model_id"`
	ModelSHA           string `json:"model_sha"` // "" for a model without one
	MaxInputLength     int    `json:"max_input_length"`
	MaxBatchTokens     int    `json:"max_batch_tokens"`
	MaxClientBatchSize int    `json:"max_client_batch_size"`
	Version            string `json:"version"`
}

// Info asks the server with GET /info.
func (e *Embedder) Info(ctx context.Context) (Info, error) {
	var i Info
	err := e.server.Get(ctx, "/info", &i)
	return i, err
}

// prepare checks the model and takes the smaller of the server's limits and our own.
func (e *Embedder) prepare(ctx context.Context) (embed.Limits, error) {
	info, err := e.Info(ctx)
	if err != nil {
		return embed.Limits{}, err
	}
	if e.model != "" && info.ModelID != e.model {
		return embed.Limits{}, &lukasa.Error{
			Code: lukasa.CodeExternal,
			Msg:  "server serves model " + info.ModelID + ", not " + e.model,
			Hint: "set the model to the one that is served: its vectors make another space",
			Err:  embed.ErrRefused,
		}
	}
	l := embed.Limits{Texts: batchTexts, Tokens: batchTokens}
	if info.MaxClientBatchSize > 0 {
		l.Texts = info.MaxClientBatchSize
	}
	if info.MaxBatchTokens > 0 {
		l.Tokens = min(l.Tokens, info.MaxBatchTokens)
	}
	if info.MaxInputLength > 0 {
		l.TextTokens = 4 * info.MaxInputLength // the server cuts exactly; this only spares it the bulk
	}
	return l, nil
}

type request struct {
	Inputs     []string `json:"inputs"`
	Normalize  bool     `json:"normalize"`
	Truncate   bool     `json:"truncate"`
	PromptName string   `json:"prompt_name,omitempty"`
}

func (e *Embedder) call(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	var out [][]float32
	in := request{Inputs: texts, Normalize: true, Truncate: true, PromptName: e.prompts[role]}
	if err := e.server.Post(ctx, "/embed", in, &out); err != nil {
		return nil, err
	}
	return out, nil
}
