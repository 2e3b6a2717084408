// Package encode writes values as JSON: the very bytes that encoding/json writes, in half the time.
//
// How a type is written is worked out once. What is rare, like types that write themselves, is left to encoding/json.
package encode

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Encoder writes values. It is safe for concurrent use, and knows the types that it has written, so it is to be kept.
type Encoder struct {
	html    bool
	plans   sync.Map // of plan, by reflect.Type
	writers sync.Pool
}

// New makes an encoder. With html, the characters &, < and > are escaped, as [json.Marshal] does it.
func New(html bool) *Encoder { return &Encoder{html: html} }

// Append appends a value. The error is of the kinds that [json.Marshal] returns; b is then of no use.
func (e *Encoder) Append(b []byte, v any) ([]byte, error) {
	w, _ := e.writers.Get().(*writer)
	if w == nil {
		w = &writer{Encoder: e}
	}
	w.b = b
	w.any(v)
	b, err := w.b, w.err
	clear(w.floats[:cap(w.floats)])
	clear(w.things[:cap(w.things)])
	*w = writer{Encoder: e, floats: w.floats[:0], things: w.things[:0]}
	e.writers.Put(w)
	return b, err
}

// writer writes one value.
type writer struct {
	*Encoder
	b     []byte
	err   error // the first one
	depth int

	floats []float64At // of the maps that are being written
	things []thingAt
}

type float64At struct {
	key string
	v   float64
}

type thingAt struct {
	key string
	v   any
}

// plan writes values of one type.
type plan func(w *writer, v reflect.Value)

// deepest is how far values may nest: what is deeper holds itself.
const deepest = 1000

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// deeper goes one level down, and reports whether there is anything to write there. Its caller says when it is up again.
func (w *writer) deeper() bool {
	if w.depth++; w.depth > deepest {
		w.fail(errors.New("encode: the value holds itself"))
	}
	return w.err == nil
}

// any writes a value of any type.
func (w *writer) any(v any) {
	switch x := v.(type) {
	case nil:
		w.b = append(w.b, "null"...)
	case string:
		w.text(x)
	case bool:
		w.b = strconv.AppendBool(w.b, x)
	case float64:
		w.float(x, 64)
	case map[string]any:
		w.object(x)
	default:
		r := reflect.ValueOf(v)
		w.plan(r.Type())(w, r)
	}
}

var (
	timeType      = reflect.TypeFor[time.Time]()
	numberType    = reflect.TypeFor[json.Number]()
	floatsType    = reflect.TypeFor[map[string]float64]()
	objectType    = reflect.TypeFor[map[string]any]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
	textType      = reflect.TypeFor[encoding.TextMarshaler]()
)

// plan returns how a type is written. A type that holds itself finds its own plan before that is made.
func (e *Encoder) plan(t reflect.Type) plan {
	if p, ok := e.plans.Load(t); ok {
		return p.(plan)
	}
	var made plan
	var done sync.WaitGroup
	done.Add(1)
	p, there := e.plans.LoadOrStore(t, plan(func(w *writer, v reflect.Value) {
		done.Wait()
		made(w, v)
	}))
	if there {
		return p.(plan)
	}
	made = e.make(t)
	done.Done()
	e.plans.Store(t, made)
	return made
}

