package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/runtime/worker"
)

// generous is far beyond what a call should take, so that a slow machine does not fail a test.
const generous = 20 * time.Second

func add(t testing.TB, pool *worker.Pool, name string) worker.Module {
	t.Helper()
	module, err := pool.Add(context.Background(), moduleBytes(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func TestAddSaysWhatAModuleIs(t *testing.T) {
	pool := newPool(t, worker.Options{})
	weather := add(t, pool, "get_weather")
	if weather.ABI != worker.Stdio || !strings.Contains(string(weather.Manifest), `"name":"get_weather"`) {
		t.Errorf("get_weather is %s with manifest %s", weather.ABI, weather.Manifest)
	}
	clock := add(t, pool, "get_current_datetime")
	if clock.ABI != worker.Reactor || !strings.HasPrefix(clock.Digest, "sha256:") || len(clock.Digest) != 71 {
		t.Errorf("get_current_datetime is %s with digest %s", clock.ABI, clock.Digest)
	}
	if got := fmt.Sprint(clock.Imports); got != "[chatterbox.now chatterbox.read]" {
		t.Errorf("it imports %s", got)
	}
	if described := add(t, pool, "describes"); described.Manifest != nil {
		t.Errorf("describes has no section, but %q", described.Manifest)
	}
	status := pool.Status()
	if status.Isolation != "shared process" || status.Modules != 3 || status.Engine == "" {
		t.Errorf("status %+v", status)
	}
}

func TestAModuleIsAskedForItsManifest(t *testing.T) {
	pool := newPool(t, worker.Options{})
	for name, want := range map[string]string{"describes": `{"name":"describes"}`, "echo_reactor": "", "echo_stdio": ""} {
		if got, err := pool.Describe(t.Context(), add(t, pool, name).Digest); err != nil || string(got) != want {
			t.Errorf("%s answered %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{"describes_traps": "unreachable", "describes_nothing": "wrote no result"} {
		_, err := pool.Describe(t.Context(), add(t, pool, name).Digest)
		if !errors.Is(err, worker.ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := pool.Describe(ended, add(t, pool, "describes").Digest); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := pool.Describe(t.Context(), "sha256:none"); err == nil || errors.Is(err, worker.ErrRefused) {
		t.Errorf("a module that is not there: %v", err)
	}
}

func TestAModuleIsForgottenAfterAsManyRemovesAsAdds(t *testing.T) {
	pool := newPool(t, worker.Options{})
	module := add(t, pool, "echo_reactor")
	add(t, pool, "echo_reactor")
	call := worker.Call{Digest: module.Digest, Tool: "t", Arguments: []byte(`{}`)}
	pool.Remove(module.Digest)
	if out := pool.Call(t.Context(), call, nil); out.Fault != worker.NoFault {
		t.Errorf("after one Remove of two: %+v", out)
	}
	pool.Remove(module.Digest)
	if out := pool.Call(t.Context(), call, nil); out.Fault != worker.Refused {
		t.Errorf("after both: %+v", out)
	}
	pool.Remove(module.Digest) // one too many is nothing
}

func TestACallEndsWithItsContextOrThePool(t *testing.T) {
	for name, module := range map[string]string{
		"a guest that waits":      "sleeps",
		"a guest that loops":      "loops",
		"a guest without a loop":  "doubles",
		"a guest that fills":      "fills",
		"a host that takes long":  "asks_host",
		"a guest without an exit": "floods",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := newPool(t, worker.Options{})
			call := worker.Call{Digest: add(t, pool, module).Digest, Tool: "t", Arguments: []byte(`{}`)}
			host := func(ctx context.Context, _ string, _ []byte) []byte {
				<-ctx.Done()
				return []byte(`{"error":"over"}`)
			}
			soon := func(do func()) { // a little after the call has begun to run
				for pool.Status().Running == 0 && t.Context().Err() == nil {
					runtime.Gosched()
				}
				time.AfterFunc(20*time.Millisecond, do)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go soon(cancel)
			began := time.Now()
			if out := pool.Call(ctx, call, host); out.Fault != worker.TimedOut || out.Message != "cancelled" {
				t.Errorf("cancelled: %s %s", out.Fault, out.Message)
			}
			go soon(func() { _ = pool.Close() })
			if out := pool.Call(t.Context(), call, host); out.Fault != worker.TimedOut {
				t.Errorf("closed: %s %s", out.Fault, out.Message)
			}
			if took := time.Since(began); took > generous {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestOnlySoManyCallsRunAtOnceAndTheOthersWaitWithinTheirDeadline(t *testing.T) {
	pool := newPool(t, worker.Options{Workers: 1})
	call := worker.Call{Digest: add(t, pool, "asks_host").Digest, Tool: "t", Arguments: []byte(`{}`)}
	inside, open := make(chan struct{}), make(chan struct{})
	first := make(chan worker.Output)
	go func() {
		first <- pool.Call(t.Context(), call, func(context.Context, string, []byte) []byte {
			close(inside)
			<-open
			return []byte(`{}`)
		})
	}()
	<-inside
	hurried := call
	hurried.Limits.Wall = 20 * time.Millisecond
	if out := pool.Call(t.Context(), hurried, nil); out.Fault != worker.TimedOut {
		t.Errorf("a second call: %+v", out)
	}
	close(open)
	if out := <-first; out.Fault != worker.NoFault {
		t.Errorf("the first call: %+v", out)
	}
	if out := pool.Call(t.Context(), call, nil); out.Fault != worker.NoFault {
		t.Errorf("a third call: %+v", out)
	}
}

func TestWhatWouldBeTooLongAQueueIsRefused(t *testing.T) {
	const workers, waiting = 2, 64
	pool := newPool(t, worker.Options{Workers: workers})
	call := worker.Call{Digest: add(t, pool, "asks_host").Digest, Tool: "t", Arguments: []byte(`{}`)}
	open, outputs := make(chan struct{}), make(chan worker.Output)
	for range 1000 {
		go func() {
			outputs <- pool.Call(t.Context(), call, func(context.Context, string, []byte) []byte {
				<-open
				return []byte(`{}`)
			})
		}()
	}
	for range 1000 - workers - waiting { // none of the others can end
		if out := <-outputs; out.Fault != worker.Refused || !strings.Contains(out.Message, "too many") {
			t.Errorf("%s %s", out.Fault, out.Message)
		}
	}
	close(open)
	for range workers + waiting {
		if out := <-outputs; out.Fault != worker.NoFault {
			t.Errorf("one that ran or waited: %s %s", out.Fault, out.Message)
		}
	}
}

func TestAHostThatPanicsFailsTheCallOnly(t *testing.T) {
	pool := newPool(t, worker.Options{})
	call := worker.Call{Digest: add(t, pool, "asks_host").Digest, Tool: "t", Arguments: []byte(`{}`)}
	out := pool.Call(t.Context(), call, func(context.Context, string, []byte) []byte { panic("oh") })
	if out.Fault != worker.HostFailure || !strings.Contains(out.Message, "kv_get") {
		t.Errorf("%s %s", out.Fault, out.Message)
	}
	if out := pool.Call(t.Context(), call, nil); string(out.Result) != `{"error":"kv_get is not available here"}` {
		t.Errorf("without a host: %s %s", out.Result, out.Message)
	}
}

func TestAPoolThatIsClosedTakesNothingMore(t *testing.T) {
	pool := newPool(t, worker.Options{})
	module := add(t, pool, "echo_reactor")
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	if out := pool.Call(t.Context(), worker.Call{Digest: module.Digest}, nil); out.Fault != worker.Refused {
		t.Errorf("call: %+v", out)
	}
	if _, err := pool.Add(t.Context(), moduleBytes(t, "loops")); err == nil || errors.Is(err, worker.ErrRefused) {
		t.Errorf("add: %v", err)
	}
}

func TestWorkersAreBounded(t *testing.T) {
	for _, workers := range []int{-1, 65} {
		if _, err := worker.NewPool(worker.Options{Workers: workers}); err == nil {
			t.Errorf("%d workers are accepted", workers)
		}
	}
}

// TestHammerPool calls, adds and removes from many sides at once. Every call that was not refused must answer its own
// arguments.
func TestHammerPool(t *testing.T) {
	pool := newPool(t, worker.Options{Workers: 8, CacheDir: t.TempDir()})
	modules := []string{"echo_reactor", "hides_state", "get_current_datetime", "echo_stdio", "traps"}
	digests := map[string]string{}
	for _, name := range modules {
		digests[name] = add(t, pool, name).Digest
	}
	var all sync.WaitGroup
	for side := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(side)))
			for i := range 60 {
				name := modules[random.IntN(len(modules))]
				if random.IntN(4) == 0 {
					pool.Remove(add(t, pool, name).Digest)
					continue
				}
				callOne(t, pool, name, digests[name], fmt.Sprintf(`{"timezone":"%d-%d"}`, side, i))
			}
		})
	}
	all.Wait()
}

func callOne(t *testing.T, pool *worker.Pool, name, digest, arguments string) {
	out := pool.Call(t.Context(), worker.Call{Digest: digest, Tool: name, Arguments: []byte(arguments)},
		func(_ context.Context, _ string, input []byte) []byte {
			return []byte(`{"known":true,"datetime_iso":"x","zone":` + strings.TrimPrefix(string(input), `{"zone":`))
		})
	switch name {
	case "traps":
		if out.Fault != worker.Trap {
			t.Errorf("traps: %+v", out)
		}
	case "hides_state":
		if want := `{"m":1,"h":1,"s":1,"g":3,"e":1,"w":8}`; string(out.Result) != want {
			t.Errorf("hides_state: %s", out.Result)
		}
	default:
		zone := strings.TrimSuffix(strings.TrimPrefix(arguments, `{"timezone":`), "}")
		if !strings.Contains(string(out.Result), zone) {
			t.Errorf("%s of %s: %s %s", name, arguments, out.Result, out.Message)
		}
	}
}

// FuzzWeatherAnswer gives the weather guest anything as what the service said: it must always answer with an object,
// and never trap.
func FuzzWeatherAnswer(f *testing.F) {
	for _, body := range []string{
		`{"results":[{"name":"Paris","latitude":48.85341,"longitude":2.3488,"country":"France"}]}`,
		`{"current":{"temperature_2m":8.2,"relative_humidity_2m":71,"weather_code":3,"wind_speed_10m":14.0}}`,
		`{"results":[{"name":"\ud83c\udf27\u0041","latitude":-1e-7,"longitude":1E400,"a":[true,false,null,{}]}],"current":{}}`,
		`{"results":`, "\x00", `"\ud83c"`, `[[[[`,
	} {
		f.Add(body, body, 200)
	}
	f.Add("", "", 503)
	pool := newPool(f, worker.Options{})
	digest := add(f, pool, "get_weather").Digest
	f.Fuzz(func(t *testing.T, first, second string, status int) {
		bodies := []string{first, second, first}
		out := pool.Call(t.Context(), worker.Call{
			Digest: digest, Tool: "get_weather", Arguments: []byte(`{"location":"Paris, France"}`),
		}, func(context.Context, string, []byte) []byte {
			answer, err := json.Marshal(map[string]any{"status": status, "body": bodies[0]})
			if err != nil {
				t.Error(err)
			}
			bodies = bodies[1:]
			return answer
		})
		var result map[string]any
		if out.Fault != worker.NoFault || json.Unmarshal(out.Result, &result) != nil || len(result) == 0 {
			t.Errorf("%s %s %s", out.Fault, out.Message, out.Result)
		}
	})
}
