package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/fetch"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// desk is an engine whose insides a test can get at.
type desk struct {
	*testing.T
	*Engine
	sc lukasa.Scope
}

func newDesk(t *testing.T, change func(*config.Config)) desk {
	t.Helper()
	t.Parallel()
	return openDesk(t, change)
}

func openDesk(t *testing.T, change func(*config.Config)) desk {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.APIKey = t.TempDir(), "sk_test_0123456789abcdef"
	if change != nil {
		change(&cfg)
	}
	e, err := Open(t.Context(), cfg, Options{})
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
	return desk{t, e, sc}
}

func (d desk) ok(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d desk) keep(in lukasa.NewDocument) lukasa.Document {
	d.Helper()
	r, err := d.Remember(d.Context(), d.sc, in)
	d.ok(err)
	return r.Document
}

// page has the next page that is fetched come with what a test does while it is on its way.
func (d desk) page(text string, meanwhile func()) {
	var fetched atomic.Bool
	d.ingest.Fetch = func(_ context.Context, url string) (fetch.Page, error) {
		if !fetched.Swap(true) {
			meanwhile()
		}
		return fetch.Page{Data: []byte(text), ContentType: "text/plain", FinalURL: url}, nil
	}
}

func (d desk) documents(f lukasa.DocumentFilter) []lukasa.Document {
	d.Helper()
	l, err := d.Documents(d.Context(), d.sc, f, lukasa.Page{Limit: 100})
	d.ok(err)
	return l.Items
}

// pending lists what has no vector of a document.
func (d desk) pending(id lukasa.ID) []lukasa.Entry {
	d.Helper()
	list, err := view(d.Context(), d.Engine, d.sc, func(r store.Reader) ([]lukasa.Entry, error) {
		return r.Pending(id, d.embed.Space().ID, 100)
	})
	d.ok(err)
	return list
}

const address = "https://example.org/wombat"

// A document that is deleted for good while its page is fetched does not come back with its text.
func TestDeletedWhileItIsRead(t *testing.T) {
	d := newDesk(t, nil)
	doc := d.keep(lukasa.NewDocument{URL: address})
	d.page("The wombat digs at night.", func() {
		_, err := d.Delete(t.Context(), d.sc, doc.ID)
		d.ok(err)
	})
	d.ok(d.Drain(t.Context()))
	if _, err := d.Document(t.Context(), d.sc, doc.ID); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("it is back: %v", err)
	}
	r, err := d.Search(t.Context(), d.sc, lukasa.Query{Text: "wombat"})
	if d.ok(err); len(r.Hits) != 0 {
		t.Errorf("it is found: %+v", r.Hits)
	}
}

// What is said of a document while it is read stands, beside what was found in it.
func TestChangedWhileItIsRead(t *testing.T) {
	d := newDesk(t, nil)
	doc := d.keep(lukasa.NewDocument{URL: address, Container: "zoo.old", Tags: []string{"a", "b"}, Metadata: map[string]any{"keep": "1", "change": "2", "drop": "3"}})
	title, tags, until := "Night diggers", []string{"b", "c"}, time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	d.page("The wombat digs at night.", func() {
		_, err := d.PatchDocument(t.Context(), d.sc, doc.ID, lukasa.DocumentPatch{
			Title: &title, Tags: &tags, ForgetAfter: &until, Metadata: map[string]any{"change": "x", "drop": nil, "new": "y"},
		})
		d.ok(err)
		_, err = d.ArchiveNode(t.Context(), d.sc, "zoo.old", "")
		d.ok(err)
	})
	d.ok(d.Drain(t.Context()))
	got, err := d.Document(t.Context(), d.sc, doc.ID)
	d.ok(err)
	if got.Title != title || got.Path != "zoo" || got.ForgetAfter == nil || !got.ForgetAfter.Equal(until) || !strings.Contains(got.Content, "wombat") || got.Status != lukasa.StatusDone {
		t.Errorf("%+v", got)
	}
	if slices.Contains(got.Tags, "a") || !slices.Contains(got.Tags, "b") || !slices.Contains(got.Tags, "c") {
		t.Errorf("tags %v", got.Tags)
	}
	if m := got.Metadata; m["keep"] != "1" || m["change"] != "x" || m["new"] != "y" || m["drop"] != nil {
		t.Errorf("metadata %v", m)
	}
}

