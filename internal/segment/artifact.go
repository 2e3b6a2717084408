package segment

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Artifact is something that was made or handed over in a conversation: a block of code, or an attachment.
type Artifact struct {
	Name     string    `json:"name"` // unique in its recall file without regard to case; safe as a file name anywhere
	Type     string    `json:"type"` // MIME type
	Size     int64     `json:"size"` // bytes; of an attachment that is elsewhere, as its metadata says
	URL      string    `json:"url,omitempty"`
	About    string    `json:"about,omitempty"` // one line
	Message  lukasa.ID `json:"message_id,omitempty"`
	Seq      int64     `json:"seq"` // the first message that carries it
	Language string    `json:"language,omitempty"`
	Data     []byte    `json:"-"` // nil when the bytes are not in the conversation
}

// Limits of artifacts.
const (
	DefaultCodeLines = 5    // a block of fewer lines is no artifact
	maxArtifacts     = 1000 // of one stretch
	maxAttached      = 100  // of one message
)

// language is what a fence's info string stands for.
type language struct{ ext, mime string }

// languages by their usual names in fences.
var languages = map[string]language{
	"python": {"py", "text/x-python"}, "py": {"py", "text/x-python"}, "go": {"go", "text/x-go"}, "golang": {"go", "text/x-go"},
	"javascript": {"js", "text/javascript"}, "js": {"js", "text/javascript"}, "jsx": {"jsx", "text/javascript"},
	"typescript": {"ts", "text/x-typescript"}, "ts": {"ts", "text/x-typescript"}, "tsx": {"tsx", "text/x-typescript"},
	"java": {"java", "text/x-java"}, "kotlin": {"kt", "text/x-kotlin"}, "swift": {"swift", "text/x-swift"}, "scala": {"scala", "text/x-scala"},
	"c": {"c", "text/x-c"}, "cpp": {"cpp", "text/x-c++"}, "c++": {"cpp", "text/x-c++"}, "csharp": {"cs", "text/x-csharp"}, "cs": {"cs", "text/x-csharp"},
	"rust": {"rs", "text/x-rust"}, "rs": {"rs", "text/x-rust"}, "ruby": {"rb", "text/x-ruby"}, "rb": {"rb", "text/x-ruby"}, "php": {"php", "text/x-php"},
	"sh": {"sh", "text/x-shellscript"}, "bash": {"sh", "text/x-shellscript"}, "shell": {"sh", "text/x-shellscript"}, "zsh": {"sh", "text/x-shellscript"},
	"sql": {"sql", "application/sql"}, "html": {"html", "text/html"}, "css": {"css", "text/css"}, "scss": {"scss", "text/css"}, "xml": {"xml", "application/xml"},
	"json": {"json", "application/json"}, "yaml": {"yaml", "application/yaml"}, "yml": {"yaml", "application/yaml"}, "toml": {"toml", "application/toml"},
	"markdown": {"md", "text/markdown"}, "md": {"md", "text/markdown"}, "csv": {"csv", "text/csv"}, "diff": {"diff", "text/x-diff"}, "patch": {"patch", "text/x-diff"},
	"dockerfile": {"dockerfile", "text/plain"}, "lua": {"lua", "text/x-lua"}, "r": {"r", "text/x-r"}, "perl": {"pl", "text/x-perl"}, "hcl": {"hcl", "text/plain"},
	"haskell": {"hs", "text/x-haskell"}, "elixir": {"ex", "text/x-elixir"}, "graphql": {"graphql", "application/graphql"}, "proto": {"proto", "text/plain"},
	"svg": {"svg", "image/svg+xml"}, "tex": {"tex", "text/x-tex"}, "latex": {"tex", "text/x-tex"}, "mermaid": {"mmd", "text/plain"},
}

