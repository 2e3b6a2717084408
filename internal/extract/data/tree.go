package data

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// branch is a value of a nested document, in the order of the file.
type branch struct {
	key      string // "[3]" in a list
	tag      string // of an element of XML: its name, without a number
	value    string // of a leaf
	note     string // comment of the file on it
	children []*branch
}

func (b *branch) add(c *branch) { b.children = append(b.children, c) }

// Limits of what a tree is written as.
const (
	mostPathBytes   = 200
	mostValueBytes  = 64 << 10
	inlineList      = 300 // bytes of scalars that share a line
	treeFactor      = 8   // times the file; beyond that the rest is left out
	fewLeaves       = 3
	recordBytes     = 400 // of a list element that is one line
	mostNoteBytes   = 500
	mostTitleBytes  = 80
	mostNestedDepth = 200
)

// small reports a branch with at most n leaves, which is worth no heading.
func (b *branch) small(n int) bool { return b.leaves(n+1) <= n }

// leaves counts the leaves below b up to most.
func (b *branch) leaves(most int) int {
	if len(b.children) == 0 {
		return 1
	}
	n := 0
	for _, c := range b.children {
		if n += c.leaves(most - n); n >= most {
			return most
		}
	}
	return n
}

// titles are the members that name what they are in, best first.
var titles = []string{"name", "title", "id", "key", "label", "summary", "text", "@name", "@id", "@title", "@text"}

// title is what the children of b call it.
func (b *branch) title() string {
	for _, t := range titles {
		for _, c := range b.children {
			if strings.EqualFold(c.key, t) && len(c.children) == 0 && c.value != "" {
				return inline(c.value, mostTitleBytes)
			}
		}
	}
	return ""
}

// treeWriter writes trees.
type treeWriter struct {
	writer
	prefix string // of places: "document 2, "
	limit  int    // bytes of output
	full   bool
	first  bool // the next item is the first below a heading
	last   int  // where the stretch that is open began
}

// writeTree writes root as Markdown: a heading for each outermost key that holds more, "path: value" lines below it.
func writeTree(ctx context.Context, src *extract.Source, title string, roots []*branch) (extract.Output, error) {
	w := &treeWriter{limit: treeFactor*len(src.Text) + 64<<10}
	w.block("# " + inline(title, 200))
	for i, root := range roots {
		if len(roots) > 1 {
			name := fmt.Sprintf("document %d", i+1)
			w.mark(w.next(), name)
			w.prefix = name + ", "
			if t := cmp.Or(root.title(), kubernetesName(root)); t != "" {
				name += ": " + t
			}
			w.block("# " + name)
		}
		if err := w.sections(ctx, root, "##"); err != nil {
			return extract.Output{}, err
		}
	}
	out := extract.Output{
		Text: w.b.String(), Type: extract.TypeMarkdown, Title: title, Language: text.Undetermined, Marks: w.marks,
		Metadata: map[string]string{},
	}
	if w.full {
		out.Metadata["truncated"] = "true"
		out.Metadata["warning"] = "the file is nested so much that its end was left out"
	}
	return out, nil
}

// kubernetesName is "Deployment web" of what names itself in its parts.
func kubernetesName(b *branch) string {
	kind, name := "", ""
	for _, c := range b.children {
		switch c.key {
		case "kind":
			kind = c.value
		case "metadata":
			name = c.title()
		}
	}
	return strings.TrimSpace(inline(kind, mostTitleBytes) + " " + name)
}

// sections writes the children of b: first those that are small, then each other under its heading.
func (w *treeWriter) sections(ctx context.Context, b *branch, level string) error {
	w.first, w.last = true, w.b.Len()
	if len(b.children) == 0 {
		w.leaf("value", b)
		return nil
	}
	few := &branch{}
	var many []*branch
	for _, c := range b.children {
		if _, ok := c.record(); ok || c.small(fewLeaves) {
			few.add(c)
		} else {
			many = append(many, c)
		}
	}
	if err := w.leaves(ctx, w.prefix, "", few, 0); err != nil {
		return err
	}
	for _, c := range many {
		if w.full || w.b.Len() > w.limit {
			w.full = true
			return nil
		}
		name := inline(c.key, mostPathBytes)
		if strings.HasPrefix(name, "[") {
			name = "item " + strings.Trim(name, "[]")
		}
		w.mark(w.next(), w.prefix+name)
		heading := name
		if t := c.title(); t != "" && t != c.key {
			heading += ": " + t
		}
		w.block(level + " " + heading)
		w.block(c.note)
		w.first, w.last = true, w.b.Len()
		if err := w.leaves(ctx, w.prefix+name, "", c, 0); err != nil {
			return err
		}
	}
	return nil
}

