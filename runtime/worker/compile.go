package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"chatterbox/runtime/wasm"
)

// The bounds of compiling one module: flat up to a size that few tools have, and more for what is beyond it, in
// proportion to what a server by the stock Go compiler takes.
const (
	compileFlat      = 8 << 20         // bytes of a module
	compileTime      = 5 * time.Second // of processor time; a slow machine takes as much more as it is slower
	compileTimeMiB   = time.Second
	compileSlowest   = 8         // times, at most
	compileStarved   = 3         // how much longer it may take where others use the processor
	compileMemory    = 240 << 20 // of data, which is 256 MiB at most: see the README
	compileMemoryMiB = 16 << 20
)

// compileSetup is what a process is for that compiles a module of so many bytes.
func compileSetup(size int) setup {
	beyond := int64(max(0, size-compileFlat)+1<<20-1) >> 20
	return setup{
		compile:   true,
		processor: int64(compileTime+time.Duration(beyond)*compileTimeMiB) / int64(time.Second),
		memory:    compileMemory + beyond*compileMemoryMiB + threadsMemory/4, // it has few threads
	}
}

// compile fills the cache with a module, in a process that runs none.
func (s *processes) compile(ctx context.Context, digest string, binary []byte) error {
	what := compileSetup(len(binary))
	wall := time.Duration(what.processor) * time.Second * compileSlowest * compileStarved
	if raceDetector {
		wall *= raceSlower
	}
	return s.compileIn(ctx, what, wall, digest, binary)
}

func (s *processes) compileIn(ctx context.Context, what setup, wall time.Duration, digest string, binary []byte) error {
	what.interpret, what.cacheDir = s.interpret, s.cache()
	p, err := s.start(what)
	if err != nil {
		return fmt.Errorf("start a worker that compiles: %w", err)
	}
	defer p.kill()
	err = p.compiled(ctx, digest, binary, time.Now().Add(wall))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return wasm.Refusal(fmt.Sprintf("takes more than %v to compile", wall))
	case err == nil || !isGone(err):
		return err
	}
	<-p.exited
	return p.compileDeath(what)
}

// compileDeath is why a compile worker that has ended did so.
func (p *process) compileDeath(what setup) error {
	status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case p.outOfMemory():
		return wasm.Refusal(fmt.Sprintf("takes more than %d MiB of memory to compile", what.memory>>20))
	case ok && status.Signaled() && status.Signal() == syscall.SIGKILL:
		used := p.command.ProcessState.UserTime() + p.command.ProcessState.SystemTime()
		return wasm.Refusal(fmt.Sprintf("takes more than %.0f s of processor time to compile", used.Seconds()))
	}
	return errors.New("the worker that compiles ended" + strings.TrimSuffix(p.lastWords(), "\n"))
}
