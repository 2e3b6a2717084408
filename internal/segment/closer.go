package segment

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Trigger says why a stretch was closed.
type Trigger string

// The triggers.
const (
	TokenThreshold  Trigger = "chunk_threshold"
	ConversationEnd Trigger = "conversation_end"
	EventBoundary   Trigger = "event_boundary"
)

// Limits say when a stretch closes. The zero value is the default of each.
type Limits struct {
	Tokens  int           // soft threshold; 0 means 50,000
	Most    int           // no stretch of several messages passes it; 0 means Tokens and 24 % more
	Silence time.Duration // a pause that ends an event; 0 means 6 hours, negative none
	Least   int           // tokens that a stretch needs before a silence closes it; 0 means 400, negative none
	Topic   int           // tokens that a stretch needs before a change of topic closes it; 0 means 8,000, negative: topics never close
}

// The defaults of [Limits], and the constants around them.
const (
	DefaultTokens  = 50_000
	defaultSilence = 6 * time.Hour
	shortSilence   = 30 * time.Minute // near the threshold, this pause is enough
	defaultLeast   = 400
	defaultTopic   = 8_000
	aboveSoft      = 24 // per cent: 500,000 gives 620,000
	belowSoft      = 4  // per cent: 500,000 gives 480,000
	humanTurns     = 8  // so many turns without an assistant's are a talk between people
	keptSessions   = 8
	maxLabel       = 120 // bytes of a session or speaker that are told apart
)

func (l Limits) filled() Limits {
	if l.Tokens <= 0 {
		l.Tokens = DefaultTokens
	}
	if l.Most <= 0 {
		l.Most = l.Tokens + l.Tokens/100*aboveSoft + l.Tokens%100*aboveSoft/100
	}
	l.Most = max(l.Most, l.Tokens)
	if l.Silence == 0 {
		l.Silence = defaultSilence
	}
	if l.Least == 0 {
		l.Least = defaultLeast
	}
	if l.Topic == 0 {
		l.Topic = defaultTopic
	}
	return l
}

// Boundary closes the messages with First <= Seq < Next. Next may lie before the newest message: what a change of topic
// or the upper bound separates is only seen behind it. The messages from Next on belong to the stretch that follows.
type Boundary struct {
	First    int64   `json:"first"`
	Next     int64   `json:"next"`
	Messages int     `json:"messages"`
	Tokens   int     `json:"tokens"`
	Trigger  Trigger `json:"trigger"`
	Detail   string  `json:"detail"` // for people: what was seen
}

// State is what a [Closer] knows between two messages: a few kilobytes at most, whatever the length of the conversation.
// Its zero value is a conversation without messages. It may be kept as JSON and continued by another process.
type State struct {
	Count    int64     `json:"count"`           // messages so far
	Total    int64     `json:"total"`           // tokens so far
	Last     int64     `json:"last"`            // seq of the newest message
	Edits    int64     `json:"edits,omitempty"` // messages that were replaced since: what was heard of the old ones is not true any more
	Start    mark      `json:"start"`           // where the open stretch begins
	Clean    mark      `json:"clean,omitzero"`  // behind the last completed answer; zero: none in this stretch
	At       time.Time `json:"at,omitzero"`     // of the newest message
	Told     bool      `json:"told,omitempty"`  // At is the message's own time, not that of its arrival
	Pending  bool      `json:"pending"`         // a turn waits for its answer
	Asked    bool      `json:"asked,omitempty"` // the newest message ends in a question
	Answers  bool      `json:"answers"`         // an assistant has spoken in this conversation
	Speaker  string    `json:"speaker,omitempty"`
	Session  string    `json:"session,omitempty"`
	Sessions []uint32  `json:"sessions,omitempty"` // hashes of the labels before, newest last
	Topics   tiles     `json:"topics,omitzero"`
}

