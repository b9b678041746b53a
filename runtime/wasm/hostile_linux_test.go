package wasm

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"chatterbox/tools-wasm/testkit/hostile"
)

func init() { children["bare engine"] = runBare }

const (
	bareTable  = "WASM_TEST_TABLE"
	bareAttack = "WASM_TEST_ATTACK"
)

var allControls = flag.Bool("hostile.controls", false, "runs the null control of every hostile guest")

// TestHostileGuestsDoHarmWhereNobodyStopsThem is the null control of the tables of hostile guests: each attack that
// says what it does without its wall is run so, on the bare engine in a process of its own, and must do it. The short
// form takes one for each harm, -long one for each wall, -hostile.controls all.
func TestHostileGuestsDoHarmWhereNobodyStopsThem(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range []string{"admission", "running", "abi", "compiling"} {
		attacks, err := hostile.Table(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, attack := range attacks {
			kind := attack.Without
			if *long {
				kind = table + ": " + attack.Wall
			}
			if attack.Without == "" || seen[kind] && !*allControls {
				continue
			}
			seen[kind] = true
			t.Run(attack.Name, func(t *testing.T) {
				t.Parallel()
				harms(t, table, attack)
			})
		}
	}
}

// patience is how long a harm may take to show, far beyond what it takes where the machine is busy.
const patience = 5 * time.Minute

// harms runs the attack until its harm shows, and kills it then.
func harms(t *testing.T, table string, attack hostile.Attack) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=bare engine", bareTable+"="+table, bareAttack+"="+attack.Name,
		"GORACE=atexit_sleep_ms=0") // or the race detector waits a second at the end of each child
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, len(bareBegins))); err != nil { // starting a process is not what is measured
		t.Errorf("it does not begin: %v", err)
	}
	engine := hostile.Resident(child.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for began := time.Now(); ; {
		select {
		case err := <-ended:
			if harmed := attack.Without == "is let in" || attack.Without == "keeps state"; !harmed || err != nil {
				t.Errorf("it ended after %v (%v), and should have shown that it %s", time.Since(began), err, attack.Without)
			}
			return
		case <-ticker.C:
		}
		harmed := attack.Without == "takes memory" && hostile.Resident(child.Process.Pid) > engine+attack.Memory ||
			attack.Without == "runs on" && time.Since(began) > 2*attack.Within
		if late := time.Since(began) > patience; harmed || late {
			_ = child.Process.Kill()
			<-ended
			if !harmed {
				t.Errorf("after %v it has not shown that it %s", patience, attack.Without)
			}
			return
		}
	}
}

const bareBegins = "begins\n"

// runBare is the child: the engine as it comes, with stock WASI and this host's functions answering nothing. It ends
// well only when the module was compiled, or kept what it must not keep.
func runBare() {
	attack, err := findAttack(os.Getenv(bareTable), os.Getenv(bareAttack))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	binary, err := attack.Module()
	fmt.Print(bareBegins)
	if err == nil {
		err = callBare(context.Background(), attack, binary)
	}
	if err != nil {
		os.Exit(1)
	}
}

func findAttack(table, name string) (hostile.Attack, error) {
	attacks, err := hostile.Table(table)
	for _, attack := range attacks {
		if attack.Name == name {
			return attack, nil
		}
	}
	return hostile.Attack{}, fmt.Errorf("no attack %s in %s: %w", name, table, err)
}

func callBare(ctx context.Context, attack hostile.Attack, binary []byte) error {
	runtime := wazero.NewRuntime(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	nothing := api.GoFunc(func(_ context.Context, stack []uint64) { stack[0] = 0 })
	two := []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}
	host := runtime.NewHostModuleBuilder(HostModule)
	for name, parameters := range map[string][]api.ValueType{"http_request": two, "log": two, "read": two[:1]} {
		host.NewFunctionBuilder().WithGoFunction(nothing, parameters, two[:1]).Export(name)
	}
	if _, err := host.Instantiate(ctx); err != nil {
		return err
	}
	compiled, err := runtime.CompileModule(ctx, binary)
	if err != nil || attack.Without == "is let in" {
		return err
	}
	config := wazero.NewModuleConfig().WithStartFunctions("_initialize").WithSysNanosleep().WithFS(os.DirFS("/"))
	module, err := runtime.InstantiateModule(ctx, compiled, config)
	if err != nil {
		return err
	}
	if start := module.ExportedFunction("_start"); start != nil {
		_, err = start.Call(ctx)
		return err
	}
	for number := range attack.Calls {
		if _, err := module.ExportedFunction("alloc").Call(ctx, 16); err != nil {
			return err
		}
		module.Memory().WriteUint64Le(1024, uint64(number)+1)
		answer, err := module.ExportedFunction("execute").Call(ctx, 1024, 8)
		if err != nil && number > 0 && attack.Without == "keeps state" {
			return nil // it traps where it finds what the first call left
		} else if err != nil {
			return err
		}
		if kept, _ := module.Memory().ReadUint64Le(uint32(answer[0] >> 32)); number > 0 && kept == 1 {
			return nil // it answers what the first call was given
		}
	}
	return fmt.Errorf("it keeps nothing")
}
