// Package chats reads exported conversations: of ChatGPT and Claude, Slack, Discord, Telegram, WhatsApp and iMessage.
//
// Each file says where the format that it reads is described, and what of it could not be verified.
package chats

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

// reading is one export that is being read.
type reading struct{ *exports.Reading }

func with(read func(*reading)) func(*exports.Reading) {
	return func(r *exports.Reading) { read(&reading{r}) }
}

// outside keeps from taking a vault of notes for a chat because one of its files looks like one.
func outside(looks func(*exports.Source) bool) func(*exports.Source) bool {
	return func(s *exports.Source) bool {
		isVault := slices.ContainsFunc(s.Hidden, func(n string) bool { return n == ".obsidian" || strings.HasPrefix(n, ".obsidian/") })
		return !isVault && looks(s)
	}
}

// Kinds returns the kinds of this package, in the order in which they are to be asked.
func Kinds() []exports.Kind {
	return []exports.Kind{
		{
			Name: "slack", Title: "Slack workspace export", Accepts: "the zip, or its folder",
			How:    "Settings & administration, Workspace settings, Import/export data, Export",
			Format: "https://slack.com/help/articles/220556107-How-to-read-Slack-data-exports", Looks: outside(looksSlack), Read: with(readSlack),
		},
		{
			Name: "chatgpt", Title: "ChatGPT data export", Accepts: "the zip, its folder, or conversations.json", How: "Settings, Data controls, Export data",
			Format: "https://github.com/mitkury/chatgpt-export-parser/blob/main/docs/chatgpt-data-export-format.md", Looks: outside(looksChatGPT),
			Read: with(readChatGPT),
		},
		{
			Name: "claude", Title: "Claude data export", Accepts: "the zip, its folder, or conversations.json", How: "Settings, Privacy, Export data",
			Format: "not published; the fields that public readers agree on", Looks: outside(looksClaude), Read: with(readClaude),
		},
		{
			Name: "discord", Title: "DiscordChatExporter, JSON", Accepts: "a channel's JSON file, or a folder or zip of them",
			How:    "DiscordChatExporter with the format JSON",
			Format: "https://github.com/Roachbones/discordless/blob/main/dcejson_spec.md", Looks: outside(looksDiscord), Read: with(readDiscord),
		},
		{
			Name: "discord-package", Title: "Discord data package", Accepts: "the zip, or its folder",
			How:    "User settings, Data & privacy, Request all of my data",
			Format: "https://support.discord.com/hc/en-us/articles/360004957991-Your-Discord-Data-Package", Looks: outside(looksDiscordPackage),
			Read: with(readDiscordPackage),
		},
		{
			Name: "telegram", Title: "Telegram Desktop export, JSON", Accepts: "result.json, its folder or a zip of it",
			How:    "Telegram Desktop, Export chat history, format JSON",
			Format: "https://core.telegram.org/import-export", Looks: outside(looksTelegram), Read: with(readTelegram),
		},
		{
			Name: "imessage", Title: "iMessage as text", Accepts: "a .txt file of a chat, or a folder or zip of them", How: "imessage-exporter -f txt",
			Format: "https://github.com/ReagentX/imessage-exporter", Looks: outside(looksIMessage), Read: with(readIMessage),
		},
		{
			Name: "whatsapp", Title: "WhatsApp chat", Accepts: "the exported zip, its .txt file, or a folder of them", How: "in the chat: More, Export chat",
			Format: "https://faq.whatsapp.com/1180414079177245", Looks: outside(looksWhatsApp), Read: with(readWhatsApp),
		},
	}
}
