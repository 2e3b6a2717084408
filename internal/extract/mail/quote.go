package mail

import (
	"regexp"
	"slices"
	"strings"
)

// unflow joins the lines of format=flowed text (RFC 3676): a line that ends in a space goes on in the next of the same
// quote depth. delsp: that space is not part of the text.
func unflow(s string, delsp bool) string {
	var b strings.Builder
	open, depth := false, 0
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		d := 0
		for d < len(line) && line[d] == '>' {
			d++
		}
		words := strings.TrimPrefix(line[d:], " ")
		if open && (d != depth || words == "-- ") {
			b.WriteByte('\n')
			open = false
		}
		if !open && d > 0 {
			b.WriteString(strings.Repeat(">", min(d, 50)) + " ")
		}
		flowed := strings.HasSuffix(words, " ") && words != "-- "
		if flowed && delsp {
			words = words[:len(words)-1]
		}
		b.WriteString(words)
		if open, depth = flowed, d; !open {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// trimmed is a body without what others wrote.
type trimmed struct {
	text      string
	quoted    int // lines of quotes that were cut, with the lines that introduce them
	signature int // lines of signatures and list footers that were cut
}

// keptQuote is the most lines that a quote with an answer below may have to stay.
const keptQuote = 3

// trim cuts quotes and the signature. A short quote that is answered right below stays, as the answer says little without
// it; so does all that a forwarded mail passes on. When nothing else is there, the quote is the mail.
func trim(s string, forward bool) trimmed {
	lines := strings.Split(strings.TrimRight(unarmour(s), " \t\r\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	forward = forward || slices.ContainsFunc(lines, forwardLine.MatchString)
	var t trimmed
	if !forward {
		if i := original(lines); i >= 0 {
			t.quoted += countWords(lines[i:])
			lines = lines[:i]
		}
	}
	var kept []string
	for i := 0; i < len(lines); {
		if !isQuote(lines[i]) || forward {
			kept = append(kept, lines[i])
			i++
			continue
		}
		end := i
		for end < len(lines) && (isQuote(lines[end]) || strings.TrimSpace(lines[end]) == "" && end+1 < len(lines) && isQuote(lines[end+1])) {
			end++
		}
		if end-i <= keptQuote && answered(lines[end:]) {
			for _, q := range lines[i:end] {
				kept = append(kept, "> "+strings.TrimLeft(q, "> "))
			}
			kept = append(kept, "")
		} else {
			var intro int
			kept, intro = cutIntro(kept)
			t.quoted += countWords(lines[i:end]) + intro
		}
		i = end
	}
	if !forward {
		kept, t.signature = cutSignature(kept)
	}
	t.text = strings.TrimSpace(strings.Join(kept, "\n"))
	if t.text == "" && t.quoted > 0 {
		return trimmed{text: strings.TrimSpace(s)} // nothing but a quote: then that is what was sent
	}
	return t
}

// isQuote reports a line of somebody else.
func isQuote(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " "), ">") && !strings.HasPrefix(line, ">From ")
}

// answered reports that words follow without a gap of more than a line.
func answered(lines []string) bool {
	for _, l := range lines[:min(len(lines), 2)] {
		if strings.TrimSpace(l) != "" {
			return !isQuote(l)
		}
	}
	return false
}

func countWords(lines []string) int {
	n := 0
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			n++
		}
	}
	return n
}

// cutIntro drops the lines "On Monday, Anna wrote:" before a quote, in whatever language: up to three that end in a colon
// and hold an address or a date.
func cutIntro(lines []string) ([]string, int) {
	end := len(lines)
	for end > 0 && strings.TrimSpace(lines[end-1]) == "" {
		end--
	}
	if end == 0 {
		return lines, 0
	}
	last := strings.TrimRight(strings.TrimSpace(lines[end-1]), "*_ ")
	if !strings.HasSuffix(last, ":") && !strings.HasSuffix(last, "：") {
		return lines, 0
	}
	for n := 1; n <= 3 && n <= end; n++ {
		intro := strings.Join(lines[end-n:end], " ")
		if strings.TrimSpace(lines[end-n]) == "" || len(intro) > 400 {
			break
		}
		if introWords.MatchString(intro) && (n == end || n == 3 || strings.TrimSpace(lines[end-n-1]) == "" || introStart.MatchString(lines[end-n])) {
			return lines[:end-n], n
		}
	}
	return lines, 0
}

