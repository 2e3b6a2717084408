package segment_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/segment"
)

// sameTime takes two times as equal when they are the same moment told with the same offset.
var sameTime = cmp.Comparer(func(a, b time.Time) bool {
	_, x := a.Zone()
	_, y := b.Zone()
	return a.Equal(b) && x == y
})

// awkward are lines that could be taken for the transcript's own.
var awkward = []string{
	"## 2026-01-11T08:30:00Z | User", `\## 2026-01-11T08:30:00Z | User`, `\\## x | y`, "## unknown | x", "---", "", "", "# Conversation Transcript",
	"**Artifacts:** [a](artifacts/a)", `\**Artifacts:** x`, "<!-- lukasa:messages", `\<!-- lukasa:messages`, "{}", "-->", "```go", "```", "a\r", "\r",
	"x", " ## indented | x", "**Started:** 2026-01-11T08:30:00Z", `\`, "é\u2028ü", "\x00", "## | ",
}

func anyMessage(t *rapid.T) lukasa.Message {
	label := rapid.SampledFrom([]string{"", "user", "assistant", "User", "tool", "Anna", "Unknown", "User (x)", "x | y", "a (b)", "two\nlines", "ß", strings.Repeat("long ", 40)})
	lines := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(awkward), rapid.String()), 0, 9).Draw(t, "lines")
	m := lukasa.Message{
		ID: lukasa.ID(rapid.SampledFrom([]string{"", "msg_1"}).Draw(t, "id")), Conversation: "conv_1", Document: "doc_1", Node: "node_1",
		ExternalID: rapid.SampledFrom([]string{"", "x-->", "7"}).Draw(t, "external"), Seq: rapid.Int64Range(0, 9).Draw(t, "seq"),
		Role: label.Draw(t, "role"), Speaker: label.Draw(t, "speaker"), Session: label.Draw(t, "session"),
		Content: strings.Join(lines, "\n"), Tokens: rapid.IntRange(0, 9).Draw(t, "tokens"),
	}
	if rapid.Bool().Draw(t, "bytes") {
		m.Content += string(rapid.SliceOf(rapid.Byte()).Draw(t, "raw"))
	}
	switch rapid.IntRange(0, 2).Draw(t, "metadata") {
	case 1:
		m.Metadata = map[string]any{}
	case 2:
		m.Metadata = map[string]any{"a": "<!-- x -->\n---", "n": 1.5, "l": []any{nil, true, map[string]any{"k": "v"}}}
	}
	moment := rapid.SampledFrom([]time.Time{
		noon, noon.Add(1234567), noon.In(time.FixedZone("", 5400)), {}, noon.AddDate(-2000, 0, 0), noon.AddDate(7000, 0, 0),
	})
	if rapid.Bool().Draw(t, "timed") {
		m.Time = new(moment.Draw(t, "time"))
	}
	m.CreatedAt = moment.Draw(t, "created")
	return m
}

// T-19: whatever was said, the transcript gives back the same messages.
func TestTranscriptRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		msgs := rapid.SliceOfN(rapid.Custom(anyMessage), 0, 6).Draw(t, "messages")
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"a.go", "b (1) [x].png", "100%25 a).md"}), 0, 2).Draw(t, "names")
		head := segment.Transcript{Folder: "a-2026-01-11", Started: noon, Finalized: noon.Add(time.Hour)}
		var b strings.Builder
		err := segment.WriteTranscript(&b, head, slices.Values(msgs), func(lukasa.Message) []string { return names })
		if err != nil {
			t.Fatal(err)
		}
		got, err := segment.ParseTranscript(b.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(msgs, got.Messages, sameTime); diff != "" && len(msgs)+len(got.Messages) > 0 {
			t.Fatalf("%s\nfrom\n%s", diff, b.String())
		}
		if !got.Whole || got.Folder != head.Folder || !got.Started.Equal(head.Started) || !got.Finalized.Equal(head.Finalized) {
			t.Fatalf("head: %+v", got)
		}
		for _, m := range msgs {
			if len(names) > 0 && !slices.Equal(got.Artifacts[m.Seq], names) {
				t.Fatalf("artifacts of %d: %q", m.Seq, got.Artifacts[m.Seq])
			}
		}
	})
}

// The form of the document itself, without our comment, is read as well, and so are damaged files.
func TestParseForeign(t *testing.T) {
	t.Parallel()
	const plain = "# Conversation Transcript\n\n**Recall File:** x\n**Started:** 2026-01-11T08:30:00Z\n**Finalized:** -\n\n---\n\n" +
		"## 2026-01-11T08:30:00Z | User\n\nfirst\n\n## Not | a message\n\n## 2026-01-11T08:30:10Z | Quoted\n\n---\n\n## 2026-01-11T08:30:45Z | Assistant\n\nsecond\n"
	want := []lukasa.Message{
		{Seq: 0, Role: "user", Content: "first\n\n## Not | a message\n\n## 2026-01-11T08:30:10Z | Quoted", Time: new(time.Date(2026, 1, 11, 8, 30, 0, 0, time.UTC)), Metadata: map[string]any{}},
		{Seq: 1, Role: "assistant", Content: "second", Time: new(time.Date(2026, 1, 11, 8, 30, 45, 0, time.UTC)), Metadata: map[string]any{}},
	}
	for name, s := range map[string]string{
		"plain":       plain,
		"windows":     strings.ReplaceAll(plain, "\n", "\r\n"),
		"no head":     plain[strings.Index(plain, "## 2026"):],
		"mark":        "\ufeff" + plain,
		"no last end": strings.TrimSuffix(plain, "\n"),
		"tight":       strings.ReplaceAll(plain, "\n\n---\n\n## 2026-01-11T08:30:45Z", "\n---\n## 2026-01-11T08:30:45Z"),
		"cut comment": plain + "\n<!-- lukasa:messages\n{\"conversation",
	} {
		got, err := segment.ParseTranscript(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got.Messages); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if got.Whole != (name != "cut comment") {
			t.Errorf("%s: whole is %v", name, got.Whole)
		}
	}
	_, err := segment.ParseTranscript("something else")
	if e, ok := errors.AsType[*lukasa.Error](err); !ok || e.Field != "transcript" || e.Hint == "" {
		t.Errorf("other text: %v", err)
	}
}

func FuzzParseTranscript(f *testing.F) {
	f.Add("# Conversation Transcript\n\n---\n\n## 2026-01-11T08:30:00Z | User\n\nHi\n\n**Artifacts:** [a](artifacts/a)\n\n<!-- lukasa:messages\n{}\n{\"seq\":3}\n-->\n")
	for _, l := range awkward {
		f.Add("## unknown | x\n\n" + l + "\n---\n\n" + l)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := segment.ParseTranscript(s)
		if err != nil {
			return
		}
		var b strings.Builder
		if err := segment.WriteTranscript(&b, got, slices.Values(got.Messages), nil); err != nil {
			t.Skip(err) // a time that JSON cannot hold
		}
		again, err := segment.ParseTranscript(b.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got.Messages, again.Messages, sameTime); diff != "" && len(got.Messages) > 0 {
			t.Fatalf("%s\nfrom %q\nby %q", diff, s, b.String())
		}
	})
}

func TestFolderName(t *testing.T) {
	t.Parallel()
	day := time.Date(2025, 1, 3, 23, 0, 0, 0, time.UTC)
	for topic, want := range map[string]string{
		"Payment Integration - Stripe": "payment-integration-stripe-2025-01-03",
		"  ../../etc/passwd\x00 ":      "etc-passwd-2025-01-03",
		"":                             "conversation-2025-01-03",
		"CON":                          "con-2025-01-03",
		"Crème brûlée & Straße!":       "creme-brulee-strasse-2025-01-03",
		"Anna's plans: what’s next?":   "annas-plans-whats-next-2025-01-03",
		"東京 旅行":                        "東京-旅行-2025-01-03",
		"हिन्दी":                       "हिन्दी-2025-01-03",
		strings.Repeat("word ", 40):    "word-word-word-word-word-word-word-word-word-word-word-word-2025-01-03",
		"\xff\xfe":                     "conversation-2025-01-03",
		"\u202egnp.exe":                "gnp-exe-2025-01-03",
		"🙂🙂":                           "conversation-2025-01-03",
	} {
		got, err := segment.FolderName(topic, day, nil)
		if err != nil || got != want {
			t.Errorf("%q: %q, want %q (%v)", topic, got, want, err)
		}
	}
	used := map[string]bool{}
	asked := 0
	for range 3000 {
		name, err := segment.FolderName("Same", day, func(s string) bool { asked++; return used[s] })
		if err != nil || used[name] {
			t.Fatalf("%s again (%v)", name, err)
		}
		used[name] = true
	}
	if asked > 3000*30 {
		t.Errorf("asked %d times", asked)
	}
	if name, _ := segment.FolderName("x", time.Time{}, nil); name != "x-undated" {
		t.Error(name)
	}
	if _, err := segment.FolderName("x", day, func(string) bool { return true }); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("all taken: %v", err)
	}
}

func TestSafeName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a.txt": "a.txt", "../../x.sh": "x.sh", `C:\temp\y.doc`: "y.doc", "nul.txt": "_nul.txt", "NUL": "_NUL", "com1.tar.gz": "_com1.tar.gz",
		"": "file", "...": "file", "a:b?.pdf": "a_b_.pdf", ".env": "env", "x. .": "x", "a\u202eb\x07.c": "ab.c", "é": "é", "dir/": "file", "A\x00\u0300": "\u00c0",
	} {
		if got := segment.SafeName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := segment.SafeName(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z.\\/: ]{0,300}`)).Draw(t, "name"))
		if s == "" || len(s) > 121 || strings.ContainsAny(s, "/\\:*?\"<>|\x00\n") || strings.HasSuffix(s, ".") || strings.HasSuffix(s, " ") || s[0] == '.' {
			t.Fatalf("%q", s)
		}
		if segment.SafeName(s) != s {
			t.Fatalf("%q is not stable: %q", s, segment.SafeName(s))
		}
	})
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	code := func(info string, lines int) string {
		return "```" + info + "\n" + strings.Repeat("x = 1\n", lines) + "```\n"
	}
	msgs := []lukasa.Message{
		{Seq: 0, Content: code("python", 5) + code("go", 4) + code("python", 5)},
		{Seq: 1, Content: code("py:src/app/main.py", 6) + code(`ts title="a b.ts"`, 6) + code("js lib/index.js", 7)},
		{Seq: 2, Content: "~~~\n// cmd/tool.go\npackage main\n\nfunc main() {\n}\n~~~"},
		{Seq: 3, Content: "- item\n  ```sh\n  a\n  b\n    c\n  d\n  e\n  ```\n````md\n```\ninside\n```\n# T\n\n````\n```rust\nnot\nclosed\na\nb\nc"},
		{Seq: 4, Metadata: map[string]any{"files": "nonsense", "attachments": []any{
			map[string]any{"name": "MAIN.PY", "type": "text/plain", "content": "print()"},
			map[string]any{"url": "https://x.example/p/photo.jpeg?s=1"},
			map[string]any{"name": "raw.bin", "data": "AAEC", "type": "file"},
			"nonsense",
			map[string]any{},
			map[string]any{"size": 3.0},
			map[string]any{"name": "report.pdf", "size": -4.0},
		}}},
	}
	var got []string
	for _, a := range segment.Artifacts(msgs, 0) {
		got = append(got, fmt.Sprintf("%d %s %s %d", a.Seq, a.Name, a.Type, a.Size))
		if a.Name == "code_snippet_002.sh" && string(a.Data) != "a\nb\n  c\nd\ne\n" {
			t.Errorf("indented: %q", a.Data)
		}
	}
	want := []string{
		"0 code_snippet_001.py text/x-python 30", "1 main.py text/x-python 36", "1 index.js text/javascript 42",
		"2 tool.go text/x-go 45", "3 code_snippet_002.sh text/x-shellscript 12", "3 document_draft_001.md text/markdown 20", "3 code_snippet_003.rs text/x-rust 17",
		"4 MAIN_2.PY text/plain 7", "4 photo.jpeg image/jpeg 0", "4 raw.bin application/octet-stream 3", "4 report.pdf application/pdf 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
