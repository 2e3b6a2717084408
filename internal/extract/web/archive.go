package web

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

const mostPieces = 2000 // of a page that was saved as one file

// looksArchive wants a page that a browser saved as one file (MHTML, RFC 2557): a mail whose first part is the page.
func looksArchive(src *extract.Source) extract.Look {
	head := src.Text[:min(len(src.Text), 4<<10)]
	if i := strings.Index(strings.ReplaceAll(head, "\r\n", "\n"), "\n\n"); i >= 0 {
		head = head[:i]
	}
	head = strings.ToLower(head)
	switch related := strings.Contains(head, "multipart/related"); {
	case related && (strings.Contains(head, "snapshot-content-location:") || strings.HasPrefix(head, "from: <saved by ")):
		return extract.Yes
	case related && strings.Contains(head, "mime-version:"):
		return extract.Maybe
	}
	return extract.No
}

// extractArchive reads the page as if it had been saved alone.
func extractArchive(ctx context.Context, src *extract.Source) (extract.Output, error) {
	page, address, charset, err := pageOf(ctx, src.Data)
	if err != nil {
		return extract.Output{}, err
	}
	in := src.Input
	in.Data, in.Name, in.DeclaredType = page, "page.html", "text/html"
	if charset != "" {
		in.DeclaredType += "; charset=" + charset
	}
	if in.URL == "" {
		in.URL = address
	}
	pages := slices.DeleteFunc(Kinds(), func(k extract.Kind) bool { return k.Name == "web archive" })
	out, err := extract.With(pages...).Extract(ctx, in)
	if err == nil && out.Canonical == "" {
		out.Canonical = address
	}
	return out, err
}

// pageOf returns the first page in the archive, and where it was.
func pageOf(ctx context.Context, data []byte) (page []byte, address, charset string, err error) {
	damaged := func(err error) error {
		return &extract.Error{Reason: "the saved page is damaged", Hint: "save it again, as a single file or as HTML only", Err: err}
	}
	m, err := mail.ReadMessage(bytes.NewReader(bytes.TrimLeft(data, "\r\n")))
	if err != nil {
		return nil, "", "", damaged(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return nil, "", "", damaged(err)
	}
	address = m.Header.Get("Snapshot-Content-Location")
	parts := multipart.NewReader(m.Body, params["boundary"])
	for range mostPieces {
		if err := ctx.Err(); err != nil {
			return nil, "", "", err
		}
		p, err := parts.NextRawPart()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return nil, "", "", damaged(err)
		}
		kind, params, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if kind != "text/html" && kind != "application/xhtml+xml" {
			continue
		}
		var body io.Reader = p
		switch strings.ToLower(strings.TrimSpace(p.Header.Get("Content-Transfer-Encoding"))) {
		case "quoted-printable":
			body = quotedprintable.NewReader(p)
		case "base64":
			body = base64.NewDecoder(base64.StdEncoding, p)
		}
		page, err = io.ReadAll(body) // not longer than data
		if len(bytes.TrimSpace(page)) == 0 {
			return nil, "", "", damaged(err)
		}
		if location := p.Header.Get("Content-Location"); address == "" && strings.HasPrefix(location, "http") {
			address = location
		}
		return page, address, params["charset"], nil
	}
	return nil, "", "", damaged(nil)
}
