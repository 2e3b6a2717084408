package postings

import (
	"sync"
	"sync/atomic"
)

// notes keeps a number beside each term, for whoever has something to remember of it. The zero value is ready. Reading takes no
// lock; memory is taken for the stretches of terms that somebody has asked for.
type notes struct {
	pages atomic.Pointer[[]*notePage]
	mu    sync.Mutex // held by whoever adds a page
}

type notePage [1 << notePageShift]atomic.Uint64

const notePageShift = 8

// at returns the place beside a term.
func (s *notes) at(n uint32) *atomic.Uint64 {
	page, i := int(n>>notePageShift), n&(1<<notePageShift-1)
	if pages := s.pages.Load(); pages != nil && page < len(*pages) && (*pages)[page] != nil {
		return &(*pages)[page][i]
	}
	return &s.add(page)[i]
}

func (s *notes) add(page int) *notePage {
	s.mu.Lock()
	defer s.mu.Unlock()
	var old []*notePage
	if pages := s.pages.Load(); pages != nil {
		old = *pages
	}
	if page < len(old) && old[page] != nil {
		return old[page]
	}
	pages := make([]*notePage, max(len(old), page+1))
	copy(pages, old)
	pages[page] = new(notePage)
	s.pages.Store(&pages)
	return pages[page]
}

// size returns how many bytes the pages take.
func (s *notes) size() (n int64) {
	if pages := s.pages.Load(); pages != nil {
		for _, p := range *pages {
			n += 8
			if p != nil {
				n += 8 << notePageShift
			}
		}
	}
	return n
}
