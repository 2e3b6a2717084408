package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
)

// said reads messages "Speaker: text" as a dialogue and returns the statements of each.
func said(messages ...string) [][]rules.Statement {
	var d rules.Dialogue
	var out [][]rules.Statement
	for i, m := range messages {
		speaker, s, _ := strings.Cut(m, ": ")
		role := "user"
		if speaker == "Assistant" || speaker == "System" {
			role = strings.ToLower(speaker)
		}
		out = append(out, d.Read(rules.Input{Text: s, Speaker: speaker, Role: role, At: wednesday.Add(time.Duration(i) * time.Minute)}))
	}
	return out
}

func has(list []rules.Statement, subject, predicate, value string) bool {
	return slices.ContainsFunc(list, func(st rules.Statement) bool {
		return st.Subject == subject && st.Predicate == predicate && strings.Contains(st.Value+" "+st.Content, value)
	})
}

func TestDialogueKnowsWhomSheMeans(t *testing.T) { // D-5
	t.Parallel()
	got := said("Ana: My sister Clara is visiting on Friday.", "Ben: Nice!", "Ana: She lives in Oslo.", "Ana: Her husband Tom works at Equinor.")
	if !has(got[2], "Clara", "lives_in", "Oslo") || !has(got[3], "Clara", "husband", "Tom") || !has(got[3], "Tom", "works_at", "Equinor") {
		t.Errorf("%+v", got)
	}
	if got := said("Ana: Kevin called.", "Ana: She lives in Oslo."); len(got[1]) != 0 {
		t.Errorf("Kevin is no she: %+v", got[1])
	}
	late := said("Ana: My sister Clara called.", "Ben: a", "Ana: b", "Ben: c", "Ana: d", "Ana: She lives in Oslo.")
	if len(late[5]) != 0 {
		t.Errorf("too long ago: %+v", late[5])
	}
}

func TestDialogueCompletesAnswers(t *testing.T) { // D-5
	t.Parallel()
	for question, want := range map[string][3]string{
		"Where do you live now?":        {"Lyon", "lives_in", "Lyon"},
		"Where do you work these days?": {"Airbus", "works_at", "Airbus"},
		"How old are you?":              {"34", "age", "34"},
	} {
		got := said("Ben: "+question, "Ana: "+want[0]+".")
		if !has(got[1], "Ana", want[1], want[2]) {
			t.Errorf("%s %s: %+v", question, want[0], got[1])
		}
		if got := said("Ben: Nice weather.", "Ana: "+want[0]+"."); len(got[1]) != 0 {
			t.Errorf("no question, %s: %+v", want[0], got[1])
		}
		if got := said("Ana: "+question, "Ana: "+want[0]+"."); len(got[1]) != 0 {
			t.Errorf("asked by herself, %s: %+v", want[0], got[1])
		}
	}
}

