package lexis

import "strings"

// The tables in this file are lists of nouns and verbs that statements are made of. They are read only.

// Meetings are things that take place at a time.
var Meetings = Words(`meeting exam interview flight wedding party concert presentation surgery operation checkup appointment call demo conference
	workshop lesson class rehearsal game
	match race funeral graduation ceremony launch opening closing housewarming exhibition inauguration review standup retro retrospective kickoff
	webinar talk lecture seminar test trip vacation holiday move moving train`)

// Relations are the words for people (and animals) that someone has. The value is the predicate.
var Relations = relationTable(`mother mom=mother mum=mother mama=mother mam=mother mummy=mother mommy=mother
	father dad=father papa=father daddy=father parents
	gran=grandmother nan=grandmother nana=grandmother nanna=grandmother grandad=grandfather granddad=grandfather gramps=grandfather auntie=aunt
	aunty=aunt great-aunt great-uncle great-grandmother great-grandfather half-brother half-sister stepdad=stepfather stepmum=stepmother
	stepmom=stepmother bro=brother sis=sister godson goddaughter godmother godfather mate=friend pal=friend bestie=friend tenant trainer
	housemates flatmates successor predecessor goddaughter gp=doctor physio=physiotherapist physiotherapist midwife optician psychologist
	psychiatrist agent instructor apprentice intern sister brother son daughter wife
	husband partner
	girlfriend boyfriend gf=girlfriend bf=boyfriend hubby=husband wifey=wife fiancé=fiance fiance fiancée=fiance fiancee=fiance aunt uncle cousin
	niece nephew grandmother grandma=grandmother granny=grandmother grandfather grandpa=grandfather
	grandson granddaughter child grandparents stepmother stepfather stepson stepdaughter stepsister stepbrother mother-in-law father-in-law
	sister-in-law brother-in-law son-in-law daughter-in-law
	friend colleague coworker=colleague co-worker=colleague boss manager supervisor mentor roommate flatmate=roommate housemate=roommate neighbour
	neighbor=neighbour ex-husband ex-wife ex-girlfriend ex-boyfriend landlord landlady
	teacher tutor doctor dentist therapist lawyer accountant assistant cofounder=co-founder co-founder coach kids children baby twins ex spouse
	dog=pet cat=pet puppy=pet kitten=pet parrot=pet rabbit=pet hamster=pet horse=pet pony=pet turtle=pet tortoise=pet budgie=pet canary=pet
	goldfish=pet ferret=pet hen=pet chicken=pet gecko=pet snake=pet lizard=pet labrador=pet spaniel=pet terrier=pet beagle=pet lurcher=pet
	greyhound=pet whippet=pet poodle=pet dachshund=pet collie=pet`)

func relationTable(list string) map[string]string {
	m := map[string]string{}
	for w := range strings.FieldsSeq(list) {
		word, rel, ok := strings.Cut(w, "=")
		if !ok {
			rel = word
		}
		m[word] = rel
	}
	return m
}

// Parents are relatives whom one calls by that word alone.
var Parents = Words("mum mom mama mummy mommy mam dad daddy papa grandma grandpa granny nana nan gran grandad granddad")

// Degrees are what one has from a university.
var Degrees = Words("phd doctorate mba bachelor bachelor's master master's degree diploma ba bsc msc")

// Appointments are things that one has at a time.
var Appointments = Words(`appointment meeting exam interview flight wedding party concert presentation surgery operation checkup check-up call
	date demo recital gig shift audition scan biopsy hearing viewing inspection sleepover playdate deadline test lesson class rehearsal game match
	race conference workshop visit training reservation`)

// Ailments are illnesses that last.
var Ailments = Words(`diabetes asthma adhd epilepsy arthritis insomnia hypertension migraines eczema dyslexia autism anemia psoriasis allergies
	cancer anaemia tinnitus endometriosis osteoporosis fibromyalgia glaucoma vertigo dementia alzheimer's parkinson's gout hayfever depression
	anxiety ocd ptsd ibs pcos scoliosis psoriasis lupus`)

