package grammar

import (
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// The tables in this file are lists of words by which rules tell one act or thing from another. They are read only.

// CommonLikes are things that take "the" though they are no one thing.
var CommonLikes = lexis.Words(`sea ocean mountains beach rain snow sun outdoors cold heat city countryside forest theatre theater opera cinema piano
	guitar violin summer winter spring autumn
	night desert woods gym sound smell taste colour color beatles quiet ballet circus internet cello drums`)

// Habits are verbs that "like to" keeps.
var Habits = lexis.Words(`cook bake read write travel hike run swim dance sing paint play watch listen walk cycle ski climb sail garden knit sleep eat
	drink draw camp fish surf`)

// HabitVerbs are verbs that habits are told with.
var HabitVerbs = lexis.Words(`carry do attend practise practice play teach call meet take drink eat wake get go run walk start read have cook sleep
	wear use travel listen exercise train ride commute watch buy write play swim cycle shop visit do`)

// LastingStops are acts whose end is worth telling.
var LastingStops = lexis.Words("smoking drinking eating playing vaping gambling drinking working running")

// Wishes are acts that "want to" makes a plan of.
var Wishes = lexis.Words(`learn study become buy visit travel start build write run move change quit lose get open found apply train join sell publish
	finish adopt climb renovate switch migrate launch`)

// Travels are verbs whose progressive form tells a plan.
var Travels = lexis.Words("fly travel go move drive visit sail return leave head relocate take come")

// Events are further verbs that tell one when a date stands by.
var Events = lexis.Words(`meet see have run start attend host give present launch play perform speak stay celebrate get buy adopt pick collect cook
	bake throw begin hold compete interview work hike camp switch migrate`)

// DeskWork are verbs of tasks in minutes.
var DeskWork = lexis.Words(`send book write prepare review call finish order check update submit contact email fix test draft schedule arrange present
	deliver organise organize buy bring clean record merge deploy`)

// IdleTasks begin obligations that are ways of speaking.
var IdleTasks = lexis.Words(`admit say agree confess go ask think know see leave be have understand talk stop hear believe mention point note emphasize
	stress wait laugh smile do keep find`)

// Reaches are verbs that make a task with "her" and "him" alone.
var Reaches = lexis.Words("call ask meet visit email text phone write pay see help thank")

// Projects are what someone who is writing or building it will be at for long.
var Projects = lexis.Words(`book novel thesis dissertation memoir album house app website startup company business course podcast blog game screenplay
	boat cabin biography opera textbook extension shed`)

// Skills stand before a language.
var Skills = lexis.Words("fluent native basic decent good broken conversational perfect excellent little intermediate")

// SmallJobs are things whose end is no milestone.
var SmallJobs = lexis.Words(`reading eating cooking cleaning talking writing watching dinner lunch breakfast work email emails shopping laundry coffee
	dishes call school class homework meeting typing work`)

// NoOrgs are objects of "work at" and "work for" that employ no one.
var NoOrgs = lexis.Words(`home night nights it this that you me us him them all least first last once weekends weekend hours free fun myself yourself
	least minimum once now times pace days moment desk hard living money years months everyone everybody both two three`)

// NoPlaces are objects of "in" and "to" that are no places to live.
var NoPlaces = lexis.Words(`fear hope denial peace poverty silence hell heaven mind case fact general particular love trouble style moment past future
	present world production prod next new tears bed another other cloud`)

// Revisions are participles behind which a new value stands: "the budget was cut to 30k".
var Revisions = lexis.Words("cut set raised reduced increased lowered changed updated capped fixed")

// OneOnly are relations of which there is one at a time.
var OneOnly = lexis.Words(`wife husband mother father spouse fiance boss manager supervisor doctor dentist therapist landlord landlady girlfriend
	boyfriend partner mother-in-law father-in-law`)

// FamilyTies are relations of a family.
var FamilyTies = lexis.Words(`child mother father sister brother son daughter wife husband partner girlfriend boyfriend fiance aunt uncle cousin niece
	nephew grandmother grandfather grandson
	granddaughter stepmother stepfather great-aunt great-uncle great-grandmother great-grandfather half-brother half-sister godson goddaughter
	godmother godfather stepson stepdaughter stepsister stepbrother mother-in-law father-in-law sister-in-law brother-in-law son-in-law
	daughter-in-law spouse baby ex`)

// Rulings begin the heading of a list of standing orders.
var Rulings = lexis.Words("rules rule conventions convention guidelines guideline policy")

// Edits are what one tells an agent not to do.
var Edits = lexis.Words("touch change edit merge push add delete remove commit deploy create modify rename install assume use write send")

// DateLeads are words before a date that stands alone.
var DateLeads = lexis.Words("since due on in at by from around the probably early late mid")

// WithArticle are predicates whose value may lack its article.
var WithArticle = lexis.Words("job_title works_at owns drives")

// Statal predicates are over when they are told in the past tense.
var Statal = lexis.Words("lives_in works_at job_title studies studies_at uses owns drives plays has_pet likes dislikes")

// Single predicates have one value at a time.
var Single = lexis.Words(`name age birthday born_in from lives_in works_at job_title studies_at spouse fiance marital_status nationality diet nickname
	email phone_number
	address deadline launch_date release_date due_date budget password port drives located_in handle contact start_date wedding_date`)

// Former stand before a relation that is over.
var Former = lexis.Words("ex late former old")

// Wordings are how a predicate is told: in the present, and behind "used to".
var Wordings = map[string][2]string{
	"lives_in": {"lives in", "live in"}, "works_at": {"works at", "work at"}, "job_title": {"works as", "work as"},
	"from": {"comes from", "come from"}, "born_in": {"was born in", "be born in"}, "studies": {"studies", "study"},
	"studies_at": {"studies at", "study at"}, "speaks": {"speaks", "speak"}, "diet": {"is", "be"},
	"allergic_to": {"is allergic to", "be allergic to"}, "spouse": {"is married to", "be married to"}, "fiance": {"is engaged to", "be engaged to"},
	"marital_status": {"is", "be"}, "nationality": {"is", "be"}, "has": {"has", "have"}, "has_pet": {"has as a pet:", "have as a pet:"},
	"owns": {"owns", "own"}, "drives": {"drives", "drive"}, "uses": {"uses", "use"}, "plays": {"plays", "play"}, "likes": {"likes", "like"},
	"dislikes": {"dislikes", "dislike"}, "prefers": {"prefers", "prefer"}, "avoids": {"avoids", "avoid"}, "nickname": {"is called", "be called"},
	"learns": {"is learning", "be learning"}, "gave_up": {"has given up", "give up"}, "cannot_have": {"cannot have", "not have"},
	"misses": {"misses", "miss"}, "stopped": {"has stopped", "stop"}, "afraid_of": {"is afraid of", "be afraid of"}, "degree": {"has a", "have a"},
	"leads": {"leads the", "lead the"}, "responsible_for": {"is responsible for the", "be responsible for the"}, "weight": {"weighs", "weigh"},
	"member_of": {"is a member of", "be a member of"}, "condition": {"has", "have"}, "is": {"is", "be"}, "located_in": {"is in", "be in"},
	"wants": {"wants", "want"}, "does_not": {"does not", "not"}, "partner": {"is together with", "be together with"},
	"does_not_want": {"does not want", "not want"},
}

// Errands are verbs that one asks somebody else to see to.
var Errands = lexis.Words(`send book write prepare review call ring phone finish order check update submit contact email fix test draft schedule arrange
	deliver organise organize buy bring clean record merge deploy renew pay cancel collect reserve fill ask talk apologise apologize cut post return
	print water feed sign pick fetch translate upload add`)

// Softeners lead up to a request.
var Softeners = lexis.Words("please also and so then hey hi ok okay oh yes yeah right kindly maybe just but")

// Lacking are things that it tells of somebody to be without.
var Lacking = lexis.Words(`car kids children siblings pets licence license phone garden tv television garage boyfriend girlfriend brothers sisters
	passport visa`)

// Mishaps are verbs whose past tells of a thing what is worth knowing, if it happened on a day.
var Mishaps = lexis.Words("flood crash die break fail burn leak collapse explode fall close arrive expire reopen")

// Medicines are what one is on.
var Medicines = lexis.Words(`antibiotics painkillers medication tablets insulin metformin statins ibuprofen steroids antidepressants iron beta-blockers
	blood-thinners warfarin ssris methotrexate sertraline prednisone`)

// Abstains are acts that it tells of somebody not to do at all.
var Abstains = map[string]string{
	"drive": "drive", "drink": "drink", "swim": "swim", "cook": "cook", "fly": "fly",
	"dance": "dance", "gamble": "gamble", "sing": "sing", "ski": "ski", "travel": "travel",
}

// Slug writes a noun as a part of a predicate; American spellings become British ones.
func Slug(s string) string {
	s = strings.ToLower(lexis.OneLine(s))
	s = strings.ReplaceAll(strings.ReplaceAll(s, "color", "colour"), "favorite", "favourite")
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", "_"), "-", "_")
}
