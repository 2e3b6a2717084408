// Package cluster holds several nodes on one store to their promises while nodes are killed, databases restart and everything that
// they share is away for a while: what was acknowledged is read and found by any node at once, nothing is there twice, and no
// answer is wrong.
package cluster

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	long  = flag.Duration("cluster.long", 0, "how long the outages go on; 0 means one of each, and seconds each")
	runs  = flag.Int("cluster.runs", 1, "how often")
	seed  = flag.Uint64("cluster.seed", 0, "of the schedule; 0 means one of chance")
	ready = flag.String("cluster.program", "", "the program to run; otherwise it is built")
	fsync = flag.Bool("cluster.fsync", false, "let the primary wait for the disk")
)

// TestCluster is T-22: api nodes, a worker apart, and a replica, under load and a schedule of outages.
func TestCluster(t *testing.T) { //nolint:paralleltest // it takes the machine
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if why := lacks(root); why != "" {
		t.Skip(why)
	}
	bin := *ready
	if bin == "" {
		bin = build(t, root)
	}
	for run := range *runs {
		s := *seed + uint64(run)
		if *seed == 0 {
			s = rand.Uint64()
		}
		t.Run(fmt.Sprintf("seed=%d", s), func(t *testing.T) { survive(t, root, bin, s) })
	}
}

