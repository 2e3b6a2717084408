package lexis

import (
	"strings"
	"unicode/utf8"
)

// TakesThe reports whether a place is named with "the".
func TakesThe(place string) bool {
	switch strings.ToLower(place) {
	case "us", "usa", "uk", "netherlands", "philippines", "united states", "united kingdom",
		"czech republic", "alps", "countryside", "suburbs", "city", "bay area":
		return true
	}
	first, rest, _ := strings.Cut(strings.ToLower(place), " ")
	return strings.HasPrefix(rest, "of ") && (first == "north" || first == "south" || first == "east" || first == "west" || first == "middle" ||
		first == "outskirts" || first == "suburbs" || first == "centre" || first == "center")
}

// Article puts a or an (the before an employer in small letters is not needed: "a") before a singular noun in small letters.
func Article(v string) string {
	first, rest, _ := strings.Cut(v, " ")
	last := v[strings.LastIndexByte(v, ' ')+1:]
	switch {
	case first == "the":
		return v
	case first != "" && first[0] >= 'A' && first[0] <= 'Z' && Jobs[last] && !LeadingJobs[last] && last != "head":
		if strings.IndexByte("AEIO", first[0]) >= 0 {
			return "an " + v
		}
		return "a " + v
	case first == "" || first[0] < 'a' || first[0] > 'z' || strings.HasSuffix(last, "s") &&
		!strings.HasSuffix(last, "ss"), SmallNumber(first) > 0, strings.HasPrefix(rest, "of "):
		return v
	case IsVowel(first[0]) && !strings.HasPrefix(first, "uni") && !strings.HasPrefix(first, "use"):
		return "an " + v
	}
	return "a " + v
}

// LowerFirst makes the first letter small, unless the word is in capitals.
func LowerFirst(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' && s[1] <= 'z' {
		return string(s[0]|0x20) + s[1:]
	}
	return s
}

// UpperFirst makes the first letter a capital.
func UpperFirst(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]&^0x20) + s[1:]
	}
	return s
}

// Announces reports whether a text says that a list of what is to be done follows.
func Announces(s string) bool {
	head, _, ok := strings.Cut(strings.ToLower(s), "\n")
	if !ok {
		return false
	}
	return strings.Contains(head, "my list") || strings.Contains(head, "to do") || strings.Contains(head, "todo") ||
		strings.Contains(head, "to-do") || strings.Contains(head, "tasks") ||
		strings.Contains(head, "action items") || strings.Contains(head, "next steps") || strings.Contains(head, "need to") ||
		strings.Contains(head, "have to") || strings.Contains(head, "checklist")
}

// ValidUTF8 writes a space for every byte that is no part of a character, so that offsets stay.
func ValidUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	b := []byte(s)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			b[i] = ' '
		}
		i += n
	}
	return string(b)
}

// Speaks reports whether a message of the role and speaker can hold what a person says. An assistant is a machine, whatever its name: a person who
// takes that part has the role of a user and a name.
func Speaks(role, speaker string) bool {
	speaker = strings.ToLower(speaker)
	switch strings.ToLower(role) {
	case "system", "developer", "tool", "function", "tool_result", "ipython", "assistant", "model", "ai", "bot", "agent":
		return false
	}
	return !MachineNames[speaker]
}

// Slug writes a noun as a part of a predicate; American spellings become British ones.
func Slug(s string) string {
	s = strings.ToLower(OneLine(s))
	s = strings.ReplaceAll(strings.ReplaceAll(s, "color", "colour"), "favorite", "favourite")
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", "_"), "-", "_")
}
