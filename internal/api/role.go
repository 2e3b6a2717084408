package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

// roleWorker is the role of a process that works off jobs and takes no requests.
const roleWorker = "worker"

// serves refuses what the role of this process leaves to others. Nothing about records is told, so no key is asked for.
func (d *door) serves(r *http.Request) error {
	if d.opt.Role != roleWorker {
		return nil
	}
	switch r.URL.Path {
	case "/", "/health", "/ready", "/metrics":
		return nil
	}
	return &lukasa.Error{
		Code: lukasa.CodeNotFound, Msg: "this process works in the background and takes no requests: " + r.Method + " " + r.URL.Path,
		Hint: "ask a node whose role is api or all; a worker answers /, /health, /ready and /metrics",
	}
}

// greet says what answers here.
func (d *door) greet(w http.ResponseWriter, _ *http.Request) {
	hello := map[string]string{"name": "lukasa", "version": d.opt.Version, "health": "/health"}
	if d.opt.Role != "" {
		hello["role"] = d.opt.Role
	}
	if d.opt.Role != roleWorker {
		hello["api"] = "/openapi.json"
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(hello)
}

// whatFor says what a balancer wants a node for.
type whatFor struct {
	To string `query:"to" enum:"write" doc:"write: 503 also where what is saved is refused, as on a full disk, while reading goes on"`
}

// ready is what a balancer asks. A process that is about to stop says no before it stops, and looks at nothing for that. One that cannot keep what is
// saved still answers searches, and says no to those alone who ask whether they can write.
func (d *door) ready(ctx context.Context, in *whatFor) (*answer[healthBody], error) {
	if d.opt.Leaving == nil || !d.opt.Leaving() {
		a := d.describeHealth(ctx)
		if in.To == "write" && !a.Body.Writes() {
			a.Status = http.StatusServiceUnavailable
		}
		a.Body = told(ctx, a.Body)
		return a, nil
	}
	h := telemetry.Health{Status: telemetry.Stopping, Checks: map[string]telemetry.Check{}}
	return &answer[healthBody]{Status: http.StatusServiceUnavailable, Body: healthBody{Health: h, Version: d.opt.Version}}, nil
}
