package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// The ops of deltas. A record that is put into the trash has been deleted, one that is taken out again is created; a purge
// takes the content of all deltas of a record away and leaves a line of its own. Where only a part of a record's evidence was
// purged, its deltas lose their content too, as they may quote it.
const (
	OpCreate = "create"
	OpUpdate = "update"
	OpDelete = "delete"
	OpPurge  = "purge"
)

// DocumentState is a document as deltas keep it: without its content, unless that is what changes, and then also when it was
// empty. A stretch of a conversation has its segment with it.
type DocumentState struct {
	lukasa.Document
	Content *string         `json:"content,omitempty"`
	Segment *lukasa.Segment `json:"segment,omitempty"`
}

// MemoryState is a memory as deltas keep it.
type MemoryState struct {
	lukasa.Memory
	Key    string     `json:"key,omitempty"`
	SaidAt *time.Time `json:"said_at,omitempty"` // as the metadata tell it
}

// SameDocument reports whether nothing has changed that a delta would tell of: status, reason, counts and access are
// progress.
func SameDocument(a, b DocumentState) bool {
	for _, d := range []*DocumentState{&a, &b} {
		d.Path, d.Content, d.Status, d.Reason, d.Chunks, d.Embedded, d.LastAccessedAt, d.Accesses = "", nil, "", "", 0, 0, nil, 0
		d.UpdatedAt = d.CreatedAt
		if d.Segment != nil {
			s := *d.Segment
			s.Tokens, s.Messages, s.First, s.Last = 0, 0, 0, 0
			d.Segment = &s
		}
	}
	return sameState(a, b)
}

// SameChunk reports whether nothing of a chunk has changed but where it stands.
func SameChunk(a, b lukasa.Chunk) bool {
	sameHeading := slices.Equal(a.Heading, b.Heading)
	for _, c := range []*lukasa.Chunk{&a, &b} {
		c.Document, c.Message, c.Node, c.Heading = "", "", "", nil
	}
	return sameHeading && reflect.DeepEqual(a, b)
}

// SameMemory reports whether nothing has changed that a delta would tell of.
func SameMemory(a, b MemoryState) bool {
	a.Path, b.Path = "", ""
	b.UpdatedAt = a.UpdatedAt
	return sameState(a, b)
}

// SameConversation reports whether nothing has changed that a delta would tell of: what is said in it is no change of it.
func SameConversation(a, b lukasa.Conversation) bool {
	part := func(c lukasa.Conversation) lukasa.Conversation {
		p := lukasa.Conversation{Node: c.Node, ExternalID: c.ExternalID, Title: c.Title, Tags: Full(c.Tags), Metadata: MergeMetadata(c.Metadata, nil)}
		if c.ForgetAfter != nil {
			p.ForgetAfter = new(time.UnixMicro(c.ForgetAfter.UnixMicro()).UTC())
		}
		return p
	}
	return sameState(part(a), part(b))
}

// SameNode reports whether nothing has changed that a delta would tell of.
func SameNode(a, b lukasa.Node) bool {
	b.Documents, b.Memories, b.Version, b.UpdatedAt = a.Documents, a.Memories, a.Version, a.UpdatedAt
	return sameState(a, b)
}

// SameMessage reports whether nothing has changed that a delta would tell of: its place is not its content.
func SameMessage(a, b lukasa.Message) bool {
	b.Document, b.Node, b.Seq, b.CreatedAt = a.Document, a.Node, a.Seq, a.CreatedAt
	return sameState(a, b)
}

