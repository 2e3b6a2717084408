package engine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/chat"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// DefiningQuery narrows a listing of defining memories.
type DefiningQuery = client.DefiningQuery

// DefiningMemory is a moment that shapes what comes after it, as doors and the SDK show it.
type DefiningMemory = client.DefiningMemory

// MessageContext is a message with what was said around it.
type MessageContext = client.MessageContext

const (
	contextBytes = 300 // of what was said on each side of a defining moment
	maxAround    = 100 // messages on each side of one
)

// DefiningMemories lists decisions, milestones, events and turning points, newest first.
func (e *Engine) DefiningMemories(ctx context.Context, sc lukasa.Scope, f DefiningQuery, p lukasa.Page) (lukasa.Listing[DefiningMemory], error) {
	mf := lukasa.MemoryFilter{Containers: f.Containers, Kinds: f.Kinds, After: f.Since, ValidAt: f.ValidAt}
	for _, k := range f.Kinds {
		if !k.Defining() {
			return lukasa.Listing[DefiningMemory]{}, lukasa.Invalid("type", "%q is not one of decision, milestone, event, turning_point", k)
		}
	}
	if len(mf.Kinds) == 0 {
		mf.Kinds = chat.Defining()
	}
	if yes := true; !f.Superseded && f.ValidAt == nil {
		mf.Latest = &yes
	}
	return viewAt(ctx, e, sc, f.At, func(r store.Reader) (lukasa.Listing[DefiningMemory], error) {
		l, err := r.Memories(mf, p)
		out := lukasa.Listing[DefiningMemory]{Items: []DefiningMemory{}, Next: l.Next, Total: l.Total}
		if err != nil {
			return out, err
		}
		for _, m := range l.Items {
			x, err := moment(r, m)
			if err != nil {
				return out, err
			}
			out.Items = append(out.Items, x)
		}
		return out, nil
	})
}

// moment is a defining memory with what was said around it.
func moment(r store.Reader, m lukasa.Memory) (DefiningMemory, error) {
	x := DefiningMemory{
		ID: m.ID, Type: m.Kind, Summary: m.Content, DetectedAt: m.RecordedAt, OccurredAt: m.OccurredAt, Container: m.Path, Tags: m.Tags, Confidence: m.Confidence,
		IsLatest: m.IsLatest,
	}
	if x.Tags == nil {
		x.Tags = []string{}
	}
	if len(m.Sources) == 0 {
		return x, nil
	}
	src := m.Sources[0]
	x.Context = src.Quote
	if src.Message != "" {
		list, err := r.MessagesByID([]lukasa.ID{src.Message})
		if err != nil || len(list) == 0 {
			return x, err
		}
		x.Message, x.RecallFile = src.Message, list[0].Document
		x.Context = around(list[0].Content, src.Start, src.End, x.Context)
		return x, nil
	}
	d, err := r.Document(src.Document)
	if lukasa.CodeOf(err) == lukasa.CodeNotFound { // it stands where this scope does not see it
		return x, nil
	}
	x.RecallFile = src.Document
	x.Context = around(d.Content, src.Start, src.End, x.Context)
	return x, err
}

// around is a stretch of a text with what stands on both sides of it, cut between words; none where the text is elsewhere.
func around(s string, start, end int, none string) string {
	if start < 0 || end > len(s) || start >= end {
		return none
	}
	from, to := max(0, start-contextBytes), min(len(s), end+contextBytes)
	for from > 0 && from < start && !utf8.RuneStart(s[from]) {
		from++
	}
	for to < len(s) && to > end && !utf8.RuneStart(s[to]) {
		to--
	}
	head, tail := s[from:start], s[end:to]
	if i := strings.IndexAny(head, " \n"); from > 0 && i >= 0 {
		head = "…" + head[i:]
	}
	if i := strings.LastIndexAny(tail, " \n"); to < len(s) && i >= 0 {
		tail = tail[:i] + " …"
	}
	return strings.TrimSpace(head + s[start:end] + tail)
}

// MessageContext returns a message with what was said before and after it, oldest first, across the bounds of segments, by what was
// known at a moment.
func (e *Engine) MessageContext(ctx context.Context, sc lukasa.Scope, id lukasa.ID, before, after int, at time.Time) (MessageContext, error) {
	for name, n := range map[string]int{"before": before, "after": after} {
		if n < 0 || n > maxAround {
			return MessageContext{}, lukasa.Invalid(name, "is not between 0 and %d", maxAround)
		}
	}
	return viewAt(ctx, e, sc, at, func(r store.Reader) (MessageContext, error) {
		out := MessageContext{Before: []lukasa.Message{}, After: []lukasa.Message{}}
		list, err := r.MessagesByID([]lukasa.ID{id})
		if err != nil {
			return out, err
		}
		if len(list) == 0 {
			return out, lukasa.NotFound("message", id)
		}
		out.Message = list[0]
		if out.Before, err = saidBefore(r, out.Message, before); err != nil {
			return out, err
		}
		out.After, err = saidAfter(r, out.Message, after)
		return out, err
	})
}

// saidBefore walks from segment to segment towards the start of the conversation.
func saidBefore(r store.Reader, m lukasa.Message, n int) ([]lukasa.Message, error) {
	part, err := stretch(r, m.Document, n, m.Seq)
	out := part
	if err != nil || len(out) == n {
		return out, err
	}
	segs, at, err := chain(r, m)
	for i := at - 1; err == nil && i >= 0 && len(out) < n; i-- {
		part, err = stretch(r, segs[i].Document, n-len(out), min(m.Seq, segs[i].Last+1))
		out = slices.Concat(part, out)
	}
	return out, err
}

