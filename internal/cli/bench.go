package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type benchCmd struct {
	Recall benchRecallCmd `cmd:"" help:"Measure how well questions find their evidence, on a data file."`
	Speed  benchSpeedCmd  `cmd:"" help:"Measure saving and searching, on notes made from a seed."`
	Load   LoadCmd        `cmd:"" help:"Measure servers under a mixed load that grows until they are too slow."`
}

// benched opens an engine with the settings in force, on a directory and a schema of PostgreSQL that are gone afterwards.
func (a *app) benched(o engine.Options, fn func(e *engine.Engine, sc lukasa.Scope) error) (err error) {
	dir, err := os.MkdirTemp("", "lukasa-bench-*")
	if err != nil {
		return fmt.Errorf("make a directory for the measurement: %w", err)
	}
	o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	cfg := a.loaded.Config
	cfg.Data, cfg.CacheTTL, cfg.APIKey, cfg.MasterKey, cfg.BlobProvider, cfg.StoreSchema = dir, 0, "", "", "disk", fmt.Sprint("lukasa_bench_", time.Now().UnixNano())
	defer func() { err = errors.Join(err, os.RemoveAll(dir), engine.Discard(context.WithoutCancel(a.ctx), cfg)) }()
	e, err := engine.Open(a.ctx, cfg, o)
	if err != nil {
		return err
	}
	sc, err := e.Local(a.ctx)
	if err == nil {
		err = fn(e, sc)
	}
	return errors.Join(err, e.Close())
}

type benchRecallCmd struct {
	Files  []string `arg:"" name:"file" optional:"" type:"existingfile" help:"Conversations with questions and evidence, as JSON lines (docs/evaluating.md); --data FILE names one, too."`
	Unit   string   `help:"What counts as found: turn or session." enum:"turn,session" default:"turn"`
	Limit  int      `help:"Results a question." default:"50"`
	Ranker string   `help:"Ranker to measure; otherwise the default."`
	Each   bool     `name:"questions" help:"List each question with the place of its first evidence and the first three results."`
}

// recalled is what was measured on one file.
type recalled struct {
	File  string       `json:"file"`
	Set   string       `json:"set,omitempty"` // the data set, where it is known
	Gates []bench.Gate `json:"gates,omitempty"`
	bench.Report
}

// Run measures one file after the other.
func (c *benchRecallCmd) Run(a *app) error {
	if len(c.Files) == 0 {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "file", Msg: "is missing", Hint: "name a data file: docs/evaluating.md has the format"}
	}
	all := make([]recalled, len(c.Files))
	for i, name := range c.Files {
		r, err := c.measure(a, name)
		if err != nil {
			return err
		}
		all[i] = r
		if a.g.JSON {
			continue
		}
		if len(c.Files) > 1 {
			if i > 0 {
				a.say("")
			}
			a.say("%s", name)
		}
		if _, err := r.WriteTo(a.p.Out); err != nil {
			return err
		}
		if err := bench.WriteGates(a.p.Out, r.Set, r.Gates); err != nil {
			return err
		}
	}
	switch {
	case !a.g.JSON:
		return nil
	case len(all) == 1:
		return a.printJSON(all[0])
	}
	return a.printJSON(all)
}

