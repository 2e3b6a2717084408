package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// about forgets all that tells of somebody or something. What is found of them at once may be a part, so that it is looked for until nothing is left.
func (c *ForgetCmd) about(a *app, cl *client.Client) error {
	who, err := named(a, cl, c.About)
	if err != nil {
		return err
	}
	of, err := tellsOf(a, cl, who)
	if err != nil {
		return err
	}
	what := []string{counted(len(of.memories), "memory"), counted(len(of.messages), "message")}
	if n := len(of.documents); c.Documents {
		what = append(what, counted(n, "document"))
	} else if n > 0 {
		a.note("%s %s, too: --documents takes them along", counted(n, "document"), map[bool]string{true: "names it", false: "name it"}[n == 1])
	}
	if len(of.ids(c.Documents)) == 0 {
		a.say("nothing to forget of %s", oneLine(who.Name, 60))
		return nil
	}
	if of.more {
		what = append(what, "and more than is listed at once")
	}
	if n := len(of.messages); c.Trash && n > 0 {
		return &lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "--trash", Msg: counted(n, "message") + " would have to go, and a single message cannot lie in the trash",
			Hint: "without --trash they go for good",
		}
	}
	if !c.Trash {
		if err := a.confirm(c.Yes, fmt.Sprintf("Forget %s (%s): %s?", oneLine(who.Name, 60), who.Kind, strings.Join(what, ", "))); err != nil {
			return err
		}
	}
	var all []client.Deleted
	for {
		gone := 0
		for _, id := range of.ids(c.Documents) {
			d, err := cl.Delete(a.ctx, id, c.Trash, c.Verify)
			if lukasa.CodeOf(err) == lukasa.CodeNotFound {
				continue // it went with another
			}
			if err != nil {
				return a.broken(all, err)
			}
			all, gone = append(all, d), gone+1
		}
		if gone == 0 {
			return a.TellDeleted(all)
		}
		if of, err = tellsOf(a, cl, who); err != nil {
			return a.broken(all, err)
		}
	}
}

// telling are the records that tell of somebody or something.
type telling struct {
	messages, memories, documents []lukasa.ID
	more                          bool // there are others
}

// ids lists them in the order in which they go: with a message go the memories that nothing else tells of.
func (t telling) ids(documents bool) []lukasa.ID {
	if !documents {
		return slices.Concat(t.messages, t.memories)
	}
	return slices.Concat(t.messages, t.memories, t.documents)
}

// tellsOf finds what is linked to an entity, and what has its name or another one of several words, as what was said before it was known is not linked.
func tellsOf(a *app, cl *client.Client, who lukasa.Entity) (t telling, err error) {
	known, err := cl.Entity(a.ctx, string(who.ID), time.Time{})
	if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return t, err
	}
	t.more = known.Truncated
	seen := map[lukasa.ID]bool{"": true}
	add := func(list *[]lukasa.ID, id lukasa.ID) {
		if !seen[id] {
			seen[id], *list = true, append(*list, id)
		}
	}
	for list, of := range map[*[]lukasa.ID][]client.Statement{&t.messages: known.Messages, &t.memories: known.Memories, &t.documents: known.Documents} {
		for _, s := range of {
			add(list, s.ID)
		}
	}
	for _, name := range append([]string{who.Name}, who.Aliases...) {
		if name != who.Name && !strings.Contains(name, " ") {
			continue // it may be somebody else's
		}
		for _, types := range [][]lukasa.EntryType{{lukasa.EntryMessage}, {lukasa.EntryMemory}, {lukasa.EntryChunk}} {
			r, err := cl.Search(a.ctx, lukasa.Query{Text: name, Ranker: lukasa.RankerText, Types: types, Limit: 200})
			if err != nil {
				return t, err
			}
			for _, h := range r.Hits {
				switch {
				case !says(h.Content, name):
				case h.Message != nil:
					add(&t.messages, h.Message.Record)
				case h.Memory != nil:
					add(&t.memories, h.ID)
				case h.Document != nil:
					add(&t.documents, h.Document.ID)
				}
			}
		}
	}
	return t, nil
}

// says reports whether a text has a name, as whole words.
func says(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; name != ""; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(name):])
		if !word(before) && !word(after) {
			return true
		}
		at += i + 1
	}
	return false
}
