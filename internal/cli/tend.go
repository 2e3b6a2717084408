package cli

// tendCommands are the commands for upkeep, as the grammar embeds them.
type tendCommands struct {
	Forget   ForgetCmd   `cmd:"" help:"Remove documents, memories, messages, conversations or whole containers, for good."`
	Trash    TrashCmd    `cmd:"" help:"List the trash, or empty it."`
	Restore  RestoreCmd  `cmd:"" help:"Take records out of the trash, or back to how they were."`
	History  HistoryCmd  `cmd:"" help:"Show what has changed of a memory, document or container, by whom and why."`
	Diff     DiffCmd     `cmd:"" help:"Show how a record differs between two moments, or a document from another."`
	Undo     UndoCmd     `cmd:"" help:"Turn one change back."`
	Correct  CorrectCmd  `cmd:"" help:"Put a right statement in the place of a wrong memory, which stays on record."`
	Receipts ReceiptsCmd `cmd:"" help:"Show what was removed for good, and whether the store's files are clean of it."`
	Files    FilesCmd    `cmd:"" help:"Show sealed files and their states."`
	Link     LinkCmd     `cmd:"" help:"Link two records."`
	Unlink   UnlinkCmd   `cmd:"" help:"Remove a link between two records."`
	Jobs     JobsCmd     `cmd:"" help:"List what is not done: what waits, is worked on, or has failed."`
	Usage    UsageCmd    `cmd:"" help:"Show what you have, and may have."`
	Events   EventsCmd   `cmd:"" help:"Follow what changes, as it happens."`
	Audit    AuditCmd    `cmd:"" help:"Show security-relevant acts."`
	Metrics  MetricsCmd  `cmd:"" help:"Show the counters and timings of a server, as Prometheus reads them."`
	Rebuild  RebuildCmd  `cmd:"" help:"Make again what is derived: summaries, embeddings, graph or index."`
	Grant    GrantCmd    `cmd:"" help:"Let a persona or a third party see one container."`
	Grants   GrantsCmd   `cmd:"" help:"List what was granted."`
	Revoke   RevokeCmd   `cmd:"" help:"End a grant at once."`
	Org      OrgCmd      `cmd:"" help:"Share records among several users: organisations, their members and roles."`
	Whoami   WhoamiCmd   `cmd:"" help:"Show whom the key speaks for: user, organisation and role."`
	Migrate  MigrateCmd  `cmd:"" help:"Carry everything to another store: from SQLite to PostgreSQL, or back."`
	Release  ReleaseCmd  `cmd:"" help:"Put memories in force that wait for a review: candidates, and those in quarantine."`
	Rederive RederiveCmd `cmd:"" help:"Show or apply what today's rules, or a model, change in memories."`
}

// firstError returns err, or what then returns.
func firstError(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}
