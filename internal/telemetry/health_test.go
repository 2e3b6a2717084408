package telemetry_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

func TestDiskIsTriedAndRecovers(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Unix(0, 0)
	d := telemetry.NewDisk(dir, func() time.Time { return now })
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	inTheWay := filepath.Join(dir, ".room")
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Check(); err != nil {
		t.Errorf("tried again within a second: %v", err)
	}
	now = now.Add(time.Second)
	if told, ok := errors.AsType[telemetry.Poorly](d.Check()); !ok || !strings.Contains(string(told), "reading goes on") {
		t.Errorf("got %q, want what is wrong, for everybody", told)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Second)
	if err := d.Check(); err != nil {
		t.Errorf("once it can be written again: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Second)
	if err := d.Check(); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("without the directory: %v", err)
	}
}

func TestLooksAddUp(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	r := telemetry.Rounds{Health: telemetry.Health{Status: telemetry.OK, Checks: map[string]telemetry.Check{}}, Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil))}
	ask := func(name, worst string, err error, want string, writes bool) {
		t.Helper()
		r.Look(t.Context(), name, worst, func(context.Context) (string, error) { return "fine", err })
		if r.Status != want || r.Writes() != writes {
			t.Errorf("after %s: %s, writes %v; want %s, %v", name, r.Status, r.Writes(), want, writes)
		}
	}
	ask("store", telemetry.Down, nil, telemetry.OK, true)
	ask("cache", telemetry.Degraded, errors.New("secret"), telemetry.Degraded, true)
	ask("disk", telemetry.Degraded, telemetry.Poorly("the disk is full"), telemetry.Degraded, false)
	ask("disk", telemetry.Degraded, nil, telemetry.Degraded, true)
	ask("store", telemetry.Down, errors.New("gone"), telemetry.Down, false)
	ask("files", telemetry.Degraded, errors.New("away"), telemetry.Down, false)
	if c := r.Checks["cache"]; c.Status != telemetry.Degraded || c.Detail != "degraded: see the log" || !strings.Contains(log.String(), "secret") {
		t.Errorf("what the log alone may know: %v, log %s", c, log.String())
	}
}
