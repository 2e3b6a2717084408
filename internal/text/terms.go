package text

import "strings"

// stopWords are the English words that say nothing about what a text is about.
var stopWords = formSet(`a about above after again against all also am an and any are aren as at be because been before being
	below between both but by can cannot could couldn d did didn do does doesn doing don down during each either else few for
	from further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its
	itself just ll m may me might mine more most must my myself neither no nor not of off on once only or other our ours
	ourselves out over own re s same shall shan she should shouldn so some such t than that the their theirs them themselves
	then there these they this those through to too under until up upon us ve very was wasn we were weren what when where
	which while who whom whose why will with won would wouldn yet you your yours yourself yourselves
	arent cant couldnt didnt doesnt dont hadnt hasnt havent hed hes ill im isnt itd itll ive mustnt shes shouldnt
	thats theres theyd theyll theyre theyve wasnt weve werent whats whos wont wouldnt youd youll youre youve`)

// irregular maps forms that no stemmer brings together to their base form: strong verbs and uncommon plurals. Forms that
// are at least as common as a word of their own ("ground", "wound", "lay") are left out.
var irregular = formTable(`go went gone; buy bought; get got gotten; take took taken; make made; see saw seen; give gave given;
	write wrote written; run ran; win won; begin began begun; teach taught; think thought; feel felt; find found; meet met;
	lose lost; leave left; come came; become became; know knew known; grow grew grown; draw drew drawn; drive drove driven;
	eat ate eaten; fall fell fallen; speak spoke spoken; break broke broken; choose chose chosen; sing sang sung;
	swim swam swum; bring brought; build built; spend spent; send sent; sell sold; tell told; say said; hear heard;
	keep kept; sleep slept; hold held; fly flew flown; wear wore worn; ride rode ridden; throw threw thrown; fight fought;
	catch caught; stand stood; understand understood; hide hid hidden; rise rose risen; drink drank drunk; ring rang rung;
	shake shook shaken; steal stole stolen; freeze froze frozen; forget forgot forgotten; forgive forgave forgiven;
	seek sought; lend lent; bend bent; pay paid; lead led; feed fed; shoot shot; sit sat; dig dug; stick stuck; strike struck;
	swear swore sworn; tear tore torn; wake woke woken; blow blew blown; sink sank sunk; spring sprang sprung; hang hung;
	deal dealt; mean meant; dream dreamt; learn learnt; burn burnt; sweep swept; weep wept; bite bit bitten; bleed bled;
	breed bred; light lit; slide slid; spin spun; swing swung; withdraw withdrew withdrawn; overcome overcame; undergo underwent undergone;
	child children; person people; wife wives; life lives; knife knives; leaf leaves; shelf shelves; half halves; wolf wolves;
	thief thieves; loaf loaves; woman women; man men; foot feet; tooth teeth; goose geese; mouse mice; ox oxen;
	mom mum mommy mummy; crisis crises; analysis analyses; thesis theses; hypothesis hypotheses; diagnosis diagnoses;
	criterion criteria; phenomenon phenomena; index indices; matrix matrices; vertex vertices; appendix appendices`)

func formSet(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

func formTable(s string) map[string]string {
	m := map[string]string{}
	for group := range strings.SplitSeq(s, ";") {
		forms := strings.Fields(group)
		for _, f := range forms[1:] {
			m[f] = forms[0]
		}
	}
	return m
}

// russianStops are the Russian words that say nothing about what a text is about.
var russianStops = formSet(`а без более больше будет будто бы был была были было быть в вам вас ваш ваша ваше ваши ведь во вот впрочем все всегда всего всех всю вы где да
	даже для до другой его ей ему если есть еще же за здесь и из или им иногда их к как какая какой когда конечно кто куда ли лучше между меня мне много может можно мой моя
	мы на над надо наконец нас наш наша не него нее ней нельзя нет ни нибудь никогда ним них ничего но ну о об один он она они опять от перед по под после потом потому почти
	при про раз разве с сам свою себе себя сейчас со совсем так такой там тебя тем теперь то тогда того тоже только том тот три тут ты у уж уже хоть чего чем через что чтоб
	чтобы чуть эти этого этой этом этот эту я`)
