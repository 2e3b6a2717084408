package auth

import (
	"encoding/hex"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// labelMark keeps the keys that sign briefs apart from all others that come from the master key.
const labelMark = "lukasa brief mark v1"

// MarkKey returns the key that signs the briefs of an owner, so that their text is known again when somebody pastes it. It is
// derived from the master key, the same after each start, and says nothing about the owner's data key. Without an owner there
// is none.
func (a *Auth) MarkKey(owner lukasa.ID) []byte {
	secret, err := hex.DecodeString(a.Master.Hex())
	if err != nil || owner == "" {
		return nil
	}
	key, err := crypt.Derive(secret, nil, labelMark, string(owner))
	if err != nil {
		return nil
	}
	return key
}
