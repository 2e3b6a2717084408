package isolation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// An organisation is a person whose keys belong to others. A standing is what somebody is in one.
type standing struct {
	role  string // "" for no member
	busy  int    // how many calls are in flight that may change it
	turns int    // how often such a call has begun or ended
	fresh bool   // it has changed since the last roll call
	mixed bool   // two such calls were in flight at once: which was the last is not known before the next roll call
}

// ranks orders roles: the more, the higher.
var ranks = map[string]int{"viewer": 1, "member": 2, "admin": 3, "owner": 4}

// sure reports whether the role is known at this moment.
func (s *standing) sure() bool { return s.busy == 0 && !s.mixed }

// member reports whether somebody may be one by now, or may have been one a moment ago.
func (s *standing) member() bool { return s.role != "" || s.fresh || !s.sure() }

// standing is what a user is in an organisation. The lock is held for writing the first time that one is asked for; see [model.meet].
func (m *model) standing(org, user *person) *standing {
	if s := m.roles[org][user]; s != nil {
		return s
	}
	return &standing{}
}

// meet makes room for what a user is in an organisation. The lock is held for writing.
func (m *model) meet(org, user *person) *standing {
	if m.roles[org] == nil {
		m.roles[org] = map[*person]*standing{}
	}
	if m.roles[org][user] == nil {
		m.roles[org][user] = &standing{}
	}
	return m.roles[org][user]
}

