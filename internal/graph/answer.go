package graph

import (
	"time"

	"github.com/lukasa-memory/lukasa"
)

// What follows are the answers about places, names and links, as the doors give them.

// Shell is what is always at hand of a node: who it is, what it is about, what it holds and where it leads. Its summary and
// keywords follow the node's content: they are worked out when they are read after a change.
type Shell struct {
	lukasa.Node
	Manifest Manifest `json:"manifest"`
	Children []Child  `json:"children"`
	Dormant  bool     `json:"dormant"`
}

// Manifest is the table of contents of a node alone, not of its subtree.
type Manifest struct {
	Documents     int     `json:"documents"`
	Memories      int     `json:"memories"` // those in force
	Conversations int     `json:"conversations"`
	Messages      int     `json:"messages"`
	RecallFiles   int     `json:"recall_files"`
	Newest        []Item  `json:"newest"`
	Entities      []Named `json:"entities"` // most mentioned first
}

// Item names a record.
type Item struct {
	ID    lukasa.ID `json:"id"`
	Type  string    `json:"type"` // document, recall_file, memory, message, node, entity
	Label string    `json:"label"`
	At    time.Time `json:"at,omitzero"`
}

// Named is an entity with how often it is named here.
type Named struct {
	ID       lukasa.ID `json:"id"`
	Kind     string    `json:"kind"`
	Name     string    `json:"name"`
	Mentions int       `json:"mentions"`
}

// Child is a node below another.
type Child struct {
	ID          lukasa.ID       `json:"id"`
	Path        lukasa.Path     `json:"container"`
	Name        string          `json:"name"`
	Type        lukasa.NodeType `json:"type"`
	Description string          `json:"description,omitempty"`
	Dormant     bool            `json:"dormant,omitempty"`
}

// Branch is a node with those below it.
type Branch struct {
	Child
	Documents int      `json:"document_count"`
	Memories  int      `json:"memory_count"`
	Children  []Branch `json:"children"`
}

// Forest is a list of branches.
type Forest []Branch

// Provisioned are nodes that were made.
type Provisioned []lukasa.Node

// Archived is the receipt of an archiving: what moved, and what had to change for it.
type Archived struct {
	Container     lukasa.Path `json:"container"`
	Into          lukasa.Path `json:"into"`
	Node          lukasa.ID   `json:"into_id"`
	State         string      `json:"state"`     // archived; archiving: it goes on in the background, and ends even if this process does not live to see it
	Documents     int         `json:"documents"` // all versions, and the stretches of conversations
	Memories      int         `json:"memories"`  // superseded ones too
	Conversations int         `json:"conversations"`
	Trash         int         `json:"trash"` // records that lay in the trash and lie there still
	Edges         int         `json:"edges"`
	Nodes         []lukasa.ID `json:"nodes_removed"`
	Moved         []Moved     `json:"containers_moved"`      // those below it
	Renamed       []Renamed   `json:"conversations_renamed"` // their name was taken where they went
}

// Moved is a container that got another path.
type Moved struct {
	From lukasa.Path `json:"from"`
	To   lukasa.Path `json:"to"`
}

// Renamed is a conversation that got another name.
type Renamed struct {
	ID   lukasa.ID `json:"id"`
	From string    `json:"from"`
	To   string    `json:"to"`
}

// About is everything that is known of an entity, across all branches that the scope may read. No file is opened for it.
type About struct {
	lukasa.Entity
	FirstSeen   *time.Time  `json:"first_seen,omitempty"`
	LastSeen    *time.Time  `json:"last_seen,omitempty"`
	Where       []Where     `json:"where"` // most mentions first
	Memories    []Statement `json:"memories"`
	Messages    []Statement `json:"messages"`
	Documents   []Statement `json:"documents"`
	RecallFiles []Item      `json:"recall_files"`
	Related     []Named     `json:"related"` // entities that are mentioned together with it; mentions says how often
	Counts      Counts      `json:"counts"`
	Truncated   bool        `json:"truncated"` // there is more than is listed
}

// Counts say how many records mention an entity.
type Counts struct {
	Memories    int `json:"memories"`
	Messages    int `json:"messages"`
	Documents   int `json:"documents"`
	RecallFiles int `json:"recall_files"`
	Containers  int `json:"containers"`
}

// Where is a container in which an entity is mentioned.
type Where struct {
	ID       lukasa.ID   `json:"id"`
	Path     lukasa.Path `json:"container"`
	Mentions int         `json:"mentions"`
	Dormant  bool        `json:"dormant,omitempty"` // named, and not woken
}

// Statement is a record that mentions an entity.
type Statement struct {
	ID       lukasa.ID   `json:"id"`
	Path     lukasa.Path `json:"container"`
	Text     string      `json:"text"` // of a memory all, of a message the beginning, of a document its title
	Kind     string      `json:"kind,omitempty"`
	Speaker  string      `json:"speaker,omitempty"`
	At       time.Time   `json:"at"` // when it happened or was said, else was recorded
	IsLatest bool        `json:"is_latest"`
	Weight   float64     `json:"weight"` // how often it mentions it
	Node     lukasa.ID   `json:"-"`
	Document lukasa.ID   `json:"-"` // of a message
}

// Near is a record that a walk came to.
type Near struct {
	ID       lukasa.ID   `json:"id"`
	Type     string      `json:"type"` // container, document, recall_file, memory, message, conversation, entity
	Kind     string      `json:"kind,omitempty"`
	Label    string      `json:"label"`
	Path     lukasa.Path `json:"container,omitempty"`
	Distance int         `json:"distance"`
	Dormant  bool        `json:"dormant,omitempty"` // it stands in a container that nobody has touched for long; it was not woken
}

// Hood is what lies around records.
type Hood struct {
	Of        []lukasa.ID   `json:"of"`
	Depth     int           `json:"depth"`
	Records   []Near        `json:"nodes"`
	Edges     []lukasa.Edge `json:"edges"`
	Truncated bool          `json:"truncated"`
}

// Drawing is a picture with its words.
type Drawing struct{ Picture }
