package local

import (
	"runtime"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// WithoutAssembly has searches done by the kernels in pure Go, one at a time. What it returns tells the floor of the last one.
func (x *Index) WithoutAssembly() (floor func() float32) {
	only := x.pool.New().(*search)
	only.kernels = vector.Portable()
	x.pool.New = func() any { return only }
	return func() float32 { return only.floor }
}

// WithCells returns options under which partitions of more than n vectors get cells.
func (o Options) WithCells(n int) Options {
	o.cells = n
	return o
}

// Coarsely returns options under which all that is compared is compared by 1-bit codes first, and then the best room of it further.
func (o Options) Coarsely(room int) Options {
	o.few, o.room = 1, room
	return o
}

// Settle waits until no cells are being made.
func (x *Index) Settle() {
	for x.training.Load() {
		runtime.Gosched()
	}
}

// InCells returns how many slots of the shard of a node are covered by cells, and how many it has.
func (x *Index) InCells(ownerID, nodeID lukasa.ID) (covered, of int) {
	v := x.owner(ownerID).node(nodeID).home.Load().shard.view.Load()
	return v.Cells.Covered(), v.N
}

// NeedCells makes n the number of vectors above which a partition gets cells. Nobody else may use the index.
func (x *Index) NeedCells(n int) { x.opt.cells = n }

// Expected returns how many entries are held that were said to be written.
func (x *Index) Expected() int {
	x.expects.mu.Lock()
	defer x.expects.mu.Unlock()
	return len(x.expects.likely)
}

// SaveAll writes the files of all owners.
func (x *Index) SaveAll() error { return x.saveAll(true) }

// ReadsBeside reports whether a text is read before it is handed to an inlet in which so many lists wait.
func ReadsBeside(behind int) bool {
	in := &inlet{lists: make(chan []Reading, waiting)}
	for range behind {
		in.lists <- nil
	}
	list := []Reading{{Entry: lukasa.Entry{Text: "a text"}}}
	in.put(list)
	return list[0].done
}
