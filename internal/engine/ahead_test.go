package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/config"
)

// noting is a cache that notes what is set, and for how long.
type noting struct {
	cache.Cache
	mu   sync.Mutex
	ttls []time.Duration
}

func (n *noting) Set(ctx context.Context, key string, value []byte, ttl time.Duration) {
	n.mu.Lock()
	n.ttls = append(n.ttls, ttl)
	n.mu.Unlock()
	n.Cache.Set(ctx, key, value, ttl)
}

func (n *noting) sets() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.ttls)
}

// N-13: what is worked out ahead lies up to three edges from what was found and no further, and is forgotten after ten minutes.
func TestThreeLayersAhead(t *testing.T) {
	d := newDesk(t, nil)
	people := []string{"Alice Adams", "Bruno Berg", "Clara Conti", "Daria Dolan", "Emil Ebert"}
	var docs []lukasa.ID
	for i := range len(people) - 1 { // each note names the one of the note before and the next
		docs = append(docs, d.keep(lukasa.NewDocument{Container: "one", Title: "Note", Content: people[i] + " wrote to " + people[i+1] + "."}).ID)
	}
	n := &noting{Cache: d.places.Cache}
	d.places.Cache = n
	// by container the notes are two edges apart: from the first, its container and two people are at one, all notes at two, and all
	// people at three
	warmed, err := d.places.Warm(t.Context(), d.sc, docs[:1])
	if d.ok(err); warmed != n.sets() || warmed < 6 {
		t.Errorf("warmed %d, set %d", warmed, n.sets())
	}
	for _, ttl := range n.ttls {
		if ttl != 10*time.Minute {
			t.Errorf("kept for %v", ttl)
		}
	}
	missed := func(name string) bool {
		before := n.sets()
		_, err := d.Entity(t.Context(), d.sc, name, time.Time{})
		d.ok(err)
		return n.sets() > before
	}
	for _, name := range people {
		if missed(name) {
			t.Errorf("%s, three edges away, was not worked out", name)
		}
	}
}

func TestNoFourthLayerAhead(t *testing.T) {
	d := newDesk(t, nil)
	people := []string{"Alice Adams", "Bruno Berg", "Clara Conti", "Daria Dolan"}
	var docs []lukasa.ID
	for i := range len(people) - 1 {
		docs = append(docs, d.keep(lukasa.NewDocument{Container: "a" + string(rune('0'+i)) + ".b.c", Title: "Note", Content: people[i] + " wrote to " + people[i+1] + "."}).ID)
	}
	n := &noting{Cache: d.places.Cache}
	d.places.Cache = n
	_, err := d.places.Warm(t.Context(), d.sc, docs[:1])
	d.ok(err)
	for i, name := range people { // Alice and Bruno at one, Clara at three, Daria at five
		before := n.sets()
		_, err := d.Entity(t.Context(), d.sc, name, time.Time{})
		d.ok(err)
		if ahead := n.sets() == before; ahead != (i < 3) {
			t.Errorf("%s: worked out ahead: %t", name, ahead)
		}
	}
}

// Each stretch of a conversation follows the one before it.
func TestSegmentsFollowEachOther(t *testing.T) {
	d := newDesk(t, nil)
	var segments []lukasa.ID
	for _, line := range []string{"I keep bees in the garden.", "The bees are doing well.", "I sold the bees."} {
		c := d.say(line)
		segments = append(segments, c.Document)
		_, err := d.EndConversation(t.Context(), d.sc, c.ID)
		d.ok(err)
	}
	edges, err := d.Edges(t.Context(), d.sc, segments, []lukasa.EdgeType{lukasa.EdgePrecedes}, 10, time.Time{})
	d.ok(err)
	var got []string
	for _, e := range edges {
		got = append(got, e.From+" "+e.To)
	}
	slices.Sort(got)
	want := []string{string(segments[0] + " " + segments[1]), string(segments[1] + " " + segments[2])}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("%s, want %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// N-2: what would be a sixth level goes to the deepest that fits, and an event says what was wanted.
func TestSixthLevelIsTold(t *testing.T) {
	d := newDesk(t, func(c *config.Config) { c.NodesAuto = true })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	news, err := d.Events(ctx, d.sc)
	d.ok(err)
	for i := range 4 {
		d.keep(lukasa.NewDocument{Container: "a.b.c.d.e", Content: fmt.Sprint("Globex Ltd delivered part ", i, ". Globex Ltd is far away.")})
	}
	doc := d.keep(lukasa.NewDocument{Title: "Invoice", Content: "The invoice of Globex Ltd covers seven violins, a carpet and the piano tuning."})
	if doc.Path != "a.b.c.d.e" {
		t.Fatalf("it went to %s", doc.Path)
	}
	var limited []lukasa.Event
	for range len(news) {
		if ev := <-news; ev.Type == "node.depth_limited" {
			limited = append(limited, ev)
		}
	}
	if len(limited) != 1 || limited[0].Record != doc.ID || limited[0].Path != "a.b.c.d.e" {
		t.Fatalf("%+v", limited)
	}
	wanted, _ := limited[0].Data["wanted"].(lukasa.Path)
	if wanted.Depth() != 6 || !strings.HasPrefix(string(wanted), "a.b.c.d.e.") {
		t.Errorf("wanted %q: %v", wanted, limited[0].Data)
	}
}
