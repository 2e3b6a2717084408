package program

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolate puts the program into a process group of its own, which ends as a whole and with this process. Offline, it gets a
// network of its own as well, which has no way out: for that a user namespace is needed, which not every system allows.
func isolate(cmd *exec.Cmd, offline bool) {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if offline {
		attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	cmd.SysProcAttr = attr
	cmd.Cancel = func() error { return killGroup(cmd) }
}

// canOffline reports that isolate knows how to cut the network off.
const canOffline = true

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// restrain limits what the running program may use. A limit that cannot be set is left: the time limit holds in any case.
func restrain(cmd *exec.Cmd, l limits) {
	set := func(what int, n uint64) {
		_ = unix.Prlimit(cmd.Process.Pid, what, &unix.Rlimit{Cur: n, Max: n}, nil)
	}
	set(unix.RLIMIT_AS, l.memory)
	set(unix.RLIMIT_FSIZE, l.file)
	set(unix.RLIMIT_CPU, l.seconds*uint64(runtime.NumCPU()))
	set(unix.RLIMIT_CORE, 0)
}

// await waits for the end of the program, and then ends what it left running: while its first process is not collected, its
// group cannot be anybody else's.
func await(cmd *exec.Cmd) error {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR { //nolint:errorlint // system calls return it as it is
			break
		}
	}
	_ = killGroup(cmd) // nothing is left, mostly
	return cmd.Wait()
}

// pin keeps the goroutine on its thread: the program would end with the thread that started it.
func pin() func() {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
