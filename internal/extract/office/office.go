// Package office reads the files of office programs: those of Word, PowerPoint, Excel and OpenDocument, and by way of
// LibreOffice, where it is installed, the binary ones of old.
//
// All but the old ones are ZIP archives of XML, read as streams within the bounds of internal/unpack and written as Markdown
// by internal/page.
package office

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// What the kinds are called, in Metadata["format"] too.
const (
	formatDocx = "docx"
	formatPptx = "pptx"
	formatXlsx = "xlsx"
	formatOdt  = "odt"
	formatOds  = "ods"
	formatOdp  = "odp"
	formatOld  = "old-office"
)

const (
	ooxml   = "application/vnd.openxmlformats-officedocument."
	oasis   = "application/vnd.oasis.opendocument."
	msWord  = "application/vnd.ms-word."
	msPower = "application/vnd.ms-powerpoint."
	msExcel = "application/vnd.ms-excel."
)

// Kinds lists what is read here. All are recognised by what is in the file, never by its name.
func Kinds() []extract.Kind {
	return []extract.Kind{
		zipped(formatDocx, []string{
			"docx", ooxml + "wordprocessingml.document", ooxml + "wordprocessingml.template",
			msWord + "document.macroenabled.12", msWord + "template.macroenabled.12",
		}, []string{".docx", ".docm", ".dotx", ".dotm"}, readDocx),
		zipped(formatPptx, []string{
			"pptx", ooxml + "presentationml.presentation", ooxml + "presentationml.slideshow", ooxml + "presentationml.template",
			msPower + "presentation.macroenabled.12", msPower + "slideshow.macroenabled.12", msPower + "template.macroenabled.12",
		}, []string{".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"}, readPptx),
		zipped(formatXlsx, []string{
			"xlsx", ooxml + "spreadsheetml.sheet", ooxml + "spreadsheetml.template",
			msExcel + "sheet.macroenabled.12", msExcel + "template.macroenabled.12",
		}, []string{".xlsx", ".xlsm", ".xltx", ".xltm"}, readXlsx),
		zipped(formatOdt, []string{"odt", oasis + "text", oasis + "text-template", oasis + "text-master"}, []string{".odt", ".ott", ".odm"}, readOdf),
		zipped(formatOds, []string{"ods", oasis + "spreadsheet", oasis + "spreadsheet-template"}, []string{".ods", ".ots"}, readOdf),
		zipped(formatOdp, []string{
			"odp", oasis + "presentation", oasis + "presentation-template", oasis + "graphics",
		}, []string{".odp", ".otp", ".odg"}, readOdf),
		{
			Name: formatOld,
			Types: []string{
				"doc", "xls", "ppt", "xlsb", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint", "application/x-ole-storage",
				msExcel + "sheet.binary.macroenabled.12",
			},
			Extensions: []string{".doc", ".dot", ".xls", ".xlt", ".ppt", ".pps", ".pot", ".xlsb"},
			Binary:     true, Looks: looksOld, Extract: readOld,
		},
	}
}

// document is what a reader makes: text and what is known about it.
type document struct {
	page.Page
	props    properties
	pictures []string // names of the parts that hold them
	warning  string
	meta     map[string]string
}

func (d *document) note(key, value string) {
	if value == "" {
		return
	}
	if d.meta == nil {
		d.meta = map[string]string{}
	}
	d.meta[key] = value
}

// Bounds of the pictures of a document without text.
const (
	mostPictures = 50
	pictureBytes = 20 << 20
)

// findPictures notes the pictures below a folder of the archive.
func (d *document) findPictures(a *unpack.Archive, folder string) {
	for _, name := range a.Names() {
		if strings.HasPrefix(unpack.Key(name), folder) && isPicture(name) {
			d.pictures = append(d.pictures, name)
		}
	}
}

// isPicture reports the names of pictures.
func isPicture(name string) bool {
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "svg", "emf", "wmf", "heic":
		return true
	}
	return false
}

// zipped is a kind that is a ZIP archive.
func zipped(name string, types, extensions []string, read func(context.Context, *unpack.Archive, *document) error) extract.Kind {
	return extract.Kind{
		Name: name, Types: types, Extensions: extensions, Binary: true,
		Looks: func(src *extract.Source) extract.Look {
			if formatOf(src) == name {
				return extract.Yes
			}
			return extract.No
		},
		Extract: func(ctx context.Context, src *extract.Source) (extract.Output, error) {
			return readZipped(ctx, src.Data, src.Name, name, read)
		},
	}
}

// readZipped reads an archive and finishes what came of it.
func readZipped(
	ctx context.Context, data []byte, fileName, format string, read func(context.Context, *unpack.Archive, *document) error,
) (extract.Output, error) {
	a, err := unpack.Open(ctx, data)
	if err != nil {
		return extract.Output{}, told(err)
	}
	doc := &document{}
	if err := read(ctx, a, doc); err != nil {
		if ctx.Err() != nil {
			return extract.Output{}, ctx.Err()
		}
		// A document whose end is damaged is better than none. What is hostile gives nothing.
		err = unpack.Damaged(err)
		if !unpack.IsDamaged(err) || doc.Length() == 0 {
			return extract.Output{}, told(err)
		}
		doc.warning = "the file is damaged, and its end is missing: " + err.Error()
		doc.note("truncated", "true")
	}
	return doc.output(a, fileName, format)
}

// told turns a fault of an archive into the error that extractors report.
func told(err error) error {
	if f, ok := errors.AsType[*unpack.Fault](err); ok {
		return (*extract.Error)(f)
	}
	return err
}

// output turns what was read into the output of a kind.
func (d *document) output(a *unpack.Archive, fileName, format string) (extract.Output, error) {
	out := extract.Output{Type: extract.TypeMarkdown, Metadata: map[string]string{"format": format}}
	var marks []page.Mark
	out.Text, marks = d.Finish()
	for _, m := range marks {
		out.Marks = append(out.Marks, extract.Mark(m))
	}
	maps.Copy(out.Metadata, d.meta)
	d.props.apply(&out)
	if d.Full() {
		out.Metadata["truncated"] = "true"
		d.warning = "the text is longer than what is kept of one file; the rest was dropped"
	}
	if d.warning != "" {
		out.Metadata["warning"] = d.warning
	}
	if len(d.pictures) > 0 {
		names := make([]string, 0, len(d.pictures))
		for _, p := range d.pictures {
			names = append(names, page.BaseName(p))
		}
		out.Metadata["pictures"] = strings.Join(names, ", ")
	}
	if out.Text == "" {
		if out.Parts = d.pictureParts(a); len(out.Parts) == 0 {
			return extract.Output{}, extract.ErrEmpty
		}
	}
	for _, title := range []string{d.Title(), page.FirstLine(out.Text), page.BaseName(fileName)} {
		if out.Title == "" {
			out.Title = title
		}
	}
	if out.Language == "" {
		out.Language, _ = text.Language(out.Text[:page.Bound(out.Text, 64<<10)])
	}
	return out, nil
}

// pictureParts returns the pictures of a document as documents of their own: all that there is to see in one without text,
// such as a scan.
func (d *document) pictureParts(a *unpack.Archive) []extract.Part {
	var out []extract.Part
	left := pictureBytes
	for _, name := range d.pictures[:min(len(d.pictures), mostPictures)] {
		data, err := a.Read(name)
		if err != nil || len(data) > left {
			continue
		}
		left -= len(data)
		out = append(out, extract.Part{Name: page.BaseName(name), Data: data})
	}
	return out
}
