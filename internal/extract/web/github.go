package web

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

// labelLink is a label of an issue on the pages of today.
func labelLink(e extract.Element) bool {
	return e.Tag() == "a" && strings.Contains(e.Attr("href"), "/issues?q=") && strings.Contains(e.Attr("href"), "label%3A")
}

// gitHub reads an issue, a pull request or a discussion with its comments.
func gitHub(ctx context.Context, root extract.Element) (thread, error) {
	t := thread{meta: map[string]string{}}
	t.title = textOf(root, either(class("js-issue-title"), class("markdown-title"), testID("issue-title")))
	t.meta["state"] = textOf(root, either(class("State"), testID("header-state")))
	var labels []string
	for _, e := range some(root, false, either(class("IssueLabel"), labelLink)) {
		if s := e.Text(); s != "" && !slices.Contains(labels, s) && len(labels) < 20 {
			labels = append(labels, s)
		}
	}
	t.meta["labels"] = strings.Join(labels, ", ")
	comments := some(root, false, either(class("timeline-comment"), class("review-comment"), class("react-issue-comment"), class("react-issue-body"),
		testID("issue-body"), func(e extract.Element) bool {
			return strings.HasPrefix(e.Attr("data-testid"), "comment-viewer-outer-box")
		}))
	for _, e := range comments {
		body, err := bodyOf(ctx, e, either(class("comment-body"), class("markdown-body"), testID("markdown-body")))
		if err != nil {
			return t, err
		}
		if body == "" {
			continue
		}
		p := post{
			author: textOf(e, either(class("author"), testID("issue-body-header-author"), testID("avatar-link"))),
			at:     moment(attrOf(e, either(tag("relative-time"), tag("time-ago"), tag("time")), "datetime")), body: body,
		}
		t.posts = append(t.posts, p)
	}
	return t, nil
}

// gitHubText is an issue or one of its comments in the data that a page carries for its scripts: as Markdown, and as HTML.
type gitHubText struct {
	Type    string `json:"__typename"`
	ID      string `json:"id"`
	Title   string `json:"title"`
	State   string `json:"state"`
	Body    string `json:"body"`
	Created string `json:"createdAt"`
	Hidden  bool   `json:"isHidden"`
	Author  struct {
		Login string `json:"login"`
	} `json:"author"`
	Labels struct {
		Edges []struct {
			Node struct {
				Name string `json:"name"`
			} `json:"node"`
		} `json:"edges"`
	} `json:"labels"`
	Front gitHubTimeline `json:"frontTimelineItems"`
	Back  gitHubTimeline `json:"backTimelineItems"`
}

type gitHubTimeline struct {
	Edges []struct {
		Node gitHubText `json:"node"`
	} `json:"edges"`
}

var embeddedData = regexp.MustCompile(`(?s)<script[^>]{0,200}\.embeddedData[^>]{0,200}>(.*?)</script`)

// gitHubData reads an issue out of the data for the scripts of its page, where the page shows none: its scripts did not run. The
// data is a list of queries with their answers, one of which is the issue with the beginning and the end of its timeline.
func gitHubData(t *thread, page string) {
	for _, m := range embeddedData.FindAllStringSubmatch(page, 8) {
		var data struct {
			Payload struct {
				Queries []struct {
					Result struct {
						Data struct {
							Repository struct {
								Issue gitHubText `json:"issue"`
							} `json:"repository"`
						} `json:"data"`
					} `json:"result"`
				} `json:"preloadedQueries"`
			} `json:"payload"`
		}
		if json.Unmarshal([]byte(m[1]), &data) != nil {
			continue
		}
		for _, q := range data.Payload.Queries {
			if issue := q.Result.Data.Repository.Issue; issue.Created != "" {
				t.issue(&issue)
				return
			}
		}
	}
}

func (t *thread) issue(issue *gitHubText) {
	t.title = cmp.Or(t.title, issue.Title)
	t.meta["state"] = cmp.Or(t.meta["state"], strings.ToLower(issue.State))
	var labels []string
	for _, l := range issue.Labels.Edges[:min(len(issue.Labels.Edges), 20)] {
		labels = append(labels, l.Node.Name)
	}
	t.meta["labels"] = cmp.Or(t.meta["labels"], strings.Join(labels, ", "))
	t.posts = append(t.posts, post{author: issue.Author.Login, at: moment(issue.Created), body: issue.Body})
	seen := map[string]bool{}
	for _, line := range []gitHubTimeline{issue.Front, issue.Back} {
		for _, e := range line.Edges {
			c := e.Node
			if c.Type == "IssueComment" && !c.Hidden && !seen[c.ID] && c.Body != "" && len(t.posts) < mostPosts {
				seen[c.ID] = c.ID != ""
				t.posts = append(t.posts, post{author: c.Author.Login, at: moment(c.Created), body: c.Body})
			}
		}
	}
	slices.SortStableFunc(t.posts[1:], func(a, b post) int { return a.at.Compare(b.at) })
}