// mark is a place between two messages: the seq of the message behind it, and what lies before it.
type mark struct {
	Seq   int64 `json:"seq"`
	Count int64 `json:"count"`
	Total int64 `json:"total"`
}

// Closer decides where stretches end. It sees each message once, in the order of Seq, and takes constant time for each beside
// reading its words. A boundary once given is never moved by what comes later, and how messages are batched does not
// matter. Not for concurrent use.
type Closer struct {
	lim   Limits
	st    State
	words words
}

// NewCloser continues from a state; the zero State is a new conversation.
func NewCloser(l Limits, st State) *Closer {
	return &Closer{lim: l.filled(), st: st.clone()}
}

// State returns what has to be kept to go on later.
func (c *Closer) State() State { return c.st.clone() }

// Edit notes that a message which was seen before has another content now. It moves no boundary.
func (c *Closer) Edit() { c.st.Edits++ }

// clone returns a state that shares nothing with st.
func (s State) clone() State {
	s.Sessions = slices.Clone(s.Sessions)
	s.Topics.Kept, s.Topics.Gaps = slices.Clone(s.Topics.Kept), slices.Clone(s.Topics.Gaps)
	return s
}

// Open returns how many messages and tokens the open stretch has.
func (c *Closer) Open() (messages, tokens int) {
	return int(c.st.Count - c.st.Start.Count), int(c.st.Total - c.st.Start.Total)
}

// Add takes the next message (its Seq, Role, Speaker, Session, Content, Tokens, times and Metadata count) and returns the boundaries that it brings to light, in order: mostly none,
// seldom more than one. A message whose Seq is not above the last one's was seen before and changes nothing.
//
// A stretch closes behind a completed answer, never between a turn and its answer, once it has Limits.Tokens (from 4 % below on
// where there is a pause of half an hour); before a turn that follows a long silence or carries a session label not
// met before; where the topic changes; and, whatever is being said, before it would pass Limits.Most. There it closes
// behind the last completed answer when the stretch has one. A message is never cut, so that one which is longer than
// Limits.Most alone is a stretch of its own.
//
// An answer is a message of role assistant (or model, ai, bot) that calls no tool and is not marked as unfinished. Where no
// assistant takes part, any turn that is not a question, by another speaker than the turn before, completes an exchange.
func (c *Closer) Add(m lukasa.Message) []Boundary {
	st := &c.st
	if st.Count > 0 && m.Seq <= st.Last {
		return nil
	}
	m.Tokens = max(m.Tokens, 0)
	m.Session, m.Speaker = clip(m.Session, maxLabel), clip(m.Speaker, maxLabel)
	var out []Boundary
	if st.Count == 0 {
		st.Start = mark{Seq: m.Seq}
	} else {
		out = c.before(m)
	}
	c.take(m)
	if b, ok := c.topic(m); ok {
		out = append(out, b)
	}
	if b, ok := c.after(m); ok {
		out = append(out, b)
	}
	return out
}

// End closes what is open because the conversation has ended; false when nothing is.
func (c *Closer) End() (Boundary, bool) {
	if n, _ := c.Open(); n == 0 {
		return Boundary{}, false
	}
	b := c.close(c.here(c.st.Last+1), ConversationEnd, "the conversation ended")
	c.st.Pending, c.st.Asked = false, false
	return b, true
}

// Rest closes what is open because nothing has been said for so long; false when that is no event of its own ([Limits.Least]), or
// silence never is.
func (c *Closer) Rest(quiet time.Duration) (Boundary, bool) {
	if n, open := c.Open(); n == 0 || c.lim.Silence < 0 || quiet < c.lim.Silence || open < c.lim.Least {
		return Boundary{}, false
	}
	b := c.close(c.here(c.st.Last+1), EventBoundary, "a silence of "+span(quiet))
	c.st.Pending, c.st.Asked = false, false
	return b, true
}

