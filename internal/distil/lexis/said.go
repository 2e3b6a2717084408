package lexis

import "time"

// KeySaidAt is the name under which metadata tell when a text was written, in RFC 3339.
const KeySaidAt = "said_at"

// SaidAt reads from metadata when a text was written; ok is false where they do not tell.
func SaidAt(metadata map[string]any) (at time.Time, ok bool) {
	switch v := metadata[KeySaidAt].(type) {
	case string:
		t, err := time.Parse(time.RFC3339Nano, v)
		return t, err == nil
	case time.Time:
		return v, true
	}
	return time.Time{}, false
}
