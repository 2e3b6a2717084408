// Package chat talks to a model with recalled memory and remembers the exchange.
//
// It packs what is recalled for any prompt ([Path.Brief]), says what is known about somebody ([Path.Profile]), and leads a
// dialogue with the configured model ([Path.Chat]). What somebody says is durable before the model is asked, and a model that
// fails loses nothing of it.
package chat

import (
	"context"
	"log/slog"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/token"
)

// Deps are what the path works with. Search and Append are the same ways in and out that every door takes.
type Deps struct {
	Search func(ctx context.Context, sc lukasa.Scope, q lukasa.Query) (lukasa.Result, error)
	Append func(ctx context.Context, sc lukasa.Scope, in lukasa.Append) (lukasa.Conversation, []lukasa.AppendResult, error)
	Text   func(ctx context.Context, sc lukasa.Scope, d lukasa.Document) (string, error) // the cleaned text of a document
	Model  func(name string) (llm.Model, error)                                          // by its name, the configured one for ""
	Mark   func(owner lukasa.ID) []byte                                                  // the key that signs an owner's briefs
	Plain  func(owner lukasa.ID, s string) string                                        // a text without briefs that were pasted into it
	Store  store.Store
	Cache  cache.Cache
	Now    func() time.Time
	Log    *slog.Logger
}

// Options tune the path. Zero values are useful.
type Options struct {
	Windows    func(model string) map[string]int // context sizes that are set, by the names of models; nil: none
	Timeout    time.Duration                     // of the model's whole answer; 0 means 2 minutes
	SessionFor time.Duration                     // how long a session is remembered after its last brief; 0 means a day
}

// Path is safe for concurrent use.
type Path struct {
	Deps
	opt    Options
	tokens token.Counter
}

// New makes the path.
func New(d Deps, o Options) *Path {
	if o.Windows == nil {
		o.Windows = func(string) map[string]int { return nil }
	}
	if o.Timeout == 0 {
		o.Timeout = llm.DefaultTimeout
	}
	if o.SessionFor == 0 {
		o.SessionFor = 24 * time.Hour
	}
	return &Path{Deps: d, opt: o}
}
