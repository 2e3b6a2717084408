// Package notes reads exported notes, links and memories: of Notion, Obsidian, Evernote and Keep, of browsers, reading lists and
// the Kindle, and of other memories for agents.
//
// Each file says where the format that it reads is described, and what of it could not be verified.
package notes

import (
	"github.com/lukasa-memory/lukasa/internal/exports"
)

// reading is one export that is being read.
type reading struct{ *exports.Reading }

func with(read func(*reading)) func(*exports.Reading) {
	return func(r *exports.Reading) { read(&reading{r}) }
}

// Kinds returns the kinds of this package, in the order in which they are to be asked: what any folder could be comes last.
func Kinds() []exports.Kind {
	return []exports.Kind{
		{
			Name: "keep", Title: "Google Keep, from Takeout", Accepts: "the Takeout zip, its folder, or one note's JSON file",
			How:    "takeout.google.com, only Keep",
			Format: "not published; as in https://github.com/obsidianmd/obsidian-importer (src/formats/keep)", Looks: looksKeep, Read: with(readKeep),
		},
		{
			Name: "evernote", Title: "Evernote", Accepts: "an .enex file, or a folder or zip of them", How: "in Evernote: select notes, Export, ENEX",
			Format: "https://evernote.com/blog/how-evernotes-xml-export-format-works", Looks: looksEvernote, Read: with(readEvernote),
		},
		{
			Name: "notion", Title: "Notion export, Markdown and CSV or HTML", Accepts: "the zip, or its folder", How: "Settings, Export all workspace content",
			Format: "https://www.notion.com/help/export-your-content", Looks: looksNotion, Read: with(readNotion),
		},
		{
			Name: "bookmarks", Title: "Browser bookmarks", Accepts: "the HTML file", How: "in the bookmark manager: Export to HTML",
			Format: "https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/platform-apis/aa753582(v=vs.85)",
			Looks:  looksBookmarks, Read: with(readBookmarks),
		},
		{
			Name: "pocket", Title: "Pocket", Accepts: "the zip, its CSV files, or ril_export.html", How: "getpocket.com/export, while it was there",
			Format: "not published; the columns of its files", Looks: looksPocket, Read: with(readPocket),
		},
		{
			Name: "instapaper", Title: "Instapaper", Accepts: "the CSV file", How: "Settings, Export, Download .CSV file",
			Format: "not published; the columns of its file", Looks: looksInstapaper, Read: with(readInstapaper),
		},
		{
			Name: "kindle", Title: "Kindle clippings", Accepts: "My Clippings.txt", How: "the file lies in the folder documents of the device",
			Format: "not published; as read by others in ten languages", Looks: looksKindle, Read: with(readKindle),
		},
		{
			Name: "mcp-memory", Title: "MCP reference memory server", Accepts: "memory.jsonl, or the JSON of read_graph",
			How:    "the file that MEMORY_FILE_PATH names",
			Format: "https://github.com/modelcontextprotocol/servers/tree/main/src/memory", Looks: looksWith(mcpFiles), Read: with(readMCP),
		},
		{
			Name: "letta", Title: "Letta agent file", Accepts: "an .af file", How: "Export agent in the ADE, or GET /v1/agents/{id}/export",
			Format: "https://github.com/letta-ai/agent-file", Looks: looksWith(lettaFiles), Read: with(readLetta),
		},
		{
			Name: "supermemory", Title: "supermemory", Accepts: "the JSON of its lists of documents or memories", How: "POST /v3/documents/list, page by page",
			Format: "https://supermemory.ai/docs", Looks: looksWith(superFiles), Read: with(readSuper),
		},
		{
			Name: "zep", Title: "Zep or Graphiti", Accepts: "the JSON of its lists of edges, nodes, episodes or messages, or a folder or zip of them",
			How:    "graph.edge, graph.node and graph.episode get_by_user_id; thread.get",
			Format: "https://help.getzep.com/reading-data-from-the-graph", Looks: looksWith(zepFiles), Read: with(readZep),
		},
		{
			Name: "mem0", Title: "mem0 memories", Accepts: "a JSON list, bare or under results, JSON lines, or the zip of OpenMemory",
			How:    "get_all, or Export in the dashboard; of OpenMemory POST /api/v1/backup/export",
			Format: "https://docs.mem0.ai/api-reference/memory/v1-get-memories", Looks: looksWith(mem0Files), Read: with(readMem0),
		},
		{
			Name: "basic-memory", Title: "basic-memory notes", Accepts: "the project's folder, a zip of it, or one note",
			How:    "the folder itself, ~/basic-memory by default",
			Format: "https://docs.basicmemory.com/concepts/knowledge-format", Looks: looksBasicMemory, Read: with(readBasicMemory),
		},
		{
			Name: "obsidian", Title: "Obsidian vault, or any folder of Markdown notes", Accepts: "the vault's folder, a zip of it, or one note",
			How:    "the folder itself",
			Format: "https://help.obsidian.md/data-storage", Looks: looksVault, Read: with(readVault),
		},
	}
}
