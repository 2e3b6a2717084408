package api_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// N-7, M-4: whom, what, when and how it hangs together: each can be asked for alone, in lists and in searches, by REST and the SDK.
func TestConditions(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.must(201, "POST", "/v1/documents", obj{"content": "Dave Miller joined the sales team. Dave Miller works with Sarah Chen.", "container": "work.acme", "title": "Staff"})
	s.must(201, "POST", "/v1/documents", obj{"content": "My sister married Dave Miller in Lisbon.", "container": "family", "title": "Wedding"})
	s.must(201, "POST", "/v1/messages", obj{"container": "chat", "conversation": "t1", "messages": []obj{
		{"id": "1", "speaker": "Maya", "role": "user", "content": "I moved to Berlin last week. Dave Miller carried the boxes.", "time": "2026-03-02T10:00:00Z"},
		{"id": "2", "speaker": "Maya", "role": "user", "content": "I work at Acme Corp since January 2026. My brother is Tom.", "time": "2026-03-03T10:00:00Z"},
	}})
	c, err := client.New(s.url, client.Options{Key: s.key})
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		query string              // of a list
		sdk   lukasa.MemoryFilter // the same
		body  obj                 // of a search
		list  []string            // words of the memories, in any order
		hits  []string            // words of what is found
	}{
		{"entity=dave", lukasa.MemoryFilter{Entities: []string{"dave"}}, obj{"filters": obj{"entity": "DAVE"}}, []string{"sales team", "married"}, []string{"sales team", "married", "carried"}},
		{"entity=Tom,sarah chen", lukasa.MemoryFilter{Entities: []string{"Tom", "sarah chen"}}, obj{"filters": obj{"entity": []string{"Tom", "sarah chen"}}}, []string{"Tom"}, []string{"brother", "works with"}},
		{"entity=Nobody", lukasa.MemoryFilter{Entities: []string{"Nobody"}}, obj{"filters": obj{"entity": "Nobody"}}, nil, nil},
		{"relation=works_at", lukasa.MemoryFilter{Relations: []string{"works_at"}}, obj{"filters": obj{"relation": "works_at"}}, []string{"works at Acme"}, []string{"works at Acme"}},
		{"relation=relates_to&entity=Tom", lukasa.MemoryFilter{Relations: []string{"relates_to"}, Entities: []string{"Tom"}}, obj{"filters": obj{"relation": "relates_to", "entity": "Tom"}}, []string{"Tom"}, []string{"Tom is"}},
		{"relation=updates", lukasa.MemoryFilter{Relations: []string{"updates"}}, obj{"filters": obj{"relation": "updates"}}, nil, nil},
		{"topic=sales", lukasa.MemoryFilter{Topics: []string{"sales"}}, obj{"topics": []string{"sales"}}, []string{"sales team"}, []string{"sales team"}},
		{"subject=Maya&slot=lives_in", lukasa.MemoryFilter{Subject: "Maya", Slot: "lives_in"}, obj{"filters": obj{"subject": "Maya", "slot": "lives_in"}}, []string{"Berlin"}, []string{"lives in Berlin"}},
		{"to=2026-03-02T12:00:00Z&from=2026-03-01", lukasa.MemoryFilter{After: new(noon.Add(-36 * time.Hour)), Before: &noon}, obj{"filters": obj{"from": "2026-03-01", "to": "2026-03-02T12:00:00Z"}}, nil, []string{"carried"}},
		{"created_to=2026-01-01", lukasa.MemoryFilter{CreatedUntil: new(noon.AddDate(0, -3, 0))}, obj{"filters": obj{"created_to": "2026-01-01"}}, nil, nil},
		{"created_from=2026-01-01&entity=Tom", lukasa.MemoryFilter{CreatedFrom: new(noon.AddDate(0, -3, 0)), Entities: []string{"Tom"}}, obj{"filters": obj{"created_from": "2026-01-01", "entity": "Tom"}}, []string{"Tom"}, []string{"brother"}},
		{"valid_to=2026-02-01", lukasa.MemoryFilter{ValidTo: new(noon.AddDate(0, -1, -1))}, obj{"valid_to": "2026-02-01"}, []string{"works at Acme"}, []string{"works at Acme"}},
		{"valid_from=2026-01-01&valid_to=2026-03-03&subject=Maya", lukasa.MemoryFilter{ValidFrom: new(noon.AddDate(0, -2, 0)), ValidTo: new(noon), Subject: "Maya"}, obj{"valid_from": "2026-01-01", "valid_to": "2026-03-03", "filters": obj{"subject": "Maya"}}, []string{"works at Acme", "Berlin"}, []string{"works at Acme", "Berlin"}},
		{"kind=event&entity=Dave", lukasa.MemoryFilter{Kinds: []lukasa.MemoryKind{lukasa.KindEvent}, Entities: []string{"Dave"}}, obj{"filters": obj{"kind": "event", "not": obj{"entity": "Lisbon"}}, "types": []string{"memory"}}, []string{"sales team", "married"}, []string{"sales team"}},
	} {
		agree := func(what string, got, want []string) {
			t.Helper()
			left := slices.DeleteFunc(slices.Clone(want), func(w string) bool {
				return slices.ContainsFunc(got, func(g string) bool { return strings.Contains(g, w) })
			})
			if len(got) != len(want) || len(left) > 0 {
				t.Errorf("%s of %s: %q, want %q", what, x.query, got, want)
			}
		}
		var got []string
		for _, m := range objs(s.must(200, "GET", "/v1/memories?"+strings.ReplaceAll(x.query, " ", "+"), nil)["items"]) {
			got = append(got, text(m, "content"))
		}
		agree("list", got, x.list)
		l, err := c.Memories(t.Context(), x.sdk, lukasa.Page{})
		if err != nil {
			t.Fatal(err)
		}
		got = nil
		for _, m := range l.Items {
			got = append(got, m.Content)
		}
		agree("SDK", got, x.list)
		for _, query := range []string{"", "what did they say about boxes, Acme and the wedding"} {
			body := obj{"query": query, "limit": 50}
			maps.Copy(body, x.body)
			got = nil
			for _, h := range objs(s.must(200, "POST", "/v1/search", body)["results"]) {
				got = append(got, text(h, "content"))
			}
			agree("search "+query, got, x.hits)
		}
	}

	for path, field := range map[string]string{
		"/v1/memories?from=soon": "from", "/v1/memories?created_to=x": "created_to", "/v1/memories?valid_from=1": "valid_from", "/v1/memories?kind=rumour": "kind",
		"/v1/memories?entity=ent_1": "entity", "/v1/memories?entity=" + url.QueryEscape(strings.Repeat("a", 2000)): "entity",
	} {
		if e := s.must(400, "GET", path, nil); text(e, "error", "details", "field") != field {
			t.Errorf("%.60s: %v", path, e)
		}
	}
	for field, filters := range map[string]obj{
		"filters.entity": {"entity": "ent_1"}, "filters.kind": {"or": []obj{{"kind": "rumour"}}}, "filters.to": {"to": "x"}, "filters.relation": {"relation": obj{}},
	} {
		if e := s.must(400, "POST", "/v1/search", obj{"query": "x", "filters": filters}); text(e, "error", "details", "field") != field {
			t.Errorf("%v: %v", filters, e)
		}
	}
	// the cascade brings decisions by a road of its own, past the filter if nobody looks
	s.must(201, "POST", "/v1/memories", obj{"content": "We decided to use granite.", "kind": "decision"})
	for _, h := range objs(s.must(200, "POST", "/v1/search", obj{"query": "what did we decide about granite?", "ranker": "cascade", "filters": obj{"entity": "Tom"}})["results"]) {
		if strings.Contains(text(h, "content"), "granite") {
			t.Errorf("the cascade passes the filter by: %v", h)
		}
	}
}

