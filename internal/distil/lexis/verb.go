package lexis

import "strings"

// Form says which forms of a verb a word may be.
type Form uint8

// The forms, as bits: "put" is Base, Past and the participle.
const (
	Base Form = 1 << iota
	Third
	Past
	Participle
	Gerund
)

// Verb is what a word means as a verb.
type Verb struct {
	Lemma string
	Form  Form
}

// Known reports whether the word is a verb that the tables know.
func (v Verb) Known() bool { return v.Lemma != "" }

// Verbs maps the forms of the verbs that the rules know to their base forms.
var Verbs = verbTable(
	`live reside stay relocate move settle work join resign graduate study speak play like love enjoy adore dislike hate detest loathe prefer own drive use
		need want plan intend hope call name turn start stop adopt visit watch attend travel cook bake try finish complete launch ship release pass reach hit
		publish achieve decide agree sign close marry divorce retire die promote hire fire realize realise learn notice discover happen remember remind forget
		commit opt pick choose postpone celebrate crash receive order book paint hike fix repair return walk exercise smoke drink eat wake sleep wear listen
		train practice practise volunteer earn weigh employ base raise grow owe host organise organize invite interview apply fly renovate rent lease lend
		borrow inherit enroll enrol register earn switch migrate deploy replace drop reject approve accept cancel delay submit deliver open merge avoid collect
		support follow miss commute sail ski swim climb dance sing garden knit do code teach mentor manage lead run own found create design invest donate trade
		consider run change turn lay lose break win buy sell get go come see meet have make take give write read begin quit leave know say tell think feel find
		hear keep hold hurt fall become build send bring spend catch draw drive bear understand forget pay set cut put let cost show hand prepare renew update
		review clean wash water feed test check print cancel research schedule arrange confirm contact email mail phone text ask answer reply talk discuss
		explain help finalise finalize draft record measure collect install configure upgrade remove delete add rewrite refactor document translate rehearse
		pack unpack return replace look expect seem mean believe guess suppose imagine wish doubt wonder swear stand promise fear worry admit argue claim
		suggest mention report post share push bring hang save buy plant sew iron vacuum tidy organise shop ride rest relax train stretch meditate pray vote
		sign register enter compete perform debut tour exhibit cycle store rain skate surf jog carry slip arrive depart ignore diagnose offer elect propose swap
		downgrade rescue admire appreciate arrest assemble assign assist bark bathe battle behave belong blow boil bother bounce breathe brush bump burn calm
		camp chase chat chew clap collapse combine comfort compare complain concentrate convince cough crawl cry cure dare decorate delight deny depend describe
		deserve destroy develop differ dig direct disagree disappear dive embarrass enable encourage evaluate examine exist expand explore fail fetch flood
		freeze frighten gain gather greet grill groom guarantee hide hunt hurry identify impress improve include increase injure insist instruct introduce
		involve irritate juggle kill knock laugh lick maintain marinate melt mop negotiate nominate notify observe obtain occur offend operate peel permit
		persuade pinch pour predict pretend prevent produce protect prove provide pull qualify react recognise recognize recover reduce refuse regret relate
		rely remain repeat reserve resolve respond restart restore reveal revise rewatch roast rob ruin satisfy scare scratch separate shave shine shout shrink
		shut sink skate skip sneeze solve spill spoil sprain squeeze steer stir struggle succeed suffer surprise surround survive suspect tackle telephone thank
		transfer transform treat undergo unite unload download urge vanish wait wander warn weep weld whisper wipe restructure outgrow outsource onboard rename
		retrain rotate rebuild retake snap moderate streamline ghost co-found cofound foster babysit refinance downsize freelance moonlight procrastinate binge
		unsubscribe subscribe evict sublet elope reconcile emigrate immigrate land touch flood leak explode steal shake stick split`,
	`do did done; go went gone; buy bought; get got gotten; take took taken; make made; see saw seen; give gave given; write wrote written; run ran run; win
		won; begin began begun; teach taught; think thought; feel felt; find found; meet met; lose lost; leave left; come came come; become became become; know
		knew known; grow grew grown; draw drew drawn; drive drove driven; eat ate eaten; fall fell fallen; speak spoke spoken; break broke broken; choose chose
		chosen; sing sang sung; swim swam swum; bring brought; build built; spend spent; send sent; sell sold; tell told; say said; hear heard; keep kept; sleep
		slept; hold held; fly flew flown; wear wore worn; ride rode ridden; catch caught; understand understood; drink drank drunk; forget forgot forgotten;
		wake woke woken; pay paid; lead led; feed fed; mean meant; bear bore born; set set; cut cut; put put; let let; cost cost; hit hit; hurt hurt; quit quit;
		read read; have had; lay laid; show showed shown; stand stood; lend lent; hang hung; swear swore sworn; rewrite rewrote rewritten; sew sewed sewn; learn
		learned learnt; bake baked; steal stole stolen; shake shook shaken; stick stuck; split split; undergo underwent undergone; blow blew blown; burn burnt;
		dig dug; freeze froze frozen; hide hid hidden; shut shut; sink sank sunk; weep wept; strike struck; dive dove dived; rebuild rebuilt; retake retook
		retaken; outgrow outgrew outgrown; sublet sublet; shrink shrank shrunk; spill spilled spilt; shine shone; bet bet; deal dealt`,
	`stop ship plan prefer drop commit admit swim run win get sit cut put let hit quit begin slip forget shop pack travel cancel enrol set hug chat tidy rip
		rob swap trap zip shut regret permit occur refer dig split stir wrap chop drag drop grab hop jog knit map mop nod pat pin plug rub scan slap snap spot
		trim wet whip`)

