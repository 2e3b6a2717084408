//go:build unix

package mmap_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/mmap"
)

// TestFault reads a file that was cut short after it was mapped.
func TestFault(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	write(t, path)
	f, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := f.Manifest(&m); err != nil {
		t.Fatal(err)
	}
	part := f.At(m.Part)
	if !mmap.Whole(part, m.Sum) || mmap.Whole(part, m.Sum+1) || mmap.Whole(nil, 0) {
		t.Error("what is whole is not told from what is not")
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	read := func() (err error) {
		defer mmap.Catch(debug.SetPanicOnFault(true), &err)
		_ = mmap.Checksum(part)
		return nil
	}
	fault, ok := errors.AsType[*mmap.Fault](read())
	if !ok || !mmap.Spans(part, fault.At) || mmap.Spans(part[:0], fault.At) {
		t.Errorf("the fault is %v", fault)
	}
	if mmap.Whole(part, m.Sum) || f.Manifest(&m) == nil {
		t.Error("what is not there is whole")
	}
	err = mmap.Write(path+".other", func(w *mmap.Writer) (any, error) {
		w.Put(part)
		return m, nil
	})
	if _, ok := errors.AsType[*mmap.Fault](err); !ok {
		t.Errorf("written out, it is %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	defer func() {
		if p := recover(); p != "another" {
			t.Errorf("another panic became %v", p)
		}
	}()
	defer mmap.Catch(debug.SetPanicOnFault(true), &err)
	panic("another")
}
