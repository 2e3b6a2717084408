package learn

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/reader"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// readerVersion names the reader as the extractor of a memory.
const readerVersion = "reader-1"

// maxRead is how many bytes of a message the reader reads. A longer message is mostly pasted text.
const maxRead = 4 << 10

// reading is the result of one pass of the reader over a text that was said.
type reading struct {
	body      string // the text in its writer's own words; its length and the places in it are those of the text
	sentences []reader.Sentence
	names     []reader.Name
	levels    reader.Levels
}

// readSaid passes a text to the reader. It returns nil where there is no reader, for a part of a long document, of which only what the rules are
// sure of is drawn, and where the reader fails, which is logged.
func (p *Path) readSaid(ctx context.Context, sc lukasa.Scope, t Text, long bool) *reading {
	if p.Reader == nil || long {
		return nil
	}
	r := &reading{body: p.ownWords(sc, t.Body)}
	if t.Message != "" && len(r.body) > maxRead {
		r.body = strings.ToValidUTF8(r.body[:maxRead], "")
	}
	var err, errLevels error
	r.sentences, r.names, err = p.Reader.Read(t.Speaker, r.body)
	r.levels, errLevels = p.Reader.Levels()
	if err = cmp.Or(err, errLevels); err != nil {
		p.Log.WarnContext(ctx, "read a text", "document", t.Document, "message", t.Message, "err", err)
		return nil
	}
	return r
}

// mostlyLatin reports whether at least half of the letters of a text are Latin.
func mostlyLatin(s string) bool {
	latin, all := 0, 0
	for _, c := range s {
		if unicode.IsLetter(c) {
			if all++; unicode.Is(unicode.Latin, c) {
				latin++
			}
		}
	}
	return 2*latin >= all
}

// ownWords blanks the parts of a text that its writer did not write: pasted briefs of ours, code and machine output. Places stay.
func (p *Path) ownWords(sc lukasa.Scope, body string) string {
	if p.Marked != nil {
		b := []byte(body)
		for _, span := range p.Marked(sc.Owner, body) {
			for i := span.Start; i < span.End; i++ {
				if b[i] != '\n' {
					b[i] = ' '
				}
			}
		}
		body = string(b)
	}
	return text.BlankNoise(body)
}

// statementsIn returns the statements of a text, sentence by sentence. A sentence that is worth keeping becomes a memory, and one that may
// be becomes a candidate. What the rules drew from the sentence is taken where it has all that the sentence says; else the sentence
// is quoted in its speaker's own words.
func (r *reading) statementsIn(t Text, drawn []rules.Statement) []rules.Statement {
	threat, _ := lexis.Suspicious(t.Body)
	threat = threat && untrusted(t.Origin)
	var out []rules.Statement
	for _, s := range r.sentences {
		if orders, _ := lexis.Suspicious(r.body[s.Start:s.End]); orders {
			continue
		}
		var own []rules.Statement
		for _, st := range drawn {
			if middle := (st.Start+st.End)/2 - t.Base; middle >= s.Start && middle < s.End {
				own = append(own, st)
			}
		}
		sure := s.Confidence
		switch {
		case slices.ContainsFunc(own, promised):
			sure = max(sure, r.levels.Keep, promisedConfidence)
		case sure >= r.levels.Candidate && slices.ContainsFunc(own, canonical): // both agree
			sure = max(sure, r.levels.Keep)
		}
		if sure < r.levels.Candidate {
			continue
		}
		if !sayAll(own, r.withoutDates(own, s)) {
			own = r.quote(t, s, own)
		}
		for _, st := range own {
			st.Confidence = sure * merge.Trust(t.Origin)
			st.Candidate, st.Quarantined = sure < r.levels.Keep, threat
			out = append(out, st)
		}
	}
	return out
}

// promisedConfidence is that of a statement that is promised to be kept, at least.
const promisedConfidence = 0.8

