package openai

import "strings"

// languages are the names that Whisper has for languages, each after its code (ISO 639-1 where there is one).
const languages = "en english zh chinese de german es spanish ru russian ko korean fr french ja japanese pt portuguese tr turkish pl polish ca catalan " +
	"nl dutch ar arabic sv swedish it italian id indonesian hi hindi fi finnish vi vietnamese he hebrew uk ukrainian el greek ms malay cs czech " +
	"ro romanian da danish hu hungarian ta tamil no norwegian th thai ur urdu hr croatian bg bulgarian lt lithuanian la latin mi maori ml malayalam " +
	"cy welsh sk slovak te telugu fa persian lv latvian bn bengali sr serbian az azerbaijani sl slovenian kn kannada et estonian mk macedonian " +
	"br breton eu basque is icelandic hy armenian ne nepali mn mongolian bs bosnian kk kazakh sq albanian sw swahili gl galician mr marathi " +
	"pa punjabi si sinhala km khmer sn shona yo yoruba so somali af afrikaans oc occitan ka georgian be belarusian tg tajik sd sindhi gu gujarati " +
	"am amharic yi yiddish lo lao uz uzbek fo faroese ps pashto tk turkmen nn nynorsk mt maltese sa sanskrit lb luxembourgish my myanmar bo tibetan " +
	"tl tagalog mg malagasy as assamese tt tatar haw hawaiian ln lingala ha hausa ba bashkir jw javanese su sundanese yue cantonese"

// languageCode returns the code of what a server calls a language: a code, or a name in English; "" for what is neither.
func languageCode(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	words := strings.Fields(languages)
	for i := 0; i+1 < len(words); i += 2 {
		if s == words[i] || s == words[i+1] {
			return words[i]
		}
	}
	return ""
}
