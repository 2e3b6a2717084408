// Package media reads what is written on pictures and said in recordings: pictures by tesseract and a vision model, sound and
// film by a speech model, with the date, the place and the words that files carry along.
//
// What is installed decides what is possible. Pictures need tesseract or a vision model; HEIC and AVIF a program that converts
// them as well. Recordings need a speech model, and ffmpeg to cut and convert them: without it WAV is cut here, and
// other formats are sent whole. A film with subtitles of text needs ffmpeg alone. Where nothing can read a file the error says
// what would.
package media

import (
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

// typeTranscript is the type of output that stretches of speech have.
const typeTranscript = "transcript"

// unknownBinary is what the port calls data of a format that it does not know.
const unknownBinary = "application/octet-stream"

// Kinds returns the kinds image, sound and film.
func Kinds() []extract.Kind {
	return []extract.Kind{
		{
			Name: "image",
			Types: []string{
				"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/bmp", "image/x-ms-bmp", "image/tiff", "image/heic", "image/heif",
				"image/avif", "image",
			},
			Extensions: []string{".png", ".jpg", ".jpeg", ".jpe", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif"},
			Binary:     true, Looks: looksImage, Extract: readImage,
		},
		{
			Name: "sound",
			Types: []string{
				"audio/wav", "audio/x-wav", "audio/wave", "audio/mpeg", "audio/mp3", "audio/mp4", "audio/x-m4a", "audio/aac", "audio/ogg", "audio/opus",
				"audio/flac", "audio/x-flac", "audio/webm", "audio/amr", "audio/aiff", "audio/x-aiff", "audio", "sound",
			},
			Extensions: []string{".wav", ".mp3", ".m4a", ".aac", ".ogg", ".oga", ".opus", ".flac", ".amr", ".aif", ".aiff", ".caf", ".wma", ".m4b", ".mka"},
			Binary:     true, Looks: looksSound, Extract: readSound,
		},
		{
			Name: "film",
			Types: []string{
				"video/mp4", "video/quicktime", "video/webm", "video/x-matroska", "video/x-msvideo", "video/avi", "video/mpeg", "video/ogg", "video/x-flv",
				"video/3gpp", "video/x-ms-wmv", "video", "film",
			},
			Extensions: []string{".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi", ".mpg", ".mpeg", ".ogv", ".flv", ".3gp", ".wmv", ".ts"},
			Binary:     true, Looks: looksFilm, Extract: readSound,
		},
	}
}

func looksImage(src *extract.Source) extract.Look {
	if imageType(src.Data) != "" {
		return extract.Yes
	}
	return extract.No
}

func looksSound(src *extract.Source) extract.Look { return looksLike(src, "audio/") }

func looksFilm(src *extract.Source) extract.Look { return looksLike(src, "video/") }

// looksLike takes what is recognised, and, when a name or a type says so, what nobody knows: frames of MP3 and AAC have no mark
// that can be told from chance.
func looksLike(src *extract.Source, prefix string) extract.Look {
	switch {
	case strings.HasPrefix(src.Media, prefix):
		return extract.Yes
	case strings.HasPrefix(src.Media, "audio/"), strings.HasPrefix(src.Media, "video/"), src.Media == unknownBinary:
		return extract.Maybe
	}
	return extract.No
}
