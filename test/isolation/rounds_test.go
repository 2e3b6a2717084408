package isolation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// adminOnly are the operations that nobody but an admin may succeed with.
var adminOnly = map[string]bool{
	"create-user": true, "list-users": true, "delete-user": true, "patch-user": true, "restore-user": true, "doctor": true, "metrics": true,
	"create-organisation": true,
}

// roster are the operations that show admins the ids of other people's records.
var roster = map[string]bool{
	"audit": true, "list-users": true, "list-keys": true, "usage": true, "create-key": true, "create-user": true, "delete-user": true, "patch-user": true,
	"restore-user": true, "revoke-key": true, "lukasa audit": true, "lukasa key": true, "lukasa user": true,
	"list-organisation-keys": true,
}

var artifactName = regexp.MustCompile(`"artifacts":\[\{[^\]]*?"name":"([^"]+)"`)

// asking are the operations that ask the model, which answers nothing that could be used.
var asking = map[string]bool{"chat": true, "rederive": true}

// using are the operations that only note that something was used, or wake it, as reading does.
var using = map[string]bool{"touch-file": true, "decompress-file": true}

// stretching are the operations that do many things one after the other: where one is refused, others may have been done.
var stretching = map[string]bool{"import": true, "rebuild": true, "rederive": true, "empty-trash": true}

// open are the operations that need no key.
var open = map[string]bool{"health": true, "ready": true, "openapi": true, "greet": true}

// A round is a stretch of calls between two censuses.
type round struct {
	*world
	mu      sync.Mutex
	writers map[*person]map[string]bool // the roots of keys that have changed something
}

func (r *round) wrote(c *caller) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writers[c.owner] == nil {
		r.writers[c.owner] = map[string]bool{}
	}
	if c.root != nothing {
		r.writers[c.owner][c.root] = true
	}
	for p, writes := range c.leave {
		if writes {
			r.writers[c.owner]["="+p] = true
		}
	}
}

// halfway notes a write that was refused: it may have left a new container, and nothing else.
func (r *round) halfway(c *caller) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writers[c.owner] == nil {
		r.writers[c.owner] = map[string]bool{}
	}
	r.writers[c.owner]["+"+c.root] = true
}

