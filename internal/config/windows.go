package config

import (
	"fmt"
	"strconv"
	"strings"
)

// The bounds of a context size, in tokens.
const (
	leastWindow = 1024
	mostWindow  = 100_000_000
)

// ParseWindows reads context sizes: one number for every model, which stands under "", or pairs name=number, where a name is that of
// a model or the beginning of it. nil for "".
func ParseWindows(s string) (map[string]int, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	out := map[string]int{}
	parts := strings.Split(s, ",")
	for _, part := range parts {
		name, number, pair := strings.Cut(part, "=")
		if !pair {
			name, number = "", part
		}
		name = strings.ToLower(strings.TrimSpace(name))
		n, err := strconv.Atoi(strings.TrimSpace(number))
		switch {
		case pair && name == "", !pair && len(parts) > 1:
			return nil, fmt.Errorf("is neither a number nor pairs name=number")
		case err != nil || n < leastWindow || n > mostWindow:
			return nil, fmt.Errorf("has a size that is not from %d to %d", leastWindow, mostWindow)
		}
		out[name] = n
	}
	return out, nil
}

func windows(s string) error {
	_, err := ParseWindows(s)
	return err
}