// survive is one run.
func survive(t *testing.T, root, bin string, seed uint64) {
	dice := rand.New(rand.NewPCG(seed, 1))
	s := startServers(t, root, *fsync)
	if s.s3 == "" {
		t.Log("there is no S3 server here (bin/tools/versitygw-*): files lie in a directory that the nodes share, as on a network disk")
	}
	nodes := installation(t, s, bin, dice)
	var doors []*node
	for _, n := range nodes {
		if n.role != "worker" {
			doors = append(doors, n)
		}
	}
	b := newBalancer(t, doors)
	book := newBook()
	people := persons(t, b.url(), book, dice)
	began := time.Now()
	say := func(format string, args ...any) {
		t.Logf("%s +%5.1fs  %s", time.Now().UTC().Format("15:04:05.000"), time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}
	say("seed %d, fsync %v, S3 %v, nodes: %s", seed, s.fsync, s.s3 != "", describe(nodes))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var load sync.WaitGroup
	for _, p := range people {
		load.Go(func() { p.live(ctx, 120*time.Millisecond) })
	}
	c := &chaos{s: s, book: book, nodes: nodes, dice: dice, say: say, long: 3 * time.Second}
	if *long > 0 {
		c.long = time.Minute
	}
	until, stop := context.WithTimeout(ctx, max(*long, time.Nanosecond))
	defer stop()
	if err := c.run(until, len(c.events())); err != nil {
		t.Error(err)
	}
	pause(2 * time.Second)
	cancel()
	load.Wait()
	say("the load is over")

	settle(t, doors, book)
	homes := make([]string, len(doors))
	for i, n := range doors {
		homes[i] = "http://" + n.at
	}
	var accounts sync.WaitGroup
	for _, p := range people {
		accounts.Go(func() {
			if err := p.account(t.Context(), homes); err != nil {
				book.accuse("%s: %v", p.name, err)
			}
		})
	}
	accounts.Wait()
	tell(book, c.outages, say)
	for _, w := range book.wrong {
		t.Errorf("WRONG: %s", w)
	}
	if book.done["save note"] < 30 || book.done["say"] < 30 || book.done["search"] < 100 {
		t.Errorf("the load was too small to tell anything: %v", book.done)
	}
	for _, n := range nodes {
		if err := n.stop(); err != nil {
			t.Errorf("%s did not end in order: %v", n.name, err)
		}
	}
}

// installation starts three nodes: two that answer and one that works, or three that do both.
func installation(t *testing.T, s *servers, bin string, dice *rand.Rand) []*node {
	t.Helper()
	roles := []string{"api", "api", "worker"}
	if dice.IntN(3) == 0 {
		roles = []string{"all", "all", "all"}
	}
	var nodes []*node
	for i, role := range roles {
		n := newNode(t, s, bin, fmt.Sprintf("node%d", i+1), role)
		if s.s3 == "" {
			n.shareFiles(t, filepath.Join(s.dir, "files"))
		}
		if err := n.start(); err != nil { // all at once: of several first starts, one makes the schema
			t.Fatal(err)
		}
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		if err := n.await(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range nodes {
		if greeting := n.greeting(); !strings.Contains(greeting, "rows     PostgreSQL at 127.0.0.1:") || strings.Contains(greeting, "lukasa@") {
			t.Errorf("%s says %s", n.name, greeting)
		}
		want := http.StatusOK
		if n.role == "worker" {
			want = http.StatusNotFound
		}
		_, hello, err := ask(t.Context(), "GET", "http://"+n.at+"/", "", nil)
		status, _, serr := ask(t.Context(), "POST", "http://"+n.at+"/v1/search", adminKey, map[string]any{"query": "anything"})
		if err != nil || serr != nil || hello["role"] != n.role || status != want {
			t.Errorf("%s (%s) greets with %v and answers a search with %d, not %d (%v, %v)", n.name, n.role, hello, status, want, err, serr)
		}
	}
	return nodes
}

func describe(nodes []*node) string {
	var list []string
	for _, n := range nodes {
		list = append(list, n.name+" "+n.role)
	}
	return strings.Join(list, ", ")
}

// persons makes two users, and three who write and ask for each.
func persons(t *testing.T, home string, book *book, dice *rand.Rand) []*person {
	t.Helper()
	var list []*person
	for u := range 2 {
		must := func(path string, body map[string]any) map[string]any {
			status, out, err := ask(t.Context(), "POST", home+path, adminKey, body)
			if err != nil || status != http.StatusCreated {
				t.Fatalf("%s: %d %v %v", path, status, out, err)
			}
			return out
		}
		user := must("/v1/users", map[string]any{"name": fmt.Sprintf("user %d", u)})
		key := must("/v1/keys", map[string]any{"name": "load", "user_id": user["id"]})
		for i := range 3 {
			list = append(list, &person{
				name: fmt.Sprintf("u%dp%d", u, i), key: key["key"].(string), home: home, book: book, talks: map[string][]line{},
				dice: rand.New(rand.NewPCG(dice.Uint64(), 2)),
			})
		}
	}
	return list
}

// settle waits until the work in the background is done, and holds it to having failed nowhere.
func settle(t *testing.T, doors []*node, book *book) {
	t.Helper()
	until := time.Now().Add(2 * time.Minute)
	for {
		_, health, err := ask(t.Context(), "GET", "http://"+doors[0].at+"/health", adminKey, nil)
		checks, _ := health["checks"].(map[string]any)
		jobs, _ := checks["jobs"].(map[string]any)
		detail, _ := jobs["detail"].(string)
		if err == nil && strings.HasPrefix(detail, "0 waiting, 0 running, ") {
			if detail != "0 waiting, 0 running, 0 dead" {
				book.accuse("jobs: %s", detail)
			}
			break
		}
		if time.Now().After(until) {
			book.accuse("the work in the background does not end: %v %v", health, err)
			break
		}
		pause(200 * time.Millisecond)
	}
	status, found, err := ask(t.Context(), "POST", "http://"+doors[0].at+"/v1/doctor", adminKey, map[string]any{})
	for until := time.Now().Add(outage{what: string(s3)}.grace()); status == http.StatusServiceUnavailable && time.Now().Before(until); pause(time.Second) {
		status, found, err = ask(t.Context(), "POST", "http://"+doors[0].at+"/v1/doctor", adminKey, map[string]any{}) // it looks at sealed files
	}
	if items, _ := found["items"].([]any); err != nil || status != http.StatusOK || len(items) > 0 {
		book.accuse("doctor: %d %v %v", status, found, err)
	}
}
