package records

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// headLines bounds the part of a document in which its head is looked for.
const headLines = 30

// head reads author, date and status of the document from its front matter, the fields above its first section, a
// line "By …", or the header of a mail.
func (r *reader) head() Head {
	var h Head
	var created, updated time.Time
	take := func(f field) {
		switch f.key {
		case keyAuthor:
			if h.Author == "" && f.name != "by" {
				h.Author = people(f.value)
			}
		case keyDate:
			if created.IsZero() {
				created = dayIn(f.value, r.doc.Written)
			}
		case keyUpdated:
			if updated.IsZero() {
				updated = dayIn(f.value, r.doc.Written)
			}
		case keyStatus:
			if h.Status == "" {
				h.Status = shownStatus(f.value)
			}
		}
	}
	for _, f := range r.front {
		if f.name == "author" || f.name == "authors" || f.name == "by" {
			f.name, f.key = "author", keyAuthor
		}
		take(f)
	}
	headings := 0
	for i := range r.lines[:min(len(r.lines), headLines)] {
		switch r.lines[i].kind {
		case lineHeading:
			headings++
		case lineText, lineItem, lineTable, lineQuote:
			if f, ok := r.fieldAt(i); ok {
				take(f)
			} else if author, day := r.byLine(i); author != "" {
				take(field{key: keyAuthor, value: author})
				if created.IsZero() {
					created = day
				}
			}
		}
		if headings > 1 {
			break
		}
	}
	if r.isMail() {
		from, date := r.mailHead()
		h.Author, created = from, date
	}
	h.Date = created
	if h.Date.IsZero() {
		h.Date = updated
	}
	return h
}

// shownStatus is a status as a head shows it: the word that is known, else at most three words as they are.
func shownStatus(value string) string {
	st := parseStatus(value)
	switch {
	case st.isForm:
		return ""
	case st.word != "" && !st.isLoose:
		return st.word
	}
	w := strings.ToLower(noStop(plain(trimSigns(value))))
	if w == "" || isPlaceholder(value) || len(strings.Fields(w)) > 3 || strings.ContainsAny(w, "{}[]|/!()") {
		return ""
	}
	return w
}

// byLine reads "By Aylin Demir, 2 February 2023" and "Jane Doe <jane@example.org>" under a title.
func (r *reader) byLine(i int) (author string, day time.Time) {
	w := plain(r.words(i))
	if r.lines[i].kind != lineText || len(w) > 120 {
		return "", time.Time{}
	}
	rest, ok := strings.CutPrefix(w, "By ")
	if !ok {
		if rest, ok = strings.CutPrefix(w, "by "); !ok {
			return "", time.Time{}
		}
	}
	if d, found := findDate(rest, r.doc.Written); found {
		day = d.day
		rest = rest[:d.start]
	}
	rest = strings.TrimRight(rest, " ,-–—|·(:")
	if rest = strings.TrimSuffix(rest, " on"); !isName(rest) {
		return "", time.Time{}
	}
	return rest, day
}

// isName reports one to four words that each begin with a capital letter, with particles between them.
func isName(s string) bool {
	words := strings.Fields(strings.ReplaceAll(s, ",", " "))
	if len(words) == 0 || len(words) > 5 || strings.ContainsAny(s, ":;!?()[]{}0123456789/\"") {
		return false
	}
	for i, w := range words {
		c, _ := utf8.DecodeRuneInString(w)
		particle := w == "de" || w == "van" || w == "von" || w == "der" || w == "den" || w == "da" || w == "la" || w == "and" || w == "und" || w == "zu"
		if !unicode.IsUpper(c) && (i == 0 || !particle) {
			return false
		}
	}
	return true
}

// isMail reports the header of a mail: of its first lines at least From or To, and Subject or Date.
func (r *reader) isMail() bool {
	seen := map[string]bool{}
	for i := range r.lines[:min(len(r.lines), 12)] {
		w := r.words(i)
		name, _, ok := strings.Cut(w[:min(len(w), maxName)], ":")
		if !ok {
			if len(seen) > 0 && r.lines[i].kind == lineBlank {
				break
			}
			continue
		}
		switch name = strings.ToLower(strings.Trim(name, "*_ ")); name {
		case "from", "to", "subject", "cc", "date", "sent", "von", "an", "betreff", "message-id":
			seen[name] = true
		}
	}
	isPatch := len(r.lines) > 0 && strings.HasSuffix(r.words(0), patchStamp)
	return !isPatch && (seen["from"] || seen["von"]) && (seen["to"] || seen["an"] || seen["subject"] || seen["betreff"] || seen["message-id"])
}

// mailHead reads sender and date.
func (r *reader) mailHead() (from string, day time.Time) {
	for i := range r.lines[:min(len(r.lines), 40)] {
		name, value, ok := cutField(r.words(i))
		if !ok {
			continue
		}
		switch strings.ToLower(name) {
		case "from", "von":
			if from == "" {
				from = person(value)
			}
		case "date", "sent", "datum", "gesendet":
			if day.IsZero() {
				day = dayIn(value, time.Time{})
			}
		}
	}
	return from, day
}

// person is the name of "Name <address>", or the address.
func person(s string) string {
	name, address, ok := strings.Cut(s, "<")
	if name = strings.Trim(strings.TrimSpace(name), `"'*`); name == "" && ok {
		name = strings.TrimRight(address, "> ")
	}
	return strings.TrimSpace(name)
}
