package grammar

import (
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
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
	case first != "" && first[0] >= 'A' && first[0] <= 'Z' && lexis.Jobs[last] && !lexis.LeadingJobs[last] && last != "head":
		if strings.IndexByte("AEIO", first[0]) >= 0 {
			return "an " + v
		}
		return "a " + v
	case first == "" || first[0] < 'a' || first[0] > 'z' || strings.HasSuffix(last, "s") &&
		!strings.HasSuffix(last, "ss"), lexis.SmallNumber(first) > 0, strings.HasPrefix(rest, "of "):
		return v
	case lexis.IsVowel(first[0]) && !strings.HasPrefix(first, "uni") && !strings.HasPrefix(first, "use"):
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
