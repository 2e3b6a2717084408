package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxLine is the longest line of a stream. One delta is a few words; a whole answer in one line must fit too.
const maxLine = 4 << 20

// Event is one server-sent event: its name ("" when the server gave none, which stands for "message") and its data.
type Event struct {
	Name string
	Data []byte // the data lines, joined by line feeds; valid until the callback returns
}

// ErrDone is returned by a callback that has seen the end of a stream: it ends the reading, and is no error.
var ErrDone = errors.New("end of the stream")

// Events sends in as JSON to path and hands on each event of the answer as it arrives. It ends with the answer, with [ErrDone],
// or with the first error: that of yield is returned as it is.
func (e *Endpoint) Events(ctx context.Context, path string, in any, yield func(Event) error) error {
	return stream(ctx, e, path, "text/event-stream", in, ReadEvents, yield)
}

// Lines is [Endpoint.Events] for an answer of one JSON value a line. The line is valid until yield returns.
func (e *Endpoint) Lines(ctx context.Context, path string, in any, yield func([]byte) error) error {
	return stream(ctx, e, path, "application/x-ndjson", in, ReadLines, yield)
}

const (
	drainTime  = 100 * time.Millisecond
	drainBytes = 4 << 10
)

// Causes for which a stream is given up.
var (
	errIdle  = errors.New("nothing came")
	errTotal = errors.New("the whole took too long")
	errLarge = errors.New("too large")
)

func stream[T any](parent context.Context, e *Endpoint, path, accept string, in any,
	read func(io.Reader, func(T) error) error, yield func(T) error,
) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	what := http.MethodPost + " " + path
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	total := time.AfterFunc(e.total, func() { cancel(errTotal) })
	defer total.Stop()
	idle := time.AfterFunc(e.timeout, func() { cancel(errIdle) })
	defer idle.Stop()
	res, err := e.send(ctx, http.MethodPost, path, accept, body)
	if err != nil {
		return e.streamError(parent, ctx, what+": no answer", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return e.statusError(res, what, time.Now())
	}
	var stopped error
	err = read(&patient{r: res.Body, idle: idle, wait: e.timeout, left: e.limit}, func(v T) error {
		stopped = yield(v)
		return stopped
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(stopped, ErrDone):
		idle.Reset(drainTime) // what is left should be here already; read, it lets the connection be used again
		_, _ = io.CopyN(io.Discard, res.Body, drainBytes)
		return nil
	case stopped != nil:
		return stopped
	case errors.Is(err, errLarge):
		return e.tooLarge(what)
	case errors.Is(err, bufio.ErrTooLong):
		return &Error{Kind: Broken, Msg: fmt.Sprintf("%s: answer has a line longer than %d bytes", what, maxLine)}
	}
	return e.streamError(parent, ctx, what+": answer broke off", err)
}

func (e *Endpoint) streamError(parent, ctx context.Context, what string, err error) error {
	if parent.Err() == nil {
		switch {
		case errors.Is(context.Cause(ctx), errIdle):
			return &Error{Kind: Timeout, Msg: fmt.Sprintf("%s: %v within %v", what, errIdle, e.timeout)}
		case errors.Is(context.Cause(ctx), errTotal):
			return &Error{Kind: Timeout, Msg: fmt.Sprintf("%s: %v: %v", what, errTotal, e.total)}
		}
	}
	return e.transportError(parent, what, err)
}

// patient reads with the idle timer running only while it waits for bytes, and gives up after left bytes.
type patient struct {
	r    io.Reader
	idle *time.Timer
	wait time.Duration
	left int64
}

// Read implements [io.Reader].
func (p *patient) Read(b []byte) (int, error) {
	p.idle.Reset(p.wait)
	n, err := p.r.Read(b)
	p.idle.Stop()
	if p.left -= int64(n); p.left < 0 {
		return 0, errLarge
	}
	return n, err
}

// ReadEvents parses a stream of server-sent events as the HTML standard does (section "Interpreting an event stream"), but
// for the fields id and retry, which serve reconnecting: lines end in LF, CR or CRLF, a byte order mark at the start is
// skipped, lines that start with a colon are comments, an empty line ends an event, an event without data is none, and one
// that the end of the stream cuts off is dropped. It returns the first error of r or yield.
func ReadEvents(r io.Reader, yield func(Event) error) error {
	lines := newLines(r, true)
	var name string
	var data []byte
	var has, begun bool
	for lines.Scan() {
		line := lines.Bytes()
		if !begun {
			line, begun = bytes.TrimPrefix(line, []byte("\ufeff")), true
		}
		if len(line) == 0 {
			if has {
				if err := yield(Event{Name: name, Data: data}); err != nil {
					return err
				}
			}
			name, data, has = "", data[:0], false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if has {
				data = append(data, '\n')
			}
			data, has = append(data, value...), true
		}
	}
	return lines.Err()
}

// ReadLines hands on each line of r that is not blank, without its end. What follows the last line feed is a line too,
// unless reading failed there. It returns the first error of r or yield.
func ReadLines(r io.Reader, yield func([]byte) error) error {
	lines := newLines(r, false)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 && !lines.cut {
			if err := yield(line); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil || len(lines.tail) == 0 {
		return err
	}
	return yield(lines.tail)
}

// lineScanner is a scanner of lines that knows which line has no end.
type lineScanner struct {
	*bufio.Scanner
	cr   bool   // a carriage return ends a line too
	skip bool   // the last line ended in one: a line feed that follows belongs to it
	cut  bool   // the line at hand has no end
	tail []byte // that line, trimmed
}

func newLines(r io.Reader, cr bool) *lineScanner {
	l := &lineScanner{Scanner: bufio.NewScanner(r), cr: cr}
	l.Buffer(nil, maxLine)
	l.Split(l.split)
	return l
}

func (l *lineScanner) split(b []byte, atEOF bool) (int, []byte, error) {
	start := 0
	if l.skip && len(b) > 0 {
		if l.skip = false; b[0] == '\n' {
			start = 1
		}
	}
	rest := b[start:]
	end := bytes.IndexByte(rest, '\n')
	if l.cr {
		end = bytes.IndexAny(rest, "\r\n")
	}
	if end >= 0 {
		l.skip = rest[end] == '\r'
		return start + end + 1, rest[:end], nil
	}
	if !atEOF || len(rest) == 0 {
		return start, nil, nil
	}
	l.cut, l.tail = true, bytes.TrimSpace(bytes.Clone(rest))
	return len(b), rest, nil
}
