// Package notebook reads the working papers of programmers: notebooks of Jupyter, diffs, and patches as git writes them.
package notebook

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Kinds lists what is read here.
func Kinds() []extract.Kind {
	return []extract.Kind{
		{
			Name: "notebook", Types: []string{"ipynb", "application/x-ipynb+json"}, Extensions: []string{".ipynb"},
			Looks: looksNotebook, Extract: extractNotebook,
		},
		{
			Name: "patch", Types: []string{"diff", "patch", "text/x-diff", "text/x-patch"}, Extensions: []string{".diff", ".patch"},
			Looks: looksPatch, Extract: extractPatch,
		},
	}
}

// Limits of a notebook.
const (
	mostOutput = 2000 // bytes of an output
	mostLines  = 40   // lines of one
	stretch    = 800  // bytes of text that a place covers at least
)

var notebookMark = regexp.MustCompile(`"nbformat"\s*:\s*\d`)

// looksNotebook wants a JSON object with cells and the number of the format.
func looksNotebook(src *extract.Source) extract.Look {
	s := strings.TrimSpace(strings.TrimPrefix(src.Text, "\ufeff"))
	if !strings.HasPrefix(s, "{") || !strings.HasSuffix(s, "}") {
		return extract.No
	}
	// The members may stand in any order; most programs write cells first and the format last.
	ends := s[:min(len(s), 16<<10)] + s[max(0, len(s)-16<<10):]
	if !notebookMark.MatchString(ends) || !strings.Contains(ends, `"cells"`) && !strings.Contains(ends, `"worksheets"`) || !json.Valid([]byte(s)) {
		return extract.No
	}
	return extract.Yes
}

