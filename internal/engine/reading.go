package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
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
	"github.com/lukasa-memory/lukasa/internal/hear"
	hearopenai "github.com/lukasa-memory/lukasa/internal/hear/openai"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/program"
)

// Kinds lists the kinds of content that can be read, the most particular first.
func Kinds() extract.Set {
	return extract.With(slices.Concat(pdf.Kinds(), office.Kinds(), book.Kinds(), rtf.Kinds(), media.Kinds(), mail.Kinds(), track.Kinds(), notebook.Kinds(), web.Kinds(), data.Kinds())...)
}

// openHearer returns nil where none is configured.
func openHearer(c config.Config) (hear.Hearer, error) {
	switch c.HearProvider {
	case "", "none":
		return nil, nil
	case "openai":
		o := hearopenai.Options{URL: c.HearURL, Key: c.HearKey, Model: c.HearModel}
		if base, ok := strings.CutSuffix(c.HearURL, hearopenai.WhisperPath); ok { // the server of whisper.cpp
			o.URL, o.Path = base, hearopenai.WhisperPath
		}
		return hearopenai.New(o)
	}
	return nil, lukasa.Invalid("hear.provider", "%q is not one of none, openai", c.HearProvider)
}

// help is what reading content may ask of this machine and of the configured models.
func (e *Engine) help() (extract.Help, error) {
	h := extract.Help{Run: program.Run}
	if e.cfg.See && e.model != nil {
		h.See = func(ctx context.Context, picture []byte, mediaType string) (extract.Sight, error) {
			s, err := llm.See(ctx, e.model, llm.Picture{Type: mediaType, Data: picture})
			return extract.Sight{Text: s.Text, Description: s.Description, Model: s.Model}, err
		}
	}
	hearer, err := openHearer(e.cfg)
	if hearer == nil || err != nil {
		return h, err
	}
	h.Hear = func(ctx context.Context, sound []byte, name string) (extract.Speech, error) {
		s, err := hearer.Hear(ctx, hear.Sound{Data: sound, Name: name})
		out := extract.Speech{Language: s.Language, Model: s.Model}
		for _, x := range s.Segments {
			out.Segments = append(out.Segments, extract.Utterance(x))
		}
		return out, err
	}
	return h, nil
}
