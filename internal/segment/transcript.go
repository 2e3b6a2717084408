package segment

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// A transcript.md has this form:
//
//	# Conversation Transcript
//
//	**Recall File:** payment-integration-stripe-2025-01-03
//	**Started:** 2025-01-03T10:00:00Z
//	**Finalized:** 2025-01-03T14:30:00Z
//
//	---
//
//	## 2025-01-03T10:00:00Z | User
//
//	the message, word for word
//
//	**Artifacts:** [webhook_handler.py](artifacts/webhook_handler.py)
//
//	---
//
//	## 2025-01-03T10:00:45Z | Assistant
//	…
//
//	<!-- lukasa:messages
//	{"conversation_id":"conv_…","node_id":"node_…","document_id":"doc_…"}
//	{"id":"msg_…","seq":0}
//	…
//	-->
//
// The comment at the end holds, a line a message, what the visible part cannot: ids, seq, session, metadata, fractions of
// seconds, time zones. It is left out when there is nothing to tell, and a transcript without it can be read as well. A line of a
// message that would read as one of ours (a heading with a bar, a line of artifacts, the comment) has a backslash before it,
// which Markdown shows as the line itself.
const (
	titleLine    = "# Conversation Transcript"
	folderMark   = "**Recall File:** "
	startedMark  = "**Started:** "
	finalMark    = "**Finalized:** "
	rule         = "---"
	headMark     = "## "
	headBar      = " | "
	artifactMark = "**Artifacts:** "
	trailerMark  = "<!-- lukasa:messages"
	trailerEnd   = "-->"
	noTime       = "unknown"
	headTime     = "2006-01-02T15:04:05Z"
)

// Transcript is a conversation as a transcript.md holds it.
type Transcript struct {
	Folder    string
	Started   time.Time // zero when unknown
	Finalized time.Time // zero while it is open
	Messages  []lukasa.Message
	Artifacts map[int64][]string // by seq, the names that a message refers to
	Whole     bool               // what the visible part cannot hold was there, or not needed
}

