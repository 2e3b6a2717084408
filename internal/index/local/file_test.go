package local_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
	"github.com/lukasa-memory/lukasa/internal/mmap"
)

// countingFeed counts the partitions that are read.
type countingFeed struct {
	*indextest.MemFeed
	read atomic.Int64
}

func (f *countingFeed) Partition(ctx context.Context, space string, owner, node lukasa.ID, yield func(lukasa.Entry) bool) error {
	f.read.Add(1)
	return f.MemFeed.Partition(ctx, space, owner, node, yield)
}

var fileNodes = []lukasa.ID{indextest.NodeID(1), indextest.NodeID(2), indextest.NodeID(3), indextest.NodeID(4)}

// fileFeed has two nodes with shards of their own and two in the pool.
func fileFeed() *countingFeed {
	f := &countingFeed{MemFeed: indextest.NewMemFeed()}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 300 {
		v := make([]float32, indextest.Dim)
		for d := range v {
			v[d] = float32(r.NormFloat64())
		}
		e := lukasa.Entry{
			ID: indextest.EntryID(i), Type: lukasa.EntryChunk, Owner: benchOwner, Node: fileNodes[min(i%16, 3)%4], Document: lukasa.ID(fmt.Sprint("doc ", i/4)),
			Text: fmt.Sprintf("note number%d about topic%d", i, i%13), Latest: i%17 > 0, Confidence: float64(i%5) / 4, Vector: v,
			Tags: []string{fmt.Sprint("t", i%3)}, Metadata: map[string]any{"n": float64(i % 4)}, CreatedAt: time.Unix(int64(i), 0).UTC(),
		}
		if i%16 > 5 {
			e.Node = fileNodes[i%2]
		}
		f.Put(e)
	}
	return f
}

var fileOptions = local.Options{Space: "test", Tiny: 60, Seal: 16, Save: 1}

func fileAnswers(t *testing.T, x *local.Index) []index.Answer {
	t.Helper()
	ctx := context.Background()
	if _, err := x.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	var out []index.Answer
	v := make([]float32, indextest.Dim)
	v[3], v[9] = 1, -.5
	for _, r := range []index.Request{
		{Text: "topic7 number12", Vector: v, K: 8, Both: true},
		{Text: "note", Vector: v, K: 5, Filter: &lukasa.Filter{Field: "metadata.n", Text: []string{"2"}}},
		{Text: "topic3", K: 20, Filter: &lukasa.Filter{Field: "latest", Text: []string{"false"}}},
	} {
		r.Owner, r.Nodes = benchOwner, fileNodes
		a, err := x.Search(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
	}
	return out
}

// saved writes a file of the feed and returns its path, its content and what the index answered.
func saved(t *testing.T, f *countingFeed) (path string, content []byte, want []index.Answer) {
	t.Helper()
	opt := fileOptions
	opt.Dir = t.TempDir()
	x := local.New(f, opt)
	want = fileAnswers(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(opt.Dir, "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %v, %v; want one", names, err)
	}
	content, err = os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return names[0], content, want
}

// M-3: an index that is opened again answers from its file, without reading the rows.
func TestFileIsUsed(t *testing.T) {
	t.Parallel()
	f := fileFeed()
	path, _, want := saved(t, f)
	opt := fileOptions
	opt.Dir = filepath.Dir(path)
	f.read.Store(0)
	x := local.New(f, opt)
	defer func() { _ = x.Close() }()
	if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
		t.Error(d)
	}
	if n := f.read.Load(); n != 0 {
		t.Errorf("%d partitions were read from the feed", n)
	}
	f.Remove(indextest.EntryID(12)) // and it can be written to
	if a := fileAnswers(t, x); cmp.Equal(want, a) {
		t.Error("a removal changed nothing")
	}
}

