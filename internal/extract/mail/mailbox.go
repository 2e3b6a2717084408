package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Limits of a mailbox.
const (
	mostMails  = 100_000 // handed on; the rest is left out, and the metadata says so
	mostListed = 5_000   // lines of the table of contents
)

var (
	fromDate  = regexp.MustCompile(`^From (?:\S+|"[^"]*"\S*)(?: at \S+)?\s+(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?.{0,20}\d{1,2}:\d\d(?::\d\d)?.{0,20}\d{4}`)
	gitMagic  = []byte(" Mon Sep 17 00:00:00 2001") // the date of every mail that git format-patch writes
	fromStart = []byte("From ")
)

// looksMailbox wants the line that begins a mail in a mailbox, with its date, and a header below it.
func looksMailbox(src *extract.Source) extract.Look {
	data := bytes.TrimLeft(src.Data[:min(len(src.Data), 8<<10)], "\r\n")
	line, rest, found := bytes.Cut(data, []byte("\n"))
	if !found || !bytes.HasPrefix(line, fromStart) || !headerFollows(rest) {
		return extract.No
	}
	if bytes.Contains(line, gitMagic) || !fromDate.Match(line) {
		return extract.Maybe
	}
	return extract.Yes
}

// headerFollows reports that data begins with a header field.
func headerFollows(data []byte) bool {
	line, _, _ := bytes.Cut(data[:min(len(data), 2<<10)], []byte("\n"))
	name := fieldName(line)
	return name != "" && (strings.Contains(knownFields, " "+name+" ") || strings.Contains(name, "-") || name == "status")
}

// separates reports a line that begins a mail; behind is what follows it.
func separates(line, behind []byte) bool {
	if !bytes.HasPrefix(line, fromStart) || len(line) > 500 {
		return false
	}
	rest := bytes.TrimSpace(line[len(fromStart):])
	return (len(rest) == 0 || bytes.HasPrefix(rest, []byte("- ")) || fromDate.Match(line)) && headerFollows(behind)
}

// entry is a mail of a mailbox.
type entry struct {
	data          []byte
	id            string
	parent        string // what it answers
	root          string // the first of its References
	thread        string // id of the mail that began the thread
	from, subject string
	sent          time.Time
}

// split cuts a mailbox into its mails. more says that there were too many.
func split(ctx context.Context, data []byte) (mails [][]byte, more bool, err error) {
	start, blank := -1, true
	for at := 0; at < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := data[at:end]
		if blank && separates(line, data[end:]) {
			if err := ctx.Err(); err != nil {
				return nil, false, err
			}
			if start >= 0 {
				mails = append(mails, data[start:at])
			}
			if len(mails) == mostMails {
				return mails, true, nil
			}
			start = end
		}
		blank = len(bytes.TrimRight(line, "\r\n")) == 0
		at = end
	}
	if start >= 0 {
		mails = append(mails, data[start:])
	}
	return mails, false, nil
}

var quotedFrom = regexp.MustCompile(`(?m)^>(>*From )`)

// unquote undoes what writing into a mailbox did to lines that begin with "From ": one > less (mboxrd; mboxo differs for
// ">>From " only, which nobody can tell).
func unquote(data []byte) []byte {
	data = bytes.TrimRight(data, "\r\n")
	if !bytes.Contains(data, []byte(">From ")) {
		return data
	}
	return quotedFrom.ReplaceAll(data, []byte("$1"))
}

// extractMailbox hands on each mail as a part, and writes a table of contents by threads.
func extractMailbox(ctx context.Context, src *extract.Source) (extract.Output, error) {
	byParts(src)
	raw, more, err := split(ctx, src.Data)
	if err != nil {
		return extract.Output{}, err
	}
	if len(raw) == 0 {
		return extract.Output{}, &extract.Error{
			Reason: "the mailbox holds no mail that can be told apart",
			Hint:   `each mail has to begin with a line "From sender date"; a single mail is read when it is named .eml`,
		}
	}
	entries := make([]entry, len(raw))
	for i, data := range raw {
		if i%256 == 0 && ctx.Err() != nil {
			return extract.Output{}, ctx.Err()
		}
		entries[i] = readEntry(unquote(data))
	}
	link(entries)
	out := extract.Output{Type: extract.TypeMarkdown, Title: fileTitle(src), Language: text.Undetermined, Metadata: map[string]string{}}
	if out.Title == "" {
		out.Title = "Mailbox"
	}
	names := partNames(entries)
	for i, e := range entries {
		meta := map[string]string{"mail": strconv.Itoa(i + 1), "thread_id": e.thread}
		for key, value := range map[string]string{"message_id": e.id, "in_reply_to": e.parent, "from": e.from, "subject": e.subject} {
			if value != "" {
				meta[key] = value
			}
		}
		out.Parts = append(out.Parts, extract.Part{
			Name: names[i], Data: e.data, Type: "message/rfc822", Title: e.subject, Metadata: meta, Published: e.sent,
		})
	}
	var w writer
	contents(&w, out.Title, entries, out.Metadata)
	out.Text, out.Marks = w.String(), w.marks
	if more {
		out.Metadata["truncated"] = "true"
		out.Metadata["warning"] = fmt.Sprintf("the mailbox holds more than %d mails; the rest was left out: cut it into several", mostMails)
	}
	return out, nil
}

