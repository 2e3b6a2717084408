package text

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
)

// Undetermined is the language code of text whose language is not known
// (ISO 639-3 "und").
const Undetermined = "und"

const (
	sampleBytes   = 6 << 10 // what is read of a long text, in three pieces
	leastLetters  = 24      // below this, trigrams of alphabets are noise
	leastSure     = 0.5     // trigram confidence below this is "und"
	leastFunction = 2       // function words that settle a language alone
)

// Language returns the ISO 639-1 code of the language s is written in (639-3
// where there is none) and how sure that is, 0 to 1. Text that is too short or
// too mixed gives Undetermined with the confidence of the best guess. Scripts
// with one major language (Japanese kana, Hangul, Thai, Greek) are told even from a
// few characters. Function words decide first, then whatlanggo's trigrams. At
// most 6 KiB of s are read: the start, the middle and the end.
func Language(s string) (code string, confidence float64) {
	s = languageSample(s)
	if code, votes := functionVotes(s); votes >= leastFunction {
		return code, min(1, 0.6+0.1*float64(votes))
	}
	info := whatlanggo.Detect(s)
	if info.Lang < 0 || info.Script == nil {
		return Undetermined, 0
	}
	code = info.Lang.Iso6391()
	if code == "" {
		code = info.Lang.Iso6393()
	}
	letters := countLetters(s)
	if info.Script == unicode.Latin || info.Script == unicode.Cyrillic || info.Script == unicode.Arabic {
		sure := info.Confidence * min(1, float64(letters)/float64(2*leastLetters))
		if letters < leastLetters || sure < leastSure {
			return Undetermined, sure
		}
		return code, sure
	}
	if letters < 2 {
		return Undetermined, 0
	}
	return code, info.Confidence
}

// languageSample cuts a long text to pieces of its start, middle and end.
func languageSample(s string) string {
	if len(s) <= sampleBytes {
		return s
	}
	const piece = sampleBytes / 3
	mid := len(s) / 2
	return strings.ToValidUTF8(s[:piece]+" "+s[mid:mid+piece]+" "+s[len(s)-piece:], " ")
}

func countLetters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// functionVotes counts the function words of each language in functionLanguages. The
// winner needs twice the votes of the next one.
func functionVotes(s string) (code string, lead int) {
	var votes [64]int
	var buf [16]byte
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) {
			i += n
			continue
		}
		word := buf[:0]
		for i < len(s) {
			r, n = utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(r) && r != '\'' {
				break
			}
			if len(word) <= 12 {
				word = utf8.AppendRune(word, unicode.ToLower(r))
			}
			i += n
		}
		for mask := functionWords[string(word)]; mask != 0; mask &= mask - 1 {
			votes[bits.TrailingZeros32(mask)]++
		}
	}
	best, second := 0, 0
	for i, v := range votes[:len(functionLanguages)] {
		switch {
		case v > best:
			best, second, code = v, best, functionLanguages[i].code
		case v > second:
			second = v
		}
	}
	if best < 2*second || best == 0 {
		return "", 0
	}
	return code, best - second
}

type functionLanguage struct{ code, words string }

// functionLanguages are frequent function words of languages that short notes
// often come in; words that several share count for each.
var functionLanguages = []functionLanguage{
	{"en", "the and is are was were i'm my you your with of for to in at from this that have has it not on be we they he she will what a an i"},
	{"de", "der die das und ist sind war ich nicht mit auf für ein eine einen zu von im den dem des sich auch es wir sie er wird haben hat bei in"},
	{"fr", "le la les et est sont je ne pas avec pour un une des du de dans qui que sur il elle nous vous ce cette au aux mon ma mes j'ai c'est"},
	{"es", "el la los las y es son yo no con para un una de del en que por se mi su está tengo muy lo como más pero"},
	{"it", "il lo la gli le e è sono io non con per un una di del della nel che si mi ho ha questo molto come più ma anche"},
	{"pt", "o a os as e é são eu não com para um uma de do da em que por se meu minha está tenho muito como mais mas no na"},
	{"nl", "de het een en is zijn was ik niet met op voor van in dat die je we zij wij hij ook naar mijn heb heeft bij aan te"},
	{"sv", "och är jag inte med på för en ett av i att det som den har till om vi min var från"},
	{"da", "og er jeg ikke med på for en et af i at det som den har til om vi min var fra"},
	{"pl", "i jest są ja nie z na dla w do że się to jak ale mój moja mam był była od po"},
	{"ru", "и в не на я что он она мы вы это как у меня мне с по но из за для был была есть его её или так"},
	{"uk", "і в не на я що він вона ми ви це як у мене мені з по але із за для був була є його її або та"},
	{"bg", "и в не на аз че той тя ние вие това как у мен ми с по но от за беше е съм са или да се"},
}

// functionWords maps a word to the set of languages (bit by index) that use it.
var functionWords = indexFunctionWords(functionLanguages)

func indexFunctionWords(languages []functionLanguage) map[string]uint32 {
	index := map[string]uint32{}
	for i, l := range languages {
		for w := range strings.FieldsSeq(l.words) {
			index[w] |= 1 << i
		}
	}
	return index
}

// Foreign reports whether a text is in another language than English, as far as small words tell: two of one language that are no words of English, and
// none that only English has. What is too short to tell is taken for English.
func Foreign(s string) bool {
	var votes [64]int
	english, most := uint32(1), 0
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		w = strings.ToLower(w)
		mask := functionWords[w]
		if mask == english {
			return false
		}
		if mask&english != 0 || len(w) < 2 || homographs[w] {
			continue
		}
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask)
			votes[i]++
			most = max(most, votes[i])
		}
	}
	return most > 1
}

// homographs are words of English that are small words of another language.
var homographs = setOf("as come de die do em ha hat im met min mit mon no non op os per son til till un van vi war yo")
