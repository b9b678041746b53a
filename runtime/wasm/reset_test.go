package wasm

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var resetCalls = flag.Int("wasm.calls", 2_000, "calls of the tests that look for what a call leaves behind")

// hidingPlaces are what the guest hides_anywhere knows, and whether its instance can be kept afterwards.
var hidingPlaces = map[string]bool{
	"m": true, "g": true, "v": true, "f": true, "t": true, "z": true, "p": true, "n": true,
	"T": false, "d": false, "e": false,
	"u": false, // it traps
}

func hide(where string) Call {
	call := testCall()
	call.Arguments = fmt.Appendf(nil, "%q", where+string(rune('!'+rand.IntN(90))))
	if strings.ContainsAny(string(call.Arguments), `\`) {
		call.Arguments = fmt.Appendf(nil, "%q", where+"7") // one character is one byte
	}
	return call
}

const foundNothing = `"00000000"`

// judgeHiding says what is wrong with a result of hides_anywhere.
func judgeHiding(where string, r Result) error {
	switch {
	case where == "u" && r.Fault == Trap:
	case where != "u" && r.Fault == NoFault && string(r.Output) == foundNothing:
	default:
		return fmt.Errorf("%s: answered %s, %s %s", where, r.Output, r.Fault, r.Message)
	}
	return nil
}

// onImages makes the module's instances live on images of their memory, as large ones may; it says whether that is
// possible.
func onImages(t *testing.T, m *Module) bool {
	t.Helper()
	call := hide("n")
	m.Call(t.Context(), call, nil)
	h := m.environment(&call).first
	image, err := newImage(h.memory, h.size)
	if err != nil {
		t.Log("no images here:", err)
		return false
	}
	h.image = image
	m.Call(t.Context(), call, nil)
	if idle := m.environment(&call).idle; len(idle) != 1 || !idle[0].linear.isMapped() {
		t.Fatal("the instance is not on the image")
	}
	return true
}

func eachWayBack(t *testing.T, test func(t *testing.T, m *Module)) {
	for _, kind := range []string{Compiler, Interpreter} {
		for _, way := range []string{"copied", "mapped"} {
			t.Run(kind+"/"+way, func(t *testing.T) {
				m := loadModule(t, Options{Interpret: kind == Interpreter}, "hides_anywhere")
				if way == "copied" || onImages(t, m) {
					test(t, m)
				}
			})
		}
	}
}

// TestNothingIsFoundOfEarlierCalls hides in random order, and looks before each time.
func TestNothingIsFoundOfEarlierCalls(t *testing.T) {
	places := []string{}
	for place := range hidingPlaces {
		places = append(places, place)
	}
	eachWayBack(t, func(t *testing.T, m *Module) {
		calls := *resetCalls
		if m.engine.Kind() == Interpreter {
			calls /= 60
		}
		for range calls {
			where := places[rand.IntN(len(places))]
			if err := judgeHiding(where, m.Call(t.Context(), hide(where), nil)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestWhatIsHiddenIsFoundWithoutTheReset shows that the test above would see it.
func TestWhatIsHiddenIsFoundWithoutTheReset(t *testing.T) {
	for where := range hidingPlaces {
		if where == "n" || where == "u" {
			continue
		}
		m := loadModule(t, Options{}, "hides_anywhere")
		call := hide(where)
		if err := m.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		in, err := m.take(t.Context(), m.environment(&call), &call, nil)
		if err != nil {
			t.Fatal(err)
		}
		first, err := in.serve(&call)
		if err != nil || judgeHiding(where, first) != nil {
			t.Errorf("%s: the first call answered %s, %v", where, first.Output, err)
		}
		in.prepare(t.Context(), &call, nil, nil)
		if second, err := in.serve(&call); err == nil && judgeHiding(where, second) == nil {
			t.Errorf("%s: the second call found nothing", where)
		}
		in.close()
		m.leave()
	}
}

func TestInstancesAreKeptWhereTheyCanBeRestored(t *testing.T) {
	eachWayBack(t, func(t *testing.T, m *Module) {
		for where, want := range hidingPlaces {
			call := hide("n")
			m.Call(t.Context(), call, nil)
			before := m.environment(&call).idle
			if len(before) != 1 {
				t.Fatalf("%d instances are kept", len(before))
			}
			in := before[0]
			m.Call(t.Context(), hide(where), nil)
			after := m.environment(&call).idle
			if kept := len(after) == 1 && after[0] == in; kept != want {
				t.Errorf("%s: kept %v", where, kept)
			}
		}
	})
}

// TestHammerReset calls one module from several goroutines, in several environments.
func TestHammerReset(t *testing.T) {
	eachWayBack(t, func(t *testing.T, m *Module) {
		var all sync.WaitGroup
		rounds := *resetCalls / 60
		if m.engine.Kind() == Interpreter {
			rounds /= 25
		}
		for g := range 4 {
			all.Go(func() {
				for range rounds {
					for where := range hidingPlaces {
						call := hide(where)
						call.Env = map[string]string{"N": fmt.Sprint(rand.IntN(environmentsMax+g) % (environmentsMax + 2))}
						if err := judgeHiding(where, m.Call(t.Context(), call, nil)); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		all.Wait()
	})
}

// goReactor builds the guest in testdata with the stock compiler, once.
var goReactor = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "goreactor")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "guest.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", out, ".")
	build.Dir = "testdata/goreactor"
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if printed, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, printed)
	}
	return os.ReadFile(out)
})

func loadBinary(t testing.TB, options Options, binary []byte) *Module {
	t.Helper()
	m, err := NewEngine(options).Load(context.Background(), binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// TestAReactorOfTheStockGoCompilerIsRestored counts in the guest's variables and heap, and makes it collect garbage and
// grow.
func TestAReactorOfTheStockGoCompilerIsRestored(t *testing.T) {
	if !*long {
		t.Skip("-long runs it: the guest is built by the stock compiler")
	}
	binary, err := goReactor()
	if err != nil {
		t.Fatal(err)
	}
	m := loadBinary(t, Options{Interpret: underRace}, binary)
	kept := map[*instance]bool{}
	for n := range 20 {
		call := testCall()
		call.Arguments = fmt.Appendf(nil, `{"n":%d,"work":%d}`, n, n%5*400)
		r := m.Call(t.Context(), call, nil)
		want := fmt.Sprintf(`{"arguments":%s,"calls":1,"seen":1}`, call.Arguments)
		if string(r.Output) != want {
			t.Fatalf("call %d answered %s, %s %s; want %s", n, r.Output, r.Fault, r.Message, want)
		}
		for _, in := range m.environment(&call).idle {
			kept[in] = true
		}
	}
	if len(kept) > 5 {
		t.Errorf("%d instances were needed", len(kept))
	}
}
