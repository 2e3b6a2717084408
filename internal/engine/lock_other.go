//go:build !unix

package engine

import "os"

// lockFile does nothing where there is no flock: there, start the first process alone.
func lockFile(*os.File) error { return nil }

// heldElsewhere refuses nobody where there is no flock.
func heldElsewhere(*os.File) bool { return false }
