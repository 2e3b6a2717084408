package records

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
)

var (
	meetingName = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:minutes|meetings?|protokolle?|retro(?:spective)?s?|stand-?ups?|sitzung(?:en)?|besprechung(?:en)?|weekly|sync|jour fixe|committee|board|` +
		`\p{L}*sitzung|\p{L}*besprechung|\p{L}*protokoll|kick-?off|planning|debrief|1:1|one-on-one|all-hands|notes|call|session|review|council|huddle|workshop|assembly|agm|treffen|runde|termin|catch-?up|steering|gremium|vorstand|ausschuss|agenda)(?:[^\p{L}]|$)`)
	meetingWords = regexp.MustCompile(`(?i)^\W*(?:meeting minutes|minutes(?: of(?: the)?(?: meeting)?)?|meeting notes|notes(?: of(?: the)?)?)\b[\s:–—-]*`)
	decisionMark = regexp.MustCompile(`^(?i:(?:[→✅☑✔]+\x{fe0f}? ?|[-=]> ?)?\**(?:(?:final |joint )?decisions?(?: (?:made|taken|reached))?|(?:we |it was |team |board )?(?:decided|resolved|agreed)|resolution|agreement|consensus|outcome|` +
		`motion (?:carried|passed)|beschlüsse|beschluss|(?:es wurde |wir haben )?(?:beschlossen|entschieden|vereinbart|festgelegt)|festlegung|entscheidung)(?: #?\d{1,3}(?:[.-]\d{1,3})?)?\**(?: ?\([^()]{1,40}\))?(?: by [^:]{1,40})?\**)\s*(?:[:：]|\s[–—-]\s)\**\s*`)
	decisionVerb = regexp.MustCompile(`^(?i:\**(?:(?:we|the (?:team|board|group|committee|meeting)|everyone|all) )?(?:have |has )?(?:decided|resolved|agreed) (?:to|that|on)\b)|^(?:RESOLVED|BESCHLOSSEN)[, ]`)
	strictMark   = regexp.MustCompile(`^(?i:\**(?:final )?(?:decisions?|decided|beschluss|beschlossen|entscheidung)(?: #?\d{1,3})?\**)\s*:`) // not of reports on incidents
	innerMark    = regexp.MustCompile(`(?:\*\*|[.;!?)] |[–—→] ?|[-=]> ?)(?:(Decision|DECISION|Decided|DECIDED|Resolved|RESOLVED|Agreed|AGREED|Beschluss|BESCHLUSS)|(?:Action|ACTION|Action item|Aufgabe)(?: \(([^()]{1,40})\))?)\**:\**\s*`)
	actionMark   = regexp.MustCompile(`^(?i:\**(?:action items?|action points?|actions?|ai|ap|todo|to do|to-do|task|aufgaben?|maßnahme|next step|follow[- ]up)(?: #?\d{1,3}(?:[.-]\d{1,3})?)?\**)` +
		`(?: ?[(\[]([^()\[\]]{1,40})[)\]]| (?:for |on |an )?(@?\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2}))?\**\s*(?:[:：]|\s[–—-]\s)\**\s*`)
	ownerBracket = regexp.MustCompile(`\s*[(\[](?:owner:? |assigned to:? |by )?@?(\p{Lu}[\p{L}.'’-]*(?:(?: |, | and | und | & |/)\p{Lu}[\p{L}.'’-]*){0,3})[)\]]\.?$`)
	ownerTail    = regexp.MustCompile(`\s+(?:[–—→-]+>?|owner:|assignee:|who:|wer:)\s*@?(\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2})\.?$`)
	ownerLead    = regexp.MustCompile(`^@?(\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2})(?:: | (?:to|will|shall|soll|wird) )`)
	ownerAt      = regexp.MustCompile(`^@([\w.-]{1,40})[:,]?\s+`)
	ownerAtTail  = regexp.MustCompile(`\s+(?:[(\[–—-]\s*)?@([\w.-]{1,40})[)\]]?\.?$`)
)

// notNames begin a line of an action and are not the name of a person.
var notNames = newSet("we the a an all everyone someone team note this that it they please each if when for review check write ask update create add find make send fix move open close discuss follow " +
	"wir alle jemand punt remove document confirm schedule publish investigate talk set next get put look propose need status owner due todo")

// minutesOf is what is known of a meeting.
type minutesOf struct {
	name    string
	day     time.Time
	present []string // names, in lower case
}

// minutes reads what minutes mark as a decision or an action.
func (r *reader) minutes() []Statement {
	m, ok := r.meeting()
	if !ok {
		return nil
	}
	var out []Statement
	where := key("")
	base := -1
	for i := 0; i < len(r.lines) && len(out) < maxStatements; i++ {
		l := r.lines[i]
		switch l.kind {
		case lineHeading:
			where, base = keyOf(r.heading(i)), -1
			if s, ok := r.marked(m, i, len(r.lines)); ok {
				out = append(out, s)
			}
			continue
		case lineTable:
			if i == 0 || r.lines[i-1].kind != lineTable {
				out = append(out, r.actionTable(m, i)...)
			}
			continue
		case lineText, lineItem:
		default:
			continue
		}
		if k, isSection := r.sectionAt(i, true); isSection && (k == keyDecision || k == keyActions) {
			where, base = k, -1
			continue
		}
		if s, ok := r.marked(m, i, len(r.lines)); ok {
			out = append(out, s)
			continue
		}
		if l.kind != lineItem {
			if where == keyDecision && base < 0 && r.lines[i-1].kind != lineText && r.lines[i-1].kind != lineItem {
				if s, ok := r.minute(m, i, l.at, len(r.lines), lukasa.KindDecision, ""); ok && s.End-s.Start > 20 && !strings.HasSuffix(r.s[s.Start:s.End], ":") {
					out = append(out, s)
				}
			}
			continue
		}
		if base < 0 {
			base = l.indent()
		}
		if s, ok := r.listed(m, i, where, l.indent() > base); ok {
			out = append(out, s)
		}
	}
	return out
}

// meeting tells whether the document is the minutes of a meeting: it names one and its day, or who was there.
func (r *reader) meeting() (minutesOf, bool) {
	var m minutesOf
	isNamed := meetingName.MatchString(strings.ReplaceAll(r.doc.Name, "_", " "))
	hasPresent, isLoose := false, false // isLoose: the day stands in a line of prose
	titles := 0
	m.name = plain(r.doc.Title)
	take := func(f field) {
		switch f.key {
		case keyDate:
			if m.day.IsZero() {
				m.day = dayIn(f.value, r.doc.Written)
			}
		case keyPresent:
			hasPresent = true
			m.addPresent(f.value)
		case keyTitle:
			if m.name == "" {
				m.name = plain(f.value)
			}
		}
	}
	for _, f := range r.front {
		take(f)
	}
	n := 0
	for i, l := range r.lines {
		if l.kind == lineBlank || l.kind == lineFront {
			continue
		}
		if n++; n > 40 {
			break
		}
		if l.end-l.at > 400 {
			continue
		}
		if l.kind == lineHeading && titles < 2 || n == 1 && l.kind == lineText && l.end-l.at < 120 {
			w := r.heading(i)
			if titles++; titles == 1 && keyOf(w) == "" {
				m.name = w
			}
			isNamed = isNamed || titles == 1 && meetingName.MatchString(w)
			if m.day.IsZero() {
				m.day = dayIn(w, time.Time{})
				isLoose = l.kind == lineText && !m.day.IsZero()
			}
		}
		if l.kind == lineText && n < 6 {
			if w := r.words(i); meetingName.MatchString(w) && l.end-l.at < 120 {
				isNamed = isNamed || !dayIn(w, time.Time{}).IsZero()
				if m.day.IsZero() {
					m.day = dayIn(w, time.Time{})
				}
			}
		}
		if k := key(""); l.kind == lineHeading {
			if k = keyOf(r.heading(i)); k == keyPresent {
				hasPresent = true
				for _, b := range r.blocks(i+1, r.sectionEnd(i, len(r.lines)), 30) {
					m.addPresent(r.s[b.start:b.end])
				}
			}
		} else if f, ok := r.fieldAt(i); ok {
			if f.key == keyPresent && f.value == "" {
				f.value = r.itemsBelow(i, len(r.lines))
			}
			take(f)
		}
	}
	if m.day.IsZero() {
		m.day = dayIn(stem(r.doc.Name), time.Time{})
	}
	m.tidyName()
	return m, hasPresent && (isNamed || !m.day.IsZero()) || isNamed && !m.day.IsZero() || !m.day.IsZero() && !isLoose && r.countMarks() >= 2 ||
		isNamed && m.day.IsZero() && r.countMarks() >= 2
}

// countMarks counts, up to two, headings of decisions and actions with a list below, and lines that begin with a
// marker and its colon. A marker of a decision counts for two.
func (r *reader) countMarks() int {
	n := 0
	for i, l := range r.lines {
		if l.kind == lineHeading && i+2 < len(r.lines) {
			if k := r.headingAt(i).key; (k == keyDecision || k == keyActions) && (r.lines[i+1].kind == lineItem || r.lines[i+2].kind == lineItem) {
				n++
			}
		}
		if n >= 2 {
			break
		}
		if l.kind != lineText && l.kind != lineItem || l.end-l.at < 12 {
			continue
		}
		w := r.s[l.at:l.end]
		if l.kind == lineItem {
			w = w[itemLength(w):]
		}
		head := w[:min(len(w), 60)]
		if strings.IndexByte(head, ':') < 0 {
			continue
		}
		r.work += len(head)
		if strings.Contains(strictMark.FindString(head), ":") {
			n += 2
		} else if strings.Contains(actionMark.FindString(head), ":") {
			n++
		}
		if n >= 2 || i > 5000 {
			break
		}
	}
	return n
}

// addPresent notes the names of who was there.
func (m *minutesOf) addPresent(value string) {
	for p := range strings.SplitSeq(people(value), ", ") {
		if p != "" && len(m.present) < 200 {
			m.present = append(m.present, strings.ToLower(p))
		}
	}
}

// tidyName takes the day and words such as "Minutes of" off the name of the meeting.
func (m *minutesOf) tidyName() {
	w := m.name
	if d, ok := findDate(w, time.Time{}); ok {
		w = strings.TrimRight(w[:d.start], " ,–—-:(|/") + strings.TrimRight(" "+strings.TrimLeft(w[d.end:], " ,–—-:)|/"), " ")
	}
	w = meetingWords.ReplaceAllString(w, "")
	for _, tail := range []string{" on", " of", " vom", " am"} {
		w = strings.TrimSuffix(strings.TrimSpace(w), tail)
	}
	m.name = clip(strings.Trim(w, " ,–—-:|/"), 100)
}

// lead names the minutes of a statement.
func (m *minutesOf) lead(file string) string {
	var s string
	switch {
	case m.name != "":
		s = "Minutes of " + quote(m.name)
	case file != "":
		s = "Minutes " + quote(file)
	default:
		s = "Minutes"
	}
	if !m.day.IsZero() {
		s += " (" + isoDay(m.day) + ")"
	}
	return s
}

// marked reads a line that begins with a marker: "Decision: …", "Action (Ben): …".
func (r *reader) marked(m minutesOf, i, hi int) (Statement, bool) {
	l := r.lines[i]
	at := l.at
	switch l.kind {
	case lineItem:
		at += itemLength(r.s[l.at:l.end])
	case lineHeading:
		for at < l.end && (r.s[at] == '#' || r.s[at] == ' ') {
			at++
		}
	}
	w := r.s[at:l.end]
	r.work += min(len(w), 100)
	if l.kind != lineHeading && decisionVerb.MatchString(w[:min(len(w), 100)]) {
		return r.minute(m, i, at, hi, lukasa.KindDecision, "")
	}
	if !strings.ContainsAny(w[:min(len(w), 100)], ":：–—-") {
		return Statement{}, false
	}
	if w = strings.TrimPrefix(w, "[ ] "); len(w) < l.end-at {
		at = l.end - len(w)
	}
	if mark := decisionMark.FindString(w); mark != "" {
		return r.minute(m, i, at+len(mark), hi, lukasa.KindDecision, "")
	}
	if mark := actionMark.FindStringSubmatch(w); mark != nil {
		owner := mark[1] + mark[2]
		if len(mark[0]) > 0 && (notNames[strings.ToLower(owner)] || strings.ContainsAny(owner, "0123456789")) {
			owner = ""
		}
		return r.minute(m, i, at+len(mark[0]), hi, lukasa.KindTask, owner)
	}
	if colon := strings.IndexByte(w, ':'); colon > 0 && len(w) < 1000 {
		r.work += len(w)
		if in := innerMark.FindStringSubmatchIndex(w); in != nil {
			if in[2] >= 0 {
				return r.minute(m, i, at+in[1], hi, lukasa.KindDecision, "")
			}
			owner := ""
			if in[4] >= 0 {
				owner = w[in[4]:in[5]]
			}
			return r.minute(m, i, at+in[1], hi, lukasa.KindTask, owner)
		}
	}
	return Statement{}, false
}

// listed reads an item below a heading "Decisions" or "Action items", and an open box anywhere.
func (r *reader) listed(m minutesOf, i int, where key, isDeep bool) (Statement, bool) {
	l := r.lines[i]
	at := l.at + itemLength(r.s[l.at:l.end])
	w := r.s[at:l.end]
	switch {
	case strings.HasPrefix(w, "[ ] "):
		return r.minute(m, i, at+4, len(r.lines), lukasa.KindTask, "")
	case strings.HasPrefix(w, "[x]") || strings.HasPrefix(w, "[X]") || isDeep:
		return Statement{}, false
	case where == keyDecision:
		return r.minute(m, i, at, len(r.lines), lukasa.KindDecision, "")
	case where == keyActions:
		return r.minute(m, i, at, len(r.lines), lukasa.KindTask, "")
	}
	return Statement{}, false
}

// maxMinute bounds, in bytes, the sentences that are taken behind a marker; the first is always taken.
const maxMinute = 260

// minute makes the statement of what begins at a byte of line i, with the lines that carry it on.
func (r *reader) minute(m minutesOf, i, at, hi int, kind lukasa.MemoryKind, owner string) (Statement, bool) {
	end := r.lines[i].end
	for j := i + 1; j < hi && j < i+8 && r.lines[j].kind == lineText; j++ {
		w := r.words(j)
		if r.lines[i].kind == lineItem && r.lines[j].indent() == 0 || decisionMark.MatchString(w) || actionMark.MatchString(w) {
			break
		}
		if _, isSection := r.sectionAt(j, true); isSection {
			break
		}
		end = r.lines[j].end
	}
	if at >= end {
		return Statement{}, false
	}
	b := block{start: at, end: end}
	spans := r.sentencesOf(b, 3)
	if len(spans) == 0 {
		return Statement{}, false
	}
	stop := spans[0].End
	for _, span := range spans[1:] {
		if span.End-spans[0].Start > maxMinute {
			break
		}
		stop = span.End
	}
	w := plain(strings.ReplaceAll(r.s[spans[0].Start:stop], "\n", " "))
	if low := strings.ToLower(w); strings.HasPrefix(low, "nothing ") || strings.HasPrefix(low, "none ") || strings.HasPrefix(low, "no action") || strings.HasPrefix(low, "no decision") {
		return Statement{}, false
	}
	if strings.IndexFunc(w, unicode.IsLetter) < 0 || isPlaceholder(w) || strings.HasSuffix(w, "?") || len(strings.Fields(w)) < 2 {
		return Statement{}, false
	}
	s := Statement{Kind: kind, Start: spans[0].Start, End: stop, Date: m.day, Tags: []string{"minutes"}}
	if kind == lukasa.KindTask {
		s.Owner, w = m.ownerOf(owner, w)
		s.Tags = append(s.Tags, "action")
	} else {
		s.Status = statusAccepted
		s.Tags = append(s.Tags, "decision")
	}
	if w == "" {
		return Statement{}, false
	}
	s.Content = m.write(fileName(r.doc.Name), kind, s.Owner, w)
	return s, true
}

func (m *minutesOf) write(file string, kind lukasa.MemoryKind, owner, w string) string {
	what := "decision"
	if kind == lukasa.KindTask {
		what = "action"
		if owner != "" {
			what += " for " + owner
		}
	}
	return m.lead(file) + ", " + what + ": " + withStop(clip(w, maxSentence))
}

// ownerOf finds who has to act, and what is to be done without that name.
func (m *minutesOf) ownerOf(owner, w string) (who, what string) {
	owner = strings.TrimPrefix(strings.TrimSpace(owner), "@")
	if owner != "" {
		return owner, w
	}
	if at := ownerAt.FindStringSubmatch(w); at != nil {
		return at[1], w[len(at[0]):]
	}
	if lead := ownerLead.FindStringSubmatch(w); lead != nil && !notNames[strings.ToLower(strings.Fields(lead[1])[0])] {
		return lead[1], w[len(lead[0]):]
	}
	for _, form := range []*regexp.Regexp{ownerBracket, ownerAtTail, ownerTail} {
		if tail := form.FindStringSubmatchIndex(w); tail != nil && tail[0] > 0 {
			return w[tail[2]:tail[3]], strings.TrimRight(w[:tail[0]], " ,")
		}
	}
	first, _, _ := strings.Cut(w, " ")
	c, _ := utf8.DecodeRuneInString(first)
	isThere := func(p string) bool {
		return p == strings.ToLower(first) || strings.HasPrefix(p, strings.ToLower(first)+" ") || strings.TrimPrefix(p, "@") == strings.ToLower(first)
	}
	if unicode.IsUpper(c) && slices.ContainsFunc(m.present, isThere) {
		return first, w
	}
	return "", w
}

// actionTable reads a table with a column of actions, and of who has to act where there is one.
func (r *reader) actionTable(m minutesOf, i int) []Statement {
	head := cellsOf(r.words(i))
	what, who := -1, -1
	for c, cell := range head {
		switch strings.ToLower(plain(cell)) {
		case "action", "action item", "actions", "action items", "task", "tasks", "aufgabe", "aufgaben", "todo", "to do", "what", "was":
			if what < 0 {
				what = c
			}
		case "owner", "who", "assignee", "responsible", "wer", "verantwortlich", "zuständig", "assigned to", "by", "person":
			who = c
		case "decision", "decisions", "beschluss":
			return r.decisionTable(m, i, c)
		}
	}
	if what < 0 || who < 0 {
		return nil
	}
	var out []Statement
	for j := i + 2; j < len(r.lines) && r.lines[j].kind == lineTable && len(out) < maxStatements; j++ {
		cells := cellsOf(r.words(j))
		if len(cells) <= max(what, who) {
			continue
		}
		w, owner := plain(cells[what]), people(cells[who])
		isDone := slices.ContainsFunc(cells, func(c string) bool {
			return strings.EqualFold(plain(c), "done") || strings.EqualFold(plain(c), "erledigt")
		})
		if isPlaceholder(w) || isDone || len(strings.Fields(w)) < 2 {
			continue
		}
		l := r.lines[j]
		out = append(out, Statement{
			Kind: lukasa.KindTask, Content: m.write(fileName(r.doc.Name), lukasa.KindTask, owner, w), Start: l.at, End: l.end, Date: m.day,
			Owner: owner, Tags: []string{"minutes", "action"},
		})
	}
	return out
}

// decisionTable reads a table with a column of decisions.
func (r *reader) decisionTable(m minutesOf, i, column int) []Statement {
	var out []Statement
	for j := i + 2; j < len(r.lines) && r.lines[j].kind == lineTable && len(out) < maxStatements; j++ {
		cells := cellsOf(r.words(j))
		if len(cells) <= column {
			continue
		}
		w := plain(cells[column])
		if isPlaceholder(w) || len(strings.Fields(w)) < 2 {
			continue
		}
		l := r.lines[j]
		out = append(out, Statement{
			Kind: lukasa.KindDecision, Content: m.write(fileName(r.doc.Name), lukasa.KindDecision, "", w), Start: l.at, End: l.end, Date: m.day,
			Status: statusAccepted, Tags: []string{"minutes", "decision"},
		})
	}
	return out
}
