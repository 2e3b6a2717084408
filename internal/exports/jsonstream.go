package exports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Stream reads a JSON file token by token and its elements one at a time, so that a file of any size needs the memory of its
// largest element.
type Stream struct {
	dec   *json.Decoder
	meter *Meter
}

// Meter stops a reader that has given more than most bytes since it was last reset.
type Meter struct {
	r          io.Reader
	left, most int64
}

// NewMeter returns a meter over r.
func NewMeter(r io.Reader, most int64) *Meter { return &Meter{r: r, left: most, most: most} }

// Reset begins to count anew.
func (m *Meter) Reset() { m.left = m.most }

func (m *Meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, fmt.Errorf("one element is over %d MiB", m.most>>20)
	}
	n, err := m.r.Read(p)
	m.left -= int64(n)
	return n, err
}

// stream opens a JSON file.
func (s *Source) stream(f File) (*Stream, io.Closer, error) {
	r, err := f.Open()
	if err != nil {
		return nil, nil, err
	}
	m := NewMeter(UTF8Reader(r), s.Limits.Item)
	return &Stream{dec: json.NewDecoder(m), meter: m}, r, nil
}

// Decode reads one value. A field of the wrong type is an error of this value alone: the stream goes on. Any other error has
// to end the reading of the file.
func (s *Stream) Decode(v any) error {
	s.meter.Reset()
	return s.dec.Decode(v)
}

func (s *Stream) token() (json.Token, error) {
	s.meter.Reset()
	t, err := s.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return t, err
}

// IsMisfit reports whether the error is about one value only.
func IsMisfit(err error) bool {
	_, ok := errors.AsType[*json.UnmarshalTypeError](err)
	return ok
}

// plain says of a value that does not fit what it is and what should be there, in words that are not Go's.
func plain(err error) error {
	misfit, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	wanted := "another value"
	switch misfit.Type.Kind() {
	case reflect.Struct, reflect.Map:
		wanted = "an object"
	case reflect.Slice, reflect.Array:
		wanted = "a list"
	case reflect.String:
		wanted = "a text"
	case reflect.Bool:
		wanted = "true or false"
	case reflect.Int, reflect.Int64, reflect.Float64:
		wanted = "a number"
	}
	found, _, _ := strings.Cut(misfit.Value, " ") // "number 1.5"
	found = map[string]string{"array": "a list", "string": "a text", "object": "an object", "number": "a number", "bool": "true or false"}[found]
	if found == "" {
		found = "something else"
	}
	if misfit.Field == "" {
		return fmt.Errorf("is %s where %s should be", found, wanted)
	}
	return fmt.Errorf("%s is %s where %s should be", misfit.Field, found, wanted)
}

// Object calls on for each key of the object that comes next; on has to read the value.
func (s *Stream) Object(on func(key string) error) error {
	if err := s.open('{'); err != nil {
		return err
	}
	for s.dec.More() {
		t, err := s.token()
		if err != nil {
			return s.At(err)
		}
		key, _ := t.(string)
		if err := on(key); err != nil {
			return err
		}
	}
	_, err := s.token()
	return s.At(err)
}

// Array calls on for each element of the array that comes next; on has to read the element. null is an empty array.
func (s *Stream) Array(on func(i int) error) error {
	if err := s.open('['); err != nil {
		if errors.Is(err, errNull) {
			return nil
		}
		return err
	}
	for i := 0; s.dec.More(); i++ {
		if err := on(i); err != nil {
			return err
		}
	}
	_, err := s.token()
	return s.At(err)
}

var errNull = errors.New("is null")

func (s *Stream) open(want json.Delim) error {
	t, err := s.token()
	switch {
	case err != nil:
		return s.At(err)
	case t == nil:
		return errNull
	case t != want:
		return s.At(fmt.Errorf("is %s where %s should be", shape(t), shape(want)))
	}
	return nil
}

