package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/segment"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// RecallQuery narrows a listing of recall files.
type RecallQuery = client.RecallFileQuery

// RecallPage is a recall file as doors and the SDK show it.
type RecallPage = client.RecallFile

// The parts of a recall file that can be asked for.
const (
	PartSummary    = ingest.RoleSummary
	PartKeywords   = ingest.RoleKeywords
	PartTranscript = ingest.RoleTranscript
	PartArtifacts  = "artifacts"
)

// The bounds of recall files.
const (
	hotFor       = time.Hour
	maxScanned   = 10_000 // segments that are looked at where the store cannot sort or match
	maxLinked    = 20     // entities shown with a recall file
	linkedOf     = 1000   // messages whose entities are counted
	scanCursor   = "at:"  // begins the cursor of a scanned listing
	defaultLimit = 20
)

// RecallPages lists recall files, newest first, without their texts.
func (e *Engine) RecallPages(ctx context.Context, sc lukasa.Scope, f RecallQuery, p lukasa.Page) (lukasa.Listing[RecallPage], error) {
	sf := SegmentFilter{Containers: f.Containers, Conversation: f.Conversation, States: f.Status, Topic: strings.TrimSpace(f.Topic), Oldest: f.Oldest}
	for _, s := range f.Status {
		if s != lukasa.SegmentOpen && s != lukasa.SegmentFinalized && s != lukasa.SegmentArchived {
			return lukasa.Listing[RecallPage]{}, lukasa.Invalid("status", "%q is not one of active, finalized, archived", s)
		}
	}
	sorts := map[string]string{"": "created", "created_at": "created", "updated_at": "updated", "topic": "topic", "token_count": "tokens", "last_accessed_at": "created"}
	var ok bool
	if sf.Sort, ok = sorts[f.Sort]; !ok {
		return lukasa.Listing[RecallPage]{}, lukasa.Invalid("sort", "%q is not one of created_at, updated_at, last_accessed_at, topic, token_count", f.Sort)
	}
	byAccess := f.Sort == "last_accessed_at"
	scanned := strings.HasPrefix(p.Cursor, scanCursor)
	return viewAt(ctx, e, sc, f.At, func(r store.Reader) (lukasa.Listing[RecallPage], error) {
		if !byAccess && !scanned {
			l, err := r.Segments(sf, p)
			if err != nil || l.Total > 0 || sf.Topic == "" {
				return e.pages(r, l, err)
			}
		}
		return e.scan(r, sf, p, byAccess)
	})
}

// scan lists what the store cannot: topics that are spelled about like the one asked for where none holds it, and the order
// of last access. It looks at the newest 10,000.
func (e *Engine) scan(r store.Reader, f SegmentFilter, p lukasa.Page, byAccess bool) (lukasa.Listing[RecallPage], error) {
	none := lukasa.Listing[RecallPage]{Items: []RecallPage{}}
	if at, ok := strings.CutPrefix(p.Cursor, scanCursor); ok {
		n, err := strconv.Atoi(at)
		if err != nil || n < 0 {
			return none, lukasa.Invalid("cursor", "is not one that a listing gave")
		}
		p.Offset = n
	}
	if p.Limit = cmp.Or(p.Limit, defaultLimit); p.Limit < 1 || p.Limit > 100 {
		return none, lukasa.Invalid("limit", "is %d, must be 1 to 100", p.Limit)
	}
	if p.Offset < 0 {
		return none, lukasa.Invalid("offset", "is %d, must not be negative", p.Offset)
	}
	topic := f.Topic
	f.Topic = ""
	var all []lukasa.Segment
	for page := (lukasa.Page{Limit: 100}); len(all) < maxScanned; {
		l, err := r.Segments(f, page)
		if err != nil {
			return none, err
		}
		all = append(all, l.Items...)
		if page.Cursor = l.Next; l.Next == "" {
			break
		}
	}
	if topic != "" {
		all = slices.DeleteFunc(all, func(s lukasa.Segment) bool { return !segment.Alike(topic, s.Topic) && !segment.Alike(topic, s.Folder) })
	}
	if byAccess {
		if err := orderByAccess(r, all, f.Oldest); err != nil {
			return none, err
		}
	}
	out := lukasa.Listing[lukasa.Segment]{Total: len(all), Items: all[min(p.Offset, len(all)):min(p.Offset+p.Limit, len(all))]}
	if end := p.Offset + p.Limit; end < len(all) {
		out.Next = scanCursor + strconv.Itoa(end)
	}
	return e.pages(r, out, nil)
}

