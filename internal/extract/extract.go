// Package extract turns bytes of any supported kind into clean text with what is known about it.
//
// The bytes are sniffed; a name or a declared type only decides between kinds
// that the bytes allow. A kind is one row of a table: to add one, write a file with an
// extractor and list it in registry.go.
package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/program"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Types of output.
const (
	TypeText       = "text"
	TypeMarkdown   = "markdown"
	TypeHTML       = "html" // the text is Markdown
	TypeCode       = "code"
	TypeJSON       = "json"
	TypeTranscript = "transcript"
	TypeCSV        = "csv" // the text is one "column: value; …" line a row
)

// Sentinel errors; test with errors.Is.
var (
	// ErrUnsupported: the content is of a kind nobody reads here. The error is an
	// *UnsupportedError.
	ErrUnsupported = errors.New("unsupported content type")
	// ErrTooLarge: the content exceeds Limits.MaxBytes.
	ErrTooLarge = errors.New("content too large")
	// ErrEmpty: the content holds no text.
	ErrEmpty = errors.New("content is empty")
)

// UnsupportedError names what the bytes look like.
type UnsupportedError struct {
	Type string // media type, "application/octet-stream" when unknown
	Name string // in words, "PNG image"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("unsupported content type %s: the content looks like %s", e.Type, e.Name)
}

// Is makes every UnsupportedError match ErrUnsupported.
func (e *UnsupportedError) Is(target error) bool { return target == ErrUnsupported }

// Limits bound the work and the output. Zero fields mean the default.
type Limits struct {
	MaxBytes int // of Data; default 10 MiB
	MaxChars int // of text made from HTML, in characters; default 100,000; negative: none
	MaxDepth int // nested HTML elements; deeper tags are flattened; default 200, at most 400
	MaxNodes int // HTML tags; what follows is dropped and said so; default 400,000
}

func (l Limits) normal() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = 10 << 20
	}
	if l.MaxChars == 0 {
		l.MaxChars = 100_000
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = 200
	}
	l.MaxDepth = min(l.MaxDepth, 400)
	if l.MaxNodes <= 0 {
		l.MaxNodes = 400_000
	}
	return l
}

// Input is what came in.
type Input struct {
	Data         []byte
	Name         string // file name, if any
	DeclaredType string // media type ("text/html; charset=latin1") or one of the Type words; "" if unknown
	URL          string // where it came from; base of relative links
	Kept         bool   // Data is text that was read before, of the type declared: it is taken as it is
	Limits       Limits
	Help         Help
}

// Help is what an extractor may ask of the outside world. A nil function is help that is not to be had here: the extractor
// then does without, or says in an [Error] what would be needed.
type Help struct {
	// Run runs a program of this machine, within limits.
	Run func(ctx context.Context, p program.Command) (program.Result, error)
	// See reads a picture by a vision model: what is written on it, and what it shows.
	See func(ctx context.Context, picture []byte, mediaType string) (Sight, error)
	// Hear turns speech into text by a speech model.
	Hear func(ctx context.Context, sound []byte, name string) (Speech, error)
	// Read hears of pages, slides and sheets, and of sound and film, as they are read. It may be called from several goroutines.
	Read func(pages int, sound time.Duration)
}

// Sight is what a model saw on a picture.
type Sight struct {
	Text        string // what is written on it
	Description string // what it shows
	Model       string
}

// Speech is what a model heard.
type Speech struct {
	Segments []Utterance
	Language string
	Model    string
}

// Utterance is a stretch of speech.
type Utterance struct {
	Start, End time.Duration
	Speaker    string // "" if unknown
	Text       string
}

// Output is what Extract found. Text is valid UTF-8 without NUL and never blank.
// Zero fields are unknown.
type Output struct {
	Text      string
	Type      string // one of the Type words
	Title     string
	Language  string // natural (ISO 639-1, "und") or, for code, programming ("Go")
	Author    string
	Published time.Time
	Canonical string            // canonical URL
	Metadata  map[string]string // never nil; "truncated" = "true" when text was cut, "warning" when something was odd
	Marks     []Mark            // places to cite, by ascending offset
	Parts     []Part            // what was found inside and is a document of its own
}

