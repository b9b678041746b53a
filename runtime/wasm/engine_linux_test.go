package wasm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func init() { children["no executable memory"] = reportWithoutExecutableMemory }

func TestWhereMemoryMayNotBeExecutableTheInterpreterRuns(t *testing.T) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=no executable memory")
	printed, err := child.CombinedOutput()
	if strings.Contains(string(printed), "not supported by this kernel") {
		t.Skip("the kernel cannot forbid it")
	}
	if want := "interpreter " + string(benchEnvelope) + "\n"; err != nil || string(printed) != want {
		t.Errorf("printed %s, %v", printed, err)
	}
}

// reportWithoutExecutableMemory is the child of the test above: what a service manager's MemoryDenyWriteExecute does,
// it does to itself.
func reportWithoutExecutableMemory() {
	const setMDWE, refuseExecGain = 65, 1
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setMDWE, refuseExecGain, 0, 0, 0, 0); errno != 0 {
		fmt.Println("not supported by this kernel:", errno)
		return
	}
	engine := NewEngine(Options{})
	binary, err := os.ReadFile("../../tools-wasm/testkit/modules/echo_reactor.wasm")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := engine.Load(context.Background(), binary)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %s\n", engine.Kind(), m.Call(context.Background(), testCall(), nil).Output)
}