// orderByAccess brings the segment that was used last to the front, or to the end.
func orderByAccess(r store.Reader, list []lukasa.Segment, oldest bool) error {
	used := map[lukasa.ID]time.Time{}
	for part := range slices.Chunk(list, 500) {
		ids := make([]lukasa.ID, len(part))
		for i, s := range part {
			ids[i] = s.Document
		}
		docs, err := r.DocumentsByID(ids)
		if err != nil {
			return err
		}
		for _, d := range docs {
			if d.LastAccessedAt != nil {
				used[d.ID] = *d.LastAccessedAt
			}
		}
	}
	slices.SortStableFunc(list, func(a, b lukasa.Segment) int {
		if oldest {
			a, b = b, a
		}
		return used[b.Document].Compare(used[a.Document])
	})
	return nil
}

// pages makes the items of a listing.
func (e *Engine) pages(r store.Reader, l lukasa.Listing[lukasa.Segment], err error) (lukasa.Listing[RecallPage], error) {
	out := lukasa.Listing[RecallPage]{Items: []RecallPage{}, Next: l.Next, Total: l.Total}
	if err != nil || len(l.Items) == 0 {
		return out, err
	}
	ids := make([]lukasa.ID, len(l.Items))
	for i, s := range l.Items {
		ids[i] = s.Document
	}
	list, err := r.DocumentsByID(ids)
	if err != nil {
		return out, err
	}
	docs := map[lukasa.ID]lukasa.Document{}
	for _, d := range list {
		docs[d.ID] = d
	}
	talks := map[lukasa.ID]lukasa.Conversation{}
	for _, s := range l.Items {
		c, ok := talks[s.Conversation]
		if !ok {
			if c, err = r.Conversation(s.Conversation); err != nil {
				return out, err
			}
			talks[s.Conversation] = c
		}
		if s.Document == c.Document { // what is open has been counted elsewhere
			var st segment.State
			if json.Unmarshal([]byte(c.Closer), &st) == nil {
				s.Messages, s.Tokens = segment.NewCloser(segments(e.cfg), st).Open()
			}
		}
		out.Items = append(out.Items, e.page(s, docs[s.Document], c))
	}
	return out, nil
}

func (e *Engine) page(s lukasa.Segment, d lukasa.Document, c lukasa.Conversation) RecallPage {
	x := RecallPage{
		ID: s.Document, Folder: s.Folder, Topic: s.Topic, Status: s.State, Container: d.Path, Conversation: c.ExternalID, Title: c.Title, ConversationID: s.Conversation,
		Previous: s.Previous, Trigger: s.Trigger, Detail: s.Detail, Tokens: s.Tokens, Messages: s.Messages, CreatedAt: d.CreatedAt, FinalizedAt: s.FinalizedAt,
		AccessedAt: d.LastAccessedAt, Description: d.Summary,
	}
	if s.StartedAt != nil {
		x.CreatedAt = *s.StartedAt
	}
	if x.Topic == "" {
		x.Topic = cmp.Or(c.Title, c.ExternalID)
	}
	x.Storage = e.tier(x)
	return x
}

// tier says how near a recall file is: hot within an hour of its last use, cold once its files are put to sleep, else warm.
func (e *Engine) tier(x RecallPage) string {
	used := x.CreatedAt
	for _, at := range []*time.Time{x.FinalizedAt, x.AccessedAt} {
		if at != nil && at.After(used) {
			used = *at
		}
	}
	switch idle := e.now().Sub(used); {
	case x.Status == lukasa.SegmentOpen, idle < hotFor:
		return "hot"
	case idle <= e.cfg.FileDormant:
		return "warm"
	}
	return "cold"
}

// RecallFilePage returns one recall file as it was at a moment, with those of its parts that are asked for. Of one that was still
// active they are made as it stood.
func (e *Engine) RecallFilePage(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time, include ...string) (RecallPage, error) {
	var roles []string
	for _, part := range include {
		switch part {
		case PartSummary, PartKeywords, PartTranscript:
			roles = append(roles, part)
		case PartArtifacts:
		default:
			return RecallPage{}, lukasa.Invalid("include", "%q is not one of summary, keywords, transcript, artifacts", part)
		}
	}
	var msgs []lukasa.Message
	x, err := viewAt(ctx, e, sc, at, func(r store.Reader) (RecallPage, error) {
		s, err := r.Segment(id)
		if err != nil {
			return RecallPage{}, err
		}
		l, err := e.pages(r, lukasa.Listing[lukasa.Segment]{Items: []lukasa.Segment{s}}, nil)
		if err != nil {
			return RecallPage{}, err
		}
		msgs = nil
		err = r.MessagesIn(id, 0, func(m lukasa.Message) bool {
			msgs = append(msgs, m)
			return true
		})
		x := l.Items[0]
		if err == nil {
			x.Linked, err = linked(r, x, msgs)
		}
		return x, err
	})
	if err != nil {
		return x, err
	}
	if x.Status == lukasa.SegmentOpen {
		err := e.renderOpen(sc, &x, msgs, include)
		return x, err
	}
	f, err := e.recallFileAt(ctx, sc, id, at, roles...)
	if err != nil {
		return x, err
	}
	x.Summary, x.Transcript = f.Summary, f.Transcript
	if slices.Contains(include, PartKeywords) {
		x.Keywords = strings.FieldsFunc(f.Keywords, func(r rune) bool { return r == '\n' || r == '\r' })
		x.Frequencies = frequencies(x.Keywords, msgs)
	}
	if slices.Contains(include, PartArtifacts) {
		x.Artifacts = artifacts(f.Files, msgs)
	}
	e.touches.note(sc, []lukasa.ID{id})
	return x, nil
}