// Mark says that from Offset on Text stands at a place that a person can look up.
type Mark struct {
	Offset int
	Page   int    // page or slide, counted from 1; 0 where there are none
	Place  string // in words where there is more to say: "Sheet1!A2:D40", "00:03:12", "chapter 2: The Sea"
}

// Part is something inside of what was read that is a document of its own: an attachment of a mail, a mail of a mailbox.
type Part struct {
	Name      string // file name, "" if it has none
	Data      []byte
	Type      string // declared media type, "" if unknown
	Title     string
	Metadata  map[string]string
	Published time.Time
}

// Error says why content could not be read, and what a person can do about it.
type Error struct {
	Reason string // "the PDF is encrypted"
	Hint   string // "remove its password and save it again"
	Err    error  // what was wrong underneath, or nil
}

// Error is one line, whatever the programs underneath had to say.
func (e *Error) Error() string {
	if e.Err == nil || errors.Is(e.Err, ErrEmpty) { // the reason says what is empty
		return e.Reason
	}
	var said []string
	for line := range strings.Lines(e.Err.Error()) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return e.Reason + ": " + strings.Join(said, "; ")
}

// Unwrap returns what was wrong underneath.
func (e *Error) Unwrap() error { return e.Err }

// The reasons for which a picture yields nothing though it is whole.
const (
	NoPictureText = "no text was found on the picture"
	NoReader      = "nothing here can read pictures"
)

// Extract reads in by the kind that its bytes ask for. It returns ErrEmpty, ErrTooLarge, an UnsupportedError, an Error with a
// reason for people, or the error of ctx. It fetches nothing, and what it needs from outside comes with Input.Help. Time and
// memory are linear in the data for any input of a built-in kind.
func (s Set) Extract(ctx context.Context, in Input) (Output, error) {
	in.Limits = in.Limits.normal()
	if len(in.Data) > in.Limits.MaxBytes {
		return Output{}, fmt.Errorf("extract %d bytes, limit %d: %w", len(in.Data), in.Limits.MaxBytes, ErrTooLarge)
	}
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	if in.Kept && in.DeclaredType != TypeCode { // of code it is said in which language it is
		return kept(in), nil
	}
	src := newSource(in)
	kind, err := s.choose(src)
	if err != nil {
		return Output{}, err
	}
	var rest func(Kind, Output)
	src.Help, rest = src.Help.watched()
	out, err := kind.Extract(ctx, src)
	if err != nil {
		return Output{}, fmt.Errorf("extract %s: %w", kind.Name, err)
	}
	rest(kind, out)
	if strings.TrimSpace(out.Text) == "" && len(out.Parts) == 0 {
		return Output{}, fmt.Errorf("extract %s: %w", kind.Name, ErrEmpty)
	}
	return finish(src, out), nil
}

// kept is the output that a text was once.
func kept(in Input) Output {
	s := string(in.Data)
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		s = text.Clean(s)
	}
	out := Output{Text: s, Type: oneLine(in.DeclaredType, 100), Title: titleOf(s)}
	if out.Language, _ = text.Language(s); out.Type == "" {
		out.Type = TypeText
	}
	return out
}

// finish fills in what every kind has.
func finish(src *Source, out Output) Output {
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	if src.Charset != "" && src.Charset != "utf-8" {
		out.Metadata["charset"] = src.Charset
	}
	if src.Warning != "" && out.Metadata["warning"] == "" {
		out.Metadata["warning"] = src.Warning
	}
	for k, v := range out.Metadata {
		out.Metadata[k] = oneLine(v, 2000)
	}
	out.Title = oneLine(out.Title, 300)
	out.Author = oneLine(out.Author, 200)
	out.Published = sayable(out.Published)
	for i := range out.Parts {
		out.Parts[i].Published = sayable(out.Parts[i].Published)
	}
	return out
}

// sayable is a time that can be written in RFC 3339, or none.
func sayable(t time.Time) time.Time {
	if y := t.UTC().Year(); y < 0 || y > 9999 {
		return time.Time{}
	}
	return t
}

// oneLine returns s as valid UTF-8 on one line, at most n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "")), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return firstRunes(s, n-1) + "…"
}

// firstRunes returns the first n runes of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
