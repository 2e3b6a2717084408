package carry_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/carry"
)

// sink takes in what an export of our own holds, and counts it.
type sink struct {
	nodes, documents, originals, memories, messages int

	title  string   // of conversations that are there
	called []string // titles that were given
}

func (s *sink) Documents(context.Context, lukasa.DocumentFilter, lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
	return lukasa.Listing[lukasa.Document]{}, nil
}

func (s *sink) RestoreNode(context.Context, lukasa.Node) error {
	s.nodes++
	return nil
}

func (s *sink) RestoreDocument(context.Context, lukasa.NewDocument) (lukasa.Receipt, error) {
	s.documents++
	return lukasa.Receipt{}, nil
}

func (s *sink) RememberAll(context.Context, []lukasa.NewDocument) ([]lukasa.Receipt, []error) {
	s.originals++
	return []lukasa.Receipt{{Document: lukasa.Document{ID: "doc_x"}}}, []error{nil}
}

func (s *sink) RestoreMemory(context.Context, lukasa.Memory) (bool, error) {
	s.memories++
	return true, nil
}

func (s *sink) Append(_ context.Context, in lukasa.Append) (lukasa.Conversation, []lukasa.AppendResult, error) {
	s.messages += len(in.Messages)
	out := make([]lukasa.AppendResult, len(in.Messages))
	for i := range out {
		out[i].Status = "logged"
	}
	return lukasa.Conversation{Title: s.title}, out, nil
}

func (s *sink) PatchConversation(_ context.Context, _, _ string, in lukasa.DocumentPatch, _ string) (lukasa.Conversation, error) {
	s.called = append(s.called, *in.Title)
	return lukasa.Conversation{}, nil
}

// What a conversation is called comes along, and is not put in the place of what it is called here.
func TestReadOwnTitles(t *testing.T) {
	t.Parallel()
	const export = `{"header":{"format":"lukasa.export/1"}}
{"messages":{"container":"a","conversation":"x","title":"A title","items":[{"id":"m1","content":"one"}]}}
{"messages":{"container":"a","conversation":"y","items":[{"id":"m1","content":"one"}]}}`
	s := &sink{}
	if _, err := carry.ReadOwn(t.Context(), s, carry.Links{}, strings.NewReader(export), time.Now(), nil); err != nil || len(s.called) != 1 || s.called[0] != "A title" {
		t.Errorf("%q, %v", s.called, err)
	}
	s = &sink{title: "Another"}
	if _, err := carry.ReadOwn(t.Context(), s, carry.Links{}, strings.NewReader(export), time.Now(), nil); err != nil || len(s.called) != 0 {
		t.Errorf("%q, %v", s.called, err)
	}
}

// What lukasa export wrote of a document, two memories and seven messages is read in full; an empty file and others say what they are.
func TestReadOwn(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("testdata", "own.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{}
	p, err := carry.ReadOwn(t.Context(), s, carry.Links{}, bytes.NewReader(b), time.Unix(1_700_000_000, 0), nil)
	if err != nil || s.documents != 1 || s.memories != 2 || s.messages != 7 || p.Documents != 1 || p.Memories != 2 || p.Messages != 7 || p.Nodes != s.nodes {
		t.Errorf("%v, %+v, %+v", err, p, s)
	}
	for content, field := range map[string]string{"": "header", "\n \n": "header", "{}": "header", `{"header":{"format":"other/1"}}`: "header", "hello": "record 1", string(b) + "{": "record " + "8"} {
		_, err := carry.ReadOwn(t.Context(), &sink{}, carry.Links{}, strings.NewReader(content), time.Now(), nil)
		if lukasa.CodeOf(err) != lukasa.CodeInvalid || field == "header" && !strings.Contains(err.Error(), field) {
			t.Errorf("%.30q: %v", content, err)
		}
	}
}

// A dry run of the command line counts what export wrote, and needs no place to keep it.
func TestCountOwn(t *testing.T) {
	t.Parallel()
	x, err := set().Open(filepath.Join("testdata", "own.jsonl"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	r, err := x.TakeOwn(t.Context(), func(ctx context.Context, in io.Reader) (carry.OwnReport, error) {
		return carry.CountOwn(ctx, in, time.Unix(1_700_000_000, 0), nil)
	}, nil)
	if err != nil || !r.Own.DryRun || r.Own.Documents != 1 || r.Own.Memories != 2 || r.Own.Messages != 7 || !strings.Contains(r.Print(false), "1 document, 2 memories, 7 messages would be imported") {
		t.Errorf("%+v, %v", r.Own, err)
	}
}

func FuzzReadOwn(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "own.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	header, _, _ := strings.Cut(string(b), "\n")
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
		f.Add(header + "\n" + line)
	}
	f.Add(header + "\n{}\n{\"document\":{}}\n{\"memory\":{\"sources\":[{}]}}\n{\"messages\":{\"items\":[{}]}}\n{\"node\":{}}\n{\"document\":{\"status\":\"queued\"},\"original\":{\"data\":\"aGk=\"}}\n{\"missing\":\"gone\",\"document\":{}}\n{\"edge\":{\"source\":\"doc_1\",\"target\":\"mem_1\",\"type\":\"extends\"}}")
	f.Fuzz(func(t *testing.T, s string) {
		sunk := &sink{}
		p, err := carry.ReadOwn(t.Context(), sunk, carry.Links{}, strings.NewReader(s), time.Unix(1_700_000_000, 0), nil)
		if err == nil && (p.Memories != sunk.memories || p.Messages != sunk.messages || p.Nodes != sunk.nodes) {
			t.Errorf("%+v is told of %+v", p, *sunk)
		}
	})
}
