// Package tei reranks through Hugging Face's Text Embeddings Inference server (M-9). It is a driver of package rerank.
//
// What the server's public OpenAPI document (version 1.7.1) says, and this driver does: POST /rerank takes
// {"query":…,"texts":[…],"truncate":true,"raw_scores":true}; the answer is an array of {"index":…,"score":…}, and errors are
// {"error":…,"error_type":…} with status 413 (batch too large), 422 (tokenizer), 424 (inference failed, or the model is no
// reranker) or 429 (overloaded). raw_scores asks for what the model computes, before it is squeezed into 0..1. The server's
// command line documents 32 as its default for the texts of one request. Not verified: that answers come sorted (this driver
// does not care), and anything against a running server.
package tei

import (
	"context"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa/internal/rerank"
)

// DefaultURL is the address of a server on the same machine.
const DefaultURL = "http://localhost:8080"

// batchTexts is the server's own default for max_client_batch_size.
const batchTexts = 32

// Options configure the driver. The zero value is a server on the same machine.
type Options struct {
	URL        string        // "": DefaultURL
	Key        string        // bearer key; "": none is sent
	Model      string        // for people: a server serves one model; "": the address
	BatchTexts int           // texts in one request; 0: 32
	Budget     time.Duration // for a whole call; 0: rerank.DefaultBudget
	Client     *http.Client  // for its transport; nil: one of our own
}

// Reranker is the driver. Make it with [New].
type Reranker struct {
	*rerank.Remote
	server *rerank.Endpoint
}

// New checks the options; the server is not asked.
func New(o Options) (*Reranker, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	if o.Model == "" {
		o.Model = o.URL
	}
	if o.BatchTexts == 0 {
		o.BatchTexts = batchTexts
	}
	server, err := rerank.NewEndpoint(rerank.EndpointOptions{Base: o.URL, Key: o.Key, Timeout: o.Budget, Client: o.Client})
	if err != nil {
		return nil, err
	}
	r := &Reranker{server: server}
	r.Remote, err = rerank.NewRemote(rerank.RemoteOptions{
		Kind: "tei", Model: o.Model, BatchTexts: o.BatchTexts, Budget: o.Budget, Call: r.call,
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

type request struct {
	Query     string   `json:"query"`
	Texts     []string `json:"texts"`
	Truncate  bool     `json:"truncate"`
	RawScores bool     `json:"raw_scores"`
}

type rank struct {
	Index *int     `json:"index"`
	Score *float64 `json:"score"`
}

func (r *Reranker) call(ctx context.Context, query string, texts []string) ([]rerank.Rank, error) {
	var answer []rank
	if err := r.server.Post(ctx, "/rerank", request{Query: query, Texts: texts, Truncate: true, RawScores: true}, &answer); err != nil {
		return nil, err
	}
	out := make([]rerank.Rank, len(answer))
	for i, a := range answer {
		out[i] = rerank.Rank(a)
	}
	return out, nil
}
