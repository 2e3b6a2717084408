package local

import (
	"fmt"
	"hash/crc32"

	"github.com/lukasa-memory/lukasa/internal/index/local/slots"
	"github.com/lukasa-memory/lukasa/internal/mapped"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// A derived file (see [mapped]) holds what an index knows of one owner at one seq. The dictionary and each shard have a
// checksum of their own: a damaged shard is left out, and its nodes are read from the feed again.
const fileFormat = 5

type manifest struct {
	Format   int
	Space    string
	Analyser uint32 // what the analyser makes of a sample: terms of another analyser are of no use
	Dim      int
	Seed     uint64
	Owner    string
	Seq      int64
	DictCRC  uint32
	Dicts    mapped.Span // both, under one checksum
	Terms    dictMeta
	Names    dictMeta // the texts of classes and labels
	Flags    uint32   // Options.FlagsMark
	Shards   []slots.Meta
}

// dictMeta says where the parts of a [postings.Frozen] are.
type dictMeta struct {
	Keys              [2]uint64
	Text, Ends, Table mapped.Span
}

func putDict(w *mapped.Writer, f postings.Frozen) dictMeta {
	return dictMeta{f.Keys, w.Put(f.Text), w.Put(mapped.Bytes(f.Ends)), w.Put(mapped.Bytes(f.Table))}
}

func (d *dictMeta) frozen(m *mapped.File) postings.Frozen {
	return postings.Frozen{Keys: d.Keys, Text: m.At(d.Text), Ends: mapped.As[uint32](m.At(d.Ends)), Table: mapped.As[uint32](m.At(d.Table)), Hold: m}
}

// analyserMark is a checksum of what the analyser does.
func analyserMark() uint32 {
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
