package conversation

import (
	"context"
	"sync"
)

// queue lets one turn of a conversation in at a time, in the order of arrival. Conversations do not wait for each
// other, and one without a turn takes no memory.
type queue struct {
	waitersMax int

	mu    sync.Mutex
	lines map[string]*line // guarded by mu
}

// line is the turns of one conversation: the one that runs and those that wait.
type line struct {
	turn  chan struct{} // holds one element while a turn runs; blocked senders are served in order
	turns int           // running and waiting; guarded by queue.mu
}

func newQueue(waitersMax int) *queue {
	return &queue{waitersMax: waitersMax, lines: make(map[string]*line)}
}

// enter waits until it is this turn's time and returns what ends it. It fails with ErrQueueFull when waitersMax turns
// wait already, and with the context's cause when ctx ends first.
func (q *queue) enter(ctx context.Context, id string) (leave func(), err error) {
	q.mu.Lock()
	l := q.lines[id]
	if l == nil {
		l = &line{turn: make(chan struct{}, 1)}
		q.lines[id] = l
	}
	if l.turns > q.waitersMax {
		q.mu.Unlock()
		return nil, ErrQueueFull
	}
	l.turns++
	q.mu.Unlock()

	select {
	case l.turn <- struct{}{}:
		return func() {
			<-l.turn
			q.release(id, l)
		}, nil
	case <-ctx.Done():
		q.release(id, l)
		return nil, context.Cause(ctx)
	}
}

func (q *queue) release(id string, l *line) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l.turns--
	if l.turns == 0 {
		delete(q.lines, id)
	}
}
