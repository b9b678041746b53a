package worker

import "time"

// This file keeps guests that compute for long from slowing everybody else. Such a guest gives way: its process has a lower
// priority, and so have later calls of its module, until one is short again. The kernel lets a process without rights only
// lower its priority, so there are processes of two kinds, and a module is called in those of its kind.

const (
	// computesLong is how much processor time a call may use until it gives way.
	computesLong = 20 * time.Millisecond
	// niceness is what it has then: a tenth of the processor where others want all of it.
	niceness = 10
)

// serve notes that a process is about to make a call of a module. The lock is held.
func (p *process) serve(r *remote) {
	p.serving, p.seen = r, 0
	if p.slow {
		p.before = processorTime(p.command.Process.Pid)
	}
}

// served is told of the end of a call. The lock is held.
func (p *process) served() {
	if p.slow && p.serving != nil && processorTime(p.command.Process.Pid)-p.before < computesLong {
		p.serving.slow = false
	}
	p.serving = nil
}

// looked looks at a process whose call is over at due. The lock is held.
func (p *process) looked(due int64) {
	switch {
	case p.slow || p.serving == nil:
	case p.seen != due:
		p.seen, p.before = due, processorTime(p.command.Process.Pid)
	case processorTime(p.command.Process.Pid)-p.before >= computesLong:
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
