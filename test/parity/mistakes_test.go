package parity

import (
	"strings"
)

// open are the operations that anybody may ask.
var open = map[string]bool{"health": true, "ready": true}

// form is a multipart body.
type form string

// kinds says which kind of id stands in a path, and what the story has kept of it.
var kinds = map[string]struct{ prefix, kept string }{
	"documents": {"doc", "doc1"}, "memories": {"mem", "mem1"}, "conversations": {"conv", "conv1"}, "messages": {"msg", "msg1"}, "nodes": {"node", "node1"},
	"containers": {"node", "node1"}, "entities": {"ent", "ent1"}, "files": {"file", "file1"}, "keys": {"key", "key1"}, "users": {"usr", "ann_id"},
	"recall-files": {"doc", "rf1"}, "trash": {"doc", "doc1"}, "records": {"doc", "doc1"}, "receipts": {"rcpt", "rcpt1"}, "grants": {"grant", "grant1"}, "deltas": {"delta", "delta1"},
	"organisations": {"org", "org1"},
}

// mistakes asks every operation wrongly, in all the ways that its description has room for.
func (p *pair) mistakes() {
	for _, op := range p.ops {
		if open[op.id] {
			continue
		}
		body := any(nil)
		if op.body {
			body = obj{}
		}
		kind := kinds[strings.Split(op.path, "/")[2]]
		path := strings.NewReplacer("{id}", kind.prefix+"_00000000000000000000000000", "{name}", "x.py", "{user}", "usr_00000000000000000000000000").Replace(op.path)
		send := func(x step) { p.play(x) }
		send(step{op.method, path, body, 401, "", "-"})
		if strings.Contains(op.path, "{id}") {
			for _, id := range []string{kind.prefix + "_00000000000000000000000000", "x_00000000000000000000000000", "nonsense", "%25", "..%2f"} {
				send(step{op.method, strings.NewReplacer("{id}", id, "{name}", "x.py", "{user}", "usr_00000000000000000000000000").Replace(op.path), body, 0, "", ""})
			}
			// what is there, asked for by somebody whose it is not
			send(step{op.method, strings.NewReplacer("{id}", "{"+kind.kept+"}", "{name}", "x.py", "{user}", "usr_00000000000000000000000000").Replace(op.path), body, 0, "", "ben"})
		}
		if op.body {
			for _, b := range []string{`{`, `[]`, `{"nobody":1}`, `{"container":7}`, `{"container":"a b","content":"x","name":"x","query":"x","message":"x"}`, "\x00"} {
				send(step{op.method, path, b, 0, "", "ben"})
			}
		}
		for _, name := range op.params {
			switch name {
			case "limit", "offset", "depth", "max_tokens":
				send(step{op.method, path + "?" + name + "=-1", body, 0, "", "ben"})
				send(step{op.method, path + "?" + name + "=x", body, 0, "", "ben"})
				send(step{op.method, path + "?" + name + "=99999999999999999999", body, 0, "", "ben"})
			case "cursor":
				send(step{op.method, path + "?cursor=bm9wZQ", body, 0, "", "ben"})
				send(step{op.method, path + "?cursor=%00", body, 0, "", "ben"})
			case "as_of", "since", "from", "valid_at":
				send(step{op.method, path + "?" + name + "=soon", body, 0, "", "ben"})
				send(step{op.method, path + "?" + name + "=1970-01-01", body, 0, "", "ben"})
				send(step{op.method, path + "?" + name + "=9999-12-31T23:59:59Z", body, 0, "", "ben"})
			case "container":
				send(step{op.method, path + "?container=no.such.place", body, 0, "", "ben"})
				send(step{op.method, path + "?container=a%20b", body, 0, "", "ben"})
			default:
				send(step{op.method, path + "?" + name + "=%27%20OR%201=1", body, 0, "", "ben"})
			}
		}
	}
}
