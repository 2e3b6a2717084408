package llm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/llmtest"
)

func mustParse(t testing.TB, schema string) *llm.Schema {
	t.Helper()
	s, err := llm.ParseSchema(json.RawMessage(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s
}

// TestSchemaCheck: T-18, what fits and what does not, and in which words.
func TestSchemaCheck(t *testing.T) {
	t.Parallel()
	const tree = `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string","enum":["x","y"]}},"required":["k"],"additionalProperties":false}}}}`
	for _, c := range []struct{ schema, doc, says string }{
		{`{}`, `[1,{"a":null}]`, ""},
		{`{}`, ``, "not valid JSON"},
		{`{}`, `{"a":1`, "not valid JSON"},
		{`{}`, `{} {}`, "not valid JSON"},
		{`{}`, `1e999`, "not valid JSON"},
		{`{"type":"object"}`, `{}`, ""},
		{`{"type":"object"}`, `[]`, "$ must be object"},
		{`{"type":"object"}`, `null`, "$ must be object"},
		{`{"type":"array"}`, `[]`, ""},
		{`{"type":"string"}`, `"a"`, ""},
		{`{"type":"string"}`, `1`, "$ must be string"},
		{`{"type":"boolean"}`, `false`, ""},
		{`{"type":"boolean"}`, `"false"`, "$ must be boolean"},
		{`{"type":"number"}`, `1.5`, ""},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer"}`, `1e3`, ""},
		{`{"type":"integer"}`, `1.5`, "$ must be integer"},
		{`{"type":"integer"}`, `12345678901234567890`, ""},
		{`{"type":["integer","null"]}`, `null`, ""},
		{`{"type":["integer","null"]}`, `"1"`, "$ must be integer or null"},
		{`{"enum":["a",1,null,{"b":[2]}]}`, `{"b":[2.0]}`, ""},
		{`{"enum":["a",1,null]}`, `null`, ""},
		{`{"enum":["a",1]}`, `"b"`, `$ must be one of ["a",1]`},
		{`{"required":["a"]}`, `{"b":1}`, `$ lacks the property "a"`},
		{`{"required":["a"]}`, `7`, ""}, // keywords of objects say nothing about other values
		{`{"additionalProperties":false,"properties":{"a":{}}}`, `{"a":1,"b":1}`, `$ has the property "b", which it may not have`},
		{`{"additionalProperties":true}`, `{"b":1}`, ""},
		{`{"additionalProperties":{"type":"string"},"properties":{"n":{"type":"number"}}}`, `{"n":1,"b":"x"}`, ""},
		{`{"additionalProperties":{"type":"string"}}`, `{"b":1}`, `$["b"] must be string`},
		{`{"items":{"type":"string"}}`, `["a",1,2]`, "$[1] must be string; $[2] must be string"},
		{tree, `{"a":[{"k":"x"},{"k":"z"},{},{"k":"y","l":1}]}`, `$.a[1].k must be one of ["x","y"]; $.a[2] lacks the property "k"; $.a[3] has the property "l"`},
		{`{"items":{"type":"null"}}`, `[1,2,3,4,5,6,7,8]`, "$[4] must be null"},
	} {
		err := mustParse(t, c.schema).Check([]byte(c.doc))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %s: %v, want %q", c.schema, c.doc, err, c.says)
		}
	}
	if err := mustParse(t, `{"items":{"type":"null"}}`).Check([]byte(`[1,2,3,4,5,6,7,8]`)); strings.Contains(err.Error(), "$[5]") {
		t.Errorf("more than five problems: %v", err)
	}
}

func TestParseSchemaRefuses(t *testing.T) {
	t.Parallel()
	for schema, says := range map[string]string{
		``:                                     "not a JSON object",
		`null`:                                 "not a JSON object",
		`true`:                                 "not a JSON object",
		`{"type":"int"}`:                       `"int" is no type`,
		`{"type":[]}`:                          "no type",
		`{"type":7}`:                           "$ has a type",
		`{"enum":[]}`:                          "nothing to choose from",
		`{"required":"a"}`:                     "$ has a required",
		`{"properties":[]}`:                    "$ has a properties",
		`{"properties":{"a":{"pattern":"x"}}}`: `$.a has the keyword "pattern"`,
		`{"items":{"minimum":1}}`:              `$[] has the keyword "minimum"`,
		`{"additionalProperties":7}`:           "$.* is not a JSON object",
		`{"$ref":"#/x"}`:                       `"$ref"`,
		strings.Repeat(`{"items":`, 40) + `{}` + strings.Repeat(`}`, 40): "32 levels",
	} {
		_, err := llm.ParseSchema(json.RawMessage(schema))
		var e *lukasa.Error
		if !errors.As(err, &e) || e.Code != lukasa.CodeInvalid || e.Field != "schema" || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v, want %q", schema, err, says)
		}
	}
}

