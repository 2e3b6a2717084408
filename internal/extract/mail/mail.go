// Package mail reads what mail and address programs write: single mails, mailboxes, calendars and address cards.
//
// A mail becomes its own words: the plain part, or else the HTML part as Markdown, without the quotes and signatures that
// the other mails of its thread hold already. What hangs on it is handed on as parts. A mailbox becomes a table of
// contents, and each of its mails a part. Reading is lenient, as mail has to be: what is malformed is passed over, never
// the whole mail. A mailbox is held in memory, so Limits.MaxBytes bounds it; a larger one has to be cut into several.
package mail

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

// Kinds lists what is read here: mail, mailboxes, calendars and address cards.
func Kinds() []extract.Kind {
	return []extract.Kind{
		{
			Name: "mailbox", Types: []string{"mbox", "application/mbox"}, Extensions: []string{".mbox", ".mbx"},
			Looks: looksMailbox, Extract: extractMailbox,
		},
		{
			Name: "mail", Types: []string{"mail", "email", "eml", "message/rfc822", "message/global"}, Extensions: []string{".eml", ".emlx", ".mail"},
			Looks: looksMail, Extract: extractMail,
		},
		{
			Name: "calendar", Types: []string{"ics", "calendar", "text/calendar", "application/ics"}, Extensions: []string{".ics", ".ical", ".ifb", ".vcs"},
			Looks: begins("BEGIN:VCALENDAR"), Extract: extractCalendar,
		},
		{
			Name: "card", Types: []string{"vcf", "vcard", "text/vcard", "text/x-vcard", "text/directory"}, Extensions: []string{".vcf", ".vcard"},
			Looks: begins("BEGIN:VCARD"), Extract: extractCards,
		},
	}
}

// begins recognises text whose first line is mark.
func begins(mark string) func(*extract.Source) extract.Look {
	return func(src *extract.Source) extract.Look {
		s := strings.TrimLeft(strings.TrimPrefix(src.Text[:min(len(src.Text), 4<<10)], "\ufeff"), " \t\r\n")
		line, _, _ := strings.Cut(s, "\n")
		if strings.EqualFold(strings.TrimSpace(line), mark) {
			return extract.Yes
		}
		return extract.No
	}
}

// Fields that only a mail that went through a mail program has, and those that people type as well.
const (
	sureFields  = " message-id received mime-version return-path delivered-to x-mailer dkim-signature x-mozilla-status "
	knownFields = sureFields + " from to cc bcc date subject sender reply-to in-reply-to references content-type list-id resent-from "
)

// looksMail wants a block of nothing but header fields, with a sender or date, and a field that only programs write. A note
// that begins with From and To as people copy them is none, unless its name says so.
func looksMail(src *extract.Source) extract.Look {
	data := src.Data
	if src.Extension == ".emlx" {
		data = appleBody(data)
	}
	sure, known, fields := 0, 0, 0
	for line := range bytes.Lines(data[:min(len(data), 32<<10)]) {
		if blank := len(bytes.TrimSpace(line)) == 0; blank && fields > 0 {
			break
		} else if blank {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if fields == 0 {
				return extract.No
			}
			continue
		}
		name := fieldName(line)
		if name == "" {
			if fields == 0 && bytes.HasPrefix(line, []byte("From ")) || fields > 0 && bytes.HasPrefix(line, []byte(">From ")) {
				continue
			}
			if len(line) < 4<<10 && bytes.HasSuffix(line, []byte("\n")) {
				return extract.No
			}
			continue
		}
		fields++
		if name == "snapshot-content-location" { // a page that a browser saved as one file
			return extract.No
		}
		if strings.Contains(sureFields, " "+name+" ") {
			sure++
		}
		if strings.Contains(knownFields, " "+name+" ") {
			known++
		}
	}
	switch {
	case sure >= 1 && known >= 3:
		return extract.Yes
	case known >= 1:
		return extract.Maybe
	}
	return extract.No
}

// appleBody returns the mail in a file of Apple Mail: a line with its length, the mail, a property list.
func appleBody(data []byte) []byte {
	line, rest, found := bytes.Cut(data, []byte("\n"))
	n := 0
	for _, c := range bytes.TrimSpace(line) {
		if c < '0' || c > '9' || n > 1<<40 {
			return data
		}
		n = n*10 + int(c-'0')
	}
	if !found || n == 0 {
		return data
	}
	return rest[:min(n, len(rest))]
}

// fileTitle is the name of the source's file without folders and extension.
func fileTitle(src *extract.Source) string {
	name := path.Base(strings.ReplaceAll(src.Name, `\`, "/"))
	if src.Name == "" || name == "." || name == "/" {
		return ""
	}
	return strings.TrimSuffix(name, path.Ext(name))
}

// byParts says that a source is decoded part by part: what was guessed of its bytes as a whole means nothing then.
func byParts(src *extract.Source) {
	src.Charset = "utf-8"
	if strings.HasPrefix(src.Warning, "some bytes") {
		src.Warning = ""
	}
}

// extractMail reads one mail.
func extractMail(ctx context.Context, src *extract.Source) (extract.Output, error) {
	data := src.Data
	if src.Extension == ".emlx" {
		data = appleBody(data)
	}
	byParts(src)
	return readMail(ctx, src, data)
}
