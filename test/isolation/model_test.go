package isolation

import (
	"bytes"
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// covers reports whether path q is p or lies below it. It is written again here, so that the test does not trust what it tests.
func covers(p, q string) bool { return p == "" || p == q || strings.HasPrefix(q, p+".") }

// A person owns records.
type person struct {
	id     string
	name   string
	shifts atomic.Int64 // how often something of theirs may have gone to another place since the last census
	whole  *caller      // a key that sees everything of theirs
	words  []int        // the canaries in their name
	org    bool         // it is an organisation
	anchor *person      // of an organisation: the owner whose key the census goes by
	gone   atomic.Bool  // an organisation that was deleted
}

// A caller is a key.
type caller struct {
	name     string
	id       string
	secret   string
	owner    *person // whose records it opens
	user     *person // who has it: the owner, or a member of the organisation that is
	root     string
	node     string // the container at the root of a key that is bound to one: the key goes where it goes, and ends with it
	formerly string // the root before the last census
	readOnly bool
	admin    bool
	state    atomic.Int32
	ending   atomic.Int32    // how many calls are in flight that may end it
	died     atomic.Int64    // when it was ended, by the world's clock
	subject  string          // whom grants are made out to: a persona's node, or the key of a third party; "" for other keys
	leave    map[string]bool // the paths that are granted; true: to write too
}

// sees reports whether what stands at a path is the caller's to know.
func (c *caller) sees(p string) bool {
	_, granted := c.leave[p]
	return granted || covers(c.root, p)
}

// bound reports whether the key opens one container, which can move or be deleted.
func (c *caller) bound() bool { return c.root != "" && c.subject == "" }

// passes reports whether a path lies on the way from the root of the tree to something that the caller sees.
func (c *caller) passes(p string) bool {
	if covers(p, c.root) {
		return true
	}
	for g := range c.leave {
		if covers(p, g) {
			return true
		}
	}
	return false
}

// nothing is the root of a key that has no part of the tree of its own.
const nothing = "!"

// A grant is leave to one container.
type grant struct {
	id, subject, node string
	writes            bool
	until             time.Time
	ended             bool
}

// The states of a key.
const (
	alive   = iota
	dead    // revoked, expired: 401
	unknown // its user may have been deleted
)

// A mark is what the oracle knows of a canary or of an id.
type mark struct {
	n       int // of a canary
	owner   *person
	places  map[string]bool  // where it stands, as of the last census that saw it
	names   map[string]bool  // paths that it is a part of
	settled bool             // places is complete as of the last census
	touched int              // how often its owner's keys have sent it in a write since
	account bool             // of a user or a key: admins see it
	quoted  int              // how often a key that does not see it has written it down: it may stand anywhere of its owner's
	tried   map[*person]bool // who has asked for it, which stands in that one's audit log
	known   map[*person]int  // whose keys have written it down themselves
	gone    bool             // removed for good
	node    bool             // the id of a node
	orgs    map[*person]int  // the organisations that it is told of to members
	loose   bool             // it is not known yet which organisation it is the name of
	alias   bool             // a name that somebody with a whole key gave to an entity by hand: no text says it
	by      *caller
}

// A model is the oracle.
type model struct {
	mu        sync.RWMutex
	canary    map[int]*mark
	id        map[string]*mark
	persons   map[string]*person
	roles     map[*person]map[*person]*standing // organisation → user
	spare     []*person                         // organisations that may be deleted
	callers   []*caller
	paths     map[*person][]string
	words     map[*person][]string // canaries that stand somewhere
	cursors   []string
	artifacts [][2]string             // recall files with the name of a file in them
	buried    map[*person][]string    // what lies in the trash
	olds      map[*person][]string    // documents that are not the latest
	edges     map[*person][][3]string // edges that were drawn by hand: source, target, type
	byKind    map[string]map[*person][]string
	grants    []*grant
	mortal    []string // users that may be deleted
	keysOpen  []string // keys that may be revoked
}

func newModel() *model {
	return &model{
		canary: map[int]*mark{}, id: map[string]*mark{}, persons: map[string]*person{}, roles: map[*person]map[*person]*standing{}, paths: map[*person][]string{},
		words: map[*person][]string{}, byKind: map[string]map[*person][]string{},
		buried: map[*person][]string{}, olds: map[*person][]string{}, edges: map[*person][][3]string{},
	}
}

func newMark(o *person, by *caller) *mark {
	return &mark{owner: o, places: map[string]bool{}, names: map[string]bool{}, known: map[*person]int{}, tried: map[*person]bool{}, by: by}
}

// may reports whether a caller may be shown what bears the mark, and why not. Personas and grants are further rules here.
func (m *model) may(c *caller, k *mark) (bool, string) {
	switch {
	case k.known[c.owner] > 0, k.loose, m.papers(c, k), c.subject != "" && m.id[c.subject] == k: // a key says what it is bound to, also where that is gone
		return true, ""
	case k.owner != c.owner && k.account && c.admin:
		return true, ""
	case k.owner != c.owner:
		return false, "belongs to " + k.owner.name
	case k.gone:
		return false, "was removed for good"
	case c.root == "" || k.account:
		return true, ""
	case !k.settled || k.touched > 0 || k.quoted > 0 || k.owner.shifts.Load() > 0:
		return true, "" // it may be there by now
	}
	if k.seenBy(c) {
		return true, ""
	}
	if parent := above(c.root); k.places[parent] && k.node {
		return true, "" // the node above the caller's root: its id stands in the root's parent_id, and opens nothing
	}
	for p := range c.leave {
		if k.node && k.places[above(p)] {
			return true, "" // the same of a container that is granted
		}
	}
	for p := range k.names {
		if c.sees(p) || c.passes(p) {
			return true, ""
		}
	}
	return false, "stands in " + strings.Join(slices.Sorted(maps.Keys(k.places)), ", ") + strings.Join(slices.Sorted(maps.Keys(k.names)), ", ")
}

// author reports whether an id is told of as that of the persona who has written to a record: the history has it, whoever may read the
// record, and wherever the persona's own place is. The lock is held.
func (m *model) author(c *caller, k *mark, op operation, told []byte, id string) bool {
	if !k.node || k.owner != c.owner || !slices.Contains(authored, op.id) || !slices.ContainsFunc(m.callers, func(x *caller) bool { return x.subject == id }) {
		return false
	}
	rest := bytes.ReplaceAll(told, []byte(`"authored_by":"`+id), nil)
	return !bytes.Contains(rest, []byte(id))
}

// authored are the operations whose answers name authors.
var authored = []string{"history"}

// above is the path of the container around a path.
func above(p string) string { return p[:max(0, strings.LastIndexByte(p, '.'))] }

// canSee is may for somebody who looks for things to ask for.
func (m *model) canSee(c *caller, k *mark) bool {
	if k.owner != c.owner || k.gone {
		return false
	}
	ok, _ := m.may(c, k)
	return ok
}

// sent notes a canary that a caller is about to send.
func (m *model) sent(c *caller, n int, account, alias bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := newMark(c.owner, c)
	k.n, k.account, k.alias = n, account, alias
	m.canary[n] = k
}

// learn notes an id that a caller was shown for the first time.
func (m *model) learn(owner *person, id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.learnLocked(owner, id)
}

func (m *model) learnLocked(owner *person, id string) *mark {
	if k := m.id[id]; k != nil {
		return k
	}
	k := newMark(owner, nil)
	p := prefixOf(id)
	k.account, k.node = p == "usr" || p == "key" || p == "org", p == "node"
	m.id[id] = k
	if m.byKind[p] == nil {
		m.byKind[p] = map[*person][]string{}
	}
	m.byKind[p][owner] = append(m.byKind[p][owner], id)
	return k
}

// A note is what handle has written down of one canary or id.
type note struct {
	mark   *mark
	word   bool // it is a canary
	quoted bool
}

// handle notes that a caller sends these in a request that may write them down: from now on they may turn up with that caller's
// owner. What copies may keep an id as a word of the caller's own,
// or a word as a name that no text has and no export.
func (m *model) handle(c *caller, canary []int, ids []string, copies bool) []note {
	m.mu.Lock()
	defer m.mu.Unlock()
	var notes []note
	take := func(k *mark, word bool) {
		if k == nil {
			return
		}
		n := note{mark: k, word: word}
		k.tried[c.owner] = true
		if k.owner != c.owner {
			k.known[c.owner]++
		} else {
			k.touched++
			if n.quoted = copies || !k.seenBy(c); n.quoted {
				k.quoted++
			}
		}
		notes = append(notes, n)
	}
	for _, n := range canary {
		take(m.canary[n], true)
	}
	for _, id := range ids {
		take(m.id[id], false)
	}
	return notes
}

// takeBack undoes notes, as the request was refused. With halfway a new container may have stayed, with whatever words its path has:
// other people's are kept then.
func (m *model) takeBack(c *caller, notes []note, halfway bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range notes {
		switch {
		case n.mark.owner == c.owner:
			n.mark.touched--
			if n.quoted {
				n.mark.quoted--
			}
		case !n.word || !halfway:
			n.mark.known[c.owner]--
		}
	}
}

// seenBy reports whether it stood where the caller sees at the last census. The lock is held.
func (k *mark) seenBy(c *caller) bool {
	for p := range k.places {
		if c.sees(p) {
			return true
		}
	}
	return false
}

// pick returns one of a list, the zero value of none.
func pick[T any](r *rand.Rand, list []T) (x T) {
	if len(list) == 0 {
		return x
	}
	return list[r.IntN(len(list))]
}

// someone is another person than the caller's.
func (m *model) someone(r *rand.Rand, c *caller) *person {
	for range 8 {
		if x := pick(r, m.callers); x.owner != c.owner {
			return x.owner
		}
	}
	return c.owner
}

// anID returns an id of a kind: mostly one that the caller may see, else one of the same owner elsewhere or one of somebody else.
func (m *model) anID(r *rand.Rand, c *caller, kind string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	owner := c.owner
	dice := r.IntN(100)
	if dice >= 75 {
		owner = m.someone(r, c)
	}
	list := m.byKind[kind][owner]
	for range 12 {
		id := pick(r, list)
		if id == "" {
			return ""
		}
		if see := m.canSee(c, m.id[id]); dice >= 60 || see {
			return id
		}
	}
	return pick(r, list)
}

// ownID returns an id of a kind that the caller may see, "" if none is found.
func (m *model) ownID(r *rand.Rand, c *caller, kind string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	list := m.byKind[kind][c.owner]
	for range 12 {
		if id := pick(r, list); id != "" && m.canSee(c, m.id[id]) && (m.id[id].settled || kind == "delta" || kind == "ent" || kind == "file") {
			return id
		}
	}
	return ""
}

// anArtifact is a recall file with the name of a file in it.
func (m *model) anArtifact(r *rand.Rand) [2]string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return pick(r, m.artifacts)
}

