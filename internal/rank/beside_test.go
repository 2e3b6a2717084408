package rank_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rank"
)

// strangers is a scene of 100 candidates with terms of their own, of which some are like the query's two.
func strangers(alike func(terms []uint32, near []float32)) *rank.Scene {
	s := &rank.Scene{
		Query: rank.Analyze("one two"), Terms: []rank.Term{{ID: 1, Count: 1, Frequency: 3}, {ID: 2, Count: 1, Frequency: 40}},
		Entries: 1000, Length: 20, Candidates: 100, Alike: alike, Explain: true,
	}
	next := uint32(3)
	for i := range s.Candidates {
		it := rank.Item{Prev: -1, Next: -1, Session: -1, Speaker: -1}
		it.Entry = lukasa.ID(fmt.Sprintf("chk_%03d", i))
		it.Terms = []uint32{1 + uint32(i%3)%2, uint32(3 + i%7)}
		for range 20 {
			it.Terms = append(it.Terms, next)
			next++
		}
		s.Items = append(s.Items, it)
	}
	return s
}

// near makes every eleventh term like the first of the query, and every seventh like the second, a little less each.
func near(terms []uint32, out []float32) {
	for k, t := range terms {
		if t%11 == 0 {
			out[2*k] = 1 - float32(t%100)/200
		}
		if t%7 == 0 {
			out[2*k+1] = .9 - float32(t%90)/200
		}
	}
}

// Who has measured the other signs helps to ask what is alike, and the order and its reasons are those of asking all in turn.
func TestAlikeBeside(t *testing.T) {
	t.Parallel()
	f := rank.NewFeatures(rank.DefaultLinear())
	want := f.Rank(strangers(near))
	var asking atomic.Int32
	begun, both := make(chan struct{}), make(chan struct{})
	met := false
	s := strangers(func(terms []uint32, out []float32) {
		switch asking.Add(1) {
		case 1: // stays until somebody else asks, too
			close(begun)
			select {
			case <-both:
				met = true
			case <-time.After(10 * time.Second):
			}
		case 2:
			close(both)
		}
		near(terms, out)
	})
	s.Beside = func(part func()) func() {
		var done sync.WaitGroup
		done.Go(part)
		<-begun
		return done.Wait
	}
	got := f.Rank(s)
	if !met {
		t.Error("nobody helped to ask what is alike")
	}
	if len(got) != len(want) {
		t.Fatalf("%d candidates, want %d", len(got), len(want))
	}
	alike := 0
	for i := range got {
		if d := cmp.Diff(want[i].Shares(), got[i].Shares()); got[i].Entry != want[i].Entry || got[i].Score != want[i].Score || d != "" {
			t.Errorf("place %d: %s with %.4f, want %s with %.4f\n%s", i, got[i].Entry, got[i].Score, want[i].Entry, want[i].Score, d)
		}
		for _, sh := range got[i].Shares() {
			if sh.Sign == rank.SignAlike {
				alike++
			}
		}
	}
	if alike < 50 {
		t.Errorf("%d candidates are alike, want most of 100", alike)
	}
}

// What panics while two ask reaches who waits, and nobody waits for ever.
func TestAlikePanics(t *testing.T) {
	t.Parallel()
	for _, who := range []int32{1, 2} {
		var asking atomic.Int32
		begun, both := make(chan struct{}), make(chan struct{})
		s := strangers(func([]uint32, []float32) {
			n := asking.Add(1)
			switch n {
			case 1:
				close(begun)
				<-both
			case 2:
				close(both)
			}
			if n == who {
				panic("oops")
			}
		})
		ended := make(chan struct{})
		s.Beside = func(part func()) func() {
			var fault any
			go func() {
				defer close(ended)
				defer func() { fault = recover() }()
				part()
			}()
			<-begun
			return func() {
				<-ended
				if fault != nil {
					panic(fault)
				}
			}
		}
		func() {
			defer func() {
				if p := recover(); p != "oops" {
					t.Errorf("panicked with %v", p)
				}
			}()
			rank.ByFeatures(s, rank.DefaultLinear())
		}()
		<-ended
	}
}
