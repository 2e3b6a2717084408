package store

import (
	"errors"

	"github.com/lukasa-memory/lukasa"
)

// ErrGone is what a write of an owner who was deleted meanwhile fails with. Nothing of it was kept.
var ErrGone = errors.New("the owner of the records has been deleted")

// Gone is [ErrGone] as who asked hears it: what any later call with the same key will say.
func Gone(owner lukasa.ID) error {
	what := "user"
	if owner.Prefix() == PrefixOrganisation {
		what = "organisation"
	}
	return &lukasa.Error{Code: lukasa.CodeUnauthenticated, Msg: "the " + what + " of this key has been deleted", Hint: "nothing of this was kept", Err: ErrGone}
}

// Owned returns [Gone] where the owner of a write is not there: deleted, while it was on its way. Whoever writes what nothing else has to
// be there for asks it, so that nothing of an owner stays behind: the writes of one owner come one after another, and so does the deletion.
func Owned(s Statements, owner lukasa.ID) error {
	there := false
	err := s.Query(func(Row) { there = true }, "SELECT 1 FROM owners WHERE owner_id = ?1")
	if err == nil && !there {
		err = Gone(owner)
	}
	return err
}

// EndKeys revokes the keys that are bound to a container that goes, or to one below it: who makes its path again makes another place.
func EndKeys(s Statements, p lukasa.Path) error {
	if p == "" { // all keys go
		return nil
	}
	_, err := s.Run("UPDATE api_keys SET revoked_at = ?8 WHERE owner_id = ?1 AND revoked_at IS NULL AND (root = ?5 OR (root > ?6 AND root < ?7))", p, p+".", p+"/", s.Now())
	return err
}

// MoveKeys lets the keys that are bound to a container that moves, or to one below it, follow.
func MoveKeys(s Statements, from, to lukasa.Path) error {
	_, err := s.Run("UPDATE api_keys SET root = ?8 || substr(root, ?9) WHERE owner_id = ?1 AND (root = ?5 OR (root > ?6 AND root < ?7))", from, from+".", from+"/", to, len(from)+1)
	return err
}
