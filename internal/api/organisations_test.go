package api_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// company is a site with an organisation: Ada owns it, Max manages it, Bob writes and Eve reads; Joe is no member.
type company struct {
	*site
	org   string
	who   map[string]*site // with keys to their own records
	ids   map[string]string
	keyed map[string]*site // with keys to the organisation's
}

func newCompany(t *testing.T) *company {
	c := &company{site: serve(t, nil, engine.Options{}), who: map[string]*site{}, ids: map[string]string{}, keyed: map[string]*site{}}
	for _, name := range []string{"ada", "max", "bob", "eve", "joe"} {
		c.who[name], c.ids[name] = c.person(name, nil)
	}
	c.org = text(c.must(201, "POST", "/v1/organisations", obj{"name": "Acme", "owner_id": c.ids["ada"]}), "id")
	for name, role := range map[string]string{"max": "admin", "bob": "", "eve": "viewer"} {
		c.who["ada"].must(201, "PUT", c.member(name), obj{"role": role})
	}
	for _, name := range []string{"ada", "max", "bob", "eve"} {
		c.keyed[name] = c.key(name, nil)
	}
	return c
}

func (c *company) at(more string) string { return "/v1/organisations/" + c.org + more }

func (c *company) member(name string) string { return c.at("/members/" + c.ids[name]) }

// key makes a key of a member to the organisation.
func (c *company) key(name string, more obj) *site {
	c.t.Helper()
	body := obj{"name": name, "organisation": c.org}
	maps.Copy(body, more)
	return c.as(text(c.who[name].must(201, "POST", "/v1/keys", body), "key"))
}

func TestOrganisationSharesOneTree(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	doc := c.keyed["bob"].must(201, "POST", "/v1/documents", obj{"container": "plans", "title": "Launch", "content": "Acme launches the quixotropic lantern in Lisbon."})
	at := "/v1/documents/" + text(doc, "id")
	c.keyed["max"].must(200, "PATCH", at, obj{"title": "The launch"})
	for name, s := range c.keyed {
		if got := s.must(200, "GET", at, nil); text(got, "title") != "The launch" {
			t.Errorf("%s reads %v", name, got)
		}
		if hits := objs(s.must(200, "POST", "/v1/search", obj{"query": "lantern"})["results"]); len(hits) != 1 {
			t.Errorf("%s finds %v", name, hits)
		}
	}
	// It is the organisation's, and nobody's own.
	for name, s := range c.who {
		if status, _ := s.do("GET", at, nil); status != 404 {
			t.Errorf("%s reads it with a key to the own records: %d", name, status)
		}
	}
	c.must(404, "GET", at, nil) // an admin of the server neither
	// Who wrote is in the history, and who did what in the audit log.
	authors := map[string]bool{}
	l := c.keyed["eve"].must(200, "GET", "/v1/records/"+text(doc, "id")+"/history", nil)
	for _, key := range []string{"items", "deltas"} {
		for _, d := range objs(l[key]) {
			authors[text(d, "authored_by")] = true
		}
	}
	if !authors[c.ids["max"]] || authors[c.org] {
		t.Errorf("authors: %v, want %s among them", authors, c.ids["max"])
	}
	acts := map[string]string{}
	for _, a := range objs(c.keyed["ada"].must(200, "GET", "/v1/audit?limit=100", nil)["items"]) {
		acts[text(a, "action")+" "+text(a, "resource")] = text(a, "actor_id")
	}
	if acts["member.add "+c.ids["eve"]] != c.ids["ada"] || acts["organisation.create "+c.org] == "" {
		t.Errorf("audit: %v", acts)
	}
	for name, want := range map[string]int{"max": 200, "bob": 403, "eve": 403} { // who did what, and from where, is no matter of all
		c.keyed[name].must(want, "GET", "/v1/audit", nil)
	}
	// Quotas are the organisation's.
	c.must(200, "PATCH", c.at(""), obj{"settings": obj{"limits": obj{"files": 1}}})
	c.keyed["bob"].must(413, "POST", "/v1/documents", obj{"content": "one too many"})
	c.who["bob"].must(201, "POST", "/v1/documents", obj{"content": "of his own he may have more"})
	if u := c.keyed["eve"].must(200, "GET", "/v1/usage", nil); num(u, "files") != 1 {
		t.Errorf("usage: %v", u)
	}
}

