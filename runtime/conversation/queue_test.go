package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestTurnsOfOneConversationRunInTheOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(4)
		var order []int
		var group sync.WaitGroup
		for i := range 5 {
			group.Go(func() {
				leave, err := q.enter(t.Context(), "a")
				if err != nil {
					t.Errorf("turn %d: %v", i, err)
					return
				}
				defer leave()
				order = append(order, i) // the queue is what guards it
				time.Sleep(time.Second)
			})
			synctest.Wait()
		}
		if _, err := q.enter(t.Context(), "a"); !errors.Is(err, ErrQueueFull) {
			t.Errorf("the sixth turn got %v, want ErrQueueFull", err)
		}
		group.Wait()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(order, want) {
			t.Errorf("turns ran in order %v, want %v", order, want)
		}
		if len(q.lines) != 0 {
			t.Errorf("%d lines are kept for nobody", len(q.lines))
		}
	})
}

func TestConversationsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(0)
		began := time.Now()
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				leave, err := q.enter(t.Context(), fmt.Sprint(i))
				if err != nil {
					t.Error(err)
					return
				}
				defer leave()
				time.Sleep(time.Second)
			})
		}
		group.Wait()
		if took := time.Since(began); took != time.Second {
			t.Errorf("ten conversations took %v, want 1s", took)
		}
	})
}

func TestAWaitingTurnCanBeGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		leave, err := q.enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		cause := errors.New("had enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		if _, err := q.enter(ctx, "a"); !errors.Is(err, cause) {
			t.Errorf("a turn that was given up got %v, want the context's cause", err)
		}
		leave()
		if leave, err = q.enter(t.Context(), "a"); err != nil {
			t.Fatalf("its place was not free again: %v", err)
		}
		leave()
		if len(q.lines) != 0 {
			t.Errorf("%d lines are kept for nobody", len(q.lines))
		}
	})
}
