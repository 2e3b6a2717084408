package local

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/postings"
)

// What filters compare is kept as numbers of texts. A class is what many entries have alike; the tags and metadata of an entry
// are a set of labels, each a field with a value. Both may be mapped from a file.

// Class is what entries have in common but for labels, times and document.
type Class struct {
	Type, Kind, ContentType, Speaker, Role, Status, Origin, Session, Conversation, Latest uint32
	Confidence                                                                            float64
}

// Texts that have the same number everywhere.
const (
	NoText = iota
	messageText
)

// NewNames returns the dictionary of what classes and labels say.
func NewNames() *postings.Dict { return postings.NewDict("", string(lukasa.EntryMessage)) }

// classText is a [Class] in words.
type classText struct {
	kind                                                      lukasa.EntryType
	memory                                                    lukasa.MemoryKind
	contentType, speaker, role, status, origin, session, conv string
	confidence                                                float64
	latest                                                    bool
}

// class returns the number of the entry's class.
func (c *Core) class(e *lukasa.Entry) uint32 {
	t := classText{
		e.Type, e.Kind, e.ContentType, e.Speaker, e.Role, string(e.Status), string(e.Origin), e.Session, string(e.Conversation), e.Confidence, e.Latest,
	}
	if t != c.last || len(c.Classes) == 0 { // most entries are as the one before
		c.last, c.lastID = t, c.classOfText(e)
	}
	return c.lastID
}

func (c *Core) classOfText(e *lukasa.Entry) uint32 {
	name := func(s string) uint32 { return c.Names.Add([]byte(s), "") }
	k := Class{
		Type: name(string(e.Type)), Kind: name(string(e.Kind)), ContentType: name(e.ContentType), Speaker: name(e.Speaker), Role: name(e.Role),
		Status: name(string(e.Status)), Origin: name(string(e.Origin)), Session: name(e.Session), Conversation: name(string(e.Conversation)),
		Confidence: e.Confidence,
	}
	if e.Latest {
		k.Latest = 1
	}
	return c.classID(k)
}

func (c *Core) classID(k Class) uint32 {
	if c.classOf == nil {
		c.classOf = map[Class]uint32{}
		for i := range c.Classes {
			c.classOf[c.Classes[i]] = uint32(i)
		}
	}
	n, ok := c.classOf[k]
	if !ok {
		n = uint32(len(c.Classes))
		c.Classes = append(c.Classes, k)
		c.classOf[k] = n
	}
	return n
}

// like returns an entry with what a class says.
func (v *View) like(k *Class) *lukasa.Entry {
	return &lukasa.Entry{
		Type: lukasa.EntryType(v.Names.Word(k.Type)), Kind: lukasa.MemoryKind(v.Names.Word(k.Kind)), ContentType: v.Names.Word(k.ContentType),
		Speaker: v.Names.Word(k.Speaker), Role: v.Names.Word(k.Role), Status: lukasa.Status(v.Names.Word(k.Status)),
		Origin: lukasa.Origin(v.Names.Word(k.Origin)), Session: v.Names.Word(k.Session), Conversation: lukasa.ID(v.Names.Word(k.Conversation)), Confidence: k.Confidence, Latest: k.Latest != 0,
	}
}

// longestLabel is the length in bytes from which a hash stands for a label.
const longestLabel = 40

// appendLabel appends the text of the label that stands for a value of tags, subject, slot or metadata.NAME.
func appendLabel(dst []byte, field, value string) []byte {
	if name, ok := strings.CutPrefix(field, "metadata."); ok {
		dst = append(binary.AppendUvarint(append(dst, 'm'), uint64(len(name))), name...)
	} else {
		dst = append(dst, field[1]) // a, u or l
	}
	dst = append(dst, value...)
	if len(dst) > longestLabel {
		sum := sha256.Sum256(dst)
		dst = append(append(dst[:0], 'h'), sum[:]...)
	}
	return dst
}

// labelled reports whether a filter's field looks at labels.
func labelled(field string) bool {
	return field == "tags" || field == "subject" || field == "slot" || strings.HasPrefix(field, "metadata.")
}

// set returns the number of the entry's set of labels; 0 is the empty one.
func (c *Core) set(e *lukasa.Entry) uint32 {
	if len(e.Tags) == 0 && len(e.Metadata) == 0 && e.Subject == "" && e.Slot == "" {
		return 0
	}
	c.labels = c.labels[:0]
	var text [2 * longestLabel]byte
	add := func(field string) {
		for _, v := range lukasa.EntryValues(e, field) {
			c.labels = append(c.labels, c.Names.Add(appendLabel(text[:0], field, v), ""))
		}
	}
	add("tags")
	add("subject")
	add("slot")
	for name := range e.Metadata {
		add("metadata." + name)
	}
	slices.Sort(c.labels)
	c.labels = slices.Compact(c.labels)
	c.buf = binary.AppendUvarint(c.buf[:0], uint64(len(c.labels)))
	for _, l := range c.labels {
		c.buf = binary.AppendUvarint(c.buf, uint64(l))
	}
	return c.setID(c.buf)
}

// setID returns the number of a set in the form in which pages keep it, which is that of terms.
func (c *Core) setID(b []byte) uint32 {
	if b[0] == 0 {
		return 0
	}
	if c.setOf == nil {
		c.setOf = make([]uint32, 256)
	}
	// Sets that were met lately are found again; one that is put down twice only takes a few bytes more.
	met := &c.setOf[maphash.Bytes(c.Dict.Seed(), b)%uint64(len(c.setOf))]
	if n := *met; n != 0 && string(c.labelsOf(n)) == string(b) {
		return n
	}
	if len(c.sets) == 0 {
		c.sets = append(c.sets, 0)
	}
	*met = uint32(len(c.sets))
	c.sets = append(c.sets, c.page(b))
	return *met
}

// setAt says which set of labels a new slot has.
func (c *Core) setAt(slot int, n uint32) {
	bi := slot >> BlockShift
	b := c.Blocks[bi]
	if len(b.set) == 0 {
		if n == 0 {
			return
		}
		labelled := *b // readers go on with the one that has none
		labelled.set = make([]uint32, b.Slots())
		c.Blocks = slices.Clone(c.Blocks)
		c.Blocks[bi], b = &labelled, &labelled
	}
	b.set[slot&(BlockSlots-1)] = n
}

// labelsOf returns the bytes of a set.
func (v *View) labelsOf(n uint32) []byte {
	if n == 0 {
		return []byte{0}
	}
	b := v.pages[v.sets[n]>>16][v.sets[n]&0xffff:]
	return b[:postings.TermsLen(b)]
}

// anyLabel reports whether a set has one of the labels, which are in order.
func (v *View) anyLabel(n uint32, labels []uint32) bool {
	if n == 0 || len(labels) == 0 {
		return false
	}
	count, b := postings.Uvarint(v.pages[v.sets[n]>>16][v.sets[n]&0xffff:])
	for range count {
		var l uint32
		l, b = postings.Uvarint(b)
		if _, ok := slices.BinarySearch(labels, l); ok {
			return true
		}
	}
	return false
}
