package chats

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// The data export of Claude: conversations.json, projects.json and memories.json, or since 2026 folders of these names with one
// file each. Anthropic does not publish the format; this follows the field names that several public readers agree on
// (chat_messages with content blocks; projects with prompt_template and docs; conversations_memory, project_memories and
// memory_files; design_chats). The field text of a message repeats its blocks with traces of thinking between them, so it counts
// only where there are no blocks. Messages name the one before them: of branches, the one with the newest message is read, and
// the others are counted. What was attached to a message comes as a document of its own when the export has its text.

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
		if part == "conversations" || part == "projects" || part == "memories" || part == "users" || part == "design_chats" {
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
	Parent      exports.Scalar `json:"parent_message_uuid"`
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
	Title exports.Scalar  `json:"title"`
	Input json.RawMessage `json:"input"`
	Cites []struct {
		URL     exports.Scalar `json:"url"`
		Details struct {
			URL exports.Scalar `json:"url"`
		} `json:"details"`
	} `json:"citations"`
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
	Files    []struct {
		Path    exports.Scalar `json:"path"`
		Content exports.Scalar `json:"content"`
		Updated exports.Moment `json:"updated_at"`
	} `json:"memory_files"`
}

// claudeDesign is a conversation beside a drawing board.
type claudeDesign struct {
	UUID     exports.Scalar `json:"uuid"`
	Title    exports.Scalar `json:"title"`
	Messages []struct {
		UUID    exports.Scalar  `json:"uuid"`
		Role    exports.Scalar  `json:"role"`
		Created exports.Moment  `json:"created_at"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
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
		case "design_chats":
			each(r, f, r.claudeDesign)
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
		err := s.Decode(v)
		if err != nil && !exports.IsMisfit(err) {
			return s.At(err)
		}
		if r.Fits(f.Name, v, err) {
			take(f.Name, v)
		}
		return nil
	})
}

func (r *reading) claudeConversation(where string, c *claudeConversation) {
	id := string(c.UUID)
	if id == "" {
		id = exports.Digest(string(c.Name), c.Created.String())
	}
	t := r.Talk(where, r.ID(id), string(c.Name))
	branch := claudeBranch(c.Messages)
	r.LeaveN("messages on branches that were edited or regenerated", len(c.Messages)-len(branch))
	for _, m := range branch {
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
		for _, a := range m.Files { // an upload whose text is known stands in both lists
			if !slices.Contains(carried, "attachment: "+string(a.Name)) {
				carried = append(carried, "file: "+string(a.Name))
			}
		}
		l.Content = exports.Attached(l.Content, carried)
		t.Add(l)
	}
	if t.First {
		r.Leave("conversations without messages")
	}
	t.Flush()
}

// claudeBranch returns, in their order, the messages that lead to the newest one, and those that stand on no branch beside it.
func claudeBranch(all []claudeMessage) []*claudeMessage {
	byID := make(map[exports.Scalar]*claudeMessage, len(all))
	var newest *claudeMessage
	for i := range all {
		m := &all[i]
		if m.UUID != "" {
			byID[m.UUID] = m
		}
		if newest == nil || !m.Created.Before(newest.Created.Time) {
			newest = m
		}
	}
	beside := make(map[*claudeMessage]bool, len(all)) // known to stand on the branch (false) or on another one (true)
	forks := map[exports.Scalar]bool{}                // what a message of the branch follows
	for m := newest; m != nil; m = byID[m.Parent] {
		if _, seen := beside[m]; seen {
			break
		}
		beside[m] = false
		forks[m.Parent] = m.Parent != ""
	}
	out := make([]*claudeMessage, 0, len(all))
	for i := range all {
		var path []*claudeMessage
		other := false
		for m := &all[i]; m != nil; m = byID[m.Parent] {
			known, seen := beside[m]
			if other = known || !seen && forks[m.Parent]; seen || other {
				break
			}
			beside[m] = false // ends a circle
			path = append(path, m)
		}
		for _, m := range append(path, &all[i]) {
			beside[m] = other
		}
		if !other {
			out = append(out, &all[i])
		}
	}
	return out
}

// claudeUnshown is what the field text has where a block could not be shown.
var claudeUnshown = regexp.MustCompile("\\s*```\\s*\nThis block is not supported on your current device yet\\.\\s*\n```[ \\t]*")

// claudeText joins the blocks of a message. What an artifact or a file holds is kept; traces of thinking and of tools are counted.
func (r *reading) claudeText(m *claudeMessage, to exports.Meta) string {
	var texts, tools, sources []string
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			texts = append(texts, string(b.Text))
		case "voice_note":
			texts = append(texts, strings.TrimSpace(string(b.Title)+"\n\n"+string(b.Text)))
		case "thinking", "redacted_thinking":
			r.Leave("reasoning traces")
		case "tool_result":
			r.Leave("results of tools")
		case "tool_use":
			texts = append(texts, claudeMade(b.Input))
			tools = append(tools, string(b.Name))
		default:
			r.Leave("blocks of other kinds (" + exports.Clip(string(b.Type), 40) + ")")
		}
		for _, c := range b.Cites {
			if u := exports.FirstOf(c.URL, c.Details.URL); exports.WebAddress(u) {
				sources = append(sources, u)
			}
		}
	}
	sources = exports.Dedupe(sources)
	to.List("tools", exports.Dedupe(tools)).List("sources", sources[:min(len(sources), mostSources)])
	if len(m.Content) == 0 {
		return strings.TrimSpace(claudeUnshown.ReplaceAllString(string(m.Text), "\n"))
	}
	return strings.Join(slices.DeleteFunc(texts, text.Blank), "\n\n")
}

// claudeMade is what a tool was told to write: an artifact, a file, or what takes the place of a part of one.
func claudeMade(input json.RawMessage) string {
	var in struct {
		Title   exports.Scalar `json:"title"`
		Path    exports.Scalar `json:"path"`
		Content exports.Scalar `json:"content"`
		File    exports.Scalar `json:"file_text"`
		New     exports.Scalar `json:"new_str"`
	}
	if json.Unmarshal(input, &in) != nil {
		return ""
	}
	body := exports.FirstOf(in.Content, in.File, in.New)
	if body == "" {
		return ""
	}
	return strings.TrimSpace(exports.FirstOf(in.Title, in.Path) + "\n\n" + fenced("", body))
}

func (r *reading) claudeDesign(where string, c *claudeDesign) {
	id := exports.Either(string(c.UUID), exports.Digest(where, string(c.Title)))
	t := r.Talk(where, r.ID("design", id), string(c.Title))
	for _, m := range c.Messages {
		l := exports.Line{ID: string(m.UUID), Role: exports.RoleUser, At: m.Created.Time, Session: id, Meta: exports.Meta{}}
		if m.Role == "assistant" {
			l.Role, l.Speaker = exports.RoleAssistant, "Claude"
		}
		var body struct {
			Content exports.Scalar `json:"content"`
			Blocks  []claudeBlock  `json:"contentBlocks"`
		}
		if json.Unmarshal(m.Content, &body) != nil {
			body.Content = exports.Scalar(exports.JSONText(m.Content))
		}
		var texts []string
		for _, b := range body.Blocks {
			if b.Type == "text" {
				texts = append(texts, string(b.Text))
			} else {
				r.Leave("blocks of other kinds (" + exports.Clip(string(b.Type), 40) + ")")
			}
		}
		l.Content = exports.Either(strings.Join(texts, "\n\n"), string(body.Content))
		t.Add(l)
	}
	if t.First {
		r.Leave("conversations without messages")
	}
	t.Flush()
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
	for _, f := range m.Files {
		r.Note(where, exports.Note{
			ID: r.ID("memory", string(m.Account), string(f.Path)), Title: string(f.Path), Body: string(f.Content), Changed: f.Updated.Time,
			Tags: []string{"memory"},
		})
	}
}
