package distil

import "strings"

// verbForm says which forms of a verb a word may be.
type verbForm uint8

const (
	formBase verbForm = 1 << iota
	formThird
	formPast
	formPart
	formIng
)

// verb is what a word means as a verb.
type verb struct {
	lemma string
	form  verbForm
}

// verbs maps the forms of the verbs that the rules know to their base forms.
var verbs = verbTable(
	`live reside stay relocate move settle work join resign graduate study speak play like love enjoy adore dislike hate detest loathe prefer
	own drive use need want plan intend hope call name turn start stop adopt visit watch attend travel cook bake try finish complete
	launch ship release pass reach hit publish achieve decide agree sign close marry divorce retire die promote hire fire realize realise learn
	notice discover happen remember remind forget commit opt pick choose postpone celebrate crash receive order book paint hike fix repair
	return walk exercise smoke drink eat wake sleep wear listen train practice practise volunteer earn weigh employ base raise
	grow owe host organise organize invite interview apply fly renovate rent lease lend borrow inherit enroll enrol register earn switch migrate deploy
	replace drop reject approve accept cancel delay submit deliver open merge avoid collect support follow miss commute sail ski swim climb dance sing
	garden knit code teach mentor manage lead run own found create design invest donate trade consider run change turn lay lose break win buy sell
	get go come see meet have make take give write read begin quit leave know say tell think feel find hear keep hold hurt fall become build send bring
	spend catch draw drive bear understand forget pay set cut put let cost show hand prepare renew update review clean wash water feed test check
	print cancel research schedule arrange confirm contact email mail phone text ask answer reply talk discuss explain help finalise finalize
	draft record measure collect install configure upgrade remove delete add rewrite refactor document translate rehearse pack unpack return replace look expect seem
	mean believe guess suppose imagine wish doubt wonder swear stand promise fear worry admit argue claim suggest mention report post share push bring hang
	save buy plant sew iron vacuum tidy organise shop ride rest relax train stretch meditate pray vote sign register enter compete perform debut tour exhibit arrive depart ignore diagnose offer elect`,
	`go went gone; buy bought; get got gotten; take took taken; make made; see saw seen; give gave given; write wrote written; run ran run; win won;
	begin began begun; teach taught; think thought; feel felt; find found; meet met; lose lost; leave left; come came come; become became become; know knew known;
	grow grew grown; draw drew drawn; drive drove driven; eat ate eaten; fall fell fallen; speak spoke spoken; break broke broken; choose chose chosen;
	sing sang sung; swim swam swum; bring brought; build built; spend spent; send sent; sell sold; tell told; say said; hear heard; keep kept; sleep slept;
	hold held; fly flew flown; wear wore worn; ride rode ridden; catch caught; understand understood; drink drank drunk; forget forgot forgotten; wake woke woken;
	pay paid; lead led; feed fed; mean meant; bear bore born; set set; cut cut; put put; let let; cost cost; hit hit; hurt hurt; quit quit; read read; have had;
	lay laid; show showed shown; stand stood; lend lent; hang hung; swear swore sworn; rewrite rewrote rewritten; sew sewed sewn; learn learned learnt; bake baked`,
	`stop ship plan prefer drop commit admit swim run win get sit cut put let hit quit begin forget shop pack travel cancel enrol set hug chat tidy`)

// verbTable builds the forms: regular ones by rule, irregular past forms from their list, doubled consonants from theirs.
func verbTable(regular, irregular, doubled string) map[string]verb {
	past := map[string][]string{}
	for group := range strings.SplitSeq(irregular, ";") {
		f := strings.Fields(group)
		past[f[0]] = f[1:]
	}
	double := wordSet(doubled)
	double["pack"], double["tidy"] = false, false
	m := map[string]verb{}
	put := func(w, lemma string, f verbForm) {
		v := m[w]
		if v.lemma == "" || v.lemma == lemma {
			m[w] = verb{lemma, v.form | f}
		}
	}
	for lemma := range strings.FieldsSeq(regular) {
		put(lemma, lemma, formBase)
	}
	for lemma := range strings.FieldsSeq(regular) {
		stem := lemma
		if double[lemma] {
			stem += lemma[len(lemma)-1:]
		}
		put(thirdPerson(lemma), lemma, formThird)
		put(gerund(lemma, stem), lemma, formIng)
		if forms := past[lemma]; forms != nil {
			put(forms[0], lemma, formPast)
			put(forms[len(forms)-1], lemma, formPart)
			continue
		}
		for _, ed := range pastForms(lemma, stem) {
			put(ed, lemma, formPast|formPart)
		}
	}
	m["has"] = verb{"have", formThird}
	m["died"], m["dying"] = verb{"die", formPast | formPart}, verb{"die", formIng}
	return m
}