// SameForEntries reports whether nothing has changed that the entries of a document carry.
func SameForEntries(a, b *lukasa.Document) bool {
	part := func(d *lukasa.Document) lukasa.Document {
		when := d.OccurredAt
		if when != nil {
			when = new(time.UnixMicro(when.UnixMicro()).UTC())
		}
		p := lukasa.Document{
			Node: d.Node, Title: d.Title, ContentType: d.ContentType, Status: d.Status, Origin: d.Origin, IsLatest: d.IsLatest, OccurredAt: when,
			CreatedAt: time.UnixMicro(d.CreatedAt.UnixMicro()).UTC(), Tags: Full(d.Tags), Metadata: d.Metadata,
		}
		if p.Metadata == nil {
			p.Metadata = map[string]any{}
		}
		return p
	}
	return sameState(part(a), part(b))
}

func sameState(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// Digests returns the SHA-256 sums of a delta's before, after and reason, one after the other. They are kept beside them, so
// that the chain still holds when a purge has taken these three away.
func Digests(d lukasa.Delta) []byte {
	var sums []byte
	for _, part := range [][]byte{d.Before, d.After, []byte(d.Reason)} {
		sum := sha256.Sum256(part)
		sums = append(sums, sum[:]...)
	}
	return sums
}

// Seal returns the hash of a delta: SHA-256 over the hash before it (none for an owner's first), the digests, the time in
// microseconds and the texts, each with its length before it.
func Seal(previous []byte, d lukasa.Delta, digests []byte) []byte {
	var b []byte
	add := func(part []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(part)))
		b = append(b, part...)
	}
	add(previous)
	b = binary.BigEndian.AppendUint64(b, uint64(d.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(d.At.UnixMicro()))
	for _, s := range []string{string(d.ID), string(d.Record), string(d.Node), d.Op, d.Author} {
		add([]byte(s))
	}
	add(digests)
	sum := sha256.Sum256(b)
	return sum[:]
}

// ChainEnd is the last delta of an owner's chain, as far as the next one hangs on it.
type ChainEnd struct {
	Seq  int64
	Hash []byte
	At   time.Time
}

// Link completes the delta that comes next, of a record that was before and is after (nil: it was or is not there), and returns the end
// that the chain has with it, and the digests that are kept beside it. Times never go back along the chain, whatever the clock does.
func (c ChainEnd) Link(d *lukasa.Delta, before, after any, now time.Time) (end ChainEnd, digests []byte, err error) {
	d.Seq, d.At = c.Seq+1, now.Truncate(time.Microsecond)
	if d.At.Before(c.At) {
		d.At = c.At
	}
	for _, part := range []struct {
		from any
		to   *json.RawMessage
	}{{before, &d.Before}, {after, &d.After}} {
		if part.from == nil {
			continue
		}
		if *part.to, err = json.Marshal(part.from); err != nil {
			return c, nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "metadata", Msg: "cannot be written as JSON", Err: err}
		}
	}
	digests = Digests(*d)
	d.ID = lukasa.MakeID("delta", d.At, [10]byte(Seal(c.Hash, *d, digests))) // no chance in it: the same history has the same ids
	return ChainEnd{d.Seq, Seal(c.Hash, *d, digests), d.At}, digests, nil
}

// Verifier looks for deltas that do not follow from those before them, and for content that is not what was sealed. They come
// by owner, then by seq.
type Verifier struct {
	owner string
	seq   int64
	hash  []byte
}

// Next returns what is wrong with the next delta.
func (v *Verifier) Next(owner string, d lukasa.Delta, digests []byte) (wrong []string) {
	if owner != v.owner {
		*v = Verifier{owner: owner}
	}
	v.seq++
	v.hash = Seal(v.hash, d, digests)
	if d.Seq != v.seq || hex.EncodeToString(v.hash) != d.Hash {
		wrong = append(wrong, fmt.Sprintf("delta %d of %s does not follow from the one before it", d.Seq, owner))
		v.seq = d.Seq
		v.hash, _ = hex.DecodeString(d.Hash)
	}
	if blank := d.Before == nil && d.After == nil && d.Reason == ""; !blank && !bytes.Equal(Digests(d), digests) {
		wrong = append(wrong, fmt.Sprintf("delta %d of %s does not hold what was sealed", d.Seq, owner))
	}
	return wrong
}
