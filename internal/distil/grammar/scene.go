package grammar

import (
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Scene is what a clause is read against: the text, who speaks and when, and whom and what it has spoken of so far. Reading a clause updates it.
type Scene struct {
	S         string        // the text
	Toks      []lexis.Token // of the sentence that is being read
	Me        string        // the name of the speaker, or "user"
	Self      bool          // "I" is someone
	You       string        // the name of whom the speaker speaks to, "" when that is not known
	At        time.Time
	Person    Party       // whom "he" or "she" can mean
	Group     Party       // the thing that "they" can mean
	Topic     string      // what was spoken of last, in the words of the text
	Spoken    bool        // Person was the subject of a clause of this text
	Named     bool        // someone was named in this text, or called the speaker's relative or friend
	Mine      bool        // a clause of this text has spoken of the speaker
	Last      lexis.Group // the verb of the clause before, in this sentence
	Count     int         // clauses read, or passed over, in this sentence
	Cast      Cast
	Voices    map[string]bool                     // first names of those who speak, in small letters
	Introduce func(owner, relation, name string)  // is told of "my sister Clara"
	Called    func(owner, relation string) string // the name of somebody's relative, "" when it is not known; nil knows none
	// Days puts dates right by the days that were named before; nil puts none right.
	Days  func([]lexis.Token, []lexis.Moment) []lexis.Moment
	Meant func(c *Clause, word string) Party // whom "she" means, Nobody when that is not known; nil: Person
}

// Cast holds the people whom a conversation has named, by their names in small letters. A nil Cast knows nobody and takes nobody up.
type Cast map[string]string

// maxCast bounds how many names a cast takes up.
const maxCast = 4096

// Meet takes a person up, by full and first name.
func (c Cast) Meet(name string) {
	if c == nil || len(c) > maxCast {
		return
	}
	first, _, _ := strings.Cut(name, " ")
	c[strings.ToLower(name)] = name
	if low := strings.ToLower(first); c[low] == "" && len(first) > 2 && !lexis.Stops[low] && !lexis.Plain[low] && !lexis.Titles[low] {
		c[low] = first
	}
}

// Knows returns the name of a person, "" when nobody is called so.
func (c Cast) Knows(low string) string { return c[low] }

// Owner is a subject at the head of a sentence.
func (x *Scene) Owner(name string) string {
	if name == "user" {
		return "The user"
	}
	if strings.HasPrefix(name, "the ") {
		return "The " + name[4:]
	}
	return name
}

// Possessive is a subject as the owner of something.
func (x *Scene) Possessive(name string) string {
	if name == "user" {
		return "the user's"
	}
	return name + "'s"
}
