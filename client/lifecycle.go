package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Deleted answers a deletion: what went for good, with its receipt, or where it lies in the trash.
type Deleted struct {
	lukasa.Removal
	ReceiptID lukasa.ID `json:"receipt_id"`
	Scrub     *Scrub    `json:"scrub"`
	Trash     *Buried   `json:"trash"`
}

// Buried is a record in the trash.
type Buried struct {
	ID    lukasa.ID `json:"id"`
	Type  string    `json:"type"` // document, memory, conversation or user
	Node  lukasa.ID `json:"node_id"`
	Label string    `json:"label"`
	At    time.Time `json:"deleted_at"`
	Until time.Time `json:"purge_at"`
}

// Receipt says what a deletion took away, and whether the store's own files have been cleaned of it and searched.
type Receipt struct {
	ID       lukasa.ID      `json:"receipt_id"`
	Action   string         `json:"action"`
	Resource lukasa.ID      `json:"resource"`
	Node     lukasa.ID      `json:"node_id,omitempty"` // where it stood
	Actor    lukasa.ID      `json:"actor_id"`
	Why      string         `json:"why"` // request, forget_after, trash or retention
	At       time.Time      `json:"removed_at"`
	Removed  lukasa.Removal `json:"removed"`
	Parts    []lukasa.ID    `json:"parts,omitempty"` // of a container or a user that held much: the receipts of what went of its content before it
	Scrub    Scrub          `json:"scrub"`
}

// Scrub is the second half of a receipt.
type Scrub struct {
	State   string     `json:"state"` // pending, scrubbed, unsearched or held
	At      *time.Time `json:"scrubbed_at,omitempty"`
	Pieces  int        `json:"pieces,omitempty"` // of the deleted text, that were searched for
	Shared  int        `json:"shared,omitempty"` // of these, how many other records say too
	Files   int        `json:"files,omitempty"`  // that were searched
	Bytes   int64      `json:"bytes,omitempty"`
	Caches  int        `json:"caches,omitempty"`
	Held    []string   `json:"held,omitempty"` // files that still hold a piece
	Backups []Backup   `json:"backups,omitempty"`
}

// Backup is a copy that is older than a deletion.
type Backup struct {
	Path string    `json:"path"`
	At   time.Time `json:"made_at"`
}

// Act is a line of the audit log.
type Act struct {
	Owner    lukasa.ID      `json:"owner_id"`
	Actor    lukasa.ID      `json:"actor_id"`
	Action   string         `json:"action"`
	Resource string         `json:"resource"`
	Details  map[string]any `json:"details,omitempty"`
	Address  string         `json:"address,omitempty"`
	At       time.Time      `json:"at"`
}

// File is a sealed file with its tier and how well it is compressed.
type File struct {
	lukasa.File
	Tier  string  `json:"tier"`
	Ratio float64 `json:"ratio"`
}