// Rests returns when a stretch closes by silence alone: after how long, with how many tokens. Zero: never.
func (l Limits) Rests() (silence time.Duration, tokens int) {
	l = l.filled()
	return max(l.Silence, 0), l.Least
}

// here is the place behind all messages so far, with next as the seq of what follows.
func (c *Closer) here(next int64) mark {
	return mark{Seq: next, Count: c.st.Count, Total: c.st.Total}
}

// close ends the open stretch at a place.
func (c *Closer) close(at mark, t Trigger, detail string) Boundary {
	st := &c.st
	b := Boundary{
		First: st.Start.Seq, Next: at.Seq, Messages: int(at.Count - st.Start.Count), Tokens: int(at.Total - st.Start.Total),
		Trigger: t, Detail: detail,
	}
	st.Start = at
	if st.Clean.Count <= at.Count {
		st.Clean = mark{}
	}
	st.Topics.cut(at)
	return b
}

// before looks at the gap between the newest message and m.
func (c *Closer) before(m lukasa.Message) []Boundary {
	st := &c.st
	messages, open := c.Open()
	if messages == 0 {
		return nil
	}
	if free := c.free(m); free {
		if detail, ok := c.event(m, open); ok {
			return []Boundary{c.close(c.here(m.Seq), EventBoundary, detail)}
		}
		pause, known := c.pause(m)
		if near := c.lim.Tokens - c.lim.Tokens*belowSoft/100; open >= near && st.Clean.Count == st.Count && known && pause >= shortSilence {
			return []Boundary{c.close(c.here(m.Seq), TokenThreshold, fmt.Sprintf("%d of %d tokens, and a pause of %s", open, c.lim.Tokens, span(pause)))}
		}
	}
	var out []Boundary
	if open+m.Tokens > c.lim.Most && st.Clean.Count > st.Start.Count {
		detail := fmt.Sprintf("what follows the last answer would make it more than %d tokens", c.lim.Most)
		out = append(out, c.close(st.Clean, TokenThreshold, detail))
		messages, open = c.Open()
	}
	if open+m.Tokens > c.lim.Most && messages > 0 {
		detail := fmt.Sprintf("an exchange of more than %d tokens", c.lim.Most)
		out = append(out, c.close(c.here(m.Seq), TokenThreshold, detail))
	}
	return out
}

// free reports whether a stretch may end before m without parting a turn from its answer.
func (c *Closer) free(m lukasa.Message) bool {
	switch roleOf(m) {
	case roleTool:
		return false
	case roleAssistant:
		return !c.st.Pending
	}
	return true
}

// event looks for the end of an event before m.
func (c *Closer) event(m lukasa.Message, open int) (string, bool) {
	st := &c.st
	if m.Session != "" && st.Session != "" && m.Session != st.Session && !st.met(m.Session) {
		return fmt.Sprintf("session %s after %s", short(m.Session), short(st.Session)), true
	}
	pause, known := c.pause(m)
	if !known || c.lim.Silence < 0 || pause < c.lim.Silence || open < c.lim.Least {
		return "", false
	}
	if st.Asked && roleOf(m) == roleNone && m.Speaker != st.Speaker {
		return "", false // a late answer
	}
	return "a silence of " + span(pause), true
}

// pause is how long it was quiet before m. It is not known when only one of the two messages tells its own time.
func (c *Closer) pause(m lukasa.Message) (time.Duration, bool) {
	at, told := when(m)
	if at.IsZero() || c.st.At.IsZero() || told != c.st.Told {
		return 0, false
	}
	return at.Sub(c.st.At), true
}

func when(m lukasa.Message) (at time.Time, told bool) {
	if m.Time != nil {
		return *m.Time, true
	}
	return m.CreatedAt, false
}

