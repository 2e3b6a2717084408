package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type importItem struct {
	Key      string       `json:"key" doc:"its id in the export, the same in every export of the same source"`
	Title    string       `json:"title,omitempty" doc:"of the conversation"`
	Append   *appendBody  `json:"append,omitempty" doc:"messages of a conversation"`
	Document *newDocument `json:"document,omitempty" doc:"known by its custom_id"`
	Created  *moment      `json:"created_at,omitempty" doc:"when the document was made, where it comes from"`
	Memory   *newMemory   `json:"memory,omitempty" doc:"known by the key"`
}

func (b importItem) request() (engine.ImportItem, error) {
	it := engine.ImportItem{Key: b.Key, Title: b.Title}
	if b.Append != nil {
		it.Append = new(b.Append.request())
	}
	if b.Document != nil {
		d, err := b.Document.request()
		if err != nil {
			return it, err
		}
		d.CreatedAt = b.Created.ptr()
		it.Document = &d
	}
	if b.Memory != nil {
		it.Memory = new(b.Memory.request())
	}
	return it, nil
}

type importAnswer struct {
	Items []engine.ImportResult `json:"items"`
	Links int                   `json:"links"`
}

func (d *door) imports() {
	const tag = "import"
	add(d, "GET", "/v1/import/kinds", "import-kinds", "The kinds of export that can be imported", tag, func(context.Context, *struct{}) (*answer[lukasa.Listing[engine.ImportKind]], error) {
		return ok(whole(engine.Exports().Kinds())), nil
	})
	add(d, "POST", "/v1/import/items", "import-items", "Keep items of an export, and what they point to; what is there is passed over", tag, d.importItems)
	add(d, "GET", "/v1/jobs", "list-jobs", "What is not done: documents that wait, are worked on, or have failed, and behind the last of them the jobs of other kinds", "jobs", func(ctx context.Context, in *struct {
		Paging
		State string `query:"state" enum:"waiting,running,failed," doc:"all of them if left out"`
	},
	) (*answer[lukasa.Listing[engine.Task]], error) {
		l, err := d.e.Tasks(ctx, scope(ctx), in.State, in.page())
		return reply(ctx, d, l, err)
	})
	add(d, "POST", "/v1/jobs/retry", "retry-jobs", "Try again what has failed", "jobs", d.retry)
}

func (d *door) importItems(ctx context.Context, in *struct {
	Body struct {
		Items     []importItem        `json:"items,omitempty" doc:"at most 200"`
		Container string              `json:"container,omitempty" doc:"of the links"`
		Links     []engine.ImportLink `json:"links,omitempty" doc:"from: id of a record; to: an id, a custom_id, a conversation, a key or a title"`
	}
},
) (*answer[importAnswer], error) {
	out := importAnswer{Items: []engine.ImportResult{}}
	items := make([]engine.ImportItem, len(in.Body.Items))
	for i, b := range in.Body.Items {
		var err error
		if items[i], err = b.request(); err != nil {
			return nil, d.fail(ctx, at("items", i, err))
		}
	}
	var err error
	if len(items) > 0 {
		if out.Items, err = d.e.ImportItems(ctx, scope(ctx), items); err != nil {
			return nil, d.fail(ctx, err)
		}
	}
	if len(in.Body.Links) > 0 {
		out.Links, err = d.e.ImportLinks(ctx, scope(ctx), in.Body.Container, in.Body.Links)
	}
	return reply(ctx, d, out, err)
}

// at names the item at fault.
func at(list string, i int, err error) error {
	if e, ok := errors.AsType[*lukasa.Error](err); ok {
		named := *e
		named.Field = list + "[" + strconv.Itoa(i) + "]." + e.Field
		return &named
	}
	return err
}

func (d *door) retry(ctx context.Context, in *struct {
	Body struct {
		IDs []string `json:"ids,omitempty" doc:"documents"`
		All bool     `json:"all,omitempty" doc:"everything that has failed"`
	}
},
) (*answer[map[string]int], error) {
	if in.Body.All == (len(in.Body.IDs) > 0) {
		return nil, d.fail(ctx, lukasa.Invalid("ids", "must name documents, or all must be true, and not both"))
	}
	ids := make([]lukasa.ID, len(in.Body.IDs))
	for i, s := range in.Body.IDs {
		var err error
		if ids[i], err = ID("ids["+strconv.Itoa(i)+"]", lukasa.PrefixDocument, s); err != nil {
			return nil, d.fail(ctx, err)
		}
	}
	n, err := d.e.Retry(ctx, scope(ctx), ids...)
	return reply(ctx, d, map[string]int{"retried": n}, err)
}

// maxUpload is the largest export that is taken in whole.
const maxUpload = 512 << 20

// importAll reads an export: our own as it comes, one of another tool once it is here as a whole.
func (d *door) importAll(w http.ResponseWriter, r *http.Request) {
	ctx, sc := r.Context(), scope(r.Context())
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	out, err := d.takeExport(ctx, sc, r)
	if err != nil {
		WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

func (d *door) takeExport(ctx context.Context, sc lukasa.Scope, r *http.Request) (any, error) {
	q := r.URL.Query()
	if err := sc.CanWrite(); err != nil {
		return nil, err
	}
	o := engine.ImportOptions{
		Container: q.Get("container"), Zone: q.Get("zone"), Me: q.Get("me"), Namespace: q.Get("namespace"),
	}
	for name, on := range map[string]*bool{"attachments": &o.Attachments, "dry_run": &o.DryRun} {
		switch q.Get(name) {
		case "true":
			*on = true
		case "false", "":
		default: // what is no word for yes must not turn a dry run into an import
			return nil, lukasa.Invalid(name, "must be true or false")
		}
	}
	body, name, err := Export(r)
	if err != nil {
		return nil, err
	}
	kind := q.Get("kind")
	if kind == "" || kind == engine.OwnExport {
		own, all := engine.Exports().PeekOwn(body)
		if (own || kind != "") && o.DryRun {
			return d.e.CountImport(ctx, all)
		}
		if own || kind != "" {
			return d.e.Import(ctx, sc, all, nil)
		}
		body = all
	}
	x, err := engine.Exports().Receive(body, d.e.Config().Data, cmp.Or(q.Get("name"), name, "export"), kind, maxUpload)
	if err != nil {
		return nil, err
	}
	defer func() { _ = x.Close() }()
	return d.e.ImportExport(ctx, sc, x, o)
}
