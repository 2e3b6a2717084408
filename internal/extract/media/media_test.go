package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/media"
	"github.com/lukasa-memory/lukasa/internal/program"
)

func load(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t *testing.T, file string, help extract.Help) (extract.Output, error) {
	t.Helper()
	return extract.With(media.Kinds()...).Extract(t.Context(), extract.Input{Data: load(t, file), Name: file, Help: help})
}

func mustRead(t *testing.T, file string, help extract.Help) extract.Output {
	t.Helper()
	out, err := read(t, file, help)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return out
}

// only runs the programs named and no others.
func only(t *testing.T, names ...string) extract.Help {
	t.Helper()
	for _, n := range names {
		if !program.Has(n) {
			t.Skipf("needs %s: it is not installed", n)
		}
		if n == "convert" { // other programs have the name, too
			if r, err := program.Run(t.Context(), program.Command{Name: n, Args: []string{"-version"}}); err != nil || !bytes.Contains(r.Stdout, []byte("ImageMagick")) {
				t.Skipf("needs ImageMagick: another %s is installed", n)
			}
		}
	}
	return extract.Help{Run: func(ctx context.Context, c program.Command) (program.Result, error) {
		if slices.Contains(names, c.Name) {
			return program.Run(ctx, c)
		}
		return program.Result{}, program.ErrMissing
	}}
}

// seer is a vision model that answers the same to everything, and keeps what it was shown.
type seer struct {
	sight extract.Sight
	err   error
	shown [][]byte
	types []string
}

func (s *seer) see(_ context.Context, picture []byte, media string) (extract.Sight, error) {
	s.shown, s.types = append(s.shown, picture), append(s.types, media)
	return s.sight, s.err
}

// TestReceipt: H-6, a photographed receipt, lying on its side, is read by tesseract; date, place and camera come from EXIF.
func TestReceipt(t *testing.T) {
	t.Parallel()
	out := mustRead(t, "receipt.jpg", only(t, "tesseract"))
	for _, want := range []string{"CAFE NORDLYS", "Harbour Road 12", "Cardamom bun", "9.80", "TOTAL EUR", "19.50"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("lacks %q:\n%s", want, out.Text)
		}
	}
	meta := map[string]string{
		"camera": "Pixelworks Pocket 5", "latitude": "59.913868", "longitude": "10.752245", "altitude": "12", "taken": "2025-03-14T14:12:40Z", "width": "646", "height": "918",
	}
	for k, want := range meta {
		if out.Metadata[k] != want {
			t.Errorf("%s = %q, want %q", k, out.Metadata[k], want)
		}
	}
	if want := time.Date(2025, 3, 14, 14, 12, 40, 0, time.UTC); !out.Published.Equal(want) || out.Author != "Tora Berg" || out.Type != extract.TypeMarkdown {
		t.Errorf("%v by %q, %s", out.Published, out.Author, out.Type)
	}
	if !strings.HasPrefix(out.Metadata["ocr"], "tesseract eng") || out.Metadata["ocr_confidence"] < "60" {
		t.Errorf("%v", out.Metadata)
	}
}

// TestSeen: a vision model describes a picture; what tesseract is sure of stands above what the model read.
func TestSeen(t *testing.T) {
	t.Parallel()
	s := &seer{sight: extract.Sight{Text: "Ferry to Lindvik\nleaves at 9:99", Description: "A white sign. It stands at a pier.", Model: "seer-1"}}
	out := mustRead(t, "receipt.jpg", extract.Help{See: s.see})
	if want := "A white sign. It stands at a pier.\n\n## Text on the picture\n\nFerry to Lindvik\nleaves at 9:99"; out.Text != want || out.Title != "A white sign" || out.Metadata["vision"] != "seer-1" {
		t.Errorf("%q, %q, %v", out.Title, out.Text, out.Metadata)
	}
	img, err := jpeg.Decode(bytes.NewReader(s.shown[0]))
	if err != nil || s.types[0] != "image/jpeg" || img.Bounds() != image.Rect(0, 0, 646, 918) {
		t.Errorf("shown %s: %v", s.types[0], err) // upright
	}
	help := only(t, "tesseract")
	help.See = s.see
	out = mustRead(t, "sign.png", help)
	if !strings.Contains(out.Text, "leaves at 7:45") || strings.Contains(out.Text, "9:99") || !strings.Contains(out.Text, "A white sign at the pier\n\nA white sign. It") {
		t.Errorf("%s", out.Text)
	}
	if out.Title != "The ferry sign" || !out.Published.Equal(time.Date(2024, 6, 1, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("%q, %v", out.Title, out.Published)
	}
}

// TestFormats: each format of picture is read.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"sign.png", "sign.gif", "sign.webp", "sign.tif", "sign.bmp", "sign.heic"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			help := only(t, "tesseract")
			if file == "sign.heic" {
				help = only(t, "tesseract", "convert")
			}
			if out := mustRead(t, file, help); !strings.Contains(out.Text, "Ferry to Lindvik") || !strings.Contains(out.Text, "7:45") {
				t.Errorf("%s", out.Text)
			}
		})
	}
}

