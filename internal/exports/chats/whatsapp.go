package chats

import (
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// A chat exported from WhatsApp (https://faq.whatsapp.com/1180414079177245): a text file, alone or in a zip with the media. Its
// dates are written as the phone's language has it, and WhatsApp does not document the forms; these follow the collection in
// https://github.com/Pustur/whatsapp-chat-parser and the tests of its kin. Android writes "date, time - name: text", iOS
// "[date, time] name: text", often with a left-to-right mark before what the program itself says. A line without a date goes on
// with the message before it. Times are those of the exporting phone and name no zone.
//
// Whether 3/4 is in March or in April is worked out from the whole file: a number over 12 decides, else the order in which time
// does not run backwards, else a 12-hour clock with slashes means month first. Ids are made from the time as it is written, so
// they do not depend on that.

var whatsappLine = regexp.MustCompile(`^\[?(\d{1,4})(?:[./-] ?|年 ?|년 ?)(\d{1,2})(?:[./-] ?|月 ?|월 ?)(\d{1,4})[.日일]?(?:,| \p{L}{1,4}\.?)??\s+` +
	`(上午|下午|凌晨|清晨|早上|中午|晚上|午前|午後|오전|오후|ÖÖ|ÖS|[AaPp]\.? ?[Mm]\.?)?\s?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?\s?([AaPp]\.? ?[Mm]\.?|[\p{L}.]{1,8}(?: [\p{L}.]{1,8}){0,2})?(?:\]\s?| [-–] |, |: )(.*)$`)

// whatsappHalves are the marks of the halves of a day, without points and spaces, as the languages of phones have them.
var whatsappHalves = map[string]string{
	"am": "am", "pm": "pm", "上午": "am", "下午": "pm", "凌晨": "am", "清晨": "am", "早上": "am", "中午": "pm", "晚上": "pm", "午前": "am", "午後": "pm",
	"오전": "am", "오후": "pm", "ص": "am", "م": "pm", "قظ": "am", "بظ": "pm", "vorm": "am", "nachm": "pm", "de": "am", "du": "pm", "πμ": "am", "μμ": "pm",
	"fm": "am", "em": "pm", "vm": "am", "nm": "pm", "ap": "am", "ip": "pm", "öö": "am", "ös": "pm", "sa": "am", "ch": "pm", "pg": "am", "ptg": "pm",
	"dop": "am", "odp": "pm", "дп": "am", "пп": "pm", "проб": "am", "слоб": "pm", "पूर्वाह्न": "am", "अपराह्न": "pm",
}

// whatsappRune drops the marks of direction, which may stand anywhere, and makes one of the digits and spaces that are written in
// more than one way.
func whatsappRune(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case isMark(r):
		return -1
	case r == 0xa0 || r == 0x202f || r == 0x2009:
		return ' '
	case r >= 0x660 && r <= 0x669:
		return '0' + r - 0x660
	case r >= 0x6f0 && r <= 0x6f9:
		return '0' + r - 0x6f0
	case r == 0x60c:
		return ','
	}
	return r
}

func isMark(r rune) bool {
	return r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

func whatsappPlain(s string) string { return strings.Map(whatsappRune, s) }

// whatsappStamp is the time of a message as it is written.
type whatsappStamp struct {
	nums              [3]int // as they stand
	yearFirst, slash  bool
	hour, minute, sec int
	half              string // am, pm or ""
	raw               string
}

// whatsappHead reads the head of a line: its time and what follows it.
func whatsappHead(s string) (whatsappStamp, string, bool) {
	for _, r := range s { // most lines that are no heads are told by their first letter
		if r = whatsappRune(r); r >= 0 {
			if r != '[' && (r < '0' || r > '9') {
				return whatsappStamp{}, "", false
			}
			break
		}
	}
	head := s
	if len(head) > 120 {
		head = strings.ToValidUTF8(head[:120], "")
	}
	plain := whatsappPlain(head)
	m := whatsappLine.FindStringSubmatchIndex(plain)
	if m == nil {
		return whatsappStamp{}, "", false
	}
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return plain[m[2*i]:m[2*i+1]]
	}
	var st whatsappStamp
	for i := range st.nums {
		st.nums[i], _ = strconv.Atoi(group(i + 1))
	}
	st.yearFirst, st.slash = len(group(1)) == 4, strings.Contains(plain[:m[6]], "/")
	st.hour, _ = strconv.Atoi(group(5))
	st.minute, _ = strconv.Atoi(group(6))
	st.sec, _ = strconv.Atoi(group(7))
	mark := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(group(4)+group(8), ".", ""), " ", ""))
	st.half = whatsappHalves[mark]
	if mark != "" && st.half == "" && group(4) == "" && !strings.HasPrefix(plain, "[") && mark != "uhr" && mark != "h" {
		return whatsappStamp{}, "", false // words, and not a mark of the half of the day
	}
	st.raw = plain[:m[18]]
	if st.hour > 24 || st.minute > 59 || st.sec > 60 || strings.HasSuffix(st.raw, ": ") && group(7) == "" { // iOS once wrote no brackets
		return whatsappStamp{}, "", false
	}
	// The rest is taken from the line itself, marks and all: they tell what the program says from what people write.
	skip, at := utf8.RuneCountInString(st.raw), len(s)
	for i, r := range s {
		if skip == 0 {
			at = i
			break
		}
		if whatsappRune(r) >= 0 {
			skip--
		}
	}
	return st, s[at:], true
}

