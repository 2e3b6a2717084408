package chats

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

// The JSON export of Telegram Desktop (Settings, Advanced, Export Telegram data; or Export chat history): result.json is one chat,
// or everything with chats.list. Described in https://core.telegram.org/import-export and by
// https://github.com/telegramdesktop/tdesktop/blob/dev/Telegram/SourceFiles/export/output/export_output_json.cpp. A text is a
// string, or a list of strings and of entities with a type. The HTML export is not read.

func telegramFiles(s *exports.Source) []exports.File {
	return s.Where(func(f exports.File) bool {
		if f.Ext() != ".json" || !s.Single && path.Base(f.Name) != "result.json" {
			return false
		}
		head := s.Head(f, 16<<10)
		return strings.HasPrefix(strings.TrimSpace(head), "{") &&
			(strings.Contains(head, `"personal_information"`) || strings.Contains(head, `"messages"`) && strings.Contains(head, `"type"`) &&
				(strings.Contains(head, `"date_unixtime"`) || strings.Contains(head, `"from_id"`) || strings.Contains(head, `"actor_id"`)) ||
				strings.Contains(head, `"chats"`) && strings.Contains(head, `"list"`))
	})
}

func looksTelegram(s *exports.Source) bool { return len(telegramFiles(s)) > 0 }

type telegramMessage struct {
	ID        exports.Scalar   `json:"id"`
	Type      exports.Scalar   `json:"type"`
	Date      exports.Scalar   `json:"date"`
	Unix      exports.Moment   `json:"date_unixtime"`
	Edited    exports.Moment   `json:"edited_unixtime"`
	From      exports.Scalar   `json:"from"`
	FromID    exports.Scalar   `json:"from_id"`
	Actor     exports.Scalar   `json:"actor"`
	ActorID   exports.Scalar   `json:"actor_id"`
	Action    exports.Scalar   `json:"action"`
	Title     exports.Scalar   `json:"title"`
	Members   []exports.Scalar `json:"members"`
	NewTitle  exports.Scalar   `json:"new_title"`
	Inviter   exports.Scalar   `json:"inviter"`
	Told      exports.Scalar   `json:"information_text"`
	Ended     exports.Scalar   `json:"discard_reason"`
	Seconds   exports.Scalar   `json:"duration_seconds"`
	Performer exports.Scalar   `json:"performer"`
	Text      json.RawMessage  `json:"text"`
	Entities  json.RawMessage  `json:"text_entities"`
	Photo     exports.Scalar   `json:"photo"`
	File      exports.Scalar   `json:"file"`
	FileName  exports.Scalar   `json:"file_name"`
	Media     exports.Scalar   `json:"media_type"`
	Emoji     exports.Scalar   `json:"sticker_emoji"`
	Author    exports.Scalar   `json:"author"` // who signed a post of a channel
	SavedFrom exports.Scalar   `json:"saved_from"`
	Place     exports.Scalar   `json:"place_name"`
	Address   exports.Scalar   `json:"address"`
	Forwarded exports.Scalar   `json:"forwarded_from"`
	ReplyTo   exports.Scalar   `json:"reply_to_message_id"`
	Via       exports.Scalar   `json:"via_bot"`
	Poll      *struct {
		Question exports.Scalar `json:"question"`
		Answers  []struct {
			Text exports.Scalar `json:"text"`
		} `json:"answers"`
	} `json:"poll"`
	Reactions []struct {
		Type  exports.Scalar `json:"type"`
		Emoji exports.Scalar `json:"emoji"`
		Count float64        `json:"count"`
	} `json:"reactions"`
	Location map[string]any `json:"location_information"`
	Contact  map[string]any `json:"contact_information"`
}

// telegram is what is known while a file is read.
type telegram struct {
	r    *reading
	file string
	me   string // from_id of the owner
}

func readTelegram(r *reading) {
	files := telegramFiles(r.Source)
	for _, f := range files {
		g := &telegram{r: r, file: f.Name}
		r.JSON(f, g.top)
	}
	r.LeaveN("files beside the chats", len(r.Source.Files)-len(files))
}

// top reads the outermost object: a chat, or all of them.
func (g *telegram) top(s *exports.Stream) error {
	var chat telegramChat
	err := s.Object(func(key string) error {
		switch key {
		case "personal_information":
			var me struct {
				ID exports.Scalar `json:"user_id"`
			}
			if err := ignoreMisfit(s.Decode(&me)); err != nil {
				return err
			}
			g.me = "user" + string(me.ID)
			return nil
		case "chats", "left_chats":
			return s.Object(func(key string) error {
				if key != "list" {
					return s.Skip()
				}
				return s.Array(func(int) error {
					var chat telegramChat
					err := s.Object(func(key string) error { return g.chatField(s, &chat, key) })
					chat.end()
					return err
				})
			})
		case "about":
			return s.Skip()
		case "name", "type", "id", "messages":
			return g.chatField(s, &chat, key)
		}
		g.r.Leave("sections of other kinds (" + exports.Clip(key, 40) + ")")
		return s.Skip()
	})
	chat.end()
	return err
}

type telegramChat struct {
	name, kind, id exports.Scalar
	t              *exports.Talk
}

func (c *telegramChat) end() {
	if c.t != nil {
		c.t.Flush()
	}
}

func (g *telegram) chatField(s *exports.Stream, c *telegramChat, key string) error {
	switch key {
	case "name":
		return s.Decode(&c.name)
	case "type":
		return s.Decode(&c.kind)
	case "id":
		return s.Decode(&c.id)
	case "messages":
		id, name := string(c.id), string(c.name)
		if id == "" {
			id = exports.Digest(g.file, name)
		}
		if name == "" {
			name = strings.ReplaceAll(string(c.kind), "_", " ")
		}
		c.t = g.r.Talk(g.file, g.r.ID(id), name)
		return exports.Elements(g.r.Reading, s, g.file, func(_ int, where string, m *telegramMessage) {
			c.t.Where = where
			g.message(c, m)
		})
	}
	return s.Skip()
}

