package rank_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/rank"
)

func TestContextReachesNeighbours(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "Ann", "Nothing here.", ""},
		line{"a", "Ben", "Which violin did the teacher recommend?", ""},
		line{"a", "Ann", "The old one.", ""},
		line{"b", "Ben", "Quiet day.", ""},
		line{"b", "Ann", "Indeed.", ""},
	)
	got := w.measure("violin teacher", rank.SignContext)
	if got[1] != 1 {
		t.Errorf("the best candidate has %v, want 1", got[1])
	}
	if !(got[2] > 0 && got[2] < got[1]) || !(got[0] > 0 && got[0] < got[2]) {
		t.Errorf("neighbours have %v: want the one behind before the one ahead, and both below the best", got[:3])
	}
	if got[3] != 0 || got[4] != 0 {
		t.Errorf("another session has %v, want nothing", got[3:])
	}
}

func TestAStrayWordCountsLess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "", "The violin is old.", ""}, line{"b", "", "A teacher came.", ""}, line{"c", "Ann", "Hello.", ""})
	for question, want := range map[string]float32{
		"violin":                1,   // all that was asked for
		"violin teacher":        .35, // one of two words
		"violin unheard":        .35,
		"What violin does Ann?": 1, // a speaker's name is not a word of the query
	} {
		if got := best(w.measure(question, rank.SignContext)); got != want {
			t.Errorf("%q: the best text counts %v, want %v", question, got, want)
		}
	}
	both := newWorld(t, line{"a", "", "The violin teacher.", ""}, line{"b", "", "A violin.", ""})
	if got := best(both.measure("violin teacher", rank.SignContext)); got != 1 {
		t.Errorf("with both words: %v, want 1", got)
	}
}

// Of notes a common stray word counts still less than a rare one, and so does a neighbour in meaning, nothing where no note has any word.
func TestAStrayWordInNotes(t *testing.T) {
	t.Parallel()
	notes := []line{
		{"a", "", "The violin is old.", ""},
		{"b", "", "Tea for two.", ""},
		{"c", "", "Tea and cake.", ""},
		{"d", "", "Green tea.", ""},
		{"e", "", "Violet paint.", ""},
		{"f", "", "Rain again.", ""},
	}
	spoken := append(slices.Clone(notes), line{"g", "Ann", "Hello.", ""})
	for _, c := range []struct {
		question            string
		text, spoken, alike float64
	}{
		{"violin unheard", .42, .35, .45}, // stands in one note
		{"tea unheard", .1, .35, .45},
		{"tea", 1, 1, 1},                      // all that was asked for
		{"violin old unheard", 1, 1, 1},       // two words of three
		{"unseen unheard", 0, 0, 0},           // nothing: the meaning of the whole decides
		{"tea violin unheard", .42, .35, .45}, // two words, of two notes
	} {
		measure := func(lines []line) (text, alike float64) {
			w := newWorld(t, lines...)
			s := w.scene(c.question)
			s.Alike = each(func(term uint32, near []float32) {
				if term == w.id("rain") {
					near[len(s.Terms)-1] = 1
				}
			})
			return float64(best(signOf(s, rank.SignContext))), float64(best(signOf(s, rank.SignAlike)))
		}
		text, alike := measure(notes)
		said, full := measure(spoken)
		if math.Abs(text-c.text) > 1e-6 || math.Abs(said-c.spoken) > 1e-6 {
			t.Errorf("%q: the best text counts %v, want %v; beside what is said %v, want %v", c.question, text, c.text, said, c.spoken)
		}
		if full > 0 && math.Abs(alike/full-c.alike) > .05 {
			t.Errorf("%q: likeness counts %v, beside what is said %v, want %v of it", c.question, alike, full, c.alike)
		}
	}
}