// at places the stamp in time.
func (st whatsappStamp) at(monthFirst bool, zone *time.Location) time.Time {
	d, m, y := st.nums[0], st.nums[1], st.nums[2]
	switch {
	case st.yearFirst:
		y, m, d = st.nums[0], st.nums[1], st.nums[2]
	case monthFirst:
		d, m = m, d
	}
	if y < 100 {
		y += 2000
	}
	if y > 2400 { // the Buddhist calendar
		y -= 543
	}
	h := st.hour
	switch {
	case st.half == "pm" && h < 12:
		h += 12
	case st.half == "am" && h == 12:
		h = 0
	}
	t := time.Date(y, time.Month(m), d, h, st.minute, st.sec, 0, zone)
	if m < 1 || m > 12 || d < 1 || d > 31 || y < 2000 || y > 2400 {
		return time.Time{}
	}
	return t
}

// whatsappOrder gathers what tells the order of day and month.
type whatsappOrder struct {
	over1, over2  bool
	years         bool // the year comes first, and the order is known
	halves, slash bool
	last1, last2  int // the last date, read day first and month first
	back1, back2  int // how often time ran backwards in each
}

func (o *whatsappOrder) see(st whatsappStamp) {
	if o.years = st.yearFirst; o.years {
		return
	}
	o.over1 = o.over1 || st.nums[0] > 12
	o.over2 = o.over2 || st.nums[1] > 12
	o.halves, o.slash = o.halves || st.half != "", o.slash || st.slash
	a := st.nums[2]*10000 + st.nums[1]*100 + st.nums[0]
	b := st.nums[2]*10000 + st.nums[0]*100 + st.nums[1]
	if a < o.last1 {
		o.back1++
	}
	if b < o.last2 {
		o.back2++
	}
	o.last1, o.last2 = a, b
}

// decided reports whether what follows cannot change the order.
func (o *whatsappOrder) decided() bool { return o.over1 || o.over2 || o.years }

func (o *whatsappOrder) monthFirst() bool {
	switch {
	case o.over1 != o.over2:
		return o.over2
	case o.back1 != o.back2:
		return o.back2 < o.back1
	}
	return o.halves && o.slash
}

func whatsappFiles(s *exports.Source) []exports.File {
	return s.TextsLike(func(head string) bool {
		n, seen := 0, 0
		for line := range strings.Lines(head) {
			if line = strings.TrimRight(line, "\r\n"); line == "" {
				continue
			}
			if _, _, ok := whatsappHead(line); ok {
				seen++
			}
			if n++; n == 20 {
				break
			}
		}
		return seen > 0
	})
}

func looksWhatsApp(s *exports.Source) bool { return len(whatsappFiles(s)) > 0 }

// whatsappName is the name of the chat: what the name of the file says after the words that every language puts before it.
var whatsappName = regexp.MustCompile(`(?i)^(?:whatsapp[ -]chat|chat|conversa|discussion|conversación|conversazione)?[ -]*(?:(?:de|do|di|avec)? ?whatsapp)?[ -]*(?:with|mit|con|com|avec|met|-)\s+(.+)$`)

func whatsappTitle(s *exports.Source, f exports.File) string {
	stem := f.Stem()
	if stem == "_chat" || stem == "" {
		switch dir := path.Base(path.Dir(f.Name)); {
		case dir != ".":
			stem = dir
		case s.Top != "":
			stem = s.Top
		default:
			stem = strings.TrimSuffix(s.Name, path.Ext(s.Name))
		}
	}
	stem = exports.OneLine(whatsappPlain(stem))
	if m := whatsappName.FindStringSubmatch(stem); m != nil {
		return m[1]
	}
	return stem
}

func readWhatsApp(r *reading) {
	files := whatsappFiles(r.Source)
	for _, f := range files {
		var order whatsappOrder
		r.Lines(f, func(_ int, s string) error {
			if st, _, ok := whatsappHead(s); ok {
				if order.see(st); order.decided() {
					return io.EOF
				}
			}
			return nil
		})
		title := whatsappTitle(r.Source, f)
		w := &whatsapp{r: r, f: f, title: title, monthFirst: order.monthFirst(), t: r.Talk(f.Name, r.ID(title), title)}
		r.Lines(f, w.line)
		w.end()
		w.t.Flush()
	}
	for _, f := range r.Source.Files {
		if !slices.ContainsFunc(files, func(g exports.File) bool { return g.Name == f.Name }) {
			r.Attachment(f, r.ID("file", f.Name))
		}
	}
}

type whatsapp struct {
	r          *reading
	f          exports.File
	t          *exports.Talk
	title      string
	monthFirst bool
	cur        *exports.Line
	body       strings.Builder
}

