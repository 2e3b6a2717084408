package chats_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/exports/chats"
	"github.com/lukasa-memory/lukasa/internal/exports/exportstest"
)

func TestExports(t *testing.T) { // T-25: bulk import
	exportstest.Run(t, chats.Kinds(), "testdata")
}

func TestUTF16(t *testing.T) {
	exportstest.UTF16(t, chats.Kinds(), "testdata", "chatgpt", "claude", "slack", "telegram", "imessage", "whatsapp")
}

func FuzzChatGPT(f *testing.F) {
	exportstest.Fuzz(f, exports.Set(chats.Kinds()), "testdata", "chatgpt")
}

func FuzzClaude(f *testing.F) { exportstest.Fuzz(f, exports.Set(chats.Kinds()), "testdata", "claude") }

func FuzzSlack(f *testing.F) { exportstest.Fuzz(f, exports.Set(chats.Kinds()), "testdata", "slack") }

func FuzzDiscord(f *testing.F) {
	exportstest.Fuzz(f, exports.Set(chats.Kinds()), "testdata", "discord")
}

func FuzzDiscordPackage(f *testing.F) {
	exportstest.Fuzz(f, exports.Set(chats.Kinds()), "testdata", "discord-package")
}

func FuzzTelegram(f *testing.F) {
	exportstest.Fuzz(f, exports.Set(chats.Kinds()), "testdata", "telegram")
}

func FuzzIMessage(f *testing.F) {
	exportstest.Fuzz(f, exports.Set(chats.Kinds()), "testdata", "imessage")
}

func FuzzWhatsApp(f *testing.F) {
	exportstest.Fuzz(f, exports.Set(chats.Kinds()), "testdata", "whatsapp")
}
