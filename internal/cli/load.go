package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/bench"
)

// LoadCmd measures running servers.
type LoadCmd struct {
	Servers  []string       `arg:"" name:"url" help:"Servers, which are asked in turn."`
	Key      string         `help:"An admin's key; better given by the variable, as other users of a machine can read command lines." env:"LUKASA_API_KEY" required:""`
	Requests float64        `help:"Listings and the like a second, in the full mix." default:"100"`
	Searches float64        `help:"Searches a second." default:"200"`
	Messages float64        `help:"Messages a second." default:"500"`
	Users    int            `help:"Users that they come from; they are made." default:"1000"`
	Start    float64        `help:"Share of the full mix that the first step asks for." default:"0.1"`
	Factor   float64        `help:"By how much each step is faster than the one before." default:"1.5"`
	Steps    int            `help:"Steps at most." default:"12"`
	Step     time.Duration  `help:"How long a step takes." default:"20s"`
	Limit    time.Duration  `help:"It ends when the 99th percentile is above this." default:"200ms"`
	Pid      map[string]int `help:"Processes on this machine whose processor time is told, with that of their children." placeholder:"NAME=PID"`
	Seed     uint64         `help:"Seed of what is asked and when." default:"1"`
}

// Help is the detail of the command's help.
func (LoadCmd) Help() string {
	return `Operations come due at random moments, whether or not earlier ones have been answered, and times count from when they were due. It writes users and messages and leaves them there: measure an installation that is thrown away, with LUKASA_RATE_LIMIT, LUKASA_USER_REQUESTS and LUKASA_USER_SESSIONS at 0.`
}

// loaded is one step of a measurement.
type loaded struct {
	Share   float64        `json:"share_of_mix"`
	Seconds float64        `json:"seconds"`
	Timings []bench.Timing `json:"timings"` // the last is that of all
	CPU     []used         `json:"cpu"`
}

// used is the processor time of a process, in seconds, and in milliseconds for each operation that was done.
type used struct {
	Name    string  `json:"process"`
	Seconds float64 `json:"cpu_seconds"`
	EachMS  float64 `json:"cpu_ms_per_operation"`
}

// caller sends the operations.
type caller struct {
	http    *http.Client
	servers []string
	turn    atomic.Uint64
	users   []string // keys
	said    atomic.Int64
}

// Run makes the users and raises the load step by step.
func (c *LoadCmd) Run(a *app) error {
	if c.Users < 1 || c.Start <= 0 || c.Factor <= 1 || c.Steps < 1 || c.Step < time.Second || c.Requests < 0 || c.Searches < 0 || c.Messages < 0 {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "--users, --start, --factor, --steps, --step", Msg: "are too small: there must be a user, the first step above 0, each faster than the one before, and a second long"}
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	l := &caller{servers: c.Servers, http: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		DialContext: dialer.DialContext, MaxIdleConnsPerHost: 512, IdleConnTimeout: time.Minute,
	}}}
	for i, s := range l.servers {
		l.servers[i] = strings.TrimRight(s, "/")
	}
	if err := c.makeUsers(a, l); err != nil {
		return err
	}
	var steps []loaded
	for n, share := 0, c.Start; n < c.Steps; n, share = n+1, share*c.Factor {
		step, err := c.step(a, l, n, share)
		if err != nil {
			return err
		}
		steps = append(steps, step)
		if !a.g.JSON {
			if err := c.show(a, step); err != nil {
				return err
			}
		}
		all := step.Timings[len(step.Timings)-1]
		if all.P99 > float64(c.Limit)/1e6 || all.Failed*100 > all.Done {
			break
		}
	}
	if a.g.JSON {
		return a.printJSON(steps)
	}
	return nil
}

func (c *LoadCmd) makeUsers(a *app, l *caller) error {
	show, done := a.bar()
	defer done()
	run := fmt.Sprintf("load-%d", time.Now().Unix())
	for i := range c.Users {
		user, err := l.make(a.ctx, c.Key, "/v1/users", map[string]any{"name": fmt.Sprintf("%s-%d", run, i)}, "id")
		if err != nil {
			return err
		}
		key, err := l.make(a.ctx, c.Key, "/v1/keys", map[string]any{"name": run, "user_id": user}, "key")
		if err != nil {
			return err
		}
		l.users = append(l.users, key)
		show("%d of %d users", i+1, c.Users)
	}
	return nil
}

// make posts something and returns one field of the answer.
func (l *caller) make(ctx context.Context, key, path string, body map[string]any, field string) (string, error) {
	var out map[string]any
	if err := l.send(ctx, "POST", path, key, body, &out); err != nil {
		return "", &lukasa.Error{Code: lukasa.CodeExternal, Msg: "users cannot be made: " + err.Error(), Hint: "LUKASA_API_KEY must be an admin's key of that server"}
	}
	s, _ := out[field].(string)
	return s, nil
}

