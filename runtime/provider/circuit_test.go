package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/loop"
)

func TestCircuit(t *testing.T) {
	tests := map[string]struct {
		step  step
		opens bool
	}{
		"a server error opens it":    {failing(loop.KindAPI, 501, 0), true},
		"a lost server opens it":     {failing(loop.KindConnection, 0, 0), true},
		"a rate limit does not":      {failing(loop.KindRateLimit, 429, time.Minute), false},
		"a spent quota does not":     {failing(loop.KindQuota, 429, 0), false},
		"a wrong key does not":       {failing(loop.KindAuthentication, 401, 0), false},
		"a refused request does not": {failing(loop.KindAPI, 400, 0), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := &script{steps: []step{test.step}}
				p := open(t, models(model))
				for range 10 {
					p.Complete(t.Context(), loop.Request{}, nil) //nolint:errcheck // it fails by the script
				}
				if opened := p.Status()[0].Circuit == "open"; opened != test.opens {
					t.Fatalf("circuit is %s after %d calls", p.Status()[0].Circuit, model.times())
				}
				if !test.opens {
					return
				}
				asked := model.times()
				_, err := p.Complete(t.Context(), loop.Request{}, nil)
				var failure *loop.Error
				if !errors.As(err, &failure) || failure.Kind != loop.KindConnection || failure.RetryAfter <= 0 || !strings.Contains(failure.Message, "scripted") || model.times() != asked {
					t.Errorf("an open circuit answered %v after %d calls", err, model.times()-asked)
				}
			})
		})
	}
}

func TestCircuitThatOpensBetweenAttemptsKeepsTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &script{steps: []step{failing(loop.KindAPI, 500, 0)}}
		p := open(t, models(model))
		for _, want := range []int{3, 5} {
			if _, err := p.Complete(t.Context(), loop.Request{}, nil); kindOf(err) != loop.KindAPI || model.times() != want {
				t.Errorf("%v after %d calls", err, model.times())
			}
		}
	})
}

func TestCircuitRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := failing(loop.KindAPI, 501, 0)
		model := &script{steps: []step{bad, bad, bad, bad, bad, {blocks: true}, bad, {text: "back"}}}
		spare := &script{steps: []step{{text: "spare"}}}
		p := open(t, models(model, spare))
		for range 8 { // five reach the model, then only the spare is asked
			if got, err := p.Complete(t.Context(), loop.Request{}, nil); err != nil || got.Content != "spare" {
				t.Fatal(got, err)
			}
		}
		if model.times() != 5 {
			t.Fatalf("%d calls", model.times())
		}
		time.Sleep(11 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p.Complete(ctx, loop.Request{}, nil) //nolint:errcheck // the trial is given up by its turn, which must not stop later ones
		for _, want := range []string{"spare", "back"} {
			time.Sleep(11 * time.Second)
			if got, err := p.Complete(t.Context(), loop.Request{}, nil); err != nil || got.Content != want {
				t.Fatal(want, got, err)
			}
		}
		if state := p.Status()[0]; state.Circuit != "closed" || state.Failure != "" {
			t.Errorf("%+v", state)
		}
	})
}