// TestShownFormats: a model gets formats that models take.
func TestShownFormats(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"sign.gif": "image/gif", "sign.webp": "image/webp", "sign.tif": "image/png", "sign.bmp": "image/png", "sign.heic": "image/png"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			help := extract.Help{}
			if want == "image/png" {
				help = only(t, "convert")
			}
			s := &seer{sight: extract.Sight{Description: "A sign."}}
			help.See = s.see
			if mustRead(t, file, help); len(s.types) != 1 || s.types[0] != want {
				t.Errorf("shown %v, want %s", s.types, want)
			}
		})
	}
}

// TestNobodySees: without means the error says what to install or configure; a picture of nothing says that.
func TestNobodySees(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file         string
		help         extract.Help
		reason, hint string
	}{
		"nothing":   {"receipt.jpg", extract.Help{}, "nothing here can read pictures", "install tesseract"},
		"heic":      {"sign.heic", extract.Help{}, "nothing here can open a picture of type image/heic", "heif-convert"},
		"bad model": {"receipt.jpg", extract.Help{See: (&seer{err: errors.New("model is down")}).see}, "the vision model could not look", "check the vision model"},
	} {
		_, err := read(t, c.file, c.help)
		e := new(extract.Error)
		if !errors.As(err, &e) || !strings.HasPrefix(e.Reason, c.reason) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := read(t, "blank.png", only(t, "tesseract"))
	e := new(extract.Error)
	if !errors.As(err, &e) || e.Reason != "no text was found on the picture" || !strings.Contains(e.Hint, "vision model") {
		t.Errorf("blank: %v", err)
	}
}

