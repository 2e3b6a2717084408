package cli

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// Metadata reads values as JSON where they are numbers or booleans; an empty one is nil, which removes the name in an edit.
func Metadata(in map[string]string) map[string]any {
	if len(in) == 0 {
		return nil
	}
	out := map[string]any{}
	for k, s := range in {
		var v any
		switch err := json.Unmarshal([]byte(s), &v); v.(type) {
		case float64, bool:
			if err == nil {
				out[k] = v
				continue
			}
		}
		if out[k] = s; s == "" {
			out[k] = nil
		}
	}
	return out
}

// TooLarge names files that were passed over as they are over the limit of a file, as far as they are few.
func TooLarge(note func(string, ...any), paths []string, oneLine func(string, int) string, limit string, near func(string) string) {
	const most = 10
	for i, p := range paths {
		if i == most {
			note("lukasa: %d more files are over that limit", len(paths)-most)
			return
		}
		note("lukasa: %s: passed over, it is over the limit of %s; raise limit.file, or split it", oneLine(near(p), 200), limit)
	}
}

// Only refuses a flag that narrows other lists than the one that is asked for, about which it would say nothing.
func Only(flag string, given bool, list string, lists ...string) error {
	if !given || slices.Contains(lists, list) {
		return nil
	}
	return lukasa.Invalid(flag, "is for %s, and not for %s", strings.Join(lists, " and "), list)
}