// send makes one request of the next server. What is no success is an error of few different words.
func (l *caller) send(ctx context.Context, method, path, key string, body, out any) error {
	var r io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		r = bytes.NewReader(data)
	}
	at := l.servers[l.turn.Add(1)%uint64(len(l.servers))]
	req, err := http.NewRequestWithContext(ctx, method, at+path, r)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := l.http.Do(req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("no answer in time")
	case err != nil:
		return errors.New("no answer")
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return errors.New(resp.Status)
	}
	if out != nil {
		return json.NewDecoder(resp.Body).Decode(out)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// ops are the mix at a share of its full rate.
func (c *LoadCmd) ops(l *caller, share float64) []bench.Op {
	reads := []string{"/v1/whoami", "/v1/documents?limit=20", "/v1/memories?limit=20", "/v1/conversations?limit=20", "/v1/nodes"}
	user := func(dice *rand.Rand) string { return l.users[dice.IntN(len(l.users))] }
	return []bench.Op{
		{Name: "request", Rate: c.Requests * share, Do: func(ctx context.Context, dice *rand.Rand) error {
			return l.send(ctx, "GET", reads[dice.IntN(len(reads))], user(dice), nil, nil)
		}},
		{Name: "search", Rate: c.Searches * share, Do: func(ctx context.Context, dice *rand.Rand) error {
			return l.send(ctx, "POST", "/v1/search", user(dice), map[string]any{"query": bench.NewNotes(dice.Uint64()).Query()}, nil)
		}},
		{Name: "message", Rate: c.Messages * share, Do: func(ctx context.Context, dice *rand.Rand) error {
			m := map[string]any{"id": fmt.Sprintf("m%d-%d", time.Now().UnixNano(), l.said.Add(1)), "role": "user", "content": bench.NewNotes(dice.Uint64()).Note()}
			return l.send(ctx, "POST", "/v1/messages", user(dice), map[string]any{"conversation": "load", "messages": []any{m}}, nil)
		}},
	}
}

// step runs the mix for a while.
func (c *LoadCmd) step(a *app, l *caller, n int, share float64) (loaded, error) {
	ctx, cancel := context.WithTimeout(a.ctx, c.Step+30*time.Second)
	defer cancel()
	names, before, err := c.cpu()
	if err != nil {
		return loaded{}, err
	}
	began := time.Now()
	s := loaded{Share: share, Timings: bench.OpenLoop(ctx, c.ops(l, share), c.Step, c.Seed+uint64(n))}
	if a.ctx.Err() != nil {
		return s, a.ctx.Err()
	}
	s.Seconds = time.Since(began).Seconds()
	_, after, err := c.cpu()
	if err != nil {
		return s, err
	}
	for i, name := range names {
		u := used{Name: name, Seconds: (after[i] - before[i]).Seconds()}
		if all := s.Timings[len(s.Timings)-1]; all.Done > 0 {
			u.EachMS = u.Seconds * 1000 / float64(all.Done)
		}
		s.CPU = append(s.CPU, u)
	}
	return s, nil
}

// cpu reads the processor time of this process and those that were named. Where the system does not tell, there is none to read.
func (c *LoadCmd) cpu() (names []string, times []time.Duration, err error) {
	if runtime.GOOS != "linux" && len(c.Pid) == 0 {
		return nil, nil, nil
	}
	names = []string{"this program"}
	pids := []int{os.Getpid()}
	for name := range c.Pid {
		names = append(names, name)
	}
	slices.Sort(names[1:])
	for _, name := range names[1:] {
		pids = append(pids, c.Pid[name])
	}
	for i, pid := range pids {
		t, err := bench.CPU(pid)
		if err != nil {
			return nil, nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "--pid " + names[i], Msg: err.Error()}
		}
		times = append(times, t)
	}
	return names, times, nil
}

func (c *LoadCmd) show(a *app, s loaded) error {
	all := s.Timings[len(s.Timings)-1]
	a.say("")
	a.say("%.0f operations a second asked for, %.0f done", all.Asked, float64(all.Done)/s.Seconds)
	var rows [][]string
	for _, t := range s.Timings {
		ms := func(v float64) string { return fmt.Sprintf("%.1f", v) }
		rows = append(rows, []string{t.Name, ms(t.Asked), fmt.Sprint(t.Done), fmt.Sprint(t.Failed), ms(t.P50), ms(t.P90), ms(t.P99), ms(t.Max)})
	}
	if err := a.table([]string{"OPERATION", "A SECOND", "DONE", "FAILED", "P50 MS", "P90 MS", "P99 MS", "MAX MS"}, rows); err != nil {
		return err
	}
	for why, n := range all.Errors {
		a.say("  failed: %s, %d times", plain(why), n)
	}
	for _, u := range s.CPU {
		a.say("  %-14s %6.2f s of processor time, %.2f ms an operation", u.Name, u.Seconds, u.EachMS)
	}
	return nil
}
