package data

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"unicode/utf16"
)

// This file reads the file format of SQLite 3 (https://sqlite.org/fileformat2.html): pages, b-trees, records and overflow
// chains, over bytes in memory. It trusts none of them: every offset is checked, no page is visited twice in one tree, and
// all that is read together is bounded by a multiple of the file.

var errDamaged = errors.New("the file is damaged")

// Limits of a database file.
const (
	mostTreeDepth = 40
	mostColumns   = 2000
)

// pager gives the pages of a database file.
type pager struct {
	data     []byte
	size     int // of a page
	usable   int // bytes of a page without the reserved end
	encoding uint32
	wal      bool
	budget   int // bytes that may still be read, pages and payloads together
}

// openPager reads the header of the file.
func openPager(data []byte) (*pager, error) {
	if len(data) < 512 || string(data[:16]) != "SQLite format 3\x00" {
		return nil, errDamaged
	}
	p := &pager{data: data, size: int(binary.BigEndian.Uint16(data[16:])), budget: 6*len(data) + 1<<20}
	if p.size == 1 {
		p.size = 65536
	}
	p.usable = p.size - int(data[20])
	p.encoding = binary.BigEndian.Uint32(data[56:])
	p.wal = data[18] == 2 || data[19] == 2
	if p.size < 512 || p.size&(p.size-1) != 0 || p.usable < 480 || data[19] > 2 || p.encoding > 3 {
		return nil, errDamaged
	}
	return p, nil
}

// page returns page n, counted from 1, and where its b-tree header begins.
func (p *pager) page(n uint32) (page []byte, header int, err error) {
	if n == 0 || int64(n) > int64(len(p.data)/p.size) {
		return nil, 0, errDamaged
	}
	if p.budget -= p.size; p.budget < 0 {
		return nil, 0, errDamaged
	}
	at := int(n-1) * p.size
	if n == 1 {
		header = 100
	}
	return p.data[at : at+p.usable], header, nil
}

// Types of b-tree page.
const (
	indexInterior = 2
	tableInterior = 5
	indexLeaf     = 10
	tableLeaf     = 13
)

// walk visits the records of the b-tree at root in order, until visit says stop. What was visited before damage was met
// stays visited.
func (p *pager) walk(ctx context.Context, root uint32, visit func(rowid int64, record []byte) bool) error {
	w := walker{pager: p, seen: map[uint32]bool{}, visit: visit}
	_, err := w.tree(ctx, root, 0)
	return err
}

type walker struct {
	*pager
	seen  map[uint32]bool
	visit func(int64, []byte) bool
}

// tree walks what is below page n and reports whether to go on.
func (w *walker) tree(ctx context.Context, n uint32, depth int) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if w.seen[n] || depth > mostTreeDepth {
		return false, errDamaged
	}
	w.seen[n] = true
	page, at, err := w.page(n)
	if err != nil {
		return false, err
	}
	kind := page[at]
	cells := int(binary.BigEndian.Uint16(page[at+3:]))
	pointers := at + 8
	interior := kind == indexInterior || kind == tableInterior
	if interior {
		pointers += 4
	} else if kind != indexLeaf && kind != tableLeaf {
		return false, errDamaged
	}
	if pointers+2*cells > len(page) {
		return false, errDamaged
	}
	for i := range cells {
		cell := page[min(len(page), int(binary.BigEndian.Uint16(page[pointers+2*i:]))):]
		if interior {
			if len(cell) < 4 {
				return false, errDamaged
			}
			if more, err := w.tree(ctx, binary.BigEndian.Uint32(cell), depth+1); err != nil || !more {
				return more, err
			}
			cell = cell[4:]
		}
		if kind == tableInterior {
			continue
		}
		rowid, record, err := w.cell(kind, cell)
		if err != nil {
			return false, err
		}
		if !w.visit(rowid, record) {
			return false, nil
		}
	}
	if interior {
		return w.tree(ctx, binary.BigEndian.Uint32(page[at+8:]), depth+1)
	}
	return true, nil
}

