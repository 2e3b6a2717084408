package llmtest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/llm"
)

// body is a server without a network that answers the same to everything.
type body []byte

// RoundTrip implements [http.RoundTripper].
func (b body) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(b))}, nil
}

// Fuzz feeds a driver with answers that a server should not give. open makes it for any address with the client given; seeds are
// whole answers and whole streams.
func Fuzz(f *testing.F, open func(c *http.Client) (llm.Model, error), seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := open(&http.Client{Transport: body(b)})
		if err != nil {
			t.Fatal(err)
		}
		for way, ask := range ways() {
			for _, req := range []llm.Request{Ask("Who?"), asJSON("Who?", Schema), asJSON("Who?", OpenSchema)} {
				out, deltas, err := ask(t.Context(), m, req)
				switch {
				case err != nil && (out.Text != "" || out.JSON != nil || out.FinishReason != ""):
					t.Errorf("%s: an answer with an error: %+v, %v", way, out, err)
				case err == nil && (deltas != out.Text || out.FinishReason == "" || out.Usage.Requests == 0):
					t.Errorf("%s: %q, %+v", way, deltas, out)
				case err == nil && req.Schema != nil && (len(out.JSON) == 0 || !strings.Contains(out.Text, string(out.JSON))):
					t.Errorf("%s: JSON %s", way, out.JSON)
				}
			}
		}
	})
}