func TestLongTextsNeedNoNeighbours(t *testing.T) {
	t.Parallel()
	short := newWorld(t, line{"a", "", "violin teacher", ""}, line{"a", "", chatter(10), ""})
	long := newWorld(t, line{"a", "", "violin teacher", ""}, line{"a", "", chatter(300), ""})
	s, l := short.measure("violin", rank.SignContext)[1], long.measure("violin", rank.SignContext)[1]
	if !(l < s) {
		t.Errorf("a long text takes %v from its neighbour, a short one %v", l, s)
	}
}

func TestSpeaker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "Ann", "I swim.", ""}, line{"a", "Ben", "I run.", ""}, line{"a", "assistant", "Fine.", ""})
	for _, c := range []struct {
		question string
		want     [3]float32
	}{
		{"What does Ann do?", [3]float32{1, 0, 0}},
		{"What is Ben's sport?", [3]float32{0, 1, 0}},
		{"What do Ann and Ben do?", [3]float32{}},
		{"What do they do?", [3]float32{}},
	} {
		if got := w.measure(c.question, rank.SignSpeaker); [3]float32(got) != c.want {
			t.Errorf("%q: %v, want %v", c.question, got, c.want)
		}
	}
}

func TestRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "user", "A recipe for bread, please.", ""}, line{"a", "assistant", "The bread recipe takes flour.", ""})
	if got := w.measure("Which bread did I want?", rank.SignRole); !(got[0] > 0) || got[1] != 0 {
		t.Errorf("asked by I: %v", got)
	}
	if got := w.measure("Which bread did you recommend?", rank.SignRole); got[0] != 0 || !(got[1] > 0) {
		t.Errorf("asked by you: %v", got)
	}
	if got := w.measure("Which bread was it?", rank.SignRole); got[0] != 0 || got[1] != 0 {
		t.Errorf("asked by neither: %v", got)
	}
}

func TestAnswersToTheKindOfQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "Ann", "The concert was last week.", ""},
		line{"b", "Ann", "The concert had seven encores.", ""},
		line{"c", "Ann", "The concert pleased me.", ""},
		line{"d", "Ann", "The concert, was it good?", ""},
	)
	only := func(question string, sign rank.Sign, want int) {
		t.Helper()
		for i, x := range w.measure(question, sign) {
			if (x > 0) != (i == want) {
				t.Errorf("%v for %q: line %d has %v", sign, question, i, x)
			}
		}
	}
	only("When was the concert?", rank.SignWhen, 0)
	only("Who gave the concert?", rank.SignWhen, -1)
	only("How many encores had the concert?", rank.SignMany, 1)
	only("Which encores had the concert?", rank.SignMany, -1)
	only("the concert", rank.SignSelf, 2)
	only("the concert", rank.SignSelfDensity, 2)
	only("the concert", rank.SignQuestion, 3)
}

func TestNamesAndLength(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "Ben", `we met Ada in Paris for "Hamlet"`, ""}, line{"b", "Ben", "nothing", ""},
		line{"c", "Ben", chatter(60), ""}, line{"d", "", `we met Ada in Paris for "Hamlet"`, ""})
	names := w.measure("x", rank.SignNames)
	if names[0] != 1 || names[1] != 0 || names[3] != 0 { // a document is not small talk: names do not set it off
		t.Errorf("names: %v", names)
	}
	length := w.measure("x", rank.SignLength)
	if !(length[1] > 0 && length[1] < length[0] && length[0] < length[2]) || length[2] != 1 || length[3] != 0 {
		t.Errorf("length: %v", length)
	}
	if got := w.measure("x", rank.SignChatLength); got[2] != 0 {
		t.Errorf("people's talk has the length of an assistant's: %v", got)
	}
}

func TestWhatStandsBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "Ann", "Which instrument do you play?", ""},
		line{"a", "Ben", "The cello.", ""},
		line{"b", "Ann", "My instrument is old.", ""},
		line{"b", "Ben", "Mine too.", ""},
	)
	after := w.measure("What instrument?", rank.SignAfterQuestion)
	if !(after[1] > 0) || after[3] != 0 || after[0] != 0 {
		t.Errorf("after a question: %v", after)
	}
	any := w.measure("What instrument?", rank.SignAfterStatement)
	if !(any[1] > 0) || !(any[3] > 0) {
		t.Errorf("after anything: %v", any)
	}
}

