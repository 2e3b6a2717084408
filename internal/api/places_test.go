package api_test

import (
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

// N-1, N-2, D-8: containers are provisioned, looked at, changed, moved and archived over HTTP.
func TestNodesOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.must(201, "POST", "/v1/nodes/provision", obj{"nodes": []obj{{"container": "work.acme", "type": "project", "description": "The Acme account"}, {"container": "work.acme.billing"}}})
	if items := objs(out["items"]); len(items) != 2 || text(items[0], "type") != "project" || text(items[1], "path") != "work.acme.billing" {
		t.Fatalf("provisioned: %v", out)
	}
	s.must(201, "POST", "/v1/nodes/provision", obj{"container": "home", "type": "topic"})
	s.must(409, "POST", "/v1/nodes/provision", obj{"nodes": []obj{{"container": "fresh"}, {"container": "work.acme"}}})
	s.must(404, "GET", "/v1/nodes/fresh", nil)
	if e := s.must(400, "POST", "/v1/nodes/provision", obj{"container": "a.b.c.d.e.f"}); !strings.Contains(text(e, "error", "message"), "levels") {
		t.Errorf("a sixth level: %v", e)
	}
	s.must(400, "POST", "/v1/nodes/provision", obj{"container": "x", "nodes": []obj{{"container": "y"}}})
	s.must(422, "POST", "/v1/nodes/provision", obj{"container": "x", "colour": "red"})

	s.must(201, "POST", "/v1/documents", obj{"container": "work.acme", "content": "Maria Lopez leads the glacier project. Maria Lopez is in Lisbon.", "title": "Kick-off"})
	for _, path := range []string{"/v1/nodes/work.acme", "/v1/containers/work.acme", "/v1/nodes/work.acme/metadata"} {
		n := s.must(200, "GET", path, nil)
		m, _ := n["manifest"].(obj)
		if text(n, "path") != "work.acme" || num(m, "documents") != 1 || len(objs(n["children"])) != 1 || !strings.Contains(text(n, "summary"), "Maria Lopez") || n["dormant"] != false {
			t.Errorf("%s: %v", path, n)
		}
	}
	if l := objs(s.must(200, "GET", "/v1/nodes/work.acme/children", nil)["items"]); len(l) != 1 || text(l[0], "name") != "billing" {
		t.Errorf("children: %v", l)
	}
	if l := objs(s.must(200, "GET", "/v1/tree?container=work", nil)["items"]); len(l) != 1 || text(objs(objs(l[0]["children"])[0]["children"])[0], "container") != "work.acme.billing" {
		t.Errorf("tree: %v", l)
	}
	if n := s.must(200, "PATCH", "/v1/nodes/work.acme", obj{"description": "Our best client", "type": "concept"}); text(n, "description") != "Our best client" || text(n, "type") != "concept" {
		t.Errorf("patched: %v", n)
	}
	s.must(400, "PATCH", "/v1/nodes/work.acme", obj{"type": "entity"})
	s.must(400, "GET", "/v1/nodes/work.acme?as_of=yesterdayish", nil)
	if n := s.must(200, "POST", "/v1/nodes/work.acme.billing/move", obj{"container": "work.money"}); text(n, "path") != "work.money" {
		t.Errorf("moved: %v", n)
	}
	if r := s.must(200, "POST", "/v1/containers/work.acme/archive", nil); text(r, "into") != "work" || num(r, "documents") != 1 {
		t.Errorf("archived: %v", r)
	}
	s.must(404, "POST", "/v1/containers/work.acme/archive", nil)
	s.must(409, "POST", "/v1/containers/work/archive", obj{"into": "work.money"})
	if r := s.recall("who leads the glacier project"); len(r) == 0 || text(r[0], "project") != "work" {
		t.Errorf("found %v", r)
	}
	if r := s.must(200, "POST", "/v1/nodes/suggest", obj{"content": "Maria Lopez sent news of the glacier project."}); text(r, "container") != "work" || num(r, "confidence") <= 0 {
		t.Errorf("suggested: %v", r)
	}
}

