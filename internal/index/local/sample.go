package local

import (
	"github.com/lukasa-memory/lukasa/internal/vector"
)

const (
	sampledFrom  = 8192 // entries from which on a sample is worth its time
	sampledEvery = 31   // one slot in so many; odd, so that what comes round every 16 entries is not met every time
)

// sample looks at a few slots of every block and sets floor to an estimate that about twice as many slots reach as the 1-bit stage keeps.
// Kernels without assembly pass over what is likely to be below, and without a sample would not know before they come to where the best are.
// Slots next to each other, which are often parts of one document, do not come into it more often than their share.
func (s *search) sample(kept int) {
	s.q1.SetFor(s.kernels, s.rotated)
	s.sofar.Reset(2*kept/sampledEvery + 2)
	var mask [BlockWords]uint64
	slot := 0
	for i := range s.parts {
		p := &s.parts[i]
		if p.matched == 0 || p.v.Vectors == 0 || p.slots != nil || p.matched < p.v.N/6 {
			continue
		}
		for bi, b := range p.v.Blocks {
			if b.Bits == nil {
				continue
			}
			clear(mask[:])
			for ; slot < b.Slots(); slot += sampledEvery {
				at := bi*BlockWords + slot/64
				mask[slot/64] |= p.mask[at] & p.v.Vec[at] & (1 << (slot % 64))
			}
			slot -= b.Slots()
			s.kernels.ScanTop(s.sofar, &s.block, b.Bits, nil, &s.q1, mask[:vector.LiveLen(b.Slots())], 0, p.base+uint32(bi*BlockSlots))
		}
	}
	s.floor = s.sofar.Worst()
}
