package merge_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
)

var noon = time.Date(2024, 3, 6, 12, 0, 0, 0, time.UTC)

// fact is a memory that was said day days after noon.
func fact(day int, subject, slot, value string) lukasa.Memory {
	return lukasa.Memory{
		ID: lukasa.ID(fmt.Sprintf("mem_%s_%s_%s_%d", subject, slot, value, day)), Kind: lukasa.KindFact, Subject: subject, Slot: slot, Value: value,
		Content: subject + " " + slot + " " + value, Confidence: 0.9, RecordedAt: noon.AddDate(0, 0, day), IsLatest: true,
	}
}

func with(m lukasa.Memory, change func(*lukasa.Memory)) lukasa.Memory {
	m.Metadata = maps.Clone(m.Metadata)
	if m.Metadata == nil {
		m.Metadata = map[string]any{}
	}
	change(&m)
	return m
}

func set(key string, v any) func(*lukasa.Memory) {
	return func(m *lukasa.Memory) { m.Metadata[key] = v }
}

func TestSupersedes(t *testing.T) { // D-4
	t.Parallel()
	day := func(d int) *time.Time { t := noon.AddDate(0, 0, d); return &t }
	paris, lyon := fact(0, "Ana", "lives_in", "Paris"), fact(10, "Ana", "lives_in", "Lyon")
	likes := with(fact(0, "Ana", "opinion:coffee", "coffee"), set(merge.KeyPredicate, "likes"))
	dislikes := with(fact(10, "Ana", "opinion:Coffee", "Coffee"), set(merge.KeyPredicate, "dislikes"))
	quit := with(with(fact(10, "Ana", "works_at", "Acme"), set(merge.KeyEnded, true)), func(m *lukasa.Memory) { m.ValidTo = day(10) })
	uses := with(fact(0, "Ana", "", "SQLite"), set(merge.KeyPredicate, "uses"))
	habit := func(does string) lukasa.Memory {
		m := fact(0, "Ana", "", "")
		m.Content, m.Tags = "Ana "+does+".", []string{"habit"}
		return m
	}
	stopped := func(what, rest string) lukasa.Memory {
		m := with(fact(10, "Ana", "", what), set(merge.KeyPredicate, "stopped"))
		m.Content, m.Tags = "Ana stopped "+what+rest, []string{"habit"}
		return m
	}
	tests := []struct {
		name         string
		older, newer lukasa.Memory
		reason       string
	}{
		{"another value", paris, lyon, merge.ReasonValue},
		{"older evidence", lyon, paris, ""},
		{"the same value", paris, fact(10, "ana", "lives_in", "paris."), ""},
		{"more exact", paris, fact(10, "Ana", "lives_in", "Paris, France"), ""},
		{"a longer number is another number", fact(0, "Ana", "age", "3"), fact(10, "Ana", "age", "34"), merge.ReasonValue},
		{"another person", paris, fact(10, "Ben", "lives_in", "Lyon"), ""},
		{"nobody", fact(0, "", "deadline", "2024-04-01"), fact(10, "", "deadline", "2024-05-01"), ""},
		{"another slot", paris, fact(10, "Ana", "works_at", "Lyon"), ""},
		{"many values at a time", with(fact(0, "Ana", "", "Rex"), set(merge.KeyPredicate, "has_pet")), with(fact(10, "Ana", "", "Mia"),
			set(merge.KeyPredicate, "has_pet")), ""},
		{"a guess", paris, with(lyon, func(m *lukasa.Memory) { m.Confidence = 0.4 }), ""},
		{"a web page against the user", with(paris, func(m *lukasa.Memory) { m.Origin = lukasa.OriginUser }), with(lyon,
			func(m *lukasa.Memory) { m.Origin = lukasa.OriginWeb }), ""},
		{"quarantined", paris, with(lyon, func(m *lukasa.Memory) { m.State = lukasa.MemoryQuarantined }), ""},
		{"an old letter imported today", paris, with(lyon, set(merge.KeySaidAt, noon.AddDate(-1, 0, 0).Format(time.RFC3339))), ""},
		{"of a time before", with(paris, func(m *lukasa.Memory) { m.ValidFrom = day(-100) }), with(lyon, func(m *lukasa.Memory) {
			m.ValidFrom,
				m.ValidTo = day(-900), day(-500)
		}), ""},
		{"a change of mind", likes, dislikes, merge.ReasonOpinion},
		{"the same opinion", likes, with(fact(10, "Ana", "opinion:coffee", "coffee"), set(merge.KeyPredicate, "likes")), ""},
		{"over", fact(0, "Ana", "works_at", "Acme"), quit, merge.ReasonEnded},
		{"something else is over", fact(0, "Ana", "works_at", "Initech"), quit, ""},
		{"over, then elsewhere", quit, fact(20, "Ana", "works_at", "Initech"), ""},
		{"over, of many", with(fact(0, "Ana", "", "Rex"), set(merge.KeyPredicate, "has_pet")), with(with(fact(9, "Ana", "", "Rex"),
			set(merge.KeyPredicate, "has_pet")), set(merge.KeyEnded, true)), merge.ReasonEnded},
		{"corrected", fact(0, "Ana", "name", "Anna"), with(fact(1, "Ana", "name", "Ana"), set(merge.KeyCorrects, "Anna")), merge.ReasonCorrect},
		{"traded", uses, with(fact(10, "Ana", "", "PostgreSQL"), set(merge.KeyCorrects, "sqlite")), merge.ReasonTraded},
		{"a version", fact(0, "Ana", "uses:go", "Go 1.25"), fact(10, "Ana", "uses:go", "Go 1.26"), merge.ReasonVersion},
		{"moved to another day", with(fact(0, "Demo", "when:demo", "demo"), func(m *lukasa.Memory) { m.OccurredAt = day(30) }), with(fact(10, "Demo",
			"when:demo", "demo"), func(m *lukasa.Memory) { m.OccurredAt = day(40) }), merge.ReasonDate},
		{"where one is gives way to where one lives", fact(0, "Ana", "located_in", "Oslo"), lyon, merge.ReasonValue},
		{"where one lives stays when one travels", paris, fact(10, "Ana", "located_in", "Oslo"), ""},
		{"what was added without a slot is ended by none that has one", fact(3, "Ana", "", "tea"), with(fact(10, "Ana", "opinion:tea", "tea"), set(merge.KeyEnded, true)), ""},
		{"a habit is over", habit("goes for a run on Tuesdays"), stopped("running", ""), merge.ReasonEnded},
		{"a habit is over, by its thing", habit("drinks three coffees a day"), with(stopped("coffee", ""), set(merge.KeyPredicate, "gave_up")), merge.ReasonEnded},
		{"a habit is over, since", habit("eats meat twice a week"), stopped("eating meat", " after Easter"), merge.ReasonEnded},
		{"a game is over", habit("plays tennis every Sunday"), with(with(fact(10, "Ana", "", "tennis"), set(merge.KeyPredicate, "plays")), set(merge.KeyEnded, true)), merge.ReasonEnded},
		{"another habit", habit("goes for a swim on Tuesdays"), stopped("running", ""), ""},
		{"a part of a habit", habit("eats meat twice a week"), stopped("eating meat", " on Fridays"), ""},
		{"work is no habit", habit("works from home on Wednesdays"), stopped("working", ""), ""},
		{"a habit of somebody else", with(habit("goes for a run on Tuesdays"), func(m *lukasa.Memory) { m.Subject = "Ben" }), stopped("running", ""), ""},
		{"no habit", fact(0, "Ana", "", "runs a bakery"), stopped("running", ""), ""},
		{"what says nothing ends nothing", habit("goes for a run on Tuesdays"), with(stopped("it", ""), set(merge.KeyPredicate, "gave_up")), ""},
		{"a habit that begins again", stopped("running", ""), with(habit("goes for a run on Tuesdays"), func(m *lukasa.Memory) { m.RecordedAt = *day(20) }), ""},
	}
	for _, tt := range tests {
		ok, reason := merge.Supersedes(tt.older, tt.newer)
		if reason != tt.reason || ok != (tt.reason != "") {
			t.Errorf("%s: %v %q, want %q", tt.name, ok, reason, tt.reason)
		}
	}
}

