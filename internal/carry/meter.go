package carry

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
)

// The stages of an import.
const (
	Reading    = "reading"
	Linking    = "linking"
	WorkingOff = "working off" // what was left to the background
)

// Progress says how far an import has come.
type Progress struct {
	Type      string  `json:"type"`            // progress
	Stage     string  `json:"stage"`           // reading, linking or working off
	Items     int     `json:"items"`           // documents, messages and memories; of a folder that is added, its files
	Total     int     `json:"total,omitempty"` // items that there are, where that is known
	Failed    int     `json:"failed"`
	Pages     int     `json:"pages"`               // of documents, slides and sheets, that this process has read
	Minutes   float64 `json:"minutes"`             // of sound, film and transcripts
	Read      int64   `json:"read"`                // bytes
	Size      int64   `json:"size"`                // bytes that there are
	Rate      float64 `json:"rate"`                // items a second; jobs a second while working off
	Remaining float64 `json:"remaining,omitempty"` // seconds, as far as can be told; 0 where it cannot
	Left      int     `json:"left,omitempty"`      // jobs to work off
	Elapsed   float64 `json:"elapsed"`             // seconds
	Current   string  `json:"current,omitempty"`   // file that was begun last
	Second    bool    `json:"-"`                   // the first of its second: often enough for a log
}

// String is the progress in one line. What matters most stands first, so that a narrow terminal cuts off the rest.
func (p Progress) String() string {
	var s string
	switch {
	case p.Stage == WorkingOff:
		s = "working off what was left to the background: " + numbered(p.Left, "job")
	case p.Stage == Linking:
		s = "linking " + numbered(p.Items, "item")
	case p.Size > 0:
		s = bar(p.Read, p.Size) + fmt.Sprintf(" %d %%, ", 100*p.Read/p.Size)
	case p.Total > 0:
		s = bar(int64(p.Items), int64(p.Total)) + fmt.Sprintf(" %d %%, ", 100*p.Items/p.Total)
	}
	switch {
	case p.Stage != Reading:
	case p.Total > 0:
		s += fmt.Sprintf("%d of %s", p.Items, numbered(p.Total, "item"))
	default:
		s += numbered(p.Items, "item")
	}
	if read := Extent(p.Pages, p.Minutes); read != "" {
		s += ", " + read
	}
	if p.Stage != Linking && p.Rate > 0 {
		s += fmt.Sprintf(", %s/s", short(p.Rate))
	}
	switch {
	case p.Remaining >= 1:
		s += ", " + clock(p.Remaining) + " left"
	case p.Elapsed >= 1 && p.Stage != Reading:
		s += ", " + clock(p.Elapsed)
	}
	if p.Failed > 0 {
		s += fmt.Sprintf(", %d failed", p.Failed)
	}
	if p.Current != "" && p.Stage == Reading {
		s += ": " + p.Current
	}
	return s
}

// Extent words how much was read of what has pages or takes time, "" for nothing.
func Extent(pages int, minutes float64) string {
	var s []string
	if pages > 0 {
		s = append(s, numbered(pages, "page"))
	}
	switch {
	case minutes >= 1:
		s = append(s, fmt.Sprintf("%.0f min of sound", minutes))
	case minutes > 0:
		s = append(s, fmt.Sprintf("%.0f s of sound", 60*minutes))
	}
	return strings.Join(s, ", ")
}

func short(rate float64) string {
	if rate < 9.95 {
		return fmt.Sprintf("%.1f", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}

func clock(seconds float64) string { return (time.Duration(seconds) * time.Second).String() }

// bar draws a share of one.
func bar(done, all int64) string {
	const n = 12
	full := int(min(n, max(0, done)*n/max(1, all)))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", n-full) + "]"
}

// JSON is the progress as one line.
func (p Progress) JSON() string { return line(p) }

// beat is how long a meter is silent at most.
const beat = time.Second

// Meter counts what an import has read and tells of it: at each step, and once a second while a step takes longer. Its methods
// may be called from several goroutines; tick is called by one at a time.
type Meter struct {
	tick  func(Progress)
	read  func() (pages int, sound time.Duration)
	began time.Time

	mu    sync.Mutex
	p     Progress
	told  time.Time // when the second began for which it was told
	last  time.Time // when tick was called
	since time.Time // when the stage began
	first int       // jobs that were left then

	pages int // that were read before
	sound time.Duration
	stop  chan struct{}
	beats sync.WaitGroup
}

// NewMeter starts a meter. read says how many pages and how much sound this process has read so far; it is nil where another
// process reads. End it with [Meter.Stop].
func NewMeter(tick func(Progress), read func() (pages int, sound time.Duration)) *Meter {
	now := time.Now()
	m := &Meter{tick: tick, read: read, began: now, told: now, last: now, since: now, p: Progress{Type: "progress", Stage: Reading}, stop: make(chan struct{})}
	if m.tick == nil {
		m.tick = func(Progress) {}
	}
	if read != nil {
		m.pages, m.sound = read()
	}
	m.beats.Go(func() {
		t := time.NewTicker(beat)
		defer t.Stop()
		for {
			select {
			case <-m.stop:
				return
			case <-t.C:
				m.step(nil)
			}
		}
	})
	return m
}

// Step changes what is known of the import, and tells of it.
func (m *Meter) Step(change func(*Progress)) { m.step(change) }

func (m *Meter) step(change func(*Progress)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if change == nil && now.Sub(m.last) < beat*9/10 {
		return
	}
	before := m.p.Stage
	if change != nil {
		change(&m.p)
	}
	p := &m.p
	if p.Stage != before {
		m.since, m.first = now, p.Left
	}
	m.first = max(m.first, p.Left)
	p.Elapsed, p.Rate, p.Remaining = now.Sub(m.began).Seconds(), 0, 0
	p.Pages, p.Minutes = m.extent()
	switch {
	case p.Elapsed <= 0:
	case p.Stage == WorkingOff:
		if spent, done := now.Sub(m.since).Seconds(), m.first-p.Left; spent > 0 && done > 0 {
			p.Rate = float64(done) / spent
			p.Remaining = float64(p.Left) / p.Rate
		}
	default:
		p.Rate = float64(p.Items) / p.Elapsed
		switch {
		case p.Stage != Reading:
		case p.Size > 0 && p.Read > 0:
			p.Remaining = p.Elapsed * float64(p.Size-p.Read) / float64(p.Read)
		case p.Size == 0 && p.Total > 0 && p.Items > 0:
			p.Remaining = p.Elapsed * float64(p.Total-p.Items) / float64(p.Items)
		}
	}
	for _, x := range []*float64{&p.Elapsed, &p.Minutes, &p.Rate, &p.Remaining} {
		*x = math.Round(*x*1000) / 1000
	}
	m.last, p.Second = now, now.Sub(m.told) >= beat
	if p.Second {
		m.told = now
	}
	m.tick(*p)
}

func (m *Meter) extent() (pages int, minutes float64) {
	if m.read == nil {
		return 0, 0
	}
	n, sound := m.read()
	return n - m.pages, (sound - m.sound).Minutes()
}

// Stop ends the meter and returns how it stood in the end. It may be called again.
func (m *Meter) Stop() Progress {
	m.mu.Lock()
	select {
	case <-m.stop:
	default:
		close(m.stop)
	}
	m.mu.Unlock()
	m.beats.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.p
	p.Pages, p.Minutes = m.extent()
	p.Minutes, p.Elapsed = math.Round(p.Minutes*1000)/1000, math.Round(time.Since(m.began).Seconds()*1000)/1000
	return p
}
