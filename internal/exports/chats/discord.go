package chats

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

// Two kinds of Discord export. DiscordChatExporter (https://github.com/Tyrrrz/DiscordChatExporter) writes one JSON file a channel
// with the messages of everybody; its format is described in
// https://github.com/Roachbones/discordless/blob/main/dcejson_spec.md. The data package that Discord itself sends
// (https://support.discord.com/hc/en-us/articles/360004957991) holds only the messages of its owner: messages/index.json names
// the channels, messages/c<ID>/messages.json (older: messages.csv) has ID, Timestamp, Contents and Attachments. Since 2025 the
// folder messages has its name in the language of the account, and the files in it have kept theirs.

func discordFiles(s *exports.Source) []exports.File {
	return s.Where(func(f exports.File) bool {
		if f.Ext() != ".json" {
			return false
		}
		head := s.Head(f, 512)
		return strings.HasPrefix(strings.TrimLeft(head, "{ \r\n\t"), `"guild"`)
	})
}

func looksDiscord(s *exports.Source) bool { return len(discordFiles(s)) > 0 }

type discordMessage struct {
	ID      exports.Scalar `json:"id"`
	Type    exports.Scalar `json:"type"`
	Time    exports.Moment `json:"timestamp"`
	Edited  exports.Moment `json:"timestampEdited"`
	Pinned  any            `json:"isPinned"`
	Content exports.Scalar `json:"content"`
	Author  struct {
		Name     exports.Scalar `json:"name"`
		Nickname exports.Scalar `json:"nickname"`
		Bot      any            `json:"isBot"`
	} `json:"author"`
	discordCarried
	Forwarded *struct {
		Content exports.Scalar `json:"content"`
		Time    exports.Moment `json:"timestamp"`
		discordCarried
	} `json:"forwardedMessage"`
	Interaction struct {
		Name exports.Scalar `json:"name"`
		User struct {
			Name     exports.Scalar `json:"name"`
			Nickname exports.Scalar `json:"nickname"`
		} `json:"user"`
	} `json:"interaction"`
	Reactions []struct {
		Emoji struct {
			Name exports.Scalar `json:"name"`
		} `json:"emoji"`
		Count float64 `json:"count"`
	} `json:"reactions"`
	Reference struct {
		Message exports.Scalar `json:"messageId"`
	} `json:"reference"`
}

// discordCarried is what a message carries besides its text, and a forwarded one too.
type discordCarried struct {
	Attachments []struct {
		Name exports.Scalar `json:"fileName"`
		URL  exports.Scalar `json:"url"`
	} `json:"attachments"`
	Embeds []struct {
		Title       exports.Scalar `json:"title"`
		URL         exports.Scalar `json:"url"`
		Description exports.Scalar `json:"description"`
		Author      struct {
			Name exports.Scalar `json:"name"`
		} `json:"author"`
		Fields []struct {
			Name  exports.Scalar `json:"name"`
			Value exports.Scalar `json:"value"`
		} `json:"fields"`
		Footer struct {
			Text exports.Scalar `json:"text"`
		} `json:"footer"`
	} `json:"embeds"`
	Stickers []struct {
		Name exports.Scalar `json:"name"`
	} `json:"stickers"`
}

// quotes are the embeds, as quotes; a preview that says what the message says is none.
func (d *discordCarried) quotes(content string) string {
	for _, e := range d.Embeds {
		parts := []string{string(e.Author.Name), string(e.Title), string(e.URL), string(e.Description)}
		for _, f := range e.Fields {
			parts = append(parts, strings.Trim(string(f.Name)+": "+string(f.Value), " :\u200b"))
		}
		quote := strings.TrimSpace(strings.Join(exports.Dedupe(append(parts, string(e.Footer.Text))), "\n"))
		if quote != "" && quote != strings.TrimSpace(content) {
			content = strings.TrimSpace(content + "\n> " + strings.ReplaceAll(exports.Collapse(quote), "\n", "\n> "))
		}
	}
	return content
}

// names are the files and stickers, and the addresses of the files.
func (d *discordCarried) names() (names, urls []string) {
	for _, a := range d.Attachments {
		names = append(names, "attachment: "+string(a.Name))
		urls = append(urls, string(a.URL))
	}
	for _, a := range d.Stickers {
		names = append(names, "sticker: "+string(a.Name))
	}
	return names, urls
}

type discordPlace struct {
	ID       exports.Scalar `json:"id"`
	Name     exports.Scalar `json:"name"`
	Category exports.Scalar `json:"category"`
	Topic    exports.Scalar `json:"topic"`
}

func readDiscord(r *reading) {
	files := discordFiles(r.Source)
	for _, f := range files {
		var guild, channel discordPlace
		var t *exports.Talk
		r.JSON(f, func(s *exports.Stream) error {
			return s.Object(func(key string) error {
				switch key {
				case "guild":
					return ignoreMisfit(s.Decode(&guild))
				case "channel":
					return ignoreMisfit(s.Decode(&channel))
				case "messages":
					id := exports.Either(string(channel.ID), exports.Digest(f.Name))
					t = r.Talk(f.Name, r.ID(id), strings.Join(exports.Dedupe([]string{string(guild.Name), string(channel.Category), string(channel.Name)}), " / "))
					return exports.Elements(r.Reading, s, f.Name, func(_ int, where string, m *discordMessage) {
						t.Where = where
						r.discordMessage(t, m, channel)
					})
				}
				return s.Skip()
			})
		})
		if t != nil {
			t.Flush()
		}
	}
	r.LeaveN("files beside the channels", len(r.Source.Files)-len(files))
}

