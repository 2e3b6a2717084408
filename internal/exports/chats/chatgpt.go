package chats

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// The data export of ChatGPT: conversations.json, since 2026 also in pieces (conversations-000.json), is an array of
// conversations. Each holds a tree of messages (mapping) and the leaf that the reader saw last (current_node); the branch to it
// is read, and messages on other branches (edited, regenerated) are counted. OpenAI does not publish the format; this follows
// https://github.com/mitkury/chatgpt-export-parser/blob/main/docs/chatgpt-data-export-format.md and the counts of content types in
// the exports that other readers are tested with. One conversation alone, as programs in the browser save it, is an object. Where
// an answer cites, its text has marks between characters of the private use area; metadata.content_references says what they mean.

var gptFile = regexp.MustCompile(`^conversations(-\d+)?\.json$`)

func gptFiles(s *exports.Source) []exports.File {
	return s.Where(func(f exports.File) bool {
		return gptFile.MatchString(path.Base(f.Name)) || s.Single && f.Ext() == ".json"
	})
}

func looksChatGPT(s *exports.Source) bool {
	return slices.ContainsFunc(gptFiles(s), func(f exports.File) bool {
		head := strings.TrimSpace(s.Head(f, 256<<10))
		return strings.Contains(head, `"mapping"`) && (strings.HasPrefix(head, "[") || strings.HasPrefix(head, "{") && strings.Contains(head, `"children"`))
	})
}

type gptConversation struct {
	ID             exports.Scalar     `json:"id"`
	ConversationID exports.Scalar     `json:"conversation_id"`
	Title          exports.Scalar     `json:"title"`
	Created        exports.Moment     `json:"create_time"`
	Current        exports.Scalar     `json:"current_node"`
	Mapping        map[string]gptNode `json:"mapping"`
	Archived       any                `json:"is_archived"`
	Model          exports.Scalar     `json:"default_model_slug"`
	Gizmo          exports.Scalar     `json:"gizmo_id"`
	Template       exports.Scalar     `json:"conversation_template_id"`
}

type gptNode struct {
	Parent   exports.Scalar   `json:"parent"`
	Children []exports.Scalar `json:"children"`
	Message  *gptMessage      `json:"message"`
}

type gptMessage struct {
	ID     exports.Scalar `json:"id"`
	Author struct {
		Role exports.Scalar `json:"role"`
		Name exports.Scalar `json:"name"`
	} `json:"author"`
	Created   exports.Moment `json:"create_time"`
	Content   gptContent     `json:"content"`
	Recipient exports.Scalar `json:"recipient"`
	Metadata  struct {
		Model       exports.Scalar `json:"model_slug"`
		Hidden      any            `json:"is_visually_hidden_from_conversation"`
		Attachments []struct {
			Name exports.Scalar `json:"name"`
			ID   exports.Scalar `json:"id"`
		} `json:"attachments"`
		References []gptReference `json:"content_references"`
	} `json:"metadata"`
}

// gptReference says what a mark in the text stands for.
type gptReference struct {
	Mark  exports.Scalar `json:"matched_text"`
	Alt   exports.Scalar `json:"alt"`
	Name  exports.Scalar `json:"name"`
	Items []struct {
		URL  exports.Scalar `json:"url"`
		More []struct {
			URL exports.Scalar `json:"url"`
		} `json:"supporting_websites"`
	} `json:"items"`
}

type gptContent struct {
	Type         exports.Scalar    `json:"content_type"`
	Parts        []json.RawMessage `json:"parts"`
	Text         exports.Scalar    `json:"text"`
	Language     exports.Scalar    `json:"language"`
	Result       exports.Scalar    `json:"result"`
	Summary      exports.Scalar    `json:"summary"`
	Output       exports.Scalar    `json:"output_str"`
	Title        exports.Scalar    `json:"title"`
	URL          exports.Scalar    `json:"url"`
	Snippet      exports.Scalar    `json:"snippet"`
	Profile      exports.Scalar    `json:"user_profile"`
	Instructions exports.Scalar    `json:"user_instructions"`
	Context      exports.Scalar    `json:"model_set_context"`
}

func readChatGPT(r *reading) {
	for _, f := range gptFiles(r.Source) {
		each(r, f, r.gptConversation)
	}
	for _, f := range r.Source.Files {
		if base := path.Base(f.Name); !r.Source.Single && !gptFile.MatchString(base) && base != "chat.html" {
			r.Leave("files beside the conversations (" + f.Ext() + ")")
		}
	}
}