// N-3, D-4, T-4, T-9, H-20: entities, edges and the graph over HTTP.
func TestGraphOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.must(201, "POST", "/v1/documents", obj{"container": "family", "content": "My sister married Dave Miller in Lisbon.", "title": "Wedding"})
	s.must(201, "POST", "/v1/documents", obj{"container": "work", "content": "Dave Miller joined the team. Sarah Chen hired Dave Miller.", "title": "Staff"})
	found := objs(s.must(200, "GET", "/v1/entities?q=Daev", nil)["items"])
	if len(found) == 0 || text(found[0], "name") != "Dave Miller" || num(found[0], "score") <= 0.5 {
		t.Fatalf("entities: %v", found)
	}
	dave := text(found[0], "id")
	for _, key := range []string{dave, "dave", "Dave%20Miler"} {
		a := s.must(200, "GET", "/v1/entities/"+key, nil)
		if text(a, "id") != dave || len(objs(a["where"])) != 2 || len(objs(a["documents"])) != 2 {
			t.Errorf("%s: %v", key, a)
		}
	}
	s.must(404, "GET", "/v1/entities/Zzyzx", nil)
	s.must(404, "GET", "/v1/entities/ent_01m7y0taxge3zbrkvwf4j8z7d2", nil)
	sarah := text(objs(s.must(200, "GET", "/v1/entities?kind=person&q=Sarah", nil)["items"])[0], "id")
	if e := s.must(200, "PATCH", "/v1/entities/"+sarah, obj{"name": "Sarah Chen-Wu"}); text(e, "name") != "Sarah Chen-Wu" || !strings.Contains(strings.Join(texts(e["aliases"]), ","), "Sarah Chen") {
		t.Errorf("renamed: %v", e)
	}
	s.must(409, "PATCH", "/v1/entities/"+sarah, obj{"name": "dave miller"})
	s.must(400, "PATCH", "/v1/entities/"+sarah, obj{"name": " "})

	one := text(s.must(201, "POST", "/v1/memories", obj{"container": "work", "content": "The team uses PostgreSQL"}), "id")
	two := text(s.must(201, "POST", "/v1/memories", obj{"container": "work", "content": "The ledger is in PostgreSQL"}), "id")
	edge := obj{"source": two, "target": one, "type": "extends", "confidence": 0.7, "metadata": obj{"by": "hand"}}
	if e := s.must(201, "POST", "/v1/edges", edge); text(e, "type") != "extends" || num(e, "confidence") != 0.7 {
		t.Errorf("edge: %v", e)
	}
	s.must(400, "POST", "/v1/edges", obj{"source": two, "target": one, "type": "likes"})
	if l := objs(s.must(200, "GET", "/v1/memories/"+one+"/related?depth=1", nil)["items"]); len(l) != 1 || text(l[0], "id") != two || text(l[0], "relationship") != "extends" {
		t.Errorf("related: %v", l)
	}
	s.must(400, "GET", "/v1/memories/"+one+"/related?depth=9", nil)
	if l := objs(s.must(200, "GET", "/v1/graph/edges?of="+one+"&type=extends", nil)["items"]); len(l) != 1 {
		t.Errorf("edges: %v", l)
	}
	h := s.must(200, "GET", "/v1/graph/neighbourhood?of=Dave%20Miller&depth=2", nil)
	if len(objs(h["nodes"])) < 5 || len(objs(h["edges"])) < 4 || num(objs(h["nodes"])[0], "distance") != 0 {
		t.Errorf("neighbourhood: %v", h)
	}
	s.must(200, "DELETE", "/v1/edges?source="+two+"&target="+one+"&type=extends", nil)
	s.must(404, "DELETE", "/v1/edges?source="+two+"&target="+one+"&type=extends", nil)

	if n := s.must(201, "POST", "/v1/graph/nodes", obj{"name": "New Project", "type": "project", "description": "Of the project", "parent_id": nil}); text(n, "name") != "New Project" {
		t.Errorf("graph node: %v", n)
	}
	s.must(200, "POST", "/v1/graph/nodes", obj{"name": "New Project", "type": "project", "description": "Changed"})
	p := s.must(200, "GET", "/v1/graph/nodes?type=entity&limit=1", nil)
	page, _ := p["pagination"].(obj)
	if n := objs(p["nodes"]); len(n) != 1 || num(page, "total") < 2 || page["has_more"] != true || n[0]["recall_file_count"] == nil || n[0]["related_nodes"] == nil {
		t.Errorf("graph nodes: %v", p)
	}
	for _, path := range []string{"/v1/graph", "/v3/memory-graph"} {
		g := s.must(200, "GET", path, nil)
		places := map[string]bool{}
		for _, v := range objs(g["nodes"]) {
			if v["x"] == nil || v["y"] == nil {
				t.Fatalf("%s has no place: %v", path, v)
			}
			places[text(v, "id")] = true
		}
		if !places[dave] || g["truncated"] != false {
			t.Errorf("%s: %v", path, g)
		}
	}
	robert := text(s.must(201, "POST", "/v1/graph/nodes", obj{"name": "Davey Miller", "type": "person"}), "id")
	if e := s.must(200, "POST", "/v1/entities/"+dave+"/merge", obj{"other": robert}); num(e, "mentions") < 3 {
		t.Errorf("merged: %v", e)
	}
	s.must(404, "GET", "/v1/entities/"+robert, nil)
}

func texts(v any) []string {
	var out []string
	list, _ := v.([]any)
	for _, x := range list {
		s, _ := x.(string)
		out = append(out, s)
	}
	return out
}
