package media

import (
	"bytes"
	"html"
	"strings"
	"time"
)

// maxXMP bounds the packet that is looked at.
const maxXMP = 256 << 10

// readXMP fills in what EXIF did not say from the XMP packet, which lies in any file as plain RDF: title, caption or alt text,
// author, date. It is searched for the few elements that count, and not parsed: packets are often cut or doubled.
func (f *facts) readXMP(data []byte) {
	i := bytes.Index(data, []byte("<x:xmpmeta"))
	if i < 0 {
		return
	}
	packet := data[i:min(len(data), i+maxXMP)]
	if end := bytes.Index(packet, []byte("</x:xmpmeta>")); end >= 0 {
		packet = packet[:end]
	}
	s := strings.ToValidUTF8(string(packet), "")
	set := func(to *string, names ...string) {
		for _, n := range names {
			if *to == "" {
				*to = cleanText(xmpValue(s, n))
			}
		}
	}
	set(&f.caption, "dc:description", "Iptc4xmpCore:AltTextAccessibility", "Iptc4xmpCore:ExtDescrAccessibility")
	set(&f.title, "dc:title", "photoshop:Headline")
	set(&f.author, "dc:creator")
	if f.taken.IsZero() {
		for _, n := range []string{"exif:DateTimeOriginal", "photoshop:DateCreated", "xmp:CreateDate"} {
			v := xmpValue(s, n)
			for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
				if t, err := time.Parse(layout, v); err == nil && plausible(t) {
					f.taken, f.zoned = t.UTC(), layout == time.RFC3339
					return
				}
			}
		}
	}
}

// xmpValue returns the value of a property: an attribute, or an element with text or with a list, of which it is the first.
func xmpValue(s, name string) string {
	if _, rest, ok := strings.Cut(s, " "+name+`="`); ok {
		v, _, _ := strings.Cut(rest, `"`)
		return html.UnescapeString(v)
	}
	_, rest, ok := strings.Cut(s, "<"+name)
	if !ok || rest == "" || rest[0] != '>' && rest[0] != ' ' {
		return ""
	}
	body, _, ok := strings.Cut(rest, "</"+name+">")
	if !ok {
		return ""
	}
	_, body, _ = strings.Cut(body, ">")
	if _, item, ok := strings.Cut(body, "<rdf:li"); ok {
		_, item, _ = strings.Cut(item, ">")
		body, _, _ = strings.Cut(item, "</rdf:li>")
	}
	if strings.Contains(body, "<") {
		return ""
	}
	return html.UnescapeString(strings.TrimSpace(body))
}
