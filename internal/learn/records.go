package learn

import (
	"slices"

	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/records"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
)

// recordsVersion names the reader of structured documents as the extractor of a memory.
const recordsVersion = "records-1"

// recordConfidence is that of what a document states by its form.
const recordConfidence = 0.95

// statementsOf are the statements of a document that was read: decisions of decision records, releases of changelogs, decisions and
// actions of minutes, commits that decide something. Each names its document; none is about the owner.
func statementsOf(t Text) []rules.Statement {
	_, list := records.Read(records.Document{Name: t.Name, Type: t.Type, Title: t.Title, Text: t.Body, Written: t.At})
	out := make([]rules.Statement, len(list))
	for i, s := range list {
		out[i] = rules.Statement{
			Kind: s.Kind, Content: s.Content, Subject: t.Title, Confidence: recordConfidence * merge.Trust(t.Origin), OccurredAt: s.Date, ValidFrom: s.Date,
			Start: t.Base + s.Start, End: t.Base + s.End, Tags: s.Tags, Defining: s.Kind.Defining(), Extractor: recordsVersion,
		}
		if s.Status != "" {
			out[i].Tags = append(slices.Clip(out[i].Tags), "status:"+s.Status)
		}
		if s.Owner != "" {
			out[i].Entities = []string{s.Owner}
		}
	}
	return out
}
