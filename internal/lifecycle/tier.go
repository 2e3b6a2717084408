package lifecycle

import "time"

// The tiers: how long ago something was last used. They say what to expect of a read; nothing moves by itself with a tier, but
// the files of what is cold are compressed hard once they have been idle for as long as the setting says.
const (
	Hot  = "hot"  // within the hour
	Warm = "warm" // within seven days
	Cold = "cold"
)

const (
	warmAfter = time.Hour
	coldAfter = 7 * 24 * time.Hour
)

// Tier returns the tier of what was last used at a time. What has never been used counts from when it was made.
func Tier(used, now time.Time) string {
	switch idle := now.Sub(used); {
	case idle <= warmAfter:
		return Hot
	case idle <= coldAfter:
		return Warm
	}
	return Cold
}
