package rank_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

func entries(scored []rank.Scored) (ids []lukasa.ID) {
	for _, s := range scored {
		ids = append(ids, s.Entry)
	}
	return ids
}

func TestByFeatures(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "Ann", "Which instrument do you play?", "2024-01-01"},
		line{"a", "Ben", "I have played the cello since last summer.", "2024-01-01"},
		line{"a", "Ann", "Lovely!", "2024-01-01"},
		line{"b", "Ann", "We had soup.", "2024-02-01"},
		line{"b", "Ben", "A cello case costs too much.", "2024-02-01"},
	)
	s := w.scene("When did Ben start to play the cello?")
	if x := rank.ByFeatures(s, rank.DefaultLinear())[0]; x.Shares() != nil {
		t.Errorf("nobody asked for an explanation: %v", x.Shares())
	}
	s.Explain = true
	got := rank.ByFeatures(s, rank.DefaultLinear())
	if len(got) != 5 || got[0].Entry != "entry_001" {
		t.Fatalf("order %v, want entry_001 first of all five", entries(got))
	}
	for i, c := range got {
		if !(c.Score >= 0 && c.Score <= 1) || i > 0 && c.Score > got[i-1].Score {
			t.Errorf("score %d is %v", i, c.Score)
		}
		c.Stretch(1 + float64(i)/2) // as for what another wording of the query finds
		sum := 0.0
		for _, x := range c.Shares() {
			sum += x.Score
		}
		if math.Abs(max(0, sum)-c.Score) > 1e-9 {
			t.Errorf("candidate %d: the shares sum up to %v, the score is %v", i, sum, c.Score)
		}
	}
	signs := map[rank.Sign]bool{}
	for _, x := range got[0].Shares() {
		signs[x.Sign] = true
	}
	for _, want := range []rank.Sign{rank.SignContext, rank.SignSpeaker, rank.SignWhen, rank.SignSelf} {
		if !signs[want] {
			t.Errorf("no share of %v in %v", want, got[0].Shares())
		}
	}
}

// M-9: of two memories that fit alike the surer one stands first; its score is that of a text, and doubt costs at most 30 %.
func TestConfidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "", "same words", "2024-01-01"}, line{"b", "", "same words", "2024-01-01"}, line{"c", "", "same words", "2024-01-01"})
	s := w.scene("same words")
	s.Explain = true
	s.Items[0].Doubt, s.Items[1].Doubt = 1, .7
	got := rank.ByFeatures(s, rank.DefaultLinear())
	if want := []lukasa.ID{"entry_002", "entry_001", "entry_000"}; !slices.Equal(entries(got), want) {
		t.Fatalf("order %v, want %v", entries(got), want)
	}
	for i, share := range []float64{1, .79, .7} {
		sum := 0.0
		for _, x := range got[i].Shares() {
			sum += x.Score
		}
		if math.Abs(got[i].Score-share*got[0].Score) > 1e-9 || math.Abs(sum-got[i].Score) > 1e-9 {
			t.Errorf("place %d has the score %v and shares of %v, want %v", i, got[i].Score, sum, share*got[0].Score)
		}
	}
}

func TestByFeaturesBreaksTies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, line{"a", "", "same words", "2024-01-01"}, line{"b", "", "same words", "2024-03-01"}, line{"c", "", "same words", "2024-03-01"})
	got := entries(rank.ByFeatures(w.scene("same words"), rank.DefaultLinear()))
	if want := []lukasa.ID{"entry_001", "entry_002", "entry_000"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v: newest first, then by id", got, want)
	}
}

