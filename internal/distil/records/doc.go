// Package records reads what a document states by its structure: decision records, releases of changelogs and lists of
// tags, decisions and actions of minutes, commits that decide, revert, deprecate or break something, and who wrote the
// document, when, and in which status it is.
//
// [Read] is a pure function of the document. It takes only what a heading, a field, a marker or the form of a line
// says; running prose states nothing here. Each statement names its document, and says nothing about the person who
// keeps it. Work is linear in the length of the text.
package records

import (
	"path"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Document is a text that was read, not said.
type Document struct {
	Name    string    // file name or path, as the document is known to its reader
	Type    string    // what kind of text it is: "markdown", "text", "code", "mail" …; "" when that is not known
	Title   string    // a title that is known from elsewhere; "" when none is
	Text    string    // clean UTF-8 with \n at the ends of lines
	Written time.Time // when it was written, zero when that is not known; it gives the year to a day that has none
}

// Head is what a document says about itself. Empty fields are not stated.
type Head struct {
	Author string
	Date   time.Time // midnight UTC of the day that is stated
	Status string    // in lower case, as it is stated: "accepted", "draft", …
}

// Ref names another document: by its number, by its file or address, or by both.
type Ref struct {
	Number string // without leading zeros: "7"
	Target string // "0007-use-postgresql.md", "https://…"
}

// Statement is one thing that a document states.
type Statement struct {
	Kind         lukasa.MemoryKind // decision, milestone or task
	Content      string            // one self-contained line that names the document
	Start, End   int               // the bytes [Start, End) of the text that it was taken from
	Status       string            // of a decision: proposed, accepted, rejected, deprecated, superseded; "" when not stated
	Date         time.Time         // midnight UTC of the day that is stated; zero when none is
	Owner        string            // who decided, released, committed, or has to act
	Number       string            // of a record "7", of a release "1.2.0", of a commit its hash
	Supersedes   []Ref
	SupersededBy []Ref
	Tags         []string // what it was read from: decision-record, release, minutes, commit; and more exact words
}

// maxStatements bounds what is taken from one document. A history of more releases or commits is read from its top.
const maxStatements = 500

// codeExtensions are files whose comments and values only look like structure.
var codeExtensions = newSet("c cc cpp cs css csv go h hpp htm html java js json jsonl jsx kt less lua m ndjson php pl proto ps1 py r rb rs scss sh " +
	"sql svg swift tf toml ts tsv tsx vue xml yaml yml zig ini cfg conf log vcf ics srt vtt ipynb")

// codeTypes are the kinds of text, as extractors name them, that hold no document of the forms that are read here.
var codeTypes = newSet("code json csv transcript yaml toml xml sqlite log notebook table calendar card")

// mailTypes are the kinds of mail.
var mailTypes = newSet("mail email eml mailbox mbox message/rfc822")

// Read returns what the document says about itself and what it states, in the order of the text. It never fails; a
// text of no known form gives no statement.
func Read(d Document) (Head, []Statement) {
	head, list, _ := read(d)
	return head, list
}

// read is Read, with the number of bytes that were looked at.
func read(d Document) (Head, []Statement, int) {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(d.Name), "."))
	if codeTypes[d.Type] || d.Type == "" && codeExtensions[ext] || d.Type == "text" && codeExtensions[ext] {
		return Head{}, nil, 0
	}
	r := newReader(d)
	head := r.head()
	if r.isMail() || mailTypes[d.Type] {
		return head, nil, r.work
	}
	var list []Statement
	for _, form := range []func() []Statement{r.commits, r.decisions, r.decisionLog, r.tagList, r.changelog, r.minutes} {
		if list = form(); len(list) > 0 {
			break
		}
	}
	return head, list[:min(len(list), maxStatements)], r.work
}

// newSet returns the words of a list as a set.
func newSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// isoDay writes a day as 2024-03-12.
func isoDay(t time.Time) string { return t.Format(time.DateOnly) }
