package extract

import (
	"context"
	"mime"
	"path"
	"slices"
	"strings"
)

// extractor is one kind of content. The first row of the registry whose types,
// extensions and look fit wins.
type extractor struct {
	name       string
	types      []string           // declared types it stands for
	extensions []string           // of file names, with dot
	looks      func(*source) look // what the text itself says
	extract    func(context.Context, *source) (Output, error)
}

// look is how much a text looks like a kind.
type look uint8

const (
	no    look = iota // it cannot be
	maybe             // it can be, if a name or a declared type says so
	yes               // it is, whatever the name says
)

// registry lists the extractors, the most particular first. Text takes what is left.
func registry() []extractor {
	return []extractor{
		{"html", []string{"html", "text/html", "application/xhtml+xml", "url"}, []string{".html", ".htm", ".xhtml"}, looksHTML, extractHTML},
		{
			"json",
			[]string{"json", "application/json", "application/jsonl", "application/x-ndjson", "application/ld+json", "tweet", "social"},
			[]string{".json", ".jsonl", ".ndjson", ".geojson"},
			looksJSON, extractJSON,
		},
		{"csv", []string{"csv", "tsv", "text/csv", "text/tab-separated-values", "application/csv"}, []string{".csv", ".tsv", ".tab"}, looksCSV, extractCSV},
		{"code", codeTypes, nil, looksCode, extractCode},
		{"markdown", []string{"markdown", "md", "text/markdown", "text/x-markdown"}, []string{".md", ".markdown", ".mdown", ".mkd", ".mdx"}, looksMarkdown, extractMarkdown},
		{"text", []string{TypeText}, []string{".txt", ".text", ".log"}, func(*source) look { return yes }, extractText},
	}
}

// choose returns the extractor for src. A declared kind stands above the name and the
// name above the look of the text, but none above what the text cannot be:
// then the next rule decides, and a warning says so. text/plain and .txt promise
// nothing but text.
func choose(src *source) extractor {
	rows := registry()
	plain := rows[len(rows)-1]
	if src.declared == TypeText {
		return plain
	}
	for _, e := range rows {
		if slices.Contains(e.types, src.declared) {
			if e.looks(src) != no {
				return e
			}
			src.warning = "declared as " + src.declared + ", which the content is not"
		}
	}
	for _, e := range rows[:len(rows)-1] {
		if slices.Contains(e.extensions, src.extension) {
			if e.looks(src) != no {
				return e
			}
			src.warning = "named " + src.extension + ", which the content is not"
		}
	}
	if (src.declared == "text/plain" || slices.Contains(plain.extensions, src.extension)) && !isCodeName(src) {
		return plain
	}
	for _, e := range rows {
		if e.looks(src) == yes {
			return e
		}
	}
	return plain
}

// source is decoded input with what was found out on the way.
type source struct {
	Input
	text      string // valid UTF-8, else untouched
	charset   string
	declared  string // media type without parameters, or a Type word, lower case
	extension string // lower case, with dot
	warning   string
}

// newSource sniffs and decodes in.
func newSource(in Input) (*source, error) {
	if kind := sniffBinary(in.Data); kind != nil {
		return nil, kind
	}
	src := &source{Input: in, extension: strings.ToLower(path.Ext(strings.ReplaceAll(in.Name, `\`, "/")))}
	declared, params, err := mime.ParseMediaType(in.DeclaredType)
	if err != nil {
		declared, _, _ = strings.Cut(in.DeclaredType, ";")
	}
	src.declared = strings.ToLower(strings.TrimSpace(declared))
	if err := src.decode(params["charset"]); err != nil {
		return nil, err
	}
	return src, nil
}
