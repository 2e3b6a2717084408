package notes_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/exports/exportstest"
	"github.com/lukasa-memory/lukasa/internal/exports/notes"
)

func TestExports(t *testing.T) { // T-25: bulk import
	exportstest.Run(t, notes.Kinds(), "testdata")
}

func TestUTF16(t *testing.T) {
	exportstest.UTF16(t, notes.Kinds(), "testdata", "evernote", "keep", "bookmarks", "pocket", "instapaper", "kindle", "mem0", "mcp-memory", "letta", "obsidian")
}

func fuzz(f *testing.F, kind string) {
	f.Helper()
	exportstest.Fuzz(f, exports.Set(notes.Kinds()), "testdata", kind)
}

func FuzzNotion(f *testing.F)      { fuzz(f, "notion") }
func FuzzObsidian(f *testing.F)    { fuzz(f, "obsidian") }
func FuzzBasicMemory(f *testing.F) { fuzz(f, "basic-memory") }
func FuzzEvernote(f *testing.F)    { fuzz(f, "evernote") }
func FuzzKeep(f *testing.F)        { fuzz(f, "keep") }
func FuzzBookmarks(f *testing.F)   { fuzz(f, "bookmarks") }
func FuzzPocket(f *testing.F)      { fuzz(f, "pocket") }
func FuzzInstapaper(f *testing.F)  { fuzz(f, "instapaper") }
func FuzzKindle(f *testing.F)      { fuzz(f, "kindle") }
func FuzzMem0(f *testing.F)        { fuzz(f, "mem0") }
func FuzzSupermemory(f *testing.F) { fuzz(f, "supermemory") }
func FuzzMCPMemory(f *testing.F)   { fuzz(f, "mcp-memory") }
func FuzzLetta(f *testing.F)       { fuzz(f, "letta") }
