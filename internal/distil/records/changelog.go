package records

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// category is what a line of a release is about, in the order of what matters most to a reader.
type category uint8

const (
	catBreaking category = iota
	catSecurity
	catRemoved
	catDeprecated
	catAdded
	catChanged
	catFixed
	catOther
)

var categoryNames = [...]string{"Breaking", "Security", "Removed", "Deprecated", "Added", "Changed", "Fixed", ""}

// maxChanges is how many lines of a release are taken.
const maxChanges = 3

// release is one release of a changelog, in the lines [lo, hi).
type release struct {
	product, version string
	when             string // a date that is less than a day, as it is written: "July 2020"
	day              time.Time
	owner            string
	line, lo, hi     int
	level            uint8
	changes          []change
}

type change struct {
	cat   category
	line  int
	words string
	end   int
}

var (
	changelogFile  = regexp.MustCompile(`(?i)^(?:change[-_ ]?log|changes|history|news|release[-_ ]?notes?|releases|release[-_ ]?history|whats[-_ ]?new|änderungen)(?:[-_. ]|$)`)
	changelogTitle = regexp.MustCompile(`(?i)\b(?:change ?log|release notes|release history|revision history|version history|releases|history|what.s new|noteworthy changes|änderungsprotokoll|änderungen|news)\b`)
	versionForm    = regexp.MustCompile(`^v?\d{1,4}(?:\.\d{1,6}){1,4}[a-z]?(?:[-+.~_]?(?:alpha|beta|rc|pre|preview|dev|canary|next|snapshot|final|post|[ab]|p|ga|lts|m)[-.]?\d*)*(?:[-+~][0-9A-Za-z.+~-]{1,40})?$`)
	plainVersion   = regexp.MustCompile(`^v?\d{1,4}$`)
	monthYear      = regexp.MustCompile(`(?i)\b(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)\.? (?:19|20)\d\d\b`)
	debianHead     = regexp.MustCompile(`^([a-z0-9][a-z0-9+.-]{1,60}) \(([^\s()]{1,60})\) ([\w .-]{1,60}); urgency=`)
	gnuHead        = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)\s{1,3}(\S[^<>]{1,60}?)\s+<[^<>]{3,80}>`)
	gnuRelease     = regexp.MustCompile(`(?i)^(?:\* )?(?:(?:tag |made |new )?(?:release|version)[: ]v?(\d+(?:\.\d+)+\w*)(?: (?:released|is released))?\.?|released? (?:version )?v?(\d+(?:\.\d+)+\w*)\.?)$`)
	byWhom         = regexp.MustCompile(`\s+by @[\w-]+(?:\[bot\])?(?: in (?:https?://\S+|#\d+))?$`)
	changeTail     = regexp.MustCompile(`(?i)(?:\s*\((?:[^()]*#\d+[^()]*|[0-9a-f]{7,40}|closes [^()]*|see [^()]*|https?://[^()\s]*)\)|,?\s*(?:closes|fixes) #\d+(?:,? #\d+)*|\s+https?://\S+)\s*[.,]?\s*$`)
)

// changelog reads the releases of a changelog: Keep a Changelog, release pages, NEWS, Debian and GNU.
func (r *reader) changelog() []Statement {
	if len(r.lines) == 0 {
		return nil
	}
	first := r.firstText()
	if first >= 0 && debianHead.MatchString(r.words(first)) {
		return r.state(r.debianReleases())
	}
	if first >= 0 && gnuHead.MatchString(r.words(first)) {
		return r.state(r.gnuReleases())
	}
	isLog := r.isChangelog()
	var list []release
	dated := 0
	for i, l := range r.lines {
		if len(list) == maxStatements {
			break
		}
		isPlain := isLog && l.kind == lineText && l.indent() == 0 && (i == 0 || r.lines[i-1].kind == lineBlank)
		isStar := isLog && l.kind == lineItem && r.s[l.at] == '*' && l.indent() == 0
		if l.end-l.at > 300 || l.kind != lineHeading && !isPlain && !isStar {
			continue
		}
		rel, ok := r.releaseAt(i, l.kind == lineHeading)
		if !ok || (isPlain || isStar) && rel.day.IsZero() && rel.when == "" {
			continue
		}
		if len(list) > 0 {
			last := &list[len(list)-1]
			if l.kind == lineHeading && rel.day.IsZero() && (rel.level != list[0].level || list[0].level == 0) {
				continue
			}
			if l.kind != lineHeading && r.lines[last.line].kind == lineHeading && list[0].level > 0 {
				continue
			}
		}
		if !rel.day.IsZero() {
			dated++
		}
		list = append(list, rel)
	}
	if !isLog && (dated < 2 || dated*2 < len(list)) {
		return nil
	}
	r.boundReleases(list)
	for n := range list {
		r.readChanges(&list[n])
	}
	if !isLog && !slices.ContainsFunc(list, func(rel release) bool { return len(rel.changes) > 0 }) {
		return nil
	}
	return r.state(list)
}

func (r *reader) firstText() int {
	for i, l := range r.lines {
		if l.kind == lineText || l.kind == lineHeading || l.kind == lineItem {
			return i
		}
	}
	return -1
}

// isChangelog reports a changelog by the name of its file, or by its title.
func (r *reader) isChangelog() bool {
	if changelogFile.MatchString(fileName(r.doc.Name)) || changelogFile.MatchString(strings.TrimPrefix(strings.ToLower(r.doc.Title), "the ")) {
		return true
	}
	for i, l := range r.lines[:min(len(r.lines), 12)] {
		if l.kind == lineHeading && l.end-l.at < 80 {
			return changelogTitle.MatchString(r.words(i)) && !recordFile.MatchString(stem(r.doc.Name))
		}
	}
	return false
}

// leadWords may stand before a version: what is none of them is taken as the name of the product.
var leadWords = newSet("version release v changes change in noteworthy what's new what’s whats the of for * announcing released : — – - releases ver rel revision")

// stopWords show that a line with a version is not the head of a release.
var stopWords = newSet("from to with since before after until upgrade upgrading upgraded migrate migrating migration require requires required support supports supported python node java go php ruby " +
	"compatible compatibility between than or if when using use bump bumped update updated and api http https tls step part chapter section table figure")

// releaseAt reads a line as the head of a release: "## [1.2.0] - 2024-01-02", "v1.2 (March 3, 2025)", "pandoc 3.1
// (2023-03-05)".
func (r *reader) releaseAt(i int, isHeading bool) (release, bool) {
	w := r.heading(i)
	if !isHeading {
		w = strings.TrimSpace(strings.TrimLeft(w, "*- "))
	}
	if w == "" || len(w) > 140 || !strings.ContainsAny(w, "0123456789") {
		return release{}, false
	}
	rel := release{line: i, level: r.lines[i].level}
	rest := w
	if d, ok := findDate(w, time.Time{}); ok {
		rel.day = d.day
		rest = w[:d.start] + " " + w[d.end:]
	} else if m := monthYear.FindStringIndex(w); m != nil {
		rel.when = w[m[0]:m[1]]
		rest = w[:m[0]] + " " + w[m[1]:]
	}
	var product []string
	hasLead := false
	after := 0
	for tok := range strings.FieldsSeq(rest) {
		bare := strings.Trim(tok, "[](),:;–—-*\"'`")
		low := strings.ToLower(bare)
		if at := strings.LastIndexByte(bare, '/'); at >= 0 && rel.version == "" {
			bare = bare[at+1:]
		}
		if at := strings.LastIndexByte(bare, '@'); at > 0 && rel.version == "" {
			product = append(product, bare[:at])
			bare = bare[at+1:]
		}
		switch {
		case bare == "":
		case rel.version == "" && (versionForm.MatchString(strings.ToLower(bare)) || hasLead && plainVersion.MatchString(low)):
			rel.version = bare
		case rel.version != "":
			if after++; after > 5 || stopWords[low] {
				return release{}, false
			}
		case leadWords[low]:
			hasLead = hasLead || low == "version" || low == "release" || low == "v"
		case stopWords[low] || len(product) == 3:
			return release{}, false
		default:
			product = append(product, bare)
		}
	}
	if rel.version == "" {
		return release{}, false
	}
	rel.product = strings.Join(product, " ")
	if low := strings.ToLower(w); strings.Contains(low, "unreleased") || strings.Contains(low, "upcoming") || strings.Contains(low, "unveröffentlicht") ||
		strings.Contains(low, "not released") || strings.Contains(low, "in development") || strings.Contains(low, "not yet") {
		return release{}, false
	}
	return rel, true
}

// boundReleases gives each release the lines up to the next, or to a heading of its own level or above.
func (r *reader) boundReleases(list []release) {
	for n := range list {
		rel := &list[n]
		rel.lo, rel.hi = rel.line+1, len(r.lines)
		if n+1 < len(list) {
			rel.hi = list[n+1].line
		}
		for i := rel.lo; i < rel.hi; i++ {
			r.work++
			if l := r.lines[i]; l.kind == lineHeading && rel.level > 0 && l.level <= rel.level && categoryOf(r.heading(i)) == catOther {
				rel.hi = i
			}
		}
	}
}

// categoryPrefixes are the beginnings of words that tell what a line is about.
var categoryPrefixes = []struct {
	prefix string
	cat    category
}{
	{"breaking", catBreaking},
	{"inkompatib", catBreaking},
	{"backward", catBreaking},
	{"incompatib", catBreaking},
	{"security", catSecurity},
	{"cve-", catSecurity},
	{"sicherheit", catSecurity},
	{"remov", catRemoved},
	{"drop", catRemoved},
	{"delet", catRemoved},
	{"entfern", catRemoved},
	{"no longer support", catRemoved},
	{"deprecat", catDeprecated},
	{"veraltet", catDeprecated},
	{"add", catAdded},
	{"new ", catAdded},
	{"new", catAdded},
	{"feat", catAdded},
	{"introduc", catAdded},
	{"implement", catAdded},
	{"support for", catAdded},
	{"neu", catAdded},
	{"hinzugefügt", catAdded},
	{"chang", catChanged},
	{"updat", catChanged},
	{"upgrad", catChanged},
	{"improv", catChanged},
	{"enhanc", catChanged},
	{"perf", catChanged},
	{"refactor", catChanged},
	{"geändert", catChanged},
	{"fix", catFixed},
	{"bug", catFixed},
	{"repair", catFixed},
	{"correct", catFixed},
	{"behoben", catFixed},
	{"patch", catFixed},
	{"revert", catFixed},
}

// categoryOf reads the category of a heading or of the first word of a line.
func categoryOf(w string) category {
	w = w[:min(len(w), 60)]
	for w != "" && !isLetter(rune(w[0])) {
		w = w[1:]
	}
	low := strings.ToLower(w[:min(len(w), 24)])
	for _, p := range categoryPrefixes {
		if strings.HasPrefix(low, p.prefix) && (p.prefix != "new" && p.prefix != "neu" || len(low) == len(p.prefix) || low[len(p.prefix)] == ':') {
			return p.cat
		}
	}
	return catOther
}

// readChanges picks the lines of a release that matter most.
func (r *reader) readChanges(rel *release) {
	under := catOther
	base := -1
	var found [int(catOther) + 1]int
	for i := rel.lo; i < rel.hi; i++ {
		l := r.lines[i]
		switch l.kind {
		case lineHeading:
			under = categoryOf(r.heading(i))
			continue
		case lineText:
			if w := r.words(i); l.end-l.at < 50 && (strings.HasSuffix(w, ":") || strings.HasPrefix(w, "**")) {
				under = categoryOf(strings.Trim(w, "*: "))
			}
			continue
		case lineItem:
		default:
			continue
		}
		if base < 0 {
			base = l.indent()
		}
		if l.indent() > base {
			continue
		}
		first := r.s[l.at+itemLength(r.s[l.at:l.end]) : l.end]
		cat := under
		if own := categoryOf(first); cat == catOther || own < cat && (own == catBreaking || own == catSecurity || own == catRemoved && cat != catFixed || own == catDeprecated && cat != catFixed) {
			cat = own
		}
		if isBreakingSubject(first) {
			cat = catBreaking
		}
		if found[cat] < 2*maxChanges {
			found[cat]++
			rel.changes = append(rel.changes, change{cat: cat, line: i})
		}
	}
	slices.SortStableFunc(rel.changes, func(a, b change) int { return int(a.cat) - int(b.cat) })
	keep := 0
	for _, c := range rel.changes {
		if keep == maxChanges || c.cat > catAdded && keep > 0 {
			break
		}
		if c.words, c.end = r.changeWords(c.line, rel.hi); c.words != "" {
			rel.changes[keep] = c
			keep++
		}
	}
	rel.changes = rel.changes[:keep]
}

var subjectType = regexp.MustCompile(`^(?:[a-z]{2,12})(?:\([^()]{1,40}\))?(!?): `)

// isBreakingSubject reports "feat(api)!: …".
func isBreakingSubject(w string) bool {
	m := subjectType.FindStringSubmatch(w)
	return m != nil && m[1] == "!"
}

// changeWords is the first sentence of the item at line i, without links, numbers of issues and names of authors.
func (r *reader) changeWords(i, hi int) (string, int) {
	l := r.lines[i]
	b := block{start: l.at + itemLength(r.s[l.at:l.end]), end: l.end}
	for j := i + 1; j < hi && j < i+6 && r.lines[j].kind == lineText && r.lines[j].indent() > l.indent(); j++ {
		b.end = r.lines[j].end
	}
	spans := r.sentencesOf(b, 1)
	if len(spans) == 0 {
		return "", 0
	}
	w := plain(strings.ReplaceAll(spans[0].Of(r.s), "\n", " "))
	w = byWhom.ReplaceAllString(w, "")
	for range 4 {
		cut := changeTail.ReplaceAllString(w, "")
		if cut == w {
			break
		}
		w = cut
	}
	if m := subjectType.FindString(w); m != "" {
		w = w[len(m):]
	}
	w = noStop(w)
	if isPlaceholder(w) || strings.HasPrefix(w, "http") || len(w) < 4 {
		return "", 0
	}
	return clip(w, maxLine), spans[0].End
}

// debianReleases reads the format of dpkg: "name (version) suite; urgency=…", items, " -- Name <address>  date".
func (r *reader) debianReleases() []release {
	var list []release
	for i, l := range r.lines {
		if l.start == l.end || len(list) > maxStatements {
			continue
		}
		w := r.s[l.at:l.end]
		if l.indent() == 0 && strings.Contains(w, "; urgency=") {
			if m := debianHead.FindStringSubmatch(r.words(i)); m != nil && !strings.HasPrefix(m[3], "UNRELEASED") {
				list = append(list, release{product: m[1], version: m[2], line: i, lo: i + 1, hi: i + 1})
			}
			continue
		}
		if len(list) == 0 {
			continue
		}
		rel := &list[len(list)-1]
		if mail, ok := strings.CutPrefix(w, "-- "); ok && l.indent() == 1 && rel.day.IsZero() {
			rel.hi = i
			rel.owner = person(mail)
			if j := strings.LastIndexByte(mail, '>'); j > 0 {
				rel.day = dayIn(mail[j:], time.Time{})
			}
		}
	}
	list = list[:min(len(list), maxStatements)]
	for n := range list {
		r.readChanges(&list[n])
	}
	return list
}

// gnuReleases reads the entries of a GNU ChangeLog that name a release; the others are about single files.
func (r *reader) gnuReleases() []release {
	var list []release
	var day time.Time
	owner := ""
	for i, l := range r.lines {
		if l.kind == lineBlank || len(list) == maxStatements {
			continue
		}
		if l.indent() == 0 {
			if m := gnuHead.FindStringSubmatch(r.words(i)); m != nil {
				day, owner = dayIn(m[1], time.Time{}), m[2]
			}
			continue
		}
		if l.end-l.at > 60 {
			continue
		}
		if m := gnuRelease.FindStringSubmatch(r.words(i)); m != nil && !day.IsZero() {
			list = append(list, release{version: m[1] + m[2], day: day, owner: owner, line: i, lo: i + 1, hi: i + 1})
		}
	}
	return list
}

// state puts releases into statements. One that has neither a day nor a change is left out.
func (r *reader) state(list []release) []Statement {
	name := r.doc.Name
	if name == "" {
		name = r.doc.Title
	}
	if name == "" {
		name = "The changelog"
	}
	var out []Statement
	for _, rel := range list {
		if rel.day.IsZero() && rel.when == "" && len(rel.changes) == 0 {
			continue
		}
		var b strings.Builder
		b.WriteString(name + " records ")
		if rel.product != "" {
			b.WriteString(rel.product + " " + rel.version)
		} else {
			b.WriteString("version " + rel.version)
		}
		switch {
		case !rel.day.IsZero():
			b.WriteString(", released on " + isoDay(rel.day))
		case rel.when != "":
			b.WriteString(", released in " + rel.when)
		}
		if rel.owner != "" {
			b.WriteString(" by " + rel.owner)
		}
		l := r.lines[rel.line]
		s := Statement{Kind: lukasa.KindMilestone, Start: l.at, End: l.end, Date: rel.day, Owner: rel.owner, Number: rel.version, Tags: []string{"release"}}
		writeChanges(&b, rel.changes)
		for _, c := range rel.changes {
			s.End = max(s.End, c.end)
			if tag := strings.ToLower(categoryNames[c.cat]); tag != "" && c.cat <= catDeprecated && !slices.Contains(s.Tags, tag) {
				s.Tags = append(s.Tags, tag)
			}
		}
		s.Content = b.String()
		out = append(out, s)
	}
	return out
}

// writeChanges writes ". Removed: …; …. Added: …." A line that says its category itself stands without it.
func writeChanges(b *strings.Builder, changes []change) {
	last := catOther + 1
	for _, c := range changes {
		switch {
		case c.cat == last:
			b.WriteString("; " + c.words)
			continue
		case c.cat == catOther || categoryOf(c.words) == c.cat:
			b.WriteString(". " + c.words)
		default:
			b.WriteString(". " + categoryNames[c.cat] + ": " + c.words)
		}
		last = c.cat
	}
	b.WriteString(".")
}

var tagForm = regexp.MustCompile(`^(?:refs/tags/|tag: )?((?:[\w.-]{1,40}[/@-])?v?\d{1,4}(?:\.\d{1,6}){1,3}(?:[-+.][0-9A-Za-z.-]{1,30})?)$`)

// tagList reads a list of tags with their days, as git writes one: "v1.2.0  2024-05-06 Release 1.2.0" or "2024-05-06
// v1.2.0" a line.
func (r *reader) tagList() []Statement {
	name := r.doc.Name
	if name == "" {
		name = "The list of tags"
	}
	var out []Statement
	lines, bad := 0, 0
	for i, l := range r.lines {
		if l.kind == lineBlank {
			continue
		}
		if lines++; l.end-l.at > 200 || l.indent() > 2 {
			bad++
		} else if s, ok := r.tagAt(i); ok {
			s.Content = name + " lists release " + s.Number + " of " + isoDay(s.Date) + "."
			out = append(out, s)
		} else {
			bad++
		}
		if bad > 2 && bad*8 > lines {
			return nil
		}
		if len(out) == maxStatements {
			break
		}
	}
	if len(out) < 2 || bad*8 > lines {
		return nil
	}
	return out
}

func (r *reader) tagAt(i int) (Statement, bool) {
	w := r.words(i)
	toks := strings.Fields(w)
	if len(toks) < 2 {
		return Statement{}, false
	}
	l := r.lines[i]
	s := Statement{Kind: lukasa.KindMilestone, Start: l.at, End: l.end, Tags: []string{"release"}}
	if m := tagForm.FindStringSubmatch(toks[0]); m != nil {
		d, ok := findDate(strings.TrimSpace(w[len(toks[0]):]), time.Time{})
		if !ok || d.start > 5 {
			return Statement{}, false
		}
		s.Number, s.Date = m[1], d.day
		return s, true
	}
	d, ok := findDate(w, time.Time{})
	if !ok || d.start > 0 {
		return Statement{}, false
	}
	rest := strings.Fields(strings.Trim(w[d.end:], " ()"))
	if len(rest) > 1 && (rest[0] == "tag:" || rest[0] == "(tag:") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return Statement{}, false
	}
	m := tagForm.FindStringSubmatch(strings.Trim(rest[0], "(),"))
	if m == nil {
		return Statement{}, false
	}
	s.Number, s.Date = m[1], d.day
	return s, true
}
