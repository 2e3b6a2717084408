package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lukasa-memory/lukasa"
)

// newDocument is the body of a save.
type newDocument struct {
	Content       string         `json:"content,omitempty" doc:"the text, up to 500,000 characters"`
	URL           string         `json:"url,omitempty" doc:"an address to fetch"`
	File          string         `json:"file_base64,omitempty" doc:"the bytes of a file"`
	Filename      string         `json:"filename,omitempty"`
	Container     string         `json:"container,omitempty" doc:"dotted path; none means default"`
	Project       string         `json:"project_id,omitempty" doc:"the same as container"`
	Title         string         `json:"title,omitempty"`
	ContentType   string         `json:"content_type,omitempty" doc:"text, markdown, html, code, json, csv, or a media type; found out where it is not given"`
	SourceURL     string         `json:"source_url,omitempty"`
	CustomID      string         `json:"custom_id,omitempty" doc:"your own id: a later save with the same one is a new version; another one is another document, also where the text is the same"`
	Updates       string         `json:"updates,omitempty" doc:"id of the document that this is a new version of"`
	UpdatesMemory string         `json:"updates_memory_id,omitempty" doc:"the same as updates"`
	Metadata      map[string]any `json:"metadata,omitempty"`
	Tags          []string       `json:"tags,omitempty"`
	Source        string         `json:"source,omitempty" doc:"where it came from: user, agent, tool, web, import"`
	OccurredAt    *moment        `json:"occurred_at,omitempty"`
	ForgetAfter   *moment        `json:"forget_after,omitempty" doc:"a time to come; the document is removed for good then"`
}

func (b newDocument) request() (lukasa.NewDocument, error) {
	in := lukasa.NewDocument{
		Content: b.Content, URL: b.URL, Name: b.Filename, Container: cmp.Or(b.Container, b.Project), Title: b.Title,
		ContentType: b.ContentType, SourceURL: b.SourceURL, CustomID: b.CustomID, Metadata: b.Metadata, Tags: b.Tags, Origin: lukasa.Origin(b.Source),
		OccurredAt: b.OccurredAt.ptr(), ForgetAfter: b.ForgetAfter.ptr(),
	}
	switch in.Origin {
	case "", lukasa.OriginUser, lukasa.OriginAgent, lukasa.OriginTool, lukasa.OriginWeb, lukasa.OriginFile, lukasa.OriginImport:
	default:
		return in, lukasa.Invalid("source", "is not one of user, agent, tool, web, file, import")
	}
	field, up := "updates", b.Updates
	if up == "" {
		field, up = "updates_memory_id", b.UpdatesMemory
	}
	if up != "" {
		var err error
		if in.Updates, err = ID(field, lukasa.PrefixDocument, up); err != nil {
			return in, err
		}
	}
	if b.File != "" {
		data, err := base64.StdEncoding.DecodeString(b.File)
		if err != nil {
			return in, lukasa.Invalid("file_base64", "is not base64")
		}
		in.Data = data
	}
	return in, nil
}

// receipt answers a save.
type receipt struct {
	lukasa.Document
	Deduplicated bool `json:"deduplicated"`
}

func receiptOf(r lukasa.Receipt) receipt {
	r.Document.Content = ""
	return receipt{Document: r.Document, Deduplicated: r.Deduplicated}
}

func statusOf(r lukasa.Receipt) int {
	switch {
	case r.Deduplicated:
		return http.StatusOK
	case r.Document.Status == lukasa.StatusDone:
		return http.StatusCreated
	}
	return http.StatusAccepted
}

type batchItem struct {
	Status   int      `json:"status"`
	Document *receipt `json:"document,omitempty"`
	Error    any      `json:"error,omitempty"`
}

