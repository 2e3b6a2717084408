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
			return uncut{p}, p.FileName(), nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil, "", lukasa.Invalid("file", "is missing: send it as multipart/form-data under the name file, or as the body")
	}
	return nil, "", lukasa.Invalid("body", "is not a form that can be read: %s", strings.TrimPrefix(err.Error(), "multipart: "))
}

// uncut reads a part of a form. One that breaks off before its end is the fault of the request.
type uncut struct{ io.Reader }

func (u uncut) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = &lukasa.Error{Code: lukasa.CodeInvalid, Field: "file", Msg: "breaks off before its end", Hint: "send it again", Err: err}
	}
	return n, err
}
