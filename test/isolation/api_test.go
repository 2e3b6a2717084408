package isolation

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// schema is as much of a JSON schema as requests use.
type schema struct {
	Ref         string            `json:"$ref"`
	Type        any               `json:"type"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`
	OneOf       []schema          `json:"oneOf"`
	Enum        []any             `json:"enum"`
	Required    []string          `json:"required"`
	Description string            `json:"description"`
}

func (s schema) kind() string {
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		for _, x := range t {
			if x != "null" {
				return fmt.Sprint(x)
			}
		}
	}
	return ""
}

// operation is one thing that can be asked of a door.
type operation struct {
	id     string
	method string
	path   string
	params []parameter
	body   *schema
	form   bool // the body is multipart/form-data
	raw    bool // the body is an export
	tool   bool // it is a tool of the MCP server
	reads  bool // it changes nothing
}

type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
	Schema   schema `json:"schema"`
}

// reading are the operations that change nothing although their method is POST. Whatever is not listed is taken for a write.
var reading = map[string]bool{
	"search": true, "query-documents": true, "suggest-node": true, "v3-recall": true, "brief": true, "doctor": true,
}

// staying are the writes that move nothing that is there from one place to another.
var staying = map[string]bool{
	"create-document": true, "create-documents": true, "upload-document": true, "create-memory": true, "append-messages": true, "v3-memory": true,
	"create-node": true, "create-container": true, "provision-nodes": true, "v3-create-project": true, "patch-document": true, "patch-memory": true,
	"patch-node": true, "patch-container": true, "touch-file": true, "compress-file": true, "decompress-file": true, "create-key": true,
	"revoke-key": true, "put-edge": true, "delete-edge": true, "end-conversation": true, "memory": true, "import-items": true, "chat": true,
	"patch-entity": true, "retry-jobs": true, "put-graph-node": true, "create-user": true, "patch-user": true, "rebuild": true,
	"create-organisation": true, "patch-organisation": true, "set-member": true, "remove-member": true, "delete-organisation": true,
}

