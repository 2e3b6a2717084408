package pdf

import (
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// leaf is a page of the file with what it inherits from the tree above it.
type leaf struct {
	page      dict
	resources dict
	box       [4]float64 // left, bottom, right, top
	rotate    int        // 0, 90, 180 or 270, clockwise
}

// pages lists the pages in order, at most limit; more says that there are others. A tree that is damaged gives way to the pages
// found among the objects.
func (r *reader) pages(limit int) (out []leaf, more bool) {
	root, _ := r.resolve(r.trailer["Root"]).(dict)
	seen := map[ref]bool{}
	var walk func(v any, from leaf, depth int)
	walk = func(v any, from leaf, depth int) {
		if len(out) > limit || depth > maxDepth {
			return
		}
		if at, ok := v.(ref); ok {
			if seen[at] {
				return
			}
			seen[at] = true
		}
		r.bud.step()
		d, ok := r.resolve(v).(dict)
		if !ok {
			return
		}
		from = r.inherit(from, d)
		kids, ok := r.resolve(d["Kids"]).(array)
		if !ok {
			if d["Type"] != name("Pages") {
				from.page = d
				out = append(out, from)
			}
			return
		}
		for _, k := range kids {
			walk(k, from, depth+1)
		}
	}
	start := leaf{box: [4]float64{0, 0, 612, 792}}
	walk(root["Pages"], start, 0)
	if len(out) == 0 {
		for _, num := range sortedKeys(r.xref) {
			if d, ok := r.load(num).(dict); ok && d["Type"] == name("Page") && len(out) <= limit {
				l := r.inherit(start, d)
				l.page = d
				out = append(out, l)
			}
		}
	}
	if len(out) > limit {
		return out[:limit], true
	}
	return out, false
}

// inherit adds what a node of the tree says to what those above it said.
func (r *reader) inherit(l leaf, d dict) leaf {
	if res, ok := r.resolve(d["Resources"]).(dict); ok {
		l.resources = res
	}
	for _, k := range []name{"MediaBox", "CropBox"} {
		if b := r.numbers(d[k]); len(b) >= 4 {
			box := [4]float64{min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])}
			if box[2]-box[0] > 1 && box[3]-box[1] > 1 && box[2]-box[0] < 1e6 && box[3]-box[1] < 1e6 {
				l.box = box
			}
		}
	}
	if n, ok := integer(r.resolve(d["Rotate"])); ok {
		l.rotate = ((n/90*90)%360 + 360) % 360
	}
	return l
}

// info reads the document information dictionary (14.3.3).
func (r *reader) info() Info {
	d, _ := r.resolve(r.trailer["Info"]).(dict)
	get := func(k name) string {
		s, _ := r.resolve(d[k]).(str)
		return strings.TrimSpace(textString(s))
	}
	return Info{
		Title: get("Title"), Author: get("Author"), Subject: get("Subject"), Keywords: get("Keywords"),
		Creator: get("Creator"), Producer: get("Producer"), Created: ParseDate(get("CreationDate")),
	}
}

// textString decodes a text string (7.9.2.2): UTF-16 or UTF-8 by its mark, else PDFDocEncoding, which is Windows-1252 but for
// a few signs.
func textString(s str) string {
	switch {
	case strings.HasPrefix(string(s), "\xfe\xff"), strings.HasPrefix(string(s), "\xff\xfe"):
		return utf16String(string(s[2:]), s[0] == 0xfe)
	case strings.HasPrefix(string(s), "\xef\xbb\xbf"):
		return strings.ToValidUTF8(string(s[3:]), "")
	}
	out, err := charmap.Windows1252.NewDecoder().String(string(s))
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(out, "\ufffd", "")
}

func utf16String(s string, big bool) string {
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		if big {
			units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
		} else {
			units = append(units, uint16(s[i+1])<<8|uint16(s[i]))
		}
	}
	return string(utf16.Decode(units))
}

// ParseDate reads "D:20250314150926+01'00'", from which everything after the year may be missing. The zero time means that it
// is no date.
func ParseDate(s string) time.Time {
	s = strings.TrimPrefix(strings.TrimSpace(s), "D:")
	digits := 0
	for digits < len(s) && digits < 14 && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	zone := strings.NewReplacer("'", "", ":", "").Replace(s[digits:])
	digits -= digits % 2
	if digits < 4 {
		return time.Time{}
	}
	layout := "20060102150405"[:digits]
	value := s[:digits]
	if len(zone) == 5 && (zone[0] == '+' || zone[0] == '-') && digits == 14 {
		layout, value = layout+"-0700", value+zone
	}
	t, err := time.Parse(layout, value)
	if err != nil || t.Year() < 1970 || t.Year() > 2200 {
		return time.Time{}
	}
	return t.UTC()
}
