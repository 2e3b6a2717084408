package notes

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// "My Clippings.txt" of a Kindle: entries parted by a line of ten equals signs; the book with its author in brackets, a line
// "- Your Highlight on page 12 | Location 180-182 | Added on Monday, …" in the language of the device, an empty line, the text.
// Amazon does not document it; the words of the languages are those that public readers of the file list. English, German,
// French, Spanish, Italian and Portuguese are covered by tests; Dutch, Russian, Chinese and Japanese follow the lists.
// A note stands behind the highlight that it is about, and is joined to it by its place. The file is a log: what was highlighted
// anew with other ends, or a note that was written over, stands in it once for each time, and the last one counts. Old devices
// shorten the end of a range (1942-45) and the year (13). Times are those of the device.

var (
	kindleMark  = "=========="
	kindleBook  = regexp.MustCompile(`^(.*)\(([^()]*(?:\([^()]*\)[^()]*)*)\)$`)
	kindlePage  = regexp.MustCompile(`(?:page|seite|página|pagina|страница|странице)\s+([0-9ivxlc]+(?:-[0-9ivxlc]+)?)|第\s*(\d+(?:-\d+)?)\s*[页頁]|(\d+)\s*ページ|ページ\s*(\d+)`)
	kindleSpot  = regexp.MustCompile(`(?:location|loc\.|position|pos\.|posición|ubicación|posição|posizione|emplacement|locatie|место|位置\s*(?:no\.)?|#)\s*(\d+)(?:\s*[-–]\s*(\d+))?`)
	kindleDate  = regexp.MustCompile(`(?i)(\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:de\s+)?(\p{L}{3,})\.?,?\s+(?:de\s+)?(\d{4}|\d{2})\b`)
	kindleUS    = regexp.MustCompile(`(?i)(\p{L}{3,})\s+(\d{1,2}),\s+(\d{4})`)
	kindleEast  = regexp.MustCompile(`(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]`)
	kindleFull  = regexp.MustCompile(`^<[^<>\n]{15,120}>$`) // <You have reached the clipping limit for this item>
	kindleClock = regexp.MustCompile(`(?i)(上午|下午|午前|午後|오전|오후)?\s*(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]\.?\s?m\.?)?`)
)

// kindleWords tell what an entry is. The words of notes and bookmarks are asked first, as some languages use the word of a
// highlight in them.
var kindleWords = []struct {
	kind  string
	words []string
}{
	{"bookmark", []string{"bookmark", "lesezeichen", "signet", "marcador", "segnalibro", "bladwijzer", "закладка", "书签", "書籤", "ブックマーク"}},
	{"note", []string{"note", "notiz", "nota", "notitie", "заметка", "笔记", "筆記", "メモ"}},
	{"clip", []string{"clip", "ausschnitt", "extrait", "recorte", "ritaglio", "knipsel", "вырезка", "剪贴", "剪貼", "クリップ"}},
	{"highlight", []string{
		"highlight", "markierung", "surlignement", "surlignage", "surligné", "subrayado", "destaque", "evidenziazione", "markering", "выделение", "标注",
		"標註", "ハイライト",
	}},
}

// kindleMonths are the first letters by which the months of the six languages are told apart.
var kindleMonths = map[string]time.Month{
	"jan": 1, "ene": 1, "gen": 1, "feb": 2, "fév": 2, "fev": 2, "mar": 3, "mär": 3, "maa": 3, "apr": 4, "avr": 4, "abr": 4,
	"may": 5, "mai": 5, "mag": 5, "mei": 5, "jun": 6, "juin": 6, "giu": 6, "jul": 7, "juil": 7, "lug": 7, "aug": 8, "aoû": 8, "ago": 8, "sep": 9,
	"set": 9,
	"oct": 10, "okt": 10, "ott": 10, "out": 10, "nov": 11, "dec": 12, "dez": 12, "déc": 12, "dic": 12,
	"янв": 1, "фев": 2, "апр": 4, "мая": 5, "май": 5, "июн": 6, "июл": 7, "авг": 8, "сен": 9, "окт": 10, "ноя": 11, "дек": 12, "март": 3, "мар": 3,
}

func kindleFiles(s *exports.Source) []exports.File {
	return s.TextsLike(func(head string) bool {
		entries := strings.Split(strings.ReplaceAll(head, "\r", ""), kindleMark+"\n")
		if len(entries) < 2 && !strings.HasSuffix(strings.TrimSpace(head), kindleMark) {
			return false
		}
		lines := strings.SplitN(strings.TrimSpace(entries[0]), "\n", 3)
		return len(lines) >= 2 && strings.HasPrefix(strings.TrimSpace(lines[1]), "-")
	})
}

