package worker

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what a process has used; 0 when it has ended. The number of the clock is as in clock_getcpuclockid(3).
func processorTime(pid int) time.Duration {
	const clockOfScheduler = 2
	var used unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|clockOfScheduler), &used) != nil {
		return 0
	}
	return time.Duration(used.Nano())
}

// lowerPriority has all threads of a worker, which is a process group of its own, give way.
func lowerPriority(pid int) { _ = unix.Setpriority(unix.PRIO_PGRP, pid, niceness) }