// perform sends a request and checks all that must hold of the answer.
func (r *round) perform(g *gen, q request, door int) answer {
	w, c, op := r.world, g.c, q.op
	said := q.text()
	var notes []note
	if !op.reads {
		notes = w.model.handle(c, canaries(said), idsIn(said), strings.HasPrefix(op.id, "import") || op.id == "put-graph-node")
		if !staying[op.id] {
			c.owner.shifts.Add(1)
		}
	}
	v := w.model.begin(g, q, idsIn(said))
	if op.id == "create-key" && v != nil { // with it a container may be made, in the tree of an organisation
		for _, org := range v.orgs {
			v.written = append(v.written, writing{&caller{owner: org, user: c.user, root: c.root}, nil})
			x := &v.written[len(v.written)-1]
			x.notes = w.model.handle(x.c, canaries(said), nil, false)
		}
	}
	before := w.model.rankIn(c, op, idsIn(said))
	barred, turns := w.model.barred(c)
	was := c.state.Load()
	began := time.Now()
	a := w.ask(c, q, door)
	barred = w.model.stillBarred(c, barred, turns)
	w.book.took(op.id, time.Since(began))
	story := fmt.Sprintf("%s: %s %s %s → %d", c.name, q.method, q.target, clip(q.body), a.status)
	if !op.reads {
		w.journal.note(story + " " + clip(a.body))
	}
	w.called(q.through(door), op.id, a.status)
	if !op.reads && !a.ok() && !op.raw { // an import may have come half the way
		w.model.takeBack(c, notes, !barred && a.status != http.StatusUnauthorized && a.status != http.StatusForbidden)
		if v != nil {
			for _, x := range v.written {
				w.model.takeBack(x.c, x.notes, !barred)
			}
		}
		if !staying[op.id] {
			c.owner.shifts.Add(-1)
		}
	}
	ending := c.ending.Load() > 0
	switch {
	case was == dead && c.state.Load() == dead:
		if a.status != http.StatusUnauthorized && !open[op.id] {
			w.book.fault(w, "leak: dead key", story+" "+clip(a.body))
		}
	case a.status == 401 && was == alive && !ending && c.state.Load() == alive && !(c.bound() && c.owner.shifts.Load() > 0):
		w.book.fault(w, "oddity: live key refused", story+" "+clip(a.body))
	case a.status >= 500 && !asking[op.id]:
		w.book.fault(w, "oddity: "+fmt.Sprint(a.status), story+" "+clip(a.body))
	case a.ok() && barred && !op.reads && !op.tool && !using[op.id] && a.wrote() && !idle(q):
		w.book.fault(w, "leak: read-only key wrote", story+" "+clip(a.body))
	case a.ok() && adminOnly[op.id] && !c.admin:
		w.book.fault(w, "leak: act of admins", story+" "+clip(a.body))
	}
	w.inspect(c, op, said, a.body, story)
	for _, h := range a.header {
		w.inspect(c, op, said, []byte(strings.Join(h, "\n")), story)
	}
	if !a.ok() && !op.reads && !barred && a.status != 401 && (a.status != 403 || stretching[op.id]) {
		if v != nil {
			for _, x := range v.written {
				r.halfway(x.c)
			}
		}
		if r.halfway(c); stretching[op.id] {
			r.wrote(c)
		}
	}
	if a.ok() && !op.reads {
		if !barred {
			r.wrote(c)
		}
		r.effects(g, q, a, v, barred, story)
	}
	w.model.end(v, a.ok())
	if a.ok() && before.known && w.model.rankIn(c, op, idsIn(said)) == before {
		w.keyring(c, op, a.body, before, story)
	}
	if m := artifactName.FindSubmatchIndex(a.body); m != nil {
		before := idsIn(a.body[:m[0]])
		if i := slices.IndexFunc(before, func(id string) bool { return prefixOf(id) == "doc" }); i >= 0 {
			w.model.keepArtifact(before[i], string(a.body[m[2]:m[3]]))
		}
	}
	if op.id == "put-edge" && a.ok() {
		var e struct{ Source, Target, Type string }
		if json.Unmarshal(q.body, &e) == nil {
			w.model.keepEdge(c.owner, e.Source, e.Target, e.Type)
		}
	}
	if i := bytes.Index(a.body, []byte(`"next_cursor":"`)); i >= 0 && g.chance(30) {
		cursor, _, _ := bytes.Cut(a.body[i+len(`"next_cursor":"`):], []byte(`"`))
		if len(cursor) > 0 {
			w.model.keepCursor(g.Rand, string(cursor))
		}
	}
	return a
}

// wrote reports whether a write that was answered with success has written something: a list of things can be refused one by one.
func (a answer) wrote() bool {
	for _, s := range []string{"this key is read-only", `"items":[]`, `"applied":false`} {
		if bytes.Contains(a.body, []byte(s)) {
			return false
		}
	}
	var l struct{ Items []struct{ Status int } }
	if json.Unmarshal(a.body, &l) != nil || len(l.Items) == 0 {
		return true
	}
	for _, x := range l.Items {
		if x.Status < 400 {
			return true
		}
	}
	return false
}

func clip(b []byte) string {
	if len(b) > 700 {
		return string(b[:700]) + "…"
	}
	return string(b)
}

