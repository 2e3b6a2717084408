package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/llm"
)

// outside is what an engine asks over the network: while it is down, both the embedder and the model fail with the error.
type outside struct {
	down  atomic.Pointer[lukasa.Error]
	asked atomic.Int64
}

func (o *outside) fault() error {
	o.asked.Add(1)
	if err := o.down.Load(); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	return nil
}

type farEmbedder struct {
	embed.Embedder
	*outside
}

func (f farEmbedder) Space() embed.Space {
	s := f.Embedder.Space()
	s.Local = false
	return s
}

func (f farEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.Embedder.Embed(ctx, texts)
}

type farModel struct{ *outside }

func (farModel) Info() llm.Info { return llm.Info{Provider: "stand-in", Model: "m"} }

func (f farModel) Complete(context.Context, llm.Request) (llm.Reply, error) {
	if err := f.fault(); err != nil {
		return llm.Reply{}, err
	}
	return llm.Reply{Usage: llm.Usage{Input: 900, Output: 100, Total: 1000, Requests: 1}, Model: "m", JSON: json.RawMessage(`{"memories":[{"text":1,"kind":"insight",
"content":"Ana works best before noon.","quote":"clearest in the mornings","subject":"Ana","slot":"","value":"","confidence":0.9,"occurred_at":"","valid_from":"","valid_to":""}]}`)}, nil
}

func (f farModel) Stream(ctx context.Context, req llm.Request, _ func(llm.Delta) error) (llm.Reply, error) {
	return f.Complete(ctx, req)
}

// outing is an engine on a clock that is set by hand, with a model and an embedder that can be away.
type outing struct {
	desk
	*outside
	at atomic.Int64
}

func newOuting(t *testing.T, start time.Time, wrap func(llm.Model, func() time.Time) llm.Model) *outing {
	t.Helper()
	t.Parallel()
	cfg := config.Default()
	cfg.Data, cfg.APIKey, cfg.Distil, cfg.LLMProvider, cfg.LLMURL, cfg.LLMModel = t.TempDir(), "sk_test_0123456789abcdef", "model", "openai", "http://127.0.0.1:1", "m"
	o := &outing{outside: &outside{}}
	o.at.Store(start.UnixNano())
	now := func() time.Time { return time.Unix(0, o.at.Load()) }
	e, err := Open(t.Context(), cfg, Options{
		Now: now, Log: slog.New(slog.DiscardHandler), Embed: func(e embed.Embedder) embed.Embedder { return farEmbedder{e, o.outside} },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.ok(e.Close()) })
	e.learn.Model = wrap(farModel{o.outside}, now)
	sc, err := e.Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o.desk = desk{t, e, sc}
	return o
}

func plainModel(m llm.Model, _ func() time.Time) llm.Model { return m }

// pass lets time go by and works off what is due in it.
func (o *outing) pass(d, step time.Duration) {
	o.Helper()
	for range int(d / step) {
		o.at.Add(int64(step))
		o.ok(o.Drain(o.Context()))
	}
}

func (o *outing) talk(name string) {
	o.Helper()
	c, _, err := o.Append(o.Context(), o.sc, lukasa.Append{Container: "life", Conversation: name, Messages: []lukasa.NewMessage{
		{Role: "user", Speaker: "Ana", Content: "I live in Lyon, and my head is clearest in the mornings. This is " + name + "."},
	}})
	o.ok(err)
	_, err = o.EndConversation(o.Context(), o.sc, c.ID)
	o.ok(err)
}

func (o *outing) counts() (waiting, dead int) {
	o.Helper()
	waiting, _, dead, err := o.store.Counts(o.Context(), o.now())
	o.ok(err)
	return waiting, dead
}

// H-28, T-18: what is asked of servers may be away for hours; nothing dies of it, and nothing has to be done by hand afterwards.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]*lukasa.Error{
		"away":    lukasa.Errorf(lukasa.CodeUnavailable, "server answered 503"),
		"late":    lukasa.Errorf(lukasa.CodeTimeout, "no answer within 30s"),
		"limited": {Code: lukasa.CodeLimited, Msg: "server answered 429", RetryAfter: 20 * time.Second},
		"refused": {Code: lukasa.CodeExternal, Msg: "server answered 401", Err: llm.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOuting(t, time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC), plainModel)
			o.down.Store(fault)
			_, err := o.Remember(o.Context(), o.sc, lukasa.NewDocument{Content: "The quixotropic lantern hums."})
			o.ok(err)
			o.talk("a")
			o.pass(2*time.Hour, 15*time.Second)
			waiting, dead := o.counts()
			if dead != 0 || waiting < 3 {
				t.Fatalf("%d waiting, %d dead", waiting, dead)
			}
			if n := o.asked.Load(); n > int64(waiting)*60 {
				t.Errorf("the servers were asked %d times for %d jobs", n, waiting)
			}
			o.down.Store(nil)
			o.pass(11*time.Minute, time.Minute)
			if waiting, dead = o.counts(); waiting+dead != 0 {
				t.Errorf("afterwards: %d waiting, %d dead", waiting, dead)
			}
			s, err := o.Stats(o.Context(), o.sc, time.Time{})
			o.ok(err)
			l, err := o.Memories(o.Context(), o.sc, lukasa.MemoryFilter{}, lukasa.Page{})
			o.ok(err)
			learned := 0
			for _, m := range l.Items {
				if m.Extractor == "model:m" {
					learned++
				}
			}
			if s.Coverage != 1 || s.ByStatus["done"] != s.Documents || learned != 1 {
				t.Errorf("coverage %v, %v, %d memories of the model", s.Coverage, s.ByStatus, learned)
			}
		})
	}
}

