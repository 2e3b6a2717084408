package engine

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/hear"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/program"
)

// programs is how many bytes of memory the programs that help to read are expected to hold together: LibreOffice and one small
// one, or two that read pictures. With what this process holds that is less than half a gigabyte.
const programs = 300 << 20

// help is what reading content may ask of this machine and of the configured models.
func (e *Engine) help() (extract.Help, error) {
	h := extract.Help{Run: program.NewRunner(programs).Run, Read: e.extent.Add}
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

// Read says how many pages, slides and sheets this process has read, and how much sound and film.
func (e *Engine) Read() (pages int, sound time.Duration) { return e.extent.Read() }