// renderOpen makes the parts of a recall file that is still active.
func (e *Engine) renderOpen(sc lukasa.Scope, x *RecallPage, msgs []lukasa.Message, include []string) error {
	if len(include) == 0 {
		return nil
	}
	about := segment.Describe(msgs, segment.Options{Plain: func(m lukasa.Message) string { return e.plain(sc.Owner, m.Content) }})
	f, err := segment.Render(segment.Source{Folder: x.Folder, Messages: msgs, Tokens: x.Tokens}, about)
	if err != nil {
		return err
	}
	for _, part := range include {
		switch part {
		case PartSummary:
			x.Summary = f.Summary
		case PartTranscript:
			x.Transcript = f.Transcript
		case PartKeywords:
			x.Keywords, x.Frequencies = []string{}, []client.KeywordFrequency{}
			for _, k := range about.Frequencies {
				x.Keywords = append(x.Keywords, k.Keyword)
				x.Frequencies = append(x.Frequencies, client.KeywordFrequency{Keyword: k.Keyword, Frequency: k.Count})
			}
		case PartArtifacts:
			x.Artifacts = artifacts(nil, msgs)
		}
	}
	return nil
}

// artifacts lists what was made or handed over in messages: what is kept as files of a recall file, and what is elsewhere.
func artifacts(files []lukasa.File, msgs []lukasa.Message) []client.Artifact {
	out := []client.Artifact{}
	for _, a := range files {
		if a.Role == ingest.RoleArtifact {
			out = append(out, client.Artifact{Name: a.Name, Type: a.Type, Size: a.Size})
		}
	}
	for _, a := range segment.Artifacts(msgs, 0) {
		if !slices.ContainsFunc(out, func(x client.Artifact) bool { return x.Name == a.Name }) && (files == nil || a.Data == nil) {
			out = append(out, client.Artifact{Name: a.Name, Type: a.Type, Size: a.Size, URL: a.URL})
		}
	}
	return out
}

// frequencies counts how often keywords are said, as whole words, plural and singular as one. Who spoke counts as said once.
func frequencies(keywords []string, msgs []lukasa.Message) []client.KeywordFrequency {
	out := make([]client.KeywordFrequency, len(keywords))
	for i, k := range keywords {
		out[i] = client.KeywordFrequency{Keyword: k}
		want := strings.ToLower(k)
		for _, m := range msgs {
			out[i].Frequency += segment.CountWord(strings.ToLower(m.Content), want)
		}
		out[i].Frequency = max(1, out[i].Frequency)
	}
	return out
}

// linked are the container of a recall file and whom and what its messages name most.
func linked(r store.Reader, x RecallPage, msgs []lukasa.Message) ([]client.LinkedNode, error) {
	out := []client.LinkedNode{}
	if n, err := r.NodeAt(x.Container); err == nil {
		out = append(out, client.LinkedNode{ID: n.ID, Name: n.Name, Type: string(n.Type)})
	}
	of := []lukasa.ID{x.ID}
	for _, m := range msgs[:min(len(msgs), linkedOf)] {
		of = append(of, m.ID)
	}
	edges, err := r.Edges(of, []lukasa.EdgeType{lukasa.EdgeMentions, lukasa.EdgeDiscussedIn}, linkedOf)
	if err != nil {
		return out, err
	}
	weight := map[lukasa.ID]float64{}
	for _, edge := range edges {
		for _, end := range []string{edge.From, edge.To} {
			if id := lukasa.ID(end); id.Prefix() == lukasa.PrefixEntity {
				weight[id] += edge.Weight
			}
		}
	}
	ids := make([]lukasa.ID, 0, len(weight))
	for id := range weight {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b lukasa.ID) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b)) })
	named, err := r.EntitiesByID(ids[:min(len(ids), maxLinked)])
	for _, n := range named {
		out = append(out, client.LinkedNode{ID: n.ID, Name: n.Name, Type: n.Kind})
	}
	return out, err
}