// TestRankerIsSharedAndReused: many scenes at once through one ranker come out as each does alone.
func TestRankerIsSharedAndReused(t *testing.T) {
	t.Parallel()
	r := rank.NewFeatures(rank.DefaultLinear())
	var wait sync.WaitGroup
	for n := range 8 {
		wait.Go(func() {
			for round := range 20 {
				s := benchScene(1 + (n+round)%5*10)
				got, want := r.Rank(s), rank.ByFeatures(s, rank.DefaultLinear())
				for i := range want {
					if got[i].Entry != want[i].Entry || got[i].Score != want[i].Score {
						t.Errorf("place %d: %s with %v, alone %s with %v", i, got[i].Entry, got[i].Score, want[i].Entry, want[i].Score)
						return
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestByFeaturesOfNothing(t *testing.T) {
	t.Parallel()
	if got := rank.ByFeatures(&rank.Scene{}, rank.DefaultLinear()); len(got) != 0 {
		t.Errorf("an empty scene gives %v", got)
	}
	w := newWorld(t, line{"a", "", "", ""}, line{"a", "Ann", "hm", ""})
	for _, question := range []string{"", "the of and", "unknown"} {
		for _, s := range rank.ByFeatures(w.scene(question), rank.DefaultLinear()) {
			if math.IsNaN(s.Score) || s.Score < 0 || s.Score > 1 {
				t.Errorf("%q: score %v", question, s.Score)
			}
		}
	}
}

func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		line{"a", "Юрий", "Мы купили новую машину.", ""}, line{"a", "Ольга", "Где вы живёте?", ""}, line{"a", "Юрий", "В Казани.", ""},
		line{"b", "", "東京の天気は晴れです", ""}, line{"b", "", "大阪は雨です", ""},
	)
	if got := rank.ByFeatures(w.scene("东京 東京の天気"), rank.DefaultLinear()); got[0].Entry != "entry_003" {
		t.Errorf("Japanese: %v first", got[0].Entry)
	}
	if got := rank.ByFeatures(w.scene("Какую машину купил Юрий?"), rank.DefaultLinear()); got[0].Entry != "entry_000" {
		t.Errorf("Russian: %v first", got[0].Entry)
	}
	if got := w.measure("Что сказал Юрий?", rank.SignSpeaker); got[0] != 1 || got[1] != 0 {
		t.Errorf("Russian speaker: %v", got)
	}
}

// drawn is a world drawn at random, with vectors and near words.
func drawn(t *rapid.T) (*rank.Scene, *world) {
	words := []string{"cello", "violin", "garden", "week", "Ann", "seven", "I", "train", "soup", "Paris", "yesterday", "Monday"}
	speakers := []string{"Ann", "Ben", "user", "assistant", ""}
	var lines []line
	for range rapid.IntRange(1, 12).Draw(t, "lines") {
		l := line{
			session: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "session"), speaker: rapid.SampledFrom(speakers).Draw(t, "speaker"),
			when: rapid.SampledFrom([]string{"", "2023-05-06", "2024-01-31"}).Draw(t, "when"),
		}
		for range rapid.IntRange(0, 30).Draw(t, "length") {
			l.text += rapid.SampledFrom(words).Draw(t, "word") + rapid.SampledFrom([]string{" ", ", ", ". ", "? "}).Draw(t, "mark")
		}
		lines = append(lines, l)
	}
	w := newWorld(t, lines...)
	question := ""
	for range rapid.IntRange(0, 6).Draw(t, "asked") {
		question += rapid.SampledFrom(append(words, "when", "how many", "you", "in May 2023", "unheard")).Draw(t, "query") + " "
	}
	s := w.scene(question)
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	angles := make([]float64, len(lines))
	for i := range angles {
		angles[i] = rnd.Float64() * 360
	}
	s.Dot = dots(angles...)
	s.Alike = each(func(term uint32, near []float32) {
		for j := range near {
			near[j] = float32((term*7+uint32(j)*3)%10) / 10
		}
	})
	return s, w
}

func TestSignsStayInBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, _ := drawn(t)
		m := rank.NewFeatures(rank.DefaultLinear()).Measure(s)
		defer m.Release()
		for i := range m.Rows {
			for k, x := range m.Rows[i] {
				low := float32(0)
				if sign := rank.Sign(k); sign == rank.SignMeaning || sign == rank.SignTopic {
					low = -1
				}
				if !(x >= low-.001 && x <= 1.001) {
					t.Fatalf("%v of %d is %v", rank.Sign(k), i, x)
				}
			}
		}
	})
}

// TestOrderDoesNotMatter: the same scene with its items in another order gives every entry the same score.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, _ := drawn(t)
		want := map[lukasa.ID]float64{}
		for _, c := range rank.ByFeatures(s, rank.DefaultLinear()) {
			want[c.Entry] = c.Score
		}
		to := rapid.Permutation(iota(len(s.Items))).Draw(t, "order")
		from := make([]int, len(to))
		for i, x := range to {
			from[x] = i
		}
		o := *s
		o.Items = make([]rank.Item, len(to))
		for i, x := range to {
			it := s.Items[i]
			it.Prev, it.Next = moved(to, it.Prev), moved(to, it.Next)
			o.Items[x] = it
		}
		o.Dot = func(a, b int) float32 {
			if a >= 0 {
				a = from[a]
			}
			return s.Dot(a, from[b])
		}
		for _, c := range rank.ByFeatures(&o, rank.DefaultLinear()) {
			if math.Abs(c.Score-want[c.Entry]) > 1e-4 {
				t.Fatalf("%s has %v, and %v in another order", c.Entry, c.Score, want[c.Entry])
			}
		}
	})
}

func iota(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func moved(to []int, i int32) int32 {
	if i < 0 {
		return i
	}
	return int32(to[i])
}

// TestMoreOfTheQueryIsBetter: a text of its own session that has one more term of the query, and one other less, never falls
// behind.
func TestMoreOfTheQueryIsBetter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "length")
		text := ""
		for range n {
			text += rapid.SampledFrom([]string{"cello ", "violin ", "pebble "}).Draw(t, "word")
		}
		w := newWorld(t, line{"a", "", text + "pebble", ""}, line{"b", "", text + "cello", ""}, line{"c", "", "cello violin orchestra", ""})
		got := w.measure("cello violin", rank.SignContext)
		if got[1] < got[0] {
			t.Fatalf("%q: %v with another cello, %v without", text, got[1], got[0])
		}
	})
}

