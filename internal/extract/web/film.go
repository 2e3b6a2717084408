package web

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

const (
	typeTranscript = "transcript" // package chunk cuts it between turns
	paragraph      = 600          // bytes of a paragraph of a transcript
)

// looksFilm wants a page of YouTube that was saved with its transcript open.
func looksFilm(src *extract.Source) extract.Look {
	segments := strings.Contains(src.Text, "<ytd-transcript-segment-renderer") || strings.Contains(src.Text, "<transcript-segment-view-model")
	if segments && isPage(src.Text) && ofHost(src, "youtube.com") {
		return extract.Yes
	}
	return extract.No
}

var clockForm = regexp.MustCompile(`^\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})\b`)

// extractFilm writes the transcript with its times; the description stands before it.
func extractFilm(ctx context.Context, src *extract.Source) (extract.Output, error) {
	root, err := parse(ctx, src)
	if err != nil {
		return extract.Output{}, err
	}
	out := extract.Output{Type: typeTranscript, Canonical: canonical(root), Metadata: map[string]string{"site": "YouTube"}}
	for _, name := range []string{"og:title", "title"} {
		if out.Title == "" {
			out.Title = property(root, name)
		}
	}
	if e, ok := root.First(func(e extract.Element) bool { return e.Attr("itemprop") == "author" }); ok {
		out.Author = attrOf(e, func(e extract.Element) bool { return e.Attr("itemprop") == "name" }, "content")
	}
	if out.Author == "" {
		out.Author = textOf(root, tag("ytd-channel-name"))
	}
	out.Published = moment(property(root, "datePublished"))
	var b strings.Builder
	if d := strings.TrimSpace(property(root, "og:description")); d != "" {
		b.WriteString(text.Clean(d))
		out.Marks = append(out.Marks, extract.Mark{Place: "description"})
	}
	n, open := 0, 0
	for _, e := range root.All(false, either(tag("ytd-transcript-segment-renderer"), tag("transcript-segment-view-model"))) {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		m := clockForm.FindStringSubmatch(textOf(e, either(class("segment-timestamp"), class("ytwTranscriptSegmentViewModelTimestamp"))))
		said, err := bodyOf(ctx, e, either(class("segment-text"), tag("yt-formatted-string"), class("yt-core-attributed-string")))
		if err != nil {
			return out, err
		}
		said = strings.Join(strings.Fields(said), " ")
		if m == nil || said == "" {
			continue
		}
		if n++; n == 1 || b.Len()-open > paragraph {
			if b.Len() > 0 {
				b.WriteString("\n\n")
			}
			open = b.Len()
			out.Marks = append(out.Marks, extract.Mark{Offset: open, Place: clock(m)})
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(text.Clean(said))
	}
	if n == 0 {
		return asPage(ctx, src)
	}
	out.Text = b.String()
	out.Metadata["segments"] = strconv.Itoa(n)
	out.Language, _ = text.Language(out.Text)
	return out, nil
}

// clock writes a time as 00:03:12.
func clock(m []string) string {
	var d time.Duration
	for _, part := range m[1:] {
		n, _ := strconv.Atoi("0" + part) // digits only, as the form wants
		d = d*60 + time.Duration(n)
	}
	two := func(n time.Duration) string {
		if n < 10 {
			return "0" + strconv.Itoa(int(n))
		}
		return strconv.Itoa(int(n))
	}
	return two(d/3600) + ":" + two(d/60%60) + ":" + two(d%60)
}
