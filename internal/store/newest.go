package store

import (
	"cmp"
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// newestStep is how many records a stream reads at most at a time. It begins with as many as are wanted.
const newestStep = 256

// Stream gives the entries of one kind of record, newest first, a step at a time. Last is where it stands, in the driver's own
// terms. Fetch returns the entries of the next records, where it stands then, and whether there may be more; it never ends
// among records of one moment, as their entries are ordered by more than that.
type Stream[P any] struct {
	Last  P
	Fetch func(after P, step int) (entries []lukasa.Entry, last P, more bool, err error)

	step   int
	buffer []lukasa.Entry
	done   bool
}

// Newest merges streams into up to limit entries that the filter keeps, newest first. Ties go by creation, newest first, then by
// document and position in it.
func Newest[P any](streams []*Stream[P], f *lukasa.Filter, limit int) ([]lukasa.Entry, error) {
	found := []lukasa.Entry{}
	for len(found) < limit {
		var best *Stream[P]
		for _, st := range streams {
			if err := st.fill(f, limit); err != nil {
				return nil, err
			}
			if len(st.buffer) > 0 && (best == nil || newer(&st.buffer[0], &best.buffer[0]) < 0) {
				best = st
			}
		}
		if best == nil {
			break
		}
		found = append(found, best.buffer[0])
		best.buffer = best.buffer[1:]
	}
	return found, nil
}

// fill reads on until the filter keeps something or nothing is left.
func (st *Stream[P]) fill(f *lukasa.Filter, limit int) error {
	if st.step == 0 {
		st.step = min(max(limit, 8), newestStep)
	}
	for len(st.buffer) == 0 && !st.done {
		entries, last, more, err := st.Fetch(st.Last, st.step)
		if err != nil {
			return err
		}
		st.step = min(2*st.step, newestStep)
		st.Last, st.done = last, !more
		for i := range entries {
			if f.Match(&entries[i]) {
				st.buffer = append(st.buffer, entries[i])
			}
		}
		slices.SortStableFunc(st.buffer, func(a, b lukasa.Entry) int { return newer(&a, &b) })
	}
	return nil
}

// AsksLatest reports whether a filter has a condition on "latest" anywhere.
func AsksLatest(f *lukasa.Filter) bool {
	some := func(list []lukasa.Filter) bool {
		return slices.ContainsFunc(list, func(g lukasa.Filter) bool { return AsksLatest(&g) })
	}
	return f != nil && (f.Field == "latest" || AsksLatest(f.Not) || some(f.And) || some(f.Or))
}

// newer orders entries for Newest.
func newer(a, b *lukasa.Entry) int {
	if c := b.When().Compare(a.When()); c != 0 {
		return c
	}
	if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(b.Document, a.Document), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
}
