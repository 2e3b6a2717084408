package history

import "github.com/aymanbagabas/go-udiff"

// unified returns the difference of two texts in the unified format, "" where they are equal.
func unified(a, b string) string {
	if a == b {
		return ""
	}
	return udiff.Unified("before", "after", lines(a), lines(b))
}

// lines ends a text with a line end, which the format otherwise remarks on.
func lines(s string) string {
	if s == "" || s[len(s)-1] == '\n' {
		return s
	}
	return s + "\n"
}