// inspect looks at what a caller was told.
func (w *world) inspect(c *caller, op operation, said, told []byte, story string) {
	words, ids := canaries(told), idsIn(told)
	if len(words)+len(ids) == 0 {
		return
	}
	sent, sentIDs := canaries(said), append(idsIn(said), made(c, op, told))
	var fresh []string
	w.model.mu.RLock()
	for _, n := range words {
		k := w.model.canary[n]
		if k == nil || slices.Contains(sent, n) || c.admin && roster[op.id] || w.model.keyed(c, op, k) {
			continue
		}
		if ok, why := w.model.may(c, k); !ok {
			w.book.fault(w, "leak: word in "+op.id, fmt.Sprintf("%s (root %q, granted %v) reads %s, which %s\n\t\t%s\n\t\tanswer: %s\n\t\tbefore: %s\n\t\tnow: %s",
				c.name, c.root, slices.Sorted(maps.Keys(c.leave)), spell(n), why, story, around(told, spell(n)), strings.Join(w.journal.about(spell(n)), "\n\t\t        "), w.now(k.owner, spell(n))))
		}
	}
	for _, id := range ids {
		k := w.model.id[id]
		if slices.Contains(sentIDs, id) || c.admin && roster[op.id] ||
			k != nil && (op.id == "audit" || op.id == "lukasa audit") && (k.tried[c.owner] || k.account && c.owner == w.people[0]) { // one's own acts, an admin's too

			continue
		}
		if k == nil {
			fresh = append(fresh, id)
			continue
		}
		if w.model.keyed(c, op, k) || w.model.author(c, k, op, told, id) {
			continue
		}
		if ok, why := w.model.may(c, k); !ok {
			w.book.fault(w, "leak: id in "+op.id, fmt.Sprintf("%s (root %q, granted %v) reads %s, which %s\n\t\t%s\n\t\tanswer: %s\n\t\tbefore: %s",
				c.name, c.root, slices.Sorted(maps.Keys(c.leave)), id, why, story, around(told, id), strings.Join(w.journal.about(id), "\n\t\t        ")))
		}
	}
	w.model.mu.RUnlock()
	for _, id := range fresh {
		if op.id == "delete-organisation" { // the receipt is the one's who deletes, with whatever key
			w.model.learn(c.user, id)
			continue
		}
		w.model.learn(c.owner, id)
	}
}

// made is what a caller has just made itself. Others who may know of it can have been told earlier than this answer is looked at.
func made(c *caller, op operation, told []byte) string {
	var out struct {
		ID      string `json:"id"`
		User    string `json:"user_id"`
		Receipt string `json:"receipt_id"`
	}
	switch {
	case op.id == "create-key" && json.Unmarshal(told, &out) == nil && out.User == c.user.id:
		return out.ID
	case op.id == "delete-organisation" && json.Unmarshal(told, &out) == nil:
		return out.Receipt
	}
	return ""
}

// now is what an owner's widest key reads of a word at this moment, by export and in the trash.
func (w *world) now(p *person, word string) string {
	if p.whole == nil {
		return "nobody can tell"
	}
	var out []string
	_, data := w.plain(p.whole, "GET", "/v1/export", nil)
	for raw := range bytes.Lines(data) {
		if bytes.Contains(bytes.ToLower(raw), []byte(word)) {
			out = append(out, string(raw[:min(len(raw), 120)])+around(raw, word))
		}
	}
	for _, lies := range w.trash(p) {
		if strings.Contains(strings.ToLower(lies.Label), word) {
			out = append(out, "in the trash: "+lies.ID+" at "+lies.Node)
		}
	}
	return strings.Join(out, "\n\t\t     ")
}

func around(text []byte, word string) string {
	i := bytes.Index(bytes.ToLower(text), []byte(word))
	if i < 0 {
		return clip(text)
	}
	return "…" + string(text[max(0, i-250):min(len(text), i+150)]) + "…"
}

// effects follows what a write has done to people and keys.
func (r *round) effects(g *gen, q request, a answer, v *motion, barred bool, story string) {
	w, c := r.world, g.c
	var out map[string]any
	_ = json.Unmarshal(a.body, &out)
	last := lastOf(q.target)
	switch q.op.id {
	case "create-organisation", "patch-organisation", "delete-organisation", "set-member", "remove-member":
		r.organised(g, q, v, out, string(a.body), story)
	case "create-user":
		w.model.mu.Lock()
		w.model.mortal = append(w.model.mortal, str(out, "id"))
		p := &person{id: str(out, "id"), name: "user of " + c.name, words: canaries(a.body)}
		w.model.persons[p.id] = p
		w.model.learnLocked(p, p.id).tried[c.owner] = true
		w.model.mu.Unlock()
	case "create-key":
		r.newKey(c, out, v, barred)
	case "create-grant":
		w.granted(out)
	case "revoke-grant", "revoke-grant-by-post":
		w.revoked(str(out, "id"))
	case "revoke-key":
		r.mayRevoke(c, v, last, story)
		w.model.mu.Lock()
		w.model.die(w, func(x *caller) bool { return x.id == last })
		w.model.mu.Unlock()
	case "delete-user", "restore-user", "patch-user":
		w.model.mu.RLock()
		for _, x := range w.model.callers {
			if strings.Contains(q.target, x.owner.id) || strings.Contains(q.target, x.user.id) {
				x.state.Store(unknown)
			}
		}
		w.model.mu.RUnlock()
	}
}

