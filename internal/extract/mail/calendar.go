package mail

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// calendar is what an iCalendar file (RFC 5545) holds.
type calendar struct {
	name, about, method string
	items               []item
	zones               map[string]*zone
}

// item is an event, a task or a journal entry.
type item struct {
	kind                 string // "VEVENT", "VTODO", "VJOURNAL"
	uid                  string
	summary, description string
	location, url        string
	status, class        string
	start, end, due      property
	duration             string
	recurrence           property // which occurrence of a series this one stands for
	rules                []string
	except, extra        []property
	organizer            string
	attendees, words     []string // words: categories
	alarms               []string
}

// mostNested bounds components in components.
const mostNested = 16

// readCalendar reads the components of s. It is lenient: what nobody closes is closed at the end.
func readCalendar(ctx context.Context, s string) (*calendar, error) {
	c := &calendar{zones: map[string]*zone{}}
	var stack []string
	var it *item
	var z *zone
	err := properties(ctx, s, func(p property) bool {
		top := ""
		if len(stack) > 0 {
			top = stack[len(stack)-1]
		}
		switch p.name {
		case "BEGIN":
			name := strings.ToUpper(strings.TrimSpace(p.value))
			if len(stack) < mostNested {
				stack = append(stack, name)
			}
			switch name {
			case "VEVENT", "VTODO", "VJOURNAL":
				c.items = append(c.items, item{kind: name})
				it = &c.items[len(c.items)-1]
			case "VTIMEZONE":
				z = &zone{}
			case "STANDARD", "DAYLIGHT":
				if z != nil && len(z.rules) < 500 {
					z.rules = append(z.rules, onset{})
				}
			}
		case "END":
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
			if top == "VTIMEZONE" && z != nil && z.id != "" {
				c.zones[z.id] = z
				z = nil
			}
		default:
			c.take(top, it, z, p)
		}
		return true
	})
	return c, err
}

// take puts a property where it belongs.
func (c *calendar) take(component string, it *item, z *zone, p property) {
	switch component {
	case "VCALENDAR":
		switch p.name {
		case "X-WR-CALNAME", "NAME":
			c.name = cmp.Or(c.name, p.text())
		case "X-WR-CALDESC", "DESCRIPTION":
			c.about = cmp.Or(c.about, p.text())
		case "METHOD":
			c.method = p.text()
		}
	case "VEVENT", "VTODO", "VJOURNAL":
		if it != nil {
			it.take(p)
		}
	case "VALARM":
		if it != nil && p.name == "TRIGGER" && len(it.alarms) < 20 {
			it.alarms = append(it.alarms, trigger(p.value))
		}
	case "VTIMEZONE", "STANDARD", "DAYLIGHT":
		if z != nil {
			z.take(component, p)
		}
	}
}

// take puts a property into the item.
func (it *item) take(p property) {
	switch p.name {
	case "UID":
		it.uid = p.text()
	case "SUMMARY":
		it.summary = p.text()
	case "DESCRIPTION":
		it.description = p.text()
	case "LOCATION":
		it.location = p.text()
	case "URL", "X-GOOGLE-CONFERENCE":
		it.url = cmp.Or(it.url, p.text())
	case "STATUS":
		it.status = strings.ToLower(strings.ReplaceAll(p.text(), "-", " "))
	case "CLASS":
		it.class = strings.ToLower(p.text())
	case "DTSTART":
		it.start = p
	case "DTEND":
		it.end = p
	case "DUE":
		it.due = p
	case "DURATION":
		it.duration = p.text()
	case "RECURRENCE-ID":
		it.recurrence = p
	case "RRULE":
		it.rules = append(it.rules, p.value)
	case "EXDATE":
		it.except = append(it.except, p)
	case "RDATE":
		it.extra = append(it.extra, p)
	case "CATEGORIES":
		it.words = append(it.words, p.list(',')...)
	case "ORGANIZER":
		it.organizer = attendee(p)
	case "ATTENDEE":
		it.attendees = append(it.attendees, attendee(p))
	}
}

// attendee writes who is asked, and what they said.
func attendee(p property) string {
	address := strings.TrimSpace(p.value)
	if len(address) > 7 && strings.EqualFold(address[:7], "mailto:") {
		address = address[7:]
	}
	if strings.HasPrefix(address, "urn:") || strings.HasPrefix(strings.ToLower(address), "invalid:") {
		address = ""
	}
	who := person{oneLine(p.params["CN"], 200), oneLine(address, 300)}.String()
	var notes []string
	switch state := strings.ToLower(p.params["PARTSTAT"]); state {
	case "accepted", "declined", "tentative", "delegated", "completed":
		notes = append(notes, state)
	case "needs-action":
		notes = append(notes, "no answer yet")
	}
	switch strings.ToUpper(p.params["ROLE"]) {
	case "OPT-PARTICIPANT":
		notes = append(notes, "optional")
	case "CHAIR":
		notes = append(notes, "chair")
	}
	switch kind := strings.ToLower(p.params["CUTYPE"]); kind {
	case "room", "resource", "group":
		notes = append(notes, kind)
	}
	if who == "" || len(notes) == 0 {
		return who
	}
	return who + " (" + strings.Join(notes, ", ") + ")"
}

