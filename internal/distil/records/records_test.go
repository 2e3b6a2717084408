package records

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestDates(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2024-03-12":                             "2024-03-12",
		"2024/03/12":                             "2024-03-12",
		"2024.3.2":                               "2024-03-02",
		"20240312":                               "2024-03-12",
		"12.03.2024":                             "2024-03-12",
		"31/12/2024":                             "2024-12-31",
		"12/31/2024":                             "2024-12-31",
		"03/04/2024":                             "",
		"04/04/2024":                             "2024-04-04",
		"12 March 2024":                          "2024-03-12",
		"12th of March, 2024":                    "2024-03-12",
		"Tuesday, 12 March 2024":                 "2024-03-12",
		"March 12, 2024":                         "2024-03-12",
		"Mar 12th, 2024":                         "2024-03-12",
		"12-Mar-2024":                            "2024-03-12",
		"12. März 2024":                          "2024-03-12",
		"5. Januar 2021":                         "2021-01-05",
		"Tue Apr 2 11:20:05 2024 +0200":          "2024-04-02",
		"Fri, 8 Dec 2023 14:33:10 +0100":         "2023-12-08",
		"2024-03-12T08:00:00Z":                   "2024-03-12",
		"accepted on 2024-03-12 by the board":    "2024-03-12",
		"2024-02-30":                             "",
		"YYYY-MM-DD":                             "",
		"1.2.3":                                  "",
		"12 March":                               "2023-03-12",
		"20 December":                            "2022-12-20",
		"the 12 apostles":                        "",
		"1234567890":                             "",
		"may 5 people come":                      "2023-05-05",
		strings.Repeat("x ", 400) + "2024-03-12": "",
	} {
		got := ""
		if d, ok := findDate(in, time.Date(2023, 6, 1, 0, 0, 0, 0, time.UTC)); ok {
			got = isoDay(d.day)
		}
		if got != want {
			t.Errorf("%.60q is %q, not %q", in, got, want)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Accepted":                                   statusAccepted,
		"\u2705 Accepted (2024-03-12)":               statusAccepted,
		"**accepted**":                               statusAccepted,
		"~~Proposed~~ Accepted":                      statusAccepted,
		"Proposed -> Accepted":                       statusAccepted,
		"Accepted 2018-10-01, deprecated 2021-06-15": statusDeprecated,
		"Accepted (was proposed in May)":             statusAccepted,
		"superseded by [ADR-0012](0012-draft.md)":    statusSuperseded,
		"Not accepted":                               statusRejected,
		"Akzeptiert":                                 statusAccepted,
		"Ersetzt durch ADR 10":                       statusSuperseded,
		"Withdrawn":                                  statusRejected,
		"Draft":                                      statusProposed,
		"beta":                                       "",
		"see the minutes":                            "",
		"":                                           "",
	} {
		if got := parseStatus(in); got.word != want || got.isForm {
			t.Errorf("%q is %+v, not %q", in, got, want)
		}
	}
	for _, in := range []string{"proposed | accepted | rejected", "[Proposed, Accepted, Deprecated]", "Proposed / Accepted", "{proposed | … | superseded by ADR-0123}"} {
		if !parseStatus(in).isForm {
			t.Errorf("%q is not taken as a form", in)
		}
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"[ADR-0003](0003-use-csv.md)":            "[{3 0003-use-csv.md}]",
		"[3. Use CSV](0003-use-csv.md)":          "[{3 0003-use-csv.md}]",
		"ADR-0005, ADR-0007":                     "[{5 } {7 }]",
		"0021-serve-tiles.md":                    "[{21 0021-serve-tiles.md}]",
		"20200102-old.md":                        "[{ 20200102-old.md}]",
		"#12":                                    "[{12 }]",
		"12":                                     "[{12 }]",
		"[the old one](https://example.org/a/b)": "[{ https://example.org/a/b}]",
		"RFC 9 and [RFC 9](0009-x.md)":           "[{9 0009-x.md}]",
		"nothing":                                "[]",
	} {
		if got := fmt.Sprint(refsIn(in)); got != want {
			t.Errorf("%q names %s, not %s", in, got, want)
		}
	}
}