// someMemory draws memories that are likely to meet.
func someMemory(t *rapid.T, day int) lukasa.Memory {
	m := fact(day, rapid.SampledFrom([]string{"Ana", "ana", "Ben"}).Draw(t, "subject"), rapid.SampledFrom([]string{
		"lives_in", "works_at",
		"located_in", "opinion:tea", "", "deadline",
	}).Draw(t, "slot"),
		rapid.SampledFrom([]string{"a", "b", "a b", ""}).Draw(t, "value"))
	m.Metadata = map[string]any{}
	if rapid.Bool().Draw(t, "ended") {
		m.Metadata[merge.KeyEnded] = true
	}
	m.Metadata[merge.KeyPredicate] = rapid.SampledFrom([]string{"likes", "dislikes", "has_pet", ""}).Draw(t, "predicate")
	m.Confidence = rapid.SampledFrom([]float64{0.3, 0.6, 0.9}).Draw(t, "confidence")
	m.Origin = rapid.SampledFrom([]lukasa.Origin{lukasa.OriginUser, lukasa.OriginWeb}).Draw(t, "origin")
	return m
}

func TestGivesUp(t *testing.T) { // D-4
	t.Parallel()
	for content, want := range map[string]string{
		"Ana says: we dropped Redis because it lost jobs.":         "Redis",
		"Ana says: we decided to drop Kafka.":                      "Kafka",
		"Ana says: we decided against exponential backoff.":        "exponential backoff",
		"Ana says: we decided against using the shared scheduler.": "shared scheduler",
		"Ben says: we stopped using our Jenkins box in May.":       "Jenkins box",
		"Ben says: we decided not to use Kafka for events.":        "Kafka",
		"Ben says: we are moving away from MySQL to PostgreSQL.":   "MySQL",
		"Ben says: we switched from npm to pnpm.":                  "",
		"Ben says: we got rid of Jenkins.":                         "Jenkins",
		"Ana says: we dropped Anna off at the station.":            "",
		"Ana says: we dropped the meeting.":                        "",
		"Ana says: we decided to use Redis for the job queue.":     "",
		"Ana says: we voted against it.":                           "",
		"Ana says: we dropped.":                                    "",
	} {
		m := lukasa.Memory{Kind: lukasa.KindDecision, Content: content}
		if got := merge.GivesUp(&m); got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
		if m.Kind = lukasa.KindFact; merge.GivesUp(&m) != "" {
			t.Errorf("%q as a fact", content)
		}
	}
}

