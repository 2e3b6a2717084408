package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"
)

// facts are what a picture says about itself. Zero fields are unknown.
type facts struct {
	taken       time.Time // in UTC; as the camera's clock showed where it did not know its zone
	zoned       bool      // taken has a zone of its own
	camera      string
	author      string
	title       string
	caption     string
	orientation int // 1 to 8 as in EXIF; 0 unknown
	located     bool
	latitude    float64 // degrees, north and east above zero
	longitude   float64
	altitude    float64 // metres above the sea
	high        bool    // altitude is known
}

// Tags of EXIF 2.32, section 4.6.
const (
	tagDescription = 0x010e
	tagMake        = 0x010f
	tagModel       = 0x0110
	tagOrientation = 0x0112
	tagDateTime    = 0x0132
	tagArtist      = 0x013b
	tagExif        = 0x8769
	tagGPS         = 0x8825
	tagOriginal    = 0x9003
	tagOffset      = 0x9011
	tagComment     = 0x9286
)

// readFacts finds the EXIF block and the XMP packet of a picture.
func readFacts(data []byte, media string) facts {
	var f facts
	if block := exifBlock(data, media); block != nil {
		f.readExif(block)
	}
	f.readXMP(data)
	return f
}

// exifBlock returns the TIFF structure that holds EXIF, nil if there is none.
func exifBlock(data []byte, media string) []byte {
	switch media {
	case "image/tiff":
		return data
	case "image/jpeg":
		return jpegExif(data)
	case "image/png":
		return pngChunk(data, "eXIf")
	case "image/webp":
		return bytes.TrimPrefix(riffChunk(data, "EXIF"), []byte("Exif\x00\x00"))
	case "image/heic", "image/avif": // the item lies in the file as it is
		for _, mark := range []string{"Exif\x00\x00II*\x00", "Exif\x00\x00MM\x00*"} {
			if i := bytes.Index(data, []byte(mark)); i >= 0 {
				return data[i+6:]
			}
		}
	}
	return nil
}

// jpegExif walks the segments before the picture.
func jpegExif(data []byte) []byte {
	for p := 2; p+4 <= len(data) && data[p] == 0xff; {
		marker, n := data[p+1], int(binary.BigEndian.Uint16(data[p+2:]))
		if marker == 0xff {
			p++
			continue
		}
		if marker == 0xda || marker == 0xd9 || n < 2 || p+2+n > len(data) {
			return nil
		}
		if body := data[p+4 : p+2+n]; marker == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")) {
			return body[6:]
		}
		p += 2 + n
	}
	return nil
}

func pngChunk(data []byte, kind string) []byte {
	for p := 8; p+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[p:]))
		if n < 0 || n > len(data)-p-12 {
			return nil
		}
		if string(data[p+4:p+8]) == kind {
			return data[p+8 : p+8+n]
		}
		p += 12 + n
	}
	return nil
}

func riffChunk(data []byte, kind string) []byte {
	for p := 12; p+8 <= len(data); {
		n := int(binary.LittleEndian.Uint32(data[p+4:]))
		if n < 0 || n > len(data)-p-8 {
			return nil
		}
		if string(data[p:p+4]) == kind {
			return data[p+8 : p+8+n]
		}
		p += 8 + n + n&1
	}
	return nil
}

// tiff reads entries of image file directories.
type tiff struct {
	b     []byte
	order binary.ByteOrder
}

// entry is one tag with its value.
type entry struct {
	kind, count int
	value       []byte
	order       binary.ByteOrder
}

func newTIFF(b []byte) (*tiff, int) {
	if len(b) < 8 {
		return nil, 0
	}
	t := &tiff{b: b}
	switch string(b[:4]) {
	case "II*\x00":
		t.order = binary.LittleEndian
	case "MM\x00*":
		t.order = binary.BigEndian
	default:
		return nil, 0
	}
	return t, int(t.order.Uint32(b[4:]))
}

// directory reads the entries at an offset; those whose value does not lie in the file are left out.
func (t *tiff) directory(at int) map[int]entry {
	out := map[int]entry{}
	if at < 8 || at+2 > len(t.b) {
		return out
	}
	n := int(t.order.Uint16(t.b[at:]))
	for i := range n {
		p := at + 2 + 12*i
		if p+12 > len(t.b) {
			break
		}
		e := entry{kind: int(t.order.Uint16(t.b[p+2:])), count: int(t.order.Uint32(t.b[p+4:])), order: t.order}
		if e.kind < 1 || e.kind > 12 || e.count < 0 || e.count > 1<<20 {
			continue
		}
		size := []int{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8}[e.kind] * e.count
		from := p + 8
		if size > 4 {
			from = int(t.order.Uint32(t.b[p+8:]))
		}
		if from < 0 || from > len(t.b)-size {
			continue
		}
		e.value = t.b[from : from+size]
		out[int(t.order.Uint16(t.b[p:]))] = e
	}
	return out
}

