package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"chatterbox/runtime/internal/texts"
	"chatterbox/runtime/wasm"
)

const (
	startMax   = 10 * time.Second       // for a worker to say that it is ready
	graceTime  = 225 * time.Millisecond // for a guest to end after its deadline, before the worker is killed
	timeIsUp   = -1                     // of a process that was killed because its call took too long or was given up
	saidMax    = 4 << 10                // kept of what a worker writes to its standard error
	answersMax = 4<<20 + 1              // bytes of a host's answer; the engine refuses the last one
)

// epoch is what due counts from, so that a clock that is set does not end calls.
var epoch = time.Now()

// process is a worker as the server sees it. One goroutine at a time uses it, but for kill and expire.
type process struct {
	command  *exec.Cmd
	to, from *os.File
	frames   *frames
	out      message
	held     string // the walls that it stands behind
	pages    uint32 // of a guest's memory that it has room for
	asked    bool   // its guest asked the host for something in this call
	loaded   moduleCache
	idle     time.Time    // since when it has nothing to do
	due      atomic.Int64 // when its call is over, as after epoch; 0 without one, or timeIsUp
	said     head
	exited   chan struct{} // closed when it has ended and was waited for
	ending   sync.Once

	// guarded by the lock of its processes
	serving *remote       // whose call it makes
	slow    bool          // it gives way to all others
	before  time.Duration // processor time that it had used when the call began
}

// head keeps the beginning of what is written to it.
type head struct{ kept []byte }

func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), saidMax-len(h.kept))]...)
	return len(p), nil
}

// start starts the command. The process is ready when there is no error.
func start(command []string, s setup) (_ *process, err error) {
	p := &process{exited: make(chan struct{})}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	back, theirsBack, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirs.Close(), ours.Close())
	}
	p.to, p.from, p.frames = ours, back, newFrames(back)
	p.command = exec.Command(command[0], command[1:]...)
	p.command.Stdin, p.command.Stdout, p.command.Stderr = theirs, theirsBack, &p.said
	p.command.Env, p.command.Dir = []string{}, "/"
	p.command.SysProcAttr = attributes()
	err = p.command.Start()
	_ = theirs.Close()
	_ = theirsBack.Close()
	if err != nil {
		return nil, errors.Join(err, ours.Close(), back.Close())
	}
	go func() {
		_ = p.command.Wait()
		close(p.exited)
	}()
	if err := p.greet(s); err != nil {
		p.kill()
		<-p.exited
		return nil, fmt.Errorf("%s: %w%s", command[0], err, p.lastWords())
	}
	return p, nil
}

func (p *process) greet(s setup) error {
	p.until(time.Now().Add(startMax))
	s.append(&p.out)
	if err := p.out.send(p.to); err != nil {
		return err
	}
	kind, payload, err := p.frames.next(readyBytesMax)
	if err != nil {
		return err
	}
	f := fields{rest: payload}
	p.held = f.text()
	if kind != frameReady || f.end() != nil {
		return errFrame
	}
	p.until(time.Time{})
	return nil
}

// kill ends the process, whatever it does. It may be called by several goroutines, and more than once.
func (p *process) kill() {
	p.ending.Do(func() {
		_ = p.command.Process.Kill()
		_ = p.to.Close()
		_ = p.from.Close()
	})
}

func (p *process) hasEnded() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// saysMore says whether the process has sent more than it was asked for. It would pass for what comes of the next call.
func (p *process) saysMore() bool { return p.frames.from.Buffered() > 0 }

// expire ends the process when the call that is over at due still runs.
func (p *process) expire(due int64) {
	if p.due.CompareAndSwap(due, timeIsUp) {
		p.kill()
	}
}

// until ends what waits for the pipes at a moment.
func (p *process) until(end time.Time) {
	_ = p.to.SetWriteDeadline(end)
	_ = p.from.SetReadDeadline(end)
}

// errUnsent is when a worker had ended before it was asked.
var errUnsent = errors.New("the worker had ended")

