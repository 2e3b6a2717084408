package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/program"
	"github.com/lukasa-memory/lukasa/internal/text"
)

const (
	pieceLength = 10 * time.Minute // what a model is given at once
	pieceTail   = 15 * time.Second // where a quiet place to cut is looked for
	maxLength   = 24 * time.Hour
	maxWhole    = 25 << 20 // bytes of a file that is sent as it is
)

const soundHint = "configure a speech model: any server with OpenAI's /audio/transcriptions, such as speaches, whisper.cpp, Groq or OpenAI; then retry"

// recording is what is known of a recording before anybody listens.
type recording struct {
	probe *probe // nil without ffprobe
	wave  *wave  // a WAV file that is read here
	in    string
	data  []byte
}

// heard is what came of listening.
type heard struct {
	all       []spoken
	language  string
	model     string
	subtitles bool
	pieces    int
	failed    error // the first piece that was not heard, when others were
}

// readSound reads recordings and films: their subtitles, or else what is said in them.
func readSound(ctx context.Context, src *extract.Source) (extract.Output, error) {
	r, err := openRecording(ctx, src)
	if err != nil {
		return extract.Output{}, err
	}
	h, err := r.listen(ctx, src)
	if ctx.Err() != nil {
		return extract.Output{}, ctx.Err()
	}
	if err != nil {
		return extract.Output{}, err
	}
	if len(h.all) == 0 {
		return extract.Output{}, &extract.Error{
			Reason: "no speech was heard in the recording",
			Hint:   "there is nothing to do if it holds none; else try another speech model", Err: extract.ErrEmpty,
		}
	}
	return r.output(h), nil
}

// openRecording looks at the file by ffprobe, or by itself if it is WAV.
func openRecording(ctx context.Context, src *extract.Source) (*recording, error) {
	r := &recording{in: inputName(src.Name), data: src.Data}
	if w, err := openWAV(src.Data); err == nil {
		r.wave = w
		if w.frames() == 0 {
			return nil, &extract.Error{Reason: "the recording is empty", Hint: "fetch or record it again", Err: extract.ErrEmpty}
		}
	}
	if src.Help.Run == nil {
		return r, nil
	}
	p, err := inspect(ctx, src.Help, r.in, src.Data)
	switch {
	case err == nil:
		r.probe = p
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, program.ErrMissing), r.wave != nil:
	default:
		return nil, &extract.Error{
			Reason: "the recording is damaged, or of a kind that ffmpeg does not know",
			Hint:   "play it, and save it anew as MP3, M4A or WAV", Err: err,
		}
	}
	return r, nil
}

// length is how long the recording takes, 0 if nobody knows.
func (r *recording) length() time.Duration {
	switch {
	case r.wave != nil:
		return r.wave.length()
	case r.probe != nil:
		return r.probe.length
	}
	return 0
}

// listen takes the subtitles, or hands the sound to the speech model piece by piece.
func (r *recording) listen(ctx context.Context, src *extract.Source) (heard, error) {
	if r.probe != nil {
		for i, n := range r.probe.subtitles {
			all, err := subtitlesOf(ctx, src.Help, r.in, r.data, n)
			if err == nil && len(all) > 0 {
				return heard{all: all, language: shortLanguage(r.probe.languages[i]), subtitles: true}, nil
			}
		}
		if !r.probe.speech {
			return heard{}, &extract.Error{
				Reason: "the film has neither sound nor subtitles",
				Hint:   "add its subtitles as a file of their own (.srt, .vtt)", Err: extract.ErrEmpty,
			}
		}
	}
	switch {
	case src.Help.Hear == nil:
		return heard{}, &extract.Error{Reason: "nothing here can hear what is said", Hint: soundHint}
	case r.length() > maxLength:
		return heard{}, &extract.Error{
			Reason: fmt.Sprintf("the recording takes %v", r.length().Round(time.Minute)),
			Hint:   fmt.Sprintf("cut it into parts of at most %v", maxLength),
		}
	case r.wave == nil && r.probe == nil:
		return r.whole(ctx, src)
	}
	return r.pieces(ctx, src)
}

// whole sends the file as it is: most servers know the common formats.
func (r *recording) whole(ctx context.Context, src *extract.Source) (heard, error) {
	if len(r.data) > maxWhole {
		return heard{}, &extract.Error{
			Reason: fmt.Sprintf("the recording is too large to be sent at once: %d MB", len(r.data)>>20),
			Hint:   "install ffmpeg, which cuts it; then retry",
		}
	}
	speech, err := src.Help.Hear(ctx, r.data, r.in)
	if err != nil {
		return heard{}, hearError(err, "install ffmpeg to convert it, or check the speech model; then retry")
	}
	h := heard{pieces: 1}
	h.add(speech, 0)
	return h, nil
}

