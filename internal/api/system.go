package api

import (
	"context"
	"net/http"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

type healthBody struct {
	telemetry.Health
	Version string `json:"version,omitempty"`
}

// told returns the part of a state that a caller may read: all of it with a key. Without a key it says whether the process is up, down or
// about to stop.
func told(ctx context.Context, h healthBody) healthBody {
	if scope(ctx).Owner != "" {
		return h
	}
	if h.Status == telemetry.Degraded {
		h.Status = telemetry.OK
	}
	return healthBody{Health: telemetry.Health{Status: h.Status}}
}

func (d *door) describeHealth(ctx context.Context) *answer[healthBody] {
	h := d.e.Health(ctx)
	a := &answer[healthBody]{Status: http.StatusOK, Body: healthBody{Health: h, Version: d.opt.Version}}
	if h.Status == telemetry.Down {
		a.Status = http.StatusServiceUnavailable
	}
	return a
}

func (d *door) system() {
	const tag = "system"
	add(d, "GET", "/health", "health", "The state of each part; without a key, up or down", tag, func(ctx context.Context, _ *struct{}) (*answer[healthBody], error) {
		a := d.describeHealth(ctx)
		a.Body = told(ctx, a.Body)
		return a, nil
	})
	add(d, "GET", "/ready", "ready", "Whether requests can be served", tag, d.ready)
	add(d, "GET", "/v1/stats", "stats", "What there is, in numbers", tag, func(ctx context.Context, in *struct{ Then }) (*answer[lukasa.Stats], error) {
		at, err := in.at()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		s, err := d.e.Stats(ctx, scope(ctx), at)
		return reply(ctx, d, s, err)
	})
	add(d, "POST", "/v1/doctor", "doctor", "Look for damage; repair builds again what is derived", tag, func(ctx context.Context, in *struct {
		Patience

		Body struct {
			Repair bool `json:"repair,omitempty"`
		}
	},
	) (*answer[lukasa.Listing[string]], error) {
		found, err := d.e.Doctor(ctx, scope(ctx), in.Body.Repair)
		return reply(ctx, d, whole(found), err)
	})
}