// measure saves each conversation of a file into a container of its own and asks its questions there.
func (c *benchRecallCmd) measure(a *app, name string) (out recalled, err error) {
	f, err := os.Open(name)
	if err != nil {
		return out, err
	}
	defer f.Close()
	data, err := bench.Read(f)
	if err != nil {
		return out, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "file", Msg: fmt.Sprintf("%s: %s", name, err)}
	}
	unit := bench.Turns
	if c.Unit == "session" {
		unit = bench.Sessions
	}
	bar := a.progress()
	defer bar.Done()
	// Ids and times come from a seed, and notes are saved one by one, so that ties fall alike each time.
	clock := bench.NewClock()
	err = a.benched(engine.Options{Rand: bench.NewRand(1), Now: clock}, func(e *engine.Engine, sc lukasa.Scope) error {
		n := 0
		out.Report, err = bench.Run(a.ctx, data, unit, func(ctx context.Context, conv *bench.Conversation) (bench.Searcher, error) {
			n++
			bar.Show("%d of %d conversations", n, len(data))
			box := fmt.Sprintf("c%d", n)
			if err := saveTurns(ctx, e, sc, box, conv); err != nil {
				return nil, err
			}
			if err := e.Drain(ctx); err != nil { // most vectors of a large batch are made in the background
				return nil, err
			}
			return bench.SearcherFunc(func(ctx context.Context, q bench.Question) ([]string, error) {
				ids, err := c.ask(ctx, e, sc, box, q)
				if c.Each && !a.g.JSON {
					a.say("%-6s %4s  %-40s %s", q.ID, placeOf(ids, q.Evidence), strings.Join(ids[:min(3, len(ids))], " "), q.Text)
				}
				return ids, err
			}), nil
		})
		return err
	})
	out.File, out.Set = name, bench.SetOf(name, data)
	out.Gates = bench.Gates(out.Set, unit, &out.Report)
	return out, err
}

// saveTurns saves a conversation as messages, or a collection without speakers as documents.
func saveTurns(ctx context.Context, e *engine.Engine, sc lukasa.Scope, box string, conv *bench.Conversation) error {
	if len(conv.Speakers) == 0 {
		for _, t := range conv.Turns {
			if strings.TrimSpace(t.Content()) == "" {
				continue
			}
			doc := lukasa.NewDocument{Content: t.Content(), Container: box, CustomID: t.ID, ContentType: "text", Metadata: map[string]any{"turn": t.ID}}
			if _, err := e.Remember(ctx, sc, doc); err != nil {
				return err
			}
		}
		return nil
	}
	for batch := range slices.Chunk(conv.Turns, 500) {
		in := lukasa.Append{Container: box, Conversation: "it"}
		for _, t := range batch {
			m := lukasa.NewMessage{ExternalID: t.ID, Speaker: t.Speaker, Content: t.Content(), Session: t.Session}
			if t.Speaker == "user" || t.Speaker == "assistant" {
				m.Role = t.Speaker
			}
			if at := t.When(); !at.IsZero() {
				m.Time = &at
			}
			in.Messages = append(in.Messages, m)
		}
		if _, _, err := e.Append(ctx, sc, in); err != nil {
			return err
		}
	}
	return nil
}

// placeOf is the place of the first evidence, from 1 on, or "-".
func placeOf(ids, evidence []string) string {
	for i, id := range ids {
		if slices.Contains(evidence, id) {
			return fmt.Sprint(i + 1)
		}
	}
	return "-"
}

func (c *benchRecallCmd) ask(ctx context.Context, e *engine.Engine, sc lukasa.Scope, box string, q bench.Question) ([]string, error) {
	r, err := e.Search(ctx, sc, lukasa.Query{Text: q.Text, Limit: c.Limit, Ranker: c.Ranker, Containers: []lukasa.Pattern{{Path: lukasa.Path(box)}}})
	ids := make([]string, 0, len(r.Hits))
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, h := range r.Hits {
		turn, _ := h.Metadata["turn"].(string)
		switch {
		case h.Message != nil:
			add(h.Message.ID)
		case turn != "":
			add(turn)
		case h.Memory != nil: // one that says what a note says stands for the note
			for _, src := range h.Memory.Sources {
				if d, err := e.Document(ctx, sc, src.Document); err == nil {
					add(d.CustomID)
				}
			}
		}
	}
	return ids, err
}

type benchSpeedCmd struct {
	Notes   int    `help:"Notes to save." default:"20000"`
	Queries int    `help:"Searches to make." default:"500"`
	Seed    uint64 `help:"Seed that notes and queries are made from." default:"1"`
}

