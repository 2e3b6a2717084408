package text

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// Tongue is a language in Latin letters whose words are stemmed in a way of its own. The zero value is English, which also stands for
// those that have no stemmer. Numbers are kept in files: new ones go to the end.
type Tongue uint8

// English is the tongue of what is not known to be in another.
const English Tongue = 0

// Tongues is a set of tongues other than English, by bit.
type Tongues uint32

// With returns the set with a tongue; English is in none.
func (s Tongues) With(t Tongue) Tongues { return s | 1<<t&^1 }

// Has reports whether a tongue other than English is in the set.
func (s Tongues) Has(t Tongue) bool { return t != English && s>>t&1 != 0 }

// tongue is what is known of one.
type tongue struct {
	code string
	stem func(*snowballstem.Env) bool
	// stop are words that say nothing about what a text is about, with their accents. They also tell the tongue, but for those behind the
	// bar, which are words of English, too.
	stop string
	// elides says that an article or pronoun may stand before a word with an apostrophe between.
	elides bool
}

//nolint:misspell // they are not English
var tongues = []tongue{
	{"en", nil, "", false},
	{"da", danish.Stem, `af alle andet andre begge blev blive bliver da de dem den denne der deres det dette dig disse efter eller en end ene er et
		ham hans har havde hende hendes hvad hver hvilken hvis hvor hvordan hvorfor hvornår i ikke ind ingen jeg jer jeres kunne man mange meget mellem mig mod
		ned noget nogle nogen nu når og også om op os over på selv sig sin sine skal skulle som sådan til ud uden var vi vil ville vor været være | at din dog for
		fra han her hun ja men min mine med nej have under`, false},
	{"de", german.Stem, `aber alle allem allen aller alles als ander andere anderen auch auf aus bei beim bis bist da damit dann das dass daß dein deine dem den
		denn der des dich dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen gewesen habe haben hatte hatten hier hin hinter ich
		ihm ihn ihnen ihr ihre ihrem ihren ihrer im indem ins ist jede jedem jeden jeder jedes jene jetzt kann kein keine keinem keinen könnte machen mein
		meine meinem meinen meiner mich mir muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie sind
		solche soll sollte sondern sonst über um und uns unser unsere unter viel vom von vor wann warum weil weiter welche welchem welchen welcher welches wenn
		werde werden wie wieder wir wird wirst wo wollen wollte wurde wurden würde würden zu zum zur zwar zwischen | am an bin die hat ich in man mit so war was
		während waren will`, false},
	{"es", spanish.Stem, `al algo algunas algunos ante antes aquí cada como contra cual cuál cuando cuándo cuánto de del desde donde dónde durante e el él ella
		ellas ellos en entre era eran es esa esas ese eso esos esta está están estas este esto estos estoy fue fueron ha hace hacia hasta hay la las le les lo
		los más me mi mis mucho muchos muy nada ni nos nosotros nuestra nuestro o os otra otro otros para pero poco por porque qué que quien quién quienes se sea
		según ser si sí sido sobre su sus también tanto te tengo tiene tienen todo todos tu tú tus un una uno unos vosotros con y ya yo | a has he no sin son`, false},
	{"fi", finnish.Stem, `ei eivät emme en et ette että en hän häneen hänelle hänen hänet he heidän heille heitä itse ja johon joiden joissa joita joka joku jolla
		jolle jonka jos jossa jota jotka kaikki kanssa kenen ketkä koska kuin kuinka kuka kun me meidän meille meitä mihin mikä miksi milloin minkä minulla minulle minun minut minä
		missä mitkä mitä mukaan mutta myös ne niiden niin niissä niitä noin nuo nyt näiden näin nämä ole olemme olen olet oli olin olisi olivat olla ollut on ovat se
		sekä sen siellä sille sillä sinulle sinun sinä sitten sitä tai te teidän teille teitä tuo tässä tähän tällä tämä tämän tätä vaan vai vaikka vain vielä voi | he me on ole`, false},
	{"fr", french.Stem, `ai aie ainsi alors après au aucun aussi autre aux avait avec avoir avons ayant bien c car ce ceci cela celle celui ces cet cette ceux
		chaque chez combien comme d dans de depuis des donc dont du elle elles en encore entre es est et était étaient été être eu eux fait faire fois ici il ils j
		je jusque l la le les leur leurs lors lui m ma mais même mes moi moins mon n ne ni non nos notre nous on ont ou où par parce pas pendant peu peut plus pour
		pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si sont sous suis sur t ta tes toi ton tous tout toute toutes très tu un
		une vers voici voilà vos votre vous y | a as comment for me on par plus pour son sur tout ton`, true},
	{"hu", hungarian.Stem, `a abban ahhoz ahogy ahol aki akik akkor alatt amely amelyek ami amikor amit annak arra az azok azon azt aztán azért be belül benne
		csak de e ebben egy egyes egyik egyéb el ellen elő először előtt emilyen ennek én erre és ez ezek ezen ezt ezzel fel felé ha hanem hiszen hogy hogyan ide igen így
		ilyen ilyenkor is ismét itt jó kell kellett keresztül ki kívül között közül le legyen lehet lenne lesz lett maga magát már más meg mely melyek mellett
		mert mi miért mikor milyen minden mint mit mivel most nagy nagyon nekem neki nem néha néhány nélkül nincs ők olyan ott össze pedig persze rá s saját sem
		semmi sok sokat számára szemben szerint szinte talán te tehát több tovább továbbá úgy új újabb újra után utána utolsó vagy vagyok valaki valami való van vannak vele
		vissza viszont volna volt voltak voltam | a be is most sem van`, false},
	{"it", italian.Stem, `agli ai al alla alle allo anche ancora avere aveva avuto c che chi ci cioè come con contro cosa cui d da dagli dai dal dalla dalle dallo
		degli dei del dell della delle dello di dopo dove e è ed egli era erano essere fa faccio fare fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma
		me mentre mi mia mie miei mio molto ne negli nei nel nella nelle nello noi non nostra nostro o ogni per perché però più poi prima qual quale quali quando quanto
		quasi quella quelle quelli quello quest questa queste questi questo qui sarà se sei senza si sia siamo siete solo sono sopra sta stata stati stato sto
		su sua sue sugli sui sul sulla sulle suo suoi tra tu tua tue tuo tuoi tutti tutto un una uno vi voi | a come due fare in me no per solo`, true},
	{"nl", dutch.Stem, `aan al alles als altijd andere ben bij daar dan dat de deze die dit doch doen dus een eens en er ge geen geweest haar had heb hebben heeft
		hem het hier hij hoe hun iemand iets ik in is ja je jij jou jouw kon kunnen kunt maar meer mij mijn moet na naar niet niets nog nu of om omdat onder ons onze
		ook op reeds te tegen toch toen tot u uit uw veel voor waar waarom wanneer want was wat we wel welke werd wezen wie wij wil worden wordt zal ze zelf zich
		zij zijn zo zonder zou | an door had of op over men met me die dat in is van want was we wat`, false},
	{"no", norwegian.Stem, `alle andre av bare begge ble bli blir blitt da de deg dem den denne der dere deres det dette di disse du eg eller en enn er et etter
		ett ham hans har henne hennes her hjå hun hva hvem hver hvilke hvilken hvis hvor hvordan hvorfor i ikke ingen inn ja jeg kan kom kunne mange meg mellom mitt mot mye ned
		noe noen nå når og også om opp oss over på samme seg selv si sitt siden sin sine skal skulle slik som så til ut uten var vart ved vi vil ville vår være
		vært | at at for fra han her hun man med men min mine under have`, false},
	{"pt", portuguese.Stem, `à às ainda ao aos aquela aquelas aquele aqueles aquilo até cada com como da das de dela dele deles depois do dos e é ela elas ele eles
		em entre era eram essa essas esse esses esta está estamos estão estas estava este estes estou eu foi foram há isso isto já lhe lhes mais mas me mesmo meu
		meus minha minhas muito muitos na nada não nas nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos pode por porque qual quando quanto
		que quem se seja sem ser será seu seus só sua suas também te tem têm tenho ter teu tinha todo todos tu tua tudo um uma uns vai você vocês vos | a as do dos me
		no nos os ou`, false},
	{"ro", romanian.Stem, `a acea aceasta această aceea acei aceia acel acela acele acelea acest acesta aceste acestea acești aceștia acolo acum ai aici al ale
		alt alta altă altceva altul am anume apoi ar are aș așa asta astăzi atât atunci au avea avem aveți avut azi bine ca că când când care cărei căror cât câte câți ce cea
		cei cel cele ceva chiar cine cineva cu cui cum da dacă dar de deci deja deoarece departe despre deși din dintre doar după ea ei el ele era eram este ești eu fără
		fi fie fiecare fiind foarte fost iar îi îl în înainte încă între îmi într își la le li lor lui mă mai mea mei mele mereu meu mi mie mine mult multă mulți ne
		nici nimic niște noastră noi nostru noștri nu o or ori până pe pentru peste poate prea prin sa să săi sale sau său se și sînt spre sub sunt suntem ta tăi
		tale tău te toată toate tot toți totul tu un una unde unei unele unor unui vă vi voi vom vor vostru vouă vreo | a am are fie in mine pe sub or`, false},
	{"sv", swedish.Stem, `alla allt att av bli blir blivit blev bland dem den denna deras dess dessa det detta dig din dina ditt du där då efter ej eller en ett från
		för genom ha hade han har henne hennes honom hur här i icke ingen inom inte jag ju kan kunde man mellan mig min mina mitt mot mycket ni nu när någon något
		några och oss på samma sedan sig sin sina sitta själv skulle ska som så sådan till upp ut utan vad var varför vars vart vem vi vid vilka vilkas vilken
		vilket vår våra vårt är åt över | at de den din for han hon man med men min om under have`, false},
	{"tr", turkish.Stem, `acaba ama ancak aslında az bana bazı belki ben benden beni benim beri bile bir birçok biri birkaç birşey biz bizden bize bizi bizim böyle bu
		buna bunda bundan bunlar bunları bunların bunu bunun burada çok çünkü da daha dahi de değil diğer diye dolayı en fakat gibi göre hâlâ hangi hatta hem hep
		hepsi her herkes hiç için ile ise kadar karşın kendi kez ki kim kime kimi mı mu mü nasıl ne neden nedenle nerde nerede nereye niye o olan olarak oldu olduğu olmak olur
		ona ondan onlar onları onların onu onun oysa öyle pek rağmen sana sen senden seni senin siz sizden size sizi sizin sonra şey şimdi şöyle şu şuna şunu tarafından tüm
		üzere var vardı ve veya ya yani yapılan yaptığı yerine yine yok zaten | ama az bile bin biz en her kim on ten size`, false},
}