// promised reports whether a statement is kept whatever the reader says of it: its text asks to remember it, or it is a defining moment by
// one of the patterns that docs/dialogue.md lists.
func promised(st rules.Statement) bool {
	return st.Requested || st.Defining && st.Confidence >= promisedConfidence
}

// canonical reports whether a statement has a predicate that the rules hardly ever get wrong: lives_in, works_at, birthday and the like.
func canonical(st rules.Statement) bool { return lexis.Canonical[st.Predicate] }

// withoutDates is a sentence without the dates that statements have in fields of their own.
func (r *reading) withoutDates(list []rules.Statement, s reader.Sentence) string {
	b := []byte(r.body[s.Start:s.End])
	for _, st := range list {
		for _, d := range []*lexis.Moment{st.When, st.Until} {
			if d == nil || st.ValidFrom.IsZero() && st.ValidTo.IsZero() && st.OccurredAt.IsZero() {
				continue
			}
			for i := max(d.Start, s.Start); i < min(d.End, s.End); i++ {
				b[i-s.Start] = ' '
			}
		}
	}
	return string(b)
}

// sayAll reports whether statements hold, together, each number and nearly all words with a meaning of a sentence. Words are compared by
// their beginning, as a statement has other forms of them. A canonical statement has its own verb: "I moved to Lyon", "Ana lives in Lyon".
func sayAll(list []rules.Statement, sentence string) bool {
	if len(list) == 0 {
		return false
	}
	held := map[string]bool{}
	for _, st := range list {
		if strings.Contains(st.Content, " says: ") {
			return false
		}
		for w := range wordsOf(st.Content) {
			held[beginning(w)] = true
		}
	}
	ownVerb := slices.ContainsFunc(list, func(st rules.Statement) bool { return canonical(st) || st.Kind == lukasa.KindPreference })
	words, missing := 0, 0
	for w := range wordsOf(sentence) {
		if filling[w] || lexis.Stops[w] || ownVerb && lexis.Verbs[w].Known() {
			continue
		}
		if words++; !held[beginning(w)] {
			if missing++; strings.ContainsAny(w, "0123456789") {
				return false
			}
		}
	}
	return missing*5 <= words
}

// wordsOf yields the words of a text in small letters, without the signs around them.
func wordsOf(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("/–—…", c) }) {
			w = strings.TrimFunc(w, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
			if w != "" && !yield(strings.ReplaceAll(w, "’", "'")) {
				return
			}
		}
	}
}

// beginning is what two forms of a word have in common, as a rule.
func beginning(word string) string {
	const letters = 4
	for i := range word {
		if utf8.RuneCountInString(word[:i]) == letters {
			return word[:i]
		}
	}
	return word
}

// memoryKinds are the kinds of memories that the reader's kinds of statements make.
var memoryKinds = map[reader.Kind]lukasa.MemoryKind{
	reader.Fact: lukasa.KindFact, reader.Preference: lukasa.KindPreference, reader.Task: lukasa.KindTask,
	reader.Episode: lukasa.KindEpisode, reader.Decision: lukasa.KindDecision,
}

// quote returns a sentence in its speaker's own words, with the day: Nadia, 29 January 2026: "I'm left-handed." Where the rules drew one
// statement from it, the quote has its subject, slot and dates. The list is empty where the sentence has fewer than two words.
func (r *reading) quote(t Text, s reader.Sentence, drawn []rules.Statement) []rules.Statement {
	words := strings.TrimLeft(r.body[s.Start:s.End], " \t\r\n-*•>")
	start := s.End - len(words)
	words = strings.TrimRight(words, " \t\r\n;-–—")
	if len(strings.Fields(words)) < 2 {
		return nil
	}
	st := rules.Statement{Kind: memoryKinds[s.Kind], Subject: "user", Tags: []string{}}
	speaker := "The user"
	if name := strings.TrimSpace(t.Speaker); name != "" && !strings.EqualFold(name, "user") {
		speaker, st.Subject = name, name
	}
	if len(drawn) == 1 {
		st = drawn[0]
	} else {
		st.OccurredAt = dateOf(s.Kind, words, t.At)
	}
	st.Start, st.End, st.Extractor = t.Base+start, t.Base+start+len(words), readerVersion
	st.Content = speaker + ", " + t.At.Format("2 January 2006") + `: "` + oneLine(words) + `"`
	st.Defining = st.Kind.Defining()
	for _, n := range r.names {
		if name := r.body[n.Start:n.End]; n.Start >= s.Start && n.End <= s.End && !slices.Contains(st.Entities, name) {
			st.Entities = append(st.Entities, name)
		}
	}
	return []rules.Statement{st}
}

