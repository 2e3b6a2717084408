package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"time"
)

// Form is a multipart/form-data body: fields in order, then one file.
type Form struct {
	Fields [][2]string // name and value
	Field  string      // name of the file's field
	Name   string      // of the file
	Type   string      // media type of the file; "": application/octet-stream
	Data   []byte
}

// PostForm sends a form to path below the base address and decodes the answer, which is JSON, into out.
func (e *Endpoint) PostForm(parent context.Context, path string, f Form, out any) error {
	body, contentType, err := f.encode()
	if err != nil {
		return fmt.Errorf("encode form: %w", err)
	}
	ctx, cancel := context.WithTimeout(parent, e.timeout)
	defer cancel()
	what := http.MethodPost + " " + path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	maps.Copy(req.Header, e.header)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", contentType)
	res, err := e.client.Do(req)
	if err != nil {
		return e.transportError(parent, what+": no answer", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return e.statusError(res, what, time.Now())
	}
	return e.decode(parent, what, res.Body, out)
}

func (f Form) encode() ([]byte, string, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range f.Fields {
		if err := w.WriteField(p[0], p[1]); err != nil {
			return nil, "", err
		}
	}
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "")
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"; filename="%s"`, quote.Replace(f.Field), quote.Replace(f.Name)))
	if f.Type == "" {
		f.Type = "application/octet-stream"
	}
	h.Set("Content-Type", f.Type)
	part, err := w.CreatePart(h)
	if err != nil {
		return nil, "", err
	}
	if _, err := io.Copy(part, bytes.NewReader(f.Data)); err != nil {
		return nil, "", err
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}
