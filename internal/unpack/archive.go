// Package unpack reads ZIP archives of XML within bounds: on what they unpack to, how deep they nest, and how long one piece
// may be.
//
// Nothing here touches a file system: names in an archive are keys to look up and never become paths.
package unpack

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
)

// Bounds of an archive.
const (
	MostEntries = 10_000
	MostPart    = 32 << 20  // bytes of a part that is held in memory as a whole
	leastBudget = 64 << 20  // unpacked bytes that any archive may have
	mostBudget  = 512 << 20 // and no archive more
	mostRatio   = 100       // times its own size that an archive may unpack to, between these two
)

// Archive is a ZIP archive that is read within a budget of unpacked bytes: 64 MiB or a hundred times its size, at most
// 512 MiB. The first of several entries with one name counts, and names are compared without regard to case, as Office does.
// Archives within an archive are but bytes.
type Archive struct {
	ctx    context.Context //nolint:containedctx // an Archive lives as long as the call that it was opened for
	parts  map[string]*zip.File
	names  []string
	budget int64 // unpacked bytes that are left
	size   int64 // the budget at first
}

// Open opens data. Reading from the archive ends when ctx does. What cannot be read is a [Fault].
func Open(ctx context.Context, data []byte) (*Archive, error) {
	if n := promised(data); n > MostEntries {
		return nil, Bomb(fmt.Errorf("%d entries, at most %d are read: %w", n, MostEntries, ErrBudget))
	}
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, Damaged(err)
	}
	if len(zr.File) > MostEntries {
		return nil, Bomb(fmt.Errorf("%d entries, at most %d are read: %w", len(zr.File), MostEntries, ErrBudget))
	}
	budget := min(max(leastBudget, mostRatio*int64(len(data))), mostBudget)
	a := &Archive{ctx: ctx, parts: make(map[string]*zip.File, len(zr.File)), budget: budget, size: budget}
	for _, f := range zr.File {
		key := Key(f.Name)
		if _, known := a.parts[key]; !known {
			a.parts[key] = f
			a.names = append(a.names, strings.TrimPrefix(f.Name, "/"))
		}
	}
	return a, nil
}

