package office

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/program"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// oldTimeout is how long LibreOffice may take to convert a file; its first start alone takes seconds.
const oldTimeout = 3 * time.Minute

// mostConverted is how many bytes LibreOffice may make of a file.
const mostConverted = 256 << 20

// oldFormat is a format that LibreOffice turns into one that is read here.
type oldFormat struct {
	name, from, to string // in words, and the two extensions
	read           func(context.Context, *unpack.Archive, *document) error
}

var (
	oldWord   = oldFormat{"an old Word document", "doc", formatDocx, readDocx}
	oldExcel  = oldFormat{"an old Excel workbook", "xls", formatXlsx, readXlsx}
	oldSlides = oldFormat{"an old PowerPoint deck", "ppt", formatPptx, readPptx}
	oldBinary = oldFormat{"a binary Excel workbook", "xlsb", formatXlsx, readXlsx}
)

// looksOld reports the binary files of Office, those that it encrypted, and its binary workbooks in ZIP archives.
func looksOld(src *extract.Source) extract.Look {
	if formatOf(src) == formatOld {
		return extract.Yes
	}
	names, err := oldStreams(src.Data)
	if err != nil {
		if isOld(src.Data) {
			return extract.Maybe
		}
		return extract.No
	}
	if _, known := oldFormatOf(names); known || names["encryptedpackage"] != nil || names["encryptioninfo"] != nil {
		return extract.Yes
	}
	return extract.No
}

// readOld has LibreOffice convert an old file, and reads what comes of it.
func readOld(ctx context.Context, src *extract.Source) (extract.Output, error) {
	f, locked := oldBinary, false
	if isOld(src.Data) {
		names, err := oldStreams(src.Data)
		if err != nil {
			return extract.Output{}, told(unpack.Damaged(err))
		}
		if names["encryptedpackage"] != nil || names["encryptioninfo"] != nil {
			return extract.Output{}, told(unpack.Locked("document"))
		}
		var known bool
		if f, known = oldFormatOf(names); !known {
			return extract.Output{}, told(unpack.Damaged(errors.New("it holds no document")))
		}
		locked = isLocked(names)
	}
	data, err := f.convert(ctx, src)
	switch {
	case ctx.Err() != nil:
		return extract.Output{}, ctx.Err()
	case err != nil && locked: // some passwords are known to everybody, which is why LibreOffice was asked
		return extract.Output{}, told(unpack.Locked("document"))
	case err != nil:
		return extract.Output{}, err
	}
	out, err := readZipped(ctx, data, src.Name, f.from, f.read)
	if err != nil {
		return extract.Output{}, fmt.Errorf("read what LibreOffice made: %w", err)
	}
	out.Metadata["read_by"] = "LibreOffice, as " + f.to
	return out, nil
}

// convert has LibreOffice make a file of today.
func (f oldFormat) convert(ctx context.Context, src *extract.Source) ([]byte, error) {
	reason := "this is " + f.name + ", which is read by way of LibreOffice only"
	hint := "open it in Word, Excel, PowerPoint or LibreOffice and save it as ." + f.to +
		", or install LibreOffice (the program soffice) on the machine that runs lukasa"
	if src.Help.Run == nil {
		return nil, &extract.Error{Reason: reason, Hint: hint}
	}
	in, out := "in."+f.from, "in."+f.to
	res, err := src.Help.Run(ctx, program.Command{
		Name:  "soffice",
		Args:  []string{"--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck", "--convert-to", f.to, "--outdir", ".", in},
		Files: map[string][]byte{in: src.Data}, Collect: []string{out}, Timeout: oldTimeout, MaxOutput: mostConverted, Resident: 240 << 20,
	})
	switch {
	case errors.Is(err, program.ErrMissing):
		return nil, &extract.Error{Reason: reason + ", which is not installed here", Hint: hint, Err: err}
	case err != nil:
		return nil, &extract.Error{Reason: "LibreOffice could not convert this file, " + f.name, Hint: hint, Err: err}
	case len(res.Files[out]) == 0:
		return nil, &extract.Error{
			Reason: "LibreOffice made nothing of this file, " + f.name,
			Hint:   "it may be damaged or locked by a password: open it and save it as ." + f.to,
			Err:    fmt.Errorf("it said: %s", page.OneLine(string(res.Stderr))),
		}
	}
	return res.Files[out], nil
}

// isOld reports the container of the binary files of Office.
func isOld(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
}

