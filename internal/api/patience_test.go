package api_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// What may be long work is not cut off when the time of a request is up, as other requests are.
func TestLongWorkOutlastsRequests(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	e, _, _ := enginetest.Open(t, cfg, engine.Options{})
	roomy := httptest.NewServer(api.New(e, api.Options{}))
	t.Cleanup(roomy.Close)
	s := &site{t: t, e: e, url: roomy.URL, key: cfg.APIKey}
	s.must(201, "POST", "/v1/documents", obj{"content": "The ferry leaves at nine.", "container": "port"})
	user := text(s.must(201, "POST", "/v1/users", obj{"name": "Bea"}), "id")
	tight := httptest.NewServer(api.New(e, api.Options{Timeout: time.Nanosecond}))
	t.Cleanup(tight.Close)
	s.url = tight.URL
	s.must(504, "POST", "/v1/search", obj{"query": "ferry"})
	s.must(200, "POST", "/v1/doctor", obj{})
	s.must(200, "DELETE", "/v1/nodes/port", nil)
	s.must(200, "DELETE", "/v1/users/"+user, nil)
	s.must(200, "DELETE", "/v1/trash", nil)
}