// documentList narrows a listing.
type documentList struct {
	Containers  texts    `json:"container,omitempty"`
	ContentType texts    `json:"content_type,omitempty"`
	Status      texts    `json:"status,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Title       string   `json:"title,omitempty"`
	SourceURL   string   `json:"source_url,omitempty"`
	CustomID    string   `json:"custom_id,omitempty"`
	From        *moment  `json:"from,omitempty" doc:"dated at or after this, or else saved"`
	To          *moment  `json:"to,omitempty" doc:"dated before this, or else saved"`
	After       *moment  `json:"after,omitempty" doc:"the same as from"`
	Before      *moment  `json:"before,omitempty" doc:"the same as to"`
	AllVersions bool     `json:"all_versions,omitempty"`
	OldestFirst bool     `json:"oldest_first,omitempty"`
	AsOf        *moment  `json:"as_of,omitempty" doc:"as it was known then"`
	Cursor      string   `json:"cursor,omitempty"`
	Limit       int      `json:"limit,omitempty"`
	Offset      int      `json:"offset,omitempty"`
}

func (d *door) listDocuments(ctx context.Context, b documentList) (*answer[lukasa.Listing[lukasa.Document]], error) {
	in, err := Places(b.Containers, false)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	f := lukasa.DocumentFilter{
		Containers: in, ContentType: b.ContentType, Tags: b.Tags, Title: b.Title, SourceURL: b.SourceURL, CustomID: b.CustomID,
		After: cmp.Or(b.From, b.After).ptr(), Before: cmp.Or(b.To, b.Before).ptr(), AllVersions: b.AllVersions, OldestFirst: b.OldestFirst,
	}
	for _, s := range b.Status {
		f.Status = append(f.Status, lukasa.Status(s))
	}
	var at time.Time
	if b.AsOf != nil {
		at = b.AsOf.UTC()
	}
	l, err := d.e.DocumentsAt(ctx, scope(ctx), f, lukasa.Page{Cursor: b.Cursor, Limit: b.Limit, Offset: b.Offset}, at)
	return reply(ctx, d, l, err)
}

func (d *door) documents() {
	const tag = "documents"
	add(d, "POST", "/v1/documents", "create-document", "Save text, an address or a file", tag, func(ctx context.Context, in *struct{ Body newDocument }) (*answer[receipt], error) {
		req, err := in.Body.request()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		r, err := d.e.Remember(ctx, scope(ctx), req)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[receipt]{Status: statusOf(r), Body: receiptOf(r)}, nil
	})
	add(d, "POST", "/v1/documents/batch", "create-documents", "Save several; each item has its own result", tag, d.batch)
	add(d, "POST", "/v1/documents/upload", "upload-document", "Upload a file as a multipart form", tag, d.upload)
	add(d, "POST", "/v1/documents/list", "query-documents", "List documents with filters", tag, func(ctx context.Context, in *struct{ Body documentList }) (*answer[lukasa.Listing[lukasa.Document]], error) {
		return d.listDocuments(ctx, in.Body)
	})
	add(d, "GET", "/v1/documents", "list-documents", "List documents, newest first", tag, func(ctx context.Context, in *struct {
		Paging
		Container   string `query:"container"`
		ContentType string `query:"content_type"`
		Status      string `query:"status"`
		Tag         string `query:"tag"`
		Title       string `query:"title" doc:"part of the title"`
		SourceURL   string `query:"source_url"`
		CustomID    string `query:"custom_id"`
		AllVersions bool   `query:"all_versions"`
		From        string `query:"from" doc:"ISO 8601: dated at or after this, or else saved"`
		To          string `query:"to" doc:"ISO 8601: dated before this, or else saved"`
		AsOf        string `query:"as_of" doc:"ISO 8601: as it was known then"`
	},
	) (*answer[lukasa.Listing[lukasa.Document]], error) {
		at, err := Instant("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		b := documentList{
			Containers: List(in.Container), ContentType: List(in.ContentType), Status: List(in.Status), Tags: List(in.Tag), Title: in.Title,
			SourceURL: in.SourceURL, CustomID: in.CustomID, AllVersions: in.AllVersions, Cursor: in.Cursor, Limit: in.Limit, Offset: in.Offset,
			AsOf: &moment{Time: at},
		}
		for _, x := range []struct {
			field, value string
			to           **moment
		}{{"from", in.From, &b.From}, {"to", in.To, &b.To}} {
			if x.value == "" {
				continue
			}
			at, err := Instant(x.field, x.value)
			if err != nil {
				return nil, d.fail(ctx, err)
			}
			*x.to = &moment{Time: at}
		}
		return d.listDocuments(ctx, b)
	})
	d.document(tag)
}

// tiered is a document with how long ago it was last used.
type tiered struct {
	lukasa.Document
	Tier string `json:"tier" doc:"hot: used within the hour; warm: within seven days; cold"`
}

// thenID is the id of a record in a path, and the moment that is asked about.
type thenID struct {
	ByID
	Then
}

// document registers what is done to one document.
func (d *door) document(tag string) {
	withID := func(ctx context.Context, s string) (lukasa.Scope, lukasa.ID, error) {
		id, err := lukasa.ParseID(lukasa.PrefixDocument, s)
		if err != nil {
			return lukasa.Scope{}, "", d.fail(ctx, err)
		}
		return scope(ctx), id, nil
	}
	withIDAt := func(ctx context.Context, in *thenID) (lukasa.Scope, lukasa.ID, time.Time, error) {
		sc, id, err := withID(ctx, in.ID)
		if err != nil {
			return sc, id, time.Time{}, err
		}
		at, err := in.at()
		if err != nil {
			err = d.fail(ctx, err)
		}
		return sc, id, at, err
	}
	add(d, "GET", "/v1/documents/{id}", "get-document", "One document with its text", tag, func(ctx context.Context, in *thenID) (*answer[tiered], error) {
		sc, id, at, err := withIDAt(ctx, in)
		if err != nil {
			return nil, err
		}
		doc, err := d.e.DocumentAt(ctx, sc, id, at)
		return reply(ctx, d, tiered{doc, d.e.Tier(doc)}, err)
	})
	add(d, "PATCH", "/v1/documents/{id}", "patch-document", "Change title, tags, metadata or forget_after", tag, func(ctx context.Context, in *struct {
		ByID
		Body DocumentPatch
	},
	) (*answer[lukasa.Document], error) {
		sc, id, err := withID(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		p, err := in.Body.Words()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		doc, err := d.e.PatchDocument(ctx, sc, id, p)
		return reply(ctx, d, doc, err)
	})
	d.eraser(lukasa.PrefixDocument, "/v1/documents/{id}", "delete-document", "Remove a document and all that came from it", tag)
	add(d, "GET", "/v1/documents/{id}/chunks", "list-chunks", "A document's chunks in order", tag, func(ctx context.Context, in *thenID) (*answer[lukasa.Listing[lukasa.Chunk]], error) {
		sc, id, at, err := withIDAt(ctx, in)
		if err != nil {
			return nil, err
		}
		cs, err := d.e.Chunks(ctx, sc, id, at)
		return reply(ctx, d, whole(cs), err)
	})
	add(d, "GET", "/v1/documents/{id}/versions", "list-versions", "A document's versions, newest first", tag, func(ctx context.Context, in *thenID) (*answer[lukasa.Listing[lukasa.Document]], error) {
		sc, id, at, err := withIDAt(ctx, in)
		if err != nil {
			return nil, err
		}
		vs, err := d.e.Versions(ctx, sc, id, at)
		return reply(ctx, d, whole(vs), err)
	})
	add(d, "POST", "/v1/documents/{id}/restore", "restore-version", "Save the content of an earlier version as the newest one", tag, func(ctx context.Context, in *ByID) (*answer[receipt], error) {
		sc, id, err := withID(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		r, err := d.e.RestoreVersion(ctx, sc, id)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[receipt]{Status: statusOf(r), Body: receiptOf(r)}, nil
	})
	add(d, "GET", "/v1/documents/{id}/content", "get-content", "What the document came in as, byte for byte", tag, func(ctx context.Context, in *thenID) (*huma.StreamResponse, error) {
		sc, id, at, err := withIDAt(ctx, in)
		if err != nil {
			return nil, err
		}
		return d.bytes(ctx, string(id), func(ctx context.Context) (io.ReadCloser, lukasa.File, error) { return d.e.Content(ctx, sc, id, at) })
	})
}

// whole makes a listing of a list that is not cut.
func whole[T any](items []T) lukasa.Listing[T] {
	if items == nil {
		items = []T{}
	}
	return lukasa.Listing[T]{Items: items, Total: len(items)}
}

const maxBatch = 1000

func (d *door) batch(ctx context.Context, in *struct {
	Body struct {
		Documents []newDocument `json:"documents"`
	}
},
) (*answer[lukasa.Listing[batchItem]], error) {
	docs := in.Body.Documents
	if len(docs) == 0 || len(docs) > maxBatch {
		return nil, d.fail(ctx, lukasa.Invalid("documents", "must hold 1 to %d items", maxBatch))
	}
	items := make([]batchItem, len(docs))
	var reqs []lukasa.NewDocument
	var at []int
	for i, b := range docs {
		req, err := b.request()
		if err != nil {
			items[i] = d.item(ctx, lukasa.Receipt{}, err)
			continue
		}
		reqs, at = append(reqs, req), append(at, i)
	}
	receipts, errs := d.e.RememberAll(ctx, scope(ctx), reqs)
	for k, i := range at {
		items[i] = d.item(ctx, receipts[k], errs[k])
	}
	return ok(whole(items)), nil
}

// item answers one of several saves.
func (d *door) item(ctx context.Context, r lukasa.Receipt, err error) batchItem {
	if err != nil {
		p := d.problem(ctx, err)
		return batchItem{Status: p.GetStatus(), Error: p.Body}
	}
	return batchItem{Status: statusOf(r), Document: new(receiptOf(r))}
}

// upload takes one or more files under "file", and the other fields of a save as form values; metadata is JSON, tags are
// separated by commas or a list in JSON. One file is answered with its own status, several as a batch is.
func (d *door) upload(ctx context.Context, in *struct{ RawBody multipart.Form }) (*answer[lukasa.Listing[batchItem]], error) {
	base, err := described(in.RawBody.Value)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	files := in.RawBody.File["file"]
	if len(files) == 0 {
		return nil, d.fail(ctx, lukasa.Invalid("file", "is missing: send it as multipart/form-data under the name file"))
	}
	items := make([]batchItem, len(files))
	for i, fh := range files {
		r, err := d.uploadOne(ctx, base, fh)
		if err != nil && len(files) == 1 {
			return nil, d.fail(ctx, err)
		}
		items[i] = d.item(ctx, r, err)
	}
	a := ok(whole(items))
	if len(items) == 1 {
		a.Status = items[0].Status
	}
	return a, nil
}

// described reads what the values of a form say of its files.
func described(form map[string][]string) (lukasa.NewDocument, error) {
	var b newDocument
	texts := map[string]*string{
		"container": &b.Container, "project_id": &b.Project, "title": &b.Title, "content_type": &b.ContentType, "source_url": &b.SourceURL,
		"custom_id": &b.CustomID, "updates": &b.Updates, "updates_memory_id": &b.UpdatesMemory, "source": &b.Source,
	}
	times := map[string]**moment{"occurred_at": &b.OccurredAt, "forget_after": &b.ForgetAfter}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		value := cmp.Or(form[name]...)
		to, at := texts[name], times[name]
		switch {
		case to != nil:
			*to = value
		case at != nil:
			t, err := Instant(name, value)
			if err != nil {
				return lukasa.NewDocument{}, err
			}
			*at = &moment{Time: t}
		case name == "tags":
			for _, s := range form[name] {
				var some []string
				if json.Unmarshal([]byte(s), &some) != nil {
					some = List(s)
				}
				b.Tags = append(b.Tags, some...)
			}
		case name != "metadata":
			return lukasa.NewDocument{}, &lukasa.Error{Code: lukasa.CodeUnknownField, Field: name, Msg: "is not a field of this request"}
		case value != "" && json.Unmarshal([]byte(value), &b.Metadata) != nil:
			return lukasa.NewDocument{}, lukasa.Invalid("metadata", "is not a JSON object")
		}
	}
	return b.request()
}

func (d *door) uploadOne(ctx context.Context, in lukasa.NewDocument, fh *multipart.FileHeader) (lukasa.Receipt, error) {
	f, err := fh.Open()
	if err != nil {
		return lukasa.Receipt{}, err
	}
	defer f.Close()
	in.Name = fh.Filename
	if in.ContentType == "" {
		in.ContentType = fh.Header.Get("Content-Type")
	}
	in.Data, err = io.ReadAll(f)
	switch {
	case err != nil:
		return lukasa.Receipt{}, err
	case len(in.Data) == 0:
		return lukasa.Receipt{}, lukasa.Invalid("file", "is empty")
	}
	return d.e.Remember(ctx, scope(ctx), in)
}