// newKey takes a key that somebody made into the cast, and checks that it is no wider than the one that made it.
func (r *round) newKey(c *caller, out map[string]any, v *motion, barred bool) {
	w := r.world
	root, role, to := str(out, "container"), str(out, "role"), str(out, "organisation_id")
	third, _ := out["third_party"].(bool)
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	user := w.model.persons[str(out, "user_id")]
	p := user // whose records it opens
	if to != "" {
		p = w.model.persons[to]
	}
	wider := !c.admin && (str(out, "user_id") != c.user.id || p != nil && p == c.owner && !covers(c.root, root) && c.owner.shifts.Load() == 0 && (c.root != "" || !third) || role == "admin" || out["unlimited"] == true)
	away := p != c.owner && (c.owner.org || c.root != "") // of a key to an organisation, or of a bound one, nothing leads to other records
	outside := !c.admin && v != nil && len(v.orgs) == 1 && to != "" && v.sure && v.rank == 0 && w.model.standing(v.orgs[0], c.user).turns == v.turns
	if wider || barred || away && !c.admin || outside || to != "" && role == "admin" {
		w.book.fault(w, "leak: wider key", fmt.Sprintf("%s (root %q) makes %v", c.name, c.root, out))
	}
	if p != nil && p != c.owner { // the container of the key is made with it
		r.wrote(&caller{owner: p, root: root})
	}
	if p == nil {
		return
	}
	if k := w.model.own(p, str(out, "id")); p.org {
		k.file(p, 1)
	}
	if user == nil || p.whole == nil || len(w.model.callers) > 90 {
		return
	}
	w.model.keysOpen = append(w.model.keysOpen, str(out, "id"))
	x := &caller{name: fmt.Sprintf("%s's key@%s", p.name, root), id: str(out, "id"), secret: str(out, "key"), owner: p, user: user, root: root, admin: role == "admin" && root == ""}
	if p.org {
		x.name = user.name + " of " + x.name
		if s := w.model.standing(p, user); !s.sure() || s.role == "" {
			x.state.Store(unknown)
		}
	}
	x.readOnly, _ = out["read_only"].(bool)
	if persona := str(out, "persona"); persona != "" {
		x.subject, x.root, x.name = persona, w.model.pathOf(persona), p.name+"'s key of a persona"
		x.admin = false
	}
	if third, _ := out["third_party"].(bool); third {
		x.subject, x.root, x.readOnly, x.admin, x.name = x.id, nothing, true, false, p.name+"'s key of an app"
	}
	w.model.callers = append(w.model.callers, x)
}

// storm makes calls of every kind, from several sides at once. Some people keep quiet: nothing of theirs may change.
func (r *round) storm(seed *rand.Rand, calls, workers int) {
	w := r.world
	w.model.mu.RLock()
	cast := slices.Clone(w.model.callers)
	w.model.mu.RUnlock()
	active := map[*caller]bool{}
	for _, p := range w.people {
		switch seed.IntN(3) {
		case 0: // all
			for _, c := range cast {
				active[c] = active[c] || c.owner == p
			}
		case 1: // one bound key
			var bound []*caller
			for _, c := range cast {
				if c.owner == p && c.root != "" && !c.readOnly {
					bound = append(bound, c)
				}
			}
			if c := pick(seed, bound); c != nil {
				active[c] = true
			}
		}
	}
	moves := seed.IntN(2) == 0
	var all sync.WaitGroup
	for i := range workers {
		rnd := rand.New(rand.NewPCG(seed.Uint64(), uint64(i)))
		all.Go(func() {
			for range calls / workers {
				g := &gen{Rand: rnd, w: w, c: pick(rnd, cast)}
				if rnd.IntN(12) == 0 {
					g.c = w.people[0].whole
				}
				g.op = w.choose(rnd, active[g.c], moves)
				if rnd.IntN(12) == 0 {
					g.c, g.op = w.politics(rnd, cast, active)
				}
				if rnd.IntN(60) == 0 {
					r.type_(g)
					continue
				}
				var q request
				if g.op.tool {
					q = g.call()
				} else {
					q = g.request()
				}
				r.perform(g, q, anyDoor(rnd, q))
			}
		})
	}
	all.Wait()
}

