package merge

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// maxStated is how many statements of a dialogue are kept.
const maxStated = 24

// Stated keeps the last statements of a dialogue that a later message may put right: those with a day, and those that give a slot its value.
type Stated struct{ list []Statement }

// Note adds a statement, if it is one of them.
func (s *Stated) Note(st *Statement) {
	if !dated(st) && (st.Slot == "" || st.Value == "" || st.Ended) {
		return
	}
	if s.list = append(s.list, *st); len(s.list) > maxStated {
		s.list = s.list[1:]
	}
}

// Dated are the statements with a day, the last one first.
func (s *Stated) Dated() iter.Seq[Statement] {
	return func(yield func(Statement) bool) {
		for _, st := range slices.Backward(s.list) {
			if dated(&st) && !yield(st) {
				return
			}
		}
	}
}

func dated(st *Statement) bool { return st.When != nil && st.When.Precision == lexis.ToDay }

// Redated is the last statement of a subject with such a day, put on another.
func (s *Stated) Redated(subject string, is func(day time.Time) bool, now *lexis.Moment) (Statement, bool) {
	for st := range s.Dated() {
		if st.Subject != subject || !is(st.When.From) {
			continue
		}
		st.Amends, st.When, st.Until = st.Content, now, nil
		if !st.OccurredAt.IsZero() {
			st.OccurredAt = now.From
		}
		if !st.ValidFrom.IsZero() {
			st.ValidFrom = now.From
		}
		return st, true
	}
	return Statement{}, false
}

// Righted is the last statement of somebody about themselves, or about who or what is theirs, that gave a slot the wrong value, with the right one.
func (s *Stated) Righted(who, wrong, right string) (Statement, bool) {
	if wrong == "" || right == "" || strings.EqualFold(wrong, right) {
		return Statement{}, false
	}
	for _, st := range slices.Backward(s.list) {
		if st.Slot == "" || !strings.EqualFold(st.Value, wrong) || st.Subject != who && !strings.HasPrefix(st.Subject, who+"'s ") || !strings.Contains(st.Content, st.Value) {
			continue
		}
		st.Content = strings.Replace(st.Content, st.Value, right, 1)
		st.Corrects, st.Value = st.Value, right
		return st, true
	}
	return Statement{}, false
}