// A job that another process takes over, because its lease ran out, is done twice: what it makes is there once.
func TestReadTwiceAtOnce(t *testing.T) {
	d := newDesk(t, nil)
	doc := d.keep(lukasa.NewDocument{URL: address})
	page := strings.Repeat("<p>The wombat digs at night.</p>\n", 40)
	d.page(page, func() {
		d.ok(d.ingest.Work(t.Context(), lukasa.Job{Owner: d.sc.Owner, Kind: lukasa.JobProcess, Record: doc.ID, Attempt: 1, MaxTries: 8}))
		title := "Mine"
		_, err := d.PatchDocument(t.Context(), d.sc, doc.ID, lukasa.DocumentPatch{Title: &title})
		d.ok(err)
	})
	d.ingest.Fetch = func(get func(context.Context, string) (fetch.Page, error)) func(context.Context, string) (fetch.Page, error) {
		return func(ctx context.Context, url string) (fetch.Page, error) {
			p, err := get(ctx, url)
			p.ContentType = "text/html"
			return p, err
		}
	}(d.ingest.Fetch)
	d.ok(d.Drain(t.Context()))
	files, err := d.Files(t.Context(), d.sc, doc.ID, time.Time{})
	d.ok(err)
	raw := 0
	for _, f := range files {
		if f.Role == "raw" {
			raw++
		}
	}
	got, err := d.Document(t.Context(), d.sc, doc.ID)
	if d.ok(err); raw != 1 || got.Title != "Mine" || got.Status != lukasa.StatusDone {
		t.Errorf("%d raw files, title %q, %s", raw, got.Title, got.Status)
	}
}

// extending tells of each lease that was put off.
type extending struct {
	store.Store
	told chan struct{}
}

func (x extending) Extend(ctx context.Context, j lukasa.Job, until time.Time) error {
	err := x.Store.Extend(ctx, j, until)
	select {
	case x.told <- struct{}{}:
	case <-ctx.Done():
	}
	return err
}

// A job is nobody else's as long as it is being worked on, however long that takes.
func TestLeaseIsPutOff(t *testing.T) {
	d := newDesk(t, nil)
	doc := d.keep(lukasa.NewDocument{URL: address})
	var passed atomic.Int64
	began, told, done := time.Now().Add(time.Minute), make(chan struct{}), make(chan struct{})
	d.lease, d.store = 30*time.Millisecond, extending{d.store, told}
	d.now = func() time.Time { return began.Add(time.Duration(passed.Load())) }
	d.life.Store, d.life.Mint.Now = d.store, d.now
	fetched := 0
	d.ingest.Fetch = func(_ context.Context, url string) (fetch.Page, error) {
		fetched++
		<-done
		return fetch.Page{Data: []byte("The wombat digs at night."), ContentType: "text/plain", FinalURL: url}, nil
	}
	var work sync.WaitGroup
	work.Go(func() { d.ok(d.Drain(t.Context())) })
	for range 4 {
		<-told
		passed.Add(int64(d.lease) - 1)
		<-told // which may have been under way
		<-told
		if n, err := d.WorkOnce(t.Context()); n != 0 || err != nil {
			t.Errorf("another began it: %d, %v", n, err)
		}
	}
	close(done)
	work.Wait()
	if got, err := d.Document(t.Context(), d.sc, doc.ID); err != nil || fetched != 1 || got.Status != lukasa.StatusDone {
		t.Errorf("fetched %d times, %s, %v", fetched, got.Status, err)
	}
}

