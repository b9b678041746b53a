package server

import (
	"testing"
	"testing/synctest"
)

func TestHands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHands()
		release := make(chan struct{})
		done := 0
		for range 3 * handsMax { // more at once than may wait
			h.do(func() { <-release })
		}
		synctest.Wait()
		close(release)
		synctest.Wait()
		if waiting := h.waiting.Load(); waiting != handsMax {
			t.Errorf("%d wait, want %d", waiting, handsMax)
		}
		for range 10 { // one after the other, by those that wait
			h.do(func() { done++ })
			synctest.Wait()
		}
		if waiting := h.waiting.Load(); waiting != handsMax || done != 10 {
			t.Errorf("%d wait, %d done", waiting, done)
		}
		h.dismiss()
		h.dismiss()
		synctest.Wait()
		if waiting := h.waiting.Load(); waiting != 0 {
			t.Errorf("%d wait after they were dismissed", waiting)
		}
		h.do(func() { done++ })
		synctest.Wait()
		if done != 11 {
			t.Error("a job that came late was not done")
		}
	})
}
