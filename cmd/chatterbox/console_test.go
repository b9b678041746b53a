package main

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"

	"chatterbox/runtime/config"
)

func TestConsole(t *testing.T) {
	for name, test := range map[string]struct {
		log  func(*slog.Logger)
		want string
	}{
		"an error stands for the rest": {
			func(l *slog.Logger) { l.Warn("turn", "conversation", "kitchen", "error", errors.New("no connection")) },
			"chatterbox: warning: turn: no connection\n",
		},
		"a hint gets its own line": {
			func(l *slog.Logger) {
				l.Error("history: cannot store", "error", errors.New("disk full"), "hint", "free some space")
			},
			"chatterbox: error: history: cannot store: disk full\n  free some space\n",
		},
		"attributes where there is no error": {
			func(l *slog.Logger) {
				l.With("file", "x.wasm").WithGroup("why").Warn("tool not in use", "reason", "it is empty")
			},
			"chatterbox: warning: tool not in use file=x.wasm reason=it is empty\n",
		},
		"a secret is masked everywhere": {
			func(l *slog.Logger) { l.With("key", "hunter2").Warn("said hunter2", "text", "so hunter2") },
			"chatterbox: warning: said ******** key=******** text=so ********\n",
		},
		"less than a warning is not shown": {func(l *slog.Logger) { l.Info("turn", "error", errors.New("none")) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			test.log(logger(&out, quiet(config.Log{Format: "text", Level: "info"}), []string{"hunter2"}))
			if out.String() != test.want {
				t.Errorf("prints %q, want %q", out.String(), test.want)
			}
		})
	}
}
