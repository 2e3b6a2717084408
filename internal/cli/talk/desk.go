// Package talk is the part of the command line for conversations: saying something in one, ending it, and the moments that defined it.
package talk

import (
	"context"
	"io"
	"time"

	"github.com/lukasa-memory/lukasa/client"
)

// Desk is what a command works with.
type Desk struct {
	Ctx      context.Context
	JSON     bool
	In       io.Reader
	Typed    bool                                                  // In is a terminal
	Most     int64                                                 // bytes of one message that In may have
	API      func(newly bool, fn func(*client.Client) error) error // a server, or the data directory as one; newly makes it where it is not there
	Read     func(fn func(*client.Client) error) error             // the same, to look only
	Say      func(format string, args ...any)                      // a line of the result
	Note     func(format string, args ...any)                      // a line beside it
	Print    func(v any) error                                     // as JSON
	Progress func() (show func(format string, args ...any), done func())
	Values
}

// Values says how values are read and shown.
type Values struct {
	Moment   func(flag, s string) (time.Time, error)                 // a time, or how long ago
	Later    func(flag, s string, now time.Time) (*time.Time, error) // a time, or how long from now; nil for ""
	Metadata func(map[string]string) map[string]any
	OneLine  func(s string, n int) string
	When     func(time.Time) string
	Counted  func(n int, what string) string
}

// Commands are the commands of this room, as the grammar embeds them.
type Commands struct {
	Say SayCmd `cmd:"" help:"Add messages to a conversation: one from the command line, or many from a file."`
	End EndCmd `cmd:"" help:"End a conversation and write its recall file."`

	Defining DefiningCmd `cmd:"" help:"List decisions, milestones, events and turning points, with what was said around them."`
}

// EndCmd ends what is open of a conversation.
type EndCmd struct {
	Conversation string `arg:"" help:"Its id or name."`
	Container    string `short:"c" help:"Where a name is looked for." placeholder:"PATH"`
}

// Run ends it.
func (c *EndCmd) Run(desk *Desk) error {
	return desk.API(false, func(cl *client.Client) error {
		f, err := cl.EndConversation(desk.Ctx, c.Conversation, c.Container)
		switch {
		case err != nil:
			return err
		case desk.JSON:
			return desk.Print(f)
		}
		desk.Say("%s %s  %s (%s, %s)", f.Status, f.ID, desk.OneLine(f.Topic, 70), desk.Counted(f.Messages, "message"), desk.Counted(f.Tokens, "token"))
		return nil
	})
}
