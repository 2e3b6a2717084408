//go:build unix

package local_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/local"
	"github.com/lukasa-memory/lukasa/internal/parallel"
)

// TestMappedFileThatFails cuts the file short under an index that has mapped it, at one place after another, which is to memory what a failing disk is.
// The same is found as before, what stood behind the cut is read from the rows, what stood before it is not, and the log says so.
func TestMappedFileThatFails(t *testing.T) {
	t.Parallel()
	f := fileFeed()
	path, content, want := saved(t, f)
	page := os.Getpagesize()
	read := map[int64]bool{}
	for cut := 0; cut < len(content); cut += page {
		for _, crew := range []bool{false, true} {
			said := cutShort(t, f, path, content, cut, never, func(x *local.Index, cutNow func()) {
				if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
					t.Fatal(d)
				}
				f.read.Store(0)
				cutNow()
				if crew { // so that texts are read by another goroutine, and that first
					ctx, leave := parallel.New().Enter(t.Context())
					defer leave()
					if a, err := x.Search(ctx, index.Request{Owner: benchOwner, Nodes: fileNodes, Text: "topic7 number12", K: 8}); err != nil || len(a.Candidates) != 8 {
						t.Errorf("cut at %d: %d candidates, %v", cut, len(a.Candidates), err)
					}
				} else if names, err := x.Speakers(t.Context(), benchOwner, fileNodes, 0); err != nil || len(names) > 0 {
					t.Errorf("cut at %d: speakers %q, %v", cut, names, err)
				}
				if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
					t.Errorf("cut at %d: %s", cut, d)
				}
				scene(t, x)
			})
			read[f.read.Load()] = true
			if told := strings.Contains(said, "damaged") && strings.Contains(said, path); told != (f.read.Load() > 0) {
				t.Errorf("cut at %d: %d nodes were read, and it says %q", cut, f.read.Load(), said)
			}
		}
	}
	if !read[4] || !read[1] && !read[2] {
		t.Errorf("so many nodes were read from the rows: %v; want all four and less", read)
	}
}

const never = 1 << 30 // changes, from which the file is worth writing again

// cutShort opens an index on a whole file, and returns what it logged. The function that use is handed cuts the file.
func cutShort(t *testing.T, f *countingFeed, path string, content []byte, cut, save int, use func(x *local.Index, cutNow func())) string {
	t.Helper()
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	var said lines
	opt := fileOptions
	opt.Dir, opt.Save, opt.Log = filepath.Dir(path), save, slog.New(slog.NewTextHandler(&said, nil))
	x := local.New(f, opt)
	use(x, func() {
		if err := os.Truncate(path, int64(cut)); err != nil {
			t.Fatal(err)
		}
	})
	if err := x.Close(); err != nil {
		t.Errorf("cut at %d: close: %v", cut, err)
	}
	return said.String()
}

// lines is what several goroutines say.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// scene asks for one.
func scene(t *testing.T, x *local.Index) {
	t.Helper()
	a, err := x.Search(t.Context(), index.Request{Owner: benchOwner, Nodes: fileNodes, Text: "topic7 number12", K: 8, Scene: true})
	if err != nil || a.Scene == nil {
		t.Fatalf("no scene: %v", err)
	}
}

// TestMappedFileThatFailsLater cuts the file between scenes, and under writes that come in, what is saved, and what is dropped.
func TestMappedFileThatFailsLater(t *testing.T) {
	t.Parallel()
	for cut := range 8 {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			t.Parallel()
			f := fileFeed()
			path, content, _ := saved(t, f)
			at := len(content) * cut / 8 &^ (os.Getpagesize() - 1)
			cutShort(t, f, path, content, at, never, func(x *local.Index, cutNow func()) {
				scene(t, x)
				cutNow()
				scene(t, x)
			})
			change := func() { // entries go, change and come
				for i, id := range f.IDs()[:40] {
					e, _ := f.Get(id)
					if i%2 == 0 {
						f.Remove(id)
						continue
					}
					e.Text += " more of it"
					f.Put(e)
				}
			}
			same := func(x *local.Index) {
				t.Helper()
				fresh := local.New(f, fileOptions)
				want := fileAnswers(t, fresh)
				if err := fresh.Close(); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
					t.Error(d)
				}
			}
			cutShort(t, f, path, content, at, never, func(x *local.Index, cutNow func()) {
				fileAnswers(t, x)
				cutNow()
				change()
				same(x)
			})
			cutShort(t, f, path, content, at, 1, func(x *local.Index, cutNow func()) {
				fileAnswers(t, x)
				cutNow()
				x.Rebuild(benchOwner, fileNodes[2])
				same(x)
				_ = x.SaveAll() // a fault leaves the file as it is
				same(x)
				if err := x.SaveAll(); err != nil {
					t.Errorf("the file is not written again: %v", err)
				}
			})
			read := f.read.Load()
			opt := fileOptions
			opt.Dir = filepath.Dir(path)
			x := local.New(f, opt)
			same(x)
			if n := f.read.Load() - read; n != int64(len(fileNodes)) { // those of the one that it is compared with
				t.Errorf("%d nodes were read from the rows after all", n)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMappedFileThatFailsUnderMany has many search while the file goes.
func TestMappedFileThatFailsUnderMany(t *testing.T) {
	t.Parallel()
	f := fileFeed()
	path, content, _ := saved(t, f)
	cutShort(t, f, path, content, 0, never, func(x *local.Index, cutNow func()) {
		find := func() []lukasa.ID {
			a, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: fileNodes, Text: "topic7 number12", K: 8})
			if err != nil {
				t.Error(err)
			}
			ids := make([]lukasa.ID, len(a.Candidates))
			for i := range ids {
				ids[i] = a.Candidates[i].Entry
			}
			return ids
		}
		if _, err := x.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := find()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 200 {
					if got := find(); !slices.Equal(got, want) {
						t.Errorf("found %v, want %v", got, want)
						return
					}
				}
			})
		}
		cutNow()
		all.Wait()
	})
}
