// Package mmap writes and maps derived files: arrays in the machine's own form at aligned places, a manifest in JSON that says
// where they are, and checksums.
//
// Such a file is mapped rather than read, so that processes share it. It is for what can be made again: it appears in one
// step, but is not synced to the disk, and a reader believes nothing that its checksum does not cover.
package mmap

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unsafe"
)

// Behind the arrays, at multiples of 64 bytes, stands the manifest, and at the end the footer: where the manifest is (8
// bytes), its length (8), its CRC-32C (4) and magic (4).
const (
	magic       = 0x3158494c // "LIX1"
	align       = 64
	footerBytes = 24
)

// ErrUnusable says that a file is not one of these, or is damaged.
var ErrUnusable = errors.New("not a usable derived file")

// Span is a stretch of a file, in bytes.
type Span struct{ Off, Len int64 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the CRC-32C that the files use.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// LittleEndian reports whether this machine's numbers are in the form of the file.
func LittleEndian() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}

// Bytes returns the bytes of a slice of plain numbers or rows.
func Bytes[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// As is the way back. It returns nil where the bytes are not a whole number of T or not aligned.
func As[T any](b []byte) []T {
	var t T
	size := int(unsafe.Sizeof(t))
	if len(b) == 0 || len(b)%size != 0 || uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(t) != 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size)
}

// Writer writes arrays and keeps account of where they are.
type Writer struct {
	w   *bufio.Writer
	off int64
	crc uint32
	err error
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
	w.crc = crc32.Update(w.crc, castagnoli, b)
	w.off += int64(len(b))
}

// Begin starts a part with a checksum of its own at the next aligned place, and returns where.
func (w *Writer) Begin() int64 {
	w.Put(nil)
	w.crc = 0
	return w.off
}

// End returns the part that Begin started, and its checksum.
func (w *Writer) End(from int64) (Span, uint32) { return Span{from, w.off - from}, w.crc }

// Put writes an array at the next aligned place.
func (w *Writer) Put(b []byte) Span {
	var zero [align]byte
	w.write(zero[:(align-w.off%align)%align])
	s := Span{w.off, int64(len(b))}
	w.write(b)
	return s
}

// File is a file in memory. It is given back when nothing refers to it any more.
type File struct {
	data []byte
}

// Open maps a file. It is given back when nothing refers to the result any more: hold it as long as its bytes are used.
func Open(path string) (*File, error) {
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
		return nil, ErrUnusable
	}
	data, unmap, err := mapFile(f, int(st.Size()))
	if err != nil {
		return nil, err
	}
	m := &File{data: data}
	runtime.AddCleanup(m, unmap, data)
	return m, nil
}

// At returns the bytes of a span, nil where it lies outside the file.
func (m *File) At(s Span) []byte {
	if s.Off < 0 || s.Len <= 0 || s.Off > int64(len(m.data)) || s.Len > int64(len(m.data))-s.Off {
		return nil
	}
	return m.data[s.Off : s.Off+s.Len : s.Off+s.Len]
}

// Holds reports whether bytes are part of the file. A nil file holds none.
func (m *File) Holds(b []byte) bool {
	if m == nil || len(b) == 0 {
		return false
	}
	at, from := uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(&m.data[0]))
	return at >= from && at < from+uintptr(len(m.data))
}

// Manifest reads the manifest into v and checks it.
func (m *File) Manifest(v any) (err error) {
	defer Catch(debug.SetPanicOnFault(true), &err)
	foot := m.data[len(m.data)-footerBytes:]
	if binary.LittleEndian.Uint32(foot[20:]) != magic {
		return ErrUnusable
	}
	b := m.At(Span{int64(binary.LittleEndian.Uint64(foot)), int64(binary.LittleEndian.Uint64(foot[8:]))})
	if b == nil || Checksum(b) != binary.LittleEndian.Uint32(foot[16:]) {
		return ErrUnusable
	}
	if err = json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read manifest: %w", err)
	}
	return nil
}

// Write writes a file beside path and puts it in its place in one step.
func Write(path string, fill func(w *Writer) (manifest any, err error)) (err error) {
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
	defer Catch(debug.SetPanicOnFault(true), &err) // what it is filled with may be mapped
	w := &Writer{w: bufio.NewWriterSize(f, 1<<18)}
	mf, err := fill(w)
	if err != nil {
		return err
	}
	b, err := json.Marshal(mf)
	if err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	at := w.Put(b)
	var foot [footerBytes]byte
	binary.LittleEndian.PutUint64(foot[:], uint64(at.Off))
	binary.LittleEndian.PutUint64(foot[8:], uint64(at.Len))
	binary.LittleEndian.PutUint32(foot[16:], crc32.Checksum(b, castagnoli))
	binary.LittleEndian.PutUint32(foot[20:], magic)
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

// Files lists the paths of the files in a directory whose names end so; none for the directory "".
func Files(dir, suffix string) ([]string, error) {
	if dir == "" {
		return nil, nil
	}
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list index files: %w", err)
	}
	var paths []string
	for _, e := range list {
		if strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

const tempPattern = ".index-*.tmp"

// Sweep removes what a process that died while writing has left.
func Sweep(dir string, now time.Time) {
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