// TongueOf returns the tongue of an ISO 639-1 code; English for those that have no stemmer.
func TongueOf(code string) Tongue {
	if code == "nb" || code == "nn" {
		code = "no"
	}
	for t := range tongues {
		if tongues[t].code == code {
			return Tongue(t)
		}
	}
	return English
}

// AllTongues yields every tongue, English first.
func AllTongues() iter.Seq[Tongue] {
	return func(yield func(Tongue) bool) {
		for t := range tongues {
			if !yield(Tongue(t)) {
				return
			}
		}
	}
}

// Code returns the ISO 639-1 code.
func (t Tongue) Code() string { return tongues[t].code }

// stopsOf are the stop words by tongue.
var stopsOf = func() []map[string]bool {
	all := make([]map[string]bool, len(tongues))
	for t := range tongues {
		all[t] = formSet(strings.Replace(tongues[t].stop, "|", " ", 1))
	}
	all[English] = stopWords
	return all
}()

// telling maps a word to the tongues that it speaks for; a word of several speaks less for each. It is a table by hash of words that are
// packed, none of which is longer than memoWord; its length is a power of two.
var telling = func() []tellingWord {
	m := map[string]uint32{}
	for t := range tongues {
		words, _, _ := strings.Cut(tongues[t].stop, "|")
		for w := range strings.FieldsSeq(words) {
			if len(w) > 1 { // letters alone are in code and formulas
				m[w] |= 1 << t
			}
		}
	}
	for w := range stopWords {
		if len(w) > 1 || w == "i" || w == "a" {
			m[w] |= 1 << English
		}
	}
	t := make([]tellingWord, 1<<12)
	for w, in := range m {
		k := pack(w)
		*tells(t, k) = tellingWord{k, in, uint32(12 / bits.OnesCount32(in))}
	}
	return t
}()

