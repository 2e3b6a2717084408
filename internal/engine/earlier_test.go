package engine_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// onBoth runs a test with rows and an index of this machine, and with those of a server.
func onBoth(t *testing.T, fn func(h *house)) {
	for _, provider := range []string{"sqlite", "postgres"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			cfg := enginetest.Config(t)
			if provider == "postgres" {
				cfg = onServer(t, cfg)
				cfg.IndexProvider = "pgvector"
			}
			e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
			fn(&house{t, e, clock, sc})
		})
	}
}

func (h *house) drain() {
	h.Helper()
	if err := h.e.Drain(h.Context()); err != nil {
		h.Fatal(err)
	}
}

// mentions lists who is linked with what, as "name ← words".
func (h *house) mentions() map[string]bool {
	h.Helper()
	out := map[string]bool{}
	for _, x := range must[lukasa.Listing[engine.Match]](h.T)(h.e.Entities(h.Context(), h.sc, nil, "", "", lukasa.Page{Limit: 100}, time.Time{})).Items {
		a := must[engine.About](h.T)(h.e.Entity(h.Context(), h.sc, string(x.ID), time.Time{}))
		for _, s := range slices.Concat(a.Messages, a.Memories, a.Documents) {
			out[fmt.Sprintf("%s ← %s %s", x.Name, s.ID.Prefix(), s.Text)] = true
		}
	}
	return out
}

func (h *house) rebuildGraph() {
	h.Helper()
	must[engine.Rebuilt](h.T)(h.e.Rebuild(h.Context(), h.sc, engine.RebuildGraph, engine.Work{}))
}

// What was said before somebody was known is linked with them by itself, and as it was is as it was.
func TestEarlierMentionsAreLinked(t *testing.T) {
	t.Parallel()
	onBoth(t, func(h *house) {
		h.say("monday", march, "Ana: Blue Heron sails to Bergen.", "Ana: The weather is fine.", "Ana: Then Dave called.")
		if _, err := h.e.Remember(h.Context(), h.sc, lukasa.NewDocument{Container: "life", Title: "log", Content: "Blue Heron sails to Bergen, says the log."}); err != nil {
			h.Fatal(err)
		}
		h.drain()
		h.clock.Advance(time.Hour)
		before := h.clock.Now()
		h.clock.Advance(time.Hour)
		h.say("tuesday", march.Add(time.Hour), "Ana: I met Blue Heron at the harbour.", "Ana: Dave Miller is my brother.")
		met := must[engine.About](h.T)(h.e.Entity(h.Context(), h.sc, "Blue Heron", time.Time{}))
		if met.Counts.Messages != 1 {
			h.Fatalf("%d messages before the job", met.Counts.Messages)
		}
		h.clock.Advance(time.Hour)
		between := h.clock.Now()
		h.clock.Advance(time.Hour)
		h.drain()
		about := func(name string, at time.Time) engine.About {
			return must[engine.About](h.T)(h.e.Entity(h.Context(), h.sc, name, at))
		}
		if c := about("Blue Heron", time.Time{}); c.Counts.Messages != 2 || c.Counts.Documents != 1 {
			h.Errorf("%+v, want the message and the document from before, too", c)
		}
		if c := about("Dave Miller", time.Time{}); c.Counts.Messages != 2 {
			h.Errorf("%+v, want what Dave did before, too", c)
		}
		if c := about("Blue Heron", between); c.Counts.Messages != 1 || c.Counts.Documents != 0 {
			h.Errorf("%+v at the moment before the job", c)
		}
		code(h.T, lukasa.CodeNotFound, second(h.e.Entity(h.Context(), h.sc, "Blue Heron", before)))
		had := h.mentions()
		h.rebuildGraph()
		if now := h.mentions(); !maps.Equal(had, now) {
			h.Errorf("the graph made again has\n%s\nand not\n%s", sorted(now), sorted(had))
		}
	})
}