func TestChatSigns(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "user", "Tell me about cellos.", ""},
		line{"a", "assistant", "A cello has four strings.", ""},
		line{"b", "user", "Thank you.", ""},
	)
	prev := w.measure("cello?", rank.SignChatPrevious)
	if prev[0] != 0 || !(prev[1] > 0) {
		t.Errorf("previous: %v", prev)
	}
	for _, pair := range [][2]rank.Sign{{rank.SignChatLength, rank.SignLength}, {rank.SignChatSession, rank.SignSession}, {rank.SignChatFeedback, rank.SignFeedback}} {
		a, b := w.measure("cello?", pair[0]), w.measure("cello?", pair[1])
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("%v is %v and %v is %v", pair[0], a, pair[1], b)
			}
		}
	}
}

// Where somebody speaks under a name, whose turns are never held to be long, the answers of the assistant are so a little only.
func TestAnswersToSomebodyWithAName(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "Mira", "Tell me about cellos.", ""},
		line{"a", "assistant", "A cello has four strings.", ""},
		line{"b", "user", "Tell me about violins.", ""},
		line{"b", "assistant", "A violin has four strings.", ""},
	)
	for _, pair := range [][2]rank.Sign{{rank.SignChatLength, rank.SignLength}, {rank.SignChatFeedback, rank.SignFeedback}} {
		got, full := w.measure("what has strings?", pair[0]), w.measure("what has strings?", pair[1])
		for i, share := range []float64{0, .3, 1, 1} {
			if want := share * float64(full[i]); math.Abs(float64(got[i])-want) > 1e-6 {
				t.Errorf("%v of line %d is %v, want %v", pair[0], i, got[i], want)
			}
		}
		if full[1] == 0 || full[3] == 0 {
			t.Fatalf("%v is %v", pair[1], full)
		}
	}
}

// A long answer that says just what is looked for is not held to be long: all the words that somebody typed to find them, or a name that is put
// together of several words and stands nowhere else.
func TestLongAnswersThatSayIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "user", "Hello there.", ""},
		line{"a", "assistant", "func retryWithBackoff is in backoff.go, beside the table of sales of EMEA.", ""},
		line{"a", "user", "The table is fine, the sales are fine, so is parseHTML.", ""},
		line{"a", "user", "More of parseHTML.", ""},
		line{"a", "user", "A parseHTML again.", ""},
	)
	for question, counts := range map[string]float32{ // of its length
		"retryWithBackoff":                   0,
		"retryWithBackoff?":                  0,
		"where is retryWithBackoff defined?": 0,
		"sales EMEA":                         0,
		"unheard of":                         1,
		"where are the sales of EMEA?":       1, // a question: of its words any answer is full
		"nothing of hats but sales of EMEA":  1,
	} {
		long, short := w.measure(question, rank.SignLength)[1], w.measure(question, rank.SignChatLength)[1]
		if got := short / long; math.Abs(float64(got-counts)) > 1e-6 {
			t.Errorf("%q: the length of the answer counts %v, want %v", question, got, counts)
		}
	}
	for _, question := range []string{"sales unheard", "sales hello"} { // one word of two
		if part := w.measure(question, rank.SignChatLength)[1] / w.measure(question, rank.SignLength)[1]; !(part > .5 && part < 1) {
			t.Errorf("%q: %v of the length counts", question, part)
		}
	}
	if often := w.measure("where is parseHTML?", rank.SignChatLength)[2] / w.measure("where is parseHTML?", rank.SignLength)[2]; !(often > .5) {
		t.Errorf("of a name that stands everywhere %v of the length counts", often)
	}
}

func TestDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "", "one", "2023-05-06"}, line{"a", "", "two", "2023-05-20"}, line{"a", "", "three", "2023-06-07"},
		line{"a", "", "four", "2022-05-07"}, line{"a", "", "five", ""},
	)
	for _, c := range []struct {
		question string
		want     [5]float32
	}{
		{"What happened in May?", [5]float32{1, 1, 0, 1, 0}},
		{"What happened in May 2023?", [5]float32{1, 1, 0, 0, 0}},
		{"What happened on 6 May, 2023?", [5]float32{1, .3, 0, 0, 0}},
		{"What happened on May 7th?", [5]float32{.95, .35, 0, 1, 0}},
		{"What may happen?", [5]float32{}},
	} {
		got := w.measure(c.question, rank.SignDate)
		for i, x := range got {
			if math.Abs(float64(x-c.want[i])) > 1e-6 {
				t.Errorf("%q: %v, want %v", c.question, got, c.want)
				break
			}
		}
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "Ann", "The garden needs water.", ""}, line{"a", "Ben", "Roses and tulips.", ""}, line{"a", "Ann", "A rose in the garden.", ""},
		line{"b", "Ann", "The garden is far.", ""}, line{"b", "Ben", "Well.", ""},
	)
	got := w.measure("roses garden tulips", rank.SignSession)
	if got[0] != 1 || got[1] != 1 || !(got[3] > 0 && got[3] < 1) {
		t.Errorf("session scores %v", got)
	}
	w = newWorld(t, line{"a", "Ann", "The garden needs water.", ""}, line{"a", "Ben", "Roses and tulips.", ""})
	if got := w.measure("roses garden tulips", rank.SignSession); got[0] != 0 || got[1] != 0 {
		t.Errorf("the only session has scores: %v", got)
	}
}

func TestFeedback(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "", "The violin sounded with the orchestra.", ""},
		line{"b", "", "A violin and an orchestra, loud.", ""},
		line{"c", "", "The orchestra travelled.", ""},
		line{"d", "", "Bread and butter.", ""},
		line{"e", "", "Rain again.", ""},
	)
	for name, frequency := range map[string]func([]uint32, []int){"by the items": nil, "by the index": func(terms []uint32, counts []int) {
		for i, id := range terms {
			counts[i] = w.df[id]
		}
	}} {
		s := w.scene("violin")
		s.Frequency = frequency
		if got := signOf(s, rank.SignFeedback); !(got[2] > 0) || got[3] != 0 || best(got) != 1 {
			t.Errorf("%s: %v: want a score for what shares the orchestra, none for the bread", name, got)
		}
	}
}

func best(v []float32) (top float32) {
	for _, x := range v {
		top = max(top, x)
	}
	return top
}

// each makes of an answer for one term what a scene asks for.
func each(fn func(term uint32, near []float32)) func(terms []uint32, near []float32) {
	return func(terms []uint32, near []float32) {
		n := len(near) / len(terms)
		for i, t := range terms {
			fn(t, near[i*n:(i+1)*n])
		}
	}
}

func TestAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "", "my car", ""}, line{"b", "", "my automobile", ""}, line{"c", "", "my banana", ""})
	s := w.scene("automobile")
	s.Alike = each(func(term uint32, near []float32) {
		if term == w.id("car") {
			near[0] = .6
		}
		if term == w.id("banana") {
			near[0] = .2 // too little
		}
	})
	got := signOf(s, rank.SignAlike)
	if math.Abs(float64(got[0]-.6)) > 1e-6 || got[1] != 0 || got[2] != 0 {
		t.Errorf("%v, want .6 for the car and nothing for the word itself", got)
	}
}

