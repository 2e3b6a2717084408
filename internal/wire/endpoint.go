package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	defaultTimeout   = 30 * time.Second // M-2
	defaultTotal     = 10 * time.Minute
	defaultMaxAnswer = 64 << 20
	maxErrorBody     = 8 << 10
	maxErrorText     = 300
	maxRetryAfter    = time.Hour
)

// Endpoint speaks JSON with one HTTP server: it limits time and size, and sorts failures into kinds. Redirects are not
// followed: an answer that points elsewhere means a wrong address. It is safe for concurrent use.
type Endpoint struct {
	base    string
	server  string
	header  http.Header
	timeout time.Duration
	total   time.Duration
	limit   int64
	client  *http.Client
}

// Options are what a driver needs to know about a server. Only Base is required.
type Options struct {
	Server    string        // what it is, for messages: "embedding server"; "": "server"
	Base      string        // address, with the path that all calls share: "https://api.openai.com/v1"
	Key       string        // none is sent when empty
	KeyHeader string        // the header that carries the key as it is; "": "Authorization: Bearer <key>"
	Header    http.Header   // sent with every request
	Timeout   time.Duration // for one exchange; in a stream, for the first byte and between two reads; 0: 30 s
	Total     time.Duration // for a whole stream; 0: 10 min
	MaxAnswer int64         // largest answer in bytes; 0: 64 MiB
	Client    *http.Client  // its transport is used; nil: one of our own
}

// NewEndpoint checks the address. Its error is an [*Error] of kind [Refused] that quotes no password.
func NewEndpoint(o Options) (*Endpoint, error) {
	if o.Server == "" {
		o.Server = "server"
	}
	u, err := url.Parse(o.Base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		return nil, &Error{Kind: Refused, Msg: fmt.Sprintf("%s %q is not an http or https address", o.Server, redact(o.Base))}
	}
	if u.User != nil {
		return nil, &Error{Kind: Refused, Msg: fmt.Sprintf("%s %q has a password in its address: use the key", o.Server, u.Redacted())}
	}
	e := &Endpoint{
		base: strings.TrimRight(o.Base, "/"), server: o.Server, header: o.Header.Clone(),
		timeout: o.Timeout, total: o.Total, limit: o.MaxAnswer,
	}
	if e.header == nil {
		e.header = http.Header{}
	}
	switch {
	case o.Key == "":
	case o.KeyHeader == "":
		e.header.Set("Authorization", "Bearer "+o.Key)
	default:
		e.header.Set(o.KeyHeader, o.Key)
	}
	if e.timeout <= 0 {
		e.timeout = defaultTimeout
	}
	if e.total <= 0 {
		e.total = max(defaultTotal, e.timeout)
	}
	if e.limit <= 0 {
		e.limit = defaultMaxAnswer
	}
	e.client = &http.Client{
		Transport:     transport(o.Client),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return e, nil
}

func transport(c *http.Client) http.RoundTripper {
	if c != nil {
		return c.Transport
	}
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 8
	return t
}

func redact(s string) string {
	if _, host, ok := strings.Cut(s, "@"); ok {
		return "…@" + host
	}
	return s
}

// Post sends in as JSON to path below the base address and decodes the answer into out.
func (e *Endpoint) Post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	return e.exchange(ctx, http.MethodPost, path, body, out)
}

// Get reads path below the base address and decodes the answer into out. A nil out ignores the answer.
func (e *Endpoint) Get(ctx context.Context, path string, out any) error {
	return e.exchange(ctx, http.MethodGet, path, nil, out)
}

func (e *Endpoint) exchange(parent context.Context, method, path string, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(parent, e.timeout)
	defer cancel()
	what := method + " " + path
	res, err := e.send(ctx, method, path, "application/json", body)
	if err != nil {
		return e.transportError(parent, what+": no answer", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return e.statusError(res, what, time.Now())
	}
	if out == nil {
		return nil
	}
	return e.decode(parent, what, res.Body, out)
}

// send makes a request; a nil body means none.
func (e *Endpoint) send(ctx context.Context, method, path, accept string, body []byte) (*http.Response, error) {
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, e.base+path, r)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, e.header)
	req.Header.Set("Accept", accept)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return e.client.Do(req)
}