// call has the worker make one call, which is over at its deadline or ctx's. The process is of no more use when there
// is an error: os.ErrDeadlineExceeded when time was up or ctx ended.
func (p *process) call(ctx context.Context, r *remote, o *order, host wasm.Host) (result outcome, err error) {
	end := o.call.Deadline
	if earlier, ok := ctx.Deadline(); ok && earlier.Before(end) {
		end = earlier
	}
	due := int64(end.Sub(epoch) + graceTime)
	p.due.Store(due)
	defer func() {
		if !p.due.CompareAndSwap(due, 0) && err != nil {
			err = os.ErrDeadlineExceeded
		}
	}()
	defer context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) { // by its deadline a guest ends by itself
			p.expire(due)
		}
	})()
	p.loaded.use(r, &p.out)
	o.left = time.Until(end)
	o.append(&p.out)
	if err := p.out.send(p.to); err != nil {
		if isGone(err) {
			return outcome{}, errUnsent
		}
		return outcome{}, err
	}
	p.asked = false
	limit := max(requestBytesMax, o.call.Limits.OutputBytes+o.call.Limits.LogBytes+resultOverhead)
	defer p.frames.shrink()
	for {
		kind, payload, err := p.frames.next(limit)
		switch {
		case err != nil:
			return outcome{}, err
		case kind == frameResult:
			return result, result.read(payload, o.call.Limits)
		case kind != frameRequest || host == nil:
			return outcome{}, fmt.Errorf("%w: a frame of kind %q in a call", errFrame, kind)
		}
		if err := p.answer(ctx, o, payload, host); err != nil {
			return outcome{}, err
		}
	}
}

// answer lets the host answer what a guest asks it for.
func (p *process) answer(ctx context.Context, o *order, payload []byte, host wasm.Host) error {
	f := fields{rest: payload}
	function, input := f.text(), f.data()
	if err := f.end(); err != nil {
		return err
	}
	p.asked = true
	ctx, cancel := context.WithDeadline(ctx, o.call.Deadline)
	defer cancel()
	answer, err := ask(ctx, host, function, input)
	if err != nil {
		return err
	}
	p.out.open(frameAnswer)
	p.out.bytes = append(p.out.bytes, answer[:min(len(answer), answersMax)]...)
	p.out.close()
	return p.out.send(p.to)
}

// hostPanic is a host function that panicked.
type hostPanic string

func (h hostPanic) Error() string { return string(h) }

func ask(ctx context.Context, host wasm.Host, function string, input []byte) (answer []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = hostPanic(fmt.Sprintf("%s panicked: %v", texts.Cut(function, 64), r))
		}
	}()
	return host(ctx, function, input), nil
}

// compiled has a compile worker compile a module into the cache. The error is a [wasm.Refusal] when the module is not
// fit.
func (p *process) compiled(ctx context.Context, digest string, binary []byte, end time.Time) error {
	p.until(end)
	defer context.AfterFunc(ctx, func() { p.until(time.Unix(1, 0)) })()
	p.out.open(frameLoad)
	p.out.text(digest)
	p.out.number(int64(len(binary)))
	p.out.closeBefore(len(binary))
	if err := p.out.send(p.to); err != nil {
		return err
	}
	if _, err := p.to.Write(binary); err != nil {
		return err
	}
	kind, payload, err := p.frames.next(resultOverhead)
	if err != nil {
		return err
	}
	f := fields{rest: payload}
	ok, refused, said := f.flag(), f.flag(), f.text()
	switch {
	case f.end() != nil || kind != frameLoaded:
		return errFrame
	case ok:
		return nil
	case refused:
		return wasm.Refusal(said)
	}
	return errors.New(said)
}

// lastWords is how a process that has ended came to its end, and what it said of it.
func (p *process) lastWords() string {
	text := " (" + p.command.ProcessState.String() + ")"
	if line := firstLine(p.said.kept); line != "" {
		text += ": " + line
	}
	return text
}

// isGone says whether an error of a pipe means that the other side has ended.
func isGone(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrClosed)
}
