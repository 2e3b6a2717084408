package cli

import (
	"github.com/lukasa-memory/lukasa/client"
)

// talkCommands are the commands for conversations, as the grammar embeds them.
type talkCommands struct {
	Say SayCmd `cmd:"" help:"Add messages to a conversation: one from the command line, or many from a file."`
	End EndCmd `cmd:"" help:"End a conversation and write its recall file."`

	Timeline TimelineCmd `cmd:"" help:"List what happened, was said or is dated between two moments, oldest first."`
	Defining DefiningCmd `cmd:"" help:"List decisions, milestones, events and turning points, with what was said around them."`
}

// EndCmd ends what is open of a conversation.
type EndCmd struct {
	Conversation string `arg:"" help:"Its id or name."`
	Container    string `short:"c" help:"Where a name is looked for." placeholder:"PATH"`
}

// Run ends it.
func (c *EndCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		f, err := cl.EndConversation(a.ctx, c.Conversation, c.Container)
		switch {
		case err != nil:
			return err
		case a.g.JSON:
			return a.printJSON(f)
		}
		a.say("%s %s  %s (%s, %s)", f.Status, f.ID, oneLine(f.Topic, 70), counted(f.Messages, "message"), counted(f.Tokens, "token"))
		return nil
	})
}
