package wasm

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

var (
	benchArguments = []byte(`{"location":"Kansas City","units":"metric"}`)
	benchEnvelope  = []byte(`{"name":"echo","arguments":{"location":"Kansas City","units":"metric"}}`)
)

func testModule(t testing.TB, name string) []byte {
	t.Helper()
	for _, folder := range []string{"testkit/modules", "testkit/sdk", "dist"} {
		if binary, err := os.ReadFile(filepath.Join("../../tools-wasm", folder, name+".wasm")); err == nil {
			return binary
		}
	}
	t.Fatalf("no module %s", name)
	return nil
}

func loadModule(t testing.TB, options Options, name string) *Module {
	t.Helper()
	m, err := NewEngine(options).Load(context.Background(), testModule(t, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func testCall() Call {
	return Call{
		Tool: "echo", Arguments: benchArguments, Deadline: time.Now().Add(time.Hour),
		Limits: Limits{MemoryPages: 256, OutputBytes: 64 << 10, LogBytes: 16 << 10},
	}
}

// BenchmarkReactor compares one reactor call: the engine alone, ours in an instance that is kept and not reset, and
// ours whole.
func BenchmarkReactor(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		ctx := context.Background()
		runtime := wazero.NewRuntime(ctx)
		defer runtime.Close(ctx)
		in, err := runtime.Instantiate(ctx, testModule(b, "echo_reactor"))
		if err != nil {
			b.Fatal(err)
		}
		alloc, execute := in.ExportedFunction("alloc"), in.ExportedFunction("execute")
		var words [2]uint64
		b.ReportAllocs()
		for b.Loop() {
			words[0] = uint64(len(benchEnvelope))
			if err := alloc.CallWithStack(ctx, words[:]); err != nil {
				b.Fatal(err)
			}
			at := uint32(words[0])
			in.Memory().Write(at, benchEnvelope)
			words[0], words[1] = uint64(at), uint64(len(benchEnvelope))
			if err := execute.CallWithStack(ctx, words[:]); err != nil {
				b.Fatal(err)
			}
			view, _ := in.Memory().Read(uint32(words[0]>>32), uint32(words[0]))
			if answer := bytes.Clone(view); len(answer) != len(benchEnvelope) {
				b.Fatalf("answered %s", answer)
			}
		}
	})
	b.Run("kept, no reset", func(b *testing.B) {
		m := loadModule(b, Options{}, "echo_reactor")
		call := testCall()
		ctx := context.Background()
		if err := m.enter(ctx); err != nil {
			b.Fatal(err)
		}
		defer m.leave()
		in, err := m.instantiate(ctx, &call, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer in.close()
		b.ReportAllocs()
		for b.Loop() {
			in.prepare(ctx, &call, nil, nil)
			result, err := in.serve(&call)
			if err != nil || len(result.Output) != len(benchEnvelope) {
				b.Fatalf("answered %s, %v", result.Output, err)
			}
			in.finish()
		}
	})
	b.Run("whole", func(b *testing.B) {
		m := loadModule(b, Options{}, "echo_reactor")
		call := testCall()
		b.ReportAllocs()
		for b.Loop() {
			if result := m.Call(context.Background(), call, nil); len(result.Output) != len(benchEnvelope) {
				b.Fatalf("answered %s, %s", result.Output, result.Message)
			}
		}
	})
}

// BenchmarkStdio compares one call of a command in a fresh instance: the engine with its own WASI, and ours.
func BenchmarkStdio(b *testing.B) {
	for _, name := range []string{"echo_stdio", "get_weather"} {
		arguments := benchArguments
		if name == "get_weather" {
			arguments = []byte(`{"place":1}`) // ends before it asks the host
		}
		b.Run(name+"/bare", func(b *testing.B) { benchmarkBareCommand(b, testModule(b, name), arguments) })
		b.Run(name+"/ours", func(b *testing.B) {
			m := loadModule(b, Options{}, name)
			call := testCall()
			call.Arguments = arguments
			b.ReportAllocs()
			for b.Loop() {
				if result := m.Call(context.Background(), call, nil); result.Fault != NoFault {
					b.Fatal(result.Message)
				}
			}
		})
	}
}

func benchmarkBareCommand(b *testing.B, binary, arguments []byte) {
	ctx := context.Background()
	runtime, compiled := bareModule(b, binary, "http_request")
	b.ReportAllocs()
	for b.Loop() {
		var stdout bytes.Buffer
		in, err := runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").
			WithArgs("tool", "echo").WithStdin(bytes.NewReader(arguments)).WithStdout(&stdout))
		if in != nil {
			_ = in.Close(ctx)
		}
		if stdout.Len() == 0 {
			b.Fatal(err)
		}
	}
}

// BenchmarkMetering shows what counting work costs a guest that does nothing else than compute.
func BenchmarkMetering(b *testing.B) {
	binary := testModule(b, "computes")
	run := func(b *testing.B, call func() error) {
		for b.Loop() {
			if err := call(); err != nil {
				b.Fatal(err)
			}
		}
	}
	for name, config := range map[string]wazero.RuntimeConfig{
		"bare":                    wazero.NewRuntimeConfig(),
		"the engine's own checks": wazero.NewRuntimeConfig().WithCloseOnContextDone(true),
	} {
		b.Run(name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			runtime := wazero.NewRuntimeWithConfig(ctx, config)
			defer runtime.Close(ctx)
			in, err := runtime.Instantiate(ctx, binary)
			if err != nil {
				b.Fatal(err)
			}
			var words [2]uint64
			run(b, func() error { return in.ExportedFunction("execute").CallWithStack(ctx, words[:]) })
		})
	}
	b.Run("ours", func(b *testing.B) {
		m := loadModule(b, Options{}, "computes")
		call := testCall()
		run(b, func() error {
			if result := m.Call(context.Background(), call, nil); result.Fault != NoFault {
				return Refusal(result.Message)
			}
			return nil
		})
	})
}

