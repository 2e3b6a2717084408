package api

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Patience is part of what a request says that may take longer than others, as [endless] tells: its reading has no deadline.
type Patience struct{}

// Resolve implements [huma.Resolver].
func (Patience) Resolve(hc huma.Context) []error {
	_, w := humago.Unwrap(hc)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // it has been read
	return nil
}