// book is the file: nbformat 4, and 3 with its worksheets.
type book struct {
	Cells      []cell `json:"cells"`
	Worksheets []struct {
		Cells []cell `json:"cells"`
	} `json:"worksheets"`
	Metadata struct {
		Title    any `json:"title"`
		Authors  any `json:"authors"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
		Kernel struct {
			Name     string `json:"display_name"`
			Language string `json:"language"`
		} `json:"kernelspec"`
	} `json:"metadata"`
	Format int `json:"nbformat"`
}

type cell struct {
	Kind     string       `json:"cell_type"`
	Source   lines        `json:"source"`
	Input    lines        `json:"input"` // of code in format 3
	Level    int          `json:"level"` // of a heading in format 3
	Language string       `json:"language"`
	Outputs  []cellOutput `json:"outputs"`
}

type cellOutput struct {
	Kind      string           `json:"output_type"`
	Name      string           `json:"name"`
	Text      lines            `json:"text"`
	Data      map[string]lines `json:"data"`
	Exception string           `json:"ename"`
	Value     string           `json:"evalue"`
	Trace     []string         `json:"traceback"`
}

// lines is a text, or a list of its lines. What is neither is no text.
type lines string

// UnmarshalJSON takes a string or a list of strings.
func (l *lines) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = lines(s)
		return nil
	}
	var list []string
	if json.Unmarshal(b, &list) == nil {
		*l = lines(strings.Join(list, ""))
	}
	return nil
}

// extractNotebook writes Markdown cells as they are, code in fences of its language, and the text of outputs.
func extractNotebook(ctx context.Context, src *extract.Source) (extract.Output, error) {
	var b book
	if err := json.Unmarshal([]byte(src.Text), &b); err != nil {
		return extract.Output{}, &extract.Error{Reason: "the notebook is damaged", Hint: "open it in Jupyter and save it again", Err: err}
	}
	cells := b.Cells
	for _, w := range b.Worksheets {
		cells = append(cells, w.Cells...)
	}
	language := strings.ToLower(b.Metadata.Language.Name)
	if language == "" {
		language = strings.ToLower(b.Metadata.Kernel.Language)
	}
	w := writer{word: "cell"}
	pictures := 0
	for i, c := range cells {
		if err := ctx.Err(); err != nil {
			return extract.Output{}, err
		}
		body, dropped := c.write(language)
		pictures += dropped
		w.add(i+1, body, strings.HasPrefix(body, "#"))
	}
	out := extract.Output{
		Text: w.b.String(), Type: extract.TypeMarkdown, Marks: w.marks, Title: firstHeading(cells), Author: names(b.Metadata.Authors),
		Metadata: map[string]string{"cells": strconv.Itoa(len(cells))},
	}
	if s, ok := b.Metadata.Title.(string); ok && s != "" {
		out.Title = s
	}
	if out.Title == "" {
		out.Title = fileTitle(src, "Notebook")
	}
	for key, value := range map[string]string{"kernel": b.Metadata.Kernel.Name, "code_language": language} {
		if value != "" {
			out.Metadata[key] = value
		}
	}
	if pictures > 0 {
		out.Metadata["pictures_left_out"] = strconv.Itoa(pictures)
	}
	out.Language, _ = text.Language(prose(cells))
	return out, nil
}

// write renders a cell, and counts the pictures that it leaves out.
func (c cell) write(language string) (string, int) {
	source := string(c.Source)
	switch c.Kind {
	case "markdown":
		return text.CleanAs(dataPictures.ReplaceAllString(source, "$1 (picture)"), text.Markdown), 0
	case "heading": // format 3
		return strings.Repeat("#", min(max(1, c.Level), 6)) + " " + strings.Join(strings.Fields(text.Clean(source)), " "), 0
	case "code":
	default:
		return fenced("", source), 0
	}
	if source == "" {
		source = string(c.Input)
	}
	if c.Language != "" {
		language = c.Language
	}
	if magic := cellMagic.FindStringSubmatch(source); magic != nil {
		language = map[string]string{"bash": "bash", "sh": "sh", "sql": "sql", "html": "html", "javascript": "javascript", "R": "r", "latex": "latex"}[magic[1]]
	}
	blocks := []string{fenced(word.FindString(language), source)}
	pictures := 0
	for _, o := range c.Outputs {
		s, dropped := o.write()
		pictures += dropped
		blocks = append(blocks, s)
	}
	return join(blocks), pictures
}

var (
	cellMagic    = regexp.MustCompile(`^\s*%%(bash|sh|sql|html|javascript|R|latex)\b`)
	word         = regexp.MustCompile(`^[a-z0-9+#-]{1,30}`)
	dataPictures = regexp.MustCompile(`!\[([^\]\n]*)\]\((?:data:|attachment:)[^)\s]*\)`)
)

// write renders the text of an output; pictures are counted and named.
func (o cellOutput) write() (string, int) {
	if o.Exception != "" {
		return "Error:\n\n" + fenced("", o.Exception+": "+clip(o.Value)), 0
	}
	if o.Text != "" {
		if o.Name == "stderr" {
			return "Messages:\n\n" + fenced("", clip(string(o.Text))), 0
		}
		return "Output:\n\n" + fenced("", clip(string(o.Text))), 0
	}
	pictures := 0
	note := ""
	for kind := range o.Data {
		if strings.HasPrefix(kind, "image/") {
			pictures = 1
			note = "(A picture was left out.)"
		}
	}
	switch {
	case o.Data["text/markdown"] != "":
		return join([]string{"Output:", clip(string(o.Data["text/markdown"])), note}), pictures
	case o.Data["text/plain"] != "" && !objectName.MatchString(string(o.Data["text/plain"])):
		return join([]string{"Output:", fenced("", clip(string(o.Data["text/plain"]))), note}), pictures
	case o.Data["text/latex"] != "":
		return join([]string{"Output:", fenced("latex", clip(string(o.Data["text/latex"]))), note}), pictures
	}
	return note, pictures
}

// objectName is how Python prints what has no text of its own.
var objectName = regexp.MustCompile(`^\s*<[\w .:]+(?: object)?(?: at 0x[0-9a-f]+| size [^>]*| with \d+ [^>]*)?>\s*$`)

// clip bounds an output in bytes and lines.
func clip(s string) string {
	s = text.Clean(s[:min(len(s), 8*mostOutput)])
	cut := false
	if len(s) > mostOutput {
		s, cut = strings.ToValidUTF8(s[:mostOutput], ""), true
	}
	if list := strings.SplitAfterN(s, "\n", mostLines+1); len(list) > mostLines {
		s, cut = strings.Join(list[:mostLines], ""), true
	}
	if cut {
		s = strings.TrimRight(s, "\n") + "\n… (cut)"
	}
	return s
}

// fenced puts s into a fence that nothing in it closes.
func fenced(language, s string) string {
	s = strings.Trim(text.CleanAs(s, text.Raw), "\r\n")
	if strings.TrimSpace(s) == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(s, fence) && len(fence) < 60 {
		fence += "`"
	}
	if strings.Contains(s, fence) {
		s = strings.ReplaceAll(s, fence, "`")
	}
	return fence + language + "\n" + s + "\n" + fence
}

// join puts blank lines between what is not blank.
func join(blocks []string) string {
	var out []string
	for _, b := range blocks {
		if strings.TrimSpace(b) != "" {
			out = append(out, b)
		}
	}
	return strings.Join(out, "\n\n")
}

// writer joins numbered blocks with the places of their stretches: "cells 3 to 5".
type writer struct {
	word  string
	b     strings.Builder
	marks []extract.Mark
	from  int
}

// add adds block n. A new stretch begins when the one before is long enough, or at a heading.
func (w *writer) add(n int, block string, heading bool) {
	block = strings.TrimSpace(text.CleanAs(block, text.Markdown))
	if block == "" {
		return
	}
	at := w.b.Len()
	if at > 0 {
		w.b.WriteString("\n\n")
		at = w.b.Len()
	}
	if k := len(w.marks); k == 0 || heading || at-w.marks[k-1].Offset > stretch {
		w.marks = append(w.marks, extract.Mark{Offset: at, Place: w.word + " " + strconv.Itoa(n)})
		w.from = n
	} else {
		w.marks[k-1].Place = fmt.Sprintf("%ss %d to %d", w.word, w.from, n)
	}
	w.b.WriteString(block)
}

// firstHeading is the first heading of the notebook.
func firstHeading(cells []cell) string {
	for _, c := range cells[:min(len(cells), 20)] {
		if c.Kind == "heading" {
			return string(c.Source)
		}
		if c.Kind != "markdown" {
			continue
		}
		for b := range text.MarkdownBlocks(string(c.Source)) {
			if b.Kind == text.BlockHeading {
				return b.Text
			}
		}
	}
	return ""
}

// prose is the beginning of the Markdown cells, for telling the language.
func prose(cells []cell) string {
	var b strings.Builder
	for _, c := range cells {
		if c.Kind == "markdown" && b.Len() < 16<<10 {
			b.WriteString(string(c.Source) + "\n\n")
		}
	}
	return b.String()
}

// names reads authors: [{"name": …}].
func names(v any) string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list[:min(len(list), 20)] {
		if m, ok := e.(map[string]any); ok {
			if s, ok := m["name"].(string); ok {
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, ", ")
}

// fileTitle is the name of the file without folders and extension, or other.
func fileTitle(src *extract.Source, other string) string {
	name := path.Base(strings.ReplaceAll(src.Name, `\`, "/"))
	if src.Name == "" || name == "." || name == "/" {
		return other
	}
	return strings.TrimSuffix(name, path.Ext(name))
}
