package recall

import "github.com/lukasa-memory/lukasa/internal/index"

// instead notes which words stood in for others.
func (s *search) instead(ans index.Answer) {
	if len(ans.Instead) > 0 {
		s.stats.Instead = ans.Instead
	}
}
