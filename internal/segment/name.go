package segment

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Limits of names, in bytes: far below the 255 that file systems allow, so that a path around them stays short too.
const (
	maxSlug = 60
	maxName = 120
)

// devices are names that Windows keeps for itself, with any extension.
var devices = lexis.Words(`con prn aux nul com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9
	com¹ com² com³ lpt¹ lpt² lpt³ conin$ conout$`)

// FolderName makes the name of a recall file's folder: the topic in lower case with hyphens and the day it began, as in
// payment-integration-stripe-2025-01-03. Where taken says that a name is in use, a number follows; taken is asked few
// times (twice the logarithm of how often the name was used) and with lower-case names only. Accents are folded; other scripts
// keep their letters. A zero time gives "undated".
func FolderName(topic string, began time.Time, taken func(string) bool) (string, error) {
	day := "undated"
	if !began.IsZero() {
		day = began.Format(time.DateOnly)
	}
	name := slug(topic) + "-" + day
	if taken == nil || !taken(name) {
		return name, nil
	}
	numbered := func(n int) string { return name + "-" + strconv.Itoa(n) }
	used, free := 1, 2
	for taken(numbered(free)) {
		if used, free = free, free*2; free > 1<<40 {
			return "", lukasa.Errorf(lukasa.CodeConflict, "every name like %s is taken", name)
		}
	}
	for free-used > 1 {
		if mid := used + (free-used)/2; taken(numbered(mid)) {
			used = mid
		} else {
			free = mid
		}
	}
	return numbered(free), nil
}

// slug brings a topic down to lower-case letters, digits and single hyphens; "conversation" when nothing is left.
func slug(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(clip(s, 1<<10), "")) {
		r = unicode.ToLower(r)
		switch {
		case r == 'ß':
			b.WriteString("ss")
		case unicode.IsLetter(r), unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
		case unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Latin, r) && r >= 0x900, unicode.Is(unicode.Mc, r):
			b.WriteRune(r) // vowel signs of Indian scripts
		case r == '\'' || r == '’' || unicode.Is(unicode.Mn, r):
		default:
			gap = true
		}
	}
	t := norm.NFC.String(b.String())
	if len(t) > maxSlug {
		t = clip(t, maxSlug)
		if i := strings.LastIndexByte(t, '-'); i > maxSlug/2 {
			t = t[:i]
		}
	}
	if t = strings.Trim(t, "-"); t == "" {
		return "conversation"
	}
	return t
}

// SafeName makes a file name that every common system takes out of any string: the last element of a path, without
// control and format characters and without <>:"/\|?*, not a device of Windows, not hidden, at most 120 bytes, "file" when nothing is left.
func SafeName(s string) string {
	s = strings.ReplaceAll(s, "\\", "/")
	s = s[strings.LastIndexByte(s, '/')+1:]
	s = norm.NFC.String(strings.ToValidUTF8(clip(s, 4<<10), ""))
	s = norm.NFC.String(strings.Map(func(r rune) rune { // what is left out may have stood between a letter and its accent
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		case strings.ContainsRune(`<>:"/\|?*`, r):
			return '_'
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, s))
	s = strings.TrimLeft(strings.TrimRight(s, " ."), " .")
	if len(s) > maxName {
		ext := s[strings.LastIndexByte(s, '.')+1:]
		if len(ext) < 17 && len(ext) < len(s) {
			s = strings.TrimRight(clip(s, maxName-len(ext)-1), " .") + "." + ext
		} else {
			s = strings.TrimRight(clip(s, maxName), " .")
		}
	}
	if s == "" {
		return "file"
	}
	if stem, _, _ := strings.Cut(strings.ToLower(s), "."); devices[strings.TrimRight(stem, " ")] {
		s = "_" + s
	}
	return s
}