// verbTable builds the forms: regular ones by rule, irregular past forms from their list, doubled consonants from theirs.
func verbTable(regular, irregular, doubled string) map[string]Verb {
	past := map[string][]string{}
	for group := range strings.SplitSeq(irregular, ";") {
		f := strings.Fields(group)
		past[f[0]] = f[1:]
	}
	double := Words(doubled)
	double["pack"], double["tidy"] = false, false
	m := map[string]Verb{}
	put := func(w, lemma string, f Form) {
		v := m[w]
		if v.Lemma == "" || v.Lemma == lemma {
			m[w] = Verb{lemma, v.Form | f}
		}
	}
	for lemma := range strings.FieldsSeq(regular) {
		put(lemma, lemma, Base)
	}
	for lemma := range strings.FieldsSeq(regular) {
		stem := lemma
		if double[lemma] {
			stem += lemma[len(lemma)-1:]
		}
		put(ThirdPerson(lemma), lemma, Third)
		put(gerund(lemma, stem), lemma, Gerund)
		if forms := past[lemma]; forms != nil {
			put(forms[0], lemma, Past)
			put(forms[len(forms)-1], lemma, Participle)
			continue
		}
		for _, ed := range pastForms(lemma, stem) {
			put(ed, lemma, Past|Participle)
		}
	}
	m["has"] = Verb{"have", Third}
	m["died"], m["dying"] = Verb{"die", Past | Participle}, Verb{"die", Gerund}
	return m
}

// ThirdPerson returns works, goes, tries of work, go, try.
func ThirdPerson(lemma string) string {
	n := len(lemma)
	switch {
	case lemma == "have":
		return "has"
	case lemma[n-1] == 'y' && !IsVowel(lemma[n-2]):
		return lemma[:n-1] + "ies"
	case strings.HasSuffix(lemma, "s"), strings.HasSuffix(lemma, "sh"), strings.HasSuffix(lemma, "ch"), strings.HasSuffix(lemma, "x"),
		strings.HasSuffix(lemma, "o"), strings.HasSuffix(lemma, "z"):
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
	case lemma[n-1] == 'y' && !IsVowel(lemma[n-2]):
		return []string{lemma[:n-1] + "ied"}
	case lemma == "travel" || lemma == "cancel":
		return []string{lemma + "ed", stem + "ed"}
	}
	return []string{stem + "ed"}
}

// IsVowel reports whether c is a, e, i, o or u.
func IsVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// BeForms are the forms of "to be".
var BeForms = Words("am is are was were be been being 'm 're")

// Modals make a clause a guess, a wish or a plan.
var Modals = Words("will 'll would can could may might must should shall wo ca")

// unsure are adverbs that take a clause's truth away.
var unsure = Words(`almost nearly maybe perhaps probably possibly supposedly apparently allegedly hopefully hardly barely theoretically
	potentially otherwise`)

// Adverbs may stand inside a verb group.
var Adverbs = Words(`just really still also currently now recently finally absolutely actually always usually often already both all totally
	definitely then
	even only completely truly literally officially certainly simply quite so totally personally mostly mainly originally generally
	normally typically regularly sometimes rarely temporarily permanently immediately suddenly eventually soon today fully successfully initially
	formerly previously
	presently very much dearly obviously clearly once early kindly ever genuinely long together lately newly proudly happily sadly unfortunately
	luckily deeply secretly particularly`)

