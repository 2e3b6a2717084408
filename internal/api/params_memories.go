package api

import (
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Memories are the parameters of a listing of memories. Several values stand between commas, and mean any of them.
type Memories struct {
	Container   string `query:"container"`
	Kind        string `query:"kind" doc:"several with commas; defining and regular stand for the kinds that they sum up"`
	Tag         string `query:"tag"`
	Topic       string `query:"topic" doc:"what they are about: a tag of theirs, or a tag or topic of the document or recall file that they come from"`
	Entity      string `query:"entity" doc:"whom or what they mention or are linked with: a name, an alias or an id"`
	Relation    string `query:"relation" doc:"a type of edge that they stand at (to the entity, if there is one), or what they say of their subject, like works_at or sister"`
	From        string `query:"from" doc:"ISO 8601: what occurred, or else was recorded, at or after this"`
	To          string `query:"to" doc:"ISO 8601: what occurred, or else was recorded, before this"`
	CreatedFrom string `query:"created_from" doc:"ISO 8601: recorded at or after this"`
	CreatedTo   string `query:"created_to" doc:"ISO 8601: recorded before this"`
	Latest      string `query:"latest" enum:"true,false," doc:"true: only what stands; false: only what was superseded"`
	Document    string `query:"document_id"`
	Slot        string `query:"slot" doc:"which value of their subject they tell, like lives_in"`
	Subject     string `query:"subject" doc:"whom or what they are about, as the memory has it"`
	State       string `query:"state" enum:"active,archived,quarantined,candidate," doc:"left out: all but what waits for a review: in quarantine, because the text that it comes from tries to give orders, and candidates, which may not be worth keeping"`
	AsOf        string `query:"as_of" doc:"ISO 8601: as it was known then"`
	ValidAt     string `query:"valid_at" doc:"ISO 8601: only what was true then"`
	ValidFrom   string `query:"valid_from" doc:"ISO 8601: only what was true then or later"`
	ValidTo     string `query:"valid_to" doc:"ISO 8601: only what was true before then; with valid_from, at some time between them"`
}

// Filter is what they ask for, and the moment that is asked about; the zero time is now.
func (in Memories) Filter() (f lukasa.MemoryFilter, asOf time.Time, err error) {
	if f.Containers, err = Places(List(in.Container), false); err != nil {
		return f, asOf, err
	}
	f.Tags, f.Topics, f.Entities, f.Relations = List(in.Tag), List(in.Topic), List(in.Entity), List(in.Relation)
	f.Slot, f.Subject = in.Slot, in.Subject
	if in.Document != "" {
		if f.Document, err = ID("document_id", lukasa.PrefixDocument, in.Document); err != nil {
			return f, asOf, err
		}
	}
	for _, k := range List(in.Kind) {
		f.Kinds = append(f.Kinds, lukasa.MemoryKind(k))
	}
	if in.Latest != "" {
		latest := in.Latest == "true"
		f.Latest = &latest
	}
	if in.State != "" {
		f.State = &in.State
	}
	for _, t := range []struct {
		field, value string
		to           **time.Time
	}{
		{"from", in.From, &f.After},
		{"to", in.To, &f.Before},
		{"created_from", in.CreatedFrom, &f.CreatedFrom},
		{"created_to", in.CreatedTo, &f.CreatedUntil},
		{"valid_at", in.ValidAt, &f.ValidAt},
		{"valid_from", in.ValidFrom, &f.ValidFrom},
		{"valid_to", in.ValidTo, &f.ValidTo},
	} {
		if *t.to, err = Since(t.field, t.value); err != nil {
			return f, asOf, err
		}
	}
	asOf, err = Instant("as_of", in.AsOf)
	return f, asOf, err
}
