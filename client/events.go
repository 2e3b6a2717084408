package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// ErrGap says that a stream of events had broken off and is back. The server keeps no events for who is not there, so what happened
// in between is not told: now is the time to read anew what the events are followed for.
var ErrGap = errors.New("the stream of events had broken off; what happened until now is not told")

const (
	silence  = 45 * time.Second // the server says something every 15 s
	maxEvent = 1 << 20          // bytes of a line
)

// Events yields news of what the key may see, from now on, as it happens: ids and small facts, never content.
//
//	for ev, err := range c.Events(ctx) {
//		switch {
//		case errors.Is(err, client.ErrGap): // read anew what is followed, and go on
//		case err != nil:
//			return err
//		}
//	}
//
// A stream that breaks off is taken up again, for as long as ctx lasts; then [ErrGap] is yielded once, and the loop may go on. Any
// other error is the last thing that is yielded: the end of ctx, a key that has ended, or a server that was not there to begin with.
func (c *Client) Events(ctx context.Context) iter.Seq2[lukasa.Event, error] {
	return func(yield func(lukasa.Event, error) bool) {
		for lost := 0; ; lost++ {
			heard, err := c.follow(ctx, lost > 0, yield)
			switch {
			case errors.Is(err, errEnough):
				return
			case ctx.Err() != nil:
				yield(lukasa.Event{}, fmt.Errorf("follow events: %w", context.Cause(ctx)))
				return
			case err != nil && (lost == 0 || !passing(err)):
				yield(lukasa.Event{}, err)
				return
			case heard:
				lost = 0
			}
			sleep(ctx, min(firstWait<<min(lost, 10), c.opt.MaxWait))
		}
	}
}

// errEnough says that who listens has heard enough.
var errEnough = errors.New("enough")

// passing reports whether what kept a stream from being taken up again may pass by itself.
func passing(err error) bool {
	switch lukasa.CodeOf(err) {
	case lukasa.CodeUnavailable, lukasa.CodeLimited, lukasa.CodeTimeout, lukasa.CodeExternal, lukasa.CodeStorage, lukasa.CodeInternal:
		return true
	}
	return false
}

// follow reads one stream to its end. An error is why there was none; heard says that there was.
func (c *Client) follow(ctx context.Context, again bool, yield func(lukasa.Event, error) bool) (heard bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	res, err := c.answer(ctx, call{method: http.MethodGet, path: "/v1/events"})
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	if again && !yield(lukasa.Event{}, ErrGap) {
		return true, errEnough
	}
	dead := time.AfterFunc(silence, cancel)
	defer dead.Stop()
	for ev := range events(res.Body, func() { dead.Reset(silence) }) {
		if !yield(ev, nil) {
			return true, errEnough
		}
	}
	return true, nil
}

// events reads server-sent events until there are no more. tick hears of every line; what is no event of ours is passed over.
func events(body io.Reader, tick func()) iter.Seq[lukasa.Event] {
	return func(yield func(lukasa.Event) bool) {
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, maxEvent)
		var data []string
		for lines.Scan() {
			tick()
			line := lines.Text()
			if value, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(value, " "))
			}
			if line != "" || len(data) == 0 {
				continue
			}
			var ev lukasa.Event
			err := json.Unmarshal([]byte(strings.Join(data, "\n")), &ev)
			data = nil
			if err == nil && ev.Type != "" && !yield(ev) {
				return
			}
		}
	}
}
