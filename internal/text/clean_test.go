package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                "",
		"plain":                           "plain",
		"\ufeffhi":                        "hi",
		"\x00\ufeffhi":                    "hi",
		"a\x00b":                          "ab",
		"a\xff\xfeb":                      "a\ufffdb",
		"a\r\nb\rc\u2028d\x0ce":           "a\nb\nc\nd\ne",
		"a  \t\nb\u00a0\n":                "a\nb",
		"a\n\n\n\n\nb":                    "a\n\nb",
		"a\n \n\t\n b":                    "a\n\n b",
		"\n\n  first":                     "  first",
		"\x1b[31mred\x1b[0m \x1b]x":       "red ]x",
		"soft\u00adhyphen b\ufeffom \x07": "softhyphen bom",
		"   \n  ":                         "",
		"``` \n\n\n\n```":                 "```\n\n```",
	} {
		if got := text.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanStyles(t *testing.T) { // H-4: code is kept as it is
	t.Parallel()
	code := "def f():  \r\n\treturn 1\n\n\n\n\nx = '\x1b[0m'\n"
	if got := text.CleanAs(code, text.Raw); got != code {
		t.Errorf("Raw altered code: %q", got)
	}
	if got := text.CleanAs("\ufeffa\x00\xffb\r\n", text.Raw); got != "a\ufffdb\r\n" {
		t.Errorf("Raw = %q", got)
	}
	md := "a  \n\n\n\nb\n```py\nx = 1  \n\n\n\ny\n```\n\n\n\nc\n\n"
	if got, want := text.CleanAs(md, text.Markdown), "a\n\nb\n```py\nx = 1  \n\n\n\ny\n```\n\nc"; got != want {
		t.Errorf("Markdown = %q, want %q", got, want)
	}
}

func checkClean(t *testing.T, s string) {
	for _, style := range []text.Style{text.Prose, text.Markdown, text.Raw} {
		c := text.CleanAs(s, style)
		if !utf8.ValidString(c) || strings.IndexByte(c, 0) >= 0 || strings.HasPrefix(c, "\ufeff") {
			t.Fatalf("style %d: %q is not clean: %q", style, s, c)
		}
		if again := text.CleanAs(c, style); again != c {
			t.Fatalf("style %d: not idempotent: %q -> %q -> %q", style, s, c, again)
		}
		if style == text.Prose && (strings.Contains(c, "\n\n\n") || strings.ContainsAny(c, "\r\v\f") || strings.Contains(c, " \n")) {
			t.Fatalf("prose left in %q", c)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "\ufeff\x00\ufeff", "a\r\n\r\n\r\nb ", "\x1b[1mx", "```\n a \n```\n", "\xff\xfe", "\u00a0\n\u2029", "~~~\n\n\n\n~~~ \n ``` \n", " ``` x`\n"} {
		f.Add(s)
	}
	f.Fuzz(checkClean)
}

func TestCleanReturnsCleanTextUntouched(t *testing.T) {
	s := strings.Repeat("A clean line of text.\n\n", 100) + "end"
	if n := testing.AllocsPerRun(10, func() { text.Clean(s) }); n != 0 {
		t.Errorf("%v allocations for clean text", n)
	}
}

func TestForeign(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"Ich bin im Urlaub und nicht im Haus.":            true,
		"Das Meeting ist im Mai, und die Rechnung ist da": true,
		"Je suis en vacances avec ma soeur":               true,
		"Mi hermana vive en Madrid y tengo un perro":      true,
		"De server was down en ik ben niet op kantoor":    true,
		"im at the pool":                                  false,
		"im a nurse, 4 days a wk":                         false,
		"no do as he says, he met me in mon min van":      false,
		"Berlin, Mon 5 Mai":                               false,
		"My sister lives at Rue de la Paix, c'est la vie": false,
		"OS update on Mon":                                false,
		"":                                                false,
	} {
		if got := text.Foreign(in); got != want {
			t.Errorf("Foreign(%q) = %v", in, got)
		}
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"I live in Berlin and work at Acme.":                         "en",
		"Ich wohne in Berlin und arbeite nicht bei der Post.":        "de",
		"Je suis à Paris et ma sœur est dans le Sud.":                "fr",
		"Mi hermana vive en Madrid y tengo un perro muy grande.":     "es",
		"Ik woon in Utrecht en mijn zus heeft een hond.":             "nl",
		"Sono di Roma e mia sorella ha una casa al mare, non è vero": "it",
		"我住在北京，喜欢喝茶。":                                                "zh",
		"私は東京に住んでいます。":                                               "ja",
		"저는 서울에 살아요":                                                 "ko",
		"Γεια σου κόσμε":                                             "el",
		"Меня зовут Анна, я живу в Москве и работаю в больнице, у меня есть собака": "ru",
		"":          "und",
		"ok":        "und",
		"xk 44 9":   "und",
		"Acme GmbH": "und",
	} {
		if got, sure := text.Language(in); got != want {
			t.Errorf("Language(%q) = %q (%.2f), want %q", in, got, sure, want)
		} else if sure < 0 || sure > 1 {
			t.Errorf("Language(%q): confidence %v", in, sure)
		}
	}
	long := strings.Repeat("The people of the town were happy with the new bridge. ", 200_000)
	if got, _ := text.Language(long); got != "en" {
		t.Errorf("long text: %q", got)
	}
}