// shape says what begins with a token.
func shape(t json.Token) string {
	switch t.(type) {
	case json.Delim:
		if t == json.Delim('[') {
			return "a list"
		}
		return "an object"
	case string:
		return "a text"
	case bool:
		return "true or false"
	}
	return "a number"
}

// Skip reads a value and forgets it.
func (s *Stream) Skip() error {
	const deepest = 1000
	for depth := 0; ; {
		t, err := s.token()
		if err != nil {
			return s.At(err)
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth > deepest {
			return s.At(errors.New("is nested too deeply"))
		}
	}
}

// At adds the place in the file to an error.
func (s *Stream) At(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("at byte %d: %w", s.dec.InputOffset(), err)
}

// Elements decodes each element of the array that comes next into a fresh T. A field that does not fit is reported under its place,
// and the element is taken without it; an element that does not fit as a whole is passed over.
func Elements[T any](r *Reading, s *Stream, where string, each func(i int, where string, v *T)) error {
	return s.Array(func(i int) error {
		if r.Over() {
			return errStop
		}
		at := where + " #" + strconv.Itoa(i+1)
		v := new(T)
		err := s.Decode(v)
		if err != nil && !IsMisfit(err) {
			return s.At(err)
		}
		if r.Fits(at, v, err) {
			each(i, at, v)
		}
		return nil
	})
}

// Fits reports what of a value did not fit when it was decoded with an error or without, and whether what is left of it can be taken.
func (r *Reading) Fits(where string, v any, err error) bool {
	if err == nil {
		if path, what := odd(reflect.ValueOf(v)); what != "" {
			r.Fail(where, fmt.Errorf("%s is %s", strings.TrimPrefix(path, "."), what))
		}
		return true
	}
	r.Fail(where, err)
	misfit, ok := errors.AsType[*json.UnmarshalTypeError](err)
	return ok && misfit.Field != ""
}

// odd finds the first [Moment] or [Words] in a value that was something else in the JSON. It is found afterwards, as an error would
// end the decoding of all that stands behind it.
func odd(v reflect.Value) (path, what string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return odd(v.Elem())
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k != reflect.Struct && k != reflect.Pointer {
			return "", ""
		}
		for i := range v.Len() {
			if path, what = odd(v.Index(i)); what != "" {
				return path, what
			}
		}
	case reflect.Map:
		if v.Type().Elem().Kind() != reflect.Struct {
			return "", ""
		}
		for _, e := range v.Seq2() {
			if path, what = odd(e); what != "" {
				return path, what
			}
		}
	case reflect.Struct:
		switch t := v.Type(); {
		case t == reflect.TypeFor[time.Time]():
			return "", ""
		case t == reflect.TypeFor[Moment]() && v.CanInterface():
			return "", v.Interface().(Moment).odd
		case t == reflect.TypeFor[Words]() && v.CanInterface():
			return "", v.Interface().(Words).odd
		}
		for i := range v.NumField() {
			if path, what = odd(v.Field(i)); what == "" {
				continue
			}
			f := v.Type().Field(i)
			if f.Anonymous {
				return path, what
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return "." + Either(name, f.Name) + path, what
		}
	}
	return "", ""
}

// errStop unwinds a stream whose reader has enough.
var errStop = errors.New("stopped")

// JSON opens a JSON file and hands its stream to read; what goes wrong is reported under the file's name.
func (r *Reading) JSON(f File, read func(s *Stream) error) {
	if r.Over() {
		return
	}
	s, c, err := r.Source.stream(f)
	if err != nil {
		r.Fail(f.Name, err)
		return
	}
	defer c.Close()
	if err := read(s); err != nil && !errors.Is(err, errStop) {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			err = fmt.Errorf("the file is cut off (%w): export it again", err)
			if s.dec.InputOffset() == 0 && f.Size == 0 {
				err = errors.New("the file is empty: export it again")
			}
		} else if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			err = fmt.Errorf("%w; what comes after it was not read: export it again, or mend it there", err)
		}
		r.Fail(f.Name, err)
	}
}

