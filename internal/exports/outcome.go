package exports

import (
	"errors"

	"github.com/lukasa-memory/lukasa"
)

// ErrDeleted says that a memory was deleted by hand since it was imported.
var ErrDeleted = errors.New("was deleted here")

// Result says what became of one item of an export where it was carried to. New, Replaced and Unchanged count its messages; of
// another item, one of them is 1.
type Result struct {
	ID        lukasa.ID `json:"id,omitempty"` // of the document, memory or conversation
	New       int       `json:"new,omitempty"`
	Replaced  int       `json:"replaced,omitempty"`
	Unchanged int       `json:"unchanged,omitempty"`
	Deleted   int       `json:"deleted,omitempty"` // a memory that was deleted since it was imported, and stays so
	Waiting   bool      `json:"waiting,omitempty"` // kept, and worked off in the background
	Failed    string    `json:"failed,omitempty"`  // why it could not be kept, or not be read when it was kept before
}

// Link says that a record points to another one: by its id, or as the export names it, by custom id, conversation, key of a
// memory or title.
type Link struct {
	From lukasa.ID `json:"from"`
	To   string    `json:"to"`
}
