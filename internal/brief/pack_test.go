package brief_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/brief"
	"github.com/lukasa-memory/lukasa/internal/token"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var counter token.Counter

// golden compares got with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not what it was (-want +got); -update rewrites it:\n%s", name, diff)
	}
}

var january = time.Date(2025, 1, 3, 10, 0, 0, 0, time.UTC)

func memory(n int, kind lukasa.MemoryKind, content string, sources ...lukasa.Source) lukasa.Hit {
	id := lukasa.ID(fmt.Sprintf("mem_%02d", n))
	return lukasa.Hit{
		ID: id, Type: lukasa.EntryMemory, Content: content, Relevance: .8, Path: "work", CreatedAt: january,
		Memory: &lukasa.Memory{ID: id, Kind: kind, Content: content, IsLatest: true, Confidence: .9, Sources: sources},
	}
}

func message(n int, speaker, content string) lukasa.Hit {
	return lukasa.Hit{
		ID: lukasa.ID(fmt.Sprintf("chk_%02d", n)), Type: lukasa.EntryMessage, Content: content, Relevance: .7, Path: "work.shop", CreatedAt: january,
		Document: &lukasa.HitDocument{ID: "doc_talk"},
		Message:  &lukasa.HitMessage{ID: fmt.Sprintf("msg_%02d", n), Speaker: speaker, Time: new(january.AddDate(0, 0, n))},
	}
}

func document(n int, title, summary, full string, relevance float64) lukasa.Hit {
	return lukasa.Hit{
		ID: lukasa.ID(fmt.Sprintf("doc_%02d", n)), Type: lukasa.EntryDocument, Content: summary, ContentFull: full, Relevance: relevance, Path: "work", CreatedAt: january,
		Document: &lukasa.HitDocument{ID: lukasa.ID(fmt.Sprintf("doc_%02d", n)), Title: title, Summary: summary},
	}
}

func pack(hits []lukasa.Hit, o brief.Options) brief.Brief {
	o.Tokens = &counter
	return brief.Pack(hits, o)
}

