package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"chatterbox/runtime/internal/texts"
)

// instance is one instance of a module. It serves one call at a time, on one goroutine. It is also the context that the
// engine hands to host functions, so that a call needs none of its own.
type instance struct {
	context.Context // of the call

	module   api.Module
	memory   api.Memory
	linear   *linearMemory
	snapshot *snapshot // nil until it is settled
	restorer api.Function
	outgrew  *atomic.Int64 // the module's
	start    api.Function  // stdio
	alloc    api.Function  // reactor
	run      api.Function  // reactor
	abi      ABI
	began    time.Time
	words    [4]uint64 // parameters and results
	buffer   []byte    // the envelope
	kernel   *kernel   // extism

	pluginCall string // extism: the function that calls tools

	// What follows belongs to one call.
	tool        string
	env         []string
	host        Host
	deadline    time.Time
	bound       context.Context // Context ended by the deadline, made when it is needed first
	cancel      context.CancelFunc
	stdin       []byte
	room        []byte // for the result; empty
	stdout      output
	log         output
	kept        []byte // the answer that read will copy
	hostCalls   int
	looks       int // at the deadline, of the counter of work
	closed      [3]bool
	warnedFiles bool
	over        bool // the deadline or the context ended the call

	hostFailed string   // what a Host panicked with, or that its answer was none
	failure    string   // what fail ended the call with
	session    *session // of a server
}

// Value answers the instance itself to host functions.
func (in *instance) Value(key any) any {
	if key == (instanceKey{}) {
		return in
	}
	return in.Context.Value(key)
}

// prepare sets what belongs to one call.
func (in *instance) prepare(ctx context.Context, call *Call, env []string, host Host) {
	in.Context = ctx
	in.tool, in.env, in.host, in.deadline = call.Tool, env, host, call.Deadline
	in.stdin = nil
	in.room = call.Room[:0]
	in.stdout = output{bytes: in.room, max: call.Limits.OutputBytes}
	in.log = output{max: call.Limits.LogBytes}
	in.kept, in.hostCalls, in.looks, in.closed = nil, 0, 0, [3]bool{}
	in.warnedFiles, in.over, in.hostFailed, in.failure = false, false, "", ""
	if in.kernel != nil {
		in.kernel.config, in.kernel.limit = call.Env, uint64(call.Limits.MemoryPages)<<16
	}
	in.linear.limit = uint64(call.Limits.MemoryPages) << 16
	in.linear.denied = false
}

// finish lets go of what belonged to the call.
func (in *instance) finish() {
	if in.cancel != nil {
		in.cancel()
	}
	in.bound, in.cancel = nil, nil
	in.Context, in.host, in.kept, in.stdin, in.room = nil, nil, nil, nil, nil
	in.stdout, in.log = output{}, output{}
	in.session = nil
	if in.kernel != nil {
		in.kernel.reset()
	}
}

// bounded is the call's context with its deadline.
func (in *instance) bounded() context.Context {
	if in.bound == nil {
		in.bound, in.cancel = context.WithDeadline(in.Context, in.deadline)
	}
	return in.bound
}

// mustGoOn leaves the guest when its call is over. Host functions end with it, and the checks in the guest's code call
// it.
func (in *instance) mustGoOn() {
	if in.Context.Err() != nil || !time.Now().Before(in.deadline) {
		in.over = true
		leave(sys.ExitCodeDeadlineExceeded)
	}
}

// left says whether the guest just left with status 0.
func (in *instance) left(err error) bool {
	var exit *sys.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 0 && in.hostFailed == "" && in.failure == "" && !in.over
}

// fault says what an error of the engine means. A guest that left with status 0 has none, but for a reactor.
func (in *instance) fault(err error) (Fault, string) {
	if err == nil {
		return NoFault, "" // before anything is allocated
	}
	var exit *sys.ExitError
	switch {
	case in.hostFailed != "":
		return HostFailure, in.hostFailed
	case in.over:
		if in.Context.Err() == context.Canceled {
			return TimedOut, "cancelled"
		}
		return TimedOut, "not finished in time"
	case in.failure != "":
		return ExitStatus, in.failure
	case in.left(err) && in.abi != Reactor:
		return NoFault, ""
	case errors.As(err, &exit) && exit.ExitCode() == 0:
		return Trap, "left in the middle of a call"
	case errors.As(err, &exit):
		return ExitStatus, fmt.Sprintf("left with status %d%s", exit.ExitCode(), in.log.last())
	}
	what, trace, _ := strings.Cut(err.Error(), "\n")
	what = strings.TrimPrefix(what, "wasm error: ")
	in.log.line(what + "\n" + trace)
	if in.linear.denied {
		return OutOfMemory, fmt.Sprintf("needs more memory than %d bytes: %s", in.linear.limit, what)
	}
	return Trap, what
}

// output keeps at most max bytes of what a guest writes.
type output struct {
	bytes []byte
	max   int
	cut   bool
}

func (o *output) write(b []byte) {
	if room := o.max - len(o.bytes); len(b) > room {
		b, o.cut = b[:room], true
	}
	o.bytes = append(o.bytes, b...)
}

func (o *output) line(text string) {
	o.write([]byte(strings.TrimRight(text, "\n")))
	o.write([]byte{'\n'})
}

// last is the last line, as an addition to a sentence.
func (o *output) last() string {
	const lineMax = 200
	text := strings.TrimSpace(strings.ToValidUTF8(string(o.bytes), "\uFFFD"))
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if text == "" {
		return ""
	}
	return ": " + texts.Cut(text, lineMax)
}

// judge says what a guest's output is worth; cut is true where bytes behind it are missing.
func judge(written []byte, cut bool) (output []byte, fault Fault, message string) {
	if cut {
		written = texts.Whole(written)
	}
	written = bytes.TrimSpace(written)
	switch {
	case len(written) == 0:
		return nil, BadOutput, "wrote no result"
	case !utf8.Valid(written):
		return nil, BadOutput, "wrote a result that is not UTF-8"
	}
	return written, NoFault, ""
}
