package local

import (
	"fmt"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Entries without labels have no memory for them, and those that come behind others with labels are told from these.
func TestLabelsTakeRoomWhereThereAreAny(t *testing.T) {
	t.Parallel()
	const n = 2 * BlockSlots
	fill := func(tag func(i int) []string) *Core {
		c := NewCore(postings.NewDict(), NewNames(), new(text.Analyzer), nil, false, n)
		for i := range n {
			c.Put(&lukasa.Entry{ID: lukasa.ID(fmt.Sprintf("chk_%026d", i)), Text: "walnut", Latest: true, Tags: tag(i)}, 0)
		}
		return c.Ready()
	}
	some := func(i int) []string {
		if i == BlockSlots+7 {
			return []string{"a"}
		}
		return nil
	}
	none, one := fill(func(int) []string { return nil }), fill(some)
	if more := one.Bytes() - none.Bytes(); more < 4*BlockSlots || more > 4*BlockSlots+100 {
		t.Errorf("one label takes %d bytes more, want those of one block", more)
	}
	for _, c := range []*Core{none, one} {
		v := c.Snapshot()
		mask := make([]uint64, len(v.Live))
		copy(mask, v.Live)
		cond := Compile(v, nil, &lukasa.Filter{Field: "tags", Text: []string{"a"}})
		cond.Apply(mask)
		for slot := range n {
			want := c == one && some(slot) != nil
			if keeps := cond.Keeps(v.Blocks[slot>>BlockShift], slot&(BlockSlots-1)); Has(mask, slot) != want || keeps != want {
				t.Fatalf("slot %d: %v and %v, want %v", slot, Has(mask, slot), keeps, want)
			}
		}
	}
}