// barred reports whether a key can write nothing at this moment; turns tells whether that may have changed in between.
func (m *model) barred(c *caller) (is bool, turns int) {
	if c.readOnly || !c.owner.org {
		return c.readOnly, 0
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := m.standing(c.owner, c.user)
	return s.sure() && s.role == "viewer", s.turns
}

// stillBarred reports whether a key could write nothing from the time on that barred was asked.
func (m *model) stillBarred(c *caller, was bool, turns int) bool {
	is, now := m.barred(c)
	return was && is && turns == now
}

// papers reports whether something is told of an organisation that the caller may know, or of the caller's own user. The lock is held.
func (m *model) papers(c *caller, k *mark) bool {
	if k.account && k.owner == c.user {
		return true
	}
	for org, n := range k.orgs {
		switch {
		case n == 0 || org.gone.Load():
		case c.owner == org, c.owner == c.user && c.root == "" && m.standing(org, c.user).member():
			return true
		}
	}
	return false
}

// file puts a mark among the papers of an organisation.
func (k *mark) file(org *person, by int) {
	if k == nil {
		return
	}
	if k.orgs == nil {
		k.orgs = map[*person]int{}
	}
	k.orgs[org] = max(0, k.orgs[org]+by)
}

// A motion is a call in flight that acts on organisations, or that may end keys.
type motion struct {
	orgs    []*person   // that the call names
	user    *person     // whose standing it may change
	changes []*standing // those that it may change
	own     int         // how often it has turned the caller's own standing
	rank    int         // of the caller in the organisation that is named, before
	sure    bool        // the rank is known
	turns   int
	target  string // the role of the user before, "?" if it is not known
	filed   []filing
	ending  []*caller
	loose   []*mark
	written []writing // what may be written down in the trees of the organisations
}

type writing struct {
	c     *caller
	notes []note
}

type filing struct {
	k   *mark
	org *person
}

// touching are the operations that act on an organisation that they name.
func touching(op string) bool {
	return strings.Contains(op, "organisation") || strings.HasSuffix(op, "-member") || op == "create-key" || op == "revoke-key" || op == "list-members"
}

// ends are the operations after which a key may open nothing any more.
var ends = map[string]bool{
	"revoke-key": true, "delete-user": true, "patch-user": true, "restore-user": true, "remove-member": true, "delete-organisation": true,
}

// begin notes what a call may change, before it is made.
func (m *model) begin(g *gen, q request, ids []string) *motion {
	c, op := g.c, g.op
	if op.reads || op.tool || !touching(op.id) && !ends[op.id] {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v := &motion{target: "?"}
	for _, id := range ids {
		p := m.persons[id]
		if p != nil && p.org && !p.gone.Load() {
			v.orgs = append(v.orgs, p)
		}
		if k := m.id[id]; prefixOf(id) == "key" && op.id == "revoke-key" && k != nil && k.owner.org {
			v.orgs = append(v.orgs, k.owner)
		}
	}
	if strings.HasSuffix(op.id, "-member") {
		v.user = m.persons[lastOf(q.target)]
	}
	if op.id == "create-key" && c.owner.org && len(v.orgs) == 0 {
		v.orgs = []*person{c.owner}
	}
	for _, org := range v.orgs {
		v.file(m.id[c.user.id], org)
		v.file(m.id[c.id], org) // the log has both
		for _, id := range ids {
			if k := m.id[id]; k != nil {
				k.tried[org] = true
			}
		}
		switch op.id {
		case "patch-organisation", "create-key":
			for _, w := range g.fresh {
				for _, n := range canaries([]byte(w)) {
					v.file(m.canary[n], org)
				}
			}
		case "set-member":
			if v.user != nil {
				v.file(m.id[v.user.id], org)
				for _, n := range v.user.words {
					v.file(m.canary[n], org)
				}
			}
		}
	}
	named := m.persons[lastOf(q.target)]
	if op.id == "create-organisation" || op.id == "patch-user" && named != nil {
		for _, w := range g.fresh {
			for _, n := range canaries([]byte(w)) {
				m.canary[n].loose = true
				v.loose = append(v.loose, m.canary[n])
			}
		}
	}
	if op.id == "patch-user" && named != nil {
		v.user = named
	}
	if len(v.orgs) == 1 {
		mine := m.standing(v.orgs[0], c.user)
		v.rank, v.sure, v.turns = ranks[mine.role], mine.sure(), mine.turns
		if v.user != nil {
			if s := m.standing(v.orgs[0], v.user); s.sure() {
				v.target = s.role
			}
		}
	}
	for _, org := range v.orgs {
		switch {
		case op.id == "delete-organisation":
			for p, s := range m.roles[org] {
				if v.changes = append(v.changes, s); p == c.user {
					v.own = 1
				}
			}
		case strings.HasSuffix(op.id, "-member") && v.user != nil:
			if v.changes = append(v.changes, m.meet(org, v.user)); v.user == c.user {
				v.own = 1
			}
		}
	}
	for _, s := range v.changes {
		s.busy++
		s.turns++
		s.mixed = s.mixed || s.busy > 1
	}
	if ends[op.id] {
		for _, x := range m.callers {
			member := slices.Contains(v.orgs, x.owner) && (op.id == "delete-organisation" || op.id == "remove-member" && x.user == v.user)
			user := strings.HasSuffix(op.id, "-user") && (strings.Contains(q.target, x.owner.id) || strings.Contains(q.target, x.user.id))
			if member || user || op.id == "revoke-key" && slices.Contains(ids, x.id) {
				x.ending.Add(1)
				v.ending = append(v.ending, x)
			}
		}
	}
	return v
}

func (v *motion) file(k *mark, org *person) {
	if k != nil {
		k.file(org, 1)
		v.filed = append(v.filed, filing{k, org})
	}
}

// end notes that a call is over whose effects have been noted.
func (m *model) end(v *motion, ok bool) {
	if v == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range v.changes {
		s.busy--
		s.turns++
		s.fresh = s.fresh || ok
	}
	for _, x := range v.ending {
		x.ending.Add(-1)
	}
	for _, k := range v.loose {
		if k.loose = false; v.user != nil && ok { // another name of a user
			v.user.words = append(v.user.words, k.n)
			for org, list := range m.roles {
				if s := list[v.user]; s != nil && s.member() {
					k.file(org, 1)
				}
			}
		}
	}
	if !ok {
		for _, f := range v.filed {
			f.k.file(f.org, -1)
		}
	}
}

func lastOf(target string) string {
	target, _, _ = strings.Cut(target, "?")
	return target[strings.LastIndexByte(target, '/')+1:]
}

// organised follows what an act on organisations has done, and checks that whoever did it had a right to.
func (r *round) organised(g *gen, q request, v *motion, out map[string]any, a, story string) {
	w, c, m := r.world, g.c, r.world.model
	m.mu.Lock()
	defer m.mu.Unlock()
	if q.op.id == "create-organisation" {
		p := &person{id: str(out, "id"), name: "organisation of " + c.name, org: true}
		m.persons[p.id] = p
		m.own(p, p.id).file(p, 1)
		for _, k := range v.loose {
			k.file(p, 1)
		}
		owner := m.persons[str(out, "owner_id")]
		for _, id := range idsIn(q.body) {
			if m.persons[id] != nil {
				owner = m.persons[id]
			}
		}
		if owner == nil {
			owner = c.user
		}
		s := m.meet(p, owner)
		s.role, s.fresh = "owner", true
		for _, n := range owner.words {
			m.canary[n].file(p, 1)
		}
		m.id[owner.id].file(p, 1)
		m.id[c.user.id].file(p, 1) // who has made it
		m.id[c.id].file(p, 1)
		m.spare = append(m.spare, p)
		return
	}
	if v == nil || len(v.orgs) != 1 {
		w.book.fault(w, "leak: act on an organisation", fmt.Sprintf("%s acts on one that is not there: %s", c.name, story))
		return
	}
	org := v.orgs[0]
	mine := m.standing(org, c.user)
	sure := v.sure && !mine.mixed && mine.turns == v.turns+v.own // its own end is still to come
	wrong := func(format string, args ...any) {
		w.book.fault(w, "leak: act on an organisation", fmt.Sprintf(format, args...)+": "+story+" "+strings.Join(m.tell(org), ", "))
	}
	switch {
	case c.root != "":
		wrong("%s, which is bound, acts on %s", c.name, org.name)
	case c.owner.org && c.owner != org:
		wrong("%s, of %s, acts on %s", c.name, c.owner.name, org.name)
	}
	need := map[string]int{"patch-organisation": 4, "delete-organisation": 4, "set-member": 3, "remove-member": 3}[q.op.id]
	if q.op.id == "remove-member" && v.user == c.user {
		need = 1
	}
	if q.op.id == "patch-organisation" && strings.Contains(string(q.body), `"settings"`) && !c.admin {
		wrong("%s is no admin of the server and sets what %s may have", c.name, org.name)
	}
	if idle(q) {
		need = 1
	}
	if v.target == "owner" || str(out, "role") == "owner" && q.op.id == "set-member" {
		need = max(need, map[bool]int{true: 1, false: 4}[q.op.id == "remove-member" && v.user == c.user])
	}
	if sure && !c.admin && v.rank < need {
		wrong("%s, of rank %d, does in %s what takes %d", c.name, v.rank, org.name, need)
	}
	switch q.op.id {
	case "set-member":
		if v.user != nil {
			m.meet(org, v.user).role = str(out, "role")
		}
	case "remove-member":
		if v.user != nil {
			m.meet(org, v.user).role = ""
			m.die(w, func(x *caller) bool { return x.owner == org && x.user == v.user })
		}
	case "delete-organisation":
		org.gone.Store(true)
		for _, id := range idsIn([]byte(a)) { // the receipt is the caller's, with any key
			if k := m.id[id]; k != nil {
				k.known[c.owner]++
				k.known[c.user]++
			}
		}
		for _, s := range m.roles[org] {
			s.role = ""
		}
		m.die(w, func(x *caller) bool { return x.owner == org })
		for _, k := range m.id {
			k.gone = k.gone || k.owner == org && !k.account
		}
		for _, k := range m.canary {
			k.gone = k.gone || k.owner == org && !k.account
		}
	}
}

// tell lists the members of an organisation.
func (m *model) tell(org *person) []string {
	var out []string
	for p, s := range m.roles[org] {
		out = append(out, fmt.Sprintf("%s %+v", p.name, *s))
	}
	slices.Sort(out)
	return out
}

// die notes that keys have ended. The lock is held.
func (m *model) die(w *world, which func(*caller) bool) {
	for _, x := range m.callers {
		if which(x) && x.state.Swap(dead) != dead {
			x.died.Store(w.clock.Now().UnixNano())
		}
	}
}

// own notes whose an id is, whoever was shown it first. The lock is held.
func (m *model) own(p *person, id string) *mark {
	k := m.learnLocked(p, id)
	if k.owner != p {
		k.owner = p
		m.byKind[prefixOf(id)][p] = append(m.byKind[prefixOf(id)][p], id)
	}
	return k
}

// revoked checks that whoever ended a key had a right to. The lock is held for reading.
func (r *round) mayRevoke(c *caller, v *motion, id, story string) {
	m := r.world.model
	m.mu.RLock()
	defer m.mu.RUnlock()
	k := m.id[id]
	if c.admin || k == nil {
		return
	}
	x := m.callerOf(id)
	switch {
	case c.root != "":
	case !k.owner.org && k.owner == c.owner:
		return
	case k.owner.org && (c.owner == k.owner || !c.owner.org):
		mine := m.standing(k.owner, c.user)
		if x == nil || x.user == c.user || v == nil || !v.sure || mine.turns != v.turns || v.rank >= 3 {
			return
		}
	}
	r.world.book.fault(r.world, "leak: revoked somebody else's key", fmt.Sprintf("%s ends a key of %s: %s", c.name, k.owner.name, story))
}

func (m *model) callerOf(key string) *caller {
	for _, x := range m.callers {
		if x.id == key {
			return x
		}
	}
	return nil
}

var keyOf = regexp.MustCompile(`"id":"(key_[0-9a-z]{26})"`)

// idle reports whether a request changes nothing whoever makes it.
func idle(q request) bool {
	return q.op.id == "patch-organisation" && !bytes.Contains(q.body, []byte(`"name"`)) && !bytes.Contains(q.body, []byte(`"settings"`))
}

// keyed reports whether an answer may name something of an organisation because a key to it does: to what they are, its members are
// told; see keyring for whose. The lock is held.
func (m *model) keyed(c *caller, op operation, k *mark) bool {
	if op.id == "delete-organisation" && k.owner.org { // organised checks who may
		return true
	}
	if op.id != "list-organisation-keys" && op.id != "create-key" && op.id != "revoke-key" || c.root != "" {
		return false
	}
	for org, list := range m.roles {
		if s := list[c.user]; s != nil && s.member() && (k.owner == org || k.known[org] > 0) {
			return true
		}
	}
	return false
}

// keyring checks a list of keys to an organisation: whoever does not manage it is told of their own alone.
func (w *world) keyring(c *caller, op operation, told []byte, in place, story string) {
	if c.admin || in.rank >= 3 && c.root == "" {
		return
	}
	w.book.check("keyrings")
	w.model.mu.RLock()
	defer w.model.mu.RUnlock()
	for _, f := range keyOf.FindAllSubmatch(told, -1) {
		x := w.model.callerOf(string(f[1]))
		if x != nil && x.owner == in.org && x.user != c.user {
			w.book.fault(w, "leak: key of another member in "+op.id, fmt.Sprintf("%s, of rank %d, is told of %s: %s", c.name, in.rank, x.name, story))
		}
	}
}

// A place is what a caller's user is in an organisation.
type place struct {
	org         *person
	rank, turns int
	known       bool
}

// rankIn is what the caller is in the organisation whose keys a request lists, not known for any other.
func (m *model) rankIn(c *caller, op operation, ids []string) (in place) {
	if op.id != "list-keys" && op.id != "list-organisation-keys" {
		return in
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if c.owner.org {
		in.org = c.owner
	}
	for _, id := range ids {
		if p := m.persons[id]; p != nil && p.org {
			in.org = p
		}
	}
	if in.org != nil {
		s := m.standing(in.org, c.user)
		in.rank, in.turns, in.known = ranks[s.role], s.turns, s.sure()
	}
	return in
}

// politics picks an act on an organisation and somebody who is in one.
func (w *world) politics(r *rand.Rand, cast []*caller, active map[*caller]bool) (*caller, operation) {
	id := pick(r, []string{
		"set-member", "set-member", "set-member", "set-member", "remove-member", "remove-member", "patch-organisation", "create-key", "revoke-key", "list-members",
		"list-organisation-keys",
	})
	op := w.ops[slices.IndexFunc(w.ops, func(op operation) bool { return op.id == id })]
	rank := func(c *caller) (top int) {
		w.model.mu.RLock()
		defer w.model.mu.RUnlock()
		for _, list := range w.model.roles {
			if s := list[c.user]; s != nil {
				top = max(top, ranks[s.role])
			}
		}
		return top
	}
	need := 2
	if strings.HasSuffix(id, "-member") {
		need = 3 // what can succeed
	}
	c := pick(r, cast)
	for i := range 60 {
		if c.root == "" && c.state.Load() == alive && (active[c] || op.reads) && (i >= 40 || rank(c) >= need && !c.readOnly) {
			return c, op
		}
		c = pick(r, cast)
	}
	return c, w.choose(r, active[c], false)
}

// orgID is an organisation's id: mostly of one that the caller's user is in.
func (g *gen) orgID() string {
	if g.slot == "?" && !g.filled {
		g.kinds, g.filled = []string{"org"}, true
		return "?slot?"
	}
	m := g.w.model
	m.mu.RLock()
	defer m.mu.RUnlock()
	var mine, all []string
	for _, p := range g.w.orgs {
		all = append(all, p.id)
		switch rank := ranks[m.standing(p, g.c.user).role]; {
		case rank >= 3: // something that can succeed
			mine = append(mine, p.id, p.id, p.id)
		case rank > 0 || g.c.owner == p || g.c.admin:
			mine = append(mine, p.id)
		}
	}
	for _, p := range m.spare {
		if !p.gone.Load() {
			all = append(all, p.id)
		}
	}
	dice := g.IntN(100)
	switch {
	case g.op.id == "delete-organisation" && dice < 90:
		if p := pick(g.Rand, m.spare); p != nil {
			return p.id
		}
	case dice < 70 && len(mine) > 0:
		return pick(g.Rand, mine)
	case dice < 95:
		return pick(g.Rand, all)
	}
	return g.w.noSuch("org")
}

// memberID is the id of somebody who is, was or may become a member.
func (g *gen) memberID() string {
	if g.slot == "?" && !g.filled && g.op.id == "remove-member" {
		return g.id("usr")
	}
	m := g.w.model
	m.mu.RLock()
	defer m.mu.RUnlock()
	dice := g.IntN(100)
	if id := pick(g.Rand, m.mortal); id != "" && dice < 15 {
		return id
	}
	if dice < 92 {
		for range 8 {
			if p := pick(g.Rand, g.w.people); !p.org {
				return p.id
			}
		}
	}
	return g.w.noSuch("usr")
}

// found makes the organisations with their members and keys.
func (w *world) found(admin *caller) {
	ann, ben, cy := w.people[1], w.people[2], w.people[3]
	for i, members := range [][]struct {
		p    *person
		role string
	}{
		{{ann, "owner"}, {ben, "admin"}, {cy, "viewer"}},
		{{ben, "owner"}, {ann, "member"}, {cy, "admin"}},
	} {
		n, word := w.mint.next()
		out := w.must(admin, "POST", "/v1/organisations", map[string]any{"name": title(word), "owner_id": members[0].p.id})
		org := &person{id: str(out, "id"), name: []string{"acme", "beta"}[i], org: true, anchor: members[0].p}
		w.model.sent(&caller{owner: org, name: org.name}, n, true, false)
		w.must(admin, "PATCH", "/v1/organisations/"+org.id, map[string]any{"settings": map[string]any{"limits": map[string]any{"sessions": 1000000}}})
		w.orgs = append(w.orgs, org)
		w.learnIDs(org, org.id)
		w.model.mu.Lock()
		w.model.persons[org.id] = org
		w.model.id[org.id].file(org, 1)
		w.model.canary[n].file(org, 1)
		w.model.id[admin.owner.id].file(org, 1) // who has made it
		w.model.id[admin.id].file(org, 1)
		w.model.mu.Unlock()
		for j, x := range members {
			w.model.mu.Lock()
			w.model.meet(org, x.p).role = x.role
			w.model.id[x.p.id].file(org, 1)
			w.model.mu.Unlock()
			if j > 0 {
				w.must(admin, "PUT", "/v1/organisations/"+org.id+"/members/"+x.p.id, map[string]any{"role": x.role})
			}
			k := w.orgKey(admin, org, x.p, map[string]any{})
			if w.enter(org, k); j == 0 {
				org.whole = k
			}
			w.enter(org, w.orgKey(admin, org, x.p, map[string]any{"read_only": j == 0, "container": "home"}))
			if j == 1 {
				w.enter(org, w.orgKey(admin, org, x.p, map[string]any{"container": "work.acme"}))
			}
		}
		// who has gone and come back: the old key opens nothing
		last := members[2]
		old := w.orgKey(admin, org, last.p, map[string]any{})
		w.must(admin, "DELETE", "/v1/organisations/"+org.id+"/members/"+last.p.id, nil)
		w.model.mu.Lock()
		w.model.die(w, func(x *caller) bool { return x.owner == org && x.user == last.p })
		w.model.mu.Unlock()
		old.state.Store(dead)
		w.enter(org, old)
		w.must(admin, "PUT", "/v1/organisations/"+org.id+"/members/"+last.p.id, map[string]any{"role": last.role})
		w.enter(org, w.orgKey(admin, org, last.p, map[string]any{}))
		w.enter(org, w.orgKey(admin, org, last.p, map[string]any{"container": "work"}))
	}
	w.call()
}

// orgKey makes a key to an organisation for a member; an admin of the server makes it, as anybody can lose the right to.
func (w *world) orgKey(admin *caller, org, user *person, body map[string]any) *caller {
	n, word := w.mint.next()
	w.model.sent(&caller{owner: org, name: org.name}, n, true, false)
	body["name"], body["user_id"], body["organisation"] = word, user.id, org.id
	k := w.must(admin, "POST", "/v1/keys", body)
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	w.model.own(org, str(k, "id")).file(org, 1)
	w.model.canary[n].file(org, 1)
	ro, _ := body["read_only"].(bool)
	root, _ := body["container"].(string)
	return &caller{name: user.name + " of " + org.name + "@" + root, id: str(k, "id"), secret: str(k, "key"), owner: org, user: user, root: root, readOnly: ro}
}

// call calls the roll of every organisation: who is in it now must be who the oracle thinks, and one of them an owner. Whoever the
// census goes by gets their place back. Nobody makes calls.
func (w *world) call() {
	m, admin := w.model, w.people[0].whole
	for _, org := range m.spare {
		if !org.gone.Load() {
			w.roll(admin, org)
		}
	}
	for _, org := range w.orgs {
		if org.gone.Load() {
			w.people = slices.DeleteFunc(w.people, func(p *person) bool { return p == org })
			continue
		}
		w.roll(admin, org)
		s := m.standing(org, org.anchor)
		if s.role != "owner" {
			w.must(admin, "PUT", "/v1/organisations/"+org.id+"/members/"+org.anchor.id, map[string]any{"role": "owner"})
			m.mu.Lock()
			m.meet(org, org.anchor).role = "owner"
			m.mu.Unlock()
		}
		if org.whole.state.Load() != alive {
			org.whole = w.orgKey(admin, org, org.anchor, map[string]any{})
			w.enter(org, org.whole)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for org, list := range m.roles {
		for p, s := range list {
			s.fresh, s.mixed = false, false
			for _, n := range p.words {
				if delete(m.canary[n].orgs, org); s.role != "" && !org.gone.Load() {
					m.canary[n].file(org, 1)
				}
			}
		}
	}
}

func (w *world) roll(admin *caller, org *person) {
	m := w.model
	status, data := w.plain(admin, "GET", "/v1/organisations/"+org.id+"/members", nil)
	var l struct {
		Items []struct {
			User string `json:"user_id"`
			Role string `json:"role"`
		}
	}
	if status != http.StatusOK || json.Unmarshal(data, &l) != nil {
		w.book.fault(w, "oddity: no roll", fmt.Sprintf("%s: status %d: %s", org.name, status, data))
		return
	}
	w.book.check("rolls")
	m.mu.Lock()
	defer m.mu.Unlock()
	real, owners := map[*person]string{}, 0
	for _, x := range l.Items {
		if p := m.persons[x.User]; p != nil {
			real[p] = x.Role
		}
		if x.Role == "owner" {
			owners++
		}
	}
	if owners == 0 {
		w.book.fault(w, "leak: no owner", fmt.Sprintf("%s has no owner: %s", org.name, data))
	}
	for p := range real {
		m.meet(org, p)
	}
	for p, s := range m.roles[org] {
		if s.role != real[p] && !s.mixed && p.whole != nil { // others are deleted and brought back
			w.book.fault(w, "leak: other role", fmt.Sprintf("%s should be %q in %s, and is %q: %s\n\t\tbefore: %s",
				p.name, s.role, org.name, real[p], data, strings.Join(w.journal.about(p.id), "\n\t\t        ")))
		}
		if s.role = real[p]; s.role == "" && s.mixed {
			for _, x := range m.callers {
				if x.owner == org && x.user == p && x.state.Load() == alive {
					x.state.Store(unknown)
				}
			}
		}
	}
}

// members makes a command line about organisations.
func (g *gen) members() []string {
	return pick(g.Rand, [][]string{{"org", "list"}, {"org", "show", g.orgID()}, {"whoami"}})
}