// leaves writes what is below b, its path relative to the heading; place is the heading.
func (w *treeWriter) leaves(ctx context.Context, place, path string, b *branch, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, c := range b.children {
		if w.full || depth > mostNestedDepth {
			w.full = true
			return nil
		}
		below := join(path, c.key)
		if w.b.Len()-w.last > stretch {
			w.last = w.b.Len()
			at := w.b.Len() + 1
			if w.first {
				at = w.next()
			}
			w.mark(at, inline(join(place, below), mostPathBytes))
		}
		line, flat := c.record()
		switch {
		case len(c.children) == 0:
			w.leaf(below, c)
		case flat:
			w.line(below+": "+line, c.note)
		default:
			if c.note != "" {
				w.line(below+":", c.note)
			}
			if err := w.leaves(ctx, place, below, c, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// join puts a key behind a path. A path that is too long loses its middle.
func join(path, key string) string {
	if path != "" && !strings.HasSuffix(path, ", ") && !strings.HasPrefix(key, "[") {
		path += "."
	}
	path += strings.Join(strings.Fields(key), " ")
	if len(path) > mostPathBytes {
		path = strings.ToValidUTF8(path[:mostPathBytes/2]+"…"+path[len(path)-mostPathBytes/2+3:], "")
	}
	return path
}

// record is a small branch on one line: a list of scalars with commas, or a flat list of members as "key: value; …".
func (b *branch) record() (string, bool) {
	if len(b.children) == 0 || len(b.children) > 50 {
		return "", false
	}
	if line, ok := b.attributed(); ok {
		return line, true
	}
	list := strings.HasPrefix(b.children[0].key, "[")
	var out strings.Builder
	for i, c := range b.children {
		if len(c.children) > 0 || c.note != "" || strings.Contains(c.value, "\n") || list != strings.HasPrefix(c.key, "[") {
			return "", false
		}
		switch {
		case i > 0 && list:
			out.WriteString(", ")
		case i > 0:
			out.WriteString("; ")
		}
		if !list {
			out.WriteString(c.key + ": ")
		}
		out.WriteString(c.value)
		if out.Len() > recordBytes || list && out.Len() > inlineList {
			return "", false
		}
	}
	// Members alone under a key of a map are worth lines of their own.
	return out.String(), list || strings.HasSuffix(b.key, "]")
}

// attributed is an element of XML with text and attributes on one line: "5 (currency: EUR)".
func (b *branch) attributed() (string, bool) {
	last := b.children[len(b.children)-1]
	if last.key != "text" || len(last.children) > 0 || len(last.value) > recordBytes || strings.Contains(last.value, "\n") {
		return "", false
	}
	var notes []string
	size := len(last.value)
	for _, c := range b.children[:len(b.children)-1] {
		if !strings.HasPrefix(c.key, "@") || strings.Contains(c.value, "\n") || size > recordBytes {
			return "", false
		}
		notes = append(notes, c.key[1:]+": "+c.value)
		size += len(c.value)
	}
	if len(notes) == 0 {
		return "", false
	}
	return last.value + " (" + strings.Join(notes, ", ") + ")", true
}

// leaf writes a scalar; a value of several lines stands below its path.
func (w *treeWriter) leaf(path string, b *branch) {
	value := strings.TrimSpace(text.Clean(b.value))
	if len(value) > mostValueBytes {
		value = strings.ToValidUTF8(value[:mostValueBytes], "") + "…"
	}
	if strings.Contains(value, "\n") {
		value = "\n  " + strings.ReplaceAll(value, "\n", "\n  ")
	} else if value != "" {
		value = " " + value
	}
	if value == "" && b.value == "" {
		w.line(path, b.note)
		return
	}
	w.line(path+":"+value, b.note)
}

// line writes an item with the comment on it.
func (w *treeWriter) line(s, note string) {
	if w.b.Len() > w.limit {
		w.full = true
		return
	}
	if note != "" {
		s += "  # " + inline(note, mostNoteBytes)
	}
	w.item(strings.TrimRight(s, " "), w.first)
	w.first = false
}

// nestedDeeper reports brackets in brackets beyond most. Brackets in strings count too, so it may say so too early.
func nestedDeeper(s string, most int) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[', '{':
			if depth++; depth > most {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}
