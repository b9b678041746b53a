package mockllm

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
)

// faults says of each fault whether it keeps the answer from reaching the client whole.
var faults = map[string]bool{
	"reset": true, "stall": true, "cut": true, "html": true, "error_200": true, "comments": true, "huge": true,
	"no_choices": true,

	"no_done": false, "no_finish": false, "late_terminator": false, "json": false, "no_stream": false,
	"no_stream_options": false, "object_arguments": false, "null_content": false, "split_rune": false,
	"interleave": false, "same_index": false, "no_index": false, "no_id": false, "gzip": false,
}

// Faults are the names of all faults, sorted.
func Faults() []string { return slices.Sorted(maps.Keys(faults)) }

// Fault is what happens to some requests.
type Fault struct {
	Every       int     // every n-th request, or
	Probability float64 // so many of all
	Reply       Reply   // only Status, Headers, Body, Fault, Bytes and the times count
}

// breaks reports whether the client gets no whole answer, so that it may ask again.
func (f *Fault) breaks() bool {
	return f.Reply.Status >= 300 || faults[f.Reply.Fault]
}

// into is a reply with the fault in it.
func (f *Fault) into(reply Reply) Reply {
	with := f.Reply
	reply.Status, reply.Headers, reply.Body, reply.Bytes = with.Status, with.Headers, with.Body, with.Bytes
	reply.Fault = cmp.Or(with.Fault, reply.Fault)
	reply.DelayMS = max(reply.DelayMS, with.DelayMS)
	reply.FirstTokenMS = max(reply.FirstTokenMS, with.FirstTokenMS)
	reply.BetweenMS = max(reply.BetweenMS, with.BetweenMS)
	return reply
}

// FaultPlan decides which requests meet a fault. The same plan decides the same way again.
type FaultPlan struct {
	Seed   uint64
	Faults []Fault

	mu     sync.Mutex
	random *rand.Rand
	count  int
}

// ParseFaults reads a plan: one fault a line, as JSON, with every or probability and the fields of a reply that are
// faults. A line {"seed": n} sets the seed, which is 1 otherwise.
func ParseFaults(name string, r io.Reader) (*FaultPlan, error) {
	plan := &FaultPlan{Seed: 1}
	err := lines(name, r, func(_ int, data []byte) error {
		var line struct {
			Seed        *uint64 `json:"seed"`
			Every       int     `json:"every"`
			Probability float64 `json:"probability"`
			Reply
		}
		if err := decode(data, &line); err != nil {
			return err
		}
		if line.Seed != nil {
			plan.Seed = *line.Seed
			return nil
		}
		isEvery, isChance := line.Every > 0, line.Probability > 0 && line.Probability <= 1
		if isEvery == isChance || line.Every < 0 || line.Probability < 0 || line.Probability > 1 {
			return errors.New("a fault needs every (a number from 1) or probability (up to 1), not both")
		}
		reply := line.Reply
		if reply.Content != "" || reply.ToolCalls != nil || reply.Match != nil || reply.Expect != nil {
			return errors.New("a fault has no content, tool_calls, match or expect")
		}
		if err := reply.check(); err != nil {
			return err
		}
		plan.Faults = append(plan.Faults, Fault{Every: line.Every, Probability: line.Probability, Reply: reply})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return plan, nil
}

// next is the fault of the next request, nil for none. Every fault is decided for every request, so that one does not
// shift the others; the first that hits counts.
func (p *FaultPlan) next() *Fault {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.random == nil {
		p.random = rand.New(rand.NewPCG(p.Seed, 0))
	}
	p.count++
	var hit *Fault
	for i := range p.Faults {
		f := &p.Faults[i]
		hits := f.Every > 0 && p.count%f.Every == 0 || f.Every == 0 && p.random.Float64() < f.Probability
		if hits && hit == nil {
			hit = f
		}
	}
	return hit
}
