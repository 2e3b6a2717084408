package storetest

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Lean returns the reader with its lean reads held against the full ones: whatever documents and nodes a test asks for, Heads and Paths
// must know the same ones, in the same order, and say the same of them.
func Lean(t *testing.T, r store.Reader) store.Reader { return lean{r, t} }

type lean struct {
	store.Reader
	t *testing.T
}

func (l lean) DocumentsByID(ids []lukasa.ID) ([]lukasa.Document, error) {
	l.t.Helper()
	full, err := l.Reader.DocumentsByID(ids)
	if err != nil {
		return full, err
	}
	want := make([]lukasa.Document, len(full))
	for i, d := range full {
		want[i] = lukasa.Document{
			ID: d.ID, Title: d.Title, ContentType: d.ContentType, SourceURL: d.SourceURL, Summary: d.Summary, Version: d.Version, Tags: d.Tags, Metadata: d.Metadata,
			Status: d.Status, Origin: d.Origin, IsLatest: d.IsLatest,
		}
	}
	same(l.t, want, must[[]lukasa.Document](l.t)(l.Heads(ids)))
	return full, nil
}

func (l lean) Nodes(patterns []lukasa.Pattern, counts bool) ([]lukasa.Node, error) {
	l.t.Helper()
	full, err := l.Reader.Nodes(patterns, counts)
	if err != nil {
		return full, err
	}
	want := make([]lukasa.Node, len(full))
	for i, n := range full {
		want[i] = lukasa.Node{ID: n.ID, Path: n.Path}
	}
	same(l.t, want, must[[]lukasa.Node](l.t)(l.Paths(patterns)))
	return full, nil
}