// choose picks an operation.
func (w *world) choose(r *rand.Rand, writes, moves bool) operation {
	for must := writes && r.IntN(2) == 0; ; {
		op := pick(r, w.ops)
		slow := strings.Contains(op.id, "graph") || strings.Contains(op.id, "entit") || op.id == "suggest-node" || op.id == "about"
		heavy := op.id == "export" || op.id == "rebuild" || op.id == "rederive" || op.id == "doctor" || op.id == "empty-trash" || op.id == "openapi" || op.id == "metrics"
		drops := op.method == "DELETE" || op.id == "forget" || strings.HasPrefix(op.id, "archive") || strings.HasPrefix(op.id, "move")
		switch {
		case must && op.reads, slow && r.IntN(3) > 0:
			continue
		case heavy && r.IntN(20) > 0, drops && r.IntN(4) > 0, !op.reads && !writes, !op.reads && !staying[op.id] && op.method != "DELETE" && !moves:
			continue
		}
		if (op.id == "delete-node" || op.id == "delete-container") && r.IntN(4) > 0 {
			continue
		}
		return op
	}
}

// type_ types a command: one that reads, or one that writes as the operation does that was chosen.
func (r *round) type_(g *gen) {
	w, c := r.world, g.c
	g.op = operation{id: "lukasa", reads: g.op.reads}
	args, writes := g.command()
	said := []byte(strings.Join(args, "\n"))
	if writes {
		w.model.handle(c, canaries(said), idsIn(said), false)
		if moving[args[0]] {
			c.owner.shifts.Add(1)
		}
	}
	barred, turns := w.model.barred(c)
	was := c.state.Load()
	began := time.Now()
	code, out := w.run(c, args, "", g.IntN(2))
	barred = w.model.stillBarred(c, barred, turns)
	w.book.took("lukasa "+args[0], time.Since(began))
	w.journal.note(fmt.Sprintf("%s: lukasa %s → %d %s", c.name, strings.Join(args, " "), code, clip(out)))
	w.called("command line", "lukasa "+args[0], map[bool]int{true: 200, false: 400}[code == 0])
	story := fmt.Sprintf("%s: lukasa %s → exit code %d", c.name, strings.Join(args, " "), code)
	if was == dead && code == 0 {
		w.book.fault(w, "leak: dead key", story)
	}
	w.inspect(c, operation{id: "lukasa " + args[0]}, said, out, story)
	switch {
	case !writes:
	case code == 0 && !barred:
		r.wrote(c)
	case code == 0:
		w.book.fault(w, "leak: read-only key wrote", story+" "+clip(out))
	case !barred:
		r.halfway(c)
	}
}

// calm makes calls that change nothing, with the strictest of checks.
func (r *round) calm(seed *rand.Rand, calls, workers int) {
	w := r.world
	w.model.mu.RLock()
	cast := slices.DeleteFunc(slices.Clone(w.model.callers), func(c *caller) bool { return c.state.Load() == unknown })
	w.model.mu.RUnlock()
	var all sync.WaitGroup
	for i := range workers {
		rnd := rand.New(rand.NewPCG(seed.Uint64(), uint64(i)))
		all.Go(func() {
			for n := 0; n < calls/workers; n++ {
				g := &gen{Rand: rnd, w: w, c: pick(rnd, cast)}
				switch dice := rnd.IntN(20); {
				case dice < 5:
					n++
					r.slots(g)
				case dice < 7:
					n += 2
					r.lists(g)
				case dice == 7 && rnd.IntN(4) == 0:
					g.op.reads = true
					r.type_(g)
				default:
					g.op = w.choose(rnd, false, false)
					var q request
					if g.op.tool {
						q = g.call()
					} else {
						q = g.request()
					}
					r.perform(g, q, anyDoor(rnd, q))
				}
			}
		})
	}
	all.Wait()
}

