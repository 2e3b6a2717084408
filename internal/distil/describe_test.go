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
	return fmt.Sprintf("title:    %s\nsummary:  %s\nentities: %q\ntopics:   %q\ndates:    %q\nrelated:  %q\ntags:     %q\ncategory: %s %s\n",
		d.Title, d.Summary, d.Keywords.Entities, d.Keywords.Topics, d.Keywords.Dates, d.Keywords.Relationships, d.Tags, d.Category, d.Language)
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
	if d.Language != "en" {
		t.Errorf("language %q", d.Language)
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
		{"note", "Called the plumber about the leaking kitchen tap. He comes on Friday at 10am. It will cost 80 euros.", "text",
			"Called the plumber about the leaking kitchen tap", "note", []string{"leaking kitchen tap", "80 euros."}},
		{"go", "// Package ring keeps the last values of a stream. It never allocates.\npackage ring\n\nimport (\n\t\"fmt\"\n)\n\ntype Buffer struct{}\n\nfunc New(n int) *Buffer { return nil }\nfunc (b *Buffer) Push(v int) {}\n", "code",
			"Package ring keeps the last values of a stream", "code", []string{"Package ring keeps", "Buffer", "New and Push"}},
		{"python", "\"\"\"Reads mail.\"\"\"\nimport os\n\nclass Mailbox:\n    def fetch_all(self):\n        pass\n", "code",
			"Reads mail", "code", []string{"Mailbox", "fetch_all"}},
		{"json object", `{"name": "lamp", "version": 3, "description": "A small red desk lamp from Oslo"}`, "json",
			"lamp", "data", []string{"JSON object with name, version and description.", "version is 3"}},
		{"json array", `[{"city":"Lyon","people":5},{"city":"Nice","people":7}]`, "application/json",
			"JSON array of 2 records with city and people", "data", []string{"In the first, city is Lyon, people is 5."}},
		{"csv", "name;age\nAna;31\nBen;40\n", "csv", "Table of name and age", "data", []string{"2 rows and 2 columns", "name is Ana, age is 31"}},
		{"chat", "Ana: Did you book the hotel in Lisbon?\nBen: Yes, we have two rooms near the river from Friday.\nAna: Great, I will bring the camera.\n", "text",
			"Conversation between Ana and Ben", "conversation", []string{"Conversation between Ana and Ben.", "two rooms near the river"}},
		{"tasks", "- [ ] buy milk\n- [x] call Ana\n- [ ] water the plants\n", "markdown", "buy milk", "task", []string{"buy milk"}},
		{"recipe", "# Carrot soup\n\n## Ingredients\n\n- 500 g carrots\n- 1 tsp salt\n\n## Method\n\nChop the carrots. Simmer them for 20 minutes and stir.\n", "markdown",
			"Carrot soup", "recipe", []string{"carrots"}},
		{"meeting", "# Weekly meeting\n\nAttendees: Ana, Ben\n\nWe decided to ship on Friday. Ben writes the release notes.\n", "markdown",
			"Weekly meeting", "meeting", []string{"decided to ship"}},
		{"email", "From: ana@example.com\nTo: ben@example.com\nSubject: The flat in Lyon\n\nThe landlord has agreed. We can move in on 1 May 2024.\n", "text",
			"The flat in Lyon", "email", []string{"landlord has agreed"}},
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

func TestDates(t *testing.T) { // N-7: relative dates too
	t.Parallel()
	tests := []struct{ in, want string }{
		{"We met yesterday.", "2024-03-05"},
		{"Call me tomorrow morning", "2024-03-07"},
		{"the day before yesterday it rained", "2024-03-04"},
		{"It broke last Friday.", "2024-03-01"},
		{"See you next Friday", "2024-03-15"},
		{"See you this Friday", "2024-03-08"},
		{"The meeting is on Friday", "2024-03-08"},
		{"We went there on Monday", "2024-03-04"},
		{"two weeks ago", "2024-W08"},
		{"3 days ago", "2024-03-03"},
		{"a month ago", "2024-02"},
		{"a year ago", "2023"},
		{"in three weeks", "2024-W13"},
		{"in 2 days", "2024-03-08"},
		{"last month", "2024-02"},
		{"next week", "2024-W11"},
		{"this weekend", "2024-03-09/2024-03-10"},
		{"last weekend", "2024-03-02/2024-03-03"},
		{"next March", "2025-03"},
		{"last March", "2023-03"},
		{"We moved in October", "2023-10"},
		{"I will move in October", "2024-10"},
		{"in 2019", "2019"},
		{"since 2019 we had 2019 users", "2019"},
		{"I will send it on the 5th", "2024-04-05"},
		{"I paid on the 5th", "2024-03-05"},
		{"March 5, 2023", "2023-03-05"},
		{"5 March 2023", "2023-03-05"},
		{"the 5th of March 2023", "2023-03-05"},
		{"Dec. 24", "2023-12-24"},
		{"The wedding will be on June 1st", "2024-06-01"},
		{"2024-03-05", "2024-03-05"},
		{"2024-03-05T17:20:00Z", "2024-03-05T17:20"},
		{"am 5.3.2024", "2024-03-05"},
		{"on 3/5/2024", "2024-03-05"},
		{"on 25/12/2023", "2023-12-25"},
		{"Q3 2024", "2024-Q3"},
		{"last summer", "2023-06/2023-08"},
		{"winter 2022", "2022-12/2023-02"},
		{"in the 1990s", "199X"},
		{"dentist tomorrow at 3:30 pm", "2024-03-07T15:30"},
		{"at 9am on Friday", "2024-03-08T09:00"},
		{"on Friday, March 8 at noon", "2024-03-08T12:00"},
		{"this year", "2024"},
		{"a few days ago", "2024-W09"},
		{"It may rain and we march on", ""},
		{"Version 2.3.2024x and 99/99/2024 and 2024-13-45", ""},
		{"I have 2 weeks of holiday", ""},
		{"He sat in the sun", ""},
		{"There were 2024 people", ""},
		{"February 30", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, m := range distil.Dates(tt.in, wednesday) {
			got = append(got, m.ISO())
			if !m.From.Before(m.To) || tt.in[m.Start:m.End] == "" {
				t.Errorf("%q: bad moment %+v", tt.in, m)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestDatesFollowTheZone(t *testing.T) { // N-7
	t.Parallel()
	at := time.Date(2024, 3, 6, 23, 30, 0, 0, time.UTC).In(time.FixedZone("", 2*3600))
	if got := distil.Dates("yesterday", at)[0].ISO(); got != "2024-03-06" {
		t.Errorf("yesterday is %s", got)
	}
}

func TestEntities(t *testing.T) { // N-7
	t.Parallel()
	text := "Dr. Rivera met Anna Schmidt at Siemens AG in Munich. Schmidt said that the iPhone 15 was late. Later, The University of Oslo called Anna. " +
		"I told NASA on Monday. Running is fun. However, Tom disagreed."
	got := map[string]distil.EntityType{}
	for _, e := range distil.Entities(text) {
		got[e.Name] = e.Type
		if !strings.HasPrefix(text[e.Start:], strings.Fields(e.Name)[0]) {
			t.Errorf("%q is not at %d", e.Name, e.Start)
		}
	}
	want := map[string]distil.EntityType{"Rivera": "person", "Anna Schmidt": "person", "Siemens AG": "organisation", "Munich": "place",
		"University of Oslo": "organisation", "NASA": "organisation", "Tom": "person"}
	for name, typ := range want {
		if got[name] != typ {
			t.Errorf("%s is %q, want %q", name, got[name], typ)
		}
	}
	for _, junk := range []string{"Running", "However", "Monday", "Later", "The"} {
		if _, ok := got[junk]; ok {
			t.Errorf("%s is no entity", junk)
		}
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
			if took := time.Since(start); took > 5*time.Second {
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
	if d.Category == "" || d.Language == "" || !utf8.ValidString(d.Title+d.Summary) {
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
		for _, m := range distil.Dates(s, wednesday) {
			if m.Start < 0 || m.End > len(s) || m.Start >= m.End || m.ISO() == "" {
				t.Fatalf("moment %+v", m)
			}
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