// TestPictureBombs: damaged pictures, and small files that unfold to large ones, are refused before a program sees them.
func TestPictureBombs(t *testing.T) {
	t.Parallel()
	help := extract.Help{Run: func(_ context.Context, c program.Command) (program.Result, error) {
		t.Errorf("%s was run", c.Name)
		return program.Result{}, program.ErrMissing
	}}
	bomb := slices.Clone(load(t, "blank.png"))
	binary.BigEndian.PutUint32(bomb[16:], 60_000)
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	crc := binary.BigEndian.Uint32([]byte{0, 0, 0, 0})
	binary.BigEndian.PutUint32(bomb[29:], crc)
	for name, data := range map[string][]byte{"bomb": bomb, "cut": load(t, "receipt.jpg")[:40], "only a head": []byte("\x89PNG\r\n\x1a\n")} {
		_, err := extract.With(media.Kinds()...).Extract(t.Context(), extract.Input{Data: data, Help: help})
		e := new(extract.Error)
		if !errors.As(err, &e) || !strings.HasPrefix(e.Reason, "the picture is") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// ear stands in for a speech model: it checks that it gets what such a model takes (WAV of 16 kHz, one channel, 16 bits, not
// longer than ten minutes), finds by itself where in it somebody speaks, and says what the script has for that.
type ear struct {
	t      *testing.T
	script []string
	pieces []time.Duration // lengths
	raw    bool            // take anything
	err    error
}

func (e *ear) hear(_ context.Context, sound []byte, name string) (extract.Speech, error) {
	e.t.Helper()
	if e.err != nil {
		return extract.Speech{}, e.err
	}
	if e.raw {
		e.pieces = append(e.pieces, 0)
		return extract.Speech{Segments: []extract.Utterance{{Text: name, End: time.Second}}, Model: "ear-1"}, nil
	}
	head := "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00data"
	if len(sound) < 44 || string(sound[8:40]) != head || int(binary.LittleEndian.Uint32(sound[40:])) != len(sound)-44 || filepath.Ext(name) != ".wav" {
		e.t.Fatalf("%s is not what a model takes: %q", name, sound[:min(len(sound), 44)])
	}
	samples := make([]float64, (len(sound)-44)/2)
	for i := range samples {
		samples[i] = float64(int16(binary.LittleEndian.Uint16(sound[44+2*i:])))
	}
	length := time.Duration(len(samples)) * time.Second / 16000
	if length > 10*time.Minute {
		e.t.Fatalf("a piece of %v", length)
	}
	e.pieces = append(e.pieces, length)
	out := extract.Speech{Language: "en", Model: "ear-1"}
	const step = 1600
	silent := 100
	for at := 0; at+step <= len(samples); at += step {
		sum := 0.0
		for _, v := range samples[at : at+step] {
			sum += v * v
		}
		when := time.Duration(at) * time.Second / 16000
		if loud := math.Sqrt(sum/step) > 200; loud {
			if silent > 20 { // two seconds
				if len(e.script) == 0 {
					e.t.Fatalf("somebody speaks at %v", when)
				}
				out.Segments = append(out.Segments, extract.Utterance{Start: when, Text: e.script[0]})
				e.script = e.script[1:]
			}
			out.Segments[len(out.Segments)-1].End = when + 100*time.Millisecond
			silent = 0
		} else {
			silent++
		}
	}
	return out, nil
}

// TestTalk: H-6, D-10, a recording is converted, heard and cited by its times; what is said in minute 3 is found there.
func TestTalk(t *testing.T) {
	t.Parallel()
	e := &ear{t: t, script: []string{"Welcome to the harbour meeting.", "The first point is the budget.", "The second point is the new ferry.", "The ferry leaves at a quarter to eight."}}
	help := only(t, "ffmpeg", "ffprobe")
	help.Hear = e.hear
	out := mustRead(t, "talk.ogg", help)
	want := "[00:00:02] Welcome to the harbour meeting.\n\n[00:01:10] The first point is the budget.\n\n[00:02:20] The second point is the new ferry.\n\n[00:03:12] The ferry leaves at a quarter to eight."
	if diff := cmp.Diff(want, out.Text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	at := strings.Index(out.Text, "[00:03:12]")
	if n := len(out.Marks); n != 4 || out.Marks[3] != (extract.Mark{Offset: at, Place: "00:03:12"}) {
		t.Errorf("%+v", out.Marks)
	}
	if out.Type != "transcript" || out.Title != "Harbour meeting" || out.Author != "Tora Berg" || out.Language != "en" || !out.Published.Equal(time.Date(2025, 3, 14, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", out)
	}
	if diff := cmp.Diff(map[string]string{"duration": "00:03:32", "speech_model": "ear-1"}, out.Metadata, cmp.FilterPath(func(p cmp.Path) bool { return strings.Contains(p.String(), "charset") }, cmp.Ignore())); out.Metadata["duration"] != "00:03:32" || out.Metadata["speech_model"] != "ear-1" {
		t.Error(diff)
	}
}

// TestLongTalk: WAV needs no program; a long recording is cut at quiet places into pieces of at most ten minutes, and times
// count on.
func TestLongTalk(t *testing.T) {
	t.Parallel()
	const minutes = 23
	sound := make([]byte, 44+minutes*60*8000*2) // 8 kHz
	copy(sound, "RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\xff\xff\xff\xff")
	var script, want []string
	for _, second := range []int{5, 590, 598, 725, 1195, 1310} { // the third goes on over the tenth minute
		for i := range 4 * 8000 {
			v := int16(8000 * math.Sin(float64(i)*0.3))
			binary.LittleEndian.PutUint16(sound[44+2*(second*8000+i):], uint16(v))
		}
		text := "At " + time.Duration(second*int(time.Second)).String() + "."
		script = append(script, text)
		clock := time.Time{}.Add(time.Duration(second) * time.Second).Format("15:04:05")
		want = append(want, "["+clock+"] "+text)
	}
	e := &ear{t: t, script: script}
	out, err := extract.With(media.Kinds()...).Extract(t.Context(), extract.Input{Data: sound, Limits: extract.Limits{MaxBytes: 64 << 20}, Help: extract.Help{Hear: e.hear}})
	if err != nil {
		t.Fatal(err)
	}
	// The paragraphs are longer than a stretch where stretches are close.
	got := strings.ReplaceAll(out.Text, " At 9m58s.", "\n\n[00:09:58] At 9m58s.")
	if diff := cmp.Diff(strings.Join(want, "\n\n"), got); diff != "" || len(e.pieces) != 3 {
		t.Errorf("%v (-want +got):\n%s", e.pieces, diff)
	}
	if total := e.pieces[0] + e.pieces[1] + e.pieces[2]; total.Round(time.Second) != minutes*time.Minute {
		t.Errorf("%v in all", total)
	}
}

// TestShort: a small WAV of another rate, width and number of channels.
func TestShort(t *testing.T) {
	t.Parallel()
	e := &ear{t: t, script: []string{"Welcome to the harbour meeting."}}
	out := mustRead(t, "short.wav", extract.Help{Hear: e.hear})
	if out.Text != "[00:00:00] Welcome to the harbour meeting." || out.Metadata["duration"] != "00:00:02" {
		t.Errorf("%q, %v", out.Text, out.Metadata)
	}
}

// TestFilm: the subtitles of a film are its text; no model is asked.
func TestFilm(t *testing.T) {
	t.Parallel()
	help := only(t, "ffmpeg", "ffprobe")
	help.Hear = (&ear{t: t, err: errors.New("asked")}).hear
	out := mustRead(t, "film.mkv", help)
	if out.Text != "[00:00:00] The ferry is late. It always is." || out.Title != "On the pier" || out.Language != "en" || out.Metadata["reader"] != "subtitles" {
		t.Errorf("%q, %q, %v", out.Title, out.Text, out.Metadata)
	}
	if !out.Published.Equal(time.Date(2024, 6, 1, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("%v", out.Published)
	}
	_, err := read(t, "silent.mp4", help)
	if e := new(extract.Error); !errors.As(err, &e) || !strings.Contains(e.Reason, "neither sound nor subtitles") {
		t.Errorf("%v", err)
	}
}

// TestSpeakers: turns of speakers are paragraphs of their own.
func TestSpeakers(t *testing.T) {
	t.Parallel()
	help := extract.Help{Hear: func(context.Context, []byte, string) (extract.Speech, error) {
		return extract.Speech{Segments: []extract.Utterance{
			{Start: 0, End: time.Second, Speaker: "A", Text: "Hi."},
			{Start: time.Second, End: 2 * time.Second, Speaker: "A", Text: "How\nare you?"},
			{Start: 2 * time.Second, End: 3 * time.Second, Speaker: "B", Text: "Fine."},
			{Start: 3 * time.Second, End: 4 * time.Second, Text: "  "},
		}}, nil
	}}
	out := mustRead(t, "short.wav", help)
	if out.Text != "[00:00:00] A: Hi. How are you?\n\n[00:00:02] B: Fine." || out.Metadata["speakers"] != "A, B" {
		t.Errorf("%q, %v", out.Text, out.Metadata)
	}
}

// TestNobodyHears: what would help is said; without ffmpeg a common format is sent as it is.
func TestNobodyHears(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file         string
		help         extract.Help
		reason, hint string
	}{
		"no model":  {"talk.ogg", extract.Help{}, "nothing here can hear", "configure a speech model"},
		"bad model": {"talk.ogg", extract.Help{Hear: (&ear{t: t, err: errors.New("model is down")}).hear}, "the speech model could not hear", "ffmpeg"},
		"silence":   {"short.wav", extract.Help{Hear: func(context.Context, []byte, string) (extract.Speech, error) { return extract.Speech{}, nil }}, "no speech was heard", ""},
	} {
		_, err := read(t, c.file, c.help)
		e := new(extract.Error)
		if !errors.As(err, &e) || !strings.HasPrefix(e.Reason, c.reason) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out := mustRead(t, "talk.ogg", extract.Help{Hear: (&ear{t: t, raw: true}).hear}); out.Text != "[00:00:00] in.ogg" {
		t.Errorf("%q", out.Text)
	}
}

// TestDamagedSound: what ffmpeg cannot open is told from what nobody could hear.
func TestDamagedSound(t *testing.T) {
	t.Parallel()
	help := only(t, "ffmpeg", "ffprobe")
	help.Hear = (&ear{t: t, raw: true}).hear
	data := append(slices.Clone(load(t, "talk.ogg")[:4]), bytes.Repeat([]byte{0xfe, 0}, 500)...)
	_, err := extract.With(media.Kinds()...).Extract(t.Context(), extract.Input{Data: data, Name: "talk.ogg", Help: help})
	if e := new(extract.Error); !errors.As(err, &e) || !strings.Contains(e.Reason, "damaged") {
		t.Errorf("%v", err)
	}
}

// TestPlaylist: a list that points to files of this machine is not followed.
func TestPlaylist(t *testing.T) {
	t.Parallel()
	help := only(t, "ffmpeg", "ffprobe")
	heard := false
	help.Hear = func(context.Context, []byte, string) (extract.Speech, error) {
		heard = true
		return extract.Speech{}, nil
	}
	wav, err := filepath.Abs("testdata/short.wav")
	if err != nil {
		t.Fatal(err)
	}
	list := "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nfile://" + wav + "\n#EXT-X-ENDLIST\n"
	src := &extract.Source{Input: extract.Input{Data: []byte(list), Name: "a.mp3", Help: help}, Media: "application/octet-stream"}
	for _, k := range media.Kinds() {
		if k.Name == "sound" {
			if out, err := k.Extract(t.Context(), src); err == nil || heard {
				t.Errorf("%q, heard %v", out.Text, heard)
			}
		}
	}
}