// What is a text's own fault is not tried for ever.
func TestOutageIsNoFaultOfTheText(t *testing.T) {
	o := newOuting(t, time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC), plainModel)
	o.talk("a")
	o.ok(o.Drain(o.Context()))
	o.down.Store(&lukasa.Error{Code: lukasa.CodeExternal, Msg: "rubbish", Err: llm.ErrMismatch})
	o.talk("b")
	was := o.asked.Load()
	o.pass(2*time.Hour, 15*time.Second)
	if waiting, dead := o.counts(); waiting != 0 || dead == 0 || o.asked.Load()-was > int64(dead)*8 {
		t.Errorf("%d waiting, %d dead, asked %d times", waiting, dead, o.asked.Load()-was)
	}
	o.down.Store(nil)
	n, err := o.Retry(o.Context(), o.sc)
	o.ok(err)
	o.ok(o.Drain(o.Context()))
	if waiting, dead := o.counts(); n == 0 || waiting+dead != 0 {
		t.Errorf("tried %d again: %d waiting, %d dead", n, waiting, dead)
	}
}

// T-18: a day's budget that is used up waits for midnight, and costs no try.
func TestBudgetOverMidnight(t *testing.T) {
	o := newOuting(t, time.Date(2026, 3, 14, 20, 0, 0, 0, time.UTC), func(m llm.Model, now func() time.Time) llm.Model {
		return llm.Budget(m, llm.Limits{TokensPerDay: 7000}, now)
	})
	for i := range 4 {
		o.talk(fmt.Sprint("talk ", i)) // each reserves some 4,500 and costs 1,000
	}
	o.pass(225*time.Minute, 5*time.Minute) // until 23:45
	waiting, dead := o.counts()
	if waiting != 1 || dead != 0 {
		t.Fatalf("before midnight: %d waiting, %d dead", waiting, dead)
	}
	o.pass(30*time.Minute, time.Minute)
	if waiting, dead = o.counts(); waiting+dead != 0 {
		t.Errorf("after midnight: %d waiting, %d dead", waiting, dead)
	}
}

// lateEmbedder is late on texts with one word in them, until it is mended.
type lateEmbedder struct {
	embed.Embedder
	mended *atomic.Bool
}

func (l lateEmbedder) Space() embed.Space {
	s := l.Embedder.Space()
	s.Local = false
	return s
}

func (l lateEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if !l.mended.Load() && slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "quicksand") }) {
		return nil, &lukasa.Error{Code: lukasa.CodeTimeout, Msg: "the embedder is late"}
	}
	return l.Embedder.Embed(ctx, texts)
}

// T-18: a text on which the server is late every time, while it answers for others, is put aside as failed after five times, and taken up again by hand; one
// that is late when nothing else passes waits on.
func TestLateOnOneText(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Data, cfg.APIKey = t.TempDir(), "sk_test_0123456789abcdef"
	var at atomic.Int64
	at.Store(time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC).UnixNano())
	var mended atomic.Bool
	e, err := Open(t.Context(), cfg, Options{
		Now: func() time.Time { return time.Unix(0, at.Load()) }, Log: slog.New(slog.DiscardHandler),
		Embed: func(e embed.Embedder) embed.Embedder { return lateEmbedder{e, &mended} },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	sc, err := e.Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := desk{t, e, sc}
	save := func(text string) lukasa.ID {
		r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: text, Container: "life"})
		d.ok(err)
		return r.Document.ID
	}
	status := func(id lukasa.ID) lukasa.Document {
		x, err := e.Document(t.Context(), sc, id)
		d.ok(err)
		return x
	}
	turn := func() {
		at.Add(int64(15 * time.Minute))
		d.ok(e.Drain(t.Context()))
	}
	id := save("The quicksand lies behind the dunes.")
	for range 12 {
		turn()
	}
	if x := status(id); x.Status != lukasa.StatusEmbedding {
		t.Fatalf("put aside while nothing else passed: %s, %q", x.Status, x.Reason)
	}
	for i := range 12 {
		other := save(fmt.Sprintf("Boat number %d is painted white.", i))
		turn()
		if x := status(other); x.Status != lukasa.StatusDone {
			t.Fatalf("another text: %s, %q", x.Status, x.Reason)
		}
	}
	if x := status(id); x.Status != lukasa.StatusFailed || !strings.Contains(x.Reason, "late every time") {
		t.Fatalf("%s, %q", x.Status, x.Reason)
	}
	mended.Store(true)
	_, err = e.Retry(t.Context(), sc)
	d.ok(err)
	turn()
	if x := status(id); x.Status != lukasa.StatusDone {
		t.Errorf("tried again by hand: %s, %q", x.Status, x.Reason)
	}
}
