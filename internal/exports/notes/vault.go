package notes

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Folders of Markdown notes. An Obsidian vault (https://help.obsidian.md/data-storage, links in
// https://help.obsidian.md/links, properties in https://help.obsidian.md/properties) is a folder of notes that point to each other
// with [[wikilinks]]; a note is known by its path. basic-memory (https://docs.basicmemory.com/concepts/knowledge-format) writes
// the same, and in it observations, "- [category] text #tag (context)", and relations, "- kind [[Target]] (context)"; a note is
// known by its permalink. The text of a note is kept as it is, front matter included.

var (
	wikiLink    = regexp.MustCompile(`(!?)\[\[([^\[\]|#^\n]*)([#^][^\[\]|\n]*)?(\|[^\[\]\n]*)?\]\]`)
	mdLink      = regexp.MustCompile(`(!?)\[[^\[\]\n]*\]\(<?([^()<>\n]+?\.[A-Za-z0-9]{1,5})(?:#[^()\n]*)?>?\)`)
	inlineTag   = regexp.MustCompile(`(?:^|[\s(,;])#([\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*)`)
	inlineCode  = regexp.MustCompile("`[^`\n]*`")
	dailyName   = regexp.MustCompile(`^(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?:\D|$)`)
	observation = regexp.MustCompile(`(?m)^[ \t]*[-*] \[([^\[\]()\n]{2,80})\] (.+)$`)
	memoryLink  = regexp.MustCompile(`memory://([^\s()<>\[\]"*]+)`)
	relation    = regexp.MustCompile(`(?m)^[ \t]*[-*] ([^\[\]\n]{1,80}?) \[\[([^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]`)
)

func looksVault(s *exports.Source) bool {
	return slices.ContainsFunc(s.Hidden, func(n string) bool { return n == ".obsidian" || strings.HasPrefix(n, ".obsidian/") }) || len(s.Has(".md")) > 0
}

func looksBasicMemory(s *exports.Source) bool {
	files := s.Has(".md")
	for _, f := range files[:min(len(files), 50)] {
		head := s.Head(f, 8<<10)
		if fm, n := frontMatter(head); n > 0 && fm.text("permalink") != "" && (observation.MatchString(head[n:]) || relation.MatchString(head[n:]) ||
			fm.text("type") != "") {
			return true
		}
	}
	return false
}

func readVault(r *reading)       { (&vault{r: r}).read() }
func readBasicMemory(r *reading) { (&vault{r: r, basic: true}).read() }

type vault struct {
	r     *reading
	basic bool
	ids   map[string]string   // custom id by path, in lower case, with and without .md
	names map[string][]string // paths by name, title or alias, in lower case
	files map[string]bool     // names of the files that are no notes
}

func (v *vault) read() {
	r := v.r
	notes := r.Source.Has(".md")
	v.ids, v.names = make(map[string]string, 2*len(notes)), make(map[string][]string, len(notes))
	name := func(n, p string) {
		if n = strings.ToLower(n); n != "" && !slices.Contains(v.names[n], p) {
			v.names[n] = append(v.names[n], p)
		}
	}
	for _, f := range notes {
		stem := strings.TrimSuffix(f.Name, path.Ext(f.Name))
		fm, _ := frontMatter(r.Source.Head(f, 16<<10))
		id := r.ID(stem)
		if permalink := fm.text("permalink"); v.basic && permalink != "" {
			id = r.ID(permalink)
			name(permalink, f.Name)
		}
		v.ids[strings.ToLower(f.Name)], v.ids[strings.ToLower(stem)] = id, id
		name(path.Base(stem), f.Name)
		if v.basic {
			name(fm.text("title"), f.Name)
		}
		for _, a := range fm.list("aliases", "alias") {
			name(a, f.Name)
		}
	}
	v.files = map[string]bool{}
	for _, f := range r.Source.Files {
		if f.Ext() != ".md" {
			v.files[path.Base(f.Name)] = true
		}
	}
	for _, f := range r.Source.Files {
		switch {
		case r.Over():
			return
		case f.Ext() == ".md":
			v.note(f)
		default:
			r.Attachment(f, r.ID("file", f.Name))
		}
	}
}

// resolve returns the custom id of the note that a link means, or what the link says: a note that is not written yet.
func (v *vault) resolve(from exports.File, to string) string {
	low := strings.ToLower(strings.TrimSpace(to))
	for _, p := range []string{path.Join(strings.ToLower(path.Dir(from.Name)), low), strings.TrimPrefix(low, "/")} {
		if id, ok := v.ids[p]; ok && (strings.ContainsRune(low, '/') || strings.HasSuffix(low, ".md")) {
			return id
		}
	}
	best := ""
	for _, p := range v.names[strings.TrimSuffix(path.Base(low), ".md")] {
		if strings.Contains(low, "/") && !strings.HasSuffix(strings.TrimSuffix(strings.ToLower(p), ".md"), "/"+strings.TrimSuffix(low, ".md")) {
			continue
		}
		if best == "" || strings.Count(p, "/") < strings.Count(best, "/") {
			best = p
		}
	}
	if best == "" {
		for _, p := range v.names[low] {
			best = p
			break
		}
	}
	if best == "" {
		return strings.TrimSuffix(strings.TrimSpace(to), ".md")
	}
	return v.ids[strings.ToLower(best)]
}

func (v *vault) note(f exports.File) {
	r := v.r
	s, err := r.Source.Text(f, text.Markdown)
	if err != nil {
		r.Fail(f.Name, err)
		return
	}
	fm, at := frontMatter(s)
	prose := plainProse(s[at:])
	n := exports.Note{
		ID: v.ids[strings.ToLower(f.Name)], Title: exports.Either(fm.text("title"), f.Stem()), Body: s, URL: fm.text("url", "source", "source_url", "link"),
		Tags: vaultTags(fm, prose), Changed: f.Mod, Meta: exports.Meta{}.Str("path", f.Name),
	}
	if !exports.WebAddress(n.URL) {
		n.URL = ""
	}
	for _, k := range fm.keys {
		if k != "title" && k != "tags" && k != "tag" {
			if _, taken := n.Meta[k]; !taken {
				n.Meta.Any(k, fm.values[k])
			}
		}
	}
	n.Made = exports.ParseTime(fm.text("created", "date created", "created_at", "creation date", "date"), r.Options.Zone)
	if t := exports.ParseTime(fm.text("updated", "modified", "date modified", "updated_at", "last_modified"), r.Options.Zone); !t.IsZero() {
		n.Changed = t
	}
	if m := dailyName.FindStringSubmatch(f.Stem()); m != nil {
		if t, err := time.ParseInLocation("2006-01-02", m[1]+"-"+m[2]+"-"+m[3], r.Options.Zone); err == nil {
			n.Happened = t
			n.Meta.Yes("daily_note", true)
		}
	}
	if n.Made.IsZero() {
		n.Made = f.Mod
	}
	v.links(f, prose, &n)
	if v.basic {
		semantics(prose, &n)
	}
	r.Note(f.Name, n)
}

// links finds what the note points to and what it shows.
func (v *vault) links(f exports.File, prose string, n *exports.Note) {
	var shown []string
	point := func(embed, to string) {
		ext := strings.ToLower(path.Ext(to))
		if isFile := len(ext) > 1 && len(ext) <= 5 && ext != ".md" && !strings.Contains(ext, " "); isFile && (embed != "" || v.isFile(to)) {
			shown = append(shown, to)
			return
		}
		if id := v.resolve(f, to); id != "" && id != n.ID {
			n.Links = append(n.Links, id)
		}
	}
	for _, m := range wikiLink.FindAllStringSubmatch(prose, -1) {
		if to := strings.TrimSpace(m[2]); to != "" {
			point(m[1], to)
		}
	}
	for _, m := range mdLink.FindAllStringSubmatch(prose, -1) {
		if to, err := url.PathUnescape(m[2]); err == nil && !strings.Contains(to, "://") && !strings.HasPrefix(to, "mailto:") {
			point(m[1], to)
		}
	}
	for _, m := range memoryLink.FindAllStringSubmatch(prose, -1) {
		if v.basic {
			point("", strings.TrimRight(m[1], ".,;:!?"))
		}
	}
	n.Meta.List("embeds", exports.Dedupe(shown))
}

func (v *vault) isFile(to string) bool { return v.files[path.Base(to)] }

// plainProse is a note without its code, in which tags and links mean nothing.
func plainProse(s string) string {
	var b strings.Builder
	for block := range text.MarkdownBlocks(s) {
		if block.Kind != text.BlockCode && block.Kind != text.BlockFrontMatter {
			b.WriteString(s[block.Start:block.End] + "\n")
		}
	}
	return inlineCode.ReplaceAllString(b.String(), " ")
}

func vaultTags(fm front, prose string) []string {
	var tags []string
	for _, t := range fm.list("tags", "tag") {
		tags = append(tags, strings.Fields(t)...)
	}
	for _, m := range inlineTag.FindAllStringSubmatch(prose, -1) {
		tags = append(tags, m[1])
	}
	return tags
}

// semantics reads the observations and relations of basic-memory. [ ] and [x] are check boxes, and a link is no observation.
func semantics(prose string, n *exports.Note) {
	var seen, kinds []string
	for _, m := range observation.FindAllStringSubmatch(prose, -1) {
		seen = append(seen, strings.TrimSpace(m[1]))
	}
	for _, m := range relation.FindAllStringSubmatch(prose, -1) {
		kinds = append(kinds, strings.Trim(m[1], " *_:")+": "+strings.TrimSpace(m[2]))
	}
	n.Meta.List("observations", exports.Dedupe(seen)).List("relations", exports.Dedupe(kinds))
}
