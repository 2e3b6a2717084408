package local_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// The suite with owners that are put away all the time.
func TestSuitePutAway(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(_ testing.TB, feed index.Feed, dir string) index.Index {
		return local.New(feed, local.Options{
			Space: "test", Dim: indextest.Dim, Dir: dir, Tiny: 8, Seal: 4, Save: 1, Idle: 1, SaveEvery: time.Millisecond,
		})
	})
}

// An owner that nobody searches is put away, answers the same from its file, and keeps the versions of its nodes.
func TestPutAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := fileFeed()
		opt := fileOptions
		opt.Dir, opt.Idle = dir, 10*time.Minute
		x := local.New(f, opt)
		want := fileAnswers(t, x)
		f.Put(lukasa.Entry{ID: indextest.EntryID(999), Type: lukasa.EntryChunk, Owner: benchOwner, Node: fileNodes[0], Text: "late", Latest: true})
		f.Remove(indextest.EntryID(999))
		if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
			t.Fatal(d)
		}
		version := x.Version(benchOwner, fileNodes[0])
		pass := func(d time.Duration) index.Stats {
			time.Sleep(d) //nolint:forbidigo // the bubble's clock
			synctest.Wait()
			return x.Stats()
		}
		if s := pass(9 * time.Minute); s.Partitions != len(fileNodes) {
			t.Errorf("%d partitions before the time has come, want %d", s.Partitions, len(fileNodes))
		}
		if s := pass(3 * time.Minute); s.Partitions != 0 || s.Entries != 0 || s.Terms != 0 {
			t.Errorf("stats %+v of what was put away", s)
		}
		if got := x.Version(benchOwner, fileNodes[0]); got != version {
			t.Errorf("version went from %d to %d", version, got)
		}
		f.read.Store(0)
		if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
			t.Error(d)
		}
		if n := f.read.Load(); n != 0 {
			t.Errorf("%d partitions were read from the feed", n)
		}
		f.Remove(indextest.EntryID(12))
		if cmp.Equal(want, fileAnswers(t, x)) || x.Version(benchOwner, fileNodes[0]) == version {
			t.Error("a removal changed nothing")
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Beyond the budget the owner that was not searched for longest goes first, and what was just searched stays.
func TestBudget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := indextest.NewMemFeed()
		owners := []lukasa.ID{"usr_00000000000000000000000001", "usr_00000000000000000000000002", "usr_00000000000000000000000003"}
		for n, o := range owners {
			for i := range 200 {
				f.Put(lukasa.Entry{ID: indextest.EntryID(n*1000 + i), Type: lukasa.EntryChunk, Owner: o, Node: fileNodes[0], Text: "a note of some words", Latest: true})
			}
		}
		x := local.New(f, local.Options{})
		search := func(o lukasa.ID) {
			t.Helper()
			a, err := x.Search(context.Background(), index.Request{Owner: o, Nodes: fileNodes[:1], Text: "note", K: 1})
			if err != nil || len(a.Candidates) != 1 || a.Matched != 200 {
				t.Fatalf("%d of %d, %v", len(a.Candidates), a.Matched, err)
			}
		}
		search(owners[0])
		one := x.Stats().Bytes
		x = local.New(f, local.Options{Dir: dir, Budget: one * 5 / 2})
		for i := range 12 {
			search(owners[i%3])
			if s := x.Stats(); s.Partitions != min(i+1, 3) {
				t.Errorf("%d partitions behind search %d", s.Partitions, i)
			}
			time.Sleep(70 * time.Second) //nolint:forbidigo // the bubble's clock
			synctest.Wait()
			if s := x.Stats(); s.Partitions != min(i+1, 2) {
				t.Errorf("%d partitions a minute later, want those of two owners", s.Partitions)
			}
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
}

// What processes have read from the rows they map from the file of one of them as soon as nobody searches for a minute, and find the same in it.
func TestMapsWhatOthersKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := fileFeed()
		opt := fileOptions
		opt.Dir, opt.Own = dir, 1<<10
		x, y := local.New(f, opt), local.New(f, opt)
		want := fileAnswers(t, x)
		if d := cmp.Diff(want, fileAnswers(t, y)); d != "" {
			t.Fatal(d)
		}
		files := func() (names []string, at []time.Time) {
			names, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				st, err := os.Stat(name)
				if err != nil {
					t.Fatal(err)
				}
				at = append(at, st.ModTime())
			}
			return names, at
		}
		away := func() {
			t.Helper()
			time.Sleep(3 * time.Minute) //nolint:forbidigo // the bubble's clock
			synctest.Wait()
			if a, b := x.Stats().Partitions, y.Stats().Partitions; a+b != 0 {
				t.Errorf("%d and %d partitions are still there", a, b)
			}
		}
		away()
		names, written := files()
		if len(names) != 1 {
			t.Fatalf("files %v, want one", names)
		}
		f.read.Store(0)
		for range 2 { // mapped now, so that they stay
			for _, i := range []*local.Index{x, y} {
				if d := cmp.Diff(want, fileAnswers(t, i)); d != "" {
					t.Error(d)
				}
			}
			time.Sleep(3 * time.Minute) //nolint:forbidigo // the bubble's clock
			synctest.Wait()
			if a, b := x.Stats().Partitions, y.Stats().Partitions; a != len(fileNodes) || b != len(fileNodes) {
				t.Errorf("%d and %d partitions, want %d: what is mapped is shared already", a, b, len(fileNodes))
			}
		}
		if n := f.read.Load(); n != 0 {
			t.Errorf("%d partitions were read from the feed", n)
		}
		if _, again := files(); !again[0].Equal(written[0]) {
			t.Error("the file was written again, although nothing has changed")
		}
		for _, i := range []*local.Index{x, y} {
			if err := i.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// Searches and writes go on while their owner is put away.
func TestPutAwayWhileSearching(t *testing.T) {
	t.Parallel()
	f := fileFeed()
	opt := fileOptions
	opt.Dir, opt.Idle, opt.SaveEvery = t.TempDir(), 1, time.Millisecond
	x := local.New(f, opt)
	want := fileAnswers(t, x)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 60 {
				if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
					t.Error(d)
					return
				}
				f.Put(lukasa.Entry{ID: indextest.EntryID(998), Type: lukasa.EntryChunk, Owner: benchOwner, Node: "elsewhere", Text: "note", Latest: true})
				<-time.After(time.Millisecond)
			}
		})
	}
	wg.Wait()
	for end := time.Now().Add(10 * time.Second); x.Stats().Partitions > 0; <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is not put away when nobody searches")
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// After a purge nothing of what is gone stays in the file, not even its words.
func TestRebuildForgetsWords(t *testing.T) {
	t.Parallel()
	f := fileFeed()
	gone := lukasa.Entry{
		ID: indextest.EntryID(997), Type: lukasa.EntryChunk, Owner: benchOwner, Node: fileNodes[0], Text: "xylophonist", Latest: true,
		Tags: []string{"quixotic"}, Speaker: "Zebulon",
	}
	f.Put(gone)
	opt := fileOptions
	opt.Dir = t.TempDir()
	kept := func(purge bool) bool {
		x := local.New(f, opt)
		fileAnswers(t, x)
		if purge {
			f.Remove(gone.ID)
			fileAnswers(t, x)
			x.Rebuild(benchOwner, "")
			fileAnswers(t, x)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		names, err := filepath.Glob(filepath.Join(opt.Dir, "*"))
		if err != nil || len(names) != 1 {
			t.Fatalf("files %v, %v; want one", names, err)
		}
		b, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, word := range []string{"xylophonist", "quixotic", "Zebulon"} {
			if bytes.Contains(b, []byte(word)) {
				found++
			}
		}
		if found%3 != 0 {
			t.Errorf("%d of three words are in the file", found)
		}
		return found > 0
	}
	if !kept(false) {
		t.Error("the file does not hold what it should")
	}
	if kept(true) {
		t.Error("the file holds what is gone")
	}
}
