package exports

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// The roles of messages.
const (
	RoleUser      = "user" // people: the speaker says who
	RoleAssistant = "assistant"
	RoleSystem    = "system" // what the program says: who joined, who renamed
	RoleTool      = "tool"   // tools and bots
)

// batch is how many messages an item carries at most; heavy is how many bytes of text fill one.
const (
	batch = 500
	heavy = 4 << 20
)

// Talk gathers the messages of one conversation and gives them out in batches.
type Talk struct {
	r     *Reading
	ID    string
	title string
	Where string // of the message that is read
	begun string // where the batch began
	msgs  []lukasa.NewMessage
	size  int
	count map[[16]byte]int32 // of messages that look the same
	First bool
}

// Talk begins a conversation. Its title goes with the first message, as a conversation has none.
func (r *Reading) Talk(where, id, title string) *Talk {
	return &Talk{r: r, ID: id, title: OneLine(title), Where: where, count: map[[16]byte]int32{}, First: true}
}

// Line is one message on its way out. An id of "" is made from the speaker, the stamp, the content and how often these were
// there before; a session of "" is the day.
type Line struct {
	ID, Role, Speaker, Content, Session string
	At                                  time.Time
	Stamp                               string // the time as the export writes it, for the id; "" takes at
	Meta                                Meta
}

// Add adds a message. One with neither text nor metadata is counted as left out.
func (t *Talk) Add(l Line) {
	if t.r.Over() {
		return
	}
	l.Content = strings.ReplaceAll(strings.ToValidUTF8(l.Content, "\ufffd"), "\x00", "")
	if text.Blank(l.Content) && len(l.Meta) == 0 {
		t.r.Leave("empty messages")
		return
	}
	speaker := l.Speaker
	if t.r.Options.Self != "" && strings.EqualFold(speaker, t.r.Options.Self) {
		l.Speaker = ""
	}
	if l.ID == "" {
		if l.Stamp == "" {
			l.Stamp = l.At.UTC().Format(time.RFC3339Nano)
		}
		same := sum(speaker, l.Stamp, l.Content)
		l.ID = hex.EncodeToString(same[:]) + "-" + strconv.Itoa(int(t.count[same]))
		t.count[same]++
	}
	if t.First {
		if l.Meta == nil {
			l.Meta = Meta{}
		}
		l.Meta.Str("conversation_title", t.title)
		t.First = false
	}
	l.At = t.r.local(l.At)
	if l.Session == "" {
		l.Session = day(l.At)
	}
	for i, part := range split(l.Content, t.r.Options.MaxText) {
		m := lukasa.NewMessage{
			ExternalID: short(l.ID), Role: short(l.Role), Speaker: short(OneLine(l.Speaker)), Content: part, Time: when(l.At), Session: short(l.Session),
		}
		if i > 0 {
			m.ExternalID = short(l.ID + "/" + strconv.Itoa(i+1))
		} else if len(l.Meta) > 0 {
			m.Metadata = l.Meta
		}
		if len(t.msgs) == 0 {
			t.begun = t.Where
		}
		t.msgs = append(t.msgs, m)
		if t.size += len(part); len(t.msgs) == batch || t.size > heavy {
			t.Flush()
		}
	}
}

// Flush gives out what is gathered.
func (t *Talk) Flush() {
	if len(t.msgs) == 0 {
		return
	}
	a := &lukasa.Append{Container: t.r.Options.Container, Conversation: t.ID, Messages: t.msgs, Replace: true}
	t.r.give(Item{Key: t.ID + "@" + t.msgs[0].ExternalID, Append: a, Title: t.title, Where: t.begun})
	t.msgs, t.size = nil, 0
}

// split cuts s into parts of at most n characters, at line ends where there are some.
func split(s string, n int) []string {
	var out []string
	for utf8.RuneCountInString(s) > n {
		end := 0
		for range n {
			_, size := utf8.DecodeRuneInString(s[end:])
			end += size
		}
		if cut := strings.LastIndexByte(s[:end], '\n'); cut > end/2 {
			end = cut + 1
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return append(out, s)
}

// day is the session of a chat between people that names none: the day of the message.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// local shows a time that is only known in UTC as the clock of its owner showed it.
func (r *Reading) local(t time.Time) time.Time {
	if t.IsZero() || t.Location() != time.UTC {
		return t
	}
	return t.In(r.Options.Zone)
}

// Attached writes what a message carries besides its text, one line each, below the text.
func Attached(content string, what []string) string {
	for _, w := range what {
		if w = OneLine(w); w != "" {
			if content != "" {
				content += "\n"
			}
			content += "[" + w + "]"
		}
	}
	return content
}
