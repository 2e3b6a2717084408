package local

import (
	"fmt"
	"hash/crc32"

	"github.com/lukasa-memory/lukasa/internal/mapped"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// A derived file (see [mapped]) holds what an index knows of one owner at one seq. The dictionary and each shard have a
// checksum of their own: a damaged shard is left out, and its nodes are read from the feed again.
const fileFormat = 2

type manifest struct {
	Format   int
	Space    string
	Language string
	Analyser uint32 // what the analyser makes of a sample: terms of another analyser are of no use
	Dim      int
	Seed     uint64
	Owner    string
	Seq      int64
	DictCRC  uint32
	Words    mapped.Span // the terms, one behind the other
	Ends     mapped.Span // where each ends, 4 bytes
	Met      mapped.Span // the words that they were made of, where these are others
	MetEnds  mapped.Span
	Flags    uint32 // Options.FlagsMark
	Shards   []shardMeta
}

type shardMeta struct {
	Whole    mapped.Span
	CRC      uint32
	Pool     bool
	Exact    bool
	N        int
	Sealed   int
	Alive    int
	Vectors  int
	Sessions int
	Count    int64
	Total    int64
	Live     mapped.Span
	Old      mapped.Span
	Vec      mapped.Span
	Classes  mapped.Span
	Odds     []string
	Nodes    []string
	Loaded   []bool // by node: all of it is here
	Blocks   []blockMeta
	Segs     []segmentMeta
	Pages    []mapped.Span
}

type blockMeta struct{ Rows, When, Class, Node, Prev, Codes, Scale, Bias, Bytes, Step, Exact mapped.Span }

type segmentMeta struct {
	Lo, Hi                                  uint32
	RefAvg                                  float64
	Terms, Offset, Latest, Impact, Data, DL mapped.Span
}

// analyserMark is a checksum of what the analyser does.
func analyserMark(lang string) uint32 {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	text.NewAnalyzer(lang).Each(`The children's running shoes weren't cheap: 1,000 x 3.14 naïve façades, parseHTMLDocument(user_name)
		os.path.join U.S.A. C++ 東京都 книги women went organizations relational hopefulness l'homme coração señores`,
		func(term []byte, pos, start, end int) {
			fmt.Fprintf(sum, "%s %d %d %d\n", term, pos, start, end)
		})
	return sum.Sum32()
}
