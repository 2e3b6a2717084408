package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Media types of what is not JSON.
const (
	typeEvents = "text/event-stream"
	typeLines  = "application/x-ndjson"
	typeBytes  = "application/octet-stream"
	typeForm   = "multipart/form-data"
)

// Routes lists what is served, like "GET /v1/documents".
func Routes() []string {
	return newDoor(nil, Options{MCP: http.NotFoundHandler()}).mux.Patterns()
}

// raw registers a handler that reads and writes by itself, and describes it. A call is asked for the parameters that are described, and no others.
func (d *door) raw(op huma.Operation, answers map[string]*huma.MediaType, h http.HandlerFunc) {
	problem := &huma.Schema{Ref: "#/components/schemas/ErrorModel"}
	op.Responses = map[string]*huma.Response{
		"200":     {Description: "OK", Content: answers},
		"default": {Description: "Error", Content: map[string]*huma.MediaType{"application/problem+json": {Schema: problem}}},
	}
	d.mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) {
		if err := known(r, op); err != nil {
			WriteError(w, r, err)
			return
		}
		h(w, r)
	})
	op.Path = strings.TrimSuffix(op.Path, "{$}") // it is not known outside of our mux
	d.api.OpenAPI().AddOperation(&op)
}

// known is an error where a call has a parameter that is not one of the operation's. What is no call, like the metrics, takes any.
func known(r *http.Request, op huma.Operation) error {
	if r.URL.RawQuery == "" || !strings.HasPrefix(op.Path, "/v1/") {
		return nil
	}
	var takes []string
	for _, p := range op.Parameters {
		takes = append(takes, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		if !slices.Contains(takes, name) {
			return &lukasa.Error{Code: lukasa.CodeUnknownField, Field: name, Msg: "is not a parameter of this request", Hint: Meant(name, takes)}
		}
	}
	return nil
}

// schemaOf is the schema of what has a type of its own.
func schemaOf[T any](d *door) *huma.Schema {
	return d.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// asked describes parameters of a query by pairs of name and meaning.
func asked(pairs ...string) (out []*huma.Param) {
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, &huma.Param{Name: pairs[i], In: "query", Description: pairs[i+1], Schema: &huma.Schema{Type: huma.TypeString}})
	}
	return out
}

// streams registers what is answered as it comes, or read as it comes.
func (d *door) streams() {
	str := &huma.Schema{Type: huma.TypeString}
	bin := &huma.Schema{Type: huma.TypeString, Format: "binary"}
	schemaOf[lukasa.Event](d)
	d.raw(huma.Operation{
		OperationID: "events", Method: http.MethodGet, Path: "/v1/events", Summary: "News of what changes, as it happens", Tags: []string{"events"},
		Description: "Server-sent events until the client goes away or its key ends. Each has an `id`, as `event` its type, and as `data` an object of the schema Event: ids and small facts, never content. " +
			"A comment comes every 15 s, so that a line that is dead is noticed. What happened while nobody listened is not sent later: a client that was away reads what it wants to know anew.",
	}, map[string]*huma.MediaType{typeEvents: {Schema: str, Example: "id: evt_…\nevent: document.created\ndata: {\"id\":\"evt_…\",\"type\":\"document.created\",\"record_id\":\"doc_…\"}\n\n"}}, d.events)
	d.raw(huma.Operation{
		OperationID: "export", Method: http.MethodGet, Path: "/v1/export", Summary: "Everything that the key sees, as JSON lines", Tags: []string{"import"},
		Description: "See docs/format/export.md. An export that breaks off is cut, and not ended.",
		Parameters:  asked("container", "a path (its subtree), work! (it alone), work.* (its children); several with commas; all of them if left out"),
	}, map[string]*huma.MediaType{typeLines: {Schema: str}}, d.export)
	d.raw(huma.Operation{
		OperationID: "import", Method: http.MethodPost, Path: "/v1/import", Summary: "Take in an export, of our own or of another tool", Tags: []string{"import"},
		Description: "The body is the export as it is, or a form with it under the name file. What is there already is passed over. Our own answers how much of what was taken in; one of another tool answers a report. In a dry run nothing counts as being there.",
		Parameters: asked("kind", "what it is, as GET /v1/import/kinds names it; found out if left out", "name", "of the file", "container", "where it goes", "zone", "time zone of times that have none",
			"me", "whose messages are the user's own", "namespace", "what keeps apart two sources of one kind", "attachments", "true: the files beside it too", "dry_run", "true: only count what would be taken in, and write nothing"),
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			typeLines: {Schema: str}, typeBytes: {Schema: bin},
			typeForm: {Schema: &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"file": bin}, Required: []string{"file"}}},
		}},
	}, map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{AnyOf: []*huma.Schema{schemaOf[engine.Progress](d), schemaOf[engine.ImportReport](d)}}}}, d.importAll)
	d.raw(huma.Operation{
		OperationID: "metrics", Method: http.MethodGet, Path: "/metrics", Summary: "Counters and timings for Prometheus; admins only", Tags: []string{"system"},
	}, map[string]*huma.MediaType{"text/plain": {Schema: str}}, d.metrics)
	if d.opt.MCP != nil || d.e == nil {
		d.raw(huma.Operation{
			OperationID: "mcp", Method: http.MethodPost, Path: "/mcp", Summary: "The tools of the Model Context Protocol", Tags: []string{"mcp"},
			Description: "Streamable HTTP: one JSON-RPC message of the protocol in, one out. Each request stands for itself. docs/assistants.md lists the tools.",
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject}}}},
		}, map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject}}, typeEvents: {Schema: str}}, func(w http.ResponseWriter, r *http.Request) { d.opt.MCP.ServeHTTP(w, r) })
	}
	d.raw(huma.Operation{OperationID: "greet", Method: http.MethodGet, Path: "/{$}", Summary: "What answers here", Tags: []string{"system"}},
		map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject}}}, d.greet)
}

func (d *door) metrics(w http.ResponseWriter, r *http.Request) {
	if err := scope(r.Context()).CanAdmin(); err != nil {
		WriteError(w, r, err)
		return
	}
	d.e.Metrics().Handler().ServeHTTP(w, r)
}

// events sends news as server-sent events until the client goes away.
func (d *door) events(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	news, err := d.e.Events(ctx, scope(ctx))
	if err != nil {
		WriteError(w, r, err)
		return
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Time{})
	w.Header().Set("Content-Type", typeEvents)
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	fmt.Fprint(w, ": hello\n\n")
	_ = rc.Flush()
	beat := time.NewTicker(15 * time.Second)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			fmt.Fprint(w, ": beat\n\n")
		case ev, ok := <-news:
			if !ok {
				return
			}
			data, err := json.Marshal(ev)
			if err != nil {
				continue
			}
			fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", ev.ID, ev.Type, data)
		}
		if rc.Flush() != nil {
			return
		}
	}
}

func (d *door) export(w http.ResponseWriter, r *http.Request) {
	pats, err := Places(List(r.URL.Query().Get("container")), false)
	if err != nil {
		WriteError(w, r, err)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	w.Header().Set("Content-Type", typeLines)
	if r.Method == http.MethodHead {
		return
	}
	if _, err := d.e.Export(r.Context(), scope(r.Context()), pats, w, nil); err != nil {
		if rec, ok := w.(*Recorder); ok && !rec.Wrote {
			WriteError(w, r, err)
			return
		}
		d.opt.Log.ErrorContext(r.Context(), "export", "err", err)
		panic(http.ErrAbortHandler) // the client must see that it is not whole
	}
}