// Key is the form in which names are compared.
func Key(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// Names lists the parts in the order of the archive.
func (a *Archive) Names() []string { return a.names }

// Has reports whether there is a part of that name.
func (a *Archive) Has(name string) bool { return a.parts[Key(name)] != nil }

// Stream returns a part to read from; ErrMissing when it is not there. What is read is taken off the budget.
func (a *Archive) Stream(name string) (io.ReadCloser, error) {
	f := a.parts[Key(name)]
	if f == nil {
		return nil, fmt.Errorf("%s: %w", name, ErrMissing)
	}
	if f.Flags&1 != 0 {
		return nil, Locked("archive")
	}
	r, err := f.Open()
	if err != nil {
		return nil, Damaged(fmt.Errorf("%s: %w", name, err))
	}
	return &budgeted{ReadCloser: r, a: a}, nil
}

// Peek is Stream for a first look at a part that will be read again: it costs no budget, as long as the part fits into it.
func (a *Archive) Peek(name string) (io.ReadCloser, error) {
	r, err := a.Stream(name)
	if err != nil {
		return nil, err
	}
	return &peeking{ReadCloser: r, a: a, before: a.budget}, nil
}

// Read returns a part of at most MostPart bytes; ErrMissing when it is not there.
func (a *Archive) Read(name string) ([]byte, error) {
	r, err := a.Stream(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, MostPart+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MostPart {
		return nil, Bomb(fmt.Errorf("%s has more than %d bytes: %w", name, MostPart, ErrBudget))
	}
	return data, nil
}

// XML hands a part to f, as a stream of strict XML.
func (a *Archive) XML(name string, f func(*XML) error) error {
	r, err := a.Stream(name)
	if err != nil {
		return err
	}
	defer r.Close()
	head := make([]byte, 2)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	if isUTF16(head) {
		data, err := a.Read(name)
		if err != nil {
			return err
		}
		return f(NewXML(bytes.NewReader(UTF8(data))))
	}
	return f(NewXML(io.MultiReader(bytes.NewReader(head[:n]), r)))
}

// budgeted takes what is read off the archive's budget.
type budgeted struct {
	io.ReadCloser
	a *Archive
}

func (b *budgeted) Read(p []byte) (int, error) {
	if err := b.a.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	if b.a.budget -= int64(n); b.a.budget < 0 {
		return 0, Bomb(fmt.Errorf("it holds more than %d bytes: %w", b.a.size, ErrBudget))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = Damaged(err)
	}
	return n, err
}

// peeking gives the budget back when it is closed.
type peeking struct {
	io.ReadCloser
	a      *Archive
	before int64
}

func (p *peeking) Close() error {
	p.a.budget = p.before
	return p.ReadCloser.Close()
}

// Resolve returns the name of the part that the part from refers to by target.
func Resolve(from, target string) string {
	target, _, _ = strings.Cut(target, "#")
	if strings.HasPrefix(target, "/") {
		return strings.TrimPrefix(path.Clean(target), "/")
	}
	return strings.TrimPrefix(path.Join(path.Dir(from), target), "/")
}

// Members lists the keys of an archive's entries, at most MostEntries, without opening it. It is empty for what is damaged at
// its end, and for archives beyond 4 GiB.
func Members(data []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		list := directory(data)
		for n := 0; len(list) >= 46 && string(list[:4]) == "PK\x01\x02" && n < MostEntries; n++ {
			name := int(binary.LittleEndian.Uint16(list[28:]))
			length := 46 + name + int(binary.LittleEndian.Uint16(list[30:])) + int(binary.LittleEndian.Uint16(list[32:]))
			if length > len(list) || !yield(Key(string(list[46:46+min(name, 1024)]))) {
				return
			}
			list = list[length:]
		}
	}
}

// MediaType returns what an archive says that it is by an entry called "mimetype", as OpenDocument and EPUB have it: at most
// its first 100 bytes, and where the entry is stored as it is what happens to follow, so look at the beginning. "" without.
func MediaType(data []byte) string {
	const entry = "mimetype"
	if len(data) < 30 || !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return ""
	}
	name, extra := int(binary.LittleEndian.Uint16(data[26:])), int(binary.LittleEndian.Uint16(data[28:]))
	stored := binary.LittleEndian.Uint16(data[8:]) == zip.Store
	if at := 30 + name + extra; stored && name == len(entry) && len(data) >= at && string(data[30:30+name]) == entry {
		return string(data[at:min(len(data), at+100)])
	}
	if promised(data) > MostEntries { // packed anew by somebody, so that it is not where it should be
		return ""
	}
	for key := range Members(data) {
		if key == entry {
			return packedMedia(data, entry)
		}
	}
	return ""
}

func packedMedia(data []byte, entry string) string {
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return ""
	}
	r, err := zr.Open(entry)
	if err != nil {
		return ""
	}
	defer func() { _ = r.Close() }() // it was only read
	media, err := io.ReadAll(io.LimitReader(r, 100))
	if err != nil {
		return ""
	}
	return string(media)
}

// endRecord returns the record at the end of an archive, nil without one.
func endRecord(data []byte) []byte {
	const length = 22
	from := max(0, len(data)-length-1<<16)
	i := bytes.LastIndex(data[from:], []byte("PK\x05\x06"))
	if i < 0 || len(data)-from-i < length {
		return nil
	}
	return data[from+i:]
}

// promised reads how many entries the end of an archive promises; 0 when it has none.
func promised(data []byte) int {
	end := endRecord(data)
	if end == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint16(end[10:]))
}

// directory finds the list of entries; nil when it is not there.
func directory(data []byte) []byte {
	end := endRecord(data)
	if end == nil {
		return nil
	}
	size, start := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	if start+size > int64(len(data)) {
		return nil
	}
	return data[start : start+size]
}
