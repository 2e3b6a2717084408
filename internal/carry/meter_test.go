package carry_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/carry"
)

// An import that reads for long says so once a second, with what was read so far, and how long the rest takes. H-29
func TestMeter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pages atomic.Int64
		pages.Store(7) // of an import before
		var ticks []carry.Progress
		m := carry.NewMeter(func(p carry.Progress) { ticks = append(ticks, p) }, func() (int, time.Duration) {
			return int(pages.Load()), time.Duration(pages.Load()-7) * 6 * time.Second
		})
		m.Step(func(p *carry.Progress) { p.Total, p.Size, p.Current = 10, 1000, "long.pdf" })
		time.Sleep(2500 * time.Millisecond) //nolint:forbidigo // in a bubble
		pages.Add(20)
		time.Sleep(2500 * time.Millisecond) //nolint:forbidigo // in a bubble
		m.Step(func(p *carry.Progress) { p.Items, p.Read, p.Failed = 4, 250, 1 })
		m.Step(func(p *carry.Progress) { p.Stage, p.Left = carry.WorkingOff, 8 })
		time.Sleep(4500 * time.Millisecond) //nolint:forbidigo // in a bubble
		m.Step(func(p *carry.Progress) { p.Left = 5 })
		end := m.Stop()
		if again := m.Stop(); again.Pages != end.Pages {
			t.Errorf("%+v", again)
		}
		time.Sleep(3 * time.Second) //nolint:forbidigo // in a bubble
		var lines []string
		for _, p := range ticks {
			if p.Second {
				lines = append(lines, p.String())
			}
		}
		want := []string{
			"[............] 0 %, 0 of 10 items: long.pdf", // 1 s
			"[............] 0 %, 0 of 10 items: long.pdf",
			"[............] 0 %, 0 of 10 items, 20 pages, 2 min of sound: long.pdf",
			"[............] 0 %, 0 of 10 items, 20 pages, 2 min of sound: long.pdf",
			"[............] 0 %, 0 of 10 items, 20 pages, 2 min of sound: long.pdf",
		}
		if len(lines) < 8 {
			t.Fatalf("%d lines in 9.5 s: %q", len(lines), lines)
		}
		if diff := cmp.Diff(want[:4], lines[:4]); diff != "" {
			t.Error(diff)
		}
		var last struct {
			Type, Stage               string
			Items, Total, Pages, Left int
			Minutes, Rate, Remaining  float64
			Elapsed                   float64
		}
		if err := json.Unmarshal([]byte(ticks[len(ticks)-1].JSON()), &last); err != nil {
			t.Fatal(err)
		}
		if last.Type != "progress" || last.Stage != "working off" || last.Pages != 20 || last.Minutes != 2 || last.Left != 5 || last.Total != 10 ||
			last.Rate != 0.667 || last.Remaining != 7.5 || last.Elapsed != 9.5 {
			t.Errorf("%+v", last) // 3 jobs in 4.5 s
		}
		var read carry.Progress
		for _, p := range ticks {
			if p.Read == 250 {
				read = p
				break
			}
		}
		if s := read.String(); s != "[###.........] 25 %, 4 of 10 items, 20 pages, 2 min of sound, 0.8/s, 15s left, 1 failed: long.pdf" {
			t.Errorf("%q", s)
		}
		if s := ticks[len(ticks)-1].String(); !strings.HasPrefix(s, "working off what was left to the background: 5 jobs, 20 pages, 2 min of sound, 0.7/s, 7s left") {
			t.Errorf("%q", s)
		}
	})
}