// A name that somebody gets, by hand or from another one, finds what had it before.
func TestEarlierMentionsOfANewName(t *testing.T) {
	t.Parallel()
	onBoth(t, func(h *house) {
		h.say("a", march, "Ana: Blue Heron sails to Bergen.", "Ana: I met Quentin Zorn at the harbour.", "Ana: Rusty Anchor closes early.")
		h.drain()
		zorn := must[engine.About](h.T)(h.e.Entity(h.Context(), h.sc, "Quentin Zorn", time.Time{}))
		must[lukasa.Entity](h.T)(h.e.PatchEntity(h.Context(), h.sc, zorn.ID, engine.EntityPatch{Aliases: &[]string{"Blue Heron"}}))
		h.drain()
		if n := must[engine.About](h.T)(h.e.Entity(h.Context(), h.sc, string(zorn.ID), time.Time{})).Counts.Messages; n != 2 {
			h.Errorf("%d messages with an alias", n)
		}
		if _, _, err := h.e.PutConcept(h.Context(), h.sc, engine.NewConcept{Type: "person", Name: "Rusty Anchor"}); err != nil {
			h.Fatal(err)
		}
		salty := must[engine.About](h.T)(h.e.Entity(h.Context(), h.sc, "Rusty Anchor", time.Time{}))
		h.drain()
		if n := must[engine.About](h.T)(h.e.Entity(h.Context(), h.sc, "Rusty Anchor", time.Time{})).Counts.Messages; n != 1 {
			h.Errorf("%d messages of who was put by hand", n)
		}
		must[lukasa.Entity](h.T)(h.e.MergeEntities(h.Context(), h.sc, zorn.ID, salty.ID))
		h.say("b", march.Add(time.Hour), "Ben: Rusty Anchor closes again.")
		h.drain()
		if n := must[engine.About](h.T)(h.e.Entity(h.Context(), h.sc, string(zorn.ID), time.Time{})).Counts.Messages; n != 4 {
			h.Errorf("%d messages of both", n)
		}
	})
}

// In whatever order it was said, the graph is that which making it again draws: no edge is missing, and where no two share a name none is too many.
func TestEarlierMentionsEqualTheGraphMadeAgain(t *testing.T) {
	t.Parallel()
	lines := []string{
		"Ana: Quentin Zorn sails to Bergen.", "Ana: I met Quentin Zorn at the harbour.", "Ben: Quentin Zorn sails home.", "Ana: Then Dave called.",
		"Ana: Dave Miller is my brother.", "Ben: Lunch with Dave was long.", "Ana: Blue Lantern closes early.", "Ben: I work at Blue Lantern.",
		"Ana: Quentin Zorn works at Blue Lantern.", "Ben: My sister Mia Castle lives in Lyon.", "Ana: I gave the book to Mia Castle.", "Ben: Mia called Quentin Zorn.",
	}
	onBoth(t, func(h *house) {
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 7))
			r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			order, cut := slices.Clone(lines), 1+r.IntN(3)
			tell := func(h *house, each func()) {
				for i := 0; i < len(order); i += cut {
					h.say(fmt.Sprintf("talk %d", i), march.Add(time.Duration(i)*time.Hour), order[i:min(i+cut, len(order))]...)
					each()
				}
			}
			mine := h.fresh()
			tell(mine, mine.drain)
			got := mine.mentions()
			other := h.fresh()
			tell(other, func() {})
			other.rebuildGraph()
			if want := other.mentions(); !maps.Equal(got, want) {
				h.Errorf("seed %d: %q\nlinked by themselves\n%s\nmade again\n%s", seed, order, sorted(got), sorted(want))
			}
			mine.rebuildGraph()
			if again := mine.mentions(); !maps.Equal(got, again) {
				h.Errorf("seed %d: making it again changes\n%s\nto\n%s", seed, sorted(got), sorted(again))
			}
		}
	})
}

// fresh opens another house of the sort.
func (h *house) fresh() *house {
	h.Helper()
	cfg := enginetest.Config(h.T)
	if h.e.Config().StoreProvider == "postgres" {
		cfg = onServer(h.T, cfg)
		cfg.IndexProvider = "pgvector"
	}
	e, clock, sc := enginetest.Open(h.T, cfg, engine.Options{})
	return &house{h.T, e, clock, sc}
}

func sorted(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), "\n")
}

// Who is gone by the time of the job links nothing, and a job that was cut off goes on from the start.
func TestEarlierMentionsCutOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: Quentin Zorn sails to Bergen.")
	h.say("b", march, "Ana: Quentin Zorn sails home.")
	h.say("c", march, "Ana: I met Quentin Zorn at the harbour.")
	id := must[engine.About](t)(h.e.Entity(t.Context(), h.sc, "Quentin Zorn", time.Time{})).ID
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := h.e.WorkOnce(ended); err == nil {
		t.Error("an ended process works")
	}
	h.clock.Advance(time.Hour)
	h.drain()
	if n := must[engine.About](t)(h.e.Entity(t.Context(), h.sc, string(id), time.Time{})).Counts.Messages; n != 3 {
		t.Errorf("%d messages", n)
	}
}

// A first name that somebody has already stays theirs for what was said before another one with it was known.
func TestEarlierMentionsOfASharedName(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: Then Dave called.")
	h.say("b", march, "Ana: Dave Miller is my brother.")
	h.drain()
	h.say("c", march, "Ana: Dave Jones is my uncle.")
	h.drain()
	for name, want := range map[string]int{"Dave Miller": 2, "Dave Jones": 1} {
		if n := must[engine.About](t)(h.e.Entity(t.Context(), h.sc, name, time.Time{})).Counts.Messages; n != want {
			t.Errorf("%d messages of %s, want %d", n, name, want)
		}
	}
}