// thirdPerson returns works, goes, tries of work, go, try.
func thirdPerson(lemma string) string {
	n := len(lemma)
	switch {
	case lemma == "have":
		return "has"
	case lemma[n-1] == 'y' && !isVowelByte(lemma[n-2]):
		return lemma[:n-1] + "ies"
	case strings.HasSuffix(lemma, "s"), strings.HasSuffix(lemma, "sh"), strings.HasSuffix(lemma, "ch"), strings.HasSuffix(lemma, "x"), strings.HasSuffix(lemma, "o"), strings.HasSuffix(lemma, "z"):
		return lemma + "es"
	}
	return lemma + "s"
}

func gerund(lemma, stem string) string {
	n := len(lemma)
	if n > 2 && lemma[n-1] == 'e' && lemma[n-2] != 'e' && stem == lemma {
		return lemma[:n-1] + "ing"
	}
	return stem + "ing"
}

func pastForms(lemma, stem string) []string {
	n := len(lemma)
	switch {
	case lemma[n-1] == 'e':
		return []string{lemma + "d"}
	case lemma[n-1] == 'y' && !isVowelByte(lemma[n-2]):
		return []string{lemma[:n-1] + "ied"}
	case lemma == "travel" || lemma == "cancel":
		return []string{lemma + "ed", stem + "ed"}
	}
	return []string{stem + "ed"}
}

