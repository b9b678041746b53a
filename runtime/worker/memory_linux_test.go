//go:build !race

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"chatterbox/runtime/worker"
	"chatterbox/tools-wasm/testkit/hostile"
)

// asMeasured is followed by whether guests run apart: a server that runs those that want memory, and prints what that
// cost it.
const asMeasured = "measured"

func init() { roles[asMeasured] = beMeasured }

// serverGrowthMax is how much a server's own memory may grow, whatever its guests do.
const serverGrowthMax = 5 << 20

// hungry are attacks on memory, in the guest, at its host functions and in what it says.
var hungry = []string{
	"grows", "grows_at_once", "grows_table", "grows_table_at_once", "recurses", "recurses_wide", "recurses_by_table", "fills",
	"copies", "floods_output", "floods_log", "floods_host_log", "writes_too_much", "logs_much", "asks_without_end", "starts_large",
}

// TestTheServersMemoryStaysWhateverAGuestDoes compares the most that a server has had with what it began with, and for
// control the same where guests run in the server.
func TestTheServersMemoryStaysWhateverAGuestDoes(t *testing.T) {
	apart, inside := growth(t, "apart"), growth(t, "inside")
	t.Logf("the server grew by %d KiB; with the guests inside, by %d KiB", apart>>10, inside>>10)
	if apart > serverGrowthMax {
		t.Errorf("the server grew by %d KiB, at most %d are allowed", apart>>10, serverGrowthMax>>10)
	}
	if inside <= serverGrowthMax {
		t.Errorf("the guests take %d KiB only: nothing is shown", inside>>10)
	}
}

func growth(t *testing.T, where string) (bytes int64) {
	t.Helper()
	rounds := "1"
	if worker.Long() {
		rounds = "2" // what the first left behind would show
	}
	server := exec.Command(os.Args[0], asMeasured, where, rounds)
	server.Stderr = os.Stderr
	said, err := server.Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(said), &bytes); err != nil {
		t.Fatalf("%s: %v", said, err)
	}
	return bytes
}

func beMeasured() {
	if err := measure(os.Args[2] == "apart", os.Args[3] == "2"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(apart, again bool) error {
	attacks, err := hostile.Table("running")
	if err != nil {
		return err
	}
	options := worker.Options{Workers: 2}
	if apart {
		options.Command = command
	}
	pool, err := worker.NewPool(options)
	if err != nil {
		return err
	}
	defer pool.Close()
	digests := map[string]string{}
	for _, attack := range attacks {
		if !slices.Contains(hungry, attack.Name) {
			continue
		}
		module, err := addAttack(context.Background(), pool, attack)
		if err != nil {
			return err
		}
		digests[attack.Name] = module.Digest
	}
	if len(digests) != len(hungry) {
		return fmt.Errorf("%d of %d attacks are there", len(digests), len(hungry))
	}
	run := func(attack hostile.Attack) {
		pool.Call(context.Background(), worker.Call{
			Digest: digests[attack.Name], Tool: attack.Name, Arguments: []byte(`{}`), Limits: worker.Limits{Wall: attack.Deadline},
		}, func(context.Context, string, []byte) []byte { return []byte(attack.Answer) })
	}
	good, err := pool.Add(context.Background(), hostile.Good())
	if err != nil {
		return err
	}
	pool.Call(context.Background(), worker.Call{Digest: good.Digest, Tool: "good", Arguments: []byte(`{}`)}, nil)
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the most begins with what there is
		return err
	}
	before, err := most()
	if again {
		attacks = append(attacks, attacks...)
	}
	for _, attack := range attacks {
		if digests[attack.Name] != "" && err == nil {
			run(attack)
		}
	}
	after, errAfter := most()
	fmt.Println(after - before)
	return errors.Join(err, errAfter)
}

// most is the most memory that this process has had.
func most() (bytes int64, err error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	_, err = fmt.Sscan(after, &bytes)
	return bytes << 10, err
}
