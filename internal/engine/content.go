package engine

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

func (e *Engine) content(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) (io.ReadCloser, lukasa.File, error) {
	files, err := e.Files(ctx, sc, id, at)
	if err != nil {
		return nil, lukasa.File{}, err
	}
	for _, f := range files {
		if f.Role == "raw" {
			return e.openFile(ctx, sc.Owner, f)
		}
	}
	d, err := e.DocumentAt(ctx, sc, id, at)
	if err != nil {
		return nil, lukasa.File{}, err
	}
	return io.NopCloser(strings.NewReader(d.Content)), lukasa.File{Document: id, Role: "text", Type: "text/plain; charset=utf-8", Size: d.Size}, nil
}