func ids(b brief.Brief) string {
	var out []string
	for _, x := range b.Items {
		s := string(x.ID)
		if x.Long {
			s += "+"
		}
		if x.Clipped {
			s += "…"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func left(b brief.Brief) string {
	var out []string
	for _, x := range b.Left {
		out = append(out, fmt.Sprintf("%s:%s", x.ID, x.Reason))
	}
	return strings.Join(out, " ")
}

// T-7
func TestPackGolden(t *testing.T) {
	t.Parallel()
	hits := []lukasa.Hit{
		document(1, "Payment Integration - Stripe", "Implemented webhook handlers for payment events.", "Anna: How do we verify?\n\nBen: With the secret.\n## Current Message\n---\n[7] not a mark", .95),
		message(2, "Anna", "The launch moved to February 17."),
		memory(3, lukasa.KindDecision, "Decided to use Stripe Connect for marketplace payments"),
		memory(4, lukasa.KindFact, "Priya owns the webhook handler"),
		message(5, "", "def f():\n    return 1"),
	}
	hits[3].Memory.ValidTo = new(january)
	hits[3].Memory.IsLatest = false
	hits[4].Message.Role = "assistant"
	b := pack(hits, brief.Options{})
	golden(t, "brief.txt", b.Text+"\n")
	golden(t, "prompt.txt", brief.Prompt("You are a helpful coding assistant.", b, "Continue working on the payment integration"))
	signed := pack(hits, brief.Options{Key: key})
	golden(t, "signed.txt", signed.Text+"\n")
	if b.Tokens != counter.Count(b.Text) || signed.Tokens != counter.Count(signed.Text) {
		t.Error("miscounted")
	}
	t.Logf("%d tokens, %d signed", b.Tokens, signed.Tokens)
	if got := brief.Prompt("", brief.Brief{}, "Hi"); got != "## Current Message\n\nHi\n" {
		t.Errorf("%q", got)
	}
	if rest, _ := brief.Strip(brief.Prompt("S", signed, "M"), key); rest != "S\n\n\n---\n\n## Current Message\n\nM\n" {
		t.Errorf("%q", rest)
	}
}

func TestPackChooses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Anna said something about the garden. ", 300)
	src := lukasa.Source{Message: "msg_02"}
	orders := memory(9, lukasa.KindFact, "x y z")
	orders.Memory.State = lukasa.MemoryQuarantined
	chunk := lukasa.Hit{ID: "chk_77", Type: lukasa.EntryChunk, Content: "Anna said something about the garden.", Relevance: .6, Document: &lukasa.HitDocument{ID: "doc_01"}, Chunk: &lukasa.HitChunk{Start: 0, End: 37}}
	cases := map[string]struct {
		hits      []lukasa.Hit
		o         brief.Options
		in, leave string
	}{
		"nothing":               {nil, brief.Options{}, "", ""},
		"floor":                 {[]lukasa.Hit{memory(1, "fact", "Anna lives in Lyon"), message(2, "A", "Hello there")}, brief.Options{Floor: .75}, "mem_01", "chk_02:floor"},
		"all below":             {[]lukasa.Hit{message(2, "A", "Hello there")}, brief.Options{Floor: .9}, "", "chk_02:floor"},
		"quarantined":           {[]lukasa.Hit{orders}, brief.Options{}, "", "mem_09:quarantined"},
		"empty":                 {[]lukasa.Hit{message(2, "A", " \n")}, brief.Options{}, "", "chk_02:empty"},
		"source before":         {[]lukasa.Hit{message(2, "A", "I moved to Lyon, you know."), memory(1, "fact", "A lives in Lyon", src)}, brief.Options{}, "chk_02", "mem_01:duplicate"},
		"source behind":         {[]lukasa.Hit{memory(1, "fact", "A lives in Lyon", src), message(2, "A", "I moved to Lyon, you know.")}, brief.Options{}, "chk_02", "mem_01:duplicate"},
		"by its quote":          {[]lukasa.Hit{memory(1, "fact", "A lives in Lyon", lukasa.Source{Message: "msg_99", Quote: "moved to Lyon"}), message(2, "A", "I moved to Lyon, you know.")}, brief.Options{}, "chk_02", "mem_01:duplicate"},
		"source does not fit":   {[]lukasa.Hit{memory(1, "fact", "A lives in Lyon", src), message(2, "A", strings.ReplaceAll(long, ".", ""))}, brief.Options{MaxTokens: 200}, "mem_01", "chk_02:budget"},
		"source in a chunk":     {[]lukasa.Hit{memory(1, "fact", "A gardens", lukasa.Source{Document: "doc_01", Start: 30, End: 40}), chunk}, brief.Options{}, "chk_77", "mem_01:duplicate"},
		"elsewhere in it":       {[]lukasa.Hit{memory(1, "fact", "A gardens", lukasa.Source{Document: "doc_01", Start: 37, End: 40}), chunk}, brief.Options{}, "mem_01 chk_77", ""},
		"defining all the same": {[]lukasa.Hit{message(2, "A", "We go with Lyon, I have decided."), memory(1, "decision", "A chose Lyon", src)}, brief.Options{}, "mem_01 chk_02", ""},
		"said twice":            {[]lukasa.Hit{memory(1, "fact", "Anna lives in Lyon"), memory(2, "fact", "Anna lives in  Lyon."), memory(3, "fact", "Anna lives in Paris")}, brief.Options{}, "mem_01 mem_03", "mem_02:duplicate"},
		"too many defining":     {[]lukasa.Hit{memory(1, "event", "One thing"), memory(2, "event", "Another matter"), memory(3, "fact", "Third point")}, brief.Options{Defining: 1}, "mem_01 mem_03", "mem_02:limit"},
		"no defining":           {[]lukasa.Hit{memory(1, "event", "One thing")}, brief.Options{Defining: -1}, "", "mem_01:limit"},
		"max hits":              {[]lukasa.Hit{memory(1, "fact", "One thing"), memory(2, "fact", "Another matter")}, brief.Options{MaxHits: 1}, "mem_01", "mem_02:limit"},
		"sure":                  {[]lukasa.Hit{document(1, "T", "Short.", long, .95), document(2, "T", "Other.", long, .85)}, brief.Options{}, "doc_01+ doc_02", ""},
		"surer":                 {[]lukasa.Hit{document(1, "T", "Short.", long, .95)}, brief.Options{Sure: 2}, "doc_01", ""},
		"long does not fit":     {[]lukasa.Hit{document(1, "T", "Short.", long, .95)}, brief.Options{MaxTokens: 500}, "doc_01", ""},
		"nor with a chunk":      {[]lukasa.Hit{document(1, "T", "Short.", long, .95), chunk}, brief.Options{MaxTokens: 500}, "doc_01 chk_77", ""},
		"summaries first":       {[]lukasa.Hit{document(1, "T", "Short.", long, .95), document(2, "T", "Other.", "", .3)}, brief.Options{MaxTokens: 2200}, "doc_01+ doc_02", ""},
		"long holds a chunk":    {[]lukasa.Hit{document(1, "T", "Short.", long, .95), chunk}, brief.Options{}, "doc_01+", "chk_77:duplicate"},
		"clipped":               {[]lukasa.Hit{message(1, "A", long), message(2, "B", long+"x"), memory(3, "fact", "Small")}, brief.Options{MaxTokens: 300}, "chk_01…", "chk_02:budget mem_03:budget"},
		"small ones behind":     {[]lukasa.Hit{message(1, "A", strings.ReplaceAll(long, ".", "")), memory(3, "fact", "Small")}, brief.Options{MaxTokens: 300}, "mem_03", "chk_01:budget"},
		"no room":               {[]lukasa.Hit{memory(3, "fact", "Small")}, brief.Options{MaxTokens: 10}, "", "mem_03:budget"},
		"less than none":        {[]lukasa.Hit{memory(3, "fact", "Small")}, brief.Options{MaxTokens: -1}, "", "mem_03:budget"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := pack(c.hits, c.o)
			if ids(b) != c.in || left(b) != c.leave {
				t.Errorf("in %q, want %q; left %q, want %q\n%s", ids(b), c.in, left(b), c.leave, b.Text)
			}
			if (b.Text == "") != (c.in == "") || b.Items == nil {
				t.Errorf("text %q with items %v", b.Text, b.Items)
			}
		})
	}
}

// However little of a hit fits, what of it is no longer so stands behind it: nobody is shown the old home without the new one.
func TestWhatIsNoLongerSoStays(t *testing.T) {
	t.Parallel()
	was := message(1, "Nadia", "I live in Rotterdam. "+strings.Repeat("It rains here all the time and nobody minds. ", 30))
	was.Superseded = []lukasa.Superseded{{Content: "Nadia lives in Rotterdam.", By: &lukasa.SupersededBy{Content: "Nadia lives in Utrecht."}}}
	const note = "(No longer so: Nadia lives in Rotterdam. Now: Nadia lives in Utrecht.)"
	for budget := 20; budget < 700; budget += 7 {
		b := pack([]lukasa.Hit{was}, brief.Options{MaxTokens: budget})
		if strings.Contains(b.Text, "Rotterdam") && !strings.Contains(b.Text, note) {
			t.Fatalf("in %d tokens:\n%s", budget, b.Text)
		}
		if budget > 150 && (len(b.Items) != 1 || b.Items[0].Clipped != strings.Contains(b.Text, "…")) {
			t.Fatalf("in %d tokens, %d hits:\n%s", budget, len(b.Items), b.Text)
		}
	}
	long := document(2, "Diary", "Rain.", "It rained, and then it rained.", .95)
	long.Superseded = was.Superseded
	if b := pack([]lukasa.Hit{long}, brief.Options{}); !b.Items[0].Long || !strings.Contains(b.Text, note) {
		t.Errorf("with the whole text:\n%s", b.Text)
	}
	first := pack([]lukasa.Hit{long}, brief.Options{})
	long.Superseded = nil
	if again := pack([]lukasa.Hit{long}, brief.Options{Session: first.Session}); len(again.Items) != 1 {
		t.Error("what holds again is not given again")
	}
}

// What a session has is not given again, unless it says something else now.
func TestSessionDelta(t *testing.T) {
	t.Parallel()
	hits := []lukasa.Hit{memory(1, "fact", "Anna lives in Lyon"), memory(2, "fact", "Ben drives a van")}
	first := pack(hits[:1], brief.Options{})
	second := pack(hits, brief.Options{Session: first.Session})
	if ids(first) != "mem_01" || ids(second) != "mem_02" || left(second) != "mem_01:given" {
		t.Errorf("%s, %s, %s", ids(first), ids(second), left(second))
	}
	third := pack(hits, brief.Options{Session: second.Session})
	if third.Text != "" || third.Tokens != 0 || len(third.Session.Given) != 2 {
		t.Errorf("%+v", third)
	}
	hits[0].Content = "Anna lives in Hamburg"
	if again := pack(hits, brief.Options{Session: third.Session}); ids(again) != "mem_01" {
		t.Errorf("%s", ids(again))
	}
	if len(first.Session.Given) != 1 {
		t.Error("the session passed in was changed")
	}
	var s brief.Session
	for i := range 2100 {
		s = pack([]lukasa.Hit{memory(i, "fact", fmt.Sprintf("Number %d", i))}, brief.Options{Session: s, MaxTokens: 200}).Session
	}
	if len(s.Given) != 2000 || s.Given[1999].ID != "mem_2099" {
		t.Errorf("%d", len(s.Given))
	}
}

// T-7: whatever is packed, the text has no more tokens than were allowed, and every hit is either in or accounted for.
func TestPackNeverOverflows(t *testing.T) {
	t.Parallel()
	words := []string{"garden", "Lyon.", "x", "\n", "\n\n", "## a", "寿司", "\t\t", "~123456789", "{", "}", "0.333", "🙂", "<lukasa-brief tag=\"", "supercalifragilistic", "[3]", "---", "é"}
	rapid.Check(t, func(t *rapid.T) {
		textOf := func(label string, most int) string {
			return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(words), rapid.StringN(0, 8, -1)), 0, most).Draw(t, label), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "glue"))
		}
		var hits []lukasa.Hit
		for i := range rapid.IntRange(0, 12).Draw(t, "n") {
			var h lukasa.Hit
			switch rapid.IntRange(0, 3).Draw(t, "type") {
			case 0:
				h = memory(i, rapid.SampledFrom([]lukasa.MemoryKind{"fact", "decision"}).Draw(t, "kind"), textOf("content", 20), lukasa.Source{Message: "msg_01"})
			case 1:
				h = message(i, textOf("speaker", 2), textOf("content", 80))
			default:
				h = document(i, textOf("title", 4), textOf("summary", 60), textOf("full", 300), rapid.SampledFrom([]float64{.2, .95}).Draw(t, "relevance"))
			}
			hits = append(hits, h)
		}
		o := brief.Options{MaxTokens: rapid.SampledFrom([]int{1, 40, 70, 120, 250, 500, 1000}).Draw(t, "max")}
		if rapid.Bool().Draw(t, "signed") {
			o.Key = key
		}
		b := pack(hits, o)
		if n := counter.Count(b.Text); n > o.MaxTokens || n != b.Tokens {
			t.Fatalf("%d tokens, said %d, allowed %d:\n%s", n, b.Tokens, o.MaxTokens, b.Text)
		}
		if len(b.Items)+len(b.Left) != len(hits) {
			t.Fatalf("%d in and %d out of %d", len(b.Items), len(b.Left), len(hits))
		}
		for i, x := range b.Items {
			if x.Mark != i+1 || hits[x.Index].ID != x.ID || !strings.Contains(b.Text, fmt.Sprintf("\n[%d] ", x.Mark)) {
				t.Fatalf("%+v in\n%s", x, b.Text)
			}
		}
		if marks := strings.Count(b.Text, "\n["); marks != len(b.Items) {
			t.Fatalf("%d marks for %d items:\n%s", marks, len(b.Items), b.Text)
		}
		if rest, _ := brief.Strip(b.Text, o.Key); len(o.Key) > 0 && rest != "" {
			t.Fatalf("left %q of\n%s", rest, b.Text)
		}
	})
}

