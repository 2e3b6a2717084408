package engine

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
)

// limits are those of a user whose settings say nothing.
func limits(c config.Config) lifecycle.Limits {
	return lifecycle.Limits{Files: c.UserFiles, Storage: c.UserStorage, Sessions: c.UserSessions, Requests: c.UserRequests}
}

// perUser is how many requests a minute a user may make. LUKASA_RATE_LIMIT=0 lifts every limit of requests.
func (e *Engine) perUser(settings map[string]any) int {
	if e.cfg.RateLimit == 0 {
		return 0
	}
	return lifecycle.RequestsOf(settings, limits(e.cfg))
}

// withRoom hands on the documents for which their user has room; the others get the error.
func (e *Engine) withRoom(ctx context.Context, sc lukasa.Scope, in []lukasa.NewDocument) ([]lukasa.Receipt, []error) {
	errs := make([]error, len(in))
	fit, at := make([]lukasa.NewDocument, 0, len(in)), make([]int, 0, len(in))
	for i, d := range in {
		if errs[i] = e.life.Room(ctx, sc, 1, sizeOf(d)); errs[i] == nil {
			fit, at = append(fit, d), append(at, i)
		}
	}
	receipts := make([]lukasa.Receipt, len(in))
	if len(fit) == 0 {
		return receipts, errs
	}
	got, failed := e.ingest.RememberAll(ctx, sc, fit)
	for k, i := range at {
		receipts[i], errs[i] = got[k], failed[k]
		if failed[k] != nil || got[k].Deduplicated {
			e.life.Spare(sc, 1, sizeOf(in[i]))
		}
	}
	return receipts, errs
}

func sizeOf(d lukasa.NewDocument) int64 { return int64(len(d.Content) + len(d.Data)) }

// mayAppend returns an error where the user has no room for the messages, or holds too many conversations at once.
func (e *Engine) mayAppend(ctx context.Context, sc lukasa.Scope, in lukasa.Append) error {
	path := lukasa.Path(in.Container)
	switch {
	case path == "" && sc.Root != "":
		path = sc.Root
	case path == "":
		path = lukasa.DefaultPath
	}
	if err := e.life.Session(ctx, sc, path, in.Conversation); err != nil {
		return err
	}
	size := 0
	for _, m := range in.Messages {
		size += len(m.Content)
	}
	return e.life.Room(ctx, sc, 0, int64(size))
}