// A query of more terms than are looked at is compared by the first of them.
func TestAlikeOfALongQuery(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "Ann", "my car", ""}, line{"b", "Ann", "my banana", ""})
	s := w.scene("automobile")
	for range 100 {
		s.Terms = append(s.Terms, rank.Term{ID: rank.NoTerm, Count: 1})
	}
	s.Alike = each(func(term uint32, near []float32) {
		if len(near) != 64 {
			t.Errorf("%d terms are compared, want 64", len(near))
		}
		if term == w.id("car") {
			near[63] = .6
		}
	})
	if got := signOf(s, rank.SignAlike); !(got[0] > 0) || got[1] != 0 {
		t.Errorf("%v, want something for the car and nothing for the banana", got)
	}
}

// Texts of random letters, in which each word is another, do not have a vector made for every word.
func TestAlikeAsksForSoManyTerms(t *testing.T) {
	t.Parallel()
	lines := []line{{"first", "Ann", "my car", ""}}
	for i := range 60 {
		var b strings.Builder
		for j := range 200 {
			fmt.Fprintf(&b, "strange%dx%d ", i, j)
		}
		lines = append(lines, line{fmt.Sprint("noise", i), "Ann", b.String(), ""})
	}
	w := newWorld(t, lines...)
	s, asked := w.scene("automobile"), 0
	s.Alike = each(func(term uint32, near []float32) {
		if asked++; term == w.id("car") {
			near[0] = .6
		}
	})
	if got := signOf(s, rank.SignAlike); asked > 6144 || asked < 6000 || !(got[0] > 0) {
		t.Errorf("%d terms were asked about; the car counts %v", asked, got[0])
	}
}

// dots gives the items of a scene vectors in the plane, by angle in degrees; the query lies at 0.
func dots(angles ...float64) func(a, b int) float32 {
	at := func(i int) float64 {
		if i < 0 {
			return 0
		}
		return angles[i] * math.Pi / 180
	}
	return func(a, b int) float32 { return float32(math.Cos(at(a) - at(b))) }
}

func TestMeaning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "", "one", ""}, line{"a", "", "two", ""}, line{"b", "", "three", ""})
	s := w.scene("query")
	s.Dot = dots(0, 90, 60)
	got := signOf(s, rank.SignMeaning)
	// The first is (1, 0) + .3·(0, 1), the second (0, 1) + .6·(1, 0); the third stands alone.
	for i, want := range []float64{1 / math.Hypot(1, .3), .6 / math.Hypot(1, .6), .5} {
		if math.Abs(float64(got[i])-want) > 1e-5 {
			t.Errorf("meaning of %d is %v, want %v", i, got[i], want)
		}
	}
	topic := signOf(s, rank.SignTopic)
	// The mean of (1, 0) and (0, 1) lies at 45 degrees; what stands alone has no topic.
	for i, want := range []float64{math.Sqrt2 / 2, math.Sqrt2 / 2, 0} {
		if math.Abs(float64(topic[i])-want) > 1e-5 {
			t.Errorf("topic of %d is %v, want %v", i, topic[i], want)
		}
	}
	s.Items[0].Vector = false
	if got := signOf(s, rank.SignMeaning); got[0] != 0 || math.Abs(float64(got[1])) > 1e-6 {
		t.Errorf("without a vector: %v", got)
	}
}

func TestMeaningOfOtherSpaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "", "one", ""})
	s := w.scene("query")
	s.Dot = dots(60)
	s.Spread = 1.1
	if got := signOf(s, rank.SignMeaning)[0]; math.Abs(float64(got)-.25) > 1e-5 {
		t.Errorf("in a space of twice the spread: %v, want .25", got)
	}
	s.Spread, s.Trust = 0, .2
	if got := signOf(s, rank.SignMeaning)[0]; math.Abs(float64(got)-.1) > 1e-5 {
		t.Errorf("with one word in five known: %v, want .1", got)
	}
}

func TestSignNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range rank.Signs {
		name := rank.Sign(i).String()
		if name == "" || name == "unknown" || seen[name] {
			t.Errorf("sign %d is called %q", i, name)
		}
		seen[name] = true
	}
	if got := rank.Sign(rank.Signs).String(); got != "unknown" {
		t.Errorf("what is no sign is called %q", got)
	}
}