// one of what an owner has of something, mostly the caller's.
func oneOf[T any](r *rand.Rand, m *model, c *caller, of map[*person][]T) T {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if r.IntN(4) == 0 {
		return pick(r, of[m.someone(r, c)])
	}
	return pick(r, of[c.owner])
}

// hidden returns an id of a kind that stands somewhere and that the caller may not see, "" if there is none.
func (m *model) hidden(r *rand.Rand, c *caller, kind string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	owner := c.owner
	if c.root == "" || r.IntN(2) == 0 {
		owner = m.someone(r, c)
	}
	list := m.byKind[kind][owner]
	for range 12 {
		id := pick(r, list)
		if id == "" {
			return ""
		}
		k := m.id[id]
		if ok, _ := m.may(c, k); !ok && !k.gone && (k.settled || k.owner != c.owner) {
			return id
		}
	}
	return ""
}

func (m *model) aPath(r *rand.Rand, c *caller) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	owner := c.owner
	dice := r.IntN(100)
	if dice >= 85 {
		owner = m.someone(r, c)
	}
	for range 12 {
		p := pick(r, m.paths[owner])
		if dice >= 70 || c.sees(p) {
			return p
		}
	}
	return c.root
}

func (m *model) aWord(r *rand.Rand, c *caller) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	owner := c.owner
	if r.IntN(3) == 0 {
		owner = m.someone(r, c)
	}
	return pick(r, m.words[owner])
}

