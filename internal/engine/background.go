package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/graph"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/learn"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
	"github.com/lukasa-memory/lukasa/internal/store"
)

const (
	jobLease  = 30 * time.Second // then another process takes it, unless it is put off: the steps bear being done twice
	jobPoll   = 2 * time.Second
	handBack  = 2 * time.Second // for handing back what an ending process does not finish
	clockTick = 30 * time.Second
)

// nudge lets a worker look for jobs now, here or on another node.
func (e *Engine) nudge() {
	e.nudgeHere()
	e.wire.call()
}

func (e *Engine) nudgeHere() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func (e *Engine) runJobs(ctx context.Context) {
	for told := ""; ctx.Err() == nil; { // what does not change, like a full disk, is told once
		n, err := e.WorkOnce(ctx)
		switch {
		case err == nil:
			told = ""
		case ctx.Err() == nil && err.Error() != told:
			told = err.Error()
			e.log.Error("work off jobs", "err", err)
		}
		if n > 0 {
			continue
		}
		select {
		case <-ctx.Done():
		case <-e.wake:
		case <-time.After(jobPoll):
		}
	}
}

// WorkOnce does the job that is due, if there is one, and returns how many it did.
func (e *Engine) WorkOnce(ctx context.Context) (int, error) {
	jobs, err := e.store.Claim(ctx, e.now(), e.lease, 1)
	if err != nil {
		return 0, err
	}
	for _, j := range jobs {
		if err := e.do(ctx, j); err != nil {
			return len(jobs), err
		}
	}
	return len(jobs), nil
}

// do runs one job and notes how it ended. A job that fails waits twice as long before each new try; one that cannot
// succeed, or has had its tries, becomes a dead letter with the reason. What a server outside is to blame for costs no try.
func (e *Engine) do(ctx context.Context, j lukasa.Job) error {
	began := e.now()
	release := e.life.Hold(ctx, j, e.lease)
	err := e.perform(ctx, j)
	release()
	e.metrics.Job(string(j.Kind), err == nil, e.now().Sub(began))
	if ended := ctx.Err(); ended != nil { // this process ends: who comes next goes on at once, and not when the lease has run out
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), handBack)
		defer cancel()
		if err == nil {
			return e.store.Finish(after, j.ID)
		}
		return errors.Join(ended, e.store.Postpone(after, j, e.now(), j.Reason))
	}
	if err == nil {
		e.outages.Over(j)
		return e.store.Finish(ctx, j.ID)
	}
	if errors.Is(err, store.ErrGone) { // and the job with its owner
		return nil
	}
	if errors.Is(err, lifecycle.ErrLater) {
		return e.store.Postpone(ctx, j, e.now().Add(lifecycle.LaterBy), j.Reason)
	}
	if e.outages.Stuck(j, err) {
		err = e.ingest.PutAside(ctx, j, lifecycle.ErrStuck)
	}
	if wait, ok := e.outages.Wait(j.Kind, err, e.now()); ok && !errors.Is(err, ingest.ErrFinal) {
		e.log.WarnContext(ctx, "job postponed", "job", j.ID, "kind", j.Kind, "record", j.Record, "wait", wait, "err", err)
		return e.store.Postpone(ctx, j, e.now().Add(wait), err.Error())
	}
	dead := errors.Is(err, ingest.ErrFinal) || j.Attempt >= j.MaxTries
	level := slog.LevelWarn
	if errors.Is(err, ingest.ErrFinal) { // what it reads is at fault, and its record says so
		level = slog.LevelInfo
	}
	e.log.Log(ctx, level, "job failed", "job", j.ID, "kind", j.Kind, "record", j.Record, "attempt", j.Attempt, "dead", dead, "err", err)
	return e.store.Retry(ctx, j.ID, e.now().Add(lifecycle.Backoff(j.Attempt)), err.Error(), dead)
}

// perform hands a job to the path that does its kind.
func (e *Engine) perform(ctx context.Context, j lukasa.Job) error {
	owner := lukasa.Scope{Owner: j.Owner, Principal: j.Owner, Role: lukasa.RoleUser}
	switch j.Kind {
	case lukasa.JobDistil:
		return e.learn.Distil(ctx, owner, j.Record)
	case graph.JobArchive:
		return e.places.ArchiveOn(ctx, owner, j.Record)
	case learn.JobCompare:
		return e.learn.Compare(ctx, owner, j.Record)
	case learn.JobLearn:
		return e.learn.Learn(ctx, owner, j.Record)
	case lukasa.JobLink:
		return e.learn.Link(ctx, owner, j.Record)
	case lifecycle.JobScrub, lifecycle.JobRespace, lifecycle.JobReword:
		return e.life.Work(ctx, j)
	}
	return e.ingest.Work(ctx, j)
}

// Drain works off all jobs that are due; short commands call it before they end.
func (e *Engine) Drain(ctx context.Context) error { return e.DrainTelling(ctx, nil) }

// DrainTelling is [Engine.Drain]; tick, if there is one, hears before each job how many are left.
func (e *Engine) DrainTelling(ctx context.Context, tick func(left int)) error {
	for {
		if tick != nil {
			left, _, _, err := e.store.Counts(ctx, e.now())
			if err != nil {
				return err
			}
			tick(left)
		}
		if n, err := e.WorkOnce(ctx); err != nil || n == 0 {
			return err
		}
	}
}

// runClock does what is due by time.
func (e *Engine) runClock(ctx context.Context) {
	tick := time.NewTicker(clockTick)
	defer tick.Stop()
	sweep := e.now()
	for {
		e.tend(ctx, chore{"forget what is due", e.life.Forget}, chore{"end stretches that have been quiet", e.rest}, chore{"empty the trash", e.life.AgeTrash},
			chore{"compress idle files", e.life.Cool}, chore{"clean up after deletions", func(ctx context.Context) (int, error) { return 0, e.life.Tidy(ctx) }})
		if !e.now().Before(sweep) {
			sweep = e.now().Add(time.Hour)
			e.tend(ctx, chore{"sweep unused files", e.life.Sweep}, chore{"delete what is older than its user keeps things", e.life.Retain})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Forget removes everything whose forget_after has come.
func (e *Engine) Forget(ctx context.Context) error {
	_, err := e.life.Forget(ctx)
	return err
}

// runErrands does from time to time what each process owes: it writes down what was recalled, in batches, and follows the scrubs
// of others.
func (e *Engine) runErrands(ctx context.Context) {
	tick := time.NewTicker(clockTick)
	defer tick.Stop()
	for {
		if err := e.touches.flush(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("write last-accessed times", "err", err)
		}
		if err := e.life.Listen(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("follow the scrubs of other processes", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
