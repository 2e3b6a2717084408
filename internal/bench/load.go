package bench

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// An Op is one kind of operation in a mixed load. Do is called from many goroutines, each time with dice of its own.
type Op struct {
	Name string
	Rate float64 // a second
	Do   func(ctx context.Context, dice *rand.Rand) error
}

// A Timing says how the operations of one kind went. Times are in milliseconds from the moment at which an operation was due,
// and not from when it was sent: a server that stalls is charged with all that came due meanwhile. Failed ones are not timed.
type Timing struct {
	Name   string         `json:"operation"`
	Asked  float64        `json:"asked_per_second"`
	Done   int            `json:"done"`
	Failed int            `json:"failed"`
	P50    float64        `json:"p50_ms"`
	P90    float64        `json:"p90_ms"`
	P99    float64        `json:"p99_ms"`
	Max    float64        `json:"max_ms"`
	Errors map[string]int `json:"errors,omitempty"`

	all []float64
}

// maxUnderWay bounds the operations that have no answer yet. What comes due beyond it has failed.
const maxUnderWay = 20_000

// errCrowded is what operations beyond [maxUnderWay] fail with.
const errCrowded = "too many without an answer"

// OpenLoop lets operations come due for a while, those of each kind at random, independent moments (a Poisson process), whether or
// not earlier ones have been answered, and waits for the answers until ctx ends. The last timing is that of all kinds together.
func OpenLoop(ctx context.Context, ops []Op, d time.Duration, seed uint64) []Timing {
	l := &load{free: make(chan struct{}, maxUnderWay), timings: make([]Timing, len(ops)+1)}
	began := time.Now()
	var clocks sync.WaitGroup
	for i, op := range ops {
		l.timings[i] = Timing{Name: op.Name, Asked: op.Rate}
		clocks.Go(func() { l.strike(ctx, i, op, began, d, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	clocks.Wait()
	l.work.Wait()
	total := &l.timings[len(ops)]
	total.Name = "all"
	for i := range ops {
		t := &l.timings[i]
		total.Asked += t.Asked
		total.Done += t.Done
		total.Failed += t.Failed
		total.all = append(total.all, t.all...)
		for why, n := range t.Errors {
			total.fail(why, n)
		}
	}
	for i := range l.timings {
		l.timings[i].sum()
	}
	return l.timings
}

// load is one stretch of operations.
type load struct {
	free    chan struct{}
	work    sync.WaitGroup
	mu      sync.Mutex
	timings []Timing
}

// strike starts the operations of one kind when they are due.
func (l *load) strike(ctx context.Context, i int, op Op, began time.Time, d time.Duration, dice *rand.Rand) {
	if op.Rate <= 0 {
		return
	}
	due := began
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		due = due.Add(time.Duration(dice.ExpFloat64() / op.Rate * float64(time.Second)))
		if due.Sub(began) >= d {
			return
		}
		timer.Reset(time.Until(due))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		select {
		case l.free <- struct{}{}:
		default:
			l.note(i, 0, errCrowded)
			continue
		}
		own, since := rand.New(rand.NewPCG(dice.Uint64(), 1)), due
		l.work.Go(func() {
			defer func() { <-l.free }()
			why := ""
			if err := op.Do(ctx, own); err != nil {
				why = err.Error()
			}
			l.note(i, time.Since(since), why)
		})
	}
}

func (l *load) note(i int, took time.Duration, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.timings[i]
	if why != "" {
		t.Failed++
		t.fail(why, 1)
		return
	}
	t.Done++
	t.all = append(t.all, float64(took)/1e6)
}

// fail counts errors by their words; of those that have many, the rest counts as one.
func (t *Timing) fail(why string, n int) {
	if t.Errors == nil {
		t.Errors = map[string]int{}
	}
	if _, known := t.Errors[why]; !known && len(t.Errors) >= 20 {
		why = "other errors"
	}
	t.Errors[why] += n
}

func (t *Timing) sum() {
	if len(t.all) == 0 {
		return
	}
	slices.Sort(t.all)
	t.P50, t.P90, t.P99, t.Max = Quantile(t.all, .5), Quantile(t.all, .9), Quantile(t.all, .99), t.all[len(t.all)-1]
}
