package records

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// key is what a field or a heading is about.
type key string

const (
	keyStatus       key = "status"
	keyDate         key = "date"
	keyUpdated      key = "updated"
	keyDeciders     key = "deciders"
	keyAuthor       key = "author"
	keyNumber       key = "number"
	keyTitle        key = "title"
	keySupersedes   key = "supersedes"
	keySupersededBy key = "superseded by"
	keyDecision     key = "decision"
	keyContext      key = "context"
	keyOptions      key = "options"
	keyConsequences key = "consequences"
	keySummary      key = "summary"
	keyPresent      key = "present"
	keyActions      key = "actions"
	keyProposal     key = "proposal"
)

// keyWords are the words by which documents name their parts: in English and German, and the main ones in French,
// Spanish, Portuguese, Italian and Dutch.
var keyWords = map[key]string{
	keyStatus: "status,state,zustand,statut,estado,stato,record status,adr status,decision status," +
		"current status,lifecycle",
	keyDate: "date,datum,fecha,data,decision date,date decided,decided on,date of decision," +
		"accepted on,approved on,entschieden am,datum der entscheidung,published,created," +
		"erstellt,erstellt am,meeting date,date of meeting",
	keyUpdated: "last updated,updated,last modified,modified,last change,last changed,date updated," +
		"stand,zuletzt geändert,zuletzt aktualisiert,last revised,revised,date of last update",
	keyDeciders: "deciders,decider,decision makers,decision-makers,decision maker,decided by," +
		"decision owner,decision owners,deciders (approvers),approvers,approved by,owner," +
		"owners,driver,entscheider,entschieden von,entscheidungsträger,beteiligte,signatories",
	keyAuthor: "author,authors,autor,autoren,autorin,written by,by,proposer,proposed by,verfasser," + //nolint:misspell // German, Spanish
		"verfasserin,submitter,champion",
	keyNumber:     "number,id,no,nr,nummer,record,adr,rfc,pep,oep,kep,adr number,adr id,record id,decision id",
	keyTitle:      "title,titel,name,subject",
	keySupersedes: "supersedes,replaces,obsoletes,superseeds,ersetzt,löst ab",
	keySupersededBy: "superseded by,superseded-by,superseded_by,replaced by,obsoleted by,superceded by," +
		"superseeded by,replaced-by,ersetzt durch,abgelöst durch",
	keyDecision: "decision,decisions,decision outcome,the decision,our decision,outcome,choice," +
		"our choice,the choice,what we decided,what was decided,decided,verdict,conclusion," +
		"conclusions,decision made by,ergebnis,was wir entschieden haben,décision,décisions," +
		"decisión,decisiones,decisão,decisione,besluit,final choice,resolution,resolutions," + //nolint:misspell // Spanish
		"decision taken,decision made,decisions made,decisions taken,decision and rationale," +
		"decision & rationale,decision and justification," +
		"decision and consequences,decision & consequences,decision and implications," +
		"proposed decision,final decision,decision details,decision statement," +
		"decision summary,decision result,decision and reasoning,chosen solution," +
		"chosen option,selected option,solution chosen,gewählte lösung,entscheidung," +
		"entscheidungen,die entscheidung,beschluss,beschlüsse,entscheid,entscheidungsergebnis",
	keyContext: "context,contexte,contexto,contesto,context and problem statement," +
		"context & problem statement,problem,problem statement,the problem,background," +
		"motivation,issue,the issue,kontext,kontext und problemstellung,ausgangslage," +
		"problemstellung,hintergrund,forces,decision drivers,drivers,constraints,assumptions," +
		"context and problem,context/problem,rationale,begründung,reasons,reason,why",
	keyOptions: "considered options,options considered,options,alternatives,alternatives considered," +
		"considered alternatives,rejected alternatives,pros and cons of the options," +
		"pros and cons,positions,optionen,alternativen,betrachtete optionen," +
		"alternative solutions",
	keyConsequences: "consequences,consequence,conséquences,consecuencias,consequências,conseguenze," +
		"gevolgen,konsequenzen,folgen,auswirkungen,impact,impacts,implications,trade-offs," +
		"tradeoffs,positive consequences,negative consequences,risks,compliance,result," +
		"results,validation,confirmation",
	keySummary: "summary,abstract,zusammenfassung,overview,tl;dr,tldr",
	keyProposal: "proposal,proposed solution,what's proposed,what’s proposed,what we propose,solution," +
		"the solution,vorschlag,lösung,lösungsvorschlag",
	keyPresent: "present,attendees,attendance,participants,teilnehmer,teilnehmerinnen,teilnehmende," +
		"anwesend,anwesende,in attendance,attending,people present,members present," +
		"who was there",
	keyActions: "action items,actions,action points,action item,aufgaben,maßnahmen,todos,to do,to dos," +
		"todo,to-do,to-dos,tasks,follow-ups,follow ups,offene punkte,nächste schritte," +
		"next steps,action list",
}