func (r *reading) gptConversation(where string, c *gptConversation) {
	id := string(c.ConversationID)
	if id == "" {
		id = string(c.ID)
	}
	if id == "" {
		id = exports.Digest(string(c.Title), c.Created.String())
	}
	t := r.Talk(where, r.ID(id), string(c.Title))
	branch := gptBranch(c)
	on := make(map[string]bool, len(branch))
	first := exports.Meta{}.Str("model", string(c.Model)).Str("gpt", string(c.Gizmo)).Str("project", string(c.Template)).Yes("archived",
		c.Archived == true)
	for _, key := range branch {
		on[key] = true
		m := c.Mapping[key].Message
		if m == nil {
			continue
		}
		if m.Metadata.Hidden == true && m.Content.Type != "user_editable_context" && m.Content.Type != "model_editable_context" {
			r.Leave("hidden messages")
			continue
		}
		l, ok := r.gptLine(key, m)
		if !ok {
			continue
		}
		l.Session = id
		if l.At.IsZero() {
			l.At = c.Created.Time
		}
		if t.First {
			for k, v := range first {
				if _, there := l.Meta[k]; !there {
					l.Meta[k] = v
				}
			}
		}
		t.Add(l)
	}
	if t.First {
		r.Leave("conversations without messages")
	}
	t.Flush()
	for key, n := range c.Mapping {
		if !on[key] && n.Message != nil && (n.Message.Author.Role == exports.RoleUser || n.Message.Author.Role == exports.RoleAssistant) {
			r.Leave("messages on branches that were edited or regenerated")
		}
	}
}

// gptBranch returns the nodes from the root to the current one. Without a current node the last child of each is followed.
func gptBranch(c *gptConversation) []string {
	at := string(c.Current)
	if _, ok := c.Mapping[at]; !ok {
		at = ""
		var roots []string
		for key, n := range c.Mapping {
			if _, ok := c.Mapping[string(n.Parent)]; !ok {
				roots = append(roots, key)
			}
		}
		slices.Sort(roots)
		for seen := map[string]bool{}; len(roots) > 0 && !seen[roots[len(roots)-1]]; {
			at = roots[len(roots)-1]
			seen[at] = true
			roots = nil
			for _, ch := range c.Mapping[at].Children {
				if _, ok := c.Mapping[string(ch)]; ok {
					roots = append(roots, string(ch))
				}
			}
		}
	}
	var path []string
	for seen := map[string]bool{}; at != "" && !seen[at]; {
		n, ok := c.Mapping[at]
		if !ok {
			break
		}
		seen[at] = true
		path = append(path, at)
		at = string(n.Parent)
	}
	slices.Reverse(path)
	return path
}

func (r *reading) gptLine(key string, m *gptMessage) (exports.Line, bool) {
	id := string(m.ID)
	if id == "" {
		id = key
	}
	l := exports.Line{ID: id, Role: string(m.Author.Role), At: m.Created.Time, Meta: exports.Meta{}}
	switch l.Role {
	case exports.RoleAssistant:
		l.Speaker = "ChatGPT"
	case exports.RoleTool:
		l.Speaker = string(m.Author.Name)
	}
	c := m.Content
	var carried []string
	switch c.Type {
	case "thoughts", "reasoning_recap":
		r.Leave("reasoning traces")
		return l, false
	case "code":
		l.Content = fenced(string(c.Language), string(c.Text))
	case "execution_output", "citable_code_output":
		l.Content = fenced("", exports.FirstOf(c.Text, c.Output))
	case "tether_quote", "sonic_webpage":
		l.Content = strings.TrimSpace(string(c.Title) + " " + string(c.URL) + "\n\n" + exports.FirstOf(c.Text, c.Snippet))
	case "tether_browsing_display":
		l.Content = exports.FirstOf(c.Result, c.Summary)
	case "user_editable_context":
		l.Role = exports.RoleSystem
		l.Content = strings.TrimSpace(string(c.Profile) + "\n\n" + string(c.Instructions))
	case "model_editable_context":
		l.Role = exports.RoleSystem
		l.Content = string(c.Context)
	default:
		l.Content, carried = gptParts(c)
	}
	l.Content = gptCited(l.Content, m.Metadata.References, l.Meta)
	if text.Blank(l.Content) && len(carried) == 0 && len(m.Metadata.Attachments) == 0 {
		if !slices.Contains(gptTexts, c.Type) { // empty ones stand at the root of every tree
			r.Leave("messages of other kinds (" + exports.Clip(string(c.Type), 40) + ")")
		}
		return l, false
	}
	for _, a := range m.Metadata.Attachments {
		carried = append(carried, "attachment: "+string(a.Name))
		l.Meta.List("attachments", append(l.Meta.Strings("attachments"), string(a.ID)))
	}
	l.Content = exports.Attached(l.Content, carried)
	if c.Type != "text" && c.Type != "multimodal_text" {
		l.Meta.Str("content_type", string(c.Type))
	}
	if m.Recipient != "all" {
		l.Meta.Str("recipient", string(m.Recipient))
	}
	l.Meta.Str("model", string(m.Metadata.Model))
	return l, true
}