// take adds m to the open stretch.
func (c *Closer) take(m lukasa.Message) {
	st := &c.st
	fresh := st.Count == 0
	role := roleOf(m)
	asks := endsAsking(m.Content)
	if !fresh && role != roleSystem {
		c.topicGap(m)
	}
	st.Topics.add(c.words.of(m, role))
	st.Count++
	st.Total += int64(m.Tokens)
	st.Last = m.Seq
	if at, told := when(m); fresh || told || !st.Told {
		st.At, st.Told = at.UTC(), told
	}
	done := false
	switch role {
	case roleSystem:
	case roleAssistant:
		st.Answers = true
		done = !unfinished(m)
		st.Pending = !done
	case roleTool:
		st.Pending = true
	case roleUser:
		st.Pending = true
		done = !st.Answers && st.Count >= humanTurns && !asks && m.Speaker != st.Speaker
	default:
		st.Pending = asks
		done = !asks && (m.Speaker != st.Speaker || m.Speaker == "")
	}
	if done {
		st.Clean = c.here(m.Seq + 1)
	}
	if role != roleSystem {
		st.Asked, st.Speaker = asks, m.Speaker
	}
	if m.Session != "" && m.Session != st.Session && (st.Session == "" || role != roleAssistant && role != roleTool) {
		st.meet(st.Session)
		st.Session = m.Session
	}
}

// after closes behind m when it completes an answer and the stretch is long enough.
func (c *Closer) after(m lukasa.Message) (Boundary, bool) {
	_, open := c.Open()
	if open < c.lim.Tokens || c.st.Clean.Count != c.st.Count {
		return Boundary{}, false
	}
	return c.close(c.here(m.Seq+1), TokenThreshold, fmt.Sprintf("%d of %d tokens", open, c.lim.Tokens)), true
}

func (s *State) met(session string) bool {
	return slices.Contains(s.Sessions, hash32(session))
}

// meet remembers a label, so that speakers in two sessions at once do not close a stretch at every turn.
func (s *State) meet(session string) {
	if session == "" || s.met(session) {
		return
	}
	if len(s.Sessions) == keptSessions {
		s.Sessions = append(s.Sessions[:0:0], s.Sessions[1:]...)
	}
	s.Sessions = append(slices.Clip(s.Sessions), hash32(session))
}

// role is what a message's role comes down to.
type role uint8

const (
	roleNone role = iota // people who talk
	roleUser
	roleAssistant
	roleTool
	roleSystem
)

func roleOf(m lukasa.Message) role {
	switch strings.ToLower(m.Role) {
	case "":
		return roleNone
	case "assistant", "model", "ai", "bot", "agent":
		return roleAssistant
	case "tool", "function", "tool_result", "ipython":
		return roleTool
	case "system", "developer":
		return roleSystem
	}
	return roleUser
}

// unfinished reports whether an assistant's message goes on: it calls tools, or says that it was cut.
func unfinished(m lukasa.Message) bool {
	for _, k := range []string{"tool_calls", "function_call"} {
		switch v := m.Metadata[k].(type) {
		case nil, bool:
		case []any:
			if len(v) > 0 {
				return true
			}
		default:
			return true
		}
	}
	for _, k := range []string{"finish_reason", "stop_reason"} {
		if s, _ := m.Metadata[k].(string); s == "tool_calls" || s == "tool_use" || s == "function_call" || s == "length" || s == "max_tokens" || s == "pause_turn" {
			return true
		}
	}
	for _, k := range []string{"partial", "unfinished"} {
		if b, _ := m.Metadata[k].(bool); b {
			return true
		}
	}
	return false
}

func endsAsking(s string) bool {
	s = strings.TrimRight(s, " \t\r\n\"'”’)*_")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟")
}

// span writes a duration for people: 45 minutes, 7 hours, 3 days.
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d/(24*time.Hour)))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d/time.Hour))
	}
	return fmt.Sprintf("%d minutes", int(d/time.Minute))
}

// short quotes a label of the caller's for a detail.
func short(s string) string { return fmt.Sprintf("%q", clip(s, 40)) }