// Being a member takes nothing from an admin of the server.
func TestAnAdminWhoIsAMember(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	me := text(c.must(200, "GET", "/v1/whoami", nil), "user", "id")
	c.must(201, "PUT", c.at("/members/"+me), obj{"role": "viewer"})
	c.must(200, "PUT", c.member("bob"), obj{"role": "admin"})
	c.must(200, "PATCH", c.at(""), obj{"name": "Acme and sons"})
	if u := c.must(200, "GET", c.at("/members"), nil); !strings.Contains(fmt.Sprint(u), "viewer") {
		t.Errorf("members: %v", u)
	}
}

func TestRolesOfMembers(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	write := func(s *site, want int) {
		t.Helper()
		s.must(want, "POST", "/v1/memories", obj{"content": "Acme pays on time, says " + s.key[len(s.key)-6:]})
	}
	for name, want := range map[string]int{"ada": 201, "max": 201, "bob": 201, "eve": 403} {
		write(c.keyed[name], want)
		// No role is one of an admin of the server.
		c.keyed[name].must(403, "GET", "/v1/users", nil)
		c.keyed[name].must(403, "GET", "/metrics", nil)
		c.who[name].must(403, "POST", "/v1/keys", obj{"name": "x", "organisation": c.org, "role": "admin"})
	}
	// Each may what the role says, with a key to the own records or to the organisation's; to who is no member it is not there.
	for _, keys := range []map[string]*site{c.who, c.keyed} {
		for name, s := range keys {
			may := func(ok bool) int {
				switch {
				case ok:
					return 200
				case name == "joe":
					return 404
				}
				return 403
			}
			s.must(may(name != "joe"), "GET", c.at(""), nil)
			s.must(may(name != "joe"), "GET", c.at("/members"), nil)
			s.must(may(name == "ada"), "PATCH", c.at(""), obj{"name": "Acme Ltd"})
			s.must(may(name == "ada" || name == "max"), "PUT", c.member("bob"), obj{"role": "member"})
			s.must(may(name == "ada"), "PUT", c.member("ada"), obj{"role": "owner"})
			if name != "ada" {
				s.must(may(false), "PUT", c.member("max"), obj{"role": "owner"})
				s.must(may(false), "DELETE", c.member("ada"), nil)
				s.must(may(false), "DELETE", c.at(""), nil)
				s.must(may(false), "PATCH", c.at(""), obj{"settings": obj{"limits": obj{"files": 0}}})
			}
			s.must(403, "POST", "/v1/organisations", obj{"name": "Mine"})
		}
	}
	// A key to an organisation is to that one alone.
	second := text(c.must(201, "POST", "/v1/organisations", obj{"name": "Zeta", "owner_id": c.ids["ada"]}), "id")
	c.keyed["ada"].must(404, "GET", "/v1/organisations/"+second, nil)
	c.keyed["ada"].must(404, "POST", "/v1/keys", obj{"name": "x", "organisation": second})
	if l := c.keyed["ada"].must(200, "GET", "/v1/organisations", nil); num(l, "total") != 1 {
		t.Errorf("a key to Acme lists %v", l)
	}
	if l := c.who["ada"].must(200, "GET", "/v1/organisations", nil); num(l, "total") != 2 {
		t.Errorf("Ada has %v", l)
	}
	if l := c.must(200, "GET", "/v1/organisations?all=true", nil); num(l, "total") != 2 {
		t.Errorf("all: %v", l)
	}
	if l := c.must(200, "GET", "/v1/users", nil); strings.Contains(text(objs(l["items"])[0], "id"), "org_") || num(l, "total") != 6 {
		t.Errorf("users: %v", l)
	}
	// The last owner stays, also when the user is to be deleted.
	c.who["ada"].must(409, "DELETE", c.member("ada"), nil)
	c.who["ada"].must(409, "PUT", c.member("ada"), obj{"role": "viewer"})
	c.must(409, "DELETE", "/v1/users/"+c.ids["ada"], nil)
	c.must(409, "DELETE", "/v1/users/"+c.ids["ada"]+"?soft=true", nil)
	// Keys: all for who manages them, else one's own; each may end those.
	count := func(s *site) float64 { return num(s.must(200, "GET", c.at("/keys"), nil), "total") }
	if a, m, b, e := count(c.who["ada"]), count(c.keyed["max"]), count(c.who["bob"]), count(c.keyed["eve"]); a != 4 || m != 4 || b != 1 || e != 1 {
		t.Errorf("keys: %v %v %v %v", a, m, b, e)
	}
	bobs := text(c.keyed["bob"].must(200, "GET", "/v1/whoami", nil), "key", "id")
	c.who["eve"].must(404, "DELETE", "/v1/keys/"+bobs, nil)
	c.who["joe"].must(404, "DELETE", "/v1/keys/"+bobs, nil)
	c.keyed["max"].must(200, "DELETE", "/v1/keys/"+bobs, nil)
	c.keyed["bob"].must(401, "GET", "/v1/whoami", nil)
	for _, bad := range []struct {
		status int
		method string
		path   string
		body   obj
	}{
		{404, "PUT", c.at("/members/" + other(c.ids["joe"])), obj{"role": "member"}},
		{400, "PUT", c.member("joe"), obj{"role": "boss"}},
		{400, "PUT", c.at("/members/x"), obj{}},
		{400, "GET", "/v1/organisations/x", nil},
		{400, "PATCH", c.at(""), obj{"name": " "}},
		{400, "POST", "/v1/organisations", obj{"name": "a\nb"}},
		{404, "POST", "/v1/organisations", obj{"name": "x", "owner_id": other(c.ids["joe"])}},
		{400, "POST", "/v1/keys", obj{"name": "x", "organisation": "acme"}},
		{409, "POST", "/v1/keys", obj{"name": "x", "organisation": c.org}}, // of an admin who is no member
	} {
		got := c.must(bad.status, bad.method, bad.path, bad.body)
		if text(got, "error", "message") == "" {
			t.Errorf("%v: %v", bad, got)
		}
	}
}

