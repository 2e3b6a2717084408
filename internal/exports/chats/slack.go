package chats

import (
	"encoding/json"
	"html"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

// The export of a Slack workspace: users.json, channels.json, groups.json, dms.json and mpims.json, and a folder per channel
// (named by it, or by the id of a direct message) with one file of messages a day. Described in
// https://slack.com/help/articles/220556107-How-to-read-Slack-data-exports; the text of messages in
// https://docs.slack.dev/messaging/formatting-message-text. A channel is one conversation; the messages of a thread share a session.

var slackDay = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}\.json$`)

// slackLists are the files that are read before the messages, and those that say nothing.
var slackLists = map[string]bool{
	"users.json": true, "org_users.json": true, "channels.json": true, "groups.json": true, "dms.json": true, "mpims.json": true,
	"integration_logs.json": true,
}

func looksSlack(s *exports.Source) bool {
	if !slices.ContainsFunc(s.Files, func(f exports.File) bool { return f.Name == "users.json" || f.Name == "org_users.json" }) {
		return false
	}
	return slices.ContainsFunc(s.Files, func(f exports.File) bool {
		return slackDay.MatchString(path.Base(f.Name)) && path.Dir(f.Name) != "." || f.Name == "channels.json" || f.Name == "dms.json"
	})
}

type slackUser struct {
	ID       exports.Scalar `json:"id"`
	Name     exports.Scalar `json:"name"`
	RealName exports.Scalar `json:"real_name"`
	Profile  struct {
		Display  exports.Scalar `json:"display_name"`
		RealName exports.Scalar `json:"real_name"`
	} `json:"profile"`
}

type slackChannel struct {
	ID      exports.Scalar   `json:"id"`
	Name    exports.Scalar   `json:"name"`
	Members []exports.Scalar `json:"members"`
	Topic   struct {
		Value exports.Scalar `json:"value"`
	} `json:"topic"`
	Purpose struct {
		Value exports.Scalar `json:"value"`
	} `json:"purpose"`
}

type slackMessage struct {
	Type     exports.Scalar `json:"type"`
	Subtype  exports.Scalar `json:"subtype"`
	User     exports.Scalar `json:"user"`
	Username exports.Scalar `json:"username"`
	BotID    exports.Scalar `json:"bot_id"`
	Text     exports.Scalar `json:"text"`
	TS       exports.Scalar `json:"ts"`
	Thread   exports.Scalar `json:"thread_ts"`
	Profile  struct {
		Display  exports.Scalar `json:"display_name"`
		RealName exports.Scalar `json:"real_name"`
	} `json:"user_profile"`
	Bot struct {
		Name exports.Scalar `json:"name"`
	} `json:"bot_profile"`
	Edited struct {
		TS exports.Scalar `json:"ts"`
	} `json:"edited"`
	Files []struct {
		Name  exports.Scalar `json:"name"`
		Title exports.Scalar `json:"title"`
		URL   exports.Scalar `json:"url_private"`
	} `json:"files"`
	Attachments []struct {
		Pretext  exports.Scalar `json:"pretext"`
		Title    exports.Scalar `json:"title"`
		Link     exports.Scalar `json:"title_link"`
		Text     exports.Scalar `json:"text"`
		Fallback exports.Scalar `json:"fallback"`
		Author   exports.Scalar `json:"author_name"`
		From     exports.Scalar `json:"from_url"`
		Fields   []struct {
			Title exports.Scalar `json:"title"`
			Value exports.Scalar `json:"value"`
		} `json:"fields"`
		Blocks []slackBlock `json:"blocks"`
	} `json:"attachments"`
	Blocks    []slackBlock `json:"blocks"`
	Reactions []struct {
		Name  exports.Scalar   `json:"name"`
		Users []exports.Scalar `json:"users"`
	} `json:"reactions"`
}

// slack is what the messages need to be read.
type slack struct {
	r        *reading
	users    map[string]string
	channels map[string]slackChannel // by folder
}

func readSlack(r *reading) {
	s := &slack{r: r, users: map[string]string{}, channels: map[string]slackChannel{}}
	for _, f := range r.Source.Files {
		switch f.Name {
		case "users.json", "org_users.json":
			each(r, f, func(_ string, u *slackUser) {
				s.users[string(u.ID)] = exports.FirstOf(u.Profile.Display, u.Profile.RealName, u.RealName, u.Name)
			})
		case "channels.json", "groups.json", "dms.json", "mpims.json":
			each(r, f, func(_ string, c *slackChannel) {
				s.channels[exports.FirstOf(c.Name, c.ID)] = *c
			})
		}
	}
	var t *exports.Talk
	folder := ""
	for _, f := range r.Source.Files {
		dir := path.Dir(f.Name)
		if dir == "." {
			if !slackLists[f.Name] {
				r.Leave("lists of other kinds (" + f.Name + ")")
			}
			continue
		}
		if !slackDay.MatchString(path.Base(f.Name)) {
			r.Leave("files of other kinds (" + f.Ext() + ")")
			continue
		}
		if t == nil || dir != folder {
			if t != nil {
				t.Flush()
			}
			folder = dir
			t = s.talk(f, dir)
		}
		t.Where = f.Name
		r.JSON(f, func(st *exports.Stream) error {
			return exports.Elements(r.Reading, st, f.Name, func(_ int, where string, m *slackMessage) { s.message(t, where, m) })
		})
	}
	if t != nil {
		t.Flush()
	}
}

// talk begins the conversation of a folder. A direct message is named after its members.
func (s *slack) talk(f exports.File, dir string) *exports.Talk {
	c, ok := s.channels[path.Base(dir)]
	if !ok {
		return s.r.Talk(f.Name, s.r.ID(dir), "#"+path.Base(dir))
	}
	title := "#" + string(c.Name)
	if c.Name == "" || strings.HasPrefix(string(c.Name), "mpdm-") {
		names := make([]string, 0, len(c.Members))
		for _, m := range c.Members {
			names = append(names, s.who(string(m)))
		}
		title = strings.Join(names, ", ")
	}
	return s.r.Talk(f.Name, s.r.ID(string(c.ID)), title)
}

func (s *slack) who(id string) string {
	if name := s.users[id]; name != "" {
		return name
	}
	return id
}

func (s *slack) message(t *exports.Talk, where string, m *slackMessage) {
	if m.Subtype == "tombstone" || m.TS == "" {
		s.r.Leave("deleted messages")
		return
	}
	c := s.channels[path.Base(path.Dir(t.Where))]
	l := exports.Line{
		ID: string(m.TS), Role: exports.RoleUser, At: s.r.Time(where, "ts", string(m.TS)), Content: s.text(string(m.Text)),
		Meta: exports.Meta{},
	}
	l.Speaker = s.users[string(m.User)]
	if l.Speaker == "" {
		l.Speaker = exports.FirstOf(m.Profile.Display, m.Profile.RealName, m.Username, m.Bot.Name, m.User, m.BotID)
	}
	switch {
	case m.Subtype == "bot_message" || m.BotID != "" && m.User == "":
		l.Role = exports.RoleTool
	case m.Subtype != "" && !slices.Contains([]exports.Scalar{"me_message", "thread_broadcast", "file_share", "file_comment", "reply_broadcast"},
		m.Subtype):
		l.Role = exports.RoleSystem
		l.Meta.Str("subtype", string(m.Subtype))
	}
	if m.Thread != "" {
		l.Session = "thread " + string(m.Thread)
		if m.Thread != m.TS {
			l.Meta.Str("reply_to", string(m.Thread))
		}
	}
	if t.First {
		l.Meta.Str("topic", s.text(string(c.Topic.Value))).Str("purpose", s.text(string(c.Purpose.Value)))
	}
	if l.Content == "" {
		l.Content = s.blocks(m.Blocks)
	}
	for _, a := range m.Attachments {
		parts := []string{s.text(string(a.Author)), s.text(string(a.Pretext)), s.text(string(a.Title)), exports.FirstOf(a.Link, a.From)}
		body := []string{s.text(string(a.Text)), s.blocks(a.Blocks)}
		for _, f := range a.Fields {
			body = append(body, strings.Trim(s.text(string(f.Title)+": "+string(f.Value)), " :"))
		}
		if strings.Join(body, "") == "" && strings.Join(parts[1:3], "") == "" {
			body = []string{s.text(string(a.Fallback))}
		}
		if quote := strings.TrimSpace(strings.Join(exports.Dedupe(append(parts, body...)), "\n")); quote != "" {
			l.Content = strings.TrimSpace(l.Content + "\n> " + strings.ReplaceAll(exports.Collapse(quote), "\n", "\n> "))
		}
	}
	var carried, reactions []string
	for _, f := range m.Files {
		carried = append(carried, "file: "+exports.FirstOf(f.Title, f.Name, f.URL))
		l.Meta.List("files", append(l.Meta.Strings("files"), string(f.URL)))
	}
	for _, x := range m.Reactions {
		for _, u := range x.Users {
			reactions = append(reactions, ":"+string(x.Name)+": "+s.who(string(u)))
		}
	}
	l.Content = exports.Attached(l.Content, carried)
	l.Meta.List("reactions", reactions).At("edited_at", exports.ParseTime(string(m.Edited.TS), s.r.Options.Zone))
	t.Add(l)
}

// slackBlock is a block of a message or a piece of one (https://docs.slack.dev/reference/block-kit/blocks). Messages of people have
// the same words in their text; programs write blocks alone.
type slackBlock struct {
	Type     exports.Scalar  `json:"type"`
	Text     json.RawMessage `json:"text"` // of a piece a text, of a block an object with one
	Alt      exports.Scalar  `json:"alt_text"`
	URL      exports.Scalar  `json:"url"`
	Name     exports.Scalar  `json:"name"`
	User     exports.Scalar  `json:"user_id"`
	Channel  exports.Scalar  `json:"channel_id"`
	Elements []slackBlock    `json:"elements"`
	Fields   []slackBlock    `json:"fields"`
}

// blocks writes the words of blocks, a line each.
func (s *slack) blocks(list []slackBlock) string {
	lines := make([]string, 0, len(list))
	for i := range list {
		if line := strings.TrimSpace(s.block(&list[i])); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func (s *slack) block(b *slackBlock) string {
	switch b.Type {
	case "rich_text_list":
		return "- " + strings.ReplaceAll(s.blocks(b.Elements), "\n", "\n- ")
	case "rich_text_quote":
		return "> " + strings.ReplaceAll(s.run(b.Elements), "\n", "\n> ")
	case "rich_text_preformatted":
		return fenced("", s.run(b.Elements))
	case "rich_text_section":
		return s.run(b.Elements)
	case "divider":
		return ""
	}
	var inner struct {
		Text exports.Scalar `json:"text"`
	}
	words := exports.Scalar(exports.JSONText(b.Text))
	if json.Unmarshal(b.Text, &inner) == nil {
		words = inner.Text
	}
	return strings.Join(slices.DeleteFunc([]string{
		s.text(string(words)), string(b.Alt), s.blocks(b.Fields), s.blocks(b.Elements),
	}, func(part string) bool { return part == "" }), "\n")
}

// run writes the pieces of a line.
func (s *slack) run(list []slackBlock) string {
	var out strings.Builder
	for _, b := range list {
		words := exports.JSONText(b.Text)
		switch {
		case b.Type == "user":
			out.WriteString("@" + s.who(string(b.User)))
		case b.Type == "channel":
			out.WriteString("#" + s.place(string(b.Channel)))
		case b.Type == "emoji":
			out.WriteString(":" + string(b.Name) + ":")
		case b.Type == "link" && words != "" && words != string(b.URL):
			out.WriteString("[" + words + "](" + string(b.URL) + ")")
		case b.Type == "link":
			out.WriteString(string(b.URL))
		case len(b.Elements) > 0:
			out.WriteString(s.run(b.Elements))
		case b.Type == "broadcast":
			out.WriteString("@here")
		default:
			out.WriteString(words)
		}
	}
	return out.String()
}

// place is the name of a channel.
func (s *slack) place(id string) string {
	for _, c := range s.channels {
		if string(c.ID) == id && c.Name != "" {
			return string(c.Name)
		}
	}
	return id
}

var slackMark = regexp.MustCompile(`<([@#!]?)([^<>|\n]*)(?:\|([^<>\n]*))?>`)

// text resolves mentions, channels and links and decodes the three entities that Slack writes.
func (s *slack) text(in string) string {
	out := slackMark.ReplaceAllStringFunc(in, func(mark string) string {
		m := slackMark.FindStringSubmatch(mark)
		target, label := m[2], m[3]
		switch m[1] {
		case "@":
			if name := s.users[target]; name != "" {
				return "@" + name
			}
			return "@" + exports.Either(label, target)
		case "#":
			return "#" + exports.Either(label, s.place(target))
		case "!":
			if label != "" {
				return label
			}
			name, _, _ := strings.Cut(target, "^")
			return "@" + name
		}
		switch {
		case label == "" || label == target || strings.TrimPrefix(target, "mailto:") == label:
			return strings.TrimPrefix(target, "mailto:")
		case strings.Contains(target, "://"):
			return "[" + label + "](" + target + ")"
		}
		return mark
	})
	return html.UnescapeString(out)
}
