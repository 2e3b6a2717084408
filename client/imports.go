package client

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// ImportItem is one thing out of an export of another tool: exactly one of Append, Document and Memory is set.
type ImportItem struct {
	Key      string // its id in the export, the same in every export of the same source
	Title    string // of a conversation
	Append   *lukasa.Append
	Document *lukasa.NewDocument // known by its CustomID
	Memory   *lukasa.NewMemory   // known by Key
}

// ImportResult says what became of an item. New, Replaced and Unchanged count its messages; of another item, one of them is 1.
type ImportResult struct {
	ID        lukasa.ID `json:"id,omitempty"`
	New       int       `json:"new,omitempty"`
	Replaced  int       `json:"replaced,omitempty"`
	Unchanged int       `json:"unchanged,omitempty"`
	Deleted   int       `json:"deleted,omitempty"` // a memory that was deleted since it was imported, and stays so
	Waiting   bool      `json:"waiting,omitempty"` // kept, and worked off in the background
	Failed    string    `json:"failed,omitempty"`  // why it could not be kept, or not be read when it was kept before
}

// ImportLink says that a record points to another one: by its id, or by custom id, conversation, key or title.
type ImportLink struct {
	From lukasa.ID `json:"from"`
	To   string    `json:"to"`
}

// ImportKind describes a kind of export that a server can import.
type ImportKind struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Accepts string `json:"accepts"`
	How     string `json:"how"`
	Format  string `json:"format"`
}

// Tally counts what became of records of one sort.
type Tally struct {
	New       int `json:"new"`
	Replaced  int `json:"replaced"`
	Unchanged int `json:"unchanged"`
	Deleted   int `json:"deleted,omitempty"` // memories that were deleted since they were imported, and stay so
	Failed    int `json:"failed"`
}

// All is how many there were.
func (t Tally) All() int { return t.New + t.Replaced + t.Unchanged + t.Deleted + t.Failed }

// ImportReport says what an import of another tool's export did. Of a dry run, what would have been kept counts as new.
type ImportReport struct {
	Type          string          `json:"type"` // summary
	Kind          string          `json:"kind"`
	Title         string          `json:"title"`
	Name          string          `json:"name"`
	Files         int             `json:"files"`
	DryRun        bool            `json:"dry_run,omitempty"`
	Documents     Tally           `json:"documents"`
	Messages      Tally           `json:"messages"`
	Memories      Tally           `json:"memories"`
	Conversations int             `json:"conversations"`
	Links         int             `json:"links"`    // new ones
	Unread        int             `json:"unread"`   // places of the export that could not be read
	Waiting       int             `json:"waiting"`  // documents that are worked off in the background
	LeftOut       map[string]int  `json:"left_out"` // on purpose, by reason
	Problems      []ImportProblem `json:"problems"` // the first thousand
	Seconds       float64         `json:"seconds"`
}

// Failed is how many items could not be read or kept.
func (r *ImportReport) Failed() int {
	return r.Unread + r.Documents.Failed + r.Messages.Failed + r.Memories.Failed
}

// ImportProblem says what could not be read or kept, and where it stands in the export.
type ImportProblem struct {
	Where  string    `json:"where"`
	Reason string    `json:"reason"`
	ID     lukasa.ID `json:"id,omitempty"` // of what is kept all the same, and can be tried again
}

// Task is a document that is not done: it waits, is worked on, or has failed. Or it is a job of another kind, like distilling by a model: then it has
// Job, Kind and Record instead of Document, and State is waiting (or worked on just now) or failed.
type Task struct {
	Document  lukasa.ID      `json:"document_id,omitempty"`
	Title     string         `json:"title,omitempty"`
	Path      lukasa.Path    `json:"container,omitempty"`
	State     string         `json:"state"` // waiting, running or failed
	Status    lukasa.Status  `json:"status,omitempty"`
	Reason    string         `json:"reason,omitempty"` // why the last attempt ended badly
	UpdatedAt time.Time      `json:"updated_at"`       // of a job: when it was queued
	Job       lukasa.ID      `json:"job_id,omitempty"`
	Kind      lukasa.JobKind `json:"kind,omitempty"` // embed, distil, close, link, archive or scrub
	Record    lukasa.ID      `json:"record_id,omitempty"`
	Attempt   int            `json:"attempt,omitempty"` // what counts as its own fault
	RunAt     *time.Time     `json:"run_at,omitempty"`  // not before
}

