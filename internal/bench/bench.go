// Package bench measures how well a search finds what is known to be the answer: it reads questions with their evidence,
// asks a searcher, and scores the order that comes back.
//
// The neutral format is JSON lines, one conversation (or collection of documents) a line; see [Conversation]. The metrics
// are recall@k (the mean over questions of the share of the evidence among the first k), hit@k (any of it), MRR (of the
// first evidence, without a cut-off) and nDCG@10 (binary gains). Questions without evidence are not asked.
package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Conversation is one line of a data file: what is remembered, and what is asked about it.
type Conversation struct {
	Name      string     `json:"conversation"`
	Source    string     `json:"source"`
	Speakers  []string   `json:"speakers"`
	Turns     []Turn     `json:"turns"`
	Questions []Question `json:"questions"`
}

// Turn is one message, or one document of a collection.
type Turn struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Time    string `json:"time"` // RFC 3339, or "" where it is not known
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	Caption string `json:"caption,omitempty"` // what a picture that came with it shows
}

// Content is the text that is indexed: the words, and the caption in brackets.
func (t *Turn) Content() string {
	switch {
	case t.Caption == "":
		return t.Text
	case t.Text == "":
		return "[image: " + t.Caption + "]"
	}
	return t.Text + " [image: " + t.Caption + "]"
}

// When returns the time of the turn, zero where it is not known.
func (t *Turn) When() time.Time {
	at, err := time.Parse(time.RFC3339, t.Time)
	if err != nil {
		return time.Time{}
	}
	return at
}

// Question is asked about its conversation. Evidence names the turns that answer it.
type Question struct {
	ID               string   `json:"id"`
	Text             string   `json:"text"`
	Category         string   `json:"category"`
	Evidence         []string `json:"evidence"`
	EvidenceSessions []string `json:"evidence_sessions"`
	AskedAt          string   `json:"asked_at,omitempty"`
}

// maxLine is the longest line that Read takes, in bytes.
const maxLine = 64 << 20

// ErrFormat says that a line is not a conversation.
var ErrFormat = errors.New("not the neutral format")

// Read reads conversations, one a line; blank lines are skipped. An error wraps [ErrFormat] or comes from r.
func Read(r io.Reader) ([]Conversation, error) {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<20), maxLine)
	var out []Conversation
	for n := 1; s.Scan(); n++ {
		line := bytes.TrimSpace(s.Bytes())
		if len(line) == 0 {
			continue
		}
		var c Conversation
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("read line %d: %w: %w", n, ErrFormat, err)
		}
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("read line %d: %w: %w", n, ErrFormat, err)
		}
		out = append(out, c)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read conversations: %w", err)
	}
	return out, nil
}

func (c *Conversation) check() error {
	if c.Name == "" {
		return errors.New("the conversation has no name")
	}
	seen := make(map[string]bool, len(c.Turns))
	for _, t := range c.Turns {
		if t.ID == "" || seen[t.ID] {
			return fmt.Errorf("turn id %q is empty or comes twice", t.ID)
		}
		seen[t.ID] = true
	}
	for _, q := range c.Questions {
		if q.ID == "" {
			return errors.New("a question has no id")
		}
	}
	return nil
}
