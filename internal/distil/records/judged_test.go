package records_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lukasa-memory/lukasa/internal/distil/records"
)

// wanted is a line of a judged document: a statement that must come out, or the head.
type wanted struct {
	Kind         string   `json:"kind"`
	Must         []string `json:"must"`
	Not          []string `json:"not"`
	Status       string   `json:"status"`
	Date         string   `json:"date"`
	Owner        string   `json:"owner"`
	Number       string   `json:"number"`
	Supersedes   []string `json:"supersedes"`
	SupersededBy []string `json:"superseded_by"`
	Head         *struct {
		Author string `json:"author"`
		Date   string `json:"date"`
		Status string `json:"status"`
	} `json:"head"`
}

// figures are what a judged half comes to.
type figures struct{ wanted, found, said, right, fields, fieldsRight, silent, mustBeSilent int }

// TestJudgedDocuments reads both halves. Statements, their precision and their fields stay at .97 or more, and what
// states nothing stays silent.
func TestJudgedDocuments(t *testing.T) {
	t.Parallel()
	for _, half := range []string{"dev", "held"} {
		t.Run(half, func(t *testing.T) {
			t.Parallel()
			n := judge(t, "testdata/"+half+".txtar")
			t.Logf("found %d of %d statements, %d of %d that were said are right, %d of %d fields, %d of %d documents that state nothing are silent",
				n.found, n.wanted, n.right, n.said, n.fieldsRight, n.fields, n.silent, n.mustBeSilent)
			if n.found*100 < n.wanted*97 || n.right*100 < n.said*97 || n.fieldsRight*100 < n.fields*97 || n.silent < n.mustBeSilent {
				t.Errorf("figures %+v are below .97, or a document that states nothing is not silent", n)
			}
		})
	}
}

func judge(t *testing.T, file string) figures {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := txtar.Parse(data).Files
	var n figures
	for i := 0; i+1 < len(files); i += 2 {
		name := files[i].Name
		head, list := records.Read(records.Document{Name: name, Text: string(files[i].Data)})
		var want []wanted
		lines := bufio.NewScanner(strings.NewReader(string(files[i+1].Data)))
		for lines.Scan() {
			var w wanted
			if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if w.Head != nil {
				n.judgeHead(t, name, head, w)
				continue
			}
			want = append(want, w)
		}
		n.judgeStatements(t, name, list, want)
	}
	return n
}

func (n *figures) judgeStatements(t *testing.T, name string, list []records.Statement, want []wanted) {
	t.Helper()
	used := make([]bool, len(list))
	for _, w := range want {
		n.wanted++
		hit := -1
		for i, s := range list {
			if !used[i] && string(s.Kind) == w.Kind && holds(s.Content, w.Must, w.Not) {
				hit = i
				break
			}
		}
		if hit < 0 {
			t.Logf("%s: not found: %v", name, w.Must)
			continue
		}
		used[hit] = true
		n.found++
		n.judgeFields(t, name, list[hit], w)
	}
	for i, s := range list {
		n.said++
		if used[i] {
			n.right++
		} else {
			t.Logf("%s: wrong: %s", name, s.Content)
		}
	}
	if len(want) == 0 {
		n.mustBeSilent++
		if len(list) == 0 {
			n.silent++
		}
	}
}

func (n *figures) judgeFields(t *testing.T, name string, s records.Statement, w wanted) {
	t.Helper()
	n.same(t, name, "status", s.Status, w.Status)
	n.same(t, name, "date", day(s.Date), w.Date)
	n.same(t, name, "owner", s.Owner, w.Owner)
	n.same(t, name, "number", s.Number, w.Number)
	n.same(t, name, "supersedes", numbers(s.Supersedes), strings.Join(w.Supersedes, ","))
	n.same(t, name, "superseded by", numbers(s.SupersededBy), strings.Join(w.SupersededBy, ","))
}

func (n *figures) judgeHead(t *testing.T, name string, h records.Head, w wanted) {
	t.Helper()
	n.same(t, name, "author", h.Author, w.Head.Author)
	n.same(t, name, "date of the head", day(h.Date), w.Head.Date)
	n.same(t, name, "status of the head", h.Status, w.Head.Status)
}

// same counts a field that has an expected value.
func (n *figures) same(t *testing.T, name, field, got, want string) {
	t.Helper()
	if want == "" {
		return
	}
	if n.fields++; got == want {
		n.fieldsRight++
		return
	}
	t.Logf("%s: %s is %q, not %q", name, field, got, want)
}

func holds(content string, must, not []string) bool {
	for _, m := range must {
		if !strings.Contains(strings.ToLower(content), strings.ToLower(m)) {
			return false
		}
	}
	for _, m := range not {
		if strings.Contains(strings.ToLower(content), strings.ToLower(m)) {
			return false
		}
	}
	return true
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

func numbers(refs []records.Ref) string {
	var out []string
	for _, r := range refs {
		out = append(out, r.Number)
	}
	return strings.Join(out, ",")
}
