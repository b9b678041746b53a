package wasm

import (
	"context"
	"os"
	"testing"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// resetGuests are the reactors of which the figures come: small and without a library, C with its library, Rust with
// its stack of 1 MiB, and the stock Go compiler with encoding/json.
func resetGuests(t testing.TB) []struct {
	name   string
	binary []byte
} {
	t.Helper()
	read := func(path string) []byte {
		binary, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return binary
	}
	compiledGo, err := goReactor()
	if err != nil {
		t.Fatal(err)
	}
	return []struct {
		name   string
		binary []byte
	}{
		{"wat", testModule(t, "echo_reactor")},
		{"c", read("testdata/c/guest.wasm")},
		{"rust", read("testdata/rust/guest.wasm")},
		{"go", compiledGo},
	}
}

// BenchmarkCall compares what a call costs: in the engine alone, with an instance that is kept or a fresh one; and
// ours, kept without a reset, kept with it, and fresh.
func BenchmarkCall(b *testing.B) {
	for _, guest := range resetGuests(b) {
		b.Run(guest.name+"/bare kept", func(b *testing.B) { benchmarkBare(b, guest.binary, false) })
		b.Run(guest.name+"/bare fresh", func(b *testing.B) { benchmarkBare(b, guest.binary, true) })
		b.Run(guest.name+"/ours without reset", func(b *testing.B) { benchmarkOurs(b, guest.binary, false) })
		b.Run(guest.name+"/ours", func(b *testing.B) {
			m := loadBinary(b, Options{}, guest.binary)
			call := testCall()
			call.Room = make([]byte, 0, 4<<10)
			mustAnswer(b, m.Call(context.Background(), call, nil))
			b.ReportAllocs()
			for b.Loop() {
				mustAnswer(b, m.Call(context.Background(), call, nil))
			}
		})
		b.Run(guest.name+"/ours fresh", func(b *testing.B) { benchmarkOurs(b, guest.binary, true) })
	}
	benchmarkExtism(b)
}

func mustAnswer(b *testing.B, r Result) {
	if r.Fault != NoFault || len(r.Output) < len(benchArguments) {
		b.Fatalf("answered %s, %s %s", r.Output, r.Fault, r.Message)
	}
}

func benchmarkOurs(b *testing.B, binary []byte, fresh bool) {
	m := loadBinary(b, Options{}, binary)
	call := testCall()
	ctx := context.Background()
	if err := m.enter(ctx); err != nil {
		b.Fatal(err)
	}
	defer m.leave()
	var in *instance
	b.ReportAllocs()
	for b.Loop() {
		if in == nil {
			var err error
			if in, err = m.instantiate(ctx, &call, nil, nil); err != nil {
				b.Fatal(err)
			}
		} else {
			in.prepare(ctx, &call, nil, nil)
		}
		r, err := in.serve(&call)
		if err != nil {
			b.Fatal(err)
		}
		mustAnswer(b, r)
		if fresh {
			in.close()
			in = nil
		}
	}
}

func benchmarkBare(b *testing.B, binary []byte, fresh bool) {
	ctx := context.Background()
	engine := wazero.NewRuntime(ctx)
	defer engine.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, engine)
	compiled, err := engine.CompileModule(ctx, binary)
	if err != nil {
		b.Fatal(err)
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	var in api.Module
	var alloc, execute api.Function
	var words [2]uint64
	b.ReportAllocs()
	for b.Loop() {
		if in == nil {
			if in, err = engine.InstantiateModule(ctx, compiled, config); err != nil {
				b.Fatal(err)
			}
			alloc, execute = in.ExportedFunction("alloc"), in.ExportedFunction("execute")
		}
		words[0] = uint64(len(benchEnvelope))
		if err := alloc.CallWithStack(ctx, words[:]); err != nil {
			b.Fatal(err)
		}
		in.Memory().Write(uint32(words[0]), benchEnvelope)
		words[1] = uint64(len(benchEnvelope))
		if err := execute.CallWithStack(ctx, words[:]); err != nil {
			b.Fatal(err)
		}
		if view, ok := in.Memory().Read(uint32(words[0]>>32), uint32(words[0])); !ok || len(view) < len(benchArguments) {
			b.Fatal("no answer")
		}
		if fresh {
			_ = in.Close(ctx)
			in = nil
		}
	}
}

// benchmarkExtism runs the C guest as a plugin in extism's own SDK: one plugin that is kept, and a fresh one for each
// call.
func benchmarkExtism(b *testing.B) {
	ctx := context.Background()
	manifest := extism.Manifest{Wasm: []extism.Wasm{extism.WasmFile{Path: "testdata/extism/plugin.wasm"}}}
	compiled, err := extism.NewCompiledPlugin(ctx, manifest, extism.PluginConfig{EnableWasi: true}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer compiled.Close(ctx)
	for name, fresh := range map[string]bool{"extism pooled": false, "extism fresh": true} {
		b.Run("c/"+name, func(b *testing.B) {
			plugin, err := compiled.Instance(ctx, extism.PluginInstanceConfig{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if fresh {
					_ = plugin.Close(ctx)
					if plugin, err = compiled.Instance(ctx, extism.PluginInstanceConfig{}); err != nil {
						b.Fatal(err)
					}
				}
				status, answer, err := plugin.Call("execute", benchEnvelope)
				if err != nil || status != 0 || len(answer) < len(benchArguments) {
					b.Fatalf("answered %d %s, %v", status, answer, err)
				}
			}
			_ = plugin.Close(ctx)
		})
	}
}

// BenchmarkReset compares what it costs to put an instance back, after writing to the pages that a call writes to:
// copying its memory back, mapping it anew, and what we do.
func BenchmarkReset(b *testing.B) {
	for _, guest := range resetGuests(b) {
		m := loadBinary(b, Options{}, guest.binary)
		call := testCall()
		ctx := context.Background()
		if err := m.enter(ctx); err != nil {
			b.Fatal(err)
		}
		in, err := m.take(ctx, m.environment(&call), &call, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := in.serve(&call); err != nil {
			b.Fatal(err)
		}
		dirty := dirtyPages(in.linear.bytes[:in.snapshot.size], in.snapshot.memory)
		reset := func(name string, memory []byte, back func() bool) {
			b.Run(guest.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					for _, at := range dirty {
						memory[at]++
					}
					if !back() {
						b.Fatal("not restored")
					}
				}
				b.ReportMetric(float64(len(dirty)), "pages")
			})
		}
		copied := make([]byte, in.snapshot.size)
		reset("copying", copied, func() bool { copyBack(copied, in.snapshot.memory); return true })
		if image, err := newImage(in.snapshot.memory, in.snapshot.size); err == nil {
			mapped, err := image.mapped(in.snapshot.size)
			if err != nil {
				b.Fatal(err)
			}
			reset("mapping", mapped, func() bool { return discard(mapped) == nil })
			unmap(mapped)
			image.close()
		}
		if !in.restore() {
			b.Fatal("not restored")
		}
		reset("ours", in.linear.bytes, in.restore)
		in.finish()
		in.close()
		m.leave()
	}
}