func (g *telegram) message(c *telegramChat, m *telegramMessage) {
	l := exports.Line{
		ID: string(m.ID), Role: exports.RoleUser, Speaker: string(m.From), At: m.Unix.Time, Content: telegramText(m.Text),
		Meta: exports.Meta{},
	}
	if l.At.IsZero() {
		l.At = g.r.Time(c.t.Where, "date", string(m.Date))
	}
	if l.Content == "" {
		l.Content = telegramText(m.Entities)
	}
	if m.FromID != "" && string(m.FromID) == g.me {
		l.Speaker = ""
	} else if l.Speaker == "" && m.Type != "service" {
		l.Speaker = string(m.FromID) // a deleted account
	}
	if m.Type == "service" {
		l.Role, l.Speaker = exports.RoleSystem, ""
		names := make([]string, 0, len(m.Members))
		for _, x := range m.Members {
			names = append(names, string(x))
		}
		l.Content = strings.TrimSpace(strings.Join(exports.Dedupe([]string{
			exports.FirstOf(m.Actor, m.ActorID), strings.ReplaceAll(string(m.Action), "_", " "), exports.FirstOf(m.Title, m.NewTitle),
			strings.Join(names, ", "), string(m.Inviter), string(m.Told), l.Content,
		}), " "))
		l.Meta.Str("action", string(m.Action)).Str("ended", string(m.Ended))
	}
	carried := telegramCarried(m, l.Meta)
	l.Content = exports.Attached(l.Content, carried)
	l.Meta.Str("forwarded_from", string(m.Forwarded)).Str("reply_to", string(m.ReplyTo)).Str("via", string(m.Via)).At("edited_at", m.Edited.Time)
	l.Meta.Any("location", m.Location).Any("contact", m.Contact).Str("author", string(m.Author)).Str("saved_from", string(m.SavedFrom))
	reactions := make([]string, 0, len(m.Reactions))
	for _, x := range m.Reactions {
		reactions = append(reactions, fmt.Sprintf("%s %v", exports.FirstOf(x.Emoji, x.Type), x.Count))
	}
	l.Meta.List("reactions", reactions).Str("seconds", string(m.Seconds))
	if c.t.First {
		l.Meta.Str("chat_type", string(c.kind))
	}
	t := c.t
	t.Add(l)
}

// telegramCarried names what a message carries besides its text. Where the export has left a file out, its field says why, in
// brackets.
func telegramCarried(m *telegramMessage, to exports.Meta) []string {
	var carried []string
	name := func(of exports.Scalar) string {
		if s := string(of); s != "" && (s[0] != '(' || !strings.HasSuffix(s, ")")) {
			to.Str("file", s)
			return path.Base(s)
		}
		return ""
	}
	if m.Photo != "" {
		carried = append(carried, strings.TrimSuffix("photo: "+name(m.Photo), ": "))
	}
	if m.File != "" || m.Media != "" {
		kind := exports.Either(strings.ReplaceAll(string(m.Media), "_", " "), "file")
		file := name(m.File)
		song := strings.Join(exports.Dedupe([]string{string(m.Performer), string(m.Title)}), ", ")
		what := exports.OneLine(string(m.Emoji) + " " + exports.Either(song, exports.Either(string(m.FileName), file)))
		carried = append(carried, strings.TrimSuffix(kind+": "+what, ": "))
	}
	if m.Poll != nil {
		answers := make([]string, 0, len(m.Poll.Answers))
		for _, a := range m.Poll.Answers {
			answers = append(answers, string(a.Text))
		}
		carried = append(carried, "poll: "+string(m.Poll.Question)+" ("+strings.Join(answers, "; ")+")")
	}
	if place := strings.Join(exports.Dedupe([]string{string(m.Place), string(m.Address)}), ", "); place != "" {
		carried = append(carried, "place: "+place)
	}
	if s := func(key string) string { v, _ := m.Contact[key].(string); return v }; len(m.Contact) > 0 {
		carried = append(carried, "contact: "+exports.OneLine(s("first_name")+" "+s("last_name")+" "+s("phone_number")))
	}
	if len(m.Location) > 0 {
		carried = append(carried, fmt.Sprintf("location: %v, %v", m.Location["latitude"], m.Location["longitude"]))
	}
	return carried
}

// telegramText flattens a text: entities that are addresses become links, code stays code, the rest is its words.
func telegramText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return exports.JSONText(raw)
	}
	var b strings.Builder
	for _, p := range parts {
		if json.Unmarshal(p, &s) == nil {
			b.WriteString(s)
			continue
		}
		var e struct {
			Type exports.Scalar `json:"type"`
			Text exports.Scalar `json:"text"`
			Href exports.Scalar `json:"href"`
			Lang exports.Scalar `json:"language"`
		}
		if json.Unmarshal(p, &e) != nil {
			continue
		}
		switch {
		case e.Type == "text_link" && e.Href != "" && e.Href != e.Text:
			b.WriteString("[" + string(e.Text) + "](" + string(e.Href) + ")")
		case e.Type == "pre":
			b.WriteString("\n" + fenced(string(e.Lang), string(e.Text)) + "\n")
		case e.Type == "code" && !strings.Contains(string(e.Text), "`"):
			b.WriteString("`" + string(e.Text) + "`")
		default:
			b.WriteString(string(e.Text))
		}
	}
	return strings.Trim(b.String(), "\n")
}
