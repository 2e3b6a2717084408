package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	lingerTime = 30 * time.Second // how long the end of input waits for answers that are still to come
	lineSize   = 10 << 20         // bytes of a message
	unbatched  = "2025-06-18"     // the protocol that has no batches any more
)

// linger stands between a client and the protocol's server. It hands on whole lines, answers those that are no message by itself, as one of
// them would end the session, and keeps the end of the input back until every request that came has its answer, so that a session
// that is piped in from a file is answered too.
type linger struct {
	in   io.ReadCloser
	out  io.WriteCloser
	wait time.Duration

	line     []byte // an unfinished line of input
	long     bool   // it is over the limit, and passed over
	ready    []byte // whole lines that were not read yet
	end      error  // how the input ended
	protocol string // that the client asked for

	writing sync.Mutex

	mu   sync.Mutex
	open int           // requests without an answer
	idle chan struct{} // closed while there are none
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
	for len(r.ready) == 0 {
		if r.end != nil {
			r.mu.Lock()
			idle := r.idle
			r.mu.Unlock()
			select {
			case <-idle:
			case <-time.After(r.wait):
			}
			return 0, r.end
		}
		var buf [16 << 10]byte
		n, err := r.in.Read(buf[:])
		r.take(buf[:n])
		if err != nil {
			r.finishLine()
			r.end = err
		}
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

func (r lingerReader) Close() error { return r.in.Close() }

// take adds a stretch of input.
func (l *linger) take(b []byte) {
	for len(b) > 0 {
		part, rest, found := bytes.Cut(b, []byte("\n"))
		if len(l.line)+len(part) > lineSize {
			l.line, l.long = nil, true
		} else if !l.long {
			l.line = append(l.line, part...)
		}
		if found {
			l.finishLine()
		}
		b = rest
	}
}

// finishLine hands on a line that is a message, and counts it if it is a request: one with an id and a method.
func (l *linger) finishLine() {
	line, long := bytes.TrimSpace(l.line), l.long
	l.line, l.long = l.line[:0], false
	if long {
		l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is over %d bytes", lineSize))
		return
	}
	if len(line) == 0 {
		return
	}
	if !json.Valid(line) {
		l.refuse(nil, jsonrpc.CodeParseError, "the line is not JSON: a message is one line of it")
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	switch _, err := jsonrpc.DecodeMessage(line); {
	case line[0] == '[':
		if l.protocol >= unbatched {
			l.refuse(nil, jsonrpc.CodeInvalidRequest, "the protocol "+l.protocol+" has no batches")
			return
		}
	case json.Unmarshal(line, &m) != nil || err != nil:
		l.refuse(m.ID, jsonrpc.CodeInvalidRequest, "the line is not a message of JSON-RPC 2.0")
		return
	case len(m.ID) > 0 && string(m.ID) != "null" && m.Method != "":
		l.mu.Lock()
		if l.open++; l.open == 1 {
			l.idle = make(chan struct{})
		}
		l.mu.Unlock()
		var asked struct {
			Protocol string `json:"protocolVersion"`
		}
		if m.Method == "initialize" && json.Unmarshal(m.Params, &asked) == nil {
			l.protocol = asked.Protocol
		}
	}
	l.ready = append(append(l.ready, line...), '\n')
}

// refuse answers what is no message.
func (l *linger) refuse(id json.RawMessage, code int, why string) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	_, _ = l.out.Write(append(b, '\n')) // whoever does not read answers has no use for this one
}

// Write sees each message go out; an answer has an id and no method. Messages are written whole.
func (w lingerWriter) Write(p []byte) (int, error) {
	w.writing.Lock()
	n, err := w.out.Write(p)
	w.writing.Unlock()
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
