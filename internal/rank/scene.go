package rank

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// Scene is all that the ranker lukasa looks at for one query: the candidates with their terms and vectors, what stands
// beside them, and the statistics of the partitions that are searched. Numbers of terms and speakers are the
// caller's own; they only have to agree within the scene. docs/design/ranking.md says where an index gets each from.
type Scene struct {
	Query   Query
	Terms   []Term  // the query's terms, each once
	Entries int     // entries in the partitions
	Length  float64 // mean number of terms of an entry's text in the partitions

	// Items are the candidates, which come first, and the neighbours that they refer to.
	Items      []Item
	Candidates int

	Speakers []string // names of speakers, by Item.Speaker

	// Dot returns the cosine between the vectors of two items; a = -1 stands for the query. Nil: there are no vectors.
	Dot func(a, b int) float32
}

// NoTerm is the number of a query term that no entry has.
const NoTerm = ^uint32(0)

// Term is one term of the query.
type Term struct {
	ID        uint32  // NoTerm where no entry has it
	Frequency int     // entries of the partitions that have it
	Share     float64 // of its weight that counts, where other words stand in for it; 0 stands for 1
	Code      bool    // a code, like INV-20913
	Asking    bool    // it only asks for what is known, see [Asking]
}

// Item is a candidate or a neighbour of one.
type Item struct {
	lukasa.Candidate
	Terms      []uint32 // in order: those of title and speaker first
	Head       int      // how many are of title and speaker
	Prev, Next int32    // items that stand right before and behind it in its session; -1: none, or not in the scene
	Speaker    int32    // who says it, by name; -1: nobody
	Voice      Voice
	Vector     bool    // it has one
	Derived    bool    // a memory that was drawn from a text by itself
	Doubt      float64 // of the confidence in a memory: from 0, sure, to 1, none; of all else 0
}

// Voice says whose words a text is.
type Voice uint8

// The voices.
const (
	Nobody    Voice = iota // a document's
	Person                 // somebody's among people
	User                   // a user's who talks with an assistant
	Assistant              // an assistant's
)

// VoiceOf tells the voice from the role and the speaker of a message. A speaker with a name of his own is a person, whatever
// his role.
func VoiceOf(role, speaker string) Voice {
	if speaker != "" && speaker != role && speaker != "user" && speaker != "assistant" {
		return Person
	}
	if speaker == "user" || speaker == "assistant" {
		role = speaker
	}
	switch role {
	case "user":
		return User
	case "assistant":
		return Assistant
	}
	return Nobody
}

// neighbours returns the items one before, one behind, two before and two behind.
func (s *Scene) neighbours(it *Item) [4]int32 {
	a := [4]int32{it.Prev, it.Next, -1, -1}
	if it.Prev >= 0 {
		a[2] = s.Items[it.Prev].Prev
	}
	if it.Next >= 0 {
		a[3] = s.Items[it.Next].Next
	}
	return a
}

// namesSpeaker reports whether the question names one of those who speak.
func (s *Scene) namesSpeaker() bool {
	return slices.ContainsFunc(s.Speakers, func(name string) bool {
		return name != "user" && name != "assistant" && s.Query.names(name)
	})
}
