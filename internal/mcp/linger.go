package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// lingerTime is how long the end of input waits for answers that are still to come.
const lingerTime = 30 * time.Second

// linger keeps the end of the input back until every request that came has its answer, so that a session that is piped in
// from a file is answered too.
type linger struct {
	in  io.ReadCloser
	out io.WriteCloser

	mu   sync.Mutex
	open int           // requests without an answer
	idle chan struct{} // closed while there are none
	tail []byte        // of an unfinished line of input
	wait time.Duration
}

func newLinger(in io.ReadCloser, out io.WriteCloser) *linger {
	l := &linger{in: in, out: out, idle: make(chan struct{}), wait: lingerTime}
	close(l.idle)
	return l
}

// lingerReader and lingerWriter are its two ends.
type (
	lingerReader struct{ *linger }
	lingerWriter struct{ *linger }
)

func (r lingerReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.note(p[:n])
	if err == io.EOF && n == 0 {
		r.mu.Lock()
		r.finishLine(r.tail)
		r.tail = nil
		idle := r.idle
		r.mu.Unlock()
		select {
		case <-idle:
		case <-time.After(r.wait):
		}
	}
	return n, err
}

func (r lingerReader) Close() error { return r.in.Close() }

// note counts the requests in a stretch of input.
func (l *linger) note(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		l.finishLine(append(l.tail, b[:i]...))
		l.tail, b = l.tail[:0], b[i+1:]
	}
	l.tail = append(l.tail, b...)
}

// finishLine counts a line if it is a request: one with an id and a method.
func (l *linger) finishLine(line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 || string(m.ID) == "null" || m.Method == "" {
		return
	}
	if l.open++; l.open == 1 {
		l.idle = make(chan struct{})
	}
}

// Write sees each message go out; an answer has an id and no method. Messages are written whole.
func (w lingerWriter) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(p, &m) == nil && len(m.ID) > 0 && m.Method == "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.open == 1 {
			close(w.idle)
		}
		w.open = max(w.open-1, 0)
	}
	return n, err
}

func (w lingerWriter) Close() error { return w.out.Close() }
