package learn

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// understand returns a memory that is given by hand with what the rules read in it: whom it is about, and of which slot it gives the value, so that it can
// take the place of what it contradicts. Its own words stay. It returns it as it is where the rules are not sure of all of it: there is more than one
// statement, a noun or an adverb that the statement leaves out ("in Lyon during the week"), a date or a reading that came with it.
func (p *Path) understand(ctx context.Context, sc lukasa.Scope, m lukasa.Memory) lukasa.Memory {
	if m.OccurredAt != nil || m.Kind != lukasa.KindFact && m.Kind != lukasa.KindPreference {
		return m
	}
	for _, key := range []string{merge.KeySaidAt, merge.KeyPredicate, merge.KeyEnded, merge.KeyCorrects, merge.KeyAmends, merge.KeyEnds, merge.KeyChanged, merge.KeyShared} {
		if m.Metadata[key] != nil {
			return m
		}
	}
	said, name := inName(m.Content)
	list, _ := p.read(ctx, sc, &rules.Dialogue{}, Text{Body: said, Role: "user", At: m.RecordedAt, Origin: m.Origin})
	if len(list) != 1 {
		return m
	}
	st := list[0]
	if st.Quarantined || st.Slot == "" || st.Value == "" || st.Subject == "" || !st.OccurredAt.IsZero() || !covers(&st, said) {
		return m
	}
	read := st.Memory(m.RecordedAt)
	switch name {
	case "":
	case read.Subject:
		read.Subject = "user" // as the rules call a speaker without a name
	default:
		return m
	}
	delete(read.Metadata, merge.KeySaidAt) // it is said as it is recorded
	m.Metadata = store.MergeMetadata(maps.Clone(m.Metadata), read.Metadata)
	m.Slot, m.Value, m.Subject, m.ValidFrom, m.ValidTo = read.Slot, read.Value, read.Subject, read.ValidFrom, read.ValidTo
	m.Key = merge.KeyOf(m)
	return m
}

// standIn is a name that is read in the place of "the user", of whom the rules read nothing by that name.
const standIn = "Philippa"

// inName returns a statement about the user as one about somebody with a name, and that name; "" for any other statement.
func inName(s string) (said, name string) {
	rest := s
	for _, lead := range []string{"The user", "the user", "User", "user"} {
		if tail, ok := strings.CutPrefix(s, lead); ok {
			rest = tail
			break
		}
	}
	if (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "'s ")) && len(rest) < len(s) && !strings.Contains(s, standIn) {
		return standIn + rest, standIn
	}
	return s, ""
}

// filling are words that a statement may leave out without saying anything else.
var filling = lexis.Words("a an the my our i we i'm i've in at to of as is are was be been am has have had does did do not don't doesn't any more anymore no longer now currently by name lot since until")

// covers reports whether a statement has all that its text says: each word but its verbs, those that only fill, and its dates. "In Lyon with Bob", "also in
// Lyon" and "in Lyon during the week" are not all said by "in Lyon".
func covers(st *rules.Statement, said string) bool {
	for _, d := range []*lexis.Moment{st.Until, st.When} {
		if d != nil && 0 <= d.Start && d.Start < d.End && d.End <= len(said) {
			said = said[:d.Start] + strings.Repeat(" ", d.End-d.Start) + said[d.End:]
			said = strings.TrimSuffix(strings.TrimRight(said, " ."), " since")
		}
	}
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \t\n,;:.!?\"()“”", r) })
	}
	have := append(words(st.Content), words(st.Corrects)...)
	for _, w := range words(said) {
		if _, verb := lexis.Verbs[w]; !verb && !filling[w] && !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

// contradict writes a memory that is given by hand, by put, and retires what it takes the place of once it is read: then it is m as it was read. It stays
// unread beside what it may not take the place of though it says otherwise.
func (p *Path) contradict(tx store.Tx, m *lukasa.Memory, read lukasa.Memory, out *Outcome, put func() error) error {
	if read.Slot == "" {
		return put()
	}
	w := &writer{tx: tx, node: lukasa.Node{ID: m.Node, Path: m.Path}, now: m.RecordedAt, out: out}
	retired, err := w.weigh(&read)
	if err != nil {
		return err
	}
	if read.IsLatest {
		*m = read
	}
	if err := put(); err != nil || !read.IsLatest {
		return err
	}
	if err := w.retire(retired, *m); err != nil {
		return err
	}
	return tx.PutEdges(w.adds)
}