// pieces cuts the recording into stretches of at most ten minutes, each at a quiet place, and has them heard. When one of them
// fails the others still count.
func (r *recording) pieces(ctx context.Context, src *extract.Source) (heard, error) {
	var h heard
	length := r.length()
	for from := time.Duration(0); from < maxLength; {
		if err := ctx.Err(); err != nil {
			return h, err
		}
		sound, err := r.piece(ctx, src.Help, from)
		if err != nil && from == 0 {
			return h, &extract.Error{
				Reason: "the sound of the recording cannot be decoded",
				Hint:   "play it, and save it anew as MP3, M4A or WAV", Err: err,
			}
		}
		if err != nil {
			h.failed = cmp.Or(h.failed, err)
			break
		}
		last := sound.length() < pieceLength-time.Second
		if !last {
			sound = sound[:sound.quiet(pieceTail)]
		}
		if sound.length() < 100*time.Millisecond {
			break
		}
		speech, err := src.Help.Hear(ctx, sound.wav(), "piece.wav")
		src.Help.Told(0, sound.length())
		switch {
		case ctx.Err() != nil:
			return h, ctx.Err()
		case err != nil && h.pieces == 0:
			return h, hearError(err, "check the speech model, then retry")
		case err != nil:
			h.failed = cmp.Or(h.failed, err)
		default:
			h.add(speech, from)
			h.pieces++
		}
		if from += sound.length(); last || length > 0 && from >= length {
			break
		}
	}
	return h, nil
}

func (r *recording) piece(ctx context.Context, help extract.Help, from time.Duration) (pcm, error) {
	if r.wave != nil {
		return r.wave.cut(from, from+pieceLength), nil
	}
	return segmentOf(ctx, help, r.in, r.data, from, pieceLength)
}

func hearError(err error, hint string) error {
	return &extract.Error{Reason: "the speech model could not hear the recording", Hint: hint, Err: err}
}

// add takes what was heard in a piece that begins at from.
func (h *heard) add(speech extract.Speech, from time.Duration) {
	for _, s := range speech.Segments {
		if t := line(s.Text); t != "" {
			start := from + max(s.Start, 0)
			h.all = append(h.all, spoken{start: start, end: max(start, from+s.End), speaker: line(s.Speaker), text: t})
		}
	}
	slices.SortStableFunc(h.all, func(a, b spoken) int { return cmp.Compare(a.start, b.start) })
	h.language, h.model = cmp.Or(h.language, speech.Language), cmp.Or(h.model, speech.Model)
}

// output writes the transcript with what the file says about itself.
func (r *recording) output(h heard) extract.Output {
	out := extract.Output{Type: typeTranscript, Language: h.language, Metadata: map[string]string{}}
	out.Text, out.Marks = transcript(h.all)
	if out.Language == "" {
		out.Language, _ = text.Language(out.Text)
	}
	if d := r.length(); d > 0 {
		out.Metadata["duration"] = clock(d)
	}
	set := func(k, v string) {
		if v != "" {
			out.Metadata[k] = v
		}
	}
	set("speech_model", h.model)
	if h.subtitles {
		out.Metadata["reader"] = "subtitles"
	}
	if h.failed != nil {
		set("warning", "a part of the recording was not heard: "+h.failed.Error())
	}
	speakers := map[string]bool{}
	for _, s := range h.all {
		if s.speaker != "" {
			speakers[s.speaker] = true
		}
	}
	set("speakers", strings.Join(slices.Sorted(maps.Keys(speakers)), ", "))
	if r.probe == nil {
		return out
	}
	out.Published = r.probe.created()
	tags := r.probe.tags
	out.Title = tags["title"]
	out.Author = cmp.Or(tags["artist"], tags["author"], tags["album_artist"])
	set("album", tags["album"])
	set("description", cmp.Or(tags["description"], tags["comment"], tags["synopsis"]))
	set("camera", strings.TrimSpace(tags["com.apple.quicktime.make"]+" "+tags["com.apple.quicktime.model"]))
	if lat, lon, ok := isoPlace(cmp.Or(tags["location"], tags["com.apple.quicktime.location.iso6709"])); ok {
		out.Metadata["latitude"], out.Metadata["longitude"] = fmt.Sprintf("%.6f", lat), fmt.Sprintf("%.6f", lon)
	}
	return out
}

// isoPlace reads a place as ISO 6709 has it, in degrees: "+59.9139+010.7522+012.3/".
func isoPlace(s string) (lat, lon float64, ok bool) {
	var n []float64
	for s = strings.TrimSuffix(s, "/"); s != "" && len(n) < 2; {
		end := strings.IndexAny(s[1:], "+-") + 1
		if end == 0 {
			end = len(s)
		}
		v, err := strconv.ParseFloat(s[:end], 64)
		if err != nil {
			return 0, 0, false
		}
		n, s = append(n, v), s[end:]
	}
	if len(n) != 2 || !(n[0] >= -90 && n[0] <= 90 && n[1] >= -180 && n[1] <= 180) {
		return 0, 0, false
	}
	return n[0], n[1], true
}

// shortLanguage turns the codes of three letters that containers use (ISO 639-2) into those of two, for the common ones.
func shortLanguage(s string) string {
	if len(s) == 2 {
		return s
	}
	return map[string]string{
		"eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl", "dut": "nl", "swe": "sv",
		"nor": "no", "nob": "no", "dan": "da", "fin": "fi", "pol": "pl", "ces": "cs", "cze": "cs", "rus": "ru", "ukr": "uk", "tur": "tr", "ara": "ar",
		"heb": "he", "zho": "zh", "chi": "zh", "jpn": "ja", "kor": "ko", "hin": "hi", "ell": "el", "gre": "el", "hun": "hu", "ron": "ro", "rum": "ro",
	}[s]
}