// A change of a role, and the end of a membership, count in the next call: for every key of the member, on every node, and for what is in
// the caches.
func TestRoleCountsInTheNextCall(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	two, _, err := engineOn(t, c)
	if err != nil {
		t.Fatal(err)
	}
	doc := text(c.keyed["ada"].must(201, "POST", "/v1/documents", obj{"container": "plans", "content": "Acme launches the quixotropic lantern."}), "id")
	c.keyed["ada"].must(201, "POST", "/v1/nodes", obj{"container": "helper", "type": "persona"})
	c.keyed["ada"].must(201, "POST", "/v1/grants", obj{"subject_id": "helper", "container": "plans", "grant_type": "read_write"})
	keys := map[string]*site{
		"plain": c.keyed["bob"], "bound": c.key("bob", obj{"container": "plans"}), "persona": c.key("bob", obj{"persona": "helper"}), "reading": c.key("bob", obj{"read_only": true}),
	}
	// can says what each key can do on each node: read, write, both or nothing.
	can := func(when string, want map[string]string) {
		t.Helper()
		for name, s := range keys {
			for i, url := range []string{c.url, two} {
				s := s.as(s.key)
				s.url = url
				got := ""
				if status, _ := s.do("GET", "/v1/documents/"+doc, nil); status == 200 {
					got += "r"
				}
				if hits := objs(second(s.do("POST", "/v1/search", obj{"query": "lantern"}))["results"]); len(hits) > 0 {
					got += "s"
				}
				if status, _ := s.do("POST", "/v1/memories", obj{"container": "plans", "content": when + name + url}); status == 201 {
					got += "w"
				}
				if got != want[name] {
					t.Errorf("%s: %s on node %d: %q, want %q", when, name, i+1, got, want[name])
				}
			}
		}
	}
	full := map[string]string{"plain": "rsw", "bound": "rsw", "persona": "rsw", "reading": "rs"}
	read := map[string]string{"plain": "rs", "bound": "rs", "persona": "rs", "reading": "rs"}
	can("member", full)
	c.keyed["max"].must(200, "PUT", c.member("bob"), obj{"role": "viewer"})
	can("viewer", read)
	c.keyed["max"].must(200, "PUT", c.member("bob"), obj{"role": "member"})
	can("member again", full)
	c.keyed["max"].must(200, "DELETE", c.member("bob"), nil)
	can("removed", nil)
	c.keyed["max"].must(201, "PUT", c.member("bob"), obj{"role": "member"})
	can("come back", nil) // with new keys
	keys = map[string]*site{"plain": c.key("bob", nil)}
	can("with a new key", full)
	c.must(200, "DELETE", "/v1/users/"+c.ids["bob"]+"?soft=true", nil)
	can("in the trash", nil)
	c.must(200, "POST", "/v1/users/"+c.ids["bob"]+"/restore", nil)
	can("out of the trash", full)
	c.must(200, "DELETE", "/v1/users/"+c.ids["bob"], nil)
	can("deleted", nil)
	if l := c.keyed["ada"].must(200, "GET", c.at("/members"), nil); num(l, "total") != 3 {
		t.Errorf("members: %v", l)
	}
	// With the organisation goes everything of it.
	keys = map[string]*site{"plain": c.key("max", nil)}
	can("before the end", full)
	gone := c.keyed["ada"].must(200, "DELETE", c.at(""), nil)
	if num(gone, "documents") != 1 || text(gone, "receipt_id") == "" {
		t.Errorf("deleted: %v", gone)
	}
	can("without the organisation", nil)
	c.who["ada"].must(404, "GET", c.at(""), nil)
	if got := c.who["ada"].must(200, "GET", "/v1/receipts/"+text(gone, "receipt_id"), nil); text(got, "action") != "organisation.delete" || text(got, "resource") != c.org {
		t.Errorf("receipt: %v", got)
	}
	c.must(200, "DELETE", "/v1/users/"+c.ids["ada"], nil) // she owns nothing any more
}