func isVowelByte(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// beForms are the forms of "to be".
var beForms = wordSet("am is are was were be been being 'm 're")

// modals make a clause a guess, a wish or a plan.
var modals = wordSet("will 'll would can could may might must should shall wo ca")

// unsure are adverbs that take a clause's truth away.
var unsure = wordSet("almost nearly maybe perhaps probably possibly supposedly apparently allegedly hopefully hardly barely theoretically potentially otherwise")

// adverbs may stand inside a verb group.
var adverbs = wordSet(`just really still also currently now recently finally absolutely actually always usually often already both all totally definitely then
	even only completely truly literally officially certainly simply quite so totally personally mostly mainly originally generally
	normally typically regularly sometimes rarely temporarily permanently immediately suddenly eventually soon today fully successfully initially formerly previously
	presently very much dearly obviously clearly once early kindly ever genuinely long together lately newly proudly happily sadly unfortunately luckily deeply secretly particularly`)

// group is a verb group: the main verb with what its helpers say about it.
type group struct {
	lemma       string
	form        verbForm
	at, next    int // the main verb's token, and the token behind the group
	be          int // the token of the last form of "to be", -1 without
	passive     bool
	past        bool
	perfect     bool
	progressive bool
	future      bool   // will, going to
	modal       string // other than will
	must        bool   // have to, must
	negated     bool   // not
	never       bool
	always      bool // always, usually, every
	ended       bool // no longer
	usedTo      bool
	unsure      bool
}

// current reports whether the group says that something is so now.
func (g *group) current() bool {
	return !g.past && !g.future && g.modal == "" && !g.must && !g.usedTo
}

// told reports whether the group tells what has happened.
func (g *group) told() bool {
	return (g.past || g.perfect) && !g.future && g.modal == "" && !g.must && !g.usedTo
}

// readGroup reads the verb group at token i; false when there is none.
func readGroup(toks []token, i int) (group, bool) {
	g := group{at: -1, be: -1}
	last := ""
	for i < len(toks) {
		w := toks[i].low
		next := ""
		if i+1 < len(toks) {
			next = toks[i+1].low
		}
		switch {
		case w == "not" || w == "n't":
			g.negated = true
		case w == "no" && next == "longer":
			g.ended = true
			i++
		case w == "never":
			g.never = true
		case unsure[w]:
			g.unsure = true
		case w == "always" || w == "usually" || w == "normally" || w == "typically":
			g.always = true
		case adverbs[w] && last != "be" || adverbs[w] && (next != "" && !isLetterless(next)) && w != "all" && w != "both" && w != "very" && w != "once" && w != "long" && w != "early":
		case beForms[w] || w == "'s" && !startsPart(toks, i+1):
			g.be, last = i, "be"
			g.past = g.past || w == "was" || w == "were"
		case w == "'s" || w == "'ve" || (w == "have" || w == "has" || w == "had" || w == "having") && last != "have" && helperHave(toks, i+1):
			last = "have"
			g.past = g.past || w == "had"
			if next == "to" {
				g.must, last = true, "modal"
				i++
			} else if next == "got" && i+2 < len(toks) && toks[i+2].is("to") {
				g.must, last = true, "modal"
				i += 2
			}
		case (w == "do" || w == "does" || w == "did") && last == "" && helperDo(toks, i+1):
			last = "do"
			g.past = g.past || w == "did"
		case w == "gotta":
			g.must, last = true, "modal"
		case (w == "'d" || w == "would") && next == "rather" && last == "":
			g.lemma, g.form, g.at, g.next = "prefer", formBase, i, i+2
			return g, true
		case w == "'d":
			if startsPart(toks, i+1) {
				last, g.past = "have", true
			} else {
				g.modal, last = "would", "modal"
			}
		case modals[w] && last != "be":
			g.setModal(w)
			last = "modal"
		case w == "used" && next == "to" && last != "be":
			g.usedTo, last = true, "modal"
			i++
		case (w == "going" && next == "to" || w == "gonna") && last == "be" && (w == "gonna" || i+2 < len(toks) && isBase(toks[i+2].low)):
			g.future, last = true, "modal"
			if w == "going" {
				i++
			}
		default:
			return g.main(toks, i, last)
		}
		i++
	}
	if last == "be" {
		g.lemma, g.at, g.next = "be", g.be, i
		return g, true
	}
	return g, false
}

func isLetterless(w string) bool { return w == "," || w == "." || w == "!" }

func (g *group) setModal(w string) {
	switch w {
	case "will", "'ll", "wo", "shall":
		g.future = true
	case "must":
		g.must = true
	case "ca":
		g.modal = "can"
	default:
		g.modal = w
	}
}

// main reads the main verb at token i, behind a helper of the kind last.
func (g *group) main(toks []token, i int, last string) (group, bool) {
	v, ok := verbs[toks[i].low]
	g.at, g.next = i, i+1
	switch {
	case last == "be" && ok && v.form&formIng != 0:
		g.lemma, g.form, g.progressive = v.lemma, formIng, true
	case last == "be" && ok && v.form&formPart != 0 && v.form&formBase == 0:
		g.lemma, g.form, g.passive = v.lemma, formPart, true
	case last == "be":
		g.lemma, g.at, g.next = "be", g.be, i
	case last == "have" && ok && v.form&formPart != 0:
		g.lemma, g.form, g.perfect = v.lemma, formPart, true
	case (last == "do" || last == "modal") && ok && v.form&formBase != 0:
		g.lemma, g.form = v.lemma, formBase
	case last == "modal" && toks[i].is("be"):
		g.lemma, g.form, g.be = "be", formBase, i
	case last == "" && ok && v.form&formPast != 0 && v.form&formBase == 0:
		g.lemma, g.form, g.past = v.lemma, formPast, true
	case last == "" && ok && v.form&(formThird|formBase) != 0:
		g.lemma, g.form = v.lemma, v.form&(formThird|formBase)
	default:
		return *g, false
	}
	return *g, true
}

// helperHave reports whether "have" at the token before i helps another verb or means "must".
func helperHave(toks []token, i int) bool {
	for ; i < len(toks); i++ {
		w := toks[i].low
		if w == "not" || w == "n't" || w == "never" || adverbs[w] || w == "no" && i+1 < len(toks) && toks[i+1].is("longer") {
			continue
		}
		return w == "to" || w == "been" || w == "got" && i+1 < len(toks) && (toks[i+1].is("to") || verbs["got"].form&formPart != 0) || verbs[w].form&formPart != 0 && verbs[w].form&formBase == 0
	}
	return false
}

func helperDo(toks []token, i int) bool {
	for ; i < len(toks); i++ {
		w := toks[i].low
		if w == "not" || w == "n't" || adverbs[w] {
			continue
		}
		return isBase(w)
	}
	return false
}

func isBase(w string) bool { return w == "be" || verbs[w].form&formBase != 0 }

// startsPart reports whether a past participle (or "been", "got") follows, perhaps behind an adverb: "'s" and "'d" then stand for "has" and "had".
func startsPart(toks []token, i int) bool {
	for ; i < len(toks); i++ {
		w := toks[i].low
		if adverbs[w] || w == "never" || w == "not" {
			continue
		}
		return w == "been" || w == "got" || w == "had" || w == "decided" || w == "moved" || w == "started" || w == "lived" || w == "worked" || w == "joined"
	}
	return false
}