// FileEvent is one line of the log of a file's states.
type FileEvent struct {
	File    lukasa.ID `json:"file_id"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Trigger string    `json:"trigger"`
	Before  int64     `json:"size_before"`
	After   int64     `json:"size_after"`
	Error   string    `json:"error,omitempty"`
	At      time.Time `json:"at"`
}

// Delete removes a record of any kind for good, or puts it into the trash. With scrubbed it waits until the store's own files are
// cleaned of it and searched; a server that is too busy for that answers before.
func (c *Client) Delete(ctx context.Context, id lukasa.ID, soft, scrubbed bool) (Deleted, error) {
	q := url.Values{}
	if soft {
		q.Set("soft", "true")
	}
	if scrubbed {
		q.Set("wait", "scrubbed")
	}
	return ask[Deleted](ctx, c, call{method: http.MethodDelete, path: at(homeOf(id), string(id)), query: q})
}

// homeOf is where records of a kind stand.
func homeOf(id lukasa.ID) string {
	switch id.Prefix() {
	case lukasa.PrefixDocument:
		return "/v1/documents/"
	case lukasa.PrefixMemory:
		return "/v1/memories/"
	case lukasa.PrefixMessage:
		return "/v1/messages/"
	case lukasa.PrefixConversation:
		return "/v1/conversations/"
	case lukasa.PrefixUser:
		return "/v1/users/"
	}
	return "/v1/nodes/"
}

// Trash lists what lies in the trash, newest first.
func (c *Client) Trash(ctx context.Context, p lukasa.Page) (lukasa.Listing[Buried], error) {
	return ask[lukasa.Listing[Buried]](ctx, c, call{method: http.MethodGet, path: "/v1/trash", query: query(nil, p)})
}

// Restore takes a record out of the trash, a user too.
func (c *Client) Restore(ctx context.Context, id lukasa.ID) error {
	path := at("/v1/trash/", string(id)) + "/restore"
	if id.Prefix() == lukasa.PrefixUser {
		path = at("/v1/users/", string(id)) + "/restore"
	}
	_, err := ask[map[string]any](ctx, c, call{method: http.MethodPost, path: path})
	return err
}

// PurgeTrash removes one record in the trash for good.
func (c *Client) PurgeTrash(ctx context.Context, id lukasa.ID) (Deleted, error) {
	return ask[Deleted](ctx, c, call{method: http.MethodDelete, path: at("/v1/trash/", string(id))})
}

// EmptyTrash removes everything in the trash for good and returns the receipts.
func (c *Client) EmptyTrash(ctx context.Context) ([]Receipt, error) {
	l, err := ask[lukasa.Listing[Receipt]](ctx, c, call{method: http.MethodDelete, path: "/v1/trash"})
	return l.Items, err
}

// Receipt returns one receipt; with scrubbed it waits as [Client.Delete] does.
func (c *Client) Receipt(ctx context.Context, id lukasa.ID, scrubbed bool) (Receipt, error) {
	q := url.Values{}
	if scrubbed {
		q.Set("wait", "scrubbed")
	}
	return ask[Receipt](ctx, c, call{method: http.MethodGet, path: at("/v1/receipts/", string(id)), query: q})
}

// Receipts lists what was removed for good, newest first.
func (c *Client) Receipts(ctx context.Context, p lukasa.Page) (lukasa.Listing[Receipt], error) {
	return ask[lukasa.Listing[Receipt]](ctx, c, call{method: http.MethodGet, path: "/v1/receipts", query: query(nil, p)})
}

// Audit lists security-relevant acts, newest first: the caller's own, or for admins those of a user or of all.
func (c *Client) Audit(ctx context.Context, user lukasa.ID, all bool, action string, p lukasa.Page) (lukasa.Listing[Act], error) {
	q := query(nil, p)
	for name, v := range map[string]string{"user_id": string(user), "action": action} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if all {
		q.Set("all", "true")
	}
	return ask[lukasa.Listing[Act]](ctx, c, call{method: http.MethodGet, path: "/v1/audit", query: q})
}

// Files lists sealed files, newest first: those of a document, or all for "", in the containers that the patterns name, all for none.
func (c *Client) Files(ctx context.Context, document lukasa.ID, in []lukasa.Pattern, p lukasa.Page) (lukasa.Listing[File], error) {
	q := query(in, p)
	if document != "" {
		q.Set("document_id", string(document))
	}
	return ask[lukasa.Listing[File]](ctx, c, call{method: http.MethodGet, path: "/v1/files", query: q})
}

// File returns one file.
func (c *Client) File(ctx context.Context, id lukasa.ID) (File, error) {
	return ask[File](ctx, c, call{method: http.MethodGet, path: at("/v1/files/", string(id))})
}

// FileContent returns the bytes of a file, which is woken for it. The caller closes them. A file that takes long to wake is asked for
// again.
func (c *Client) FileContent(ctx context.Context, id lukasa.ID) (io.ReadCloser, error) {
	return c.woken(ctx, at("/v1/files/", string(id))+"/content", nil)
}

// woken returns the bytes at an address, once the file behind them is awake.
func (c *Client) woken(ctx context.Context, path string, q url.Values) (io.ReadCloser, error) {
	for {
		res, err := c.answer(ctx, call{method: http.MethodGet, path: path, query: q})
		switch {
		case err != nil:
			return nil, err
		case res.StatusCode != http.StatusAccepted:
			return res.Body, nil
		}
		if err := res.Body.Close(); err != nil {
			return nil, err
		}
		if !sleep(ctx, max(time.Second, retryAfter(res.Header.Get("Retry-After"), time.Now()))) {
			return nil, ctx.Err()
		}
	}
}

// Wake makes a sleeping file active and returns its state: rehydrating where that takes longer than two seconds.
func (c *Client) Wake(ctx context.Context, id lukasa.ID) (string, error) {
	return c.stir(ctx, id, "decompress")
}

// Compress makes a file dormant, as happens by itself once it is idle.
func (c *Client) Compress(ctx context.Context, id lukasa.ID) (string, error) {
	return c.stir(ctx, id, "compress")
}

// Touch notes that a file was used.
func (c *Client) Touch(ctx context.Context, id lukasa.ID) (string, error) {
	return c.stir(ctx, id, "touch")
}

func (c *Client) stir(ctx context.Context, id lukasa.ID, verb string) (string, error) {
	f, err := ask[struct {
		State string `json:"state"`
	}](ctx, c, call{method: http.MethodPost, path: at("/v1/files/", string(id)) + "/" + verb})
	return f.State, err
}

// FileLog lists the states that a file went through, newest first; of all files for "".
func (c *Client) FileLog(ctx context.Context, id lukasa.ID, p lukasa.Page) (lukasa.Listing[FileEvent], error) {
	path := "/v1/files/log"
	if id != "" {
		path = at("/v1/files/", string(id)) + "/log"
	}
	return ask[lukasa.Listing[FileEvent]](ctx, c, call{method: http.MethodGet, path: path, query: query(nil, p)})
}

// ChangeUser merges settings into a user's: limits {files, storage, sessions, requests} and retention_days mean something to the server.
func (c *Client) ChangeUser(ctx context.Context, id lukasa.ID, settings map[string]any) (lukasa.User, error) {
	return ask[lukasa.User](ctx, c, call{method: http.MethodPatch, path: at("/v1/users/", string(id)), body: map[string]any{"settings": settings}})
}

// Usage is what a user has, and may have. 0 means no limit.
type Usage struct {
	Files    int   `json:"files"`
	Storage  int64 `json:"storage"`
	Sessions int   `json:"sessions"`
	Limits   struct {
		Files    int   `json:"files"`
		Storage  int64 `json:"storage"`
		Sessions int   `json:"sessions"`
		Requests int   `json:"requests"`
	} `json:"limits"`
	Retention int `json:"retention_days,omitempty"`
}

// Usage returns what the caller has and may have, or a user for an admin.
func (c *Client) Usage(ctx context.Context, user lukasa.ID) (Usage, error) {
	q := url.Values{}
	if user != "" {
		q.Set("user_id", string(user))
	}
	return ask[Usage](ctx, c, call{method: http.MethodGet, path: "/v1/usage", query: q})
}

// Rebuilt says what a stretch of a rebuild did.
type Rebuilt struct {
	What        string         `json:"what"`
	Records     int            `json:"records"`
	Regenerated map[string]int `json:"regenerated"`
	Missing     []Recovery     `json:"missing"`
	Next        string         `json:"next_cursor"`
	Total       int            `json:"total"`
}

// Recovery is a record of which something could not be made again.
type Recovery struct {
	Document lukasa.ID `json:"document_id"`
	Missing  []string  `json:"missing"`
	Detail   string    `json:"detail"`
}

// Rebuild makes again what is derived: summaries, embeddings, graph or index. tick, which may be nil, is told how far it is.
func (c *Client) Rebuild(ctx context.Context, what string, in []lukasa.Pattern, document lukasa.ID, tick func(Rebuilt)) (Rebuilt, error) {
	all := Rebuilt{What: what, Regenerated: map[string]int{}, Missing: []Recovery{}}
	for {
		places, _ := patternsOf(in)
		out, err := ask[Rebuilt](ctx, c, call{method: http.MethodPost, path: "/v1/rebuild", body: work{What: what, Containers: places, Document: document, Cursor: all.Next}})
		if err != nil {
			return all, err
		}
		all.Records, all.Total, all.Next, all.Missing = all.Records+out.Records, out.Total, out.Next, append(all.Missing, out.Missing...)
		for k, n := range out.Regenerated {
			all.Regenerated[k] += n
		}
		if tick != nil {
			tick(all)
		}
		if out.Next == "" {
			return all, nil
		}
	}
}

type work struct {
	What       string    `json:"what,omitempty"`
	Apply      bool      `json:"apply,omitempty"`
	Model      bool      `json:"model,omitempty"`
	Containers []string  `json:"containers,omitempty"`
	Document   lukasa.ID `json:"document_id,omitempty"`
	Cursor     string    `json:"cursor,omitempty"`
}

// Rederived says what today's rules or model change in the memories that earlier ones drew, or would change.
type Rederived struct {
	Applied   bool           `json:"applied"`
	Documents int            `json:"documents"`
	Changed   int            `json:"changed"`
	Add       int            `json:"add"`
	Retire    int            `json:"retire"`
	Keep      int            `json:"keep"`
	Changes   []Rederivation `json:"changes"`
	Unread    []Unread       `json:"unread"`
	Next      string         `json:"next_cursor"`
	Total     int            `json:"total"`
}

// Unread is a document that the model gave no answer to that can be used, and why; it is as it was.
type Unread struct {
	Document lukasa.ID `json:"document_id"`
	Detail   string    `json:"detail"`
}

// Rederivation is what changes in one document.
type Rederivation struct {
	Document lukasa.ID       `json:"document_id"`
	Add      []lukasa.Memory `json:"add"`
	Retire   []lukasa.Memory `json:"retire"`
	Keep     int             `json:"keep"`
}

// Rederive reads documents and conversations again by today's rules, or by the configured model. tick, which may be nil, is told how far it is.
func (c *Client) Rederive(ctx context.Context, apply, model bool, in []lukasa.Pattern, document lukasa.ID, tick func(Rederived)) (Rederived, error) {
	all := Rederived{Applied: apply, Changes: []Rederivation{}, Unread: []Unread{}}
	for {
		places, _ := patternsOf(in)
		out, err := ask[Rederived](ctx, c, call{method: http.MethodPost, path: "/v1/rederive", body: work{Apply: apply, Model: model, Containers: places, Document: document, Cursor: all.Next}})
		if err != nil {
			return all, err
		}
		all.Documents, all.Changed, all.Add, all.Retire = all.Documents+out.Documents, all.Changed+out.Changed, all.Add+out.Add, all.Retire+out.Retire
		all.Keep, all.Changes, all.Next, all.Total = all.Keep+out.Keep, append(all.Changes, out.Changes...), out.Next, out.Total
		all.Unread = append(all.Unread, out.Unread...)
		if tick != nil {
			tick(all)
		}
		if out.Next == "" {
			return all, nil
		}
	}
}
