//go:build !race

package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/steps"
	"chatterbox/tools-wasm/testkit/hostile"
)

// BenchmarkTurnsBesideHostileTools has turns with a good tool alone, and as many while two other conversations have hostile
// tools called without end, which have ten seconds each. x-p99 is how much longer the slow ones among them take. The model
// answers at once.
func BenchmarkTurnsBesideHostileTools(b *testing.B) {
	const attackers = 2
	server, names := besieged(b)
	turns := func() []time.Duration {
		took := make([]time.Duration, b.N)
		for i := range took {
			began := time.Now()
			if got := say(b, server, "What time is it"); got != "It is late." {
				b.Fatalf("the person hears %q", got)
			}
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		return took
	}
	say(b, server, "What time is it")
	b.ResetTimer()
	alone := turns()
	var attacking sync.WaitGroup
	var over atomic.Bool
	var attacked atomic.Int64
	for side := range attackers {
		attacking.Go(func() {
			for i := side; !over.Load(); i++ {
				if say(b, server, "Please use "+names[i%len(names)]+" now") == "It did not work." {
					attacked.Add(1)
				}
			}
		})
	}
	beside := turns()
	over.Store(true)
	attacking.Wait()
	for name, took := range map[string][]time.Duration{"alone": alone, "beside": beside} {
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), name+"-p50-µs")
		b.ReportMetric(float64(took[(len(took)-1)*99/100].Microseconds()), name+"-p99-µs")
	}
	b.ReportMetric(float64(beside[(len(beside)-1)*99/100])/float64(alone[(len(alone)-1)*99/100]), "x-p99")
	b.ReportMetric(float64(attacked.Load()), "attacks")
}

// besieged is a server with the hostile tools that are let in, and their names. The tool of the good turns is built in, as
// others may be called so often a minute only.
func besieged(b *testing.B) (steps.Instance, []string) {
	b.Helper()
	attacks, err := hostile.Table("product")
	if err != nil {
		b.Fatal(err)
	}
	settings := steps.Settings{Data: b.TempDir(), Model: "mock", ToolTimeout: 10 * time.Second}
	tools := filepath.Join(settings.Data, "tools")
	if err := os.Mkdir(tools, 0o700); err != nil {
		b.Fatal(err)
	}
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
		putTool(b, tools, attack.Name, binary)
		names = append(names, attack.Name)
		fmt.Fprintf(&script, "{\"match\":{\"last\":\"user\",\"user\":\"use %s now\"},\"tool_calls\":[{\"name\":%[1]q}],\"repeat\":\"forever\"}\n",
			attack.Name)
	}
	script.WriteString(`{"match":{"last":"user","user":"What time is it"},"tool_calls":[{"name":"get_current_datetime"}],"repeat":"forever"}
{"match":{"tool":"datetime_iso"},"content":"It is late.","repeat":"forever"}
{"match":{"last":"tool"},"content":"It did not work.","repeat":"forever"}
`)
	replies, err := mockllm.Parse("hostile", strings.NewReader(script.String()))
	if err != nil {
		b.Fatal(err)
	}
	mock := mockllm.New(replies, mockllm.Options{})
	model := httptest.NewServer(mock)
	b.Cleanup(func() { mock.Close(); model.Close() })
	settings.ModelURL = model.URL + "/v1"
	server, err := product(b, b.TempDir(), "")(context.Background(), settings)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Stop(); err != nil {
			b.Errorf("the server did not end well: %v", err)
		}
	})
	return server, names
}
