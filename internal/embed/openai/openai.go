// Package openai embeds through any server that speaks OpenAI's embeddings call: OpenAI itself, Voyage, vLLM, LM Studio,
// llama.cpp, TEI and others. It is a driver of package embed.
//
// What the public API reference says, and this driver does: POST {base}/embeddings with a bearer key and a JSON object of
// input (an array of at most 2,048 strings, none empty, each within the model's limit, 300,000 tokens in all), model,
// encoding_format ("float" or "base64") and dimensions (only where the model can shorten its vectors). The answer is
// {"object":"list","data":[{"object":"embedding","index":0,"embedding":…}],"model":…,"usage":…}; base64 holds little-endian
// float32 values, as the official client libraries decode it. Servers may answer in either format, whatever was asked.
package openai

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
)

// The defaults of [Options].
const (
	DefaultURL   = "https://api.openai.com/v1"
	DefaultModel = "text-embedding-3-small"
)

const (
	batchTexts  = 256     // the reference allows 2,048
	batchTokens = 200_000 // the reference allows 300,000; ours are estimates
	textTokens  = 8191
)

// Encodings to ask for.
const (
	Base64 = "base64" // smaller and exact
	Float  = "float"
	Unset  = "unset" // leave the field out, for servers that refuse it
)

// Options configure the driver. The zero value, with a key, is OpenAI's small model.
type Options struct {
	URL        string // address up to and without "/embeddings"; "": DefaultURL
	Key        string // bearer key; "": none is sent
	Model      string // "": DefaultModel
	Revision   string // part of the space's id; change it when the server's model changes but not its name
	Dimensions int    // asked of the server, for models that can shorten their vectors, and enforced; 0: not sent
	Dim        int    // expected, enforced, not sent; 0: learned from the first answer. Dimensions comes first
	Encoding   string // Base64, Float or Unset; "": Base64
	BatchTexts int    // texts in a request; 0: 256
	MaxTokens  int    // longest text in estimated tokens, longer ones are cut; 0: 8,191

	QueryPrefix string // put before queries, for models that want it
	TextPrefix  string // put before other texts

	Profile embed.Profile // the zero value: embed.ProfileOf(Model)
	Timeout time.Duration // of one request; 0: 30 s
	Client  *http.Client  // for its transport; nil: one of our own
}

// Embedder is the driver. Make it with [New].
type Embedder struct {
	*embed.Remote
	server   *embed.Endpoint
	model    string
	dims     int
	encoding string
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
	if o.Encoding == "" {
		o.Encoding = Base64
	}
	if o.Encoding != Base64 && o.Encoding != Float && o.Encoding != Unset {
		return nil, lukasa.Invalid("encoding", "%q is not %s, %s or %s", o.Encoding, Base64, Float, Unset)
	}
	if o.Dimensions > 0 {
		o.Dim = o.Dimensions
	}
	if o.Profile == (embed.Profile{}) {
		o.Profile = embed.ProfileOf(o.Model)
	}
	if o.BatchTexts <= 0 {
		o.BatchTexts = batchTexts
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = textTokens
	}
	server, err := embed.NewEndpoint(embed.EndpointOptions{Base: o.URL, Key: o.Key, Timeout: o.Timeout, Client: o.Client})
	if err != nil {
		return nil, err
	}
	e := &Embedder{server: server, model: o.Model, dims: o.Dimensions, encoding: o.Encoding}
	e.Remote, err = embed.NewRemote(embed.RemoteOptions{
		Kind: "openai", Model: o.Model, Revision: o.Revision, Dim: o.Dim, Profile: o.Profile,
		Limits:      embed.Limits{Texts: o.BatchTexts, Tokens: batchTokens, TextTokens: o.MaxTokens},
		QueryPrefix: o.QueryPrefix, TextPrefix: o.TextPrefix, Call: e.call,
	})
	return e, err
}

// Health implements [embed.HealthChecker] with GET {base}/models, which the reference has for all servers of its kind.
func (e *Embedder) Health(ctx context.Context) error { return e.server.Get(ctx, "/models", nil) }

type request struct {
	Input      []string `json:"input"`
	Model      string   `json:"model"`
	Encoding   string   `json:"encoding_format,omitempty"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type response struct {
	Data []struct {
		Index     *int   `json:"index"`
		Embedding vector `json:"embedding"`
	} `json:"data"`
}

// call makes one request. Vectors are put in the order of their index; a server that sends no index at all is taken to
// answer in order.
func (e *Embedder) call(ctx context.Context, _ embed.Role, texts []string) ([][]float32, error) {
	in := request{Input: texts, Model: e.model, Dimensions: e.dims}
	if e.encoding != Unset {
		in.Encoding = e.encoding
	}
	var out response
	if err := e.server.Post(ctx, "/embeddings", in, &out); err != nil {
		return nil, err
	}
	if len(out.Data) != len(texts) {
		return nil, lukasa.Errorf(lukasa.CodeExternal, "server answered %d vectors for %d texts", len(out.Data), len(texts))
	}
	vectors := make([][]float32, len(texts))
	for i, d := range out.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= len(texts) || vectors[at] != nil || d.Embedding == nil {
			return nil, lukasa.Errorf(lukasa.CodeExternal, "server answered no vector, or a second one, for text %d of %d", at, len(texts))
		}
		vectors[at] = d.Embedding
	}
	return vectors, nil
}

// vector reads an array of numbers or a base64 string of little-endian float32 values.
type vector []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (v *vector) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '"' {
		return json.Unmarshal(b, (*[]float32)(v))
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return lukasa.Errorf(lukasa.CodeExternal, "vector is not base64: %v", err)
	}
	if len(raw)%4 != 0 {
		return lukasa.Errorf(lukasa.CodeExternal, "vector of %d bytes is not made of float32 values", len(raw))
	}
	*v = make([]float32, len(raw)/4)
	for i := range *v {
		(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}
