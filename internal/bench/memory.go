package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Private returns the bytes of memory that a process has for itself alone: what it shares with others, as files that several have
// mapped, is left out. It reads /proc as Linux has it (see proc_pid_smaps(5)), and is an error elsewhere.
func Private(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, fmt.Errorf("private memory is read from /proc: %w", err)
	}
	sum, found := int64(0), false
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != "Private_Clean:" && f[0] != "Private_Dirty:" {
			continue
		}
		kib, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("private memory of process %d: %w", pid, err)
		}
		sum, found = sum+kib<<10, true
	}
	if !found {
		return 0, fmt.Errorf("private memory of process %d is not told", pid)
	}
	return sum, nil
}
