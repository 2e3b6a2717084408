package records

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// record is a decision record in the lines [lo, hi).
type record struct {
	lo, hi       int
	title        string
	titleAt      text.Span
	label        string // "ADR", "RFC", "Decision" …; "" when the record has none
	number       string
	status       statusValue
	day, updated time.Time
	deciders     string
	older, newer []Ref
	decision     sentence
	summary      sentence
	sections     map[key]bool
	isStrong     bool // a phrase, or headings, that only decision records have
	isExact      bool // the section is called "Decision", and not "The decision we took"
	isForm       bool
	statusAt     text.Span
}

// sentence is what a section says in one sentence.
type sentence struct {
	words     string
	isChoice  bool // it names the chosen option
	isY       bool // it is a Y-statement
	start, at int  // the bytes [start, at) of the text
}

var recordTitle = regexp.MustCompile(`(?i)^\[?(architecture decision record|architectural decision record|architecture decision|architectural decision|` +
	`any decision record|decision record|decision|entscheidung|adr|mdr|edr|ddr|tdr|ad|dec|dr|rfc|pep|oep|kep|eip|bip|rip|proposal|enhancement proposal|enhancement)` +
	`[-_ #]*((?:19|20)\d\d-\d{1,4}|\d{1,5})?\]?\s*((?:[-–—:.|)]+\s*)?)(.*)$`)

// longLabels name a record without a number.
var longLabels = map[string]bool{
	"architecture decision record": true, "architectural decision record": true, "architecture decision": true,
	"architectural decision": true, "any decision record": true, "decision record": true, "adr": true, "decision": true, "entscheidung": true,
}

// parseTitle splits "ADR-0007: Use X" into its label, number and words. Without label and number all of it is words.
func parseTitle(s string) (label, number, words string) {
	s = trimSigns(s)
	m := recordTitle.FindStringSubmatch(s)
	if m == nil || m[2] == "" && (!longLabels[strings.ToLower(m[1])] || strings.TrimSpace(m[3]) == "") || m[2] != "" && m[3] == "" && startsWithLetter(m[4]) && !strings.Contains(s, m[2]+" ") && !strings.Contains(s, m[2]+"]") {
		number, rest := leadingNumber(s)
		if rest = strings.TrimLeft(rest, ".):-–— "); number != "" && rest != "" && len(rest) < len(s)-len(number) {
			return "", number, rest
		}
		return "", "", s
	}
	label = strings.ToLower(m[1])
	switch {
	case strings.HasPrefix(label, "archit") || strings.HasPrefix(label, "any"):
		label = "ADR"
	case len(label) <= 3:
		label = strings.ToUpper(label)
	default:
		label = strings.ToUpper(label[:1]) + label[1:]
	}
	number = strings.TrimLeft(m[2], "0")
	if number == "" && m[2] != "" {
		number = "0"
	}
	return label, number, strings.TrimSpace(m[4])
}

func startsWithLetter(s string) bool { return s != "" && isLetter([]rune(s[:min(len(s), 4)])[0]) }

var fileNumber = regexp.MustCompile(`(?i)^(?:(?:adr|dec|ad|mdr|rfc|pep|oep|kep|decision|entscheidung|proposal|enhancement|rip|dr)[-_ .]*)?(\d{1,5})(?:[-_. ]|$)`)

// numberOf is the number in the name of a file, "" for none.
func numberOf(base string) string {
	if _, rest := leadingNumber(base); rest == base && base != "" && base[0] >= '0' && base[0] <= '9' {
		return ""
	}
	m := fileNumber.FindStringSubmatch(base)
	if m == nil {
		return ""
	}
	if n := strings.TrimLeft(m[1], "0"); n != "" {
		return n
	}
	return "0"
}

