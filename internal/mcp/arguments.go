package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// inputs are the arguments that each tool takes: the structs that the tools read them into.
type inputs map[string]reflect.Type

// add adds a tool, and notes what it takes.
func add[In, Out any](s *sdk.Server, in inputs, t *sdk.Tool, do sdk.ToolHandlerFor[In, Out]) {
	in[t.Name] = reflect.TypeFor[In]()
	sdk.AddTool(s, t, do)
}

// sameAs holds names that other doors, and other memory servers, use for what an argument here is called.
var sameAs = map[string]string{"container": "project", "project_id": "project", "containerTag": "project"}

// words words what is wrong with the arguments of a call so that a model can put it right: the argument by its name, and what the tool takes.
// A project that is called a container, as over REST, is a project.
func (in inputs) words(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		res, err := next(ctx, method, req)
		out, ok := res.(*sdk.CallToolResult)
		if err != nil || !ok || !out.IsError {
			return res, err
		}
		call, ok := req.GetParams().(*sdk.CallToolParamsRaw)
		if !ok {
			return res, err
		}
		takes, wrong := in[call.Name], error(nil)
		var args map[string]json.RawMessage
		if takes == nil {
			return res, err
		}
		if len(call.Arguments) > 0 && json.Unmarshal(call.Arguments, &args) != nil {
			wrong = errors.New("arguments: are not a JSON object")
		} else if renamed(takes, args) {
			if call.Arguments, err = json.Marshal(args); err != nil {
				return res, err
			}
			return in.words(next)(ctx, method, req)
		} else if wrong = fault(takes, args); wrong == nil { // the tool itself says what is wrong
			return res, nil
		}
		out = say("%v", wrong)
		out.IsError = true
		return out, nil
	}
}

// renamed gives arguments the names that the tool has for them, and reports whether there were any.
func renamed(takes reflect.Type, args map[string]json.RawMessage) bool {
	some := false
	for from, to := range sameAs {
		_, is := field(takes, from)
		_, could := field(takes, to)
		if value, given := args[from]; given && !is && could && args[to] == nil {
			args[to], some = value, true
			delete(args, from)
		}
	}
	return some
}

// fault says what is wrong with the arguments, nil where nothing is: one that there is not, one that is missing, or one of another shape.
func fault(takes reflect.Type, args map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		f, ok := field(takes, name)
		if !ok {
			return fmt.Errorf("%s: is not an argument of this tool (it takes %s)", name, strings.Join(names(takes), ", "))
		}
		if v := reflect.New(f.Type); json.Unmarshal(args[name], v.Interface()) != nil {
			return fmt.Errorf("%s: %.60s is not %s", name, bytes.TrimSpace(args[name]), shape(f.Type))
		}
	}
	for f := range takes.Fields() {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if args[name] == nil && !strings.Contains(rest, "omit") {
			return fmt.Errorf("%s: is missing (%s)", name, f.Tag.Get("jsonschema"))
		}
	}
	return nil
}

// field returns the field of an argument.
func field(takes reflect.Type, name string) (reflect.StructField, bool) {
	for f := range takes.Fields() {
		if nameOf(f) == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func names(takes reflect.Type) []string {
	var out []string
	for f := range takes.Fields() {
		out = append(out, nameOf(f))
	}
	if len(out) == 0 {
		return []string{"none"}
	}
	return out
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// shape names what an argument has to be.
func shape(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return shape(t.Elem())
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list of texts"
	}
	return "an object"
}