// speed is what the command prints. Times are wall time of this process, in milliseconds.
type speed struct {
	Notes      int     `json:"notes"`
	NotesASec  float64 `json:"notes_per_second"`
	OneNoteMS  float64 `json:"save_one_note_p50_ms"`
	LoadMS     float64 `json:"first_search_ms"`
	SearchP50  float64 `json:"search_p50_ms"`
	SearchP95  float64 `json:"search_p95_ms"`
	SearchP99  float64 `json:"search_p99_ms"`
	OwnP50     float64 `json:"search_one_of_ten_containers_p50_ms"`
	BytesANote float64 `json:"disk_bytes_per_note"`
}

// Run saves notes into ten containers and searches in all of them and in one.
func (c *benchSpeedCmd) Run(a *app) error {
	if c.Notes < 100 || c.Queries < 10 {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "--notes, --queries", Msg: "are too few to measure anything"}
	}
	bar := a.progress()
	defer bar.Done()
	return a.benched(engine.Options{}, func(e *engine.Engine, sc lukasa.Scope) error {
		e.Start() // as a server does
		g := bench.NewNotes(c.Seed)
		s := speed{Notes: c.Notes}
		began := time.Now()
		for done := 0; done < c.Notes; {
			docs := make([]lukasa.NewDocument, min(1000, c.Notes-done))
			for i := range docs {
				docs[i] = lukasa.NewDocument{Content: g.Note(), Container: fmt.Sprintf("c%d", (done+i)%10)}
			}
			_, errs := e.RememberAll(a.ctx, sc, docs)
			for _, err := range errs {
				if err != nil {
					return err
				}
			}
			done += len(docs)
			bar.Show("%d of %d notes", done, c.Notes)
		}
		s.NotesASec = float64(c.Notes) / time.Since(began).Seconds()
		one, err := bench.Latencies(50, func() error {
			_, err := e.Remember(a.ctx, sc, lukasa.NewDocument{Content: g.Note()})
			return err
		})
		if err != nil {
			return err
		}
		search := func(in []lukasa.Pattern) func() error {
			return func() error {
				_, err := e.Search(a.ctx, sc, lukasa.Query{Text: g.Query(), Containers: in})
				return err
			}
		}
		first, err := bench.Latencies(1, search(nil))
		if err != nil {
			return err
		}
		all, err := bench.Latencies(c.Queries, search(nil))
		if err != nil {
			return err
		}
		own, err := bench.Latencies(c.Queries, search([]lukasa.Pattern{{Path: "c3"}}))
		if err != nil {
			return err
		}
		s.OneNoteMS, s.LoadMS, s.OwnP50 = bench.Quantile(one, .5), first[0], bench.Quantile(own, .5)
		s.SearchP50, s.SearchP95, s.SearchP99 = bench.Quantile(all, .5), bench.Quantile(all, .95), bench.Quantile(all, .99)
		if st, err := os.Stat(e.Config().Data + "/" + rowsFile); err == nil {
			s.BytesANote = float64(st.Size()) / float64(c.Notes+50)
		}
		bar.Done()
		if a.g.JSON {
			return a.printJSON(s)
		}
		return a.table([]string{"WHAT", "VALUE"}, [][]string{
			{"notes saved in batches of 1,000", fmt.Sprintf("%.0f a second", s.NotesASec)},
			{"one note, durable, p50", fmt.Sprintf("%.2f ms", s.OneNoteMS)},
			{"first search, which loads the index", fmt.Sprintf("%.0f ms", s.LoadMS)},
			{"search in all, p50 / p95 / p99", fmt.Sprintf("%.2f / %.2f / %.2f ms", s.SearchP50, s.SearchP95, s.SearchP99)},
			{"search in one of ten containers, p50", fmt.Sprintf("%.2f ms", s.OwnP50)},
			{"disk", fmt.Sprintf("%.0f bytes a note", s.BytesANote)},
		})
	})
}