// text returns an ASCII value, which is UTF-8 or Latin-1 in practice.
func (e entry) text() string {
	s, _, _ := strings.Cut(string(e.value), "\x00")
	return cleanText(s)
}

// cleanText makes valid UTF-8 of what is that or Latin-1.
func cleanText(s string) string {
	if v := strings.ToValidUTF8(s, ""); v != s {
		runes := make([]rune, 0, len(s))
		for i := range len(s) {
			runes = append(runes, rune(s[i]))
		}
		s = string(runes)
	}
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)), " ")
}

// number returns the first whole number, or 0.
func (e entry) number() int {
	switch {
	case e.kind == 3 && len(e.value) >= 2:
		return int(e.order.Uint16(e.value))
	case e.kind == 4 && len(e.value) >= 4:
		return int(e.order.Uint32(e.value))
	}
	return 0
}

// rational returns the nth fraction; ok is false when it is none.
func (e entry) rational(n int) (float64, bool) {
	if e.kind != 5 || len(e.value) < 8*(n+1) {
		return 0, false
	}
	a, b := e.order.Uint32(e.value[8*n:]), e.order.Uint32(e.value[8*n+4:])
	if b == 0 {
		return 0, false
	}
	return float64(a) / float64(b), true
}

func (f *facts) readExif(b []byte) {
	t, at := newTIFF(b)
	if t == nil {
		return
	}
	main := t.directory(at)
	var more, gps map[int]entry
	if e, ok := main[tagExif]; ok {
		more = t.directory(e.number())
	}
	if e, ok := main[tagGPS]; ok {
		gps = t.directory(e.number())
	}
	f.orientation = main[tagOrientation].number()
	maker, model := main[tagMake].text(), main[tagModel].text()
	if f.camera = model; maker != "" && !strings.HasPrefix(strings.ToLower(model), strings.ToLower(maker)) {
		f.camera = strings.TrimSpace(maker + " " + model)
	}
	f.author = main[tagArtist].text()
	f.caption = main[tagDescription].text()
	if c := more[tagComment].value; f.caption == "" && bytes.HasPrefix(c, []byte("ASCII\x00\x00\x00")) {
		f.caption = cleanText(string(c[8:]))
	}
	stamp, offset := more[tagOriginal].text(), more[tagOffset].text()
	if stamp == "" {
		stamp, offset = main[tagDateTime].text(), ""
	}
	f.taken, f.zoned = exifTime(stamp, offset)
	f.readGPS(gps)
}

// exifTime reads "2025:03:14 15:09:26", with an offset such as "+01:00" if the camera knew it.
func exifTime(stamp, offset string) (time.Time, bool) {
	if t, err := time.Parse("2006:01:02 15:04:05-07:00", stamp+offset); err == nil && plausible(t) {
		return t.UTC(), true
	}
	if t, err := time.Parse("2006:01:02 15:04:05", stamp); err == nil && plausible(t) {
		return t, false
	}
	return time.Time{}, false
}

func plausible(t time.Time) bool { return t.Year() >= 1900 && t.Year() <= 2200 }

// readGPS reads degrees, minutes and seconds.
func (f *facts) readGPS(gps map[int]entry) {
	degrees := func(at int, negative string, most float64) (float64, bool) {
		sum, scale := 0.0, 1.0
		for i := range 3 {
			v, ok := gps[at].rational(i)
			if !ok {
				return 0, false
			}
			sum, scale = sum+v/scale, scale*60
		}
		if strings.EqualFold(gps[at-1].text(), negative) {
			sum = -sum
		}
		return sum, math.Abs(sum) <= most
	}
	lat, ok1 := degrees(2, "S", 90)
	lon, ok2 := degrees(4, "W", 180)
	if ok1 && ok2 && (lat != 0 || lon != 0) {
		f.latitude, f.longitude, f.located = lat, lon, true
	}
	if a, ok := gps[6].rational(0); ok && a < 20_000 {
		if ref := gps[5].value; len(ref) == 1 && ref[0] == 1 {
			a = -a
		}
		f.altitude, f.high = a, true
	}
}

// metadata writes the facts down.
func (f facts) metadata(m map[string]string) {
	if f.camera != "" {
		m["camera"] = f.camera
	}
	if f.located {
		m["latitude"], m["longitude"] = fmt.Sprintf("%.6f", f.latitude), fmt.Sprintf("%.6f", f.longitude)
	}
	if f.high {
		m["altitude"] = fmt.Sprintf("%.0f", f.altitude)
	}
	if !f.taken.IsZero() {
		m["taken"] = f.taken.Format("2006-01-02T15:04:05")
		if f.zoned {
			m["taken"] = f.taken.Format(time.RFC3339)
		}
	}
}
