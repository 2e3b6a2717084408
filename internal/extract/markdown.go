package extract

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// looksMarkdown wants two different marks of Markdown, or front matter with one.
func looksMarkdown(src *Source) Look {
	head := src.Text[:min(len(src.Text), 16<<10)]
	marks := map[text.BlockKind]bool{}
	for b := range text.MarkdownBlocks(head) {
		if b.Kind != text.BlockParagraph && b.Kind != text.BlockQuote {
			marks[b.Kind] = true
		}
	}
	if (strings.Contains(head, "](") || strings.Contains(head, "**")) && inlineMarks.MatchString(head) {
		marks[text.BlockParagraph] = true
	}
	if len(marks) >= 2 || marks[text.BlockCode] || marks[text.BlockTable] {
		return Yes
	}
	return Maybe
}

var inlineMarks = regexp.MustCompile(`\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)|\*\*\S[^*\n]{0,200}\*\*`)

// extractMarkdown passes Markdown through; YAML front matter becomes metadata
// and stays in the text.
func extractMarkdown(_ context.Context, src *Source) (Output, error) {
	clean := text.CleanAs(src.Text, text.Markdown)
	out := Output{Text: clean, Type: TypeMarkdown, Metadata: map[string]string{}}
	if n := text.FrontMatter(clean); n > 0 {
		frontMatter(clean[:n], &out)
	}
	body := clean[text.FrontMatter(clean):]
	if out.Title == "" {
		out.Title = firstHeading(body)
	}
	if out.Title == "" {
		out.Title = text.PlainMarkdown(titleOf(body))
	}
	if out.Language == "" {
		out.Language, _ = text.Language(body)
	}
	return out, nil
}

// firstHeading returns the first heading of the best level among the first blocks.
func firstHeading(s string) string {
	title, level, seen := "", 7, 0
	for b := range text.MarkdownBlocks(s) {
		if b.Kind == text.BlockHeading && b.Level < level && b.Text != "" {
			title, level = b.Text, b.Level
		}
		if seen++; seen > 200 || level == 1 {
			break
		}
	}
	return title
}

// frontMatter reads block, with its --- lines, into out. What is not YAML is
// left alone.
func frontMatter(block string, out *Output) {
	if len(block) > 64<<10 {
		return
	}
	lines := strings.Split(strings.TrimSpace(block), "\n")
	var values map[string]any
	if err := yaml.Unmarshal([]byte(strings.Join(lines[1:len(lines)-1], "\n")), &values); err != nil {
		out.Metadata["warning"] = "front matter is not valid YAML"
		return
	}
	for k, v := range values {
		value := flat(v, 0)
		if value == "" {
			continue
		}
		switch strings.ToLower(k) {
		case "title":
			out.Title = value
		case "author", "authors", "by":
			out.Author = value
		case "lang", "language":
			out.Language = languageTag(value)
		case "date", "published", "publishdate", "created":
			if t, ok := v.(time.Time); ok {
				out.Published = t.UTC()
			} else if t := parseTime(value); !t.IsZero() {
				out.Published = t
			}
		case "canonical", "canonical_url", "canonicalurl":
			out.Canonical = value
		}
		out.Metadata[strings.ToLower(k)] = value
	}
}

// flat writes a YAML value on one line: lists with commas, maps as k=v.
func flat(v any, depth int) string {
	if depth > 4 {
		return ""
	}
	var parts []string
	switch v := v.(type) {
	case nil:
		return ""
	case time.Time:
		return strings.TrimSuffix(v.Format(time.RFC3339), "T00:00:00Z")
	case []any:
		for _, e := range v[:min(len(v), 200)] {
			parts = append(parts, flat(e, depth+1))
		}
	case map[string]any:
		for k, e := range v {
			parts = append(parts, k+"="+flat(e, depth+1))
		}
		slices.Sort(parts)
	default:
		return strings.TrimSpace(firstRunes(fmt.Sprint(v), 2000))
	}
	return strings.Join(parts, ", ")
}

// languageTag returns the primary subtag of a language tag.
func languageTag(s string) string {
	tag, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "_", "-"), "-")
	if len(tag) != 2 && len(tag) != 3 {
		return ""
	}
	return tag
}

var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
	"2006/01/02", "20060102", time.RFC1123Z, time.RFC1123, time.RubyDate, "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006",
}

// parseTime reads the forms of dates that pages and posts use; a time without
// zone is UTC.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1 {
			return t.UTC()
		}
	}
	return time.Time{}
}
