package media

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTimesOfCameras(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]string]string{
		{"2025:03:14 15:12:40", "+01:00"}: "2025-03-14T14:12:40Z true", {"2025:03:14 15:12:40", ""}: "2025-03-14T15:12:40Z false",
		{"2025:03:14 15:12:40", "x"}: "2025-03-14T15:12:40Z false", {"0000:00:00 00:00:00", ""}: "", {"", ""}: "", {"1600:01:01 00:00:00", ""}: "",
	} {
		got := ""
		if taken, zoned := exifTime(in[0], in[1]); !taken.IsZero() {
			got = taken.Format(time.RFC3339) + map[bool]string{true: " true", false: " false"}[zoned]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestGPS: degrees, minutes and seconds, south and west below zero, in both byte orders.
func TestGPS(t *testing.T) {
	t.Parallel()
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		b := []byte("II*\x00")
		if order == binary.AppendByteOrder(binary.BigEndian) {
			b = []byte("MM\x00*")
		}
		put := func(tag, kind uint16, count, value uint32) {
			b = order.AppendUint16(order.AppendUint16(b, tag), kind)
			b = order.AppendUint32(order.AppendUint32(b, count), value)
		}
		letter := func(c byte) uint32 { // four bytes in place
			if b[0] == 'M' {
				return uint32(c) << 24
			}
			return uint32(c)
		}
		b = order.AppendUint32(b, 8)
		b = order.AppendUint16(b, 1)
		put(tagGPS, 4, 1, 26)
		b = order.AppendUint32(b, 0) // at 22
		b = order.AppendUint16(b, 4) // at 26
		put(1, 2, 2, letter('S'))
		put(2, 5, 3, 80)
		put(3, 2, 2, letter('W'))
		put(4, 5, 3, 104)
		b = append(b, 0, 0, 0, 0) // at 76
		for _, v := range []uint32{33, 1, 51, 1, 30, 2, 151, 1, 12, 1, 0, 1} {
			b = order.AppendUint32(b, v)
		}
		var f facts
		f.readExif(b)
		if !f.located || f.latitude > -33.854 || f.latitude < -33.855 || f.longitude != -151.2 {
			t.Errorf("%q: %+v", b[:2], f)
		}
	}
}

func TestXMP(t *testing.T) {
	t.Parallel()
	const packet = `junk<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description xmp:CreateDate="2024-02-03T04:05:06+02:00">
		<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Tea &amp; cake</rdf:li></rdf:Alt></dc:title><dc:descriptionOther>no</dc:descriptionOther>
		<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta><dc:description>no</dc:description>`
	var f facts
	f.readXMP([]byte(packet))
	want := facts{title: "Tea & cake", author: "Ada", taken: time.Date(2024, 2, 3, 2, 5, 6, 0, time.UTC), zoned: true}
	if diff := cmp.Diff(want, f, cmp.AllowUnexported(facts{})); diff != "" {
		t.Error(diff)
	}
}

func TestISOPlace(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]float64{"+59.9139+010.7522+012.3/": {59.9139, 10.7522}, "-33.86+151.21/": {-33.86, 151.21}, "+91.0+000.0/": {}, "here": {}, "": {}, "+1": {}} {
		lat, lon, ok := isoPlace(in)
		if got := [2]float64{lat, lon}; got != want || ok != (want != [2]float64{}) {
			t.Errorf("%q: %v, %v", in, got, ok)
		}
	}
}

func TestParseSRT(t *testing.T) {
	t.Parallel()
	const in = "\ufeff1\r\n00:00:01,500 --> 00:00:02,000\r\n<i>One</i> {\\an8}two\r\nthree < four {x}\r\n\r\n2\n00:00:02,000 --> 00:00:01,000\nOne two three < four {x}\n\n3\n01:00:00.250 --> 01:00:01,000 X1:1\nfive\n\n4\nrubbish --> 1\nsix\n"
	want := []spoken{
		{start: 1500 * time.Millisecond, end: 2 * time.Second, text: "One two three < four {x}"},
		{start: time.Hour + 250*time.Millisecond, end: time.Hour + time.Second, text: "five"},
	}
	if diff := cmp.Diff(want, parseSRT(in), cmp.AllowUnexported(spoken{})); diff != "" {
		t.Error(diff)
	}
}

