package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// talkAndNotes saves messages, a note and a memory of several days.
func talkAndNotes(s *site) {
	s.t.Helper()
	for at, said := range map[string]string{"2024-03-02T18:00:00Z": "We painted the kitchen door red.", "2024-05-02T18:00:00Z": "The kitchen door sticks again."} {
		s.must(201, "POST", "/v1/messages", obj{"conversation": "a", "container": "home", "messages": []obj{{"speaker": "Ana", "content": said, "time": at}}})
	}
	s.must(201, "POST", "/v1/documents", obj{"content": "Bill of the carpenter for the kitchen door.", "title": "Carpenter", "container": "home", "occurred_at": "2024-04-10"})
	s.must(201, "POST", "/v1/memories", obj{"content": "The kitchen door was fitted.", "kind": "event", "container": "work", "occurred_at": "2024-02-01"})
}

// A timeline lists what happened between two moments, oldest first, over HTTP and by the SDK.
func TestTimeline(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	talkAndNotes(s)
	lines := func(query string) (out []string) {
		for _, x := range objs(s.must(200, "GET", "/v1/timeline"+query, nil)["items"]) {
			out = append(out, text(x, "date")[:10]+" "+text(x, "kind")+" "+text(x, "text"))
			if text(x, "id") == "" || text(x, "container") == "" {
				t.Errorf("%v", x)
			}
		}
		return out
	}
	fitted, painted := "2024-02-01 event The kitchen door was fitted.", "2024-03-02 message We painted the kitchen door red."
	bill, sticks := "2024-04-10 document Carpenter", "2024-05-02 message The kitchen door sticks again."
	for query, want := range map[string][]string{
		"?kind=message,document,event":                                {fitted, painted, bill, sticks},
		"?kind=message,document,event&from=2024-03-01&to=2024-05-01":  {painted, bill},
		"?kind=message&container=home&limit=1":                        {painted},
		"?kind=defining&container=home":                               nil,
		"?from=2025-01-01&kind=message":                               nil,
		"?kind=message,document,event&container=work&from=2024-01-01": {fitted},
	} {
		if got := lines(query); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for query, field := range map[string]string{"?from=soon": "from", "?kind=chunk": "kind", "?limit=101": "limit", "?cursor=x": "cursor"} {
		if out := s.must(400, "GET", "/v1/timeline"+query, nil); !strings.Contains(text(out, "error", "message"), field) {
			t.Errorf("%s: %v", query, out)
		}
	}
	from := time.Date(2024, 4, 1, 0, 0, 0, 0, time.UTC)
	f := lukasa.TimelineFilter{From: &from, Types: []lukasa.EntryType{lukasa.EntryMessage, lukasa.EntryMemory}, Kinds: []lukasa.MemoryKind{lukasa.KindEvent}}
	l, err := s.sdk().Timeline(t.Context(), f, lukasa.Page{})
	if err != nil || len(l.Items) != 1 || l.Items[0].Text != "The kitchen door sticks again." || l.Items[0].Speaker != "Ana" || l.Total != 1 {
		t.Errorf("%+v, %v", l, err)
	}
}

// From and to narrow a search, a brief and the list of documents to what happened, was said or is dated between them.
func TestFromAndTo(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	talkAndNotes(s)
	narrow := obj{"query": "kitchen door", "from": "2024-03-01", "to": "2024-05-01", "types": []string{"message", "chunk"}}
	var got []string
	for _, x := range objs(s.must(200, "POST", "/v1/search", narrow)["results"]) {
		got = append(got, text(x, "content"))
	}
	slices.Sort(got)
	if want := []string{"Bill of the carpenter for the kitchen door.", "We painted the kitchen door red."}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	b, err := s.sdk().Brief(t.Context(), client.BriefRequest{
		Query: "What about the kitchen door?", Floor: -1, From: new(time.Date(2024, 4, 1, 0, 0, 0, 0, time.UTC)), To: new(time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)),
	})
	if err != nil || !strings.Contains(b.Text, "carpenter") || strings.Contains(b.Text, "sticks") || strings.Contains(b.Text, "painted") {
		t.Errorf("%s, %v", b.Text, err)
	}
	for query, want := range map[string]int{"?from=2024-04-01": 1, "?from=2024-04-01&to=2024-04-10": 0, "?to=2024-04-11": 1, "?from=2024-04-11": 0} {
		if n := len(objs(s.must(200, "GET", "/v1/documents"+query, nil)["items"])); n != want {
			t.Errorf("%s: %d documents, want %d", query, n, want)
		}
	}
}
