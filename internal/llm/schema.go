package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// Schema is a parsed JSON Schema of the subset that all vendors decode to. Make it with [ParseSchema]. It does not change.
type Schema struct {
	types      []string // none: any
	properties map[string]*Schema
	required   []string
	items      *Schema
	enum       []any
	closed     bool    // no further properties
	additional *Schema // what further properties must fit; nil: anything
}

const (
	maxSchemaDepth = 32
	maxProblems    = 5
)

// schemaTypes are JSON Schema's types.
var schemaTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// ParseSchema reads a JSON Schema made of type, properties, required, items, enum and additionalProperties, with $schema, title and
// description as notes. Every other keyword is an error of code invalid, since it would be promised and not checked.
//
// A vendor that decodes strictly wants more, see [Schema.Closed] and [Schema.Strict].
func ParseSchema(raw json.RawMessage) (*Schema, error) {
	s, err := parseSchema(raw, "$", 0)
	if err != nil {
		return nil, lukasa.Invalid("schema", "%v", err)
	}
	return s, nil
}

func parseSchema(raw json.RawMessage, at string, depth int) (*Schema, error) {
	if depth > maxSchemaDepth {
		return nil, fmt.Errorf("%s is more than %d levels deep", at, maxSchemaDepth)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("%s is not a JSON object", at)
	}
	s := &Schema{}
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		if err := s.keyword(k, fields[k], at, depth); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Schema) keyword(k string, v json.RawMessage, at string, depth int) (err error) {
	switch k {
	case "$schema", "title", "description":
		return nil
	case "type":
		s.types, err = parseTypes(v)
	case "properties":
		var fields map[string]json.RawMessage
		if err = json.Unmarshal(v, &fields); err != nil {
			break
		}
		s.properties = make(map[string]*Schema, len(fields))
		for name, f := range fields {
			if s.properties[name], err = parseSchema(f, at+"."+name, depth+1); err != nil {
				return err
			}
		}
	case "required":
		err = json.Unmarshal(v, &s.required)
	case "items":
		s.items, err = parseSchema(v, at+"[]", depth+1)
		return err
	case "enum":
		if err = json.Unmarshal(v, &s.enum); err == nil && len(s.enum) == 0 {
			err = fmt.Errorf("nothing to choose from")
		}
	case "additionalProperties":
		var open bool
		if json.Unmarshal(v, &open) == nil {
			s.closed = !open
			return nil
		}
		s.additional, err = parseSchema(v, at+".*", depth+1)
		return err
	default:
		return fmt.Errorf("%s has the keyword %q, which is not checked here", at, k)
	}
	if err != nil {
		return fmt.Errorf("%s has a %s that cannot be read: %w", at, k, err)
	}
	return nil
}

// parseTypes reads a type or a list of them.
func parseTypes(v json.RawMessage) ([]string, error) {
	var types []string
	var one string
	if err := json.Unmarshal(v, &one); err == nil {
		types = []string{one}
	} else if err := json.Unmarshal(v, &types); err != nil {
		return nil, err
	}
	if len(types) == 0 {
		return nil, fmt.Errorf("no type")
	}
	for _, t := range types {
		if !slices.Contains(schemaTypes, t) {
			return nil, fmt.Errorf("%q is no type", t)
		}
	}
	return types, nil
}

// Closed reports whether every object in the schema forbids further properties.
func (s *Schema) Closed() bool { return s.every(func(o *Schema) bool { return o.closed }) }

// Strict reports whether every object in the schema forbids further properties and requires all that it has.
func (s *Schema) Strict() bool {
	return s.every(func(o *Schema) bool {
		for name := range o.properties {
			if !slices.Contains(o.required, name) {
				return false
			}
		}
		return o.closed
	})
}

// every reports whether ok holds for all parts of the schema that may be objects. A part without a type may be one.
func (s *Schema) every(ok func(*Schema) bool) bool {
	if s == nil {
		return true
	}
	if (len(s.types) == 0 && s.enum == nil || slices.Contains(s.types, "object")) && !ok(s) {
		return false
	}
	for _, p := range s.properties {
		if !p.every(ok) {
			return false
		}
	}
	return s.items.every(ok) && s.additional.every(ok)
}

// Check reports what is wrong with doc, a JSON text: an error with at most five problems and where they are, in words that a model
// can act on. Property names are quoted from doc, values are not.
func (s *Schema) Check(doc []byte) error {
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		return fmt.Errorf("not valid JSON: %w", err)
	}
	var p problems
	s.check(v, "$", &p)
	if len(p) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(p, "; "))
}

type problems []string

func (p *problems) add(format string, args ...any) {
	if len(*p) < maxProblems {
		*p = append(*p, fmt.Sprintf(format, args...))
	}
}

func (s *Schema) check(v any, at string, p *problems) {
	if len(*p) >= maxProblems {
		return
	}
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return isType(v, t) }) {
		p.add("%s must be %s", at, strings.Join(s.types, " or "))
		return
	}
	if s.enum != nil && !slices.ContainsFunc(s.enum, func(e any) bool { return reflect.DeepEqual(e, v) }) {
		choices, _ := json.Marshal(s.enum) // it was read from JSON
		p.add("%s must be one of %s", at, choices)
	}
	switch v := v.(type) {
	case map[string]any:
		s.checkObject(v, at, p)
	case []any:
		if s.items == nil {
			return
		}
		for i, e := range v {
			s.items.check(e, fmt.Sprintf("%s[%d]", at, i), p)
		}
	}
}

func (s *Schema) checkObject(v map[string]any, at string, p *problems) {
	for _, name := range s.required {
		if _, ok := v[name]; !ok {
			p.add("%s lacks the property %q", at, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch sub := s.properties[name]; {
		case sub != nil:
			sub.check(v[name], at+"."+name, p)
		case s.closed:
			p.add("%s has the property %.40q, which it may not have", at, name)
		case s.additional != nil:
			s.additional.check(v[name], fmt.Sprintf("%s[%.40q]", at, name), p)
		}
	}
}

func isType(v any, t string) bool {
	switch v := v.(type) {
	case map[string]any:
		return t == "object"
	case []any:
		return t == "array"
	case string:
		return t == "string"
	case bool:
		return t == "boolean"
	case float64:
		return t == "number" || t == "integer" && v == math.Trunc(v)
	case nil:
		return t == "null"
	}
	return false
}

// plainJSON takes an answer out of the Markdown fence that models like to put around JSON, and trims it.
func plainJSON(text string) []byte {
	b := bytes.TrimSpace([]byte(text))
	inner, ok := bytes.CutPrefix(b, []byte("```"))
	if !ok {
		return b
	}
	inner, ok = bytes.CutSuffix(inner, []byte("```"))
	if !ok {
		return b
	}
	return bytes.TrimSpace(bytes.TrimPrefix(inner, []byte("json")))
}
