package mmap

import (
	"fmt"
	"runtime/debug"
	"unsafe"
)

// Fault says that the disk does not give what a file has that is mapped at an address: the file was cut short, or the disk fails.
type Fault struct{ At uintptr }

func (f *Fault) Error() string {
	return fmt.Sprintf("the disk does not give what is mapped at %#x", f.At)
}

// Catch makes an error of such a fault, which would end the program otherwise. It is for whoever reads what is mapped, on the goroutine that does,
// and to be deferred:
//
//	defer mapped.Catch(debug.SetPanicOnFault(true), &err)
func Catch(before bool, err *error) {
	debug.SetPanicOnFault(before)
	switch p := recover().(type) {
	case nil:
	case interface{ Addr() uintptr }:
		*err = &Fault{p.Addr()}
	default:
		panic(p)
	}
}

// Spans reports whether an address lies in bytes.
func Spans(b []byte, at uintptr) bool {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return at >= from && at-from < uintptr(len(b))
}

// Whole reports whether bytes of a file are there, and have a checksum.
func Whole(b []byte, sum uint32) bool {
	var err error
	return func() bool {
		defer Catch(debug.SetPanicOnFault(true), &err)
		return b != nil && Checksum(b) == sum
	}()
}
