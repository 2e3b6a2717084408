package client_test

import (
	"context"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// What says that a file is being woken is not the file.
func TestBytesOfASleepingFile(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(context.Context, *client.Client) (io.ReadCloser, error){
		"file": func(ctx context.Context, c *client.Client) (io.ReadCloser, error) {
			return c.FileContent(ctx, "file_1")
		},
		"document": func(ctx context.Context, c *client.Client) (io.ReadCloser, error) { return c.Content(ctx, "doc_1") },
		"document then": func(ctx context.Context, c *client.Client) (io.ReadCloser, error) {
			return c.At(time.Unix(1, 0)).Content(ctx, "doc_1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: []answer{{202, "3", `{"state":"rehydrating"}`}, {429, "1", limited}, {200, "", "its bytes"}}}
				began := time.Now()
				body, err := open(t.Context(), newClient(t, s, client.Options{}))
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(body)
				if err != nil || string(got) != "its bytes" || time.Since(began) != 4*time.Second {
					t.Errorf("%q after %v, %v", got, time.Since(began), err)
				}
				if len(s.seen) != 3 {
					t.Fatalf("asked %d times", len(s.seen))
				}
				if strings.Contains(name, "then") != (s.seen[2].URL.Query().Get("as_of") != "") {
					t.Errorf("asked for %s", s.seen[2].URL)
				}
			})
		})
	}
}

// A large file goes as a form, with all that a small one would have said.
func TestLargeFileSaysAsMuch(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{201, "", `{"items":[{"status":201,"document":{"id":"doc_2"}}]}`}}}
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	r, err := newClient(t, s, client.Options{}).Remember(t.Context(), lukasa.NewDocument{
		Data: make([]byte, 7<<20), Name: "a.bin", Tags: []string{"sea, deep", "boat"}, Origin: lukasa.OriginWeb, Updates: "doc_1", OccurredAt: &at,
		Metadata: map[string]any{"a": 1},
	})
	if err != nil || r.Document.ID != "doc_2" {
		t.Fatalf("%+v, %v", r, err)
	}
	_, params, err := mime.ParseMediaType(s.seen[0].Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(strings.NewReader(s.bodies[0]), params["boundary"]).ReadForm(1 << 24)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"tags": `["sea, deep","boat"]`, "source": "web", "updates": "doc_1", "occurred_at": "2026-05-01T00:00:00Z", "metadata": `{"a":1}`,
	} {
		if got := form.Value[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// An item that a batch refused names the request, under which the server logged it.
func TestRefusedItemNamesItsRequest(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{200, "", `{"items":[{"status":500,"error":{"code":"INTERNAL_ERROR","message":"no","request_id":"req-9"}}]}`}}}
	_, errs := newClient(t, s, client.Options{}).RememberAll(t.Context(), []lukasa.NewDocument{{Content: "x"}})
	if lukasa.CodeOf(errs[0]) != lukasa.CodeInternal || client.RequestID(errs[0]) != "req-9" {
		t.Errorf("%v, request %q", errs[0], client.RequestID(errs[0]))
	}
}

// What a query says of a conversation goes along.
func TestSearchOfOneConversation(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{200, "", `{"results":[]}`}}}
	if _, err := newClient(t, s, client.Options{}).Search(t.Context(), lukasa.Query{Text: "x", Conversation: "conv_1"}); err != nil {
		t.Fatal(err)
	}
	if want := `{"query":"x","conversation":"conv_1"}`; s.bodies[0] != want {
		t.Errorf("sent %s", s.bodies[0])
	}
}
