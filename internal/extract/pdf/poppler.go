package pdf

import (
	"context"
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/program"
)

// batch is how many pages one run of pdftotext prints: what it says of a page is a hundred times its text.
const batch = 200

// poppler reads a file by the program pdftotext, which prints each word with its box.
func poppler(ctx context.Context, help extract.Help, data []byte) (*document, error) {
	doc := &document{reader: popplerVersion(ctx, help)}
	for from := 1; from <= maxPages+1; from += batch {
		to := min(from+batch-1, maxPages+1)
		res, err := help.Run(ctx, program.Command{
			Name: "pdftotext", Args: []string{"-bbox-layout", "-enc", "UTF-8", "-f", strconv.Itoa(from), "-l", strconv.Itoa(to), "in.pdf", "-"},
			Files: map[string][]byte{"in.pdf": data}, Timeout: time.Minute, MaxOutput: 256 << 20,
		})
		if err != nil {
			if from > 1 && errors.As(err, new(*program.ExitError)) {
				break // no page of that number
			}
			return nil, popplerError(err, res.Stderr)
		}
		n := doc.readBoxes(string(res.Stdout))
		if strings.Contains(string(res.Stderr), "Syntax Error") {
			doc.damaged = true
		}
		if n < to-from+1 {
			break
		}
	}
	if len(doc.pages) > maxPages {
		doc.pages, doc.more = doc.pages[:maxPages], true
	}
	if len(doc.pages) == 0 {
		return nil, ErrNoPages
	}
	return doc, nil
}

// popplerVersion returns what made the text: "pdftotext 22.12.0".
func popplerVersion(ctx context.Context, help extract.Help) string {
	res, err := help.Run(ctx, program.Command{Name: "pdftotext", Args: []string{"-v"}, Timeout: 10 * time.Second})
	if err != nil {
		return "pdftotext"
	}
	first, _, _ := strings.Cut(string(res.Stderr)+string(res.Stdout), "\n")
	return strings.Replace(strings.TrimSpace(first), " version ", " ", 1)
}

// popplerError tells a file that is locked from a program that could not do it.
func popplerError(err error, stderr []byte) error {
	if strings.Contains(string(stderr), "Incorrect password") {
		return ErrLocked
	}
	return fmt.Errorf("run pdftotext: %w", err)
}

// readBoxes reads what pdftotext -bbox-layout prints, line by line: it is XHTML by its looks, but holds what XML may not. It
// returns the number of pages.
func (d *document) readBoxes(s string) int {
	n := 0
	var p *page
	for l := range strings.Lines(s) {
		l = strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(l, "<word ") && p != nil:
			if w, ok := readWord(l); ok {
				quarter := 0
				if w.y1-w.y0 > 2.5*(w.x1-w.x0) && utf8.RuneCountInString(w.text) >= 3 { // runs up or down the page
					quarter = 3
					w.x0, w.y0, w.x1, w.y1 = -w.y1, w.x0, -w.y0, w.x1
				}
				w.size = w.y1 - w.y0
				p.words[quarter] = append(p.words[quarter], w)
			}
		case strings.HasPrefix(l, "<page "):
			p = &page{width: attribute(l, "width"), height: attribute(l, "height")}
			d.pages = append(d.pages, p)
			n++
		case strings.HasPrefix(l, "<title>") && d.info.Title == "":
			d.info.Title = html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(l, "<title>"), "</title>"))
		case strings.HasPrefix(l, "<meta "):
			d.readMeta(l)
		}
	}
	return n
}

func (d *document) readMeta(l string) {
	value := html.UnescapeString(quoted(l, "content"))
	switch quoted(l, "name") {
	case "Author":
		d.info.Author = value
	case "Subject":
		d.info.Subject = value
	case "Keywords":
		d.info.Keywords = value
	case "Creator":
		d.info.Creator = value
	case "Producer":
		d.info.Producer = value
	case "CreationDate":
		if t, err := time.Parse(time.RFC3339, value); err == nil && t.Year() >= 1970 && t.Year() <= 2200 {
			d.info.Created = t.UTC()
		} else {
			d.info.Created = ParseDate(value)
		}
	}
}

// readWord reads "<word xMin="1" yMin="2" xMax="3" yMax="4">text</word>".
func readWord(l string) (word, bool) {
	tag, inner, ok := strings.Cut(l, ">")
	if !ok {
		return word{}, false
	}
	t := strings.TrimSpace(html.UnescapeString(strings.TrimSuffix(inner, "</word>")))
	w := word{
		x0: attribute(tag, "xMin"), y0: attribute(tag, "yMin"), x1: attribute(tag, "xMax"), y1: attribute(tag, "yMax"),
		text: t,
	}
	return w, t != "" && len(t) <= 4*maxWord && w.x1 >= w.x0 && w.y1 > w.y0
}

// quoted returns the value of an attribute, "" when there is none.
func quoted(l, name string) string {
	_, rest, ok := strings.Cut(l, " "+name+`="`)
	if !ok {
		return ""
	}
	v, _, _ := strings.Cut(rest, `"`)
	return v
}

// attribute returns the number of an attribute, 0 when it is none or absurd.
func attribute(l, name string) float64 {
	f, err := strconv.ParseFloat(quoted(l, name), 64)
	if err != nil || !(f > -1e5 && f < 1e5) {
		return 0
	}
	return f
}