var (
	introWords = regexp.MustCompile(`@|\d{1,4}[-/. ]\S{1,10}[-/. ]\d{2,4}|\d{1,2}:\d\d|(?i)\b(wrote|writes|schrieb|écrit|escribió|ha scritto|escreveu|schreef|skrev|napisał|kirjoitti|пишет|написал)`)
	introStart = regexp.MustCompile(`^(On|Am|Le|El|Il|Em|Op|Den|W dniu|Dnia|At|In article|Quoting|\*\*?On) ?`)
	divider    = regexp.MustCompile(`^[-_ ]*-{3,} ?(Original Message|Original Appointment|Ursprüngliche Nachricht|Message d'origine|Message original|Mensaje original|Messaggio originale|` +
		`Mensagem original|Oorspronkelijk bericht|Oprindelig meddelelse|Ursprungligt meddelande|Пересылаемое сообщение|原始邮件|元のメッセージ) ?-{3,}`)
	fromLine    = regexp.MustCompile(`^(From|Von|De|Da|Van|Fra|Från|Od|От|差出人|发件人) ?[:：]\s*\S`)
	sentLine    = regexp.MustCompile(`^(Sent|Date|Gesendet|Datum|Envoyé|Enviado|Enviado el|Inviato|Data|Fecha|Verzonden|Skickat|Sendt|Wysłano|Отправлено|送信日時|发送时间)[^:：]{0,12}[:：]`)
	aboutLine   = regexp.MustCompile(`^(Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp|Ämne|Emne|Temat|Тема|件名|主题|To|An|À|Para|A|Aan|Till|Til|Do|Кому|宛先|收件人) ?[:：]`)
	forwardLine = regexp.MustCompile(`(?i)^[- *]*(forwarded message|begin forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado|messaggio inoltrato)`)
	forwardMark = regexp.MustCompile(`(?i)^\s*(?:\[[^\]]{1,40}\]\s*)?(fwd?|wg|tr|rv|enc|i|vs|doorst|转发) ?[:：]`)
	listFooter  = regexp.MustCompile(`(?i)mailing list|unsubscribe|listinfo|google groups`)
	phoneFooter = regexp.MustCompile(`(?i)^(sent from my|sent from outlook|get outlook for|sent via|von meinem .{1,30} gesendet|envoyé de mon|enviado desde mi|inviato da)\b.{0,60}$`)
)

// forwards reports the subject of a mail that passes another one on.
func forwards(subject string) bool { return forwardMark.MatchString(subject) }

// original returns the line where the mail below begins that was answered, as Outlook and its like put it; -1 if nowhere.
func original(lines []string) int {
	for i, line := range lines {
		line = strings.Trim(line, "* \t")
		switch {
		case divider.MatchString(line):
			return i
		case !fromLine.MatchString(line):
			continue
		}
		sent, about := false, false
		for _, next := range lines[i+1 : min(len(lines), i+8)] {
			next = strings.Trim(strings.ReplaceAll(next, "**", ""), " \t")
			sent = sent || sentLine.MatchString(next)
			about = about || aboutLine.MatchString(next)
		}
		if sent && about {
			if i > 0 && strings.Trim(lines[i-1], "_-* \t\u00a0") == "" && strings.TrimSpace(lines[i-1]) != "" {
				i--
			}
			return i
		}
	}
	return -1
}

// cutSignature drops what stands below the line "-- ", the footer of a mailing list, and the boast of a phone.
func cutSignature(lines []string) ([]string, int) {
	whole := len(lines)
	for i, line := range slices.Backward(lines) {
		below := len(lines) - i
		if rule := strings.Trim(line, "_-"); rule == "" && len(line) >= 30 && below <= 15 && listFooter.MatchString(strings.Join(lines[i:], " ")) {
			lines = lines[:i]
			continue
		}
		if line == "-- " && below <= 40 || (line == "--" || line == "- --") && below <= 12 {
			lines = lines[:i]
		}
	}
	for n := len(lines); n > 0; n-- {
		if line := strings.Trim(lines[n-1], "* \t"); line != "" {
			if phoneFooter.MatchString(line) {
				lines = lines[:n-1]
			}
			break
		}
	}
	return lines, countWords(lines[:whole][len(lines):])
}

// unarmour drops the frame that a PGP signature puts around its text.
func unarmour(s string) string {
	const begin, sign = "-----BEGIN PGP SIGNED MESSAGE-----", "-----BEGIN PGP SIGNATURE-----"
	before, rest, found := strings.Cut(s, begin)
	if !found {
		return s
	}
	if _, body, ok := strings.Cut(rest, "\n\n"); ok {
		rest = body
	}
	body, after, found := strings.Cut(rest, sign)
	if found {
		_, after, _ = strings.Cut(after, "-----END PGP SIGNATURE-----")
	}
	return before + strings.ReplaceAll(body, "\n- -", "\n-") + after
}