var (
	recordFolders = newSet("adr adrs decisions decision-records architecture-decision-record architecture-decision-records architecture-decisions entscheidungen rfcs rfc adl peps oeps " +
		"decision_records architecture_decisions proposals decision-log decisionlog keps architectural-decisions")
	recordFile = regexp.MustCompile(`(?i)(?:^|[-_. ])(?:adr|decisions?|entscheidung(?:en)?|rfc)(?:[-_. \d]|$)`)
	formFile   = regexp.MustCompile(`(?i)^(?:\d{1,6}[-_ ])?(?:m?adr|decision|record|nygard|y[-_]statement)?[-_ ]?(?:template|vorlage)|(?:^|[-_. ])(?:template|vorlage)$`)
	formFolder = regexp.MustCompile(`(?i)(?:^|/)(?:[^/]*[-_ ])?(?:templates?|vorlagen?)(?:[-_ ][^/]*)?/`)
	listFile   = regexp.MustCompile(`(?i)^(?:readme|index|toc|contributing|changelog|summary)(?:[-_.]|$)`)
)

// decisions reads decision records: one, or several that stand in one document under headings with a label and a
// number.
func (r *reader) decisions() []Statement {
	base := fileName(r.doc.Name)
	if formFile.MatchString(stem(base)) || formFolder.MatchString(strings.ReplaceAll(r.doc.Name, `\`, "/")) {
		return nil
	}
	var list []Statement
	for _, span := range r.splitRecords() {
		rec := r.readRecord(span[0], span[1])
		if rec.isForm {
			continue
		}
		if s, ok := r.stateRecord(rec, true); ok {
			list = append(list, s)
		}
	}
	if len(list) > 0 {
		return list
	}
	rec := r.readRecord(0, min(len(r.lines), maxRecord))
	if s, ok := r.stateRecord(rec, false); ok && !rec.isForm {
		list = append(list, s)
	}
	return list
}

// maxRecord bounds the lines of one record. What is longer is a book.
const maxRecord = 3000

// splitRecords finds two or more headings of one level that each name a record, and returns the lines of each.
func (r *reader) splitRecords() [][2]int {
	var at [8][]int
	for i, l := range r.lines {
		if l.kind != lineHeading || l.end-l.at > maxHeading {
			continue
		}
		if c := r.s[l.at:l.end]; !strings.ContainsAny(c, "0123456789") {
			continue
		}
		if label, number, _ := parseTitle(r.heading(i)); label != "" && number != "" {
			at[min(l.level, 7)] = append(at[min(l.level, 7)], i)
		}
	}
	for level, starts := range at {
		if len(starts) < 2 {
			continue
		}
		var out [][2]int
		for n, lo := range starts {
			hi := len(r.lines)
			if n+1 < len(starts) {
				hi = starts[n+1]
			}
			for i := lo + 1; i < hi; i++ {
				if l := r.lines[i]; l.kind == lineHeading && int(l.level) < level {
					hi = i
				}
			}
			out = append(out, [2]int{lo, min(hi, lo+maxRecord)})
			if len(out) == maxStatements {
				break
			}
		}
		return out
	}
	return nil
}

// readRecord gathers what the lines [lo, hi) say as a record.
func (r *reader) readRecord(lo, hi int) record {
	rec := record{lo: lo, hi: hi, sections: map[key]bool{}}
	if lo == 0 {
		for _, f := range r.front {
			r.takeField(&rec, f)
		}
	}
	where, isTop := key(""), true
	count := 0
	for i := lo; i < hi; i++ {
		l := r.lines[i]
		k, isHeading := r.sectionAt(i, rec.title != "")
		if isHeading && k == "" && l.kind == lineHeading && i > lo {
			if hk, value := headingField(r.heading(i)); (hk == keyStatus || hk == keyDate || hk == keyDecision || hk == keyDeciders) && value != "" && rec.title != "" {
				r.takeField(&rec, field{key: hk, value: value, start: l.at, end: l.end})
				if hk == keyDecision && rec.decision.words == "" {
					rec.sections[hk], rec.decision = true, sentence{words: clip(value, maxSentence), start: l.at, at: l.end}
				}
				where = hk
				continue
			}
		}
		switch {
		case isHeading && k == "" && rec.title == "" && l.kind == lineHeading:
			r.takeTitle(&rec, i)
			where = ""
			continue
		case isHeading:
			isTop = isTop && (k == keyStatus || k == keyDate || k == keyDeciders || k == keyTitle || k == keyNumber)
			where = k
			rec.sections[k] = true
			rec.isExact = rec.isExact || k == keyDecision && exactHeadings[strings.ToLower(strings.Trim(r.heading(i), "*:. 0123456789"))]
			r.takeSection(&rec, k, i+1, r.sectionEnd(i, hi))
			continue
		}
		if l.kind == lineBlank || l.kind == lineCode || l.kind == lineUnder {
			continue
		}
		if count++; isTop && count <= 60 || where == keyStatus {
			if f, ok := r.fieldAt(i); ok {
				if f.value == "" {
					f.value = r.itemsBelow(i, hi)
				}
				for _, part := range splitFields(f) {
					r.takeField(&rec, part)
				}
			}
		} else if l.kind == lineText && l.end-l.at < 4000 || l.kind == lineItem && l.indent() == 0 {
			if f, ok := r.fieldAt(i); ok && f.key == keyDecision && rec.decision.words == "" && where != keyOptions && where != keyContext {
				r.takeField(&rec, f)
			}
		}
	}
	r.finishRecord(&rec)
	return rec
}

// itemsBelow joins the list items right below line i with commas.
func (r *reader) itemsBelow(i, hi int) string {
	var parts []string
	for j := i + 1; j < hi && len(parts) < 12 && r.lines[j].kind == lineItem; j++ {
		w := r.words(j)
		if _, _, ok := cutField(w); ok {
			break
		}
		parts = append(parts, w[itemLength(w):])
	}
	if len(parts) == 0 && i+1 < hi && r.lines[i+1].kind == lineText && r.lines[i+1].indent() > r.lines[i].indent() {
		return r.words(i + 1)
	}
	return strings.Join(parts, ", ")
}

// sectionAt tells whether line i begins a section, and what it is about: a heading, or a line of its own with nothing
// but a known name.
func (r *reader) sectionAt(i int, hasTitle bool) (key, bool) {
	l := r.lines[i]
	if l.kind == lineHeading {
		return r.headingAt(i).key, true
	}
	if l.kind != lineText || l.end-l.at > 60 || l.indent() > 0 {
		return "", false
	}
	w := r.words(i)
	bare := strings.Trim(w, "*_: ")
	k := keysByWord[strings.ToLower(bare)]
	if k == "" {
		return "", false
	}
	isMarked := strings.HasPrefix(w, "**") && strings.HasSuffix(strings.TrimRight(w, ":"), "**") || strings.HasSuffix(w, ":") || strings.HasSuffix(w, ":**") || bare == strings.ToUpper(bare)
	isAlone := (i == 0 || r.lines[i-1].kind == lineBlank) && i+1 < len(r.lines) && r.lines[i+1].kind == lineBlank
	return k, (isMarked || isAlone) && (hasTitle || k != keyTitle)
}

// sectionEnd is the line that ends the section whose heading is line i: the next heading that is not deeper, or one
// of a known name.
func (r *reader) sectionEnd(i, hi int) int {
	own := r.lines[i]
	for j := i + 1; j < hi; j++ {
		r.work++
		l := r.lines[j]
		if l.kind == lineHeading {
			if own.kind != lineHeading || l.level <= own.level || r.headingAt(j).key != "" {
				return j
			}
		} else if own.kind != lineHeading || l.kind == lineText && l.end-l.at < 60 {
			if _, ok := r.sectionAt(j, true); ok {
				return j
			}
		}
		if j-i > 400 { // nothing is taken from farther down
			return j
		}
	}
	return hi
}

// takeTitle reads the heading of a record.
func (r *reader) takeTitle(rec *record, i int) {
	l := r.lines[i]
	label, number, words := parseTitle(r.heading(i))
	if rec.label == "" {
		rec.label = label
	}
	if rec.number == "" {
		rec.number = number
	}
	rec.title, rec.titleAt = words, text.Span{Start: l.at, End: l.end}
	if words == "" {
		rec.title = " " // a title field may follow
	}
}

// takeField notes the value of a field of the head of a record.
func (r *reader) takeField(rec *record, f field) {
	switch f.key {
	case keyStatus:
		r.takeStatus(rec, f.value, text.Span{Start: f.start, End: f.end})
	case keyDate:
		if d := dayIn(f.value, r.doc.Written); rec.day.IsZero() && !d.IsZero() {
			rec.day = d
		}
		rec.isForm = rec.isForm || strings.Contains(f.value, "YYYY")
	case keyUpdated:
		rec.updated = dayIn(f.value, r.doc.Written)
	case keyDeciders:
		if rec.deciders == "" {
			rec.deciders = people(f.value)
		}
	case keyTitle:
		if strings.TrimSpace(rec.title) == "" && !isPlaceholder(f.value) {
			label, number, words := parseTitle(plain(f.value))
			rec.title, rec.titleAt = words, text.Span{Start: f.start, End: f.end}
			if label != "" {
				rec.label = label
			}
			if rec.number == "" {
				rec.number = number
			}
		}
	case keyNumber:
		r.takeNumber(rec, f)
	case keySupersedes:
		rec.older = append(rec.older, refsIn(f.value)...)
	case keySupersededBy:
		if refs := refsIn(f.value); len(refs) > 0 {
			rec.newer = append(rec.newer, refs...)
		}
	case keyDecision:
		if isPlaceholder(f.value) || f.end == 0 || parseStatus(f.value).word != "" && len(strings.Fields(f.value)) <= 4 {
			return
		}
		end := f.end
		if !f.isCell {
			end = r.paragraphEnd(f.start)
		}
		said := r.sentenceOf(f.start, end)
		if isReference(said.words) || f.isCell && len(strings.Fields(said.words)) < 4 {
			return
		}
		rec.sections[keyDecision], rec.decision = true, said
	case keyContext, keyConsequences, keyOptions:
		rec.sections[f.key] = true
	}
}

// takeNumber reads "ADR: 7", "id: ADR-0007", "RFC: 12".
func (r *reader) takeNumber(rec *record, f field) {
	value := plain(f.value)
	label, number, _ := parseTitle(value)
	if number == "" {
		var rest string
		if number, rest = leadingNumber(value); rest != "" {
			number = ""
		}
	}
	if number == "" || rec.number != "" {
		return
	}
	rec.number = number
	if label == "" && (f.name == "adr" || f.name == "rfc" || f.name == "pep" || f.name == "oep" || f.name == "kep") {
		label = strings.ToUpper(f.name)
	}
	if rec.label == "" {
		rec.label = label
	}
}

func (r *reader) takeStatus(rec *record, value string, at text.Span) {
	st := parseStatus(value)
	rec.isForm = rec.isForm || st.isForm
	older, newer := relations(value)
	rec.older, rec.newer = append(rec.older, older...), append(rec.newer, newer...)
	if st.word == "" || rec.status.word == statusSuperseded || rec.status.word != "" && st.word != statusSuperseded && st.word != statusDeprecated {
		return
	}
	rec.status, rec.statusAt = st, at
}

// takeSection reads the lines [lo, hi) below the heading of a section.
func (r *reader) takeSection(rec *record, k key, lo, hi int) {
	switch k {
	case keyStatus:
		n := 0
		for i := lo; i < hi && n < 12; i++ {
			switch r.lines[i].kind {
			case lineText, lineItem, lineQuote, lineTable:
				n++
				w := r.words(i)
				if _, _, isField := cutField(w); isField && strings.IndexByte(w, ':') < 20 {
					if f, ok := r.fieldAt(i); ok {
						r.takeField(rec, f)
						continue
					}
				}
				r.takeStatus(rec, w, text.Span{Start: r.lines[i].at, End: r.lines[i].end})
			}
		}
	case keyDate, keyUpdated, keyDeciders, keySupersedes, keySupersededBy, keyNumber:
		var parts []string
		for _, b := range r.blocks(lo, hi, 12) {
			parts = append(parts, r.joined(b))
		}
		if value := strings.Join(parts, ", "); value != "" && len(value) < 1000 {
			r.takeField(rec, field{key: k, value: value})
		}
	case keyDecision:
		if rec.decision.words == "" {
			rec.decision = r.decide(lo, hi)
		}
		if rec.decision.words == "" {
			for _, b := range r.blocks(lo, hi, 3) {
				rec.isForm = rec.isForm || strings.HasPrefix(r.s[b.start:b.end], "{") || isPlaceholder(r.s[b.start:b.end]) && r.s[b.start] == '['
			}
		}
	case keySummary, keyProposal:
		if rec.summary.words != "" && k == keySummary {
			return
		}
		if b := r.blocks(lo, hi, 1); len(b) > 0 {
			if said := r.sentenceOf(b[0].start, b[0].end); !isReference(said.words) && (k == keyProposal || proposing.MatchString(said.words)) {
				rec.summary = said
			}
		}
	}
}

// finishRecord fills in what stands elsewhere: in the title of the document or in the name of the file.
func (r *reader) finishRecord(rec *record) {
	rec.title = strings.TrimSpace(rec.title)
	base := fileName(r.doc.Name)
	if rec.title == "" && rec.lo == 0 {
		label, number, words := parseTitle(plain(r.doc.Title))
		if rec.title = words; rec.label == "" {
			rec.label = label
		}
		if rec.number == "" {
			rec.number = number
		}
		if rec.title == "" {
			rec.title = asTitle(base)
		}
	}
	if rec.lo == 0 && rec.number == "" {
		rec.number = numberOf(stem(base))
	}
	switch {
	case !rec.status.day.IsZero() && (rec.day.IsZero() || rec.status.word == statusAccepted):
		rec.day = rec.status.day
	case rec.day.IsZero() && rec.lo == 0 && !dayIn(stem(base), time.Time{}).IsZero():
		rec.day = dayIn(stem(base), time.Time{})
	case rec.day.IsZero():
		rec.day = rec.updated
	}
	if isReference(rec.decision.words) {
		rec.decision = sentence{}
	}
	if rec.decision.words == "" {
		rec.decision = r.yStatement(rec.lo, rec.hi)
	}
	if len(rec.newer) > 0 && rec.status.word != statusRejected {
		rec.status.word, rec.status.isLoose = statusSuperseded, false
	}
	low := strings.ToLower(rec.title)
	rec.isForm = rec.isForm || isPlaceholder(rec.title) || strings.Contains(low, "template") && (strings.Contains(low, "adr") || rec.label != "" || len(low) < 24) ||
		strings.HasPrefix(rec.title, "[short") || strings.HasPrefix(low, "short title")
	rec.isStrong = rec.decision.isChoice || rec.sections[keyOptions] && rec.sections[keyDecision] && rec.sections[keyContext] ||
		rec.isExact && rec.sections[keyContext] && rec.sections[keyConsequences]
}

// exactHeadings are the names of the section of a decision that records have and essays seldom.
var exactHeadings = map[string]bool{"decision": true, "decision outcome": true, "entscheidung": true, "décision": true, "decisión": true, "decisão": true}

// isNamed reports a record by its label, folder or file name.
func (r *reader) isNamed(rec record) bool {
	if rec.label != "" {
		return true
	}
	parts := strings.Split(strings.ToLower(strings.ReplaceAll(r.doc.Name, `\`, "/")), "/")
	return slices.ContainsFunc(parts[:len(parts)-1], func(p string) bool { return recordFolders[p] }) || recordFile.MatchString(stem(r.doc.Name))
}

// stateRecord makes the statement of a record, if what was found is enough to call it one.
func (r *reader) stateRecord(rec record, isPart bool) (Statement, bool) {
	hasDecision := rec.decision.words != ""
	named := r.isNamed(rec)
	known := named || rec.number != "" && rec.sections[keyDecision]
	hasStatus := rec.status.word != "" && (known || !rec.status.isLoose)
	support := 0
	for _, k := range []key{keyContext, keyConsequences, keyOptions} {
		if rec.sections[k] {
			support++
		}
	}
	isSection := rec.sections[keyDecision]
	isList := listFile.MatchString(fileName(r.doc.Name)) && !isPart
	if isList && !(isSection && (hasStatus || support > 0 && rec.label != "" && strings.HasPrefix(strings.ToLower(fileName(r.doc.Name)), "index"))) { // it tells of records
		return Statement{}, false
	}
	switch {
	case hasDecision && hasStatus && (support > 0 || known || !rec.status.isLoose && rec.hi-rec.lo < 300):
	case hasDecision && (known || rec.isStrong) && support > 0:
	case hasDecision && (named || hasStatus) && !rec.day.IsZero():
	case hasDecision && (rec.decision.isChoice || rec.decision.isY) && rec.hi-rec.lo < 400:
	case named && hasStatus && !isPart && (rec.number != "" || support > 0 || isSection):
	case isPart && hasStatus && rec.label != "":
	default:
		return Statement{}, false
	}
	if !hasStatus {
		rec.status = statusValue{}
	}
	return r.writeRecord(rec), true
}

// writeRecord puts a record into one line: who decides, in which status, when, what.
func (r *reader) writeRecord(rec record) Statement {
	s := Statement{
		Kind: lukasa.KindDecision, Status: rec.status.word, Date: rec.day, Owner: rec.deciders, Number: rec.number,
		Supersedes: joinRefs(rec.older), SupersededBy: joinRefs(rec.newer), Tags: []string{"decision-record"},
	}
	if s.Status != "" {
		s.Tags = append(s.Tags, s.Status)
	}
	said := rec.decision
	if said.words == "" {
		said = rec.summary
	}
	title := clip(strings.TrimRight(rec.title, ". "), 160)
	if said.words == "" {
		said = sentence{words: title, start: rec.titleAt.Start, at: rec.titleAt.End}
		if said.at == 0 {
			said.start, said.at = rec.statusAt.Start, rec.statusAt.End
		}
		title = ""
	} else if strings.EqualFold(noStop(title), noStop(said.words)) {
		title = ""
	}
	s.Start, s.End = said.start, said.at
	var b strings.Builder
	switch label := rec.label; {
	case rec.number != "" && label != "":
		b.WriteString(label + " " + rec.number)
	case rec.number != "":
		b.WriteString("ADR " + rec.number)
	case title != "":
		b.WriteString(`The decision record`)
	default:
		b.WriteString("The decision record " + quote(fileName(r.doc.Name)))
	}
	if title != "" {
		b.WriteString(" " + quote(title))
	}
	var notes []string
	switch {
	case s.Status == statusSuperseded && len(s.SupersededBy) > 0:
		notes = append(notes, "superseded by "+r.nameRefs(rec, s.SupersededBy))
	case s.Status != "":
		notes = append(notes, s.Status)
	}
	if !s.Date.IsZero() {
		notes = append(notes, isoDay(s.Date))
	}
	if len(notes) > 0 {
		b.WriteString(" (" + strings.Join(notes, ", ") + ")")
	}
	b.WriteString(" " + recordVerb(s.Status, said.isChoice) + " " + withStop(said.words))
	s.Content = b.String()
	return s
}

// recordVerb says what a record of a status does with its sentence.
func recordVerb(status string, isChoice bool) string {
	verb := map[string]string{statusProposed: "proposes:", statusRejected: "proposed:", statusDeprecated: "decided:", statusSuperseded: "decided:"}[status]
	if verb == "" {
		verb = "decides:"
	}
	if isChoice {
		verb = map[string]string{"proposes:": "proposes", "proposed:": "proposed", "decided:": "chose", "decides:": "chooses"}[verb]
	}
	return verb
}

// quote puts words between quotation marks that they do not use themselves.
func quote(s string) string {
	if strings.Contains(s, `"`) {
		return "“" + s + "”"
	}
	return `"` + s + `"`
}

func (r *reader) nameRefs(rec record, refs []Ref) string {
	label := rec.label
	if label == "" {
		label = "ADR"
	}
	var parts []string
	for _, ref := range refs {
		if ref.Number != "" {
			parts = append(parts, label+" "+ref.Number)
		} else {
			parts = append(parts, fileName(ref.Target))
		}
	}
	return strings.Join(parts, " and ")
}

// joinRefs drops references that stand there twice.
func joinRefs(refs []Ref) []Ref {
	var out []Ref
	for _, r := range refs {
		if i := slices.IndexFunc(out, func(o Ref) bool { return o == r || o.Number != "" && o.Number == r.Number }); i < 0 {
			out = append(out, r)
		} else if out[i].Target == "" {
			out[i].Target = r.Target
		}
	}
	return out
}
