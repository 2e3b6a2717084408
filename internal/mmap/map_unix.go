//go:build unix

package mmap

import (
	"os"
	"syscall"
)

// mapFile returns the content of a file, mapped so that processes share it, and what gives it back.
func mapFile(f *os.File, size int) (data []byte, unmap func([]byte), err error) {
	data, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	return data, func(b []byte) { _ = syscall.Munmap(b) }, err
}
