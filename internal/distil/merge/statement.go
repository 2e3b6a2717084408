package merge

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Statement is one thing that a text says, as a memory would keep it.
type Statement struct {
	Kind                     lukasa.MemoryKind
	Content                  string // a sentence in the third person that can be read by itself
	Subject                  string // whom or what it is about: the speaker, "Ana's brother", "Clara", "Atlas project"; "" when nobody in particular
	Predicate                string // what it says of the subject (lives_in, likes, sister …); "" for what happened, is planned or decided
	Slot                     string // names the one value that the subject can have at a time ("lives_in", "opinion:jazz"); a newer statement of the same subject and slot replaces an older; "" otherwise
	Value                    string
	Confidence               float64
	ValidFrom                time.Time     // zero when unknown
	ValidTo                  time.Time     // zero when open
	OccurredAt               time.Time     // when it happened, happens or is due; zero when unknown
	When                     *lexis.Moment // the date behind ValidFrom, ValidTo or OccurredAt, with its precision
	Until                    *lexis.Moment // the second date, where there are two
	Ended                    bool          // it was so, and is no longer
	Corrects                 string        // the value that it says was wrong, or is given up
	Amends                   string        // the content of the earlier statement whose date it puts right
	Ends                     string        // a person with whom the subject is no couple any more
	Changed                  bool          // it says that what its slot names is otherwise than before
	Shared                   bool          // said of "we": true of those who speak together
	Defining                 bool
	Start, End               int // the evidence: bytes of Input.Text, plus Base
	ContextStart, ContextEnd int // the sentences around it, for defining statements
	Tags                     []string
	Entities                 []string
	Extractor                string // what drew it, by name and version
	Requested                bool   // the text asks to remember it
	Quarantined              bool   // the text it comes from also gives orders: never to be promoted without review
	Candidate                bool   // it is not sure to be worth keeping: kept for a review
}

// Memory is the statement as a memory, without an id, place or sources; said is when its message was written. Predicate, ending, correction and
// the time of
// the evidence stand in the metadata under the keys that package merge reads.
func (st *Statement) Memory(said time.Time) lukasa.Memory {
	m := lukasa.Memory{
		Kind: st.Kind, Content: st.Content, Slot: st.Slot, Value: st.Value, Subject: st.Subject, Confidence: st.Confidence,
		Tags:     slices.Clone(st.Tags),
		Entities: slices.Clone(st.Entities), Extractor: st.Extractor, IsLatest: true, OccurredAt: known(st.OccurredAt),
		ValidFrom: known(st.ValidFrom), ValidTo: known(st.ValidTo),
		Metadata: map[string]any{},
	}
	if !said.IsZero() {
		m.Metadata[KeySaidAt] = said.UTC().Format(time.RFC3339Nano)
	}
	if st.Predicate != "" {
		m.Metadata[KeyPredicate] = st.Predicate
	}
	if st.Ended {
		m.Metadata[KeyEnded] = true
	}
	if st.Corrects != "" {
		m.Metadata[KeyCorrects] = st.Corrects
	}
	if st.Amends != "" {
		m.Metadata[KeyAmends] = st.Amends
	}
	if st.Ends != "" {
		m.Metadata[KeyEnds] = st.Ends
	}
	if st.Shared {
		m.Metadata[KeyShared] = true
	}
	if st.Changed {
		m.Metadata[KeyChanged] = true
	}
	switch {
	case st.Quarantined:
		m.State = lukasa.MemoryQuarantined
	case st.Candidate:
		m.State = lukasa.MemoryCandidate
	}
	return m
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// A Triple ties two entities: Freja, sister of, Maya's. Its parts are names as they were written; the kinds tell what they stand for, "" when
// that is not known.
type Triple struct {
	From, Relation, To string
	FromKind, ToKind   lexis.EntityType
	Ended              bool
}

// Triple is the statement as a relation between two entities; false when it is none: its subject or its value is not named, or the predicate ties
// nothing.
// "Freja is Maya's sister" is Maya, sister, Freja: Maya's sister is Freja.
func (st *Statement) Triple() (Triple, bool) {
	_, isRelation := lexis.Relations[strings.ReplaceAll(st.Predicate, "_", " ")]
	kind := ValueKinds[st.Predicate]
	switch {
	case st.Predicate == "spouse" || st.Predicate == "partner" || st.Predicate == "fiance" || isRelation:
		kind = lexis.EntityPerson
	case st.Predicate == "has_pet":
		kind = lexis.EntityOther
	}
	if kind == "" || st.Subject == "" || st.Value == "" || !unicode.IsUpper(firstRune(st.Value)) || st.Corrects != "" &&
		strings.EqualFold(st.Corrects, st.Value) {
		return Triple{}, false
	}
	from := lexis.EntityPerson
	if st.Predicate == "located_in" {
		from = ""
	}
	return Triple{From: st.Subject, Relation: st.Predicate, To: st.Value, FromKind: from, ToKind: kind, Ended: st.Ended}, true
}

// ValueKinds tells by its predicate what the value of a statement is.
var ValueKinds = map[string]lexis.EntityType{
	"works_at": lexis.EntityOrganisation, "studies_at": lexis.EntityOrganisation, "member_of": lexis.EntityOrganisation,
	"lives_in": lexis.EntityPlace, "from": lexis.EntityPlace,
	"born_in": lexis.EntityPlace, "located_in": lexis.EntityPlace, "uses": lexis.EntityProduct, "drives": lexis.EntityProduct,
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// Named are the names in the statement's own words, its subject first.
func (st *Statement) Named() []string {
	var out []string
	add := func(name string) {
		if slices.Contains(out, name) {
			return
		}
		if name != "" && len(out) < 8 {
			out = append(out, name)
		}
	}
	if st.Subject != "" && st.Subject != "user" && !strings.Contains(st.Subject, "'s ") && strings.ToLower(st.Subject) != st.Subject {
		add(st.Subject)
	}
	s := st.Content
	toks := lexis.Lex(nil, s, 0, len(s))
	for _, n := range lexis.Names(s, toks) {
		if n.Sure || n.Type == lexis.EntityPerson || n.Type == lexis.EntityPlace {
			add(lexis.PlainName(s, toks, n))
		}
	}
	return out
}

// Relates reports whether a statement gives a person's name as its value.
func (st *Statement) Relates() bool {
	_, isRelation := lexis.Relations[strings.ReplaceAll(st.Predicate, "_", " ")]
	return (isRelation || st.Predicate == "name" || st.Predicate == "has_pet") && st.Value != "" && unicode.IsUpper(firstRune(st.Value))
}

// Trust lowers confidence for what no user said.
func Trust(o lukasa.Origin) float64 {
	switch o {
	case lukasa.OriginAgent, lukasa.OriginImport, lukasa.OriginFile:
		return 0.9
	case lukasa.OriginTool, lukasa.OriginWeb:
		return 0.7
	}
	return 1
}
