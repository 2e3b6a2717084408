package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// fileState is how a file is.
type fileState struct {
	ID    lukasa.ID `json:"id"`
	State string    `json:"state" doc:"active, dormant or rehydrating"`
	Tier  string    `json:"tier" doc:"hot, warm or cold"`
}

func stateOf(f engine.FileInfo) fileState { return fileState{f.ID, f.State, f.Tier} }

// waking tells a client to come back for a file.
type waking struct {
	Status     int
	RetryAfter string `header:"Retry-After"`
	Body       fileState
}

func (d *door) files() {
	const tag = "files"
	withID := func(ctx context.Context, s string) (lukasa.ID, error) {
		id, err := lukasa.ParseID(lukasa.PrefixFile, s)
		if err != nil {
			return "", d.fail(ctx, err)
		}
		return id, nil
	}
	one := func(op, method, path, summary string, fn func(context.Context, lukasa.ID) (engine.FileInfo, error)) {
		add(d, method, path, op, summary, tag, func(ctx context.Context, in *ByID) (*answer[engine.FileInfo], error) {
			id, err := withID(ctx, in.ID)
			if err != nil {
				return nil, err
			}
			f, err := fn(ctx, id)
			return reply(ctx, d, f, err)
		})
	}
	add(d, "GET", "/v1/files", "list-files", "Sealed files with their states, newest first: all, those of a container, or those of a document", tag, func(ctx context.Context, in *struct {
		Paging
		Document  string `query:"document_id"`
		Container string `query:"container"`
	},
	) (*answer[lukasa.Listing[engine.FileInfo]], error) {
		pats, err := Places(List(in.Container), false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		if err := MaybeID("document_id", in.Document); err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.FileInfos(ctx, scope(ctx), lukasa.ID(in.Document), pats, in.page())
		return reply(ctx, d, l, err)
	})
	one("get-file", "GET", "/v1/files/{id}", "One file: name, sizes, state, tier", func(ctx context.Context, id lukasa.ID) (engine.FileInfo, error) {
		return d.e.File(ctx, scope(ctx), id)
	})
	add(d, "GET", "/v1/files/{id}/state", "get-file-state", "Whether a file is active, dormant or being woken", tag, func(ctx context.Context, in *ByID) (*answer[fileState], error) {
		id, err := withID(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		f, err := d.e.File(ctx, scope(ctx), id)
		return reply(ctx, d, stateOf(f), err)
	})
	one("touch-file", "POST", "/v1/files/{id}/touch", "Note that a file was used", func(ctx context.Context, id lukasa.ID) (engine.FileInfo, error) {
		return d.e.TouchFile(ctx, scope(ctx), id)
	})
	one("compress-file", "POST", "/v1/files/{id}/compress", "Compress a file hard, as happens by itself once it is idle", func(ctx context.Context, id lukasa.ID) (engine.FileInfo, error) {
		return d.e.SleepFile(ctx, scope(ctx), id)
	})
	add(d, "POST", "/v1/files/{id}/decompress", "decompress-file", "Wake a file; 202 while that takes longer than two seconds", tag, func(ctx context.Context, in *ByID) (*waking, error) {
		id, err := withID(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		hold, cancel := context.WithTimeout(ctx, d.hold())
		defer cancel()
		f, err := d.e.WakeFile(hold, scope(ctx), id, false)
		if err != nil && hold.Err() != nil && ctx.Err() == nil {
			return &waking{Status: http.StatusAccepted, RetryAfter: "1", Body: fileState{id, "rehydrating", f.Tier}}, nil
		}
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &waking{Status: http.StatusOK, Body: stateOf(f)}, nil
	})
	add(d, "GET", "/v1/files/{id}/log", "list-file-events", "The states that a file went through, newest first", tag, func(ctx context.Context, in *struct {
		ByID
		Paging
	},
	) (*answer[lukasa.Listing[engine.FileEvent]], error) {
		id, err := withID(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		l, err := d.e.FileLog(ctx, scope(ctx), id, in.page())
		return reply(ctx, d, l, err)
	})
	add(d, "GET", "/v1/files/log", "list-all-file-events", "The states that all your files went through, newest first", tag, func(ctx context.Context, in *struct{ Paging }) (*answer[lukasa.Listing[engine.FileEvent]], error) {
		l, err := d.e.FileLog(ctx, scope(ctx), "", in.page())
		return reply(ctx, d, l, err)
	})
	add(d, "GET", "/v1/files/{id}/content", "get-file-content", "The bytes of a file; a sleeping one is woken, 202 while that takes longer than two seconds", tag, func(ctx context.Context, in *ByID) (*huma.StreamResponse, error) {
		id, err := withID(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		return d.bytes(ctx, string(id), func(ctx context.Context) (io.ReadCloser, lukasa.File, error) {
			return d.e.OpenFile(ctx, scope(ctx), id)
		})
	})
}

func (d *door) hold() time.Duration {
	if d.opt.Hold == 0 {
		return holdTime
	}
	return d.opt.Hold
}

// bytes answers with what open opens. Where that has to wait for a file to wake, the client is held for a while and then told to
// come back.
func (d *door) bytes(ctx context.Context, name string, open func(context.Context) (io.ReadCloser, lukasa.File, error)) (*huma.StreamResponse, error) {
	waited, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(d.hold(), cancel)
	rc, f, err := open(waited)
	late := !timer.Stop() && ctx.Err() == nil
	switch {
	case late && err == nil: // it opened as its time ended
		if err = rc.Close(); err == nil {
			rc, f, err = open(ctx)
		}
	case late:
		cancel()
		return comeBack(), nil
	}
	if err != nil {
		cancel()
		return nil, d.fail(ctx, err)
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer cancel()
		defer rc.Close()
		hc.SetHeader("Content-Type", "application/octet-stream")
		if strings.HasPrefix(f.Type, "text/plain") {
			hc.SetHeader("Content-Type", "text/plain; charset=utf-8")
		}
		hc.SetHeader("Content-Disposition", fmt.Sprintf("attachment; filename=%q", cmp.Or(f.Name, name)))
		_, _ = io.Copy(hc.BodyWriter(), rc)
	}}, nil
}

// comeBack tells a client to come back for a file.
func comeBack() *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/json")
		hc.SetHeader("Retry-After", "1")
		hc.SetStatus(http.StatusAccepted)
		_ = json.NewEncoder(hc.BodyWriter()).Encode(map[string]string{"state": "rehydrating"})
	}}
}
