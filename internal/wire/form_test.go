package wire_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/wire"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// TestPostForm: fields in order, then the file with its name and type; names cannot break out of their header.
func TestPostForm(t *testing.T) {
	t.Parallel()
	type part struct{ Name, File, Type, Data string }
	var got []part
	e := endpoint(t, wire.Options{Key: "k"}, func(w http.ResponseWriter, r *http.Request) {
		parts, err := r.MultipartReader()
		if err != nil || r.Header.Get("Authorization") != "Bearer k" || r.Header.Get("Accept") != "application/json" {
			t.Errorf("%v, %v", err, r.Header)
			return
		}
		for {
			p, err := parts.NextPart()
			if errors.Is(err, io.EOF) {
				break
			}
			b, _ := io.ReadAll(p)
			got = append(got, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(b)})
		}
		wiretest.WriteJSON(w, 7)
	})
	var out int
	err := e.PostForm(t.Context(), "/p", wire.Form{
		Fields: [][2]string{{"model", "m"}, {"a[]", "1"}, {"a[]", "2"}}, Field: "file", Name: "a\"\r\nX: y.wav", Type: "audio/wav", Data: []byte("\x00\xff"),
	}, &out)
	want := []part{{"model", "", "", "m"}, {"a[]", "", "", "1"}, {"a[]", "", "", "2"}, {"file", `a"X: y.wav`, "audio/wav", "\x00\xff"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || out != 7 {
		t.Errorf("%d, %v (-want +got):\n%s", out, err, diff)
	}
	refusing := endpoint(t, wire.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"too long"}}`, http.StatusBadRequest)
	})
	var w *wire.Error
	if err := refusing.PostForm(t.Context(), "/p", wire.Form{Field: "file"}, &out); !errors.As(err, &w) || w.Kind != wire.Invalid {
		t.Errorf("%v", err)
	}
}
