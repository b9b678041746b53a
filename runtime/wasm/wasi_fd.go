package wasm

import (
	"encoding/binary"
	"time"
)

// vectors calls each with the buffers that a list in memory names, until each says that it is enough.
func (in *instance) vectors(list, count uint32, each func(buffer []byte) (more bool)) uint32 {
	if count > vectorsMax {
		return errnoInval
	}
	in.mustGoOn()
	for ; count > 0; count-- {
		at, ok := in.memory.ReadUint32Le(list)
		if !ok {
			return errnoFault
		}
		length, ok := in.memory.ReadUint32Le(list + 4)
		if !ok {
			return errnoFault
		}
		buffer, ok := in.memory.Read(at, length)
		if !ok {
			return errnoFault
		}
		if !each(buffer) {
			return errnoSuccess
		}
		list += 8
	}
	return errnoSuccess
}

func (in *instance) fdRead(s []uint64) uint32 {
	if uint32(s[0]) != 0 || !in.isOpen(0) {
		return errnoBadF
	}
	if in.starved() {
		return errnoAgain
	}
	total := uint32(0)
	errno := in.vectors(uint32(s[1]), uint32(s[2]), func(buffer []byte) bool {
		n := copy(buffer, in.stdin)
		in.stdin = in.stdin[n:]
		total += uint32(n)
		return len(in.stdin) > 0
	})
	if errno == errnoSuccess && !in.memory.WriteUint32Le(uint32(s[3]), total) {
		return errnoFault
	}
	return errno
}

func (in *instance) fdWrite(s []uint64) uint32 {
	fd := uint32(s[0])
	if fd == 0 || !in.isOpen(s[0]) {
		return errnoBadF
	}
	to := &in.log
	if fd == 1 && in.abi == Stdio {
		to = &in.stdout
	}
	take := to.write
	if fd == 1 && in.session != nil {
		take = in.session.write
	}
	total := uint32(0)
	errno := in.vectors(uint32(s[1]), uint32(s[2]), func(buffer []byte) bool {
		take(buffer)
		total += uint32(len(buffer))
		return true
	})
	if errno == errnoSuccess && !in.memory.WriteUint32Le(uint32(s[3]), total) {
		return errnoFault
	}
	return errno
}

func (in *instance) fdClose(s []uint64) uint32 {
	if !in.isOpen(s[0]) {
		return errnoBadF
	}
	in.closed[uint32(s[0])] = true
	return errnoSuccess
}

// The rights that a descriptor shows. Nothing here looks at them, but guests may.
const (
	rightRead  = 1 << 1
	rightWrite = 1 << 6
	rightPoll  = 1 << 27

	flagNonblock = 1 << 2
)

func (in *instance) fdStat(s []uint64) uint32 {
	if !in.isOpen(s[0]) {
		return errnoBadF
	}
	into, ok := in.memory.Read(uint32(s[1]), 24)
	if !ok {
		return errnoFault
	}
	clear(into) // file type 0, unknown: a terminal would make C libraries flush at every line
	rights := uint32(rightRead | rightPoll)
	switch {
	case uint32(s[0]) != 0:
		rights = rightWrite | rightPoll
	case in.session != nil:
		into[2] = flagNonblock // so that a runtime with threads of its own lets them run while it waits for input
	}
	in.memory.WriteUint32Le(uint32(s[1])+8, rights)
	return errnoSuccess
}

func (in *instance) fdFileStat(s []uint64) uint32 {
	if !in.isOpen(s[0]) {
		return errnoBadF
	}
	into, ok := in.memory.Read(uint32(s[1]), 64)
	if !ok {
		return errnoFault
	}
	clear(into)
	return errnoSuccess
}

// The shape of poll_oneoff's lists.
const (
	subscriptionsMax  = 64
	subscriptionBytes = 48
	eventBytes        = 32

	tagClock     = 0
	tagRead      = 1
	tagWrite     = 2
	flagAbsolute = 1
)

// never is a wait that only the call's end ends.
const never = time.Duration(1<<63 - 1)

// starved says whether a server has read all that there is; there may be more when it has answered.
func (in *instance) starved() bool { return in.session != nil && len(in.stdin) == 0 && in.isOpen(0) }

// subscription is one thing that a guest waits for.
type subscription struct {
	userdata uint64
	tag      byte
	errno    uint16
	wait     time.Duration // of a clock: until it is due
	ready    bool
}

// poll waits until the first of the subscriptions is due and reports all that are.
func (in *instance) poll(s []uint64) uint32 {
	count := uint32(s[2])
	if count == 0 || count > subscriptionsMax {
		return errnoInval
	}
	list, ok := in.memory.Read(uint32(s[0]), count*subscriptionBytes)
	if !ok {
		return errnoFault
	}
	var kept [subscriptionsMax]subscription
	subscriptions := kept[:count]
	first, ready := never, false
	for i := range subscriptions {
		subscriptions[i] = in.subscription(list[i*subscriptionBytes:])
		ready = ready || subscriptions[i].ready
		if !subscriptions[i].ready {
			first = min(first, subscriptions[i].wait)
		}
	}
	if !ready {
		if first == never {
			in.session.waitsInVain()
		}
		in.sleep(first)
	} else {
		first = 0
	}
	events := uint32(0)
	at := uint32(s[1])
	for _, sub := range subscriptions {
		if !sub.ready && sub.wait > first {
			continue
		}
		if !in.putEvent(at+events*eventBytes, sub) {
			return errnoFault
		}
		events++
	}
	if !in.memory.WriteUint32Le(uint32(s[3]), events) {
		return errnoFault
	}
	return errnoSuccess
}

func (in *instance) subscription(b []byte) subscription {
	le := binary.LittleEndian
	sub := subscription{userdata: le.Uint64(b), tag: b[8]}
	switch sub.tag {
	case tagClock:
		now, ok := in.clock(le.Uint32(b[16:]))
		if !ok {
			sub.errno, sub.ready = errnoInval, true
			return sub
		}
		due := le.Uint64(b[24:])
		if le.Uint16(b[40:])&flagAbsolute != 0 {
			due -= min(due, uint64(now))
		}
		sub.wait = time.Duration(min(due, uint64(1<<62)))
		sub.ready = sub.wait == 0
	case tagRead, tagWrite:
		if sub.tag == tagRead && le.Uint32(b[16:]) == 0 && in.starved() {
			sub.wait = never
			return sub
		}
		sub.ready = true
		if !in.isOpen(uint64(le.Uint32(b[16:]))) {
			sub.errno = errnoBadF
		}
	default:
		sub.errno, sub.ready = errnoInval, true
	}
	return sub
}

func (in *instance) putEvent(at uint32, sub subscription) bool {
	event, ok := in.memory.Read(at, eventBytes)
	if !ok {
		return false
	}
	clear(event)
	in.memory.WriteUint64Le(at, sub.userdata)
	in.memory.WriteUint16Le(at+8, sub.errno)
	event[10] = sub.tag
	if sub.tag == tagRead && sub.errno == errnoSuccess {
		in.memory.WriteUint64Le(at+16, uint64(len(in.stdin)))
	}
	return true
}

// sleep waits, and leaves the guest when its call is over first.
func (in *instance) sleep(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-in.bounded().Done():
	}
	in.mustGoOn()
}