// describe reads the operations out of an OpenAPI description, so that a new route is asked without being named here.
func describe(doc []byte) ([]operation, map[string]schema, error) {
	var d struct {
		Paths map[string]map[string]struct {
			ID         string      `json:"operationId"`
			Parameters []parameter `json:"parameters"`
			Body       struct {
				Content map[string]struct {
					Schema schema `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, nil, err
	}
	var ops []operation
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			o := d.Paths[path][method]
			op := operation{id: o.ID, method: strings.ToUpper(method), path: path, params: o.Parameters}
			op.reads = op.method == "GET" || reading[op.id]
			if op.id == "events" || op.id == "mcp" {
				continue // they are listened to, and called tool by tool
			}
			if op.id == "import" {
				op.raw, o.Body.Content = true, nil // it gets exports of our own
				op.params = slices.DeleteFunc(op.params, func(p parameter) bool { return p.Name != "container" && p.Name != "dry_run" })
			}
			for typ, c := range o.Body.Content {
				s := c.Schema
				op.body, op.form = &s, typ == "multipart/form-data"
			}
			ops = append(ops, op)
		}
	}
	ops = append(ops, operation{id: "openapi", method: "GET", path: "/openapi.json", reads: true}) // it leaves itself out
	return ops, d.Components.Schemas, nil
}

// gen makes requests.
type gen struct {
	*rand.Rand
	w       *world
	c       *caller
	op      operation
	account bool     // what is written belongs to a user or a key
	slot    string   // if set, one id or path of the request is to be this
	kinds   []string // the kinds of id that the slot may have, as it is come across
	filled  bool
	fresh   []string // the canaries made for this request
}

func (g *gen) chance(percent int) bool { return g.IntN(100) < percent }

// word makes a canary that nobody has seen before.
func (g *gen) word() string {
	n, s := g.w.mint.next()
	g.w.model.sent(g.c, n, g.account, g.op.id == "patch-entity" && g.c.root == "")
	g.fresh = append(g.fresh, s)
	return s
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// text is something to be remembered, in words that rules draw memories, names and topics from.
func (g *gen) text() string {
	w := g.word()
	switch g.IntN(10) {
	case 8:
		return "This is the script:\n\n```python\n" + strings.Repeat("print('the crane')\n", 30) + "print('" + w + "')\n```\n\nRun it."
	case 0:
		return fmt.Sprintf("%s lives in %s and works at %s.", title(w), title(g.word()), title(g.word()))
	case 1:
		return fmt.Sprintf("I decided to use %s for the release. We moved the %s meeting to May 3, 2026.", w, g.word())
	case 2:
		return "My favourite tea is " + w + "."
	case 3:
		return fmt.Sprintf("# The %s\n\nThe plan of the quarter. We paid the %s invoice of the supplier.\n\n## On %s\n\nThe ledger is closed.", w, g.word(), g.word())
	case 4:
		return "Anna Berg met the " + w + " people at Acme in Lisbon; they agreed on the budget."
	case 5:
		return strings.Repeat("The report on the harbour names the word "+w+" and the cost of the crane. ", 1+g.IntN(12))
	case 6:
		return "I finished the " + w + " project. It was a turning point for the team."
	case 7:
		return "TODO: call " + title(w) + " about the budget before Friday."
	}
	return "The budget of the plan is " + w + "."
}

func (g *gen) moment() string {
	now := g.w.clock.Now()
	switch g.IntN(4) {
	case 0:
		return "2020-01-01"
	case 1:
		return now.Add(-time.Duration(g.IntN(5000)) * time.Millisecond).UTC().Format(time.RFC3339Nano)
	case 2:
		return now.Add(time.Hour).UTC().Format(time.RFC3339)
	}
	return now.Add(-time.Duration(g.IntN(60)) * time.Second).UTC().Format(time.RFC3339Nano)
}

// id returns an id of one of the kinds, or of any for none; now and then it is damaged.
func (g *gen) id(kinds ...string) string {
	if len(kinds) == 0 {
		kinds = []string{"doc", "mem", "msg", "conv", "node", "ent", "file"}
	}
	if g.slot == "?" && !g.filled {
		g.kinds, g.filled = kinds, true
		return "?slot?"
	}
	kind := pick(g.Rand, kinds)
	dice := g.IntN(100)
	if !g.op.reads && g.chance(60) { // something that can succeed
		if id := g.w.model.ownID(g.Rand, g.c, kind); id != "" {
			return id
		}
	}
	switch {
	case dice < 90:
		if id := g.w.model.anID(g.Rand, g.c, kind); id != "" {
			return id
		}
		return g.w.noSuch(kind)
	case dice < 94:
		return g.w.noSuch(kind)
	case dice < 96:
		return pick(g.Rand, []string{"doc", "mem", "node", "x"}) + "_" + strings.TrimPrefix(g.w.noSuch(kind), kind+"_")
	case dice < 98:
		return g.w.model.aPath(g.Rand, g.c)
	}
	return pick(g.Rand, []string{"%", "_", "*", "doc_", "..", "' OR 1=1 --", "node_%", "\x00", "null", "work%"})
}

// place returns a container; in what only reads, also a pattern.
func (g *gen) place() string {
	if g.slot == "?" && !g.filled && g.op.reads {
		g.kinds, g.filled = []string{"path", "node"}, true
		return "?slot?"
	}
	p := g.w.model.aPath(g.Rand, g.c)
	if !g.op.reads && !covers(g.c.root, p) && g.chance(50) {
		p = g.c.root
	}
	if p == "" {
		p = pick(g.Rand, []string{"work", "home", "work.acme"})
	}
	if g.op.reads {
		switch g.IntN(12) {
		case 0:
			return p + "!"
		case 1:
			return p + ".*"
		case 2:
			return pick(g.Rand, []string{"*", "%", "work%", "_ork", "work.", ".work", "WORK", "work.acme.*", "work.%"})
		case 3:
			if i := strings.LastIndexByte(p, '.'); i > 0 {
				return p[:i]
			}
		}
		return p
	}
	makes := strings.HasPrefix(g.op.id, "create-") || strings.HasPrefix(g.op.id, "move-")
	if (g.chance(15) || makes && g.chance(60)) && strings.Count(p, ".") < 4 {
		return p + "." + pick(g.Rand, []string{g.word(), "acme", "new-" + fmt.Sprint(g.IntN(5)), "work"})
	}
	return p
}

// query is something to look for: a canary of somebody, or words that everybody's texts hold.
func (g *gen) query() string {
	switch g.IntN(4) {
	case 0:
		return pick(g.Rand, []string{"budget", "who lives where?", "Anna Berg", "what did I decide?", "report on the harbour", "Acme", "plan", ""})
	case 1:
		return "what is " + g.w.model.aWord(g.Rand, g.c) + "?"
	}
	return g.w.model.aWord(g.Rand, g.c)
}

// homes says which kind of id stands in a path.
var homes = map[string][]string{
	"documents": {"doc"}, "memories": {"mem"}, "conversations": {"conv"}, "messages": {"msg"}, "nodes": {"node"}, "containers": {"node"}, "entities": {"ent"},
	"files": {"file"}, "keys": {"key"}, "users": {"usr"}, "recall-files": {"doc"}, "trash": {"doc", "mem", "conv"}, "records": {"doc", "mem", "node"},
	"receipts": {"rcpt"}, "grants": {"grant"}, "deltas": {"delta"}, "organisations": {"org"},
}

var suffixes = map[string][]string{
	"document_id": {"doc"}, "conversation_id": {"conv"}, "user_id": {"usr"}, "memory_id": {"mem"}, "message_id": {"msg"}, "node_id": {"node"}, "file_id": {"file"},
	"updates_memory_id": {"doc"}, "key_id": {"key"}, "entity_id": {"ent"}, "recall_file_id": {"doc"}, "recallFileId": {"doc"}, "file": {"doc"},
}

// text of a field by its name; ok is false if it is better left out.
func (g *gen) str(name string, s schema) (out string, ok bool) {
	if kinds := suffixes[name]; kinds != nil {
		if name == "user_id" {
			return g.user(), true
		}
		return g.id(kinds...), true
	}
	switch name {
	case "organisation":
		return g.orgID(), true
	case "owner_id", "user":
		return g.memberID(), true
	case "subject_id", "persona":
		if g.chance(40) {
			return g.w.model.aSubject(g.Rand, g.c), true
		}
		return pick(g.Rand, personas), true
	case "target_node_id":
		return g.id("node"), true
	case "grant_type":
		return pick(g.Rand, []string{"read", "read_write"}), true
	case "container", "containers", "project_id", "project", "into", "path", "related_to", "parent_id", "parent":
		if name == "related_to" && g.slot == "?" { // a name is found that is written a little differently, and all canaries are
			return g.id("node"), true
		}
		if g.chance(10) && (name == "project_id" || name == "project" || name == "related_to" || name == "parent_id") {
			return g.id("node"), true
		}
		return g.place(), true
	case "of", "source", "target", "other", "expect", "ids", "updates", "id":
		switch {
		case strings.Contains(g.op.id, "edge"):
			return g.id("doc", "mem", "ent", "node", "msg", "conv"), true
		case name == "other":
			return g.id("ent"), true
		case name == "updates" && strings.Contains(g.op.id, "memory"):
			return g.id("mem"), true
		case name == "updates" || g.op.id == "retry-jobs":
			return g.id("doc"), true
		case name == "source":
			return pick(g.Rand, []string{"user", "agent", "tool", "web"}), true
		case name == "id" && g.op.id == "forget":
			return g.id("doc", "mem", "conv", "msg"), true
		case name == "id" && g.op.tool:
			return g.id("doc", "mem", "node"), true
		case name == "id": // of a message, the caller's own
			return fmt.Sprint("m", g.IntN(400)), true
		}
		return g.id(), true
	case "cursor":
		if c := g.w.model.aCursor(g.Rand); c != "" {
			return c, true
		}
		return "", false
	case "as_of", "valid_at", "at", "from", "to", "since", "after", "before", "start", "end", "asOf":
		return g.moment(), true
	case "occurred_at", "time", "created_at":
		return g.w.clock.Now().Add(-time.Duration(g.IntN(1000)) * time.Hour).UTC().Format(time.RFC3339), true
	case "forget_after", "forgetAfter", "expires_at":
		return "2099-01-01T00:00:00Z", true
	case "url", "file_base64", "filename", "wait", "content_type", "contentType", "model", "zone", "email", "timezone":
		return "", false
	case "conversation":
		return "talk-" + fmt.Sprint(g.IntN(6)), true
	case "custom_id", "external_id", "key", "session":
		return "own-" + fmt.Sprint(g.IntN(40)), true
	case "role":
		if g.op.id == "create-key" || g.op.id == "create-user" {
			return pick(g.Rand, []string{"user", "user", "user", "admin"}), true
		}
		return pick(g.Rand, []string{"user", "assistant"}), true
	case "status", "state":
		return pick(g.Rand, []string{"done", "active", "finalized", "failed"}), true
	case "ranker":
		return pick(g.Rand, []string{"lukasa", "weighted", "cascade", "vector", "text", "rrf"}), true
	case "include":
		return pick(g.Rand, []string{"content", "related", "explain", "summary", "transcript", "keywords"}), true
	case "types":
		return pick(g.Rand, []string{"message", "chunk", "memory", "document"}), true
	case "kind", "memory_types":
		return pick(g.Rand, []string{"fact", "preference", "decision", "milestone", "person"}), true
	case "type":
		if strings.Contains(g.op.id, "edge") {
			return pick(g.Rand, []string{"relates_to", "references", "mentions", "extends"}), true
		}
		if strings.Contains(g.op.id, "defining") {
			return "decision", true
		}
		return pick(g.Rand, []string{"project", "topic", "concept", "entity"}), true
	case "sort":
		return "created_at", true
	case "what":
		return pick(g.Rand, []string{"summaries", "embeddings", "graph", "index"}), true
	case "sourceUrl", "source_url":
		return "https://example.com/" + pick(g.Rand, []string{"a", "b", "c"}), true
	case "uri":
		return "lukasa://topics", true
	}
	if g.op.reads {
		return g.query(), true
	}
	switch name {
	case "content", "message":
		return g.text(), true
	}
	return g.word(), true
}

// user is somebody's user id; admins get only those that may come to harm.
func (g *gen) user() string {
	m := g.w.model
	if g.c.admin && !g.op.reads {
		m.mu.RLock()
		defer m.mu.RUnlock()
		if id := pick(g.Rand, m.mortal); id != "" {
			return id
		}
		return g.w.noSuch("usr")
	}
	return g.id("usr")
}

// likely are the fields that a request is nothing without, in percent.
var likely = map[string]int{
	"content": 97, "query": 92, "container": 60, "conversation": 97, "messages": 100, "name": 95, "source": 60, "target": 100, "type": 60, "documents": 100,
	"items": 97, "what": 100, "at": 95, "of": 100, "message": 100, "other": 100, "settings": 100, "offset": 6, "updates": 8, "updates_memory_id": 8,
	"replace": 40, "all": 30, "cursor": 8, "threshold": 4, "min_score": 4, "floor": 30, "max_tokens": 10, "forget_after": 8, "wait": 0, "apply": 30, "expect": 10,
	"as_of": 12, "valid_at": 6, "into": 40, "nodes": 60, "custom_id": 12, "source_url": 8, "conversation_id": 12, "ids": 50, "links": 10, "filters": 20,
	"append": 50, "document": 50, "memory": 50, "key": 100, "soft": 50, "stream": 0, "repair": 10, "forget": 8, "subject_id": 95, "target_node_id": 50, "third_party": 15, "persona": 20, "project": 50, "recall_file_id": 100,
	"organisation": 30, "owner_id": 60,
}

// value makes a value for a field.
func (g *gen) value(name string, s schema, depth int) (any, bool) {
	if s.Ref != "" {
		s = g.w.schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
	}
	if len(s.OneOf) > 0 {
		s = pick(g.Rand, s.OneOf)
	}
	if len(s.Enum) > 0 {
		return pick(g.Rand, s.Enum), true
	}
	switch s.kind() {
	case "integer":
		switch name {
		case "limit", "max_results":
			return pick(g.Rand, []int{1, 2, 5, 20, 50, 100}), true
		case "max_tokens":
			return 50 + g.IntN(3000), true
		}
		return g.IntN(4), true
	case "number":
		return float64(g.IntN(10)) / 20, true
	case "boolean":
		return g.chance(50), true
	case "array":
		var list []any
		n := 1 + g.IntN(2)
		if name == "messages" {
			n += g.IntN(4)
		}
		for range n {
			if v, ok := g.value(name, *s.Items, depth+1); ok {
				list = append(list, v)
			}
		}
		return list, len(list) > 0
	case "object":
		if len(s.Properties) == 0 {
			return g.object(name), true
		}
		return g.fields(s, depth), true
	case "string":
		return g.str(name, s)
	}
	if name == "forget_after" {
		return pick(g.Rand, []any{"2099-01-01T00:00:00Z", nil}), true
	}
	return nil, false
}

func (g *gen) object(name string) map[string]any {
	switch name {
	case "filters":
		return pick(g.Rand, []map[string]any{
			{"metadata": map[string]any{"mark": g.query()}},
			{"tags": []string{g.query()}},
			{"or": []any{map[string]any{"speaker": "Ann"}, map[string]any{"type": "memory"}}},
			{"not": map[string]any{"kind": "fact"}},
			{"type": "chunk"},
			{"metadata": map[string]any{"colour": "red"}},
		})
	case "settings":
		return map[string]any{"note": g.word()}
	}
	return map[string]any{"mark": g.word(), "colour": pick(g.Rand, []string{"red", "blue"})}
}

func (g *gen) fields(s schema, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, known := likely[name]
		if !known {
			p = 25
		}
		if g.op.id == "edit" || g.op.method == "PATCH" {
			p = max(p, 50)
		}
		if !slices.Contains(s.Required, name) && !g.chance(p) {
			continue
		}
		if v, ok := g.value(name, s.Properties[name], depth); ok {
			out[name] = v
		}
	}
	g.mend(out)
	return out
}

// mend takes out what would only be refused: fields that exclude each other.
func (g *gen) mend(b map[string]any) {
	drop := func(keep string, names ...string) {
		if _, ok := b[keep]; ok {
			for _, n := range names {
				delete(b, n)
			}
		}
	}
	if g.chance(4) {
		return
	}
	drop("conversation", "conversation_id")
	switch g.op.id {
	case "provision-nodes":
		drop("nodes", "container", "type", "description")
	case "import-items":
		drop("append", "document", "memory")
		drop("document", "memory", "title")
	case "retry-jobs":
		drop("ids", "all")
	case "create-grant":
		drop("target_node_id", "container")
		if _, ok := b["target_node_id"]; !ok && b["container"] == nil {
			b["container"] = g.w.model.aPath(g.Rand, g.c)
		}
	case "create-key":
		drop("persona", "container", "third_party", "user_id")
		if b["third_party"] == true {
			drop("third_party", "container", "persona", "role")
		}
		if g.c.root != "" || g.c.owner.org {
			delete(b, "user_id")
		}
		if b["organisation"] != nil {
			drop("organisation", "role")
			if g.c.admin {
				b["user_id"] = g.memberID()
			}
		}
	case "patch-organisation":
		if !g.c.admin {
			delete(b, "settings")
		}
	case "put-graph-node":
		if b["type"] != "entity" {
			delete(b, "kind")
			delete(b, "aliases")
		}
	}
	if c, ok := b["container"].(string); ok && g.c.root != "" && !g.op.reads && !covers(g.c.root, c) && g.chance(60) {
		b["container"] = g.c.root
	}
	if _, ok := b["container"]; !ok && g.c.root != "" && !g.op.reads && g.chance(80) {
		if _, has := b["content"]; has || b["conversation"] != nil {
			b["container"] = g.c.root
		}
	}
}

// request is what goes over the wire.
type request struct {
	op     operation
	method string
	target string
	header map[string]string
	body   []byte
}

// text is all that the caller says, as he means it.
func (q request) text() []byte {
	t, err := url.QueryUnescape(q.target)
	if err != nil {
		t = q.target
	}
	out := append([]byte(t+"\n"+q.target+"\n"), q.body...)
	for k, v := range q.header {
		out = append(out, "\n"+k+": "+v...)
	}
	return out
}

// request makes a request of the operation.
func (g *gen) request() request {
	q := request{op: g.op, method: g.op.method, header: map[string]string{}}
	g.account = strings.HasSuffix(g.op.id, "-key") || strings.HasSuffix(g.op.id, "-user") || strings.HasSuffix(g.op.id, "-organisation")
	path := g.op.path
	query := url.Values{}
	file := g.w.model.anArtifact(g.Rand)
	for _, p := range g.op.params {
		if p.In == "path" {
			v := ""
			switch p.Name {
			case "id":
				if v = g.pathID(); g.op.id == "get-artifact" && file[0] != "" && g.slot == "" && g.chance(60) {
					v = file[0]
				}
			case "name":
				v = pick(g.Rand, []string{"script.py", "code-1.py", "../x", file[1], file[1]})
			default:
				v, _ = g.str(p.Name, p.Schema)
			}
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(v), 1)
			continue
		}
		n, known := likely[p.Name]
		if !known {
			n = 20
		}
		if p.In != "query" || !p.Required && !g.chance(n) {
			continue
		}
		if v, ok := g.value(p.Name, p.Schema, 0); ok {
			query.Set(p.Name, fmt.Sprint(v))
		}
	}
	if g.op.id == "delete-edge" && g.chance(70) {
		if e := oneOf(g.Rand, g.w.model, g.c, g.w.model.edges); e[0] != "" {
			query = url.Values{"source": {e[0]}, "target": {e[1]}, "type": {e[2]}}
		}
	}
	switch {
	case g.op.raw:
		q.body = g.export()
		q.header["Content-Type"] = "application/x-ndjson"
	case g.op.form:
		q.body, q.header["Content-Type"] = g.form()
	case g.op.body != nil:
		v, _ := g.value("", *g.op.body, 0)
		if v == nil {
			v = map[string]any{}
		}
		q.body, _ = json.Marshal(v)
		q.header["Content-Type"] = "application/json"
	}
	if g.chance(5) {
		q.header["Idempotency-Key"] = "once-" + fmt.Sprint(g.IntN(3))
	}
	q.target = path
	if len(query) > 0 {
		q.target += "?" + query.Encode()
	}
	return q
}

func (g *gen) pathID() string {
	parts := strings.Split(g.op.path, "/")
	kinds := homes[parts[2]]
	switch {
	case parts[2] == "keys" && (g.slot == "" || g.c.admin):
		g.w.model.mu.RLock()
		defer g.w.model.mu.RUnlock()
		if id := pick(g.Rand, g.w.model.keysOpen); id != "" && g.slot == "" {
			return id
		}
		return g.w.noSuch("key")
	case parts[2] == "organisations":
		return g.orgID()
	case parts[2] == "trash" && g.slot == "" && g.chance(70):
		if id := oneOf(g.Rand, g.w.model, g.c, g.w.model.buried); id != "" {
			return id
		}
	case g.op.id == "restore-version" && g.chance(70):
		if id := oneOf(g.Rand, g.w.model, g.c, g.w.model.olds); id != "" {
			return id
		}
	case parts[2] == "users":
		return g.user()
	case (parts[2] == "nodes" || parts[2] == "containers" || parts[2] == "entities") && g.slot == "" && g.chance(35):
		if parts[2] == "entities" {
			return title(g.w.model.aWord(g.Rand, g.c) + "x")[:canaryLen]
		}
		return g.place()
	}
	return g.id(kinds...)
}

// form is an upload.
func (g *gen) form() ([]byte, string) {
	const edge = "isolationboundary"
	var b strings.Builder
	part := func(disposition, typ, text string) {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; %s\r\n", edge, disposition)
		if typ != "" {
			fmt.Fprintf(&b, "Content-Type: %s\r\n", typ)
		}
		fmt.Fprintf(&b, "\r\n%s\r\n", text)
	}
	place := g.place()
	if g.c.root != "" && !covers(g.c.root, place) && g.chance(70) {
		place = g.c.root
	}
	part(`name="container"`, "", place)
	if g.chance(50) {
		part(`name="tags"`, "", g.word())
	}
	if g.chance(50) {
		part(`name="metadata"`, "", `{"mark":"`+g.word()+`"}`)
	}
	text := g.text()
	if g.chance(30) { // too long for a row: it goes to a sealed file
		text += "\n\n" + strings.Repeat("The crane stands in the harbour of "+g.word()+".\n", 1500)
	}
	part(fmt.Sprintf(`name="file"; filename="%s.md"`, g.word()), "text/markdown", text)
	return []byte(b.String() + "--" + edge + "--\r\n"), "multipart/form-data; boundary=" + edge
}

// export is an export of our own with a record or two, now and then under an id of somebody else.
func (g *gen) export() []byte {
	place := g.c.root
	if place == "" {
		place = g.w.model.aPath(g.Rand, g.c)
	}
	var b strings.Builder
	line := func(v any) {
		data, _ := json.Marshal(v)
		b.Write(append(data, '\n'))
	}
	line(map[string]any{"header": map[string]any{"format": "lukasa.export/1", "at": "2026-05-01T10:00:00Z", "user": "x"}})
	line(map[string]any{"document": map[string]any{"id": g.id("doc"), "container": place, "content": g.text(), "title": title(g.word()), "version": 1, "is_latest": true}})
	if g.chance(50) {
		line(map[string]any{"memory": map[string]any{"id": g.id("mem"), "container": place, "content": g.text(), "kind": "fact", "confidence": 1, "is_latest": true}})
	}
	if g.chance(50) {
		line(map[string]any{"messages": map[string]any{
			"container": place, "conversation": "talk-" + fmt.Sprint(g.IntN(6)), "items": []any{map[string]any{"id": g.id("msg"), "content": g.text(), "role": "user"}},
		}})
	}
	return []byte(b.String())
}

// noSuch makes an id that nothing has.
func (w *world) noSuch(kind string) string { return string(w.ids.ID(lukasa.Prefix(kind))) }
