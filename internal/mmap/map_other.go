//go:build !unix

package mmap

import (
	"io"
	"os"
)

// mapFile returns the content of a file, and what gives it back.
func mapFile(f *os.File, size int) (data []byte, unmap func([]byte), err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(f, data)
	return data, func([]byte) {}, err
}