func TestDecisionsAreReversed(t *testing.T) { // D-4
	t.Parallel()
	say := func(day int, who, content string) lukasa.Memory {
		m := with(fact(day, who, "", ""), set(merge.KeyShared, true))
		m.Kind, m.Content = lukasa.KindDecision, content
		return m
	}
	uses := with(fact(0, "Ana", "", "Redis"), set(merge.KeyPredicate, "uses"))
	adopt, drop := say(0, "Ana", "Ana says: we decided to use Redis."), say(9, "Ben", "Ben says: we dropped Redis.")
	alone := with(drop, func(m *lukasa.Memory) { delete(m.Metadata, merge.KeyShared) })
	for _, c := range []struct {
		older, newer lukasa.Memory
		want         bool
	}{
		{adopt, drop, true},
		{adopt, alone, false}, // Ben's own
		{drop, adopt, false},  // older evidence
		{drop, say(12, "Ana", "Ana says: we are going back to Redis."), true},
		{drop, say(12, "Ana", "Ana says: we told the board about Redis."), false},
		{drop, say(12, "Ana", "Ana says: we decided to drop Redis for good."), false},
		{with(uses, set(merge.KeyShared, true)), drop, true},
		{uses, drop, false},
	} {
		got, why := merge.Supersedes(c.older, c.newer)
		if got != c.want || got && why != merge.ReasonDecided {
			t.Errorf("%q, then %q: %v %q", c.older.Content, c.newer.Content, got, why)
		}
	}
}

func TestNoTwoSupersedeEachOther(t *testing.T) { // D-4
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := someMemory(t, rapid.IntRange(0, 3).Draw(t, "a"))
		b := someMemory(t, rapid.IntRange(0, 3).Draw(t, "b"))
		ab, _ := merge.Supersedes(a, b)
		ba, _ := merge.Supersedes(b, a)
		if ab && ba {
			t.Fatalf("%+v and %+v", a, b)
		}
		if self, _ := merge.Supersedes(a, a); self {
			t.Fatalf("%+v supersedes itself", a)
		}
		if ab && (a.Slot == "" && a.Metadata[merge.KeyPredicate] == "") {
			t.Fatalf("%+v has no slot", a)
		}
	})
}

func TestSettleDoesNotDependOnTheOrder(t *testing.T) { // D-4
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var list []lukasa.Memory
		for i := range rapid.IntRange(0, 12).Draw(t, "n") {
			list = append(list, someMemory(t, i))
		}
		want := byID(list, merge.Settle(list))
		mixed := slices.Clone(list)
		seed := rapid.Uint64().Draw(t, "seed")
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if got := byID(mixed, merge.Settle(mixed)); !maps.Equal(got, want) {
			t.Fatalf("%v, in another order %v", want, got)
		}
		for _, r := range merge.Settle(list) {
			if !merge.SaidAt(&list[r.New]).After(merge.SaidAt(&list[r.Old])) || r.Reason == "" {
				t.Fatalf("%+v", r)
			}
		}
	})
}