// decode reads one JSON value and tells an answer that broke off (the network's fault) from one that is wrong.
func (e *Endpoint) decode(parent context.Context, what string, body io.Reader, out any) error {
	b, err := io.ReadAll(io.LimitReader(body, e.limit+1))
	if err != nil {
		return e.transportError(parent, what+": answer broke off", err)
	}
	if int64(len(b)) > e.limit {
		return e.tooLarge(what)
	}
	if err := json.Unmarshal(b, out); err != nil {
		return &Error{Kind: Broken, Msg: what + ": answer is not the JSON expected", Err: err}
	}
	return nil
}

func (e *Endpoint) tooLarge(what string) error {
	return &Error{Kind: Broken, Msg: fmt.Sprintf("%s: answer is larger than %d bytes", what, e.limit)}
}

// transportError classifies a failure without a complete answer. The caller's own cancellation comes through as such.
func (e *Endpoint) transportError(parent context.Context, what string, err error) error {
	if cause := parent.Err(); cause != nil {
		return fmt.Errorf("%s: %w", what, cause)
	}
	var ne net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &ne) && ne.Timeout() {
		return &Error{Kind: Timeout, Msg: fmt.Sprintf("%s within %v", what, e.timeout), Err: err}
	}
	return &Error{Kind: Unavailable, Msg: what, Err: err}
}

// statusError classifies an answer other than 200.
func (e *Endpoint) statusError(res *http.Response, what string, now time.Time) error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody)) // whatever arrived is enough to quote
	msg := fmt.Sprintf("%s: server answered %d", what, res.StatusCode)
	if text := errorText(body); text != "" {
		msg += ": " + text
	}
	status := res.StatusCode
	if status == http.StatusTooManyRequests && bytes.Contains(body, []byte(`"insufficient_quota"`)) {
		status = http.StatusPaymentRequired // what OpenAI answers when the account is empty; waiting does not help
	}
	return &Error{
		Kind: KindOf(status), Status: res.StatusCode, Msg: msg, Hint: hint(status, e.server),
		RetryAfter: retryAfter(res.Header.Get("Retry-After"), now),
	}
}

// errorText finds the message in the error bodies of OpenAI, Anthropic and Gemini ({"error":{"message":…}}), TEI and Ollama
// ({"error":"…"}) and others ({"message":…}, {"detail":…}), and shortens it. A body that is not JSON is not quoted.
func errorText(body []byte) string {
	var b struct {
		Error   json.RawMessage `json:"error"`
		Message any             `json:"message"`
		Detail  any             `json:"detail"`
	}
	if json.Unmarshal(body, &b) != nil {
		return ""
	}
	var text string
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(b.Error, &text) != nil && json.Unmarshal(b.Error, &inner) == nil {
		text = inner.Message
	}
	for _, other := range []any{b.Message, b.Detail} {
		if s, ok := other.(string); ok && text == "" {
			text = s
		}
	}
	return Quote(text)
}

// Quote makes what a server said fit to stand in an error: one line of valid UTF-8, of at most 300 bytes.
func Quote(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}

// retryAfter reads the header of that name: seconds, or an HTTP date. At most an hour; 0 when absent or unreadable.
func retryAfter(h string, now time.Time) time.Duration {
	if h == "" {
		return 0
	}
	if n, err := strconv.ParseFloat(strings.TrimSpace(h), 64); err == nil {
		if !(n > 0) {
			return 0
		}
		return time.Duration(min(n, maxRetryAfter.Seconds()) * float64(time.Second))
	}
	if t, err := http.ParseTime(h); err == nil {
		return min(max(t.Sub(now), 0), maxRetryAfter)
	}
	return 0
}
