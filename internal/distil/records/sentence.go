package records

import (
	"regexp"
	"strings"
)

var (
	choice  = regexp.MustCompile(`(?i)^[*_\s]*(?:the )?(?:chosen|selected|preferred|gewählte|ausgewählte) (?:option|alternative|solution|lösung|variante)s?[*_\s]*(?:is|ist)?[*_\s]*:?[*_\s]*`)
	yForm   = regexp.MustCompile(`(?i)\bin (?:the )?context of\b`)
	yChoice = regexp.MustCompile(`(?i)\b(?:we (?:have )?(?:decided|chose|choose)|decided (?:for|to)|entschieden wir)\b`)
	yEnd    = regexp.MustCompile(`(?i)\b(?:to achieve|accepting|neglect)`)
	// strongCue is a phrase that takes a decision; setting opens a sentence that only leads to one.
	strongCue = regexp.MustCompile(`(?i)\b(?:we(?:'ll|’ll| will| shall| have decided| decided| chose| choose| have chosen| are going| adopt| have agreed| agreed)|decided (?:to|that|for|on)|` +
		`it was decided|(?:is|are|was|were|been) (?:chosen|selected)|going with|wir (?:werden|haben|verwenden|nutzen|setzen|verschicken))\b`)
	// subjectFirst opens a sentence that is no order; anyCue shows that it rules something all the same.
	subjectFirst = regexp.MustCompile(`^(?:The|A|An|Our|In|With|At|Devs|Each|Every|All|Most|Both) `)
	anyCue       = regexp.MustCompile(`(?i)\b(?:will|shall|must|should|may|can|decid\w*|cho(?:se|sen|ice)|uses?|used|using|adopts?|(?:is|are) (?:to|made|stored|kept|written|sent|merged|read|based|rendered|split|moved|hosted)|accept|continue|replace\w*)\b`)
	proposing    = regexp.MustCompile(`(?i)\b(?:we|will|shall|must|should|would|propos\w+|recommend\w*|is (?:switched|moved|removed|replaced|dropped|retired)|are (?:moved|removed|replaced|dropped))\b`)
	setting      = regexp.MustCompile(`(?i)^(?:considering|given|after|based on|as |since |because|there (?:are|is|were)|we (?:considered|discussed|looked|evaluated|compared|need|have looked|could|had)|having|` +
		`it |this |these |the following|several|two|three|see |in order|while|although|currently|today|for |note)`)
)

// decide finds the sentence of a decision in the lines [lo, hi) of its section.
func (r *reader) decide(lo, hi int) sentence {
	blocks := r.blocks(lo, hi, 14)
	for i, b := range blocks {
		if i > 5 {
			break
		}
		w := r.joined(b)
		if m := choice.FindString(w); m != "" && m != w {
			return asChoice(r.sentenceOf(b.start+len(m), b.end))
		}
		if s := r.yIn(b); s.words != "" {
			return s
		}
	}
	for i, b := range blocks {
		if isPlaceholder(plain(r.joined(b))) {
			continue
		}
		if b.isItem {
			return r.joinItems(sentence{}, blocks[i:])
		}
		return r.firstSaying(blocks[i:])
	}
	return sentence{}
}

var (
	bareReason = regexp.MustCompile(`(?i)[,.]?\s*(?:because(?: of)?|for (?:the )?following reasons|since|as|due to|da|weil)\s*[:.…]*$`)
	seeBelow   = regexp.MustCompile(`(?i)\s*\(see (?:below|above)[^()]*\)`)
	unquoted   = regexp.MustCompile(`^(.{2,80}?)((?:,? because | - because |, as |, since |, da |, weil ).*|[.]?)$`)
)

// asChoice tidies the words behind "Chosen option:": the option stands in quotation marks, and a reason that only
// follows in a list is left out.
func asChoice(s sentence) sentence {
	s.isChoice = true
	s.words = bareReason.ReplaceAllString(seeBelow.ReplaceAllString(s.words, ""), "")
	if m := unquoted.FindStringSubmatch(s.words); m != nil && strings.IndexAny(s.words, "\"'“„‘«") != 0 && !strings.Contains(m[1], `"`) {
		s.words = quote(strings.Trim(m[1], "' ")) + m[2]
	}
	return s
}

// firstSaying takes the first sentence of the paragraph that begins blocks; where that one only leads to the
// decision, the first sentence that takes it. A sentence that ends with a colon takes the items below it along.
func (r *reader) firstSaying(blocks []block) sentence {
	b := blocks[0]
	spans := r.sentencesOf(b, 8)
	if len(spans) == 0 {
		return sentence{}
	}
	pick := 0
	first := plain(strings.ReplaceAll(spans[0].Of(r.s), "\n", " "))
	isSetting := setting.MatchString(first)
	if !strongCue.MatchString(first) && (isSetting || strings.HasSuffix(first, "?") || len(strings.Fields(first)) < 3 || subjectFirst.MatchString(first) && !anyCue.MatchString(first)) {
		for i, span := range spans[1:] {
			if strongCue.MatchString(span.Of(r.s)) {
				pick = i + 1
				break
			}
		}
		if pick == 0 {
			if s, ok := r.sayingBelow(blocks[1:]); ok {
				return s
			}
			if isSetting && strings.HasSuffix(first, ":") && len(spans) == 1 {
				return sentence{} // what follows are options
			}
		}
	}
	s := sentence{start: spans[pick].Start, at: spans[pick].End}
	s.words = plain(strings.ReplaceAll(spans[pick].Of(r.s), "\n", " "))
	if strings.HasSuffix(s.words, ":") && pick == len(spans)-1 && len(blocks) > 1 && blocks[1].isItem {
		return r.joinItems(s, blocks[1:])
	}
	s.words = clip(withoutReason(s.words), maxSentence)
	return s
}

