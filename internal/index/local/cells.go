package local

// A large partition gets cells ([vector.Cells]) in the background, once its vectors are searched. What was written since they were made is
// scanned as ever; what was removed, or is not the latest, masks leave out, there as elsewhere. They are in no file: after a start searches
// scan until they are made anew. They go with the partition when it is put away or compacted.

// stale is the share of the slots of a partition with cells, 1/stale, that may stand in none of them before these are made anew.
const stale = 4

// lacks reports whether cells should be made of a view.
func (x *Index) lacks(v *View) bool {
	return v.Vectors > x.opt.cells && (v.N-v.Cells.Covered())*stale > v.N
}

// train has cells made for a part that should have them, unless some are being made, and does not wait for that.
func (x *Index) train(o *owner, p *part) {
	if p.from == nil || !x.lacks(p.v) || !x.training.CompareAndSwap(false, true) {
		return
	}
	sh := p.from
	begun := x.tend(o, func() {
		defer x.training.Store(false)
		o.mu.Lock()
		c, v := sh.core, sh.view.Load() // neither is looked into
		_, there := o.shards[sh]
		o.mu.Unlock()
		if !there || !x.lacks(v) {
			return
		}
		cells := v.MakeCells(x.ending.Load)
		o.mu.Lock()
		defer o.mu.Unlock()
		if _, there := o.shards[sh]; there && sh.core == c && cells != nil { // else it was put away or compacted meanwhile
			c.Cells = cells
			sh.publish()
		}
	})
	if !begun {
		x.training.Store(false)
	}
}