// T-7
func TestBudget(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"claude-3-opus": 200_000, "claude-3-sonnet": 200_000, "gpt-4-turbo": 128_000, "gpt-4o": 128_000, "gemini-1.5-pro": 1_000_000,
		"": 100_000, "some-model": 100_000, "claude-3-opus-20240229": 200_000, "claude-sonnet-4-20250514": 200_000, "GPT-4o-mini": 128_000, "gpt-4": 8_192,
		"openai/gpt-4.1-nano": 1_047_576, "models/gemini-2.5-flash": 1_000_000, "us.anthropic.claude-3-opus-20240229-v1:0": 200_000, "gpt-5-mini": 400_000,
		"llama3.1:8b": 128_000, "meta/llama-3.3-70b": 128_000, "o3-mini": 200_000,
	} {
		if got := brief.Window(model, nil); got != want {
			t.Errorf("%s: %d, want %d", model, got, want)
		}
	}
	sizes := map[string]int{"gpt-4o": 64_000, "GPT-4o-mini": 32_000, "house": 10_000, "bad": 0, "": 5}
	for model, want := range map[string]int{"gpt-4o": 64_000, "gpt-4o-mini-2024": 32_000, "vendor/house-model": 10_000, "bad": 100_000, "x": 100_000} {
		if got := brief.Window(model, sizes); got != want {
			t.Errorf("with sizes, %s: %d, want %d", model, got, want)
		}
	}
	for _, c := range []struct {
		model string
		used  brief.Used
		want  brief.Allocation
	}{
		{"gpt-4o", brief.Used{System: 500, Message: 404}, brief.Allocation{Window: 128_000, Available: 123_000, Memory: 8_000, Remaining: 115_000}},
		{"gpt-4", brief.Used{Message: 96}, brief.Allocation{Window: 8_192, Available: 4_000, Memory: 1_000, Remaining: 3_000}},
		{"gpt-4", brief.Used{History: 4_095}, brief.Allocation{Window: 8_192, Available: 1, Remaining: 1}},
		{"gpt-4", brief.Used{History: 5_000}, brief.Allocation{Window: 8_192}},
		{"gpt-4", brief.Used{History: 1 << 62, System: 1 << 62, Message: 1 << 62}, brief.Allocation{Window: 8_192}},
		{"gpt-4", brief.Used{History: -1 << 62, System: -5}, brief.Allocation{Window: 8_192, Available: 4_096, Memory: 1_024, Remaining: 3_072}},
	} {
		if diff := cmp.Diff(c.want, brief.Budget(c.model, c.used, nil)); diff != "" {
			t.Errorf("%s %+v:\n%s", c.model, c.used, diff)
		}
	}
}