// trigger writes when an alarm rings.
func trigger(value string) string {
	if before, found := strings.CutPrefix(value, "-"); found {
		if d := durationWords(before); d != "" {
			return d + " before"
		}
	}
	if d := durationWords(value); d != "" {
		return d + " after the start"
	}
	return ""
}

// extractCalendar writes one section an event.
func extractCalendar(ctx context.Context, src *extract.Source) (extract.Output, error) {
	c, err := readCalendar(ctx, src.Text)
	if err != nil {
		return extract.Output{}, err
	}
	if len(c.items) == 0 {
		return extract.Output{}, &extract.Error{Reason: "the calendar holds no event, task or journal entry", Hint: "export it again, with its events"}
	}
	var w writer
	title := cmp.Or(oneLine(c.name, 200), fileTitle(src), "Calendar")
	out := extract.Output{Type: extract.TypeMarkdown, Title: title, Metadata: map[string]string{}}
	if len(c.items) == 1 {
		it := c.items[0]
		out.Title = cmp.Or(oneLine(it.summary, 200), title)
		out.Published = c.instant(it.start)
		out.Author = it.organizer
		for key, value := range map[string]string{"uid": it.uid, "location": it.location, "status": it.status, "organizer": it.organizer} {
			if value != "" {
				out.Metadata[key] = value
			}
		}
	} else {
		w.block("# " + title)
		w.block(c.about)
	}
	c.write(&w, "")
	out.Text, out.Marks = w.String(), w.marks
	out.Language, _ = text.Language(out.Text)
	c.describe(out.Metadata)
	return out, nil
}

// describe counts the items and bounds them in time.
func (c *calendar) describe(m map[string]string) {
	counts := map[string]int{}
	var from, until time.Time
	for _, it := range c.items {
		counts[it.kind]++
		t := c.instant(it.start)
		if t.IsZero() {
			continue
		}
		if from.IsZero() || t.Before(from) {
			from = t
		}
		if t.After(until) {
			until = t
		}
	}
	for kind, key := range map[string]string{"VEVENT": "events", "VTODO": "tasks", "VJOURNAL": "journal_entries"} {
		if counts[kind] > 0 {
			m[key] = strconv.Itoa(counts[kind])
		}
	}
	if !from.IsZero() {
		m["from_date"], m["until_date"] = from.Format(time.RFC3339), until.Format(time.RFC3339)
	}
	if c.method != "" {
		m["method"] = strings.ToLower(c.method)
	}
}

// write adds one section an item, its title behind prefix.
func (c *calendar) write(w *writer, prefix string) {
	switch strings.ToUpper(c.method) {
	case "CANCEL":
		prefix = strings.Replace(prefix, "Invitation", "Cancelled", 1)
	case "REPLY":
		prefix = strings.Replace(prefix, "Invitation", "Answer to an invitation", 1)
	}
	for i, it := range c.items {
		name := oneLine(it.summary, 200)
		if name == "" {
			name = map[string]string{"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Journal entry"}[it.kind]
		}
		place := strings.ToLower(map[string]string{"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Entry"}[it.kind]) + " " + strconv.Itoa(i+1) + ": " + name
		w.place(place)
		w.block("## " + prefix + name)
		w.block(c.facts(it))
		w.block(it.description)
	}
}

// facts are the short lines of an item.
func (c *calendar) facts(it item) string {
	var l lines
	l.add("When", c.when(it))
	if it.due.value != "" {
		l.add("Due", c.words(it.due))
	}
	if it.recurrence.value != "" {
		l.add("Instead of the occurrence of", c.words(it.recurrence))
	}
	for _, r := range it.rules {
		l.add("Repeats", repeats(r, c.instant(it.start)))
	}
	l.add("Also on", c.dates(it.extra))
	l.add("Except", c.dates(it.except))
	l.add("Where", oneLine(it.location, 500))
	l.add("Organizer", it.organizer)
	l.add("Attendees", strings.Join(it.attendees, ", "))
	l.add("Status", it.status)
	l.add("Categories", strings.Join(it.words, ", "))
	if it.class != "" && it.class != "public" {
		l.add("Visibility", it.class)
	}
	l.add("Reminder", strings.Join(it.alarms, ", "))
	l.add("Link", oneLine(it.url, 1000))
	return l.b.String()
}
