package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

const (
	defaultTimeout   = 30 * time.Second // M-2
	defaultMaxAnswer = 64 << 20
	maxErrorBody     = 8 << 10
	maxErrorText     = 300
	maxRetryAfter    = time.Hour
)

// Endpoint speaks JSON with one HTTP server: it limits time and size, and sorts failures into the codes that the package
// comment promises. Redirects are not followed: an answer that points elsewhere means a wrong address.
type Endpoint struct {
	base    string
	key     string
	timeout time.Duration
	limit   int64
	client  *http.Client
}

// EndpointOptions are what a driver needs to know about a server. Only Base is required.
type EndpointOptions struct {
	Base      string        // address, with the path that all calls share: "https://api.openai.com/v1"
	Key       string        // sent as "Authorization: Bearer <key>"; none when empty
	Timeout   time.Duration // for one exchange; 0: 30 s
	MaxAnswer int64         // largest answer in bytes; 0: 64 MiB
	Client    *http.Client  // its transport is used; nil: one of our own
}

// NewEndpoint checks the address.
func NewEndpoint(o EndpointOptions) (*Endpoint, error) {
	u, err := url.Parse(o.Base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		return nil, lukasa.Invalid("url", "embedding server %q is not an http or https address", redact(o.Base))
	}
	if u.User != nil {
		return nil, lukasa.Invalid("url", "embedding server %q has a password in its address: use the key", u.Redacted())
	}
	e := &Endpoint{base: strings.TrimRight(o.Base, "/"), key: o.Key, timeout: o.Timeout, limit: o.MaxAnswer}
	if e.timeout <= 0 {
		e.timeout = defaultTimeout
	}
	if e.limit <= 0 {
		e.limit = defaultMaxAnswer
	}
	var transport http.RoundTripper
	if o.Client != nil {
		transport = o.Client.Transport
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t = t.Clone()
		t.MaxIdleConnsPerHost = 8
		transport = t
	}
	e.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return e, nil
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
	return e.exchange(ctx, http.MethodPost, path, bytes.NewReader(body), out)
}

// Get reads path below the base address and decodes the answer into out. A nil out ignores the answer.
func (e *Endpoint) Get(ctx context.Context, path string, out any) error {
	return e.exchange(ctx, http.MethodGet, path, nil, out)
}

func (e *Endpoint) exchange(parent context.Context, method, path string, body io.Reader, out any) error {
	ctx, cancel := context.WithTimeout(parent, e.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, e.base+path, body)
	if err != nil {
		return fmt.Errorf("build request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	res, err := e.client.Do(req)
	if err != nil {
		return e.transportError(parent, method+" "+path+": no answer", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return e.statusError(res, method+" "+path, time.Now())
	}
	if out == nil {
		return nil
	}
	return e.decode(parent, method+" "+path, res.Body, out)
}

// decode reads one JSON value and tells an answer that broke off (the network's fault) from one that is wrong.
func (e *Endpoint) decode(parent context.Context, what string, body io.Reader, out any) error {
	b, err := io.ReadAll(io.LimitReader(body, e.limit+1))
	if err != nil {
		return e.transportError(parent, what+": answer broke off", err)
	}
	if int64(len(b)) > e.limit {
		return lukasa.Errorf(lukasa.CodeExternal, "%s: answer is larger than %d bytes", what, e.limit)
	}
	if err := json.Unmarshal(b, out); err != nil {
		return &lukasa.Error{Code: lukasa.CodeExternal, Msg: what + ": answer is not the JSON expected", Err: err}
	}
	return nil
}

// transportError classifies a failure without a complete answer. The caller's own cancellation comes through as such.
func (e *Endpoint) transportError(parent context.Context, what string, err error) error {
	if cause := parent.Err(); cause != nil {
		return fmt.Errorf("%s: %w", what, cause)
	}
	var ne net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &ne) && ne.Timeout() {
		return &lukasa.Error{Code: lukasa.CodeTimeout, Msg: fmt.Sprintf("%s within %v", what, e.timeout), Err: err}
	}
	return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: what, Err: err}
}

// statusError classifies an answer other than 200.
func (e *Endpoint) statusError(res *http.Response, what string, now time.Time) error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody)) // whatever arrived is enough to quote
	msg := fmt.Sprintf("%s: server answered %d", what, res.StatusCode)
	if text := errorText(body); text != "" {
		msg += ": " + text
	}
	err := &lukasa.Error{Code: lukasa.CodeExternal, Msg: msg, RetryAfter: retryAfter(res.Header.Get("Retry-After"), now)}
	switch s := res.StatusCode; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		err.Err, err.Hint = ErrRefused, "check the key of the embedding server"
	case s == http.StatusNotFound:
		err.Err, err.Hint = ErrRefused, "check the address of the embedding server and the name of the model"
	case s < 400, s == http.StatusMethodNotAllowed, s == http.StatusNotImplemented:
		err.Err, err.Hint = ErrRefused, "check the address of the embedding server"
	case s == http.StatusTooManyRequests:
		err.Code = lukasa.CodeLimited
	case s == http.StatusRequestTimeout, s == http.StatusGatewayTimeout:
		err.Code = lukasa.CodeTimeout
	case s >= 500, s == http.StatusFailedDependency, s == http.StatusTooEarly: // 424 is TEI's "inference failed"
		err.Code = lukasa.CodeUnavailable
	default:
		err.Code = lukasa.CodeInvalid
	}
	return err
}

// errorText finds the message in the error bodies of OpenAI ({"error":{"message":…}}), TEI and Ollama ({"error":"…"})
// and others ({"message":…}, {"detail":…}), and shortens it. A body that is not JSON is not quoted.
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
