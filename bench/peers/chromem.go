package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/philippgille/chromem-go"
)

// chromemVectors is chromem-go in memory, which compares with every vector.
type chromemVectors struct {
	x *chromem.Collection
	n int
}

func (c *chromemVectors) name() string { return "chromem-go" }

func (c *chromemVectors) build(from *corpus, _ string) (err error) {
	none := func(context.Context, string) ([]float32, error) {
		return nil, fmt.Errorf("every document has its vector")
	}
	if c.x, err = chromem.NewDB().CreateCollection("items", nil, none); err != nil {
		return err
	}
	docs := make([]chromem.Document, len(from.items))
	for i, it := range from.items {
		docs[i] = chromem.Document{ID: strconv.Itoa(i), Metadata: map[string]string{"owner": strconv.Itoa(it.owner)}, Embedding: it.vector, Content: it.text}
	}
	c.n = len(docs)
	return c.x.AddDocuments(context.Background(), docs, 2)
}

func (c *chromemVectors) vector(q *query, all bool, k int) ([]int, error) {
	var where map[string]string
	if !all {
		where = map[string]string{"owner": strconv.Itoa(q.owner)}
	}
	found, err := c.x.QueryEmbedding(context.Background(), q.vector, min(k, c.n), where, nil)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(found))
	for i, f := range found {
		if out[i], err = strconv.Atoi(f.ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *chromemVectors) cpu() (time.Duration, bool) { return processTime(), true }
func (c *chromemVectors) bytes() int64               { return 0 }
func (c *chromemVectors) close() error               { return nil }