func (w *whatsapp) line(n int, s string) error {
	st, rest, ok := whatsappHead(s)
	if !ok {
		switch {
		case w.cur != nil:
			if w.body.Len()+len(s) > maxMessage {
				return errLongMessage
			}
			w.body.WriteString("\n" + s)
		case !text.Blank(s):
			w.r.Leave("lines before the first message")
		}
		return nil
	}
	w.end()
	at := st.at(w.monthFirst, w.r.Options.Zone)
	w.t.Where = w.f.Name + ":" + strconv.Itoa(n)
	if at.IsZero() {
		w.r.Fail(w.t.Where, exports.ErrNoDate)
	}
	w.cur = &exports.Line{Role: exports.RoleUser, At: at, Stamp: st.raw, Meta: exports.Meta{}}
	name, content, ok := strings.Cut(rest, ": ")
	if !ok && strings.HasSuffix(rest, ":") {
		name, content, ok = strings.TrimSuffix(rest, ":"), "", true
	}
	plain := strings.TrimSpace(whatsappPlain(name))
	switch {
	case !ok || len(plain) > 200 || strings.ContainsAny(plain, `"“„«`): // a group was named "a: b"
		w.cur.Role, content = exports.RoleSystem, rest
	case strings.HasPrefix(content, "\u200e") && plain == w.title: // iOS writes what it says itself under the name of the group
		w.cur.Role = exports.RoleSystem
	default:
		w.cur.Speaker = strings.TrimPrefix(plain, "~ ")
	}
	w.body.WriteString(content)
	return nil
}

var (
	whatsappFile  = regexp.MustCompile(`^([^\n<>:]{1,200}\.\w{2,5}) \([^()\n]{3,40}\)(?:\n|$)`) // Android: IMG-1.jpg (file attached)
	whatsappFile2 = regexp.MustCompile(`<[\p{L} ]{2,30}: ([^<>\n]{1,200}\.\w{2,5}) ?>`)         // iOS: <attached: 1.jpg>
	whatsappGone  = regexp.MustCompile(`^<[^<>\n]{3,60}>$`)                                     // Android: <Media omitted>
	whatsappEdit  = regexp.MustCompile(`\s*\x{200e}?<([^<>:\n]{3,60})>\s*$`)                    // behind a text: <This message was edited>
)

// whatsappEdited and whatsappNotices are what the program says without a mark of direction, in the languages that were seen.
//
//nolint:misspell // Spanish and Italian are no English
var (
	whatsappEdited = []string{
		"This message was edited", "Diese Nachricht wurde bearbeitet", "Este mensaje fue editado", "Se editó este mensaje", "Ce message a été modifié",
		"Questo messaggio è stato modificato", "Esta mensagem foi editada", "Mensagem editada",
	}
	whatsappNotices = []string{
		"null", "This message was deleted", "Message deleted", "You deleted this message", "Diese Nachricht wurde gelöscht", "Du hast diese Nachricht gelöscht",
		"Se eliminó este mensaje", "Eliminaste este mensaje", "Ce message a été supprimé", "Vous avez supprimé ce message", "Questo messaggio è stato eliminato",
		"Hai eliminato questo messaggio", "Esta mensagem foi apagada", "Mensagem apagada", "Você apagou esta mensagem", "Dit bericht is verwijderd",
	}
)

func (w *whatsapp) end() {
	if w.cur == nil {
		return
	}
	raw := w.body.String()
	if m := whatsappEdit.FindStringSubmatchIndex(raw); m != nil && m[0] > 0 {
		said := strings.TrimSuffix(raw[m[2]:m[3]], ".")
		if strings.Contains(raw[m[0]:m[1]], "\u200e") || slices.Contains(whatsappEdited, said) {
			raw = raw[:m[0]]
			w.cur.Meta.Yes("edited", true)
		}
	}
	w.cur.Content = strings.TrimSpace(stripMarks(raw))
	switch file := whatsappAttached(w.cur.Content); {
	case file != "":
		w.cur.Meta.Str("file", file)
	case strings.HasPrefix(w.cur.Content, "<") && whatsappGone.MatchString(w.cur.Content), w.cur.Role == exports.RoleUser && strings.HasPrefix(raw,
		"\u200e"), slices.Contains(whatsappNotices, strings.TrimSuffix(w.cur.Content, ".")):
		w.cur.Meta.Yes("notice", true) // a picture left out, a message deleted, a call
	}
	w.t.Add(*w.cur)
	w.cur = nil
	w.body.Reset()
}

// whatsappAttached returns the name of the file that a message carries, "" for none.
func whatsappAttached(s string) string {
	var m []string
	if strings.Contains(s, " (") {
		m = whatsappFile.FindStringSubmatch(s)
	}
	if m == nil && strings.Contains(s, ">") {
		m = whatsappFile2.FindStringSubmatch(s)
	}
	if m == nil {
		return ""
	}
	return m[1]
}

// stripMarks takes the marks of direction away, and nothing else.
func stripMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if isMark(r) {
			return -1
		}
		return r
	}, s)
}
