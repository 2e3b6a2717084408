package media

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/program"
)

// demuxers are the containers that ffmpeg may open: none that points to other files or to the network.
const demuxers = "wav,mp3,ogg,flac,mov,matroska,avi,aac,asf,amr,aiff,caf,mpegts,mpeg,flv,w64,au"

// guarded are the arguments that keep ffmpeg to the file that it was given.
func guarded() []string {
	return []string{"-v", "error", "-protocol_whitelist", "file,pipe", "-format_whitelist", demuxers}
}

// probe is what ffprobe says of a recording.
type probe struct {
	length    time.Duration
	speech    bool // it has sound
	film      bool // it has moving pictures
	subtitles []int
	languages []string // of the subtitles
	tags      map[string]string
}

// probed is the part of ffprobe's answer that counts.
type probed struct {
	Streams []struct {
		Type        string            `json:"codec_type"`
		Codec       string            `json:"codec_name"`
		Tags        map[string]string `json:"tags"`
		Disposition struct {
			Default  int `json:"default"`
			Attached int `json:"attached_pic"`
		} `json:"disposition"`
	} `json:"streams"`
	Format struct {
		Duration string            `json:"duration"`
		Tags     map[string]string `json:"tags"`
	} `json:"format"`
}

// inspect asks ffprobe.
func inspect(ctx context.Context, help extract.Help, in string, data []byte) (*probe, error) {
	res, err := help.Run(ctx, program.Command{
		Name: "ffprobe", Args: append(guarded(), "-of", "json", "-show_format", "-show_streams", in), Files: map[string][]byte{in: data}, Timeout: time.Minute,
		MaxOutput: 4 << 20,
	})
	if err != nil {
		return nil, fmt.Errorf("inspect recording: %w", err)
	}
	return parseProbe(res.Stdout)
}

func parseProbe(b []byte) (*probe, error) {
	var in probed
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("read answer of ffprobe: %w", err)
	}
	p := &probe{tags: map[string]string{}}
	if s, err := strconv.ParseFloat(in.Format.Duration, 64); err == nil && s > 0 && s < 1e6 {
		p.length = time.Duration(s * float64(time.Second))
	}
	add := func(tags map[string]string) {
		for k, v := range tags {
			if k, v = strings.ToLower(k), cleanText(v); p.tags[k] == "" && v != "" {
				p.tags[k] = v
			}
		}
	}
	add(in.Format.Tags)
	n := 0 // subtitles are counted by themselves
	for _, s := range in.Streams {
		switch s.Type {
		case "audio":
			p.speech = true
			add(s.Tags) // Ogg has its tags there
		case "video":
			p.film = p.film || s.Disposition.Attached == 0
		case "subtitle":
			switch s.Codec {
			case "subrip", "ass", "ssa", "mov_text", "webvtt", "text":
				language := strings.ToLower(s.Tags["language"])
				if s.Disposition.Default == 1 {
					p.subtitles, p.languages = append([]int{n}, p.subtitles...), append([]string{language}, p.languages...)
				} else {
					p.subtitles, p.languages = append(p.subtitles, n), append(p.languages, language)
				}
			}
			n++
		}
	}
	return p, nil
}

// created is the date that a recording carries.
func (p *probe) created() time.Time {
	for _, k := range []string{"com.apple.quicktime.creationdate", "creation_time", "date", "year"} {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05", "2006-01-02", "2006"} {
			if t, err := time.Parse(layout, p.tags[k]); err == nil && t.Year() >= 1970 && t.Year() <= 2200 {
				return t.UTC()
			}
		}
	}
	return time.Time{}
}

// segmentOf converts a stretch of a recording to sound for models.
func segmentOf(ctx context.Context, help extract.Help, in string, data []byte, from, length time.Duration) (pcm, error) {
	args := append([]string{"-nostdin"}, guarded()...)
	args = append(args, "-ss", seconds(from), "-i", in, "-t", seconds(length), "-vn", "-sn", "-dn", "-map", "0:a:0")
	args = append(args, "-ac", "1", "-ar", strconv.Itoa(rate), "-c:a", "pcm_s16le", "-f", "wav", "-bitexact", "pipe:1")
	res, err := help.Run(ctx, program.Command{
		Name: "ffmpeg", Args: args, Files: map[string][]byte{in: data}, Timeout: 5 * time.Minute, MaxOutput: int64(length.Seconds()*rate*2) + 1<<20,
	})
	if err != nil {
		return nil, fmt.Errorf("convert recording: %w", err)
	}
	w, err := openWAV(res.Stdout)
	if err != nil {
		return nil, fmt.Errorf("convert recording: %w", err)
	}
	return w.cut(0, length+time.Second), nil
}

// subtitlesOf takes the text of a film's subtitles out of it, as SRT.
func subtitlesOf(ctx context.Context, help extract.Help, in string, data []byte, n int) ([]spoken, error) {
	args := append([]string{"-nostdin"}, guarded()...)
	args = append(args, "-i", in, "-map", "0:s:"+strconv.Itoa(n), "-f", "srt", "pipe:1")
	res, err := help.Run(ctx, program.Command{Name: "ffmpeg", Args: args, Files: map[string][]byte{in: data}, Timeout: 5 * time.Minute, MaxOutput: 8 << 20})
	if err != nil {
		return nil, fmt.Errorf("take out subtitles: %w", err)
	}
	return parseSRT(string(res.Stdout)), nil
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// inputName is what a program is told that the file is called: a plain name with the extension, if it is one.
func inputName(name string) string {
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	if len(ext) < 2 || len(ext) > 6 || strings.ContainsFunc(ext[1:], func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		ext = ".bin"
	}
	return "in" + ext
}