// slots makes a request twice: once with an id or a path that is there and that the caller may not see, once with one that nothing
// has. Both must be answered alike.
func (r *round) slots(g *gen) {
	w := r.world
	for {
		g.op = pick(g.Rand, w.ops)
		if adminOnly[g.op.id] && g.c.admin || g.op.raw || g.op.form || g.op.id == "export" {
			continue
		}
		break
	}
	if g.c.state.Load() != alive {
		return
	}
	g.slot = "?"
	var q request
	if g.op.tool {
		q = g.call()
	} else {
		q = g.request()
	}
	if bytes.Contains(q.body, []byte(`"session"`)) {
		return // the second time something else is new to the session
	}
	if !g.filled || !strings.Contains(q.target, url.PathEscape("?slot?")) && !bytes.Contains(q.body, []byte("?slot?")) {
		return
	}
	kind := pick(g.Rand, g.kinds)
	there, nowhere := "", ""
	if kind == "path" {
		there, nowhere = w.hiddenPath(g)
	} else {
		there, nowhere = w.model.hidden(g.Rand, g.c, kind), w.noSuch(kind)
	}
	if there == "" || strings.Contains(q.target, there) || bytes.Contains(q.body, []byte(there)) {
		return // asked for beside itself it is another request
	}
	fill := func(id string) request {
		x := q
		x.target = strings.ReplaceAll(strings.ReplaceAll(q.target, url.PathEscape("?slot?"), url.PathEscape(id)), url.QueryEscape("?slot?"), url.QueryEscape(id))
		x.body = bytes.ReplaceAll(q.body, []byte("?slot?"), []byte(id))
		return x
	}
	door := g.IntN(2)
	b := r.perform(g, fill(nowhere), door)
	a := r.perform(g, fill(there), door)
	w.book.check("alike")
	w.book.compare(g.op.id)
	asked := strings.NewReplacer(there, "ID", nowhere, "ID") // in both, as "work" stands in what somebody says as well
	one, two := plainer(a, asked), plainer(b, asked)
	if !g.op.reads && a.ok() && b.ok() && !bytes.Contains(a.body, []byte(`"isError":true`)) {
		return // both have kept something, the second time as a duplicate
	}
	if one != two {
		w.book.fault(w, "leak: told apart in "+g.op.id, fmt.Sprintf("%s (root %q) asks %s %s %s\n\t\tthere:   %s\n\t\tnowhere: %s", g.c.name, g.c.root, q.method, fill(there).target, fill(there).body, one, two))
	}
}

// hiddenPath returns a path that the caller may not see, and one that does not exist.
func (w *world) hiddenPath(g *gen) (string, string) {
	w.model.mu.RLock()
	defer w.model.mu.RUnlock()
	own := w.model.paths[g.c.owner]
	owner := g.c.owner
	if g.c.root == "" || g.chance(30) {
		owner = w.model.someone(g.Rand, g.c)
	}
	for range 12 {
		p := pick(g.Rand, w.model.paths[owner])
		if len(idsIn([]byte(p))) > 0 { // a container that is called like an id is asked for as an id
			continue
		}
		if owner == g.c.owner && g.c.sees(p) || owner != g.c.owner && slices.Contains(own, p) || g.c.passes(p) {
			continue
		}
		segments, keep := strings.Split(p, "."), 0
		for i := range segments {
			if up := strings.Join(segments[:i+1], "."); slices.Contains(own, up) && g.c.sees(up) {
				keep = i + 1 // with inherit, what is above counts
			}
		}
		for i := keep; i < len(segments); i++ {
			segments[i] = fmt.Sprintf("none%06d", g.IntN(1000000))
		}
		return p, strings.Join(segments, ".")
	}
	return "", ""
}

// plainer is an answer without what differs from call to call, and without what was asked for.
func plainer(a answer, asked *strings.Replacer) string {
	head := []string{fmt.Sprint(a.status)}
	for _, k := range slices.Sorted(maps.Keys(a.header)) {
		if k != "Content-Length" && k != "Date" {
			head = append(head, k+": "+strings.Join(a.header[k], ","))
		}
	}
	body := a.body
	var v any
	if json.Unmarshal(body, &v) == nil {
		body, _ = json.Marshal(still(v))
	}
	return asked.Replace(strings.Join(head, "\n") + "\n" + string(body))
}