func (e *Encoder) make(t reflect.Type) plan {
	if t == timeType {
		return writeTime
	}
	if t == numberType || writesItself(t) {
		return writeForeign
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(w *writer, v reflect.Value) { w.b = strconv.AppendBool(w.b, v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(w *writer, v reflect.Value) { w.b = strconv.AppendInt(w.b, v.Int(), 10) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(w *writer, v reflect.Value) { w.b = strconv.AppendUint(w.b, v.Uint(), 10) }
	case reflect.Float32, reflect.Float64:
		size := t.Bits()
		return func(w *writer, v reflect.Value) { w.float(v.Float(), size) }
	case reflect.String:
		return func(w *writer, v reflect.Value) { w.text(v.String()) }
	case reflect.Interface:
		return func(w *writer, v reflect.Value) {
			if v.IsNil() {
				w.b = append(w.b, "null"...)
				return
			}
			v = v.Elem()
			w.plan(v.Type())(w, v)
		}
	case reflect.Pointer:
		return e.pointer(t)
	case reflect.Slice, reflect.Array:
		return e.list(t)
	case reflect.Map:
		return e.mapping(t)
	case reflect.Struct:
		return e.structure(t)
	}
	return writeForeign // which says what is wrong with it
}

// writesItself reports whether a type, or a pointer to it, says how it is written.
func writesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t.Kind() != reflect.Interface && (p.Implements(marshalerType) || p.Implements(textType))
}

func writeForeign(w *writer, v reflect.Value) {
	x := v.Interface()
	if v.CanAddr() {
		x = v.Addr().Interface()
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(w.html)
	if err := enc.Encode(x); err != nil {
		w.fail(err)
		return
	}
	w.b = append(w.b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// writeTime writes a time that RFC 3339 has a way to write.
func writeTime(w *writer, v reflect.Value) {
	t, _ := reflect.TypeAssert[time.Time](v)
	if _, east := t.Zone(); east%60 != 0 || east <= -24*3600 || east >= 24*3600 || t.Year() < 0 || t.Year() > 9999 {
		writeForeign(w, v)
		return
	}
	w.b = append(w.b, '"')
	w.b = t.AppendFormat(w.b, time.RFC3339Nano)
	w.b = append(w.b, '"')
}

func (e *Encoder) pointer(t reflect.Type) plan {
	elem := e.plan(t.Elem())
	return func(w *writer, v reflect.Value) {
		if v.IsNil() {
			w.b = append(w.b, "null"...)
			return
		}
		if w.deeper() {
			elem(w, v.Elem())
		}
		w.depth--
	}
}

func (e *Encoder) list(t reflect.Type) plan {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return writeForeign // in base64
	}
	elem := e.plan(t.Elem())
	slice := t.Kind() == reflect.Slice
	return func(w *writer, v reflect.Value) {
		if slice && v.IsNil() {
			w.b = append(w.b, "null"...)
			return
		}
		w.b = append(w.b, '[')
		if w.deeper() {
			for i := range v.Len() {
				if i > 0 {
					w.b = append(w.b, ',')
				}
				elem(w, v.Index(i))
			}
		}
		w.depth--
		w.b = append(w.b, ']')
	}
}

func (e *Encoder) mapping(t reflect.Type) plan {
	switch {
	case t.Key().Kind() != reflect.String || writesItself(t.Key()):
		return writeForeign
	case t == floatsType:
		return func(w *writer, v reflect.Value) { w.numbers(v.Interface().(map[string]float64)) }
	case t == objectType:
		return func(w *writer, v reflect.Value) { w.object(v.Interface().(map[string]any)) }
	}
	elem := e.plan(t.Elem())
	return func(w *writer, v reflect.Value) {
		if v.IsNil() {
			w.b = append(w.b, "null"...)
			return
		}
		w.b = append(w.b, '{')
		if w.deeper() {
			keys := v.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for i, k := range keys {
				w.key(i, k.String())
				elem(w, v.MapIndex(k))
			}
		}
		w.depth--
		w.b = append(w.b, '}')
	}
}

// key writes the name of the i-th member of an object.
func (w *writer) key(i int, name string) {
	if i > 0 {
		w.b = append(w.b, ',')
	}
	w.text(name)
	w.b = append(w.b, ':')
}

func (w *writer) numbers(m map[string]float64) {
	if m == nil {
		w.b = append(w.b, "null"...)
		return
	}
	from := len(w.floats)
	for k, x := range m {
		w.floats = append(w.floats, float64At{k, x})
	}
	all := w.floats[from:]
	slices.SortFunc(all, func(a, b float64At) int { return strings.Compare(a.key, b.key) })
	w.b = append(w.b, '{')
	for i := range all {
		w.key(i, all[i].key)
		w.float(all[i].v, 64)
	}
	w.b = append(w.b, '}')
	w.floats = w.floats[:from]
}

func (w *writer) object(m map[string]any) {
	if m == nil {
		w.b = append(w.b, "null"...)
		return
	}
	w.b = append(w.b, '{')
	if w.deeper() {
		from := len(w.things)
		for k, x := range m {
			w.things = append(w.things, thingAt{k, x})
		}
		to := len(w.things)
		slices.SortFunc(w.things[from:], func(a, b thingAt) int { return strings.Compare(a.key, b.key) })
		for i := from; i < to; i++ { // what is in it may have them moved
			w.key(i-from, w.things[i].key)
			w.any(w.things[i].v)
		}
		w.things = w.things[:from]
	}
	w.depth--
	w.b = append(w.b, '}')
}

// float writes a number as ECMAScript does.
func (w *writer) float(f float64, size int) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		w.fail(&json.UnsupportedValueError{Value: reflect.ValueOf(f), Str: strconv.FormatFloat(f, 'g', -1, size)})
		return
	}
	form := byte('f')
	if a := math.Abs(f); a != 0 {
		if size == 64 && (a < 1e-6 || a >= 1e21) || size == 32 && (float32(a) < 1e-6 || float32(a) >= 1e21) {
			form = 'e'
		}
	}
	w.b = strconv.AppendFloat(w.b, f, form, -1, size)
	if n := len(w.b); form == 'e' && n >= 4 && w.b[n-4] == 'e' && (w.b[n-3] == '-' || w.b[n-3] == '+') && w.b[n-2] == '0' { // e-09
		w.b[n-2] = w.b[n-1]
		w.b = w.b[:n-1]
	}
}