// Group is a verb group: the main verb with what its helpers say about it.
type Group struct {
	Lemma       string
	Form        Form
	At, Next    int // the main verb's token, and the token behind the group
	Be          int // the token of the last form of "to be", -1 without
	Passive     bool
	Past        bool
	Perfect     bool
	Progressive bool
	Future      bool   // will, going to
	Modal       string // other than will
	Must        bool   // have to, must
	Negated     bool   // not
	Never       bool
	Always      bool // always, usually, every
	Ended       bool // no longer
	UsedTo      bool
	Unsure      bool
}

// Current reports whether the group says that something is so now.
func (g *Group) Current() bool {
	return !g.Past && !g.Future && g.Modal == "" && !g.Must && !g.UsedTo
}

// Told reports whether the group tells what has happened.
func (g *Group) Told() bool {
	return (g.Past || g.Perfect) && !g.Future && g.Modal == "" && !g.Must && !g.UsedTo
}

// ReadGroup reads the verb group at token i; false when there is none.
func ReadGroup(toks []Token, i int) (Group, bool) {
	g := Group{At: -1, Be: -1}
	last := ""
	for i < len(toks) {
		w := toks[i].Low
		next := ""
		if i+1 < len(toks) {
			next = toks[i+1].Low
		}
		switch {
		case w == "not" || w == "n't":
			g.Negated = true
		case w == "no" && next == "longer":
			g.Ended = true
			i++
		case w == "never":
			g.Never = true
		case unsure[w]:
			g.Unsure = true
		case w == "always" || w == "usually" || w == "normally" || w == "typically":
			g.Always = true
		case Adverbs[w] && last != "be" || Adverbs[w] && (next != "" && !isLetterless(next)) && w != "all" && w != "both" && w != "very" &&
			w != "once" &&
			w != "long" && w != "early":
		case BeForms[w] || w == "'s" && !StartsParticiple(toks, i+1):
			g.Perfect = g.Perfect || w == "been" && last == "have"
			g.Be, last = i, "be"
			g.Past = g.Past || w == "was" || w == "were"
		case w == "'ve" && (numberWords[next] > 0 || next == "a" || next == "no"):
			g.Lemma, g.Form, g.At, g.Next = "have", Base, i, i+1
			return g, true
		case w == "'s" || w == "'ve" || (w == "have" || w == "has" || w == "had" || w == "having") && last != "have" && helperHave(toks, i+1):
			last = "have"
			g.Past = g.Past || w == "had"
			if next == "to" {
				g.Must, last = true, "modal"
				i++
			} else if next == "got" && i+2 < len(toks) && toks[i+2].Is("to") {
				g.Must, last = true, "modal"
				i += 2
			} else if next == "got" && i+2 < len(toks) && (determiners[toks[i+2].Low] || toks[i+2].Kind == Number || numberWords[toks[i+2].Low] > 0) {
				g.Lemma, g.Form, g.At, g.Next = "have", Base, i+1, i+2
				return g, true
			}
		case (w == "do" || w == "does" || w == "did") && last == "" && helperDo(toks, i+1):
			last = "do"
			g.Past = g.Past || w == "did"
		case w == "gotta":
			g.Must, last = true, "modal"
		case (w == "'d" || w == "would") && next == "rather" && last == "":
			g.Lemma, g.Form, g.At, g.Next = "prefer", Base, i, i+2
			return g, true
		case w == "'d":
			if StartsParticiple(toks, i+1) || i+1 < len(toks) && (strongPast[toks[i+1].Low] || Verbs[toks[i+1].Low].Form == Participle) {
				last, g.Past = "have", true
			} else {
				g.Modal, last = "would", "modal"
			}
		case Modals[w] && last != "be":
			g.setModal(w)
			last = "modal"
		case w == "used" && next == "to" && last != "be":
			g.UsedTo, last = true, "modal"
			i++
		case (w == "going" && next == "to" || w == "gonna") && last == "be" && (w == "gonna" || i+2 < len(toks) && IsBase(toks[i+2].Low)):
			g.Future, last = true, "modal"
			if w == "going" {
				i++
			}
		default:
			return g.main(toks, i, last)
		}
		i++
	}
	if last == "be" {
		g.Lemma, g.At, g.Next = "be", g.Be, i
		return g, true
	}
	return g, false
}

// holdsNoun reports whether what one has, and not what one became, stands at token i.
func holdsNoun(toks []Token, i int) bool {
	if i >= len(toks) || toks[i].Kind == Number || determiners[toks[i].Low] || numberWords[toks[i].Low] > 0 {
		return i < len(toks)
	}
	return Ailments[toks[i].Low]
}

