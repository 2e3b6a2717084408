package text

import (
	"strings"
	"unicode"
)

// chatterWords is up to how many words a text may be nothing but chatter. Longer ones say something, whatever their words are.
const chatterWords = 12

// Chatter reports whether a text has no word that says what it is about: "haha yes", "ok thanks", "👍". It knows English; a word of another language
// says something.
func Chatter(s string) bool {
	n := 0
	for w := range strings.FieldsFuncSeq(strings.ToLower(strings.ReplaceAll(s, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	}) {
		w = strings.Trim(w, "'")
		if n++; n > chatterWords {
			return false
		}
		for part := range strings.SplitSeq(w, "'") { // don't
			if part != "" && !stopWords[part] && !chatter[part] && !laughs(part) {
				return false
			}
		}
	}
	return true
}

// laughs reports whether a word is a laugh, a sigh or a cry of any length: haha, hmmm, yesss.
func laughs(w string) bool {
	if len(w) > 3 && strings.Trim(w, "hae") == "" && strings.Contains(w, "h") || len(w) > 2 && strings.Trim(w, "lo") == "" {
		return true
	}
	short := strings.TrimRight(w, w[len(w)-1:])
	if len(w)-len(short) < 3 {
		return false
	}
	return chatter[short+w[len(w)-1:]] || chatter[short+w[len(w)-2:]] || stopWords[short+w[len(w)-1:]]
}

// chatter are the English words, beside the stop words, that answer, greet, thank or cheer and say nothing of what a text is about.
var chatter = formSet(`ok okay okey okie kay k yes yeah yea yep yup ya nope nah no ah aha ahh oh ooh uh uhh um umm hm hmm hmmm mm mhm huh eh er wow whoa oops ouch
	haha hehe hihi lol lmao rofl xd omg btw thx ty tysm np pls plz thank thanks cheers please sorry welcome hi hey hello hiya bye goodbye cya
	great good nice cool awesome amazing fine perfect super sweet lovely wonderful fantastic brilliant excellent alright right sure absolutely definitely
	exactly totally indeed really true agreed understood noted gotcha got get it's that's let's well anyway actually maybe perhaps probably much lot lots
	everyone guys man dude yay hooray congrats congratulations glad happy haha sounds sound see know think guess hope wait go going one`)
