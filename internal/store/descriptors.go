package store

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// MaxStatement is how many characters a memory has at most: it is one statement.
const MaxStatement = 10_000

// The bounds of the tags of a record.
const (
	maxTag  = 100 // characters
	maxTags = 100
)

// Target reads the container of a write: none means the default node, or the root of a credential that is bound to one.
func Target(sc lukasa.Scope, container string) (lukasa.Path, error) {
	if container == "" {
		if sc.Root != "" {
			return sc.Root, nil
		}
		return lukasa.DefaultPath, nil
	}
	p, err := lukasa.ParsePath(container)
	if err != nil {
		return "", err
	}
	return p, MayWrite(sc, p)
}

// EnsureNode returns the node at the path and makes it, with its missing ancestors, if it is not there.
func EnsureNode(tx Tx, mint lukasa.Minter, n lukasa.NewNode) (lukasa.Node, bool, error) {
	node, err := tx.NodeAt(n.Path)
	if err == nil || lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return node, false, err
	}
	now := mint.Now().UTC()
	if n.Path == "" { // the owner's first write
		root := lukasa.Node{ID: mint.ID(lukasa.PrefixNode), Type: lukasa.NodeRoot, CreatedAt: now, UpdatedAt: now}
		return root, true, tx.PutNode(root)
	}
	parent, _, err := EnsureNode(tx, mint, lukasa.NewNode{Path: n.Path.Parent()})
	if err != nil {
		return lukasa.Node{}, false, err
	}
	if n.Type == "" {
		n.Type = lukasa.NodeTopic
		if n.Path.Depth() == 1 {
			n.Type = lukasa.NodeProject
		}
	}
	node = lukasa.Node{
		ID: mint.ID(lukasa.PrefixNode), Parent: parent.ID, Path: n.Path, Name: n.Path.Name(), Type: n.Type,
		Depth: n.Path.Depth(), Description: n.Description, CreatedAt: now, UpdatedAt: now,
	}
	return node, true, tx.PutNode(node)
}

// CheckText returns an error that names the field where a short text holds what not every database can keep. A long one is cleaned instead.
func CheckText(field, s string) error {
	if strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s) {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: field, Msg: "holds U+0000, or bytes that are no text", Hint: "leave them out"}
	}
	return nil
}

// CheckTags returns an error that names the field where tags are too many, too long or blank.
func CheckTags(tags []string) error {
	if len(tags) > maxTags {
		return lukasa.Invalid("tags", "has %d entries, at most %d are allowed", len(tags), maxTags)
	}
	for _, t := range tags {
		if text.Blank(t) || utf8.RuneCountInString(t) > maxTag {
			return lukasa.Invalid("tags", "holds a blank tag or one over %d characters", maxTag)
		}
		if err := CheckText("tags", t); err != nil {
			return err
		}
	}
	return nil
}

// MergeTags returns the union in the order of first sight.
func MergeTags(a, b []string) ([]string, bool) {
	out := make([]string, 0, len(a)+len(b))
	for _, t := range slices.Concat(a, b) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out, len(out) > len(a)
}

// MergeMetadata writes values over those that are there; nil removes a name. A nil map is made.
func MergeMetadata(into, from map[string]any) map[string]any {
	if into == nil {
		into = map[string]any{}
	}
	for k, v := range from {
		if v == nil {
			delete(into, k)
		} else {
			into[k] = v
		}
	}
	return into
}

// Absorbed returns a document with the tags and metadata of a second save of it, and whether that changes it. The earlier
// forget_after stands.
func Absorbed(there, again lukasa.Document) (lukasa.Document, bool) {
	tags, changed := MergeTags(there.Tags, again.Tags)
	there.Tags = tags
	meta := map[string]any{}
	maps.Copy(meta, there.Metadata)
	for k, v := range again.Metadata {
		if old, ok := meta[k]; !ok || !reflect.DeepEqual(old, v) {
			meta[k], changed = v, true
		}
	}
	if changed {
		there.Metadata = meta
	}
	return there, changed
}

// Since returns a document that was worked off, with what has been said and done since the work on it began: that may be minutes ago.
func Since(d, was, now lukasa.Document) lukasa.Document {
	d.Node, d.Path, d.ForgetAfter, d.LastAccessedAt, d.Accesses = now.Node, now.Path, now.ForgetAfter, now.LastAccessedAt, now.Accesses
	if now.Title != was.Title {
		d.Title = now.Title
	}
	found := slices.DeleteFunc(slices.Clone(d.Tags), func(t string) bool { return slices.Contains(was.Tags, t) })
	d.Tags, _ = MergeTags(now.Tags, found)
	d.Metadata = maps.Clone(d.Metadata)
	for k := range was.Metadata {
		if _, ok := now.Metadata[k]; !ok {
			delete(d.Metadata, k)
		}
	}
	for k, v := range now.Metadata {
		if old, ok := was.Metadata[k]; !ok || !reflect.DeepEqual(v, old) {
			d.Metadata[k] = v
		}
	}
	return d
}
