package extract

import (
	"context"
	"mime"
	"path"
	"slices"
	"strings"
)

// Kind is one kind of content: how it is told from others, and how it is read. The first kind whose types, extensions and
// look fit wins.
type Kind struct {
	Name       string
	Types      []string // declared types that it stands for: media types and short words, lower case
	Extensions []string // of file names, with dot
	// Binary kinds read Source.Data, the others the decoded Source.Text. What is recognised as a binary format is offered
	// to binary kinds only.
	Binary bool
	// Looks says what the content itself says. It must be quick: a look at the first few KiB.
	Looks func(*Source) Look
	// Extract reads the content. It obeys the limits of the source, ends soon after ctx does, and never panics. A file that
	// is damaged, locked or holds nothing is an *Error with a reason that a person can act on.
	Extract func(context.Context, *Source) (Output, error)
}

// Look is how much content looks like a kind.
type Look uint8

// How much content can look like a kind.
const (
	No    Look = iota // it cannot be
	Maybe             // it can be, if a name or a declared type says so
	Yes               // it is, whatever the name says
)

// Set is what can be read here: the kinds built in, and those added. The zero Set reads the built-in kinds.
type Set struct {
	kinds []Kind // all, the most particular first
}

// With returns the kinds given, before the built-in ones.
func With(kinds ...Kind) Set { return Set{kinds: append(slices.Clone(kinds), builtin()...)} }

// Kinds lists what is read, the most particular first.
func (s Set) Kinds() []Kind {
	if s.kinds == nil {
		return builtin()
	}
	return slices.Clone(s.kinds)
}

// builtin lists the kinds of text, the most particular first. Text takes what is left.
func builtin() []Kind {
	return []Kind{
		{"html", []string{"html", "text/html", "application/xhtml+xml", "url"}, []string{".html", ".htm", ".xhtml"}, false, looksHTML, extractHTML},
		{
			"json",
			[]string{"json", "application/json", "application/jsonl", "application/x-ndjson", "application/ld+json", "tweet", "social"},
			[]string{".json", ".jsonl", ".ndjson", ".geojson"},
			false, looksJSON, extractJSON,
		},
		{"csv", []string{"csv", "tsv", "text/csv", "text/tab-separated-values", "application/csv"}, []string{".csv", ".tsv", ".tab"}, false, looksCSV, extractCSV},
		{"code", codeTypes, nil, false, looksCode, extractCode},
		{"markdown", []string{"markdown", "md", "text/markdown", "text/x-markdown"}, []string{".md", ".markdown", ".mdown", ".mkd", ".mdx"}, false, looksMarkdown, extractMarkdown},
		{"text", []string{TypeText}, []string{".txt", ".text", ".log"}, false, func(*Source) Look { return Yes }, extractText},
	}
}

// choose returns the kind of src. A declared kind stands above the name and the name above the look of the content, but none
// above what the content cannot be: then the next rule decides, and a warning says so. text/plain and .txt promise nothing
// but text.
func (s Set) choose(src *Source) (Kind, error) {
	all := s.kinds
	if all == nil {
		all = builtin()
	}
	plain, before := all[len(all)-1], src.Warning
	if src.Declared == TypeText && !src.binary() {
		return plain, nil
	}
	for i := range all {
		if k := &all[i]; k.Binary == src.binary() && slices.Contains(k.Types, src.Declared) {
			if k.Looks(src) != No {
				src.Warning = before // it was another kind's that cannot be
				return *k, nil
			}
			src.Warning = "declared as " + src.Declared + ", which the content is not"
		}
	}
	for i := range all {
		if k := &all[i]; k.Binary == src.binary() && slices.Contains(k.Extensions, src.Extension) && k.Name != plain.Name {
			if k.Looks(src) != No {
				src.Warning = before // it was another kind's that cannot be
				return *k, nil
			}
			src.Warning = "named " + src.Extension + ", which the content is not"
		}
	}
	if !src.binary() && (src.Declared == "text/plain" || slices.Contains(plain.Extensions, src.Extension)) && !isCodeName(src) {
		return plain, nil
	}
	for i := range all {
		if k := &all[i]; k.Binary == src.binary() && k.Looks(src) == Yes {
			return *k, nil
		}
	}
	if src.binary() {
		return plain, &UnsupportedError{Type: src.Media, Name: src.MediaName}
	}
	return plain, nil
}

// Source is the input with what was found out on the way.
type Source struct {
	Input
	Text      string // decoded: valid UTF-8, else untouched; "" where the bytes are a binary format
	Charset   string // what the text was decoded from
	Declared  string // media type without parameters, or a Type word, lower case
	Extension string // of the name, lower case, with dot
	Media     string // media type of a binary format that was recognised by its first bytes, else ""
	MediaName string // the same in words: "a PNG image"
	Warning   string // what was odd; it ends up in the metadata
}

// binary reports whether the bytes are of a binary format.
func (s *Source) binary() bool { return s.Media != "" }

// newSource sniffs and decodes in.
func newSource(in Input) *Source {
	src := &Source{Input: in, Extension: strings.ToLower(path.Ext(strings.ReplaceAll(in.Name, `\`, "/")))}
	declared, params, err := mime.ParseMediaType(in.DeclaredType)
	if err != nil {
		declared, _, _ = strings.Cut(in.DeclaredType, ";")
	}
	src.Declared = strings.ToLower(strings.TrimSpace(declared))
	if src.Media, src.MediaName = sniff(in.Data); src.Media == "" {
		src.decode(params["charset"])
	}
	return src
}
