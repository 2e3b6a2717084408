package encode_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/encode"
	"github.com/lukasa-memory/lukasa/internal/encode/encodetest"
)

// Inner and Other are embedded side by side, so that some of their names meet.
type Inner struct {
	Name   string `json:"name"`
	Hidden string `json:"hidden"`
	Both   int
	Deep   int `json:"Deeper,omitempty"`
}

type Other struct {
	Both   int
	Tag    string `json:"tagged"`
	Deeper int    // which the tag of another one hides
}

type small struct {
	Promoted string
}

type byValue struct{ N int }

func (b byValue) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]int{"<n>": b.N}) }

type byPointer struct{ N int }

func (b *byPointer) MarshalText() ([]byte, error) { return []byte(strings.Repeat("x", b.N&7)), nil }

type judge struct{ N int }

func (j judge) IsZero() bool { return j.N == 7 }

type tree struct {
	Name     string           `json:"name,omitempty"`
	Children []*tree          `json:"children,omitempty"`
	ByName   map[string]*tree `json:"by_name"`
	Left     *tree            `json:"left,omitempty"`
}

type words string

// zoo has what fields can be.
type zoo struct {
	Inner
	Other
	small
	Hidden   string `json:"hidden"`
	Not      string `json:"-"`
	Odd      string `json:"a b"`
	Bool     bool   `json:",omitempty"`
	Int      int8   `json:"int,omitempty"`
	Uint     uint64
	F32      float32
	F64      float64 `json:"f64,omitempty"`
	Bytes    []byte
	Number   json.Number
	Raw      json.RawMessage `json:"raw,omitempty"`
	Time     time.Time
	Then     *time.Time `json:"then,omitempty"`
	Zero     time.Time  `json:"zero,omitzero"`
	Judge    judge      `json:"judge,omitzero"`
	Plain    Inner      `json:"plain,omitzero"`
	Any      any
	Anys     []any          `json:"anys,omitempty"`
	Map      map[string]any `json:"map,omitempty"`
	Floats   map[string]float64
	Strings  map[words][]string
	Numbered map[int]string
	Array    [2]int
	Value    byValue
	Values   []byValue
	Pointed  byPointer
	Pointer  *byPointer
	Pointers []byPointer
	Words    []words
	Tree     tree
	Duration time.Duration `json:",string"`
	Err      error
}

// What is written is what encoding/json writes, for whatever fields can be.
func TestSame(t *testing.T) {
	encodetest.Types(t, reflect.TypeFor[zoo](), reflect.TypeFor[any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[[]float32](), reflect.TypeFor[tree](),
		reflect.TypeFor[map[string]*zoo](), reflect.TypeFor[[]judge](), reflect.TypeFor[struct{ small }]())
}

func FuzzText(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		f.Add(encodetest.Text(r), r.NormFloat64())
	}
	f.Fuzz(func(t *testing.T, s string, x float64) {
		encodetest.Same(t, map[string]any{s: s, "x": x, "y": float32(x)})
	})
}

// What JSON cannot say is an error, and what comes after it is written as ever.
func TestCannot(t *testing.T) {
	loop := map[string]any{}
	loop["again"] = []any{loop}
	self := &tree{}
	self.Left = self
	long := zoo{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, v := range []any{
		math.NaN(),
		map[string]float64{"x": math.Inf(1)},
		float32(math.Inf(-1)), make(chan int),
		[]any{func() {}},
		map[bool]int{true: 1},
		loop, self, long,
		zoo{Number: "no number"},
		json.RawMessage("{"), complex(1, 1),
	} {
		encodetest.Same(t, v)
		encodetest.Same(t, map[string]any{"a": "b"})
	}
	var unsupported *json.UnsupportedValueError
	if _, err := encode.New(false).Append(nil, []float64{math.NaN()}); !errors.As(err, &unsupported) {
		t.Fatal(err)
	}
}
