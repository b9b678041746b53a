package server

import (
	"testing"
	"testing/synctest"
)

func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		release := make(chan struct{})
		done := 0
		for range 3 * poolMax { // more at once than may wait
			p.do(func() { <-release })
		}
		synctest.Wait()
		close(release)
		synctest.Wait()
		if waiting := p.waiting.Load(); waiting != poolMax {
			t.Errorf("%d wait, want %d", waiting, poolMax)
		}
		for range 10 { // one after the other, by those that wait
			p.do(func() { done++ })
			synctest.Wait()
		}
		if waiting := p.waiting.Load(); waiting != poolMax || done != 10 {
			t.Errorf("%d wait, %d done", waiting, done)
		}
		p.dismiss()
		p.dismiss()
		synctest.Wait()
		if waiting := p.waiting.Load(); waiting != 0 {
			t.Errorf("%d wait after they were dismissed", waiting)
		}
		p.do(func() { done++ })
		synctest.Wait()
		if done != 11 {
			t.Error("a job that came late was not done")
		}
	})
}
