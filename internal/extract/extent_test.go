package extract_test

import (
	"context"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

// What is counted as read are the places of an extractor, and what it says of a binary file; what a text says of itself is not.
func TestExtent(t *testing.T) {
	t.Parallel()
	of := func(binary bool, out extract.Output, tell func(extract.Help)) extract.Set {
		out.Text = "words"
		return extract.With(extract.Kind{
			Name: "made up", Binary: binary, Extensions: []string{".made"}, Types: []string{"made"}, Looks: func(*extract.Source) extract.Look { return extract.Yes },
			Extract: func(_ context.Context, src *extract.Source) (extract.Output, error) {
				if tell != nil {
					tell(src.Help)
				}
				return out, nil
			},
		})
	}
	data := func(binary bool) []byte {
		if binary {
			return []byte("MADE\x00\x01\x02\x03")
		}
		return []byte("words")
	}
	marks := func(pages ...int) (out []extract.Mark) {
		for _, p := range pages {
			out = append(out, extract.Mark{Page: p})
		}
		return out
	}
	sheets := []extract.Mark{{Place: "Ships!A1:B9"}, {Place: "Ships!A10:B20"}, {Place: "Near, far!A1"}}
	for name, c := range map[string]struct {
		binary bool
		out    extract.Output
		tell   func(extract.Help)
		pages  int
		sound  time.Duration
	}{
		"pages by their marks":           {true, extract.Output{Marks: marks(1, 2, 3)}, nil, 3, 0},
		"a last page without text":       {true, extract.Output{Marks: marks(1, 2), Metadata: map[string]string{"pages": "3"}}, nil, 3, 0},
		"slides":                         {true, extract.Output{Metadata: map[string]string{"slides": "12"}}, nil, 12, 0},
		"sheets":                         {true, extract.Output{Marks: sheets, Metadata: map[string]string{"sheets": "Ships, Near, far"}}, nil, 2, 0},
		"tables are no sheets":           {true, extract.Output{Marks: sheets}, nil, 0, 0},
		"sound":                          {true, extract.Output{Metadata: map[string]string{"duration": "01:02:03"}}, nil, 0, time.Hour + 2*time.Minute + 3*time.Second},
		"a transcript":                   {false, extract.Output{Type: extract.TypeTranscript, Metadata: map[string]string{"duration": "00:00:09"}}, nil, 0, 9 * time.Second},
		"front matter":                   {false, extract.Output{Metadata: map[string]string{"pages": "320", "duration": "10:00:00"}}, nil, 0, 0},
		"no time":                        {true, extract.Output{Metadata: map[string]string{"duration": "two:hours:-1", "pages": "many"}}, nil, 0, 0},
		"told as they are read":          {true, extract.Output{Marks: marks(1, 5)}, func(h extract.Help) { h.Told(1, 0); h.Told(1, time.Second) }, 5, time.Second},
		"told more than there is":        {true, extract.Output{Marks: marks(1)}, func(h extract.Help) { h.Told(4, 0) }, 4, 0},
		"pages of a text with page ends": {false, extract.Output{Marks: marks(1, 2)}, nil, 2, 0},
	} {
		var got extract.Extent
		in := extract.Input{Data: data(c.binary), Name: "x.made", DeclaredType: "made", Help: extract.Help{Read: got.Add}}
		if _, err := of(c.binary, c.out, c.tell).Extract(t.Context(), in); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if pages, sound := got.Read(); pages != c.pages || sound != c.sound {
			t.Errorf("%s: %d pages, %v", name, pages, sound)
		}
		in.Help.Read = nil // nobody watches
		if _, err := of(c.binary, c.out, c.tell).Extract(t.Context(), in); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
