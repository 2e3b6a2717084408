package segment

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// ParseTranscript reads a transcript.md back: what [WriteTranscript] wrote, and files of the same form by other hands. Nothing
// that has one message at least is refused: damaged parts are left out and Whole is false then. It takes time
// linear in s and keeps parts of it.
func ParseTranscript(s string) (Transcript, error) {
	if nl := strings.IndexByte(s, '\n'); nl > 0 && s[nl-1] == '\r' {
		s = strings.ReplaceAll(s, "\r\n", "\n") // a file that went through another system
	}
	p := parser{s: strings.TrimPrefix(s, "\ufeff")}
	p.scan()
	if len(p.heads) == 0 && !p.titled {
		return Transcript{}, &lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "transcript", Msg: "has neither the title line nor a message",
			Hint: `expected "` + titleLine + `" and headings like "## 2026-01-11T08:30:00Z | User"`,
		}
	}
	shared, rest, whole := p.trailer()
	for i := range p.heads {
		m, names := p.message(i)
		var d detail
		if i < len(rest) {
			d = rest[i]
		}
		d.apply(&m, int64(i))
		m.Conversation, m.Document, m.Node = shared.Conversation, shared.Document, shared.Node
		p.t.Messages = append(p.t.Messages, m)
		if len(names) > 0 {
			if p.t.Artifacts == nil {
				p.t.Artifacts = map[int64][]string{}
			}
			p.t.Artifacts[m.Seq] = names
		}
	}
	p.t.Whole = whole
	return p.t, nil
}

type parser struct {
	s      string
	t      Transcript
	titled bool
	heads  []head
	end    int // where the messages end
	tail   int // where the lines of the comment begin, 0 without
}

// head is the heading of a message: its line, and what it says.
type head struct {
	start, body int
	at          time.Time
	label       string
}

// scan finds the headings, the fields above them and the comment below.
func (p *parser) scan() {
	p.end = len(p.s)
	before := "" // the last line that is not blank
	for at := 0; at < len(p.s); {
		stop := lineEnd(p.s, at)
		line := p.s[at:stop]
		next := min(stop+1, len(p.s))
		if strings.HasPrefix(line, trailerMark) {
			p.end, p.tail = at, next
			return
		}
		if h, ok := readHead(line); ok && (before == rule || len(p.heads) == 0) {
			h.start, h.body = at, next
			p.heads = append(p.heads, h)
		} else if len(p.heads) == 0 {
			p.field(line)
		}
		if strings.TrimSpace(line) != "" {
			before = line
		}
		at = next
	}
}

// readHead reads "## 2026-01-11T08:30:00Z | User".
func readHead(line string) (head, bool) {
	t, ok := strings.CutPrefix(line, headMark)
	if !ok {
		return head{}, false
	}
	at, label, ok := strings.Cut(t, headBar)
	if !ok {
		return head{}, false
	}
	h := head{label: strings.ToValidUTF8(label, "\ufffd")}
	if at == noTime {
		return h, true
	}
	when, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(at))
	h.at = when
	return h, err == nil
}

// field reads a line above the first message.
func (p *parser) field(line string) {
	if strings.TrimSpace(line) == titleLine {
		p.titled = true
	}
	if v, ok := strings.CutPrefix(line, folderMark); ok {
		p.t.Folder = strings.TrimSpace(v)
	}
	for mark, to := range map[string]*time.Time{startedMark: &p.t.Started, finalMark: &p.t.Finalized} {
		if v, ok := strings.CutPrefix(line, mark); ok {
			if t, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(v)); err == nil {
				*to = t
			}
		}
	}
}

// message reads message i as far as its visible part tells.
func (p *parser) message(i int) (lukasa.Message, []string) {
	h := p.heads[i]
	end := p.end
	raw := ""
	if i+1 < len(p.heads) {
		end = p.heads[i+1].start
		raw = p.s[h.body:end]
		if cut, ok := strings.CutSuffix(raw, "\n"+rule+"\n\n"); ok {
			raw = cut
		} else {
			raw = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(raw, " \n"), rule), "\n") + "\n"
		}
	} else {
		raw = p.s[h.body:end]
		if p.tail > 0 {
			raw = strings.TrimSuffix(raw, "\n")
		}
	}
	raw = strings.TrimSuffix(strings.TrimPrefix(raw, "\n"), "\n")
	var names []string
	if at := strings.LastIndexByte(raw, '\n') + 1; at >= 2 && raw[at-2] == '\n' && strings.HasPrefix(raw[at:], artifactMark) {
		names = readRefs(raw[at:])
		raw = raw[:at-2]
	}
	m := lukasa.Message{Content: unescape(raw), Metadata: map[string]any{}}
	m.Role, m.Speaker = readLabel(h.label)
	if !h.at.IsZero() {
		m.Time = &h.at
	}
	return m, names
}

// readRefs reads the names from "**Artifacts:** [a](artifacts/a), [b](artifacts/b)".
func readRefs(line string) []string {
	var names []string
	for {
		_, rest, ok := strings.Cut(line, "](artifacts/")
		if !ok {
			return names
		}
		name, rest, ok := strings.Cut(rest, ")")
		if !ok {
			return names
		}
		names = append(names, unescapePath(name))
		line = rest
	}
}

// trailer reads the comment. It is whole when there is none, or when it has a line for each message.
func (p *parser) trailer() (shared common, list []detail, whole bool) {
	if p.tail == 0 {
		return shared, nil, true
	}
	lines := p.s[p.tail:]
	line, lines, _ := strings.Cut(lines, "\n")
	if json.Unmarshal([]byte(line), &shared) != nil {
		return common{}, nil, false
	}
	for len(list) < len(p.heads) {
		line, rest, more := strings.Cut(lines, "\n")
		var d detail
		if !more || json.Unmarshal([]byte(line), &d) != nil {
			return shared, list, false
		}
		list, lines = append(list, d), rest
	}
	return shared, list, strings.TrimSpace(lines) == trailerEnd
}

// apply adds to message n what the comment tells of it.
func (d *detail) apply(m *lukasa.Message, n int64) {
	m.ID, m.ExternalID, m.Session, m.Tokens, m.Seq = d.ID, d.External, d.Session, d.Tokens, n
	if d.Seq != nil {
		m.Seq = *d.Seq
	}
	if d.Role != nil {
		m.Role = *d.Role
	}
	if d.Speaker != nil {
		m.Speaker = *d.Speaker
	}
	if d.Metadata != nil {
		m.Metadata = d.Metadata
	}
	if d.NoMeta {
		m.Metadata = nil
	}
	if d.Untimed && m.Time != nil {
		m.CreatedAt, m.Time = *m.Time, nil
	}
	if d.Time != nil {
		m.Time = d.Time
	}
	if d.Created != nil {
		m.CreatedAt = *d.Created
	}
}