func (m *model) aCursor(r *rand.Rand) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return pick(r, m.cursors)
}

func (m *model) keepCursor(r *rand.Rand, s string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.cursors) < 64 {
		m.cursors = append(m.cursors, s)
	} else {
		m.cursors[r.IntN(64)] = s
	}
}

func (m *model) keepArtifact(file, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := [2]string{file, name}; len(m.artifacts) < 100 && !slices.Contains(m.artifacts, at) {
		m.artifacts = append(m.artifacts, at)
	}
}

// keepEdge notes an edge that was drawn by hand.
func (m *model) keepEdge(o *person, source, target, typ string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := [3]string{source, target, typ}; !slices.Contains(m.edges[o], at) {
		m.edges[o] = append(m.edges[o], at)
	}
}

// entrust works out what everybody is granted now. The caller holds the lock, and nobody makes calls.
func (m *model) entrust(now time.Time) {
	for _, c := range m.callers {
		if c.subject == "" {
			continue
		}
		c.leave = map[string]bool{}
		c.root = nothing
		if prefixOf(c.subject) == "node" {
			c.root = m.pathOf(c.subject)
		}
		for _, g := range m.grants {
			if c.root == nothing && prefixOf(c.subject) == "node" {
				break // the persona is gone
			}
			if p := m.pathOf(g.node); g.subject == c.subject && !g.ended && (g.until.IsZero() || g.until.After(now)) && p != nothing {
				c.leave[p] = c.leave[p] || g.writes
			}
		}
	}
}

