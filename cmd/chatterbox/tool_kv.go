package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
	"chatterbox/runtime/toolbox"
)

// keepingStore is a store whose conversations take along, when they go, what tools kept in them. One that is absent, whether
// deleted, expired or never stored, begins with nothing kept.
type keepingStore struct {
	conversation.Store
	kv *toolbox.KV
}

func (s keepingStore) Load(ctx context.Context, id string, turnsMax int) (conversation.Conversation, error) {
	loaded, err := s.Store.Load(ctx, id, turnsMax)
	if err == nil && loaded.Updated.IsZero() {
		err = s.kv.ForgetConversation(id)
	}
	return loaded, err
}

func (s keepingStore) Delete(ctx context.Context, id string) error {
	if err := s.Store.Delete(ctx, id); err != nil {
		return err
	}
	return s.kv.ForgetConversation(id)
}

func (s keepingStore) DeleteAll(ctx context.Context) (int, error) {
	n, err := s.Store.DeleteAll(ctx)
	if err == nil {
		err = s.kv.ForgetConversations(time.Now(), func() ([]string, error) { return nil, nil })
	}
	return n, err
}

const (
	kvSweepInterval = time.Hour
	kvSweepAge      = time.Hour // longer than any first turn lasts
)

// sweepKV drops what tools kept in conversations that have expired meanwhile: now, and every hour until stop is called.
func sweepKV(kv *toolbox.KV, store *history.SQLite, log *slog.Logger) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	var sweeper sync.WaitGroup
	sweeper.Go(func() {
		ticker := time.NewTicker(kvSweepInterval)
		defer ticker.Stop()
		for {
			err := kv.ForgetConversations(time.Now().Add(-kvSweepAge), func() ([]string, error) { return idsOf(ctx, store) })
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

func idsOf(ctx context.Context, store *history.SQLite) ([]string, error) {
	summaries, err := store.List(ctx, history.ListOptions{})
	ids := make([]string, len(summaries))
	for i, summary := range summaries {
		ids[i] = summary.ID
	}
	return ids, err
}
