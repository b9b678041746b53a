//go:build !race

package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"chatterbox/evals/steps"
	"chatterbox/tools-wasm/testkit/hostile"
)

var heavyAttacks = flag.Bool("hostile.heavy", false, "the attacks that take many seconds, too")

// TestHostileTables installs every attack of the tables as a tool without any right, and has a conversation use one after the
// other: each time the server lives, the person hears a sentence, the log names tool and reason, and then a good tool answers.
// What exactly comes of each attack is held by the layers below.
func TestHostileTables(t *testing.T) {
	tables := []string{"abi", "network"}
	if *long {
		tables = append(tables, "running", "admission")
	}
	for _, table := range tables {
		t.Run(table, func(t *testing.T) {
			attacks := attacksOf(t, table)
			began := time.Now()
			server := serveAttacks(t, attacks)
			t.Logf("%d attacks, the server is up after %v", len(attacks), time.Since(began).Round(time.Millisecond))
			for i, attack := range attacks {
				t.Run(attack.Name, func(t *testing.T) { meet(t, server, attack, goodTool(i)) })
			}
			if err := server.Stop(); err != nil {
				t.Errorf("the server did not end well: %v\n%s", err, server.Log())
			}
			t.Logf("all of it took %v", time.Since(began).Round(time.Millisecond))
		})
	}
}

func attacksOf(t *testing.T, table string) (attacks []hostile.Attack) {
	t.Helper()
	all, err := hostile.Table(table)
	if err != nil {
		t.Fatal(err)
	}
	for _, attack := range all {
		if !attack.Heavy || *heavyAttacks {
			attacks = append(attacks, attack)
		}
	}
	return attacks
}

const (
	heardAfter   = "It is over."
	heardRefused = "There is no such tool."
	heardGotOut  = "It got out."
)

// serveAttacks starts a server with the attacks as tools, and a model that uses the one that it is told to.
func serveAttacks(t *testing.T, attacks []hostile.Attack) steps.Instance {
	t.Helper()
	settings, tools := withTools(t, 5*time.Second)
	var script strings.Builder
	for i, attack := range attacks {
		putTool(t, tools, goodTool(i), hostile.Good(), nil)
		binary, err := attack.Module()
		if err != nil {
			t.Fatal(err)
		}
		putTool(t, tools, attack.Name, binary, attackLimits(attack))
		fmt.Fprintf(&script, `{"match":{"last":"user","user":"use %s now"},"tool_calls":[{"name":%[1]q,"arguments":%s}],"repeat":"forever"}`+"\n",
			attack.Name, strings.ReplaceAll(attack.Arguments, "NUMBER", "1"))
		fmt.Fprintf(&script, `{"match":{"last":"user","user":"use %s now"},"tool_calls":[{"name":%[1]q}]}`+"\n", goodTool(i))
	}
	fmt.Fprintf(&script, `{"match":{"tool":"\"name\":\"good_"},"content":"The good one works.","repeat":"forever"}
{"match":{"tool":"Unknown tool"},"content":%q,"repeat":"forever"}
{"match":{"tool":"\"status\":"},"content":%q,"repeat":"forever"}
{"match":{"last":"tool"},"content":%q,"repeat":"forever"}
`, heardRefused, heardGotOut, heardAfter)
	server, mock := scripted(t.Context(), t, settings, script.String())
	t.Cleanup(func() {
		if err := mock.Err(); err != nil {
			t.Errorf("the model: %v", err)
		}
	})
	return server
}

// goodTool is the good tool that is called after an attack: one may be called 30 times a minute.
func goodTool(attack int) string { return fmt.Sprintf("good_%d", attack/25) }

// attackLimits are those that the table gives the attack.
func attackLimits(attack hostile.Attack) map[string]int64 {
	limits := map[string]int64{}
	for name, value := range map[string]int64{
		"wall_ms": attack.Deadline.Milliseconds(), "memory_pages": int64(attack.Pages),
		"output": int64(attack.Output), "log": int64(attack.LogBytes),
	} {
		if value > 0 {
			limits[name] = value
		}
	}
	return limits
}

// meet has one turn with the attack and one with the good tool.
func meet(t *testing.T, server steps.Instance, attack hostile.Attack, good string) {
	t.Helper()
	grown := hostile.Watch()
	want := heardAfter
	if attack.Refused != "" {
		want = heardRefused
	}
	if got := say(t, server, "Please use "+attack.Name+" now"); got != want {
		t.Errorf("the person hears %q, want %q", got, want)
	}
	if memory, bound := grown(), attack.Memory+serverMemory; memory > bound {
		t.Errorf("memory grew by %d MiB, the bound is %d", memory>>20, bound>>20)
	}
	tool, reason := "tool="+attack.Name+" ", "fault="+attack.Fault
	switch {
	case attack.Refused != "":
		tool, reason = attack.Name, attack.Refused
	case len(attack.Requests) > 0:
		reason = `msg="request refused"`
	}
	named := reason == "fault="
	for line := range strings.Lines(server.Log()) {
		named = named || strings.Contains(line, tool) && strings.Contains(line, reason)
	}
	if !named {
		t.Errorf("no line of the log names tool and reason (%s):\n%s", reason, server.Log())
	}
	if got := say(t, server, "Please use "+good+" now"); got != "The good one works." {
		t.Errorf("then the good tool: %q", got)
	}
}

// serverMemory is what the server itself may need for a turn, beside the attack's bound.
const serverMemory = 32 << 20