// follow moves the keys that are bound to containers of a person to where these are now, and ends those whose container is gone. The
// caller holds the lock, and nobody makes calls.
func (m *model) follow(w *world, p *person) {
	for _, c := range m.callers {
		if c.owner == p && c.node != "" {
			if at := m.pathOf(c.node); at != nothing {
				c.formerly, c.root = c.root, at
			} else {
				m.die(w, func(x *caller) bool { return x == c })
			}
		}
	}
}

// moved is what becomes of places as the containers with these ids stand elsewhere than they did. The lock is held.
func (m *model) moved(pathOf map[string]string) func(map[string]bool) map[string]bool {
	to := map[string]string{}
	for id, now := range pathOf {
		if was := m.pathOf(id); was != nothing && was != now {
			to[was] = now
		}
	}
	return func(places map[string]bool) map[string]bool {
		out := map[string]bool{}
		for p := range places {
			out[cmp.Or(to[p], p)] = true
		}
		return out
	}
}

// pathOf is where the node with an id stands, nothing if it is gone.
func (m *model) pathOf(node string) string {
	if k := m.id[node]; k != nil && k.settled {
		for p := range k.places {
			return p
		}
	}
	return nothing
}

// aSubject is somebody whom things can be granted to, mostly one of the caller's own.
func (m *model) aSubject(r *rand.Rand, c *caller) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for range 20 {
		if x := pick(r, m.callers); x.subject != "" && (x.owner == c.owner || r.IntN(8) == 0) {
			return x.subject
		}
	}
	return "home.acme"
}
