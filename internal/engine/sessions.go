package engine

import (
	"encoding/hex"
	"fmt"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// SessionKey returns the 32 bytes that seal the sessions of browsers. They are derived from the master key, so a restart keeps sessions, and
// every node with the same master key opens them.
func (e *Engine) SessionKey() ([]byte, error) {
	master, err := hex.DecodeString(e.auth.Master.Hex())
	if err != nil {
		return nil, fmt.Errorf("read master key: %w", err)
	}
	return crypt.Derive(master, nil, "lukasa dashboard session")
}
