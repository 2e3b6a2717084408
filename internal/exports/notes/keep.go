package notes

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Notes of Google Keep out of Takeout: one JSON file a note, with an HTML copy of it, below a folder whose name depends on the
// language. Google does not publish the format; the fields are those that obsidian-importer and others read
// (https://github.com/obsidianmd/obsidian-importer/blob/master/src/formats/keep/models.ts). A note has no id: the microsecond in
// which it was made stands for one.

func keepFiles(s *exports.Source) []exports.File {
	return s.Where(func(f exports.File) bool {
		if f.Ext() != ".json" {
			return false
		}
		head := s.Head(f, 8<<10)
		if strings.Contains(head, `"userEditedTimestampUsec"`) {
			return true
		}
		return f.Size > 8<<10 && (strings.Contains(head, `"isTrashed"`) || strings.Contains(head, `"textContent"`)) && strings.Contains(head, `"color"`)
	})
}

func looksKeep(s *exports.Source) bool {
	if !s.Single && !slices.ContainsFunc(s.Files, func(f exports.File) bool {
		return f.Ext() == ".json" && strings.Contains(f.Name, "/") || f.Ext() == ".html"
	}) &&
		len(s.Files) > 1 && len(s.Has(".json")) == 0 {
		return false
	}
	return len(keepFiles(s)) > 0
}

type keepNote struct {
	Title   exports.Scalar `json:"title"`
	Text    exports.Scalar `json:"textContent"`
	HTML    exports.Scalar `json:"textContentHtml"`
	Created exports.Scalar `json:"createdTimestampUsec"`
	Edited  exports.Scalar `json:"userEditedTimestampUsec"`
	Trashed any            `json:"isTrashed"`
	Arch    any            `json:"isArchived"`
	Pinned  any            `json:"isPinned"`
	Color   exports.Scalar `json:"color"`
	List    []struct {
		Text    exports.Scalar `json:"text"`
		Checked any            `json:"isChecked"`
	} `json:"listContent"`
	Labels []struct {
		Name exports.Scalar `json:"name"`
	} `json:"labels"`
	Annotations []struct {
		Title       exports.Scalar `json:"title"`
		Description exports.Scalar `json:"description"`
		URL         exports.Scalar `json:"url"`
	} `json:"annotations"`
	Attachments []struct {
		Path exports.Scalar `json:"filePath"`
	} `json:"attachments"`
	Sharees []struct {
		Email exports.Scalar `json:"email"`
	} `json:"sharees"`
}

func readKeep(r *reading) {
	notes := map[string]bool{}
	for _, f := range keepFiles(r.Source) {
		notes[strings.TrimSuffix(f.Name, path.Ext(f.Name))] = true
		var k keepNote
		if r.LoadJSON(f, &k) {
			r.keepNote(f, &k)
		}
	}
	for _, f := range r.Source.Files {
		switch stem := strings.TrimSuffix(f.Name, path.Ext(f.Name)); {
		case notes[stem] && f.Ext() == ".json":
		case notes[stem] && f.Ext() == ".html":
			r.Leave("HTML copies of notes")
		default:
			r.Attachment(f, r.ID("file", path.Base(f.Name)))
		}
	}
}

func usec(s exports.Scalar) time.Time {
	n, err := strconv.ParseInt(string(s), 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

func (r *reading) keepNote(f exports.File, k *keepNote) {
	if k.Trashed == true {
		r.Leave("notes in the bin")
		return
	}
	n := exports.Note{Title: string(k.Title), Made: usec(k.Created), Changed: usec(k.Edited), Meta: exports.Meta{}}
	switch {
	case !n.Made.IsZero():
		n.ID = r.ID(string(k.Created))
	case !n.Changed.IsZero() && n.Title == "":
		n.Made, n.ID = n.Changed, r.ID(f.Stem())
	default:
		n.Made, n.ID = n.Changed, r.ID(f.Stem())
	}
	var b strings.Builder
	if b.WriteString(string(k.Text)); text.Blank(string(k.Text)) {
		b.WriteString(markdown(string(k.HTML), nil))
	}
	for _, e := range k.List {
		box := "\n- [ ] "
		if e.Checked == true {
			box = "\n- [x] "
		}
		b.WriteString(box + exports.OneLine(string(e.Text)))
	}
	for _, a := range k.Annotations {
		if a.URL != "" {
			b.WriteString("\n\n[" + exports.Either(exports.OneLine(string(a.Title)), string(a.URL)) + "](" + string(a.URL) + ")")
			if a.Description != "" {
				b.WriteString("\n" + exports.OneLine(string(a.Description)))
			}
			n.URL = exports.Either(n.URL, string(a.URL))
		}
	}
	var files, shared []string
	for _, a := range k.Attachments {
		files = append(files, string(a.Path))
	}
	for _, s := range k.Sharees {
		shared = append(shared, string(s.Email))
	}
	n.Body = strings.TrimSpace(b.String())
	if n.Body == "" && len(files) > 0 {
		n.Body = exports.Attached(string(k.Title), []string{"attachments: " + strings.Join(files, ", ")})
	}
	if n.Body == "" {
		n.Body = n.Title
	}
	for _, l := range k.Labels {
		n.Tags = append(n.Tags, string(l.Name))
	}
	n.Meta.List("attachments", files).List("shared_with", shared).Yes("archived", k.Arch == true).Yes("pinned", k.Pinned == true)
	if k.Color != "DEFAULT" {
		n.Meta.Str("color", strings.ToLower(string(k.Color)))
	}
	r.Note(f.Name, n)
}