// stretch are the last n messages of a segment before a place.
func stretch(r store.Reader, doc lukasa.ID, n int, before int64) ([]lukasa.Message, error) {
	out := []lukasa.Message{}
	if n == 0 {
		return out, nil
	}
	// Places are counted through the conversation: the last n stand in the last n places, but for those that were deleted.
	for wide := int64(n); ; wide *= 8 {
		from := max(0, before-wide)
		out = out[:0]
		err := r.MessagesIn(doc, from, func(x lukasa.Message) bool {
			if x.Seq < before {
				out = append(out, x)
			}
			return x.Seq < before
		})
		if err != nil || len(out) >= n || from == 0 {
			return out[max(0, len(out)-n):], err
		}
	}
}

// saidAfter walks from segment to segment towards the end of the conversation.
func saidAfter(r store.Reader, m lukasa.Message, n int) ([]lukasa.Message, error) {
	out := []lukasa.Message{}
	more := func(doc lukasa.ID) error {
		return r.MessagesIn(doc, m.Seq+1, func(x lukasa.Message) bool {
			out = append(out, x)
			return len(out) < n
		})
	}
	if n == 0 {
		return out, nil
	}
	if err := more(m.Document); err != nil || len(out) == n {
		return out, err
	}
	segs, at, err := chain(r, m)
	for i := at + 1; err == nil && i < len(segs) && len(out) < n; i++ {
		err = more(segs[i].Document)
	}
	return out, err
}

// chain are the segments of a message's conversation in order, and which of them it stands in.
func chain(r store.Reader, m lukasa.Message) (list []lukasa.Segment, at int, err error) {
	for p := (lukasa.Page{Limit: 100}); ; {
		l, err := r.Segments(SegmentFilter{Conversation: m.Conversation}, p)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, l.Items...)
		if p.Cursor = l.Next; l.Next == "" {
			break
		}
	}
	first := func(s lukasa.Segment) int64 { // one that has not ended has not counted yet, and is the last
		if s.Trigger == "" {
			return math.MaxInt64
		}
		return s.First
	}
	slices.SortStableFunc(list, func(a, b lukasa.Segment) int { return cmp.Compare(first(a), first(b)) })
	return list, slices.IndexFunc(list, func(s lukasa.Segment) bool { return s.Document == m.Document }), nil
}

// FinishConversation ends what is open of a conversation, named by its id or its name (in a container, or the only one that has
// it), and returns its newest recall file.
func (e *Engine) FinishConversation(ctx context.Context, sc lukasa.Scope, idOrName, container string) (RecallPage, error) {
	if err := sc.CanWrite(); err != nil {
		return RecallPage{}, err
	}
	c, err := e.ConversationNamed(ctx, sc, idOrName, container, time.Time{})
	if err != nil {
		return RecallPage{}, err
	}
	s, err := e.EndConversation(ctx, sc, c.ID)
	if err != nil {
		return RecallPage{}, err
	}
	if s.Document == "" { // nothing was open: it was ended before
		l, err := e.RecallPages(ctx, sc, RecallQuery{Conversation: c.ID}, lukasa.Page{Limit: 1})
		if err == nil && len(l.Items) == 0 {
			err = lukasa.Errorf(lukasa.CodeConflict, "nothing was ever said in this conversation")
		}
		if err != nil {
			return RecallPage{}, err
		}
		return l.Items[0], nil
	}
	return e.RecallFilePage(ctx, sc, s.Document, time.Time{})
}

// ConversationNamed returns a conversation as it was at a moment, by its id or by the caller's own name for it: that of one that stands or was begun in the
// container, or, without one, of the only one that the scope sees.
func (e *Engine) ConversationNamed(ctx context.Context, sc lukasa.Scope, idOrName, container string, at time.Time) (lukasa.Conversation, error) {
	id, noID := lukasa.ParseID(lukasa.PrefixConversation, idOrName)
	if noID == nil {
		return e.Conversation(ctx, sc, id, at)
	}
	return viewAt(ctx, e, sc, at, func(r store.Reader) (c lukasa.Conversation, err error) {
		var in []lukasa.Pattern
		if container != "" {
			p, err := lukasa.ParsePath(container)
			if err != nil {
				return c, err
			}
			in = []lukasa.Pattern{{Path: p, Mode: '!'}}
		}
		nodes, err := r.Nodes(in, false)
		if err != nil {
			return c, err
		}
		var found []lukasa.Conversation
		for _, n := range nodes {
			c, err := r.ConversationAt(n.ID, idOrName, false)
			if container != "" && lukasa.CodeOf(err) == lukasa.CodeNotFound {
				c, err = r.ConversationAt(n.ID, idOrName, true)
			}
			switch {
			case err == nil:
				found = append(found, c)
			case lukasa.CodeOf(err) != lukasa.CodeNotFound:
				return c, err
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) == 0 && lukasa.ID(idOrName).Prefix() != "": // it was meant for an id
			return c, noID
		case len(found) == 0:
			return c, lukasa.NotFound("conversation", idOrName)
		}
		return c, &lukasa.Error{
			Code: lukasa.CodeConflict, Field: "conversation", Msg: "several containers have one of this name",
			Hint: "name the container, or give the conversation's id: " + string(found[0].ID) + " is that of " + string(found[0].Path),
		}
	})
}
