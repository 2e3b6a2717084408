package distil_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/distil"
)

// wednesday is the day on which the texts of these tests are written.
var wednesday = time.Date(2024, 3, 6, 15, 30, 0, 0, time.UTC)

func show(d distil.Description) string {
	return fmt.Sprintf("title:    %s\nsummary:  %s\nentities: %q\ntopics:   %q\ndates:    %q\nrelated:  %q\ntags:     %q\ncategory: %s\n",
		d.Title, d.Summary, d.Keywords.Entities, d.Keywords.Topics, d.Keywords.Dates, d.Keywords.Relationships, d.Tags, d.Category)
}

const article = `# How we moved our search to PostgreSQL

Last summer our team at Harbour Labs replaced Elasticsearch with PostgreSQL. The old search cluster cost us 4,000 euros a month
and failed twice in June 2023. Maria Lopez led the migration from Berlin.

## Why

Click here to subscribe to our newsletter. Elasticsearch is a fine search engine, but our search index had only two million rows.
PostgreSQL full text search answers in 20 milliseconds. It also keeps the index and the rows in one transaction.

## What we learned

The migration took six weeks. Maria wrote the tokenizer and Lopez's benchmark showed that ranking was the hard part of the search.
Harbour Labs acquired Fernweh in March 2022, whose search we still have to move.
`

func TestDescribeArticle(t *testing.T) { // H-10, N-4, N-7
	t.Parallel()
	d := distil.Describe(article, "", "markdown", wednesday)
	t.Log("\n" + show(d))
	if d.Title != "How we moved our search to PostgreSQL" {
		t.Errorf("title %q", d.Title)
	}
	if n := strings.Count(d.Summary, ". ") + 1; n < 2 || n > 3 {
		t.Errorf("summary has %d sentences: %s", n, d.Summary)
	}
	if !strings.Contains(d.Summary, "replaced Elasticsearch with PostgreSQL") || strings.Contains(d.Summary, "newsletter") {
		t.Errorf("summary misses the point: %s", d.Summary)
	}
	for _, want := range []string{"Harbour Labs", "Maria Lopez", "Berlin", "PostgreSQL", "Elasticsearch"} {
		if !slices.Contains(d.Keywords.Entities, want) {
			t.Errorf("entity %s is missing: %q", want, d.Keywords.Entities)
		}
	}
	if diff := cmp.Diff([]string{"2023-06/2023-08", "2023-06", "2022-03"}, d.Keywords.Dates); diff != "" {
		t.Errorf("dates: %s", diff)
	}
	if !slices.Contains(d.Keywords.Relationships, "Harbour Labs acquired Fernweh") {
		t.Errorf("relationships %q", d.Keywords.Relationships)
	}
	if !slices.Contains(d.Tags, "search") || len(d.Tags) > 5 {
		t.Errorf("tags %q", d.Tags)
	}
	if again := distil.Describe(article, "", "markdown", wednesday); !cmp.Equal(d, again) {
		t.Error("not deterministic")
	}
}

func TestDescribeKinds(t *testing.T) { // H-10
	t.Parallel()
	tests := []struct {
		name, text, kind string
		title, category  string
		summary          []string // parts of it
	}{
		{
			"note", "Called the plumber about the leaking kitchen tap. He comes on Friday at 10am. It will cost 80 euros.", "text",
			"Called the plumber about the leaking kitchen tap", "note",
			[]string{"leaking kitchen tap", "80 euros."},
		},
		{
			"go", "// Package ring keeps the last values of a stream. It never allocates.\npackage ring\n\nimport (\n\t\"fmt\"\n)\n\ntype Buffer struct{}\n\nfunc New(n int) *Buffer { return nil }\nfunc (b *Buffer) Push(v int) {}\n", "code",
			"Package ring keeps the last values of a stream", "code",
			[]string{"Package ring keeps", "Buffer", "New and Push"},
		},
		{
			"python", "\"\"\"Reads mail.\"\"\"\nimport os\n\nclass Mailbox:\n    def fetch_all(self):\n        pass\n", "code",
			"Reads mail", "code",
			[]string{"Mailbox", "fetch_all"},
		},
		{
			"json object", `{"name": "lamp", "version": 3, "description": "A small red desk lamp from Oslo"}`, "json",
			"lamp", "data",
			[]string{"JSON object with name, version and description.", "version is 3"},
		},
		{
			"json array", `[{"city":"Lyon","people":5},{"city":"Nice","people":7}]`, "application/json",
			"JSON array of 2 records with city and people", "data",
			[]string{"In the first, city is Lyon, people is 5."},
		},
		{"csv", "name;age\nAna;31\nBen;40\n", "csv", "Table of name and age", "data", []string{"2 rows and 2 columns", "name is Ana, age is 31"}},
		{
			"chat", "Ana: Did you book the hotel in Lisbon?\nBen: Yes, we have two rooms near the river from Friday.\nAna: Great, I will bring the camera.\n", "text",
			"Conversation between Ana and Ben", "conversation",
			[]string{"Conversation between Ana and Ben.", "two rooms near the river"},
		},
		{"tasks", "- [ ] buy milk\n- [x] call Ana\n- [ ] water the plants\n", "markdown", "buy milk", "task", []string{"buy milk"}},
		{
			"recipe", "# Carrot soup\n\n## Ingredients\n\n- 500 g carrots\n- 1 tsp salt\n\n## Method\n\nChop the carrots. Simmer them for 20 minutes and stir.\n", "markdown",
			"Carrot soup", "recipe",
			[]string{"carrots"},
		},
		{
			"meeting", "# Weekly meeting\n\nAttendees: Ana, Ben\n\nWe decided to ship on Friday. Ben writes the release notes.\n", "markdown",
			"Weekly meeting", "meeting",
			[]string{"decided to ship"},
		},
		{
			"email", "From: ana@example.com\nTo: ben@example.com\nSubject: The flat in Lyon\n\nThe landlord has agreed. We can move in on 1 May 2024.\n", "text",
			"The flat in Lyon", "email",
			[]string{"landlord has agreed"},
		},
		{"broken json", `{"a": `, "json", `{"a"`, "note", nil},
		{"cjk", "東京の天気は晴れです。明日は雨が降るでしょう。", "text", "東京の天気は晴れです。", "note", []string{"東京"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := distil.Describe(tt.text, "", tt.kind, wednesday)
			if d.Title != tt.title || d.Category != tt.category {
				t.Errorf("title %q category %q\n%s", d.Title, d.Category, show(d))
			}
			for _, part := range tt.summary {
				if !strings.Contains(d.Summary, part) {
					t.Errorf("summary lacks %q\n%s", part, show(d))
				}
			}
		})
	}
}

