package engine

import (
	"slices"

	"github.com/lukasa-memory/lukasa/internal/carry"
	"github.com/lukasa-memory/lukasa/internal/exports/chats"
	"github.com/lukasa-memory/lukasa/internal/exports/notes"
	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/book"
	"github.com/lukasa-memory/lukasa/internal/extract/data"
	"github.com/lukasa-memory/lukasa/internal/extract/mail"
	"github.com/lukasa-memory/lukasa/internal/extract/media"
	"github.com/lukasa-memory/lukasa/internal/extract/notebook"
	"github.com/lukasa-memory/lukasa/internal/extract/office"
	"github.com/lukasa-memory/lukasa/internal/extract/pdf"
	"github.com/lukasa-memory/lukasa/internal/extract/rtf"
	"github.com/lukasa-memory/lukasa/internal/extract/track"
	"github.com/lukasa-memory/lukasa/internal/extract/web"
)

// Kinds lists the kinds of content that can be read, the most particular first.
func Kinds() extract.Set {
	return extract.With(slices.Concat(pdf.Kinds(), office.Kinds(), book.Kinds(), rtf.Kinds(), media.Kinds(), mail.Kinds(), track.Kinds(), notebook.Kinds(), web.Kinds(), data.Kinds())...)
}

// Exports lists the kinds of export that can be imported, in the order in which they are asked.
func Exports() carry.Set { return carry.Set(slices.Concat(chats.Kinds(), notes.Kinds())) }
