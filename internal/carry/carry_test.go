package carry_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/carry"
	"github.com/lukasa-memory/lukasa/internal/exports"
)

// set is one kind of export: a file of lines, each a note, or a message where it begins with a name and a colon.
func set() carry.Set {
	return carry.Set{{
		Name: "lines", Title: "Lines", Accepts: "a file", How: "by hand", Format: "nowhere",
		Looks: func(s *exports.Source) bool {
			return len(s.Files) == 1 && strings.HasPrefix(s.Head(s.Files[0], 5), "lines")
		},
		Read: func(r *exports.Reading) {
			talk := r.Talk("lines", r.ID("talk"), "A talk")
			r.Lines(r.Source.Files[0], func(n int, s string) error {
				where := fmt.Sprint("lines:", n)
				who, what, ok := strings.Cut(s, ": ")
				switch {
				case n == 1:
				case s == "broken":
					r.Fail(where, errors.New("is\x1b[31m broken"))
				case ok:
					talk.Add(exports.Line{ID: fmt.Sprint(n), Speaker: who, Content: what, Role: exports.RoleUser, At: time.Unix(int64(n), 0)})
				default:
					r.Note(where, exports.Note{ID: r.ID(fmt.Sprint(n)), Title: s, Body: s, Links: []string{r.ID("3"), "elsewhere"}})
				}
				return nil
			})
			talk.Flush()
			r.Leave("things")
		},
	}}
}

// target keeps what is carried to it.
type target struct {
	batches [][]exports.Item
	links   [][]exports.Link
	refuse  func(items []exports.Item) error
}

func (t *target) ImportItems(_ context.Context, items []exports.Item) ([]exports.Result, error) {
	if t.refuse != nil {
		if err := t.refuse(items); err != nil {
			return nil, err
		}
	}
	t.batches = append(t.batches, append([]exports.Item{}, items...))
	out := make([]exports.Result, len(items))
	for i, it := range items {
		out[i] = exports.Result{ID: lukasa.ID("id of " + it.Key), New: 1}
		if it.Append != nil {
			out[i].New = len(it.Append.Messages)
		}
	}
	return out, nil
}

func (t *target) ImportLinks(_ context.Context, _ string, links []exports.Link) (int, error) {
	t.links = append(t.links, append([]exports.Link{}, links...))
	return len(links), nil
}

func open(t *testing.T, text string) *carry.Export {
	t.Helper()
	name := filepath.Join(t.TempDir(), "export.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := set().Open(name, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func TestBatches(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("lines\n")
	for i := range 120 {
		fmt.Fprintf(&b, "note %d\n", i)
	}
	b.WriteString("broken\n" + strings.Repeat(strings.Repeat("x", 700_000)+"\n", 2) + strings.Repeat("Ann: hello\n", 700))
	x := open(t, b.String())
	var to target
	var ticks []carry.Progress
	r, err := x.Carry(t.Context(), &to, carry.Options{}, func(p carry.Progress) { ticks = append(ticks, p) })
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for i, items := range to.batches {
		messages, bytes := 0, 0
		for _, it := range items {
			if it.Append != nil {
				messages += len(it.Append.Messages)
			} else {
				bytes += len(it.Document.Content) + len(it.Document.Data)
			}
		}
		if len(items) > 50 || messages > 500 || bytes > 1<<20 && len(items) > 1 {
			t.Errorf("batch %d: %d items, %d messages, %d bytes", i, len(items), messages, bytes)
		}
		total += len(items)
	}
	if total != 124 || r.Documents.New != 122 || r.Messages.New != 700 || r.Conversations != 1 || r.Unread != 1 || r.LeftOut["things"] != 1 {
		t.Errorf("%d items: %+v", total, *r)
	}
	if r.Links != 122*2 || to.links[0][0].To != "id of lines:3" || to.links[0][1].To != "elsewhere" { // one by its id, one by its name
		t.Errorf("%d links, %v", r.Links, to.links[0][:2])
	}
	last := ticks[len(ticks)-1]
	if last.Items != 822 || last.Failed != 1 || last.Stage != "linking" || last.Read != last.Size || last.Size != x.Size {
		t.Errorf("%+v", last)
	}
	if s := ticks[0].String(); !strings.Contains(s, "items") || !strings.Contains(s, "/s") || !strings.Contains(s, "%") {
		t.Errorf("%q", s)
	}
	if s := last.JSON(); !strings.HasPrefix(s, `{"type":"progress","stage":"linking","items":822,`) {
		t.Error(s)
	}
	r.Seconds = 1.5
	want := "could not be read: lines:122: is [31m broken\n122 documents: 122 new, 0 unchanged\n700 messages: 700 new, 0 unchanged, in 1 conversation\n" +
		"244 new links\n1 place of the export could not be read\nleft out: things: 1\ntook 1.5s"
	if diff := cmp.Diff(want, r.Print(false)); diff != "" {
		t.Error(diff)
	}
	if s := r.Print(true); !strings.HasPrefix(s, `{"type":"summary","kind":"lines",`) || strings.Contains(s, "\n") {
		t.Error(s)
	}
}

// What is refused as a whole is sent one by one; what ends the import is told.
func TestRefused(t *testing.T) {
	t.Parallel()
	text := "lines\none\ntwo\nthree\n"
	to := target{refuse: func(items []exports.Item) error {
		for _, it := range items {
			if it.Document.Title == "two" {
				return &lukasa.Error{Code: lukasa.CodeTooLarge, Msg: "the request is too large"}
			}
		}
		return nil
	}}
	r, err := open(t, text).Carry(t.Context(), &to, carry.Options{}, nil)
	if err != nil || r.Documents.New != 2 || r.Documents.Failed != 1 || len(r.Problems) != 1 || r.Problems[0].Where != "lines:3" {
		t.Errorf("%+v, %v", r, err)
	}
	away := lukasa.Errorf(lukasa.CodeUnavailable, "away")
	_, err = open(t, text).Carry(t.Context(), &target{refuse: func([]exports.Item) error { return away }}, carry.Options{}, nil)
	if !errors.Is(err, away) || !strings.Contains(err.Error(), "lines:2") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = open(t, text).Carry(ctx, &to, carry.Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := open(t, text).Carry(t.Context(), nil, carry.Options{}, nil); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Error(err)
	}
}

func TestReceive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		text, kind string
		code       lukasa.Code
	}{
		{"lines\none\n", "", ""},
		{"lines\none\n", "lines", ""},
		{"one\n", "lines", ""},
		{"one\n", "", lukasa.CodeInvalid},
		{"lines\n", "tumblr", lukasa.CodeInvalid},
		{"", "lines", lukasa.CodeInvalid},
		{"lines\n" + strings.Repeat("x", 100), "", lukasa.CodeTooLarge},
	} {
		x, err := set().Receive(strings.NewReader(c.text), dir, `..\..\evil/export.txt`, c.kind, 50)
		if lukasa.CodeOf(err) != c.code {
			t.Errorf("%.10q as %q: %v", c.text, c.kind, err)
		}
		if err == nil {
			if x.Name != "export.txt" || x.Kind != "lines" {
				t.Errorf("%q of kind %q", x.Name, x.Kind)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := set().Open(filepath.Join(dir, "nothing"), "", nil); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Error(err)
	}
	if _, err := set().Open(os.DevNull, "", nil); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Error(err)
	}
	if _, err := set().Open(dir, carry.Own, nil); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Error(err)
	}
	if own, all := set().PeekOwn(strings.NewReader(`{"header":{"format":"lukasa.export/1"}}`)); !own || all == nil {
		t.Error("our own export is not known")
	}
}