func TestDialogueLeavesMachinesAlone(t *testing.T) { // D-5: an assistant with a name of its own is one all the same where a system speaks
	t.Parallel()
	var d rules.Dialogue
	d.Read(rules.Input{Role: "system", Text: "You are Forge.", At: wednesday})
	if got := d.Read(rules.Input{
		Role: "assistant", Speaker: "Forge", Text: "I live in Lyon and I decided to use SQLite.",
		At: wednesday,
	}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	for _, s := range []string{
		"Relevant memories:\n1. Ana prefers tabs.\n2. Ana lives in Lyon.", "<lukasa-brief id=\"b\" sig=\"s\">\n- Ana lives in Lyon.\n</lukasa-brief>",
		"From what I remember: my sister lives in Lyon. I work at Airbus.",
	} {
		if got := d.Read(rules.Input{Role: "user", Speaker: "Ana", Text: s, At: wednesday}); len(got) != 0 {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

// D-3: what somebody asks to remember is kept, whatever the judge would think of it; a question beside it does not take it away.
func TestDialogueKeepsWhatItIsAskedTo(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Remember that the payments team owns the ledger service.":     "the payments team owns the ledger service",
		"Don't forget that the keys are under the mat.":                "the keys are under the mat",
		"Remember that the tests need Docker. What else do they need?": "the tests need Docker",
		"The keys are under the mat.":                                  "",
		"The real question is whether to keep Redis.":                  "",
		"Do you remember that the keys are under the mat?":             "",
	} {
		var d rules.Dialogue
		var got []string
		for _, st := range d.Read(rules.Input{Role: "user", Speaker: "Ana", Text: s, At: wednesday}) {
			got = append(got, st.Content)
		}
		if all := strings.Join(got, "|"); want == "" && all != "" || !strings.Contains(all, want) {
			t.Errorf("%q: %q", s, got)
		}
	}
}

func TestDialogueEntities(t *testing.T) { // N-7
	t.Parallel()
	var d rules.Dialogue
	want := map[string]lexis.EntityType{
		"Tidewell": lexis.EntityOrganisation, "Viktor": lexis.EntityPerson, "Enugu": lexis.EntityPlace,
		"PostgreSQL": lexis.EntityProduct, "Amara": lexis.EntityPerson,
	}
	got := map[string]lexis.EntityType{}
	for _, s := range []string{
		"I work at Tidewell with my cofounder Viktor.", "Tidewell is growing. I was born in Enugu.",
		"viktor moved us to PostgreSQL.", "Thanks!",
	} {
		in := rules.Input{Text: s, Speaker: "Amara", Role: "user", At: wednesday}
		d.Read(in)
		for _, e := range d.Entities(in) {
			if e.Start < 0 || e.End > len(s) || s[e.Start:e.End] == "" {
				t.Fatalf("%+v", e)
			}
			name := e.Name
			if name == "viktor" {
				name = "Viktor"
			}
			if was, ok := got[name]; ok && was != e.Type {
				t.Errorf("%s was a %s and is a %s", name, was, e.Type)
			}
			got[name] = e.Type
		}
	}
	delete(want, "Amara") // nobody says her name
	for name, kind := range want {
		if got[name] != kind {
			t.Errorf("%s: %q, want %q (%v)", name, got[name], kind, got)
		}
	}
}

func TestTriples(t *testing.T) { // D-5, N-7: relations between entities
	t.Parallel()
	var got []string
	for _, st := range extract("My sister Clara lives in Oslo and works at Equinor. I love jazz. We use PostgreSQL. I'm 34 years old.") {
		if tr, ok := st.Triple(); ok {
			got = append(got, tr.From+" "+tr.Relation+" "+tr.To+" "+string(tr.ToKind))
		}
	}
	want := []string{"Ana sister Clara person", "Clara lives_in Oslo place", "Clara works_at Equinor organisation", "Ana uses PostgreSQL product"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOtherLanguagesYieldNothing(t *testing.T) { // D-5: the rules read English, and leave the rest alone
	t.Parallel()
	for _, s := range []string{
		"Ich wohne in Berlin und arbeite bei Siemens. Meine Schwester Clara lebt in Hamburg.",
		"J'habite à Lyon et je travaille chez Airbus. Ma sœur s'appelle Claire, elle aime le jazz.",
		"Vivo en Madrid y trabajo en Telefónica. Mi hermana se llama Lucía y tiene un perro.",
		"Moro em Lisboa e trabalho na EDP. O meu irmão Pedro vai casar em maio.",
		"Abito a Roma e lavoro per la Rai. Mia sorella si chiama Giulia.", "Ik woon in Utrecht en werk bij Philips. Mijn zus heet Anna.",
		"Mieszkam w Krakowie i pracuję w szkole.",
		"Я живу в Москве и работаю в школе.", "我住在北京，在腾讯工作。", "أعيش في القاهرة وأعمل في بنك.", "私は東京に住んでいます。", "Bugün İzmir'de Elif ile buluştum.",
	} {
		if got := extract(s); len(got) != 0 {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

func TestBrokenBytesDoNotShiftOffsets(t *testing.T) { // D-3: exact source spans
	t.Parallel()
	s := "\xff\xfe\xff caf\xc3 broken. I live in Lyon.\xff"
	got := extract(s)
	if len(got) != 1 || s[got[0].Start:got[0].End] != "I live in Lyon" {
		t.Errorf("%+v", got)
	}
}

func TestStatementAsMemory(t *testing.T) { // D-3, D-4
	t.Parallel()
	old, now := extract("I work at Google."), extract("I no longer work at Google.")
	if len(old) != 1 || len(now) != 1 {
		t.Fatalf("%+v %+v", old, now)
	}
	a, b := old[0].Memory(wednesday), now[0].Memory(wednesday.AddDate(0, 1, 0))
	if a.Metadata[merge.KeyPredicate] != "works_at" || a.Extractor != rules.Version || !a.IsLatest || b.Metadata[merge.KeyEnded] != true {
		t.Errorf("%+v\n%+v", a, b)
	}
	if ok, why := merge.Supersedes(a, b); !ok || why != merge.ReasonEnded {
		t.Errorf("%v %q", ok, why)
	}
	if m := (&rules.Statement{Kind: lukasa.KindFact, Quarantined: true}).Memory(time.Time{}); m.State != lukasa.MemoryQuarantined ||
		m.Metadata[merge.KeySaidAt] != nil {
		t.Errorf("%+v", m)
	}
}

func FuzzDialogue(f *testing.F) {
	for _, s := range []string{
		"Where do you live?",
		"Lyon.", "She lives in Oslo.", "it's the 18th, not the 16th", "the wedding is on the 27th now",
		"- call Tom\n- always use tabs", "that's Idris, he's our conservator", "\xff+351 912 number new",
	} {
		f.Add(s, "My sister Clara is getting married on May 20. I start on the 16th.")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var d rules.Dialogue
		for i, s := range []string{b, a, a + " " + b, b + "\n" + a} {
			in := rules.Input{Text: s, Speaker: []string{"Ana", "Ben"}[i%2], Role: "user", At: wednesday}
			for _, st := range d.Read(in) {
				checkStatement(t, in, st)
				st.Memory(in.At)
				st.Triple()
			}
			d.Entities(in)
		}
	})
}

func TestDialogueStaysSmallAndLinear(t *testing.T) {
	t.Parallel()
	var d rules.Dialogue
	start := time.Now()
	for i := range 20000 {
		name := string([]byte{byte('A' + i%26), byte('a' + i/26%26), byte('a' + i/676%26), 'n'})
		in := rules.Input{
			Text:    "My friend " + name + " moved to Lyon on May " + string(rune('1'+i%9)) + ". She works at " + name + "soft.",
			Speaker: "Ana", Role: "user", At: wednesday,
		}
		if got := d.Read(in); i < 100 && len(got) == 0 {
			t.Fatalf("%q: nothing", in.Text)
		}
		d.Entities(in)
	}
	if took := time.Since(start); took > 60*time.Second {
		t.Errorf("%v for 20,000 messages", took)
	}
}

// What an earlier message said is put right by one that says no more than what is wrong and what is right.
func TestDialoguePutsRight(t *testing.T) { // D-4
	t.Parallel()
	for message, want := range map[string][2]string{
		"Sorry, not Paris, Lyon.":          {"Lyon", "Paris"},
		"Wait, I meant Lyon, not Paris.":   {"Lyon", "Paris"},
		"No, it's Lyon, not Paris!":        {"Lyon", "Paris"},
		"Lyon, not Paris":                  {"Lyon", "Paris"},
		"Not in Paris but in New Orleans.": {"New Orleans", "Paris"},
		"I mean Lyon, not Paris.":          {"Lyon", "Paris"},
		"Oops, not Martin, Nadia.":         {"Nadia", "Martin"},
	} {
		got := said("Ben: I live in Paris.", "Ben: My boss is called Martin.", "Ana: Oh, nice!", "Ben: "+message)[3]
		if len(got) != 1 || got[0].Value != want[0] || got[0].Corrects != want[1] || !strings.Contains(got[0].Content, want[0]) || strings.Contains(got[0].Content, want[1]) {
			t.Errorf("%q: %+v", message, got)
		}
	}
	twice := said("Ben: I live in Paris.", "Ben: Sorry, not Paris, Lyon.", "Ben: Wait, I meant Grenoble, not Lyon.")
	if !has(twice[2], "Ben", "lives_in", "Grenoble") || twice[2][0].Corrects != "Lyon" {
		t.Errorf("%+v", twice)
	}
	for _, message := range []string{"Ben: Not Berlin, Lyon.", "Ana: Not Paris, Lyon.", "Ben: Not now, later.", "Ben: Not Paris, I think we should rather talk about Lyon.", "Ben: Why not Paris, Lyon?"} {
		if got := said("Ben: I live in Paris.", message)[1]; len(got) != 0 {
			t.Errorf("%q: %+v", message, got)
		}
	}
}

// Somebody else may be what somebody was: the name that is known for "my boss" is not who the new one is.
func TestDialogueMeetsSuccessors(t *testing.T) { // D-4
	t.Parallel()
	for _, message := range []string{"My boss is Nadia now.", "My boss is Nadia.", "Actually my boss is Nadia now, Martin left.", "My new boss is Nadia.", "My boss is now Nadia.", "My boss is Olga now."} {
		got := said("Ben: My boss is called Martin.", "Ben: "+message)[1]
		if !has(got, "Ben", "boss", "Nadia") && !has(got, "Ben", "boss", "Olga") || slices.ContainsFunc(got, func(st rules.Statement) bool { return strings.HasPrefix(st.Content, "Martin is") }) {
			t.Errorf("%q: %+v", message, got)
		}
	}
	for _, message := range []string{"My boss is Vice President now.", "My boss is CEO of Acme now.", "My boss is German.", "My boss is Catholic.", "My boss is a lawyer."} {
		if got := said("Ben: My boss is called Martin.", "Ben: "+message)[1]; slices.ContainsFunc(got, func(st rules.Statement) bool { return st.Predicate == "boss" }) {
			t.Errorf("%q: %+v", message, got)
		}
	}
}
