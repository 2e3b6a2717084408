package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type healthBody struct {
	engine.Health
	Version string `json:"version"`
}

func (d *door) health(ctx context.Context) (*answer[healthBody], error) {
	h := d.e.Health(ctx)
	a := &answer[healthBody]{Status: http.StatusOK, Body: healthBody{Health: h, Version: d.opt.Version}}
	if h.Status == "down" {
		a.Status = http.StatusServiceUnavailable
	}
	return a, nil
}

func (d *door) system() {
	const tag = "system"
	add(d, "GET", "/health", "health", "The state of each part", tag, func(ctx context.Context, _ *struct{}) (*answer[healthBody], error) { return d.health(ctx) })
	add(d, "GET", "/ready", "ready", "Whether requests can be served", tag, func(ctx context.Context, _ *struct{}) (*answer[healthBody], error) { return d.ready(ctx) })
	add(d, "GET", "/v1/stats", "stats", "What there is, in numbers", tag, func(ctx context.Context, in *struct{ Then }) (*answer[lukasa.Stats], error) {
		at, err := in.at()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		s, err := d.e.Stats(ctx, scope(ctx), at)
		return reply(ctx, d, s, err)
	})
	add(d, "POST", "/v1/doctor", "doctor", "Look for damage; repair builds again what is derived", tag, func(ctx context.Context, in *struct {
		Body struct {
			Repair bool `json:"repair,omitempty"`
		}
	},
	) (*answer[lukasa.Listing[string]], error) {
		found, err := d.e.Doctor(ctx, scope(ctx), in.Body.Repair)
		return reply(ctx, d, whole(found), err)
	})
	d.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if err := scope(r.Context()).CanAdmin(); err != nil {
			writeError(w, r, err)
			return
		}
		d.e.Metrics().Handler().ServeHTTP(w, r)
	})
	d.mux.HandleFunc("GET /v1/events", d.events)
	d.mux.HandleFunc("GET /v1/export", d.export)
	d.mux.HandleFunc("POST /v1/import", d.importAll)
	d.mux.HandleFunc("GET /{$}", d.greet)
}

// events sends news as server-sent events until the client goes away.
func (d *door) events(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	news, err := d.e.Events(ctx, scope(ctx))
	if err != nil {
		writeError(w, r, err)
		return
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprint(w, ": hello\n\n")
	_ = rc.Flush()
	beat := time.NewTicker(15 * time.Second)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			fmt.Fprint(w, ": beat\n\n")
		case ev, ok := <-news:
			if !ok {
				return
			}
			data, err := json.Marshal(ev)
			if err != nil {
				continue
			}
			fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", ev.ID, ev.Type, data)
		}
		if rc.Flush() != nil {
			return
		}
	}
}

func (d *door) export(w http.ResponseWriter, r *http.Request) {
	pats, err := places(list(r.URL.Query().Get("container")), false)
	if err != nil {
		writeError(w, r, err)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	w.Header().Set("Content-Type", "application/x-ndjson")
	if _, err := d.e.Export(r.Context(), scope(r.Context()), pats, w, nil); err != nil {
		if rec, ok := w.(*recorder); ok && !rec.wrote {
			writeError(w, r, err)
			return
		}
		d.opt.Log.ErrorContext(r.Context(), "export", "err", err)
		panic(http.ErrAbortHandler) // the client must see that it is not whole
	}
}
