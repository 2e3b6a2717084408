package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// SayCmd adds messages to a conversation.
type SayCmd struct {
	Conversation string            `arg:"" help:"Your own name for the conversation, which is made if it is new; or the id of one."`
	Text         []string          `arg:"" optional:"" help:"What was said; - reads it from standard input, as one message."`
	Container    string            `short:"c" help:"Where the conversation is kept: a dotted path like work.calls." placeholder:"PATH"`
	File         string            `short:"f" help:"Messages to add, as JSON lines or a JSON list; - is standard input. Other files are for add and import." placeholder:"FILE"`
	As           string            `help:"Whose turn it was: user (as it is without this), assistant, tool or system." placeholder:"ROLE"`
	Speaker      string            `help:"Who said it, by name." placeholder:"NAME"`
	Time         string            `help:"When it was said: a time, or how long ago like 10m; otherwise now. \"Tomorrow\" is read by its clock." placeholder:"TIME"`
	ID           string            `name:"id" help:"Your own id of the message: said again under it, it is kept once." placeholder:"ID"`
	Session      string            `help:"Your own name for the sitting; another one ends the stretch that is open." placeholder:"NAME"`
	Meta         map[string]string `mapsep:"none" help:"Further fact about it; may be repeated." placeholder:"NAME=VALUE"`
	ForgetAfter  string            `help:"When to forget the whole conversation: a date, or a time from now like 30d." placeholder:"TIME"`
	Replace      bool              `help:"Put other words in the place of those that are known under the same id."`
}

// Help is the detail of the command's help.
func (SayCmd) Help() string {
	return `Each message is durable and found by a search before the command ends. --file takes messages, not notes: JSON lines, or one JSON list of them. Pictures, Office files and other notes are for "lukasa add", what chats export is for "lukasa import". Each message is an object: {"content": "I moved to Lyon.", "role": "user", "speaker": "Ana", "time": "2026-03-09T19:00:00+01:00", "id": "c1", "session": "monday", "metadata": {}, "forget_after": "2030-01-01"}; all but content may be left out. Content may be a list of parts, as APIs of models have it. The whole file is read before anything is kept. Messages that have an id can be given again: what is there stays, so that the same command goes on where it was cut off.`
}

// The most that one request takes.
const (
	batchMessages = 200
	sayBatchBytes = 1 << 20
)

// spoken is what became of all messages.
type spoken struct {
	Conversation string                `json:"conversation"`
	ID           lukasa.ID             `json:"conversation_id"`
	Container    lukasa.Path           `json:"container"`
	RecallFile   lukasa.ID             `json:"recall_file_id"` // the stretch that is open now
	Logged       int                   `json:"logged"`
	Replaced     int                   `json:"replaced"`
	Unchanged    int                   `json:"unchanged"`
	Conflicts    int                   `json:"conflicts"`
	Items        []lukasa.AppendResult `json:"items"`
}

// Run adds what was said.
func (c *SayCmd) Run(a *app) error {
	ms, err := c.messages(a)
	if err != nil {
		return err
	}
	forget, err := When("--forget-after", c.ForgetAfter, time.Now())
	if err != nil {
		return err
	}
	return a.api(toWrite, func(cl *client.Client) error {
		to := lukasa.Append{Conversation: c.Conversation, Container: c.Container, Replace: c.Replace, ForgetAfter: forget}
		if id, err := lukasa.ParseID(lukasa.PrefixConversation, c.Conversation); err == nil {
			known, err := cl.Conversation(a.ctx, id)
			if err != nil {
				return err
			}
			if c.Container != "" && c.Container != string(known.Path) {
				return lukasa.Invalid("--container", "is not where %s is: that is in %s", id, known.Path)
			}
			to.Conversation, to.Container = known.ExternalID, string(known.Path)
		}
		out, err := c.send(a, cl, to, ms)
		return errors.Join(a.told(out), c.outcome(a, out, ms, err))
	})
}

// send adds the messages a batch at a time, and returns what became of those that were sent.
func (c *SayCmd) send(a *app, cl *client.Client, to lukasa.Append, ms []lukasa.NewMessage) (spoken, error) {
	out := spoken{Items: []lukasa.AppendResult{}}
	show, done := a.bar()
	defer done()
	for rest := ms; len(rest) > 0; {
		n, size := 0, 0
		for n < len(rest) && n < batchMessages && (n == 0 || size+len(rest[n].Content) <= sayBatchBytes) {
			size += len(rest[n].Content)
			n++
		}
		to.Messages, rest = rest[:n], rest[n:]
		conv, results, err := cl.Append(a.ctx, to)
		if err != nil {
			return out, c.place(err, len(out.Items))
		}
		out.Conversation, out.ID, out.Container, out.RecallFile = conv.ExternalID, conv.ID, conv.Path, conv.Document
		for _, r := range results {
			switch r.Status {
			case "logged":
				out.Logged++
			case "replaced":
				out.Replaced++
			case "conflict":
				out.Conflicts++
			default:
				out.Unchanged++
			}
		}
		out.Items = append(out.Items, results...)
		show("%d of %s", len(out.Items), counted(len(ms), "message"))
	}
	return out, nil
}

