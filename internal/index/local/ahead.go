package local

import (
	"runtime"
	"sync"

	"github.com/lukasa-memory/lukasa"
)

// What this process writes itself is known before it is in the log. Its text is read while the rows are being written, by a core that may
// have nothing else to do, and the entry is kept until a search comes by the line of the log that tells of it. Where that line is not the
// last that tells of the entry, or there is no such line, the rows are read as ever.

// maxAhead is how many entries wait for a search, or for their text to be read.
const maxAhead = 2048

type expecting struct {
	mu     sync.Mutex // held for moments only
	queue  []*expected
	busy   bool                     // somebody works the queue off
	likely map[expectedID]*expected // durable, and not yet asked for
}

type expectedID struct{ owner, entry lukasa.ID }

type expected struct {
	Reading
	once sync.Once
	seq  int64 // of the change that tells of it
}

func (p *expected) id() expectedID { return expectedID{p.Owner, p.ID} }

// Expect tells of an entry that is being written, with its vector of the space. The function that it returns, which may be nil, is to be called
// once that is durable, with the number of the change that tells of it. The entry must be as the feed will give it out.
func (x *Index) Expect(space string, e lukasa.Entry) (told func(seq int64)) {
	v, ok := x.owners.Load(e.Owner)
	if !ok || space != x.opt.Space {
		return nil
	}
	v, ok = v.(*owner).nodes.Load(e.Node)
	if !ok || v.(*node).home.Load() == nil { // nobody has searched there
		return nil
	}
	n, p := v.(*node), &expected{Reading: Reading{Entry: e}}
	x.readAhead(p)
	return func(seq int64) {
		a := &x.expects
		a.mu.Lock()
		defer a.mu.Unlock()
		if n.seq.Load() >= seq { // its line was met already
			return
		}
		if a.likely == nil || len(a.likely) >= maxAhead { // those that are there were not asked for in long
			a.likely = make(map[expectedID]*expected)
		}
		p.seq = seq
		a.likely[p.id()] = p
	}
}

// read reads the text of what is expected, or waits for whoever does.
func (p *expected) read() { p.once.Do(p.Read) }

// readAhead has the text read beside whatever the caller does.
func (x *Index) readAhead(p *expected) {
	if runtime.GOMAXPROCS(0) == 1 {
		return
	}
	a := &x.expects
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) < maxAhead {
		a.queue = append(a.queue, p)
	}
	if !a.busy {
		a.busy = x.background(x.workAhead)
	}
}

func (x *Index) workAhead() {
	a := &x.expects
	for {
		a.mu.Lock()
		queue := a.queue
		a.queue, a.busy = nil, len(queue) > 0
		a.mu.Unlock()
		if len(queue) == 0 {
			return
		}
		for _, p := range queue {
			p.read()
		}
	}
}

// expected returns the entry as the change with the number left it, nil where that is not known.
func (x *Index) expected(owner, entry lukasa.ID, seq int64) *Reading {
	a, id := &x.expects, expectedID{owner, entry}
	a.mu.Lock()
	p := a.likely[id]
	if p != nil && p.seq <= seq {
		delete(a.likely, id)
	}
	a.mu.Unlock()
	if p == nil || p.seq != seq {
		return nil
	}
	p.read()
	return &p.Reading
}

// unexpect forgets an entry.
func (x *Index) unexpect(owner, entry lukasa.ID) {
	x.expects.mu.Lock()
	defer x.expects.mu.Unlock()
	delete(x.expects.likely, expectedID{owner, entry})
}

// unexpectAll forgets all entries.
func (x *Index) unexpectAll() {
	x.expects.mu.Lock()
	defer x.expects.mu.Unlock()
	x.expects.likely = nil
}
