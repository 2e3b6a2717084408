package api

import (
	"encoding/json"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// DocumentPatch is what changes of a document, but for its content.
type DocumentPatch struct {
	Title       *string         `json:"title,omitempty"`
	Tags        *[]string       `json:"tags,omitempty"`
	Metadata    map[string]any  `json:"metadata,omitempty" doc:"merged; null removes a name"`
	ForgetAfter json.RawMessage `json:"forget_after,omitempty" doc:"ISO 8601, or null to keep it"`
}

// ConversationPatch is what changes of a conversation, but for what is said in it.
type ConversationPatch struct {
	DocumentPatch
	Container string `json:"container,omitempty" doc:"where it goes, with all that was said in it and what is known from it alone; made if it is new"`
}

// Words are the same in the words of the product.
func (b DocumentPatch) Words() (p lukasa.DocumentPatch, err error) {
	p = lukasa.DocumentPatch{Title: b.Title, Tags: b.Tags, Metadata: b.Metadata}
	p.ForgetAfter, p.ClearForget, err = Forget(b.ForgetAfter)
	return p, err
}

// Forget reads forget_after of a patch: absent ("" too), null, which takes it away, or a time.
func Forget(raw json.RawMessage) (at *time.Time, never bool, err error) {
	if len(raw) == 0 || string(raw) == `""` {
		return nil, false, nil
	}
	if string(raw) == "null" {
		return nil, true, nil
	}
	wrong := &lukasa.Error{Code: lukasa.CodeInvalid, Field: "forget_after", Msg: "is not an ISO 8601 date or time", Hint: lukasa.TimeForms}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, false, wrong
	}
	t, err := lukasa.ParseTime(s)
	if err != nil {
		return nil, false, wrong
	}
	return new(t.UTC()), false, nil
}