type tellingWord struct {
	memoKey
	in   uint32 // the tongues, by bit; 0 where there is no word
	says uint32 // how much it speaks for each
}

// tells returns where a word is, or would be.
func tells(t []tellingWord, k memoKey) *tellingWord {
	for i := k.slot(); ; i++ {
		if w := &t[i&uint64(len(t)-1)]; w.memoKey == k || w.in == 0 {
			return w
		}
	}
}

// tellLengths has, by their first byte, the lengths in bytes of the words of telling: a bit each.
var tellLengths = func() (t [256]uint32) {
	for _, w := range telling {
		if w.in != 0 {
			t[byte(w.a)] |= 1 << (w.b >> 56)
		}
	}
	return t
}()

// What it takes to be sure of a tongue, where a word that speaks for it alone counts 12: so much, half as much again as English has, and so
// much more than the next; and an eighth of all words (3/2 each), as others may look like little words by chance.
const (
	tellSure   = 18
	tellApart  = 6
	tellSample = 1 << 10 // bytes that are looked at
)

// TongueIn returns the tongue that the little words of s speak for most, English where none does, and whether that is sure. It looks at
// the first KiB.
func TongueIn(s string) (best Tongue, sure bool) {
	if len(s) > tellSample {
		s = s[:tellSample]
	}
	var score [32]int
	var buf [16]byte
	words := 0
	count := func(w *tellingWord) {
		for in := w.in; in != 0; in &= in - 1 {
			score[bits.TrailingZeros32(in)] += int(w.says)
		}
	}
	for i := 0; i < len(s); {
		var n int
		r := rune(s[i])
		if r >= utf8.RuneSelf {
			if r, n = utf8.DecodeRuneInString(s[i:]); !unicode.IsLetter(r) {
				i += n
				continue
			}
		} else if !isASCIILetter(s[i]) {
			i++
			continue
		}
		words++
		if r < utf8.RuneSelf {
			if k, n, _ := run(s, i); n <= 12 && (i+n == len(s) || s[i+n] < utf8.RuneSelf) {
				if tellLengths[byte(k.a)]>>n&1 != 0 { // looking up the others costs more than reading them
					k.b |= uint64(n) << 56
					count(tells(telling, k))
				}
				i += n
				continue
			}
		}
		word := buf[:0]
		for i < len(s) {
			if c := s[i]; isASCIILetter(c) {
				if len(word) <= 12 {
					word = append(word, c|0x20)
				}
				i++
				continue
			}
			if r, n = rune(s[i]), 1; r >= utf8.RuneSelf {
				r, n = utf8.DecodeRuneInString(s[i:])
			}
			if !unicode.IsLetter(r) {
				break
			}
			if len(word) <= 12 {
				word = utf8.AppendRune(word, unicode.ToLower(r))
			}
			i += n
		}
		if tellLengths[word[0]]>>len(word)&1 != 0 {
			count(tells(telling, pack(word)))
		}
	}
	for t := 1; t < len(tongues); t++ {
		if score[t] > score[best] || best == English && score[t] == score[best] && score[t] > 0 {
			best = Tongue(t)
		}
	}
	second := 0
	for t := range tongues {
		if Tongue(t) != best && !kin(Tongue(t), best) {
			second = max(second, score[t])
		}
	}
	return best, score[best] >= max(tellSure, 3*words/2) && score[best]-second >= tellApart && (best == English || 2*score[best] >= 3*score[English])
}