// cell reads the record of a cell, with its overflow pages.
func (p *pager) cell(kind byte, cell []byte) (rowid int64, record []byte, err error) {
	size, n := varint(cell)
	if n == 0 || size < 0 || size > int64(len(p.data)) {
		return 0, nil, errDamaged
	}
	cell = cell[n:]
	most := (p.usable-12)*64/255 - 23
	if kind == tableLeaf {
		if rowid, n = varint(cell); n == 0 {
			return 0, nil, errDamaged
		}
		cell = cell[n:]
		most = p.usable - 35
	}
	total := int(size)
	if p.budget -= total + 16; p.budget < 0 {
		return 0, nil, errDamaged
	}
	local := total
	if total > most {
		least := (p.usable-12)*32/255 - 23
		if local = least + (total-least)%(p.usable-4); local > most {
			local = least
		}
	}
	if local > len(cell) {
		return 0, nil, errDamaged
	}
	if local == total {
		return rowid, cell[:total], nil
	}
	if local+4 > len(cell) {
		return 0, nil, errDamaged
	}
	record = append(make([]byte, 0, total), cell[:local]...)
	next := binary.BigEndian.Uint32(cell[local:])
	for len(record) < total {
		page, _, err := p.page(next)
		if err != nil {
			return 0, nil, err
		}
		record = append(record, page[4:min(len(page), 4+total-len(record))]...)
		next = binary.BigEndian.Uint32(page)
	}
	return rowid, record, nil
}

// varint reads a big-endian variable-length integer and says how many bytes it has, 0 when it is cut.
func varint(b []byte) (int64, int) {
	var v uint64
	for i := range min(9, len(b)) {
		if i == 8 {
			return int64(v<<8 | uint64(b[i])), 9
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return int64(v), i + 1
		}
	}
	return 0, 0
}

// cellKind is the type of a stored value.
type cellKind uint8

const (
	isNull cellKind = iota
	isInteger
	isReal
	isText
	isBlob
)

// value is a stored value.
type value struct {
	kind    cellKind
	integer int64
	real    float64
	bytes   []byte // of a text, still encoded, or of a blob
}

// record reads the values of a record; one that is cut is damage.
func readRecord(b []byte) ([]value, error) {
	size, n := varint(b)
	if n == 0 || size < int64(n) || size > int64(len(b)) {
		return nil, errDamaged
	}
	types, body := b[n:size], b[size:]
	var out []value
	for len(types) > 0 && len(out) < mostColumns {
		t, n := varint(types)
		if n == 0 {
			return out, errDamaged
		}
		types = types[n:]
		v, used, ok := readValue(t, body)
		if !ok {
			return out, errDamaged
		}
		body = body[used:]
		out = append(out, v)
	}
	return out, nil
}

// readValue reads a value of a serial type and says how many bytes it has.
func readValue(t int64, b []byte) (value, int, bool) {
	switch {
	case t == 0:
		return value{}, 0, true
	case t == 8 || t == 9:
		return value{kind: isInteger, integer: t - 8}, 0, true
	case t >= 1 && t <= 7:
		size := []int{0, 1, 2, 3, 4, 6, 8, 8}[t]
		if size > len(b) {
			return value{}, 0, false
		}
		var raw uint64
		for _, c := range b[:size] {
			raw = raw<<8 | uint64(c)
		}
		if t == 7 {
			return value{kind: isReal, real: math.Float64frombits(raw)}, size, true
		}
		shift := 64 - 8*size
		return value{kind: isInteger, integer: int64(raw<<shift) >> shift}, size, true
	case t >= 12:
		size := (t - 12) / 2
		if size > int64(len(b)) {
			return value{}, 0, false
		}
		kind := isBlob
		if t%2 == 1 {
			kind = isText
		}
		return value{kind: kind, bytes: b[:size]}, int(size), true
	}
	return value{}, 0, false // 10 and 11 are for SQLite itself
}

// text decodes a stored text.
func (p *pager) text(b []byte) string {
	if p.encoding < 2 {
		return strings.ToValidUTF8(string(b), "\ufffd")
	}
	units := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		if p.encoding == 2 {
			units = append(units, binary.LittleEndian.Uint16(b))
		} else {
			units = append(units, binary.BigEndian.Uint16(b))
		}
	}
	return string(utf16.Decode(units))
}
