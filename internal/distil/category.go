package distil

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// category sorts a prose text by its shape and its headings.
func (p *prose) category(kind string, size int) string {
	sh := p.shape
	start := strings.ToLower(lexis.Clip(p.s, 2<<10))
	heads := sh.heads + lexis.Clip(start, 200)
	switch {
	case kind == "transcript", sh.turns >= 3 && len(p.speakers) > 1 && !strings.Contains(heads, "attendees"):
		return CategoryConversation
	case headerOf(p.s, "from") != "" && (headerOf(p.s, "subject") != "" || headerOf(p.s, "to") != ""):
		return CategoryEmail
	case p.isRecipe(start):
		return CategoryRecipe
	case p.isMeeting(heads):
		return CategoryMeeting
	case sh.boxes >= 2 && sh.boxes*2 >= sh.items, sh.boxes == 1 && sh.items == 1, isTodo(heads) && sh.items > 1:
		return CategoryTask
	case sh.headings >= 4 && (sh.code+sh.tables >= 2 || sh.items >= 10 && sh.items*12 > sh.words/4), sh.code >= 3, sh.links >= 5 && sh.links*15 > sh.words, sh.tables > 0 && sh.words < 400:
		return CategoryReference
	case sh.words >= 350 || sh.headings >= 2 && sh.words >= 100 || size > 4<<10 && sh.words == 0:
		return CategoryArticle
	}
	return CategoryNote
}

func (p *prose) isRecipe(start string) bool {
	if !strings.Contains(start, "ingredients") && !strings.Contains(p.shape.heads, "ingredients") {
		return false
	}
	all := strings.ToLower(lexis.Clip(p.s, 8<<10))
	n := 0
	for _, w := range []string{"tbsp", "tsp", "cup", "gram", " g ", "oven", "preheat", "stir", "bake", "simmer", "minutes", "serves", "salt", "chop", "mix"} {
		if strings.Contains(all, w) {
			n++
		}
	}
	return n >= 2
}

func (p *prose) isMeeting(heads string) bool {
	if containsAny(heads, "meeting notes", "minutes of", "meeting minutes", "attendees", "standup", "stand-up", "retrospective", "agenda", "1:1 with") {
		return true
	}
	return strings.Contains(heads, "meeting") && containsAny(strings.ToLower(lexis.Clip(p.s, 8<<10)), "action item", "decided", "agreed", "next steps", "present:")
}

func isTodo(heads string) bool {
	return containsAny(heads, "todo", "to-do", "to do", "task list", "tasks", "checklist", "shopping list")
}

func containsAny(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(s, w) })
}

// turnsOf counts the lines that begin with a speaker ("Ana: …", "[10:30] Ben: …", "**User:** …") and names the speakers in order
// of appearance; a name counts when it speaks twice, or when all lines are turns.
func turnsOf(s string) (turns int, speakers []string) {
	counts := map[string]int{}
	var order []string
	lines := 0
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines++; lines > 4000 {
			break
		}
		who := speakerOf(line)
		if who == "" {
			continue
		}
		if counts[who] == 0 {
			order = append(order, who)
		}
		counts[who]++
		turns++
	}
	for _, who := range order {
		if counts[who] > 1 || turns == lines {
			speakers = append(speakers, who)
		}
	}
	if turns*4 < lines {
		return 0, nil
	}
	return turns, speakers
}

// speakerOf returns the name before the colon of a turn, or "".
func speakerOf(line string) string {
	line = strings.TrimLeft(lexis.Clip(line, 120), " \t*_#>")
	if strings.HasPrefix(line, "[") {
		if i := strings.IndexByte(line, ']'); i > 0 {
			line = strings.TrimLeft(line[i+1:], " ")
		}
	}
	who, rest, ok := strings.Cut(line, ":")
	if !ok || strings.HasPrefix(rest, "//") || rest == "" {
		return ""
	}
	who = strings.TrimRight(who, "*_ ")
	if i := strings.IndexByte(who, '('); i > 0 {
		who = strings.TrimRight(who[:i], " ")
	}
	first, _ := utf8.DecodeRuneInString(who)
	if !unicode.IsUpper(first) && who != "user" && who != "assistant" || strings.Count(who, " ") > 2 || len(who) > 40 || fieldNames[strings.ToLower(who)] {
		return ""
	}
	for _, r := range who {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ' && r != '.' && r != '-' && r != '\'' {
			return ""
		}
	}
	return who
}

// fieldNames stand before a colon without speaking.
var fieldNames = lexis.Words(`note notes todo warning example date time from to cc bcc subject attendees agenda location where when who what why how ingredients
	instructions method summary title author tags status due priority step result results action actions decision decisions error info debug important tip ps
	update edit question answer input output usage returns args parameters name phone email address website url`)
