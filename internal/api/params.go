package api

import (
	"errors"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// List reads what stands between commas.
func List(s string) []string {
	var out []string
	for x := range strings.SplitSeq(s, ",") {
		if x = strings.TrimSpace(x); x != "" {
			out = append(out, x)
		}
	}
	return out
}

// Places reads containers.
func Places(containers []string, inherit bool) ([]lukasa.Pattern, error) {
	var out []lukasa.Pattern
	for _, c := range containers {
		if c == "" {
			continue
		}
		p, err := lukasa.ParsePattern(c, inherit)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// PlacesAt reads the containers and the moment of a list.
func PlacesAt(containers, asOf string) ([]lukasa.Pattern, time.Time, error) {
	pats, err := Places(List(containers), false)
	if err != nil {
		return nil, time.Time{}, err
	}
	at, err := Instant("as_of", asOf)
	return pats, at, err
}

// EdgeTypes reads a list of types of edges.
func EdgeTypes(s string) []lukasa.EdgeType {
	var out []lukasa.EdgeType
	for _, t := range List(s) {
		out = append(out, lukasa.EdgeType(t))
	}
	return out
}

// ID reads the id of a record of a kind that a field of a request names; see [lukasa.ParseID].
func ID(field string, kind lukasa.Prefix, s string) (lukasa.ID, error) {
	id, err := lukasa.ParseID(kind, s)
	if wrong, ok := errors.AsType[*lukasa.Error](err); ok {
		wrong.Field = field
	}
	return id, err
}

// Instant reads a time of an address; "" is the zero time, which stands for now.
func Instant(field, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := lukasa.ParseTime(s)
	if err != nil { // the + of an offset stands for a blank in an address
		t, err = lukasa.ParseTime(strings.Replace(s, " ", "+", 1))
	}
	if err != nil {
		return t, &lukasa.Error{Code: lukasa.CodeInvalid, Field: field, Msg: "is not an ISO 8601 date or time", Hint: lukasa.TimeForms}
	}
	return t.UTC(), nil
}

// Since is Instant of a time that may be missing; nil for "".
func Since(field, s string) (*time.Time, error) {
	t, err := Instant(field, s)
	if err != nil || t.IsZero() {
		return nil, err
	}
	return &t, nil
}
