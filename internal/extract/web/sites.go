package web

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

// Element matchers.

func class(name string) func(extract.Element) bool {
	return func(e extract.Element) bool { return e.Has(name) }
}

func tag(name string) func(extract.Element) bool {
	return func(e extract.Element) bool { return e.Tag() == name }
}

func testID(id string) func(extract.Element) bool {
	return func(e extract.Element) bool { return e.Attr("data-testid") == id }
}

func either(list ...func(extract.Element) bool) func(extract.Element) bool {
	return func(e extract.Element) bool {
		for _, m := range list {
			if m(e) {
				return true
			}
		}
		return false
	}
}

// some are the first matches below e.
func some(e extract.Element, nested bool, match func(extract.Element) bool) []extract.Element {
	list := e.All(nested, match)
	return list[:min(len(list), mostPosts)]
}

// textOf is the text of the first match below e.
func textOf(e extract.Element, match func(extract.Element) bool) string {
	if found, ok := e.First(match); ok {
		return found.Text()
	}
	return ""
}

// attrOf is an attribute of the first match below e.
func attrOf(e extract.Element, match func(extract.Element) bool, name string) string {
	if found, ok := e.First(match); ok {
		return found.Attr(name)
	}
	return ""
}

// bodyOf is the first match below e as Markdown.
func bodyOf(ctx context.Context, e extract.Element, match func(extract.Element) bool) (string, error) {
	found, ok := e.First(match)
	if !ok {
		return "", nil
	}
	return found.Markdown(ctx)
}

var number = regexp.MustCompile(`-?\d[\d,.]*\s?[KkMm]?`)

// hackerNews reads a story with its comments, or a comment with its answers.
func hackerNews(ctx context.Context, root extract.Element) (thread, error) {
	var t thread
	for _, row := range some(root, false, class("athing")) {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		comment := row.Has("comtr")
		if !comment && t.title == "" { // the page of a comment has it where others have the story
			if _, ok := row.First(class("commtext")); ok {
				comment, t.title = true, textOf(row, class("onstory"))
				t.title = strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(t.title, "| "), "on:"))
			}
		}
		if comment {
			body, err := bodyOf(ctx, row, class("commtext"))
			if err != nil {
				return t, err
			}
			t.posts = append(t.posts, post{author: textOf(row, class("hnuser")), at: moment(attrOf(row, class("age"), "title")), depth: indent(row), body: body})
			continue
		}
		if t.title != "" { // a list of stories is no thread
			return thread{}, nil
		}
		title, ok := row.First(either(class("titleline"), class("storylink"))) // the latter until 2022
		if !ok {
			continue
		}
		link := title
		if title.Tag() != "a" {
			if link, ok = title.First(tag("a")); !ok {
				continue
			}
		}
		t.title = link.Text()
		story := post{link: link.Link(link.Attr("href"))}
		if sub, ok := root.First(class("subtext")); ok {
			story.author, story.at = textOf(sub, class("hnuser")), moment(attrOf(sub, class("age"), "title"))
			story.score = number.FindString(textOf(sub, class("score")))
		}
		body, err := bodyOf(ctx, root, class("toptext"))
		if err != nil {
			return t, err
		}
		story.body = body
		t.posts = append(t.posts, story)
	}
	return t, nil
}

// indent is the depth of a comment of Hacker News: it is said outright since 2022, and by the width of a picture before.
func indent(row extract.Element) int {
	ind, ok := row.First(class("ind"))
	if !ok {
		return 0
	}
	depth, err := strconv.Atoi(ind.Attr("indent"))
	if err != nil {
		width, _ := strconv.Atoi(attrOf(ind, tag("img"), "width"))
		depth = width / 40
	}
	return max(0, min(depth, 20))
}

// reddit reads a post with its comments, of the pages of today and of old.reddit.com.
func reddit(ctx context.Context, root extract.Element) (thread, error) {
	if p, ok := root.First(tag("shreddit-post")); ok {
		return newReddit(ctx, root, p)
	}
	var t thread
	err := t.oldReddit(ctx, root, 0)
	if err != nil || t.title == "" && len(t.posts) == 0 {
		return thread{}, err
	}
	return t, nil
}

