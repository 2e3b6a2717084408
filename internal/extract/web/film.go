package web

import (
	"context"
	"encoding/json"
	"net/url"
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
	about := aboutFilm(root, src.Text)
	if id := attrOf(root, tag("ytd-watch-flexy"), "video-id"); id != "" && !strings.Contains(out.Canonical, id) {
		out.Canonical = "https://www.youtube.com/watch?v=" + url.QueryEscape(id)
	}
	out.Title, out.Author, out.Published = about.Name, about.Author, moment(about.Date)
	var b strings.Builder
	if d := strings.TrimSpace(about.Description); d != "" {
		b.WriteString(text.Clean(d))
		out.Marks = append(out.Marks, extract.Mark{Place: "description"})
	}
	n, open := 0, 0
	for _, e := range root.All(false, either(tag("ytd-transcript-segment-renderer"), tag("transcript-segment-view-model"))) {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		m := clockForm.FindStringSubmatch(textOf(e, either(class("segment-timestamp"), class("ytwTranscriptSegmentViewModelTimestamp"))))
		said, err := bodyOf(ctx, e, either(class("segment-text"), tag("yt-formatted-string"), class("yt-core-attributed-string"), class("ytAttributedStringHost")))
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

// film is what a page says about its film, in the words of schema.org.
type film struct {
	Type        string `json:"@type"`
	ID          string `json:"@id"`
	Name        string `json:"name"`
	Author      string `json:"author"`
	Description string `json:"description"`
	Date        string `json:"uploadDate"`
}

var linkedData = regexp.MustCompile(`(?s)<script[^>]{0,200}application/ld\+json[^>]{0,200}>(.*?)</script`)

// aboutFilm reads what the head says, and what stands on the page. Who came from one film to another has a page whose head is
// still of the first: then only what stands on the page counts.
func aboutFilm(root extract.Element, page string) film {
	var f film
	set := func(to *string, v string) {
		if *to == "" {
			*to = strings.TrimSpace(v)
		}
	}
	for _, m := range linkedData.FindAllStringSubmatch(page, 8) {
		var found film
		if len(m[1]) < 256<<10 && json.Unmarshal([]byte(m[1]), &found) == nil && found.Type == "VideoObject" {
			f = found
			break
		}
	}
	shown := attrOf(root, tag("ytd-watch-flexy"), "video-id")
	if head := property(root, "og:url") + " " + f.ID; shown != "" && strings.TrimSpace(head) != "" && !strings.Contains(head, shown) {
		f = film{}
	} else {
		set(&f.Name, property(root, "og:title"))
		set(&f.Name, property(root, "title"))
		if e, ok := root.First(func(e extract.Element) bool { return e.Attr("itemprop") == "author" }); ok {
			set(&f.Author, attrOf(e, func(e extract.Element) bool { return e.Attr("itemprop") == "name" }, "content"))
		}
		set(&f.Date, property(root, "datePublished"))
		set(&f.Description, property(root, "og:description"))
	}
	set(&f.Name, strings.TrimSuffix(textOf(root, tag("title")), " - YouTube"))
	set(&f.Author, textOf(root, tag("ytd-channel-name")))
	if owner, ok := root.First(tag("ytd-video-owner-renderer")); ok {
		set(&f.Author, textOf(owner, func(e extract.Element) bool { return e.Tag() == "a" && e.Text() != "" }))
	}
	if text, ok := root.First(tag("ytd-text-inline-expander")); ok {
		set(&f.Description, textOf(text, func(e extract.Element) bool { return e.Attr("id") == "expanded" }))
	}
	return f
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
