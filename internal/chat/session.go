package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/brief"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
)

// session is what somebody was given: digests of texts, oldest first. What says something else by now is given again, and so is
// what was clipped.
type session struct {
	Given []string `json:"given"`
}

const maxGiven = 4000

// digest names the words of a text.
func digest(s string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.Join(strings.Fields(s), " "))))
	return hex.EncodeToString(sum[:8])
}

// textOf is what a brief shows of a hit first.
func textOf(h lukasa.Hit) string {
	if strings.TrimSpace(h.Content) == "" && h.Document != nil {
		return h.Document.Summary
	}
	return h.Content
}

// tellingOf names what a brief says of a hit: its text, and what of it is no longer so.
func tellingOf(h lukasa.Hit) string { return digest(textOf(h) + " " + brief.Notes(h)) }

func (s session) has(h lukasa.Hit) bool { return slices.Contains(s.Given, tellingOf(h)) }

// with adds what a brief gives: the hits that it shows, and those that it leaves out because one of these says the same.
func (s session) with(b Briefing) session {
	var shown []lukasa.Hit
	fresh := slices.Clone(s.Given)
	for _, i := range b.Items {
		if !i.Clipped {
			shown = append(shown, b.Hits[i.Index])
			fresh = append(fresh, tellingOf(b.Hits[i.Index]))
		}
	}
	same := map[lukasa.ID]bool{}
	for _, l := range b.Left {
		same[l.ID] = l.Reason == brief.LeftDuplicate
	}
	for _, h := range b.Hits {
		if same[h.ID] && slices.ContainsFunc(shown, func(x lukasa.Hit) bool { return tells(x, h) }) {
			fresh = append(fresh, tellingOf(h))
		}
	}
	return session{Given: fresh[max(0, len(fresh)-maxGiven):]}
}

// tells reports whether a hit says what another does: nearly the same words, or those that the other, a memory, rests on.
func tells(x, h lukasa.Hit) bool {
	if merge.Similar(textOf(x), textOf(h)) {
		return true
	}
	return h.Memory != nil && x.Message != nil && slices.ContainsFunc(h.Memory.Sources, func(s lukasa.Source) bool { return s.Message == x.Message.Record })
}

// sessionKey is where it stands what a session was given; "" without a session. Each credential has sessions of its own, as
// each may see something else.
func sessionKey(sc lukasa.Scope, name string) string {
	if name == "" {
		return ""
	}
	return cache.Key("brief session", string(sc.Owner), string(sc.Principal), string(sc.Key), name)
}

// session reads what a session was given. Where that was lost, it is given again.
func (p *Path) session(ctx context.Context, key string) (s session) {
	if key == "" {
		return s
	}
	if data, ok := p.Cache.Get(ctx, key); !ok || json.Unmarshal(data, &s) != nil {
		return session{}
	}
	return s
}

func (p *Path) keepSession(ctx context.Context, key string, s session) {
	if key == "" {
		return
	}
	if data, err := json.Marshal(s); err == nil {
		p.Cache.Set(ctx, key, data, p.opt.SessionFor)
	}
}
