package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// magic is the mark of a binary format.
type magic struct {
	at     int
	bytes  string
	media  string
	name   string
	binary bool // the mark is plain letters: it counts only when NULs follow
}

var magics = []magic{
	{0, "\x89PNG\r\n\x1a\n", "image/png", "a PNG image", false},
	{0, "\xff\xd8\xff", "image/jpeg", "a JPEG image", false},
	{0, "GIF87a", "image/gif", "a GIF image", true},
	{0, "GIF89a", "image/gif", "a GIF image", true},
	{8, "WEBP", "image/webp", "a WebP image", true},
	{8, "WAVE", "audio/wav", "a WAV recording", true},
	{8, "AVI ", "video/x-msvideo", "an AVI film", true},
	{0, "BM", "image/bmp", "a BMP image", true},
	{0, "II*\x00", "image/tiff", "a TIFF image", false},
	{0, "MM\x00*", "image/tiff", "a TIFF image", false},
	{0, "\x00\x00\x01\x00", "image/x-icon", "an icon", false},
	{0, "8BPS", "image/vnd.adobe.photoshop", "a Photoshop image", true},
	{4, "ftyphei", "image/heic", "a HEIC image", false},
	{4, "ftypavif", "image/avif", "an AVIF image", false},
	{4, "ftypM4A", "audio/mp4", "an MPEG-4 recording", false},
	{4, "ftyp", "video/mp4", "an MPEG-4 film", true},
	{0, "\x1aE\xdf\xa3", "video/webm", "a Matroska or WebM film", false},
	{0, "ID3", "audio/mpeg", "an MP3 recording", true},
	{0, "\xff\xfb", "audio/mpeg", "an MP3 recording", false},
	{0, "\xff\xf3", "audio/mpeg", "an MP3 recording", false},
	{0, "\xff\xf2", "audio/mpeg", "an MP3 recording", false},
	{0, "\xff\xf1", "audio/aac", "an AAC recording", false},
	{4, "ftypmif1", "image/heic", "a HEIC image", false},
	{0, "OggS", "audio/ogg", "an Ogg recording", true},
	{0, "fLaC", "audio/flac", "a FLAC recording", true},
	{0, "%PDF-", "application/pdf", "a PDF", false},
	{0, "%!PS", "application/postscript", "PostScript", false},
	{0, `{\rtf`, "application/rtf", "RTF", false},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage", "an old Office document", false},
	{0, "PK\x03\x04", "application/zip", "a ZIP archive", false},
	{0, "PK\x05\x06", "application/zip", "an empty ZIP archive", false},
	{0, "\x1f\x8b", "application/gzip", "gzip data", false},
	{0, "BZh", "application/x-bzip2", "bzip2 data", true},
	{0, "\xfd7zXZ\x00", "application/x-xz", "xz data", false},
	{0, "\x28\xb5\x2f\xfd", "application/zstd", "zstd data", false},
	{0, "7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "a 7-Zip archive", false},
	{0, "Rar!\x1a\x07", "application/vnd.rar", "a RAR archive", false},
	{257, "ustar", "application/x-tar", "a tar archive", true},
	{0, "\x7fELF", "application/x-executable", "a program", false},
	{0, "MZ", "application/vnd.microsoft.portable-executable", "a Windows program", true},
	{0, "\xcf\xfa\xed\xfe", "application/x-mach-binary", "a program", false},
	{0, "\xca\xfe\xba\xbe", "application/java-vm", "a Java class", false},
	{0, "\x00asm", "application/wasm", "WebAssembly", false},
	{0, "SQLite format 3\x00", "application/vnd.sqlite3", "an SQLite database", false},
	{0, "PAR1", "application/vnd.apache.parquet", "Parquet data", true},
	{0, "wOFF", "font/woff", "a font", true},
	{0, "wOF2", "font/woff2", "a font", true},
}

// office tells the ZIP archives of office programs by the names in them.
var office = []struct{ mark, media, name string }{
	{"word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "a Word document"},
	{"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "an Excel workbook"},
	{"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation", "a PowerPoint deck"},
	{"mimetypeapplication/epub+zip", "application/epub+zip", "an EPUB book"},
	{"mimetypeapplication/vnd.oasis.opendocument", "application/vnd.oasis.opendocument", "an OpenDocument file"},
}

// unknownBinary is what data that is neither text nor a known format is called.
const unknownBinary = "application/octet-stream"

// sniff names a binary format by its first bytes, as a media type and in words; "" for all else.
func sniff(data []byte) (media, name string) {
	for _, m := range magics {
		if len(data) < m.at+len(m.bytes) || string(data[m.at:m.at+len(m.bytes)]) != m.bytes {
			continue
		}
		if m.binary && bytes.IndexByte(data[:min(len(data), 4096)], 0) < 0 && utf8.Valid(data) {
			continue
		}
		if m.media == "application/zip" {
			head := string(data[:min(len(data), 64<<10)])
			for _, o := range office {
				if strings.Contains(head, o.mark) {
					return o.media, o.name
				}
			}
		}
		return m.media, m.name
	}
	if i := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-")); i > 0 && bytes.IndexByte(data[:min(len(data), 4096)], 0) >= 0 {
		return "application/pdf", "a PDF" // with something before it, which readers of PDF put up with
	}
	return "", ""
}

// decode turns Data into UTF-8: by byte order mark, else as UTF-8 when it
// is, else by the declared character set, else as UTF-16 or Windows-1252 when it looks so.
// Data that is none of these is a binary format that nobody knows.
func (s *Source) decode(declared string) {
	data := s.Data
	s.Charset = "utf-8"
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		s.decodeWith("utf-32", func(b []byte) ([]byte, error) {
			return utf32.UTF32(utf32.BigEndian, utf32.UseBOM).NewDecoder().Bytes(b)
		})
		return
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		s.decodeUTF16(unicode.LittleEndian, unicode.UseBOM)
		return
	}
	if endian, ok := guessUTF16(data); ok {
		s.decodeUTF16(endian, unicode.IgnoreBOM)
		return
	}
	if controls(data) {
		s.Media, s.MediaName = unknownBinary, "binary data"
		return
	}
	if utf8.Valid(data) {
		s.Text = string(data)
		return
	}
	if declared == "" && s.Declared != "" && strings.Contains(s.Declared, "html") || looksLikeTags(data) {
		_, name, _ := charset.DetermineEncoding(data, s.DeclaredType)
		declared = name
	}
	if mostlyUTF8(data) {
		s.Text = strings.ToValidUTF8(string(data), "\ufffd")
		s.Warning = "some bytes were not valid UTF-8"
		return
	}
	if e, name := charset.Lookup(declared); e != nil && name != "utf-8" {
		s.decodeWith(name, e.NewDecoder().Bytes)
		return
	}
	e, name := charset.Lookup("windows-1252")
	s.decodeWith(name, e.NewDecoder().Bytes)
}

func (s *Source) decodeUTF16(endian unicode.Endianness, bom unicode.BOMPolicy) {
	s.decodeWith("utf-16", unicode.UTF16(endian, bom).NewDecoder().Bytes)
}

func (s *Source) decodeWith(name string, decode func([]byte) ([]byte, error)) {
	b, err := decode(s.Data)
	if err != nil || controls(b) {
		s.Media, s.MediaName = unknownBinary, "binary data"
		return
	}
	s.Text, s.Charset = strings.ToValidUTF8(string(b), "\ufffd"), name
}

// looksLikeTags reports an opening that could be HTML, before decoding.
func looksLikeTags(data []byte) bool {
	head := bytes.ToLower(data[:min(len(data), 1024)])
	return bytes.Contains(head, []byte("<html")) || bytes.Contains(head, []byte("<meta")) || bytes.Contains(head, []byte("<!doctype html"))
}

// guessUTF16 tells UTF-16 without a mark by the NULs that ASCII letters leave on
// one side.
func guessUTF16(data []byte) (unicode.Endianness, bool) {
	data = data[:min(len(data), 2048)&^1]
	if len(data) < 8 {
		return unicode.BigEndian, false
	}
	var zeros [2]int
	for i, c := range data {
		if c == 0 {
			zeros[i&1]++
		}
	}
	half := len(data) / 2
	switch {
	case zeros[1]*10 > half*7 && zeros[0]*10 < half:
		return unicode.LittleEndian, true
	case zeros[0]*10 > half*7 && zeros[1]*10 < half:
		return unicode.BigEndian, true
	}
	return unicode.BigEndian, false
}

// controls reports that data holds more control bytes than text does: over
// 2 % and at least four, tabs, line ends, form feeds, escapes and backspaces apart.
func controls(data []byte) bool {
	n := 0
	for _, c := range data {
		if c < 0x20 && (c < 8 || c > 13) && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n >= 4 && n*50 > len(data)
}

// mostlyUTF8 reports at least as many good multi-byte characters as bad bytes.
func mostlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		i += n
	}
	return good >= bad
}