// LoadJSON reads a whole JSON file into v; it reports and returns false when it cannot. A misfit value leaves what fits.
func (r *Reading) LoadJSON(f File, v any) bool {
	ok := false
	r.JSON(f, func(s *Stream) error {
		s.meter.most = r.Source.Limits.File
		err := s.Decode(v)
		if err != nil && !IsMisfit(err) {
			return err
		}
		ok = true
		r.Fits(f.Name, v, err)
		return nil
	})
	return ok
}

// Scalar is a string that may be written as a number or a boolean.
type Scalar string

// UnmarshalJSON takes any value that is no list and no object.
func (s *Scalar) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) > 0 && b[0] == '"':
		var v string
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
		*s = Scalar(v)
	case bytes.Equal(b, []byte("null")), len(b) > 0 && (b[0] == '{' || b[0] == '['):
		*s = ""
	default:
		*s = Scalar(b)
	}
	return nil
}

// Words is a [Scalar] that somebody wrote: [Reading.Fits] reports a list or an object in its place, and does not take it for nothing.
type Words struct {
	Scalar
	odd string
}

// UnmarshalJSON takes what a [Scalar] takes.
func (w *Words) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '{':
		w.odd = "an object where a text should be"
	case '[':
		w.odd = "a list where a text should be"
	}
	return w.Scalar.UnmarshalJSON(b)
}

// Moment is a time written as a number of seconds since 1970 or as a string; zero when there is none.
type Moment struct {
	time.Time
	odd string
}

// UnmarshalJSON never fails: what is no time is the zero time, which [Reading.Fits] reports unless it is a way to write that there is none.
func (m *Moment) UnmarshalJSON(b []byte) error {
	var s Scalar
	_ = s.UnmarshalJSON(b)
	m.Time = ParseTime(string(s), time.UTC)
	if m.IsZero() && !noTime(string(s)) || b[0] == '{' || b[0] == '[' {
		m.odd = Clip(string(b), 40) + noDate
	}
	return nil
}

const noDate = ", which is no date that is known; it is kept without one"

// Time reads the time of a field as [ParseTime] does, in the zone of the options. One that is none is reported.
func (r *Reading) Time(where, field, s string) time.Time {
	t := ParseTime(s, r.Options.Zone)
	if t.IsZero() && !noTime(s) {
		r.Fail(where, fmt.Errorf("%s is %q%s", field, Clip(s, 40), noDate))
	}
	return t
}

// noTime reports whether s is what programs write where there is no time: blank, zeros, a number below one, or the first year of all.
func noTime(s string) bool {
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f < 1
	}
	return strings.Trim(s, " 0-:./TZ+") == "" || strings.HasPrefix(s, "0001-01-01") || s == "false" || strings.EqualFold(s, "null") || strings.EqualFold(s, "none")
}

// ParseTime reads seconds, milliseconds or microseconds since 1970, or one of the layouts of timeLayouts.
func ParseTime(s string, zone *time.Location) time.Time {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && len(s) > 6 {
		return epoch(f)
	}
	for _, layout := range timeLayouts {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 {
			return t
		}
	}
	return time.Time{}
}

// epoch turns a number of seconds since 1970 into a time, to the microsecond; a larger number is one of milli- or microseconds.
// The first second of 1970 is "none" in every export seen.
func epoch(f float64) time.Time {
	if !(f >= 1 && f < 1e17) { // not a number is neither
		return time.Time{}
	}
	for f > 1e11 {
		f /= 1000
	}
	return time.UnixMicro(int64(f*1e6 + 0.5)).UTC()
}

var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700",
	"2006-01-02 15:04:05.999999999 MST", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02", "20060102T150405Z0700", "20060102T150405", "January 2, 2006 3:04 PM", "January 2, 2006 15:04", "January 2, 2006", "02/01/2006 15:04",
	"02/01/2006",
}
