package api

import (
	"cmp"

	"github.com/lukasa-memory/lukasa"
)

// AnyID returns an error that names the field, unless s is an id, of whatever kind.
func AnyID(field, s string) error {
	p := lukasa.ID(s).Prefix()
	if _, err := lukasa.ParseID(cmp.Or(p, "id"), s); p != "" && err == nil {
		return nil
	}
	return lukasa.Invalid(field, "%.80q is not the id of a record, like mem_… or doc_…", s)
}

// MaybeID is [AnyID] for what may be left out.
func MaybeID(field, s string) error {
	if s == "" {
		return nil
	}
	return AnyID(field, s)
}