// TestParagraphs: every word of a transcript is in it once, in order, behind the time of its paragraph.
func TestParagraphs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var all []spoken
		var words []string
		at := time.Duration(0)
		for range rapid.IntRange(0, 40).Draw(rt, "n") {
			at += time.Duration(rapid.IntRange(0, 9000).Draw(rt, "pause")) * time.Millisecond
			end := at + time.Duration(rapid.IntRange(0, 20_000).Draw(rt, "length"))*time.Millisecond
			s := spoken{start: at, end: end, speaker: rapid.SampledFrom([]string{"", "A", "B"}).Draw(rt, "speaker"), text: rapid.SampledFrom([]string{"Yes.", "well", "何。"}).Draw(rt, "text")}
			all, words = append(all, s), append(words, s.text)
			at = end
		}
		out, marks := transcript(all)
		var got []string
		for i, p := range strings.Split(out, "\n\n") {
			if out == "" {
				break
			}
			clock, rest, ok := strings.Cut(strings.TrimPrefix(p, "["), "] ")
			if !ok || marks[i].Place != clock || !strings.HasPrefix(out[marks[i].Offset:], "["+clock+"]") {
				rt.Fatalf("paragraph %d %q with %+v", i, p, marks[i])
			}
			for f := range strings.FieldsSeq(rest) {
				if f != "A:" && f != "B:" {
					got = append(got, f)
				}
			}
		}
		if diff := cmp.Diff(words, got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// TestCut: sound keeps its length and its loudness whatever its rate and width.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, w := range []wave{
		{format: 1, channels: 1, rate: 8000, bits: 16},
		{format: 1, channels: 2, rate: 44100, bits: 24},
		{format: 1, channels: 1, rate: 16000, bits: 8},
		{format: 3, channels: 2, rate: 48000, bits: 32},
		{format: 1, channels: 6, rate: 96000, bits: 32},
	} {
		frame := map[int][]byte{8: {0xc0}, 16: {0, 0x40}, 24: {0, 0, 0x40}, 32: {0, 0, 0, 0x40}}[w.bits]
		if w.format == 3 {
			frame = binary.LittleEndian.AppendUint32(nil, 0x3f000000)
		}
		w.data = bytes.Repeat(frame, w.channels*w.rate*3)
		if w.length() != 3*time.Second {
			t.Errorf("%+v: %v", w.rate, w.length())
		}
		p := w.cut(time.Second, time.Hour)
		if d := p.length(); d < 1990*time.Millisecond || d > 2*time.Second {
			t.Errorf("%d Hz: %v", w.rate, d)
		}
		if v := p[len(p)/2]; v < 16200 || v > 16500 {
			t.Errorf("%d Hz, %d bits: half is %d", w.rate, w.bits, v)
		}
	}
}

func FuzzFacts(f *testing.F) {
	for _, file := range []string{"receipt.jpg", "sign.png", "sign.tif", "sign.webp"} {
		b, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 4000)])
	}
	f.Add([]byte("II*\x00\x08\x00\x00\x00\xff\xff\x12\x01\x03\x00\xff\xff\xff\xff\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, media := range []string{imageType(b), "image/tiff", "image/heic"} {
			got := readFacts(b, media)
			got.metadata(map[string]string{})
			if got.located && !(got.latitude >= -90 && got.latitude <= 90 && got.longitude >= -180 && got.longitude <= 180) {
				t.Errorf("%+v", got)
			}
		}
	})
}

func FuzzWAV(f *testing.F) {
	b, err := os.ReadFile("testdata/short.wav")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[:2000])
	f.Add([]byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\xff\xff\xff\xff\x01\x02\x03"))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := openWAV(b)
		if err != nil {
			return
		}
		p := w.cut(0, 10*time.Second)
		if p.length() > 10*time.Second || len(p) > 0 && w.frames() == 0 {
			t.Errorf("%v of %d frames", p.length(), w.frames())
		}
		if end := p.quiet(time.Second); end < 0 || end > len(p) {
			t.Errorf("cut at %d of %d", end, len(p))
		}
		if again, err := openWAV(p.wav()); err != nil || again.frames() != len(p) {
			t.Errorf("written: %v", err)
		}
	})
}

func FuzzSRT(f *testing.F) {
	f.Add("1\n00:00:01,500 --> 00:00:02,000\n<i>One</i>\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range parseSRT(s) {
			if c.text == "" || strings.Contains(c.text, "\n") || c.end < c.start {
				t.Errorf("%+v", c)
			}
		}
	})
}

func FuzzProbe(f *testing.F) {
	f.Add([]byte(`{"streams":[{"codec_type":"subtitle","codec_name":"subrip","tags":{"language":"eng"}}],"format":{"duration":"3.5","tags":{"title":"x"}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parseProbe(b)
		if err == nil && (p.length < 0 || len(p.subtitles) != len(p.languages)) {
			t.Errorf("%+v", p)
		}
	})
}
