//go:build !unix

package program

import "os/exec"

// isolate has nothing to add on this system: the program is ended, but not what it started.
func isolate(*exec.Cmd, bool) {}

const canOffline = false

func restrain(*exec.Cmd, limits) {}

func await(cmd *exec.Cmd) error { return cmd.Wait() }

func pin() func() { return func() {} }
