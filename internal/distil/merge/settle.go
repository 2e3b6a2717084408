package merge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// A Retirement says that the memory at place Old is retired by the one at place New.
type Retirement struct {
	Old, New int
	Reason   string
}

// Settle says which of the memories are retired by which, as if they had come one after another in the order in which they were said. A memory
// is retired once, by the first that supersedes it; one that is retired itself, or was not latest to begin with, retires nothing any more. The
// answer is ordered by Old and is the same
// for every order of the list, as long as no two memories of one subject were said at the same time.
func Settle(list []lukasa.Memory) []Retirement {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if c := SaidAt(&list[a]).Compare(SaidAt(&list[b])); c != 0 {
			return c
		}
		return cmp.Or(strings.Compare(string(list[a].ID), string(list[b].ID)), strings.Compare(list[a].Content, list[b].Content))
	})
	bySubject := map[string][]int{} // those that stand, in the order in which they were said
	var out []Retirement
	for _, n := range order {
		key := normal(list[n].Subject)
		standing := bySubject[key]
		kept := standing[:0]
		for _, o := range standing {
			if ok, why := Supersedes(list[o], list[n]); ok {
				out = append(out, Retirement{Old: o, New: n, Reason: why})
				continue
			}
			kept = append(kept, o)
		}
		bySubject[key] = append(kept, n)
	}
	slices.SortFunc(out, func(a, b Retirement) int { return a.Old - b.Old })
	return out
}

// Same reports whether two memories say the same: the same subject, and either the same predicate and value or nearly the same words. What differs
// in a
// number, a negation, an ending or the day on which it happened is not the same.
func Same(a, b lukasa.Memory) bool {
	if normal(a.Subject) != normal(b.Subject) || over(&a) != over(&b) || a.Kind.Defining() != b.Kind.Defining() {
		return false
	}
	if a.OccurredAt != nil && b.OccurredAt != nil && !sameDay(a, b) {
		return false
	}
	if p, q := predicate(&a), predicate(&b); p != "" && p == q && a.Value != "" && b.Value != "" {
		return normal(a.Value) == normal(b.Value)
	} else if p != q && p != "" && q != "" {
		return false
	}
	return Similar(a.Content, b.Content)
}

func sameDay(a, b lukasa.Memory) bool {
	x, y := a.OccurredAt.UTC(), b.OccurredAt.UTC()
	return x.YearDay() == y.YearDay() && x.Year() == y.Year()
}

// Join is a with the sources of b that it does not have yet, in the order in which they come, its confidence the higher of both and its tags and
// entities those of both. Everything else is a's.
func Join(a, b lukasa.Memory) lukasa.Memory {
	a.Sources = slices.Clone(a.Sources)
	for _, s := range b.Sources {
		if !slices.Contains(a.Sources, s) {
			a.Sources = append(a.Sources, s)
		}
	}
	a.Tags = union(a.Tags, b.Tags)
	a.Entities = union(a.Entities, b.Entities)
	a.Confidence = max(a.Confidence, b.Confidence)
	return a
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
