package exports

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// checkIndex looks at the end of an archive for the size of its list of entries, before anybody reads that list into memory.
// The layout is section 4.3 of PKWARE's APPNOTE.TXT. What it cannot make sense of it leaves to archive/zip to refuse.
func checkIndex(ra io.ReaderAt, size int64, lim Limits) error {
	const endLen, locatorLen, end64Len = 22, 20, 56
	tail := make([]byte, min(size, endLen+1<<16))
	if n, err := ra.ReadAt(tail, size-int64(len(tail))); n < len(tail) {
		return fmt.Errorf("read the end of the archive: %w", err)
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < endLen {
		return nil
	}
	end := tail[at:]
	entries, offset := uint64(binary.LittleEndian.Uint16(end[10:])), uint64(binary.LittleEndian.Uint32(end[16:]))
	declared, stop := uint64(binary.LittleEndian.Uint32(end[12:])), uint64(size)-uint64(len(tail))+uint64(at)
	if at >= locatorLen && string(tail[at-locatorLen:at-locatorLen+4]) == "PK\x06\x07" {
		where := binary.LittleEndian.Uint64(tail[at-locatorLen+8:])
		big := make([]byte, end64Len)
		if where < uint64(size) {
			if n, _ := ra.ReadAt(big, int64(where)); n == end64Len && string(big[:4]) == "PK\x06\x06" {
				entries, declared, offset = binary.LittleEndian.Uint64(big[32:]), binary.LittleEndian.Uint64(big[40:]), binary.LittleEndian.Uint64(big[48:])
				stop = where
			}
		}
	}
	if entries > uint64(lim.Files) {
		return fmt.Errorf("holds %d files, at most %d are allowed", entries, lim.Files)
	}
	// archive/zip reads the list from its declared place up to the end record, whatever the declared number of entries.
	if limit := uint64(lim.Index); declared > limit || offset < stop && stop-offset > limit {
		return fmt.Errorf("its list of files is over %d MiB", lim.Index>>20)
	}
	return nil
}

// decodeName reads the name of an entry that does not say it is UTF-8. Old archivers wrote code page 437.
func decodeName(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out, err := charmap.CodePage437.NewDecoder().String(s)
	if err != nil {
		return s
	}
	return out
}
