package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/cmd/chatterbox/cli"
)

// TestInterruptedAtTheStart has Ctrl-C come before a command has opened what it needs.
func TestInterruptedAtTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"chat", "What time is it in Tokyo?"}, {"tool", "call", "get_current_datetime"}, {"history", "list"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			var printed logBuffer
			variables := map[string]string{"CHATTERBOX_DATA": filepath.Join(t.TempDir(), "data"), "CHATTERBOX_LLM_DISCOVER": "false"}
			code := run(ctx, env{Env: cli.Env{
				Args: args, Stdin: strings.NewReader(""), Stdout: &printed, Stderr: &printed,
				Getenv: func(name string) string { return variables[name] },
			}})
			if code != cli.ExitInterrupted {
				t.Errorf("exit code %d, want %d: %s", code, cli.ExitInterrupted, &printed)
			}
		})
	}
}