// BenchmarkMeteringOfJSON shows what counting work costs guests that look through 100 KB of JSON for a member that is
// not there, as tools do that were made with the SDKs. Calls with and without metering alternate, each in a fresh
// instance, and only the time inside the guest is taken; x-bare is how much longer it takes, both at their median.
func BenchmarkMeteringOfJSON(b *testing.B) {
	const one = `{"name":"Kansas City \u00e9","at":[39.0997,-94.5786e0],"tags":["a\n",null,true,{"deep":[1,[2,""]]}]},`
	ctx, call := context.Background(), testCall()
	call.Arguments = []byte(`{"others":[` + strings.Repeat(one, 1000) + `0]}`)
	envelope := appendEnvelope(nil, &call)
	timed := func(b *testing.B, ctx context.Context, in api.Module) time.Duration {
		words := [2]uint64{uint64(len(envelope))}
		if err := in.ExportedFunction("alloc").CallWithStack(ctx, words[:]); err != nil {
			b.Fatal(err)
		}
		in.Memory().Write(uint32(words[0]), envelope)
		words[1] = uint64(len(envelope))
		execute, began := in.ExportedFunction("execute"), time.Now()
		if err := execute.CallWithStack(ctx, words[:]); err != nil || uint32(words[0]) == 0 {
			b.Fatalf("answered nothing: %v", err)
		}
		return time.Since(began)
	}
	for _, name := range []string{"c", "rust", "assemblyscript"} {
		b.Run(name, func(b *testing.B) {
			instantiate, m := bareReactor(b, testModule(b, name)), loadModule(b, Options{}, name)
			if err := m.enter(ctx); err != nil {
				b.Fatal(err)
			}
			defer m.leave()
			var bare, metered []time.Duration
			for b.Loop() {
				alone := instantiate()
				bare = append(bare, timed(b, ctx, alone))
				_ = alone.Close(ctx)
				in, err := m.instantiate(ctx, &call, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				in.prepare(ctx, &call, nil, nil)
				metered = append(metered, timed(b, in, in.module))
				in.close()
			}
			slices.Sort(bare)
			slices.Sort(metered)
			b.ReportMetric(float64(metered[len(metered)/2])/float64(bare[len(bare)/2]), "x-bare")
		})
	}
}

// bareReactor makes fresh instances of a reactor on the bare engine.
func bareReactor(b *testing.B, binary []byte) (instantiate func() api.Module) {
	b.Helper()
	ctx := context.Background()
	runtime, compiled := bareModule(b, binary, "now")
	return func() api.Module {
		in, err := runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
		if err != nil {
			b.Fatal(err)
		}
		return in
	}
}

// bareModule compiles a module on the bare engine, beside WASI and one host function that does nothing.
func bareModule(b *testing.B, binary []byte, function string) (wazero.Runtime, wazero.CompiledModule) {
	b.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	b.Cleanup(func() { _ = runtime.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	stub, i32 := api.GoFunc(func(context.Context, []uint64) {}), api.ValueTypeI32
	_, err := runtime.NewHostModuleBuilder(HostModule).
		NewFunctionBuilder().WithGoFunction(stub, []api.ValueType{i32, i32}, []api.ValueType{i32}).Export(function).
		NewFunctionBuilder().WithGoFunction(stub, []api.ValueType{i32}, []api.ValueType{i32}).Export("read").
		Instantiate(ctx)
	if err != nil {
		b.Fatal(err)
	}
	compiled, err := runtime.CompileModule(ctx, binary)
	if err != nil {
		b.Fatal(err)
	}
	return runtime, compiled
}
