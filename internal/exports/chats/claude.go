package chats

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// The data export of Claude: conversations.json, projects.json and memories.json, or since 2026 folders of these names with one
// file each. Anthropic does not publish the format; this follows the field names that several public readers agree on
// (chat_messages with text and content blocks; projects with prompt_template and docs; conversations_memory and
// project_memories). What was attached to a message comes as a document of its own when the export has its text.

func looksClaude(s *exports.Source) bool {
	return slices.ContainsFunc(s.Files, func(f exports.File) bool {
		switch claudePart(f.Name) {
		case "conversations":
			return strings.Contains(s.Head(f, 64<<10), `"chat_messages"`)
		case "projects":
			return strings.Contains(s.Head(f, 64<<10), `"prompt_template"`)
		case "memories":
			return strings.Contains(s.Head(f, 64<<10), `"conversations_memory"`)
		}
		return s.Single && f.Ext() == ".json" && strings.Contains(s.Head(f, 64<<10), `"chat_messages"`)
	})
}

// claudePart says which part of the export a file belongs to: its own name, or its folder's.
func claudePart(name string) string {
	if path.Ext(name) != ".json" {
		return ""
	}
	for _, part := range []string{strings.TrimSuffix(path.Base(name), ".json"), path.Base(path.Dir(name))} {
		part = strings.TrimRight(part, "-0123456789")
		if part == "conversations" || part == "projects" || part == "memories" || part == "users" {
			return part
		}
	}
	return ""
}

type claudeConversation struct {
	UUID     exports.Scalar  `json:"uuid"`
	Name     exports.Scalar  `json:"name"`
	Summary  exports.Scalar  `json:"summary"`
	Created  exports.Moment  `json:"created_at"`
	Messages []claudeMessage `json:"chat_messages"`
}

type claudeMessage struct {
	UUID        exports.Scalar `json:"uuid"`
	Text        exports.Scalar `json:"text"`
	Sender      exports.Scalar `json:"sender"`
	Created     exports.Moment `json:"created_at"`
	Content     []claudeBlock  `json:"content"`
	Attachments []struct {
		Name exports.Scalar `json:"file_name"`
		Text exports.Scalar `json:"extracted_content"`
	} `json:"attachments"`
	Files []struct {
		Name exports.Scalar `json:"file_name"`
	} `json:"files"`
}

type claudeBlock struct {
	Type  exports.Scalar  `json:"type"`
	Text  exports.Scalar  `json:"text"`
	Name  exports.Scalar  `json:"name"`
	Input json.RawMessage `json:"input"`
}

type claudeProject struct {
	UUID        exports.Scalar `json:"uuid"`
	Name        exports.Scalar `json:"name"`
	Description exports.Scalar `json:"description"`
	Prompt      exports.Scalar `json:"prompt_template"`
	Created     exports.Moment `json:"created_at"`
	Updated     exports.Moment `json:"updated_at"`
	Docs        []struct {
		UUID    exports.Scalar `json:"uuid"`
		Name    exports.Scalar `json:"filename"`
		Content exports.Scalar `json:"content"`
		Created exports.Moment `json:"created_at"`
	} `json:"docs"`
}

type claudeMemories struct {
	Account  exports.Scalar            `json:"account_uuid"`
	Memory   exports.Scalar            `json:"conversations_memory"`
	Projects map[string]exports.Scalar `json:"project_memories"`
}

func readClaude(r *reading) {
	for _, f := range r.Source.Files {
		part := claudePart(f.Name)
		if part == "" && r.Source.Single {
			part = "conversations"
		}
		switch part {
		case "conversations":
			each(r, f, r.claudeConversation)
		case "projects":
			each(r, f, r.claudeProject)
		case "memories":
			each(r, f, r.claudeMemories)
		case "users":
			r.Leave("account files")
		default:
			r.Leave("files of other kinds (" + path.Base(f.Name) + ")")
		}
	}
}

// each reads a file that holds one T or an array of them.
func each[T any](r *reading, f exports.File, take func(where string, v *T)) {
	isList := strings.HasPrefix(strings.TrimSpace(r.Source.Head(f, 256)), "[")
	r.JSON(f, func(s *exports.Stream) error {
		if isList {
			return exports.Elements(r.Reading, s, f.Name, func(_ int, where string, v *T) { take(where, v) })
		}
		v := new(T)
		if err := s.Decode(v); err != nil {
			return s.At(err)
		}
		take(f.Name, v)
		return nil
	})
}