func looksKindle(s *exports.Source) bool { return len(kindleFiles(s)) > 0 }

type clipping struct {
	where, kind, book, author, page, text, added string
	from, to                                     int
	at                                           time.Time
	notes                                        []string
}

func readKindle(r *reading) {
	for _, f := range kindleFiles(r.Source) {
		s, err := r.Source.Text(f, text.Raw)
		if err != nil {
			r.Fail(f.Name, err)
			continue
		}
		var clips []*clipping
		for i, entry := range kindleEntries(strings.ReplaceAll(s, "\r", "")) {
			if text.Blank(entry) {
				continue
			}
			c, ok := r.clipping(entry)
			c.where = f.Name + " #" + strconv.Itoa(i+1)
			if !ok {
				r.Fail(c.where, errNoClipping)
				continue
			}
			clips = append(clips, c)
		}
		for _, c := range joinNotes(r.latest(clips)) {
			r.highlight(c)
		}
	}
}

// kindleEntries splits a file at the lines that are marks.
func kindleEntries(s string) []string {
	var out []string
	from, at := 0, 0
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == kindleMark {
			out = append(out, s[from:at])
			from = at + len(line)
		}
		at += len(line)
	}
	return append(out, s[from:])
}

func (r *reading) clipping(entry string) (*clipping, bool) {
	c := &clipping{}
	lines := strings.SplitN(strings.TrimLeft(strings.ReplaceAll(entry, "\ufeff", ""), "\n"), "\n", 3)
	if len(lines) < 2 || !strings.HasPrefix(strings.TrimSpace(lines[1]), "-") {
		return c, false
	}
	c.book = exports.OneLine(lines[0])
	if m := kindleBook.FindStringSubmatch(c.book); m != nil && strings.TrimSpace(m[1]) != "" {
		c.book, c.author = strings.TrimSpace(m[1]), strings.TrimSpace(m[2])
	}
	head := strings.ReplaceAll(lines[1], "\u00a0", " ")
	low := strings.ToLower(head)
	place, added := low, ""
	if i := strings.LastIndex(head, "|"); i >= 0 {
		place, added = strings.ToLower(head[:i]), head[i+1:]
	}
	for _, k := range kindleWords { // in Japanese the word stands behind the page
		if slices.ContainsFunc(k.words, func(w string) bool { return strings.Contains(place, w) }) {
			c.kind = k.kind
			break
		}
	}
	if c.kind == "" {
		c.kind = "highlight"
	}
	if m := kindlePage.FindStringSubmatch(place); m != nil {
		c.page = m[1] + m[2] + m[3] + m[4]
		if first, last, ok := strings.Cut(c.page, "-"); ok && first == last {
			c.page = first
		}
	}
	if m := kindleSpot.FindStringSubmatch(place); m != nil {
		c.from, _ = strconv.Atoi(m[1])
		if n := len(m[1]) - len(m[2]); m[2] != "" && n > 0 {
			m[2] = m[1][:n] + m[2] // 1942-45
		}
		if c.to, _ = strconv.Atoi(m[2]); c.to < c.from {
			c.to = c.from
		}
	}
	c.added, c.at = exports.OneLine(added), kindleTime(added, r.Options.Zone)
	if len(lines) == 3 {
		c.text = strings.TrimSpace(lines[2])
	}
	return c, true
}

func kindleMonth(name string) time.Month {
	runes := []rune(strings.ToLower(name))
	for n := min(4, len(runes)); n >= 3; n-- {
		if m, ok := kindleMonths[string(runes[:n])]; ok {
			return m
		}
	}
	return 0
}

func kindleTime(s string, zone *time.Location) time.Time {
	var y, d int
	var mon time.Month
	rest := s
	if m := kindleEast.FindStringSubmatchIndex(s); m != nil {
		y, _ = strconv.Atoi(s[m[2]:m[3]])
		n, _ := strconv.Atoi(s[m[4]:m[5]])
		d, _ = strconv.Atoi(s[m[6]:m[7]])
		mon, rest = time.Month(n), s[m[1]:]
	} else if m := kindleUS.FindStringSubmatchIndex(s); m != nil && kindleMonth(s[m[2]:m[3]]) != 0 {
		mon = kindleMonth(s[m[2]:m[3]])
		d, _ = strconv.Atoi(s[m[4]:m[5]])
		y, _ = strconv.Atoi(s[m[6]:m[7]])
		rest = s[m[1]:]
	} else if m := kindleDate.FindStringSubmatchIndex(s); m != nil {
		d, _ = strconv.Atoi(s[m[2]:m[3]])
		mon = kindleMonth(s[m[4]:m[5]])
		y, _ = strconv.Atoi(s[m[6]:m[7]])
		rest = s[m[1]:]
	}
	if y > 0 && y < 100 {
		y += 2000
	}
	if mon < 1 || mon > 12 || d < 1 || d > 31 || y < 1990 || y > 9999 {
		return time.Time{}
	}
	h, minute, sec := 0, 0, 0
	if m := kindleClock.FindStringSubmatch(rest); m != nil {
		h, _ = strconv.Atoi(m[2])
		minute, _ = strconv.Atoi(m[3])
		sec, _ = strconv.Atoi(m[4])
		half := strings.ToLower(m[5])
		isPM := strings.HasPrefix(half, "p") || slices.Contains([]string{"下午", "午後", "오후"}, m[1])
		isAM := strings.HasPrefix(half, "a") || slices.Contains([]string{"上午", "午前", "오전"}, m[1])
		switch {
		case isPM && h < 12:
			h += 12
		case isAM && h == 12:
			h = 0
		}
	}
	return time.Date(y, mon, d, h, minute, sec, 0, zone)
}

