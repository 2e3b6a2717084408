package media

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/ocr"
	"github.com/lukasa-memory/lukasa/internal/program"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// sure is the confidence of tesseract from which on its reading stands above a model's, which may make up what it cannot read.
const sure = 75

const imageHint = "install tesseract (tesseract-ocr) to read text, or configure a vision model to read and describe pictures; then retry"

// reading is what was found on a picture.
type reading struct {
	ocr      ocr.Text
	sight    extract.Sight
	missing  bool // there is no tesseract
	ocrError error
	seeError error
}

// readImage reads a picture: what is written on it, what it shows, when and where it was taken.
func readImage(ctx context.Context, src *extract.Source) (extract.Output, error) {
	f := readFacts(src.Data, imageType(src.Data))
	p, err := prepare(ctx, src.Help, src.Data, f.orientation)
	if err != nil {
		return extract.Output{}, err
	}
	r := look(ctx, src.Help, p)
	if err := ctx.Err(); err != nil {
		return extract.Output{}, err
	}
	written := r.ocr.Text
	if r.sight.Text != "" && (written == "" || r.ocr.Confidence < sure) {
		written = text.CleanAs(r.sight.Text, text.Markdown)
	}
	if written == "" && r.sight.Description == "" && f.caption == "" && f.title == "" {
		return extract.Output{}, r.explain()
	}
	out := extract.Output{
		Text: compose(f.caption, r.sight.Description, written), Type: extract.TypeMarkdown, Author: f.author, Published: f.taken,
		Title: f.title, Metadata: map[string]string{},
	}
	if out.Text == "" {
		out.Text = f.title
	}
	for _, s := range []string{f.caption, r.sight.Description, written} {
		if out.Title == "" {
			out.Title = firstSentence(s)
		}
	}
	out.Language, _ = text.Language(out.Text)
	f.metadata(out.Metadata)
	r.metadata(out.Metadata, p)
	return out, nil
}

// look asks tesseract and the vision model, whichever are there.
func look(ctx context.Context, help extract.Help, p *picture) (r reading) {
	r.missing = true
	if help.Run != nil {
		run := func(ctx context.Context, args []string, picture []byte) ([]byte, error) {
			res, err := help.Run(ctx, program.Command{Name: "tesseract", Args: args, Stdin: picture, Timeout: 2 * time.Minute, Resident: 112 << 20})
			return res.Stdout, err
		}
		var langs []string
		if langs, r.ocrError = ocr.Languages(ctx, run); r.ocrError == nil {
			r.ocr, r.ocrError = ocr.Read(ctx, run, p.data, ocr.Options{Languages: langs})
		}
		r.missing = errors.Is(r.ocrError, program.ErrMissing)
	}
	if help.See == nil || ctx.Err() != nil {
		return r
	}
	data, media, err := p.shown(ctx, help)
	if err == nil {
		r.sight, err = help.See(ctx, data, media)
	}
	r.seeError = err
	return r
}

// explain says why nothing was found.
func (r *reading) explain() error {
	switch {
	case r.seeError != nil:
		return &extract.Error{Reason: "the vision model could not look at the picture", Hint: "check the vision model, then retry", Err: r.seeError}
	case r.missing:
		return &extract.Error{Reason: extract.NoReader, Hint: imageHint}
	case r.ocrError != nil:
		return &extract.Error{
			Reason: "tesseract could not read the picture",
			Hint:   "save it as PNG or JPEG, or configure a vision model; then retry", Err: r.ocrError,
		}
	}
	return &extract.Error{
		Reason: extract.NoPictureText, Hint: "configure a vision model to describe pictures without text; then retry", Err: extract.ErrEmpty,
	}
}

func (r *reading) metadata(m map[string]string, p *picture) {
	if p.width > 0 {
		m["width"], m["height"] = strconv.Itoa(p.width), strconv.Itoa(p.height)
	}
	if r.ocr.Text != "" {
		m["ocr"], m["ocr_confidence"] = strings.TrimSpace("tesseract "+r.ocr.Languages), fmt.Sprintf("%.0f", r.ocr.Confidence)
	}
	if r.sight.Model != "" {
		m["vision"] = r.sight.Model
	}
	switch {
	case r.seeError != nil:
		m["warning"] = "the vision model could not look at the picture: " + r.seeError.Error()
	case r.ocrError != nil && !r.missing:
		m["warning"] = "tesseract could not read the picture: " + r.ocrError.Error()
	}
}

// compose puts together what is known in words: the caption, what is seen, and what is written under a heading of its own.
func compose(caption, description, written string) string {
	var parts []string
	if caption != "" {
		parts = append(parts, text.CleanAs(caption, text.Markdown))
	}
	if d := text.CleanAs(description, text.Markdown); d != "" {
		parts = append(parts, d)
	}
	if w := text.CleanAs(written, text.Markdown); w != "" {
		if len(parts) > 0 {
			parts = append(parts, "## Text on the picture")
		}
		parts = append(parts, w)
	}
	return strings.Join(parts, "\n\n")
}

// firstSentence makes a title of a text.
func firstSentence(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	for sentence := range text.Sentences(line) {
		line = sentence.Of(line)
		break
	}
	line = strings.Trim(line, "#*_ .")
	const most = 80
	if r := []rune(line); len(r) > most {
		line = strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return line
}
