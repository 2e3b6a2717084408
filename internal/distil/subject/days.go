package subject

import (
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Days keeps the days of which a conversation has spoken, so that a later message may call them "the 19th" or say "same time". The zero Days is empty.
type Days struct {
	list    []named
	message int
}

// named is a day that was named, with the words beside it.
type named struct {
	when    lexis.Moment
	words   map[string]bool
	message int
}

const (
	mostDays = 32 // days that are kept
	anchors  = 3  // messages for which a month goes without saying
	ahead    = 45 // days ahead that it may be where no word is shared and nothing is said to have changed
	clocks   = 40 // messages in which "same time" finds the time
)

// Next begins a message.
func (d *Days) Next() { d.message++ }

// Note takes up the dates of words.
func (d *Days) Note(toks []lexis.Token, dates []lexis.Moment) {
	for _, m := range dates {
		if d.list = append(d.list, named{m, telling(toks), d.message}); len(d.list) > mostDays {
			d.list = d.list[1:]
		}
	}
}

// telling are the words that tell what is spoken of.
func telling(toks []lexis.Token) map[string]bool {
	out := map[string]bool{}
	for _, t := range toks {
		if t.Kind == lexis.Word && len(t.Low) > 2 && !lexis.Stops[t.Low] && !lexis.IsDateWord(t.Low) && !lexis.DayParts[t.Low] {
			out[lexis.Singular(t.Low)] = true
		}
	}
	return out
}

// Settle puts dates right by what was spoken of before: a day without a month falls near the day that was named last, if that is ahead, and "same time"
// has the time of the day of what has most words in common.
func (d *Days) Settle(toks []lexis.Token, dates []lexis.Moment, at time.Time) {
	for i := range dates {
		m := &dates[i]
		if a := d.anchor(toks, at); a != nil {
			m.Near(a)
		}
		if m.Precision == lexis.ToDay && sameTime(toks) {
			if c := d.clock(toks); c != nil {
				m.ClockOf(c)
			}
		}
	}
}

// anchor is the day ahead that was named last, with its month: one that is near, or of what the words speak of as well, or that has changed.
func (d *Days) anchor(toks []lexis.Token, at time.Time) *lexis.Moment {
	changed := slices.ContainsFunc(toks, func(t lexis.Token) bool { return changes[t.Low] })
	words := telling(toks)
	for i := len(d.list) - 1; i >= 0 && d.message-d.list[i].message < anchors; i-- {
		m := &d.list[i].when
		if m.NamesMonth() && m.To.After(at) && (changed || m.From.Sub(at) < ahead*24*time.Hour || d.list[i].shares(words) > 0) {
			return m
		}
	}
	return nil
}

var changes = lexis.Words("now instead moved")

// shares counts the words that stood beside the day too.
func (n *named) shares(words map[string]bool) (count int) {
	for w := range words {
		if n.words[w] {
			count++
		}
	}
	return count
}

// clock is the moment of that which shares most words with some, the last of them.
func (d *Days) clock(toks []lexis.Token) *lexis.Moment {
	words, most := telling(toks), 0
	var best *lexis.Moment
	for i := len(d.list) - 1; i >= 0 && d.message-d.list[i].message < clocks; i-- {
		if d.list[i].when.Precision != lexis.ToMinute {
			continue
		}
		n := d.list[i].shares(words)
		if d.message-d.list[i].message < anchors {
			n++
		}
		if n > most {
			best, most = &d.list[i].when, n
		}
	}
	return best
}

func sameTime(toks []lexis.Token) bool {
	for i := 0; i+1 < len(toks); i++ {
		if toks[i].Is("same") && (toks[i+1].Is("time") || toks[i+1].Is("times") || toks[i+1].Is("hour") || toks[i+1].Is("hours")) {
			return true
		}
	}
	return false
}
