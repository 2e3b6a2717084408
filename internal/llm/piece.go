package llm

import (
	"encoding/json"

	"github.com/lukasa-memory/lukasa/internal/wire"
)

// What drivers share about the pieces of a stream, and about JSON where the server cannot be told a schema.

// Piece decodes one piece of a stream.
func Piece(data []byte, out any) error {
	if err := json.Unmarshal(data, out); err != nil {
		return &wire.Error{Kind: wire.Broken, Msg: "a piece of the stream is not the JSON expected", Err: err}
	}
	return nil
}

// StreamError makes an error of what a server says in the middle of a stream whose status was 200. status is the one that the
// message names, 0 for none: then the server is taken to be unable. body is a string or an object with a message.
func StreamError(status int, body json.RawMessage) error {
	kind := wire.Unavailable
	if status >= 400 && status < 600 {
		kind = wire.KindOf(status)
	}
	var text string
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &text) != nil && json.Unmarshal(body, &inner) == nil {
		text = inner.Message
	}
	msg := "server broke off"
	if text = wire.Quote(text); text != "" {
		msg += ": " + text
	}
	return &wire.Error{Kind: kind, Status: status, Msg: msg}
}

// SchemaPrompt returns the system prompt of req with its schema written into it, for servers that cannot be told one.
func SchemaPrompt(req Request) string {
	s := "Answer with one JSON value that fits this JSON Schema, and with nothing before or after it:\n" + string(req.Schema)
	if req.System != "" {
		s = req.System + "\n\n" + s
	}
	return s
}