// Ills are what happens to somebody's health once.
var Ills = Words(`stroke surgery operation accident miscarriage fall attack scan biopsy seizure concussion transplant procedure relapse caesarean
	c-section chemo chemotherapy radiotherapy bypass pacemaker`)

// Visits are whom one sees by appointment, and what for.
var Visits = Words(`dentist doctor doctor's gp physio vet optician hairdresser haircut barber therapy therapist chemo scan mri x-ray midwife hospital
	jab vaccine vaccination blood-test check-up checkup mot service interview driving-test exam orthodontist hygienist dermatologist counselling
	parents-evening appointment viewing delivery plumber electrician`)

// Ownable are things that one has for years.
var Ownable = Words(`car bike bicycle motorcycle motorbike scooter van truck boat yacht house flat apartment cottage cabin garden greenhouse
	piano guitar violin cello drum
	camera laptop macbook iphone telescope tent caravan motorhome farm shop bakery restaurant company business website blog podcast kayak surfboard
	garage studio farm allotment synthesizer synthesiser sewing-machine`)

// Games are what one plays without being named like an instrument.
var Games = Words(`football soccer basketball tennis chess golf badminton volleyball hockey cricket rugby baseball handball squash poker bridge
	go piano guitar violin cello drums bass flute
	saxophone trumpet clarinet harp ukulele organ accordion viola trombone banjo keyboard padel pool darts`)

// Jobs are the head nouns of job titles.
var Jobs = Words(jobsFile)

// LeadingJobs are titles whose "of" names the employer.
var LeadingJobs = Words("ceo cto cfo coo cio founder co-founder owner president chairman chairwoman chair")

// Diets are what people say they are at table.
var Diets = Words("vegetarian vegan pescatarian pescetarian coeliac celiac lactose-intolerant gluten-free flexitarian halal kosher")

// Nationalities are adjectives of countries.
var Nationalities = Words(nationalitiesFile)

// Idle are verbs that tell of thoughts, feelings and talk: what is said with them is no memory by itself.
var Idle = Words(`be think know hope feel guess mean see look sound seem say ask wonder wish believe understand forget remember worry agree hear
	expect suppose imagine
	doubt swear promise admit argue claim suggest mention notice appear care mind matter happen thank let keep try like love hate want prefer need
	laugh cry smile joke sleep wait stay stop talk chat deserve depend belong regret relate exist laugh blame bother bless kiss add show help`)

// Starts are verbs whose present form tells what is arranged for a day.
var Starts = Words("start begin leave arrive depart launch open close end go move graduate retire return land fly finish join expire")

// Changes are verbs whose past tells something that lasts, whatever their object.
var Changes = Words(`buy sell quit lose break adopt win switch rent trade sign cancel propose upgrade downgrade migrate donate sprain injure
	inherit replace rescue foster hire fire
	publish launch ship release rename relocate resign retire graduate marry divorce separate swap convert fail`)

// Vague are words for things that the text names elsewhere, or nowhere.
var Vague = Words(`it this that these those them him her me us you thing things stuff something anything everything nothing someone anyone
	everyone somebody nobody one ones
	lot bit way time day days while part rest kind sort there here again well better fine good bad ok much more less enough too all both each best
	worst mine yours ours home back`)

// Traits are adjectives and participles for states that last.
var Traits = Words(`single married divorced widowed engaged retired unemployed self-employed freelance remote vegetarian vegan pescatarian
	pregnant diabetic asthmatic anemic anaemic autistic dyslexic
	intolerant allergic left-handed right-handed colour-blind colorblind short-sighted deaf blind bilingual coeliac celiac adopted disabled written
	deprecated hosted open-source closed
	religious jewish muslim catholic christian buddhist hindu atheist gay lesbian bisexual trans nonbinary queer down offline`)

// Ready are what a thing is when it is done.
var Ready = Words("done finished complete completed merged shipped live ready released deployed published launched fixed signed submitted")

// Workplaces are where one works who is "at the …".
var Workplaces = Words(`clinic hospital bank school office university college library museum factory bakery restaurant hotel airport lab
	laboratory ministry firm agency studio warehouse council embassy nursery farm shop store post pharmacy brewery`)