// What comes without a name is known by what it begins with, and what is empty or packed twice says so.
func TestReceiveWithoutAName(t *testing.T) {
	t.Parallel()
	byExt := carry.Set{{Name: "conversations", Looks: func(s *exports.Source) bool { return len(s.Has(".json", ".enex", ".html")) > 0 }}}
	packed := func(name, content string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, c := range []struct{ text, name, says string }{
		{" [{}]", "export.json", ""},
		{"\ufeff{}", "export.json", ""},
		{"{\x00}\x00 \x00", "export.json", ""},
		{"<?xml version=\"1.0\"?>\n<!DOCTYPE en-export>", "export.enex", ""},
		{"<!DOCTYPE NETSCAPE-Bookmark-file-1>", "export.html", ""},
		{" \n ", "", "export: is empty"},
		{"words", "", "looks like no export"},
		{packed("a/", ""), "", "holds no file"},
		{packed("a/../../b", "x"), "", "leads out of the archive"},
		{packed("b.zip", packed("c.zip", "x")), "", "another archive, c.zip"},
	} {
		x, err := byExt.Receive(strings.NewReader(c.text), t.TempDir(), "export", "", 1<<20)
		if err != nil {
			e, _ := errors.AsType[*lukasa.Error](err)
			if said := fmt.Sprint(err, e.Err, e.Hint); c.says == "" || !strings.Contains(said, c.says) {
				t.Errorf("%.20q: %s", c.text, said)
			}
			continue
		}
		if x.Name != c.name {
			t.Errorf("%.20q is called %q", c.text, x.Name)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A kind that looks into all files before it gives the first item does not seem to be done when it begins.
func TestProgressAfterALookAround(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 400 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("n%03d.note", i)), []byte(strings.Repeat("words ", 20)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	notes := carry.Set{{
		Name: "notes", Title: "Notes", Looks: func(s *exports.Source) bool { return len(s.Has(".note")) > 0 },
		Read: func(r *exports.Reading) {
			for _, f := range r.Source.Files {
				r.Source.Head(f, 1<<10)
			}
			for _, f := range r.Source.Files {
				r.Note(f.Name, exports.Note{ID: r.ID(f.Name), Body: r.Source.Head(f, 1<<10)})
			}
		},
	}}
	x, err := notes.Open(dir, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	var ticks []carry.Progress
	r, err := x.Carry(t.Context(), &target{}, carry.Options{}, func(p carry.Progress) { ticks = append(ticks, p) })
	ticks = slices.CompactFunc(ticks, func(a, b carry.Progress) bool { return a.Items == b.Items }) // without those that only say that it goes on
	if err != nil || r.Documents.New != 400 || len(ticks) != 8 {
		t.Fatalf("%v, %+v, %d ticks", err, r, len(ticks))
	}
	last := int64(0)
	for i, p := range ticks {
		if share := float64(p.Read) / float64(p.Size); p.Read < last || share < float64(i)/8-0.05 || share > float64(i+1)/8+0.05 {
			t.Errorf("tick %d: %d of %d", i, p.Read, p.Size)
		}
		last = p.Read
	}
}
