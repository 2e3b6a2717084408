package api_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// A model may take longer than other requests do. What it would change is told document by document; its failure changes nothing
// and says why.
func TestRederiveByModel(t *testing.T) {
	t.Parallel()
	const limit = 1500 * time.Millisecond // for other requests, on a slow machine too
	quotes := []string{"my head is clearest in the mornings", "tea calms me"}
	mode := "answer"
	m := enginetest.NewModel(t, func(_ int, a enginetest.Asked) enginetest.Said {
		if mode == "fail" {
			return enginetest.Said{Status: 401, Raw: `{"error":{"message":"no"}}`}
		}
		i := slices.IndexFunc(quotes, func(q string) bool { return strings.Contains(a.Last(), q) })
		return enginetest.Said{After: limit + 200*time.Millisecond, Text: `{"memories":[{"text":1,"kind":"insight","content":"It is said that ` + quotes[i] + `.","quote":"` + quotes[i] +
			`","subject":"Ana","slot":"","value":"","confidence":0.9,"occurred_at":"","valid_from":"","valid_to":""}]}`}
	})
	cfg := enginetest.Config(t)
	m.Use(&cfg)
	e, clock, _ := enginetest.Open(t, cfg, engine.Options{})
	srv := httptest.NewUnstartedServer(api.New(e, api.Options{Timeout: limit}))
	srv.Config.ReadTimeout, srv.Config.WriteTimeout = limit, limit
	srv.Start()
	t.Cleanup(srv.Close)
	s := &site{t: t, e: e, clock: clock, url: srv.URL, key: cfg.APIKey}
	for _, q := range quotes {
		s.must(201, "POST", "/v1/documents", obj{"content": "As for me, " + q + "."})
	}
	before := len(objs(s.must(200, "GET", "/v1/memories", nil)["items"]))
	mode = "fail"
	if out := s.must(502, "POST", "/v1/rederive", obj{"model": true, "apply": true}); len(out) == 0 || len(objs(s.must(200, "GET", "/v1/memories", nil)["items"])) != before {
		t.Errorf("failed: %v", out)
	}
	mode = "answer"
	var seen []int
	tick := func(r client.Rederived) { seen = append(seen, r.Documents) }
	dry, err := s.sdk().Rederive(t.Context(), false, true, nil, "", tick)
	if err != nil || dry.Add != 2 || dry.Retire != 0 || dry.Documents != 2 || len(seen) == 0 || seen[len(seen)-1] != 2 {
		t.Fatalf("%+v, %v, ticks %v", dry, err, seen)
	}
	if n := len(objs(s.must(200, "GET", "/v1/memories", nil)["items"])); n != before {
		t.Errorf("a dry run made %d memories", n-before)
	}
	done, err := s.sdk().Rederive(t.Context(), true, true, nil, "", nil)
	if err != nil || done.Add != 2 || !done.Applied {
		t.Fatalf("%+v, %v", done, err)
	}
	quotes[0], quotes[1] = "in the mornings", "tea" // the same words, in part
	if again, err := s.sdk().Rederive(t.Context(), true, true, []lukasa.Pattern{}, "", nil); err != nil || again.Add+again.Retire != 0 || again.Keep != 2 {
		t.Errorf("%+v, %v", again, err)
	}
}

// A document that the model answers badly stays as it was and is named; the others are read. Answers that stay bad end it.
func TestRederiveGoesOnPastABadAnswer(t *testing.T) {
	t.Parallel()
	bad := "number three"
	m := enginetest.NewModel(t, func(_ int, a enginetest.Asked) enginetest.Said {
		for _, said := range a.Messages { // when it is asked once more, too
			if strings.Contains(said.Content, bad) {
				return enginetest.Said{Text: "I am sorry, I cannot do that."}
			}
		}
		return enginetest.Said{Text: `{"memories":[]}`}
	})
	cfg := enginetest.Config(t)
	m.Use(&cfg)
	e, clock, _ := enginetest.Open(t, cfg, engine.Options{})
	srv := httptest.NewServer(api.New(e, api.Options{}))
	t.Cleanup(srv.Close)
	s := &site{t: t, e: e, clock: clock, url: srv.URL, key: cfg.APIKey}
	var ids []lukasa.ID
	for _, n := range []string{"one", "two", "three", "four", "five"} {
		made := s.must(201, "POST", "/v1/documents", obj{"content": "As for me, tea number " + n + " calms me in the mornings."})
		ids = append(ids, lukasa.ID(made["id"].(string)))
	}
	out, err := s.sdk().Rederive(t.Context(), true, true, nil, "", nil)
	if err != nil || out.Documents != 5 || len(out.Unread) != 1 || out.Unread[0].Document != ids[2] || !strings.Contains(out.Unread[0].Detail, "JSON") {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := s.sdk().Rederive(t.Context(), true, true, nil, ids[2], nil); lukasa.CodeOf(err) != lukasa.CodeExternal {
		t.Errorf("of that document alone: %v", err)
	}
	bad = "number"
	if out, err := s.sdk().Rederive(t.Context(), true, true, nil, "", nil); lukasa.CodeOf(err) != lukasa.CodeExternal {
		t.Errorf("with bad answers only: %+v, %v", out, err)
	}
}