// Dwellings are what one lives in.
var Dwellings = Words("room flat apartment house studio cottage place bedsit condo loft bungalow flatshare")

// Praise are nouns that judge and do not tell.
var Praise = Words(`joke mess pain nightmare dream shame pity relief surprise disaster treat miracle genius idiot angel star hero legend fool
	saint monster beast gem delight joy
	challenge blast bummer drag bargain steal must miss sign reminder start pleasure honour honor nuisance no-brainer given plus minus bonus win
	loss fan friend`)

// Nicknames maps short forms to the name that they most often stand for.
var Nicknames = map[string]string{
	"bob": "robert", "rob": "robert", "bobby": "robert", "bill": "william", "billy": "william", "will": "william", "liz": "elizabeth",
	"beth": "elizabeth", "betty": "elizabeth",
	"peggy": "margaret", "maggie": "margaret", "meg": "margaret", "dick": "richard", "rick": "richard", "jack": "john", "jim": "james",
	"jimmy": "james", "mike": "michael",
	"mick": "michael", "tony": "anthony", "ted": "edward", "ned": "edward", "kate": "katherine", "katie": "katherine", "kathy": "katherine",
	"sasha": "alexander", "alex": "alexander",
	"sandy": "alexandra", "harry": "henry", "hank": "henry", "chuck": "charles", "charlie": "charles", "steve": "stephen", "andy": "andrew",
	"drew": "andrew", "pepe": "josé", "nacho": "ignacio",
	"paco": "francisco", "dave": "david", "joe": "joseph", "becky": "rebecca", "jenny": "jennifer", "sue": "susan", "nick": "nicholas",
	"theo": "theodore", "gus": "august", "len": "leonard",
	"larry": "lawrence", "jerry": "gerald", "molly": "mary", "polly": "mary", "nell": "eleanor", "ellie": "eleanor", "lena": "helena",
	"hans": "johannes", "fritz": "friedrich",
	"matt": "matthew", "pat": "patricia", "tom": "thomas", "tim": "timothy", "greg": "gregory", "ron": "ronald", "don": "donald", "ken": "kenneth",
	"ray": "raymond",
}

// Males and Females are given names that are (nearly) always of men and of women: enough to keep "she" from meaning Kevin.
var (
	Males   = Words(malesFile)
	Females = Words(femalesFile)
)

// Attributes are the heads of noun phrases whose value is worth keeping, with their predicate.
var Attributes = map[string]string{
	"deadline": "deadline", "budget": "budget", "password": "password", "passphrase": "password", "address": "address", "email": "email",
	"e-mail": "email", "database": "database", "editor": "editor", "salary": "salary", "rent": "rent", "timezone": "timezone", "hometown": "from",
	"nickname":    "nickname",
	"nationality": "nationality", "age": "age", "birthday": "birthday", "name": "name", "surname": "surname", "hobby": "hobby", "height": "height",
	"weight": "weight",
	"stack":  "stack", "license": "license", "licence": "license", "username": "username", "website": "website", "blog": "blog", "goal": "goal",
	"pin": "pin", "plate": "plate", "handle": "handle", "contact": "contact", "diet": "diet", "shift": "shift", "locker": "locker",
	"extension": "extension",
	"allergy":   "allergic_to", "profession": "job_title", "occupation": "job_title", "job": "job_title", "employer": "works_at", "domain": "domain",
	"start": "start_date", "number": "phone_number", "framework": "framework", "motto": "motto", "dream": "dream",
	"car": "car", "phone": "phone", "laptop": "laptop", "bike": "bike", "computer": "computer", "camera": "camera", "tablet": "tablet",
}

// TwoWords are heads of two words.
var TwoWords = map[string]string{
	"phone number": "phone_number", "launch date": "launch_date", "release date": "release_date", "due date": "due_date", "job title": "job_title",
	"email address": "email", "home town": "from", "mother tongue": "native_language", "native language": "native_language", "time zone": "timezone",
	"start date": "start_date",
	"end date":   "end_date", "blood type": "blood_type", "shoe size": "shoe_size", "license plate": "plate", "wedding date": "wedding_date",
	"home address": "address", "move date": "move_date",
}
