package rank

import (
	"github.com/lukasa-memory/lukasa"
)

// Scene is all that the ranker lukasa looks at for one query: the candidates with their terms and vectors, what stands
// beside them, and the statistics of the partitions that are searched. Numbers of terms, sessions and speakers are the
// caller's own; they only have to agree within the scene. docs/design/ranking.md says where an index gets each from.
type Scene struct {
	Query   Query
	Terms   []Term  // the query's terms, each once
	Entries int     // entries in the partitions
	Length  float64 // mean number of terms of an entry's text in the partitions

	// Items are the candidates, which come first, and the neighbours that they refer to.
	Items      []Item
	Candidates int

	Sessions int      // sessions and documents in the partitions; 0: those of the items
	Speakers []string // names of speakers, by Item.Speaker

	// Spread is the distance between the marks for "very nearly the same" and "related" of the embedding space; 0 stands for
	// that of the built-in one. Trust is the share of the query's words that the embedding model knows; 0 stands for all.
	Spread, Trust float32
	Explain       bool // keep what each sign adds, see [Scored.Shares]

	// Frequency tells in about how many entries of the partitions each of the terms stands, in counts, which holds zeros. Nil: it is
	// estimated from the items.
	Frequency func(terms []uint32, counts []int)
	// Alike compares terms with the query's: near is a row for each of them, of zeros, and near[i] of a row becomes the cosine
	// between the vectors of Terms[i] and of the term. Rows are as long as Terms, or 64 where those are more. Nil: words match
	// only themselves. It may be called several times at once.
	Alike func(terms []uint32, near []float32)
	// Dot returns the cosine between the vectors of two items; a = -1 stands for the query. Nil: there are no vectors.
	Dot func(a, b int) float32
	// Beside has a part of the work done at the same time as the rest, at the latest when wait is called. Nil: all is done in turn.
	Beside func(part func()) (wait func())
}

// NoTerm is the number of a query term that no entry has.
const NoTerm = ^uint32(0)

// Term is one term of the query.
type Term struct {
	ID        uint32  // NoTerm where no entry has it
	Count     int     // how often the query has it
	Frequency int     // entries of the partitions that have it
	Share     float64 // of its weight that counts, where other words stand in for it; 0 stands for 1
	Whole     bool    // it is put together of several words, like parseHTML or INV-20913
}

// Item is a candidate or a neighbour of one.
type Item struct {
	lukasa.Candidate
	Terms      []uint32 // in order: those of title and speaker first
	Head       int      // how many are of title and speaker
	Prev, Next int32    // items that stand right before and behind it in its session; -1: none, or not in the scene
	Session    int32    // session of its conversation, or its document, from 0 on; -1: none
	Speaker    int32    // who says it, by name; -1: nobody
	Voice      Voice
	Flags      Flags
	Vector     bool    // it has one
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

// named returns the one speaker whom the query names, or -1.
func (s *Scene) named() int32 {
	found := int32(-1)
	for k, name := range s.Speakers {
		if !s.Query.names(name) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = int32(k)
	}
	return found
}