// kin reports whether two tongues are so alike that it does little harm to take one for the other.
func kin(a, b Tongue) bool {
	return tongues[a].code == "da" && tongues[b].code == "no" || tongues[a].code == "no" && tongues[b].code == "da"
}

// TongueOfText returns the tongue of a text: that of its little words where they tell it, else that of the language that whatever it is part
// of is known to be in, by its ISO 639-1 code; "" where that is not known either.
func TongueOfText(s, language string) Tongue {
	if t, sure := TongueIn(s); sure {
		return t
	}
	return TongueOf(language)
}

// Asked is a term of a query, with the forms that its word has in other tongues.
type Asked struct {
	Token
	Forms []string // none is the term, or comes twice
}

// mostTongues is in how many tongues other than English the words of a query are looked for.
const mostTongues = 4

// Ask returns the terms of a query over texts in some tongues beside English. A word stands for the stems that it has in any of them, as the
// query may be too short to tell in which it is. What the query's own tongue takes for a stop word is left out where that tongue is sure;
// what only English takes for one is there where the query rather speaks another.
func (a *Analyzer) Ask(s string, in Tongues) []Asked {
	a.Take(English)
	var out []Asked
	at := map[Span]int{}
	a.Each(s, func(term []byte, pos, start, end int) {
		if _, again := at[Span{start, end}]; !again {
			at[Span{start, end}] = len(out)
		}
		out = append(out, Asked{Token: Token{string(term), pos, start, end}})
	})
	own, sure := TongueIn(s)
	order := make([]Tongue, 0, len(tongues))
	if in.Has(own) {
		order = append(order, own)
	}
	for t := range Tongue(len(tongues)) {
		if in.Has(t) && t != own {
			order = append(order, t)
		}
	}
	defer a.Take(English)
	for _, t := range order[:min(len(order), mostTongues)] {
		a.Take(t)
		said := map[Span]bool{}
		a.Each(s, func(term []byte, pos, start, end int) {
			span := Span{start, end}
			said[span] = true
			switch i, ok := at[span]; {
			case ok && out[i].Term != string(term) && !slices.Contains(out[i].Forms, string(term)):
				out[i].Forms = append(out[i].Forms, string(term))
			case !ok && t == own:
				at[span] = len(out)
				out = append(out, Asked{Token: Token{string(term), pos, start, end}})
			}
		})
		if t == own && sure {
			out = slices.DeleteFunc(out, func(k Asked) bool { return !said[Span{k.Start, k.End}] })
			clear(at)
			for i, k := range slices.Backward(out) {
				at[Span{k.Start, k.End}] = i
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Asked) int { return cmp.Compare(a.Pos, b.Pos) })
	return out
}
