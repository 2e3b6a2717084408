package office

import (
	"bytes"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// formatOf tells which of the formats a ZIP archive is, by the names in it; "" when it is none of them.
func formatOf(src *extract.Source) string {
	if !bytes.HasPrefix(src.Data, []byte("PK\x03\x04")) {
		return ""
	}
	if media := unpack.MediaType(src.Data); media != "" {
		return formatByMedia(media)
	}
	entries, types, found := 0, false, ""
	for key := range unpack.Members(src.Data) {
		entries++
		switch {
		case key == "[content_types].xml":
			types = true
		case key == "meta-inf/container.xml":
			return "" // a book
		case key == "xl/workbook.bin":
			found = formatOld
		case found != "":
		case strings.HasPrefix(key, "word/"):
			found = formatDocx
		case strings.HasPrefix(key, "xl/"):
			found = formatXlsx
		case strings.HasPrefix(key, "ppt/"):
			found = formatPptx
		}
	}
	if entries == 0 { // cut short: then its head is all there is to go by
		return formatByMedia(src.Media)
	}
	if !types {
		return ""
	}
	return found
}

// formatByMedia returns the format whose media type s begins with.
func formatByMedia(s string) string {
	for _, m := range []struct{ media, format string }{
		{oasis + "text", formatOdt},
		{oasis + "spreadsheet", formatOds},
		{oasis + "presentation", formatOdp},
		{oasis + "graphics", formatOdp},
		{ooxml + "wordprocessingml", formatDocx},
		{ooxml + "presentationml", formatPptx},
		{ooxml + "spreadsheetml", formatXlsx},
	} {
		if strings.HasPrefix(s, m.media) {
			return m.format
		}
	}
	return ""
}
