package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// A file that is saved again as it was is the document that is there, and is not read anew; one that could not be read is tried
// again and stands there once; and once it can be read, what failed of it is no longer listed.
func TestTheSameFileAgain(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	sample := func(name string) []byte {
		t.Helper()
		b, err := os.ReadFile(filepath.Join("..", "extract", "office", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	save := func(name, file string, change func(*lukasa.NewDocument)) lukasa.Receipt {
		t.Helper()
		clock.Advance(time.Second)
		in := lukasa.NewDocument{Data: sample(file), Name: name, CustomID: "file:///" + name, Tags: []string{"papers"}, Metadata: map[string]any{"path": "/" + name}}
		if change != nil {
			change(&in)
		}
		r := remember(t, e, sc, in)
		if err := e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		d, err := e.Document(t.Context(), sc, r.Document.ID)
		if err != nil {
			t.Fatal(err)
		}
		r.Document = d
		return r
	}
	pages := func() int { n, _ := e.Read(); return n }
	failed := func() (ids []lukasa.ID) {
		t.Helper()
		l, err := e.Documents(t.Context(), sc, lukasa.DocumentFilter{Status: []lukasa.Status{lukasa.StatusFailed}, AllVersions: true}, lukasa.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range l.Items {
			ids = append(ids, d.ID)
		}
		return ids
	}

	first := save("talk.odp", "talk.odp", nil)
	read := pages()
	if first.Document.Status != lukasa.StatusDone || read == 0 {
		t.Fatalf("%s, %d pages", first.Document.Status, read)
	}
	again := save("talk.odp", "talk.odp", func(in *lukasa.NewDocument) { in.Tags = []string{"tides"} })
	if again.Document.ID != first.Document.ID || !again.Deduplicated || !again.Changed || again.Document.Version != 1 || pages() != read {
		t.Errorf("again: %+v, %d pages", again, pages())
	}
	if tags := strings.Join(again.Document.Tags, " "); !strings.Contains(tags, "papers") || !strings.Contains(tags, "tides") {
		t.Errorf("tags: %s", tags)
	}
	if r := save("talk.odp", "talk.odp", nil); r.Changed || pages() != read {
		t.Errorf("nothing new changes it: %+v", r)
	}
	if r := save("talk.odp", "talk.odp", func(in *lukasa.NewDocument) { in.Container = "elsewhere" }); r.Document.ID == first.Document.ID || r.Deduplicated {
		t.Errorf("in another container: %+v", r)
	}
	second := save("talk.odp", "book.xlsx", nil)
	if second.Document.Version != 2 || second.Document.Previous != first.Document.ID {
		t.Errorf("another file: %+v", second.Document)
	}
	if third := save("talk.odp", "talk.odp", nil); third.Document.Version != 3 { // back again is a change too
		t.Errorf("the first file once more: %+v", third.Document)
	}

	locked := save("locked.docx", "locked.docx", nil)
	if locked.Document.Status != lukasa.StatusFailed {
		t.Fatalf("%+v", locked.Document)
	}
	if r := save("locked.docx", "locked.docx", nil); r.Document.ID != locked.Document.ID || r.Document.Status != lukasa.StatusFailed || len(failed()) != 1 {
		t.Errorf("a file that cannot be read, again: %+v, failed are %v", r, failed())
	}
	open := save("locked.docx", "letter.docx", nil)
	if open.Document.ID == locked.Document.ID || open.Document.Status != lukasa.StatusDone || len(failed()) != 0 {
		t.Errorf("it can be read: %+v, failed are %v", open, failed())
	}
	if r := save("locked.docx", "letter.docx", nil); r.Document.ID != open.Document.ID || !r.Deduplicated {
		t.Errorf("and again: %+v", r)
	}
	save("other.docx", "locked.docx", nil)
	other := save("other.docx", "letter.docx", nil) // its text is there, and under another name
	if other.Deduplicated || other.Document.ID == open.Document.ID || other.Document.CustomID != "file:///other.docx" || len(failed()) != 0 {
		t.Errorf("%+v, failed are %v", other, failed())
	}
}

// A document that is refused leaves no container behind, whatever is kept beside it.
func TestARefusedSaveLeavesNoContainer(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	there := remember(t, e, sc, lukasa.NewDocument{Content: "The first version.", Container: "work"}).Document
	strange := lukasa.ID("doc_01m7y1mqf8fs99dh25dknsjp90")
	receipts, errs := e.RememberAll(t.Context(), sc, []lukasa.NewDocument{
		{Content: "A version that would move.", Container: "moved.away", Updates: there.ID},
		{Content: "A version of nothing.", Container: "nothing", Updates: strange},
		{Content: "This one is kept.", Container: "kept"},
		{Content: "The second version.", Container: "work", Updates: there.ID},
		{Data: []byte(strings.Repeat("A long version of nothing. ", 20_000)), Name: "long.txt", Container: "long", Updates: strange},
	})
	for i, want := range []lukasa.Code{lukasa.CodeConflict, lukasa.CodeNotFound, "", "", lukasa.CodeNotFound} {
		if lukasa.CodeOf(errs[i]) != want {
			t.Errorf("%d: %v", i, errs[i])
		}
	}
	if receipts[3].Document.Version != 2 || receipts[2].Document.Path != "kept" {
		t.Errorf("%+v", receipts)
	}
	nodes, err := e.Nodes(t.Context(), sc, nil)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, n := range nodes {
		paths = append(paths, string(n.Path))
	}
	if got := strings.Join(paths, " "); strings.Contains(got, "moved") || strings.Contains(got, "nothing") || strings.Contains(got, "long") || !strings.Contains(got, "kept") {
		t.Errorf("containers: %s", got)
	}
}

// What the medium of files has lost or damaged is kept once more when the same file or the same text comes in again.
func TestLostBytesComeAgain(t *testing.T) {
	t.Parallel()
	page := "<html><body><p>" + strings.Repeat("The tide comes in and goes out again. ", 4000) + "</p></body></html>"
	for name, in := range map[string]lukasa.NewDocument{
		"a file":                         {Data: []byte(page), Name: "tide.html", CustomID: "file:///tide.html"},
		"a text that is worked off now":  {Content: strings.Repeat("The boats lie in the harbour. ", 5000)},
		"a file that is worked off late": {Data: []byte(page), Name: "tide.html"},
	} {
		for how, harm := range map[string]func(path string) error{
			"missing": os.Remove,
			"damaged": func(path string) error { return os.Truncate(path, 60) },
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				e, clock, sc := enginetest.New(t)
				save := func() lukasa.Receipt {
					t.Helper()
					clock.Advance(time.Second)
					r := remember(t, e, sc, in)
					if err := e.Drain(t.Context()); err != nil {
						t.Fatal(err)
					}
					return r
				}
				id := save().Document.ID
				whole, err := e.Document(t.Context(), sc, id)
				if err != nil || whole.Content == "" {
					t.Fatalf("%.20q, %v", whole.Content, err)
				}
				n := 0
				err = filepath.WalkDir(filepath.Join(e.Config().Data, "blobs"), func(p string, d os.DirEntry, err error) error {
					if err != nil || !d.Type().IsRegular() {
						return err
					}
					n++
					return harm(p)
				})
				if err != nil || n == 0 {
					t.Fatalf("%d files, %v", n, err)
				}
				if _, err := e.Document(t.Context(), sc, id); lukasa.CodeOf(err) != lukasa.CodeNotFound || !strings.Contains(err.Error(), "the file's bytes are ") {
					t.Errorf("read: %v", err)
				}
				if found, err := e.Doctor(t.Context(), sc, false); err != nil || len(found) != n {
					t.Errorf("doctor finds %q, %v", found, err)
				}
				save()
				if d, err := e.Document(t.Context(), sc, id); err != nil || d.Content != whole.Content || d.Version != 1 {
					t.Errorf("afterwards: %.20q, version %d, %v", d.Content, d.Version, err)
				}
				if found, err := e.Doctor(t.Context(), sc, false); err != nil || len(found) != 0 {
					t.Errorf("afterwards doctor finds %q, %v", found, err)
				}
			})
		}
	}
}