// mostSources is how many addresses that an answer cites are kept.
const mostSources = 50

// gptTexts are the content types whose messages may be empty.
var gptTexts = []exports.Scalar{
	"", "text", "multimodal_text", "code", "execution_output", "tether_browsing_display", "user_editable_context", "model_editable_context",
}

// gptMark is a mark in a text that its references do not explain: what kind it is and its arguments, between private characters.
var gptMark = regexp.MustCompile(`\x{e200}([a-z_]{1,30})\x{e202}?([^\x{e200}\x{e201}]*)\x{e201}`)

// gptEntity is what the mark of an entity holds: its kind and its name.
var gptEntity = regexp.MustCompile(`^\["[^"]*",\s*"([^"]{1,200})"`)

// gptCited puts in the place of marks what they stand for, and takes away those that stand for nothing. The addresses go to the
// metadata.
func gptCited(s string, refs []gptReference, to exports.Meta) string {
	var sources []string
	for _, ref := range refs {
		for _, it := range ref.Items {
			sources = append(sources, string(it.URL))
			for _, more := range it.More {
				sources = append(sources, string(more.URL))
			}
		}
		mark := string(ref.Mark)
		if !strings.HasPrefix(strings.TrimSpace(mark), "\ue200") && !strings.HasPrefix(strings.TrimSpace(mark), "【") {
			continue
		}
		with := exports.FirstOf(ref.Alt)
		if with == "" && ref.Name != "" {
			with = "(" + exports.FirstOf(ref.Name) + ")"
		}
		s = strings.ReplaceAll(s, mark, with)
	}
	sources = slices.DeleteFunc(exports.Dedupe(sources), func(u string) bool { return !exports.WebAddress(u) })
	to.List("sources", sources[:min(len(sources), mostSources)])
	if !strings.Contains(s, "\ue200") {
		return s
	}
	return gptMark.ReplaceAllStringFunc(s, func(mark string) string {
		m := gptMark.FindStringSubmatch(mark)
		if e := gptEntity.FindStringSubmatch(m[2]); m[1] == "entity" && e != nil {
			return e[1]
		}
		if m[1] == "url" { // its label stands before the address
			label, _, _ := strings.Cut(m[2], "\ue202")
			return label
		}
		return ""
	})
}

// gptParts joins the parts of a text; parts that are no text are named.
func gptParts(c gptContent) (content string, carried []string) {
	var texts []string
	for _, raw := range c.Parts {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			if s != "" {
				texts = append(texts, s)
			}
			continue
		}
		var part struct {
			Type    exports.Scalar `json:"content_type"`
			Text    exports.Scalar `json:"text"`
			Pointer exports.Scalar `json:"asset_pointer"`
			Audio   struct {
				Pointer exports.Scalar `json:"asset_pointer"`
			} `json:"audio_asset_pointer"`
			Output exports.Scalar `json:"output"`
		}
		if json.Unmarshal(raw, &part) != nil {
			continue
		}
		switch {
		case part.Text != "":
			texts = append(texts, string(part.Text))
		case part.Audio.Pointer != "": // talking live
			carried = append(carried, "audio: "+string(part.Audio.Pointer))
		case part.Output != "":
			texts = append(texts, fenced("", string(part.Output)))
		case part.Pointer != "":
			carried = append(carried, strings.TrimSuffix(string(part.Type), "_asset_pointer")+": "+string(part.Pointer))
		default:
			carried = append(carried, string(part.Type))
		}
	}
	if len(texts) == 0 && c.Text != "" {
		texts = []string{string(c.Text)}
	}
	return strings.Join(texts, "\n"), carried
}

// fenced puts code between fences that are longer than any in it.
func fenced(language, code string) string {
	if text.Blank(code) {
		return ""
	}
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	if language == "unknown" {
		language = ""
	}
	return fence + language + "\n" + strings.TrimRight(code, "\n") + "\n" + fence
}