// Damage in one shard costs the reading of its nodes only.
func TestFileDamagedShard(t *testing.T) {
	t.Parallel()
	f := fileFeed()
	path, content, want := saved(t, f)
	opt := fileOptions
	opt.Dir = filepath.Dir(path)
	repaired := map[int64]bool{}
	for at := 64; at < len(content)-64; at += len(content) / 60 {
		bad := append([]byte(nil), content...)
		bad[at] ^= 0x55
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		f.read.Store(0)
		var said bytes.Buffer
		opt.Log = slog.New(slog.NewTextHandler(&said, nil))
		x := local.New(f, opt)
		if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
			t.Fatalf("byte %d: %s", at, d)
		}
		if told := strings.Contains(said.String(), "damaged") && strings.Contains(said.String(), path); told != (f.read.Load() > 0) {
			t.Errorf("byte %d: %d nodes read, and it says %q", at, f.read.Load(), said.String())
		}
		repaired[f.read.Load()] = true
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if !repaired[1] || !repaired[2] {
		t.Errorf("nodes read after one flipped byte: %v, want also one and two", repaired)
	}
}

// A check of the files tells how many partitions are whole, damaged and stale, and changes nothing.
func TestFileCheck(t *testing.T) {
	t.Parallel()
	f := fileFeed()
	path, content, want := saved(t, f)
	opt := fileOptions
	opt.Dir = filepath.Dir(path)
	check := func(opt local.Options, content []byte, says ...string) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		opt.Save = 1 << 30
		x := local.New(f, opt)
		faults, err := x.Check(t.Context())
		if err != nil || len(faults) > 1 || len(faults) != min(1, len(says)) {
			t.Fatalf("says %q, %v", faults, err)
		}
		for _, s := range says {
			if !strings.Contains(faults[0], s) {
				t.Errorf("%q lacks %q", faults[0], s)
			}
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, content) {
			t.Error("it changed the file", err)
		}
	}
	check(opt, content)
	flip := func(at int) []byte {
		bad := bytes.Clone(content)
		bad[at] ^= 0x55
		return bad
	}
	check(opt, flip(len(content)-30), "0 partitions are damaged, 0 whole and 0 stale, and 1 files cannot be read", "`lukasa rebuild index`")
	check(opt, nil, "1 files cannot be read")
	check(opt, flip(64), "4 partitions are damaged, 0 whole and 0 stale, and 0 files")
	some := map[string]bool{}
	for at := 64; at < len(content)-64; at += len(content) / 40 {
		if err := os.WriteFile(path, flip(at), 0o600); err != nil {
			t.Fatal(err)
		}
		x := local.New(f, opt)
		faults, err := x.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		some[strings.Join(faults, "")] = true
		f.read.Store(0)
		if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
			t.Error(d)
		}
		said := fmt.Sprint(faults)
		if n := f.read.Load(); (n > 0) != (len(faults) > 0) || n > 0 && !strings.Contains(said, fmt.Sprintf(" %d partitions are damaged, %d whole", n, 4-n)) && !strings.Contains(said, "1 files") {
			t.Errorf("byte %d: %d partitions were read from the rows, and it said %q", at, n, faults)
		}
	}
	if len(some) < 4 {
		t.Errorf("it said no more than %v", some)
	}
	other := opt
	other.Space = "another"
	check(other, content) // stale is no damage
	if err := os.WriteFile(filepath.Join(opt.Dir, "another.idx"), []byte("no index"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(other, content, "0 whole and 4 stale, and 1 files")
	check(opt, content, "4 whole and 0 stale, and 1 files")
	check(local.Options{}, content) // it keeps no files
}

// M-3: whatever happens to the file, the index opens and answers the same.
func TestFileCorruption(t *testing.T) {
	t.Parallel()
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	f := fileFeed()
	path, content, want := saved(t, f)
	opt := fileOptions
	opt.Dir = filepath.Dir(path)
	opt.Save = 1 << 30 // leave the file alone
	r := rand.New(rand.NewPCG(1, 1))
	for round := range rounds {
		bad := append([]byte(nil), content...)
		switch r.IntN(6) {
		case 0:
			bad = bad[:r.IntN(len(bad))]
		case 1:
			bad = append(bad, bad[:r.IntN(200)]...)
		case 2:
			a := r.IntN(len(bad))
			clear(bad[a:min(len(bad), a+r.IntN(5000))])
		case 3:
			a, b := r.IntN(len(bad)), r.IntN(len(bad))
			copy(bad[a:], content[b:min(len(content), b+r.IntN(5000))])
		default:
			for range 1 + r.IntN(5) {
				bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
			}
		}
		if err := os.WriteFile(path+".new", bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		x := local.New(f, opt)
		if d := cmp.Diff(want, fileAnswers(t, x)); d != "" {
			t.Fatalf("round %d: %s", round, d)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A file in the layout of an older program is not used, though all of it is whole: the rows are read again.
func TestFileOfAnotherFormat(t *testing.T) {
	t.Parallel()
	f := fileFeed()
	path, content, want := saved(t, f)
	footer := content[len(content)-24:]
	from, n := binary.LittleEndian.Uint64(footer), binary.LittleEndian.Uint64(footer[8:])
	manifest := content[from : from+n]
	format := regexp.MustCompile(`"Format":\d+`).Find(manifest)
	if format == nil {
		t.Fatalf("no format in %s", manifest)
	}
	format[len(format)-1]--
	binary.LittleEndian.PutUint32(footer[16:], mmap.Checksum(manifest))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f.read.Store(0)
	var said bytes.Buffer
	opt := fileOptions
	opt.Dir, opt.Log = filepath.Dir(path), slog.New(slog.NewTextHandler(&said, nil))
	x := local.New(f, opt)
	defer func() { _ = x.Close() }()
	if diff := cmp.Diff(want, fileAnswers(t, x)); diff != "" {
		t.Errorf("answers (-want +got)\n%s", diff)
	}
	if said.Len() > 0 { // it is not damaged
		t.Errorf("it says %q", said.String())
	}
	if f.read.Load() != int64(len(fileNodes)) {
		t.Errorf("%d partitions were read from the rows, want %d", f.read.Load(), len(fileNodes))
	}
}

// A file of another store, whose seq this one has not reached, is not believed.
func TestFileFromTheFuture(t *testing.T) {
	t.Parallel()
	path, _, _ := saved(t, fileFeed())
	opt := fileOptions
	opt.Dir = filepath.Dir(path)
	f := indextest.NewMemFeed()
	x := local.New(f, opt)
	defer func() { _ = x.Close() }()
	for _, a := range fileAnswers(t, x) {
		if a.Matched != 0 {
			t.Errorf("found %d entries in an empty store", a.Matched)
		}
	}
}

// What is saved on the timer is there although the index was never closed.
func TestFileTimer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		opt := fileOptions
		opt.Dir, opt.SaveEvery = dir, time.Minute
		x := local.New(fileFeed(), opt)
		fileAnswers(t, x)
		time.Sleep(90 * time.Second) //nolint:forbidigo // the bubble's clock
		synctest.Wait()
		if names, _ := filepath.Glob(filepath.Join(dir, "*.idx")); len(names) != 1 {
			t.Errorf("files %v, want one", names)
		}
		x.Rebuild(benchOwner, "")
		if names, _ := filepath.Glob(filepath.Join(dir, "*.idx")); len(names) != 0 {
			t.Errorf("files %v after a rebuild", names)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzFile opens files of any content.
func FuzzFile(f *testing.F) {
	feed := fileFeed()
	opt := fileOptions
	opt.Dir = f.TempDir()
	x := local.New(feed, opt)
	if _, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: fileNodes, Text: "note", K: 3}); err != nil {
		f.Fatal(err)
	}
	if err := x.Close(); err != nil {
		f.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(opt.Dir, "*.idx"))
	content, err := os.ReadFile(names[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(content[:100])
	f.Add([]byte("no index"))
	f.Fuzz(func(t *testing.T, b []byte) {
		opt := fileOptions
		opt.Dir, opt.Save = t.TempDir(), 1<<30
		if err := os.WriteFile(filepath.Join(opt.Dir, filepath.Base(names[0])), b, 0o600); err != nil {
			t.Fatal(err)
		}
		x := local.New(feed, opt)
		defer func() { _ = x.Close() }()
		a, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: fileNodes, Text: "note", K: 3})
		if err != nil || len(a.Candidates) != 3 {
			t.Fatalf("%d candidates, %v", len(a.Candidates), err)
		}
	})
}