func (r *reading) claudeConversation(where string, c *claudeConversation) {
	id := string(c.UUID)
	if id == "" {
		id = exports.Digest(string(c.Name), c.Created.String())
	}
	t := r.Talk(where, r.ID(id), string(c.Name))
	for i := range c.Messages {
		m := &c.Messages[i]
		l := exports.Line{ID: string(m.UUID), Role: exports.RoleUser, At: m.Created.Time, Session: id, Meta: exports.Meta{}}
		if m.Sender == "assistant" {
			l.Role, l.Speaker = exports.RoleAssistant, "Claude"
		}
		if t.First {
			l.Meta.Str("summary", string(c.Summary))
		}
		var carried []string
		l.Content = r.claudeText(m, l.Meta)
		for k, a := range m.Attachments {
			if text.Blank(string(a.Name)) {
				a.Name = "pasted text"
			}
			carried = append(carried, "attachment: "+string(a.Name))
			if !text.Blank(string(a.Text)) {
				t.Flush()
				r.Note(where, exports.Note{
					ID: r.ID(id, string(m.UUID), strconv.Itoa(k)), Title: string(a.Name), Body: string(a.Text), Kind: "text",
					Made: m.Created.Time, Links: []string{t.ID}, Meta: exports.Meta{}.Str("conversation", t.ID),
				})
			}
		}
		for _, a := range m.Files {
			carried = append(carried, "file: "+string(a.Name))
		}
		l.Content = exports.Attached(l.Content, carried)
		t.Add(l)
	}
	if t.First {
		r.Leave("conversations without messages")
	}
	t.Flush()
}

// claudeText joins the blocks of a message. What an artifact holds is kept; traces of thinking and of tools are counted.
func (r *reading) claudeText(m *claudeMessage, to exports.Meta) string {
	var texts, tools []string
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			texts = append(texts, string(b.Text))
		case "thinking":
			r.Leave("reasoning traces")
		case "tool_result":
			r.Leave("results of tools")
		case "tool_use":
			var in struct {
				Title   exports.Scalar `json:"title"`
				Content exports.Scalar `json:"content"`
			}
			if json.Unmarshal(b.Input, &in) == nil && in.Content != "" {
				texts = append(texts, strings.TrimSpace(string(in.Title)+"\n\n"+fenced("", string(in.Content))))
			}
			tools = append(tools, string(b.Name))
		default:
			r.Leave("blocks of other kinds (" + exports.Clip(string(b.Type), 40) + ")")
		}
	}
	to.List("tools", exports.Dedupe(tools))
	if len(texts) == 0 {
		return string(m.Text)
	}
	return strings.Join(texts, "\n\n")
}

func (r *reading) claudeProject(where string, p *claudeProject) {
	id := r.ID("project", string(p.UUID))
	body := strings.TrimSpace(string(p.Description) + "\n\n" + string(p.Prompt))
	if body == "" && len(p.Docs) > 0 {
		body = string(p.Name)
	}
	r.Note(where, exports.Note{ID: id, Title: string(p.Name), Body: body, Made: p.Created.Time, Changed: p.Updated.Time, Tags: []string{"project"}})
	for i, d := range p.Docs {
		own := string(d.UUID)
		if own == "" {
			own = strconv.Itoa(i)
		}
		r.Note(where, exports.Note{
			ID: r.ID("project", string(p.UUID), own), Title: string(d.Name), Body: string(d.Content), Kind: "text",
			Made: d.Created.Time, Links: []string{id}, Meta: exports.Meta{}.Str("project", string(p.Name)),
		})
	}
}

func (r *reading) claudeMemories(where string, m *claudeMemories) {
	r.Note(where, exports.Note{ID: r.ID("memory", string(m.Account)), Title: "What Claude remembers", Body: string(m.Memory), Tags: []string{"memory"}})
	for _, key := range exports.SortedKeys(m.Projects) {
		r.Note(where, exports.Note{
			ID: r.ID("memory", string(m.Account), key), Title: "What Claude remembers of a project", Body: string(m.Projects[key]),
			Tags: []string{"memory"}, Links: []string{r.ID("project", key)},
		})
	}
}
