//go:build unix

package mapped_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/mapped"
)

// TestFault reads a file that was cut short after it was mapped.
func TestFault(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	write(t, path)
	f, err := mapped.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := f.Manifest(&m); err != nil {
		t.Fatal(err)
	}
	part := f.At(m.Part)
	if !mapped.Whole(part, m.Sum) || mapped.Whole(part, m.Sum+1) || mapped.Whole(nil, 0) {
		t.Error("what is whole is not told from what is not")
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	read := func() (err error) {
		defer mapped.Catch(debug.SetPanicOnFault(true), &err)
		_ = mapped.Checksum(part)
		return nil
	}
	fault, ok := errors.AsType[*mapped.Fault](read())
	if !ok || !mapped.Spans(part, fault.At) || mapped.Spans(part[:0], fault.At) {
		t.Errorf("the fault is %v", fault)
	}
	if mapped.Whole(part, m.Sum) || f.Manifest(&m) == nil {
		t.Error("what is not there is whole")
	}
	err = mapped.Write(path+".other", func(w *mapped.Writer) (any, error) {
		w.Put(part)
		return m, nil
	})
	if _, ok := errors.AsType[*mapped.Fault](err); !ok {
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
	defer mapped.Catch(debug.SetPanicOnFault(true), &err)
	panic("another")
}