// detail is what the comment at the end tells of a message beyond its heading. Absent fields are as the heading says.
type detail struct {
	ID       lukasa.ID      `json:"id,omitempty"`
	External string         `json:"external_id,omitempty"`
	Seq      *int64         `json:"seq,omitempty"` // unless it is its number in the file
	Role     *string        `json:"role,omitempty"`
	Speaker  *string        `json:"speaker,omitempty"`
	Session  string         `json:"session,omitempty"`
	Time     *time.Time     `json:"time,omitempty"`
	Untimed  bool           `json:"untimed,omitempty"` // the heading shows when it arrived; its own time is not known
	Created  *time.Time     `json:"created_at,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
	Tokens   int            `json:"tokens,omitempty"`
	NoMeta   bool           `json:"no_metadata,omitempty"` // null, where {} is the rule
}

// common is what the messages of a stretch share.
type common struct {
	Conversation lukasa.ID `json:"conversation_id,omitempty"`
	Document     lukasa.ID `json:"document_id,omitempty"`
	Node         lukasa.ID `json:"node_id,omitempty"`
}

// WriteTranscript writes a transcript.md, a message at a time. The conversation, document and node of the first message are
// those of all. names, which may be nil, tells the artifacts that a message refers to.
func WriteTranscript(w io.Writer, t Transcript, msgs iter.Seq[lukasa.Message], names func(lukasa.Message) []string) error {
	b := pen{bufio.NewWriterSize(w, 32<<10)}
	fmt.Fprintf(b, "%s\n\n%s%s\n%s%s\n%s%s\n", titleLine, folderMark, lexis.OneLine(t.Folder), startedMark, stamp(t.Started), finalMark, stamp(t.Finalized))
	var shared common
	var trailer strings.Builder
	told, n := false, int64(0)
	for m := range msgs {
		if n == 0 {
			shared = common{m.Conversation, m.Document, m.Node}
		}
		head, label := heading(m)
		fmt.Fprintf(b, "\n%s\n\n%s%s%s%s\n\n", rule, headMark, head, headBar, label)
		writeEscaped(b, m.Content)
		b.put("\n")
		if names != nil {
			writeRefs(b, names(m))
		}
		d := details(m, head, label, n)
		line, err := json.Marshal(d)
		if err != nil {
			return fmt.Errorf("write message %s: %w", m.ID, err)
		}
		told = told || len(line) > 2
		trailer.Write(line)
		trailer.WriteByte('\n')
		n++
	}
	if told || shared != (common{}) {
		line, err := json.Marshal(shared)
		if err != nil {
			return fmt.Errorf("write transcript: %w", err)
		}
		fmt.Fprintf(b, "\n%s\n%s\n%s%s\n", trailerMark, line, trailer.String(), trailerEnd)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	return nil
}

// pen writes texts. The first error stays, and Flush returns it.
type pen struct{ *bufio.Writer }

func (p pen) put(texts ...string) {
	for _, s := range texts {
		_, _ = p.WriteString(s)
	}
}

func writeRefs(b pen, names []string) {
	for i, name := range names {
		if i == 0 {
			b.put("\n", artifactMark)
		} else {
			b.put(", ")
		}
		fmt.Fprintf(b, "[%s](artifacts/%s)", strings.NewReplacer("[", "\\[", "]", "\\]").Replace(name), escapePath(name))
	}
	if len(names) > 0 {
		b.put("\n")
	}
}

// escapePath writes a name as part of a link: what Markdown would stumble over in percent form.
func escapePath(name string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29").Replace(name)
}

func unescapePath(s string) string {
	return strings.NewReplacer("%20", " ", "%28", "(", "%29", ")", "%25", "%").Replace(s)
}

// stamp writes a time as the documents do; an unknown one is a hyphen.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(headTime)
}

// heading returns the time and the label of a message's heading.
func heading(m lukasa.Message) (at, label string) {
	at = noTime
	if t, _ := when(m); !t.IsZero() && t.UTC().Year() >= 0 && t.UTC().Year() < 10_000 {
		at = t.UTC().Format(headTime)
	}
	role, speaker := clip(lexis.OneLine(m.Role), 40), clip(lexis.OneLine(m.Speaker), 80)
	if r, n := utf8.DecodeRuneInString(role); n > 0 {
		role = string(unicode.ToUpper(r)) + role[n:]
	}
	switch {
	case role == "" && speaker == "":
		return at, "Unknown"
	case role == "":
		return at, speaker
	case speaker == "":
		return at, role
	}
	return at, role + " (" + speaker + ")"
}

// readLabel is what a heading's label says without help.
func readLabel(label string) (role, speaker string) {
	if label == "Unknown" {
		return "", ""
	}
	first, rest, ok := strings.Cut(label, " (")
	if ok && strings.HasSuffix(rest, ")") {
		speaker = strings.TrimSuffix(rest, ")")
	} else {
		first = label
	}
	switch first {
	case "User", "Assistant", "System", "Tool", "Developer", "Function":
		return strings.ToLower(first), speaker
	}
	return "", label
}

// details returns what the heading of message n does not tell.
func details(m lukasa.Message, at, label string, n int64) detail {
	d := detail{ID: m.ID, External: m.ExternalID, Session: m.Session, Tokens: m.Tokens, NoMeta: m.Metadata == nil}
	if len(m.Metadata) > 0 {
		d.Metadata = m.Metadata
	}
	if m.Seq != n {
		d.Seq = &m.Seq
	}
	role, speaker := readLabel(label)
	if role != m.Role {
		d.Role = &m.Role
	}
	if speaker != m.Speaker {
		d.Speaker = &m.Speaker
	}
	shown, err := time.Parse(headTime, at)
	known := err == nil
	switch {
	case m.Time == nil:
		d.Untimed = known
	case !known || !shown.Equal(*m.Time) || !isUTC(*m.Time):
		d.Time = m.Time
	}
	if !m.CreatedAt.IsZero() && (!known || m.Time != nil || !shown.Equal(m.CreatedAt) || !isUTC(m.CreatedAt)) {
		d.Created = &m.CreatedAt
	}
	return d
}

func isUTC(t time.Time) bool {
	_, offset := t.Zone()
	return offset == 0
}

// ours reports whether a line of a message would read as one of the transcript's own.
func ours(line string) bool {
	switch {
	case strings.HasPrefix(line, headMark):
		return strings.Contains(line, headBar)
	case strings.HasPrefix(line, artifactMark), strings.HasPrefix(line, trailerMark):
		return true
	}
	return false
}

// writeEscaped writes a message with a backslash before each line that would read as ours, or as one that was escaped.
func writeEscaped(b pen, s string) {
	for {
		line, rest, more := strings.Cut(s, "\n")
		if ours(strings.TrimLeft(line, `\`)) {
			b.put(`\`)
		}
		b.put(line)
		if !more {
			return
		}
		b.put("\n")
		s = rest
	}
}

// unescape takes the backslashes of writeEscaped away.
func unescape(s string) string {
	if !strings.Contains(s, `\#`) && !strings.Contains(s, `\*`) && !strings.Contains(s, `\<`) {
		return s
	}
	var b strings.Builder
	for {
		line, rest, more := strings.Cut(s, "\n")
		if strings.HasPrefix(line, `\`) && ours(strings.TrimLeft(line, `\`)) {
			line = line[1:]
		}
		b.WriteString(line)
		if !more {
			return b.String()
		}
		b.WriteByte('\n')
		s = rest
	}
}
