package fetch

import "time"

// Later makes what is known of sites older.
func Later(s *Sites, by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.known {
		a.until = a.until.Add(-by)
	}
}

// Note puts an answer of some size.
func Note(s *Sites, at string, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &answer{done: make(chan struct{}), bytes: bytes, used: time.Now(), until: time.Now().Add(time.Hour)}
	close(a.done)
	s.bytes += bytes
	s.put(at, a)
}

// Known counts what is remembered.
func Known(s *Sites) (sites, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.known), s.bytes
}

// Knows reports whether a site is remembered.
func Knows(s *Sites, at string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[at] != nil
}