// benchScene is a scene as an index makes it of a long conversation: 240 candidates, 200 neighbours, 12 terms each.
func benchScene(terms int) *rank.Scene {
	const candidates, all, vocabulary, dim = 240, 440, 3000, 256
	rnd := rand.New(rand.NewPCG(1, 2))
	s := &rank.Scene{Query: rank.Analyze("When did Ann buy the cello that she plays?"), Entries: 5000, Length: float64(terms), Candidates: candidates, Speakers: []string{"Ann", "Ben"}}
	word := func() uint32 { return uint32(float64(vocabulary) * math.Pow(rnd.Float64(), 3)) }
	for i := range all {
		it := rank.Item{Prev: int32(i - 1), Next: int32(i + 1), Session: int32(i / 20), Speaker: int32(i % 2), Voice: rank.Person, Head: 1, Vector: true, Flags: rank.Flags(rnd.Uint32())}
		if i%20 == 0 {
			it.Prev = -1
		}
		if i%20 == 19 || i == all-1 {
			it.Next = -1
		}
		it.Entry = lukasa.ID(fmt.Sprintf("entry_%03d", i))
		it.Terms = append(it.Terms, vocabulary+uint32(i%2))
		for range terms/2 + rnd.IntN(terms) {
			it.Terms = append(it.Terms, word())
		}
		s.Items = append(s.Items, it)
	}
	for range 5 {
		s.Terms = append(s.Terms, rank.Term{ID: word(), Count: 1, Frequency: 50})
	}
	s.Terms = append(s.Terms, rank.Term{ID: vocabulary, Count: 1, Frequency: 2500})
	codes := vector.NewInt8(dim, 1024)
	v := make([]float32, dim)
	for i := range all + 1 {
		for k := range v {
			v[k] = float32(rnd.NormFloat64())
		}
		codes.Put(i, v)
	}
	kernels := vector.Default()
	s.Dot = func(a, b int) float32 {
		if a < 0 {
			a = all
		}
		return float32(kernels.DotInt8(codes.Code(a), codes.Code(b))) * codes.Scale[a] * codes.Scale[b] / dim
	}
	words, signs := vector.NewInt8(dim, 1024), make([][dim / 64]uint64, 1024)
	for i := range 1024 {
		for k := range v {
			v[k] = float32(rnd.NormFloat64())
		}
		words.Put(i, v)
		for k, x := range v {
			if x > 0 {
				signs[i][k/64] |= 1 << (k % 64)
			}
		}
	}
	s.Frequency = func(terms []uint32, counts []int) {
		for i, id := range terms {
			counts[i] = int(id)/10 + 1
		}
	}
	s.Alike = each(func(term uint32, near []float32) {
		for j := range near {
			a, b := int(term)%1024, int(s.Terms[j].ID)%1024
			unequal := 0
			for k := range signs[a] {
				unequal += bits.OnesCount64(signs[a][k] ^ signs[b][k])
			}
			if unequal > 120 { // the signs say that the cosine is below 0.1
				continue
			}
			near[j] = float32(kernels.DotInt8(words.Code(a), words.Code(b))) * words.Scale[a] * words.Scale[b] / dim
		}
	})
	return s
}

func BenchmarkByFeatures(b *testing.B) {
	for _, terms := range []int{12, 100} {
		b.Run(fmt.Sprintf("terms=%d", terms), func(b *testing.B) {
			s := benchScene(terms)
			r := rank.NewFeatures(rank.DefaultLinear())
			b.ReportAllocs()
			for b.Loop() {
				r.Rank(s)
			}
		})
	}
}

func BenchmarkAnalyze(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		rank.Analyze("When did Ann buy the cello that she plays on 12 August 2021?")
	}
}

func BenchmarkFeatures(b *testing.B) {
	s := "We met Ada last week, didn't we? She plays the violin and has seven cats."
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		rank.FlagsOf(s)
	}
}

// A document that is found by its summary is shown by its best chunk, which says where to look.
func TestAChunkStandsForItsSummary(t *testing.T) {
	t.Parallel()
	groups := rank.ByDocument([]rank.Scored{
		{Candidate: lukasa.Candidate{Entry: "doc_1", Type: lukasa.EntryDocument, Document: "doc_1"}, Score: 0.9},
		{Candidate: lukasa.Candidate{Entry: "chk_1", Type: lukasa.EntryChunk, Document: "doc_1"}, Score: 0.5},
		{Candidate: lukasa.Candidate{Entry: "chk_2", Type: lukasa.EntryChunk, Document: "doc_1"}, Score: 0.4},
	})
	if len(groups) != 1 || groups[0].Best.Entry != "chk_1" || groups[0].Best.Score != 0.9 || groups[0].Count != 3 {
		t.Errorf("%+v", groups)
	}
}