// place says in words of the command which message an error of a request is about, where so many were sent before it.
func (c *SayCmd) place(err error, before int) error {
	e, ok := errors.AsType[*lukasa.Error](err)
	if !ok {
		return err
	}
	said := *e
	var i int
	var field string
	if n, _ := fmt.Sscanf(e.Field, "messages[%d].%s", &i, &field); n == 2 {
		said.Field = "--" + field
		switch {
		case c.File != "":
			said.Field = fmt.Sprintf("message %d, %s", before+i+1, field)
		case field == "content":
			said.Field = "text"
		}
	}
	if field == "role" && c.File == "" {
		said.Field = "--as"
	}
	if said.Code == lukasa.CodeConflict {
		said.Msg, said.Hint = refusal(said.Msg), hintReplace
	}
	return &said
}

const hintReplace = "--replace puts the new words in the place of the old ones"

// refusal is why a message was refused, without what a request would have to say.
func refusal(why string) string {
	why, _, _ = strings.Cut(why, ";")
	return why
}

// told prints what became of the messages.
func (a *app) told(out spoken) error {
	if len(out.Items) == 0 {
		return nil
	}
	if a.g.JSON {
		return a.printJSON(out)
	}
	for _, r := range out.Items {
		line := fmt.Sprintf("%s %s", r.Status, r.ID)
		if r.ExternalID != "" {
			line += "  " + oneLine(r.ExternalID, 60)
		}
		if r.Error != "" {
			line += "  " + oneLine(refusal(r.Error), 200)
		}
		a.say("%s", line)
	}
	counts := []string{fmt.Sprintf("%d logged", out.Logged)}
	for _, x := range []struct {
		n    int
		what string
	}{{out.Replaced, "replaced"}, {out.Unchanged, "unchanged"}, {out.Conflicts, "refused"}} {
		if x.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	a.note("%s in %s (%s): %s", oneLine(out.Conversation, 60), out.Container, out.ID, strings.Join(counts, ", "))
	return nil
}

// outcome is the error of the command: what kept it from going on, or that messages were refused.
func (c *SayCmd) outcome(a *app, out spoken, ms []lukasa.NewMessage, err error) error {
	if err != nil {
		if n := len(out.Items); n > 0 {
			nameless := 0
			for _, m := range ms[:n] {
				if m.ExternalID == "" {
					nameless++
				}
			}
			advice := "the same command goes on where it was cut off"
			if nameless > 0 {
				advice = fmt.Sprintf("%d of them have no id and would be kept again", nameless)
			}
			a.note("%d of %s were dealt with; %s", n, counted(len(ms), "message"), advice)
		}
		return err
	}
	if out.Conflicts == 0 {
		return nil
	}
	return &lukasa.Error{
		Code: lukasa.CodeConflict, Msg: fmt.Sprintf("%d of %s have an id under which other words are known", out.Conflicts, counted(len(ms), "message")),
		Hint: hintReplace,
	}
}

// messages reads what is to be said.
func (c *SayCmd) messages(a *app) ([]lukasa.NewMessage, error) {
	if c.File != "" {
		return c.fromFile(a)
	}
	at, err := c.parseTime("--time", c.Time)
	if err != nil {
		return nil, err
	}
	said := strings.Join(c.Text, " ")
	if said == "-" || len(c.Text) == 0 && !a.tty.in {
		all, err := io.ReadAll(io.LimitReader(a.p.In, a.loaded.Config.MaxBody+1))
		switch {
		case err != nil:
			return nil, fmt.Errorf("read standard input: %w", err)
		case int64(len(all)) > a.loaded.Config.MaxBody:
			return nil, &lukasa.Error{Code: lukasa.CodeTooLarge, Field: "text", Msg: fmt.Sprintf("standard input has over %d bytes, too much for one message", a.loaded.Config.MaxBody), Hint: "several messages go as JSON lines: --file -"}
		}
		said = strings.TrimSuffix(strings.TrimSuffix(string(all), "\n"), "\r")
	}
	if strings.TrimSpace(said) == "" {
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "text", Msg: "nothing is said", Hint: "give what was said, - for standard input, or --file FILE for many messages"}
	}
	return []lukasa.NewMessage{{
		ExternalID: c.ID, Role: cmp.Or(c.As, "user"), Speaker: c.Speaker, Content: said, Time: at, Session: c.Session, Metadata: Metadata(c.Meta),
	}}, nil
}

// parseTime reads a time with the clock that it was given in, nil for "".
func (c *SayCmd) parseTime(field, s string) (*time.Time, error) {
	if s == "" {
		return nil, nil
	}
	t, err := Moment(field, s)
	if local, bad := time.Parse(time.RFC3339Nano, s); err == nil && bad == nil {
		t = local
	}
	return &t, err
}

