package records

import (
	"regexp"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// patchStamp ends the first line of a mail that git format-patch writes.
const patchStamp = " Mon Sep 17 00:00:00 2001"

// commit is one commit of a log or a patch.
type commit struct {
	hash, author, subject string
	day                   time.Time
	at, end               int // the bytes [at, end) of its head and subject
	lo, hi                int // the lines of its message
	isMerge               bool
}

// commits reads the output of git log, patches of git format-patch, and patches as an extractor shows them (a
// heading, then "Author:", "Date:" and "Commit:"), and takes the commits that decide, revert, deprecate or break
// something.
func (r *reader) commits() []Statement {
	first := r.firstText()
	if first < 0 {
		return nil
	}
	w := r.words(first)
	var list []commit
	switch {
	case isHashLine(w, "commit "):
		list = r.logCommits()
	case strings.HasPrefix(w, "From ") && strings.HasSuffix(w, patchStamp):
		list = r.patchCommits()
	default:
		list = r.shownCommits()
	}
	var out []Statement
	for _, c := range list {
		if s, ok := r.stateCommit(c); ok {
			if out = append(out, s); len(out) == maxStatements {
				break
			}
		}
	}
	return out
}

// isHashLine reports a lead and 7 to 64 hexadecimal digits behind it.
func isHashLine(w, lead string) bool { return hashOf(w, lead) != "" }

func hashOf(w, lead string) string {
	rest, ok := strings.CutPrefix(w, lead)
	if !ok {
		return ""
	}
	n := 0
	for n < len(rest) && n < 65 && (rest[n] >= '0' && rest[n] <= '9' || rest[n] >= 'a' && rest[n] <= 'f') {
		n++
	}
	if n < 7 || n > 64 || n < len(rest) && rest[n] != ' ' {
		return ""
	}
	return rest[:n]
}

// logCommits reads "commit HASH", "Author: …", "Date: …", and the message, which is indented.
func (r *reader) logCommits() []commit {
	var list []commit
	inHead := false
	for i, l := range r.lines {
		if l.indent() == 0 && l.end-l.at < 400 && strings.HasPrefix(r.s[l.at:l.end], "commit ") {
			if hash := hashOf(r.words(i), "commit "); hash != "" {
				list = append(list, commit{hash: hash, at: l.at, end: l.end, lo: i + 1, hi: i + 1})
				inHead = true
				continue
			}
		}
		if len(list) == 0 {
			continue
		}
		c := &list[len(list)-1]
		switch {
		case inHead && l.start == l.end:
			inHead = false
			c.lo, c.hi = i+1, i+1
		case inHead:
			name, value, _ := strings.Cut(r.words(i), ":")
			switch name {
			case "Author":
				c.author = person(value)
			case "Date", "AuthorDate":
				c.day = dayIn(value, time.Time{})
			case "Merge":
				c.isMerge = true
			}
		case l.indent() >= 4 && c.hi == i:
			c.hi = i + 1
			if c.subject == "" {
				c.subject, c.end = r.words(i), l.end
			}
		case l.start == l.end && c.hi == i:
			c.hi = i + 1
		}
	}
	return list
}

// patchCommits reads the mails of git format-patch: header, message, "---", and a diff, which is passed over.
func (r *reader) patchCommits() []commit {
	var list []commit
	inHead, inBody, inSubject := false, false, false
	for i, l := range r.lines {
		if l.indent() == 0 && l.end-l.at < 120 && strings.HasPrefix(r.s[l.at:l.end], "From ") && strings.HasSuffix(r.s[l.at:l.end], patchStamp) {
			list = append(list, commit{hash: hashOf(r.words(i), "From "), at: l.at, end: l.end, lo: i, hi: i})
			inHead, inBody, inSubject = true, false, false
			continue
		}
		if len(list) == 0 {
			continue
		}
		c := &list[len(list)-1]
		switch {
		case inHead && l.start == l.end:
			inHead, inBody = false, true
			c.lo, c.hi = i+1, i+1
		case inHead && inSubject && l.indent() > 0:
			c.subject += " " + r.words(i)
			c.end = l.end
		case inHead:
			name, value, _ := strings.Cut(r.words(i), ":")
			inSubject = name == "Subject"
			switch name {
			case "From":
				c.author = person(value)
			case "Date":
				c.day = dayIn(value, time.Time{})
			case "Subject":
				c.subject, c.end = strings.TrimSpace(patchMark.ReplaceAllString(strings.TrimSpace(value), "")), l.end
			}
		case inBody && r.s[l.at:l.end] == "---":
			inBody = false
		case inBody:
			c.hi = i + 1
		}
	}
	return list
}

var patchMark = regexp.MustCompile(`^(?:\[[^\]]*\]\s*)+`)

// shownCommits reads commits whose subject is a heading, with "Author:", "Date:" and "Commit: HASH" below it.
func (r *reader) shownCommits() []commit {
	var list []commit
	head := -1
	for i, l := range r.lines {
		if l.kind == lineHeading {
			if len(list) > 0 && list[len(list)-1].hi < 0 {
				list[len(list)-1].hi = i
			}
			head = i
			continue
		}
		if head < 0 || i > head+8 || l.end-l.at < 14 || !strings.HasPrefix(r.s[l.at:l.end], "Commit: ") {
			continue
		}
		hash := hashOf(r.words(i), "Commit: ")
		if hash == "" {
			continue
		}
		c := commit{hash: hash, subject: r.heading(head), at: r.lines[head].at, end: l.end, lo: i + 1, hi: -1}
		for j := head + 1; j < i; j++ {
			name, value, _ := strings.Cut(r.words(j), ":")
			switch name {
			case "Author":
				c.author = person(value)
			case "Date":
				c.day = dayIn(value, time.Time{})
			}
		}
		list = append(list, c)
	}
	if len(list) > 0 && list[len(list)-1].hi < 0 {
		list[len(list)-1].hi = len(r.lines)
	}
	return list
}

var (
	revertSubject    = regexp.MustCompile(`^(?:[Rr]evert|Reapply)(?:\([^()]*\))?:? "?(.+?)"?$`)
	deprecateSubject = regexp.MustCompile(`(?i)^(?:[\w()/., -]{1,40}: )?(?:deprecate[sd]?|mark \S.* as deprecated)\b`)
	decideSubject    = regexp.MustCompile(`(?i)^(?:(?:adr|decision)(?:\([^()]*\))?!?: |(?:[\w()/.-]{1,40}: )?(?:decide[sd]? (?:to|on|for|against|that)\b|(?:accept|reject|supersede|adopt|approve)s? (?:adr|rfc|decision)\b))`)
	breakSubject     = regexp.MustCompile(`(?i)^(?:[\w()/., -]{1,40}: )?(?:breaking(?: change)?:|(?:drop|remove) support (?:for|of)\b)`)
	breakFooter      = regexp.MustCompile(`^BREAKING[ -]CHANGES?: *`)
	decideFooter     = regexp.MustCompile(`^(?:Decision|Decided): +`)
)

// stateCommit makes the statement of a commit that decides, reverts, deprecates or breaks something.
func (r *reader) stateCommit(c commit) (Statement, bool) {
	if c.isMerge || c.subject == "" || strings.HasPrefix(c.subject, "Merge ") {
		return Statement{}, false
	}
	subject := clip(noStop(c.subject), 200)
	s := Statement{Kind: lukasa.KindDecision, Start: c.at, End: c.end, Date: c.day, Owner: c.author, Number: c.hash}
	act := ""
	footer, at := r.footer(c)
	switch revert := revertSubject.FindStringSubmatch(subject); {
	case revert != nil && strings.HasPrefix(subject, "Reapply"):
		act, s.Tags = "brings back "+quote(strings.Trim(revert[1], `"`)), []string{"commit", "revert"}
	case revert != nil && revertSubject.MatchString(revert[1]) && strings.HasPrefix(revert[1], `Revert "`):
		act, s.Tags = "brings back "+quote(strings.Trim(strings.TrimPrefix(revert[1], "Revert "), `"`)), []string{"commit", "revert"}
	case revert != nil:
		act, s.Tags = "reverts "+quote(strings.TrimRight(revert[1], `"`)), []string{"commit", "revert"}
	case breakFooter.MatchString(footer):
		act, s.Tags = "breaks: "+breakFooter.ReplaceAllString(footer, ""), []string{"commit", "breaking"}
		s.End = at
	case isBreakingSubject(subject) || breakSubject.MatchString(subject):
		act, s.Tags = "breaks: "+withoutType(subject), []string{"commit", "breaking"}
	case deprecateSubject.MatchString(withoutType(subject)):
		act, s.Tags = "deprecates: "+withoutType(subject), []string{"commit", "deprecated"}
	case footer != "":
		act, s.Tags = "decides: "+decideFooter.ReplaceAllString(footer, ""), []string{"commit", "decision"}
		s.End = at
	case decideSubject.MatchString(subject):
		act, s.Tags = "decides: "+withoutType(subject), []string{"commit", "decision"}
	default:
		return Statement{}, false
	}
	var b strings.Builder
	b.WriteString("Commit " + c.hash[:min(len(c.hash), 7)])
	if c.author != "" {
		b.WriteString(" by " + c.author)
	}
	if !c.day.IsZero() {
		b.WriteString(" (" + isoDay(c.day) + ")")
	}
	b.WriteString(" " + withStop(act))
	s.Content = b.String()
	return s, true
}

// withoutType takes the type of a conventional commit off its subject.
func withoutType(subject string) string {
	if m := subjectType.FindString(subject); m != "" {
		return subject[len(m):]
	}
	return subject
}

// footer returns the paragraph of a message that says BREAKING CHANGE, or else the one that says Decision, and where
// it ends.
func (r *reader) footer(c commit) (words string, end int) {
	for i := c.lo; i < c.hi && i < c.lo+200; i++ {
		l := r.lines[i]
		if l.end-l.at < 10 || r.s[l.at] != 'B' && r.s[l.at] != 'D' {
			continue
		}
		w := r.words(i)
		isBreak := breakFooter.MatchString(w)
		if !isBreak && (words != "" || !decideFooter.MatchString(w)) {
			continue
		}
		words, end = w, l.end
		for j := i + 1; j < c.hi && j < i+6 && r.lines[j].end > r.lines[j].at && !trailer.MatchString(r.s[r.lines[j].at:r.lines[j].end]); j++ {
			words, end = words+" "+r.words(j), r.lines[j].end
		}
		words = clip(noStop(words), 300)
		if isBreak {
			break
		}
	}
	return words, end
}

// trailer is a line such as "Signed-off-by: …".
var trailer = regexp.MustCompile(`^[A-Z][A-Za-z]+(?:-[A-Za-z]+)*: \S`)
