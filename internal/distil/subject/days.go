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
	mostDays = 32  // days that are kept
	anchors  = 3   // messages for which a month goes without saying
	ahead    = 45  // days ahead that it may be where no word is shared and nothing is said to have changed
	near     = 200 // bytes of one message within which a month goes without saying
	clocks   = 40  // messages in which "same time" finds the time
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
// has the time of the day of what has most words in common. Days of the week that return are left out.
func (d *Days) Settle(toks []lexis.Token, dates []lexis.Moment, at time.Time) []lexis.Moment {
	for i := range dates {
		m := &dates[i]
		if a, alone := d.anchor(toks, m.Start, at); a != nil && (i == 0 || dates[i-1].Precision != lexis.ToMonth) {
			m.Near(a, alone)
		}
		if m.Precision == lexis.ToDay && sameTime(toks) {
			if c := d.clock(toks); c != nil {
				m.ClockOf(c)
			}
		}
	}
	if returns(toks, dates) {
		return slices.DeleteFunc(dates, func(m lexis.Moment) bool { return m.Weekly() })
	}
	return dates
}

// returns reports whether what is told of a day of the week holds for each: "the week begins on Sunday", "sprints start on Monday and end on Friday".
func returns(toks []lexis.Token, dates []lexis.Moment) bool {
	weekly := 0
	for _, m := range dates {
		i := slices.IndexFunc(toks, func(t lexis.Token) bool { return t.Start >= m.Start })
		if m.Weekly() && i > 0 && !toks[i-1].Is("since") && !toks[i-1].Is("by") && !toks[i-1].Is("until") {
			weekly++
		}
	}
	for i := 2; i < len(toks) && weekly > 0; i++ {
		at := i - 1
		if toks[at].Is("on") {
			at--
		}
		if !lexis.IsDateWord(toks[i].Low) || at < 1 || at > 1 && once[toks[at-2].Low] {
			continue
		}
		v, noun := lexis.Verbs[toks[at].Low], toks[at-1].Low
		starts := (v.Lemma == "start" || v.Lemma == "begin") && v.Form&(lexis.Base|lexis.Third) != 0
		one := lexis.Singular(noun)
		if starts && one != noun && v.Form == lexis.Base && weekly > 1 || (starts || toks[at].Is("is")) && (lexis.TimeUnits[one] || one == "weekend") {
			return true
		}
	}
	return false
}

// once are words before a noun that is one of many: "next week begins on Sunday".
var once = lexis.Words("this next last first second third final that")

// anchor is the day ahead that was named last, with its month: one that is near, or stands shortly before in the same message, or of what the words speak
// of as well, or that has changed. alone tells that it is no more than the month that was named there.
func (d *Days) anchor(toks []lexis.Token, start int, at time.Time) (m *lexis.Moment, alone bool) {
	changed := slices.ContainsFunc(toks, func(t lexis.Token) bool { return changes[t.Low] })
	words := telling(toks)
	for i := len(d.list) - 1; i >= 0 && d.message-d.list[i].message < anchors; i-- {
		m := &d.list[i].when
		if !m.NamesMonth() || !m.To.After(at) {
			continue
		}
		if changed || m.From.Sub(at) < ahead*24*time.Hour || d.list[i].shares(words) > 0 {
			return m, false
		}
		if d.list[i].message == d.message && start-m.End < near {
			return m, true
		}
	}
	return nil, false
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
