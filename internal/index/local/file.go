package local

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"

	"github.com/lukasa-memory/lukasa/internal/mmap"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Format is that of derived files. Such a file (see [mapped]) holds what an index knows of one owner at one seq. The dictionary and each shard have a
// checksum of their own: a damaged shard is left out, and its nodes are read from the feed again.
const Format = 7

// Manifest says what a derived file is of and where its parts are.
type Manifest struct {
	Format   int
	Space    string
	Analyser uint32 // what the analyser makes of a sample: terms of another analyser are of no use
	Dim      int
	Seed     uint64
	Owner    string
	Seq      int64
	DictCRC  uint32
	Dicts    mmap.Span // both, under one checksum
	Terms    DictMeta
	Names    DictMeta // the texts of classes and labels
	Shards   []Meta
}

// DictMeta says where the parts of a [postings.Frozen] are.
type DictMeta struct {
	Keys              [2]uint64
	Text, Ends, Table mmap.Span
}

// PutDict writes a dictionary.
func PutDict(w *mmap.Writer, f postings.Frozen) DictMeta {
	return DictMeta{f.Keys, w.Put(f.Text), w.Put(mmap.Bytes(f.Ends)), w.Put(mmap.Bytes(f.Table))}
}

// Frozen is the way back.
func (d *DictMeta) Frozen(m *mmap.File) postings.Frozen {
	return postings.Frozen{Keys: d.Keys, Text: m.At(d.Text), Ends: mmap.As[uint32](m.At(d.Ends)), Table: mmap.As[uint32](m.At(d.Table)), Hold: m}
}

// AnalyserMark is a checksum of what the analyser does.
func AnalyserMark() uint32 {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	var a text.Analyzer
	for t := range text.AllTongues() {
		a.Take(t)
		a.Each(`The children's running shoes weren't cheap: 1,000 x 3.14 naïve façades, parseHTMLDocument(user_name)
		os.path.join U.S.A. C++ 東京都 「猫」🎉 книги women went organizations relational hopefulness l'homme coração señores المكتبات
		die Häuser standen dell'anno città crianças fietsten børnene talossa házakban cărțile evlerimizde INV-20913 2024/06/01 10:30 well-known INV-20913's l'A-12 id:10\u20112-4 10:30-12:00 A-7.pdf 1-５-2`,
			func(term []byte, pos, start, end int) {
				fmt.Fprintf(sum, "%s %d %d %d\n", term, pos, start, end)
			})
	}
	return sum.Sum32()
}

// Tally counts the partitions that derived files hold by how they are there.
type Tally struct {
	Whole, Damaged int
	Stale          int // of another version or other settings, or of a later day than the store: nobody reads them
	Lost           int // files of which nobody can tell what they hold
}

// Add looks at all of a file.
func (t *Tally) Add(path string, fresh func(*Manifest) bool) {
	var mf Manifest
	m, err := mmap.Open(path)
	if err == nil {
		err = m.Manifest(&mf)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // gone meanwhile
	case err != nil:
		t.Lost++
	case !fresh(&mf):
		t.Stale += mf.loaded(func(*Meta) bool { return true })
	default:
		words := mmap.Whole(m.At(mf.Dicts), mf.DictCRC)
		whole := mf.loaded(func(s *Meta) bool { return words && mmap.Whole(m.At(s.Whole), s.CRC) })
		t.Whole += whole
		t.Damaged += mf.loaded(func(*Meta) bool { return true }) - whole
	}
}

// loaded counts the partitions that are complete in the shards of a kind.
func (mf *Manifest) loaded(of func(*Meta) bool) (n int) {
	for i := range mf.Shards {
		if !of(&mf.Shards[i]) {
			continue
		}
		for _, there := range mf.Shards[i].Loaded {
			if there {
				n++
			}
		}
	}
	return n
}

// Fault says what is damaged, nothing where nothing is.
func (t *Tally) Fault() []string {
	if t.Damaged == 0 && t.Lost == 0 {
		return nil
	}
	return []string{fmt.Sprintf("in the files of the index %d partitions are damaged, %d whole and %d stale, and %d files cannot be read: what is not whole is read from the rows when it is next searched, or at once with `lukasa rebuild index`",
		t.Damaged, t.Whole, t.Stale, t.Lost)}
}
