// Package cohere reranks through a server that speaks as Cohere's second rerank API does (M-9): Cohere itself, Jina, and many
// that copy them. It is a driver of package rerank.
//
// What Cohere's public documentation says of POST /v2/rerank, and this driver does: model, query and documents (strings) are
// sent, and top_n, as without it some servers answer a few texts only; the answer has "results", an array of {"index":…,
// "relevance_score":…}, best first. Longer documents are cut by the server (max_tokens_per_doc, 4,096 by default). A
// third-party description of Jina's POST /v1/rerank has the same fields; its answers may carry the documents too, which are
// not read. Not verified: anything against a running server of either, and their error bodies, which are read in the shapes
// that package wire knows.
package cohere

import (
	"context"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa/internal/rerank"
)

// DefaultURL is Cohere's own address. Jina's is https://api.jina.ai/v1.
const DefaultURL = "https://api.cohere.com/v2"

// Options configure the driver. Model is required.
type Options struct {
	URL        string        // address up to and without "/rerank"; "": DefaultURL
	Key        string        // bearer key; "": none is sent
	Model      string        // as the server names it
	BatchTexts int           // texts in one request; 0: all, as some models score the texts of a request against each other
	Budget     time.Duration // for a whole call; 0: rerank.DefaultBudget
	Client     *http.Client  // for its transport; nil: one of our own
}

// Reranker is the driver. Make it with [New].
type Reranker struct {
	*rerank.Remote
	server *rerank.Endpoint
	model  string
}

// New checks the options; the server is not asked.
func New(o Options) (*Reranker, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	server, err := rerank.NewEndpoint(rerank.EndpointOptions{Base: o.URL, Key: o.Key, Timeout: o.Budget, Client: o.Client})
	if err != nil {
		return nil, err
	}
	r := &Reranker{server: server, model: o.Model}
	r.Remote, err = rerank.NewRemote(rerank.RemoteOptions{
		Kind: "cohere", Model: o.Model, BatchTexts: o.BatchTexts, Budget: o.Budget, Call: r.call,
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

type request struct {
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

type rank struct {
	Index *int     `json:"index"`
	Score *float64 `json:"relevance_score"`
}

func (r *Reranker) call(ctx context.Context, query string, texts []string) ([]rerank.Rank, error) {
	var answer struct {
		Results []rank `json:"results"`
	}
	in := request{Model: r.model, Query: query, Documents: texts, TopN: len(texts)}
	if err := r.server.Post(ctx, "/rerank", in, &answer); err != nil {
		return nil, err
	}
	out := make([]rerank.Rank, len(answer.Results))
	for i, a := range answer.Results {
		out[i] = rerank.Rank(a)
	}
	return out, nil
}
