package notes

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Exports of other memories for agents. mem0: the list that get_all answers (https://docs.mem0.ai/api-reference/memory/v1-get-memories,
// https://docs.mem0.ai/cookbooks/essentials/exporting-memories), bare or under "results". supermemory: there is no export of its
// own; the answers of POST /v3/documents/list and of its memory entries are read (https://supermemory.ai/docs). The MCP reference
// memory server keeps JSON lines of entities and relations
// (https://github.com/modelcontextprotocol/servers/tree/main/src/memory). Letta: agent files
// (https://github.com/letta-ai/agent-file, letta/schemas/agent_file.py). OpenMemory, the server of mem0 for one's own machine, writes
// memories.json with tables of apps and categories beside the memories, and the same as packed lines
// (https://github.com/mem0ai/mem0/blob/main/openmemory/api/app/routers/backup.py).

// records hands over each object of a file: of an array, of the arrays under keys of an object, of JSON lines.
func (r *reading) records(f exports.File, keys []string, take func(where, key string, v json.RawMessage)) {
	head := r.Source.Head(f, 4<<10)
	trimmed := strings.TrimSpace(head)
	if !strings.HasPrefix(trimmed, "[") && isJSONLines(f, trimmed) {
		r.jsonLines(f, func(where string, v json.RawMessage) { take(where, "", v) })
		return
	}
	r.JSON(f, func(s *exports.Stream) error {
		list := func(key string) error {
			return exports.Elements(r.Reading, s, f.Name, func(_ int, where string, v *json.RawMessage) { take(where, key, *v) })
		}
		if strings.HasPrefix(trimmed, "[") {
			return list("")
		}
		return s.Object(func(key string) error {
			if slices.Contains(keys, key) {
				if err := list(key); err != nil {
					return fmt.Errorf("%s: %w", key, err)
				}
				return nil
			}
			if !slices.Contains([]string{"pagination", "total", "count", "next", "previous", "row_count", "total_count"}, key) {
				r.Leave("sections of other kinds (" + exports.Clip(key, 40) + ")")
			}
			return s.Skip()
		})
	})
}

func isJSONLines(f exports.File, head string) bool {
	if f.Ext() == ".jsonl" || f.Ext() == ".ndjson" {
		return true
	}
	line, rest, ok := strings.Cut(head, "\n")
	return ok && json.Valid([]byte(line)) && strings.HasPrefix(strings.TrimSpace(rest), "{") || !ok && strings.HasPrefix(head, `{"type":`) && json.Valid([]byte(head))
}

// jsonLines reads one value a line; a line that is none is reported.
func (r *reading) jsonLines(f exports.File, take func(where string, v json.RawMessage)) {
	r.Lines(f, func(n int, s string) error {
		where := f.Name + ":" + strconv.Itoa(n)
		switch {
		case text.Blank(s):
		case !json.Valid([]byte(s)):
			r.Fail(where, errors.New("is not a line of JSON"))
		default:
			take(where, json.RawMessage(s))
		}
		return nil
	})
}

func jsonFiles(s *exports.Source, test func(head string) bool) []exports.File {
	files := s.Has(".json", ".jsonl", ".ndjson", ".af", "")
	return slices.DeleteFunc(files, func(f exports.File) bool { return !test(s.Head(f, 64<<10)) })
}

func mem0Files(s *exports.Source) []exports.File {
	return jsonFiles(s, func(head string) bool {
		return strings.Contains(head, `"memory"`) && strings.Contains(head, `"id"`) && !strings.Contains(head, `"containerTags"`) && !strings.Contains(head, `"isLatest"`) ||
			strings.Contains(head, `"category_ids"`) || strings.Contains(head, `"memory_categories"`) || strings.Contains(head, `"owner_id"`) && strings.Contains(head, `"apps"`)
	})
}

type mem0Memory struct {
	ID         exports.Scalar   `json:"id"`
	Memory     exports.Words    `json:"memory"`
	Text       exports.Scalar   `json:"text"`
	Data       exports.Scalar   `json:"data"`
	Content    exports.Scalar   `json:"content"`
	User       exports.Scalar   `json:"user_id"`
	Agent      exports.Scalar   `json:"agent_id"`
	App        exports.Scalar   `json:"app_id"`
	Run        exports.Scalar   `json:"run_id"`
	Actor      exports.Scalar   `json:"actor_id"`
	Role       exports.Scalar   `json:"role"`
	Metadata   map[string]any   `json:"metadata"`
	Categories []exports.Scalar `json:"categories"`
	Filed      []exports.Scalar `json:"category_ids"`
	Name       exports.Scalar   `json:"name"`
	State      exports.Scalar   `json:"state"`
	Created    exports.Moment   `json:"created_at"`
	Updated    exports.Moment   `json:"updated_at"`
	Expires    exports.Moment   `json:"expiration_date"`
	Immutable  any              `json:"immutable"`
}

func readMem0(r *reading) {
	for _, f := range mem0Files(r.Source) {
		names := map[exports.Scalar]exports.Scalar{} // of the categories and apps of OpenMemory, which come before the memories
		r.records(f, []string{"results", "memories", "data", "items", "categories", "apps"}, func(where, key string, raw json.RawMessage) {
			var x mem0Memory
			err := json.Unmarshal(raw, &x)
			if !r.Fits(where, &x, err) {
				return
			}
			if key == "categories" || key == "apps" {
				names[x.ID] = x.Name
				return
			}
			if x.State == "deleted" {
				r.Leave("memories that were deleted there")
				return
			}
			content := exports.FirstOf(x.Memory.Scalar, x.Text, x.Data, x.Content)
			if err != nil && content == "" {
				return
			}
			id := string(x.ID)
			if id == "" {
				id = exports.Digest(string(x.User), content, x.Created.String())
			}
			m := exports.Meta{}
			maps.Copy(m, x.Metadata)
			m.Str("user_id", string(x.User)).Str("agent_id", string(x.Agent)).Str("app_id", string(x.App)).Str("run_id", string(x.Run))
			m.Str("actor_id", string(x.Actor)).Str("role", string(x.Role)).At("modified_at", x.Updated.Time).Yes("immutable", x.Immutable == true)
			m.At("expires_at", x.Expires.Time).Str("app", string(names[x.App])).Str("state", strings.TrimPrefix(string(x.State), "active"))
			tags := make([]string, 0, len(x.Categories))
			for _, c := range x.Categories {
				tags = append(tags, string(c))
			}
			for _, c := range x.Filed {
				tags = append(tags, string(names[c]))
			}
			r.Memory(where, r.ID(id), content, tags, x.Created.Time, m)
		})
	}
}

func superFiles(s *exports.Source) []exports.File {
	return jsonFiles(s, func(head string) bool {
		return strings.Contains(head, `"containerTags"`) || strings.Contains(head, `"customId"`) ||
			strings.Contains(head, `"memory"`) && strings.Contains(head, `"isLatest"`)
	})
}

type superItem struct {
	ID        exports.Scalar   `json:"id"`
	CustomID  exports.Scalar   `json:"customId"`
	Title     exports.Scalar   `json:"title"`
	Content   exports.Words    `json:"content"`
	Summary   exports.Scalar   `json:"summary"`
	Memory    exports.Words    `json:"memory"`
	Type      exports.Scalar   `json:"type"`
	URL       exports.Scalar   `json:"url"`
	Source    exports.Scalar   `json:"source"`
	Status    exports.Scalar   `json:"status"`
	Tags      []exports.Scalar `json:"containerTags"`
	Metadata  map[string]any   `json:"metadata"`
	Created   exports.Moment   `json:"createdAt"`
	Updated   exports.Moment   `json:"updatedAt"`
	IsLatest  any              `json:"isLatest"`
	Forgotten any              `json:"isForgotten"`
	Chunks    []struct {
		Content exports.Scalar `json:"content"`
	} `json:"chunks"`
	Entries []json.RawMessage `json:"memoryEntries"`
}

func readSuper(r *reading) {
	for _, f := range superFiles(r.Source) {
		r.records(f, []string{"memories", "documents", "results", "memoryEntries"}, func(where, _ string, raw json.RawMessage) {
			r.superItem(where, raw,
				nil)
		})
	}
}

func (r *reading) superItem(where string, raw json.RawMessage, of *superItem) {
	var x superItem
	if !r.Fits(where, &x, json.Unmarshal(raw, &x)) {
		return
	}
	m := exports.Meta{}
	maps.Copy(m, x.Metadata)
	if of != nil {
		x.Tags = append(x.Tags, of.Tags...)
		m.Str("document", r.ID(exports.Either(string(of.CustomID), string(of.ID))))
	}
	tags := make([]string, 0, len(x.Tags))
	for _, t := range x.Tags {
		tags = append(tags, string(t))
	}
	m.Str("type", string(x.Type)).Str("source", string(x.Source)).At("modified_at", x.Updated.Time)
	id := exports.FirstOf(x.CustomID, x.ID)
	switch {
	case x.Memory.Scalar != "" && (x.IsLatest == false || x.Forgotten == true):
		r.Leave("memories that are forgotten or have newer versions")
		return
	case x.Memory.Scalar != "":
		r.Memory(where, r.ID(exports.Either(id, exports.Digest(string(x.Memory.Scalar)))), string(x.Memory.Scalar), tags, x.Created.Time, m)
		return
	}
	body := string(x.Content.Scalar)
	if text.Blank(body) {
		parts := make([]string, 0, len(x.Chunks))
		for _, c := range x.Chunks {
			parts = append(parts, string(c.Content))
		}
		body = strings.Join(parts, "\n\n")
	}
	if text.Blank(body) {
		body = string(x.Summary)
	} else {
		m.Str("summary", string(x.Summary))
	}
	if id == "" {
		id = exports.Digest(string(x.Title), body)
	}
	if len(x.Entries) > 0 {
		m.Num("memories", float64(len(x.Entries)))
	}
	r.Note(where, exports.Note{ID: r.ID(id), Title: string(x.Title), Body: body, URL: exports.FirstOf(x.URL), Tags: tags, Made: x.Created.Time, Meta: m})
	for i, e := range x.Entries {
		r.superItem(where+"."+strconv.Itoa(i+1), e, &x)
	}
}

func mcpFiles(s *exports.Source) []exports.File {
	return jsonFiles(s, func(head string) bool {
		return strings.Contains(head, `"entityType"`) && strings.Contains(head, `"observations"`) || strings.Contains(head, `"relationType"`)
	})
}

type mcpLine struct {
	Type         exports.Scalar   `json:"type"`
	Name         exports.Scalar   `json:"name"`
	EntityType   exports.Scalar   `json:"entityType"`
	Observations []exports.Scalar `json:"observations"`
	From         exports.Scalar   `json:"from"`
	To           exports.Scalar   `json:"to"`
	RelationType exports.Scalar   `json:"relationType"`
}

type mcpEntity struct {
	where, kind          string
	facts, out, outNames []string
}

// readMCP makes a document of each entity: what is observed of it, and what it is related to. An entity that is only named in a
// relation is one too.
func readMCP(r *reading) {
	for _, f := range mcpFiles(r.Source) {
		entities := map[string]*mcpEntity{}
		var order []string
		entity := func(name, where string) *mcpEntity {
			e := entities[name]
			if e == nil {
				e = &mcpEntity{where: where}
				entities[name] = e
				order = append(order, name)
			}
			return e
		}
		r.records(f, []string{"entities", "relations"}, func(where, _ string, raw json.RawMessage) {
			var l mcpLine
			if !r.Fits(where, &l, json.Unmarshal(raw, &l)) {
				return
			}
			switch {
			case l.Name != "":
				e := entity(string(l.Name), where)
				e.kind = exports.Either(e.kind, string(l.EntityType))
				for _, o := range l.Observations {
					e.facts = append(e.facts, string(o))
				}
			case l.From != "" && l.To != "":
				e := entity(string(l.From), where)
				entity(string(l.To), where)
				e.out = append(e.out, string(l.RelationType)+" [["+string(l.To)+"]]")
				e.outNames = append(e.outNames, string(l.To))
			default:
				r.Fail(where, fmt.Errorf("is neither an entity nor a relation (type %q)", exports.Clip(string(l.Type), 40)))
			}
		})
		for _, name := range order {
			e := entities[name]
			n := exports.Note{ID: r.ID(name), Title: name, Meta: exports.Meta{}.Str("entity_type", e.kind).List("relations", e.out)}
			body := []string{"# " + exports.OneLine(name)}
			if e.kind != "" {
				body = append(body, "", "Type: "+e.kind)
				n.Tags = []string{e.kind}
			}
			for i, fact := range exports.Dedupe(e.facts) {
				if i == 0 {
					body = append(body, "")
				}
				body = append(body, "- "+exports.OneLine(fact))
			}
			for i, rel := range exports.Dedupe(e.out) {
				if i == 0 {
					body = append(body, "", "## Relations", "")
				}
				body = append(body, "- "+exports.OneLine(rel))
			}
			for _, to := range e.outNames {
				n.Links = append(n.Links, r.ID(to))
			}
			n.Body = strings.Join(body, "\n")
			r.Note(e.where, n)
		}
	}
}

func lettaFiles(s *exports.Source) []exports.File {
	return jsonFiles(s, func(head string) bool {
		if strings.HasPrefix(head, `"{`) {
			head = strings.ReplaceAll(head, `\"`, `"`)
		}
		return strings.Contains(head, `"agent_type"`) && (strings.Contains(head, `"blocks"`) || strings.Contains(head, `"core_memory"`) || strings.Contains(head, `"agents"`))
	})
}

type lettaBlock struct {
	ID          exports.Scalar `json:"id"`
	Label       exports.Scalar `json:"label"`
	Value       exports.Scalar `json:"value"`
	Description exports.Scalar `json:"description"`
}

type lettaMessage struct {
	Role    exports.Scalar  `json:"role"`
	Name    exports.Scalar  `json:"name"`
	Content json.RawMessage `json:"content"`
	Text    exports.Scalar  `json:"text"`
	Created exports.Moment  `json:"created_at"`
	Calls   []struct {
		Function struct {
			Name      exports.Scalar `json:"name"`
			Arguments exports.Scalar `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

type lettaAgent struct {
	Name        exports.Scalar   `json:"name"`
	Description exports.Scalar   `json:"description"`
	System      exports.Scalar   `json:"system"`
	BlockIDs    []exports.Scalar `json:"block_ids"`
	CoreMemory  []lettaBlock     `json:"core_memory"`
	Messages    []lettaMessage   `json:"messages"`
}

// lettaFile is an agent file. What GET /v1/agents/{id}/export answers may be the file as one JSON text.
type lettaFile struct {
	lettaAgent
	Agents []lettaAgent `json:"agents"`
	Blocks []lettaBlock `json:"blocks"`
	Files  []struct {
		Name     exports.Scalar `json:"file_name"`
		Original exports.Scalar `json:"original_file_name"`
		Content  exports.Words  `json:"content"`
		Created  exports.Moment `json:"file_creation_date"`
	} `json:"files"`
}

// UnmarshalJSON takes the file as it is, or as a text.
func (f *lettaFile) UnmarshalJSON(b []byte) error {
	type bare lettaFile
	if len(b) > 0 && b[0] == '"' {
		var whole string
		if err := json.Unmarshal(b, &whole); err != nil {
			return err
		}
		b = []byte(whole)
	}
	return json.Unmarshal(b, (*bare)(f))
}

// readLetta reads the memory blocks of agents and the files that they were given as documents, and their messages as a conversation each. Both layouts are read: the
// one of 2025 with the agent at the top, and the later one with lists of agents and blocks. Tools and settings are left out.
func readLetta(r *reading) {
	for _, f := range lettaFiles(r.Source) {
		var all lettaFile
		if !r.LoadJSON(f, &all) {
			continue
		}
		r.Leave("tools and settings of agents")
		agents := all.Agents
		if len(agents) == 0 {
			agents = []lettaAgent{all.lettaAgent}
		}
		for i := range agents {
			a := &agents[i]
			name := exports.Either(exports.OneLine(string(a.Name)), strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name)))
			blocks := a.CoreMemory
			for _, b := range all.Blocks {
				if slices.Contains(a.BlockIDs, b.ID) {
					blocks = append(blocks, b)
				}
			}
			for _, b := range blocks {
				r.Note(f.Name, exports.Note{
					ID: r.ID(name, "block", string(b.Label)), Title: name + ": " + string(b.Label), Body: string(b.Value), Kind: "text",
					Tags: []string{"memory", string(b.Label)}, Meta: exports.Meta{}.Str("agent", name).Str("description", string(b.Description)),
				})
			}
			r.lettaTalk(f.Name, name, a)
		}
		for _, file := range all.Files {
			name := exports.FirstOf(file.Original, file.Name)
			r.Note(f.Name, exports.Note{ID: r.ID("file", string(file.Name)), Title: name, Body: string(file.Content.Scalar), Kind: "text", Made: file.Created.Time, Meta: exports.Meta{}.Str("file", name)})
		}
	}
}

func (r *reading) lettaTalk(where, name string, a *lettaAgent) {
	t := r.Talk(where, r.ID(name), name)
	for i := range a.Messages {
		m := &a.Messages[i]
		content := lettaText(m.Content)
		if content == "" {
			content = string(m.Text)
		}
		if said := m.sent(); said != "" { // what stands beside it is what the agent thought
			if content != "" {
				r.Leave("reasoning traces")
			}
			content = said
		}
		l := exports.Line{Role: string(m.Role), Speaker: string(m.Name), Content: content, At: m.Created.Time, Meta: exports.Meta{}}
		switch {
		case l.Role == exports.RoleSystem:
			r.Leave("system prompts")
			continue
		case l.Role == exports.RoleTool:
			r.Leave("results of tools")
			continue
		case l.Role == exports.RoleUser:
			said, ok := lettaEvent(content)
			if !ok {
				r.Leave("events that the agent was told of")
				continue
			}
			l.Content = said
		case l.Role == exports.RoleAssistant && l.Speaker == "":
			l.Speaker = name
		}
		t.Add(l)
	}
	t.Flush()
}

// sent is what an agent of the MemGPT kind said: it speaks by calling a tool.
func (m *lettaMessage) sent() string {
	var out []string
	for _, c := range m.Calls {
		var args struct {
			Message exports.Scalar `json:"message"`
		}
		if c.Function.Name == "send_message" && json.Unmarshal([]byte(c.Function.Arguments), &args) == nil && args.Message != "" {
			out = append(out, string(args.Message))
		}
	}
	return strings.Join(out, "\n\n")
}

// lettaEvent unpacks what agents of the MemGPT kind are given as the user's: JSON with a type, the time and, of type user_message,
// what the user said. Other types are events: a login, a heartbeat, an alert.
func lettaEvent(content string) (said string, ok bool) {
	var e struct {
		Type    exports.Scalar `json:"type"`
		Time    exports.Scalar `json:"time"`
		Message exports.Scalar `json:"message"`
	}
	if !strings.HasPrefix(content, "{") || json.Unmarshal([]byte(content), &e) != nil || e.Type == "" || e.Time == "" {
		return content, true
	}
	return string(e.Message), e.Type == "user_message"
}

// lettaText joins the text parts of a message; others are tool calls, which say nothing to people.
func lettaText(raw json.RawMessage) string {
	var parts []struct {
		Type exports.Scalar `json:"type"`
		Text exports.Scalar `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return exports.JSONText(raw)
	}
	var out []string
	for _, p := range parts {
		if p.Text != "" {
			out = append(out, string(p.Text))
		}
	}
	return strings.Join(out, "\n")
}

func looksWith(files func(*exports.Source) []exports.File) func(*exports.Source) bool {
	return func(s *exports.Source) bool { return len(files(s)) > 0 }
}

var errNoClipping = errors.New("is no clipping: the second line does not begin with a dash")
