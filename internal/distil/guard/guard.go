// Package guard tells which sentences state nothing of their own: conditions, make-believe, hearsay, and texts that are handed over to be worked on;
// and it takes the wrapping off what somebody asks to remember.
package guard

import (
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Idles names why a sentence most likely says nothing to keep: it opens with a thought ("idle"), or gives what another said ("reports"); else "".
func Idles(toks []lexis.Token) string {
	switch {
	case OpensIdle(toks):
		return "idle"
	case reports(toks):
		return "reports"
	}
	return ""
}

// openers begin sentences that state nothing: conditions, commands to an assistant, make-believe.
var openers = phrases(`if; unless; when; whenever; whether; once; suppose; supposing; imagine; assume; assuming; pretend; as if; as though; as soon; what if; what;
	where; who; why; how; which; even if; for example; for instance; e.g; say i; let 's say; let 's assume; act as; you; your; maybe; perhaps;
	hopefully; should; would; could; can; do you; do i; does; did; is; are; am; was; were; has; have you; will; may; might; had i; please;
	in the novel; in the book; in the movie; in the film; in the story; in the game; in the series; in my dream; in a dream; according;
	allegedly; supposedly; in theory; ideally; otherwise; given`)

// phrases splits a list at semicolons, and each of its items at spaces.
func phrases(list string) [][]string {
	var out [][]string
	for p := range strings.SplitSeq(list, ";") {
		out = append(out, strings.Fields(p))
	}
	return out
}

// workOrders begin messages that hand a text over to be worked on: what follows is material, not news.
var workOrders = lexis.Words("translate rewrite rephrase paraphrase summarize summarise proofread roleplay role-play pretend continue correct classify extract parse")

var inventions = lexis.Words("story poem essay song dialogue dialog script scene letter email tale novel limerick haiku example sentence sentences paragraph bio")

// IsWorkOrder reports whether a message begins by asking for a text to be made or worked on.
func IsWorkOrder(toks []lexis.Token) bool {
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

// Remembered cuts the wrapping off "I'd like you to remember that I live in Porto", and says whether it asks to remember: "I remember that we lived in
// Porto" and "note that" do not.
func Remembered(toks []lexis.Token) (rest []lexis.Token, asked bool) {
	own := false
	for i := 0; i < len(toks) && i < 8; i++ {
		t := toks[i]
		order := t.Is("remember") || t.Is("mind") && toks[max(0, i-1)].Is("in") || t.Is("forget") && denying[toks[max(0, i-1)].Low]
		if (order || t.Is("note") || t.Is("know")) && i+2 < len(toks) {
			rest := toks[i+1:]
			if rest[0].Is("that") || rest[0].Is(":") {
				rest = rest[1:]
			} else if !rest[0].Is("i") && !rest[0].Is("my") && !rest[0].Is("we") && !rest[0].Is("our") && !lexis.Parents[rest[0].Low] {
				return toks, false
			}
			if len(rest) > 2 && !(t.Is("know") && i == 1 && toks[0].Is("i")) {
				return rest, order && !own
			}
			return toks, false
		}
		if !wrapping[t.Low] {
			return toks, false
		}
		own = (own || t.Is("i") || t.Is("we")) && !t.Is("you")
	}
	return toks, false
}

var denying = lexis.Words("n't not never")

var wrapping = lexis.Words("n't not never please i 'd would like want need you to also and just can could do should for the record always let me keep in mind , to")

// OpensIdle reports whether a sentence begins with one of the openers.
func OpensIdle(toks []lexis.Token) bool {
	i := 0
	for i < len(toks) && (toks[i].Kind == lexis.Punct || toks[i].Is("and") || toks[i].Is("but") || toks[i].Is("so") || toks[i].Is("or") || toks[i].Is("well") || toks[i].Is("oh")) {
		i++
	}
	rest := toks[i:]
	for _, o := range openers {
		hit := starts(rest, o)
		if hit && len(o) == 1 && len(rest) > 1 && rest[1].Is(",") && (rest[0].Is("which") || rest[0].Is("what")) {
			return false // "Which, fine, I love lurchers"
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
			case "my", "his", "her", "their":
				if hands(toks[i+2:]) {
					return true
				}
				continue
			case "that", "he", "she", "they", "i", "it", "we", "me", "us", "him", ",", ":", "to", "whether", "if", "you":
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

// hands reports whether what was told follows whom it was told to: "told my boss that …", but not "told my boss today".
func hands(toks []lexis.Token) bool {
	for i, t := range toks {
		switch t.Low {
		case "that", "to", "if", "whether", "he", "she", "they", "i", "we", "it", ",", ":", "how", "what", "why":
			return i < 5
		}
	}
	return false
}

// Lasting returns an order that holds from now on, without what stands behind it: "answer in Dutch from now on", to a helper "keep your answers short". own
// tells that it is said as what the speaker would like: "I'd prefer if you answered in Dutch". Nil when it is none.
func Lasting(toks []lexis.Token, helper bool) (order []lexis.Token, own bool) {
	lasts := false
	for i := 1; i+2 < len(toks) && !lasts; i++ {
		if lasts = toks[i].Is("from") && toks[i+1].Is("now") && toks[i+2].Is("on"); lasts && i+3 < len(toks) && toks[i+3].Kind == lexis.Punct {
			toks = toks[:i+3]
		}
	}
	switch {
	case len(toks) < 3 || !lasts && !helper:
	case lexis.IsBase(toks[0].Low) && (lasts || toks[0].Is("keep") && (answers[toks[1].Low] || answers[toks[2].Low])):
		return toks, false
	case len(toks) > 5 && toks[0].Is("i") && (toks[1].Is("'d") || toks[1].Is("would")):
		rest := toks[3:]
		for toks[2].Is("prefer") && len(rest) > 3 && (rest[0].Is("it") || rest[0].Is("if")) {
			rest = rest[1:]
		}
		if rest[0].Is("you") && (toks[2].Is("prefer") || toks[2].Is("rather") || toks[2].Is("like") && lasts) {
			return toks, true
		}
	}
	return nil, false
}

var answers = lexis.Words("answer answers reply replies response responses")

// reminders lead up to what is not to be forgotten.
var reminders = phrases(`remind me to; set a reminder to; do n't forget to; do not forget to; do n't let me forget to; remember to; note to self :`)

// Reminder returns where what is not to be forgotten begins, with the day if that comes first: "remind me to ring Tom", "remind me on 6 June to ring Tom"; 0
// where nobody asks to be reminded.
func Reminder(toks []lexis.Token) int {
	for _, lead := range reminders {
		if starts(toks, lead) {
			return len(lead)
		}
	}
	if len(toks) < 6 || !toks[0].Is("remind") || !toks[1].Is("me") {
		return 0
	}
	dated := false
	for i, t := range toks[2:min(len(toks)-1, 9)] {
		if t.Is("to") && dated && toks[i+3].Kind == lexis.Word {
			return 2
		}
		dated = dated || lexis.IsDateWord(t.Low) || t.Is("tomorrow") || t.Is("tonight")
	}
	return 0
}

// starts reports whether tokens begin with the words.
func starts(toks []lexis.Token, words []string) bool {
	for i, w := range words {
		if i >= len(toks) || toks[i].Low != w {
			return false
		}
	}
	return true
}