// Work that is broken off, as a process is told to end, is handed back: the next one begins it at once, and it has cost no try.
func TestBrokenOffIsHandedBack(t *testing.T) {
	d := newDesk(t, nil)
	doc := d.keep(lukasa.NewDocument{URL: address})
	short, end := context.WithCancel(t.Context())
	d.ingest.Fetch = func(ctx context.Context, _ string) (fetch.Page, error) {
		end()
		return fetch.Page{}, ctx.Err()
	}
	if err := d.Drain(short); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if q, err := d.store.Queue(t.Context(), d.sc.Owner, 9); err != nil || len(q) != 1 || q[0].Attempt != 0 || q[0].Record != doc.ID {
		t.Fatalf("%+v, %v", q, err)
	}
	d.page("The wombat digs at night.", func() {})
	d.ok(d.Drain(t.Context())) // within the time of the lease
	if got, err := d.Document(t.Context(), d.sc, doc.ID); err != nil || got.Status != lukasa.StatusDone {
		t.Errorf("%s, %v", got.Status, err)
	}
}

// shelf is a store of which a test decides how its writes go.
type shelf struct {
	store.Store
	update func(ctx context.Context, sc lukasa.Scope, fn func(store.Tx) error) error
}

func (s shelf) Update(ctx context.Context, sc lukasa.Scope, fn func(store.Tx) error) error {
	return s.update(ctx, sc, fn)
}

var errAway = &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "the connection broke: it may have been kept, or not"}

// Where nobody knows whether a write was committed, the bytes that its rows may refer to stay.
func TestUncertainWriteKeepsItsFiles(t *testing.T) {
	d := newDesk(t, nil)
	inner := d.store
	d.ingest.Store = shelf{inner, func(ctx context.Context, sc lukasa.Scope, fn func(store.Tx) error) error {
		return errors.Join(inner.Update(ctx, sc, fn), errAway)
	}}
	long := strings.Repeat("The wombat digs at night, and sleeps by day. ", 3000)
	for _, in := range []lukasa.NewDocument{{Content: long}, {Data: []byte("Wombats. " + long), Name: "wombats.txt"}} {
		if _, err := d.Remember(t.Context(), d.sc, in); lukasa.CodeOf(err) != lukasa.CodeUnavailable {
			t.Fatal(err)
		}
	}
	d.ingest.Store = inner
	d.ok(d.Drain(t.Context()))
	docs := d.documents(lukasa.DocumentFilter{})
	if len(docs) != 2 {
		t.Fatalf("%d documents", len(docs))
	}
	for _, doc := range docs {
		if got, err := d.Document(t.Context(), d.sc, doc.ID); err != nil || got.Status != lukasa.StatusDone || len(got.Content) < len(long)-1 {
			t.Errorf("%s: %d bytes, %s %s, %v", doc.Title, len(got.Content), got.Status, got.Reason, err)
		}
	}
}

// A document that turns out to be at fault when its rows are being written leaves nothing, and takes nothing with it.
func TestLateRefusalLeavesNothing(t *testing.T) {
	d := newDesk(t, nil)
	first := d.keep(lukasa.NewDocument{CustomID: "a", Content: "The wombat digs at night."})
	got, errs := d.RememberAll(t.Context(), d.sc, []lukasa.NewDocument{
		{Content: "The quokka smiles."},
		{CustomID: "a", Content: "The wombat digs by day.", Metadata: map[string]any{"depth": math.NaN()}},
		{Content: "The emu runs."},
		{Container: "zoo", Content: "The numbat naps.", Metadata: map[string]any{"depth": math.NaN()}},
	})
	if errs[0] != nil || lukasa.CodeOf(errs[1]) != lukasa.CodeInvalid || errs[2] != nil || lukasa.CodeOf(errs[3]) != lukasa.CodeInvalid {
		t.Fatal(errs)
	}
	if _, err := d.Node(t.Context(), d.sc, "zoo"); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("the container of what was refused: %v", err)
	}
	if now, err := d.Document(t.Context(), d.sc, first.ID); err != nil || !now.IsLatest {
		t.Errorf("what was there is %+v, %v", now, err)
	}
	if docs := d.documents(lukasa.DocumentFilter{AllVersions: true}); len(docs) != 3 || got[2].Document.ID == "" {
		t.Errorf("%d documents", len(docs))
	}
}

