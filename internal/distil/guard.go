package distil

import (
	"strings"
	"unicode"
)

// openers begin sentences that state nothing: conditions, commands to an assistant, make-believe.
var openers = [][]string{{"if"}, {"unless"}, {"when"}, {"whenever"}, {"whether"}, {"once"}, {"suppose"}, {"supposing"}, {"imagine"}, {"assume"}, {"assuming"}, {"pretend"},
	{"as", "if"}, {"as", "though"}, {"as", "soon"}, {"what", "if"}, {"what"}, {"where"}, {"who"}, {"why"}, {"how"}, {"which"}, {"even", "if"}, {"for", "example"}, {"for", "instance"},
	{"e.g"}, {"say", "i"}, {"let", "'s", "say"}, {"let", "'s", "assume"}, {"act", "as"}, {"you"}, {"your"}, {"maybe"}, {"perhaps"}, {"hopefully"}, {"should"},
	{"would"}, {"could"}, {"can"}, {"do", "you"}, {"do", "i"}, {"does"}, {"did"}, {"is"}, {"are"}, {"am"}, {"was"}, {"were"}, {"has"}, {"have", "you"}, {"will"}, {"may"}, {"might"},
	{"had", "i"}, {"please"}, {"in", "the", "novel"}, {"in", "the", "book"}, {"in", "the", "movie"}, {"in", "the", "film"}, {"in", "the", "story"}, {"in", "the", "game"},
	{"in", "the", "series"}, {"in", "my", "dream"}, {"in", "a", "dream"}, {"according"}, {"allegedly"}, {"supposedly"}, {"in", "theory"}, {"ideally"}, {"otherwise"}, {"given"}}

// workOrders begin messages that hand a text over to be worked on: what follows is material, not news.
var workOrders = wordSet("translate rewrite rephrase paraphrase summarize summarise proofread roleplay role-play pretend continue correct classify extract parse")

var inventions = wordSet("story poem essay song dialogue dialog script scene letter email tale novel limerick haiku example sentence sentences paragraph bio")

// isWorkOrder reports whether a message begins by asking for a text to be made or worked on.
func isWorkOrder(toks []token) bool {
	i := 0
	for i < len(toks) && (toks[i].is("please") || toks[i].is("can") || toks[i].is("could") || toks[i].is("you") || toks[i].kind == punctToken || toks[i].is("hi") || toks[i].is("hey")) {
		i++
	}
	if i+1 >= len(toks) {
		return false
	}
	if workOrders[toks[i].low] || toks[i].is("act") && toks[i+1].is("as") || toks[i].is("you") && toks[i+1].is("are") || toks[i].is("here") && toks[i+1].is("is") && i+3 < len(toks) && inventions[toks[i+3].low] {
		return true
	}
	if toks[i].is("write") || toks[i].is("compose") || toks[i].is("draft") || toks[i].is("create") || toks[i].is("generate") || toks[i].is("invent") {
		for _, t := range toks[i:min(len(toks), i+7)] {
			if inventions[t.low] {
				return true
			}
		}
	}
	// "you are a helpful assistant"
	return i > 0 && toks[i-1].is("you") && toks[i].is("are") && (toks[i+1].is("a") || toks[i+1].is("an"))
}

// opensIdle reports whether a sentence begins with one of the openers.
func opensIdle(toks []token) bool {
	i := 0
	for i < len(toks) && (toks[i].kind == punctToken || toks[i].is("and") || toks[i].is("but") || toks[i].is("so") || toks[i].is("or") || toks[i].is("well") || toks[i].is("oh")) {
		i++
	}
	rest := toks[i:]
	for _, o := range openers {
		if len(rest) < len(o) {
			continue
		}
		hit := true
		for j, w := range o {
			hit = hit && rest[j].low == w
		}
		if hit && !(len(o) == 1 && isNameLike(rest)) {
			return true
		}
	}
	return false
}

// isNameLike reports whether the first word, though on a list, is a person's name: "Will lives in Oslo".
func isNameLike(toks []token) bool {
	return toks[0].upper && givenNames[toks[0].low] && len(toks) > 1 && verbs[toks[1].low].form&formThird != 0
}

