package learn

import (
	"context"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/extract"
)

// JobLearn is the kind of job that reads a long document part by part.
const JobLearn lukasa.JobKind = "learn"

// partBytes is about how much of a document is read in one go, and learned in one transaction.
const partBytes = 64 << 10

// ruled reports whether the rules read a text. Of documents they read running text; code, data and pages of the web are not: what they
// state is not what their owner states. It is the one gate for what is kept, derived again and rebuilt.
func ruled(t Text) bool {
	return t.Message != "" || t.Type == extract.TypeText || t.Type == extract.TypeMarkdown
}

// modelled reports whether a model reads a text.
func modelled(t Text) bool { return ruled(t) || t.Type == extract.TypeHTML }

// parts cuts long documents where a section or paragraph begins, so that each part has at most partBytes. The same text always has
// the same parts.
func parts(texts []Text) []Text {
	var out []Text
	for _, t := range texts {
		t.Later = false
		for t.Message == "" && len(t.Body) > partBytes {
			head := t
			head.Body = t.Body[:cutAt(t.Body, partBytes)]
			out = append(out, head)
			t.Body, t.Base = t.Body[len(head.Body):], t.Base+len(head.Body)
		}
		out = append(out, t)
	}
	return out
}

// minFirm is how sure a statement without a value must be to be drawn from a long document.
const minFirm = 0.65

// firm reports whether a statement is drawn from a long document too: it gives a value (who lives where, works at what), or tells
// surely what was decided or came about. The rest of a report or a book would be thousands of sentences that a search finds anyway.
func firm(m lukasa.Memory) bool {
	return m.Slot != "" || m.Value != "" || m.Kind.Defining() && m.Confidence >= minFirm
}

// cutAt finds where a text that is longer than limit is cut: before a heading, behind a paragraph, a line or a sentence, in the second
// half of what may be taken; else between two characters.
func cutAt(s string, limit int) int {
	head := s[:limit]
	for _, mark := range []string{"\n# ", "\n## ", "\n\n", "\n", ". ", " "} {
		if i := strings.LastIndex(head, mark); i >= limit/2 {
			if mark[len(mark)-1] == ' ' && mark[0] != '\n' || strings.Trim(mark, "\n") == "" {
				return i + len(mark)
			}
			return i + 1
		}
	}
	for limit > 1 && s[limit]&0xc0 == 0x80 { // within a character
		limit--
	}
	return limit
}

// Learn reads a document by the rules, part by part, each in a transaction of its own. Doing it twice, or again from the start, changes
// nothing.
func (p *Path) Learn(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error {
	texts, err := p.Texts(ctx, sc, id)
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	var all Drafts
	list := parts(texts)
	if len(list) > len(texts) && !texts[0].said() { // its form is that of the whole
		var d Drafts
		for _, s := range statementsOf(texts[0]) {
			d.memories = append(d.memories, p.draft(texts[0], s))
		}
		p.embed(ctx, d.memories)
		if _, err := p.Keep(ctx, sc, id, d); lukasa.CodeOf(err) == lukasa.CodeNotFound {
			return nil
		} else if err != nil {
			return err
		}
	}
	for _, t := range list {
		d := p.draftOn(ctx, sc, &Talk{}, []Text{t}, len(list) > len(texts))
		if err := ctx.Err(); err != nil {
			return err
		}
		all.named = append(all.named, d.named...)
		if _, err := p.Keep(ctx, sc, id, d); lukasa.CodeOf(err) == lukasa.CodeNotFound {
			return nil
		} else if err != nil {
			return err
		}
	}
	if len(list) > 1 { // how often all parts together name somebody
		if _, err = p.Keep(ctx, sc, id, all); lukasa.CodeOf(err) == lukasa.CodeNotFound {
			return nil
		}
	}
	return err
}

// Again draws what a document states and names once more, and returns how many memories that made. What is there gains nothing.
func (p *Path) Again(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (int, error) {
	texts, err := p.Texts(ctx, sc, id)
	if err != nil {
		return 0, err
	}
	news, err := p.Keep(ctx, sc, id, p.Draft(ctx, sc, texts))
	return len(news.Created), err
}
