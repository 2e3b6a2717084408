package rank_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rank"
)

// world is a scene in the making: texts are lists of terms, vectors are given by their cosine with the question.
type world struct {
	scene  rank.Scene
	cosine []float32
}

func newWorld(question string, terms ...rank.Term) *world {
	return &world{scene: rank.Scene{Query: rank.Analyze(question), Terms: terms, Entries: 1000, Length: 8}}
}

func (w *world) add(kind lukasa.EntryType, cosine float32, terms ...uint32) *rank.Item {
	w.cosine = append(w.cosine, cosine)
	w.scene.Items = append(w.scene.Items, rank.Item{
		Candidate: lukasa.Candidate{
			Entry: lukasa.ID(rune('a' + len(w.scene.Items))), Type: kind, HasVector: true, Similarity: float64(cosine),
			When: time.Unix(int64(len(w.scene.Items)), 0),
		},
		Terms: terms, Prev: -1, Next: -1, Speaker: -1, Vector: true,
	})
	w.scene.Candidates = len(w.scene.Items)
	return &w.scene.Items[len(w.scene.Items)-1]
}

func (w *world) rank() []rank.Scored {
	w.scene.Dot = func(a, b int) float32 {
		if a < 0 {
			return w.cosine[b]
		}
		return 0.3
	}
	models := rank.DefaultModels()
	return rank.ByModels(&w.scene, &models)
}

func order(scored []rank.Scored) (out string) {
	for _, s := range scored {
		out += string(s.Entry)
	}
	return out
}

func rare(id uint32) rank.Term { return rank.Term{ID: id, Frequency: 1} }

// A statement that means what is asked is relevant; one that only shares a word is not.
func TestMeaningDecides(t *testing.T) {
	t.Parallel()
	w := newWorld("can I serve satay?", rank.Term{ID: 1, Frequency: 200}, rare(2))
	w.add(lukasa.EntryMemory, 0.62, 5, 6, 7)
	w.add(lukasa.EntryMemory, 0.10, 1, 8)
	got := w.rank()
	if order(got) != "ab" || got[0].Relevance < got[0].Level || got[1].Relevance >= got[1].Level {
		t.Errorf("%s: %.3f, %.3f; level %.2f", order(got), got[0].Relevance, got[1].Relevance, got[0].Level)
	}
}

// Equal meaning: whoever has more of the question's words stands first, in each kind.
func TestWordsBreakEvenMeaning(t *testing.T) {
	t.Parallel()
	for _, kind := range []lukasa.EntryType{lukasa.EntryMemory, lukasa.EntryChunk, lukasa.EntryMessage} {
		w := newWorld("blue boat", rare(1), rare(2))
		w.add(kind, 0.5, 1, 9, 9)
		w.add(kind, 0.5, 1, 2, 9)
		if got := w.rank(); order(got) != "ba" {
			t.Errorf("%s: %s", kind, order(got))
		}
	}
}

// An exact code decides, whatever the vectors say.
func TestCodesDecide(t *testing.T) {
	t.Parallel()
	for _, kind := range []lukasa.EntryType{lukasa.EntryMemory, lukasa.EntryChunk, lukasa.EntryMessage} {
		w := newWorld("INV-20913", rank.Term{ID: 1, Frequency: 1, Code: true})
		w.add(kind, 0.8, 7, 8)
		w.add(kind, 0.3, 1, 8)
		got := w.rank()
		if order(got) != "ba" || got[0].Relevance < got[0].Level {
			t.Errorf("%s: %s, relevance %.3f", kind, order(got), got[0].Relevance)
		}
	}
}

// Where the question names a speaker, what he says counts more.
func TestSpeakerCounts(t *testing.T) {
	t.Parallel()
	w := newWorld("what did Ben say about WAL?", rank.Term{ID: 1, Frequency: 300}, rare(2))
	w.scene.Speakers = []string{"Ann", "Ben"}
	for speaker := range 2 {
		it := w.add(lukasa.EntryMessage, 0.5, uint32(10+speaker), 2, 9)
		it.Head, it.Speaker, it.Voice = 1, int32(speaker), rank.Person
	}
	if got := w.rank(); order(got) != "ba" {
		t.Error(order(got))
	}
}

