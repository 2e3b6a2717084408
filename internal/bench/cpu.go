package bench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc; Linux shows 100 a second to programs on every machine (USER_HZ).
const tick = time.Second / 100

// CPU returns the processor time, of user and system, that a process and all that descend from it have used, with those children
// that it has waited for. It reads /proc as Linux has it (see proc_pid_stat(5)), and is an error elsewhere.
func CPU(pid int) (time.Duration, error) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return 0, fmt.Errorf("processor time is read from /proc: %w", err)
	}
	children := map[int][]int{}
	ticks := map[int]int64{}
	for _, e := range all {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		parent, own, waited, ok := stat(n)
		if !ok {
			continue // it has just ended
		}
		children[parent] = append(children[parent], n)
		ticks[n] = own + waited
	}
	if _, ok := ticks[pid]; !ok {
		return 0, fmt.Errorf("there is no process %d", pid)
	}
	var sum int64
	list := []int{pid}
	for len(list) > 0 {
		n := list[0]
		sum += ticks[n]
		list = append(list[1:], children[n]...)
	}
	return time.Duration(sum) * tick, nil
}

// stat reads the parent of a process, its ticks, and those of the children that it has waited for.
func stat(pid int) (parent int, own, waited int64, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, 0, false
	}
	i := bytes.LastIndexByte(b, ')') // the name before may hold anything
	f := strings.Fields(string(b[i+1:]))
	if i < 0 || len(f) < 15 {
		return 0, 0, 0, false
	}
	var n [5]int64
	for k, at := range []int{1, 11, 12, 13, 14} {
		if n[k], err = strconv.ParseInt(f[at], 10, 64); err != nil {
			return 0, 0, 0, false
		}
	}
	return int(n[0]), n[1] + n[2], n[3] + n[4], true
}