func ignoreMisfit(err error) error {
	if err != nil && exports.IsMisfit(err) {
		return nil
	}
	return err
}

func (r *reading) discordMessage(t *exports.Talk, m *discordMessage, channel discordPlace) {
	l := exports.Line{
		ID: string(m.ID), Role: exports.RoleUser, Speaker: exports.FirstOf(m.Author.Nickname, m.Author.Name), At: m.Time.Time,
		Content: string(m.Content), Meta: exports.Meta{},
	}
	switch {
	case m.Author.Bot == true:
		l.Role = exports.RoleTool
	case m.Type != "" && m.Type != "Default" && m.Type != "Reply" && m.Type != "0" && m.Type != "19":
		l.Role = exports.RoleSystem
		l.Meta.Str("type", string(m.Type))
	}
	if t.First {
		l.Meta.Str("topic", string(channel.Topic))
	}
	if m.Author.Nickname != m.Author.Name {
		l.Meta.Str("account", string(m.Author.Name))
	}
	l.Content = m.quotes(l.Content)
	carried, urls := m.names()
	if f := m.Forwarded; f != nil {
		names, more := f.names()
		if said := exports.Attached(f.quotes(string(f.Content)), names); said != "" {
			l.Content = strings.TrimSpace(l.Content + "\n> " + strings.ReplaceAll(said, "\n", "\n> "))
		}
		urls = append(urls, more...)
		l.Meta.Yes("forwarded", true).At("forwarded_from_time", f.Time.Time)
	}
	l.Meta.Str("command", string(m.Interaction.Name)).Str("command_of", exports.FirstOf(m.Interaction.User.Nickname, m.Interaction.User.Name))
	var reactions []string
	for _, x := range m.Reactions {
		reactions = append(reactions, fmt.Sprintf("%s %v", x.Emoji.Name, x.Count))
	}
	l.Content = exports.Attached(l.Content, carried)
	l.Meta.List("attachments", urls).List("reactions", reactions).Str("reply_to", string(m.Reference.Message)).At("edited_at", m.Edited.Time)
	l.Meta.Yes("pinned", m.Pinned == true)
	t.Add(l)
}

var discordChannel = regexp.MustCompile(`(?i)(?:^|/)(?:messages/c?|[^/]+/c)(\d+)/(?:messages\.(?:json|csv))$`)

func looksDiscordPackage(s *exports.Source) bool {
	return slices.ContainsFunc(s.Files, func(f exports.File) bool { return discordChannel.MatchString(f.Name) })
}

type discordOwn struct {
	ID          exports.Scalar `json:"ID"`
	Time        exports.Scalar `json:"Timestamp"`
	Content     exports.Scalar `json:"Contents"`
	Attachments exports.Scalar `json:"Attachments"`
}

func readDiscordPackage(r *reading) {
	names := map[string]exports.Scalar{}
	folders := map[string]bool{} // that have channels in them
	for _, f := range r.Source.Files {
		if discordChannel.MatchString(f.Name) {
			folders[path.Dir(path.Dir(f.Name))] = true
		}
	}
	for _, f := range r.Source.Files {
		if strings.EqualFold(path.Base(f.Name), "index.json") && folders[path.Dir(f.Name)] {
			r.LoadJSON(f, &names)
		}
	}
	for _, f := range r.Source.Files {
		m := discordChannel.FindStringSubmatch(f.Name)
		if m == nil {
			base := strings.ToLower(path.Base(f.Name))
			if base != "index.json" && base != "channel.json" {
				r.Leave("files beside the messages")
			}
			continue
		}
		if r.Over() {
			return
		}
		var own []discordOwn
		if f.Ext() == ".csv" {
			own = r.discordCSV(f)
		} else if !r.LoadJSON(f, &own) {
			continue
		}
		// The package lists the newest first.
		at := make(map[exports.Scalar]time.Time, len(own))
		for _, x := range own {
			at[x.ID] = exports.ParseTime(string(x.Time), time.UTC)
		}
		slices.SortStableFunc(own, func(a, b discordOwn) int { return at[a.ID].Compare(at[b.ID]) })
		t := r.Talk(f.Name, r.ID(m[1]), string(names[m[1]]))
		for i, x := range own {
			t.Where = f.Name + " #" + strconv.Itoa(i+1)
			l := exports.Line{ID: string(x.ID), Role: exports.RoleUser, Content: string(x.Content), At: at[x.ID], Meta: exports.Meta{}}
			if files := strings.Fields(string(x.Attachments)); len(files) > 0 {
				l.Content = exports.Attached(l.Content, []string{"attachments: " + strings.Join(files, " ")})
			}
			t.Add(l)
		}
		t.Flush()
	}
}

func (r *reading) discordCSV(f exports.File) []discordOwn {
	var out []discordOwn
	r.Rows(f, func(_ string, row map[string]string) {
		out = append(out, discordOwn{
			ID: exports.Scalar(row["id"]), Time: exports.Scalar(row["timestamp"]), Content: exports.Scalar(row["contents"]),
			Attachments: exports.Scalar(row["attachments"]),
		})
	})
	return out
}