func byID(list []lukasa.Memory, rs []merge.Retirement) map[lukasa.ID]lukasa.ID {
	m := map[lukasa.ID]lukasa.ID{}
	for _, r := range rs {
		m[list[r.Old].ID] = list[r.New].ID
	}
	return m
}

func TestSettleIsAChain(t *testing.T) { // D-4: three homes one after another
	t.Parallel()
	list := []lukasa.Memory{
		fact(20, "Ana", "lives_in", "Oslo"), fact(0, "Ana", "lives_in", "Paris"), fact(10, "Ana", "lives_in", "Lyon"), fact(5, "Ben", "lives_in", "Rome"),
		fact(5, "Ana", "works_at", "Acme"), fact(15, "Ana", "likes", "jazz"),
	}
	got := merge.Settle(list)
	want := []merge.Retirement{{Old: 1, New: 2, Reason: merge.ReasonValue}, {Old: 2, New: 0, Reason: merge.ReasonValue}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestSame(t *testing.T) { // D-3: near-duplicates merge their sources
	t.Parallel()
	said := func(subject, content string) lukasa.Memory {
		return lukasa.Memory{Kind: lukasa.KindEpisode, Subject: subject, Content: content}
	}
	tests := []struct {
		a, b lukasa.Memory
		want bool
	}{
		{fact(0, "Ana", "lives_in", "Lyon"), fact(9, "ana", "lives_in", "Lyon."), true},
		{fact(0, "Ana", "lives_in", "Lyon"), fact(9, "Ana", "lives_in", "Paris"), false},
		{fact(0, "Ana", "lives_in", "Lyon"), fact(9, "Ben", "lives_in", "Lyon"), false},
		{said("Ana", "Ana bought a red bike in Lyon."), said("Ana", "Ana bought the red bike in Lyon"), true},
		{said("Ana", "Ana bought a red bike in Lyon."), said("Ana", "Ana did not buy a red bike in Lyon."), false},
		{said("Ana", "Ana owes Ben 50 euros."), said("Ana", "Ana owes Ben 60 euros."), false},
	}
	for _, tt := range tests {
		if merge.Same(tt.a, tt.b) != tt.want || merge.Same(tt.b, tt.a) != tt.want {
			t.Errorf("%q and %q: want %v", tt.a.Content, tt.b.Content, tt.want)
		}
	}
	a, b := fact(0, "Ana", "lives_in", "Lyon"), fact(9, "Ana", "lives_in", "Lyon")
	a.Sources = []lukasa.Source{{Message: "msg_1", End: 4}}
	b.Sources = []lukasa.Source{{Message: "msg_1", End: 4}, {Message: "msg_2", End: 7}}
	b.Confidence, b.Tags = 0.95, []string{"residence"}
	if got := merge.Join(a, b); len(got.Sources) != 2 || got.Confidence != 0.95 || len(got.Tags) != 1 || got.ID != a.ID || len(a.Sources) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestAliases(t *testing.T) { // T-4, N-7
	t.Parallel()
	names := []string{"Ana", "Ana Torres", "A. Torres", "Dr. Torres", "Benjamin Hall", "Ben", "Benny", "Tom Reed", "Tom Hill", "Tom", "Maya", "Lyon"}
	want := map[string]string{
		"Ana": "Ana Torres", "Ana Torres": "Ana Torres", "A. Torres": "Ana Torres", "Dr. Torres": "Ana Torres", "Benjamin Hall": "Benjamin Hall",
		"Ben":   "Benjamin Hall",
		"Benny": "Benjamin Hall", "Tom Reed": "Tom Reed", "Tom Hill": "Tom Hill", "Tom": "Tom", "Maya": "Maya", "Lyon": "Lyon",
	}
	for range 5 {
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		if got := merge.Aliases(names); !maps.Equal(got, want) {
			t.Fatalf("%v", got)
		}
	}
}

func TestAliasesOfMany(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 20000 {
		names = append(names, fmt.Sprintf("%c%cna Tor%dres", 'A'+i%26, 'a'+i/26%26, i))
	}
	start := time.Now()
	if got := merge.Aliases(names); len(got) != len(names) {
		t.Errorf("%d groups", len(got))
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("%v", took)
	}
}

func FuzzAliases(f *testing.F) {
	f.Add("Ana", "A. Torres", "Ana Torres")
	f.Add("Dr.", "", "’s")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		x, y := merge.Aliases([]string{a, b, c}), merge.Aliases([]string{c, a, b})
		if !maps.Equal(x, y) {
			t.Fatalf("%v and %v", x, y)
		}
	})
}