// keysByWord finds a key by its words.
var keysByWord = func() map[string]key {
	m := map[string]key{}
	for k, words := range keyWords {
		for w := range strings.SplitSeq(words, ",") {
			m[w] = k
		}
	}
	return m
}()

// field is a named value: the bytes [start, end) of the text hold the value.
type field struct {
	key        key
	name       string // as it is written, in lower case
	value      string
	start, end int
	isCell     bool // of a table or the front matter
}

// keyOf tells what words of a heading or the name of a field are about. Numbers, signs and what stands in brackets
// behind them are left out.
func keyOf(s string) key {
	s = strings.ToLower(trimSigns(s))
	s = strings.TrimRight(s, ":. *_")
	if n := strings.IndexAny(s, "0123456789"); n == 0 {
		s = strings.TrimLeft(s, "0123456789.) ")
	}
	if i := strings.IndexAny(s, "([{<"); i > 0 {
		s = s[:i]
	}
	return keysByWord[strings.Trim(trimSigns(s), " :")]
}

// headingField splits a heading of the form "Status: Accepted" or "Decision: use X".
func headingField(words string) (key, string) {
	name, value, ok := strings.Cut(words[:min(len(words), maxHeading)], ": ")
	if !ok || len(name) > maxName {
		return "", ""
	}
	return keyOf(name), strings.TrimSpace(value)
}

// splitFields splits fields that share a line: "Status: accepted | Date: 2024-03-12".
func splitFields(f field) []field {
	for _, sep := range []string{" | ", " · ", " • ", "; "} {
		parts := strings.Split(f.value, sep)
		if len(parts) < 2 || len(parts) > 6 {
			continue
		}
		out := []field{{key: f.key, name: f.name, value: parts[0], start: f.start, end: f.start + len(parts[0])}}
		at := f.start + len(parts[0]) + len(sep)
		for _, p := range parts[1:] {
			name, value, ok := cutField(p)
			k := keysByWord[strings.ToLower(name)]
			if !ok || k == "" {
				return []field{f}
			}
			end := at + len(p)
			out = append(out, field{key: k, name: strings.ToLower(name), value: value, start: end - len(value), end: end})
			at = end + len(sep)
		}
		return out
	}
	return []field{f}
}

// maxName bounds the name of a field in bytes.
const maxName = 34

// cutField splits "Name: value" in one of its spellings: with a list mark or marks of emphasis, "**Name**: value",
// ":name: value" (AsciiDoc, reStructuredText), "Name:: value".
func cutField(w string) (name, value string, ok bool) {
	if w == "" {
		return "", "", false
	}
	if n := itemLength(w); n > 0 {
		w = w[n:]
	}
	if name, value, ok = cutBold(w); ok {
		return name, value, true
	}
	w = strings.TrimLeft(w, "*_: >")
	head := w[:min(len(w), maxName+4)]
	i := strings.IndexByte(head, ':')
	if i < 1 || i > maxName {
		return "", "", false
	}
	name = strings.Trim(w[:i], "*_ ")
	value = strings.TrimLeft(w[i+1:], ":*_ ")
	if value != "" && w[i+1] != ' ' && w[i+1] != ':' && w[i+1] != '*' && w[i+1] != '_' {
		return "", "", false
	}
	return name, value, name != ""
}

// cutBold splits a name that runs into its value: "**Decision.** We will …", "**Status** accepted".
func cutBold(w string) (name, value string, ok bool) {
	rest, ok := strings.CutPrefix(w, "**")
	if !ok {
		return "", "", false
	}
	i := strings.Index(rest[:min(len(rest), maxName+4)], "**")
	if i < 1 {
		return "", "", false
	}
	name, value = strings.TrimRight(rest[:i], ".: "), strings.TrimLeft(rest[i+2:], ".: –—")
	return name, value, name != "" && value != "" && keysByWord[strings.ToLower(name)] != ""
}

// fieldAt reads the field that line i holds, of a key that is known.
func (r *reader) fieldAt(i int) (field, bool) {
	switch r.lines[i].kind {
	case lineText, lineItem, lineQuote, lineNote:
	case lineTable:
		return r.rowField(i)
	default:
		return field{}, false
	}
	w := r.words(i)
	name, value, ok := cutField(w)
	if !ok {
		return r.listField(i, w)
	}
	k := keysByWord[strings.ToLower(name)]
	if k == "" {
		return field{}, false
	}
	end := r.lines[i].end
	return field{key: k, name: strings.ToLower(name), value: value, start: end - len(value), end: end}, true
}