// brittle is a transaction that the database has broken off.
type brittle struct{ store.Tx }

func (brittle) PutDocument(lukasa.Document) error { return errAway }

// A write that the store runs again from the start is whole the second time.
func TestWriteIsRunAgain(t *testing.T) {
	d := newDesk(t, nil)
	inner := d.store
	d.ingest.Store = shelf{inner, func(ctx context.Context, sc lukasa.Scope, fn func(store.Tx) error) error {
		if err := inner.Update(ctx, sc, func(tx store.Tx) error { return fn(brittle{tx}) }); lukasa.CodeOf(err) != lukasa.CodeUnavailable {
			return err
		}
		return inner.Update(ctx, sc, fn)
	}}
	got, errs := d.RememberAll(t.Context(), d.sc, []lukasa.NewDocument{{Content: "The wombat digs at night."}, {Content: "The emu runs."}})
	if errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	for _, r := range got {
		if _, err := d.Document(t.Context(), d.sc, r.Document.ID); err != nil {
			t.Error(err)
		}
	}
}

// A file that is worked off later takes the place of the document that it was said to.
func TestLaterWorkKnowsWhatItUpdates(t *testing.T) {
	d := newDesk(t, nil)
	first := d.keep(lukasa.NewDocument{Content: "The wombat digs at night."})
	d.page("The wombat digs by day.", func() {})
	next := d.keep(lukasa.NewDocument{URL: address, Updates: first.ID})
	if now, err := d.Document(t.Context(), d.sc, first.ID); err != nil || !now.IsLatest {
		t.Errorf("it has gone before the other is there: %v", err)
	}
	d.ok(d.Drain(t.Context()))
	now, err := d.Document(t.Context(), d.sc, next.ID)
	d.ok(err)
	was, err := d.Document(t.Context(), d.sc, first.ID)
	d.ok(err)
	if now.Previous != first.ID || now.Version != 2 || !now.IsLatest || was.IsLatest {
		t.Errorf("%s is version %d behind %q; the first is latest: %t", now.ID, now.Version, now.Previous, was.IsLatest)
	}
	if _, err := d.Remember(t.Context(), d.sc, lukasa.NewDocument{URL: address, Container: "other", Updates: first.ID}); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("in another container: %v", err)
	}
	// one that is gone meanwhile holds nothing up
	gone := d.keep(lukasa.NewDocument{Content: "The bilby has long ears."})
	d.page("The bilby has very long ears.", func() {
		_, err := d.Delete(t.Context(), d.sc, gone.ID)
		d.ok(err)
	})
	alone := d.keep(lukasa.NewDocument{URL: address + "/bilby", Updates: gone.ID})
	d.ok(d.Drain(t.Context()))
	if now, err := d.Document(t.Context(), d.sc, alone.ID); err != nil || now.Status != lukasa.StatusDone || now.Previous != "" {
		t.Errorf("%+v, %v", now, err)
	}
}

