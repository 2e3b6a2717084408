package graph

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// mentioner is a reader in which one edge names everybody Ann, and that notes how often it was asked.
type mentioner struct {
	store.Reader
	asked int
}

func (m *mentioner) Edges(of []lukasa.ID, _ []lukasa.EdgeType, _ int) ([]lukasa.Edge, error) {
	m.asked++
	return []lukasa.Edge{{From: "conv_1", To: string(of[0]), Metadata: map[string]any{namedAs: "Ann"}}}, nil
}
func (m *mentioner) MemoriesByID([]lukasa.ID) ([]lukasa.Memory, error)    { return nil, nil }
func (m *mentioner) MessagesByID([]lukasa.ID) ([]lukasa.Message, error)   { return nil, nil }
func (m *mentioner) DocumentsByID([]lukasa.ID) ([]lukasa.Document, error) { return nil, nil }

// TestSeenAsksOnce shows the same entities twice in one answer: what mentions them is read once, and how often they are mentioned is that of each list.
func TestSeenAsksOnce(t *testing.T) {
	t.Parallel()
	m := &mentioner{}
	r := &acquaintance{m, map[lukasa.ID]knownAs{}}
	for n := range 3 {
		list, err := Seen(r, lukasa.Scope{Root: "work"}, []lukasa.Entity{
			{ID: "ent_1", Name: "Anna", Aliases: []string{"Ann", "Bo"}, Mentions: n}, {ID: "ent_2", Name: "Carl"},
		})
		if err != nil || len(list) != 1 || list[0].Name != "Ann" || list[0].Aliases != nil || list[0].Mentions != n {
			t.Errorf("seen are %+v, %v", list, err)
		}
	}
	if m.asked != 2 {
		t.Errorf("two entities were asked for %d times", m.asked)
	}
}
