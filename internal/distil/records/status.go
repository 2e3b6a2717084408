package records

import (
	"regexp"
	"strings"
	"time"
)

// The states of a decision.
const (
	statusProposed   = "proposed"
	statusAccepted   = "accepted"
	statusRejected   = "rejected"
	statusDeprecated = "deprecated"
	statusSuperseded = "superseded"
)

// statusWords are the words for each state, in the languages of keyWords. looseWords are those that other documents
// use too, for example of an article: they count only where the document is a record by its name.
var (
	statusWords = map[string]string{
		"proposed": statusProposed, "proposal": statusProposed, "vorgeschlagen": statusProposed, "pending": statusProposed,
		"accepted": statusAccepted, "approved": statusAccepted, "adopted": statusAccepted, "decided": statusAccepted, "ratified": statusAccepted,
		"agreed": statusAccepted, "akzeptiert": statusAccepted, "angenommen": statusAccepted, "beschlossen": statusAccepted,
		"entschieden": statusAccepted, "genehmigt": statusAccepted, "verabschiedet": statusAccepted,
		"rejected": statusRejected, "declined": statusRejected, "withdrawn": statusRejected, "abgelehnt": statusRejected, "verworfen": statusRejected,
		"zurückgezogen": statusRejected, "abandoned": statusRejected, "discarded": statusRejected,
		"deprecated": statusDeprecated, "obsolete": statusDeprecated, "retired": statusDeprecated, "veraltet": statusDeprecated, "überholt": statusDeprecated,
		"superseded": statusSuperseded, "superceded": statusSuperseded, "superseeded": statusSuperseded, "replaced": statusSuperseded,
		"ersetzt": statusSuperseded, "abgelöst": statusSuperseded, "obsoleted": statusSuperseded,
		"accepté": statusAccepted, "acceptée": statusAccepted, "aceptado": statusAccepted, "aceptada": statusAccepted, "aceito": statusAccepted,
		"aceita": statusAccepted, "aprovado": statusAccepted, "aprobado": statusAccepted, "aprobada": statusAccepted, "accettato": statusAccepted, "geaccepteerd": statusAccepted,
		"proposé": statusProposed, "proposée": statusProposed, "propuesto": statusProposed, "propuesta": statusProposed, "proposto": statusProposed, "voorgesteld": statusProposed,
		"rejeté": statusRejected, "rejetée": statusRejected, "rechazado": statusRejected, "rechazada": statusRejected, "rejeitado": statusRejected, "afgewezen": statusRejected,
		"remplacé": statusSuperseded, "remplacée": statusSuperseded, "reemplazado": statusSuperseded, "reemplazada": statusSuperseded, "substituído": statusSuperseded,
		"substituída": statusSuperseded, "vervangen": statusSuperseded, "déprécié": statusDeprecated, "obsolète": statusDeprecated, "obsoleto": statusDeprecated,
	}
	looseWords = map[string]string{
		"draft": statusProposed, "open": statusProposed, "wip": statusProposed, "entwurf": statusProposed, "offen": statusProposed, "review": statusProposed,
		"active": statusAccepted, "final": statusAccepted, "implemented": statusAccepted, "done": statusAccepted, "umgesetzt": statusAccepted,
		"completed": statusAccepted, "complete": statusAccepted, "closed": statusAccepted, "provisional": statusAccepted, "aktiv": statusAccepted,
		"gültig": statusAccepted, "deferred": statusProposed, "force": statusAccepted, "live": statusAccepted, "current": statusAccepted,
		"effective": statusAccepted, "valid": statusAccepted, "kraft": statusAccepted,
	}
)

var statusWord = regexp.MustCompile(`[\p{L}]+`)

// statusValue is what the value of a status says.
type statusValue struct {
	word    string // one of the states, "" for none
	isLoose bool   // the word is one of looseWords
	isForm  bool   // it lists states to choose from: a form that was not filled in
	day     time.Time
}

// maxStatus bounds the value of a status in bytes.
const maxStatus = 300

