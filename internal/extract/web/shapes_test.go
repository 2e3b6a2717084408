package web_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/web"
)

// Pages of the same site differ by their year and by how one came to them. Each row is the markup that such pages have, with words
// of our own, and what must be in the reading.
func TestShapes(t *testing.T) { // D-9
	t.Parallel()
	for name, row := range map[string]struct {
		url, page, title, author, published string
		want                                []string
		not                                 []string
	}{
		"a comment of Hacker News with its answers": {
			url: "https://news.ycombinator.com/item?id=5",
			page: `<html op="item"><body><table class="fatitem"><tr class="athing" id="5"><td class="ind"></td><td class="default"><div><span class="comhead"><a href="user?id=ana" class="hnuser">ana</a>
<span class="age" title="2025-06-15T12:00:00 1750000000"><a>1 day ago</a></span><span class="navs"> | <a href="item?id=1">parent</a><span class="onstory"> |  on: <a href="item?id=1" title="Ropes">Ropes</a></span></span></span></div><br>
<div class="comment"><div class="commtext c00">The red one floats.<p>Mostly.</div></div></td></tr></table>
<table class="comment-tree"><tr class="athing comtr" id="6"><td><table><tr><td class="ind" indent="0"></td><td><a class="hnuser">ben</a><div class="commtext c00">It does.</div></td></tr></table></td></tr></table></body></html>`,
			title: "Ropes", author: "ana", published: "2025-06-15", want: []string{"## ana, 2025-06-15 12:00", "Mostly.", "## ben", "It does."},
		},
		"Hacker News before 2022": {
			url: "https://news.ycombinator.com/item?id=1",
			page: `<html op="item"><body><table class="fatitem"><tr class='athing' id='1'><td class="title"><a href="https://pier.example/" class="storylink">Ropes</a></td></tr></table>
<table class="comment-tree"><tr class='athing comtr ' id='2'><td><td class='ind'><img src="s.gif" height="1" width="0"></td><a class="hnuser">ana</a><div class="comment"><span class="commtext c00">Red.</span></div></td></tr>
<tr class='noshow athing comtr ' id='3'><td><table><tr><td class='ind'><img src="s.gif" height="1" width="80"></td><td><a class="hnuser">ben</a><span class="commtext c00">Blue.</span></td></tr></table></td></tr></table></body></html>`,
			title: "Ropes", want: []string{"https://pier.example/", "#### ben\n\nBlue."},
		},
		"comments of Reddit that hold their answers": {
			url: "https://www.reddit.com/r/boats/comments/1/x/",
			page: `<html><body><shreddit-post post-title="Ropes" author="ana" permalink="/r/boats/comments/1/x/"></shreddit-post>
<shreddit-comment author="ben" thingid="t1_b" depth="0" score="3" created="2025-01-15T11:00:00.123000+0000"><div slot="commentMeta">ben</div>
<shreddit-comment author="carla" thingid="t1_c" depth="1" created="2025-01-15T12:00:00Z" slot="children-t1_b-0"><div id="t1_c-comment-rtjson-content"><p>In salt water.</p></div></shreddit-comment>
<div id="t1_b-comment-rtjson-content"><p>The red one.</p></div></shreddit-comment></body></html>`,
			title: "Ropes", author: "ana", want: []string{"### ben, 2025-01-15 11:00, score 3\n\nThe red one.", "#### carla, 2025-01-15 12:00\n\nIn salt water."},
		},
		"a link on old Reddit": {
			url: "https://old.reddit.com/r/boats/comments/1/x/",
			page: `<html><body><div class="thing link" data-fullname="t3_1" data-author="ana" data-domain="pier.example" data-url="https://pier.example/ropes"><div class="entry"><a class="title" href="https://pier.example/ropes">Ropes</a></div></div>
<div class="thing comment" data-fullname="t1_1"><div class="entry"><p class="tagline"><em>[deleted]</em></p><div class="md"><p>gone</p></div></div><div class="child"><div class="thing comment" data-fullname="t1_2" data-author="carla"><div class="entry"><div class="md"><p>Yes.</p></div></div></div></div></div></body></html>`,
			title: "Ropes", author: "ana", want: []string{"https://pier.example/ropes", "#### carla\n\nYes."}, not: []string{"gone"},
		},
		"a list on old Reddit": {
			url: "https://old.reddit.com/r/boats/",
			page: `<html><body><div class="thing link" data-fullname="t3_1" data-author="ana"><div class="entry"><a class="title" href="/1">Ropes</a></div></div>
<div class="thing link" data-fullname="t3_2" data-author="ben"><div class="entry"><a class="title" href="/2">Anchors</a></div></div></body></html>`,
			want: []string{"[Ropes](https://old.reddit.com/1)", "[Anchors](https://old.reddit.com/2)"}, not: []string{"## ana"},
		},
		"an issue of GitHub whose scripts did not run": {
			url:   "https://github.com/harbour/ropes/issues/7",
			page:  `<!DOCTYPE html><html lang="en"><head><title>Rope sinks · Issue #7</title></head><body><react-app app-name="issues-react" ssr="false"><script type="application/json" data-target="react-app.embeddedData">{"payload":{"preloaded_records":{},"preloadedQueries":[{"queryId":"1","queryName":"Other","result":{"data":{"repository":{"isArchived":false}}}},{"queryId":"2","queryName":"IssueViewerViewQuery","variables":{"number":7},"result":{"data":{"repository":{"issue":{"id":"I_1","title":"Rope sinks","number":7,"state":"CLOSED","author":{"__typename":"User","login":"ana"},"body":"The **blue** rope sinks.\n\n- in salt water","bodyHTML":"<p>…</p>","createdAt":"2024-05-01T10:00:00Z","labels":{"edges":[{"node":{"name":"bug","color":"f00"}}]},"frontTimelineItems":{"edges":[{"node":{"__typename":"LabeledEvent","id":"L_1","createdAt":"2024-05-01T10:01:00Z"}},{"node":{"__typename":"IssueComment","id":"IC_1","author":{"login":"ben"},"body":"Buy red ones.","createdAt":"2024-05-02T10:00:00Z"}}]},"backTimelineItems":{"edges":[{"node":{"__typename":"IssueComment","id":"IC_1","author":{"login":"ben"},"body":"Buy red ones.","createdAt":"2024-05-02T10:00:00Z"}},{"node":{"__typename":"IssueComment","id":"IC_2","author":null,"body":"Done.","createdAt":"2024-05-03T10:00:00Z"}}]}}}}}}]}}</script></react-app></body></html>`,
			title: "Rope sinks", author: "ana", published: "2024-05-01",
			want: []string{"The **blue** rope sinks.\n\n- in salt water", "## ben, 2024-05-02 10:00\n\nBuy red ones.", "## Post 3, 2024-05-03 10:00\n\nDone."}, not: []string{"IC_1", "preloaded"},
		},
		"a page of GitHub with data that is no issue": {
			url:  "https://github.com/harbour/ropes",
			page: `<!DOCTYPE html><html><head><title>harbour/ropes</title></head><body><script type="application/json" data-target="react-app.embeddedData">{"payload":{"preloadedQueries":[]}}</script><main><p>All about ropes, and about the knots that hold them.</p></main></body></html>`,
			want: []string{"All about ropes"},
		},
		"a post of Reddit whose title and text have no slots in its attributes": {
			url: "https://www.reddit.com/r/boats/comments/1/x/",
			page: `<html><body><shreddit-post author="ana" permalink="/r/boats/comments/1/x/"><h1 slot="title">Ropes</h1><div id="t3_1-post-rtjson-content" class="md"><p>Which one floats?</p></div></shreddit-post>
<shreddit-comment author="ben" depth="0"><div slot="comment"><p>The red one.</p></div></shreddit-comment></body></html>`,
			title: "Ropes", author: "ana", want: []string{"Which one floats?", "### ben\n\nThe red one."},
		},
		"a post of X that quotes another one": {
			url: "https://x.com/ana/status/1",
			page: `<html><body><article data-testid="tweet"><div data-testid="User-Name"><span>Ana</span><span>@ana</span></div><div data-testid="tweetText"><span>So it is.</span></div>
<div role="link"><div data-testid="User-Name"><span>Ben</span><span>@ben</span></div><div data-testid="tweetText"><span>Red ropes float.</span></div></div></article>
<article data-testid="tweet"><div data-testid="User-Name"><span>Carla</span><span>@carla</span></div><div role="link"><div data-testid="User-Name"><span>Ana</span><span>@ana</span></div><div data-testid="tweetText"><span>So it is.</span></div></div></article></body></html>`,
			author: "Ana (@ana)", title: "Ana (@ana): So it is.", want: []string{"So it is.\n\n> Ben (@ben):\n> Red ropes float.", "### Carla (@carla)\n\n> Ana (@ana):\n> So it is."},
		},
		"emoji on X": {
			url: "https://x.com/ana/status/1",
			page: `<html><body><article data-testid="tweet"><div data-testid="User-Name"><span>Ana</span><span>@ana</span></div><div data-testid="tweetText"><span>It floats </span><img alt="⛵" src="https://abs-0.twimg.com/emoji/v2/svg/26f5.svg"><span> well</span></div>
<div data-testid="tweetPhoto"><img alt="A red rope" src="https://pbs.twimg.com/media/x?format=jpg"></div></article></body></html>`,
			author: "Ana (@ana)", title: "Ana (@ana): It floats well", want: []string{"It floats ⛵ well"}, not: []string{"twimg"},
		},
		"the transcript of YouTube since 2026": {
			url: "https://www.youtube.com/watch?v=abc",
			page: `<html><head><title>Knots - YouTube</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"VideoObject","@id":"https://www.youtube.com/watch?v=abc","name":"Knots","author":"Ana Sails","description":"On knots.","uploadDate":"2026-01-15T08:00:00-08:00"}</script></head><body>
<macro-markers-panel-item-view-model><timeline-item-view-model><transcript-segment-view-model class="ytwTranscriptSegmentViewModelHost"><div aria-hidden="true" class="ytwTranscriptSegmentViewModelTimestamp">3:12</div><div class="ytwTranscriptSegmentViewModelTimestampA11yLabel">3 minutes, 12 seconds</div><span class="ytAttributedStringHost ytAttributedStringLinkInheritColor" role="text">The bowline does not slip.</span></transcript-segment-view-model></timeline-item-view-model></macro-markers-panel-item-view-model></body></html>`,
			title: "Knots", author: "Ana Sails", published: "2026-01-15", want: []string{"On knots.", "The bowline does not slip."}, not: []string{"minutes"},
		},
		"a film of YouTube that one came to from another": {
			url: "https://www.youtube.com/watch?v=new",
			page: `<html><head><title>Knots - YouTube</title><meta property="og:url" content="https://www.youtube.com/watch?v=old"><meta property="og:title" content="Sails"><meta property="og:description" content="On sails.">
<script type="application/ld+json">{"@type":"VideoObject","@id":"https://www.youtube.com/watch?v=old","name":"Sails","uploadDate":"2020-01-15"}</script></head><body><ytd-watch-flexy video-id="new"><ytd-video-owner-renderer><a href="/@ana"></a><div id="channel-name"><a href="/@ana">Ana Sails</a></div></ytd-video-owner-renderer>
<ytd-text-inline-expander><div id="expanded">On knots.</div><div id="snippet">On…</div></ytd-text-inline-expander><ytd-transcript-segment-renderer><div class="segment-timestamp">0:01</div><yt-formatted-string class="segment-text">Take the end.</yt-formatted-string></ytd-transcript-segment-renderer></ytd-watch-flexy></body></html>`,
			title: "Knots", author: "Ana Sails", want: []string{"On knots.", "Take the end."}, not: []string{"sails."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := extract.With(web.Kinds()...).Extract(t.Context(), extract.Input{Data: []byte(row.page), URL: row.url})
			if err != nil {
				t.Fatal(err)
			}
			published := ""
			if !out.Published.IsZero() {
				published = out.Published.Format("2006-01-02")
			}
			if row.title != "" && out.Title != row.title || out.Author != row.author || published != row.published {
				t.Errorf("title %q, author %q, published %s", out.Title, out.Author, published)
			}
			for _, w := range row.want {
				if !strings.Contains(out.Text, w) {
					t.Errorf("%q is missing:\n%s", w, out.Text)
				}
			}
			for _, w := range row.not {
				if strings.Contains(out.Text, w) {
					t.Errorf("%q is there:\n%s", w, out.Text)
				}
			}
		})
	}
}

