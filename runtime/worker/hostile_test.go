package worker_test

import (
	"context"
	"errors"
	"flag"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/worker"
	"chatterbox/tools-wasm/testkit/hostile"
)

var hostileRounds = flag.Int("hostile.rounds", 0, "makes each hostile call so often and holds it to its bound of time exactly")

// leniency is what a bound of time is multiplied with where the machine may be busy with other tests.
const leniency = 20

// TestHostileGuests holds each attack to its wall and its bounds, and calls a good tool after it: in processes of their
// own, and where the guests' walls are those of the engine alone.
func TestHostileGuests(t *testing.T) {
	for where, options := range map[string]worker.Options{"processes": {Command: command}, "one process": {}} {
		for _, table := range []string{"admission", "running", "abi"} {
			t.Run(where+"/"+table, func(t *testing.T) {
				if table == "admission" && options.Command == nil {
					worker.OnlyLong(t, "what is let in is decided in one way")
				}
				holdTable(t, newPool(t, options), table)
			})
		}
	}
}

func holdTable(t *testing.T, pool *worker.Pool, table string) {
	attacks, err := hostile.Table(table)
	if err != nil {
		t.Fatal(err)
	}
	good, err := pool.Add(t.Context(), hostile.Good())
	if err != nil {
		t.Fatal(err)
	}
	for _, attack := range attacks {
		if attack.Heavy && *hostileRounds == 0 {
			continue
		}
		t.Run(attack.Name, func(t *testing.T) {
			holdTo(t, pool, attack)
			out := pool.Call(t.Context(), worker.Call{Digest: good.Digest, Tool: "good", Arguments: []byte(`{"after":true}`)}, nil)
			if string(out.Result) != `{"name":"good","arguments":{"after":true}}` {
				t.Errorf("then the good tool answered %s %s %s", out.Result, out.Fault, out.Message)
			}
		})
	}
}

func addAttack(ctx context.Context, pool *worker.Pool, attack hostile.Attack) (worker.Module, error) {
	binary, err := attack.Module()
	if err != nil {
		return worker.Module{}, err
	}
	return pool.Add(ctx, binary)
}

func holdTo(t *testing.T, pool *worker.Pool, attack hostile.Attack) {
	t.Helper()
	binary, err := attack.Module()
	if err != nil {
		t.Fatal(err)
	}
	grown := hostile.Watch()
	began := time.Now()
	module, err := pool.Add(t.Context(), binary)
	late(t, attack, "admission", time.Since(began))
	switch {
	case attack.Refused != "" && (!errors.Is(err, worker.ErrRefused) || !strings.Contains(err.Error(), attack.Refused)):
		t.Errorf("admission: %v, want %q", err, attack.Refused)
	case attack.Refused == "" && err != nil:
		t.Errorf("admission: %v", err)
	}
	if err == nil {
		defer pool.Remove(module.Digest)
		for i := range max(attack.Calls, *hostileRounds) {
			if !callHostile(t, pool, attack, module.Digest, i) {
				break
			}
		}
	}
	if memory := grown(); memory > attack.Memory {
		t.Errorf("memory grew by %d MiB, the bound is %d", memory>>20, attack.Memory>>20)
	}
}

// callHostile makes one call and says whether all was as it must be.
func callHostile(t *testing.T, pool *worker.Pool, attack hostile.Attack, digest string, number int) bool {
	t.Helper()
	numbered := func(text string) string { return strings.ReplaceAll(text, "NUMBER", strconv.Itoa(number)) }
	began := time.Now()
	out := pool.Call(t.Context(), worker.Call{
		Digest: digest, Tool: attack.Name, Arguments: []byte(numbered(attack.Arguments)),
		Limits: worker.Limits{
			Wall: attack.Deadline, MemoryPages: attack.Pages, OutputBytes: attack.Output, LogBytes: attack.LogBytes,
		},
	}, func(context.Context, string, []byte) []byte { return []byte(attack.Answer) })
	late(t, attack, "the call", time.Since(began))
	if string(out.Fault) != attack.Fault || !strings.Contains(out.Message, attack.Message) {
		t.Errorf("call %d: fault %q (%.300s), want %q (%s)", number, out.Fault, out.Message, attack.Fault, attack.Message)
	}
	if result := string(out.Result); attack.Fault == "" && (result != numbered(attack.Result) || out.Truncated != attack.Truncated) {
		t.Errorf("call %d: result %.300s (truncated: %v)", number, result, out.Truncated)
	}
	limit := attack.LogBytes
	if limit == 0 {
		limit = 16 << 10
	}
	if !strings.Contains(string(out.Log), attack.Log) || len(out.Log) > limit {
		t.Errorf("call %d: a log of %d bytes: %.300s", number, len(out.Log), out.Log)
	}
	return !t.Failed()
}

func late(t *testing.T, attack hostile.Attack, what string, took time.Duration) {
	t.Helper()
	bound := attack.Within
	if *hostileRounds == 0 {
		bound *= leniency
	}
	if took > bound {
		t.Errorf("%s took %v, the bound is %v", what, took, bound)
	}
}
