package history

import (
	"container/list"
	"slices"
	"sync"

	"chatterbox/runtime/conversation"
)

// The bounds of what is kept in memory: bytes over all conversations, and turns of each.
const (
	recentBytesMax = 2 << 20
	recentTurnsMax = 40
)

// recent keeps the newest turns of the conversations that were used last. What it has is believed only for the version
// that the file says, and a version of a conversation never comes back: so nothing has to be told when another process
// writes, or when something is deleted.
type recent struct {
	mu     sync.Mutex
	byID   map[string]*list.Element // of *kept
	newest *list.List               // the last used first
	bytes  int
}

// kept is the newest turns of one conversation at one version. Its turns are not changed.
type kept struct {
	id      string
	version int64
	turns   []conversation.Turn // oldest first
	bytes   int
}

func newRecent() *recent {
	return &recent{byID: map[string]*list.Element{}, newest: list.New()}
}

// get returns the newest turns, at most so many of them, of a conversation that has count turns in all at version.
func (r *recent) get(id string, version int64, count, most int) ([]conversation.Turn, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	element, ok := r.byID[id]
	if !ok {
		return nil, false
	}
	entry := element.Value.(*kept)
	want := min(count, max(0, most))
	if entry.version != version || len(entry.turns) < want {
		return nil, false
	}
	r.newest.MoveToFront(element)
	return copyTurns(entry.turns[len(entry.turns)-want:]), true
}

// put keeps turns, which are the newest of the conversation at version.
func (r *recent) put(id string, version int64, turns []conversation.Turn) {
	turns = copyTurns(turns[max(0, len(turns)-recentTurnsMax):])
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(&kept{id: id, version: version, turns: turns})
}

// add keeps what Append has made of the conversation that was at version: one turn more, and the next version.
func (r *recent) add(id string, version int64, turn conversation.Turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	element, ok := r.byID[id]
	if !ok || element.Value.(*kept).version != version {
		return
	}
	turns := slices.Clone(element.Value.(*kept).turns)
	turns = append(turns, copyTurns([]conversation.Turn{turn})...)
	r.keep(&kept{id: id, version: version + 1, turns: turns[max(0, len(turns)-recentTurnsMax):]})
}

// keep takes the entry in and drops the ones that were not used for longest. The lock is held.
func (r *recent) keep(entry *kept) {
	for i := range entry.turns {
		entry.bytes += turnBytes(&entry.turns[i])
	}
	if element, ok := r.byID[entry.id]; ok {
		r.drop(element)
	}
	r.byID[entry.id] = r.newest.PushFront(entry)
	r.bytes += entry.bytes
	for r.bytes > recentBytesMax {
		r.drop(r.newest.Back())
	}
}

func (r *recent) drop(element *list.Element) {
	entry := r.newest.Remove(element).(*kept)
	delete(r.byID, entry.id)
	r.bytes -= entry.bytes
}

// turnBytes is about what a turn takes.
func turnBytes(t *conversation.Turn) int {
	const fixed = 192
	return fixed + len(t.ID) + len(t.User) + len(t.Assistant) + len(t.Trace)
}

// copyTurns copies turns with their traces, whose bytes a caller may change.
func copyTurns(turns []conversation.Turn) []conversation.Turn {
	out := slices.Clone(turns)
	size := 0
	for i := range out {
		size += len(out[i].Trace)
	}
	traces := make([]byte, 0, size)
	for i := range out {
		if out[i].Trace != nil {
			begin := len(traces)
			traces = append(traces, out[i].Trace...)
			out[i].Trace = traces[begin:len(traces):len(traces)]
		}
	}
	return out
}
