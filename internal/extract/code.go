package extract

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// codeTypes are declared types that mean source code.
var codeTypes = []string{
	"code", "text/x-python", "text/x-go", "text/javascript", "application/javascript", "text/x-java", "text/x-c", "text/x-c++", "text/x-rust",
	"text/x-ruby", "text/x-sh", "application/x-sh", "text/css", "application/sql", "text/x-sql", "application/typescript", "text/typescript", "text/x-script.python",
}

// codeSample bounds what the language is told from.
const codeSample = 16 << 10

// looksCode says yes to files whose name is of a programming language and to
// scripts, and to unnamed text that is plainly code.
func looksCode(src *Source) Look {
	if src.Name != "" && isCodeName(src) || strings.HasPrefix(src.Text, "#!") {
		return Yes
	}
	if src.Extension == "" && src.Declared != "text/plain" && codeLines(src.Text) {
		return Yes
	}
	return Maybe
}

func isCodeName(src *Source) bool { return languageByName(src.Name) != "" }

// codeLines reports text most of whose lines end or begin as only code does.
func codeLines(s string) bool {
	lines, marks, strong := 0, 0, 0
	for line := range strings.Lines(head(s, codeSample)) {
		line = strings.TrimRight(line, "\r\n")
		bare := strings.TrimSpace(line)
		if bare == "" {
			continue
		}
		lines++
		if strings.HasSuffix(bare, ";") || strings.HasSuffix(bare, "{") || strings.HasPrefix(bare, "}") || strings.HasSuffix(bare, ");") || strings.HasPrefix(bare, "//") {
			marks++
		}
		for _, p := range []string{"func ", "def ", "class ", "import ", "from ", "package ", "#include", "const ", "let ", "var ", "public ", "private ", "return ", "return", "fn ", "use ", "function "} {
			if strings.HasPrefix(bare, p) && strings.ContainsAny(bare, "(){}=;<\":.") {
				marks++
				strong++
				break
			}
		}
	}
	return lines >= 2 && strong >= 1 && marks*10 >= lines*6
}

// head returns the first n bytes of s, to a rune bound.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// extractCode keeps code byte for byte, but for what is not text.
func extractCode(_ context.Context, src *Source) (Output, error) {
	out := Output{Text: text.CleanAs(src.Text, text.Raw), Type: TypeCode, Language: codeLanguage(src), Metadata: map[string]string{}}
	if src.Name != "" {
		out.Title = path.Base(strings.ReplaceAll(src.Name, `\`, "/"))
	} else {
		out.Title = titleOf(out.Text)
	}
	out.Metadata["lines"] = strconv.Itoa(strings.Count(strings.TrimRight(out.Text, "\n"), "\n") + 1)
	return out, nil
}

// codeLanguage tells the language by name, then shebang, then the declared
// type, then content; "" when nothing says.
func codeLanguage(src *Source) string {
	sample := head(src.Text, codeSample)
	lang := languageByName(src.Name)
	if lang == "C" && src.Extension == ".h" && (strings.Contains(sample, "namespace ") || strings.Contains(sample, "template") || strings.Contains(sample, "std::")) {
		lang = "C++"
	}
	first(&lang, languageByShebang(sample))
	declared := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(src.Declared, "text/"), "application/"), "x-")
	first(&lang, languageByWord(declared))
	first(&lang, languageByVotes(sample))
	return lang
}