// readEntry reads the header of a mail.
func readEntry(data []byte) entry {
	h, _ := readHeader(data)
	e := entry{data: data, id: first(h.ids("message-id")), subject: h.words("subject"), sent: h.sent()}
	if e.id == "" {
		sum := sha256.Sum256(data)
		e.id = "mail-" + hex.EncodeToString(sum[:8])
	}
	references := h.ids("references")
	e.root = first(references)
	if e.parent = first(h.ids("in-reply-to")); e.parent == "" && len(references) > 0 {
		e.parent = references[len(references)-1]
	}
	if people := h.people("from"); len(people) > 0 {
		e.from = people[0].String()
	}
	return e
}

// link finds the thread of each mail: the first id of its References, or else as far up as In-Reply-To leads in this
// mailbox. A thread is named by the id of its root, whether that mail is here or not.
func link(entries []entry) {
	above := make(map[string]string, len(entries))
	for _, e := range entries {
		if _, seen := above[e.id]; !seen {
			above[e.id] = cmp.Or(e.root, e.parent)
		}
	}
	roots := make(map[string]string, len(entries))
	for i := range entries {
		var path []string
		id := entries[i].id
		for {
			root, known := roots[id]
			if known && root != "" {
				id = root
				break
			}
			if up := above[id]; !known && up != "" && up != id {
				roots[id] = "" // on the way: meeting it again is a circle
				path = append(path, id)
				id = up
				continue
			}
			break
		}
		for _, p := range path {
			roots[p] = id
		}
		entries[i].thread = id
	}
}

// partNames names the mails by their message ids, so that the same mail has the same name whenever the mailbox is read.
func partNames(entries []entry) []string {
	seen := map[string]int{}
	out := make([]string, len(entries))
	for i, e := range entries {
		name := fileName(strings.ReplaceAll(e.id, "/", "_"))
		if seen[name]++; seen[name] > 1 {
			name += "-" + strconv.Itoa(seen[name])
		}
		out[i] = name + ".eml"
	}
	return out
}

// contents writes a table of contents, thread by thread in the order of their first mails.
func contents(w *writer, title string, entries []entry, meta map[string]string) {
	threads := map[string][]int{}
	var order []string
	people := map[string]int{}
	var from, until time.Time
	for i, e := range entries {
		if threads[e.thread] == nil {
			order = append(order, e.thread)
		}
		threads[e.thread] = append(threads[e.thread], i)
		people[e.from]++
		if e.sent.IsZero() {
			continue
		}
		if from.IsZero() || e.sent.Before(from) {
			from = e.sent
		}
		if e.sent.After(until) {
			until = e.sent
		}
	}
	meta["mails"], meta["threads"], meta["people"] = strconv.Itoa(len(entries)), strconv.Itoa(len(order)), strconv.Itoa(len(people))
	w.block("# " + title)
	summary := fmt.Sprintf("Mailbox with %s in %s from %s", count(len(entries), "mail"), count(len(order), "thread"), count(len(people), "sender"))
	if !from.IsZero() {
		meta["from_date"], meta["until_date"] = from.Format(time.RFC3339), until.Format(time.RFC3339)
		summary += ", " + from.Format("2006-01-02") + " to " + until.Format("2006-01-02")
	}
	w.block(summary + ".")
	var b strings.Builder
	listed := 0
	for _, id := range order {
		for n, i := range byTime(entries, threads[id]) {
			if listed++; listed > mostListed {
				continue
			}
			if n > 0 {
				b.WriteString("  ")
			}
			b.WriteString("- " + entries[i].line() + "\n")
		}
	}
	if listed > mostListed {
		fmt.Fprintf(&b, "- … and %s more\n", count(listed-mostListed, "mail"))
	}
	w.block(b.String())
}

func byTime(entries []entry, list []int) []int {
	slices.SortStableFunc(list, func(a, b int) int { return entries[a].sent.Compare(entries[b].sent) })
	return list
}

// line is the mail in a table of contents.
func (e entry) line() string {
	var words []string
	if !e.sent.IsZero() {
		words = append(words, e.sent.Format("2006-01-02 15:04"))
	}
	if e.from != "" {
		words = append(words, e.from)
	}
	return strings.Join(words, ", ") + ": " + cmp.Or(e.subject, "(no subject)")
}

// count writes n of something.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + noun + "s"
}
