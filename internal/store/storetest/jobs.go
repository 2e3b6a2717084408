package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var jobCases = []testCase{
	{"LeaseAndFinish", func(t *testing.T, w *world) {
		now := start
		var ids []lukasa.ID
		w.update(func(tx store.Tx) error {
			for i := range 3 {
				j := lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobProcess, Record: lukasa.ID(fmt.Sprintf("doc_%d", i)), MaxTries: 3, RunAt: now.Add(time.Duration(i*i) * time.Minute), Created: now}
				ids = append(ids, j.ID)
				if err := tx.Enqueue(j); err != nil {
					return err
				}
			}
			return tx.Enqueue(lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobProcess, Record: "doc_0", RunAt: now}) // waits already
		})
		w.counts(t, now, 3, 0, 0)
		got := must[[]lukasa.Job](t)(w.Claim(w.ctx(), now.Add(time.Minute), time.Minute, 10))
		same(t, []lukasa.Job{
			{ID: ids[0], Owner: w.owner, Kind: lukasa.JobProcess, Record: "doc_0", Attempt: 1, MaxTries: 3, RunAt: now, Created: now},
			{ID: ids[1], Owner: w.owner, Kind: lukasa.JobProcess, Record: "doc_1", Attempt: 1, MaxTries: 3, RunAt: now.Add(time.Minute), Created: now},
		}, got)
		w.counts(t, now.Add(time.Minute), 1, 2, 0)
		same(t, 0, len(must[[]lukasa.Job](t)(w.Claim(w.ctx(), now.Add(119*time.Second), time.Minute, 10)))) // leased, or not yet due
		w.ok(w.Finish(w.ctx(), ids[1]))
		w.ok(w.Finish(w.ctx(), ids[1])) // done twice is no error
		got = must[[]lukasa.Job](t)(w.Claim(w.ctx(), now.Add(2*time.Minute), time.Hour, 1))
		same(t, [2]any{ids[0], 2}, [2]any{got[0].ID, got[0].Attempt}) // its lease ran out
		got = must[[]lukasa.Job](t)(w.Claim(w.ctx(), now.Add(4*time.Minute), time.Minute, 9))
		same(t, 1, len(got))
		same(t, ids[2], got[0].ID)
	}},
	{"DeadFromTheBeginning", func(t *testing.T, w *world) {
		dead := func(record lukasa.ID) lukasa.Job {
			return lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobProcess, Record: record, Attempt: 1, Reason: "locked", Dead: true, RunAt: start, Created: start}
		}
		w.update(func(tx store.Tx) error { return errors.Join(tx.Enqueue(dead("doc_1")), tx.Enqueue(dead("doc_2"))) })
		w.counts(t, start, 0, 0, 2)
		same(t, 0, len(must[[]lukasa.Job](t)(w.Claim(w.ctx(), start.Add(time.Hour), time.Minute, 9))))
		w.update(func(tx store.Tx) error {
			if err := tx.DropDead("doc_1"); err != nil {
				return err
			}
			return tx.Enqueue(lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobProcess, Record: "doc_1", RunAt: start, Created: start})
		})
		w.counts(t, start, 1, 0, 1)
		w.update(func(tx store.Tx) error { return tx.DropDead("doc_1") }) // what waits is not dead
		w.counts(t, start, 1, 0, 1)
	}},
	{"LeaseIsPutOff", func(t *testing.T, w *world) {
		now, id := start, w.id(lukasa.PrefixJob)
		w.update(func(tx store.Tx) error {
			return tx.Enqueue(lukasa.Job{ID: id, Kind: lukasa.JobEmbed, Record: "doc_1", RunAt: now, Created: now})
		})
		claim := func(at time.Time) []lukasa.Job {
			return must[[]lukasa.Job](t)(w.Claim(w.ctx(), at, time.Minute, 10))
		}
		first := claim(now)[0]
		w.ok(w.Extend(w.ctx(), first, now.Add(3*time.Minute)))
		same(t, 0, len(claim(now.Add(179*time.Second))))
		second := claim(now.Add(3 * time.Minute))[0] // who had it is gone
		same(t, [2]any{id, 2}, [2]any{second.ID, second.Attempt})
		w.ok(w.Extend(w.ctx(), first, now.Add(time.Hour))) // and comes back too late
		same(t, 3, claim(now.Add(4 * time.Minute))[0].Attempt)
		second.Attempt = 3
		w.ok(w.Retry(w.ctx(), id, now.Add(5*time.Minute), "was away", false))
		w.ok(w.Extend(w.ctx(), second, now.Add(time.Hour))) // it is nobody's now
		same(t, 1, len(claim(now.Add(5*time.Minute))))
		w.ok(w.Finish(w.ctx(), id))
		w.ok(w.Extend(w.ctx(), second, now.Add(time.Hour)))
	}},
	{"RetryAndDeadLetter", func(t *testing.T, w *world) { // H-28
		now := start
		id := w.id(lukasa.PrefixJob)
		enqueue := func(id lukasa.ID) {
			w.update(func(tx store.Tx) error {
				return tx.Enqueue(lukasa.Job{ID: id, Kind: lukasa.JobEmbed, Record: "doc_1", RunAt: now, Created: now})
			})
		}
		claim := func(at time.Time) []lukasa.Job {
			return must[[]lukasa.Job](t)(w.Claim(w.ctx(), at, time.Minute, 10))
		}
		enqueue(id)
		claim(now)
		w.ok(w.Retry(w.ctx(), id, now.Add(time.Hour), "was away", false))
		same(t, 0, len(claim(now.Add(59*time.Minute))))
		got := claim(now.Add(time.Hour))
		same(t, [2]any{"was away", 2}, [2]any{got[0].Reason, got[0].Attempt})
		w.ok(w.Retry(w.ctx(), id, now, "gave up", true))
		w.counts(t, now.Add(time.Hour), 0, 0, 1)
		same(t, 0, len(claim(now.Add(1000*time.Hour))))
		same(t, 0, must[int](t)(w.Revive(w.ctx(), "doc_other", now)))
		same(t, 1, must[int](t)(w.Revive(w.ctx(), "doc_1", now)))
		got = claim(now)
		same(t, [2]any{id, 1}, [2]any{got[0].ID, got[0].Attempt})
		second := w.id(lukasa.PrefixJob)
		enqueue(second) // the first one is running: it may have missed what is new
		w.counts(t, now, 1, 1, 0)
		w.ok(w.Retry(w.ctx(), id, now.Add(time.Hour), "again", false)) // the second one stands for both
		w.counts(t, now, 1, 0, 0)
		same(t, second, claim(now)[0].ID)
		w.ok(w.Retry(w.ctx(), second, now, "no", true))
		same(t, 1, must[int](t)(w.Revive(w.ctx(), "", now)))
		w.fails(lukasa.CodeNotFound, w.Retry(w.ctx(), "job_none", now, "", false))
	}},
	{"PostponedWithoutAnAttempt", func(t *testing.T, w *world) { // H-28
		now, id := start, w.id(lukasa.PrefixJob)
		w.update(func(tx store.Tx) error {
			return tx.Enqueue(lukasa.Job{ID: id, Kind: lukasa.JobEmbed, Record: "doc_1", MaxTries: 3, RunAt: now, Created: now})
		})
		claim := func(at time.Time) []lukasa.Job {
			return must[[]lukasa.Job](t)(w.Claim(w.ctx(), at, time.Minute, 10))
		}
		for i := range 20 {
			at := now.Add(time.Duration(i) * time.Hour)
			j := claim(at)[0]
			same(t, 1, j.Attempt)
			w.ok(w.Postpone(w.ctx(), j, at.Add(time.Hour), "was away"))
			w.counts(t, at, 1, 0, 0)
			same(t, 0, len(claim(at.Add(59*time.Minute))))
		}
		now = now.Add(20 * time.Hour)
		late := claim(now)[0]
		same(t, "was away", late.Reason)
		now = now.Add(time.Minute) // its lease runs out
		other := claim(now)[0]
		w.ok(w.Postpone(w.ctx(), late, now, "came back too late"))
		same(t, 0, len(claim(now)))
		w.ok(w.Retry(w.ctx(), id, now.Add(time.Hour), "failed", false))
		w.ok(w.Postpone(w.ctx(), other, now, "it is nobody's now"))
		same(t, 0, len(claim(now)))
		same(t, 0, must[int](t)(w.Revive(w.ctx(), "doc_2", now)))
		same(t, 1, must[int](t)(w.Revive(w.ctx(), "", now))) // it need not wait
		again := claim(now)[0]
		same(t, [2]any{3, "failed"}, [2]any{again.Attempt, again.Reason})
		second := w.id(lukasa.PrefixJob)
		w.update(func(tx store.Tx) error {
			return tx.Enqueue(lukasa.Job{ID: second, Kind: lukasa.JobEmbed, Record: "doc_1", RunAt: now, Created: now})
		})
		w.ok(w.Postpone(w.ctx(), again, now.Add(time.Hour), "again")) // the second one stands for both
		w.counts(t, now, 1, 0, 0)
		same(t, second, claim(now)[0].ID)
		w.ok(w.Postpone(w.ctx(), lukasa.Job{ID: "job_none", Attempt: 1}, now, ""))
	}},
	{"QueueIsListed", func(t *testing.T, w *world) {
		var ids []lukasa.ID
		w.update(func(tx store.Tx) error {
			for i, k := range []lukasa.JobKind{lukasa.JobEmbed, lukasa.JobDistil, lukasa.JobClose} {
				j := lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: k, Record: "doc_1", MaxTries: 3, RunAt: start, Created: start.Add(time.Duration(i) * time.Second)}
				ids = append(ids, j.ID)
				if err := tx.Enqueue(j); err != nil {
					return err
				}
			}
			return nil
		})
		w.ok(w.Retry(w.ctx(), ids[1], start.Add(time.Hour), "no", true))
		for owner, want := range map[lukasa.ID][]lukasa.ID{w.owner: {ids[1], ids[0], ids[2]}, "": {ids[1], ids[0], ids[2]}, "usr_other": {}} {
			got := []lukasa.ID{}
			for _, j := range must[[]lukasa.Job](t)(w.Queue(w.ctx(), owner, 10)) {
				got = append(got, j.ID)
			}
			same(t, want, got)
		}
		got := must[[]lukasa.Job](t)(w.Queue(w.ctx(), w.owner, 1))
		same(t, []lukasa.Job{{
			ID: ids[1], Owner: w.owner, Kind: lukasa.JobDistil, Record: "doc_1", MaxTries: 3, RunAt: start.Add(time.Hour), Reason: "no", Dead: true, Created: start.Add(time.Second),
		}}, got)
	}},
	{"SettingIsChanged", func(t *testing.T, w *world) {
		done := make(chan error, 8)
		for range 8 {
			go func() {
				done <- w.ChangeSetting(w.ctx(), "count", func(old string) (string, error) { return old + "x", nil })
			}()
		}
		for range 8 {
			w.ok(<-done)
		}
		same(t, "xxxxxxxx", must[string](t)(w.Setting(w.ctx(), "count")))
		w.fails(lukasa.CodeInvalid, w.ChangeSetting(w.ctx(), "count", func(string) (string, error) { return "", lukasa.Invalid("x", "no") }))
		same(t, "xxxxxxxx", must[string](t)(w.Setting(w.ctx(), "count")))
	}},
	{"GoesWithItsRecord", func(t *testing.T, w *world) {
		node := w.node("work")
		d, m := lukasa.Document{ID: w.id(lukasa.PrefixDocument), Node: node}, lukasa.Memory{ID: w.id(lukasa.PrefixMemory), Node: node}
		w.update(func(tx store.Tx) error {
			if err := tx.PutDocument(d); err != nil {
				return err
			}
			return tx.PutMemory(m)
		})
		dead := w.id(lukasa.PrefixJob)
		for id, record := range map[lukasa.ID]lukasa.ID{dead: d.ID, w.id(lukasa.PrefixJob): m.ID} {
			w.update(func(tx store.Tx) error {
				return tx.Enqueue(lukasa.Job{ID: id, Kind: lukasa.JobEmbed, Record: record, RunAt: start, Created: start})
			})
		}
		must[[]lukasa.Job](t)(w.Claim(w.ctx(), start, time.Minute, 10))
		w.ok(w.Retry(w.ctx(), dead, start, "gave up", true))
		w.update(func(tx store.Tx) error {
			_, _, err := tx.DeleteDocument(d.ID)
			return err
		})
		w.counts(t, start, 0, 1, 0) // the memory's runs, and finds out by itself
	}},
	{"EachIsClaimedOnce", func(t *testing.T, w *world) {
		const n = 60
		w.update(func(tx store.Tx) error {
			for i := range n {
				if err := tx.Enqueue(lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobEmbed, Record: lukasa.ID(fmt.Sprint(i)), RunAt: start}); err != nil {
					return err
				}
			}
			return nil
		})
		got := make(chan lukasa.ID, 2*n)
		done := make(chan error, 6)
		for range 6 {
			go func() {
				for {
					jobs, err := w.Claim(w.ctx(), start, time.Hour, 7)
					if err != nil || len(jobs) == 0 {
						done <- err
						return
					}
					for _, j := range jobs {
						got <- j.ID
					}
				}
			}()
		}
		for range 6 {
			w.ok(<-done)
		}
		close(got)
		seen := map[lukasa.ID]bool{}
		for id := range got {
			if seen[id] {
				t.Fatalf("%s was claimed twice", id)
			}
			seen[id] = true
		}
		same(t, n, len(seen))
	}},
}

func (w *world) counts(t *testing.T, now time.Time, waiting, running, dead int) {
	t.Helper()
	a, b, c, err := w.Counts(w.ctx(), now)
	w.ok(err)
	same(t, [3]int{waiting, running, dead}, [3]int{a, b, c})
}