func TestDatesAndPeopleOfFeeds(t *testing.T) {
	t.Parallel()
	for _, day := range []string{"Mon, 06 May 2024", "Tue, 07 May 2024", "Wed, 08 May 2024", "Thu, 09 May 2024", "Fri, 10 May 2024", "Sat, 11 May 2024", "Sun, 12 May 2024"} {
		for _, end := range []string{" 10:00:00 +0200", " 10:00:00 GMT"} {
			feed := `<rss version="2.0"><channel><title>Notes</title><managingEditor>ana@pier.example (Ana Lopes)</managingEditor><item><title>Ropes</title><author>Ben Oker &lt;ben@pier.example&gt;</author><pubDate>` + day + end + `</pubDate></item></channel></rss>`
			out := read(t, "", []byte(feed))
			if want := "2024-05-" + day[5:7]; out.Published.Format("2006-01-02") != want || out.Author != "Ana Lopes" || !strings.Contains(out.Text, "Ben Oker, "+want) {
				t.Errorf("%s%s: %v, %q\n%s", day, end, out.Published, out.Author, out.Text)
			}
		}
	}
}

// A page that was saved as one file is read like the page, whatever the file is called, and a damaged one says so.
func TestArchiveReadsLikeThePage(t *testing.T) { // D-9
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("testdata", "pandoc.html"))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := os.ReadFile(filepath.Join("testdata", "chromium.mhtml"))
	if err != nil {
		t.Fatal(err)
	}
	set := extract.With(web.Kinds()...)
	want := read(t, "pandoc.html", page)
	for _, name := range []string{"", "saved.mhtml", "saved.mht", "saved.eml"} {
		out, err := set.Extract(t.Context(), extract.Input{Data: archive, Name: name})
		if err != nil || out.Text != want.Text || out.Title != want.Title || out.Author != want.Author || out.Canonical != "http://localhost:4719/pandoc.html" {
			t.Errorf("%q: %v, %q by %q at %s:\n%s", name, err, out.Title, out.Author, out.Canonical, out.Text)
		}
	}
	for _, damaged := range [][]byte{archive[:400], bytes.ReplaceAll(archive, []byte("text/html"), []byte("text/nope")), bytes.Replace(archive, []byte("boundary="), []byte("border="), 1)} {
		_, err := set.Extract(t.Context(), extract.Input{Data: damaged, Name: "saved.mhtml"})
		if reason := (*extract.Error)(nil); !errors.As(err, &reason) || reason.Hint == "" {
			t.Errorf("%v", err)
		}
	}
}
