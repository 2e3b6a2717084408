package client

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// maxInBody is the largest file that goes into a JSON body; larger ones go as a form, which base64 does not swell.
const maxInBody = 6 << 20

// newDocument is the body of a save.
type newDocument struct {
	Content     string         `json:"content,omitempty"`
	URL         string         `json:"url,omitempty"`
	File        string         `json:"file_base64,omitempty"`
	Filename    string         `json:"filename,omitempty"`
	Container   string         `json:"container,omitempty"`
	Title       string         `json:"title,omitempty"`
	ContentType string         `json:"content_type,omitempty"`
	SourceURL   string         `json:"source_url,omitempty"`
	CustomID    string         `json:"custom_id,omitempty"`
	Updates     lukasa.ID      `json:"updates,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	Tags        []string       `json:"tags,omitempty"`
	Source      lukasa.Origin  `json:"source,omitempty"`
	OccurredAt  *time.Time     `json:"occurred_at,omitempty"`
	ForgetAfter *time.Time     `json:"forget_after,omitempty"`
}

func bodyOf(in lukasa.NewDocument) newDocument {
	b := newDocument{
		Content: in.Content, URL: in.URL, Filename: in.Name, Container: in.Container, Title: in.Title, ContentType: in.ContentType,
		SourceURL: in.SourceURL, CustomID: in.CustomID, Updates: in.Updates, Metadata: in.Metadata, Tags: in.Tags, Source: in.Origin,
		OccurredAt: in.OccurredAt, ForgetAfter: in.ForgetAfter,
	}
	if len(in.Data) > 0 {
		b.File = base64.StdEncoding.EncodeToString(in.Data)
	}
	return b
}

type receipt struct {
	lukasa.Document
	Deduplicated bool `json:"deduplicated"`
}

func (r receipt) words() lukasa.Receipt {
	return lukasa.Receipt{Document: r.Document, Deduplicated: r.Deduplicated}
}

type batchItem struct {
	Status   int             `json:"status"`
	Document *receipt        `json:"document"`
	Error    json.RawMessage `json:"error"`
}

func (i batchItem) words() (lukasa.Receipt, error) {
	if i.Document != nil {
		return i.Document.words(), nil
	}
	body := fmt.Appendf(nil, `{"error":%s}`, i.Error)
	e := decodeError(i.Status, body)
	e.Err = ticketOf(i.Status, body, nil)
	return lukasa.Receipt{}, e
}

// Remember saves text, an address or a file. CreatedAt is the server's and not sent.
func (c *Client) Remember(ctx context.Context, in lukasa.NewDocument) (lukasa.Receipt, error) {
	if len(in.Data) > maxInBody {
		return c.upload(ctx, in)
	}
	r, err := ask[receipt](ctx, c, call{method: http.MethodPost, path: "/v1/documents", body: bodyOf(in)})
	return r.words(), err
}

// RememberAll saves up to 1,000 documents in one request; each has a receipt or an error of its own.
func (c *Client) RememberAll(ctx context.Context, in []lukasa.NewDocument) ([]lukasa.Receipt, []error) {
	receipts, errs := make([]lukasa.Receipt, len(in)), make([]error, len(in))
	docs := make([]newDocument, len(in))
	for i := range in {
		docs[i] = bodyOf(in[i])
	}
	l, err := ask[lukasa.Listing[batchItem]](ctx, c, call{method: http.MethodPost, path: "/v1/documents/batch", body: map[string]any{"documents": docs}})
	if err == nil && len(l.Items) != len(in) {
		err = lukasa.Errorf(lukasa.CodeExternal, "the server answered %d of %d items", len(l.Items), len(in))
	}
	for i := range in {
		if err != nil {
			errs[i] = err
			continue
		}
		receipts[i], errs[i] = l.Items[i].words()
	}
	return receipts, errs
}

// upload sends a file as a form.
func (c *Client) upload(ctx context.Context, in lukasa.NewDocument) (lukasa.Receipt, error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	fields := map[string]string{
		"container": in.Container, "title": in.Title, "content_type": in.ContentType, "source_url": in.SourceURL,
		"custom_id": in.CustomID, "updates": string(in.Updates), "source": string(in.Origin),
	}
	for name, v := range map[string]any{"tags": in.Tags, "metadata": in.Metadata} {
		text, err := json.Marshal(v)
		if err != nil {
			return lukasa.Receipt{}, fmt.Errorf("encode %s: %w", name, err)
		}
		if string(text) != "null" {
			fields[name] = string(text)
		}
	}
	for name, at := range map[string]*time.Time{"occurred_at": in.OccurredAt, "forget_after": in.ForgetAfter} {
		if at != nil {
			fields[name] = at.UTC().Format(time.RFC3339Nano)
		}
	}
	for name, v := range fields {
		if v != "" {
			_ = form.WriteField(name, v) // a buffer takes everything
		}
	}
	name := in.Name
	if name == "" {
		name = "file"
	}
	w, err := form.CreateFormFile("file", name)
	if err != nil {
		return lukasa.Receipt{}, err
	}
	_, _ = w.Write(in.Data)
	_ = form.Close()
	l, err := ask[lukasa.Listing[batchItem]](ctx, c, call{method: http.MethodPost, path: "/v1/documents/upload", raw: b.Bytes(), typ: form.FormDataContentType()})
	if err != nil {
		return lukasa.Receipt{}, err
	}
	if len(l.Items) != 1 {
		return lukasa.Receipt{}, lukasa.Errorf(lukasa.CodeExternal, "the server answered %d of 1 items", len(l.Items))
	}
	return l.Items[0].words()
}

// Document returns one document with its cleaned text.
func (c *Client) Document(ctx context.Context, id lukasa.ID) (lukasa.Document, error) {
	return ask[lukasa.Document](ctx, c, call{method: http.MethodGet, path: at("/v1/documents/", string(id))})
}

// at puts one segment behind a prefix.
func at(prefix, segment string) string { return prefix + url.PathEscape(segment) }

// patternsOf writes patterns in the grammar of requests. Nothing is said of a pattern that names everything; inherit
// reports whether one of them wants the ancestors too.
func patternsOf(in []lukasa.Pattern) (out []string, inherit bool) {
	for _, p := range in {
		inherit = inherit || p.Inherit
		s := string(p.Path)
		switch {
		case p.Mode == '*' && s == "":
			s = "*"
		case p.Mode == '*':
			s += ".*"
		case p.Mode == '!':
			s += "!"
		case s == "":
			return nil, inherit
		}
		out = append(out, s)
	}
	return out, inherit
}

// documentList is the body of a listing.
type documentList struct {
	Containers  []string        `json:"container,omitempty"`
	ContentType []string        `json:"content_type,omitempty"`
	Status      []lukasa.Status `json:"status,omitempty"`
	Tags        []string        `json:"tags,omitempty"`
	Title       string          `json:"title,omitempty"`
	SourceURL   string          `json:"source_url,omitempty"`
	CustomID    string          `json:"custom_id,omitempty"`
	After       *time.Time      `json:"after,omitempty"`
	Before      *time.Time      `json:"before,omitempty"`
	AllVersions bool            `json:"all_versions,omitempty"`
	OldestFirst bool            `json:"oldest_first,omitempty"`
	AsOf        *time.Time      `json:"as_of,omitempty"`
	Cursor      string          `json:"cursor,omitempty"`
	Limit       int             `json:"limit,omitempty"`
	Offset      int             `json:"offset,omitempty"`
}

// Documents lists documents, newest first, without content. CreatedFrom, CreatedUntil and Conversation of the filter are
// not sent: the API does not have them.
func (c *Client) Documents(ctx context.Context, f lukasa.DocumentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
	return c.documents(ctx, listBody(f, p))
}

func (c *Client) documents(ctx context.Context, b documentList) (lukasa.Listing[lukasa.Document], error) {
	return ask[lukasa.Listing[lukasa.Document]](ctx, c, call{method: http.MethodPost, path: "/v1/documents/list", body: b})
}

func listBody(f lukasa.DocumentFilter, p lukasa.Page) documentList {
	places, _ := patternsOf(f.Containers)
	return documentList{
		Containers: places, ContentType: f.ContentType, Status: f.Status, Tags: f.Tags, Title: f.Title, SourceURL: f.SourceURL, CustomID: f.CustomID,
		After: f.After, Before: f.Before, AllVersions: f.AllVersions, OldestFirst: f.OldestFirst, Cursor: p.Cursor, Limit: p.Limit, Offset: p.Offset,
	}
}

// Chunks returns a document's chunks in order.
func (c *Client) Chunks(ctx context.Context, id lukasa.ID) ([]lukasa.Chunk, error) {
	return items[lukasa.Chunk](ctx, c, at("/v1/documents/", string(id))+"/chunks", nil)
}

// Versions returns a document's versions, newest first.
func (c *Client) Versions(ctx context.Context, id lukasa.ID) ([]lukasa.Document, error) {
	return items[lukasa.Document](ctx, c, at("/v1/documents/", string(id))+"/versions", nil)
}

func items[T any](ctx context.Context, c *Client, path string, q url.Values) ([]T, error) {
	l, err := ask[lukasa.Listing[T]](ctx, c, call{method: http.MethodGet, path: path, query: q})
	return l.Items, err
}

// Content returns what a document came in as, byte for byte; its file is woken for it. The caller closes it.
func (c *Client) Content(ctx context.Context, id lukasa.ID) (io.ReadCloser, error) {
	return c.woken(ctx, at("/v1/documents/", string(id))+"/content", nil)
}

// patchBody is what a patch of a document or memory says: nothing of what stays, null for what goes.
func patchBody(metadata map[string]any, forget *time.Time, clear bool) map[string]any {
	b := map[string]any{}
	if metadata != nil {
		b["metadata"] = metadata
	}
	if forget != nil {
		b["forget_after"] = forget
	} else if clear {
		b["forget_after"] = nil
	}
	return b
}

// PatchDocument changes what is not content.
func (c *Client) PatchDocument(ctx context.Context, id lukasa.ID, in lukasa.DocumentPatch) (lukasa.Document, error) {
	return ask[lukasa.Document](ctx, c, call{method: http.MethodPatch, path: at("/v1/documents/", string(id)), body: documentPatch(in)})
}

func documentPatch(in lukasa.DocumentPatch) map[string]any {
	b := patchBody(in.Metadata, in.ForgetAfter, in.ClearForget)
	if in.Title != nil {
		b["title"] = *in.Title
	}
	if in.Tags != nil {
		b["tags"] = *in.Tags
	}
	return b
}

// DeleteDocument removes a document for good and says what went.
func (c *Client) DeleteDocument(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return c.remove(ctx, "/v1/documents/", string(id))
}

func (c *Client) remove(ctx context.Context, prefix, id string) (lukasa.Removal, error) {
	return ask[lukasa.Removal](ctx, c, call{method: http.MethodDelete, path: at(prefix, id)})
}