// withoutReason cuts off "because:" whose reason only follows in a list.
func withoutReason(w string) string {
	if strings.HasSuffix(w, "because") || strings.HasSuffix(w, "because:") || strings.HasSuffix(w, "because.") {
		return strings.TrimRight(w[:strings.LastIndex(w, "because")], " ,-")
	}
	return w
}

// sayingBelow finds a sentence that takes a decision in the paragraphs of the next blocks.
func (r *reader) sayingBelow(blocks []block) (sentence, bool) {
	for i, b := range blocks {
		if i == 6 {
			break
		}
		if b.isItem {
			continue
		}
		for _, span := range r.sentencesOf(b, 4) {
			if !strongCue.MatchString(span.Of(r.s)) {
				continue
			}
			s := r.sentenceOf(span.Start, span.End)
			if strings.HasSuffix(s.words, ":") && i+1 < len(blocks) && blocks[i+1].isItem {
				s = r.joinItems(s, blocks[i+1:])
			}
			return s, true
		}
	}
	return sentence{}, false
}

// maxItems is how many items of a list are taken into one sentence.
const maxItems = 3

// joinItems puts the first items of a list behind what leads to them.
func (r *reader) joinItems(lead sentence, blocks []block) sentence {
	s := sentence{start: lead.start, at: lead.at}
	if lead.words == "" {
		s.start = blocks[0].start
	}
	var parts []string
	for _, b := range blocks {
		if !b.isItem || len(parts) == maxItems {
			break
		}
		if b.indent > blocks[0].indent {
			continue
		}
		for _, span := range r.sentencesOf(b, 1) {
			if w := noStop(plain(strings.ReplaceAll(span.Of(r.s), "\n", " "))); w != "" && !isPlaceholder(w) {
				parts = append(parts, clip(w, maxLine))
				s.at = span.End
			}
		}
	}
	s.words = strings.Join(parts, "; ")
	if lead.words != "" {
		s.words = strings.TrimSpace(lead.words + " " + s.words)
	}
	s.words = clip(s.words, maxSentence)
	return s
}

// sentenceOf is the first sentence of the bytes [start, end).
func (r *reader) sentenceOf(start, end int) sentence {
	for start < end && (r.s[start] == ' ' || r.s[start] == '*' || r.s[start] == '_') {
		start++
	}
	if start >= end {
		return sentence{}
	}
	spans := r.sentencesOf(block{start: start, end: end}, 1)
	if len(spans) == 0 {
		return sentence{}
	}
	w := clip(plain(strings.ReplaceAll(spans[0].Of(r.s), "\n", " ")), maxSentence)
	if isPlaceholder(w) {
		return sentence{}
	}
	return sentence{words: w, start: spans[0].Start, at: spans[0].End}
}

// paragraphEnd is the end of the paragraph that holds the byte at: before a blank line, a heading, an item or another
// field.
func (r *reader) paragraphEnd(at int) int {
	lo, hi := 0, len(r.lines)
	for lo < hi {
		if mid := (lo + hi) / 2; r.lines[mid].end < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	end := at
	for i := lo; i < len(r.lines) && i < lo+20; i++ {
		if i > lo {
			if r.lines[i].kind != lineText {
				break
			}
			if _, ok := r.fieldAt(i); ok {
				break
			}
		}
		end = max(end, r.lines[i].end)
	}
	return end
}

// yStatement finds a statement of the form "In the context of …, facing …, we decided for … and against …, to achieve
// …, accepting …" (Zdun and others, "Sustainable Architectural Design Decisions", IEEE Software 2013).
func (r *reader) yStatement(lo, hi int) sentence {
	for _, b := range r.blocks(lo, hi, 40) {
		if s := r.yIn(b); s.words != "" {
			return s
		}
	}
	return sentence{}
}

func (r *reader) yIn(b block) sentence {
	w := r.joined(b)
	context := yForm.FindStringIndex(w[:min(len(w), 400)])
	if context == nil {
		return sentence{}
	}
	at := yChoice.FindStringIndex(w)
	end := yEnd.FindStringIndex(w)
	if at == nil || end == nil || end[0] < at[0] || at[0] < context[0] {
		return sentence{}
	}
	s := r.sentenceOf(b.start+at[0], b.end)
	s.isY = true
	return s
}