// mimes of attachments without a type, by the ending of their name.
var mimes = map[string]string{
	"pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
	"txt": "text/plain", "doc": "application/msword", "zip": "application/zip", "mp3": "audio/mpeg", "wav": "audio/wav", "mp4": "video/mp4",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// shelf collects the artifacts of a stretch under unique names.
type shelf struct {
	least  int // lines of code
	list   []Artifact
	names  map[string]bool
	known  map[[sha256.Size]byte]string // by content
	counts map[string]int               // unnamed blocks, by their stem
}

func newShelf(least int) *shelf {
	if least <= 0 {
		least = DefaultCodeLines
	}
	return &shelf{least: least, list: []Artifact{}, names: map[string]bool{}, known: map[[sha256.Size]byte]string{}, counts: map[string]int{}}
}

// Artifacts finds the artifacts of messages: fenced blocks of at least codeLines lines (0 means 5), and what the metadata of a
// message lists under attachments, artifacts or files as objects of name, type, size and url, with content (text) or data
// (base64) where the bytes are there. The same bytes twice are one artifact. At most 1,000 are found.
func Artifacts(msgs []lukasa.Message, codeLines int) []Artifact {
	s := newShelf(codeLines)
	for _, m := range msgs {
		s.take(m)
	}
	return s.list
}

// take puts the artifacts of a message on the shelf and returns their names, each once.
func (s *shelf) take(m lukasa.Message) []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for b := range fences(m.Content) {
		if b.lines >= s.least && strings.TrimSpace(b.body) != "" {
			add(s.code(m, b, m.Content[:b.start]))
		}
	}
	for _, key := range []string{"attachments", "artifacts", "files"} {
		list, _ := m.Metadata[key].([]any)
		for i, x := range list {
			if o, ok := x.(map[string]any); ok && i < maxAttached {
				add(s.attachment(m, o))
			}
		}
	}
	return names
}

// code shelves a block of code.
func (s *shelf) code(m lukasa.Message, b block, before string) string {
	if name, ok := s.known[sha256.Sum256([]byte(b.body))]; ok {
		return name
	}
	lang, name := readInfo(b.info)
	if name == "" {
		name = namedInside(b.body)
	}
	kind, ok := languages[lang]
	if !ok {
		kind = language{"txt", "text/plain"}
	}
	if name == "" {
		stem := "code_snippet"
		if kind.mime == "text/markdown" {
			stem = "document_draft"
		}
		s.counts[stem]++
		name = fmt.Sprintf("%s_%03d.%s", stem, s.counts[stem], kind.ext)
	} else if !ok {
		if k, known := languages[strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")]; known {
			kind = k
		}
	}
	return s.put(Artifact{Name: name, Type: kind.mime, Language: lang, Data: []byte(b.body), About: aboutCode(b, lang, before), Message: m.ID, Seq: m.Seq})
}

// aboutCode says how long a block is and what introduced it.
func aboutCode(b block, lang, before string) string {
	about := fmt.Sprintf("%d lines", b.lines)
	if lang != "" {
		about += " of " + lang
	}
	before = strings.TrimRight(before, " \t\r\n")
	lead := lexis.OneLine(clip(before[strings.LastIndexByte(before, '\n')+1:], 400))
	if lead = strings.Trim(lead, " :*#->`"); lead != "" && len(lead) <= 120 {
		about += ": " + lead
	}
	return about
}

// attachment shelves what a message's metadata names.
func (s *shelf) attachment(m lukasa.Message, o map[string]any) string {
	str := func(keys ...string) string {
		for _, k := range keys {
			if v, ok := o[k].(string); ok && v != "" {
				return v
			}
		}
		return ""
	}
	a := Artifact{
		Name: str("name", "filename", "file_name"), Type: lexis.OneLine(str("type", "mime_type", "content_type")), URL: lexis.OneLine(str("url")),
		About: clip(lexis.OneLine(str("description", "title", "alt")), 200), Message: m.ID, Seq: m.Seq,
	}
	if n, ok := o["size"].(float64); ok && n >= 0 && n < math.MaxInt64/2 {
		a.Size = int64(n)
	} else if n, ok := o["size"].(int); ok && n >= 0 {
		a.Size = int64(n)
	}
	if t, ok := o["content"].(string); ok {
		a.Data = []byte(t)
	} else if d, err := base64.StdEncoding.DecodeString(str("data")); err == nil && len(d) > 0 {
		a.Data = d
	}
	if a.Name == "" && a.URL != "" {
		u, _, _ := strings.Cut(a.URL, "?")
		u, _, _ = strings.Cut(u, "#")
		a.Name = path.Base(u)
	}
	if a.Name == "" && a.Data == nil && a.URL == "" {
		return ""
	}
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(a.Name)), ".")
	if !strings.Contains(a.Type, "/") { // "image", "file": the kind, not a type
		switch l, ok := languages[ext]; {
		case ok:
			a.Type = l.mime
		case mimes[ext] != "":
			a.Type = mimes[ext]
		default:
			a.Type = "application/octet-stream"
		}
	}
	a.Type = clip(a.Type, 120)
	return s.put(a)
}

