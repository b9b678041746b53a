package worker_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"chatterbox/runtime/worker"
	"chatterbox/tools-wasm/testkit/hostile"
)

var benchArguments = []byte(`{"location":"Kansas City","units":"metric"}`)

// percentile is a duration that so many of a hundred do not exceed.
func percentile(took []time.Duration, of int) time.Duration {
	slices.Sort(took)
	return took[(len(took)-1)*of/100]
}

// BenchmarkCallAndPipe makes a call and, in turns with it, a round trip of as many bytes through a process that sends
// back what it gets. x-pipe is how many round trips a call takes, both at their median.
func BenchmarkCallAndPipe(b *testing.B) {
	pool := newPool(b, worker.Options{Command: command, Workers: 1})
	call := worker.Call{Digest: add(b, pool, "echo_reactor").Digest, Tool: "echo", Arguments: benchArguments}
	first := pool.Call(b.Context(), call, nil)
	if first.Fault != worker.NoFault {
		b.Fatal(first.Message)
	}
	trip := echoProcess(b)
	payload := slices.Clone(first.Result)
	var calls, trips []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		if out := pool.Call(b.Context(), call, nil); out.Fault != worker.NoFault {
			b.Fatal(out.Message)
		}
		called := time.Now()
		trip(payload)
		calls, trips = append(calls, called.Sub(began)), append(trips, time.Since(called))
	}
	b.ReportMetric(float64(percentile(calls, 50).Nanoseconds()), "call-ns")
	b.ReportMetric(float64(percentile(trips, 50).Nanoseconds()), "pipe-ns")
	b.ReportMetric(float64(percentile(calls, 50))/float64(percentile(trips, 50)), "x-pipe")
}

