package store

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// Claim says which memories of a node a new one has to be weighed against: those with its key, those of its slot, those of its
// subject, or any. Of Key and Slot only one counts, the first that is given.
type Claim struct {
	Node    lukasa.ID
	Key     string
	Slot    string
	Subject string // of this subject alone; "" for any
	Retired bool   // those no longer in force, instead of those that are
}

// maxRivals bounds how many memories are weighed against one.
const maxRivals = "100"

// SQL is the statement that finds the ids of the memories y, beside conditions on who may see them. It names the index: the planner would
// walk all memories by their dates. In the past there is none.
func (q Claim) SQL(c *sqlrows.Conditions, past bool) string {
	c.Add("y.node_id = ??", q.Node)
	c.Add("y.is_latest = ??", !q.Retired)
	index := "memories_node"
	switch {
	case q.Key != "":
		index = "memories_key"
		c.Add("y.key = ?? AND y.key <> ''", q.Key)
	case q.Slot != "":
		index = "memories_slot"
		c.Add("y.slot = ?? AND y.slot <> ''", q.Slot)
	case q.Subject != "":
		index = "memories_subject"
	}
	if q.Subject != "" {
		c.Add("y.subject = ??", q.Subject)
	}
	if index = " INDEXED BY " + index; past {
		index = ""
	}
	// A parameter behind LIMIT would make SQLite prepare the statement again at every run.
	return "SELECT y.id FROM memories y" + index + " WHERE " + c.Where() + " ORDER BY y.recorded_at DESC, y.id DESC LIMIT " + maxRivals
}