func second(_ int, o obj) obj { return o }

// engineOn opens a second node on the same store, and returns its address.
func engineOn(t *testing.T, c *company) (string, *engine.Engine, error) {
	t.Helper()
	cfg := c.e.Config()
	e, err := engine.Open(t.Context(), cfg, engine.Options{Now: c.clock.Now})
	if err != nil {
		return "", nil, err
	}
	t.Cleanup(func() { _ = e.Close() })
	srv := httptest.NewServer(api.New(e, api.Options{Version: "test"}))
	t.Cleanup(srv.Close)
	return srv.URL, e, nil
}

// listen opens a stream of events, and returns its lines, closed when it ends.
func (s *site) listen() <-chan string {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/events", nil)
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("events: status %d", resp.StatusCode)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for sc := bufio.NewScanner(resp.Body); sc.Scan(); {
			if sc.Text() != "" && !strings.HasPrefix(sc.Text(), ":") {
				lines <- sc.Text()
			}
		}
	}()
	return lines
}

// A stream of events ends within a second of its key, whatever ends that, and on every node; others go on.
func TestStreamEndsWithItsKey(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	two, _, err := engineOn(t, c)
	if err != nil {
		t.Fatal(err)
	}
	joe := text(c.who["joe"].must(200, "GET", "/v1/whoami", nil), "key", "id")
	short := c.who["max"].must(201, "POST", "/v1/keys", obj{"name": "short", "expires_at": c.clock.Now().Add(time.Hour)})
	for name, x := range map[string]struct {
		s   *site
		end func()
	}{
		"revoked":           {c.who["joe"], func() { c.must(200, "DELETE", "/v1/keys/"+joe, nil) }},
		"expired":           {c.as(text(short, "key")), func() { c.clock.Advance(61 * time.Minute) }},
		"no member":         {c.keyed["bob"], func() { c.who["ada"].must(200, "DELETE", c.member("bob"), nil) }},
		"user in the trash": {c.keyed["eve"], func() { c.must(200, "DELETE", "/v1/users/"+c.ids["eve"]+"?soft=true", nil) }},
	} {
		var streams []<-chan string
		stays := c.keyed["max"].listen()
		for _, url := range []string{c.url, two} {
			s := x.s.as(x.s.key)
			s.url = url
			streams = append(streams, s.listen())
		}
		x.end()
		second, cancel := context.WithTimeout(t.Context(), time.Second)
		for i, lines := range streams {
			for open := true; open; {
				select {
				case _, open = <-lines:
				case <-second.Done():
					t.Errorf("%s: the stream on node %d is open after a second", name, i+1)
					open = false
				}
			}
		}
		cancel()
		if t.Failed() {
			return
		}
		x.s.must(401, "GET", "/v1/events", nil)
		c.keyed["max"].must(201, "POST", "/v1/memories", obj{"content": "said after " + name})
		select {
		case _, open := <-stays:
			if !open {
				t.Errorf("%s: another key's stream ended too", name)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s: another key's stream is silent", name)
		}
	}
}

// Whoever is told of a container is not told what it hangs on, unless they see that too.
func TestParentIsHidden(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.fill()
	top := text(v.must(200, "GET", "/v1/nodes/vault", nil), "id")
	if got := v.must(200, "GET", "/v1/nodes/vault.plans", nil); text(got, "parent_id") != top {
		t.Fatalf("the owner sees %v", got)
	}
	g := text(v.must(201, "POST", "/v1/grants", obj{"subject_id": "team.agent", "container": "vault.plans"}), "id")
	v.must(200, "PATCH", "/v1/nodes/vault.plans", obj{"description": "of a vault"})
	bound := v.as(text(v.must(201, "POST", "/v1/keys", obj{"name": "bound", "container": "vault.plans"}), "key"))
	for name, s := range map[string]*site{"persona": v.persona, "bound": bound} {
		for _, path := range []string{"/v1/nodes/vault.plans", "/v1/nodes", "/v1/tree", "/v1/graph", "/v1/containers", "/v1/records/" + v.ids["node"] + "/history", "/v1/nodes/vault.plans/shell"} {
			if got := s.raw("GET", path, ""); strings.Contains(got, top) {
				t.Errorf("%s: GET %s tells of the container above: %s", name, path, got)
			}
		}
	}
	v.must(201, "POST", "/v1/grants", obj{"subject_id": "team.agent", "container": "vault"})
	if got := v.persona.must(200, "GET", "/v1/nodes/vault.plans", nil); text(got, "parent_id") != top {
		t.Errorf("both are granted, and it is hidden: %v", got)
	}
	v.must(200, "DELETE", "/v1/grants/"+g, nil)
}

// A key that is bound to a part of the tree reads the receipts of what was deleted there, and of nothing else.
func TestReceiptsOfBoundKeys(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.fill()
	gone := func(in string) string {
		m := v.must(201, "POST", "/v1/memories", obj{"container": in, "content": "Gone from " + in})
		return text(v.must(200, "DELETE", "/v1/memories/"+text(m, "id"), nil), "receipt_id")
	}
	bound := v.as(text(v.must(201, "POST", "/v1/keys", obj{"name": "bound", "container": "team"}), "key"))
	for in, who := range map[string]map[string]int{
		"team.agent":  {"persona": 200, "third": 404, "bound": 200},
		"shared":      {"persona": 200, "third": 200, "bound": 404},
		"vault.plans": {"persona": 404, "third": 404, "bound": 404},
	} {
		id := gone(in)
		for name, s := range map[string]*site{"persona": v.persona, "third": v.third, "bound": bound} {
			s.must(who[name], "GET", "/v1/receipts/"+id, nil)
			s.must(403, "GET", "/v1/receipts", nil)
		}
		v.must(200, "GET", "/v1/receipts/"+id, nil)
	}
	// A container that was deleted stood in the one above it.
	v.must(201, "POST", "/v1/nodes", obj{"container": "team.agent.drafts"})
	r := text(v.persona.must(200, "DELETE", "/v1/nodes/team.agent.drafts?wait=scrubbed", nil), "receipt_id")
	v.persona.must(200, "GET", "/v1/receipts/"+r, nil)
	v.third.must(404, "GET", "/v1/receipts/"+r, nil)
	// A key that deletes all that it sees is answered all the same.
	v.persona.must(200, "DELETE", "/v1/nodes/team.agent?wait=scrubbed", nil)
	// Whether others say the same is told to admins alone: it is asked of all users' records.
	const phrase = "the quixotropic lantern of Nightingale is sold in Porto"
	v.must(201, "POST", "/v1/memories", obj{"content": phrase})
	other, _ := v.person("mallory", nil)
	m := other.must(201, "POST", "/v1/memories", obj{"content": phrase})
	got := other.must(200, "DELETE", "/v1/memories/"+text(m, "id")+"?wait=scrubbed", nil)
	if scrub, _ := got["scrub"].(obj); scrub["shared"] != nil || scrub["state"] == "pending" {
		t.Errorf("another user is told %v", got)
	}
}

// Who is who: by REST and /v3.
func TestWhoAmIOfMember(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	who := c.keyed["eve"].must(200, "GET", "/v1/whoami", nil)
	if text(who, "user", "id") != c.ids["eve"] || text(who, "organisation", "id") != c.org || text(who, "organisation", "name") != "Acme" || text(who, "organisation", "role") != "viewer" ||
		who["read_only"] != true || text(who, "key", "organisation_id") != c.org {
		t.Errorf("who: %v", who)
	}
	if who := c.who["eve"].must(200, "GET", "/v1/whoami", nil); who["organisation"] != nil || who["read_only"] != false {
		t.Errorf("who, to the own records: %v", who)
	}
	if who := c.keyed["max"].must(200, "GET", "/v3/whoami", nil); text(who, "organization", "name") != "Acme" || text(who, "organization", "role") != "admin" || text(who, "user", "name") != "max" {
		t.Errorf("who, by /v3: %v", who)
	}
}
