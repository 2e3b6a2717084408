package records

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

var logName = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:(?:architecture |design |project )?decision[-_ ]?(?:log|register|journal|list|history)|decisions|entscheidungen|entscheidungs(?:log|liste|register|tagebuch)|beschlüsse|beschlussbuch|beschlussliste)(?:[^\p{L}]|$)`)

// decisionLog reads a list of decisions: a table with a column of decisions, items that begin with a day, or
// paragraphs that are marked as a decision below a heading that names a day.
func (r *reader) decisionLog() []Statement {
	title := r.doc.Title
	for i, l := range r.lines[:min(len(r.lines), 30)] {
		if l.kind == lineHeading {
			title = r.heading(i)
			break
		}
	}
	base := fileName(r.doc.Name)
	if !logName.MatchString(title) && !logName.MatchString(strings.ReplaceAll(stem(base), "_", " ")) || formFile.MatchString(stem(base)) {
		return nil
	}
	if title == "" {
		title = base
	}
	var out []Statement
	var day time.Time
	for i := 0; i < len(r.lines) && len(out) < maxStatements; i++ {
		l := r.lines[i]
		switch l.kind {
		case lineHeading:
			day = dayIn(r.heading(i), time.Time{})
		case lineTable:
			if i == 0 || r.lines[i-1].kind != lineTable {
				out = append(out, r.logTable(title, i)...)
			}
		case lineItem, lineText:
			if s, ok := r.logLine(title, i, day); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// logLine reads "- 2024-03-12: We move to X", or "Decision: …" below a day.
func (r *reader) logLine(title string, i int, day time.Time) (Statement, bool) {
	l := r.lines[i]
	at := l.at
	if l.kind == lineItem {
		at += itemLength(r.s[l.at:l.end])
	}
	w := r.s[at:l.end]
	r.work += min(len(w), 100)
	if d, ok := findDate(strings.TrimLeft(w[:min(len(w), 60)], "*[( "), time.Time{}); ok && d.start == 0 {
		day = d.day
		at += len(w[:min(len(w), 60)]) - len(strings.TrimLeft(w[:min(len(w), 60)], "*[( ")) + d.end
		for at < l.end && strings.IndexByte(" :*-])|,.", r.s[at]) >= 0 {
			at++
		}
		at += len(r.s[at:l.end]) - len(strings.TrimLeft(r.s[at:l.end], "–—: "))
	} else if mark := decisionMark.FindString(w[:min(len(w), 100)]); mark != "" && !day.IsZero() {
		at += len(mark)
	} else {
		return Statement{}, false
	}
	if mark := decisionMark.FindString(r.s[at:l.end]); mark != "" {
		at += len(mark)
	}
	end := l.end
	for j := i + 1; j < len(r.lines) && j < i+6 && r.lines[j].kind == lineText && (l.kind == lineText || r.lines[j].indent() > 0); j++ {
		end = r.lines[j].end
	}
	said := r.sentenceOf(at, end)
	if len(strings.Fields(said.words)) < 2 || isReference(said.words) {
		return Statement{}, false
	}
	return logged(title, said, day, "", "", ""), true
}

// logTable reads a table with a column of decisions, and of days or states.
func (r *reader) logTable(title string, i int) []Statement {
	what, when, state, number, who := -1, -1, -1, -1, -1
	for c, cell := range cellsOf(r.words(i)) {
		switch keyOf(plain(cell)) {
		case keyDecision:
			what = c
		case keyDate:
			when = c
		case keyStatus:
			state = c
		case keyNumber:
			number = c
		case keyDeciders, keyAuthor:
			who = c
		}
		if strings.TrimSpace(cell) == "#" {
			number = c
		}
	}
	if what < 0 || when < 0 && state < 0 {
		return nil
	}
	var out []Statement
	for j := i + 1; j < len(r.lines) && r.lines[j].kind == lineTable && len(out) < maxStatements; j++ {
		cells := cellsOf(r.words(j))
		if len(cells) <= max(what, when, state) || strings.Trim(cells[what], "-:= ") == "" {
			continue
		}
		cell := func(c int) string {
			if c < 0 || c >= len(cells) {
				return ""
			}
			return cells[c]
		}
		words := plain(cells[what])
		st := parseStatus(cell(state))
		if isPlaceholder(words) || len(strings.Fields(words)) < 2 || strings.HasPrefix(cells[what], "[") && strings.HasSuffix(cells[what], ")") || st.isForm {
			continue
		}
		l := r.lines[j]
		said := sentence{words: clip(words, maxSentence), start: l.at, at: l.end}
		_, n, _ := parseTitle(plain(cell(number)) + ": x")
		out = append(out, logged(title, said, dayIn(cell(when), time.Time{}), st.word, n, people(cell(who))))
	}
	return out
}

// logged makes the statement of one entry of a log.
func logged(title string, said sentence, day time.Time, status, number, owner string) Statement {
	var notes []string
	if status != "" {
		notes = append(notes, status)
	}
	if !day.IsZero() {
		notes = append(notes, isoDay(day))
	}
	lead := quote(title)
	if number != "" {
		lead += ", entry " + number
	}
	if len(notes) > 0 {
		lead += " (" + strings.Join(notes, ", ") + ")"
	}
	tags := slices.DeleteFunc([]string{"decision-record", status}, func(s string) bool { return s == "" })
	return Statement{
		Kind: lukasa.KindDecision, Content: lead + " " + recordVerb(status, false) + " " + withStop(said.words), Start: said.start, End: said.at,
		Status: status, Date: day, Owner: owner, Number: number, Tags: tags,
	}
}
