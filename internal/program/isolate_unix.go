//go:build unix && !linux

package program

import (
	"os/exec"
	"syscall"
)

// isolate puts the program into a process group of its own, which ends as a whole.
func isolate(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

const canOffline = false

func restrain(*exec.Cmd, limits) {}

func await(cmd *exec.Cmd) error { return cmd.Wait() }

func pin() func() { return func() {} }
