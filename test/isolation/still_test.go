package isolation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// prints are the records of everybody as their widest key exports them, by owner and then by id, as of the last census.
type prints map[*person]map[string]record

type record struct {
	place string
	node  bool
	text  string
}

func (w *world) prints() prints {
	out := prints{}
	for _, p := range w.people {
		out[p] = map[string]record{}
		for raw := range bytes.Lines(w.exports[p]) {
			var l map[string]map[string]any
			if json.Unmarshal(raw, &l) != nil {
				continue
			}
			for kind, v := range l {
				place, id := str(v, "container"), str(v, "id")
				switch kind {
				case "header", "edge": // an edge stands nowhere by itself
					continue
				case "node":
					place = str(v, "path")
				case "messages":
					id = str(v, "conversation") + " in " + place
				}
				text, _ := json.Marshal(still(v))
				out[p][kind+" "+id] = record{place, kind == "node", string(text)}
			}
		}
	}
	return out
}

// unchanged checks that nothing has changed but where somebody who might had changed something.
func (w *world) unchanged(before prints, writers map[*person]map[string]bool) prints {
	after := w.prints()
	w.book.check("unchanged")
	for _, p := range w.people {
		mine := func(x record) bool {
			for root := range writers[p] {
				if strings.HasPrefix(root, "+") {
					continue
				}
				if one, ok := strings.CutPrefix(root, "="); ok {
					if x.place == one || x.node && covers(x.place, one) {
						return true
					}
					continue
				}
				if covers(root, x.place) || x.node && covers(x.place, root) {
					return true
				}
			}
			return false
		}
		half := func(place string) bool {
			for root := range writers[p] {
				if up, ok := strings.CutPrefix(root, "+"); ok && covers(up, place) {
					return true
				}
			}
			return false
		}
		for id, x := range before[p] {
			y, ok := after[p][id]
			if mine(x) || ok && (mine(y) || x == y) {
				continue
			}
			w.book.fault(w, "leak: changed", fmt.Sprintf("%s of %s has changed, though only %v wrote\n\t\tbefore: %s\n\t\tafter:  %s\n\t\tcalls:  %s",
				id, p.name, writers[p], x.text, y.text, strings.Join(w.journal.about(id[strings.LastIndexByte(id, ' ')+1:]), "\n\t\t        ")))
		}
		for id, y := range after[p] {
			_, ok := before[p][id]
			if !ok && !mine(y) && y.node && half(y.place) { // left by a write that was refused
				writers[p]["="+y.place] = true
				continue
			}
			if !ok && !mine(y) {
				w.book.fault(w, "leak: changed", fmt.Sprintf("%s of %s is new, though only %v wrote: %s\n\t\tbefore: %s", id, p.name, writers[p], y.text,
					strings.Join(w.journal.about(y.place), "\n\t\t        ")))
			}
		}
	}
	return after
}

// probes are what each caller is told when asked the same: nothing that stands elsewhere may shine through, not in the weight of a
// word and not in a number.
type probes map[*caller]map[string]string

// dear are questions whose answers take tens of milliseconds: one of the callers of a round is asked them.
func dear(target string) bool {
	return target == "/v1/graph/nodes" || strings.HasPrefix(target, "/v1/graph?")
}

// atRoot stands for where the caller's own place was.
const atRoot = "root"

func questions() []request {
	search := func(ranker string) request {
		body := `{"query":"budget of the plan","limit":20,"ranker":"` + ranker + `"}`
		return request{method: "POST", target: "/v1/search", body: []byte(body), header: map[string]string{"Content-Type": "application/json"}}
	}
	out := []request{search("text"), search("vector")}
	for _, target := range []string{
		"/v1/stats", "/v1/tree", "/v1/graph?limit=50", "/v1/entities?limit=100", "/v1/documents?limit=100", "/v1/memories?limit=100", "/v1/conversations",
		"/v1/recall-files", "/v1/defining-memories", "/v1/trash", "/v1/jobs", "/v3/projects", "/v1/graph/nodes",
	} {
		out = append(out, request{method: "GET", target: target})
	}
	return out
}

func (q request) named() string { return q.target + " " + string(q.body) }

// some are a few of the callers that have a right to be told something.
func (w *world) some(r *rand.Rand, n int) []*caller {
	w.model.mu.RLock()
	defer w.model.mu.RUnlock()
	list := slices.DeleteFunc(slices.Clone(w.model.callers), func(c *caller) bool {
		return c.state.Load() != alive || c.owner.whole == nil || c.admin
	})
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(n, len(list))]
}

// probe asks the callers the questions, and again just those of before.
func (w *world) probe(list []*caller, before probes) probes {
	out := probes{}
	for n, c := range list {
		if c.state.Load() != alive {
			continue
		}
		out[c] = map[string]string{atRoot: c.root}
		for i, q := range questions() {
			if _, again := before[c][q.named()]; before == nil && n > 0 && dear(q.target) || before != nil && !again {
				continue
			}
			q.op = operation{id: "probe", method: q.method, reads: true}
			a := w.ask(c, q, i%2)
			w.called(q.through(0), q.op.id, a.status)
			w.inspect(c, q.op, q.text(), a.body, c.name+": "+q.method+" "+q.target+" "+string(q.body))
			text := plainer(a, strings.NewReplacer())
			if q.target == "/v1/jobs" { // work goes on and ends by itself; what the answer names has been inspected
				text = fmt.Sprint(a.status)
			}
			var r struct {
				Results []struct {
					ID    string
					Score float64
				}
			}
			if json.Unmarshal(a.body, &r) == nil && len(r.Results) > 0 {
				text = ""
				for _, h := range r.Results {
					text += fmt.Sprintf("%s %.4f ", h.ID, h.Score)
				}
			}
			out[c][q.named()] = text
		}
	}
	return out
}

// same asks again whoever sees no place that has been written to.
func (w *world) same(before probes, writers map[*person]map[string]bool) {
	after := w.probe(slices.Collect(maps.Keys(before)), before)
	for c, asked := range before {
		if after[c] == nil {
			continue
		}
		sees := asked[atRoot] != c.root // a persona's place has come, moved or gone
		for root := range writers[c.owner] {
			if strings.HasPrefix(root, "+") {
				continue
			}
			root = strings.TrimPrefix(root, "=")
			sees = sees || covers(c.root, root) || covers(root, c.root) || c.passes(root)
			for p := range c.leave {
				sees = sees || covers(root, p)
			}
		}
		if sees {
			continue
		}
		w.book.check("same answers")
		for q, was := range asked {
			if q == atRoot {
				continue
			}
			if is := after[c][q]; is != was {
				w.book.fault(w, "leak: other answer to "+q, fmt.Sprintf("%s (root %q), though only %v wrote\n\t\tbefore: %s\n\t\tafter:  %s", c.name, c.root, writers[c.owner], was, is))
			}
		}
	}
}