func TestDescribeKeepsTheGivenTitle(t *testing.T) { // H-10
	t.Parallel()
	d := distil.Describe(article, " My  title\n", "markdown", wednesday)
	if d.Title != "My title" {
		t.Errorf("title %q", d.Title)
	}
	long := distil.Describe(strings.Repeat("word and sentence ", 40), "", "text", wednesday)
	if n := utf8.RuneCountInString(long.Title); n > 80 || n < 50 {
		t.Errorf("title of %d characters: %q", n, long.Title)
	}
}

func TestDescribeIsLinear(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"prose":  article + "\n",
		"word":   "x",
		"caps":   "Ab ",
		"quotes": `"'`,
		"items":  "- a\n",
		"dates":  "in two weeks ",
		"turns":  "Ana: hi\n",
		"braces": "[{",
	} {
		for _, kind := range []string{"text", "json", "csv", "code"} {
			s := strings.Repeat(unit, (1<<20)/len(unit))
			start := time.Now()
			distil.Describe(s, "", kind, wednesday)
			if took := time.Since(start); took > time.Minute { // a second or two; what is not linear takes hours
				t.Errorf("%s as %s: %v for 1 MB", name, kind, took)
			}
		}
	}
}

func checkDescription(t *testing.T, s string, d distil.Description) {
	t.Helper()
	if n := utf8.RuneCountInString(d.Title); n > 80 || strings.ContainsAny(d.Title, "\n\r") {
		t.Fatalf("title of %d characters: %q", n, d.Title)
	}
	if n := len(strings.Fields(d.Summary)); n > 201 {
		t.Fatalf("summary of %d words", n)
	}
	for _, tag := range d.Tags {
		if tag == "" || strings.ContainsAny(tag, " \n") || tag != strings.ToLower(tag) {
			t.Fatalf("tag %q of %q", tag, s)
		}
	}
	if d.Category == "" || !utf8.ValidString(d.Title+d.Summary) {
		t.Fatalf("description %+v of %q", d, s)
	}
}

func FuzzDescribe(f *testing.F) {
	for _, s := range []string{article, "", " ", "\x00", "a", "’s", "'s", "don’t", "Ana: hi\nBen: yo\n", `{"a":[1,{"b":"c d"}]}`, "a,b\n1,2", "- [ ] x", "Dr. A. B. C.", "Q9 2024-99-99 5.", "# \n", "İstanbul İ’s N’T"} {
		f.Add(s, "text")
		f.Add(s, "json")
		f.Add(s, "csv")
		f.Add(s, "code")
	}
	f.Fuzz(func(t *testing.T, s, kind string) {
		d := distil.Describe(s, "", kind, wednesday)
		checkDescription(t, s, d)
		if again := distil.Describe(s, "", kind, wednesday); !cmp.Equal(d, again) {
			t.Fatalf("not deterministic: %s", cmp.Diff(d, again))
		}
	})
}

func BenchmarkDescribe(b *testing.B) {
	for name, s := range map[string]string{"note": article[:300], "article": article, "1MB": strings.Repeat(article, (1<<20)/len(article))} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				distil.Describe(s, "", "markdown", wednesday)
			}
		})
	}
}
