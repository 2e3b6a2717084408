package chats

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

// Text files of imessage-exporter (https://github.com/ReagentX/imessage-exporter, the txt format in
// imessage-exporter/src/exporters/txt.rs), one a chat: a line with the time and perhaps "(Read by … after …)", the sender, the
// message, an empty line. What the program says follows the time on its own line, behind an empty one. An edited message is all its
// forms, a line each: "<time> first form", "Edited 15 seconds later: next form"; the last is what the message says. Replies come
// twice, indented below what they answer and at their own time with a note; the indented ones are left out. Times are those of the
// exporting computer.

var (
	imessageHead   = regexp.MustCompile(`^( *)([A-Z][a-z]{2} \d{1,2}, \d{4} +\d{1,2}:\d{2}:\d{2} [AP]M)(?: \((.*)\))?$`)
	imessageNotice = regexp.MustCompile(`^([A-Z][a-z]{2} \d{1,2}, \d{4} +\d{1,2}:\d{2}:\d{2} [AP]M) ([^(].*)$`)
	imessageEdit   = regexp.MustCompile(`^Edited (?:.{1,80}) later: (.*)$`)
	imessageUnsent = regexp.MustCompile(`^.{1,200} unsent this message part .{1,80}!$`)
)

const (
	imessageReply   = "This message responded to an earlier message."
	imessageDeleted = "This message was deleted from the conversation!"
)

func looksIMessage(s *exports.Source) bool { return len(imessageFiles(s)) > 0 }

func imessageFiles(s *exports.Source) []exports.File {
	return s.TextsLike(func(head string) bool {
		for line := range strings.Lines(head) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				return imessageHead.MatchString(line) || imessageNotice.MatchString(line)
			}
		}
		return false
	})
}

func readIMessage(r *reading) {
	for _, f := range imessageFiles(r.Source) {
		m := &imessage{r: r, f: f, t: r.Talk(f.Name, r.ID(f.Stem()), f.Stem())}
		r.Lines(f, m.line)
		m.end()
		m.t.Flush()
	}
}

// maxMessage is the most bytes of lines that one message of a text file may have.
const maxMessage = 1 << 20

var errLongMessage = errors.New("a message of over 1 MiB: this is not a chat")

type imessage struct {
	r       *reading
	f       exports.File
	t       *exports.Talk
	cur     *exports.Line
	body    []string
	size    int
	named   bool // the sender was read
	blank   bool // the line before was empty
	quoting bool // inside an indented reply
}

func (m *imessage) line(n int, s string) error {
	apart := m.blank || m.cur == nil
	m.blank = s == ""
	if h := imessageHead.FindStringSubmatch(s); h != nil {
		if h[1] != "" {
			if !m.quoting {
				m.quoting = true
			}
			m.r.Leave("replies shown in context (they come again at their own time)")
			return nil
		}
		m.begin(n, h[2])
		m.cur.Meta.Str("read", h[3])
		return nil
	}
	if h := imessageNotice.FindStringSubmatch(s); h != nil && apart {
		m.begin(n, h[1])
		m.cur.Role, m.named, m.body = exports.RoleSystem, true, []string{h[2]}
		return nil
	}
	switch {
	case m.cur == nil:
		if s != "" {
			m.r.Leave("lines before the first message")
		}
	case m.quoting && (s == "" || strings.HasPrefix(s, "    ")):
	case !m.named:
		m.quoting, m.named = false, true
		if m.cur.Speaker = strings.TrimSpace(s); s == "Me" {
			m.cur.Speaker = ""
		}
	default:
		m.quoting = false
		if m.size += len(s) + 1; m.size > maxMessage {
			return errLongMessage
		}
		m.body = append(m.body, s)
	}
	return nil
}

func (m *imessage) begin(n int, stamp string) {
	m.end()
	stamp = exports.OneLine(stamp)
	at, err := time.ParseInLocation("Jan 2, 2006 3:04:05 PM", stamp, m.r.Options.Zone)
	if err != nil {
		at = time.Time{}
	}
	m.cur = &exports.Line{Role: exports.RoleUser, At: at, Stamp: stamp, Meta: exports.Meta{}}
	m.t.Where = m.f.Name + ":" + strconv.Itoa(n)
	m.body, m.size, m.named, m.quoting = nil, 0, false, false
}

// end gives out the message that was being read.
func (m *imessage) end() {
	if m.cur == nil {
		return
	}
	var text, taps, earlier []string
	tapping, part := false, -1
	for i, s := range m.body {
		first := imessageNotice.FindStringSubmatch(s)
		next := imessageEdit.FindStringSubmatch(s)
		switch {
		case s == "Tapbacks:" || s == "Reactions:":
			tapping = true
		case s == imessageReply:
			m.cur.Meta.Yes("reply", true)
		case s == imessageDeleted:
			m.cur.Meta.Yes("deleted", true)
		case tapping && (strings.Contains(s, " by ") || strings.HasPrefix(s, "    ") || strings.HasPrefix(s, "Sticker from ")):
			taps = append(taps, strings.TrimSpace(s))
		case tapping && s == "":
		case first != nil && slices.ContainsFunc(m.body[i+1:], imessageEdit.MatchString):
			m.cur.Meta.Yes("edited", true)
			part, text = len(text), append(text, first[2])
		case next != nil && part >= 0:
			earlier, text = append(earlier, strings.TrimSpace(strings.Join(text[part:], "\n"))), append(text[:part:part], next[1])
		default:
			tapping = false
			text = append(text, s)
		}
	}
	m.cur.Content = strings.TrimSpace(strings.Join(text, "\n"))
	m.cur.Meta.List("reactions", taps).List("earlier", earlier)
	if m.cur.Role == exports.RoleUser && imessageUnsent.MatchString(m.cur.Content) {
		m.cur.Role = exports.RoleSystem
	}
	if m.cur.Content != "" || len(taps) > 0 {
		m.t.Add(*m.cur)
	}
	m.cur = nil
}
