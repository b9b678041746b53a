package worker

import "time"

// This file keeps guests that compute for long from slowing everybody else. Such a guest gives way: its process has
// what of the processor nobody else wants, and so have later calls of its module, until one is short again. The kernel
// lets a process without rights only lower its priority, so there are processes of two kinds, and a module is called in
// those of its kind.

// computesLong is how much processor time a call may use until it gives way.
const computesLong = 10 * time.Millisecond * raceSlower

// serve notes that a process is about to make a call of a module. The lock is held.
func (p *process) serve(r *remote) {
	p.serving, p.before = r, processorTime(p.command.Process.Pid)
}

// served is told of the end of a call. The lock is held.
func (p *process) served() {
	if p.slow && p.serving != nil && processorTime(p.command.Process.Pid)-p.before < computesLong {
		p.serving.slow = false
	}
	p.serving = nil
}

// looked looks at a process that makes a call. The lock is held.
func (p *process) looked() {
	if !p.slow && p.serving != nil && processorTime(p.command.Process.Pid)-p.before >= computesLong {
		p.serving.slow = true
		p.giveWay()
	}
}

func (p *process) giveWay() {
	p.slow = true
	if !raceDetector { // with which everything computes for long
		lowerPriority(p.command.Process.Pid)
	}
}