// latest leaves out what a later entry of the file has taken the place of: at overlapping places of the same book, one of the two
// texts contains the other.
func (r *reading) latest(clips []*clipping) []*clipping {
	type shelf struct{ book, kind string }
	later := map[shelf][]*clipping{}
	out := make([]*clipping, 0, len(clips))
	for _, c := range slices.Backward(clips) {
		at := shelf{c.book, c.kind}
		seen := later[at]
		if slices.ContainsFunc(seen[max(0, len(seen)-kindleReach):], c.replacedBy) {
			r.Leave("earlier forms of the same " + c.kind)
			continue
		}
		later[at] = append(seen, c)
		out = append(out, c)
	}
	slices.Reverse(out)
	return out
}

// kindleReach is how many later entries of a book are asked: one changes what one has just marked.
const kindleReach = 200

func (c *clipping) replacedBy(later *clipping) bool {
	if c.text == "" || later.text == "" || c.page != later.page && c.from == 0 {
		return false
	}
	overlap := c.from == 0 && later.from == 0 && c.page != "" || c.from > 0 && c.from <= later.to && later.from <= c.to
	return overlap && (strings.Contains(later.text, c.text) || strings.Contains(c.text, later.text))
}

// joinNotes puts each note to the highlight of its book in which it stands; the nearest one before or behind it in the file, as
// the order differs between devices. A note without a highlight stays by itself.
func joinNotes(clips []*clipping) []*clipping {
	byBook := map[string][]*clipping{}
	for _, c := range clips {
		if c.kind == "highlight" {
			byBook[c.book] = append(byBook[c.book], c)
		}
	}
	var out []*clipping
	for _, c := range clips {
		if c.kind != "note" {
			out = append(out, c)
			continue
		}
		var best *clipping
		for _, h := range byBook[c.book] {
			fits := c.from > 0 && h.from <= c.from && c.from <= h.to || c.from == 0 && c.page != "" && h.page == c.page
			if fits && (best == nil || h.to-h.from < best.to-best.from) {
				best = h
			}
		}
		if best == nil {
			out = append(out, c)
			continue
		}
		best.notes = append(best.notes, c.text)
	}
	return out
}

func (r *reading) highlight(c *clipping) {
	switch {
	case c.kind == "bookmark":
		r.Leave("bookmarks without a text")
		return
	case c.text == "":
		r.Leave("empty clippings")
		return
	case c.kind != "note" && kindleFull.MatchString(c.text):
		r.Leave("highlights beyond what the publisher lets be copied")
		return
	}
	n := exports.Note{
		ID: r.ID(exports.Digest(c.book, c.author, c.kind, c.page, strconv.Itoa(c.from), c.text)), Made: c.at, Kind: "markdown", Tags: []string{c.kind},
		Meta: exports.Meta{}.Str("book", c.book).Str("author", c.author).Str("page", c.page),
	}
	n.Title = c.book
	switch {
	case c.page != "":
		n.Title += ", p. " + c.page
	case c.from > 0:
		n.Title += ", " + strconv.Itoa(c.from)
	}
	if c.from > 0 {
		where := strconv.Itoa(c.from)
		if c.to > c.from {
			where += "-" + strconv.Itoa(c.to)
		}
		n.Meta.Str("location", where)
	}
	if c.at.IsZero() {
		n.Meta.Str("added", c.added)
	}
	if c.kind == "note" {
		n.Body = c.text
	} else {
		n.Body = "> " + strings.ReplaceAll(c.text, "\n", "\n> ")
	}
	for _, s := range c.notes {
		if s != "" {
			n.Body += "\n\n" + s
		}
	}
	n.Body += "\n\n" + strings.TrimSpace("— "+c.book)
	if c.author != "" {
		n.Body += ", " + c.author
	}
	r.Note(c.where, n)
}
