package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Price is a sum of money that is named beside a thing: "bought a bike on Thursday, 380 pounds".
type Price struct {
	Thing, Sum string
	Start, End int // bytes of both, as far as the thing stands in the same words
	From, To   int // tokens of the sum
}

var (
	currencies = lexis.Words("euro euros quid pound pounds dollar dollars bucks kr kroner kronor francs chf eur gbp usd rupees pesos yen zloty grand cedis rand")
	rates      = lexis.Words("head month week day night hour year person piece sack box bottle metre meter litre lesson session ticket run pop go plate")
	acquires   = lexis.Words("buy order book get find rent sell lease hire reserve take choose pick view pay quote replace fix repair")
	sums       = lexis.Words("price prices savings budget balance quote fee fees deposit rent cost costs bill total sum amount boy girl baby")
	gaps       = lexis.Words("about only just around roughly now at for")
)

// Prices finds the sums of a sentence that stand beside what they are the price of. before is what the sentence before was about, "" for nothing: the
// price of that may stand alone, "1,899 kr".
func (x *Scene) Prices(toks []lexis.Token, before string) []Price {
	var out []Price
	for i := 0; i < len(toks); i++ {
		to := sumAt(toks, i)
		if to == i {
			continue
		}
		p := Price{From: i, To: to, Start: toks[i].Start, End: toks[to-1].End, Sum: lexis.OneLine(x.S[toks[i].Start:toks[to-1].End])}
		j := i
		for j > 0 && gaps[toks[j-1].Low] {
			j--
		}
		thing := x.bought(toks[:j])
		switch {
		case j > 0 && toks[j-1].Kind != lexis.Punct && !(j < i && toks[i-1].Is("for") && len(thing) > 0):
		case len(thing) > 0:
			p.Thing, p.Start = lexis.OneLine(x.S[thing[0].Start:thing[len(thing)-1].End]), thing[0].Start
		case j == 0:
			p.Thing = before
		}
		if words := strings.Fields(strings.ToLower(p.Thing)); len(words) > 0 && !sums[words[len(words)-1]] {
			out = append(out, p)
		}
		i = to - 1
	}
	return out
}

// Bought is the thing that a sentence says somebody has bought, booked, sold and the like; "" when there is none.
func (x *Scene) Bought(toks []lexis.Token) string {
	if np, _ := x.acquired(toks); len(np) > 0 {
		return lexis.OneLine(x.S[np[0].Start:np[len(np)-1].End])
	}
	return ""
}

// acquired is what is said to have been bought and the like; verb reports whether there is any verb.
func (x *Scene) acquired(toks []lexis.Token) (np []lexis.Token, verb bool) {
	c := &Clause{Scene: x, Toks: toks}
	for i, t := range toks {
		v := lexis.Verbs[t.Low]
		if v.Known() && acquires[v.Lemma] && v.Form&(lexis.Past|lexis.Gerund) != 0 && !(i > 0 && Determined[toks[i-1].Low]) {
			np, _ = c.Phrase(toks, i+1, PlaceStops)
			if np = Bare(np); len(np) > 0 && len(np) < 6 && !EmptyObjects[np[0].Low] && np[0].Kind == lexis.Word && !lexis.Vague[np[len(np)-1].Low] &&
				!lexis.Adverbs[np[0].Low] && !lexis.IsDateWord(strings.TrimSuffix(np[0].Low, "s")) {
				return np, true
			}
		}
		verb = verb || t.Kind == lexis.Word && (lexis.BeForms[t.Low] || v.Known() && v.Form&(lexis.Past|lexis.Third) != 0 && !NounVerbs[t.Low])
	}
	return nil, verb
}

// bought is what a sentence says was bought and the like, or is about when it has no verb.
func (x *Scene) bought(toks []lexis.Token) []lexis.Token {
	np, verb := x.acquired(toks)
	if len(np) > 0 || verb || len(toks) == 0 {
		return np
	}
	if at := slices.IndexFunc(toks, func(t lexis.Token) bool { return t.Is(":") }); at > 0 && at+1 < len(toks) {
		if np := x.bought(toks[at+1:]); len(np) > 0 {
			return np // "Nursery: Little Otters, £74 a day"
		}
		toks = toks[:at]
	}
	if names := lexis.Names(x.S, toks); len(names) > 0 && names[0].From < 3 && (names[0].From == 0 || !Prepositions[toks[names[0].From-1].Low]) && names[0].Type != lexis.EntityPlace && !lexis.IsDateWord(toks[names[0].From].Low) {
		return toks[names[0].From:names[0].To]
	}
	np, _ = (&Clause{Scene: x, Toks: toks}).Phrase(toks, 0, PlaceStops)
	np = Bare(np)
	if len(np) == 0 || len(np) > 4 || np[0].Kind != lexis.Word || sums[np[len(np)-1].Low] || EmptyObjects[np[0].Low] || lexis.Vague[np[len(np)-1].Low] || lexis.Stops[np[0].Low] ||
		lexis.Adverbs[np[0].Low] || Leads[np[0].Low] || slices.ContainsFunc(np, func(t lexis.Token) bool {
		return lexis.IsDateWord(t.Low) || lexis.Verbs[t.Low].Known() && !NounVerbs[t.Low]
	}) {
		return nil
	}
	return np
}

// sumAt returns the token behind the sum of money at token i, with what it is for one of: "£58 a head"; i when there is none.
func sumAt(toks []lexis.Token, i int) int {
	number := func(j int) bool {
		return j < len(toks) && (toks[j].Kind == lexis.Number && text.CountDigits(toks[j].Low) > 0 && !strings.ContainsAny(toks[j].Low, ":/%") ||
			lexis.SmallNumber(toks[j].Low) > 1)
	}
	var to int
	switch {
	case (toks[i].Is("£") || toks[i].Is("$") || toks[i].Is("€")) && number(i+1):
		if to = i + 2; to < len(toks) && (toks[to].Is("k") || toks[to].Is("grand")) {
			to++
		}
	case !number(i) || i > 0 && (toks[i-1].Is("£") || toks[i-1].Is("$") || toks[i-1].Is("€")):
		return i
	case i+1 < len(toks) && (currencies[toks[i+1].Low] || toks[i+1].Is("€") || toks[i+1].Is("£")):
		to = i + 2
	case i+1 < len(toks) && toks[i+1].Is("each"), i+2 < len(toks) && (toks[i+1].Is("all") && toks[i+2].Is("in") ||
		(toks[i+1].Is("a") || toks[i+1].Is("an") || toks[i+1].Is("per")) && rates[toks[i+2].Low] && toks[i].Kind == lexis.Number):
		to = i + 1
	default:
		return i
	}
	switch {
	case to < len(toks) && toks[to].Is("each"):
		return to + 1
	case to+1 < len(toks) && (toks[to].Is("all") && toks[to+1].Is("in") || (toks[to].Is("a") || toks[to].Is("an") || toks[to].Is("per")) && rates[toks[to+1].Low]):
		return to + 2
	}
	return to
}

// Covers reports whether words are little more than one of the sums.
func Covers(toks []lexis.Token, sums []text.Span) bool {
	return len(toks) > 0 && len(toks) < 8 && slices.ContainsFunc(sums, func(sum text.Span) bool {
		return sum.Start >= toks[0].Start && sum.End <= toks[len(toks)-1].End
	})
}
