package segment

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// File names of a recall file. Artifacts stand in the folder [ArtifactsDir].
const (
	SummaryFile    = "summary.md"
	KeywordsFile   = "keywords.txt"
	TranscriptFile = "transcript.md"
	ArtifactsDir   = "artifacts"
)

// RecallFile is a closed stretch of a conversation as files.
type RecallFile struct {
	Folder     string
	Summary    string // summary.md
	Keywords   string // keywords.txt
	Transcript string // transcript.md
	Artifacts  []Artifact
}

// Sheet is what a recall file's summary.md says. Describe makes one by rules; a model may fill its texts as well.
type Sheet struct {
	Topic     string
	From, To  time.Time // of the first and last message; zero when unknown
	Tokens    int
	Overview  string // paragraphs parted by blank lines
	KeyPoints []string
	Topics    []string
}

// Source is what [Render] needs beside the description.
type Source struct {
	Folder    string
	Messages  []lukasa.Message
	Tokens    int
	Finalized time.Time // zero while the stretch is open
	CodeLines int       // lines that make a block of code an artifact; 0 means 5
}

// Render writes the files of a recall file.
func Render(src Source, d Description) (RecallFile, error) {
	f := RecallFile{Folder: src.Folder}
	shelf := newShelf(src.CodeLines)
	var b strings.Builder
	size := 1 << 10
	for i := range src.Messages {
		size += len(src.Messages[i].Content) + 300
	}
	b.Grow(size)
	from, to := Dates(src.Messages)
	head := Transcript{Folder: src.Folder, Started: from, Finalized: src.Finalized}
	if err := WriteTranscript(&b, head, slices.Values(src.Messages), shelf.take); err != nil {
		return RecallFile{}, err
	}
	f.Transcript = b.String()
	f.Artifacts = shelf.list
	sheet := Sheet{
		Topic: d.Topic, From: from, To: to, Tokens: src.Tokens, Overview: d.Overview, KeyPoints: d.KeyPoints, Topics: d.Keywords.Topics,
	}
	f.Summary = sheet.Markdown(f.Artifacts)
	f.Keywords = KeywordLines(d.Frequencies)
	return f, nil
}

// Dates returns the times of the earliest and the latest message, by their own time or else when they arrived.
func Dates(msgs []lukasa.Message) (from, to time.Time) {
	for _, m := range msgs {
		at, _ := when(m)
		if at.IsZero() {
			continue
		}
		if from.IsZero() || at.Before(from) {
			from = at
		}
		if to.IsZero() || at.After(to) {
			to = at
		}
	}
	return from, to
}

// Size counts messages and their tokens.
func Size(msgs []lukasa.Message) (count, tokens int) {
	for _, m := range msgs {
		tokens += m.Tokens
	}
	return len(msgs), tokens
}

// Markdown writes a summary.md. Every heading is there; "None" stands for an empty list.
func (s Sheet) Markdown(artifacts []Artifact) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Summary: %s\n\n", lexis.OneLine(s.Topic))
	fmt.Fprintf(&b, "**Date Range:** %s - %s\n**Token Count:** %d\n\n## Overview\n\n", day(s.From), day(s.To), s.Tokens)
	overview := plainParagraphs(s.Overview)
	if overview == "" {
		overview = "None"
	}
	b.WriteString(overview + "\n")
	made := make([]string, len(artifacts))
	for i, a := range artifacts {
		made[i] = fmt.Sprintf("%s (%s, %s)", a.Name, a.Type, bytesText(a.Size))
		if a.About != "" {
			made[i] += ": " + a.About
		}
	}
	for _, sec := range []struct {
		title string
		list  []string
	}{{"Key Points", s.KeyPoints}, {"Topics Discussed", s.Topics}, {"Artifacts Created", made}} {
		fmt.Fprintf(&b, "\n## %s\n\n", sec.title)
		if len(sec.list) == 0 {
			b.WriteString("- None\n")
		}
		for _, x := range sec.list {
			b.WriteString("- " + lexis.OneLine(x) + "\n")
		}
	}
	return b.String()
}

// plainParagraphs keeps paragraphs and takes away what would read as a heading or a rule.
func plainParagraphs(s string) string {
	var out []string
	for p := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n\n") {
		if p = strings.TrimLeft(lexis.OneLine(p), "# "); p != "" && p != rule {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n\n")
}

func day(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format(time.DateOnly)
}

func bytesText(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Frequency is a keyword with how often it was said.
type Frequency struct {
	Keyword string `json:"keyword"`
	Count   int    `json:"frequency"`
}

// KeywordLines writes a keywords.txt: a keyword a line, most frequent first, each once.
func KeywordLines(list []Frequency) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Frequency) int { return cmp.Compare(b.Count, a.Count) })
	var b strings.Builder
	seen := map[string]bool{}
	for _, f := range list {
		if k := keyword(f.Keyword); k != "" && !seen[k] {
			seen[k] = true
			b.WriteString(k + "\n")
		}
	}
	return b.String()
}

// ParseKeywords reads a keywords.txt.
func ParseKeywords(s string) []string {
	var out []string
	seen := map[string]bool{}
	for line := range strings.SplitSeq(s, "\n") {
		if k := keyword(line); k != "" && !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// keyword is the form in which keywords are kept: lower case, one line, at most 255 bytes.
func keyword(s string) string {
	return clip(strings.ToLower(lexis.OneLine(clip(strings.ToValidUTF8(s, ""), 255))), 255)
}
