package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// States of a part and of the whole. Down wins over degraded.
const (
	OK       = "ok"
	Degraded = "degraded" // the product works, with less
	Down     = "down"
	Stopping = "stopping" // of the whole alone: it is about to leave
)

// Check is the state of one part: ok, degraded or down.
type Check struct {
	Status string  `json:"status"`
	Detail string  `json:"detail,omitempty"`
	TookMS float64 `json:"took_ms"`
}

// Health is the state of the house.
type Health struct {
	Status string           `json:"status"`
	Checks map[string]Check `json:"checks,omitempty"`
	Time   time.Time        `json:"time,omitzero"`
	Uptime float64          `json:"uptime_seconds,omitempty"`
}

// Poorly says what is wrong with a part, and all of it: everybody with a key may read it, and no line of the log has more.
type Poorly string

func (p Poorly) Error() string { return string(p) }

// lookTime is how long a look waits for one part: balancers that ask wait little longer.
const lookTime = 2 * time.Second

// Rounds looks at one part after the other. Log hears what only its readers may know.
type Rounds struct {
	Health

	Now func() time.Time
	Log *slog.Logger
}

// Look asks one part, and counts it as worst where it gives an error. What a [Poorly] says is told to everybody; another error stands in the log.
func (r *Rounds) Look(ctx context.Context, name, worst string, fn func(context.Context) (string, error)) {
	from := r.Now()
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	detail, err := fn(ctx)
	c := Check{Status: OK, Detail: detail, TookMS: float64(r.Now().Sub(from)) / 1e6}
	if err != nil {
		if told, ok := errors.AsType[Poorly](err); ok {
			c.Status, c.Detail = worst, string(told)
		} else {
			r.Log.WarnContext(ctx, "health check", "part", name, "err", err)
			c.Status, c.Detail = worst, worst+": see the log"
		}
		if r.Status != Down {
			r.Status = worst
		}
	}
	r.Checks[name] = c
}

// Writes reports whether what is saved now is kept: rows can be read, and the disk takes what is written to it.
func (h Health) Writes() bool {
	for _, name := range []string{"store", "disk"} {
		if c, there := h.Checks[name]; there && c.Status != OK {
			return false
		}
	}
	return h.Status != Down && h.Status != Stopping
}