func isLetterless(w string) bool { return w == "," || w == "." || w == "!" }

func (g *Group) setModal(w string) {
	switch w {
	case "will", "'ll", "wo", "shall":
		g.Future = true
	case "must":
		g.Must = true
	case "ca":
		g.Modal = "can"
	default:
		g.Modal = w
	}
}

// main reads the main verb at token i, behind a helper of the kind last.
func (g *Group) main(toks []Token, i int, last string) (Group, bool) {
	v, ok := Verbs[toks[i].Low]
	g.At, g.Next = i, i+1
	switch {
	case last == "be" && ok && v.Form&Gerund != 0:
		g.Lemma, g.Form, g.Progressive = v.Lemma, Gerund, true
	case last == "be" && ok && v.Form&Participle != 0 && v.Form&Base == 0:
		g.Lemma, g.Form, g.Passive = v.Lemma, Participle, true
	case last == "be":
		g.Lemma, g.At, g.Next = "be", g.Be, i
	case last == "have" && toks[i].Is("got") && holdsNoun(toks, i+1):
		g.Lemma, g.Form = "have", Base // "have already got two cats", "have got asthma"
	case last == "have" && ok && v.Form&Participle != 0:
		g.Lemma, g.Form, g.Perfect = v.Lemma, Participle, true
	case (last == "do" || last == "modal") && ok && v.Form&Base != 0:
		g.Lemma, g.Form = v.Lemma, Base
	case last == "modal" && toks[i].Is("be"):
		g.Lemma, g.Form, g.Be = "be", Base, i
	case last == "" && ok && v.Form&Past != 0 && v.Form&Base == 0:
		g.Lemma, g.Form, g.Past = v.Lemma, Past, true
	case last == "" && !ok && LooksPast(toks[i]):
		g.Lemma, g.Form, g.Past = toks[i].Low, Past, true
	case last == "have" && !ok && LooksPast(toks[i]):
		g.Lemma, g.Form, g.Perfect = toks[i].Low, Participle, true
	case last == "" && ok && v.Form&(Third|Base) != 0:
		g.Lemma, g.Form = v.Lemma, v.Form&(Third|Base)
	default:
		return *g, false
	}
	return *g, true
}

// LooksPast reports whether a word that the tables lack looks like a past form: "caved", "vetoed".
func LooksPast(t Token) bool {
	return t.Kind == Word && !t.Upper && len(t.Low) > 4 && strings.HasSuffix(t.Low, "ed") && !strings.HasSuffix(t.Low, "eed") && !Stops[t.Low]
}

// helperHave reports whether "have" at the token before i helps another verb or means "must".
func helperHave(toks []Token, i int) bool {
	for ; i < len(toks); i++ {
		w := toks[i].Low
		if w == "not" || w == "n't" || w == "never" || Adverbs[w] || w == "no" && i+1 < len(toks) && toks[i+1].Is("longer") {
			continue
		}
		return w == "to" || w == "been" || w == "got" && i+1 < len(toks) && (toks[i+1].Is("to") || Verbs["got"].Form&Participle != 0) ||
			Verbs[w].Form&Participle != 0 && Verbs[w].Form&Base == 0
	}
	return false
}

func helperDo(toks []Token, i int) bool {
	for ; i < len(toks); i++ {
		w := toks[i].Low
		if w == "not" || w == "n't" || Adverbs[w] {
			continue
		}
		return IsBase(w)
	}
	return false
}

// IsBase reports whether w is the base form of a verb that the tables know.
func IsBase(w string) bool { return w == "be" || Verbs[w].Form&Base != 0 }

// determiners stand before a noun.
var determiners = Words("a an the my our his her their some any no another two three this")

// strongPast are participles that are past forms as well and no adjectives.
var strongPast = Words(`slept met bought sold told left lost won sent spent built made found kept read heard brought taught caught paid finished
	forgotten`)

// StartsParticiple reports whether a past participle (or "been", "got") follows, perhaps behind an adverb: "'s" and "'d" then stand for "has" and
// "had".
func StartsParticiple(toks []Token, i int) bool {
	for ; i < len(toks); i++ {
		w := toks[i].Low
		if Adverbs[w] || w == "never" || w == "not" {
			continue
		}
		return w == "been" || w == "got" || w == "had" || w == "decided" || w == "moved" || w == "started" || w == "lived" || w == "worked" ||
			w == "joined"
	}
	return false
}
