package cluster

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// outage is a stretch of time in which something was away, or had just been.
type outage struct {
	what     string // node, database, s3, and redis, replica and leave, which excuse nothing
	from, to time.Time
}

// grace is how long after an outage its consequences may be felt: connections are made anew, a file store that failed too often is
// left alone for a while, and the machine is busy.
func (o outage) grace() time.Duration {
	if o.what == string(s3) {
		return 13 * time.Second
	}
	return 3 * time.Second
}

// excuses says whether the outage explains a failure: only a killed node leaves requests without an answer, only a missing database
// makes the product refuse, and without a file store it refuses to take and to give what belongs there.
func (o outage) excuses(f failure) bool {
	if f.to.Before(o.from) || f.from.After(o.to.Add(o.grace())) {
		return false
	}
	switch o.what {
	case "node":
		return f.kind == "no answer"
	case "database":
		return f.kind != "no answer"
	case string(s3):
		return f.kind != "no answer" && strings.HasSuffix(f.name, " long note")
	}
	return false
}

// chaos takes parts away and brings them back, by a schedule that a seed decides.
type chaos struct {
	s       *servers
	nodes   []*node
	dice    *rand.Rand
	book    *book
	say     func(format string, args ...any)
	long    time.Duration // how long a part may be away
	outages []outage
}

// event is one thing that can happen.
type event struct {
	name string
	do   func(ctx context.Context) error
}

func (c *chaos) events() []event {
	list := []event{
		{"kill a node", func(ctx context.Context) error { return c.kill(ctx, c.node()) }},
		{"restart the primary, fast", func(context.Context) error { return c.restart("fast") }},
		{"let the replica stand still", c.standStill},
		{"stop Redis", func(ctx context.Context) error { return c.away(ctx, redis) }},
		{"restart the primary, immediate", func(context.Context) error { return c.restart("immediate") }},
		{"end a node in order", c.endNode},
		{"stop the replica", func(ctx context.Context) error { return c.away(ctx, replica) }},
		{"stop the primary for a while", func(ctx context.Context) error { return c.away(ctx, postgres) }},
		{"kill two nodes", func(ctx context.Context) error {
			first := c.dice.IntN(len(c.nodes))
			if err := c.kill(ctx, c.nodes[first]); err != nil {
				return err
			}
			return c.kill(ctx, c.nodes[(first+1)%len(c.nodes)])
		}},
	}
	if c.s.s3 != "" {
		list = append(list, event{"stop S3", func(ctx context.Context) error { return c.away(ctx, s3) }})
	}
	return list
}

// run lets each kind of event happen once in an order of chance, and again, until ctx ends.
func (c *chaos) run(ctx context.Context, least int) error {
	for n := 0; n < least || ctx.Err() == nil; {
		list := c.events()
		c.dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, e := range list {
			if n >= least && ctx.Err() != nil { // the time is up
				return nil //nolint:nilerr // which is no failure
			}
			c.say("%s", e.name)
			if err := e.do(context.WithoutCancel(ctx)); err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
			n++
			pause(time.Second + c.some(2*time.Second))
		}
	}
	return nil
}

func (c *chaos) some(d time.Duration) time.Duration { return time.Duration(c.dice.Int64N(int64(d))) }

// during notes an outage.
func (c *chaos) during(what string, fn func() error) error {
	o := outage{what: what, from: time.Now()}
	err := fn()
	o.to = time.Now()
	c.outages = append(c.outages, o)
	c.say("  %s: over after %v", what, o.to.Sub(o.from).Round(time.Millisecond))
	return err
}

func (c *chaos) node() *node { return c.nodes[c.dice.IntN(len(c.nodes))] }

func (c *chaos) kill(ctx context.Context, n *node) error {
	return c.during("node", func() error {
		c.say("  kill -9 %s (%s)", n.name, n.role)
		n.kill()
		pause(c.some(time.Second))
		if err := n.start(); err != nil {
			return err
		}
		return n.await(ctx, time.Minute)
	})
}