// oneLine returns words without line ends and double quotes, so that they can stand between quotes.
func oneLine(words string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(words), " "), `"`, "'")
}

// dateOf is the first date that a sentence about something that happened, or is to be done, names: what happened lies behind, and what is
// to be done lies ahead. Other kinds have none.
func dateOf(kind reader.Kind, words string, at time.Time) time.Time {
	lean := 0
	switch kind {
	case reader.Task:
		lean = 1
	case reader.Episode, reader.Decision:
		lean = -1
	default:
		return time.Time{}
	}
	for _, d := range lexis.FindDates(lexis.Lex(nil, words, 0, len(words)), at, lean) {
		return d.From
	}
	return time.Time{}
}

// entityTypes are the types of entities of the names that the reader tells well apart.
var entityTypes = map[string]lexis.EntityType{
	"person": lexis.EntityPerson, "place": lexis.EntityPlace, "organisation": lexis.EntityOrganisation,
}

// entitiesIn corrects the types of the names that the rules found by the names of the reader, and adds the people that only the reader
// found. A name that only the rules take for a person is of no known type, but for the speaker.
func (r *reading) entitiesIn(t Text, found []lexis.Entity) []lexis.Entity {
	out := slices.Clone(found)
	for i := range out {
		e := &out[i]
		kind, known := r.typeOf(e.Name)
		switch {
		case known:
			e.Type = kind
		case e.Type == lexis.EntityPerson && !strings.EqualFold(e.Name, t.Speaker):
			e.Type = lexis.EntityOther
		}
	}
	for _, n := range r.names {
		name := r.body[n.Start:n.End]
		has := func(e lexis.Entity) bool { return strings.EqualFold(e.Name, name) }
		if n.Kind == "person" && !slices.ContainsFunc(out, has) {
			out = append(out, lexis.Entity{Name: name, Type: lexis.EntityPerson, Count: 1, Start: t.Base + n.Start, End: t.Base + n.End})
		}
	}
	return out
}

// typeOf returns the type of a name of the rules by the surest name of the reader that is the same, holds it, or is held by it.
func (r *reading) typeOf(name string) (kind lexis.EntityType, known bool) {
	best := 0.0
	for _, n := range r.names {
		read := r.body[n.Start:n.End]
		if entityTypes[n.Kind] == "" || n.Confidence <= best || !holdsWords(read, name) && !holdsWords(name, read) {
			continue
		}
		kind, known, best = entityTypes[n.Kind], true, n.Confidence
	}
	return kind, known
}

// holdsWords reports whether all words of part follow one another in s, ignoring case.
func holdsWords(s, part string) bool {
	return strings.Contains(" "+strings.ToLower(s)+" ", " "+strings.ToLower(part)+" ")
}

// typedByList keeps the people of a text that was read by their given names alone: nothing else about such a text tells people from
// headings.
func typedByList(found []lexis.Entity) []lexis.Entity {
	out := slices.Clone(found)
	for i := range out {
		first, _, _ := strings.Cut(strings.ToLower(out[i].Name), " ")
		if out[i].Type == lexis.EntityPerson && !lexis.GivenNames[first] && !lexis.Titles[strings.TrimSuffix(first, ".")] {
			out[i].Type = lexis.EntityOther
		}
	}
	return out
}
