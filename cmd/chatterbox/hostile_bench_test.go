//go:build !race

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/evals/steps"
	"chatterbox/tools-wasm/testkit/hostile"
)

// BenchmarkTurnsBesideHostileTools has turns with a good tool alone, and as many while two other conversations have hostile
// tools called without end, which have ten seconds each. x-p99 is how much longer the slow ones among them take. The two
// alternate, since a busy machine's speed drifts by more than they differ. The model answers at once.
func BenchmarkTurnsBesideHostileTools(b *testing.B) {
	const attackers, rounds = 2, 4
	server, names := besieged(b)
	say(b, server, "What time is it")
	var attacks atomic.Int64
	var alone, beside []time.Duration
	b.ResetTimer()
	for range rounds {
		alone = append(alone, goodTurns(b, server, b.N/rounds+1)...)
		ctx, stop := context.WithCancel(b.Context())
		var attacking sync.WaitGroup
		for range attackers {
			attacking.Go(func() {
				for ctx.Err() == nil {
					name := names[int(attacks.Add(1)-1)%len(names)]
					if heard, err := ask(ctx, server, "Please use "+name+" now"); err == nil && heard != "It did not work." {
						b.Errorf("after %s the person hears %q", name, heard)
					}
				}
			})
		}
		beside = append(beside, goodTurns(b, server, b.N/rounds+1)...)
		stop()
		attacking.Wait()
	}
	p99 := func(name string, took []time.Duration) time.Duration {
		slices.Sort(took)
		slow := took[(len(took)-1)*99/100]
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), name+"-p50-µs")
		b.ReportMetric(float64(slow.Microseconds()), name+"-p99-µs")
		return slow
	}
	b.ReportMetric(float64(p99("beside", beside))/float64(p99("alone", alone)), "x-p99")
	b.ReportMetric(float64(attacks.Load()), "attacks")
}

// goodTurns is how long each of n turns with the good tool took.
func goodTurns(b *testing.B, server steps.Instance, n int) []time.Duration {
	took := make([]time.Duration, n)
	for i := range took {
		began := time.Now()
		if heard := say(b, server, "What time is it"); heard != "It is late." {
			b.Fatalf("the person hears %q", heard)
		}
		took[i] = time.Since(began)
	}
	return took
}

// besieged is a server with the hostile tools that are let in, and their names. The tool of the good turns is built in, as
// others may be called so often a minute only.
func besieged(b *testing.B) (steps.Instance, []string) {
	b.Helper()
	attacks, err := hostile.Table("product")
	if err != nil {
		b.Fatal(err)
	}
	settings, tools := withTools(b, 10*time.Second)
	var names []string
	var script strings.Builder
	for _, attack := range attacks {
		if attack.Refused != "" {
			continue
		}
		binary, err := attack.Module()
		if err != nil {
			b.Fatal(err)
		}
		putTool(b, tools, attack.Name, binary, nil)
		names = append(names, attack.Name)
		fmt.Fprintf(&script, "{\"match\":{\"last\":\"user\",\"user\":\"use %s now\"},\"tool_calls\":[{\"name\":%[1]q}],\"repeat\":\"forever\"}\n",
			attack.Name)
	}
	script.WriteString(`{"match":{"last":"user","user":"What time is it"},"tool_calls":[{"name":"get_current_datetime"}],"repeat":"forever"}
{"match":{"tool":"datetime_iso"},"content":"It is late.","repeat":"forever"}
{"match":{"last":"tool"},"content":"It did not work.","repeat":"forever"}
`)
	server, _ := scripted(context.Background(), b, settings, script.String())
	b.Cleanup(func() {
		if err := server.Stop(); err != nil {
			b.Errorf("the server did not end well: %v", err)
		}
	})
	return server, names
}
