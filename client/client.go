// Package client is the Go SDK: it speaks the REST API with the words of the root package.
//
// Start with [New]; every method takes a context and returns the words of package lukasa. What the server refuses comes back
// as a *lukasa.Error with the code that the server gave, so that a caller tells cases apart with [lukasa.CodeOf]:
//
//	c, err := client.New("http://127.0.0.1:7077", client.Options{Key: "sk_…"})
//	r, err := c.Remember(ctx, lukasa.NewDocument{Content: "the cat is called Miso"})
//	found, err := c.Search(ctx, lukasa.Query{Text: "what is the cat called"})
//
// A server that is not there, or too busy for longer than the client waits, is [lukasa.CodeUnavailable] or [lukasa.CodeLimited].
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

const (
	defaultTries = 4
	defaultWait  = 30 * time.Second
	firstWait    = time.Second
	maxAnswer    = 256 << 20 // bytes of an answer that is read as a whole
)

// Options tune a client. Zero values are useful.
type Options struct {
	Key     string        // the API key, sk_…
	HTTP    *http.Client  // nil means one of its own without a time limit: contexts limit calls
	Tries   int           // how often a call that the server is too busy for is made; 0 means 4
	MaxWait time.Duration // the longest wait before another try; a server that asks for more ends the call; 0 means 30 s
	Agent   string        // User-Agent
}

// Client speaks to one server. It is safe for concurrent use.
type Client struct {
	base string
	opt  Options
}

// New returns a client of the server at base, like http://127.0.0.1:7077. It does not connect.
func New(base string, o Options) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "server", Msg: "is not the address of a server", Hint: "give one like http://127.0.0.1:7077"}
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{}
	}
	if o.Tries <= 0 {
		o.Tries = defaultTries
	}
	if o.MaxWait <= 0 {
		o.MaxWait = defaultWait
	}
	if o.Agent == "" {
		o.Agent = "lukasa-go"
	}
	return &Client{base: strings.TrimRight(u.String(), "/"), opt: o}, nil
}

// Server returns the address of the server.
func (c *Client) Server() string { return c.base }

// call is one request of the API.
type call struct {
	method, path string
	query        url.Values
	body         any       // sent as JSON; nil for none
	raw          []byte    // sent as it is, instead of body
	stream       io.Reader // sent as it is and only once, instead of body
	typ          string    // content type of raw and stream
	once         bool      // only a limit of requests is waited for
	accept       func(status int) bool
}

// do makes the call and returns the answer's body, which the caller closes; see [Client.answer].
func (c *Client) do(ctx context.Context, in call) (io.ReadCloser, error) {
	res, err := c.answer(ctx, in)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// answer makes the call and returns an answer that is no error, whose body the caller closes. Busy servers are asked again as they wish.
func (c *Client) answer(ctx context.Context, in call) (*http.Response, error) {
	raw, typ := in.raw, in.typ
	if in.body != nil {
		b, err := json.Marshal(in.body)
		if err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
		raw, typ = b, "application/json"
	}
	for try := 1; ; try++ {
		body := in.stream
		if raw != nil {
			body = bytes.NewReader(raw)
		}
		res, err := c.send(ctx, in, body, typ)
		if err != nil {
			return nil, c.away(ctx, err)
		}
		if res.StatusCode < 300 || in.accept != nil && in.accept(res.StatusCode) {
			return res, nil
		}
		err = readError(res)
		wait, again := c.again(res, err, try)
		if !again || in.stream != nil || in.once && res.StatusCode != http.StatusTooManyRequests {
			return nil, err
		}
		if !sleep(ctx, wait) {
			return nil, err
		}
	}
}

func (c *Client) send(ctx context.Context, in call, body io.Reader, typ string) (*http.Response, error) {
	to := c.base + in.path
	if len(in.query) > 0 {
		to += "?" + in.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, in.method, to, body)
	if err != nil {
		return nil, err
	}
	if typ != "" {
		req.Header.Set("Content-Type", typ)
	}
	if c.opt.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.opt.Key)
	}
	req.Header.Set("User-Agent", c.opt.Agent)
	return c.opt.HTTP.Do(req)
}

// away words that the server could not be reached. A context that ended is what ended the call.
func (c *Client) away(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("call server: %w", context.Cause(ctx))
	}
	return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "no answer from the server at " + c.base, Hint: "is it running? `lukasa serve` starts one", Err: err}
}

// again decides whether a refused call is made once more, and after how long.
func (c *Client) again(res *http.Response, err error, try int) (time.Duration, bool) {
	if try >= c.opt.Tries || lukasa.CodeOf(err) == lukasa.CodeStorage { // a full disk does not empty itself
		return 0, false
	}
	if res.StatusCode != http.StatusTooManyRequests && res.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	wait := firstWait << min(try-1, 10)
	var e *lukasa.Error
	if errors.As(err, &e) && e.RetryAfter > 0 {
		wait = e.RetryAfter
	}
	return wait, wait <= c.opt.MaxWait
}