// isMachine reports whether a line looks like code, a log line, a record or markup rather than language.
func isMachine(s string) bool {
	if len(s) > 3000 {
		return true
	}
	if s[0] == '{' || s[0] == '<' || s[0] == '$' || s[0] == '|' || s[0] == '@' && len(s) > 1 && s[1] == '@' {
		return true
	}
	if strings.HasPrefix(s, "[{") || strings.HasPrefix(s, "//") || strings.HasPrefix(s, "/*") || strings.HasPrefix(s, "#!") {
		return true
	}
	if len(s) > 19 && s[4] == '-' && s[7] == '-' && (s[10] == ' ' || s[10] == 'T') && s[13] == ':' {
		return true
	}
	signs, letters := 0, 0
	for i := range len(s) {
		c := s[i]
		switch {
		case c|0x20-'a' < 26 || c >= 0x80:
			letters++
		case strings.IndexByte("{}=;<>|\\_()[]`$^~", c) >= 0:
			signs++
		}
	}
	if strings.ContainsAny(s, "{}") && signs > 1 || strings.Contains(s, "=>") || strings.Contains(s, "==") || strings.Contains(s, "();") || strings.HasSuffix(s, ";") && signs > 2 {
		return true
	}
	low := strings.ToLower(clipTo(s, 60))
	for _, level := range []string{" info ", " warn ", " error ", " debug ", "[info]", "[error]", "[warn", "[debug]", "traceback", "exception:", "error:", "warning:"} {
		if strings.Contains(low, level) && (strings.ContainsRune(s, ':') && signs+countDigits(s) > 4 || strings.HasPrefix(low, strings.TrimSpace(level))) {
			return true
		}
	}
	return signs*6 > letters
}

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// quotes someone: a stretch of three or more words between quotation marks.
func quotesSpeech(s string) bool {
	for _, pair := range [][2]string{{`"`, `"`}, {"“", "”"}, {"«", "»"}, {"„", "“"}, {"‘", "’"}} {
		rest := s
		for {
			i := strings.Index(rest, pair[0])
			if i < 0 {
				break
			}
			rest = rest[i+len(pair[0]):]
			j := strings.Index(rest, pair[1])
			if j < 0 {
				if pair[0] == `"` || pair[0] == "“" {
					return true
				}
				break
			}
			if len(strings.Fields(rest[:j])) >= 3 {
				return true
			}
			rest = rest[j+len(pair[1]):]
		}
	}
	return false
}

// hearsay are verbs behind which someone else speaks.
var hearsay = wordSet("said says say told tells claims claimed thinks thought believes believed suggested suggests asked asks wonders wondered hopes assumes assumed insisted insists pretends pretended wrote")

// reports tells whether a sentence hands on what another said or thought, or what the speaker only believes: "she said she loves opera", "I think that …".
func reports(toks []token) bool {
	for i, t := range toks {
		switch {
		case hearsay[t.low] && i > 0 && i+1 < len(toks):
			switch next := toks[i+1].low; next {
			case "that", "he", "she", "they", "i", "it", "we", "me", "us", "him", "her", "my", "his", "their", ",", ":", "to", "whether", "if", "you":
				return true
			}
			if t.is("thinks") || t.is("believes") || t.is("claims") {
				return true
			}
		case (t.is("think") || t.is("believe") || t.is("guess") || t.is("suppose") || t.is("assume") || t.is("doubt") || t.is("wonder") || t.is("wish") || t.is("imagine") || t.is("suspect") || t.is("bet") || t.is("pretend") || t.is("dreamed") || t.is("dreamt")) && i > 0 && i < 5:
			if i+1 < len(toks) && !toks[i+1].is("about") && !toks[i+1].is("of") {
				return true
			}
		case (t.is("know") || t.is("sure") || t.is("remember") || t.is("care") || t.is("tell") || t.is("ask") || t.is("see") || t.is("decide")) && i+1 < len(toks):
			switch toks[i+1].low {
			case "where", "what", "who", "how", "if", "whether", "why", "when", "which":
				return true
			}
			if t.is("know") && i > 0 && (toks[i-1].is("n't") || toks[i-1].is("not")) {
				return true
			}
		}
	}
	return false
}

// asks reports whether a sentence is a question, by its mark or its word order.
func asks(s string) bool {
	t := strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'”’)*_", r) })
	return strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") || strings.HasSuffix(t, "?!")
}