// A key that is bound to a container asks by the names that it may know, and by no other.
func TestConditionsOfABoundKey(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.must(201, "POST", "/v1/documents", obj{"content": "Dave Miller joined the sales team.", "container": "work"})
	s.must(201, "POST", "/v1/documents", obj{"content": "My sister married Dave Miller in Lisbon.", "container": "family"})
	id := text(s.must(200, "GET", "/v1/entities/Dave", nil), "id")
	s.must(200, "PATCH", "/v1/entities/"+id, obj{"aliases": []string{"Dave", "Pike"}})
	lisbon := text(s.must(200, "GET", "/v1/entities/Lisbon", nil), "id")
	bound := s.as(text(s.must(201, "POST", "/v1/keys", obj{"name": "bound", "container": "work"}), "key"))
	for _, c := range []struct {
		name       string
		all, bound int
	}{{"Dave Miller", 2, 1}, {id, 2, 1}, {"Pike", 2, 0}, {"Lisbon", 1, 0}, {lisbon, 1, 0}} {
		for k, n := range map[*site]int{s: c.all, bound: c.bound} {
			if got := len(objs(k.must(200, "GET", "/v1/memories?entity="+url.QueryEscape(c.name), nil)["items"])); got != n {
				t.Errorf("list of %s: %d, want %d", c.name, got, n)
			}
			if got := len(objs(k.must(200, "POST", "/v1/search", obj{"query": "", "types": []string{"chunk"}, "filters": obj{"entity": c.name}})["results"])); got != n {
				t.Errorf("search of %s: %d, want %d", c.name, got, n)
			}
		}
	}
}

// N-7: a memory that was given, and one that corrects another, is found by whom it names and by what it says of its subject.
func TestConditionsOnMemoriesByHand(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.must(201, "POST", "/v1/memories", obj{"content": "Dave Miller likes sushi.", "container": "life"})
	s.must(201, "POST", "/v1/messages", obj{"container": "life", "conversation": "t1", "messages": []obj{
		{"id": "1", "speaker": "Ana Souza", "role": "user", "content": "I live in Paris.", "time": "2026-03-02T10:00:00Z"},
	}})
	list := func(query string) (got []string) {
		for _, m := range objs(s.must(200, "GET", "/v1/memories?latest=true&"+query, nil)["items"]) {
			got = append(got, text(m, "content"))
		}
		return got
	}
	if got := list("entity=dave"); !slices.Equal(got, []string{"Dave Miller likes sushi."}) {
		t.Errorf("of Dave: %q", got)
	}
	if e := s.must(200, "GET", "/v1/entities/Dave%20Miller", nil); len(objs(e["memories"])) != 1 {
		t.Errorf("Dave Miller: %v", e)
	}
	paris := objs(s.must(200, "GET", "/v1/memories?slot=lives_in", nil)["items"])[0]
	lyon := s.must(201, "POST", "/v1/memories", obj{"content": "Ana Souza lives in Lyon.", "updates": paris["id"]})
	for _, query := range []string{"entity=Ana%20Souza", "entity=Lyon", "relation=lives_in", "relation=lives_in&entity=Ana%20Souza", "slot=lives_in&subject=Ana%20Souza"} {
		if got := list(query); !slices.Equal(got, []string{"Ana Souza lives in Lyon."}) {
			t.Errorf("%s: %q", query, got)
		}
	}
	if got := list("entity=Paris"); len(got) != 0 {
		t.Errorf("of Paris: %q", got)
	}
	if v, _ := lyon["value"].(string); v == "Paris" {
		t.Errorf("the correction has the old value: %v", lyon)
	}
}
