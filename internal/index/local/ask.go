package local

import (
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// analyze makes terms of the text.
func (s *search) analyze() {
	s.set.Reset(len(s.req.Text))
	s.asks = s.asks[:0]
	if s.req.Text == "" {
		return
	}
	var tongues text.Tongues
	for i := range s.parts {
		tongues |= s.parts[i].tongues
	}
	unknown := map[string]int(nil)
	ask := func(id uint32, ok bool, term []byte, start, end int) (first bool) {
		if ok {
			n := len(s.set.Terms)
			if s.set.Add(id); n == len(s.set.Terms) {
				return false
			}
		} else {
			if at, again := unknown[string(term)]; again {
				s.asks[at].Count++
				return false
			}
			if unknown == nil {
				unknown = map[string]int{}
			}
			unknown[string(term)] = len(s.asks)
			id = index.NoTerm
		}
		s.terms = append(s.terms, string(term))
		s.asks = append(s.asks, index.Term{ID: id, Word: s.req.Text[start:end], Count: 1})
		return true
	}
	if tongues == 0 {
		s.analyzer.Each(s.req.Text, func(term []byte, _, start, end int) {
			id, ok := s.dict.Find(term)
			ask(id, ok, term, start, end)
		})
	} else {
		s.askTongues(tongues, ask)
	}
	if len(s.tf) < len(s.set.Terms) {
		s.tf = make([]uint32, len(s.set.Terms))
	}
}

// askTongues asks for the words of the text in all forms that they have in some tongues. The first that any entry has stands for the word.
func (s *search) askTongues(tongues text.Tongues, ask func(id uint32, ok bool, term []byte, start, end int) bool) {
	words := s.analyzer.Ask(s.req.Text, tongues)
	room := len(words)
	for i := range words {
		room += len(words[i].Forms)
	}
	s.set.Reset(room)
	type form struct {
		id uint32
		of int
	}
	var forms []form
	for i := range words {
		w := &words[i]
		id, ok := s.dict.Find([]byte(w.Term))
		at := len(s.set.Terms)
		var others []uint32
		for _, f := range w.Forms {
			switch n, there := s.dict.Find([]byte(f)); {
			case !there:
			case !ok:
				id, ok = n, true
			default:
				others = append(others, n)
			}
		}
		if ask(id, ok, []byte(w.Term), w.Start, w.End) {
			for _, n := range others {
				forms = append(forms, form{n, at})
			}
		}
	}
	for _, f := range forms { // behind all words
		s.set.AddForm(f.id, f.of, 1)
	}
}
