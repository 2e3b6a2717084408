package lexis

import _ "embed" // lists of words

// The tables in this file are closed lists of common words, written by hand. They are read only.

// Stops are words that say nothing about what a text is about, in the languages that are met most.
var Stops = Words(`a about above after again against all also although am an and another any are around as at be because been before
	being below between both but by can cannot could did do does doing done down during each either else even ever every few for from
	further get gets getting got had has have having he her here hers herself him himself his how however i if in into is it its
	itself just least less let like many may me might mine more most much must my myself near need needs neither never no nor not now of
	off often on once one only onto or other others otherwise our ours out over own per perhaps please quite rather really same
	see seem seems several shall she should since so some someone something soon still such sure than that the their theirs them
	themselves then there therefore these they this those though through thus till to together too toward towards under until up upon us use used
	uses using very via was we well were what whatever when where whether which while who whom whose why will with within without would yes yet
	you your yours yourself n't 's 'm 're 've 'll 'd ok okay hi hello hey thanks thank
	der die das und ist nicht ein eine einer einem einen den dem des mit für auf von im zu zum zur auch sich wir ihr sie ich du er es wie
	oder aber wenn dass wird werden war sind hat haben kann noch nach bei aus als nur über so um am
	le la les un une des du de et est pas que qui dans pour sur avec au aux ce cette ces il elle nous vous ils elles son sa ses par plus ne
	se en mais ou où comme être fait sont été avoir
	el los las una unos unas y es no del al por para con su sus lo como más pero si fue ha son está este esta
	il gli uno della delle dei che di non è per anche sono nel alla più
	o os um uma e é do da dos das não em na mais foi ser tem seu sua
	het een van niet zijn dat op te voor ook maar wordt naar heeft bij`)

// Plain are ordinary words that make poor topics, though they are no stop words.
var Plain = Words(`able add added additional allow allows almost already always amount anyone anything area ask asked available away back bad based
	basic become begin believe best better big bit bring brought build call called came case cases cause certain change changes check
	choose clear close come comes coming common complete consider contain contains copy correct couple course create created creates current
	currently day days decide different difficult directly early easily easy effect either end enough entire especially etc exact exactly
	example examples except expect fact far fast feel feels felt final finally find fine first five following follow follows form found four free full
	fully general generally give given gives giving go goes going gone good great group guess half hand handle happen happens hard head help
	helps high hold hope hour hours however idea important include included includes including instead issue item items keep keeps kept kind
	kinds knew know known knows large last late later lead learn leave left less level life likely line lines list little live
	long longer look looking looks lot lots low made main make makes making man matter maybe mean means meant mention method mind minute minutes
	moment month months morning mostly move much multiple name named names nearly necessary need needed new next nice nothing notice
	number numbers old open option options order original part parts particular past people perfect person place places plan play plenty point points
	possible previous probably problem problems process provide provided provides put question questions quick quickly range read ready real
	reason recent recently related remain remember require required requires rest result results return returns right run running runs said saw say
	saying says second section seen send sent set sets setting several short show shows side similar simple simply single size small
	sometimes somewhat sort special specific start started starts state step steps stop stuff support supports system take taken takes
	taking talk tell test text thing things think third thought three time times today together told tomorrow tonight took top total tried true
	try trying turn two type types typical understand unless useful user users usual usually value values various version view wait
	want wanted wants watch way ways week weeks went whole wide wonderful word words work worked working works world worth write
	year years yesterday yeah young monday tuesday wednesday thursday friday saturday sunday january february march april may june july
	august september october november december christmas`)

// GivenNames are common given names, enough to tell a person from a place.
var GivenNames = Words(givenNamesFile)

// PlaceNames are countries, regions and large cities of one word, and the known ones of more.
var PlaceNames = Words(placeFile)

//go:embed places.txt
var placeFile string

// orgTails end the names of organisations.
var orgTails = Words(`inc ltd llc gmbh corp corporation company co ag sa plc foundation institute university college school hospital bank group labs
	laboratories technologies systems solutions partners association agency ministry department council committee airlines airways museum studios
	church clinic
	academy consulting ventures capital union joinery coaches surgery solicitors bakery cafe café theatre bistro trust society press gym dental
	pharmacy insurance energy motors bros brothers sons practice nursery infirmary council paws fabrication billing mobility hotel restaurant`)

// Titles stand before a person's name.
var Titles = Words(`mr mrs ms miss dr prof professor sir madam aunt uncle grandma grandpa captain president senator`)

// commonShouts are words in capitals that name no one.
var commonShouts = Words(commonShoutsFile)

// capitalised are words that often begin a sentence or carry a capital without being a name.
var capitalised = Words(capitalisedFile)

// VerbsOfNames are verbs between two names that tie them together, by their base form; the table maps forms to a label.
var VerbsOfNames = map[string]string{
	"founded": "founded", "acquired": "acquired", "bought": "bought", "married": "married", "hired": "hired", "joined": "joined",
	"leads": "leads", "led": "led", "manages": "manages", "managed": "managed", "owns": "owns", "owned": "owned",
	"built": "built", "created": "created",
	"wrote": "wrote", "designed": "designed", "invented": "invented", "discovered": "discovered", "replaced": "replaced", "replaces": "replaces",
	"uses": "uses", "used": "used", "supports": "supports", "teaches": "teaches", "taught": "taught", "visited": "visited", "met": "met",
	"published": "published", "released": "released", "sponsors": "sponsors", "directed": "directed", "runs": "runs", "employs": "employs",
	"lives in": "lives in", "lived in": "lived in", "moved to": "moved to", "works at": "works at",
	"works for": "works for", "worked at": "worked at",
	"worked for": "worked for", "born in": "born in", "based in": "based in", "located in": "located in",
	"part of": "part of", "member of": "member of",
	"depends on": "depends on", "built on": "built on", "studied at": "studied at", "studies at": "studies at", "reports to": "reports to",
	"founder of": "founder of", "ceo of": "CEO of", "capital of": "capital of", "married to": "married to", "president of": "president of",
	"director of": "director of", "author of": "author of", "sister of": "sister of", "brother of": "brother of", "mother of": "mother of",
	"father of": "father of", "son of": "son of", "daughter of": "daughter of", "wife of": "wife of", "husband of": "husband of",
	"friend of": "friend of",
	"succeeded": "succeeded", "founded by": "founded by", "written by": "written by", "led by": "led by", "owned by": "owned by",
	"acquired by": "acquired by",
}

// Canonical are predicates that are told in words of their own; what others say is told in those of the text.
var Canonical = Words(`name lives_in from works_at likes dislikes birthday age partner husband wife sister brother mother father son
	daughter child has_pet boss friend colleague owns job_title located_in spouse fiance girlfriend boyfriend email phone_number`)

// Nations are the adjectives of countries, which begin with a capital and name no one.
var Nations = Nationalities

// Products are well-known products, most of them software, by their names in small letters.
var Products = Words(productsFile)

// Companies are well-known organisations, by their names in small letters.
var Companies = Words(companiesFile)
