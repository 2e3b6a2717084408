package segment_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/segment"
)

var noon = time.Date(2026, 1, 11, 12, 0, 0, 0, time.UTC)

// turn is a message with what a Closer looks at.
type turn struct {
	role, session, text string
	tokens              int
	after               time.Duration // since the turn before
	meta                map[string]any
	speaker             string
}

func play(l segment.Limits, turns []turn) []segment.Boundary {
	c := segment.NewCloser(l, segment.State{})
	var out []segment.Boundary
	at := noon
	for i, x := range turns {
		at = at.Add(x.after)
		m := lukasa.Message{Seq: int64(i), Role: x.role, Speaker: x.speaker, Session: x.session, Content: x.text, Time: new(at), Tokens: x.tokens, Metadata: x.meta}
		out = append(out, c.Add(m)...)
	}
	return out
}

// exchanges alternates user and assistant turns of so many tokens.
func exchanges(tokens ...int) []turn {
	var out []turn
	for i, n := range tokens {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		out = append(out, turn{role: role, tokens: n, after: time.Minute})
	}
	return out
}

// T-1, N-5
func TestTokenThreshold(t *testing.T) {
	t.Parallel()
	lim := segment.Limits{Tokens: 1000}
	tool := map[string]any{"tool_calls": []any{map[string]any{"name": "ls"}}}
	cases := map[string]struct {
		turns []turn
		want  []int64 // Next of each boundary
	}{
		"below":                     {exchanges(400, 500), nil},
		"at the answer":             {exchanges(400, 600, 10, 10), []int64{2}},
		"not behind the user":       {exchanges(400, 400, 300, 20), []int64{4}},
		"waits for the tool":        {append([]turn{{role: "user", tokens: 900}, {role: "assistant", tokens: 110, meta: tool}, {role: "tool", tokens: 20}}, turn{role: "assistant", tokens: 10}), []int64{4}},
		"waits for what was cut":    {[]turn{{role: "user", tokens: 900}, {role: "assistant", tokens: 110, meta: map[string]any{"finish_reason": "length"}}, {role: "assistant", tokens: 10}}, []int64{3}},
		"back to the last answer":   {exchanges(400, 500, 200, 300), []int64{2}},
		"a pause a little earlier":  {append(exchanges(400, 570), turn{role: "user", tokens: 5, after: 40 * time.Minute}), []int64{2}},
		"no pause":                  {append(exchanges(400, 570), turn{role: "user", tokens: 5, after: 20 * time.Minute}), nil},
		"a pause before the answer": {append(exchanges(300, 300, 370), turn{role: "user", tokens: 5, after: 40 * time.Minute}), nil},
		"one long turn":             {exchanges(5000, 100), []int64{1}},
		"a runaway exchange":        {append(exchanges(500, 100, 500, 100), slices.Repeat([]turn{{role: "tool", tokens: 300}}, 8)...), []int64{4, 8}},
		"people":                    {[]turn{{speaker: "A", tokens: 600}, {speaker: "B", tokens: 500, text: "Really?"}, {speaker: "A", tokens: 20, text: "Yes."}}, []int64{3}},
		"people under one role":     {slices.Repeat([]turn{{role: "user", speaker: "A", tokens: 100}, {role: "user", speaker: "B", tokens: 100}}, 6), []int64{10}},
		"a user who was not heard":  {slices.Repeat([]turn{{role: "user", speaker: "A", tokens: 100}}, 12), nil},
		"an assistant was there":    {append(exchanges(10, 10), slices.Repeat([]turn{{role: "user", speaker: "A", tokens: 90}, {role: "user", speaker: "B", tokens: 90}}, 6)...), nil},
		"zero and negative tokens":  {exchanges(-5, 0, 1000, 0), []int64{4}},
		"system messages are quiet": {[]turn{{role: "system", tokens: 1100}, {role: "user", tokens: 10}, {role: "assistant", tokens: 10}}, []int64{3}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []int64
			for _, b := range play(lim, c.turns) {
				if got = append(got, b.Next); b.Trigger != segment.TokenThreshold {
					t.Errorf("trigger %s", b.Trigger)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// N-5: with the soft limit at 500,000 the stored range is 480,000 to 620,000, as long as no exchange is longer than the slack.
func TestStoredRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SliceOfN(rapid.IntRange(0, 70_000), 40, 120).Draw(t, "tokens")
		for _, b := range play(segment.Limits{Tokens: 500_000}, exchanges(n...)) {
			if b.Tokens < 480_000 || b.Tokens > 620_000 {
				t.Fatalf("%+v", b)
			}
		}
	})
}

// N-5
func TestEvents(t *testing.T) {
	t.Parallel()
	lim := segment.Limits{}
	long := 7 * time.Hour
	cases := map[string]struct {
		turns  []turn
		want   []int64
		detail string
	}{
		"silence":              {append(exchanges(300, 300), turn{role: "user", tokens: 5, after: long}), []int64{2}, "a silence of 7 hours"},
		"too little":           {append(exchanges(30, 30), turn{role: "user", tokens: 5, after: 72 * time.Hour}), nil, ""},
		"a late answer":        {[]turn{{role: "user", tokens: 900}, {role: "assistant", tokens: 5, after: long}}, nil, ""},
		"an assistant begins":  {append(exchanges(300, 300), turn{role: "assistant", tokens: 5, after: long}), []int64{2}, "a silence of 7 hours"},
		"late answer, people":  {[]turn{{speaker: "A", tokens: 900, text: "Lunch?"}, {speaker: "B", tokens: 9, after: long}}, nil, ""},
		"silence, people":      {[]turn{{speaker: "A", tokens: 900, text: "Bye."}, {speaker: "B", tokens: 9, after: long}}, []int64{1}, "a silence of 7 hours"},
		"session":              {[]turn{{role: "user", session: "s1"}, {role: "assistant"}, {role: "user", session: "s2"}}, []int64{2}, `session "s2" after "s1"`},
		"session of an answer": {[]turn{{role: "user", session: "s1"}, {role: "assistant", session: "s2"}, {role: "user", session: "s2"}}, []int64{2}, `session "s2" after "s1"`},
		"sessions in turns":    {slices.Repeat([]turn{{role: "user", session: "a"}, {role: "assistant", session: "a"}, {role: "user", session: "b"}, {role: "assistant", session: "b"}}, 3), []int64{2}, `session "b" after "a"`},
		"system first":         {append(exchanges(300, 300), turn{role: "system", session: "x", tokens: 5, after: long}), []int64{2}, "a silence of 7 hours"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []int64
			for _, b := range play(lim, c.turns) {
				got = append(got, b.Next)
				if b.Trigger != segment.EventBoundary || b.Detail != c.detail {
					t.Errorf("%+v", b)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A message without a time of its own among others that have one is no silence.
func TestPauseIsKnown(t *testing.T) {
	t.Parallel()
	c := segment.NewCloser(segment.Limits{Least: -1}, segment.State{})
	for i, m := range []lukasa.Message{
		{Speaker: "A", Time: new(noon.AddDate(-2, 0, 0)), CreatedAt: noon},
		{Speaker: "B", CreatedAt: noon},
		{Speaker: "A", Time: new(noon.AddDate(-2, 0, 0).Add(time.Minute)), CreatedAt: noon},
	} {
		m.Seq, m.Tokens = int64(i), 100
		if b := c.Add(m); b != nil {
			t.Errorf("message %d: %+v", i, b)
		}
	}
}

// gardens and engines are talks that share no content word.
func talkAbout(words string, n, salt int) []turn {
	list := strings.Fields(words)
	var out []turn
	for i := range n {
		var b strings.Builder
		for k := range 24 {
			b.WriteString(list[(i*7+k*5+salt)%len(list)] + " ")
		}
		out = append(out, turn{speaker: []string{"A", "B"}[i%2], text: b.String(), tokens: 40, after: time.Minute})
	}
	return out
}

const (
	garden = "tomato basil soil compost seedling greenhouse watering trowel marigold spinach lettuce pruning mulch fertilizer carrot harvest"
	engine = "piston crankshaft gasket torque carburetor ignition throttle exhaust bearing camshaft radiator gearbox clutch flywheel turbo manifold"
)

func TestTopicShift(t *testing.T) {
	t.Parallel()
	turns := slices.Concat(talkAbout(garden, 60, 0), talkAbout(engine, 60, 3))
	got := play(segment.Limits{Topic: 1000}, turns)
	if len(got) != 1 || got[0].Next < 58 || got[0].Next > 62 || got[0].Detail != "the topic changed" || got[0].Trigger != segment.EventBoundary {
		t.Errorf("two topics: %+v", got)
	}
	if got := play(segment.Limits{Topic: 1000}, talkAbout(garden, 200, 0)); len(got) != 0 {
		t.Errorf("one topic: %+v", got)
	}
	again := play(segment.Limits{Topic: 1000}, slices.Concat(turns, talkAbout(garden, 60, 0)))
	if len(again) != 2 || again[0] != got[0] || again[1].Next < 118 || again[1].Next > 122 {
		t.Errorf("there and back: %+v", again)
	}
	if got := play(segment.Limits{Topic: -1}, turns); len(got) != 0 {
		t.Errorf("off: %+v", got)
	}
	if got := play(segment.Limits{}, turns); len(got) != 0 {
		t.Errorf("too short for the default: %+v", got)
	}
}

func TestEnd(t *testing.T) {
	t.Parallel()
	c := segment.NewCloser(segment.Limits{}, segment.State{})
	if _, ok := c.End(); ok {
		t.Error("an empty conversation was closed")
	}
	c.Add(lukasa.Message{Seq: 4, Role: "user", Content: "Hi", Tokens: 3})
	want := segment.Boundary{First: 4, Next: 5, Messages: 1, Tokens: 3, Trigger: segment.ConversationEnd, Detail: "the conversation ended"}
	if b, ok := c.End(); !ok || b != want {
		t.Errorf("%+v", b)
	}
	if _, ok := c.End(); ok { // N-5: only what is not yet stored
		t.Error("what was closed was closed again")
	}
	if b := c.Add(lukasa.Message{Seq: 4, Tokens: 3}); b != nil {
		t.Errorf("a message seen before: %+v", b)
	}
}

// anyTurns draws conversations of all kinds.
func anyTurns(t *rapid.T) []turn {
	n := rapid.IntRange(1, 150).Draw(t, "n")
	var out []turn
	for i := range n {
		src := rapid.SampledFrom([]string{garden, engine}).Draw(t, "about")
		x := talkAbout(src, 1, i)[0]
		x.role = rapid.SampledFrom([]string{"user", "assistant", "user", "assistant", "tool", "system", ""}).Draw(t, "role")
		x.session = rapid.SampledFrom([]string{"", "", "", "", "a", "b"}).Draw(t, "session")
		x.tokens = rapid.SampledFrom([]int{0, 5, 60, 200, 900, 3000}).Draw(t, "tokens")
		x.after = rapid.SampledFrom([]time.Duration{time.Second, time.Minute, time.Hour, 9 * time.Hour, -time.Hour}).Draw(t, "after")
		if rapid.IntRange(0, 5).Draw(t, "asks") == 0 {
			x.text += "?"
		}
		out = append(out, x)
	}
	return out
}

// Boundaries do not depend on what comes later or on where the work was interrupted, lie next to each other, and keep the bounds.
func TestBoundariesAreStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		turns := anyTurns(t)
		lim := segment.Limits{Tokens: 1500, Topic: 100}
		whole := play(lim, turns)
		cut := rapid.IntRange(0, len(turns)).Draw(t, "cut")
		if part := play(lim, turns[:cut]); !slices.Equal(part, whole[:len(part)]) {
			t.Fatalf("the first %d turns gave %+v, all gave %+v", cut, part, whole)
		}

		var st segment.State
		var pieces []segment.Boundary
		at := noon
		for i, x := range turns {
			raw, err := json.Marshal(st)
			if err != nil {
				t.Fatal(err)
			}
			if len(raw) > 8<<10 {
				t.Fatalf("the state has %d bytes", len(raw))
			}
			st = segment.State{}
			if err := json.Unmarshal(raw, &st); err != nil {
				t.Fatal(err)
			}
			c := segment.NewCloser(lim, st)
			at = at.Add(x.after)
			m := lukasa.Message{Seq: int64(i), Role: x.role, Speaker: x.speaker, Session: x.session, Content: x.text, Time: new(at), Tokens: x.tokens, Metadata: x.meta}
			pieces = append(pieces, c.Add(m)...)
			pieces = append(pieces, c.Add(m)...) // seen before
			st = c.State()
		}
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Fatalf("with interruptions:\n%s", diff)
		}

		next := int64(0)
		for _, b := range whole {
			sum := 0
			for _, x := range turns[b.First:b.Next] {
				sum += x.tokens
			}
			if b.First != next || b.Next <= b.First || b.Messages != int(b.Next-b.First) || b.Tokens != sum {
				t.Fatalf("%+v after %d, sum %d", b, next, sum)
			}
			if b.Messages > 1 && b.Tokens > 1860 {
				t.Fatalf("over the bound: %+v", b)
			}
			next = b.Next
			if int(next) < len(turns) && turns[next].role == "assistant" && turns[next-1].role == "user" && !strings.HasPrefix(b.Detail, "an exchange of more than") {
				t.Fatalf("between a turn and its answer: %+v", b)
			}
		}
	})
}

func BenchmarkCloser(b *testing.B) {
	turns := slices.Concat(talkAbout(garden, 500, 0), talkAbout(engine, 500, 3))
	b.ReportAllocs()
	for b.Loop() {
		play(segment.Limits{}, turns)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(turns)), "ns/message")
}

func ExampleCloser() {
	c := segment.NewCloser(segment.Limits{Tokens: 100}, segment.State{})
	c.Add(lukasa.Message{Seq: 0, Role: "user", Content: "A long question", Tokens: 80})
	for _, b := range c.Add(lukasa.Message{Seq: 1, Role: "assistant", Content: "A long answer", Tokens: 30}) {
		fmt.Println(b.Trigger, b.First, b.Next, b.Detail)
	}
	// Output: chunk_threshold 0 2 110 of 100 tokens
}

// What nothing is added to for long enough ends without a message behind it, and what follows is a new stretch.
func TestCloserRest(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	for name, x := range map[string]struct {
		limits segment.Limits
		tokens int
		quiet  time.Duration
		want   bool
	}{
		"long":          {segment.Limits{}, 400, 6 * hour, true},
		"not yet":       {segment.Limits{}, 400, 6*hour - 1, false},
		"too little":    {segment.Limits{}, 399, 60 * hour, false},
		"set":           {segment.Limits{Silence: hour, Least: 10}, 10, hour, true},
		"never":         {segment.Limits{Silence: -1}, 4000, 1000 * hour, false},
		"nothing there": {segment.Limits{Least: -1}, -1, 60 * hour, false},
	} {
		c := segment.NewCloser(x.limits, segment.State{})
		if x.tokens >= 0 {
			c.Add(lukasa.Message{Seq: 7, Role: "user", Content: "What now?", Tokens: x.tokens}) // a turn without its answer
		}
		b, ok := c.Rest(x.quiet)
		if ok != x.want {
			t.Errorf("%s: closed %v", name, ok)
			continue
		}
		if silence, least := x.limits.Rests(); x.want && (silence > x.quiet || least > x.tokens) || name == "never" && silence != 0 {
			t.Errorf("%s: rests after %v with %d tokens", name, silence, least)
		}
		if !ok {
			continue
		}
		if b.First != 7 || b.Next != 8 || b.Messages != 1 || b.Tokens != x.tokens || b.Trigger != segment.EventBoundary || !strings.HasPrefix(b.Detail, "a silence of ") {
			t.Errorf("%s: %+v", name, b)
		}
		if _, again := c.Rest(2 * x.quiet); again {
			t.Errorf("%s: closed twice", name)
		}
		if out := c.Add(lukasa.Message{Seq: 8, Role: "assistant", Content: "This.", Tokens: 5}); len(out) != 0 {
			t.Errorf("%s: what follows closed %+v", name, out)
		}
	}
}
