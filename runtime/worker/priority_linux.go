package worker

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what a process has used; 0 when it has ended. The number of the clock is as in
// clock_getcpuclockid(3).
func processorTime(pid int) time.Duration {
	const clockOfScheduler = 2
	var used unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|clockOfScheduler), &used) != nil {
		return 0
	}
	return time.Duration(used.Nano())
}

// lowerPriority has all threads of a process give way, and those that they start. Whatever else wants to run takes the
// processor from one with SCHED_IDLE at once; from one that is only nice it takes it some milliseconds later
// (sched(7)).
func lowerPriority(pid int) {
	lowered := map[int]bool{}
	for more := true; more; {
		more = false
		entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)) // none: it has ended
		for _, entry := range entries {
			thread, err := strconv.Atoi(entry.Name())
			if err != nil || lowered[thread] {
				continue
			}
			lowered[thread], more = true, true // it may have started another one meanwhile
			_ = unix.SchedSetAttr(thread, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
		}
	}
}
