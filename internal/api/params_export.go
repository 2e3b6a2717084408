package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// Export returns what a request sends to be imported, and the name of the file, if it says one: the body of the request, or the first file of the form that it is.
func Export(r *http.Request) (io.Reader, string, error) {
	if typ, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); typ != "multipart/form-data" {
		return r.Body, "", nil
	}
	form, err := r.MultipartReader()
	for err == nil {
		p, perr := form.NextPart()
		if err = perr; err == nil && p.FormName() == "file" {
			return p, p.FileName(), nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil, "", lukasa.Invalid("file", "is missing: send it as multipart/form-data under the name file, or as the body")
	}
	return nil, "", lukasa.Invalid("body", "is not a form that can be read: %s", strings.TrimPrefix(err.Error(), "multipart: "))
}