// echoProcess is a round trip through a process.
func echoProcess(b *testing.B) (trip func(payload []byte)) {
	b.Helper()
	echo := exec.Command(os.Args[0], asEcho)
	theirs, to, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	from, back, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	echo.Stdin, echo.Stdout = theirs, back
	if err := echo.Start(); err != nil {
		b.Fatal(err)
	}
	_, _ = theirs.Close(), back.Close()
	b.Cleanup(func() {
		_ = to.Close()
		_ = echo.Wait()
		_ = from.Close()
	})
	return func(payload []byte) {
		if _, err := to.Write(payload); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(from, payload); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSpawn is what a call costs that finds no worker: it starts one, has it load the module, and makes the call.
// The module was compiled before. Beside it stands a process of the same program that does nothing.
func BenchmarkSpawn(b *testing.B) {
	for _, name := range []string{"echo_reactor", "get_weather"} {
		b.Run(name, func(b *testing.B) {
			cache, binary := b.TempDir(), moduleBytes(b, name)
			for b.Loop() {
				pool, err := worker.NewPool(worker.Options{Command: command, Workers: 1, CacheDir: cache})
				if err != nil {
					b.Fatal(err)
				}
				module, err := pool.Add(b.Context(), binary)
				if err != nil {
					b.Fatal(err)
				}
				out := pool.Call(b.Context(), worker.Call{Digest: module.Digest, Tool: name, Arguments: []byte(`{"place":1}`)}, nil)
				if out.Fault != worker.NoFault {
					b.Fatal(out.Message)
				}
				if err := pool.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("a process", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command(os.Args[0], asEcho).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOverrun has each guest that would never end make b.N calls, with a call of a good tool after each: how long
// after the deadline the server has its answer. The bound is 50 ms at the 99th percentile for a loop, 300 ms for all of
// the rest.
func BenchmarkOverrun(b *testing.B) {
	attacks, err := hostile.Table("running")
	if err != nil {
		b.Fatal(err)
	}
	pool := newPool(b, worker.Options{Command: command})
	good, err := pool.Add(b.Context(), hostile.Good())
	if err != nil {
		b.Fatal(err)
	}
	for _, attack := range attacks {
		if attack.Fault != string(worker.TimedOut) {
			continue
		}
		b.Run(attack.Name, func(b *testing.B) {
			module, err := addAttack(b.Context(), pool, attack)
			if err != nil {
				b.Fatal(err)
			}
			defer pool.Remove(module.Digest)
			var late, next []time.Duration
			for b.Loop() {
				began := time.Now()
				out := pool.Call(b.Context(), worker.Call{
					Digest: module.Digest, Tool: attack.Name, Arguments: []byte(`{}`),
					Limits: worker.Limits{Wall: attack.Deadline, MemoryPages: attack.Pages},
				}, func(context.Context, string, []byte) []byte { return []byte(attack.Answer) })
				ended := time.Now()
				if out.Fault != worker.TimedOut {
					b.Fatalf("%q: %s", out.Fault, out.Message)
				}
				then := pool.Call(b.Context(), worker.Call{Digest: good.Digest, Tool: "good", Arguments: benchArguments}, nil)
				if then.Fault != worker.NoFault {
					b.Fatalf("then the good tool: %s", then.Message)
				}
				late, next = append(late, ended.Sub(began)-attack.Deadline), append(next, time.Since(ended))
			}
			for _, of := range []int{50, 99, 100} {
				b.ReportMetric(float64(percentile(late, of).Microseconds())/1000, fmt.Sprintf("late-p%d-ms", of))
			}
			b.ReportMetric(float64(percentile(next, 99).Microseconds())/1000, "next-p99-ms")
		})
	}
}

// BenchmarkBesideHostile makes calls of a good tool alone, and as many while others do their worst on as many workers
// as there are beside it. x-p99 is how much longer the slow ones among them take.
func BenchmarkBesideHostile(b *testing.B) {
	const workers, attackers = 4, 2
	pool := newPool(b, worker.Options{Command: command, Workers: workers})
	good, err := pool.Add(b.Context(), hostile.Good())
	if err != nil {
		b.Fatal(err)
	}
	call := worker.Call{Digest: good.Digest, Tool: "good", Arguments: benchArguments}
	measure := func() []time.Duration {
		took := make([]time.Duration, b.N)
		for i := range took {
			out := pool.Call(b.Context(), call, nil)
			if took[i] = out.Duration; out.Fault != worker.NoFault {
				b.Fatal(out.Message)
			}
		}
		return took
	}
	attack := besiege(b, pool, attackers)
	measure() // its worker is warm then
	b.ResetTimer()
	alone := measure()
	lift := attack()
	beside := measure()
	lift()
	for name, took := range map[string][]time.Duration{"alone": alone, "beside": beside} {
		b.ReportMetric(float64(percentile(took, 50).Microseconds()), name+"-p50-µs")
		b.ReportMetric(float64(percentile(took, 99).Microseconds()), name+"-p99-µs")
	}
	b.ReportMetric(float64(percentile(beside, 99))/float64(percentile(alone, 99)), "x-p99")
}

// besiege makes ready what begins so many endless rows of hostile calls, and what ends them.
func besiege(b *testing.B, pool *worker.Pool, attackers int) (begin func() (end func())) {
	b.Helper()
	attacks, err := hostile.Table("running")
	if err != nil {
		b.Fatal(err)
	}
	var calls []worker.Call
	for _, attack := range attacks {
		if !slices.Contains([]string{"loops", "doubles", "fills", "grows", "recurses", "floods_output"}, attack.Name) {
			continue
		}
		module, err := addAttack(b.Context(), pool, attack)
		if err != nil {
			b.Fatal(err)
		}
		calls = append(calls, worker.Call{
			Digest: module.Digest, Tool: attack.Name, Arguments: []byte(`{}`), Limits: worker.Limits{Wall: attack.Deadline},
		})
	}
	return func() func() {
		ctx, cancel := context.WithCancel(b.Context())
		var all sync.WaitGroup
		for side := range attackers {
			all.Go(func() {
				for i := side; ctx.Err() == nil; i++ {
					pool.Call(ctx, calls[i%len(calls)], nil)
				}
			})
		}
		return func() {
			cancel()
			all.Wait()
		}
	}
}