// oldFormatOf tells what a container holds by the names of its streams.
func oldFormatOf(names map[string][]byte) (oldFormat, bool) {
	for _, f := range []struct {
		stream string
		format oldFormat
	}{{"worddocument", oldWord}, {"workbook", oldExcel}, {"book", oldExcel}, {"powerpoint document", oldSlides}} {
		if names[f.stream] != nil {
			return f.format, true
		}
	}
	return oldFormat{}, false
}

// isLocked reports a password of the old kind: a flag at the head of a Word document, or a FILEPASS record at the head of a
// workbook. Of decks LibreOffice has to tell.
func isLocked(names map[string][]byte) bool {
	if head := names["worddocument"]; len(head) > 12 {
		return binary.LittleEndian.Uint16(head[10:])&0x0100 != 0
	}
	head := names["workbook"]
	if head == nil {
		head = names["book"]
	}
	for len(head) >= 4 {
		kind, size := binary.LittleEndian.Uint16(head), int(binary.LittleEndian.Uint16(head[2:]))
		if kind == 0x2f {
			return true
		}
		if kind == 0x85 || 4+size > len(head) { // the list of sheets stands behind it
			return false
		}
		head = head[4+size:]
	}
	return false
}

// mostOldEntries is how many entries of a container are looked at.
const mostOldEntries = 4096

// container is a compound file (MS-CFB): a file system in sectors. Only the first 109 sectors of its table are followed, which
// map 7 MB: the list of names stands before that in all but files that were edited for years.
type container struct {
	data  []byte
	shift uint16
}

// noSector ends a chain.
const noSector = 0xfffffffe

func (c container) sector(n uint32) []byte {
	from := (int64(n) + 1) << c.shift
	if n >= noSector-4 || from >= int64(len(c.data)) {
		return nil
	}
	return c.data[from:min(from+1<<c.shift, int64(len(c.data)))]
}

// next returns the sector behind n in its chain.
func (c container) next(n uint32) uint32 {
	each := uint32(1) << (c.shift - 2)
	if n/each >= 109 {
		return noSector
	}
	table := c.sector(binary.LittleEndian.Uint32(c.data[76+4*(n/each):]))
	at := int(n%each) * 4
	if at+4 > len(table) {
		return noSector
	}
	return binary.LittleEndian.Uint32(table[at:])
}

// small returns the 64 bytes in which a small stream begins. Those share a stream of their own, which begins at root.
func (c container) small(root, n uint32) []byte {
	from := int64(n) * 64
	for ; from >= 1<<c.shift && root < noSector-4; from -= 1 << c.shift {
		root = c.next(root)
	}
	s := c.sector(root)
	if from+64 > int64(len(s)) {
		return nil
	}
	return s[from : from+64]
}

// oldStreams lists the streams of a container by name in lower case, each with the first 64 bytes or more.
func oldStreams(data []byte) (map[string][]byte, error) {
	if !isOld(data) || len(data) < 512 {
		return nil, errors.New("it is no container of Office, or cut short")
	}
	c := container{data, binary.LittleEndian.Uint16(data[30:])}
	if c.shift != 9 && c.shift != 12 {
		return nil, fmt.Errorf("sectors of 2^%d bytes", c.shift)
	}
	out := map[string][]byte{}
	entries, root := 0, uint32(noSector)
	for n := binary.LittleEndian.Uint32(data[48:]); entries < mostOldEntries; n = c.next(n) {
		list := c.sector(n)
		if len(list) < 128 {
			break
		}
		for ; len(list) >= 128; list = list[128:] {
			entries++
			start, size := binary.LittleEndian.Uint32(list[116:]), binary.LittleEndian.Uint32(list[120:])
			switch list[66] {
			case 5:
				root = start
			case 2:
				if name := oldName(list); out[name] == nil {
					head := c.sector(start)
					if size < 4096 {
						head = c.small(root, start)
					}
					out[name] = append([]byte{}, head...)
				}
			}
		}
	}
	if entries == 0 {
		return nil, errors.New("its list of names is not there")
	}
	return out, nil
}

// oldName reads the name of an entry, in lower case.
func oldName(entry []byte) string {
	length := int(binary.LittleEndian.Uint16(entry[64:]))
	var units []uint16
	for i := 0; i+3 < min(length, 64)+1; i += 2 { // without the zero at its end
		units = append(units, binary.LittleEndian.Uint16(entry[i:]))
	}
	return strings.ToLower(string(utf16.Decode(units)))
}