// A file that takes long to read is not taken for newer than the version that came after it.
func TestLaterVersionStaysTheLatest(t *testing.T) {
	d := newDesk(t, nil)
	var all []lukasa.ID
	for range 2 {
		d.page(fmt.Sprint("The wombat digs at night, says edition ", len(all)), func() {
			for range 2 {
				all = append(all, d.keep(lukasa.NewDocument{CustomID: "k", Content: fmt.Sprint("The wombat digs by day, says edition ", len(all))}).ID)
			}
		})
		all = append(all, d.keep(lukasa.NewDocument{URL: address, CustomID: "k"}).ID)
		d.ok(d.Drain(t.Context()))
	}
	chain, err := d.Versions(t.Context(), d.sc, all[0], time.Time{})
	d.ok(err)
	if len(chain) != len(all) {
		t.Fatalf("%d versions of %d", len(chain), len(all))
	}
	for i, x := range chain {
		n := len(all) - i
		if x.ID != all[n-1] || x.Version != n || x.IsLatest != (i == 0) || i < len(chain)-1 && x.Previous != chain[i+1].ID {
			t.Errorf("%d: %s is version %d behind %s, latest %t", n, x.ID, x.Version, x.Previous, x.IsLatest)
		}
	}
}

// slowModel is a model that answers with one statement, and takes its time.
type slowModel struct{ meanwhile func() }

func (slowModel) Info() llm.Info { return llm.Info{} }

func (r slowModel) Complete(context.Context, llm.Request) (llm.Reply, error) {
	r.meanwhile()
	b, err := json.Marshal(map[string]any{"memories": []map[string]any{{
		"text": 1, "kind": "fact", "content": "Maria lives in Lisbon.", "quote": "Maria lives in Lisbon", "subject": "Maria", "confidence": 0.9,
	}}})
	return llm.Reply{JSON: b, Model: "m"}, err
}

func (r slowModel) Stream(ctx context.Context, q llm.Request, _ func(llm.Delta) error) (llm.Reply, error) {
	return r.Complete(ctx, q)
}

// What is deleted while it is read for what it states leaves no statement behind, whoever reads it.
func TestDeletedTextTeachesNothing(t *testing.T) {
	for name, read := range map[string]func(d desk, id lukasa.ID, meanwhile func()) error{
		"by a model": func(d desk, id lukasa.ID, meanwhile func()) error {
			d.learn.Model = slowModel{meanwhile}
			return d.learn.Distil(d.Context(), d.sc, id)
		},
		"again": func(d desk, id lukasa.ID, meanwhile func()) error {
			d.learn.Plain = func(_ lukasa.ID, s string) string { meanwhile(); return s }
			_, err := d.learn.Again(d.Context(), d.sc, id)
			return err
		},
		"by today's rules": func(d desk, id lukasa.ID, meanwhile func()) error {
			d.learn.Plain = func(_ lukasa.ID, s string) string { meanwhile(); return s }
			_, err := d.learn.Rederive(d.Context(), d.sc, id, true, false)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			what := lukasa.NewDocument{Content: "Maria lives in Lisbon. She works at Acme as a baker.", ContentType: "markdown"}
			d.ingest.Learn = nil
			doc := d.keep(what)
			meanwhile := sync.OnceFunc(func() {
				_, err := d.Delete(t.Context(), d.sc, doc.ID)
				d.ok(err)
			})
			if err := read(d, doc.ID, meanwhile); err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
				t.Fatal(err)
			}
			meanwhile()
			l, err := d.Memories(t.Context(), d.sc, lukasa.MemoryFilter{}, lukasa.Page{})
			if d.ok(err); len(l.Items) != 0 {
				t.Errorf("%+v is remembered of what is gone", l.Items)
			}
			d.learn.Plain = nil
			doc = d.keep(what) // and what stays is read
			if err := read(d, doc.ID, func() {}); err != nil {
				t.Fatal(err)
			}
			l, err = d.Memories(t.Context(), d.sc, lukasa.MemoryFilter{}, lukasa.Page{})
			if d.ok(err); len(l.Items) == 0 {
				t.Error("nothing is remembered of what stays")
			}
		})
	}
}