// ImportKinds lists the kinds of export that the server can import.
func (c *Client) ImportKinds(ctx context.Context) ([]ImportKind, error) {
	return items[ImportKind](ctx, c, "/v1/import/kinds", nil)
}

// ImportExport sends the export of another tool, a file or an archive, to the server, which finds out what it is for kind "".
// o may name container, zone, me, namespace, attachments and dry_run. A busy server is not asked again.
func (c *Client) ImportExport(ctx context.Context, kind, name string, r io.Reader, o url.Values) (ImportReport, error) {
	q := url.Values{}
	maps.Copy(q, o)
	if kind != "" {
		q.Set("kind", kind)
	}
	q.Set("name", name)
	return ask[ImportReport](ctx, c, call{method: http.MethodPost, path: "/v1/import", query: q, stream: r, typ: "application/octet-stream"})
}

// ImportItems keeps up to 200 items of an export. One that is there as it is in the export changes nothing.
func (c *Client) ImportItems(ctx context.Context, in []ImportItem) ([]ImportResult, error) {
	type item struct {
		Key       string            `json:"key"`
		Title     string            `json:"title,omitempty"`
		Append    *lukasa.Append    `json:"append,omitempty"`
		Document  *newDocument      `json:"document,omitempty"`
		CreatedAt *time.Time        `json:"created_at,omitempty"`
		Memory    *lukasa.NewMemory `json:"memory,omitempty"`
	}
	list := make([]item, len(in))
	for i, it := range in {
		list[i] = item{Key: it.Key, Title: it.Title, Append: it.Append, Memory: it.Memory}
		if it.Document != nil {
			b := bodyOf(*it.Document)
			list[i].Document, list[i].CreatedAt = &b, it.Document.CreatedAt
		}
	}
	out, err := ask[lukasa.Listing[ImportResult]](ctx, c, call{method: http.MethodPost, path: "/v1/import/items", body: map[string]any{"items": list}})
	return out.Items, err
}

// ImportLinks makes edges of what imported records point to, and returns how many are new. The links of a record come together.
func (c *Client) ImportLinks(ctx context.Context, container string, links []ImportLink) (int, error) {
	out, err := ask[struct {
		Links int `json:"links"`
	}](ctx, c, call{method: http.MethodPost, path: "/v1/import/items", body: map[string]any{"container": container, "links": links}})
	return out.Links, err
}

// Tasks lists documents that are not done: in one state (waiting, running, failed), or in any for "". Behind the last of them come the jobs of other
// kinds.
func (c *Client) Tasks(ctx context.Context, state string, p lukasa.Page) (lukasa.Listing[Task], error) {
	q := query(nil, p)
	if state != "" {
		q.Set("state", state)
	}
	return ask[lukasa.Listing[Task]](ctx, c, call{method: http.MethodGet, path: "/v1/jobs", query: q})
}

// Retry puts documents that failed back into the queue, everything that failed for none, and returns how many there were.
func (c *Client) Retry(ctx context.Context, ids ...lukasa.ID) (int, error) {
	body := map[string]any{"ids": ids}
	if len(ids) == 0 {
		body = map[string]any{"all": true}
	}
	out, err := ask[struct {
		Retried int `json:"retried"`
	}](ctx, c, call{method: http.MethodPost, path: "/v1/jobs/retry", body: body})
	return out.Retried, err
}