// sleep waits and reports whether it waited to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// ask makes the call and decodes its answer.
func ask[T any](ctx context.Context, c *Client, in call) (T, error) {
	var out T
	body, err := c.do(ctx, in)
	if err != nil {
		return out, err
	}
	defer body.Close()
	if err := json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(&out); err != nil {
		if ctx.Err() != nil {
			return out, fmt.Errorf("read answer: %w", context.Cause(ctx))
		}
		return out, &lukasa.Error{Code: lukasa.CodeExternal, Msg: "the server at " + c.base + " gave an answer that cannot be read", Hint: "is it a lukasa server?", Err: err}
	}
	return out, nil
}

// wireError is the shape of every error answer.
type wireError struct {
	Error struct {
		Code      string         `json:"code"`
		Message   string         `json:"message"`
		Details   map[string]any `json:"details"`
		Hint      string         `json:"hint"`
		RequestID string         `json:"request_id"`
	} `json:"error"`
}

// CodeOfWire returns the code that stands as name in error answers, "" for a name that is not known.
func CodeOfWire(name string) lukasa.Code {
	switch name {
	case "VALIDATION_ERROR":
		return lukasa.CodeInvalid
	case "UNAUTHENTICATED":
		return lukasa.CodeUnauthenticated
	case "FORBIDDEN":
		return lukasa.CodeForbidden
	case "NOT_FOUND":
		return lukasa.CodeNotFound
	case "METHOD_NOT_ALLOWED": // by a server of another version; only HTTP knows such a thing
		return "method_not_allowed"
	case "CONFLICT":
		return lukasa.CodeConflict
	case "TOO_LARGE":
		return lukasa.CodeTooLarge
	case "UNSUPPORTED_CONTENT":
		return lukasa.CodeUnsupported
	case "UNKNOWN_FIELD":
		return lukasa.CodeUnknownField
	case "RATE_LIMITED":
		return lukasa.CodeLimited
	case "INTERNAL_ERROR":
		return lukasa.CodeInternal
	case "EXTERNAL_ERROR":
		return lukasa.CodeExternal
	case "STORAGE_ERROR":
		return lukasa.CodeStorage
	case "UNAVAILABLE":
		return lukasa.CodeUnavailable
	case "TIMEOUT":
		return lukasa.CodeTimeout
	}
	return ""
}

// codeOfStatus guesses a code where the answer names none, as that of a proxy does.
func codeOfStatus(status int) lukasa.Code {
	switch status {
	case http.StatusUnauthorized:
		return lukasa.CodeUnauthenticated
	case http.StatusForbidden:
		return lukasa.CodeForbidden
	case http.StatusNotFound:
		return lukasa.CodeNotFound
	case http.StatusConflict:
		return lukasa.CodeConflict
	case http.StatusRequestEntityTooLarge:
		return lukasa.CodeTooLarge
	case http.StatusUnsupportedMediaType:
		return lukasa.CodeUnsupported
	case http.StatusTooManyRequests:
		return lukasa.CodeLimited
	case http.StatusServiceUnavailable:
		return lukasa.CodeUnavailable
	case http.StatusGatewayTimeout:
		return lukasa.CodeTimeout
	}
	if status >= 500 {
		return lukasa.CodeExternal
	}
	return lukasa.CodeInvalid
}

// ticket carries what an error answer said about its request; it is the cause of the errors of this package.
type ticket struct {
	status int
	id     string
}

func (t *ticket) Error() string { return fmt.Sprintf("status %d, request %s", t.status, t.id) }

// RequestID returns the id of the request that err answers, under which the server logged it; "" if there is none.
func RequestID(err error) string {
	if t, ok := errors.AsType[*ticket](err); ok {
		return t.id
	}
	return ""
}

// readError reads an error answer and closes it.
func readError(res *http.Response) error {
	defer res.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	e := decodeError(res.StatusCode, b)
	e.Err = ticketOf(res.StatusCode, b, res.Header)
	e.RetryAfter = retryAfter(res.Header.Get("Retry-After"), time.Now())
	return e
}

// ticketOf reads what an answer says about its request; nil if that is nothing.
func ticketOf(status int, body []byte, h http.Header) error {
	var w wireError
	_ = json.Unmarshal(body, &w) // what is not ours has no id
	if id := cmp.Or(w.Error.RequestID, h.Get("X-Request-Id")); id != "" {
		return &ticket{status: status, id: id}
	}
	return nil
}

// decodeError reads the body of an error answer, whatever it is.
func decodeError(status int, body []byte) *lukasa.Error {
	var w wireError
	if json.Unmarshal(body, &w) != nil || w.Error.Message == "" {
		return lukasa.Errorf(codeOfStatus(status), "the server answered %d %s", status, strings.ToLower(http.StatusText(status)))
	}
	e := &lukasa.Error{Code: CodeOfWire(w.Error.Code), Msg: w.Error.Message, Hint: w.Error.Hint}
	if e.Code == "" {
		e.Code = codeOfStatus(status)
	}
	if f, ok := w.Error.Details["field"].(string); ok {
		e.Field, e.Msg = f, strings.TrimPrefix(e.Msg, f+": ")
	}
	return e
}

// retryAfter reads the header: seconds or a date. 0 means that it says nothing.
func retryAfter(s string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(s); err == nil {
		return time.Duration(max(0, min(n, 1<<30))) * time.Second
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
