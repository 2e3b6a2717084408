package local

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"time"
	"unsafe"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// A derived file holds what an index knows of one owner at one seq, as arrays in the machine's own form (little-endian;
// other machines keep no files) at multiples of 64 bytes, so that it is mapped rather than read. Behind the arrays stands a
// manifest in JSON that says where they are, and at the end the footer: where the manifest is (8 bytes), its length (8), its
// CRC-32C (4) and fileMagic (4). The dictionary and each shard have a CRC-32C of their own: a damaged shard is left out, and
// its nodes are read from the feed again.
const (
	fileMagic   = 0x3158494c // "LIX1"
	fileFormat  = 1
	fileAlign   = 64
	footerBytes = 24
)

var errFile = errors.New("not a usable index file")

type span struct{ Off, Len int64 }

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
	Words    span // the terms, one behind the other
	Ends     span // where each ends, 4 bytes
	Shards   []shardMeta
}

type shardMeta struct {
	Whole   span
	CRC     uint32
	Pool    bool
	Exact   bool
	N       int
	Sealed  int
	Alive   int
	Vectors int
	Count   int64
	Total   int64
	Live    span
	Old     span
	Vec     span
	Classes span
	Odds    []string
	Nodes   []string
	Loaded  []bool // by node: all of it is here
	Blocks  []blockMeta
	Segs    []segmentMeta
	Pages   []span
}

type blockMeta struct{ Rows, When, Class, Node, Codes, Scale, Bias, Bytes, Step, Exact span }

type segmentMeta struct {
	Lo, Hi                                            uint32
	RefAvg                                            float64
	Terms, Offset, Postings, Latest, Impact, Data, DL span
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// littleEndian reports whether this machine's numbers are in the form of the file.
func littleEndian() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}

// raw returns the bytes of a slice of plain numbers or rows.
func raw[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// cast is the way back. It returns nil where the bytes are not a whole number of T or not aligned.
func cast[T any](b []byte) []T {
	var t T
	size := int(unsafe.Sizeof(t))
	if len(b) == 0 || len(b)%size != 0 || uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(t) != 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size)
}

// analyserMark is a checksum of what the analyser does.
func analyserMark(lang string) uint32 {
	sum := crc32.New(castagnoli)
	text.NewAnalyzer(lang).Each(`The children's running shoes weren't cheap: 1,000 x 3.14 naïve façades, parseHTMLDocument(user_name)
		os.path.join U.S.A. C++ 東京都 книги women went organizations relational hopefulness l'homme coração señores`,
		func(term []byte, pos, start, end int) {
			fmt.Fprintf(sum, "%s %d %d %d\n", term, pos, start, end)
		})
	return sum.Sum32()
}

// fileWriter writes arrays and keeps account of where they are.
type fileWriter struct {
	w   *bufio.Writer
	off int64
	crc uint32
	err error
}

func (w *fileWriter) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
	w.crc = crc32.Update(w.crc, castagnoli, b)
	w.off += int64(len(b))
}

// put writes an array at the next aligned place.
func (w *fileWriter) put(b []byte) span {
	var zero [fileAlign]byte
	w.write(zero[:(fileAlign-w.off%fileAlign)%fileAlign])
	s := span{w.off, int64(len(b))}
	w.write(b)
	return s
}

// mapping is a file in memory. It is given back when nothing refers to it any more.
type mapping struct {
	data []byte
}

func openMapping(path string) (*mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() < footerBytes || st.Size() > 1<<40 {
		return nil, errFile
	}
	data, unmap, err := mapFile(f, int(st.Size()))
	if err != nil {
		return nil, err
	}
	m := &mapping{data: data}
	runtime.AddCleanup(m, unmap, data)
	return m, nil
}

// at returns the bytes of a span, nil where it lies outside the file.
func (m *mapping) at(s span) []byte {
	if s.Off < 0 || s.Len <= 0 || s.Off > int64(len(m.data)) || s.Len > int64(len(m.data))-s.Off {
		return nil
	}
	return m.data[s.Off : s.Off+s.Len : s.Off+s.Len]
}

// manifest reads and checks the manifest.
func (m *mapping) manifest() (*manifest, error) {
	foot := m.data[len(m.data)-footerBytes:]
	if binary.LittleEndian.Uint32(foot[20:]) != fileMagic {
		return nil, errFile
	}
	b := m.at(span{int64(binary.LittleEndian.Uint64(foot)), int64(binary.LittleEndian.Uint64(foot[8:]))})
	if b == nil || crc32.Checksum(b, castagnoli) != binary.LittleEndian.Uint32(foot[16:]) {
		return nil, errFile
	}
	var mf manifest
	if err := json.Unmarshal(b, &mf); err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	return &mf, nil
}

// writeFile writes a file beside path and puts it in its place in one step.
func writeFile(path string, fill func(w *fileWriter) (*manifest, error)) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make index folder: %w", err)
	}
	f, err := os.CreateTemp(dir, tempPattern)
	if err != nil {
		return fmt.Errorf("create index file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	w := &fileWriter{w: bufio.NewWriterSize(f, 1<<18)}
	mf, err := fill(w)
	if err != nil {
		return err
	}
	b, err := json.Marshal(mf)
	if err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	at := w.put(b)
	var foot [footerBytes]byte
	binary.LittleEndian.PutUint64(foot[:], uint64(at.Off))
	binary.LittleEndian.PutUint64(foot[8:], uint64(at.Len))
	binary.LittleEndian.PutUint32(foot[16:], crc32.Checksum(b, castagnoli))
	binary.LittleEndian.PutUint32(foot[20:], fileMagic)
	w.write(foot[:])
	if w.err == nil {
		w.err = w.w.Flush()
	}
	if w.err != nil {
		return fmt.Errorf("write index file: %w", w.err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("close index file: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("place index file: %w", err)
	}
	return nil
}

const tempPattern = ".index-*.tmp"

// sweep removes what a process that died while writing has left.
func sweep(dir string, now time.Time) {
	names, err := filepath.Glob(filepath.Join(dir, tempPattern))
	if err != nil {
		return
	}
	for _, name := range names {
		if st, err := os.Stat(name); err == nil && now.Sub(st.ModTime()) > time.Hour {
			_ = os.Remove(name)
		}
	}
}