// A turn counts with the words of the turn before it.
func TestNeighboursHelp(t *testing.T) {
	t.Parallel()
	w := newWorld("when did Ben move?", rank.Term{ID: 1, Frequency: 300}, rare(2))
	w.scene.Speakers = []string{"Ben"}
	w.add(lukasa.EntryMessage, 0.4, 3, 4)
	w.add(lukasa.EntryMessage, 0.4, 3, 4)
	w.add(lukasa.EntryMessage, 0.2, 2, 2)
	w.scene.Items[1].Prev, w.scene.Items[2].Next, w.scene.Candidates = 2, 1, 2
	if got := w.rank(); order(got) != "ba" {
		t.Error(order(got))
	}
}

// M-9: of two memories that fit alike the surer one stands first, and doubt costs at most 30 %.
func TestConfidence(t *testing.T) {
	t.Parallel()
	w := newWorld("boat", rare(1))
	w.add(lukasa.EntryMemory, 0.6, 1, 2).Doubt = 1
	w.add(lukasa.EntryMemory, 0.6, 1, 2)
	got := w.rank()
	if order(got) != "ba" || math.Abs(got[1].Score/got[0].Score-0.7) > 1e-9 {
		t.Errorf("%s: %.3f, %.3f", order(got), got[0].Score, got[1].Score)
	}
}

// The shares explain the log odds of a score but for the bias.
func TestSharesExplain(t *testing.T) {
	t.Parallel()
	w := newWorld("boat", rare(1))
	w.add(lukasa.EntryMemory, 0.6, 1, 2)
	got := w.rank()[0]
	sum := rank.DefaultModels().Statement.Bias
	for _, share := range got.Shares() {
		sum += share.Score
		if share.Sign.String() == "unknown" {
			t.Errorf("%+v", share)
		}
	}
	if want := 1 / (1 + math.Exp(-sum)); math.Abs(want-got.Score) > 1e-6 {
		t.Errorf("score %.6f, the shares say %.6f", got.Score, want)
	}
}

// Whatever the scene, scores are probabilities and the order does not depend on that of the items.
func TestScoresStayInBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.String().Draw(t, "question"), rare(1), rank.Term{ID: rank.NoTerm})
		n := rapid.IntRange(0, 8).Draw(t, "items")
		kinds := []lukasa.EntryType{lukasa.EntryMemory, lukasa.EntryChunk, lukasa.EntryMessage, lukasa.EntryDocument}
		for range n {
			w.add(rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.Float32Range(-1, 1).Draw(t, "cosine"),
				rapid.SliceOfN(rapid.Uint32Range(0, 4), 0, 5).Draw(t, "terms")...)
		}
		got := w.rank()
		if len(got) != n {
			t.Fatalf("%d of %d candidates", len(got), n)
		}
		for _, s := range got {
			if !(s.Score >= 0 && s.Score <= 1) || s.Relevance != s.Score {
				t.Fatalf("score %v, relevance %v", s.Score, s.Relevance)
			}
		}
		slices.Reverse(w.scene.Items)
		slices.Reverse(w.cosine)
		if again := w.rank(); order(again) != order(got) {
			t.Fatalf("%s, then %s", order(got), order(again))
		}
	})
}

func BenchmarkByModels(b *testing.B) {
	w := newWorld("where does Ana live now?", rare(1), rank.Term{ID: 2, Frequency: 50}, rank.Term{ID: 3, Frequency: 400})
	for i := range 240 {
		w.add(lukasa.EntryMessage, float32(i%100)/100, uint32(i%5), 2, uint32(i), 9, 9, 3)
	}
	for b.Loop() {
		w.rank()
	}
}
