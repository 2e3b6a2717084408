package mail

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// card is one person or organisation of an address book (vCard 2.1 to 4.0).
type card struct {
	name   string
	group  bool // a list of people
	facts  lines
	labels map[string]string // Apple's names of what is grouped
	note   string
}

// cardNames are the properties that are written, in their order.
var cardNames = []struct{ property, word string }{
	{"NICKNAME", "Nickname"},
	{"ORG", "Organisation"},
	{"TITLE", "Title"},
	{"ROLE", "Role"},
	{"EMAIL", "Mail"},
	{"TEL", "Phone"},
	{"IMPP", "Chat"},
	{"X-SOCIALPROFILE", "Profile"},
	{"ADR", "Address"},
	{"BDAY", "Birthday"},
	{"ANNIVERSARY", "Anniversary"},
	{"X-ABDATE", "Date"},
	{"GENDER", "Gender"},
	{"LANG", "Language"},
	{"TZ", "Time zone"},
	{"URL", "Web"},
	{"RELATED", "Related"},
	{"X-ABRELATEDNAMES", "Related"},
	{"X-SPOUSE", "Spouse"},
	{"X-ASSISTANT", "Assistant"},
	{"X-MANAGER", "Manager"},
	{"MEMBER", "Member"},
	{"CATEGORIES", "Categories"},
}

// extractCards writes one section a card.
func extractCards(ctx context.Context, src *extract.Source) (extract.Output, error) {
	cards, err := readCards(ctx, src.Text)
	if err != nil {
		return extract.Output{}, err
	}
	if len(cards) == 0 {
		return extract.Output{}, &extract.Error{Reason: "the address book holds no card with a name, mail or phone", Hint: "export it again, with its contacts"}
	}
	var w writer
	out := extract.Output{Type: extract.TypeMarkdown, Language: text.Undetermined, Metadata: map[string]string{"cards": strconv.Itoa(len(cards))}}
	if len(cards) == 1 {
		out.Title = cards[0].name
	} else {
		out.Title = cmp.Or(fileTitle(src), "Contacts")
		w.block("# " + out.Title)
		w.block(count(len(cards), "contact") + ".")
	}
	for i, c := range cards {
		w.place("card " + strconv.Itoa(i+1) + ": " + c.name)
		w.block("## " + c.name)
		w.block(c.facts.b.String())
		w.block(c.note)
	}
	out.Text, out.Marks = w.String(), w.marks
	return out, nil
}

// readCards reads the cards of s; those that hold nothing are left out.
func readCards(ctx context.Context, s string) ([]card, error) {
	var out []card
	var c *card
	var props []property
	flush := func() {
		if c != nil {
			if c.fill(props); c.name != "" {
				out = append(out, *c)
			}
		}
		c, props = nil, nil
	}
	err := properties(ctx, s, func(p property) bool {
		switch {
		case p.name == "BEGIN" && strings.EqualFold(strings.TrimSpace(p.value), "VCARD"):
			flush()
			c = &card{labels: map[string]string{}}
		case p.name == "END" && strings.EqualFold(strings.TrimSpace(p.value), "VCARD"):
			flush()
		case c != nil && len(props) < 2000:
			props = append(props, p)
		}
		return true
	})
	flush()
	return out, err
}

// fill writes the properties of a card.
func (c *card) fill(props []property) {
	var full, family, organisation, contact string
	for _, p := range props {
		switch p.name {
		case "FN":
			full = cmp.Or(full, oneLine(p.text(), 200))
		case "N":
			family = cmp.Or(family, structuredName(p))
		case "ORG":
			organisation = cmp.Or(organisation, oneLine(strings.Join(present(p.list(';')), ", "), 200))
		case "EMAIL", "TEL":
			contact = cmp.Or(contact, oneLine(strings.TrimPrefix(p.text(), "tel:"), 200))
		case "X-ABLABEL":
			c.labels[p.group] = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(p.text(), "_$!<"), ">!$_"))
		case "KIND", "X-ADDRESSBOOKSERVER-KIND":
			c.group = strings.EqualFold(p.text(), "group")
		case "NOTE":
			c.note = strings.TrimSpace(c.note + "\n\n" + p.text())
		}
	}
	c.name = cmp.Or(full, family, organisation, contact)
	if family != "" && family != full {
		c.facts.add("Name", family)
	}
	if c.group {
		c.facts.add("Kind", "group")
	}
	for _, row := range cardNames {
		for _, p := range props {
			if p.name == row.property {
				c.facts.add(row.word+c.label(p), cardValue(p))
			}
		}
	}
}

// present are the values that are not blank.
func present(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// structuredName writes family;given;additional;prefix;suffix in the order that they are said.
func structuredName(p property) string {
	parts := append(p.list(';'), "", "", "", "", "")
	return oneLine(strings.Join(present([]string{parts[3], parts[1], parts[2], parts[0], parts[4]}), " "), 200)
}

// label says of what sort a value is: " (work, mobile)".
func (c *card) label(p property) string {
	var out []string
	if l := c.labels[p.group]; l != "" && p.group != "" {
		out = append(out, oneLine(l, 40))
	}
	for t := range strings.SplitSeq(strings.ToLower(p.params["TYPE"]), ",") {
		switch t = strings.TrimSpace(t); t {
		case "", "internet", "pref", "voice", "x400":
		case "cell":
			out = append(out, "mobile")
		default:
			if !slices.Contains(out, t) && len(out) < 5 && len(t) < 40 {
				out = append(out, t)
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// cardValue writes the value of a property for people.
func cardValue(p property) string {
	switch p.name {
	case "ADR":
		return oneLine(strings.Join(present(p.list(';')), ", "), 500)
	case "ORG":
		return oneLine(strings.Join(present(p.list(';')), ", "), 300)
	case "BDAY", "ANNIVERSARY", "X-ABDATE":
		return birthday(p)
	case "CATEGORIES", "NICKNAME":
		return oneLine(strings.Join(p.list(','), ", "), 300)
	case "GENDER":
		sex, more, _ := strings.Cut(p.text(), ";")
		words := map[string]string{"M": "male", "F": "female", "O": "other", "N": "none", "U": ""}
		return strings.TrimSpace(words[strings.ToUpper(sex)] + " " + more)
	}
	value := oneLine(p.text(), 1000)
	if strings.HasPrefix(value, "urn:") { // points to another card by its number
		return ""
	}
	for _, scheme := range []string{"tel:", "mailto:", "TEL:"} {
		value = strings.TrimPrefix(value, scheme)
	}
	return value
}

// birthday writes a date, with or without its year.
func birthday(p property) string {
	value := p.text()
	day, _, _ := strings.Cut(value, "T")
	for _, layout := range []string{"20060102", "2006-01-02"} {
		if t, err := time.Parse(layout, day); err == nil {
			if t.Year() == 1604 || p.params["X-APPLE-OMIT-YEAR"] != "" { // how Apple writes a day without a year
				return t.Format("2 January")
			}
			return t.Format("2 January 2006")
		}
	}
	for _, layout := range []string{"--0102", "--01-02"} {
		if t, err := time.Parse(layout, day); err == nil {
			return t.Format("2 January")
		}
	}
	return oneLine(value, 100)
}
