package pdf

import (
	"context"
	"errors"
	"time"
)

// The reader in Go gives the words of a file with the boxes that they stand in, within limits of time and memory.
//
// It knows cross-reference tables and streams, object streams, the standard ciphers with the empty password, and files whose
// table is lost. It follows content, forms and the appearance of annotations, and the maps from codes to Unicode in fonts. It is weak
// where a font does not say what its glyphs mean: it has no tables from the character collections of Adobe to Unicode, and does not
// look into embedded CFF and TrueType programs. A glyph of unknown meaning is U+FFFD. It decodes no pictures.
//
// A file may be made to hurt: rings of references, streams that grow a thousandfold, content that paints without end. All work
// is counted (see [Limits]) and ends with [ErrBudget], or with the error of the context.

// Limits bound the work on one file. Zero fields mean the default.
type Limits struct {
	Pages   int   // that are listed; default 2,000
	Steps   int   // tokens, glyphs and objects that are looked at; default 60 million
	Decoded int64 // bytes that streams decode to, together; default 256 MiB
	Words   int   // that are kept; default 4 million
}

const (
	maxStream  = 32 << 20 // bytes of one stream, and of the content of one page, decoded
	maxPacked  = 64 << 20 // bytes of object streams that are kept open
	maxObjects = 4 << 20
	maxWord    = 2000 // bytes of one word
)

func (l Limits) normal() Limits {
	if l.Pages <= 0 {
		l.Pages = 2000
	}
	if l.Steps <= 0 {
		l.Steps = 60_000_000
	}
	if l.Decoded <= 0 {
		l.Decoded = 256 << 20
	}
	if l.Words <= 0 {
		l.Words = 4_000_000
	}
	return l
}

// Word is a run of letters without a gap. Boxes are in points (1/72 inch) and count from the upper left corner of the page as it
// is displayed. Letters of Arabic and Hebrew are in the order in which they stand, from left to right.
type Word struct {
	X0, Y0, X1, Y1 float64
	Size           float64 // of the font
	Text           string
}

// Page is one page. Words that do not run to the right stand in lists of their own, by the quarters that they are turned
// clockwise; their boxes are those on a page that was turned back.
type Page struct {
	Width, Height float64
	Words         [4][]Word
	Pictures      float64 // area that pictures cover, in square points

	picture *stream // the largest
	largest float64
}

// Info is what a file says about itself. Zero fields are unknown.
type Info struct {
	Title, Author, Subject, Keywords string
	Creator, Producer                string
	Created                          time.Time // UTC
}

// File is an open file. It is not safe for concurrent use.
type File struct {
	r      *reader
	leaves []leaf
	more   bool
	info   Info
}

// Open finds the pages of a file. The work on them counts against the limits too, and ends with ctx.
func Open(ctx context.Context, data []byte, l Limits) (*File, error) {
	l = l.normal()
	f := &File{}
	err := guard(func() (err error) {
		b := &budget{ctx: ctx, steps: l.Steps, decoded: l.Decoded, words: l.Words}
		if f.r, err = openFile(data, b); err != nil {
			return err
		}
		f.info = f.r.info()
		f.leaves, f.more = f.r.pages(l.Pages)
		return nil
	})
	if err == nil && len(f.leaves) == 0 {
		err = ErrNoPages
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Len returns the number of pages.
func (f *File) Len() int { return len(f.leaves) }

// More reports pages beyond the limit.
func (f *File) More() bool { return f.more }

// Damaged reports that the table of objects was lost, and that the file was searched for them.
func (f *File) Damaged() bool { return f.r.repair }

// Info returns what the file says about itself.
func (f *File) Info() Info { return f.info }

// Page reads page i, counted from 0. A page that is broken is an error, after which others can be read; after ErrBudget and
// the end of the context none can.
func (f *File) Page(i int) (*Page, error) {
	var p *Page
	err := guard(func() error {
		p = f.r.readPage(f.leaves[i])
		return nil
	})
	return p, err
}

// Final reports an error after which no page of the file can be read.
func Final(err error) bool {
	return errors.Is(err, ErrBudget) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Photograph returns the largest picture of a page, if it is a JPEG: what a scanner puts there. It is nil if it is none.
func (f *File) Photograph(p *Page) []byte {
	var out []byte
	err := guard(func() error {
		if p.picture == nil {
			return nil
		}
		if b, rest := f.r.decode(p.picture); rest == "DCTDecode" || rest == "DCT" {
			out = b
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}
