package text

import "strings"

// Alike reports whether two texts are close enough to be versions of one: at least two fifths of their distinct words are shared
// (Jaccard).
func Alike(a, b string) bool {
	wa, wb := distinctWords(a), distinctWords(b)
	if len(wa) == 0 || len(wb) == 0 {
		return false
	}
	shared := 0
	for w := range wa {
		if wb[w] {
			shared++
		}
	}
	return 5*shared >= 2*(len(wa)+len(wb)-shared)
}

func distinctWords(s string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		set[strings.Trim(w, ".,;:!?()[]\"'")] = true
	}
	delete(set, "")
	return set
}