// oldReddit takes the things below e, and below each of them what answers it. A second post makes it a list, which is no thread.
func (t *thread) oldReddit(ctx context.Context, e extract.Element, depth int) error {
	for _, thing := range some(e, false, class("thing")) {
		if err := ctx.Err(); err != nil || len(t.posts) >= mostPosts {
			return err
		}
		entry, ok := thing.First(class("entry"))
		if ok && (thing.Has("link") || thing.Attr("data-author") != "" || textOf(entry, class("author")) != "") {
			body, err := bodyOf(ctx, entry, class("md"))
			if err != nil {
				return err
			}
			p := post{author: thing.Attr("data-author"), at: moment(attrOf(entry, tag("time"), "datetime")), body: body}
			if p.author == "" {
				p.author = textOf(entry, class("author"))
			}
			if thing.Has("link") {
				if t.title != "" {
					*t = thread{}
					return nil
				}
				t.title = textOf(thing, func(e extract.Element) bool { return e.Tag() == "a" && e.Has("title") })
				p.score = thing.Attr("data-score")
				t.meta = map[string]string{"community": thing.Attr("data-subreddit")}
				if thing.Attr("data-domain") != "self."+thing.Attr("data-subreddit") && strings.HasPrefix(thing.Attr("data-url"), "http") {
					p.link = thing.Attr("data-url")
				}
			} else {
				p.score = attrOf(entry, func(e extract.Element) bool { return e.Has("score") && e.Has("unvoted") }, "title")
				p.depth = 1 + min(depth, 20)
			}
			t.posts = append(t.posts, p)
		}
		if child, ok := thing.First(class("child")); ok {
			if err := t.oldReddit(ctx, child, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func newReddit(ctx context.Context, root, p extract.Element) (thread, error) {
	t := thread{title: p.Attr("post-title"), link: p.Link(p.Attr("permalink")), meta: map[string]string{"community": p.Attr("subreddit-prefixed-name")}}
	if t.title == "" {
		t.title = textOf(p, func(e extract.Element) bool { return e.Attr("slot") == "title" })
	}
	body, err := bodyOf(ctx, p, func(e extract.Element) bool {
		return e.Attr("slot") == "text-body" || strings.HasSuffix(e.Attr("id"), "-post-rtjson-content")
	})
	if err != nil {
		return t, err
	}
	first := post{author: p.Attr("author"), at: moment(p.Attr("created-timestamp")), score: p.Attr("score"), body: body}
	if p.Attr("post-type") == "link" {
		first.link = p.Attr("content-href")
	}
	t.posts = append(t.posts, first)
	for _, c := range some(root, true, tag("shreddit-comment")) {
		// What answers it may stand below it: its own words are those that carry its id, where any do.
		id := c.Attr("thingid")
		body, err := bodyOf(ctx, c, func(e extract.Element) bool {
			return e.Attr("slot") == "comment" || id != "" && strings.HasPrefix(e.Attr("id"), id+"-") && strings.HasSuffix(e.Attr("id"), "-rtjson-content")
		})
		if err != nil {
			return t, err
		}
		depth, _ := strconv.Atoi(c.Attr("depth"))
		at := c.Attr("created")
		if at == "" {
			at = attrOf(c, either(tag("faceplate-timeago"), tag("time")), "ts")
		}
		if at == "" {
			at = attrOf(c, tag("time"), "datetime")
		}
		t.posts = append(t.posts, post{author: c.Attr("author"), at: moment(at), score: c.Attr("score"), depth: 1 + max(0, min(depth, 20)), body: body})
	}
	return t, nil
}

// stackOverflow reads a question with its answers and their comments; the accepted answer says so.
func stackOverflow(ctx context.Context, root extract.Element) (thread, error) {
	t := thread{meta: map[string]string{}}
	if h, ok := root.First(func(e extract.Element) bool { return e.Attr("id") == "question-header" }); ok {
		t.title = textOf(h, tag("h1"))
	}
	var tags []string
	for _, e := range some(root, false, class("post-tag")) {
		if s := e.Text(); len(tags) < 10 && !slices.Contains(tags, s) {
			tags = append(tags, s)
		}
	}
	t.meta["tags"] = strings.Join(tags, ", ")
	for _, e := range some(root, false, func(e extract.Element) bool { return e.Attr("id") == "question" || e.Has("answer") }) {
		body, err := bodyOf(ctx, e, class("js-post-body"))
		if err != nil {
			return t, err
		}
		p := post{score: attrOf(e, class("js-vote-count"), "data-value"), body: body}
		if p.score == "" {
			p.score = number.FindString(textOf(e, class("js-vote-count")))
		}
		// The last signature is of who wrote it; the ones before are of who edited.
		for _, s := range some(e, false, class("post-signature")) {
			if name := textOf(s, func(e extract.Element) bool {
				return e.Tag() == "a" && strings.Contains(e.Attr("href"), "/users/") && e.Text() != ""
			}); name != "" {
				p.author = name
			}
			if at := moment(attrOf(s, class("relativetime"), "title")); !at.IsZero() {
				p.at = at
			}
		}
		if e.Has("answer") {
			p.notes = append(p.notes, "answer")
			p.depth = 1
		} else {
			p.notes = append(p.notes, "question")
		}
		if e.Has("accepted-answer") || e.Has("js-accepted-answer") {
			p.notes[0] = "accepted answer"
		}
		t.posts = append(t.posts, p)
		for _, c := range some(e, false, class("comment-body")) {
			body, err := bodyOf(ctx, c, class("comment-copy"))
			if err != nil {
				return t, err
			}
			at := attrOf(c, class("relativetime-clean"), "title")
			at, _, _ = strings.Cut(at, ",")
			t.posts = append(t.posts, post{author: textOf(c, class("comment-user")), at: moment(at), notes: []string{"comment"}, depth: p.depth + 1, body: body})
		}
	}
	return t, nil
}

// emoji are pictures on the pages of X, with the character as their text.
var emoji = regexp.MustCompile(`!\[([^\]]{1,12})\]\(https://[a-z0-9-]+\.twimg\.com/emoji/[^)\s]{0,200}\)`)

var handle = regexp.MustCompile(`@[A-Za-z0-9_]{1,20}`)

// person is a name as X shows it, with its handle in brackets.
func person(name string) string {
	who := handle.FindString(name)
	if display, _, found := strings.Cut(name, "@"); found && strings.TrimSpace(display) != "" {
		return strings.TrimSpace(display) + " (" + who + ")"
	}
	return who
}

// tweetBody is what a post says, an article of X too. A post that it quotes stands in it, with a name of its own, and becomes a quote.
func tweetBody(ctx context.Context, e extract.Element) (string, error) {
	texts := either(testID("tweetText"), testID("twitterArticleRichTextView"))
	var parts []string
	names := 0
	for _, piece := range some(e, false, either(testID("User-Name"), texts)) {
		if piece.Attr("data-testid") == "User-Name" {
			if names++; names == 2 {
				parts = append(parts, "> "+person(piece.Text())+":")
			}
			continue
		}
		body, err := piece.Markdown(ctx)
		if err != nil {
			return "", err
		}
		if body = emoji.ReplaceAllString(body, "$1"); names > 1 {
			body = "> " + strings.ReplaceAll(body, "\n", "\n> ")
		}
		parts = append(parts, body)
	}
	return strings.ReplaceAll(strings.Join(parts, "\n\n"), ":\n\n> ", ":\n> "), nil
}

// tweets reads a post of X with its answers.
func tweets(ctx context.Context, root extract.Element) (thread, error) {
	var t thread
	for _, e := range some(root, false, func(e extract.Element) bool { return e.Tag() == "article" && e.Attr("data-testid") == "tweet" }) {
		body, err := tweetBody(ctx, e)
		if err != nil {
			return t, err
		}
		p := post{at: moment(attrOf(e, tag("time"), "datetime")), body: body}
		if who, ok := e.First(testID("User-Name")); ok {
			p.author = person(who.Text())
		}
		for _, count := range []struct{ id, word string }{{"reply", "replies"}, {"retweet", "reposts"}, {"like", "likes"}, {"bookmark", "bookmarks"}} {
			if n := number.FindString(attrOf(e, testID(count.id), "aria-label")); n != "" && n != "0" {
				p.notes = append(p.notes, count.word+" "+strings.TrimSpace(n))
			}
		}
		if len(t.posts) > 0 {
			p.depth = 1
		} else {
			words := []rune(textOf(e, testID("tweetText")))
			t.title = p.author + ": " + string(words[:min(len(words), 80)])
		}
		t.posts = append(t.posts, p)
	}
	return t, nil
}
