package data

import (
	"context"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

// Limits of what is parsed into a tree; beyond them a file stays the text that it is.
const (
	mostParsed    = 2 << 20
	mostDocuments = 1000
)

// extractYAML writes the documents of a file with the comments on their members. Aliases are named and not expanded, so that
// no file grows by them.
func extractYAML(ctx context.Context, src *extract.Source) (extract.Output, error) {
	if len(src.Text) > mostParsed || nestedDeeper(src.Text, mostNestedDepth*5) {
		return asText(ctx, src, "code", "the YAML is too large or too deep to be read as such; it is kept as text")
	}
	var roots []*branch
	prose := false
	err := extract.ParseYAML(src.Text, func(doc *extract.YAML) (bool, error) {
		if len(doc.Content) == 0 {
			return true, ctx.Err()
		}
		root := &branch{note: comment(doc.HeadComment, doc.Content[0].HeadComment)}
		fromYAML(root, doc.Content[0], 0)
		prose = root.value != "" && len(roots) == 0 && len(root.children) == 0 // one scalar
		if len(root.children) > 0 || root.value != "" {
			roots = append(roots, root)
		}
		return !prose && len(roots) < mostDocuments, ctx.Err()
	})
	switch {
	case ctx.Err() != nil:
		return extract.Output{}, ctx.Err()
	case err != nil:
		return asText(ctx, src, "code", "not valid YAML: "+inline(err.Error(), 200))
	case prose:
		return asText(ctx, src, "text", "")
	}
	if len(roots) == 0 {
		return asText(ctx, src, "code", "")
	}
	title := fileName(src, "YAML")
	if t := roots[0].title(); t != "" && len(roots) == 1 && src.Name == "" {
		title = t
	}
	return writeTree(ctx, src, title, roots)
}

// fromYAML fills b with what n holds.
func fromYAML(b *branch, n *extract.YAML, depth int) {
	if depth > mostNestedDepth {
		b.value = "…"
		return
	}
	switch n.Kind {
	case extract.YAMLMap:
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			c := &branch{key: scalar(k), note: comment(k.HeadComment, k.LineComment, v.HeadComment, v.LineComment, k.FootComment)}
			fromYAML(c, v, depth+1)
			b.add(c)
		}
	case extract.YAMLList:
		for i, v := range n.Content {
			c := &branch{key: "[" + strconv.Itoa(i) + "]", note: comment(v.HeadComment, v.LineComment)}
			fromYAML(c, v, depth+1)
			b.add(c)
		}
	default:
		b.value = scalar(n)
	}
}

// scalar is the text of a scalar, or the name of what an alias stands for.
func scalar(n *extract.YAML) string {
	switch n.Kind {
	case extract.YAMLScalar:
		if n.Tag == "!!binary" {
			return "(" + strconv.Itoa(len(n.Value)*3/4) + " bytes)"
		}
		return n.Value
	case extract.YAMLAlias:
		if n.Alias != nil && n.Alias.Kind == extract.YAMLScalar {
			return n.Alias.Value
		}
		return "(as " + n.Value + ")"
	}
	return "(complex key)"
}

// comment joins comments without their signs.
func comment(list ...string) string {
	var out []string
	for _, c := range list {
		for line := range strings.Lines(c) {
			if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#")); line != "" {
				out = append(out, line)
			}
		}
	}
	return strings.Join(out, " ")
}
