package engine_test

import (
	"encoding/binary"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/hear/heartest"
	"github.com/lukasa-memory/lukasa/internal/program"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// loud is a stretch of a recording in which somebody speaks.
type loud struct{ from, to time.Duration }

// stretches finds what is not silent in a 16-bit mono WAV.
func stretches(t *testing.T, wav []byte) []loud {
	t.Helper()
	if len(wav) < 44 || string(wav[:4]) != "RIFF" || string(wav[8:12]) != "WAVE" || binary.LittleEndian.Uint16(wav[22:]) != 1 || binary.LittleEndian.Uint16(wav[34:]) != 16 {
		t.Errorf("the stand-in got no mono WAV of 16 bits: % x", wav[:min(len(wav), 44)])
		return nil
	}
	rate := int(binary.LittleEndian.Uint32(wav[24:]))
	samples := wav[44:]
	var out []loud
	const gap = time.Second
	for at := 0; at+rate/5 < len(samples); at += rate / 5 { // a tenth of a second, two bytes a sample
		sum := 0
		for i := at; i < at+rate/5; i += 2 {
			v := int(int16(binary.LittleEndian.Uint16(samples[i&^1:])))
			sum += v * v
		}
		if sum/(rate/10) < 300*300 {
			continue
		}
		now := time.Duration(at/2) * time.Second / time.Duration(rate)
		if n := len(out); n > 0 && now-out[n-1].to < gap {
			out[n-1].to = now + 100*time.Millisecond
		} else {
			out = append(out, loud{now, now + 100*time.Millisecond})
		}
	}
	return out
}

// whisper is a stand-in for a speech server: it reads requests strictly, finds where somebody speaks, and has the words.
func whisper(t *testing.T, script ...string) string {
	t.Helper()
	return wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		f, ok := heartest.ReadForm(t, w, r, "/v1/audio/transcriptions", heartest.Secret, "model", "language", "prompt", "response_format", "temperature", "timestamp_granularities[]")
		if !ok {
			return
		}
		segments := []any{}
		for i, s := range stretches(t, f.Data) {
			if i < len(script) {
				segments = append(segments, map[string]any{"id": i, "start": s.from.Seconds(), "end": s.to.Seconds(), "text": script[i], "avg_logprob": -0.2, "no_speech_prob": 0.01})
			}
		}
		wiretest.WriteJSON(w, map[string]any{"task": "transcribe", "language": "english", "duration": 212, "text": strings.Join(script, " "), "segments": segments})
	})
}

// D-9, H-3, H-6: a question is answered with the exact place: page 7 of forty, a range of cells, the third minute of a recording,
// a receipt that was photographed, one mail of a thread.
func TestFromThePageToTheAnswer(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	cfg.HearProvider, cfg.HearKey, cfg.HearModel = "openai", heartest.Secret, "whisper-1"
	cfg.HearURL = whisper(t, "Welcome to the harbour meeting.", "The first point is the budget of the breakwater.", "The second point is the new ferry.",
		"The ferry leaves at a quarter to eight, starting in March.") + "/v1"
	e, _, sc := enginetest.Open(t, cfg, engine.Options{})
	for _, c := range []struct {
		file, needs, question string
		holds                 string // of the content of the first hit
		page                  int
		place                 string
		title                 string
	}{
		{"pdf/testdata/columns.pdf", "", "How much does the bell of the Lindvik lighthouse weigh?", "412 kilograms", 7, "", "The Harbour of Lindvik"},
		{"office/testdata/book.xlsx", "", "What is the price of the ship Aurora?", "1250000.5 €", 0, "Ships!A1:F4", "Ship register"},
		{"media/testdata/receipt.jpg", "tesseract", "How much was paid at Cafe Nordlys in all?", "19.50", 0, "", ""},
		{"media/testdata/talk.ogg", "ffmpeg", "When does the ferry leave?", "quarter to eight", 0, "00:03:12", "Harbour meeting"},
		{"mail/testdata/python.mbox", "", "Which rope floats?", "The red one, it floats.", 0, "", "Re: Which rope?"},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			if c.needs != "" && !program.Has(c.needs) {
				t.Skipf("needs %s: it is not installed", c.needs)
			}
			data, err := os.ReadFile(filepath.Join("..", "extract", filepath.FromSlash(c.file)))
			if err != nil {
				t.Fatal(err)
			}
			in := "page7." + strings.ReplaceAll(filepath.Base(c.file), ".", "_")
			r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Data: data, Name: filepath.Base(c.file), Container: in})
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			d, err := e.Document(t.Context(), sc, r.Document.ID)
			if err != nil || d.Status != lukasa.StatusDone {
				t.Fatalf("%s: %s, %v", d.Status, d.Reason, err)
			}
			// Asked of everything that is there, not of its container alone.
			found, err := e.Search(t.Context(), sc, lukasa.Query{Text: c.question, Types: []lukasa.EntryType{lukasa.EntryChunk}})
			if err != nil || len(found.Hits) == 0 {
				t.Fatalf("%d hits, %v", len(found.Hits), err)
			}
			h := found.Hits[0]
			if h.Chunk == nil || h.Document == nil {
				t.Fatalf("no place in %+v", h)
			}
			if !strings.Contains(h.Content, c.holds) || h.Chunk.Page != c.page || h.Chunk.Place != c.place || !strings.HasPrefix(h.Document.Title, c.title) || string(h.Path) != in {
				t.Errorf("%q: page %d, place %q, %q in %s:\n%s", c.question, h.Chunk.Page, h.Chunk.Place, h.Document.Title, h.Path, h.Content)
			}
			t.Logf("%s → %q, page %d, place %q, lines %v", c.question, h.Document.Title, h.Chunk.Page, h.Chunk.Place, h.Chunk.Lines)
		})
	}
}
