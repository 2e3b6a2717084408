package api

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lukasa-memory/lukasa/internal/encode"
)

// written is an answer as it goes out.
type written struct{ json []byte }

// pages writes answers. It keeps the memory that they are written into.
type pages struct {
	encode *encode.Encoder
	spare  sync.Pool // of *written
}

// keepUpTo is the longest answer, in bytes, whose memory is kept.
const keepUpTo = 1 << 20

// write is a transformer, the last one: it writes an answer before its status goes out, so that its length stands in front of it and it
// leaves in as few pieces as there can be.
func (p *pages) write(ctx huma.Context, status string, v any) (any, error) {
	w, _ := p.spare.Get().(*written)
	if w == nil {
		w = new(written)
	}
	b, err := p.encode.Append(w.json[:0], v)
	if err != nil {
		return nil, err
	}
	w.json = append(b, '\n')
	if status != strconv.Itoa(http.StatusNoContent) && status != strconv.Itoa(http.StatusNotModified) {
		ctx.SetHeader("Content-Length", strconv.Itoa(len(w.json)))
	}
	return w, nil
}

// send is the marshaller: everything was written before.
func (p *pages) send(out io.Writer, v any) error {
	w, ok := v.(*written)
	if !ok {
		return errors.New("an answer was not written before it was to be sent")
	}
	_, err := out.Write(w.json)
	if cap(w.json) <= keepUpTo {
		p.spare.Put(w)
	}
	return err
}
