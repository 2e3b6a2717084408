package rules

import (
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// A Triple ties two entities: Freja, sister of, Maya's. Its parts are names as they were written; the kinds tell what they stand for, "" when that is not known.
type Triple struct {
	From, Relation, To string
	FromKind, ToKind   lexis.EntityType
	Ended              bool
}

// Triple is the statement as a relation between two entities; false when it is none: its subject or its value is not named, or the predicate ties nothing.
// "Freja is Maya's sister" is Maya, sister, Freja: Maya's sister is Freja.
func (st *Statement) Triple() (Triple, bool) {
	_, isRelation := lexis.Relations[strings.ReplaceAll(st.Predicate, "_", " ")]
	kind := valueKinds[st.Predicate]
	switch {
	case st.Predicate == "spouse" || st.Predicate == "partner" || st.Predicate == "fiance" || isRelation:
		kind = lexis.EntityPerson
	case st.Predicate == "has_pet":
		kind = lexis.EntityOther
	}
	if kind == "" || st.Subject == "" || st.Value == "" || !unicode.IsUpper(firstRune(st.Value)) || st.Corrects != "" && strings.EqualFold(st.Corrects, st.Value) {
		return Triple{}, false
	}
	from := lexis.EntityPerson
	if st.Predicate == "located_in" {
		from = ""
	}
	return Triple{From: st.Subject, Relation: st.Predicate, To: st.Value, FromKind: from, ToKind: kind, Ended: st.Ended}, true
}
