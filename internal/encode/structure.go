package encode

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// field is one member of the object that a struct is written as.
type field struct {
	at     []int  // the way to it, through what is embedded
	name   string // as it stands in tag or declaration
	tagged bool

	head      string // "name":, in JSON
	omitEmpty bool
	omitZero  bool
	plan      plan
}

// structure writes the fields of a struct, or has encoding/json do it where they are embedded or tagged in ways that are seldom.
func (e *Encoder) structure(t reflect.Type) plan {
	all, ok := fieldsOf(t, nil)
	if !ok {
		return writeForeign
	}
	fields := visible(all)
	for i := range fields {
		f := &fields[i]
		w := writer{Encoder: e}
		w.text(f.name)
		f.head = string(w.b) + ":"
		f.plan = e.plan(t.FieldByIndex(f.at).Type)
	}
	return func(w *writer, v reflect.Value) {
		w.b = append(w.b, '{')
		first := true
		for i := range fields {
			f := &fields[i]
			x := v
			for _, k := range f.at {
				x = x.Field(k)
			}
			if f.omitEmpty && isEmpty(x) || f.omitZero && isZero(x) {
				continue
			}
			if !first {
				w.b = append(w.b, ',')
			}
			first = false
			w.b = append(w.b, f.head...)
			f.plan(w, x)
		}
		w.b = append(w.b, '}')
	}
}

// fieldsOf lists the fields of a struct and of what is embedded in it, in their order; ok is false for what is seldom.
func fieldsOf(t reflect.Type, way []int) (fields []field, ok bool) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Tag.Get("json") == "-" || !sf.IsExported() && !sf.Anonymous {
			continue
		}
		f := field{at: append(slices.Clone(way), i), name: cmp.Or(name, sf.Name), tagged: name != ""}
		for o := range strings.SplitSeq(options, ",") {
			switch o {
			case "omitempty":
				f.omitEmpty = true
			case "omitzero":
				f.omitZero = true
			case "string":
				return nil, false
			}
		}
		if strings.ContainsFunc(name, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return nil, false
		}
		if f.omitZero && sf.Type != timeType && hasOpinion(sf.Type) {
			return nil, false
		}
		if sf.Anonymous && name == "" {
			if sf.Type.Kind() != reflect.Struct || sf.Type == timeType || writesItself(sf.Type) {
				return nil, false
			}
			more, ok := fieldsOf(sf.Type, f.at)
			if !ok {
				return nil, false
			}
			fields = append(fields, more...)
			continue
		}
		if !sf.IsExported() {
			return nil, false
		}
		fields = append(fields, f)
	}
	return fields, true
}

// visible leaves out the fields that others of their name hide: the one that is embedded least deep counts, of these the one that a tag
// names, and none where there are still several.
func visible(all []field) []field {
	worse := func(a, b *field) bool {
		return len(a.at) > len(b.at) || len(a.at) == len(b.at) && !a.tagged && b.tagged
	}
	return slices.DeleteFunc(slices.Clone(all), func(f field) bool {
		return slices.ContainsFunc(all, func(o field) bool {
			return o.name == f.name && !slices.Equal(o.at, f.at) && !worse(&o, &f)
		})
	})
}

// hasOpinion reports whether a type, or a pointer to it, says itself what is zero.
func hasOpinion(t reflect.Type) bool {
	_, itself := t.MethodByName("IsZero")
	_, pointed := reflect.PointerTo(t).MethodByName("IsZero")
	return itself || pointed
}

// isZero is what omitzero asks.
func isZero(v reflect.Value) bool {
	if v.Type() == timeType {
		t, _ := reflect.TypeAssert[time.Time](v)
		return t.IsZero()
	}
	return v.IsZero()
}

// isEmpty is what omitempty asks.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