func (c *chaos) endNode(ctx context.Context) error {
	n := c.node()
	return c.during("leave", func() error {
		c.say("  SIGTERM %s (%s)", n.name, n.role)
		if err := n.stop(); err != nil {
			return fmt.Errorf("%s did not end in order: %w", n.name, err)
		}
		if err := n.start(); err != nil {
			return err
		}
		return n.await(ctx, time.Minute)
	})
}

func (c *chaos) restart(mode string) error {
	return c.during("database", func() error {
		return c.s.control(postgres, "-m", mode, "-o", c.s.options(), "restart")
	})
}

// away stops a server for a while.
func (c *chaos) away(ctx context.Context, p part) error {
	what := string(p)
	if p == postgres {
		what = "database"
	}
	return c.during(what, func() error {
		var err error
		if p == postgres {
			err = c.s.control(p, "-m", "fast", "stop")
		} else {
			_, err = c.s.script(p, "stop", c.s.home(p))
		}
		if err != nil {
			return err
		}
		back := time.Now().Add(c.long/2 + c.some(c.long/2))
		c.named(ctx, p)
		pause(time.Until(back))
		if p == postgres {
			return c.s.control(p, "-o", c.s.options(), "start")
		}
		return c.s.launch(p)
	})
}

// named holds health to telling which part is away, soon, and readiness to saying no where nothing goes without it.
func (c *chaos) named(ctx context.Context, p part) {
	check, status := map[part]string{postgres: "store", redis: "cache", s3: "files"}[p], http.StatusOK
	if check == "" {
		return // nobody misses a replica
	}
	if p == postgres {
		status = http.StatusServiceUnavailable
	}
	n := c.node()
	for until := time.Now().Add(10 * time.Second); ; pause(100 * time.Millisecond) {
		from := time.Now()
		got, out, err := ask(ctx, "GET", "http://"+n.at+"/ready", adminKey, nil)
		checks, _ := out["checks"].(map[string]any)
		of, _ := checks[check].(map[string]any)
		named := of["status"] != "ok" && of["status"] != nil || p == postgres // which holds the keys, so that nobody is told more
		if err == nil && got == status && named {
			c.say("  %s says after %v that %s is %v", n.name, time.Since(from).Round(time.Millisecond), check, of["status"])
			return
		}
		if time.Now().After(until) {
			c.book.accuse("%s is away, and %s says %d %v %v", p, n.name, got, out, err)
			return
		}
	}
}

// standStill stops what the replica replays, so that reads there would miss what was written since.
func (c *chaos) standStill(context.Context) error {
	return c.during("replica", func() error {
		if _, err := c.s.query(replica, "SELECT pg_wal_replay_pause()"); err != nil {
			return err
		}
		pause(c.long/2 + c.some(c.long/2))
		var err error
		for range 10 { // what waits to be replayed may cancel the statement itself
			if _, err = c.s.query(replica, "SELECT pg_wal_replay_resume()"); err == nil {
				break
			}
		}
		return err
	})
}

// tell sums up what happened.
func tell(b *book, outages []outage, say func(format string, args ...any)) {
	kinds := map[string]int{}
	unexcused := 0
	for _, f := range b.failures {
		causes := map[string]bool{}
		for _, o := range outages {
			if o.excuses(f) {
				causes[o.what] = true
			}
		}
		cause := strings.Join(sorted(causes), "+")
		if cause == "" {
			unexcused++
			b.wrong = append(b.wrong, fmt.Sprintf("%s to %s, while nothing was away: %s, %s", f.from.UTC().Format("15:04:05.000"), f.to.UTC().Format("15:04:05.000"), f.kind, f.name+": "+f.detail))
		}
		kinds[f.kind+" during "+cause]++
	}
	total := 0
	for _, name := range sorted(b.done) {
		total += b.done[name]
		say("%7d %s, the slowest took %v", b.done[name], name, b.slowest[name].Round(time.Millisecond))
	}
	say("%7d operations in all", total)
	for _, kind := range sorted(kinds) {
		say("%7d × %s", kinds[kind], kind)
	}
	say("%7d failures without an outage, %d wrong answers in all", unexcused, len(b.wrong))
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
