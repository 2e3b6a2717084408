package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	cost   = flag.Duration("cluster.cost", 0, "how long the load of TestCost goes on at each number of nodes; 0 leaves it out")
	shared = flag.Bool("cluster.share", false, "let the nodes share the work of one, instead of giving each as much")
	spread = flag.Float64("cluster.spread", 0.15, "by how much processor time for an operation may differ between numbers of nodes")
)

// What the mix of T-21 asks of a node a second, as a share of the full one, and from how many users; how many connections all nodes have
// together; and in how many rounds the numbers of nodes take turns.
const (
	costShare   = 0.03
	costUsers   = 20
	costConns   = 18
	costLimit   = "30s"
	costWarming = "20s"
	costRounds  = 4
)

// TestCost is T-21: an operation costs the same processor time on one, two and three nodes, in the nodes and PostgreSQL together, with
// as much work for each node, of as many users, and as many connections in all. Turns are taken, as a machine is quicker at one time
// than at another, and nodes whose turn it is not stand still; it still needs a machine that does nothing else.
func TestCost(t *testing.T) { //nolint:paralleltest // it takes the machine
	if *cost == 0 {
		t.Skip("needs -cluster.cost: how long to measure at each number of nodes")
	}
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
	s := startServers(t, root, *fsync)
	teams := []*team{assemble(t, s, bin, 1), assemble(t, s, bin, 2), assemble(t, s, bin, 3)}
	for round := range costRounds {
		for i := range teams {
			teams[(round+i)%len(teams)].work(t, bin, (*cost / costRounds).String())
		}
	}
	first := teams[0].tell(t)
	for _, c := range teams[1:] {
		each := c.tell(t)
		if more := each/first - 1; more > *spread || more < -*spread {
			t.Errorf("an operation costs %.2f ms of processor time on one node and %.2f on %d: %+.0f %%", first, each, len(c.nodes), 100*more)
		}
	}
}

// team is some nodes on a schema of their own, which stand still unless they work.
type team struct {
	nodes []*node
	args  []string // of the load generator
	rows  []string // names of processes
	spent map[string][]float64
}

// assemble starts n nodes and lets their connections plan each statement once.
func assemble(t *testing.T, s *servers, bin string, n int) *team {
	t.Helper()
	work := n
	if *shared {
		work = 2
	}
	c := &team{spent: map[string][]float64{}, args: []string{
		"bench", "load", "--json", "--users", strconv.Itoa(costUsers * work), "--start", fmt.Sprint(costShare * float64(work)),
		"--factor", "1.001", "--steps", "1", "--limit", costLimit,
	}}
	files := filepath.Join(s.dir, fmt.Sprintf("cost%d-files", n))
	for i := range n {
		x := newNode(t, s, bin, fmt.Sprintf("cost%d-%d", n, i), "all", "LUKASA_STORE_REPLICA_URL=", fmt.Sprintf("LUKASA_STORE_SCHEMA=cost%d", n),
			fmt.Sprintf("LUKASA_CACHE_PREFIX=cost%d:", n), fmt.Sprintf("LUKASA_STORE_CONNECTIONS=%d", costConns/n))
		if s.s3 == "" {
			x.shareFiles(t, files)
		}
		if err := x.start(); err != nil {
			t.Fatal(err)
		}
		c.nodes = append(c.nodes, x)
	}
	var pids []string
	for i, x := range c.nodes {
		if err := x.await(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		c.args = append(c.args, "http://"+x.at) // all servers come before the next flag
		pids = append(pids, "--pid", fmt.Sprintf("node%d=%d", i+1, x.cmd.Process.Pid))
	}
	pid, err := os.ReadFile(filepath.Join(s.home(postgres), "data/postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(pid), "\n")
	c.args = append(append(c.args, pids...), "--pid", "postgres="+first)
	for range 2 {
		load(t, bin, append(slices.Clone(c.args), "--step", costWarming))
	}
	c.signal(t, syscall.SIGSTOP)
	return c
}

func (c *team) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	for _, x := range c.nodes {
		if err := x.cmd.Process.Signal(s); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}

// work is a turn of a team.
func (c *team) work(t *testing.T, bin, step string) {
	t.Helper()
	c.signal(t, syscall.SIGCONT)
	defer c.signal(t, syscall.SIGSTOP)
	sum := 0.0
	for _, u := range load(t, bin, append(slices.Clone(c.args), "--step", step)) {
		if u.Name != "this program" {
			sum += u.Each
		}
		if c.spent[u.Name] = append(c.spent[u.Name], u.Each); !slices.Contains(c.rows, u.Name) {
			c.rows = append(c.rows, u.Name)
		}
	}
	c.spent["all"] = append(c.spent["all"], sum)
}

// tell is the processor time of nodes and PostgreSQL for an operation, in milliseconds, by the median of the rounds.
func (c *team) tell(t *testing.T) float64 {
	t.Helper()
	line := ""
	for _, name := range c.rows {
		line += fmt.Sprintf("  %s %.2f", name, median(c.spent[name]))
	}
	all := median(c.spent["all"])
	t.Logf("%d nodes: %.2f ms of processor time an operation (%.2f):%s", len(c.nodes), all, c.spent["all"], line)
	return all
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return (list[len(list)/2] + list[(len(list)-1)/2]) / 2
}

// used is the processor time of a process for an operation.
type used struct {
	Name string  `json:"process"`
	Each float64 `json:"cpu_ms_per_operation"`
}

// load runs the load generator, which is to see no operation fail.
func load(t *testing.T, bin string, args []string) []used {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), *cost+5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Env = append(os.Environ(), "LUKASA_API_KEY="+adminKey)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bench load: %v: %s", err, &said)
	}
	var steps []struct {
		Timings []struct {
			Name   string         `json:"operation"`
			Done   int            `json:"done"`
			Failed int            `json:"failed"`
			Errors map[string]int `json:"errors"`
		} `json:"timings"`
		CPU []used `json:"cpu"`
	}
	if err := json.Unmarshal(out, &steps); err != nil || len(steps) != 1 || len(steps[0].Timings) == 0 {
		t.Fatalf("bench load: %v: %.300s", err, out)
	}
	if all := steps[0].Timings[len(steps[0].Timings)-1]; all.Failed > 0 || all.Done == 0 {
		t.Errorf("%d operations were done, %d failed: %v", all.Done, all.Failed, all.Errors)
	}
	return steps[0].CPU
}