// A message that is deleted while a model reads its conversation leaves no statement either, and the conversation is still there.
func TestDeletedMessageTeachesNothing(t *testing.T) {
	for _, gone := range []bool{true, false} {
		t.Run(fmt.Sprint("deleted ", gone), func(t *testing.T) {
			d := newDesk(t, nil)
			d.ingest.Learn = nil
			c, said, err := d.Append(t.Context(), d.sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{
				{Role: "user", Speaker: "Maria", Content: "Maria lives in Lisbon."}, {Role: "user", Speaker: "Ben", Content: "I see."},
			}})
			d.ok(err)
			d.learn.Model = slowModel{sync.OnceFunc(func() {
				if gone {
					_, err := d.Delete(t.Context(), d.sc, said[0].ID)
					d.ok(err)
				}
			})}
			d.ok(d.learn.Distil(t.Context(), d.sc, c.Document))
			l, err := d.Memories(t.Context(), d.sc, lukasa.MemoryFilter{}, lukasa.Page{})
			if d.ok(err); (len(l.Items) == 0) != gone {
				t.Errorf("%+v is remembered", l.Items)
			}
		})
	}
}

// far is an embedder that is asked over a network.
type far struct{ embed.Embedder }

func (f far) Space() embed.Space {
	s := f.Embedder.Space()
	s.Local = false
	return s
}

// Messages have their vectors wherever they stand: those that go into another segment, and those that are replaced in an earlier one.
func TestMessagesKeepTheirVectors(t *testing.T) {
	for _, remote := range []bool{false, true} {
		t.Run(fmt.Sprint("remote ", remote), func(t *testing.T) {
			d := newDesk(t, func(c *config.Config) { c.SegmentTokens = 100 })
			if remote {
				d.ingest.Embed = far{d.ingest.Embed}
			}
			say := func(replace bool, messages ...lukasa.NewMessage) lukasa.Conversation {
				t.Helper()
				c, results, err := d.Append(t.Context(), d.sc, lukasa.Append{Conversation: "c", Messages: messages, Replace: replace})
				d.ok(err)
				for _, r := range results {
					if r.Error != "" {
						t.Fatal(r.Error)
					}
				}
				return c
			}
			long := func(n int) string { return strings.Repeat("The wombat digs at night. ", n) }
			say(false, lukasa.NewMessage{ExternalID: "1", Role: "user", Content: "What does it do?"})
			say(false, lukasa.NewMessage{ExternalID: "2", Role: "assistant", Content: "It digs."})
			say(false, lukasa.NewMessage{ExternalID: "3", Role: "user", Content: long(12)})
			say(false, lukasa.NewMessage{ExternalID: "4", Role: "user", Content: long(8)})
			d.ok(d.Drain(t.Context()))
			say(true, lukasa.NewMessage{ExternalID: "1", Role: "user", Content: "What does a bilby do?"}, lukasa.NewMessage{ExternalID: "5", Role: "user", Content: "And then?"})
			d.ok(d.Drain(t.Context()))
			l, err := view(t.Context(), d.Engine, d.sc, func(r store.Reader) (lukasa.Listing[lukasa.Segment], error) {
				return r.Segments(store.SegmentFilter{}, lukasa.Page{})
			})
			d.ok(err)
			if len(l.Items) != 2 || l.Items[1].Messages != 2 {
				t.Fatalf("%d segments: %+v", len(l.Items), l.Items)
			}
			for _, s := range l.Items {
				if p := d.pending(s.Document); len(p) > 0 {
					t.Errorf("%s segment: %d entries have no vector: %q", s.State, len(p), p[0].Text)
				}
			}
		})
	}
}

// Settings of a user that are changed at the same time all stay.
func TestSettingsOfAUserAreNotLost(t *testing.T) {
	d := newDesk(t, nil)
	u, err := d.CreateUser(t.Context(), d.sc, lukasa.User{Name: "Bob"})
	d.ok(err)
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			for k := range 4 {
				if _, err := d.ChangeUser(t.Context(), d.sc, u.ID, map[string]any{fmt.Sprintf("k%d.%d", i, k): true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if u, err = d.store.User(t.Context(), u.ID); err != nil || len(u.Settings) != 32 {
		t.Errorf("%d settings, %v", len(u.Settings), err)
	}
}