// shapes are texts that make a careless reader look at the same bytes again and again.
var shapes = map[string]string{
	"headings":    "# a\n## Decision\n### b\n#### Status\n",
	"labels":      "## ADR-001: x\n",
	"bare words":  "Decision\n\nStatus\n\nContext\n\n",
	"markers":     "Decision:\nAction:\n",
	"items":       "- [ ] a\n  - b\n",
	"versions":    "## 1.2.3 (2024-01-02)\n\n- Added a\n",
	"paragraph":   "we will and we will not ",
	"lines":       "Status: accepted\n",
	"table":       "| Action | Owner |\n|---|---|\n| do it | Ben |\n",
	"open fence":  "```\n# a\n",
	"comments":    "<!-- a\n",
	"brackets":    "[[[[((((",
	"commits":     "commit 5b1c9d20e3aa4f1177c0d8e2f96b7a3410cd88e1\nAuthor: A\n\n    Revert \"a\"\n\n",
	"patches":     "From 5b1c9d20e3aa4f1177c0d8e2f96b7a3410cd88e1 Mon Sep 17 00:00:00 2001\nSubject: a\n b\n\nc\n---\n",
	"debian":      "a (1.0) b; urgency=low\n\n  * Remove c\n\n -- D <d@e>  Sat, 11 Feb 2023 08:15:30 +0100\n\n",
	"underlines":  "Decision\n--------\n",
	"front":       "---\na: b\n",
	"blank lines": "\n\n\n",
	"commit line": "## x\nCommit: 5b1c9d20e3aa4f1177c0d8e2f96b7a3410cd88e1\n",
}

// TestWorkIsLinear counts the bytes that are looked at: twice the text is at most a little more than twice the work,
// and no text is looked at more than a few times.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	heads := []string{"", "# Minutes of the weekly, 3 May 2024\n\nPresent: Ben\n\n", "# Changelog\n\n", "# ADR 7: x\n\nStatus: accepted\n\n## Decision\n\n", "commit 5b1c9d20e3aa\nAuthor: A\n\n"}
	for name, unit := range shapes {
		for _, head := range heads {
			count := func(size int) int {
				_, _, work := read(Document{Name: "docs/adr/0007-x.md", Text: head + strings.Repeat(unit, size/len(unit))})
				return work
			}
			small, large := count(1<<14), count(1<<16)
			if large > 5*small+1<<14 {
				t.Errorf("%s behind %.20q: 4 times the text is %.1f times the work", name, head, float64(large)/float64(small))
			}
			if large > 40<<16 {
				t.Errorf("%s behind %.20q: each byte is looked at %d times", name, head, large>>16)
			}
		}
	}
}

// FuzzRead looks for texts that break the promises of Read: no panic, spans inside the text, content on one line that
// names no user.
func FuzzRead(f *testing.F) {
	for _, s := range shapes {
		f.Add("notes.md", s)
	}
	f.Add("docs/adr/0001-x.md", "# 1. X\n\nDate: 2024-01-02\n\n## Status\n\nAccepted\n\n## Context\n\na\n\n## Decision\n\nWe will x.\n")
	f.Add("CHANGELOG.md", "# Changelog\n\n## [1.0.0] - 2024-01-02\n\n### Removed\n\n- the old one\n")
	f.Add("minutes.md", "Minutes of the board, 3 May 2024\n\nDecision: we wait.\nAction (Ben): order it\n- [ ] @hui call\n")
	f.Add("a.rst", ":Status: Accepted\n\n0001. T\n#######\n\nDecision\n********\n\n* a `b <c>`_\n")
	f.Fuzz(func(t *testing.T, name, s string) {
		head, list, work := read(Document{Name: name, Text: s})
		if work > 200*len(s)+4096 {
			t.Fatalf("%d bytes took %d", len(s), work)
		}
		if strings.Contains(head.Author, "\n") || strings.Contains(head.Status, "\n") {
			t.Fatalf("head %q is not one line", head)
		}
		for _, st := range list {
			if st.Start < 0 || st.End > len(s) || st.Start >= st.End {
				t.Fatalf("span %d to %d of %d bytes: %s", st.Start, st.End, len(s), st.Content)
			}
			if st.Content == "" || strings.Contains(st.Content, "\n") || !utf8.ValidString(st.Content) || !st.Kind.Valid() {
				t.Fatalf("content %q of kind %q", st.Content, st.Kind)
			}
		}
	})
}
