package main

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func roomCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: room NAME BYTES")
	}
	p := ts.Value(running{}).(*programs).byName[args[0]]
	if p == nil {
		ts.Fatalf("nothing was started as %s", args[0])
	}
	bytes, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	pid := p.command.Process.Pid
	var limit unix.Rlimit
	ts.Check(unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &limit))
	limit.Cur = min(uint64(bytes), limit.Max)
	ts.Check(unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil))
}
