package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/crypt"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxQueue bounds the jobs that are read of a queue.
const maxQueue = 1000

// longWaiting is the age from which a job that still waits is worth a look.
const longWaiting = 10 * time.Minute

// Backlog says how much work there is, and whether some of it does not get on: it is dead, or has waited for over 10 min. Scrubs have their own time.
func (p *Path) Backlog(ctx context.Context) (said string, stuck bool, err error) {
	waiting, running, dead, err := p.Store.Counts(ctx, p.now())
	said = fmt.Sprintf("%d waiting, %d running, %d dead", waiting, running, dead)
	if err != nil || waiting == 0 && dead == 0 {
		return said, false, err
	}
	jobs, err := p.Store.Queue(ctx, "", maxQueue)
	if err != nil {
		return said, false, err
	}
	i := slices.IndexFunc(jobs, func(j lukasa.Job) bool { return !j.Dead && j.Kind != JobScrub })
	if i >= 0 && p.now().Sub(jobs[i].Created) > longWaiting {
		return fmt.Sprintf("%s; the oldest for %v: see /v1/jobs", said, p.now().Sub(jobs[i].Created).Round(time.Minute)), true, nil
	}
	if dead > 0 {
		return said + ": see /v1/jobs, then try them again", true, nil
	}
	return said, false, nil
}

// Queue lists the jobs that a scope can see beside those of documents which are not done: the dead ones first, then those that have been there longest.
func (p *Path) Queue(ctx context.Context, sc lukasa.Scope) ([]lukasa.Job, error) {
	jobs, err := p.Store.Queue(ctx, sc.Owner, maxQueue)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	var ids []lukasa.ID
	for _, j := range jobs {
		ids = append(ids, j.Record)
	}
	seen, busy := map[lukasa.ID]bool{}, map[lukasa.ID]bool{}
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		docs, err := r.DocumentsByID(ids)
		if err != nil {
			return err
		}
		for _, d := range docs {
			seen[d.ID], busy[d.ID] = true, d.Status != lukasa.StatusDone
		}
		memories, err := r.MemoriesByID(ids)
		for _, m := range memories {
			seen[m.ID] = true
		}
		return err
	})
	var out []lukasa.Job
	for _, j := range jobs {
		if j.Kind == JobScrub {
			j.Reason = "" // it holds something else
		}
		if own := j.Kind == lukasa.JobProcess || j.Kind == lukasa.JobEmbed; (seen[j.Record] || sc.Root == "") && !(own && busy[j.Record]) {
			out = append(out, j)
		}
	}
	return out, err
}

// StateOf is what a listing says of a job: failed, or waiting.
func StateOf(j lukasa.Job) string {
	if j.Dead {
		return "failed"
	}
	return "waiting"
}

// Hold puts off the end of a job's lease until it is released: while this process is at it, however long that takes, no other begins it.
func (p *Path) Hold(ctx context.Context, j lukasa.Job, lease time.Duration) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := p.Store.Extend(ctx, j, p.now().Add(lease)); err != nil && ctx.Err() == nil {
				p.Log.Warn("put off the end of a lease", "job", j.ID, "err", err)
			}
		}
	})
	return func() {
		cancel()
		work.Wait()
	}
}

// Damage looks for what is wrong with rows, files and jobs, and says what it found, one line each.
func (p *Path) Damage(ctx context.Context) ([]string, error) {
	found, err := p.Store.Check(ctx)
	if err != nil {
		return nil, err
	}
	users, err := p.Store.Users(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		if err := p.Vault.Check(ctx, string(u.ID)); errors.Is(err, crypt.ErrMasterKey) {
			found = append(found, fmt.Sprintf("the files of %s were sealed with another master key than the one given: until it is back they cannot be read", u.ID))
		}
	}
	lost, err := p.Vault.Faults(ctx, p.Store.BlobKeys)
	if err != nil {
		return nil, err
	}
	found = append(found, lost...)
	if c, ok := p.Index.(index.Checker); ok {
		faults, err := c.Check(ctx)
		if err != nil {
			return nil, err
		}
		found = append(found, faults...)
	}
	o, err := p.orphans(ctx, p.now())
	if err != nil {
		return nil, err
	}
	if fault := o.Fault(); fault != "" {
		found = append(found, fault)
	}
	_, _, dead, err := p.Store.Counts(ctx, p.now())
	if err != nil || dead == 0 {
		return found, err
	}
	return append(found, fmt.Sprintf("dead letters, jobs that failed for good: %d; `lukasa jobs --state failed` says why, `lukasa retry --all` tries them again", dead)), nil
}
