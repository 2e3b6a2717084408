package text

import (
	"strings"
	"unicode"
)

// Asks reports whether a sentence is a question, by its mark or its word order.
func Asks(s string) bool {
	t := strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'”’)*_", r) })
	return strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") || strings.HasSuffix(t, "?!")
}

// QuestionTail returns where a question begins that is hung on a statement, "We land at six, can you fetch us?", or -1.
func QuestionTail(s string) int {
	for i := len(s) - 2; i > 8; i-- {
		if s[i] != ',' && s[i] != '-' && s[i] != ';' || s[i+1] != ' ' {
			continue
		}
		first, rest, _ := strings.Cut(strings.ToLower(strings.TrimLeft(s[i+1:], " ")), " ")
		if (first == "and" || first == "so" || first == "but") && rest != "" {
			first, _, _ = strings.Cut(rest, " ")
		}
		if questionWords[strings.Trim(first, "?,!")] {
			return i
		}
	}
	return -1
}

var questionWords = setOf("can could would will do does did is are am was were what where when who why how which should shall right ok okay any have has isn't aren't don't doesn't won't can't couldn't wouldn't you u deal")

// Recalls reports whether a message gives back what is remembered already: a brief, or a list of memories. Nothing in it is news.
func Recalls(s string) bool {
	head := strings.ToLower(strings.TrimLeft(s[:min(len(s), 200)], " \t\n*#>-_\"“'‘"))
	for _, p := range recalls {
		if strings.HasPrefix(head, p) {
			return true
		}
	}
	return strings.Contains(head, "<memory>") || strings.Contains(head, "<memories>") || strings.Contains(head, "<context>") || strings.Contains(head, "-brief ") && strings.Contains(head, "<")
}

// recalls are the first words of messages that tell what is remembered.
var recalls = []string{
	"relevant memories", "memories:", "recalled memories", "relevant context", "from what i remember", "here is what i remember", "here's what i remember", "what i remember about",
	"here is what i know about you", "here's what i know about you", "here is what we know", "from memory:", "context from memory", "known facts", "user profile:", "user memories",
	"based on our previous", "based on your memories", "as you told me", "you told me", "you mentioned", "summary of the conversation", "conversation summary", "previously:", "recap:",
}

// QuotesSpeech reports whether s quotes someone: a stretch of three or more words between quotation marks.
func QuotesSpeech(s string) bool {
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

// Quoted is a statement with both marks of a quotation of which the clause that it was taken from has one.
func Quoted(s string) string {
	n := strings.Count(s, `"`)
	if n%2 == 0 {
		return s
	}
	at := strings.LastIndexByte(s, '"')
	switch {
	case at == 0 || at+1 < len(s) && strings.IndexByte(" (/:", s[at-1]) >= 0: // it begins, and does not end
		end := len(strings.TrimRight(s, ".!"))
		return s[:end] + `"` + s[end:]
	case n > 1 || s[at-1] >= '0' && s[at-1] <= '9': // a rack of 19"
		return s
	}
	head, said, ok := strings.Cut(s, " says: ")
	if !ok {
		return `"` + s
	}
	return head + ` says: "` + said
}