// TestStrict: what vendors decode strictly.
func TestStrict(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string][2]bool{ // closed, strict
		llmtest.Schema:                {true, true},
		llmtest.OpenSchema:            {false, false},
		`{"type":"string"}`:           {true, true},
		`{"enum":["a"]}`:              {true, true},
		`{}`:                          {false, false},
		`{"type":["object","null"]}`:  {false, false},
		`{"type":"array","items":{}}`: {false, false},
		`{"type":"array","items":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}}`:                     {true, false},
		`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"object","additionalProperties":true}}}`: {false, false},
		`{"type":"object","additionalProperties":{"type":"string"}}`:                                                                       {false, false},
	} {
		s := mustParse(t, schema)
		if got := [2]bool{s.Closed(), s.Strict()}; got != want {
			t.Errorf("%s: %v, want %v", schema, got, want)
		}
	}
}

// drawPair makes a schema and a value that fits it.
func drawPair(t *rapid.T, depth int) (schema map[string]any, value any) {
	kinds := []string{"string", "integer", "number", "boolean", "null", "enum"}
	if depth < 3 {
		kinds = append(kinds, "object", "array")
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	schema = map[string]any{"type": kind}
	switch kind {
	case "string":
		return schema, rapid.String().Draw(t, "string")
	case "integer":
		return schema, float64(rapid.Int32().Draw(t, "integer"))
	case "number":
		return schema, float64(rapid.Float32Range(-1e6, 1e6).Draw(t, "number"))
	case "boolean":
		return schema, rapid.Bool().Draw(t, "boolean")
	case "null":
		return schema, nil
	case "enum":
		choices := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,5}`), 1, 4).Draw(t, "choices")
		return map[string]any{"enum": choices}, rapid.SampledFrom(choices).Draw(t, "choice")
	case "array":
		item, v := drawPair(t, depth+1)
		schema["items"] = item
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "items"))
		for i := range list {
			list[i] = v
		}
		return schema, list
	}
	properties, object, required := map[string]any{}, map[string]any{}, []string{}
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,5}`), 0, 4, rapid.ID).Draw(t, "names") {
		p, v := drawPair(t, depth+1)
		properties[name] = p
		must := rapid.Bool().Draw(t, "must")
		if must {
			required = append(required, name)
		}
		if must || rapid.Bool().Draw(t, "there") {
			object[name] = v
		}
	}
	schema["properties"], schema["required"] = properties, required
	schema["additionalProperties"] = rapid.Bool().Draw(t, "open")
	return schema, object
}

// TestSchemaProperty: a value made for a schema fits it; one that lacks what is required, or has what is forbidden, does not.
func TestSchemaProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		schema, value := drawPair(t, 0)
		raw, _ := json.Marshal(schema)
		s, err := llm.ParseSchema(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		check := func(v any) error {
			doc, _ := json.Marshal(v)
			return s.Check(doc)
		}
		if err := check(value); err != nil {
			t.Fatalf("%s: %v: %v", raw, value, err)
		}
		object, ok := value.(map[string]any)
		if !ok {
			return
		}
		object["NEW"] = 1
		if open, _ := schema["additionalProperties"].(bool); (check(object) == nil) != open {
			t.Fatalf("%s: %v", raw, object)
		}
		delete(object, "NEW")
		for _, name := range schema["required"].([]string) {
			was := object[name]
			delete(object, name)
			if check(object) == nil {
				t.Fatalf("%s: fits without %s", raw, name)
			}
			object[name] = was
		}
	})
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(llmtest.Schema), []byte(`{"name":"a","age":null,"kind":"place"}`))
	f.Add([]byte(`{"items":{"enum":[1,[2]]},"additionalProperties":{"type":["null","array"]}}`), []byte(`[1,[2.0]]`))
	f.Add([]byte(`{"properties":{"":{"$schema":1,"title":2}},"required":[""]}`), []byte(`{"":{}}`))
	f.Fuzz(func(t *testing.T, schema, doc []byte) {
		s, err := llm.ParseSchema(schema)
		if err != nil {
			return
		}
		if s.Strict() && !s.Closed() {
			t.Error("strict and not closed")
		}
		if err := s.Check(doc); err != nil {
			if len(err.Error()) > 100*(len(schema)+len(doc)+100) {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if !json.Valid(doc) {
			t.Errorf("%q fits", doc)
		}
	})
}