// fromFile reads all lines of a file.
func (c *SayCmd) fromFile(a *app) (ms []lukasa.NewMessage, err error) {
	for _, x := range []struct {
		flag  string
		given bool
	}{
		{"text", len(c.Text) > 0},
		{"--as", c.As != ""},
		{"--speaker", c.Speaker != ""},
		{"--time", c.Time != ""},
		{"--id", c.ID != ""},
		{"--session", c.Session != ""},
		{"--meta", len(c.Meta) > 0},
	} {
		if x.given {
			return nil, lukasa.Invalid(x.flag, "is for a single message: with --file each line says its own")
		}
	}
	in := a.p.In
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return nil, lukasa.Invalid("--file", "%v", err)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		in = f
	}
	r := bufio.NewReader(in)
	if isList(r) {
		ms, err = c.readList(r)
	} else {
		ms, err = c.readLines(r)
	}
	if err == nil && len(ms) == 0 {
		err = lukasa.Invalid("--file", "has no messages")
	}
	return ms, err
}

// isList reports whether what comes is a JSON list, and passes over a byte order mark.
func isList(r *bufio.Reader) bool {
	if head, _ := r.Peek(3); string(head) == "\ufeff" {
		_, _ = r.Discard(3)
	}
	head, _ := r.Peek(512) // an error comes again when it is read
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("["))
}

// readLines reads a message a line.
func (c *SayCmd) readLines(r *bufio.Reader) (ms []lukasa.NewMessage, err error) {
	for n, more := 1, true; more; n++ {
		line, err := r.ReadBytes('\n')
		if more = err == nil; !more && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read --file: %w", err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			m, err := c.decodeMessage(line, fmt.Sprintf("line %d", n))
			if err != nil {
				return nil, err
			}
			ms = append(ms, m)
		}
	}
	return ms, nil
}

// readList reads the messages of a JSON list.
func (c *SayCmd) readList(r *bufio.Reader) ([]lukasa.NewMessage, error) {
	var all []json.RawMessage
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		return nil, c.wrong("--file", "is no JSON list: "+err.Error())
	}
	ms := make([]lukasa.NewMessage, 0, len(all))
	for i, raw := range all {
		m, err := c.decodeMessage(raw, fmt.Sprintf("message %d", i+1))
		if err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	return ms, nil
}

// wrong is what is not right about a message of a file.
func (c *SayCmd) wrong(at, msg string) error {
	hint := "a message is an object with content, and with role, speaker, time, id, session, metadata and forget_after where they are known"
	if at == "line 1" && strings.Contains(msg, "invalid character") || at == "--file" {
		hint = fmt.Sprintf("say --file takes messages as JSON lines, like {\"content\": \"I moved to Lyon.\"}; notes, pictures and Office files go with `lukasa add %[1]s`, what a chat exports with `lukasa import %[1]s`", c.File)
	}
	return &lukasa.Error{Code: lukasa.CodeInvalid, Field: at, Msg: msg, Hint: hint}
}

// parts is what a message says: a text, or a list of parts of text, as APIs of models have it, a line each.
func parts(raw json.RawMessage) (string, error) {
	var said string
	if json.Unmarshal(raw, &said) == nil {
		return said, nil
	}
	var list []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return "", errors.New("content is neither a text nor a list of parts like {\"type\": \"text\", \"text\": \"…\"}")
	}
	texts := make([]string, 0, len(list))
	for i, p := range list {
		if p.Text == nil {
			return "", fmt.Errorf("content[%d] is no text, and a message keeps nothing else: pictures and files go with `lukasa add`", i)
		}
		texts = append(texts, *p.Text)
	}
	return strings.Join(texts, "\n"), nil
}

// decodeMessage reads one message of a file.
func (c *SayCmd) decodeMessage(line []byte, at string) (lukasa.NewMessage, error) {
	var in struct {
		ID       string          `json:"id"`
		Role     string          `json:"role"`
		Speaker  string          `json:"speaker"`
		Content  json.RawMessage `json:"content"`
		Time     string          `json:"time"`
		Session  string          `json:"session"`
		Metadata map[string]any  `json:"metadata"`
		Forget   string          `json:"forget_after"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		msg := strings.TrimPrefix(err.Error(), "json: ")
		if misfit, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			if msg = misfit.Field + " does not take the " + misfit.Value; misfit.Field == "" {
				msg = "it is of the type " + misfit.Value
			}
		}
		return lukasa.NewMessage{}, c.wrong(at, "is no message: "+msg)
	}
	said, err := parts(in.Content)
	switch {
	case d.InputOffset() != int64(len(line)):
		return lukasa.NewMessage{}, c.wrong(at, "has more than one value")
	case in.Content == nil || string(in.Content) == "null":
		return lukasa.NewMessage{}, c.wrong(at, "has no content")
	case err != nil:
		return lukasa.NewMessage{}, c.wrong(at, err.Error())
	}
	when, err := c.parseTime(at+", time", in.Time)
	forget, bad := When(at+", forget_after", in.Forget, time.Now())
	return lukasa.NewMessage{
		ExternalID: in.ID, Role: in.Role, Speaker: in.Speaker, Content: said, Time: when, Session: in.Session, Metadata: in.Metadata, ForgetAfter: forget,
	}, errors.Join(err, bad)
}
