package provider_test

import (
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"chatterbox/evals/mockllm"
	"chatterbox/loop"
	"chatterbox/runtime/provider"
)

func TestAnswersThatBreakOff(t *testing.T) {
	broken := step{delta: "It is", err: failing(loop.KindConnection, 0, 0).err}
	slow := step{delta: "It is", err: &loop.Error{Kind: loop.KindConnection, Message: "slow", Err: os.ErrDeadlineExceeded}}
	for name, test := range map[string]struct {
		first, second []step
		heard         bool
		asked         [2]int
		kind          loop.Kind
	}{
		"unheard, the same model answers":           {[]step{broken, {text: "noon"}}, nil, false, [2]int{2, 0}, ""},
		"unheard three times, the next answers":     {[]step{broken}, []step{{text: "noon"}}, false, [2]int{3, 1}, ""},
		"unheard and too slow, the next answers":    {[]step{slow}, []step{{text: "noon"}}, false, [2]int{1, 1}, ""},
		"unheard everywhere, the first one's error": {[]step{broken}, []step{broken}, false, [2]int{3, 3}, loop.KindConnection},
		"heard, it is final":                        {[]step{broken}, []step{{text: "noon"}}, true, [2]int{1, 0}, loop.KindConnection},
		"heard and too slow, it is final":           {[]step{slow}, []step{{text: "noon"}}, true, [2]int{1, 0}, loop.KindConnection},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, second := &script{steps: test.first}, &script{steps: test.second}
				options := models(first)
				if test.second != nil {
					options = models(first, second)
				}
				given := ""
				request := loop.Request{Again: func() bool {
					if !test.heard {
						given = ""
					}
					return !test.heard
				}}
				completion, err := open(t, options).Complete(t.Context(), request, func(text string) { given += text })
				if kindOf(err) != test.kind || (err == nil) != (test.kind == "") {
					t.Errorf("error %v, want kind %q", err, test.kind)
				}
				if err == nil && !strings.HasPrefix(completion.Content, given) {
					t.Errorf("the deltas %q are not how %q begins", given, completion.Content)
				}
				if asked := [2]int{first.times(), second.times()}; asked != test.asked {
					t.Errorf("asked %v times, want %v", asked, test.asked)
				}
			})
		})
	}
}

// TestTurnsSurvive has thirty of a hundred answers of the preferred model fail, a third each with 500, with 503 and
// by a reset connection in the middle of the text.
func TestTurnsSurvive(t *testing.T) {
	const turns, workers, atLeast = 2000, 50, 1990
	const answer = "It is noon, the sun is out, and nobody is at the door."
	forever := mockllm.Script{Replies: []mockllm.Reply{{Content: answer, Repeat: mockllm.Forever}}}
	sick := served(t, mockllm.New(&forever, mockllm.Options{Keep: -1, Faults: &mockllm.FaultPlan{Seed: 11, Faults: []mockllm.Fault{
		{Probability: 0.1, Reply: mockllm.Reply{Status: 500}},
		{Probability: 0.1, Reply: mockllm.Reply{Status: 503}},
		{Probability: 0.1, Reply: mockllm.Reply{Fault: "reset"}},
	}}}))
	healthy := served(t, mockllm.New(&forever, mockllm.Options{Keep: -1}))
	p := open(t, provider.Options{Models: []provider.Model{{Model: "sick", BaseURL: sick}, {Model: "healthy", BaseURL: healthy}}})

	var survived atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range turns / workers {
				_, outcome := loop.Driver{Model: p}.Run(t.Context(), loop.New(loop.DefaultLimits(), nil),
					loop.Event{Kind: loop.Start, Messages: question.Messages}, nil)
				if outcome.Failure == nil && outcome.Text == answer {
					survived.Add(1)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d of %d turns survived", survived.Load(), turns)
	if survived.Load() < atLeast {
		t.Errorf("%d of %d turns survived, want %d", survived.Load(), turns, atLeast)
	}
}

func served(t *testing.T, server *mockllm.Server) (base string) {
	front := httptest.NewServer(server)
	t.Cleanup(func() {
		front.Close()
		server.Close()
	})
	return front.URL + "/v1/"
}