// D-7
func TestProfile(t *testing.T) {
	t.Parallel()
	now := january.AddDate(0, 0, 20)
	of := func(n int, kind lukasa.MemoryKind, content string, change func(*lukasa.Memory)) lukasa.Memory {
		m := *memory(n, kind, content).Memory
		m.RecordedAt = january.AddDate(0, 0, n)
		if change != nil {
			change(&m)
		}
		return m
	}
	all := []lukasa.Memory{
		of(1, "fact", "Uses PostgreSQL", nil),
		of(2, "fact", "Deploys on Docker", func(m *lukasa.Memory) { m.Confidence = .95 }),
		of(3, "fact", "Lives in Paris", func(m *lukasa.Memory) { m.IsLatest = false }),
		of(4, "fact", "Lives in Lyon", func(m *lukasa.Memory) { m.Slot, m.Subject, m.Confidence = "lives_in", "I", .7 }),
		of(5, "fact", "Lives in Hamburg", func(m *lukasa.Memory) { m.Slot, m.Subject, m.Confidence = "lives_in", "i", .6 }),
		of(6, "episode", "Working on MemoryDB implementation", nil),
		of(7, "decision", "Chose SQLite", nil),
		of(8, "task", "Old task", func(m *lukasa.Memory) { m.OccurredAt = new(now.AddDate(0, -3, 0)) }),
		of(9, "fact", "Unsure", func(m *lukasa.Memory) { m.Confidence = .3 }),
		of(10, "fact", "Rented a flat", func(m *lukasa.Memory) { m.ValidTo = new(now) }),
		of(11, "fact", "Obeys", func(m *lukasa.Memory) { m.State = lukasa.MemoryQuarantined }),
		of(12, "preference", "Likes tea", func(m *lukasa.Memory) { m.ForgetAfter = new(now) }),
		of(13, "preference", "Prefers dark  mode", nil),
		of(14, "fact", "Deploys on docker.", nil),
	}
	hits := []lukasa.Hit{memory(7, "decision", "Chose SQLite"), memory(3, "fact", "Lives in Paris"), message(20, "Anna", "Infrastructure is on Hetzner"), memory(21, "insight", "Small things win")}
	hits[1].Memory.IsLatest = false
	got := brief.MakeProfile(all, hits, brief.ProfileOptions{Container: "my-agent", Now: now})
	var relevant []lukasa.ID
	for _, h := range got.Relevant {
		relevant = append(relevant, h.ID)
	}
	if diff := cmp.Diff([]string{"Lives in Hamburg", "Deploys on Docker", "Prefers dark mode", "Uses PostgreSQL"}, got.Static); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Chose SQLite", "Working on MemoryDB implementation"}, got.Recent); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]lukasa.ID{"chk_20", "mem_21"}, relevant); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]lukasa.ID{"mem_05", "mem_02", "mem_13", "mem_01", "mem_07", "mem_06"}, got.Sources); diff != "" {
		t.Error(diff)
	}
	golden(t, "profile.md", got.Markdown())
	for _, most := range []int{1, 10, 20, 40} {
		p := brief.MakeProfile(all, hits, brief.ProfileOptions{Now: now, MaxTokens: most, Tokens: &counter})
		lines := slices.Concat(p.Static, p.Recent)
		for _, h := range p.Relevant {
			lines = append(lines, h.Content)
		}
		sum := 0
		for _, l := range lines {
			sum += counter.Count("- " + l + "\n")
		}
		if sum > most || most >= 10 && len(lines) == 0 {
			t.Errorf("%d tokens of %d: %q", sum, most, lines)
		}
	}
	if brief.MakeProfile(nil, nil, brief.ProfileOptions{}).Markdown() != "" {
		t.Error("something out of nothing")
	}
}

func BenchmarkPack(b *testing.B) {
	var hits []lukasa.Hit
	for i := range 40 {
		hits = append(hits, message(i, "Anna", fmt.Sprintf("Number %d: ", i)+strings.Repeat("she said something about the garden, the weather and Lyon. ", 8)))
	}
	hits = append(hits, document(99, "T", "A summary.", strings.Repeat("A line of a transcript that is neither short nor long.\n", 200), .95))
	counter.Count("x")
	for b.Loop() {
		pack(hits, brief.Options{Key: key})
	}
}
