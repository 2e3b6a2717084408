package api

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// Parts reads the content of a message that is a list of parts, like [{"type":"text","text":"…"}]: their texts, a line break between
// two. A part of text has the type text in chat
// completions, and input_text or output_text in responses; what else it says, such as its annotations, is not kept. The error names the part at fault as "[1].type".
func Parts(data []byte) (string, *lukasa.Error) {
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil {
		return "", lukasa.Invalid("", "is no list of parts")
	}
	said := make([]string, len(parts))
	for i, raw := range parts {
		at := fmt.Sprintf("[%d]", i)
		if json.Unmarshal(raw, &said[i]) == nil && string(raw) != "null" {
			continue // some write a text as it is
		}
		var p struct {
			Type any
			Text any
		}
		if json.Unmarshal(raw, &p) != nil || string(raw) == "null" {
			return "", lukasa.Invalid(at, `is no part like {"type":"text","text":"…"}`)
		}
		switch p.Type {
		case "text", "input_text", "output_text":
		case nil:
			return "", lukasa.Invalid(at+".type", "is missing; a message takes parts of type text")
		default:
			return "", lukasa.Invalid(at+".type", "%.40q is not kept in a message, which takes parts of type text; send pictures and files as documents, with POST /v1/documents/upload", fmt.Sprint(p.Type))
		}
		text, ok := p.Text.(string)
		if !ok {
			return "", lukasa.Invalid(at+".text", "is not a text")
		}
		said[i] = text
	}
	return strings.Join(said, "\n"), nil
}