// parseStatus reads the value of a status: "Accepted", "✅ Accepted (2024-03-12)", "Accepted 2018-10-01, deprecated
// 2021-06-15", "superseded by [ADR-0012](0012-x.md)".
func parseStatus(value string) statusValue {
	if len(value) > maxStatus {
		return statusValue{}
	}
	isChoice := strings.ContainsAny(value, "|{…") || strings.Contains(value, "/")
	value = struckOut.ReplaceAllString(comment.ReplaceAllString(value, ""), "")
	low := strings.ToLower(value)
	if i := strings.Index(low, "]("); i > 0 { // names of files are not states
		low = low[:i]
	}
	var st statusValue
	distinct := map[string]bool{}
	at, n := 0, 0
	for _, span := range statusWord.FindAllStringIndex(low, 40) {
		w := low[span[0]:span[1]]
		word, isLoose := statusWords[w], false
		if word == "" {
			word, isLoose = looseWords[w], true
		}
		n++
		if word == "" || n > 8 && st.word == "" {
			continue
		}
		distinct[word] = true
		between := low[at:span[0]]
		if strings.HasSuffix(between, "not ") || strings.HasSuffix(between, "nicht ") {
			word = statusRejected
		}
		isLater := strings.ContainsAny(between, ",;→>\n–—") || strings.Contains(between, " now ") || strings.Contains(between, "then")
		wasBefore := strings.Contains(between, "was ") || strings.Contains(between, "previously")
		if st.word == "" || word == statusSuperseded && !wasBefore || isLater && !wasBefore && !(isLoose && !st.isLoose) {
			st.word, st.isLoose, at = word, isLoose, span[1]
		}
	}
	st.isForm = len(distinct) >= 3 || len(distinct) == 2 && isChoice && !strings.Contains(low, "superseded by [")
	if st.word != "" {
		if d, ok := findDate(value[min(at, len(value)):], time.Time{}); ok && len(low) == len(value) {
			st.day = d.day
		} else if d, ok := findDate(value, time.Time{}); ok {
			st.day = d.day
		}
	}
	return st
}

var (
	linkRef    = regexp.MustCompile(`\[([^\[\]]*)\]\(([^()\s]+)\)`)
	fileRef    = regexp.MustCompile(`[\w./-]*\b\d{1,8}[-_][\w.-]+\.(?:md|adoc|rst|txt|markdown|html)\b`)
	labelRef   = regexp.MustCompile(`(?i)\b(?:adr|dec|rfc|pep|oep|kep|ad|mdr|decision|entscheidung|proposal|record)[-_ #]{0,2}0*(\d{1,5})\b`)
	hashRef    = regexp.MustCompile(`#0*(\d{1,5})\b`)
	bareRef    = regexp.MustCompile(`^\W*0*(\d{1,5})(?:\.|:|\)|,|\s|$)`)
	supersedes = regexp.MustCompile(`(?i)\b(?:super[sc]ee?ded?[-_ ]by|replaced[- ]by|obsoleted by|ersetzt durch|abgelöst durch|super[sc]ee?des|replaces|obsoletes|ersetzt|löst ab)\b:?`)
)

// maxRefs bounds the references of one value.
const maxRefs = 10

// refsIn returns the documents that a value names.
func refsIn(value string) []Ref {
	value = value[:min(len(value), 600)]
	var refs []Ref
	add := func(r Ref) {
		for i := range refs {
			if r.Number != "" && refs[i].Number == r.Number || r.Number == "" && refs[i].Target == r.Target {
				if refs[i].Target == "" {
					refs[i].Target = r.Target
				}
				return
			}
		}
		if len(refs) < maxRefs {
			refs = append(refs, r)
		}
	}
	value = linkRef.ReplaceAllStringFunc(value, func(m string) string {
		g := linkRef.FindStringSubmatch(m)
		number := numberOf(fileName(g[2]))
		if number == "" {
			number = numberIn(g[1])
		}
		add(Ref{Number: number, Target: g[2]})
		return " "
	})
	value = fileRef.ReplaceAllStringFunc(value, func(m string) string {
		add(Ref{Number: numberOf(fileName(m)), Target: m})
		return " "
	})
	for _, m := range labelRef.FindAllStringSubmatch(value, maxRefs) {
		add(Ref{Number: m[1]})
	}
	if len(refs) == 0 {
		for _, m := range hashRef.FindAllStringSubmatch(value, maxRefs) {
			add(Ref{Number: m[1]})
		}
	}
	if m := bareRef.FindStringSubmatch(value); m != nil && len(refs) == 0 {
		add(Ref{Number: m[1]})
	}
	return refs
}

// numberIn is the number that the words of a link name: "ADR-0012", "12. Use X".
func numberIn(words string) string {
	if m := labelRef.FindStringSubmatch(words); m != nil {
		return m[1]
	}
	if m := bareRef.FindStringSubmatch(words); m != nil {
		return m[1]
	}
	return ""
}

// relations reads what a line says of other records: "Superseded by [5. X](0005-x.md)", "Supersedes ADR-0003".
func relations(line string) (older, newer []Ref) {
	if len(line) > 1000 {
		return nil, nil
	}
	spans := supersedes.FindAllStringIndex(line, 4)
	for i, span := range spans {
		end := len(line)
		if i+1 < len(spans) {
			end = spans[i+1][0]
		}
		word := strings.ToLower(line[span[0]:span[1]])
		refs := refsIn(line[span[1]:end])
		if strings.Contains(word, "by") || strings.Contains(word, "durch") {
			newer = append(newer, refs...)
		} else {
			older = append(older, refs...)
		}
	}
	return older, newer
}
