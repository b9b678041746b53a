package history

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"chatterbox/runtime/conversation"
)

// Attached is what belongs to conversations and is kept elsewhere. Its methods may be called by several goroutines
// at once.
type Attached interface {
	// ForgetConversation drops what belongs to a conversation; nothing is no error.
	ForgetConversation(id string) error
	// ForgetConversations drops what belongs to conversations that are none of living. What is newer than since stays.
	ForgetConversations(since time.Time, living func() ([]string, error)) error
}

// Attaching is a store whose conversations take along, when they go, what is attached to them. One that is absent,
// whether deleted, expired or never stored, begins with nothing.
type Attaching struct {
	conversation.Store
	Attached Attached
}

func (s Attaching) Load(ctx context.Context, id string, turnsMax int) (conversation.Conversation, error) {
	loaded, err := s.Store.Load(ctx, id, turnsMax)
	if err == nil && loaded.Updated.IsZero() {
		err = s.Attached.ForgetConversation(id)
	}
	return loaded, err
}

func (s Attaching) Delete(ctx context.Context, id string) error {
	if err := s.Store.Delete(ctx, id); err != nil {
		return err
	}
	return s.Attached.ForgetConversation(id)
}

func (s Attaching) DeleteAll(ctx context.Context) (int, error) {
	n, err := s.Store.DeleteAll(ctx)
	if err == nil {
		err = s.Attached.ForgetConversations(time.Now(), func() ([]string, error) { return nil, nil })
	}
	return n, err
}

const (
	attachedInterval = time.Hour
	attachedAge      = time.Hour // longer than any first turn lasts
)

// SweepAttached drops what belongs to conversations that have expired meanwhile: now, and every hour until stop is
// called.
func (s *SQLite) SweepAttached(attached Attached, log *slog.Logger) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	var sweeper sync.WaitGroup
	sweeper.Go(func() {
		ticker := time.NewTicker(attachedInterval)
		defer ticker.Stop()
		for {
			err := attached.ForgetConversations(time.Now().Add(-attachedAge), func() ([]string, error) { return s.ids(ctx) })
			if err != nil && !errors.Is(err, context.Canceled) {
				log.Warn("what tools kept in old conversations cannot be removed", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
	return func() error { cancel(); sweeper.Wait(); return nil }
}

func (s *SQLite) ids(ctx context.Context) ([]string, error) {
	summaries, err := s.List(ctx, ListOptions{})
	ids := make([]string, len(summaries))
	for i, summary := range summaries {
		ids[i] = summary.ID
	}
	return ids, err
}
