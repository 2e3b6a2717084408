package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

type statusCmd struct {
	Wait time.Duration `help:"Wait this long for a server to answer." placeholder:"10s"`
}

// status is what the command prints.
type status struct {
	Server string        `json:"server,omitempty"`
	Data   string        `json:"data,omitempty"`
	Health client.Health `json:"health"`
	Stats  lukasa.Stats  `json:"stats"`
}

const lookAgain = 50 * time.Millisecond

// Run prints how the house is. One that is down is an error.
func (c *statusCmd) Run(a *app) error {
	if err := c.await(a); err != nil {
		return err
	}
	return a.with(toRead, func(b backend) error {
		var s status
		var err error
		if s.Server = b.server(); a.g.Server == "" {
			s.Data, _ = filepath.Abs(a.loaded.Config.Data)
		}
		if s.Health, err = b.Health(a.ctx); err != nil {
			return err
		}
		if s.Stats, err = b.Stats(a.ctx); err != nil {
			return err
		}
		if s.Health.Version == "" {
			s.Health.Version = a.p.Version
		}
		if a.g.JSON {
			err = a.printJSON(s)
		} else {
			a.tell(s)
		}
		if err == nil && s.Health.Status == "down" {
			return lukasa.Errorf(lukasa.CodeUnavailable, "the store cannot be read")
		}
		return err
	})
}

// await waits until a server answers, if that is asked for.
func (c *statusCmd) await(a *app) error {
	if c.Wait <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(a.ctx, c.Wait)
	defer cancel()
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		b, err := a.findServer()
		if err != nil {
			return err
		}
		if b != nil {
			if _, err := b.Health(ctx); err == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			if a.ctx.Err() != nil {
				return a.ctx.Err()
			}
			return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "no server answered within " + c.Wait.String(), Hint: "`lukasa serve` starts one"}
		case <-tick.C:
		}
	}
}

func (a *app) tell(s status) {
	where := "no server is running; the data directory was opened directly"
	if s.Server != "" {
		where = s.Server
	}
	a.field("server", where)
	a.field("data", s.Data)
	a.field("version", s.Health.Version)
	a.field("health", s.Health.Status)
	for _, name := range slices.Sorted(maps.Keys(s.Health.Checks)) {
		check := s.Health.Checks[name]
		a.field("  "+name, fmt.Sprintf("%s  %s", check.Status, check.Detail))
	}
	st := s.Stats
	a.field("documents", fmt.Sprintf("%d, %d of them this week, %s", st.Documents, st.ThisWeek, bytesOf(st.Bytes)))
	a.field("chunks", fmt.Sprintf("%d, %.0f %% with a vector", st.Chunks, 100*st.Coverage))
	a.field("memories", fmt.Sprint(st.Memories))
	a.field("messages", fmt.Sprintf("%d in %s", st.Messages, counted(st.Conversations, "conversation")))
	a.field("containers", fmt.Sprint(st.Nodes))
}