// put gives an artifact its name and returns it.
func (s *shelf) put(a Artifact) string {
	var sum [sha256.Size]byte
	if a.Data != nil {
		a.Size = int64(len(a.Data))
		sum = sha256.Sum256(a.Data)
	} else {
		sum = sha256.Sum256([]byte("elsewhere\x00" + a.Name + "\x00" + a.URL))
	}
	if name, ok := s.known[sum]; ok {
		return name
	}
	if len(s.list) == maxArtifacts {
		return ""
	}
	a.Name = s.unique(SafeName(a.Name))
	s.known[sum] = a.Name
	s.list = append(s.list, a)
	return a.Name
}

// unique numbers a name that is taken: draft.md, draft_2.md.
func (s *shelf) unique(name string) string {
	ext := path.Ext(name)
	if len(ext) > 16 || ext == name {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for i := 2; s.names[strings.ToLower(name)]; i++ {
		name = fmt.Sprintf("%s_%d%s", stem, i, ext)
	}
	s.names[strings.ToLower(name)] = true
	return name
}

// readInfo reads a fence's info string: a language, and perhaps the name of a file (py:app/main.py, go title="main.go",
// ts src/index.ts).
func readInfo(info string) (lang, name string) {
	info = strings.Trim(clip(info, 300), "{} ")
	first, rest, _ := strings.Cut(info, " ")
	lang, name, _ = strings.Cut(first, ":")
	lang = strings.ToLower(strings.TrimPrefix(lang, "."))
	if name == "" {
		for _, key := range []string{"title=", "filename=", "file=", "name=", "path="} {
			if _, v, ok := strings.Cut(rest, key); ok {
				name = unquote(v)
				break
			}
		}
	}
	if f := strings.Fields(rest); name == "" && len(f) == 1 && looksLikeFile(f[0]) {
		name = f[0]
	}
	if name == "" && looksLikeFile(lang) {
		lang, name = "", first
	}
	if !looksLikeFile(name) {
		name = ""
	}
	if len(lang) > 24 {
		lang = ""
	}
	return lang, name
}

// unquote takes the first value of v, in quotes or up to a space.
func unquote(v string) string {
	if v != "" && (v[0] == '"' || v[0] == '\'') {
		if i := strings.IndexByte(v[1:], v[0]); i >= 0 {
			return v[1 : 1+i]
		}
	}
	v, _, _ = strings.Cut(v, " ")
	return v
}

// namedInside finds the file name in a comment that opens a block: "# webhook_handler.py", "// internal/x/y.go", "<!-- a.html -->".
func namedInside(body string) string {
	line := strings.TrimSpace(body[:lineEnd(body, 0)])
	for _, mark := range []string{"# ", "// ", "-- ", "<!-- ", "/* ", "; "} {
		if t, ok := strings.CutPrefix(line, mark); ok {
			t = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(t, "-->"), "*/"))
			t = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(t, "file:"), "File:"))
			if looksLikeFile(t) {
				return t
			}
		}
	}
	return ""
}

// looksLikeFile reports whether s is a path that ends in a short extension, without spaces.
func looksLikeFile(s string) bool {
	if s == "" || len(s) > 200 || strings.ContainsAny(s, " \t\"'()<>|=,;") || strings.Contains(s, "://") {
		return false
	}
	ext := path.Ext(s)
	base := path.Base(s)
	if len(ext) < 2 || len(ext) > 8 || len(base) <= len(ext) || strings.Trim(ext[1:], "0123456789") == "" {
		return false
	}
	for _, r := range ext[1:] {
		if r > 127 || !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return false
		}
	}
	return true
}
