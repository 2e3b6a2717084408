// Package hear turns speech into text. It is a port: the interface, the error contract and the parts that its drivers share
// (limits, retries, the checks of what comes back). The driver is openai, whose protocol most servers of Whisper speak; only the
// engine names it.
//
// What a model hears is a guess: words may be missing, invented or from another language. Whoever asks keeps the recording.
//
// # Errors
//
// Drivers return [lukasa.Error]. Unavailable, timeout, limited and external mean: the same call may succeed later; invalid
// means: it never will. An error that wraps [ErrRefused] is external too, but needs a person. No error quotes a key.
package hear

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

const (
	// DefaultTimeout is how long one recording may take: ten minutes of speech on a slow processor.
	DefaultTimeout = 15 * time.Minute
	// DefaultMaxBytes is the largest recording that is sent: what OpenAI takes.
	DefaultMaxBytes = 25 << 20

	maxPromptBytes = 2 << 10
)

// ErrRefused says that the server does not accept the configuration: key, model or address. It comes wrapped in a
// [lukasa.Error] of code external.
var ErrRefused = errors.New("refused by the speech server")

// Info describes a hearer.
type Info struct {
	Provider string // the driver's name
	Model    string // the model's name, as the server knows it
	MaxBytes int    // of one recording
}

// Sound is a recording of one piece, at best not longer than ten minutes: WAV, MP3, M4A, OGG, FLAC, WebM, whatever the server
// takes.
type Sound struct {
	Data     []byte
	Name     string // file name, whose extension tells servers the format
	Language string // ISO 639-1, "" to let the model find out
	Prompt   string // words that may come up, "" for none; at most 2 KiB are sent
}

// Segment is a stretch of speech, as long as a sentence or two.
type Segment struct {
	Start, End time.Duration // from the beginning of the recording; End is not before Start
	Speaker    string        // "" where the model does not tell voices apart
	Text       string        // one line, never blank
}

// Speech is what was heard. No segments mean that nobody spoke.
type Speech struct {
	Segments []Segment // by start
	Language string    // ISO 639-1, "" if the server did not say
	Model    string
}

// Hearer turns a recording into text. Implementations are safe for concurrent use.
type Hearer interface {
	// Info describes the hearer; it never changes.
	Info() Info
	// Hear returns what is said in a recording. An empty one, or one larger than Info().MaxBytes, is invalid. When err is not
	// nil there is no speech; a cancelled ctx gives an error that wraps ctx.Err().
	Hear(ctx context.Context, s Sound) (Speech, error)
}

// Retryable reports whether the same call may succeed later without anybody changing anything.
func Retryable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, ErrRefused) {
		return false
	}
	var e *lukasa.Error
	return errors.As(err, &e) && e.Retryable()
}

// RemoteOptions describe a remote model.
type RemoteOptions struct {
	Info   Info // Provider is required; MaxBytes 0: DefaultMaxBytes
	Policy wire.Policy

	// Call makes one exchange. The sound is neither empty nor too large. Segments may come in any order, with blank ones.
	Call func(ctx context.Context, s Sound) (Speech, error)
}

// Remote makes a [Hearer] of one HTTP exchange. It checks what goes out and what comes back, and tries again what failed; after
// failures in a row a circuit breaker answers at once for a while. Drivers embed it.
type Remote struct {
	o     RemoteOptions
	retry *wire.Retrier
}

var _ Hearer = (*Remote)(nil)

// NewRemote returns the hearer.
func NewRemote(o RemoteOptions) (*Remote, error) {
	switch {
	case o.Info.Provider == "" || o.Call == nil:
		return nil, errors.New("make remote hearer: provider or call is missing")
	case o.Info.MaxBytes < 0:
		return nil, lukasa.Invalid("max_bytes", "%d bytes cannot be", o.Info.MaxBytes)
	}
	if o.Info.MaxBytes == 0 {
		o.Info.MaxBytes = DefaultMaxBytes
	}
	return &Remote{o: o, retry: wire.NewRetrier(o.Policy, wire.Rules{
		Judge: judge,
		Open: func(after time.Duration) error {
			return &lukasa.Error{
				Code: lukasa.CodeUnavailable, Msg: "server failed too often and is left alone for a while", RetryAfter: after, Err: wire.ErrOpen,
			}
		},
	})}, nil
}

// judge says what a failure means for a second try and for the breaker.
func judge(err error) wire.Verdict {
	var e *lukasa.Error
	if !errors.As(err, &e) {
		return wire.Verdict{GaveUp: errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)}
	}
	again := Retryable(err)
	return wire.Verdict{Again: again, Fault: again && e.Code != lukasa.CodeLimited, After: e.RetryAfter}
}

// Info implements [Hearer].
func (r *Remote) Info() Info { return r.o.Info }

// Hear implements [Hearer].
func (r *Remote) Hear(ctx context.Context, s Sound) (Speech, error) {
	out, err := r.hear(ctx, s)
	if err != nil {
		return Speech{}, fmt.Errorf("hear with %s %s: %w", r.o.Info.Provider, r.o.Info.Model, FromWire(err))
	}
	return out, nil
}

func (r *Remote) hear(ctx context.Context, s Sound) (Speech, error) {
	if err := ctx.Err(); err != nil {
		return Speech{}, err
	}
	if n := len(s.Data); n == 0 || n > r.o.Info.MaxBytes {
		return Speech{}, lukasa.Invalid("sound", "has %d bytes, from 1 to %d can be heard", n, r.o.Info.MaxBytes)
	}
	s.Prompt = strings.ToValidUTF8(s.Prompt, "")
	for len(s.Prompt) > maxPromptBytes {
		_, n := utf8.DecodeLastRuneInString(s.Prompt[:maxPromptBytes+1])
		s.Prompt = s.Prompt[:maxPromptBytes+1-n]
	}
	var out Speech
	err := r.retry.Do(ctx, func() (err error) {
		if out, err = r.o.Call(ctx, s); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return FromWire(err)
		}
		return nil
	})
	if err != nil {
		return Speech{}, err
	}
	return r.settle(out), nil
}

// settle brings segments into order and makes lines of them.
func (r *Remote) settle(out Speech) Speech {
	kept := make([]Segment, 0, len(out.Segments))
	for _, s := range out.Segments {
		s.Text = oneLine(s.Text)
		s.Speaker = oneLine(s.Speaker)
		s.Start = max(s.Start, 0)
		s.End = max(s.End, s.Start)
		if s.Text != "" {
			kept = append(kept, s)
		}
	}
	slices.SortStableFunc(kept, func(a, b Segment) int { return int(a.Start - b.Start) })
	out.Segments = kept
	if out.Model == "" {
		out.Model = r.o.Info.Model
	}
	return out
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "")), " ")
}

// FromWire gives a failed exchange its code. Other errors stay as they are.
func FromWire(err error) error {
	var w *wire.Error
	if !errors.As(err, &w) {
		return err
	}
	out := &lukasa.Error{Code: lukasa.CodeExternal, Msg: w.Msg, Hint: w.Hint, RetryAfter: w.RetryAfter, Err: w.Err}
	switch w.Kind {
	case wire.Invalid:
		out.Code = lukasa.CodeInvalid
	case wire.Refused:
		out.Err = ErrRefused
	case wire.Limited:
		out.Code = lukasa.CodeLimited
	case wire.Timeout:
		out.Code = lukasa.CodeTimeout
	case wire.Unavailable:
		out.Code = lukasa.CodeUnavailable
	}
	return out
}