// rowField reads a row of a table with a name and a value: "| Status | Accepted |".
func (r *reader) rowField(i int) (field, bool) {
	cells := cellsOf(r.words(i))
	if len(cells) == 1 && i+1 < len(r.lines) && r.lines[i+1].kind == lineTable { // AsciiDoc: a cell a line
		if below := cellsOf(r.words(i + 1)); len(below) == 1 {
			k, end := keyOf(plain(cells[0])), r.lines[i+1].end
			return field{key: k, name: strings.ToLower(cells[0]), value: below[0], start: end - len(below[0]), end: end, isCell: true}, k != "" && below[0] != ""
		}
	}
	if len(cells) != 2 {
		return field{}, false
	}
	name := strings.ToLower(plain(cells[0]))
	k := keyOf(name)
	value := strings.TrimSpace(cells[1])
	if k == "" || value == "" || len(name) > maxName {
		return field{}, false
	}
	l := r.lines[i]
	at := l.at + strings.LastIndex(r.s[l.at:l.end], value)
	return field{key: k, name: name, value: value, start: at, end: at + len(value), isCell: true}, true
}

// listField reads a row of a list-table of reStructuredText: "* - Status" and "- Accepted" below it.
func (r *reader) listField(i int, w string) (field, bool) {
	if i+1 < len(r.lines) && len(w) < maxName && r.lines[i+1].kind == lineText { // a definition: ": Accepted" below "Status"
		if value, ok := strings.CutPrefix(r.words(i+1), ": "); ok {
			k, end := keysByWord[strings.ToLower(strings.Trim(w, "*_ "))], r.lines[i+1].end
			return field{key: k, name: strings.ToLower(w), value: value, start: end - len(value), end: end}, k != ""
		}
	}
	name, ok := strings.CutPrefix(w, "* - ")
	if !ok || i+1 >= len(r.lines) || len(name) > maxName {
		return field{}, false
	}
	k := keyOf(name)
	value, ok := strings.CutPrefix(r.words(i+1), "- ")
	if k == "" || !ok {
		return field{}, false
	}
	end := r.lines[i+1].end
	return field{key: k, name: strings.ToLower(name), value: value, start: end - len(value), end: end, isCell: true}, true
}

// cellsOf returns the cells of a row of a Markdown table.
func cellsOf(row string) []string {
	if strings.HasPrefix(row, "||") { // Jira
		row = strings.ReplaceAll(row, "||", "|")
	}
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	var cells []string
	for c := range strings.SplitSeq(row, "|") {
		cells = append(cells, strings.TrimSpace(c))
		if len(cells) > 12 {
			return nil
		}
	}
	return cells
}

// readFront reads the plain keys of the YAML front matter: "key: value", "key: [a, b]", and lists of one item a line.
// What is nested deeper is left out.
func (r *reader) readFront() {
	for i := range r.lines {
		l := r.lines[i]
		if l.kind != lineFront {
			return
		}
		w := r.words(i)
		if n := len(r.front); n > 0 && strings.HasPrefix(w, "- ") && r.front[n-1].name != "" {
			last := &r.front[n-1]
			if last.value != "" {
				last.value += ", "
			}
			last.value += unquote(w[2:])
			last.end = l.end
			continue
		}
		name, value, ok := strings.Cut(w, ":")
		if !ok || l.indent() > 0 || len(name) > maxName || strings.HasPrefix(w, "#") {
			continue
		}
		name = strings.ToLower(strings.TrimSpace(name))
		value = strings.TrimSpace(value)
		if j := strings.Index(value, " #"); j >= 0 {
			value = strings.TrimSpace(value[:j])
		}
		if strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") && !strings.Contains(value, "](") {
			var parts []string
			for p := range strings.SplitSeq(value[1:len(value)-1], ",") {
				parts = append(parts, unquote(strings.TrimSpace(p)))
			}
			value = strings.Join(parts, ", ")
		}
		k := keysByWord[strings.NewReplacer("-", " ", "_", " ").Replace(name)]
		if k == "" {
			k = keysByWord[name]
		}
		r.front = append(r.front, field{key: k, name: name, value: unquote(value), start: l.end - len(strings.TrimSpace(w[strings.IndexByte(w, ':')+1:])), end: l.end, isCell: true})
	}
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// bracketed is an address behind a name.
var bracketed = regexp.MustCompile(`<[^<>\s]*@[^<>\s]*>`)

// people returns the names of a value: without marks, addresses and placeholders, with commas between them.
func people(value string) string {
	if isPlaceholder(value) {
		return ""
	}
	value = plain(bracketed.ReplaceAllString(value, ""))
	var names []string
	for p := range strings.FieldsFuncSeq(value, func(c rune) bool { return c == ',' || c == ';' || c == '·' }) {
		if i := strings.IndexAny(p, "<("); i >= 0 {
			p = p[:i]
		}
		p = strings.TrimPrefix(strings.TrimSpace(p), "@")
		if p == "" || strings.ContainsAny(p, "{}[]|@/") || utf8.RuneCountInString(p) > 50 {
			continue
		}
		names = append(names, p)
		if len(names) == 12 {
			break
		}
	}
	return strings.Join(names, ", ")
}
