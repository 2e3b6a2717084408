package engine_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// T-22: a write whose commit was made, and whose caller was told that this is not sure, keeps its bytes: sent again it is there
// once and whole.
func TestDoubtfulCommitKeepsBytes(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.Open(t, enginetest.Config(t), engine.Options{})
	on := false
	e.Doubt(&on)
	page := "<html><body><p>" + strings.Repeat("The harbour master counts the boats at dawn, and again at dusk. ", 3000) + "</p></body></html>"
	in := lukasa.NewDocument{Data: []byte(page), Name: "harbour.html", CustomID: "harbour"}
	on = true
	if _, err := e.Remember(t.Context(), sc, in); lukasa.CodeOf(err) != lukasa.CodeUnavailable {
		t.Fatalf("%v", err)
	}
	on = false
	r, err := e.Remember(t.Context(), sc, in)
	if err != nil || !r.Deduplicated {
		t.Fatalf("%+v, %v", r, err)
	}
	missing, err := e.Doctor(t.Context(), sc, false)
	if err != nil || len(missing) > 0 {
		t.Errorf("the doctor says %v, %v", missing, err)
	}
	rc, _, err := e.Content(t.Context(), sc, r.Document.ID, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	if data, err := io.ReadAll(rc); err != nil || string(data) != page {
		t.Errorf("%d bytes of %d, %v", len(data), len(page), err)
	}
}