// fleeting are fields of answers that differ from call to call.
func fleeting(name string) bool {
	switch name {
	case "cached", "access_count", "last_accessed_at", "last_used_at", "updated_at", "request_id", "uptime_seconds", "at", "generated_at", "latency", "score", "relevance", "relevance_score",
		"recency", "recency_bonus", "accesses", "tier", "states", "stages", "checks", "storage_bytes", "sealed_size", "ratio":
		return true
	}
	return strings.HasSuffix(name, "_ms") || strings.HasSuffix(name, "seconds")
}

// still takes what is fleeting out of an answer.
func still(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, y := range x {
			if s, ok := y.(string); ok && k == "text" && strings.HasPrefix(s, "{") { // a tool's answer as text
				var inner any
				if json.Unmarshal([]byte(s), &inner) == nil {
					y = inner
				}
			}
			if !fleeting(k) {
				out[k] = still(y)
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = still(x[i])
		}
		return out
	case float64:
		return math.Round(x*1e3) / 1e3
	}
	return v
}

// lists turns all pages of a list and compares: as many as its total says, and just those that the owner's widest key gets there.
func (r *round) lists(g *gen) {
	w := r.world
	if g.c.state.Load() != alive {
		return
	}
	var ops []operation
	for _, op := range w.ops {
		if op.method == "GET" && !op.tool && op.id != "audit" && op.id != "export" {
			ops = append(ops, op)
		}
	}
	g.op = pick(g.Rand, ops)
	q := g.request()
	mine, total, ok := r.pages(g, q)
	if !ok {
		return
	}
	w.book.check("pages")
	if total >= 0 && total != len(mine) {
		w.book.fault(w, "leak: total of "+g.op.id, fmt.Sprintf("%s (root %q) %s: total %d, but %d can be turned to", g.c.name, g.c.root, q.target, total, len(mine)))
	}
	if strings.Contains(q.target, "related_to=") { // a name a little differently written may mean one thing to who sees all, and another to who sees less
		return
	}
	if g.c.root == "" || g.c.owner.whole == nil || g.c.subject != "" && g.op.id == "list-grants" { // grantees get their own, whatever they ask for
		return
	}
	g2 := *g
	g2.c = g.c.owner.whole
	all, _, ok := r.pages(&g2, q)
	if !ok {
		return
	}
	want, have := map[string]bool{}, map[string]bool{}
	for _, x := range all {
		place, id := str(x, "container")+str(x, "path"), str(x, "id")
		if _, nested := x["children"]; place == "" || id == "" || nested {
			return
		}
		if g.c.sees(place) {
			want[id] = true
		}
	}
	for _, x := range mine {
		have[str(x, "id")] = true
	}
	w.book.check("lists")
	if !maps.Equal(want, have) {
		w.book.fault(w, "leak: list of "+g.op.id, fmt.Sprintf("%s (root %q, granted %v) %s: gets %v, but the owner sees %v there", g.c.name, g.c.root,
			slices.Sorted(maps.Keys(g.c.leave)), q.target, slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want))))
	}
}

// pages turns all pages of a list; total is -1 if it has none.
func (r *round) pages(g *gen, q request) (items []map[string]any, total int, ok bool) {
	u, err := url.Parse(q.target)
	if err != nil {
		return nil, 0, false
	}
	v := u.Query()
	v.Del("cursor")
	v.Del("offset")
	if slices.ContainsFunc(g.op.params, func(p parameter) bool { return p.Name == "limit" }) {
		v.Set("limit", "100")
	}
	turns := slices.ContainsFunc(g.op.params, func(p parameter) bool { return p.Name == "cursor" })
	for range 20 {
		u.RawQuery = v.Encode()
		x := q
		x.target = u.String()
		a := r.perform(g, x, g.IntN(2))
		var l struct {
			Items []map[string]any `json:"items"`
			Next  string           `json:"next_cursor"`
			Total *int             `json:"total"`
		}
		if !a.ok() || json.Unmarshal(a.body, &l) != nil || l.Items == nil {
			return nil, 0, false
		}
		items, total = append(items, l.Items...), -1
		if l.Total != nil {
			total = *l.Total
		}
		switch {
		case !turns && len(items) >= 100:
			return items, -1, true
		case l.Next != "":
			v.Set("cursor", l.Next)
		case total > len(items) && turns && len(l.Items) == 100: // turned by offset
			v.Set("offset", fmt.Sprint(len(items)))
		default:
			return items, total, true
		}
	}
	return items, -1, true
}
