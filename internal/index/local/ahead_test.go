package local_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// What was said to be written is not read from the rows, as long as nothing has been written behind it.
func TestWhatIsExpectedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	const ann, bob = "usr_ann", "usr_bob"
	f := &reads{MemFeed: indextest.NewMemFeed(), of: map[lukasa.ID]int{}}
	x := local.New(f, local.Options{Space: "test"})
	told := func(e lukasa.Entry) func(seq int64) { return x.Expect("test", e) }
	put := func(e lukasa.Entry) (seq int64) {
		f.Put(e)
		seq, err := f.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	find := func(what string, n, read int) {
		t.Helper()
		before := f.count(ann)
		if got := hits(t, x, ann, what); got != n {
			t.Errorf("%d have %q, want %d", got, what, n)
		}
		if got := f.count(ann) - before; got != read {
			t.Errorf("%q: the rows were read %d times, want %d", what, got, read)
		}
	}
	if told(note(ann, 1, "harbour")) != nil {
		t.Error("an entry is expected where nobody has searched")
	}
	find("harbour", 0, 0)
	if x.Expect("other", note(ann, 1, "harbour")) != nil || told(note(bob, 1, "harbour")) != nil {
		t.Error("an entry of another space, or of another owner, is expected")
	}

	one := note(ann, 1, "harbour")
	there := told(one)
	find("harbour", 0, 0) // it is not durable yet
	there(put(one))
	find("harbour", 1, 0)

	two := note(ann, 2, "ferry")
	told(two) // and never heard of again
	find("ferry", 0, 0)
	put(two)
	find("ferry", 1, 1)

	three := note(ann, 3, "crane")
	there = told(three)
	seq := put(three)
	three.Text = "barge"
	put(three) // by another process
	there(seq)
	find("crane", 0, 1)
	find("barge", 1, 0)

	four := note(ann, 4, "buoy")
	there = told(four)
	there(put(four))
	f.Remove(four.ID)
	find("buoy", 0, 1)
	if n := x.Expected(); n != 0 {
		t.Errorf("%d entries are held that nobody will ask for", n)
	}

	five := note(ann, 5, "anchor")
	there = told(five)
	seq = put(five)
	find("anchor", 1, 1)
	there(seq) // too late
	if n := x.Expected(); n != 0 {
		t.Errorf("%d entries are held that nobody will ask for", n)
	}
	for i := range 3000 {
		e := note(ann, 10+i, "rope")
		there := told(e)
		there(put(e))
	}
	if n := x.Expected(); n == 0 || n > 2048 {
		t.Errorf("%d entries are held", n)
	}
	x.Rebuild(ann, "")
	if n := x.Expected(); n != 0 {
		t.Errorf("%d entries are held of what was dropped", n)
	}
}
