package rules

import (
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// openers begin sentences that state nothing: conditions, commands to an assistant, make-believe.
var openers = [][]string{
	{"if"},
	{"unless"},
	{"when"},
	{"whenever"},
	{"whether"},
	{"once"},
	{"suppose"},
	{"supposing"},
	{"imagine"},
	{"assume"},
	{"assuming"},
	{"pretend"},
	{"as", "if"},
	{"as", "though"},
	{"as", "soon"},
	{"what", "if"},
	{"what"},
	{"where"},
	{"who"},
	{"why"},
	{"how"},
	{"which"},
	{"even", "if"},
	{"for", "example"},
	{"for", "instance"},
	{"e.g"},
	{"say", "i"},
	{"let", "'s", "say"},
	{"let", "'s", "assume"},
	{"act", "as"},
	{"you"},
	{"your"},
	{"maybe"},
	{"perhaps"},
	{"hopefully"},
	{"should"},
	{"would"},
	{"could"},
	{"can"},
	{"do", "you"},
	{"do", "i"},
	{"does"},
	{"did"},
	{"is"},
	{"are"},
	{"am"},
	{"was"},
	{"were"},
	{"has"},
	{"have", "you"},
	{"will"},
	{"may"},
	{"might"},
	{"had", "i"},
	{"please"},
	{"in", "the", "novel"},
	{"in", "the", "book"},
	{"in", "the", "movie"},
	{"in", "the", "film"},
	{"in", "the", "story"},
	{"in", "the", "game"},
	{"in", "the", "series"},
	{"in", "my", "dream"},
	{"in", "a", "dream"},
	{"according"},
	{"allegedly"},
	{"supposedly"},
	{"in", "theory"},
	{"ideally"},
	{"otherwise"},
	{"given"},
}

// workOrders begin messages that hand a text over to be worked on: what follows is material, not news.
var workOrders = lexis.Words("translate rewrite rephrase paraphrase summarize summarise proofread roleplay role-play pretend continue correct classify extract parse")

var inventions = lexis.Words("story poem essay song dialogue dialog script scene letter email tale novel limerick haiku example sentence sentences paragraph bio")

// isWorkOrder reports whether a message begins by asking for a text to be made or worked on.
func isWorkOrder(toks []lexis.Token) bool {
	i := 0
	for i < len(toks) && (toks[i].Is("please") || toks[i].Is("can") || toks[i].Is("could") || toks[i].Is("you") || toks[i].Kind == lexis.Punct || toks[i].Is("hi") || toks[i].Is("hey")) {
		i++
	}
	if i+1 >= len(toks) {
		return false
	}
	if workOrders[toks[i].Low] || toks[i].Is("act") && toks[i+1].Is("as") || toks[i].Is("you") && toks[i+1].Is("are") || toks[i].Is("here") && toks[i+1].Is("is") && i+3 < len(toks) && inventions[toks[i+3].Low] {
		return true
	}
	if toks[i].Is("write") || toks[i].Is("compose") || toks[i].Is("draft") || toks[i].Is("create") || toks[i].Is("generate") || toks[i].Is("invent") {
		for _, t := range toks[i:min(len(toks), i+7)] {
			if inventions[t.Low] {
				return true
			}
		}
	}
	// "you are a helpful assistant"
	return i > 0 && toks[i-1].Is("you") && toks[i].Is("are") && (toks[i+1].Is("a") || toks[i+1].Is("an"))
}

// remembered cuts the wrapping off "I'd like you to remember that I live in Porto".
func remembered(toks []lexis.Token) []lexis.Token {
	for i := 0; i < len(toks) && i < 8; i++ {
		t := toks[i]
		if (t.Is("remember") || t.Is("note") || t.Is("know")) && i+2 < len(toks) {
			rest := toks[i+1:]
			if rest[0].Is("that") || rest[0].Is(":") {
				rest = rest[1:]
			} else if !rest[0].Is("i") && !rest[0].Is("my") && !rest[0].Is("we") && !rest[0].Is("our") {
				return toks
			}
			if len(rest) > 2 && !(t.Is("know") && i == 1 && toks[0].Is("i")) {
				return rest
			}
			return toks
		}
		if !wrapping[t.Low] {
			return toks
		}
	}
	return toks
}

var wrapping = lexis.Words("please i 'd would like want need you to also and just can could do should for the record always let me keep in mind , to")

// opensIdle reports whether a sentence begins with one of the openers.
func opensIdle(toks []lexis.Token) bool {
	i := 0
	for i < len(toks) && (toks[i].Kind == lexis.Punct || toks[i].Is("and") || toks[i].Is("but") || toks[i].Is("so") || toks[i].Is("or") || toks[i].Is("well") || toks[i].Is("oh")) {
		i++
	}
	rest := toks[i:]
	for _, o := range openers {
		if len(rest) < len(o) {
			continue
		}
		hit := true
		for j, w := range o {
			hit = hit && rest[j].Low == w
		}
		if hit && !(len(o) == 1 && isNameLike(rest)) {
			return true
		}
	}
	return false
}

// isNameLike reports whether the first word, though on a list, is a person's name: "Will lives in Oslo".
func isNameLike(toks []lexis.Token) bool {
	return toks[0].Upper && lexis.GivenNames[toks[0].Low] && len(toks) > 1 && lexis.Verbs[toks[1].Low].Form&lexis.Third != 0
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
	first, rest, _ := strings.Cut(s, " ")
	if codeWords[strings.ToLower(first)] && strings.ContainsAny(rest, "=(){};*") || strings.Contains(s, "; //") {
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
	low := strings.ToLower(lexis.Clip(s, 60))
	for _, level := range []string{" info ", " warn ", " error ", " debug ", "[info]", "[error]", "[warn", "[debug]", "traceback", "exception:", "error:", "warning:"} {
		if strings.Contains(low, level) && (strings.ContainsRune(s, ':') && signs+countDigits(s) > 4 || strings.HasPrefix(low, strings.TrimSpace(level))) {
			return true
		}
	}
	return signs*6 > letters
}

// codeWords begin lines of code; a sentence that begins with one has no sign of code behind it.
var codeWords = lexis.Words("const let var func def class import return public private static package struct enum type #include echo export sudo select insert update delete create alter while switch print printf")

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
var hearsay = lexis.Words("said says say told tells claims claimed thinks thought believes believed suggested suggests asked asks wonders wondered hopes assumes assumed insisted insists pretends pretended wrote")

// reports tells whether a sentence hands on what another said or thought, or what the speaker only believes: "she said she loves opera", "I think that …".
func reports(toks []lexis.Token) bool {
	for i, t := range toks {
		switch {
		case inventions[t.Low] || t.Is("play") || t.Is("film") || t.Is("movie") || t.Is("book") || t.Is("show") || t.Is("game"):
			if i > 1 && toks[i-1].Is("the") && toks[i-2].Is("in") {
				return true
			}
		case hearsay[t.Low] && i > 0 && i+1 < len(toks):
			switch next := toks[i+1].Low; next {
			case "that", "he", "she", "they", "i", "it", "we", "me", "us", "him", "her", "my", "his", "their", ",", ":", "to", "whether", "if", "you":
				return true
			}
			if t.Is("thinks") || t.Is("believes") || t.Is("claims") {
				return true
			}
		case (t.Is("think") || t.Is("believe") || t.Is("guess") || t.Is("suppose") || t.Is("assume") || t.Is("doubt") || t.Is("wonder") || t.Is("wish") || t.Is("imagine") || t.Is("suspect") || t.Is("bet") || t.Is("pretend") || t.Is("dreamed") || t.Is("dreamt")) && i > 0 && i < 5:
			if i+1 < len(toks) && !toks[i+1].Is("about") && !toks[i+1].Is("of") {
				return true
			}
		case (t.Is("know") || t.Is("sure") || t.Is("remember") || t.Is("care") || t.Is("tell") || t.Is("ask") || t.Is("see") || t.Is("decide")) && i+1 < len(toks):
			switch toks[i+1].Low {
			case "where", "what", "who", "how", "if", "whether", "why", "when", "which":
				return true
			}
			if t.Is("know") && i > 0 && (toks[i-1].Is("n't") || toks[i-1].Is("not")) {
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
