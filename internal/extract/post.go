package extract

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// Posts are read from the shapes of X (v1.1 and v2), Mastodon, Bluesky and plain exports.
const (
	mostPosts     = 5000
	mostPostBytes = 4 << 20
)

// post is one message of a social network.
type post struct {
	text, name, handle, url string
	at                      time.Time
	engagement              []string
	counts                  map[string]string
}

// extractPosts reads s as one post or a list of them; ok is false when it is anything else.
func extractPosts(s string) (Output, bool) {
	if len(s) > mostPostBytes || !strings.Contains(s, `"text"`) && !strings.Contains(s, `text"`) && !strings.Contains(s, `"content"`) {
		return Output{}, false
	}
	var posts []post
	for _, v := range jsonValues(s) {
		found, ok := readPosts(v)
		if !ok {
			return Output{}, false
		}
		posts = append(posts, found...)
	}
	if len(posts) == 0 || len(posts) > mostPosts {
		return Output{}, false
	}
	var b strings.Builder
	for i, p := range posts {
		if i > 0 {
			b.WriteString("\n\n")
		}
		p.write(&b)
	}
	lead := posts[0]
	out := Output{
		Text: text.Clean(b.String()), Type: TypeText, Author: lead.byline(), Published: lead.at, Canonical: lead.url,
		Metadata: map[string]string{"source_type": "social_post", "posts": strconv.Itoa(len(posts))},
	}
	maps.Copy(out.Metadata, lead.counts)
	out.Title = oneLine(lead.byline()+": "+titleOf(lead.text), 120)
	out.Language, _ = text.Language(lead.text)
	return out, true
}

// jsonValues decodes one value or a value a line.
func jsonValues(s string) []any {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var out []any
	for len(out) <= mostPosts {
		var v any
		if d.Decode(&v) != nil {
			break
		}
		out = append(out, v)
	}
	return out
}

// readPosts reads a post, a list of posts, or an X v2 answer with its users apart.
func readPosts(v any) ([]post, bool) {
	users := map[string]any{}
	if m, ok := v.(map[string]any); ok && m["data"] != nil {
		if inc, ok := m["includes"].(map[string]any); ok {
			list, _ := inc["users"].([]any)
			for _, u := range list {
				if u, ok := u.(map[string]any); ok {
					users[str(u, "id")] = u
				}
			}
		}
		v = m["data"]
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var out []post
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			return nil, false
		}
		if u := users[str(m, "author_id")]; u != nil {
			m["user"] = u
		}
		p, ok := readPost(m)
		if !ok {
			return nil, false
		}
		out = append(out, p)
	}
	return out, len(out) > 0
}

// engagement names the counts in the order they are written, with the keys they go by.
var engagement = []struct {
	name string
	keys []string
}{
	{"likes", []string{"favorite_count", "like_count", "likes", "likeCount", "favourites_count", "favorites"}},
	{"reposts", []string{"retweet_count", "repost_count", "reposts", "retweets", "reblogs_count", "repostCount", "shares", "share_count"}},
	{"replies", []string{"reply_count", "replies", "replies_count", "replyCount", "comments", "comment_count"}},
	{"quotes", []string{"quote_count", "quoteCount", "quotes"}},
	{"bookmarks", []string{"bookmark_count", "bookmarks"}},
	{"views", []string{"view_count", "views", "impression_count", "viewCount"}},
}

// readPost wants a text, an author, and a date or a count.
func readPost(m map[string]any) (post, bool) {
	p := post{counts: map[string]string{}}
	if record, ok := m["record"].(map[string]any); ok { // Bluesky
		p.text, p.at = str(record, "text"), moment(record)
	}
	if note, ok := m["note_tweet"].(map[string]any); ok {
		first(&p.text, str(note, "text"))
	}
	for _, k := range []string{"full_text", "text", "content", "body", "status"} {
		first(&p.text, str(m, k))
	}
	if strings.Contains(p.text, "<p>") || strings.Contains(p.text, "<br") {
		p.text = anyTag.ReplaceAllString(strings.NewReplacer("</p>", "\n\n", "<br>", "\n", "<br/>", "\n", "<br />", "\n").Replace(p.text), "")
	}
	p.text = strings.TrimSpace(html.UnescapeString(p.text))
	for _, k := range []string{"user", "author", "account", "author_name", "username", "screen_name", "handle"} {
		p.author(m[k])
	}
	if p.at.IsZero() {
		p.at = moment(m)
	}
	first(&p.url, str(m, "url"))
	first(&p.url, str(m, "permalink"))
	metrics, _ := m["public_metrics"].(map[string]any)
	for _, e := range engagement {
		for _, k := range e.keys {
			n := number(m[k])
			first(&n, number(metrics[k]))
			if n != "" {
				p.counts[e.name] = n
				p.engagement = append(p.engagement, strings.ToUpper(e.name[:1])+e.name[1:]+": "+n)
				break
			}
		}
	}
	return p, p.text != "" && p.name+p.handle != "" && (!p.at.IsZero() || len(p.counts) > 0)
}

// author takes a name, or an object with name and handle.
func (p *post) author(v any) {
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, "@") || p.name != "" {
			first(&p.handle, strings.TrimPrefix(v, "@"))
		} else {
			first(&p.name, v)
		}
	case map[string]any:
		for _, k := range []string{"name", "display_name", "displayName"} {
			first(&p.name, str(v, k))
		}
		for _, k := range []string{"screen_name", "username", "handle", "acct"} {
			first(&p.handle, strings.TrimPrefix(str(v, k), "@"))
		}
	}
}

func (p *post) byline() string {
	switch {
	case p.handle == "" || p.handle == p.name:
		return p.name
	case p.name == "":
		return "@" + p.handle
	}
	return p.name + " (@" + p.handle + ")"
}

func (p *post) write(b *strings.Builder) {
	b.WriteString(p.byline())
	if !p.at.IsZero() {
		b.WriteString(", " + p.at.Format("2006-01-02 15:04 MST"))
	}
	b.WriteString("\n" + p.text)
	if len(p.engagement) > 0 {
		b.WriteString("\n" + strings.Join(p.engagement, " · "))
	}
	if p.url != "" {
		b.WriteString("\n" + p.url)
	}
}

// moment finds the date of a post.
func moment(m map[string]any) time.Time {
	for _, k := range []string{"created_at", "createdAt", "date", "published_at", "publishedAt", "timestamp", "time", "indexedAt"} {
		switch v := m[k].(type) {
		case string:
			if t := parseTime(v); !t.IsZero() {
				return t
			}
		case json.Number:
			if n, err := v.Int64(); err == nil && n > 1e8 {
				if n > 1e11 { // milliseconds
					n /= 1000
				}
				if n < 1e11 {
					return time.Unix(n, 0).UTC()
				}
			}
		}
	}
	return time.Time{}
}

func str(m map[string]any, key string) string {
	switch v := m[key].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func number(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case string:
		if _, err := strconv.ParseInt(v, 10, 64); err == nil {
			return v
		}
	case []any:
		return ""
	case map[string]any:
		return number(v["count"])
	case float64:
		return fmt.Sprint(v)
	}
	return ""
}
