package historytest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"chatterbox/runtime/conversation"
)

// Memory is a [conversation.Store] that forgets when the process ends, for tests of what uses a store. It keeps
// tombstones for ever. The zero Memory is ready to use.
type Memory struct {
	mu    sync.Mutex
	kept  map[string]*kept // guarded by mu
	floor int64            // version of an id that is not in kept; guarded by mu
}

type kept struct {
	version int64
	alive   bool
	updated time.Time
	turns   []conversation.Turn
	state   []byte // as JSON, so that nobody can change it from outside
}

var _ conversation.Store = (*Memory)(nil)

// Load implements [conversation.Store].
func (m *Memory) Load(ctx context.Context, id string, turnsMax int) (conversation.Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := conversation.Conversation{ID: id, Version: m.version(id)}
	k := m.kept[id]
	if err := ctx.Err(); err != nil || k == nil || !k.alive {
		return c, err
	}
	c.Updated = k.updated
	c.Skipped = max(0, len(k.turns)-max(0, turnsMax))
	c.Turns = slices.Clone(k.turns[c.Skipped:])
	for i := range c.Turns {
		c.Turns[i].Trace = slices.Clone(c.Turns[i].Trace)
	}
	return c, json.Unmarshal(k.state, &c.State)
}

// Append implements [conversation.Store].
func (m *Memory) Append(
	ctx context.Context, id string, version int64, turn conversation.Turn, state conversation.State,
) error {
	encoded, err := json.Marshal(state)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.kept[id]
	if k != nil && slices.ContainsFunc(k.turns, func(t conversation.Turn) bool { return t.ID == turn.ID }) {
		return nil
	}
	if version != m.version(id) {
		return conversation.ErrConflict
	}
	turn.Trace = slices.Clone(turn.Trace)
	k = m.make(id)
	k.version, k.alive, k.updated, k.state = version+1, true, time.Now(), encoded
	k.turns = append(k.turns, turn)
	return nil
}

// SetState implements [conversation.Store].
func (m *Memory) SetState(ctx context.Context, id string, version int64, state conversation.State) error {
	encoded, err := json.Marshal(state)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if version != m.version(id) {
		return conversation.ErrConflict
	}
	k := m.make(id)
	if !k.alive {
		k.alive, k.updated = true, time.Now()
	}
	k.version, k.state = version+1, encoded
	return nil
}

// Delete implements [conversation.Store].
func (m *Memory) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	*m.make(id) = kept{version: m.version(id) + 1}
	return nil
}

// DeleteAll implements [conversation.Store].
func (m *Memory) DeleteAll(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	count := 0
	for _, k := range m.kept {
		m.floor = max(m.floor, k.version)
		if k.alive {
			count++
		}
	}
	m.floor++
	clear(m.kept)
	return count, nil
}

// version is what an Append must name; m.mu is held.
func (m *Memory) version(id string) int64 {
	if k := m.kept[id]; k != nil {
		return k.version
	}
	return m.floor
}

// make returns what is kept of id, from now on; m.mu is held.
func (m *Memory) make(id string) *kept {
	if m.kept == nil {
		m.kept = map[string]*kept{}
	}
	if m.kept[id] == nil {
		m.kept[id] = &kept{version: m.floor}
	}
	return m.kept[id]
}
